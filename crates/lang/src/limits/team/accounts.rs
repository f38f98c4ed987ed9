//! The time that the members of a team got, and the threads that have places.

use std::time::{Duration, Instant};

/// The first time of an account, of which only a part counts: one with a small share is not far behind then if others spent much
/// more already.
const FIRST: Duration = Duration::from_secs(1);

/// One of so many seconds counts in the first time.
const COUNTS: u32 = 4;

/// A thread that does not pass for so long is absent: others may have its place.
const ABSENT: Duration = Duration::from_millis(40);

/// Processor time, in a tree: the share of a part is one of what the whole gets.
///
/// A part that spends too much, as a solver cannot be paused, is behind others until they have got as much; the other parts of the same whole
/// are not.
#[derive(Debug)]
pub struct Accounts {
    list: Vec<Account>,
    /// The time that the last one with a place had got by then: those that wait have got no less.
    now: f64,
}

#[derive(Debug)]
struct Account {
    /// Itself, for that of all.
    whole: usize,
    /// How many are above it.
    depth: usize,
    share: u32,
    spent: Duration,
    /// The seconds that count, divided by its share of all; as if it had begun with those that it competes with.
    got: f64,
    is_open: bool,
}

impl Accounts {
    /// The account of all.
    pub const ALL: usize = 0;

    pub fn new() -> Accounts {
        let all = Account { whole: Self::ALL, depth: 0, share: 1, spent: Duration::ZERO, got: 0.0, is_open: true };
        Accounts { list: vec![all], now: 0.0 }
    }

    /// A part of another one, which has got as little as those that work or wait; others may sleep, and have got less.
    pub fn open(&mut self, whole: usize, share: u32) -> usize {
        let is_whole = |account: usize| self.parts(account).next().is_some();
        let others = (1..self.list.len()).filter(|other| self.list[*other].is_open && !is_whole(*other));
        let least = others.map(|other| self.list[other].got).reduce(f64::min).unwrap_or(0.0);
        let got = least.max(self.now);
        let depth = self.list[whole].depth + 1;
        self.list.push(Account { whole, depth, share: share.max(1), spent: Duration::ZERO, got, is_open: true });
        self.list.len() - 1
    }

    fn parts(&self, whole: usize) -> impl Iterator<Item = &Account> {
        self.list.iter().skip(1).filter(move |account| account.whole == whole && account.is_open)
    }

    /// Its members work no more.
    pub fn close(&mut self, account: usize) {
        self.list[account].is_open = false;
        let Account { whole, got, .. } = self.list[account];
        self.list[whole].got = self.list[whole].got.max(got);
        while !self.list.last().is_none_or(|last| last.is_open) {
            self.list.pop();
        }
    }

    /// It gets a place, before all that wait.
    pub fn choose(&mut self, account: usize) {
        self.now = self.now.max(self.list[account].got);
    }

    /// That much was spent for it.
    pub fn charge(&mut self, account: usize, time: Duration) {
        let share = self.share_of_all(account);
        let account = &mut self.list[account];
        let first = time.min(FIRST.saturating_sub(account.spent));
        account.spent = account.spent.saturating_add(time);
        account.got += (first / COUNTS + (time - first)).as_secs_f64() / share;
    }

    fn share_of_all(&self, account: usize) -> f64 {
        if account == Self::ALL {
            return 1.0;
        }
        let Account { whole, share, .. } = self.list[account];
        let all: u32 = self.parts(whole).map(|part| part.share).sum();
        self.share_of_all(whole) * f64::from(share) / f64::from(all.max(share))
    }

    /// True if it is, or is a part of, another one of the parts to which `part` belongs.
    pub fn are_rivals(&self, account: usize, part: usize) -> bool {
        let other = self.above(account, self.list[part].depth);
        let same = |of: fn(&Account) -> usize| of(&self.list[other]) == of(&self.list[part]);
        other != part && same(|account| account.depth) && same(|account| account.whole)
    }

    /// True if it has got less than the other one.
    pub fn is_behind(&self, one: usize, other: usize) -> bool {
        self.list[one].got < self.list[other].got
    }

    /// The account at that depth of which it is a part; itself, if it is not that deep.
    fn above(&self, mut account: usize, depth: usize) -> usize {
        while self.list[account].depth > depth {
            account = self.list[account].whole;
        }
        account
    }
}

/// The threads that work, and those that wait for a place, with their accounts.
#[derive(Debug)]
pub struct Places {
    count: usize,
    working: Vec<Place>,
    /// In the order in which they came.
    waiting: Vec<(u64, usize)>,
}

#[derive(Debug)]
struct Place {
    thread: u64,
    account: usize,
    /// When it was seen last.
    seen: Instant,
}

impl Places {
    pub fn new(count: usize) -> Places {
        Places { count: count.max(1), working: Vec::new(), waiting: Vec::new() }
    }

    pub fn waiting(&self) -> impl Iterator<Item = (u64, usize)> {
        self.waiting.iter().copied()
    }

    pub fn has_room(&self) -> bool {
        self.working.len() < self.count
    }

    /// Takes note of a thread that is at work; false if others have its place.
    pub fn keeps(&mut self, thread: u64, account: usize, now: Instant) -> bool {
        let place = self.working.iter_mut().find(|place| place.thread == thread);
        if let Some(place) = place {
            (place.account, place.seen) = (account, now);
            return true;
        }
        false
    }

    /// True if it had a place.
    pub fn leave(&mut self, thread: u64) -> bool {
        self.working.extract_if(.., |place| place.thread == thread).count() > 0
    }

    pub fn queue(&mut self, thread: u64, account: usize) {
        self.waiting.push((thread, account));
    }

    pub fn unqueue(&mut self, thread: u64) {
        self.waiting.retain(|(other, _)| *other != thread);
    }

    /// Gives a place to one that waits.
    pub fn take(&mut self, thread: u64, now: Instant) {
        let at = self.waiting.iter().position(|(other, _)| *other == thread).expect("it waits");
        let (thread, account) = self.waiting.remove(at);
        self.working.push(Place { thread, account, seen: now });
    }

    pub fn forget_absent(&mut self, now: Instant) {
        self.working.retain(|place| now.saturating_duration_since(place.seen) < ABSENT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn time_is_given_in_proportion_to_shares() {
        let mut accounts = Accounts::new();
        let members = [1, 2, 5].map(|share| accounts.open(Accounts::ALL, share));
        let mut got = [0; 3];
        members.iter().for_each(|member| accounts.charge(*member, FIRST));
        for _ in 0..8000 {
            let all = 0..members.len();
            let next =
                all.reduce(|best, other| if accounts.is_behind(members[other], members[best]) { other } else { best });
            let next = next.expect("there are some");
            accounts.charge(members[next], SECOND);
            got[next] += 1;
        }
        assert_eq!(got, [1000, 2000, 5000]);
    }

    #[test]
    fn the_first_time_counts_less() {
        let mut accounts = Accounts::new();
        let [one, other] = [1, 4].map(|share| accounts.open(Accounts::ALL, share));
        accounts.charge(one, SECOND);
        accounts.charge(other, SECOND);
        assert!(!accounts.is_behind(one, other) && accounts.is_behind(other, one));
        accounts.charge(other, SECOND);
        assert!(accounts.is_behind(one, other));
    }

    #[test]
    fn parts_share_what_the_whole_gets() {
        let mut accounts = Accounts::new();
        let [one, other] = [1, 1].map(|share| accounts.open(Accounts::ALL, share));
        let [first, second] = [1, 1].map(|share| accounts.open(one, share));
        accounts.charge(first, SECOND);
        accounts.charge(other, SECOND);
        assert!(accounts.is_behind(second, first) && accounts.is_behind(second, other));
        assert!(accounts.is_behind(other, first));
        accounts.charge(second, SECOND);
        assert!(accounts.is_behind(other, second));
        assert!(accounts.are_rivals(second, other) && accounts.are_rivals(one, other));
        assert!(accounts.are_rivals(first, second) && !accounts.are_rivals(second, one));
        assert!(!accounts.are_rivals(one, second) && !accounts.are_rivals(one, one));
    }

    #[test]
    fn a_part_that_spends_too_much_does_not_hold_up_the_others() {
        let mut accounts = Accounts::new();
        let [one, other] = [1, 1].map(|share| accounts.open(Accounts::ALL, share));
        let greedy = accounts.open(one, 1);
        accounts.charge(other, SECOND);
        accounts.charge(greedy, 100 * SECOND);
        let late = accounts.open(one, 1);
        assert!(!accounts.is_behind(late, other) && accounts.is_behind(late, greedy));
        // One that sleeps has got little.
        accounts.charge(late, SECOND);
        let sleeps = accounts.open(Accounts::ALL, 1);
        accounts.charge(other, 50 * SECOND);
        accounts.choose(other);
        let later = accounts.open(one, 1);
        assert!(accounts.is_behind(sleeps, later) && !accounts.is_behind(later, other));
        accounts.close(later);
        accounts.close(sleeps);
        accounts.close(late);
        accounts.close(greedy);
        assert!(accounts.is_behind(other, one));
    }

    #[test]
    fn absent_threads_lose_their_places() {
        let mut places = Places::new(1);
        let begin = Instant::now();
        [(7, 1), (8, 2)].into_iter().for_each(|(thread, account)| places.queue(thread, account));
        places.take(7, begin);
        places.forget_absent(begin + ABSENT / 2);
        assert!(!places.has_room() && places.keeps(7, 1, begin + ABSENT / 2));
        places.forget_absent(begin + ABSENT);
        assert!(!places.has_room());
        places.forget_absent(begin + 2 * ABSENT);
        assert!(places.has_room() && !places.keeps(7, 1, begin + 2 * ABSENT));
        assert_eq!(places.waiting().collect::<Vec<_>>(), [(8, 2)]);
    }
}
