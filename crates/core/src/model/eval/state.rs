//! States of the whole system (`docs/semantics.md#states`).

use super::Semantics;
use super::value::belongs;
use crate::model::formula::StateLeaf;
use crate::model::{InstanceId, LocalId, Model, Value};
use std::fmt;
use std::sync::Arc;

/// The automaton state of every instance and the values of all locals.
///
/// States of one model only are comparable. Two arrays hold everything, and copies share them until one of them changes, so
/// that a state is cheap to hash, to copy and to keep.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    control: Arc<[Control]>,
    locals: Arc<[Value]>,
}

/// The automaton state of an instance, and the place where its locals start in the common array (the same in every
/// state of a model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Control {
    automaton: u32,
    first_local: u32,
}

impl State {
    /// The automaton state of an instance.
    pub fn automaton(&self, instance: InstanceId) -> u32 {
        self.control[instance.index()].automaton
    }

    /// The value of what a state atom reads, where it is asked what steps are possible.
    pub fn value(&self, leaf: StateLeaf, possible: impl FnOnce(StateLeaf) -> bool) -> Value {
        match leaf {
            StateLeaf::Local(instance, local) => self.local(instance, local).clone(),
            StateLeaf::Automaton(instance) => Value::int(i64::from(self.automaton(instance))),
            StateLeaf::Total(_) => unreachable!("it is known of open instances only, which are never run"),
            StateLeaf::Deadlock | StateLeaf::Enabled(..) => Value::Bool(possible(leaf)),
        }
    }

    /// The value of a local.
    pub fn local(&self, instance: InstanceId, local: LocalId) -> &Value {
        &self.locals[self.slot(instance, local)]
    }

    /// Per instance its automaton state and its locals.
    pub fn parts(&self, model: &Model) -> Vec<(u32, Vec<Value>)> {
        let locals = |instance| model.locals_of(instance).map(move |(local, _)| self.local(instance, local).clone());
        model.instance_ids().map(|instance| (self.automaton(instance), locals(instance).collect())).collect()
    }

    /// True if nothing is worth knowing of what comes after it: see [`Value::is_huge`].
    pub fn is_huge(&self) -> bool {
        self.locals.iter().any(Value::is_huge)
    }

    /// From the automaton state and the locals of every instance, unchecked.
    pub(super) fn from_parts<'v>(parts: impl IntoIterator<Item = (u32, &'v [Value])>) -> State {
        let mut control = Vec::new();
        let mut locals = Vec::new();
        for (automaton, values) in parts {
            control.push(Control { automaton, first_local: locals.len() as u32 });
            locals.extend_from_slice(values);
        }
        State { control: control.into(), locals: locals.into() }
    }

    pub(super) fn set_automaton(&mut self, instance: InstanceId, automaton: u32) {
        if self.automaton(instance) != automaton {
            Arc::make_mut(&mut self.control)[instance.index()].automaton = automaton;
        }
    }

    pub(super) fn set_local(&mut self, instance: InstanceId, local: LocalId, value: Value) {
        let slot = self.slot(instance, local);
        if self.locals[slot] != value {
            Arc::make_mut(&mut self.locals)[slot] = value;
        }
    }

    fn slot(&self, instance: InstanceId, local: LocalId) -> usize {
        self.control[instance.index()].first_local as usize + local.index()
    }
}

/// Why values make no state of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateError {
    /// Another number of instances than the model has.
    Instances {
        /// As in the model.
        expected: usize,
        /// As given.
        found: usize,
    },
    /// Another number of locals than the instance has.
    Locals {
        /// The name of the instance.
        instance: String,
        /// As in the model.
        expected: usize,
        /// As given.
        found: usize,
    },
    /// The instance has no such automaton state.
    Automaton {
        /// The name of the instance.
        instance: String,
        /// As given.
        found: u32,
    },
    /// A value outside of its type.
    Value {
        /// The variable, as in `client1-assigned`.
        variable: String,
        /// The value as far as it can be shown.
        value: String,
    },
}

impl fmt::Display for StateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::Instances { expected, found } => {
                write!(out, "the number of instances is {expected} in the model, {found} in the state")
            }
            StateError::Locals { instance, expected, found } => {
                write!(out, "the number of locals of `{instance}` is {expected} in the model, {found} in the state")
            }
            StateError::Automaton { instance, found } => {
                write!(out, "`{instance}` has no automaton state {found}")
            }
            StateError::Value { variable, value } => write!(out, "`{variable}` cannot have the value {value}"),
        }
    }
}

impl std::error::Error for StateError {}

impl Semantics<'_> {
    /// The state with these automaton states and locals, in the order of the instances; every value
    /// must be one of its variable's type.
    pub fn state_from(&self, parts: &[(u32, Vec<Value>)]) -> Result<State, StateError> {
        let model = self.model();
        if parts.len() != model.instances.len() {
            return Err(StateError::Instances { expected: model.instances.len(), found: parts.len() });
        }
        for (instance, (automaton, values)) in model.instance_ids().zip(parts) {
            check_instance(model, instance, *automaton, values)?;
        }
        Ok(State::from_parts(parts.iter().map(|(automaton, values)| (*automaton, values.as_slice()))))
    }
}

pub(super) fn check_instance(
    model: &Model,
    instance: InstanceId,
    automaton: u32,
    values: &[Value],
) -> Result<(), StateError> {
    let agent = model.agent_of(instance);
    let name = &model.instances[instance.index()].name;
    if values.len() != agent.locals.len() {
        let (expected, found) = (agent.locals.len(), values.len());
        return Err(StateError::Locals { instance: name.clone(), expected, found });
    }
    if automaton >= agent.states {
        return Err(StateError::Automaton { instance: name.clone(), found: automaton });
    }
    match (0..).zip(agent.locals.iter().zip(values)).find(|(_, (local, value))| !belongs(model, value, local.ty)) {
        None => Ok(()),
        Some((local, (_, value))) => {
            let shown = match value {
                Value::Bool(value) => value.to_string(),
                Value::Int(value) => value.to_string(),
                Value::Enum(index) => format!("number {index} of its kind"),
            };
            Err(StateError::Value { variable: model.variable_name(instance, LocalId(local)), value: shown })
        }
    }
}
