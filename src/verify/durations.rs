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

/// The first search for a ranking of a conjunct; later ones take twice as long each time.
pub const RANKING: Duration = milliseconds(5000);

/// Dropping clauses that an invariant does not need.
pub const SHRINKING: Duration = milliseconds(1000);

/// A search for a shorter counterexample, besides a part of the time that the first one took.
pub const SHORTENING: Duration = milliseconds(250);

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

/// The same after a proof that took no time.
pub const LEAST_FOR_VACUITY: Duration = milliseconds(1000);

/// An aside: all remarks about a model.
pub const REMARKS: Duration = milliseconds(2000);

/// An aside: solvers for one remark, for the initial states or for a state without successor.
pub const ASIDE: Duration = milliseconds(1000);
