//! Threads that look for the same answer, and share the cores.

mod accounts;

use super::{CURRENT, lock};
use accounts::{Accounts, Places};
use cpu_time::ThreadTime;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// A thread accounts for its time no more often than that.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A thread that waits for a place looks so often whether it has to end.
const WAKE_EVERY: Duration = Duration::from_millis(10);

/// Several members that look for the same answer, each with threads of its own. About as many threads work at the same time as
/// there are cores; the others pause, where they can ([`pass`]). Each member gets processor time in proportion to
/// its share for as long as it lives. Of a team that looks for one answer ([`Team::rivals`]), while a member checks its evidence, which
/// is very likely the end, the others pause.
///
/// A thread that does not pass for some time, as it waits for a solver or for another thread, loses its place; what it spends
/// meanwhile is on the account of its member. So all members get on, whatever the others do.
///
/// A team of a member of another team shares what that member gets.
#[derive(Clone, Debug)]
pub struct Team {
    shared: Arc<Shared>,
    /// The account of which those of the members are parts.
    whole: usize,
    are_rivals: bool,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    accounts: Accounts,
    places: Places,
    alone: Vec<Alone>,
}

/// A member that works while its rivals pause, and until when.
#[derive(Clone, Copy, Debug)]
struct Alone {
    account: usize,
    end: Instant,
}

/// One of a team.
#[derive(Clone, Debug)]
pub struct Member {
    shared: Arc<Shared>,
    account: usize,
    /// The account whose rivals pause for it, and when that was opened.
    rival: Option<(usize, Instant)>,
}

impl Team {
    /// A team for all cores; of the member that this thread works for, if there is one.
    pub fn new() -> Team {
        if let Some(Member { shared, account, .. }) = CURRENT.with_borrow(|limits| limits.member.clone()) {
            return Team { shared, whole: account, are_rivals: false };
        }
        let cores = available_parallelism().map_or(1, usize::from);
        let state = State { accounts: Accounts::new(), places: Places::new(cores), alone: Vec::new() };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        Team { shared, whole: Accounts::ALL, are_rivals: false }
    }

    /// The same, of which a member may be the only one that is needed.
    pub fn rivals() -> Team {
        Team { are_rivals: true, ..Team::new() }
    }

    /// Work of this thread, and of those that it starts, as a new member with such a share.
    pub fn work<R>(&self, share: u32, work: impl FnOnce() -> R) -> R {
        let account = lock(&self.shared.state).accounts.open(self.whole, share);
        let before = CURRENT.with_borrow(|limits| limits.member.clone());
        let inherited = before.as_ref().and_then(|member| member.rival);
        let rival = if self.are_rivals { Some((account, Instant::now())) } else { inherited };
        let member = Member { shared: self.shared.clone(), account, rival };
        CURRENT.with_borrow_mut(|limits| limits.member = Some(member));
        let _in_any_case = Leave { team: self, account, before };
        work()
    }
}

/// The end of work as a member.
struct Leave<'t> {
    team: &'t Team,
    account: usize,
    before: Option<Member>,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        give_way();
        lock(&self.team.shared.state).accounts.close(self.account);
        CURRENT.with_borrow_mut(|limits| limits.member = self.before.take());
    }
}

impl Default for Team {
    fn default() -> Team {
        Team::new()
    }
}

/// Work as a member of the team that this thread works for, if there is one, with such a share of what it gets.
pub fn with_share<R>(share: u32, work: impl FnOnce() -> R) -> R {
    let is_member = CURRENT.with_borrow(|limits| limits.member.is_some());
    if is_member { Team::new().work(share, work) } else { work() }
}

/// Work while the rivals of this member pause, though not for longer than a second and half the time since it
/// began.
pub fn alone<R>(work: impl FnOnce() -> R) -> R {
    const LEAST: Duration = Duration::from_secs(1);
    let member = CURRENT.with_borrow(|limits| limits.member.clone());
    let Some(Member { shared, rival: Some((account, begin)), .. }) = member else { return work() };
    let now = Instant::now();
    let end = now + LEAST + (now - begin) / 2;
    let mut state = lock(&shared.state);
    state.alone.retain(|other| other.end > now);
    // One of two that check at the same time goes first.
    if !state.alone.iter().any(|other| state.accounts.are_rivals(account, other.account)) {
        state.alone.push(Alone { account, end });
    }
    drop(state);
    let _in_any_case = Together { shared, account };
    work()
}

/// The end of work alone.
struct Together {
    shared: Arc<Shared>,
    account: usize,
}

impl Drop for Together {
    fn drop(&mut self) {
        lock(&self.shared.state).alone.retain(|alone| alone.account != self.account);
        self.shared.changed.notify_all();
    }
}

/// A place where this thread can pause: it does while others of its team are to work, unless it has to end.
pub fn pass() {
    if let Some(member) = CURRENT.with_borrow(|limits| limits.member.clone()) {
        TURN.with_borrow_mut(|turn| turn.pass(member));
    }
}

/// Before this thread waits for another one: it leaves its place.
pub fn give_way() {
    // While the thread ends there may be nothing left of it.
    let _ = TURN.try_with(|turn| turn.borrow_mut().leave());
}

thread_local! {
    static TURN: RefCell<Turn> = RefCell::new(Turn::new());
}

/// How this thread takes part.
struct Turn {
    thread: u64,
    /// Where it has a place, as far as it knows.
    member: Option<Member>,
    /// Since it has this place.
    since: Instant,
    /// The last time it accounted for what it spent, and what it had spent by then.
    looked: Instant,
    spent: ThreadTime,
}

impl Turn {
    fn new() -> Turn {
        static THREADS: AtomicU64 = AtomicU64::new(0);
        let now = Instant::now();
        let thread = THREADS.fetch_add(1, Ordering::Relaxed);
        Turn { thread, member: None, since: now, looked: now, spent: ThreadTime::now() }
    }

    fn pass(&mut self, member: Member) {
        let now = Instant::now();
        let stays = self
            .member
            .as_ref()
            .is_some_and(|at| at.account == member.account && Arc::ptr_eq(&at.shared, &member.shared));
        if stays && now.duration_since(self.looked) < LOOK_EVERY {
            return;
        }
        if !stays {
            self.leave();
            self.spent = ThreadTime::now();
        }
        let shared = member.shared.clone();
        let mut state = lock(&shared.state);
        self.account(&mut state, member.account);
        self.looked = now;
        if stays && state.keeps(self.thread, member.account, now, self.since) {
            self.member = Some(member);
            return;
        }
        if state.places.leave(self.thread) {
            shared.changed.notify_all();
        }
        state.places.queue(self.thread, member.account);
        self.member = loop {
            let now = Instant::now();
            if state.takes(self.thread, now) {
                (self.since, self.looked) = (now, now);
                break Some(member);
            }
            if CURRENT.with_borrow(|limits| limits.exceeded().is_some()) {
                state.places.unqueue(self.thread);
                break None;
            }
            state = shared.changed.wait_timeout(state, WAKE_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        };
    }

    fn account(&mut self, state: &mut State, account: usize) {
        let now = ThreadTime::now();
        state.accounts.charge(account, now.duration_since(self.spent));
        self.spent = now;
    }

    fn leave(&mut self) {
        let Some(member) = self.member.take() else { return };
        let mut state = lock(&member.shared.state);
        self.account(&mut state, member.account);
        if state.places.leave(self.thread) {
            member.shared.changed.notify_all();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.leave();
    }
}

impl State {
    fn may_work(&self, account: usize, now: Instant) -> bool {
        let pauses = |alone: &Alone| now < alone.end && self.accounts.are_rivals(account, alone.account);
        !self.alone.iter().any(pauses)
    }

    /// True if the thread still has its place, and no other one should get it now.
    fn keeps(&mut self, thread: u64, account: usize, now: Instant, since: Instant) -> bool {
        const LEAST: Duration = Duration::from_millis(10);
        if !self.may_work(account, now) {
            return false;
        }
        let has_turn = now.duration_since(since) < LEAST
            || self.next(now).is_none_or(|(_, other)| !self.accounts.is_behind(other, account));
        has_turn && self.places.keeps(thread, account, now)
    }

    /// True if it is the turn of this thread, which waits: it has a place then.
    fn takes(&mut self, thread: u64, now: Instant) -> bool {
        self.places.forget_absent(now);
        let next = self.next(now).filter(|(first, _)| *first == thread && self.places.has_room());
        if let Some((_, account)) = next {
            self.accounts.choose(account);
            self.places.take(thread, now);
        }
        next.is_some()
    }

    /// The thread that should get the next place, and its account.
    fn next(&self, now: Instant) -> Option<(u64, usize)> {
        let waiting = self.places.waiting().filter(|(_, account)| self.may_work(*account, now));
        // Of equal ones, the one that waits longest.
        waiting.reduce(|best, other| if self.accounts.is_behind(other.1, best.1) { other } else { best })
    }
}
