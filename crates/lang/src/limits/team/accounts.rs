//! The time that the members of a team got, and the threads that have places.

use std::time::{Duration, Instant};

/// A thread that does not pass for so long is absent: others may have its place.
const ABSENT: Duration = Duration::from_millis(40);

/// Processor time, in a tree: what a part gets, the whole gets.
#[derive(Debug)]
pub struct Accounts {
    list: Vec<Account>,
}

#[derive(Debug)]
struct Account {
    /// Itself, for that of all.
    whole: usize,
    /// How many are above it.
    depth: usize,
    share: u32,
    /// Nanoseconds, divided by the share; as if it had begun with those that it competes with.
    got: u64,
    is_open: bool,
}

impl Accounts {
    /// The account of all.
    pub const ALL: usize = 0;

    pub fn new() -> Accounts {
        Accounts { list: vec![Account { whole: Self::ALL, depth: 0, share: 1, got: 0, is_open: true }] }
    }

    /// A part of another one, which has got as little as the other parts.
    pub fn open(&mut self, whole: usize, share: u32) -> usize {
        let others = self.list.iter().skip(1).filter(|other| other.whole == whole && other.is_open);
        let got = others.map(|other| other.got).min().unwrap_or(0);
        let depth = self.list[whole].depth + 1;
        self.list.push(Account { whole, depth, share: share.max(1), got, is_open: true });
        self.list.len() - 1
    }

    /// Its members work no more.
    pub fn close(&mut self, account: usize) {
        self.list[account].is_open = false;
        while !self.list.last().is_none_or(|last| last.is_open) {
            self.list.pop();
        }
    }

    /// That much was spent for it.
    pub fn charge(&mut self, account: usize, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let mut at = account;
        loop {
            let account = &mut self.list[at];
            account.got = account.got.saturating_add(time / u64::from(account.share));
            if at == Self::ALL {
                return;
            }
            at = account.whole;
        }
    }

    /// True if it is, or is a part of, another one of the parts to which `part` belongs.
    pub fn are_rivals(&self, account: usize, part: usize) -> bool {
        let other = self.above(account, self.list[part].depth);
        let same = |of: fn(&Account) -> usize| of(&self.list[other]) == of(&self.list[part]);
        other != part && same(|account| account.depth) && same(|account| account.whole)
    }

    /// True if it has got less than the other one: of the accounts in which they differ first.
    pub fn is_behind(&self, one: usize, other: usize) -> bool {
        let depth = self.list[one].depth.min(self.list[other].depth);
        let (mut one, mut other) = (self.above(one, depth), self.above(other, depth));
        if one == other {
            return false;
        }
        while self.list[one].whole != self.list[other].whole {
            (one, other) = (self.list[one].whole, self.list[other].whole);
        }
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
        for _ in 0..800 {
            let all = 0..members.len();
            let next =
                all.reduce(|best, other| if accounts.is_behind(members[other], members[best]) { other } else { best });
            let next = next.expect("there are some");
            accounts.charge(members[next], SECOND);
            got[next] += 1;
        }
        assert_eq!(got, [100, 200, 500]);
    }

    #[test]
    fn parts_share_what_the_whole_gets() {
        let mut accounts = Accounts::new();
        let [one, other] = [1, 1].map(|share| accounts.open(Accounts::ALL, share));
        let [first, second] = [1, 1].map(|share| accounts.open(one, share));
        accounts.charge(first, SECOND);
        assert!(accounts.is_behind(second, first) && !accounts.is_behind(first, second));
        assert!(accounts.is_behind(other, second) && !accounts.is_behind(second, other));
        accounts.charge(other, 2 * SECOND);
        assert!(accounts.is_behind(second, other) && accounts.is_behind(first, other));
        assert!(accounts.are_rivals(second, other) && accounts.are_rivals(one, other));
        assert!(accounts.are_rivals(first, second) && !accounts.are_rivals(second, one));
        assert!(!accounts.are_rivals(one, second) && !accounts.are_rivals(one, one));
        let late = accounts.open(Accounts::ALL, 1);
        assert!(!accounts.is_behind(late, one) && accounts.is_behind(late, other));
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
