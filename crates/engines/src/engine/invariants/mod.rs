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
pub mod simulation;

use crate::limits::{Budget, Reason, Stop, lock, within};
use crate::ts::system::System;
use crate::ts::term::{Term, Terms};
use candidates::Candidates;
pub use houdini::inductive;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, TryLockError};

/// The number of rounds of a search.
const ROUNDS: usize = 4;

/// Terms that hold in all reachable states; their conjunction is inductive.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// The arena of the clauses.
    pub terms: Terms,
    /// The conjuncts.
    pub clauses: Vec<Term>,
}

impl Invariants {
    /// As terms of another arena, over the same variables.
    pub fn imported(&self, terms: &mut Terms) -> Vec<Term> {
        let mut memo = FxHashMap::default();
        self.clauses.iter().map(|&clause| terms.import(&self.terms, clause, &mut memo)).collect()
    }
}

/// The invariants that can be found within the budget. Needs a Z3 context
/// ([`crate::smt::with_context`]).
pub fn find(system: &System, budget: Budget, stop: &Stop) -> Invariants {
    let lemmas = Lemmas::default();
    lemmas.search(system, budget, stop);
    lemmas.all()
}

/// Invariants of a model that are told to all who can use them, as soon as they are found: each piece with those before it is inductive.
#[derive(Debug, Default)]
pub struct Lemmas {
    told: Mutex<Vec<Arc<Invariants>>>,
    /// The number of rounds that are over; held by who searches.
    rounds: Mutex<usize>,
}

impl Lemmas {
    /// All pieces, one after the other.
    pub fn pieces(&self) -> Later<'_> {
        Later { lemmas: self, known: 0 }
    }

    /// Those that were found by now.
    pub fn all(&self) -> Invariants {
        let mut terms = Terms::default();
        let clauses = self.pieces().imported(&mut terms);
        Invariants { terms, clauses }
    }

    /// Searches for those that were not found yet, unless another thread does. Needs a Z3 context.
    pub fn search(&self, system: &System, budget: Budget, stop: &Stop) {
        let mut rounds = match self.rounds.try_lock() {
            Ok(rounds) => rounds,
            // A search that was stopped left nothing half done.
            Err(TryLockError::Poisoned(rounds)) => rounds.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if *rounds == ROUNDS {
            return;
        }
        let mut system = system.clone();
        let states = simulation::states(&system, budget, stop);
        let mut candidates = Candidates::new(&mut system, &states);
        let simple = [candidates.of_the_model(), candidates.equations(), candidates.comparisons()].concat();
        let pairs = [candidates.pairs(), candidates.covers()].concat();
        let guarded = [candidates.guarded_comparisons(), candidates.in_each_mode()].concat();
        let all: [_; ROUNDS] = [simple, guarded, pairs, candidates.doubly_guarded_comparisons()];
        let mut clauses = self.pieces().imported(system.terms_mut());
        let mut failed: Vec<Term> = Vec::new();
        for (number, round) in all.into_iter().enumerate() {
            // Candidates that failed before may hold together with new ones.
            let asked = [failed, round].concat();
            if number >= *rounds {
                let asked = asked.clone();
                let found = within(budget, stop, || inductive(&system, &clauses, asked, budget, stop));
                match found.unwrap_or_else(Err) {
                    Ok(more) if !more.is_empty() => {
                        let piece = Invariants { terms: system.terms().clone(), clauses: more.clone() };
                        lock(&self.told).push(Arc::new(piece));
                        clauses.extend(more);
                    }
                    Err(Reason::Timeout | Reason::Memory | Reason::Interrupted) => break,
                    Ok(_) | Err(Reason::Solver(_) | Reason::Engine(_) | Reason::Detailed(..)) => {}
                }
                *rounds = number + 1;
            }
            failed = asked.into_iter().filter(|term| !clauses.contains(term)).collect();
        }
    }
}

/// The pieces of invariants that follow some that are known.
#[derive(Clone, Copy, Debug)]
pub struct Later<'a> {
    lemmas: &'a Lemmas,
    known: usize,
}

impl Later<'_> {
    /// Those that were found by now, which are known then.
    pub fn take(&mut self) -> Vec<Arc<Invariants>> {
        let told = lock(&self.lemmas.told);
        let new = told[self.known..].to_vec();
        self.known = told.len();
        new
    }

    /// The same as terms of an arena.
    pub fn imported(&mut self, terms: &mut Terms) -> Vec<Term> {
        self.take().iter().flat_map(|piece| piece.imported(terms)).collect()
    }
}
