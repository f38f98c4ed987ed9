//! Runs that show why formulas are false or true in states, given in which states branching formulas are.

use super::{ShownPart, ShownRun};
use crate::check::{Refused, replay};
use crate::claim::branching::{Lookalike, Witness, WitnessPart};
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::{Influence, Run, Semantics, State, Truth};
use crate::model::{Formula, InstanceId, Model};

/// The states that a check reached, with their labels.
pub(in crate::check) trait States {
    /// One of them.
    type Reached: Clone + PartialEq;

    /// The one that a state of the model is.
    fn find(&mut self, state: &State) -> Option<Self::Reached>;

    /// True if a branching formula of the spec is true there; nothing if it is none of them.
    fn label(&self, branching: &Branching, state: &Self::Reached) -> Option<bool>;

    /// True if two of them look alike to all of these together.
    fn are_alike(&self, one: &Self::Reached, other: &Self::Reached, observers: &[InstanceId]) -> bool;
}

/// Replays the runs of witnesses, and evaluates on them what they show.
pub(in crate::check) struct Showing<'a, 's, S> {
    pub semantics: &'s Semantics<'s>,
    pub states: &'a mut S,
    /// The branching formulas of the spec.
    pub list: &'a [&'a Branching],
    /// That of the spec.
    pub influence: &'a Influence,
}

impl<'s, S: States> Showing<'_, 's, S> {
    /// That a formula has this truth.
    pub fn shown(&mut self, formula: &Formula, truth: bool, witness: &Witness) -> Result<ShownRun<'s>, Refused> {
        let run = replay(self.semantics, &witness.trace, witness.trace.loop_start, self.influence)?;
        let states: Vec<Option<S::Reached>> = run.states().iter().map(|state| self.states.find(state)).collect();
        let given = |branching: &Branching, position: usize| {
            let label = states[position].as_ref().and_then(|state| self.states.label(branching, state));
            label.map_or(Truth::Unknown, Truth::from)
        };
        if witness.from > run.steps().len() {
            return Err(Refused::other_spec());
        }
        let explanation = run.explain_given(formula, witness.from, truth, &given);
        let Some(explanation) = explanation else {
            return Err(Refused::not_false(run.evaluation_given(formula, witness.from, &given).at(witness.from)));
        };
        let mut parts = Vec::new();
        for part in &witness.parts {
            let state = states.get(part.position).cloned().flatten().ok_or_else(Refused::other_spec)?;
            parts.push(self.part(state, &run, part)?);
        }
        Ok(ShownRun { run, from: witness.from, explanation, parts })
    }

    fn part(&mut self, state: S::Reached, around: &Run, part: &WitnessPart) -> Result<ShownPart<'s>, Refused> {
        let formula: &Branching = self.list.get(part.formula as usize).ok_or_else(Refused::other_spec)?;
        let (mut looks, mut last) = (Vec::new(), state.clone());
        for look in &part.looks {
            let run = match &look.there {
                Lookalike::Run(trace) => Some(replay(self.semantics, trace, None, self.influence)?),
                Lookalike::State(_) => None,
            };
            let end = match (&run, &look.there) {
                (Some(run), _) => run.states().last(),
                (None, Lookalike::State(state)) => Some(state),
                (None, Lookalike::Run(_)) => None,
            };
            // It is one of those that the check reached.
            let there = end.and_then(|state| self.states.find(state)).ok_or_else(Refused::other_spec)?;
            check_view(self.semantics.model(), formula, &look.observers)?;
            if !self.states.are_alike(&last, &there, &look.observers) {
                return Err(Refused::other_spec());
            }
            looks.push((look.observers.clone(), run));
            last = there;
        }
        let is_chain = match &formula.operator {
            Operator::All | Operator::Some | Operator::Strategy(..) => looks.is_empty(),
            Operator::Known(Knowledge::Common, _) => !looks.is_empty(),
            Operator::Known(..) => looks.len() == 1,
        };
        // Knowledge about runs is about all of them, so that one run refutes it.
        let (body, truth) = match (&formula.operator, &formula.body) {
            (Operator::Known(..), Formula::Branching(inner)) if inner.operator == Operator::All => (&inner.body, false),
            (operator, body) => (body, operator.witnessed()),
        };
        let shown = self.shown(body, truth, &part.witness)?;
        let begins =
            shown.run.states().get(shown.from).and_then(|state| self.states.find(state)).as_ref() == Some(&last);
        let goes_along = !looks.is_empty()
            || shown.from == part.position
                && shown.run.states().iter().zip(around.states()).take(shown.from).all(|(a, b)| a == b);
        if !is_chain || !begins || !goes_along {
            return Err(Refused::other_spec());
        }
        let is_here = last == state && shown.run.steps().len() == shown.from;
        Ok(ShownPart { position: part.position, formula: formula.clone(), looks, shown, is_here })
    }
}

/// Checks that observers are some member of the group that knows something, or the group where it knows together.
pub(super) fn check_view(model: &Model, formula: &Branching, observers: &[InstanceId]) -> Result<(), Refused> {
    let (group, is_joint) = match &formula.operator {
        Operator::Known(knowledge, group) => (group, knowledge.is_joint()),
        Operator::All | Operator::Some | Operator::Strategy(..) => return Err(Refused::other_spec()),
    };
    let is_view = match is_joint {
        true => observers == group,
        false => matches!(observers, [one] if group.contains(one)),
    };
    let word = if is_joint { " and " } else { " or " };
    let other = || {
        let (found, asked) = (names(model, observers, " and "), names(model, group, word));
        let what = format_args!("as {found} sees them; what the spec says is about {asked}");
        Refused::wrong(format_args!("the counterexample compares states {what}"))
    };
    if is_view { Ok(()) } else { Err(other()) }
}

/// The names of instances, of which evidence may list some that do not exist.
fn names(model: &Model, instances: &[InstanceId], word: &str) -> String {
    let name = |id: &InstanceId| match model.instances.get(id.index()) {
        Some(instance) => format!("`{}`", instance.name),
        None => format!("an instance {}, which does not exist,", id.0),
    };
    match instances {
        [] => "no agent".to_owned(),
        _ => instances.iter().map(name).collect::<Vec<_>>().join(word),
    }
}
