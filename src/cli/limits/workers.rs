//! Threads that do pieces of work in their order. A thread that does not end its piece in time is left behind: it is not
//! waited for, and another one takes its place, so that the overrun of a piece costs the later ones nothing.

use crate::limits::{STACK_BYTES, lock};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};

/// Pieces of work that were begun, and those still to be begun.
#[derive(Debug)]
pub struct Queue {
    inner: Mutex<QueueState>,
    news: Sender<News>,
}

#[derive(Debug)]
struct QueueState {
    /// The pieces not yet begun, the next one first.
    waiting: std::ops::Range<usize>,
    /// Pieces at work, with the numbers of their workers.
    at_work: BTreeMap<usize, usize>,
}

/// An event in the life of a worker.
#[derive(Debug)]
enum News {
    /// No piece is left for this worker.
    Idle,
    /// The thread of this worker is left behind.
    LeftBehind(usize),
    /// A thread that was left behind has ended.
    Ended,
    /// A piece panicked with this.
    Panicked(Box<dyn Any + Send>),
}

/// The other end of a queue.
#[derive(Debug)]
pub struct Events(Receiver<News>);

/// True if threads that were left behind are still at work when all pieces are done or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StillAtWork(pub bool);

impl Queue {
    /// Of the pieces `0..count`.
    pub fn new(count: usize) -> (Queue, Events) {
        let (news, events) = channel();
        let inner = QueueState { waiting: 0..count, at_work: BTreeMap::new() };
        (Queue { inner: Mutex::new(inner), news }, Events(events))
    }

    /// Leaves the thread that works on this piece behind, if it has not ended yet.
    pub fn leave_behind(&self, piece: usize) {
        if let Some(worker) = lock(&self.inner).at_work.remove(&piece) {
            self.tell(News::LeftBehind(worker));
        }
    }

    fn begin(&self, worker: usize) -> Option<usize> {
        let mut inner = lock(&self.inner);
        let piece = inner.waiting.next()?;
        inner.at_work.insert(piece, worker);
        Some(piece)
    }

    /// True if the thread was not left behind meanwhile.
    fn end(&self, piece: usize) -> bool {
        lock(&self.inner).at_work.remove(&piece).is_some()
    }

    fn tell(&self, news: News) {
        // At the end of the process there may be no listener any more.
        let _ = self.news.send(news);
    }

    /// A thread: piece after piece, until none is left, or it is left behind.
    fn work(&self, worker: usize, piece_of_work: &(impl Fn(usize, usize) + Sync)) {
        while let Some(piece) = self.begin(worker) {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| piece_of_work(worker, piece))) {
                lock(&self.inner).waiting = 0..0;
                return self.tell(News::Panicked(panic));
            }
            if !self.end(piece) {
                return self.tell(News::Ended);
            }
        }
        self.tell(News::Idle);
    }
}

/// Works on all pieces of the queue, on so many at a time: `work(worker, piece)`. When each is done or left behind, `last` comes;
/// then threads that are left behind are waited for.
pub fn run<R>(
    (queue, events): (&Queue, &Events),
    workers: usize,
    work: impl Fn(usize, usize) + Sync,
    last: impl FnOnce(StillAtWork) -> R,
) -> std::io::Result<R> {
    let work = &work;
    thread::scope(|scope| {
        let start = |worker| start(scope, move || queue.work(worker, work));
        (0..workers).try_for_each(start)?;
        let (mut busy, mut behind) = (workers, 0);
        while busy > 0 {
            match events.0.recv().expect("the queue has a sender") {
                News::Idle => busy -= 1,
                News::Ended => behind -= 1,
                News::Panicked(panic) => resume_unwind(panic),
                News::LeftBehind(worker) => {
                    behind += 1;
                    start(worker)?;
                }
            }
        }
        Ok(last(StillAtWork(behind > 0)))
    })
}

fn start<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) -> std::io::Result<()> {
    thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_are_done_in_their_order() {
        let (queue, events) = Queue::new(9);
        let done = Mutex::new(Vec::new());
        let work = |_, piece| lock(&done).push(piece);
        let last = run((&queue, &events), 1, work, |left| left).expect("threads start");
        assert_eq!(last, StillAtWork(false));
        assert_eq!(done.into_inner().expect("no panic"), (0..9).collect::<Vec<_>>());
    }

    #[test]
    fn a_piece_that_does_not_end_costs_the_others_nothing() {
        for workers in 1..4 {
            let (queue, events) = Queue::new(5);
            let (done, (release, released)) = (Mutex::new(Vec::new()), channel());
            let released = Mutex::new(released);
            let work = |_, piece| {
                if piece == 1 {
                    queue.leave_behind(1);
                    lock(&released).recv().expect("it is released when the others are done");
                }
                lock(&done).push(piece);
            };
            let last = |left| {
                let mut pieces = lock(&done).clone();
                pieces.sort_unstable();
                release.send(()).expect("it waits");
                (left, pieces)
            };
            let last = run((&queue, &events), workers, work, last).expect("threads start");
            assert_eq!(last, (StillAtWork(true), vec![0, 2, 3, 4]));
        }
    }

    #[test]
    fn the_end_of_a_piece_that_was_left_behind_is_no_news() {
        let (queue, events) = Queue::new(2);
        let work = |_, piece| {
            queue.leave_behind(piece);
        };
        run((&queue, &events), 1, work, drop).expect("threads start");
        queue.leave_behind(0);
    }
}
