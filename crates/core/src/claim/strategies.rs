//! Claims about what groups can bring about, each member by what it sees (`docs/strategies.md`).

use super::{Evidence, Trace};
use crate::model::Expr;
use crate::model::formula::StateLeaf;
use crate::model::starting::StateParts;
use crate::model::strategy::{Decision, Strategy};

/// The evidence about a spec with `can(g, f)` at its beginning.
#[derive(Clone, Debug)]
pub struct StrategiesClaim {
    /// Per formula of [`crate::model::Formula::pieces`], where it is true.
    pub pieces: Vec<PieceClaim>,
    /// Per `can(g, f)`, in the order of [`crate::model::Formula::beginnings`], its truth.
    pub answers: Vec<CanClaim>,
    /// The evidence about the spec with their truth in place of them.
    pub rest: Evidence,
}

/// The states in which a branching formula is true.
#[derive(Clone, Debug)]
pub struct PieceClaim {
    /// It is true in the reachable states in which this is.
    pub condition: Expr<StateLeaf>,
    /// The evidence for that.
    pub evidence: PieceEvidence,
}

/// The evidence that a condition is true in the reachable states in which a branching formula is.
#[derive(Clone, Debug)]
pub enum PieceEvidence {
    /// Evidence that both are always equivalent.
    Equivalent(Evidence),
    /// Of `can(g, f)`, per set of states that a group has to reckon with, its truth there.
    Views(Vec<(Vec<StateParts>, CanClaim)>),
}

/// The evidence for the truth of `can(g, f)`.
#[derive(Clone, Debug)]
pub enum CanClaim {
    /// A strategy, and evidence for each spec of its outcome ([`crate::model::Model::outcome`]).
    Can(Strategy, Vec<Evidence>),
    /// There is none.
    Cannot(NoStrategy),
}

/// Runs of which each strategy has one in its outcome, and why each has.
///
/// A run is one of the outcome of a strategy that offers what is decided in it, and refuses what would be possible where it stands still:
/// that is a clause. A solver for propositional logic refutes all of them.
#[derive(Clone, Debug, Default)]
pub struct NoStrategy {
    /// The decisions, whose numbers are indices.
    pub decisions: Vec<Decision>,
    /// Strategies that fail, with runs that show it.
    pub failures: Vec<Failure>,
    /// Clauses, each of which follows from the runs and the clauses before it by unit propagation: literals are numbers of decisions plus
    /// one, negative ones say that they are refused. The empty clause, which follows in the end, is left out.
    pub learnt: Vec<Vec<i32>>,
}

/// A strategy that fails, and why.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The decisions that it refuses.
    pub refused: Vec<u32>,
    /// The reason.
    pub shows: Shows,
}

/// Why a strategy fails.
#[derive(Clone, Debug)]
pub enum Shows {
    /// On this run of its outcome f is false.
    Run(Trace),
    /// It does not count: evidence that no run of the outcome goes on from the end of this one so that it satisfies what is assumed, though
    /// some run of the model does ([`crate::model::Model::stuck`]).
    Stuck(Trace, Evidence),
    /// Of deterministic protocols, evidence that the model with them violates the spec.
    Whole(Evidence),
}

impl Shows {
    /// The run, if it is one.
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Shows::Run(trace) | Shows::Stuck(trace, _) => Some(trace),
            Shows::Whole(_) => None,
        }
    }
}
