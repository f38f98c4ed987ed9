//! All steps from a state, and one claimed step (`docs/semantics.md#steps`).

use super::{Choice, Commands, Semantics, State, Step, WhyNot};
use crate::limits::tick;
use crate::model::formula::StateLeaf;
use crate::model::{EdgeId, InstanceId, Value};

impl Semantics<'_> {
    /// All steps from a state: sends by instance, command and receivers' choices, then get/supplies
    /// by getter, its command, supplier and its command. Exactly the stutter if there are none.
    pub fn steps(&self, state: &State) -> Vec<Step> {
        self.some_steps(state, usize::MAX)
    }

    /// The same, but of each send with so many of the receivers' choices at most: these multiply.
    pub fn some_steps(&self, state: &State, choices: usize) -> Vec<Step> {
        tick();
        if let Some(joint) = &self.model.joint {
            return self.joint_steps(joint, state, choices);
        }
        let sends = self.possible_sends(state).flat_map(|(sender, edge)| self.sends(state, sender, edge, choices));
        let mut steps: Vec<Step> = sends.collect();
        steps.extend(self.possible_transfers(state).filter_map(|(get, supply)| self.transfer(state, get, supply).ok()));
        if steps.is_empty() || self.model.open.is_some() {
            steps.push(stutter(state));
        }
        steps
    }

    /// The step with this choice, or why there is none. It exists exactly if [`Semantics::steps`]
    /// lists it; the receivers' other choices are not enumerated for that.
    pub fn apply(&self, state: &State, choice: &Choice) -> Result<Step, WhyNot> {
        tick();
        match choice {
            Choice::Joint(deeds) => match &self.model.joint {
                Some(joint) => self.joint_step(joint, state, deeds),
                None => Err(WhyNot::OtherBehaviour),
            },
            Choice::Send { .. } | Choice::GetSupply { .. } if self.model.joint.is_some() => Err(WhyNot::OtherBehaviour),
            Choice::Send { sender, edge, receivers } => self.send_to(state, *sender, *edge, receivers),
            Choice::GetSupply { getter, get, supplier, supply } => {
                self.transfer(state, (*getter, *get), (*supplier, *supply))
            }
            Choice::Stutter if self.model.open.is_some() || self.deadlocked(state) => Ok(stutter(state)),
            Choice::Stutter => Err(WhyNot::StepPossible),
        }
    }

    /// True if no step but the stutter is possible.
    pub fn deadlocked(&self, state: &State) -> bool {
        if let Some(joint) = &self.model.joint {
            return self.model.instance_ids().any(|instance| self.possible_actions(joint, state, instance).is_empty());
        }
        !self.possible_sends(state).any(|(sender, edge)| self.can_send(state, sender, edge))
            && !self.possible_transfers(state).any(|(get, supply)| self.transfer(state, get, supply).is_ok())
    }

    /// True if some step is possible in which the instance takes this send, get or supply, or any if none is named.
    pub fn can_act(&self, state: &State, instance: InstanceId, edge: Option<EdgeId>) -> bool {
        let is_it = |other: (InstanceId, EdgeId)| other.0 == instance && edge.is_none_or(|edge| edge == other.1);
        let mut sends = self.commands(state, instance).sends.iter().filter(|edge| is_it((instance, **edge)));
        sends.any(|edge| self.can_send(state, instance, *edge))
            || self
                .possible_transfers(state)
                .filter(|(get, supply)| is_it(*get) || is_it(*supply))
                .any(|(get, supply)| self.transfer(state, get, supply).is_ok())
    }

    /// The value of what a state atom reads.
    pub fn value(&self, state: &State, leaf: StateLeaf) -> Value {
        state.value(leaf, |leaf| match leaf {
            StateLeaf::Enabled(instance, edge) => self.can_act(state, instance, edge),
            StateLeaf::Deadlock => self.deadlocked(state),
            StateLeaf::Local(..) | StateLeaf::Automaton(_) | StateLeaf::Total(_) => unreachable!("the state has it"),
        })
    }

    /// The send commands that leave the present automaton states.
    fn possible_sends(&self, state: &State) -> impl Iterator<Item = (InstanceId, EdgeId)> {
        self.model
            .instance_ids()
            .flat_map(move |instance| self.commands(state, instance).sends.iter().map(move |edge| (instance, *edge)))
    }

    /// The pairs of get and supply commands that leave the present automaton states, without those that cannot meet as a
    /// guard is false that reads nothing of the other side, or as the get names another agent.
    fn possible_transfers(&self, state: &State) -> impl Iterator<Item = ((InstanceId, EdgeId), (InstanceId, EdgeId))> {
        let commands = |of: fn(&Commands) -> &[EdgeId]| {
            self.model.instance_ids().flat_map(move |instance| {
                let edges = of(self.commands(state, instance)).iter().map(move |edge| (instance, *edge));
                edges.filter(move |(instance, edge)| self.may_be_taken(state, *instance, *edge))
            })
        };
        let mut gets = commands(|commands| &commands.gets).peekable();
        let supplies: Vec<_> = match gets.peek() {
            Some(_) => commands(|commands| &commands.supplies).collect(),
            None => Vec::new(),
        };
        gets.flat_map(move |(getter, get)| {
            let named = self.supplier_named(state, getter, get);
            let is_named = move |(supplier, _): &(InstanceId, EdgeId)| named.is_none_or(|named| named == *supplier);
            let meant: Vec<_> = supplies.iter().copied().filter(is_named).collect();
            meant.into_iter().map(move |supply| ((getter, get), supply))
        })
    }

    /// True if the guard of a command is true as far as its own side tells.
    pub(super) fn may_be_taken(&self, state: &State, instance: InstanceId, edge: EdgeId) -> bool {
        let command = self.edge(instance, edge);
        !command.reads.is_empty() || self.own(state, instance).holds(&command.guard)
    }
}

pub(super) fn stutter(state: &State) -> Step {
    Step { choice: Choice::Stutter, channel: None, data: Vec::new(), target: state.clone() }
}
