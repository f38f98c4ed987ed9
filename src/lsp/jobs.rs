//! Verification in the background: questions wait in a queue, and as many threads as there are places ask them.

use super::server::Event;
use super::{Question, Verifier};
use crate::report::record::Record;
use crossbeam_channel::{Receiver, Sender};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// True if no answer is wanted any more.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Default)]
struct Inner {
    is_set: AtomicBool,
    kill: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Cancel {
    /// It is not wanted.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::SeqCst);
        if let Some(kill) = &*self.lock() {
            kill();
        }
    }

    /// True if that is so.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::SeqCst)
    }

    /// Does the work; `kill` ends it from elsewhere.
    pub fn during<R>(&self, kill: impl Fn() + Send + 'static, work: impl FnOnce() -> R) -> R {
        *self.lock() = Some(Box::new(kill));
        let result = work();
        *self.lock() = None;
        result
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Box<dyn Fn() + Send>>> {
        self.0.kill.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that waits or is asked.
#[derive(Clone)]
pub struct Job {
    /// A number of its own.
    pub id: u64,
    /// The question.
    pub question: Question,
    /// True if no answer is wanted any more.
    pub cancel: Cancel,
}

/// Asks the questions of a queue, until it ends.
pub fn work(place: usize, verifier: &dyn Verifier, queue: &Receiver<Job>, events: &Sender<Event>) {
    for Job { id, question, cancel } in queue {
        let mut progress = |words: String| {
            let _ = events.send(Event::Progress { id, words });
        };
        let records: Vec<Record> = match cancel.is_set() {
            true => Vec::new(),
            false => verifier.answer(place, &question, &cancel, &mut progress),
        };
        // Without a server no answer is wanted.
        let _ = events.send(Event::Answered { id, records });
    }
}
