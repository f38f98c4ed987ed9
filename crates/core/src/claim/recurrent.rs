//! Runs that repeat the same steps for ever although no state recurs: evidence for violations on which
//! integers grow for ever.
//!
//! A *recurrence set* is a set of states from each of which a fixed round of steps is possible and leads
//! into the set again (Gupta, Henzinger, Majumdar, Rybalchenko, Xu, *Proving non-termination*, POPL 2008).
//! With its choices fixed a step is a function, so that there is no path to choose: the round from a
//! reachable state of such a set can be repeated for ever.

use super::Trace;
use crate::model::Expr;
use crate::model::formula::StateLeaf;

/// A claimed run: what leads to the round, one round, and why it can be repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct RecurrentRun {
    /// Everything up to the end of the first round; `loop_start` is none, as no state recurs.
    pub trace: Trace,
    /// The position where the round starts.
    pub start: usize,
    /// The states from which the round can be repeated.
    pub set: RecurrentSet,
    /// Which of the formula's conjuncts ([`crate::model::Formula::conjuncts`]) is false on the run.
    pub conjunct: usize,
}

/// A set of states, relative to the one where the round starts.
#[derive(Clone, Debug, PartialEq)]
pub struct RecurrentSet {
    /// The leaves whose values are those that they have where the round starts.
    pub fixed: Vec<StateLeaf>,
    /// Further conditions on the states.
    pub conditions: Vec<Expr<StateLeaf>>,
}
