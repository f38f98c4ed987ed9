//! The clock of time limits: it stands still while the process is stopped.
//!
//! A process that is suspended (`SIGSTOP`, Ctrl-Z, a paused machine) does not work, so that time counts for no limit. Where a thread
//! [beats](beat) often, a long gap between two looks at the clock means that no thread ran in it, and the gap is left out.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A longer gap between two looks is time in which the process was stopped.
const GAP: Duration = Duration::from_millis(500);

/// Nanoseconds since the clock was made.
#[derive(Debug, Default)]
struct Clock {
    /// True if some thread looks at least every few milliseconds.
    beats: AtomicBool,
    /// The last look, by the clock on the wall.
    seen: AtomicU64,
    /// Sum of the gaps.
    stopped: AtomicU64,
}

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
static CLOCK: Clock = Clock { beats: AtomicBool::new(false), seen: AtomicU64::new(0), stopped: AtomicU64::new(0) };

impl Clock {
    /// Time that counts, at this time on the wall.
    fn at(&self, wall: u64) -> u64 {
        if self.beats.load(Ordering::Relaxed) {
            // Of several threads that see the same gap, one moves `seen` and adds the gap.
            let seen = self.seen.fetch_max(wall, Ordering::SeqCst);
            let gap = wall.saturating_sub(seen);
            if u128::from(gap) > GAP.as_nanos() {
                self.stopped.fetch_add(gap, Ordering::SeqCst);
            }
        }
        wall.saturating_sub(self.stopped.load(Ordering::SeqCst))
    }

    fn beat(&self, wall: u64) {
        if !self.beats.load(Ordering::Relaxed) {
            self.seen.store(wall, Ordering::SeqCst);
            self.beats.store(true, Ordering::SeqCst);
        }
        self.at(wall);
    }
}

fn wall() -> u64 {
    u64::try_from(BEGIN.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The present time of limits. All deadlines are compared with it.
pub fn now() -> Instant {
    *BEGIN + Duration::from_nanos(CLOCK.at(wall()))
}

/// A look by a thread that calls this at least every 100 ms from now on.
pub fn beat() {
    CLOCK.beat(wall());
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_gap_counts_for_no_limit() {
        let clock = Clock::default();
        clock.beat(SECOND);
        assert_eq!(clock.at(SECOND + SECOND / 10), SECOND + SECOND / 10);
        assert_eq!(clock.at(4 * SECOND), SECOND + SECOND / 10);
        assert_eq!(clock.at(4 * SECOND + SECOND / 5), SECOND + 3 * SECOND / 10);
    }

    #[test]
    fn without_a_beat_all_time_counts() {
        let clock = Clock::default();
        assert_eq!(clock.at(SECOND), SECOND);
        assert_eq!(clock.at(9 * SECOND), 9 * SECOND);
    }
}
