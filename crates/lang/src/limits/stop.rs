//! Signals to stop.

use super::{Signal, give_way, now};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

/// A way to stop work from outside, and, through the ones under it, all that it consists of.
#[derive(Debug, Default)]
pub struct Stop<'a> {
    set: Signal,
    above: Option<&'a Stop<'a>>,
}

impl<'a> Stop<'a> {
    /// Of its own.
    pub fn new() -> Stop<'a> {
        Stop::default()
    }

    /// Also set whenever the other one is.
    pub fn under(above: &'a Stop<'a>) -> Stop<'a> {
        Stop { above: Some(above), ..Stop::default() }
    }

    /// Asks to stop, for good.
    pub fn set(&self) {
        self.set.store(true, Ordering::Relaxed);
    }

    /// Also set if this thread panics before the value is dropped: what others do beside it would be for nothing.
    pub fn set_in_panic(&self) -> SetInPanic<'_, 'a> {
        SetInPanic(self)
    }

    /// Sleeps that long, or until it is set.
    pub fn sleep(&self, time: Duration) {
        const LOOK_EVERY: Duration = Duration::from_millis(1);
        let end = now() + time;
        give_way();
        while !self.is_set() && now() < end {
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Any of which means that it is set.
    pub(super) fn signals(&self) -> Vec<Signal> {
        let chain = std::iter::successors(Some(self), |stop| stop.above);
        chain.map(|stop| stop.set.clone()).collect()
    }

    /// True if a stop was asked for.
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed) || self.above.is_some_and(Stop::is_set)
    }
}

/// See [`Stop::set_in_panic`].
#[must_use]
pub struct SetInPanic<'s, 'a>(&'s Stop<'a>);

impl Drop for SetInPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.set();
        }
    }
}
