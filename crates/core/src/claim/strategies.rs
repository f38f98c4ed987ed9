//! Claims about what groups can bring about, each member by what it sees (`docs/strategies.md`).

use super::{Evidence, Trace};
use crate::model::Expr;
use crate::model::formula::StateLeaf;
use crate::model::strategy::{Decision, Strategy};

/// The evidence about a spec with `can(g, f)` at its beginning.
#[derive(Clone, Debug)]
pub struct StrategiesClaim {
    /// Per branching formula in what groups are to bring about, the outermost ones, where it is true, and the evidence for that.
    pub inner: Vec<(Expr<StateLeaf>, Evidence)>,
    /// Per `can(g, f)`, in the order of [`crate::model::Formula::beginnings`], its truth.
    pub answers: Vec<CanClaim>,
    /// The evidence about the spec with their truth in place of them.
    pub rest: Evidence,
}

/// The evidence for the truth of `can(g, f)`.
#[derive(Clone, Debug)]
pub enum CanClaim {
    /// A strategy, and evidence that f holds on all runs of its outcome.
    Can(Strategy, Evidence),
    /// There is none.
    Cannot(NoStrategy),
}

/// Runs of which each strategy has one in its outcome, and why each has.
///
/// A run is one of the outcome of a strategy that offers what is decided in it, and refuses what would be possible where it stands still:
/// that is a clause. A solver for propositional logic refutes all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoStrategy {
    /// The decisions, whose numbers are indices.
    pub decisions: Vec<Decision>,
    /// The runs.
    pub runs: Vec<OutcomeRun>,
    /// Clauses, each of which follows from the runs and the clauses before it by unit propagation: literals are numbers of decisions plus
    /// one, negative ones say that they are refused. The empty clause, which follows in the end, is left out.
    pub learnt: Vec<Vec<i32>>,
}

/// A run of the outcome of a strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeRun {
    /// The decisions that the strategy refuses.
    pub refused: Vec<u32>,
    /// The run, on which f is false.
    pub trace: Trace,
}
