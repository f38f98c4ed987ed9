//! What an engine may say. A claim is not a verdict: [`crate::check`] makes verdicts, from evidence
//! that it checks itself.

use crate::model::{EdgeId, InstanceId, Value};
use crate::smt::Reason;
use crate::ts::system::EventKind;

/// A run in terms of the transition system.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The initial value of each variable of the system, history variables included.
    pub initial: Vec<Value>,
    /// The steps.
    pub steps: Vec<Step>,
    /// If the run is a lasso: the position that the last step leads back to. Only the variables in
    /// the property's cone need to have the same values there.
    pub loop_start: Option<usize>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The event.
    pub kind: EventKind,
    /// For a send: who takes which receive, sorted.
    pub receptions: Vec<(InstanceId, EdgeId)>,
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
