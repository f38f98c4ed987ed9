//! Solvers that the check asks.

use crate::limits::Reason;

/// A solver that reads SMT-LIB. The check asks in text alone, the text that certificates come with, so any solver will
/// do, and none shares the encoding of the engines.
pub trait ScriptSolver {
    /// Whether the assertions of a script have no model; `Err` where the solver does not know.
    fn is_unsatisfiable(&self, script: &str) -> Result<bool, Reason>;
}
