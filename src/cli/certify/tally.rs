//! Certificates that are checked one after the other. One that is not checked in time, or whose check panics, costs no
//! other its answer.

use crate::cli::io::out::{judge, print, shown};
use crate::cli::io::replace;
use crate::cli::limits::watchdog::{self, Broken, limited};
use crate::cli::limits::workers::{self, Queue, StillAtWork};
use crate::cli::status::Status;
use crate::limits::{Reason, lock};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The number of the work before the first certificate, for the watchdog.
pub const READING: usize = usize::MAX;

/// The results of certificates, and those that are not checked yet.
#[derive(Debug, Default)]
pub struct Tally(Mutex<TallyState>);

#[derive(Debug, Default)]
struct TallyState {
    count: Count,
    status: Status,
    /// Certificates by their numbers, until something is said of them.
    open: BTreeMap<usize, PathBuf>,
    /// The number of the next one.
    next: usize,
}

/// Number of certificates that are valid, refused, and neither.
#[derive(Debug, Default)]
pub struct Count {
    valid: usize,
    refused: usize,
    unknown: usize,
}

impl Tally {
    /// Records what the command does not do well.
    pub fn worst(&self, status: Status) {
        let mut inner = lock(&self.0);
        inner.status = inner.status.worst(status);
    }

    pub fn status(&self) -> Status {
        lock(&self.0).status
    }

    /// Records the worth of a certificate, and prints a text about it.
    pub fn say(&self, worth: Status, text: &str) {
        lock(&self.0).say(worth, text);
    }

    /// Prints the numbers of certificates by their worth, if there are several.
    pub fn summary(&self) {
        let Count { valid, refused, unknown } = &lock(&self.0).count;
        if valid + refused + unknown > 1 {
            print(format!("{valid} valid, {refused} refused, {unknown} unknown\n"));
        }
    }

    /// Numbers for these certificates, from the first one on.
    fn open<D>(&self, documents: &[(PathBuf, D)]) -> usize {
        let mut inner = lock(&self.0);
        let first = inner.next;
        inner.next += documents.len();
        inner.open.extend((first..).zip(documents.iter().map(|(path, _)| path.clone())));
        first
    }

    /// Records and prints the worth of a certificate, unless it was given up meanwhile.
    fn close(&self, number: usize, text: impl FnOnce(&Path) -> (Status, String)) {
        let mut inner = lock(&self.0);
        if let Some(path) = inner.open.remove(&number) {
            let (worth, text) = text(&path);
            inner.say(worth, &text);
        }
    }

    fn give_up(&self, number: usize, reason: &Reason) {
        self.close(number, |path| (Status::Unknown, format!("{}: unknown: {reason}\n", shown(path))));
    }

    /// Gives up all that are open; the status with which the process ends.
    fn give_up_all(&self, reason: &Reason) -> Status {
        let open: Vec<usize> = lock(&self.0).open.keys().copied().collect();
        open.iter().for_each(|number| self.give_up(*number, reason));
        self.worst(Status::Unknown);
        self.status()
    }
}

impl TallyState {
    fn say(&mut self, worth: Status, text: &str) {
        *match worth {
            Status::Clear => &mut self.count.valid,
            Status::Unknown | Status::Internal => &mut self.count.unknown,
            _ => &mut self.count.refused,
        } += 1;
        self.status = self.status.worst(worth);
        print(text);
    }
}

/// Checks certificates one after the other, each within this time, and prints what `text` says of them. `rest`
/// is what there is to do after that; it is called only where checks that were given up are still at work: then the process ends.
pub fn one_by_one<D: Sync, R>(
    tally: &Arc<Tally>,
    (documents, time): (&[(PathBuf, D)], Option<Duration>),
    check: impl Fn(&D) -> R + Sync,
    text: impl Fn(&Path, Result<R, Reason>) -> (Status, String) + Sync,
    rest: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let first = tally.open(documents);
    let (queue, events) = Queue::new(documents.len());
    let queue = Arc::new(queue);
    give_up_on_break(tally.clone(), queue.clone(), first);
    let work = |_, piece: usize| match answer(first + piece, time, || check(&documents[piece].1)) {
        Some(result) => tally.close(first + piece, |path| text(path, result)),
        // The panic itself was told where it happened.
        None => tally.close(first + piece, |path| {
            (Status::Internal, format!("{}: unknown: internal error, please report it\n", shown(path)))
        }),
    };
    let last = |StillAtWork(are_behind)| match are_behind {
        true => {
            rest()?;
            tally.summary();
            replace::exit(judge(tally.status()).code().into())
        }
        false => Ok(()),
    };
    workers::run((&queue, &events), 1, work, last).context("cannot start a thread")?
}

/// The result of the check of one certificate within its time; nothing if it panics.
fn answer<R>(number: usize, time: Option<Duration>, check: impl FnOnce() -> R) -> Option<Result<R, Reason>> {
    let answer = catch_unwind(AssertUnwindSafe(|| limited(number, time, check))).ok();
    if answer.is_none() {
        watchdog::end(number);
    }
    answer
}

/// Says of a certificate that runs over its time that it is unknown, and leaves its thread behind.
fn give_up_on_break(tally: Arc<Tally>, queue: Arc<Queue>, first: usize) {
    watchdog::on_break(move |broken| match broken {
        Broken::Time(READING) => Some(tally.give_up_all(&Reason::Timeout)),
        Broken::Time(number) => {
            tally.give_up(number, &Reason::Timeout);
            number.checked_sub(first).into_iter().for_each(|piece| queue.leave_behind(piece));
            None
        }
        Broken::Memory => Some(tally.give_up_all(&Reason::Memory)),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn documents(count: usize) -> Vec<(PathBuf, usize)> {
        (0..count).map(|number| (format!("{number}.json").into(), number)).collect()
    }

    fn worth(_: &Path, result: Result<usize, Reason>) -> (Status, String) {
        (if result.is_ok() { Status::Clear } else { Status::Unknown }, String::new())
    }

    #[test]
    fn a_panic_in_a_check_costs_no_other_its_answer() {
        let tally = Arc::new(Tally::default());
        let check = |number: &usize| {
            assert_ne!(*number, 1, "the second one is broken");
            *number
        };
        let rest = || unreachable!("nothing is left behind");
        one_by_one(&tally, (&documents(3), None), check, worth, rest).expect("a thread starts");
        let TallyState { count, status, open, next } = &*lock(&tally.0);
        assert_eq!((count.valid, count.unknown, *status, open.len(), *next), (2, 1, Status::Internal, 0, 3));
    }

    /// Does by hand what the watchdog does: no test depends on the clock.
    #[test]
    fn a_certificate_that_is_given_up_costs_no_other_its_answer() {
        let (tally, documents) = (Tally::default(), documents(4));
        assert_eq!((tally.open(&documents[..1]), tally.open(&documents[1..])), (0, 1));
        let (queue, events) = Queue::new(3);
        let (release, released) = channel();
        let released = Mutex::new(released);
        let work = |_, piece: usize| {
            if piece == 1 {
                tally.give_up(2, &Reason::Timeout);
                queue.leave_behind(1);
                lock(&released).recv().expect("it is released when the others are done");
            }
            tally.close(1 + piece, |_| (Status::Clear, String::new()));
        };
        let last = |behind| {
            release.send(()).expect("it waits");
            behind
        };
        let behind = workers::run((&queue, &events), 1, work, last).expect("a thread starts");
        let TallyState { count, status, open, .. } = &*lock(&tally.0);
        assert_eq!((behind, count.valid, count.unknown, *status), (StillAtWork(true), 2, 1, Status::Unknown));
        assert_eq!(open.keys().copied().collect::<Vec<_>>(), [0]);
    }
}
