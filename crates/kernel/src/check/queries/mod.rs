//! The queries that the check puts to solvers, as SMT-LIB scripts: each has to be unsatisfiable.
//!
//! The scripts are written from the terms of the system that the language defines, independently of the encodings of
//! the engines. That variables stay in their ranges is not assumed, but proved with the rest.

pub mod invariant;
pub mod recurrent;
mod script;

use super::solver::ScriptSolver;
use crate::limits::Reason;

/// A question for a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The question, in a word: `initial`.
    pub name: &'static str,
    /// An SMT-LIB script.
    pub script: String,
}

impl Query {
    /// `Ok` iff it is unsatisfiable.
    pub(super) fn refute<E: From<Reason>>(&self, solver: &dyn ScriptSolver, otherwise: E) -> Result<(), E> {
        match solver.is_unsatisfiable(&self.script) {
            Ok(true) => Ok(()),
            Ok(false) => Err(otherwise),
            Err(reason) => Err(reason.into()),
        }
    }
}
