//! To whom a run is unfair.

use super::{Run, Truth};
use crate::model::fairness::{Actor, Fairness};

/// The most instances of a run that are looked at.
const MOST: usize = 200;

impl Run<'_> {
    /// The agents that can act all the time in the loop of a lasso, or again and again, and never do, with the weakest fairness that
    /// excludes such runs: instances, and commands of the other ones. No agent if there is no loop.
    pub fn unfair_to(&self) -> Vec<(Actor, Fairness)> {
        let model = self.semantics().model();
        if self.loop_start().is_none() {
            return Vec::new();
        }
        let excluding = |actor: Actor| {
            let is_false = |fairness: &Fairness| self.evaluate(&actor.is_treated(*fairness, model)) == Truth::False;
            Fairness::ALL.into_iter().find(is_false).map(|fairness| (actor, fairness))
        };
        let (mut instances, mut commands) = (Vec::new(), Vec::new());
        for instance in model.instance_ids().take(MOST) {
            match excluding(Actor::Instance(instance)) {
                Some(found) => instances.push(found),
                None => {
                    let of_instance = model.agent_of(instance).initiatives();
                    commands.extend(of_instance.filter_map(|edge| excluding(Actor::Command(instance, edge))));
                }
            }
        }
        instances.append(&mut commands);
        instances
    }
}
