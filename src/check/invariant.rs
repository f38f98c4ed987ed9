//! Proofs by inductive invariants, re-checked with fresh solvers.
//!
//! An invariant of a system proves that no bad state is reachable if it holds initially, if every
//! step from a state where it holds leads to one where it holds, and if no bad state satisfies it. A
//! k-inductive one has to hold in the first k states of every run, and after k states in a row that
//! satisfy it and differ pairwise: a shortest run to a state that violates it repeats none.
//! The system is the one that the model and the property define, before any simplification.

use crate::claim::Invariant;
use crate::limits::{Budget, Reason};
use crate::smt::unroll::Unrolling;
use crate::smt::{Answer, Literal};
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
        let mut path = Unrolling::from_anywhere(system);
        let (initial, inside) = (Literal::fresh("initial"), Literal::fresh("inside"));
        for &term in system.init() {
            let holds = path.literal(0, term);
            path.add(&initial.implies(&holds));
        }
        let is_bad = path.literal_in(&invariant.terms, 0, bad);
        for frame in 0..k {
            let holds = all(&mut path, &invariant, frame);
            refute(&path, &[&initial], &holds.not(), budget, NoProof::NotInitial)?;
            path.add(&inside.implies(&holds));
            if frame == 0 {
                // Before there is a step: a bad state needs none.
                refute(&path, &[&inside], &is_bad, budget, NoProof::NotSafe)?;
            }
            path.extend().expect("declared values are listed or integers");
        }
        for (a, b) in (0..k).flat_map(|b| (0..b).map(move |a| (a, b))) {
            path.add(&inside.implies(&path.same_state(a, b).not()));
        }
        let stays = all(&mut path, &invariant, k);
        refute(&path, &[&inside], &stays.not(), budget, NoProof::NotInductive)?;
        Ok(Proof { invariant })
    }

    /// The invariant.
    pub fn invariant(&self) -> &Invariant {
        &self.invariant
    }
}

/// That the invariant holds in a frame.
fn all(path: &mut Unrolling, invariant: &Invariant, frame: usize) -> Literal {
    let holds = invariant.clauses.iter().map(|&clause| path.literal_in(&invariant.terms, frame, clause));
    Literal::and(holds.collect::<Vec<_>>())
}

/// `Ok` iff the literal cannot hold under the assumptions.
fn refute(
    path: &Unrolling,
    assumptions: &[&Literal],
    literal: &Literal,
    budget: Budget,
    otherwise: NoProof,
) -> Result<(), NoProof> {
    // As an assumption: Z3 answers single questions by preprocessing that takes longer than such steps.
    let asked = Literal::fresh("asked");
    path.add(&asked.implies(literal));
    let assumptions: Vec<Literal> = assumptions.iter().map(|&assumption| assumption.clone()).chain([asked]).collect();
    match path.check(&assumptions, budget) {
        Answer::Unsat => Ok(()),
        Answer::Sat(_) => Err(otherwise),
        Answer::Unknown(reason) => Err(NoProof::Unknown(reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Stop;
    use crate::model::InstanceId;
    use crate::smt::with_context;
    use crate::ts::system::{Domain, Event, EventKind, Input, Origin, Parts, Variable};
    use crate::ts::term::{Leaf, Sort, Terms, VarId};

    /// A flag that is false at first, and that every step leaves as it is; constraints may forbid all steps.
    fn flag(steps: bool) -> (System, Term) {
        let mut terms = Terms::new();
        let flag = terms.leaf(Leaf::Var(VarId(0)), Sort::Bool, None);
        let (initially, always, constraint) = (terms.not(flag), terms.bool(true), terms.bool(steps));
        let variable = Variable {
            name: "flag".to_owned(),
            origin: Origin::Automaton(InstanceId(0)),
            sort: Sort::Bool,
            domain: Domain::Bool,
        };
        let stutter = Event { kind: EventKind::Stutter, guard: always, enabled: always, receptions: Vec::new() };
        let system = System::new(Parts {
            terms,
            variables: vec![variable],
            inputs: vec![Input { name: "event".to_owned(), count: 1 }],
            events: vec![stutter],
            init: vec![initially],
            constraints: vec![constraint],
            updates: vec![Vec::new()],
        });
        (system, flag)
    }

    fn confirm(steps: bool, clauses: impl Fn(&mut Terms, Term) -> Vec<Term>, k: usize) -> Result<(), NoProof> {
        let (system, flag) = flag(steps);
        let mut terms = system.terms().clone();
        let clauses = clauses(&mut terms, flag);
        let invariant = Invariant { terms, clauses, k };
        let confirmed = || Proof::confirm(&system, flag, invariant, Budget::new(None)).map(|_| ());
        with_context(&Stop::new(), confirmed)
    }

    /// That no step leaves a state is no reason to leave it out.
    #[test]
    fn states_without_steps_count() {
        for steps in [true, false] {
            for k in [1, 2] {
                assert_eq!(confirm(steps, |_, _| Vec::new(), k), Err(NoProof::NotSafe));
                assert_eq!(confirm(steps, |_, flag| vec![flag], k), Err(NoProof::NotInitial));
                assert_eq!(confirm(steps, |terms, flag| vec![terms.not(flag)], k), Ok(()));
            }
        }
    }
}
