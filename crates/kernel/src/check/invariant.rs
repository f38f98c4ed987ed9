//! Proofs by inductive invariants, checked by solvers ([`super::queries::invariant`]).
//!
//! The system is the one that the model and the property define, before any simplification.

use super::queries::invariant::InvariantQueries;
use super::solver::ScriptSolver;
use crate::claim::Invariant;
use crate::limits::Reason;
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

impl From<Reason> for NoProof {
    fn from(reason: Reason) -> NoProof {
        NoProof::Unknown(reason)
    }
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

impl std::error::Error for NoProof {}

impl Proof {
    /// Asks the three questions.
    pub fn confirm(question: InvariantQueries, solver: &dyn ScriptSolver) -> Result<Proof, NoProof> {
        question.initial().refute(solver, NoProof::NotInitial)?;
        question.safe().refute(solver, NoProof::NotSafe)?;
        question.inductive().refute(solver, NoProof::NotInductive)?;
        Ok(Proof { invariant: question.invariant.clone() })
    }

    /// The invariant.
    pub fn invariant(&self) -> &Invariant {
        &self.invariant
    }
}
