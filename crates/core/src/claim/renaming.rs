//! The group of renamings, and how they act on steps. For engines: the check applies renamings by code of its own.

use crate::claim::Trace;
use crate::claim::symmetry::Renaming;
use crate::model::eval::Choice;
use crate::model::{EdgeId, InstanceId, Model, Type, Value};

impl Renaming {
    /// Changes nothing.
    pub fn identity(model: &Model) -> Renaming {
        let identity = |count: usize| (0..count as u32).collect::<Vec<u32>>();
        Renaming {
            instances: identity(model.instances.len()),
            channels: identity(model.channels.len()),
            constants: model.enums.iter().map(|each| identity(each.constants.len())).collect(),
            commands: model.agents.iter().map(|agent| identity(agent.edges.len())).collect(),
        }
    }

    /// First this one, then the other.
    pub fn then(&self, other: &Renaming) -> Renaming {
        let lists = |left: &[Vec<u32>], right: &[Vec<u32>]| left.iter().zip(right).map(|(a, b)| then(a, b)).collect();
        Renaming {
            instances: then(&self.instances, &other.instances),
            channels: then(&self.channels, &other.channels),
            constants: lists(&self.constants, &other.constants),
            commands: lists(&self.commands, &other.commands),
        }
    }

    /// The one that undoes it.
    pub fn inverse(&self) -> Renaming {
        Renaming {
            instances: inverse(&self.instances),
            channels: inverse(&self.channels),
            constants: self.constants.iter().map(|list| inverse(list)).collect(),
            commands: self.commands.iter().map(|list| inverse(list)).collect(),
        }
    }

    /// The images of the values of a type; nothing for numbers and truth values.
    pub fn values(&self, ty: Type) -> Option<&[u32]> {
        match ty {
            Type::Bool | Type::Int | Type::Range(..) => None,
            Type::Enum(id) => Some(&self.constants[id.index()]),
            Type::Channel => Some(&self.channels),
            Type::Location => Some(&self.instances),
        }
    }

    /// The image of a value of a type.
    pub fn value(&self, value: &Value, ty: Type) -> Value {
        match (value, self.values(ty)) {
            (Value::Enum(index), Some(images)) => Value::Enum(images[*index as usize]),
            _ => value.clone(),
        }
    }

    /// The image of a state, given by the automaton states and the locals of its instances.
    pub fn state(&self, model: &Model, state: &[(u32, Vec<Value>)]) -> Vec<(u32, Vec<Value>)> {
        let mut image = state.to_vec();
        for ((automaton, values), instance) in state.iter().zip(model.instance_ids()) {
            let locals = model.agent_of(instance).locals.iter();
            let renamed = locals.zip(values).map(|(local, value)| self.value(value, local.ty));
            image[self.instances[instance.index()] as usize] = (*automaton, renamed.collect());
        }
        image
    }

    /// The image of a run.
    pub fn trace(&self, model: &Model, trace: &Trace) -> Trace {
        Trace {
            initial: self.state(model, &trace.initial),
            choices: trace.choices.iter().map(|choice| self.choice(model, choice)).collect(),
            loop_start: trace.loop_start,
        }
    }

    /// The image of a command of an instance.
    pub fn command(&self, model: &Model, (instance, edge): (InstanceId, EdgeId)) -> (InstanceId, EdgeId) {
        let agent = model.instances[instance.index()].agent;
        let image = self.instances[instance.index()];
        (InstanceId(image), EdgeId(self.commands[agent.index()][edge.index()]))
    }

    /// The image of a step: from the image of a state it leads to the image of its target.
    pub fn choice(&self, model: &Model, choice: &Choice) -> Choice {
        match choice {
            Choice::Send { sender, edge, receivers } => {
                let (sender, edge) = self.command(model, (*sender, *edge));
                let mut receivers: Vec<_> = receivers.iter().map(|receive| self.command(model, *receive)).collect();
                receivers.sort_unstable();
                Choice::Send { sender, edge, receivers }
            }
            Choice::GetSupply { getter, get, supplier, supply } => {
                let (getter, get) = self.command(model, (*getter, *get));
                let (supplier, supply) = self.command(model, (*supplier, *supply));
                Choice::GetSupply { getter, get, supplier, supply }
            }
            // Agents that act at once are no two alike.
            Choice::Joint(_) | Choice::Stutter => choice.clone(),
        }
    }
}

fn then(first: &[u32], second: &[u32]) -> Vec<u32> {
    first.iter().map(|image| second[*image as usize]).collect()
}

fn inverse(permutation: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; permutation.len()];
    permutation.iter().zip(0..).for_each(|(image, index)| inverse[*image as usize] = index);
    inverse
}
