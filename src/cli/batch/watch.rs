//! The guard that keeps the limits that a process cannot keep itself: a process that runs over its time, or that takes more
//! memory than it may, is killed.

use crate::cli::limits::memory;
use crate::limits::{lock, now};
use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How often to look. A process can exceed its limit of memory by what it takes in that time.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Why a process was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It ran over its time.
    Timeout,
    /// It took too much memory.
    Memory,
    /// The batch stops.
    Halt,
}

/// A process under watch.
#[derive(Debug, Default)]
pub struct Watched(Mutex<WatchState>);

#[derive(Debug, Default)]
struct WatchState {
    child: Option<Child>,
    working: bool,
    deadline: Option<Instant>,
    megabytes: Option<u32>,
    cut: Option<Cut>,
}

impl Watched {
    /// Watches a process; the one before must have been taken.
    pub fn put(&self, child: Child) {
        *lock(&self.0) = WatchState { child: Some(child), ..WatchState::default() };
    }

    /// The process begins something that has these limits.
    pub fn begin(&self, deadline: Option<Instant>, megabytes: Option<u32>) {
        let mut inner = lock(&self.0);
        (inner.working, inner.deadline, inner.megabytes) = (true, deadline, megabytes);
    }

    /// Kills the process if it works: its answer is not wanted any more.
    pub fn cancel(&self) {
        self.look(true);
    }

    /// The process is done with it. Returns the memory that it uses still, in megabytes; nothing if it was killed
    /// before it could hear of its success.
    pub fn end(&self) -> Option<f64> {
        let mut inner = lock(&self.0);
        (inner.working, inner.deadline) = (false, None);
        let alive = inner.child.as_ref().filter(|_| inner.cut.is_none());
        alive.map(|child| memory::resident(child.id()).unwrap_or_default())
    }

    /// True if there is a process, and it has not ended.
    pub fn is_alive(&self) -> bool {
        lock(&self.0).child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// The process, no longer watched, and why it was killed if it was.
    pub fn take(&self) -> (Option<Child>, Option<Cut>) {
        let mut inner = lock(&self.0);
        (inner.child.take(), inner.cut.take())
    }

    /// Kills the process if there is a reason.
    fn look(&self, halt: bool) {
        let mut inner = lock(&self.0);
        if !inner.working || inner.cut.is_some() {
            return;
        }
        let Some(id) = inner.child.as_ref().map(Child::id) else { return };
        let late = inner.deadline.is_some_and(|deadline| now() >= deadline);
        let greedy = |limit: u32| memory::resident(id).is_some_and(|used| used > f64::from(limit));
        inner.cut = match inner.megabytes {
            _ if halt => Some(Cut::Halt),
            _ if late => Some(Cut::Timeout),
            Some(limit) if greedy(limit) => Some(Cut::Memory),
            _ => None,
        };
        if let (Some(_), Some(child)) = (inner.cut, &mut inner.child) {
            // It may have ended by itself in the meantime; the thread that waits for it finds out.
            let _ = child.kill();
        }
    }
}

/// Watches all processes while `work` is done. Once `halt` is set, all workers at work are killed.
pub fn watching<R>(processes: &[Arc<Watched>], halt: &AtomicBool, work: impl FnOnce() -> R) -> io::Result<R> {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        thread::Builder::new().spawn_scoped(scope, || {
            while !done.load(Ordering::Relaxed) {
                processes.iter().for_each(|process| process.look(halt.load(Ordering::Relaxed)));
                thread::sleep(LOOK_EVERY);
            }
        })?;
        let _in_any_case = Done(&done);
        Ok(work())
    })
}

struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
