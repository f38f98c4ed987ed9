//! Renamings that were checked to be symmetries.

use super::normal::{Normal, Tree};
use crate::claim::symmetry::Renaming;
use crate::model::eval::Influence;
use crate::model::eval::tables::{Cell, LocalState};
use crate::model::subformulas::subformulas;
use crate::model::{Agent, Formula, InstanceId, LocalId, Model, Type, Value};

/// A renaming of which is known that it changes the model into itself: it maps initial states to initial
/// states, steps to steps, and runs to runs. There is no other way to make one than [`Symmetry::check`].
pub struct Symmetry<'a> {
    model: &'a Model,
    renaming: &'a Renaming,
}

impl<'a> Symmetry<'a> {
    /// Renames the whole model and compares: types of instances, their initial conditions, and the
    /// code of each agent type. `*` must stay `*`.
    pub fn check(model: &'a Model, renaming: &'a Renaming) -> Result<Symmetry<'a>, String> {
        check_shape(model, renaming)?;
        // Protocols and evolutions are not compared.
        if model.joint.is_some() && !is_identity(renaming) {
            return Err("agents that act all at once are not renamed".to_owned());
        }
        let (renamed, plain) = (Normal { model, renaming: Some(renaming) }, Normal { model, renaming: None });
        for (agent, commands) in model.agents.iter().zip(&renaming.commands) {
            check_agent(renamed, plain, agent, commands)?;
        }
        for (instance, image) in model.instances.iter().zip(&renaming.instances) {
            let image = &model.instances[*image as usize];
            let agent = &model.agents[instance.agent.index()];
            let same = instance.agent == image.agent
                && renamed.code(agent, &instance.init, Type::Bool) == plain.code(agent, &image.init, Type::Bool);
            if !same {
                return Err(format!("`{}` and `{}` are not alike", instance.name, image.name));
            }
        }
        if let Some(restriction) = &model.restriction
            && renamed.formula(&restriction.formula) != plain.formula(&restriction.formula)
        {
            return Err("what `where` says is not the same of the images".to_owned());
        }
        Ok(Symmetry { model, renaming })
    }

    /// True if a local is influential iff its image is.
    pub fn keeps(&self, influence: &Influence) -> bool {
        self.model.instance_ids().all(|instance| {
            let image = InstanceId(self.renaming.instances[instance.index()]);
            let locals = 0..self.model.agent_of(instance).locals.len() as u32;
            locals.map(LocalId).all(|local| influence.contains(instance, local) == influence.contains(image, local))
        })
    }

    /// True if every atom, label and observation of the formula says the same of a run and of its image.
    pub fn fixes(&self, formula: &Formula) -> bool {
        let (renamed, plain) = self.normal();
        subformulas(formula).into_iter().all(|part| match part {
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) => {
                renamed.formula(part) == plain.formula(part)
            }
            Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_) => true,
        })
    }

    /// True if the formula says the same of a state and of its image, and so do all formulas in it that runs or states beside it are
    /// asked about: whatever is said of one moment as a whole, and knowledge with the same knowers.
    pub fn leaves(&self, formula: &Formula) -> bool {
        let (renamed, plain) = self.normal();
        match formula {
            Formula::Branching(it) => {
                let knowers = it.operator.group();
                renamed.members(knowers) == plain.members(knowers)
                    && self.leaves(&it.body)
                    && it.among.as_ref().is_none_or(|assumed| self.leaves(assumed))
            }
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) => {
                renamed.formula(formula) == plain.formula(formula)
            }
            other @ (Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..)) => {
                let at_once = other.is_about_state() && !other.is_branching();
                let mut parts = Vec::new();
                other.for_each_child(&mut |part| parts.push(part));
                at_once && renamed.formula(other) == plain.formula(other)
                    || parts.into_iter().all(|part| self.leaves(part))
            }
        }
    }

    /// True if it makes one formula the other.
    pub fn maps(&self, one: &Formula, other: &Formula) -> bool {
        self.image(one) == self.normal().1.formula(other)
    }

    /// The image of a formula, in normal form.
    pub fn image(&self, formula: &Formula) -> Tree {
        self.normal().0.formula(formula)
    }

    /// The image of a local state of a cell.
    pub fn local_state(&self, cell: &Cell, state: &LocalState) -> LocalState {
        let locals = &self.model.agent_of(cell.instance).locals;
        let values = cell.locals.iter().zip(&state.values);
        let values = values.map(|(local, value)| self.value(value, locals[local.index()].ty));
        LocalState { automaton: state.automaton, values: values.collect() }
    }

    fn value(&self, value: &Value, ty: Type) -> Value {
        match (value, ty) {
            (Value::Enum(index), Type::Location) => Value::Enum(self.renaming.instances[*index as usize]),
            (Value::Enum(index), Type::Channel) => Value::Enum(self.renaming.channels[*index as usize]),
            (Value::Enum(index), Type::Enum(id)) => Value::Enum(self.renaming.constants[id.index()][*index as usize]),
            _ => value.clone(),
        }
    }

    fn normal(&self) -> (Normal<'a>, Normal<'a>) {
        let renamed = Normal { model: self.model, renaming: Some(self.renaming) };
        (renamed, Normal { model: self.model, renaming: None })
    }
}

/// True if it changes nothing.
fn is_identity(Renaming { instances, channels, constants, commands }: &Renaming) -> bool {
    let mut lists = [instances, channels].into_iter().chain(constants).chain(commands);
    lists.all(|list| list.iter().copied().eq(0..list.len() as u32))
}

/// That it consists of permutations.
fn check_shape(model: &Model, renaming: &Renaming) -> Result<(), String> {
    let permutes = |list: &[u32], count: usize| {
        let mut sorted = list.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..count as u32)
    };
    let constants = renaming.constants.len() == model.enums.len()
        && renaming.constants.iter().zip(&model.enums).all(|(list, each)| permutes(list, each.constants.len()));
    let commands = renaming.commands.len() == model.agents.len()
        && renaming.commands.iter().zip(&model.agents).all(|(list, agent)| permutes(list, agent.edges.len()));
    let shape = permutes(&renaming.instances, model.instances.len())
        && permutes(&renaming.channels, model.channels.len())
        && constants
        && commands;
    match shape {
        false => Err("a renaming is no permutation".to_string()),
        true if renaming.channels[0] != 0 => Err("a renaming moves the broadcast channel".to_string()),
        true => Ok(()),
    }
}

fn check_agent(renamed: Normal, plain: Normal, agent: &Agent, commands: &[u32]) -> Result<(), String> {
    let image = |index: &u32| &agent.edges[*index as usize];
    let mut edges = agent.edges.iter().zip(commands);
    let alike = edges.all(|(edge, index)| renamed.edge(agent, edge) == plain.edge(agent, image(index)));
    if alike && renamed.agent(agent) == plain.agent(agent) {
        Ok(())
    } else {
        Err(format!("a renaming changes agent `{}`", agent.name))
    }
}
