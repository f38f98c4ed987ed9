//! Tasks that begin one after the other, each as a member of a team, in a thread of its own.

use super::durations;
use crate::limits::{Stop, Team, give_way, join, lock, spawn};
use cpu_time::ProcessTime;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A task in a line.
#[derive(Clone, Copy, Debug)]
pub struct Row<T> {
    pub task: T,
    /// It begins after so long, or sooner, once all before it are over; at once, if it is the first one.
    pub begins: Duration,
    /// The part of processor time that it gets, beside those of others.
    pub share: u32,
}

/// The processor time of the process, as long as that is less than the time on the wall. A process that is waiting has to
/// get on as well, so that it is never much less.
pub struct Clock {
    begin: Instant,
    spent: ProcessTime,
}

impl Clock {
    /// How much longer the time on the wall may be.
    const SLOWEST: u32 = 16;

    pub fn begin() -> Clock {
        Clock { begin: Instant::now(), spent: ProcessTime::now() }
    }

    pub fn elapsed(&self) -> Duration {
        let wall = self.begin.elapsed();
        self.spent.elapsed().clamp(wall / Self::SLOWEST, wall)
    }
}

/// A task that begins when it is called for, if it is by the time when all in the line are over.
pub struct Reserve<'a, T> {
    pub row: Row<T>,
    pub is_called: &'a AtomicBool,
}

/// Does tasks until `stop` is set: those in the line, and the one in reserve. The results are in the order in which they began. What has not begun when `stop` is
/// set never does.
pub fn work<T: Copy + Send + Sync, R: Send>(
    line: &[Row<T>],
    reserve: Option<&Reserve<T>>,
    (team, stop): (&Team, &Stop),
    task: impl Fn(T) -> R + Sync,
) -> Vec<(T, R)> {
    if let ([row], None) = (line, reserve) {
        return vec![(row.task, task(row.task))];
    }
    let clock = Clock::begin();
    let over: (Mutex<usize>, Condvar) = Default::default();
    let mut waiting = line;
    let mut reserve = reserve;
    thread::scope(|scope| {
        let _stops_others = stop.set_in_panic();
        let mut threads = Vec::new();
        let begin = |row: Row<T>| {
            let (over, task) = (&over, &task);
            let work = move || {
                let _in_any_case = Over(over);
                let _stops_others = stop.set_in_panic();
                team.work(row.share, || task(row.task))
            };
            (row.task, spawn(scope, work))
        };
        give_way();
        loop {
            let ended = *lock(&over.0);
            let all_ended = ended == threads.len();
            if let Some(called) = reserve.take_if(|reserve| reserve.is_called.load(Ordering::SeqCst)) {
                threads.push(begin(called.row));
                continue;
            }
            if stop.is_set() || waiting.is_empty() && (reserve.is_none() || all_ended) {
                break;
            }
            match waiting.split_first() {
                Some((next, rest)) if all_ended || clock.elapsed() >= next.begins => {
                    threads.push(begin(*next));
                    waiting = rest;
                }
                next => {
                    let left = next.map(|(next, _)| next.begins.saturating_sub(clock.elapsed()));
                    let most = left.map_or(durations::LOOK_EVERY, |left| left.min(durations::LOOK_EVERY));
                    let guard = lock(&over.0);
                    if *guard == ended {
                        drop(over.1.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner));
                    }
                }
            }
        }
        threads.into_iter().map(|(task, thread)| (task, join(thread))).collect()
    })
}

/// The end of a task.
struct Over<'o>(&'o (Mutex<usize>, Condvar));

impl Drop for Over<'_> {
    fn drop(&mut self) {
        *lock(&self.0.0) += 1;
        self.0.1.notify_all();
    }
}
