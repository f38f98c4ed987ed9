//! How the claim that no run violates a conjunct becomes a claim about reachable states.

use super::explicit::Obligation;
use serde::{Deserialize, Serialize};

/// The meaning of the unreachability of the bad states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The conjunct says that no state has a property: bad states are those that have it.
    Invariance,
    /// The negation is seen on a finite prefix: bad states are those where it has been seen.
    Safety,
    /// The acceptance of the negation is seen at most this often: bad states are those where it is
    /// seen once more.
    Counting(usize),
    /// Every step respects a ranking, and the acceptance of the negation is seen at most this often
    /// between two changes of it: bad states are those where it is seen once more, or where a step did not
    /// respect the ranking.
    Ranking(usize),
}

/// An obligation that is passed on from one state to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passed {
    /// The obligation, from there on.
    pub obligation: Obligation,
    /// True if it is an eventuality that could have been fulfilled before, and was not.
    pub put_off: bool,
}

/// Which eventualities a proof of liveness watches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Eventualities {
    /// A round is over when each of these was met.
    pub watched: Vec<Obligation>,
    /// True if the falsity of the conjunct counts as put off at first, if it is an eventuality.
    pub at_first: bool,
}

impl Eventualities {
    /// True if there are none, as for proofs of safety.
    pub fn is_empty(&self) -> bool {
        *self == Eventualities::default()
    }
}

/// The meaning of a variable that a proof adds to those of the model. All of these are Boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auxiliary {
    /// One of these is pending.
    Pending(Vec<Passed>),
    /// A watched eventuality, by its place among them, was not put off at some moment of this round.
    Met(u32),
    /// A position of the counter, from 0: acceptance was seen more often than that, in all or since the ranking
    /// changed last.
    Seen(u32),
    /// A step did not respect the ranking.
    Broken,
}
