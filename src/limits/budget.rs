//! Time.

use std::time::{Duration, Instant};

/// How long a piece of work may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
}

impl Budget {
    /// From now on, that long; `None` for ever.
    pub fn new(limit: Option<Duration>) -> Budget {
        Budget { deadline: limit.and_then(|limit| Instant::now().checked_add(limit)) }
    }

    /// When it ends; `None` for never.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time that is left; `None` when there is no limit.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Until then, or for that long, whichever is shorter.
    pub fn at_most(&self, limit: Duration) -> Budget {
        Budget::new(Some(self.left().map_or(limit, |left| left.min(limit))))
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}
