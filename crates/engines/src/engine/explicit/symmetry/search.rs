//! The search for symmetries of a model.
//!
//! An image for one instance forces others: its initial condition has to become that of its image, constant
//! by constant, and a constant of type location forces the image of the instance that it names. Images that are not
//! forced are tried: first to swap instances, then to leave them as they are, then all else.

use super::form::{Form, Forms, Renamed};
use crate::claim::symmetry::Renaming;
use crate::limits::{tick, ticks};
use crate::model::{Agent, CommandLeaf, Expr, InstanceId, Model, Type, Value};

/// How many assignments are tried for one pair of instances.
const ASSIGNMENTS: usize = 2_000;

/// How many complete renamings are compared with the model for one pair of instances.
const ATTEMPTS: usize = 8;

/// Searches one model.
pub struct SymmetrySearch<'m> {
    model: &'m Model,
    forms: &'m Forms,
    identity: Renaming,
    /// Per agent type of what is no command, and of its commands.
    agents: Vec<Form>,
    edges: Vec<Vec<Form>>,
}

/// Effort that is left.
struct Effort {
    assignments: usize,
    attempts: usize,
}

/// A part of a permutation.
#[derive(Clone)]
struct PartialPermutation {
    images: Vec<Option<u32>>,
    preimages: Vec<Option<u32>>,
}

impl PartialPermutation {
    fn new(count: usize) -> PartialPermutation {
        PartialPermutation { images: vec![None; count], preimages: vec![None; count] }
    }

    /// True if nothing speaks against this image.
    fn set(&mut self, from: u32, to: u32) -> bool {
        let (image, preimage) = (&mut self.images[from as usize], &mut self.preimages[to as usize]);
        let (new_image, new_preimage) = (*image.get_or_insert(to), *preimage.get_or_insert(from));
        (new_image, new_preimage) == (to, from)
    }

    /// With all else unchanged, if that is possible.
    fn complete(mut self) -> Option<Vec<u32>> {
        let open: Vec<u32> =
            (0..self.images.len() as u32).filter(|from| self.images[*from as usize].is_none()).collect();
        let fits = open.into_iter().all(|from| self.set(from, from));
        fits.then(|| self.images.into_iter().flatten().collect())
    }
}

/// A part of a renaming.
#[derive(Clone)]
struct RenamingDraft {
    instances: PartialPermutation,
    channels: PartialPermutation,
    constants: Vec<PartialPermutation>,
}

impl<'m> SymmetrySearch<'m> {
    /// In this model.
    pub fn new(model: &'m Model, forms: &'m Forms) -> SymmetrySearch<'m> {
        let identity = Renaming::identity(model);
        let as_it_is = Renamed { model, renaming: &identity, forms };
        let agents = model.agents.iter().map(|agent| as_it_is.agent(agent)).collect();
        let edges = |agent: &Agent| agent.edges.iter().map(|edge| as_it_is.edge(agent, edge)).collect();
        let edges = model.agents.iter().map(edges).collect();
        SymmetrySearch { model, forms, identity, agents, edges }
    }

    /// A symmetry that leaves all instances before the first one as they are, and makes the first one
    /// the second one.
    pub fn between(&self, first: InstanceId, second: InstanceId) -> Option<Renaming> {
        let mut draft = RenamingDraft {
            instances: PartialPermutation::new(self.model.instances.len()),
            channels: PartialPermutation::new(self.model.channels.len()),
            constants: self.model.enums.iter().map(|each| PartialPermutation::new(each.constants.len())).collect(),
        };
        let kept = (0..first.0).all(|instance| self.assign(&mut draft, instance, instance));
        if !kept || !self.assign(&mut draft, first.0, second.0) {
            return None;
        }
        self.extend(draft, &mut Effort { assignments: ASSIGNMENTS, attempts: ATTEMPTS })
    }

    fn extend(&self, draft: RenamingDraft, effort: &mut Effort) -> Option<Renaming> {
        let Some(open) = draft.instances.images.iter().position(Option::is_none) else {
            return self.attempt(draft, effort);
        };
        let first: Vec<u32> = draft.instances.preimages[open].into_iter().chain([open as u32]).collect();
        let others = (0..self.model.instances.len() as u32).filter(|other| !first.contains(other));
        for candidate in first.iter().copied().chain(others) {
            if draft.instances.preimages[candidate as usize].is_some() {
                continue;
            }
            effort.assignments = effort.assignments.checked_sub(1)?;
            ticks(draft.instances.images.len());
            let mut extended = draft.clone();
            if self.assign(&mut extended, open as u32, candidate)
                && let Some(found) = self.extend(extended, effort)
            {
                return Some(found);
            }
        }
        None
    }

    /// Gives an instance an image; false if that cannot be.
    fn assign(&self, draft: &mut RenamingDraft, from: u32, to: u32) -> bool {
        tick();
        if draft.instances.images[from as usize] == Some(to) {
            return true;
        }
        let (one, other) = (&self.model.instances[from as usize], &self.model.instances[to as usize]);
        one.agent == other.agent
            && draft.instances.set(from, to)
            && self.unify(draft, &self.model.agents[one.agent.index()], &one.init, &other.init, Type::Bool)
    }

    /// Makes one expression the other.
    fn unify(
        &self,
        draft: &mut RenamingDraft,
        agent: &Agent,
        one: &Expr<CommandLeaf>,
        other: &Expr<CommandLeaf>,
        ty: Type,
    ) -> bool {
        match (one, other) {
            (Expr::Const(Value::Enum(from)), Expr::Const(Value::Enum(to))) => match ty {
                Type::Location => self.assign(draft, *from, *to),
                Type::Channel => draft.channels.set(*from, *to),
                Type::Enum(id) => draft.constants[id.index()].set(*from, *to),
                Type::Bool | Type::Int | Type::Range(..) => from == to,
            },
            (Expr::Const(one), Expr::Const(other)) => one == other,
            (Expr::Leaf(one), Expr::Leaf(other)) => one == other,
            (Expr::Not(one), Expr::Not(other)) | (Expr::Neg(one), Expr::Neg(other)) => {
                self.unify(draft, agent, one, other, ty)
            }
            (Expr::Binary(op, a, b), Expr::Binary(same, c, d)) if op == same => {
                let sides = [a, b].into_iter();
                let leaf =
                    sides.filter_map(|side| if let Expr::Leaf(leaf) = &**side { Some(*leaf) } else { None }).next();
                let ty = leaf.map_or(Type::Bool, |leaf| self.model.leaf_type(agent, leaf));
                self.unify(draft, agent, a, c, ty) && self.unify(draft, agent, b, d, ty)
            }
            (Expr::If(one, a, b), Expr::If(other, c, d)) => {
                self.unify(draft, agent, one, other, Type::Bool)
                    && self.unify(draft, agent, a, c, ty)
                    && self.unify(draft, agent, b, d, ty)
            }
            _ => false,
        }
    }

    /// The complete renaming, if the model is the same under it.
    fn attempt(&self, draft: RenamingDraft, effort: &mut Effort) -> Option<Renaming> {
        effort.attempts = effort.attempts.checked_sub(1)?;
        let mut renaming = Renaming {
            instances: draft.instances.complete()?,
            channels: draft.channels.complete()?,
            constants: draft.constants.into_iter().map(PartialPermutation::complete).collect::<Option<_>>()?,
            commands: self.identity.commands.clone(),
        };
        if renaming.channels[0] != 0 {
            return None;
        }
        renaming.commands = self.commands(&renaming)?;
        let (renamed, as_it_is) = (self.renamed(&renaming), self.renamed(&self.identity));
        let condition = |forms: Renamed, instance: u32| {
            let instance = &self.model.instances[instance as usize];
            forms.code(&self.model.agents[instance.agent.index()], &instance.init, Type::Bool)
        };
        let mut images = renaming.instances.iter().zip(0..);
        let same = images.all(|(image, instance)| condition(renamed, instance) == condition(as_it_is, *image));
        let restricted = |forms: Renamed| self.model.restriction.as_ref().map(|it| forms.formula(&it.formula));
        (same && restricted(renamed) == restricted(as_it_is)).then_some(renaming)
    }

    fn renamed<'a>(&'a self, renaming: &'a Renaming) -> Renamed<'a> {
        Renamed { model: self.model, renaming, forms: self.forms }
    }

    /// Per agent type the image of each command, if the types are the same under the renaming.
    fn commands(&self, renaming: &Renaming) -> Option<Vec<Vec<u32>>> {
        let renamed = self.renamed(renaming);
        let of_agent = |(index, agent): (usize, &Agent)| {
            if renamed.agent(agent) != self.agents[index] {
                return None;
            }
            let mut free: Vec<bool> = vec![true; agent.edges.len()];
            let edges = agent.edges.iter().enumerate();
            let image = |(own, edge)| {
                let wanted = renamed.edge(agent, edge);
                let fits = |at: &usize| free[*at] && self.edges[index][*at] == wanted;
                // If a command stays what it is, it is its own image.
                let image = [own].into_iter().chain(0..agent.edges.len()).find(fits)?;
                free[image] = false;
                Some(image as u32)
            };
            edges.map(image).collect()
        };
        self.model.agents.iter().enumerate().map(of_agent).collect()
    }
}
