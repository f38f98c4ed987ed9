//! Proofs by inductive invariants, re-checked with fresh solvers.
//!
//! An invariant of a system proves that no bad state is reachable if it holds initially, if every
//! step from a state where it holds leads to one where it holds, and if no bad state satisfies it. A
//! k-inductive one has to hold in the first k states of every run, and after k states in a row that
//! satisfy it and differ pairwise: a shortest run to a state that violates it repeats none.
//! The system is the one that the model and the property define, before any simplification.

use crate::claim::Invariant;
use crate::smt::unroll::{Unrolling, declared_theory};
use crate::smt::{Answer, Budget, Literal, Reason};
use crate::ts::system::System;
use crate::ts::term::Term;
use std::fmt;

/// A conjunction of clauses that was found to be inductive and to exclude the bad states. There is no
/// other way to make one.
#[derive(Clone, Debug)]
pub struct Proof {
    invariant: Invariant,
}

/// Why a claimed invariant proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoProof {
    /// Some initial state violates it.
    NotInitial,
    /// Some step leads out of it.
    NotInductive,
    /// Some bad state satisfies it.
    NotSafe,
    /// The solver does not know.
    Unknown(Reason),
}

impl fmt::Display for NoProof {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NoProof::NotInitial => write!(f, "an initial state violates the invariant"),
            NoProof::NotInductive => write!(f, "a step leads out of the invariant"),
            NoProof::NotSafe => write!(f, "a bad state satisfies the invariant"),
            NoProof::Unknown(reason) => write!(f, "the invariant could not be checked: {reason}"),
        }
    }
}

impl Proof {
    /// Asks the three questions. Needs a Z3 context ([`crate::smt::with_context`]).
    pub fn confirm(system: &System, bad: Term, invariant: Invariant, budget: Budget) -> Result<Proof, NoProof> {
        let k = invariant.k.max(1);
        let all = system.var_ids().collect();
        let mut initially = Unrolling::new(system, all, declared_theory(system));
        let mut violated = vec![not_all(&mut initially, &invariant, 0)];
        for frame in 1..k {
            initially.extend().expect("declared values are listed or integers");
            violated.push(not_all(&mut initially, &invariant, frame));
        }
        refute(&initially, &Literal::or(violated), budget, NoProof::NotInitial)?;

        let mut bad_inside = Unrolling::from_anywhere(system);
        assume_all(&mut bad_inside, &invariant, 0);
        let is_bad = bad_inside.literal_in(&invariant.terms, 0, bad);
        refute(&bad_inside, &is_bad, budget, NoProof::NotSafe)?;

        let mut path = Unrolling::from_anywhere(system);
        for frame in 0..k {
            assume_all(&mut path, &invariant, frame);
            (0..frame).for_each(|earlier| path.add(&path.same_state(earlier, frame).not()));
            path.extend().expect("declared values are listed or integers");
        }
        let left = not_all(&mut path, &invariant, k);
        refute(&path, &left, budget, NoProof::NotInductive)?;
        Ok(Proof { invariant })
    }

    /// The invariant.
    pub fn invariant(&self) -> &Invariant {
        &self.invariant
    }
}

fn assume_all(unrolling: &mut Unrolling, invariant: &Invariant, frame: usize) {
    for &clause in &invariant.clauses {
        let holds = unrolling.literal_in(&invariant.terms, frame, clause);
        unrolling.add(&holds);
    }
}

fn not_all(unrolling: &mut Unrolling, invariant: &Invariant, frame: usize) -> Literal {
    let violated = invariant.clauses.iter().map(|&clause| unrolling.literal_in(&invariant.terms, frame, clause).not());
    Literal::or(violated.collect::<Vec<_>>())
}

/// `Ok` iff the literal cannot hold.
fn refute(unrolling: &Unrolling, literal: &Literal, budget: Budget, otherwise: NoProof) -> Result<(), NoProof> {
    // As an assumption: Z3 answers single questions by preprocessing that takes longer than such steps.
    let asked = Literal::fresh("asked");
    unrolling.add(&asked.implies(literal));
    match unrolling.check(&[asked], budget) {
        Answer::Unsat => Ok(()),
        Answer::Sat(_) => Err(otherwise),
        Answer::Unknown(reason) => Err(NoProof::Unknown(reason)),
    }
}
