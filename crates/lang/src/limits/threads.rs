//! Threads that work within the limits of the one that starts them.

use super::{current, give_way, lack_memory};
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

/// The stack of a thread that works with terms: they are deep, and much recurses over them.
pub const STACK_BYTES: usize = 64 << 20;

/// Starts a thread that works with terms, within the limits of this one.
pub fn spawn<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> R + Send + 'scope,
) -> ScopedJoinHandle<'scope, R> {
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    let (limits, span) = (current(), tracing::Span::current());
    let work = move || span.in_scope(|| limits.govern(work));
    thread.spawn_scoped(scope, work).unwrap_or_else(|_| lack_memory())
}

/// The result of the work of a thread.
pub fn join<R>(thread: ScopedJoinHandle<R>) -> R {
    give_way();
    thread.join().unwrap_or_else(|panicked| resume_unwind(panicked))
}

/// Waits for what threads share. No thread that holds such a lock leaves anything half done, even in a panic.
pub fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
