//! Systems with states that have to be unreachable so that a conjunct holds: invariants are checked on them.
//!
//! They are made from the model and the conjunct alone, before any simplification, by [`super::negation`] and
//! [`super::measure`]. For each variable that the model does not have, a claim says what it stands for
//! ([`Auxiliary`]); it has that meaning here, whatever the engine meant by it.

use super::measure::Rounds;
use super::negation::Negation;
use crate::claim::PartClaim;
use crate::claim::explicit::{Obligation, subformulas};
use crate::claim::reduction::{Auxiliary, Eventualities, Passed, Reduction};
use crate::model::{Formula, Model};
use crate::ts::ranking::Ranking;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::system::System;
use crate::ts::term::{Leaf, Sort, Term, Terms, VarId};
use rustc_hash::FxHashMap;

/// A system with states that must not be reached.
#[derive(Clone, Debug)]
pub struct Target {
    /// The conjunct.
    pub formula: Formula,
    /// The meaning of the unreachability of these states.
    pub reduction: Reduction,
    /// The system of the model with obligations, memories and counters.
    pub system: System,
    /// The states.
    pub bad: Term,
    /// The names of its variables and values in scripts.
    pub symbols: Symbols,
    /// The meanings of its variables.
    pub vocabulary: Vocabulary,
}

/// A variable that comes after those of the model, and what it stands for.
#[derive(Clone, Debug)]
pub struct Added {
    /// Its meaning.
    pub stands_for: Auxiliary,
    /// The variable.
    pub variable: Term,
}

/// The variables of a system.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The number of variables of the model.
    of_model: usize,
    /// The other ones.
    added: Vec<Added>,
    negation: Option<Negation>,
}

/// Why a claim says nothing of a conjunct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTarget {
    /// Its reduction does not fit the conjunct.
    OtherReduction,
    /// It has something that is no predicate over the states of the system.
    OtherSystem,
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
        eventualities: &Eventualities,
    ) -> Option<Target> {
        let of_model = system.variables().len();
        let negation = |system| Negation::new(model, system, formula, eventualities.at_first);
        let (system, bad, added, negation) = match reduction {
            Reduction::Invariance => {
                let (system, bad) = Negation::invariance(model, system, formula)?;
                (system, bad, Vec::new(), None)
            }
            Reduction::Safety => {
                let negation = negation(system);
                let (system, bad) = idle(&negation)?;
                (system, bad, negation.added(), Some(negation))
            }
            Reduction::Counting(counted) | Reduction::Ranking(counted) => {
                let ranked = matches!(reduction, Reduction::Ranking(_));
                if ranking.components.is_empty() == ranked {
                    return None;
                }
                let negation = negation(system);
                let rounds = Rounds::new(&negation, &eventualities.watched);
                let (system, bad, added) = rounds.bounded(counted, ranking);
                (system, bad, added, Some(negation))
            }
        };
        let vocabulary = Vocabulary { of_model, added, negation };
        let symbols = Symbols::new(model, &system);
        let mut target = Target { formula: formula.clone(), reduction, system, bad, symbols, vocabulary };
        if target.is_trivial() {
            target.bad = target.system.terms_mut().bool(false);
        }
        Some(target)
    }

    /// Of what is claimed of a conjunct, with its ranking in the words of [`rankable`].
    pub fn of_claim(
        model: &Model,
        system: &System,
        formula: &Formula,
        claim: &PartClaim,
    ) -> Result<(Target, Ranking), NoTarget> {
        let ranking = ranking(model, system, formula, claim)?;
        let target = Target::new(model, system.clone(), formula, claim.reduction, &ranking, &claim.eventualities);
        Ok((target.ok_or(NoTarget::OtherReduction)?, ranking))
    }

    /// With the first reduction that fits the conjunct, from the simplest on; rounds are counted up to `counted`.
    pub fn simplest(model: &Model, system: &System, formula: &Formula, counted: usize) -> Target {
        let reductions = [Reduction::Invariance, Reduction::Safety, Reduction::Counting(counted)];
        let (ranking, eventualities) = (Ranking::default(), eventualities(model, system, formula));
        let fitting = |reduction| Target::new(model, system.clone(), formula, reduction, &ranking, &eventualities);
        reductions.into_iter().find_map(fitting).expect("counting fits all formulas")
    }

    /// True if a violation would need at once what is false: then no state is bad.
    pub fn is_trivial(&self) -> bool {
        self.vocabulary.negation.as_ref().is_some_and(|negation| negation.is_trivial)
    }

    /// The formula that an obligation says to be true.
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

/// All eventualities of the negation of a conjunct.
pub fn eventualities(model: &Model, system: &System, formula: &Formula) -> Eventualities {
    Eventualities { watched: Negation::new(model, system.clone(), formula, true).eventualities(), at_first: true }
}

/// The system that rankings of a conjunct speak of: that of the model, with obligations and what was met.
pub fn rankable(
    model: &Model,
    system: System,
    formula: &Formula,
    eventualities: &Eventualities,
) -> (System, Vocabulary) {
    let of_model = system.variables().len();
    let negation = Negation::new(model, system, formula, eventualities.at_first);
    let (system, added) = Rounds::new(&negation, &eventualities.watched).unbounded();
    (system, Vocabulary { of_model, added, negation: Some(negation) })
}

impl Vocabulary {
    /// The variables that come after those of the model, in their order.
    pub fn added(&self) -> &[Added] {
        &self.added
    }

    /// The meaning of each of them.
    pub fn auxiliaries(&self) -> Vec<Auxiliary> {
        self.added.iter().map(|added| added.stands_for.clone()).collect()
    }

    /// Terms of a claim, in an arena of the system with these variables. The `auxiliaries` of the claim, which come
    /// after the variables of the model, are replaced by their meanings; one that is never passed on counts as false.
    pub fn translate(
        &self,
        terms: &mut Terms,
        from: &Terms,
        list: &[Term],
        auxiliaries: &[Auxiliary],
    ) -> Result<Vec<Term>, NoTarget> {
        let meanings: Vec<Term> = auxiliaries.iter().map(|auxiliary| self.meaning(terms, auxiliary)).collect();
        let (mut memo, mut unknown) = (FxHashMap::default(), false);
        let mut replace = |terms: &mut Terms, leaf: Leaf, sort: Sort| {
            let meaning = match leaf {
                Leaf::Var(VarId(id)) if (id as usize) < self.of_model => return terms.leaf(leaf, sort, None),
                Leaf::Var(VarId(id)) => meanings.get(id as usize - self.of_model).filter(|_| sort == Sort::Bool),
                Leaf::Input(_) => None,
            };
            unknown |= meaning.is_none();
            meaning.copied().unwrap_or_else(|| terms.leaf(leaf, sort, None))
        };
        let list = list.iter().map(|&term| terms.translate(from, term, &mut replace, &mut memo)).collect();
        if unknown { Err(NoTarget::OtherSystem) } else { Ok(list) }
    }

    /// The meaning of an auxiliary variable of a claim.
    fn meaning(&self, terms: &mut Terms, auxiliary: &Auxiliary) -> Term {
        let any: Vec<Term> = match auxiliary {
            Auxiliary::Pending(list) => list.iter().map(|&passed| self.pending(terms, passed)).collect(),
            Auxiliary::Met(_) | Auxiliary::Seen(_) | Auxiliary::Broken => self.named(auxiliary).into_iter().collect(),
        };
        terms.or(any)
    }

    fn pending(&self, terms: &mut Terms, passed: Passed) -> Term {
        match &self.negation {
            Some(negation) => negation.pending(terms, passed),
            None => terms.bool(false),
        }
    }

    fn named(&self, auxiliary: &Auxiliary) -> Option<Term> {
        self.added.iter().find(|added| added.stands_for == *auxiliary).map(|added| added.variable)
    }
}

/// The ranking of a claim in the words of [`rankable`].
fn ranking(model: &Model, system: &System, formula: &Formula, claim: &PartClaim) -> Result<Ranking, NoTarget> {
    let PartClaim { ranking: claimed, eventualities, auxiliaries, .. } = claim;
    if claimed.components.is_empty() {
        return Ok(Ranking::default());
    }
    let (mut system, vocabulary) = rankable(model, system.clone(), formula, eventualities);
    let components = vocabulary.translate(system.terms_mut(), &claimed.terms, &claimed.components, auxiliaries)?;
    Ok(Ranking { terms: system.terms().clone(), components })
}
