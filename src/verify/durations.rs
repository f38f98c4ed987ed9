//! How long each part of a verification may take, beside the tables of the [portfolio](super::portfolio).
//!
//! These are parts of the budget of a spec: none goes beyond it. Asides (remarks, vacuity, fairness) have times of their own.

use std::time::Duration;

/// A short time.
pub const fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Between two looks of a thread that waits: a signal from outside cannot wake it.
pub const LOOK_EVERY: Duration = milliseconds(10);

/// A prover alone, for a spec that is safety and for others, before all provers join in.
pub const PROVER_ALONE: [Duration; 2] = [milliseconds(2000), milliseconds(700)];

/// All provers join in so long after that, if counterexamples are searched beside them: most are found by then.
pub const PROVERS_JOIN: Duration = milliseconds(50);

/// k-induction beside others: what it can prove it mostly proves at once.
pub const INDUCTION: Duration = milliseconds(2000);

/// A search for invariants that all specs of a model share.
pub const SHARED_INVARIANTS: Duration = milliseconds(3000);

/// The first search for a ranking of a conjunct; later ones take twice as long each time.
pub const RANKING: Duration = milliseconds(5000);

/// Dropping clauses that an invariant does not need.
pub const SHRINKING: Duration = milliseconds(1000);

/// A search for a shorter counterexample, besides a part of the time that the first one took.
pub const SHORTENING: Duration = milliseconds(250);

/// Processor time of labels of states before decision diagrams join in.
pub const LABELS_ALONE: Duration = milliseconds(300);

/// For any number of agents: one instance that is verified.
pub const INSTANCE: Duration = milliseconds(10_000);

/// For any number of agents: nothing is begun with less time than that.
pub const LEAST_FOR_SIZES: Duration = milliseconds(100);

/// For any number of agents: provers on one open instance.
pub const OPEN_INSTANCE: Duration = milliseconds(30_000);

/// For any number of agents: guessing invariants.
pub const GUESSING_FOR_SIZES: Duration = milliseconds(2000);

/// For any number of agents: dropping clauses that are not needed.
pub const SHRINKING_FOR_SIZES: Duration = milliseconds(300);

/// Horn clauses: guessing invariants.
pub const GUESSING_CLAUSES: Duration = milliseconds(4000);

/// Horn clauses: a look at them before all else.
pub const LOOK_AT_CLAUSES: Duration = milliseconds(1000);

/// An aside: one set of fairness assumptions.
pub const FAIRNESS: Duration = milliseconds(3000);

/// An aside: one condition of vacuity. Most are reached at once, or seen never to be.
pub const VACUITY: Duration = milliseconds(3000);

/// An aside: all remarks about a model.
pub const REMARKS: Duration = milliseconds(2000);

/// An aside: solvers for one remark, for the initial states or for a state without successor.
pub const ASIDE: Duration = milliseconds(1000);
