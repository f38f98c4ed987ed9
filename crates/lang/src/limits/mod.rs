//! Limits that all work observes, even in functions whose types cannot express that they gave up.
//!
//! Reading a model, lowering it, translating a spec: such work can take for ever, and its functions cannot return
//! early. It counts its units ([`tick`]), and from time to time checks the limits of the caller that began it
//! ([`within`]). Beyond them it is abandoned: the stack unwinds to that caller. A caller whose work shares data with
//! others must keep the data consistent, or discard it.
//!
//! Limits belong to a thread. A helper thread takes over those of the thread that starts it ([`current`]).
//!
//! Every loop that can run long has to count: a new term, an expression, a step, a token are units. After 256 units the
//! limits are looked at. Unwinding does not call the panic hook. [`bits`] keeps integers small enough to be computed
//! with. `tests/limits.rs` tests each phase against each limit; a new phase goes there. Memory is measured by the
//! watchdog of the command line, which says [`set_full`] and ends the process only if that does not help.

mod budget;
mod clock;
mod reason;
mod stop;
mod team;
mod threads;
mod work;

pub use budget::Budget;
pub use clock::{beat, now};
pub use reason::Reason;
pub use stop::Stop;
pub use team::{Member, Team, alone, give_way, pass, with_share};
pub use threads::{STACK_BYTES, join, lock, spawn};
pub use work::Work;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The limit that work ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// Its time is over.
    Time,
    /// It takes too much memory.
    Memory,
    /// An integer has more bits than are supported.
    Integers,
    /// It was asked to stop.
    Stopped,
    /// It is more than was allowed.
    Work,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Exceeded::Time => write!(f, "timeout"),
            Exceeded::Memory => write!(f, "memory limit reached"),
            Exceeded::Integers => write!(f, "an integer would have more than {MOST_BITS} bits"),
            Exceeded::Stopped => write!(f, "stopped"),
            Exceeded::Work => write!(f, "more work than was allowed"),
        }
    }
}

impl std::error::Error for Exceeded {}

/// Set when it is asked for to stop.
pub type Signal = Arc<AtomicBool>;

/// Until when work may go on.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The end of its time.
    pub deadline: Option<Instant>,
    /// Any of them ends it.
    pub signals: Vec<Signal>,
    /// None of them may be spent.
    pub work: Vec<Work>,
    /// For which member of a team it is.
    pub member: Option<Member>,
}

thread_local! {
    static CURRENT: RefCell<Limits> = const { RefCell::new(Limits::NONE) };
    /// How many units may pass until the next look.
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

/// True if the process has more memory than it may.
static FULL: AtomicBool = AtomicBool::new(false);

/// How many units pass between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 8;

/// The most bits of an integer.
const MOST_BITS: usize = 1 << 20;

/// The most digits of an integer in a text.
pub const MOST_DIGITS: usize = MOST_BITS / 10 * 3;

/// Says whether the process has more memory than it may; the work gives up then.
pub fn set_full(full: bool) {
    FULL.store(full, Ordering::Relaxed);
}

/// True if it has.
pub fn is_full() -> bool {
    FULL.load(Ordering::Relaxed)
}

/// The limits of this thread.
pub fn current() -> Limits {
    CURRENT.with_borrow(Limits::clone)
}

/// Works as long as the budget lasts and it is not stopped, also where no place in the midst of the work could say that it
/// gives up.
pub fn within<R>(budget: Budget, stop: &Stop, work: impl FnOnce() -> R) -> Result<R, Reason> {
    Limits::of(budget, stop).within(work).map_err(Reason::from)
}

impl Limits {
    const NONE: Limits = Limits { deadline: None, signals: Vec::new(), work: Vec::new(), member: None };

    /// The end of a budget, and signals to stop.
    pub fn of(budget: Budget, stop: &Stop) -> Limits {
        Limits { deadline: budget.deadline(), signals: stop.signals(), ..Limits::NONE }
    }

    /// Works within these limits and those of this thread. Work beyond either is abandoned.
    pub fn within<R>(self, work: impl FnOnce() -> R) -> Result<R, Exceeded> {
        let before = current();
        let joined = before.clone().and(self);
        let result = catch_unwind(AssertUnwindSafe(|| joined.govern(work)));
        CURRENT.set(before);
        LEFT.set(0);
        result.or_else(|payload| match payload.downcast() {
            Ok(exceeded) => Err(*exceeded),
            Err(panicked) => resume_unwind(panicked),
        })
    }

    /// The narrower of both.
    fn and(mut self, other: Limits) -> Limits {
        self.deadline = self.deadline.into_iter().chain(other.deadline).min();
        self.signals.extend(other.signals);
        self.work.extend(other.work);
        self.member = self.member.or(other.member);
        self
    }

    /// Work of a thread that begins with these limits. If they are exceeded, the thread unwinds.
    pub fn govern<R>(self, work: impl FnOnce() -> R) -> R {
        CURRENT.set(self);
        LEFT.set(0);
        work()
    }

    fn exceeded(&self) -> Option<Exceeded> {
        if self.signals.iter().any(|signal| signal.load(Ordering::Relaxed)) {
            return Some(Exceeded::Stopped);
        }
        if self.deadline.is_some_and(|deadline| now() >= deadline) {
            return Some(Exceeded::Time);
        }
        if self.work.iter().any(|work| work.left() == 0) {
            return Some(Exceeded::Work);
        }
        is_full().then_some(Exceeded::Memory)
    }
}

/// A unit of work is done: at most some microseconds.
pub fn tick() {
    ticks(1);
}

/// The number of units of work that are done.
pub fn ticks(count: usize) {
    match LEFT.get().checked_sub(count) {
        Some(left) => LEFT.set(left),
        None => {
            spend(count.max(BETWEEN_LOOKS) as u64);
            look();
        }
    }
}

/// How much work this thread may do, if that is limited.
pub fn work_left() -> Option<u64> {
    CURRENT.with_borrow(|limits| limits.work.iter().map(Work::left).min())
}

/// The number of units of work that are done, which could not be counted meanwhile.
pub fn spend(units: u64) {
    CURRENT.with_borrow(|limits| limits.work.iter().for_each(|work| work.spend(units)));
}

/// Before work that takes long in one piece.
pub fn look() {
    LEFT.set(BETWEEN_LOOKS);
    pass();
    if let Some(exceeded) = CURRENT.with_borrow(Limits::exceeded) {
        give_up(exceeded);
    }
}

/// True if an integer may have so many bits.
pub fn fits(bits: usize) -> bool {
    bits <= MOST_BITS
}

/// Before an integer with so many bits is made.
pub fn bits(count: usize) {
    if !fits(count) {
        give_up(Exceeded::Integers);
    }
}

/// There is no memory for what has to be begun.
pub fn lack_memory() -> ! {
    give_up(Exceeded::Memory)
}

/// Back to where the work began, without the words of a panic.
fn give_up(exceeded: Exceeded) -> ! {
    resume_unwind(Box::new(exceeded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn until(deadline: Instant) -> Limits {
        Limits { deadline: Some(deadline), ..Limits::default() }
    }

    /// Never ends by itself.
    fn endless() {
        loop {
            tick();
        }
    }

    #[test]
    fn work_without_limits_is_done() {
        assert_eq!(Limits::default().within(|| ticks(1 << 20)), Ok(()));
    }

    #[test]
    fn a_limit_ends_work_that_does_not_end() {
        assert_eq!(until(Instant::now()).within(endless), Err(Exceeded::Time));
        let signal = Signal::default();
        signal.store(true, Ordering::Relaxed);
        let stopped = Limits { signals: vec![signal], ..Limits::default() };
        assert_eq!(stopped.within(endless), Err(Exceeded::Stopped));
    }

    #[test]
    fn work_is_counted_in_all_threads_together() {
        let work = Work::new(1 << 20);
        let limits = || Limits { work: vec![work.clone()], ..Limits::default() };
        let most = || limits().within(|| ticks(3 << 18));
        assert_eq!(thread::scope(|scope| scope.spawn(most).join().expect("no panic")), Ok(()));
        assert_eq!(most(), Err(Exceeded::Work));
        assert_eq!(limits().within(endless), Err(Exceeded::Work));
    }

    #[test]
    fn the_limits_outside_count_within() {
        let outer = until(Instant::now()).within(|| {
            assert_eq!(Limits::default().within(endless), Err(Exceeded::Time));
            endless();
        });
        assert_eq!(outer, Err(Exceeded::Time));
        assert_eq!(Limits::default().within(tick), Ok(()));
    }

    #[test]
    fn threads_take_limits_over() {
        let outer = until(Instant::now()).within(|| {
            let limits = current();
            let helped = thread::spawn(move || limits.govern(endless)).join();
            helped.map_err(|payload| *payload.downcast::<Exceeded>().expect("no panic"))
        });
        assert_eq!(outer, Ok(Err(Exceeded::Time)));
    }

    #[test]
    fn integers_count_by_their_bits() {
        assert_eq!(Limits::default().within(|| bits(1 << 10)), Ok(()));
        assert_eq!(Limits::default().within(|| bits(1 << 30)), Err(Exceeded::Integers));
    }
}
