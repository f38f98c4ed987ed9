//! Which conditions on a state imply which.

use crate::limits::Budget;
use crate::smt::Literal;
use crate::smt::unroll::Unrolling;
use crate::ts::system::System;
use crate::ts::term::{Term, Terms};
use std::collections::BTreeSet;

/// A solver that decides if conditions imply others.
pub(super) struct Implication<'s> {
    system: &'s System,
    solver: Option<Unrolling<'s>>,
    told: BTreeSet<Term>,
}

impl<'s> Implication<'s> {
    /// The solver is made when it is needed.
    pub(super) fn new(system: &'s System) -> Implication<'s> {
        Implication { system, solver: None, told: BTreeSet::new() }
    }

    /// True if the set, which only grows from call to call, implies the conclusion; nothing if the solver
    /// does not know.
    pub(super) fn holds(
        &mut self,
        terms: &Terms,
        set: &BTreeSet<Term>,
        conclusion: Term,
        budget: Budget,
    ) -> Option<bool> {
        let solver = self.solver.get_or_insert_with(|| Unrolling::from_anywhere(self.system));
        for &condition in set.difference(&self.told) {
            let condition = solver.literal_in(terms, 0, condition);
            solver.add(&condition);
        }
        self.told.extend(set);
        let violated = Literal::fresh("violated");
        let conclusion = solver.literal_in(terms, 0, conclusion);
        solver.add(&Literal::or([violated.not(), conclusion.not()]));
        solver.check(&[violated], budget).ok().map(|model| model.is_none())
    }
}

/// The conditions that the others do not imply, one after the other.
pub(super) fn without_redundant(system: &System, terms: &Terms, set: Vec<Term>, budget: Budget) -> Vec<Term> {
    let mut solver = Unrolling::from_anywhere(system);
    let mut named = |term: Term| {
        let (holds, fails) = (Literal::fresh("holds"), Literal::fresh("fails"));
        let meaning = solver.literal_in(terms, 0, term);
        solver.add(&holds.implies(&meaning));
        solver.add(&fails.implies(&meaning.not()));
        (term, holds, fails)
    };
    let mut kept: Vec<(Term, Literal, Literal)> = set.into_iter().map(&mut named).collect();
    for index in (0..kept.len()).rev() {
        let others = kept.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, (_, holds, _))| holds);
        let assumed: Vec<Literal> = others.chain([&kept[index].2]).cloned().collect();
        if matches!(solver.check(&assumed, budget), Ok(None)) {
            kept.remove(index);
        }
    }
    kept.into_iter().map(|(term, ..)| term).collect()
}
