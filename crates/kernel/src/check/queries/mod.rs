//! The queries that the check puts to solvers, as SMT-LIB scripts: each has to be unsatisfiable.
//!
//! The scripts are written from the terms of the system that the language defines, independently of the encodings of
//! the engines. That variables stay in their ranges is not assumed, but proved with the rest.

pub mod invariant;
pub mod recurrent;
mod script;

use super::solver::ScriptSolver;
use crate::check::Refused;

/// A question for a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The question, in a word: `initial`.
    pub name: &'static str,
    /// An SMT-LIB script.
    pub script: String,
    /// The fault of the evidence if it is satisfiable.
    pub fault: &'static str,
}

impl Query {
    /// `Ok` iff it is unsatisfiable.
    pub(super) fn refute(&self, solver: &dyn ScriptSolver) -> Result<(), Refused> {
        match solver.is_unsatisfiable(&self.script) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refused::wrong(self.fault)),
            Err(reason) => Err(reason.into()),
        }
    }
}
