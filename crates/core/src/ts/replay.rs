//! Runs of the model on its transition system: the valuation of a state, and the inputs of a step.

use super::system::{EVENT, Event, EventKind, Origin, Reception, System};
use super::valuation::Valuation;
use crate::model::eval::Choice;
use crate::model::formula::StateLeaf;
use crate::model::{InstanceId, Value};

impl System {
    /// The values of all variables in a state of the model, given those of automaton states (as integers), locals and
    /// totals. Variables that only properties or proofs add to a system are false.
    pub fn values_of(&self, value: impl Fn(StateLeaf) -> Value) -> Vec<Value> {
        let of = |origin: Origin| match (origin, origin.leaf().map(&value)) {
            (Origin::Automaton(_), Some(state)) => {
                Value::Enum(u32::try_from(&state.into_int()).expect("automaton states are small"))
            }
            (_, value) => value.unwrap_or(Value::Bool(false)),
        };
        self.variables().iter().map(|variable| of(variable.origin)).collect()
    }

    /// The values of all variables in the first state of a trace.
    pub fn values_of_parts(&self, parts: &[(u32, Vec<Value>)]) -> Vec<Value> {
        let part = |instance: InstanceId| &parts[instance.index()];
        self.values_of(|leaf| match leaf {
            StateLeaf::Automaton(instance) => Value::int(i64::from(part(instance).0)),
            StateLeaf::Local(instance, local) => part(instance).1[local.index()].clone(),
            StateLeaf::Total(_) | StateLeaf::Deadlock | StateLeaf::Enabled(..) => {
                unreachable!("no variable of a model")
            }
        })
    }

    /// The event of a choice.
    pub fn event_of(&self, choice: &Choice) -> Option<usize> {
        let is_it = |kind: EventKind| match *choice {
            Choice::Send { sender, edge, .. } => kind == EventKind::Send { sender, edge },
            Choice::GetSupply { getter, get, supplier, supply } => {
                kind == EventKind::GetSupply { getter, get, supplier, supply }
            }
            Choice::Joint(_) => matches!(kind, EventKind::Joint { .. }),
            Choice::Stutter => kind == EventKind::Stutter,
        };
        self.events().iter().position(|event| is_it(event.kind))
    }

    /// Inputs with which the step from a state is this choice; nothing if there are none.
    ///
    /// A reception depends on its receiver's input alone, so the inputs can be found one by one. So does an action, and
    /// which line is taken depends on one further input when the actions are known, whose inputs come first.
    pub fn inputs_of(&self, choice: &Choice, state: &[Value]) -> Option<Vec<u32>> {
        let number = self.event_of(choice)?;
        let event = &self.events()[number];
        let mut inputs = vec![0; self.inputs().len()];
        inputs[EVENT.0 as usize] = number as u32;
        for input in 1..inputs.len() {
            let fitting = |option: &u32| {
                let mut chosen = inputs.clone();
                chosen[input] = *option;
                self.receptions_that_fit(choice, number, Valuation::new(state.to_vec(), chosen))
            };
            inputs[input] = (0..self.inputs()[input].count).max_by_key(fitting).expect("an input has options");
        }
        let mut valuation = Valuation::new(state.to_vec(), inputs.clone());
        let possible = valuation.holds(self.terms(), event.guard);
        let same = event.choice(|taken| valuation.holds(self.terms(), taken)) == *choice;
        (possible && same).then_some(inputs)
    }

    /// How many receptions of an event happen in a step iff they belong to a choice: actions count before all others.
    fn receptions_that_fit(&self, choice: &Choice, event: usize, mut step: Valuation) -> (usize, usize) {
        let mut fits = |reception: &&Reception| {
            let expected = choice.receives(reception.receiver, reception.edge);
            step.holds(self.terms(), reception.taken) == expected
        };
        let Event { kind, receptions, .. } = &self.events()[event];
        let (actions, others) = match kind {
            EventKind::Joint { actions } => receptions.split_at(*actions),
            EventKind::Send { .. } | EventKind::GetSupply { .. } | EventKind::Clause(_) | EventKind::Stutter => {
                receptions.split_at(0)
            }
        };
        [actions, others].map(|list| list.iter().filter(|reception| fits(reception)).count()).into()
    }
}
