//! Threads that look for the same answer.

use super::{CURRENT, lock};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Several members that look for the same answer, each with threads of its own. While one of them checks its evidence, which
/// is very likely the end, the others pause.
#[derive(Clone, Debug, Default)]
pub struct Team {
    members: Arc<AtomicU64>,
    alone: Arc<Mutex<Option<Alone>>>,
}

/// The member that works alone, and until when.
#[derive(Clone, Copy, Debug)]
struct Alone {
    member: u64,
    end: Instant,
}

/// One of a team.
#[derive(Clone, Debug)]
pub struct Member {
    team: Team,
    number: u64,
    begin: Instant,
}

impl Team {
    /// Work of this thread, and of those that it starts, as a new member; of the member that it works for already, if there is one.
    pub fn work<R>(&self, work: impl FnOnce() -> R) -> R {
        if CURRENT.with_borrow(|limits| limits.member.is_some()) {
            return work();
        }
        let number = self.members.fetch_add(1, Ordering::Relaxed);
        let member = Member { team: self.clone(), number, begin: Instant::now() };
        CURRENT.with_borrow_mut(|limits| limits.member = Some(member));
        let _in_any_case = Leave;
        work()
    }
}

/// The end of work as a member.
struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|limits| limits.member = None);
    }
}

/// Work while the other members of the team pause, though not for longer than three tenths of a second and twice the time
/// since this member began.
pub fn alone<R>(work: impl FnOnce() -> R) -> R {
    const LEAST: Duration = Duration::from_millis(300);
    let Some(Member { team, number: member, begin }) = CURRENT.with_borrow(|limits| limits.member.clone()) else {
        return work();
    };
    let now = Instant::now();
    let end = now + LEAST + 2 * (now - begin);
    let mut holder = lock(&team.alone);
    holder.take_if(|other| other.end <= now);
    holder.get_or_insert(Alone { member, end });
    drop(holder);
    let _in_any_case = Together { team, member };
    work()
}

/// The end of work alone.
struct Together {
    team: Team,
    member: u64,
}

impl Drop for Together {
    fn drop(&mut self) {
        lock(&self.team.alone).take_if(|alone| alone.member == self.member);
    }
}

/// A place where this thread can pause: it does while another member works alone, unless it has to end.
pub fn pass() {
    const LOOK_EVERY: Duration = Duration::from_millis(1);
    while CURRENT
        .with_borrow(|limits| limits.member.as_ref().is_some_and(Member::pauses) && limits.exceeded().is_none())
    {
        thread::sleep(LOOK_EVERY);
    }
}

impl Member {
    fn pauses(&self) -> bool {
        let alone = *lock(&self.team.alone);
        alone.is_some_and(|alone| alone.member != self.number && Instant::now() < alone.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{Limits, join, spawn};

    fn pauses() -> bool {
        CURRENT.with_borrow(|limits| limits.member.as_ref().is_some_and(Member::pauses))
    }

    #[test]
    fn other_members_pause_while_one_works_alone() {
        let (team, other_team) = (Team::default(), Team::default());
        let of_others =
            || thread::scope(|scope| [&team, &other_team].map(|team| join(spawn(scope, || team.work(pauses)))));
        // Helpers belong to the member that starts them.
        let of_helper = || thread::scope(|scope| join(spawn(scope, pauses)));
        team.work(|| {
            assert_eq!((pauses(), of_helper()), (false, false));
            alone(|| assert_eq!((pauses(), of_helper()), (false, false)));
        });
        assert!(!pauses());
        let (one, two) = (Limits::default(), Limits::default());
        one.govern(|| {
            team.work(|| {
                alone(|| {
                    let seen = thread::scope(|scope| {
                        let outside = |team: Team| scope.spawn(move || Limits::default().govern(|| team.work(pauses)));
                        [team.clone(), other_team.clone()].map(|team| join(outside(team)))
                    });
                    assert_eq!(seen, [true, false]);
                });
                *lock(&team.alone) = Some(Alone { member: 9, end: Instant::now() - Duration::from_millis(1) });
                assert!(!pauses(), "not for long");
            });
        });
        two.govern(|| assert_eq!(of_others(), [false, false]));
    }
}
