//! What the truth of a formula on a run is made of, apart from labels: truth values of predicates.

use super::{Translation, observe};
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, Model};
use crate::ts::expressions::Expressions;
use crate::ts::system::System;
use crate::ts::term::Term;
use rustc_hash::FxHashSet;

/// Something that a formula reads.
#[derive(Clone, Debug)]
pub struct Atom {
    /// It as a formula: a state atom, or `<<O>> true` for an observation O.
    pub formula: Formula,
    /// It as a predicate over the state and the step from there.
    pub term: Term,
}

/// The state atoms and observations of a formula, each once. Labels are not among them: they follow from
/// the choices of a run.
pub fn atoms(model: &Model, system: &mut System, formula: &Formula) -> Vec<Atom> {
    let mut collector = Collector { model, system, known: FxHashSet::default(), atoms: Vec::new() };
    collector.collect(formula);
    collector.atoms
}

/// A state expression as a term of the system.
pub fn state_predicate(model: &Model, system: &mut System, expr: &Expr<StateLeaf>) -> Term {
    Translation::new(model, system).state_atom(expr)
}

struct Collector<'a> {
    model: &'a Model,
    system: &'a mut System,
    known: FxHashSet<Formula>,
    atoms: Vec<Atom>,
}

impl Collector<'_> {
    fn collect(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(expr) => {
                let term = state_predicate(self.model, self.system, expr);
                self.add(formula.clone(), term);
            }
            Formula::Possible(observation, _) | Formula::Necessary(observation, _) => {
                let expressions = Expressions::new(self.model);
                let term = observe::observation(self.model, &expressions, self.system, observation);
                let always = Formula::Atom(Expr::TRUE);
                self.add(Formula::Possible(observation.clone(), Box::new(always)), term);
            }
            _ => {}
        }
        formula.for_each_child(&mut |child| self.collect(child));
    }

    fn add(&mut self, formula: Formula, term: Term) {
        if self.known.insert(formula.clone()) {
            self.atoms.push(Atom { formula, term });
        }
    }
}
