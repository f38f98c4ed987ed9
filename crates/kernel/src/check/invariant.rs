//! Proofs by inductive invariants, checked by solvers ([`super::queries::invariant`]).
//!
//! The system is the one that the model and the property define, before any simplification.

use super::Refused;
use super::queries::invariant::InvariantQueries;
use super::solver::ScriptSolver;
use crate::claim::Invariant;

/// A conjunction of clauses that was found to be inductive and to exclude the bad states. There is no
/// other way to make one.
#[derive(Clone, Debug)]
pub struct Proof {
    invariant: Invariant,
}

impl Proof {
    /// Asks the three questions.
    pub fn confirm(question: InvariantQueries, solver: &dyn ScriptSolver) -> Result<Proof, Refused> {
        question.initial().refute(solver)?;
        question.safe().refute(solver)?;
        question.inductive().refute(solver)?;
        Ok(Proof { invariant: question.invariant.clone() })
    }

    /// The invariant.
    pub fn invariant(&self) -> &Invariant {
        &self.invariant
    }
}
