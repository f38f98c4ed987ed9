//! Threads that share cores, where there are more of them than cores.
//!
//! The operating system would divide the time evenly, and let all of them push each other out of the caches. Here one works on each core, for
//! a while; then the one whose share has had the least of what is due to it goes on. Threads say where they can pause ([`pass`]): wherever
//! work is counted, and within questions to the solver for propositional logic. One that is in the midst of a longer question cannot pause; others wait for it no longer than it is due before them.
//!
//! A thread that waits for others gives the core back ([`away`], as [`super::join`] and [`super::Stop::sleep`] do). Worker
//! processes are told how many of the cores they may use ([`set_cores`]).

use super::{CURRENT, Limits};
use cpu_time::ThreadTime;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// How long a thread works before it looks whether others are due.
const SLICE: Duration = Duration::from_millis(10);

/// A thread that did not pause for so long cannot: others work beside it as soon as they are due before it.
const ABSENT: Duration = Duration::from_millis(50);

/// How much more of what is due to it a share can have had than another one, in microseconds: where cores were free, it owes no more than that.
const MOST_AHEAD: u64 = 1_000_000;

/// How often those look around who wait.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The cores, and those who share them.
#[derive(Debug)]
struct Cores {
    most: AtomicUsize,
    /// See [`ABSENT`].
    absent: Duration,
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Table {
    places: Vec<Place>,
    /// How many threads have had a place.
    count: u64,
    /// For whom the others of its team pause, and until when.
    alone: Vec<(Arc<Account>, Instant)>,
    /// The work that each share that works or waits has had at least of what is due; who comes later begins there.
    floor: u64,
}

/// Of a thread.
#[derive(Debug)]
struct Place {
    number: u64,
    account: Arc<Account>,
    works: bool,
    /// Since when it waits, or has not looked whether others are due.
    since: Instant,
}

/// Those who look for the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team(u64);

impl Team {
    /// One without a member so far.
    pub fn empty() -> Team {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Team(COUNT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Of a share.
#[derive(Debug)]
struct Account {
    team: Team,
    /// In microseconds.
    spent: AtomicU64,
    weight: AtomicU64,
    /// When the share was made.
    begin: Instant,
}

/// The part of the cores that some threads have together.
#[derive(Clone, Debug)]
pub(super) struct Share {
    cores: Arc<Cores>,
    account: Arc<Account>,
    weight: u64,
}

/// A thread that works for a share.
struct Seat {
    share: Share,
    number: u64,
    since: Instant,
    /// The time that is not booked yet.
    time: ThreadTime,
}

thread_local! {
    /// For which share this thread works, or waits for others.
    static SHARE: RefCell<Option<Share>> = const { RefCell::new(None) };
    static SEAT: RefCell<Option<Seat>> = const { RefCell::new(None) };
}

static CORES: LazyLock<Arc<Cores>> =
    LazyLock::new(|| Arc::new(Cores::new(available_parallelism().map_or(1, usize::from))));

/// Says how many cores this process may use from now on; without that, all.
pub fn set_cores(count: usize) {
    CORES.most.store(count.max(1), Ordering::Relaxed);
    CORES.changed.notify_all();
}

impl Cores {
    fn new(most: usize) -> Cores {
        Cores { most: AtomicUsize::new(most), absent: ABSENT, table: Mutex::default(), changed: Condvar::new() }
    }

    fn share(self: &Arc<Self>, team: Team, weight: u32) -> Share {
        let weight = u64::from(weight);
        let account = Account { team, spent: AtomicU64::new(0), weight: AtomicU64::new(weight), begin: Instant::now() };
        Share { cores: self.clone(), account: Arc::new(account), weight }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a thread may work; also if it shall end.
    fn wait(&self, mut table: MutexGuard<'_, Table>, number: u64) -> Instant {
        loop {
            let now = Instant::now();
            let is_free = table.working(number, now, self.absent) < self.most.load(Ordering::Relaxed)
                && table.next(now) == Some(number);
            if is_free || CURRENT.with_borrow(Limits::exceeded).is_some() {
                let place = table.place(number);
                (place.works, place.since) = (true, now);
                // There may be more than one free core.
                self.changed.notify_all();
                return now;
            }
            table = self.changed.wait_timeout(table, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Account {
    fn due(&self) -> u64 {
        self.spent.load(Ordering::Relaxed) / self.weight.load(Ordering::Relaxed)
    }

    /// From now on; the past counts as if it had always been so.
    fn weigh(&self, weight: u64) {
        let before = self.weight.swap(weight, Ordering::Relaxed);
        if before != weight {
            let spent = self.spent.load(Ordering::Relaxed);
            self.spent.store(spent / before * weight, Ordering::Relaxed);
        }
    }
}

impl Place {
    /// When its share is due if it works until now.
    fn due_by(&self, now: Instant) -> u64 {
        let spent = u64::try_from((now - self.since).as_micros()).unwrap_or(u64::MAX);
        self.account.spent.load(Ordering::Relaxed).saturating_add(spent) / self.account.weight.load(Ordering::Relaxed)
    }
}

impl Table {
    fn place(&mut self, number: u64) -> &mut Place {
        self.places.iter_mut().find(|place| place.number == number).expect("it has a place")
    }

    /// How many work, for one that waits: who did not pause for long only counts as long as its share is due before that of the other.
    fn working(&mut self, number: u64, now: Instant, absent: Duration) -> usize {
        let due = self.place(number).account.due();
        let has_a_claim = |place: &Place| self.may_work(place, now) && place.due_by(now) < due;
        let counts = |place: &&Place| place.works && (now - place.since < absent || has_a_claim(place));
        self.places.iter().filter(counts).count()
    }

    /// True if a thread may work although another share of its team may work alone.
    fn may_work(&self, place: &Place, now: Instant) -> bool {
        !self.alone.iter().any(|(account, end)| {
            account.team == place.account.team && !Arc::ptr_eq(account, &place.account) && now < *end
        })
    }

    /// Lets the others of a team pause until then, unless they do so for another one.
    fn pause_others(&mut self, account: &Arc<Account>, end: Instant) {
        let now = Instant::now();
        if !self.alone.iter().any(|(other, end)| other.team == account.team && now < *end) {
            self.alone.push((account.clone(), end));
        }
    }

    fn raise_floor(&mut self, now: Instant) {
        let due = |place: &Place| if place.works { place.due_by(now) } else { place.account.due() };
        if let Some(least) = self.places.iter().map(due).min() {
            self.floor = self.floor.max(least);
        }
    }

    /// The thread that works next: of the share that has had least, the one that has waited longest.
    fn next(&self, now: Instant) -> Option<u64> {
        let waiting = self.places.iter().filter(|place| !place.works && self.may_work(place, now));
        waiting.min_by_key(|place| (place.account.due(), place.since)).map(|place| place.number)
    }

    /// Books the time of a processor that a thread had until now.
    fn book(&mut self, number: u64, now: Instant, had: Duration) -> Arc<Account> {
        let place = self.place(number);
        place.since = now;
        let account = place.account.clone();
        account.spent.fetch_add(u64::try_from(had.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.raise_floor(now);
        let least = self.places.iter().map(|place| place.account.due()).min().unwrap_or_default();
        account.spent.fetch_min((least + MOST_AHEAD) * account.weight.load(Ordering::Relaxed), Ordering::Relaxed);
        account
    }
}

/// Work for a share of the cores of the process, with a weight; it begins once a core is free. Of two shares that both have work, each
/// gets time in proportion to its weight; what others have had before is past. A thread that works for a share already goes on with that.
pub fn shared<R>(team: Team, weight: u32, work: impl FnOnce() -> R) -> R {
    if share().is_some() { work() } else { CORES.share(team, weight).work(work) }
}

impl Share {
    /// Work of this thread for the share.
    pub(super) fn work<R>(&self, work: impl FnOnce() -> R) -> R {
        SHARE.set(Some(self.clone()));
        let _in_any_case = Leave;
        SEAT.set(Some(self.sit_down()));
        work()
    }

    fn sit_down(&self) -> Seat {
        let mut table = self.cores.table();
        let now = Instant::now();
        table.count += 1;
        let number = table.count;
        // The time before it began to wait is past.
        table.raise_floor(now);
        self.account.spent.fetch_max(table.floor * self.account.weight.load(Ordering::Relaxed), Ordering::Relaxed);
        table.places.push(Place { number, account: self.account.clone(), works: false, since: now });
        let since = self.cores.wait(table, number);
        Seat { share: self.clone(), number, since, time: ThreadTime::now() }
    }
}

/// The end of work for a share.
struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        SEAT.set(None);
        SHARE.set(None);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let cores = &self.share.cores;
        let mut table = cores.table();
        table.book(self.number, Instant::now(), self.time.elapsed());
        table.places.retain(|place| place.number != self.number);
        cores.changed.notify_all();
    }
}

impl Seat {
    /// Lets others work if they are due.
    fn pass(&mut self) {
        let (now, cores) = (Instant::now(), &self.share.cores);
        let mut table = cores.table();
        let account = table.book(self.number, now, self.time.elapsed());
        (self.since, self.time) = (now, ThreadTime::now());
        let is_due = |place: &Place| {
            !place.works && (place.account.due() < account.due() || Arc::ptr_eq(&place.account, &account))
        };
        let others_are_due = table.places.iter().any(|place| table.may_work(place, now) && is_due(place));
        let pauses = table.places.iter().any(|place| place.number == self.number && !table.may_work(place, now));
        if others_are_due || pauses {
            table.place(self.number).works = false;
            cores.changed.notify_all();
            self.since = cores.wait(table, self.number);
        }
    }
}

/// A place where this thread can pause.
pub fn pass() {
    SEAT.with_borrow_mut(|seat| {
        if let Some(seat) = seat.as_mut().filter(|seat| seat.since.elapsed() >= SLICE) {
            seat.pass();
        }
    });
}

/// True if the work of this thread for its share will be over soon: the share gets more meanwhile.
pub fn set_urgent(is_urgent: bool) {
    const TIMES: u64 = 6;
    SHARE.with_borrow(|share| {
        if let Some(share) = share {
            let _lock = share.cores.table();
            share.account.weigh(if is_urgent { share.weight * TIMES } else { share.weight });
        }
    });
}

/// Work that is very likely the end of the work of its team, as the check of evidence is: the other shares of the team pause, though not for longer than three tenths of a
/// second and twice the age of this share (time on the wall since it was made).
pub fn alone<R>(work: impl FnOnce() -> R) -> R {
    const LEAST: Duration = Duration::from_millis(300);
    let Some(Share { cores, account, .. }) = share() else { return work() };
    set_urgent(true);
    cores.table().pause_others(&account, Instant::now() + LEAST + 2 * account.begin.elapsed());
    let _in_any_case = Alone { cores, account };
    work()
}

/// The end of work alone.
struct Alone {
    cores: Arc<Cores>,
    account: Arc<Account>,
}

impl Drop for Alone {
    fn drop(&mut self) {
        let mut table = self.cores.table();
        table.alone.retain(|(account, _)| !Arc::ptr_eq(account, &self.account));
        drop(table);
        self.cores.changed.notify_all();
        set_urgent(false);
    }
}

/// The share for which this thread works.
pub(super) fn share() -> Option<Share> {
    SHARE.with_borrow(Option::clone)
}

/// Waits for others, who may have the core meanwhile.
pub fn away<R>(wait: impl FnOnce() -> R) -> R {
    let Some(seat) = SEAT.take() else { return wait() };
    let _in_any_case = Back(seat.share.clone());
    drop(seat);
    wait()
}

/// The end of a time away.
struct Back(Share);

impl Drop for Back {
    fn drop(&mut self) {
        SEAT.set(Some(self.0.sit_down()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{join, spawn};
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    const TEAM: Team = Team(0);

    /// Works in small pieces until it is enough; how many pieces.
    fn busy(share: &Share, enough: &AtomicBool) -> usize {
        share.work(|| {
            let mut pieces = 0;
            while !enough.load(Ordering::SeqCst) {
                pass();
                pieces += 1;
            }
            pieces
        })
    }

    #[test]
    fn no_more_threads_work_than_there_are_cores() {
        // However slow the machine is.
        let cores = Arc::new(Cores { absent: Duration::MAX, ..Cores::new(2) });
        let (working, rounds) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (working, rounds, cores) = (&working, &rounds, &cores);
        thread::scope(|scope| {
            for share in (0..5).map(|_| cores.share(TEAM, 1)) {
                scope.spawn(move || {
                    share.work(|| {
                        assert!(working.fetch_add(1, Ordering::SeqCst) < 2);
                        rounds.fetch_add(1, Ordering::SeqCst);
                        working.fetch_sub(1, Ordering::SeqCst);
                    })
                });
            }
        });
        assert_eq!(rounds.load(Ordering::SeqCst), 5);
        assert!(cores.table().places.is_empty());
    }

    #[test]
    fn all_shares_get_on_where_there_is_one_core() {
        let cores = Arc::new(Cores::new(1));
        let (enough, begun) = (AtomicBool::new(false), AtomicUsize::new(0));
        let shares = [cores.share(TEAM, 1), cores.share(TEAM, 1), cores.share(TEAM, 3)];
        thread::scope(|scope| {
            for share in &shares {
                scope.spawn(|| {
                    let first = share.work(|| begun.fetch_add(1, Ordering::SeqCst) + 1);
                    // The last one to begin ends the rest, who have to let it begin.
                    if first == shares.len() {
                        enough.store(true, Ordering::SeqCst);
                    }
                    busy(share, &enough);
                });
            }
        });
        assert_eq!(begun.load(Ordering::SeqCst), shares.len());
    }

    #[test]
    fn who_has_had_less_of_what_is_due_is_next() {
        let now = Instant::now();
        let account = |milliseconds: u64, weight| {
            Arc::new(Account {
                team: TEAM,
                spent: AtomicU64::new(1000 * milliseconds),
                weight: AtomicU64::new(weight),
                begin: now,
            })
        };
        let accounts = [account(30, 1), account(50, 2), account(90, 3)];
        let place = |number, share: usize, works| {
            let account = accounts[share].clone();
            Place { number, account, works, since: now }
        };
        let places = vec![place(1, 0, false), place(2, 1, false), place(3, 2, false), place(4, 1, true)];
        let mut table = Table { places, count: 4, ..Table::default() };
        assert_eq!(table.next(now), Some(2), "25 is less than 30");
        table.book(4, now, Duration::from_millis(20));
        assert_eq!(table.next(now), Some(1), "its share has had 35");
    }

    #[test]
    fn who_does_not_pause_keeps_a_core_as_long_as_it_is_due() {
        let begin = Instant::now();
        let account = |milliseconds: u64, weight| Account {
            team: TEAM,
            spent: AtomicU64::new(1000 * milliseconds),
            weight: AtomicU64::new(weight),
            begin,
        };
        let place = |number, account, works| Place { number, account: Arc::new(account), works, since: begin };
        let places = vec![place(1, account(10, 2), true), place(2, account(100, 1), false)];
        let mut table = Table { places, count: 2, ..Table::default() };
        let mut working = |milliseconds| table.working(2, begin + Duration::from_millis(milliseconds), ABSENT);
        assert_eq!([49, 51, 189, 191].map(&mut working), [1, 1, 1, 0], "(10 + 190) / 2 is 100");
    }

    #[test]
    fn who_waits_for_a_thread_leaves_it_the_core() {
        let cores = Arc::new(Cores::new(1));
        let sum = cores.share(TEAM, 1).work(|| {
            thread::scope(|scope| {
                let threads: Vec<_> = (1..4).map(|number| spawn(scope, move || number)).collect();
                threads.into_iter().map(join).sum::<i32>()
            })
        });
        assert_eq!(sum, 6);
        assert!(cores.table().places.is_empty());
    }

    #[test]
    fn who_comes_later_has_no_claim_to_the_past() {
        let cores = Arc::new(Cores::new(2));
        let spent = |share: &Share| share.account.spent.load(Ordering::SeqCst);
        let (first, other) = (cores.share(TEAM, 2), cores.share(TEAM, 3));
        first.work(|| {
            first.account.spent.store(8_000_000, Ordering::SeqCst);
            other.work(|| assert!(spent(&other) >= 12_000_000));
        });
        let later = cores.share(TEAM, 1);
        later.work(|| assert!(spent(&later) >= 4_000_000, "also while no thread is there"));
    }

    #[test]
    fn debts_are_bounded() {
        let now = Instant::now();
        let account = |spent, weight| {
            Arc::new(Account { team: TEAM, spent: AtomicU64::new(spent), weight: AtomicU64::new(weight), begin: now })
        };
        let place = |number, account| Place { number, account, works: true, since: now };
        let places = vec![place(1, account(0, 3)), place(2, account(5_000_000, 12))];
        let mut table = Table { places, count: 2, ..Table::default() };
        let due = |table: &mut Table| [1, 2].map(|number| table.place(number).account.due());
        table.book(1, now, Duration::from_secs(600));
        assert_eq!(due(&mut table), [416_666 + MOST_AHEAD, 416_666]);
    }

    #[test]
    fn who_is_nearly_done_gets_more_from_now_on() {
        let cores = Arc::new(Cores::new(1));
        let (first, second) = (cores.share(TEAM, 1), cores.share(TEAM, 2));
        let due = || [&first, &second].map(|share| share.account.due());
        second.account.spent.store(6000, Ordering::SeqCst);
        first.work(|| {
            first.account.spent.store(4000, Ordering::SeqCst);
            set_urgent(true);
            assert_eq!(due(), [4000, 3000]);
            first.account.spent.fetch_add(6000, Ordering::SeqCst);
            assert_eq!(due(), [5000, 3000]);
            set_urgent(false);
            assert_eq!(due(), [5000, 3000]);
        });
    }

    #[test]
    fn others_pause_while_evidence_is_checked() {
        let cores = Arc::new(Cores::new(2));
        let (checks, searches) = (cores.share(TEAM, 1), cores.share(TEAM, 1));
        let others = cores.share(Team(1), 1);
        checks.work(|| {
            let place = |share: &Share| Place {
                number: 9,
                account: share.account.clone(),
                works: false,
                since: Instant::now(),
            };
            cores.table().places.push(place(&searches));
            let next = || cores.table().next(Instant::now());
            assert_eq!(next(), Some(9));
            alone(|| {
                assert_eq!(next(), None);
                cores.table().places.push(Place { number: 10, ..place(&others) });
                assert_eq!(next(), Some(10), "who looks for another answer goes on");
                cores.table().places.pop();
                // No other share of the team takes its place.
                cores.table().pause_others(&searches.account, Instant::now() + Duration::from_secs(3600));
                assert_eq!(next(), None);
            });
            assert_eq!(next(), Some(9));
            alone(|| {
                let later = Instant::now() + Duration::from_secs(3600);
                assert_eq!(cores.table().next(later), Some(9), "not for long");
            });
            cores.table().places.pop();
        });
    }
}
