//! Work that is counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of units of work that are left, for all threads that share them. Unlike time they do not depend on the machine, nor
/// on what else it does.
#[derive(Clone, Debug)]
pub struct Work(Arc<AtomicU64>);

impl Work {
    /// The number of units.
    pub fn new(units: u64) -> Work {
        Work(Arc::new(AtomicU64::new(units)))
    }

    pub(super) fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn spend(&self, units: u64) {
        // The closure never refuses.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(units)));
    }
}
