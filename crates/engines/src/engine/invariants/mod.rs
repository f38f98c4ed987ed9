//! Auxiliary invariants: guessed from random runs, made inductive, shared by all provers and specs.
//!
//! A condition that holds in all states of some random runs is a candidate ([`candidates`]). Candidates that fail
//! initially, or after some step from a state where all candidates hold, are dropped until all that are left are
//! inductive ([`houdini`]): Flanagan, Leino, *Houdini, an annotation assistant for ESC/Java* (FME 2001). There are
//! several rounds, the first with few and informative candidates, because many are expensive. Each round builds on the
//! invariants of those before it; the result of a round that does not end is discarded.

mod candidates;
mod equations;
mod houdini;
mod simulation;

use crate::limits::{Budget, Reason, Stop};
use crate::ts::system::System;
use crate::ts::term::{Term, Terms};
use candidates::Candidates;
pub use houdini::inductive;

/// Terms that hold in all reachable states; their conjunction is inductive.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// The arena of the clauses.
    pub terms: Terms,
    /// The conjuncts.
    pub clauses: Vec<Term>,
}

/// The invariants that can be found within the budget. Needs a Z3 context
/// ([`crate::smt::with_context`]).
pub fn find(system: &System, budget: Budget, stop: &Stop) -> Invariants {
    let mut system = system.clone();
    let states = simulation::states(&system, budget, stop);
    let mut clauses = Vec::new();
    let mut candidates = Candidates::new(&mut system, &states);
    let simple = [candidates.of_the_model(), candidates.equations(), candidates.comparisons()].concat();
    let pairs = [candidates.pairs(), candidates.covers()].concat();
    let guarded = [candidates.guarded_comparisons(), candidates.in_each_mode()].concat();
    let rounds = [simple, guarded, pairs, candidates.doubly_guarded_comparisons()];
    let mut failed: Vec<Term> = Vec::new();
    for round in rounds {
        // Candidates that failed before may hold together with new ones.
        let asked = [failed, round].concat();
        match inductive(&system, &clauses, asked.clone(), budget, stop) {
            Ok(more) => clauses.extend(more),
            Err(Reason::Timeout | Reason::Memory | Reason::Interrupted) => break,
            Err(Reason::Solver(_) | Reason::Engine(_) | Reason::Detailed(..)) => {}
        }
        failed = asked.into_iter().filter(|term| !clauses.contains(term)).collect();
    }
    Invariants { terms: system.terms().clone(), clauses }
}
