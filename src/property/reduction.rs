//! Reductions: questions about reachability in a system that imply a part of a spec.

use super::ltl::{Ltl, LtlId};
use super::tableau::{Acceptance, product};
use crate::claim::reduction::Reduction;
use crate::ts::counter::{all_seen, count};
use crate::ts::ranking::Ranking;
use crate::ts::system::{Origin, System, Variable};
use crate::ts::term::Term;

/// A bound on how often acceptance is seen.
#[derive(Clone, Debug, Default)]
pub struct Measure {
    /// How often it may be seen ..
    pub counted: usize,
    /// .. between two changes of these components; in all, if there are none. They speak of the variables of
    /// [`accepting`].
    pub ranking: Ranking,
}

impl Measure {
    /// Without a ranking.
    pub fn counting(counted: usize) -> Measure {
        Measure { counted, ranking: Ranking::default() }
    }
}

/// The bad states of a system.
#[derive(Clone, Debug)]
pub struct Reachability {
    /// The system.
    pub system: System,
    /// Which states must not be reached.
    pub bad: Term,
    /// The meaning of their unreachability.
    pub reduction: Reduction,
}

/// A system with the states that a counterexample visits infinitely often.
#[derive(Clone, Debug)]
pub struct Accepting {
    /// The system.
    pub system: System,
    /// When the acceptance is seen.
    pub seen: Term,
}

/// The product of the system with a negation that is not seen on finite prefixes; nothing for the others.
pub fn accepting(system: System, ltl: &Ltl, negation: LtlId) -> Option<Accepting> {
    let product = product(system, ltl, negation);
    match product.acceptance {
        Acceptance::Reach(_) => None,
        Acceptance::Infinitely(conditions) => {
            let (system, seen) = all_seen(product.system, &conditions);
            Some(Accepting { system, seen })
        }
    }
}

/// The product of the system with the negation, with counters where acceptance has to be measured.
pub fn reachability(system: System, ltl: &Ltl, negation: LtlId, measure: &Measure) -> Reachability {
    let product = product(system, ltl, negation);
    match product.acceptance {
        Acceptance::Reach(bad) => {
            let is_obligation = |variable: &Variable| matches!(variable.origin, Origin::Obligation(_));
            let watched = product.system.variables().iter().any(is_obligation);
            let reduction = if watched { Reduction::Safety } else { Reduction::Invariance };
            Reachability { system: product.system, bad, reduction }
        }
        Acceptance::Infinitely(conditions) => {
            let (system, seen) = all_seen(product.system, &conditions);
            let (system, bad) = count(system, seen, measure.counted, &measure.ranking);
            let ranked = !measure.ranking.components.is_empty();
            let reduction = if ranked { Reduction::Ranking } else { Reduction::Counting };
            Reachability { system, bad, reduction: reduction(measure.counted) }
        }
    }
}
