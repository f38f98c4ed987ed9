//! The solvers that the check uses.

use crate::limits::Reason;

/// A solver that reads SMT-LIB. The check asks in text alone, the text that certificates come with, so any solver will
/// do, and none shares the encoding of the engines.
pub trait ScriptSolver {
    /// True if the assertions of a script have no model; `Err` where the solver does not know.
    fn is_unsatisfiable(&self, script: &str) -> Result<bool, Reason>;
}

/// Says that every script is unsatisfiable: anything that is refused all the same is refused by concrete runs.
#[cfg(test)]
pub struct Credulous;

#[cfg(test)]
impl ScriptSolver for Credulous {
    fn is_unsatisfiable(&self, _: &str) -> Result<bool, Reason> {
        Ok(true)
    }
}
