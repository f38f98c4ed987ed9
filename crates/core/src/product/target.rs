//! The states that have to be unreachable so that a conjunct holds.

use super::negation::Negation;
use super::rounds::{Accepting, Auxiliary, Rounds};
use crate::model::subformulas::{Obligation, subformulas};
use crate::model::{Formula, Model};
use crate::ts::ranking::Ranking;
use crate::ts::system::System;
use crate::ts::term::{Term, VarId};

/// The meaning of the unreachability of the bad states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The conjunct says that no state has a property: bad states are those that have it.
    Invariance,
    /// The negation is seen on a finite prefix: bad states are those where it has been seen.
    Safety,
    /// No more rounds end than this: bad states are those where one more ends.
    Counting(usize),
    /// Every step respects a ranking, and no more rounds end than this between two changes of it: bad states are those
    /// where one more ends, or where a step did not respect the ranking.
    Ranking(usize),
}

impl Reduction {
    /// True if bad states are those of a counterexample.
    pub fn is_exact(self) -> bool {
        match self {
            Reduction::Invariance | Reduction::Safety => true,
            Reduction::Counting(_) | Reduction::Ranking(_) => false,
        }
    }
}

/// A system with states that must not be reached.
#[derive(Clone, Debug)]
pub struct Target {
    /// The conjunct.
    pub formula: Formula,
    /// The meaning of their unreachability.
    pub reduction: Reduction,
    /// The system of the model with obligations, memories and counters.
    pub system: System,
    /// The states.
    pub bad: Term,
    /// The meanings of the variables after those of the model.
    pub added: Vec<Auxiliary>,
    /// True if a violation would need at once what is false: then no state is bad.
    pub is_trivial: bool,
}

impl Target {
    /// Of a conjunct; nothing if the reduction does not fit it. The system is that of the model
    /// ([`crate::ts::history::base_system`]). A ranking speaks of the variables of [`rankable`].
    pub fn new(
        model: &Model,
        system: System,
        formula: &Formula,
        reduction: Reduction,
        ranking: &Ranking,
    ) -> Option<Target> {
        match reduction {
            Reduction::Invariance => Target::invariance(model, system, formula),
            Reduction::Safety | Reduction::Counting(_) | Reduction::Ranking(_) => {
                Target::of(&Negation::new(model, system, formula), formula, reduction, ranking)
            }
        }
    }

    /// With the first reduction that fits the conjunct, from the simplest on; rounds are counted up to `counted`, between
    /// changes of the ranking if there is one.
    pub fn simplest(model: &Model, system: &System, formula: &Formula, counted: usize, ranking: &Ranking) -> Target {
        if let Some(target) = Target::invariance(model, system.clone(), formula) {
            return target;
        }
        let negation = Negation::new(model, system.clone(), formula);
        let reduction = match (negation.ends, ranking.components.is_empty()) {
            (true, _) => Reduction::Safety,
            (false, true) => Reduction::Counting(counted),
            (false, false) => Reduction::Ranking(counted),
        };
        Target::of(&negation, formula, reduction, ranking).expect("the reduction was chosen to fit")
    }

    fn invariance(model: &Model, system: System, formula: &Formula) -> Option<Target> {
        let (system, bad) = Negation::invariance(model, system, formula)?;
        let (formula, reduction) = (formula.clone(), Reduction::Invariance);
        Some(Target { formula, reduction, system, bad, added: Vec::new(), is_trivial: false })
    }

    /// By obligations; nothing if the reduction does not fit.
    fn of(negation: &Negation, formula: &Formula, reduction: Reduction, ranking: &Ranking) -> Option<Target> {
        let (mut system, mut bad, added) = match reduction {
            Reduction::Invariance => return None,
            Reduction::Safety => {
                let (system, bad) = idle(negation)?;
                (system, bad, negation.auxiliaries())
            }
            Reduction::Counting(counted) | Reduction::Ranking(counted) => {
                let ranked = matches!(reduction, Reduction::Ranking(_));
                if ranking.components.is_empty() == ranked {
                    return None;
                }
                Rounds::new(negation).bounded(counted, ranking)
            }
        };
        let is_trivial = negation.is_trivial;
        if is_trivial {
            bad = system.terms_mut().bool(false);
        }
        Some(Target { formula: formula.clone(), reduction, system, bad, added, is_trivial })
    }

    /// The variables after those of the model, with their meanings.
    pub fn added_variables(&self) -> impl Iterator<Item = (VarId, Auxiliary)> {
        let of_model = self.system.variables().len() - self.added.len();
        self.system.var_ids().skip(of_model).zip(self.added.iter().copied())
    }

    /// The formula that an obligation says.
    pub fn says(&self, obligation: Obligation) -> Formula {
        let formula = subformulas(&self.formula)[obligation.subformula as usize].clone();
        if obligation.truth { formula } else { formula.negated() }
    }
}

/// The states in which nothing is pending, if every run that makes the formula false has one.
fn idle(negation: &Negation) -> Option<(System, Term)> {
    let mut system = negation.system.clone();
    let terms = system.terms_mut();
    let idle: Vec<Term> = negation.bits.iter().map(|bit| terms.not(bit.pending)).collect();
    let idle = terms.and(idle);
    negation.ends.then_some((system, idle))
}

/// The system that rankings of a conjunct are about, with the states in which rounds end: that of the model, with
/// obligations and memories.
pub fn rankable(model: &Model, system: System, formula: &Formula) -> Accepting {
    Rounds::new(&Negation::new(model, system, formula)).unbounded()
}

/// The same if the conjunct is no safety property, and not true as it stands.
pub fn accepting(model: &Model, system: System, formula: &Formula) -> Option<Accepting> {
    let negation = Negation::new(model, system, formula);
    (!negation.ends && !negation.is_trivial).then(|| Rounds::new(&negation).unbounded())
}
