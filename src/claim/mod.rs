//! What an engine may say. A claim is not a verdict: [`crate::check`] makes verdicts, from evidence
//! that it checks itself.

pub mod explicit;

use crate::model::Value;
use crate::model::eval::Choice;
use crate::smt::Reason;

/// A claimed run, in terms of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Per instance its automaton state and its locals at the start.
    pub initial: Vec<(u32, Vec<Value>)>,
    /// The steps.
    pub choices: Vec<Choice>,
    /// If the run is a lasso: the position that the last step leads back to. Only what can influence
    /// the behaviour or the property needs to be the same there.
    pub loop_start: Option<usize>,
}

/// What a bounded engine says of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// This run violates the property.
    Violated {
        /// The run.
        trace: Trace,
    },
    /// No counterexample has up to that many steps.
    Clear {
        /// The bound.
        depth: usize,
    },
    /// The engine stopped early.
    Unknown {
        /// No counterexample has up to that many steps; `None` if not even depth 0 is known.
        clear: Option<usize>,
        /// Why it stopped.
        reason: Reason,
    },
}
