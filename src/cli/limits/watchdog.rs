//! The last resort where limits are not kept: a thread that looks at the clock and at the memory of the process.
//!
//! All phases keep limits by themselves ([`crate::limits`]). This watches pieces of work that cannot, a single step of
//! the solver, say: a piece of work that runs over the time by more than a grace is given up, and so is everything when the process
//! takes a good deal more memory than it may. Until then the thread only says that the memory is full.

use crate::cli::io::out::{judge, remark};
use crate::cli::io::replace;
use crate::cli::limits::memory::resident;
use crate::cli::status::Status;
use crate::limits;
use crate::limits::{Budget, Reason, Stop, within};
use crate::smt;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How much longer than its time a piece of work may take before it is given up.
const GRACE: Duration = Duration::from_millis(700);

/// How much more than the limit the process may take before it ends.
const EXCESS: f64 = 1.12;

/// In megabytes: what any process may have. The solver alone keeps smaller limits.
const LEAST: f64 = 64.0;

/// A limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The time of a piece of work, by its number.
    Time(usize),
    /// The memory of the process.
    Memory,
}

type Handler = Box<dyn Fn(Broken) -> Option<Status> + Send>;

#[derive(Default)]
struct Watched {
    runs: bool,
    megabytes: Option<u32>,
    /// When pieces of work are given up.
    ends: BTreeMap<usize, Instant>,
    handler: Option<Handler>,
}

static WATCHED: Mutex<Watched> =
    Mutex::new(Watched { runs: false, megabytes: None, ends: BTreeMap::new(), handler: None });

/// From now on the process, and the solver in it, may have so much memory.
pub fn limit_memory(megabytes: Option<u32>) {
    megabytes.into_iter().for_each(smt::limit_memory);
    watched().megabytes = megabytes;
}

/// From now on, this is done when a limit is broken. The process ends with the status, if there is one.
pub fn on_break(handler: impl Fn(Broken) -> Option<Status> + Send + 'static) {
    let mut watched = watched();
    watched.handler = Some(Box::new(handler));
    if !std::mem::replace(&mut watched.runs, true) {
        thread::spawn(look_on);
    }
}

/// Ends the process on a broken limit with this sentence and the limit: for commands that have nothing else to print.
pub fn on_break_say(what: &'static str) {
    on_break(move |broken| {
        let reason = if broken == Broken::Memory { "memory limit reached" } else { "timeout" };
        remark(format_args!("error: {what}: {reason}"));
        Some(Status::Unknown)
    });
}

/// A piece of work has so much time from now on.
pub fn begin(number: usize, time: Option<Duration>) {
    let end = time.and_then(|time| limits::now().checked_add(time + GRACE));
    if let Some(end) = end {
        watched().ends.insert(number, end);
    }
}

pub fn end(number: usize) {
    watched().ends.remove(&number);
}

/// A piece of work that keeps its time by itself as far as it can, and is watched meanwhile.
pub fn limited<R>(number: usize, time: Option<Duration>, work: impl FnOnce() -> R) -> Result<R, Reason> {
    begin(number, time);
    let result = within(Budget::new(time), &Stop::new(), work);
    end(number);
    result
}

fn watched() -> MutexGuard<'static, Watched> {
    limits::lock(&WATCHED)
}

fn look_on() {
    loop {
        let broken = look();
        for broken in broken {
            let watched = watched();
            if let Some(status) = watched.handler.as_ref().and_then(|handler| handler(broken)) {
                replace::exit(judge(status).code().into());
            }
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// The limits that are broken now; each piece of work is named once.
fn look() -> Vec<Broken> {
    let mut watched = watched();
    let now = limits::now();
    let late: Vec<usize> = watched.ends.iter().filter(|(_, end)| now >= **end).map(|(number, _)| *number).collect();
    watched.ends.retain(|_, end| now < *end);
    let limit = watched.megabytes.map(|limit| f64::from(limit).max(LEAST));
    let used = limit.and_then(|_| resident(std::process::id()));
    let beyond = |part: f64| used.zip(limit).is_some_and(|(used, limit)| used > part * limit);
    limits::set_full(beyond(1.0));
    let greedy = beyond(EXCESS).then_some(Broken::Memory);
    greedy.into_iter().chain(late.into_iter().map(Broken::Time)).collect()
}
