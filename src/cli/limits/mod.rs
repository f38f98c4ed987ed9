//! Limits of time, memory and parallel work.
//!
//! `--memory` limits a process. The solver gives up at it ([`crate::smt::limit_memory`]); explorations at three quarters of
//! it, divided by those at the same time ([`crate::verify::Subject::with_memory`]), as their check needs next to nothing
//! more.

pub mod address_space;
pub mod jobs;
pub mod limited;
pub mod memory;
pub mod parent;
pub mod watchdog;
pub mod workers;

use std::thread;
use std::time::Duration;

/// Keeps the clock of limits from counting time in which the process is stopped.
pub fn beat() {
    const EVERY: Duration = Duration::from_millis(50);
    let beats = || {
        loop {
            crate::limits::beat();
            thread::sleep(EVERY);
        }
    };
    // Without the thread, that time counts.
    let _ = thread::Builder::new().spawn(beats);
}
