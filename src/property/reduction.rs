//! What has to be proved of a system so that a part of a spec holds.

use super::ltl::{Ltl, LtlId};
use super::tableau::{Acceptance, product};
use crate::ts::counter::count;
use crate::ts::system::System;
use crate::ts::term::Term;

/// How a part was reduced to the unreachability of bad states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The negation is seen on a finite prefix: bad states are those where it has been seen.
    Safety,
    /// The acceptance of the negation is seen at most this often: bad states are those where it is
    /// seen once more.
    Counting(usize),
}

/// The bad states of a system.
#[derive(Clone, Debug)]
pub struct Reachability {
    /// The system.
    pub system: System,
    /// Which states must not be reached.
    pub bad: Term,
    /// What their unreachability means.
    pub reduction: Reduction,
}

/// The product of the system with the negation, counting up to `k` where that is needed.
pub fn reachability(system: System, ltl: &Ltl, negation: LtlId, k: usize) -> Reachability {
    let product = product(system, ltl, negation);
    match product.acceptance {
        Acceptance::Reach(bad) => Reachability { system: product.system, bad, reduction: Reduction::Safety },
        Acceptance::Infinitely(conditions) => {
            let (system, bad) = count(product.system, &conditions, k);
            Reachability { system, bad, reduction: Reduction::Counting(k) }
        }
    }
}
