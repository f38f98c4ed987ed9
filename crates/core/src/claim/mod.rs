//! The claims that engines can make. A claim is not a verdict: `check` makes verdicts, from evidence that it
//! checks itself.

pub use crate::model::eval::Trace;
pub mod branching;
pub mod diagrams;
pub mod explicit;
pub mod packed;
pub mod recurrent;
mod renaming;
pub mod sizes;
pub mod symmetry;

use crate::limits::Reason;
use crate::product::target::Reduction;
use crate::ts::ranking::Ranking;
use crate::ts::term::{Term, Terms};
use recurrent::RecurrentRun;

/// The claim of a bounded engine about a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// This run violates the property.
    Violated {
        /// The run.
        trace: Trace,
    },
    /// This run, on which no state recurs, violates the property.
    Recurrent {
        /// The run.
        run: Box<RecurrentRun>,
        /// No counterexample has up to that many steps; `None` if not even depth 0 is known.
        clear: Option<usize>,
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

/// The claim of an engine about the reachability of bad states.
#[derive(Debug)]
pub enum SafetyClaim {
    /// One can be reached: by this run, if the engine has one.
    Reached(Option<Trace>),
    /// None is reachable, because of this.
    Unreachable(Invariant),
    /// The engine stopped early.
    Unknown(Reason),
}

/// A claimed invariant of a system, k-inductive: it holds in the first k states of every run, and after
/// k different states in a row that satisfy it. With k = 1 it is an inductive invariant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The arena of the clauses; the system's own arena is its beginning.
    pub terms: Terms,
    /// The conjuncts.
    pub clauses: Vec<Term>,
    /// At least 1.
    pub k: usize,
}

/// The claim of an engine about one conjunct of a spec: that its negation has no run.
#[derive(Clone, Debug)]
pub struct PartClaim {
    /// The meaning of the unreachability of the bad states for the conjunct.
    pub reduction: Reduction,
    /// The ranking of the reduction, over the variables of [`crate::product::target::rankable`]; empty if it has none.
    pub ranking: Ranking,
    /// Why the bad states of the reduction are unreachable.
    pub invariant: Invariant,
}
