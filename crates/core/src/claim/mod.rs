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
pub mod strategies;
pub mod symmetry;

use crate::limits::Reason;
use crate::model::Expr;
use crate::model::formula::StateLeaf;
use crate::product::target::Reduction;
use crate::ts::ranking::Ranking;
use crate::ts::term::{Term, Terms};
use branching::{Labelling, Witness};
use diagrams::Diagrams;
use explicit::ExplicitCertificate;
use recurrent::RecurrentRun;
use sizes::UniformClaim;
use std::sync::Arc;
use strategies::StrategiesClaim;

/// The evidence for a verdict on a spec, as an engine claims it, or as a certificate has it.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// It holds: per conjunct an inductive invariant.
    Invariants(Vec<PartClaim>),
    /// It holds: a closed set of states with obligations and ranks.
    Exploration(Arc<ExplicitCertificate>),
    /// It holds: all reachable states, and why branching formulas are true or false in them.
    Labels(Arc<Labelling>),
    /// It holds: sets of states and positions.
    Diagrams(Arc<Diagrams>),
    /// It holds: a condition on what is seen for each piece of knowledge, and the evidence for what that takes.
    Conditions {
        /// The conditions.
        conditions: Vec<Expr<StateLeaf>>,
        /// The evidence for each question.
        parts: Vec<Evidence>,
    },
    /// It holds, or is violated, because of what groups can bring about.
    Strategies(Box<StrategiesClaim>),
    /// It holds for all sizes: clauses.
    Uniform(Box<UniformClaim>),
    /// It is violated by this run.
    Run(Trace),
    /// It is violated by this run, on which no state recurs.
    Recurrent(Box<RecurrentRun>),
    /// It is violated by this run, with labels of all reachable states.
    LabelledRun(Arc<Labelling>, Box<Witness>),
    /// It is violated by this run, with sets of states.
    SymbolicRun(Arc<Diagrams>, Box<Witness>),
    /// It is violated by this run, with others that end in states which look alike.
    LookAlike(Box<Witness>),
}

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
