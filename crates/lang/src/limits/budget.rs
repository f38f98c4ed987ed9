//! Time.

use super::now;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How long a piece of work may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
}

impl Budget {
    /// From now on, that long; `None` for ever.
    pub fn new(limit: Option<Duration>) -> Budget {
        Budget { deadline: limit.and_then(|limit| now().checked_add(limit)) }
    }

    /// When it ends; `None` for never.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time that is left; `None` when there is no limit.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(now()))
    }

    /// Until then, or for that long, whichever is shorter.
    pub fn at_most(&self, limit: Duration) -> Budget {
        Budget::new(Some(self.left().map_or(limit, |left| left.min(limit))))
    }

    /// For what is beside the point: as [`Budget::at_most`], but as many times longer as `RCHECK_PATIENCE` in the
    /// environment says. Tests do, so that what they see does not depend on the clock.
    pub fn aside(&self, limit: Duration) -> Budget {
        static TIMES: LazyLock<Option<u32>> = LazyLock::new(|| std::env::var("RCHECK_PATIENCE").ok()?.parse().ok());
        self.at_most(limit.saturating_mul(TIMES.unwrap_or(1)))
    }

    /// True if the time is over.
    pub fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}
