//! Symmetry: instances that are alike up to their names and private constants.
//!
//! A symmetry is a renaming of instances, channels and enum constants ([`Renaming`]) under which the model
//! is the same: each agent type's code up to the order of its commands, and the initial condition of each
//! instance becomes that of its image. It maps runs to runs. If it also leaves every atom of a formula as it
//! is, a run and its image satisfy the same formulas over these atoms, so that one state of each orbit is
//! enough (Emerson, Sistla 1996; Clarke, Enders, Filkorn, Jha 1996; Ip, Dill 1996). It is not enough that the
//! formula as a whole is the same after the renaming: each atom must be. Only conditions on cycles may be exchanged with each
//! other, as assumptions of fairness are: [`super::components`] follows them.
//!
//! [`search`] finds for each pair of instances a symmetry that moves no instance before them, so that together they
//! generate all symmetries of this kind: of a set of instances that are alike, all swaps; of a ring, all rotations.
//! [`Symmetries::fixing`] keeps those that leave given atoms as they are: a subgroup of the stabiliser, and for swaps
//! the stabiliser itself. [`action`] applies them as long as they make the state smaller. The result may depend on the
//! state of the orbit that it starts from; then several states of an orbit are visited, which costs time and nothing
//! else.
//!
//! That a renaming leaves something unchanged, or maps one formula to another, is decided by comparing normal forms
//! ([`form`]).
//!
//! Deliberately absent: symmetries of numbers, and of constants that no instance owns.

mod action;
mod form;
mod search;

pub use action::Orbits;

use super::permutation::Permutation;
use crate::claim::symmetry::Renaming;
use crate::model::eval::Influence;
use crate::model::eval::tables::Fact;
use crate::model::{Formula, InstanceId, LocalId, Model};
use form::{Form, Forms, Renamed};
use rustc_hash::FxHashMap;
use search::SymmetrySearch;

/// Symmetries of a model that generate all that were found.
#[derive(Debug)]
pub struct Symmetries<'m> {
    model: &'m Model,
    identity: Renaming,
    generators: Vec<Renaming>,
    forms: Forms,
}

impl<'m> Symmetries<'m> {
    /// Those of a model.
    pub fn of(model: &'m Model) -> Symmetries<'m> {
        let forms = Forms::default();
        let search = SymmetrySearch::new(model, &forms);
        let later = |first: InstanceId| (first.0 + 1..model.instances.len() as u32).map(InstanceId);
        let pairs = model.instance_ids().flat_map(|first| later(first).map(move |second| (first, second)));
        let alike = pairs
            .filter(|(first, second)| model.instances[first.index()].agent == model.instances[second.index()].agent);
        let generators = alike.filter_map(|(first, second)| search.between(first, second)).collect();
        Symmetries { model, identity: Renaming::identity(model), generators, forms }
    }

    /// Only the one that changes nothing.
    pub fn none(model: &'m Model) -> Symmetries<'m> {
        let (identity, generators) = (Renaming::identity(model), Vec::new());
        Symmetries { model, identity, generators, forms: Forms::default() }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The indices of the generators that leave the atoms and what influences runs as they are, and make of each
    /// condition one of them, with the same truth: which, they say, too.
    pub fn fixing(
        &self,
        atoms: &[Fact],
        conditions: &[(&Formula, bool)],
        influence: &Influence,
    ) -> Vec<(usize, Permutation)> {
        let plain: Vec<(Form, bool)> =
            conditions.iter().map(|(formula, truth)| (self.renamed(&self.identity).formula(formula), *truth)).collect();
        let moved = |renaming: &Renaming| {
            let is_fixed = |atom: &Fact| self.atom(&self.identity, atom) == self.atom(renaming, atom);
            if !self.keeps(renaming, influence) || !atoms.iter().all(is_fixed) {
                return None;
            }
            let images = conditions.iter().map(|(formula, truth)| {
                let image = (self.renamed(renaming).formula(formula), *truth);
                plain.iter().position(|other| *other == image)
            });
            let images: Vec<usize> = images.collect::<Option<_>>()?;
            // If they are too many to be told apart, none may move.
            let stay = images.iter().enumerate().all(|(from, to)| from == *to);
            if stay { Some(Permutation::IDENTITY) } else { Permutation::new(&images) }
        };
        let generators = self.generators.iter().enumerate();
        generators.filter_map(|(index, renaming)| Some((index, moved(renaming)?))).collect()
    }

    /// The generators under which what formulas say of a state, and what influences runs, stays the same, operand by operand of temporal
    /// and branching operators: a renaming makes each knower himself, and each group itself.
    pub fn leaving(&self, formulas: &[&Formula], influence: &Influence) -> Vec<Renaming> {
        let leaves = |renaming: &&Renaming| {
            self.keeps(renaming, influence) && formulas.iter().all(|formula| self.leaves(renaming, formula))
        };
        self.generators.iter().filter(leaves).cloned().collect()
    }

    fn leaves(&self, renaming: &Renaming, formula: &Formula) -> bool {
        let (plain, renamed) = (self.renamed(&self.identity), self.renamed(renaming));
        match formula {
            Formula::Label(..) | Formula::Observed(_) => renamed.formula(formula) == plain.formula(formula),
            state if state.is_about_state() && !state.is_branching() => renamed.formula(state) == plain.formula(state),
            Formula::Branching(branching) => {
                let group = branching.operator.group();
                renamed.group(group) == plain.group(group)
                    && [&branching.body].into_iter().chain(&branching.among).all(|part| self.leaves(renaming, part))
            }
            other @ (Formula::Atom(_)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..)) => {
                let mut all = true;
                other.for_each_child(&mut |part| all = all && self.leaves(renaming, part));
                all
            }
        }
    }

    /// All generators.
    pub fn generators(&self) -> &[Renaming] {
        &self.generators
    }

    /// For each formula an earlier one that a symmetry makes it, and the symmetry; nothing for the first of
    /// its kind, which is never the image of another.
    pub fn images(&self, formulas: &[Formula]) -> Vec<Option<(usize, Renaming)>> {
        let mut by_form: FxHashMap<Form, Vec<usize>> = FxHashMap::default();
        for (index, formula) in formulas.iter().enumerate() {
            by_form.entry(self.renamed(&self.identity).formula(formula)).or_default().push(index);
        }
        let mut images: Vec<Option<(usize, Renaming)>> = vec![None; formulas.len()];
        for (first, formula) in formulas.iter().enumerate() {
            if images[first].is_some() {
                continue;
            }
            // From formula to formula, each by one more generator.
            let mut open = vec![self.identity.clone()];
            while let Some(renaming) = open.pop() {
                for index in by_form.remove(&self.renamed(&renaming).formula(formula)).into_iter().flatten() {
                    images[index] = (index != first).then(|| (first, renaming.clone()));
                    open.extend(self.generators.iter().map(|generator| renaming.then(generator)));
                }
            }
        }
        images
    }

    /// For each formula the place of one that a symmetry makes it; nothing if one has no image among the others.
    pub fn places(&self, renaming: &Renaming, formulas: &[&Formula], others: &[&Formula]) -> Option<Vec<u32>> {
        let (plain, renamed) = (self.renamed(&self.identity), self.renamed(renaming));
        let places: FxHashMap<Form, u32> = others.iter().map(|formula| plain.formula(formula)).zip(0..).collect();
        formulas.iter().map(|formula| places.get(&renamed.formula(formula)).copied()).collect()
    }

    fn keeps(&self, renaming: &Renaming, influence: &Influence) -> bool {
        self.model.instance_ids().all(|instance| {
            let image = InstanceId(renaming.instances[instance.index()]);
            let mut locals = (0..self.model.agent_of(instance).locals.len() as u32).map(LocalId);
            locals.all(|local| influence.contains(instance, local) == influence.contains(image, local))
        })
    }

    fn atom(&self, renaming: &Renaming, atom: &Fact) -> Form {
        let renamed = self.renamed(renaming);
        match atom {
            Fact::State(expr) => renamed.atom(expr),
            Fact::Observed(observation) => renamed.observation(observation),
            Fact::Received(instance, edge) | Fact::Performed(instance, edge) => {
                renamed.formula(&Formula::Label(*instance, *edge))
            }
            Fact::Branching(_) => unreachable!("other runs are looked at by other means"),
        }
    }

    fn renamed<'a>(&'a self, renaming: &'a Renaming) -> Renamed<'a> {
        Renamed { model: self.model, renaming, forms: &self.forms }
    }
}
