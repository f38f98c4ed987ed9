//! Smaller invariants: removes the clauses that a proof does not need.
//!
//! Provers return every clause that they relied on, more than the proof needs. The needed ones are found backwards
//! from the bad states, by unsatisfiable cores: the clauses that exclude the bad states, those that keep these
//! inductive, and so on. Then clauses are removed one by one, as long as the largest inductive subset of the others is
//! still safe (Ivrii, Gurfinkel, Belov, *Small inductive safe invariants*, FMCAD 2014).
//!
//! The result is a claim like any other. If the time is over, or a solver does not know, it is the
//! smallest invariant known by then.

use super::Config;
use crate::claim::Invariant;
use crate::smt::unroll::Unrolling;
use crate::smt::{Literal, Model};
use crate::ts::system::System;
use crate::ts::term::{Term, Terms};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long clauses are taken away one by one, unless the proof took long; and then.
const DELETING: Duration = Duration::from_millis(5);
const MOST_DELETING: Duration = Duration::from_millis(100);

/// Clauses, as indices.
type ClauseSet = BTreeSet<usize>;

/// An invariant with some of the clauses of this one, which excludes the bad states of the system; `proving` is how
/// long it took to find it. Needs a Z3 context ([`crate::smt::with_context`]).
pub fn shrink(system: &System, bad: Term, invariant: Invariant, proving: Duration, config: Config) -> Invariant {
    let Invariant { terms, clauses, k } = invariant;
    let clauses = terms.conjuncts(&clauses);
    if clauses.len() == 1 {
        return Invariant { terms, clauses, k };
    }
    let mut shrinker = Shrinker::new(system, bad, &terms, &clauses, k, config);
    let deleting = (proving / 10).clamp(DELETING, MOST_DELETING);
    let kept = shrinker.shrink((0..clauses.len()).collect(), deleting);
    Invariant { clauses: kept.into_iter().map(|index| clauses[index]).collect(), terms, k }
}

/// The literals that stand for a clause.
struct ClauseLiterals {
    /// Assumed to have it hold where the question starts from.
    assumed: Literal,
    /// Implies that it fails after the steps.
    fails: Literal,
    /// That it holds after them.
    holds: Literal,
}

struct Shrinker<'s> {
    config: Config<'s>,
    clauses: Vec<ClauseLiterals>,
    /// k steps between different states.
    path: Unrolling<'s>,
    /// One state.
    state: Unrolling<'s>,
    bad: Literal,
}

impl<'s> Shrinker<'s> {
    fn new(system: &'s System, bad: Term, terms: &Terms, clauses: &[Term], k: usize, config: Config<'s>) -> Self {
        let (mut path, mut state) = (Unrolling::from_anywhere(system), Unrolling::from_anywhere(system));
        for frame in 0..k {
            (0..frame).for_each(|earlier| path.add(&path.same_state(earlier, frame).not()));
            path.extend().expect("declared values are listed or integers");
        }
        let clause = |&clause: &Term| {
            let (assumed, fails) = (Literal::fresh("clause"), Literal::fresh("fails"));
            for frame in 0..k {
                let before = path.literal_in(terms, frame, clause);
                path.add(&assumed.implies(&before));
            }
            let holds = path.literal_in(terms, k, clause);
            path.add(&fails.implies(&holds.not()));
            let here = state.literal_in(terms, 0, clause);
            state.add(&assumed.implies(&here));
            ClauseLiterals { assumed, fails, holds }
        };
        let clauses = clauses.iter().map(clause).collect();
        let is_bad = Literal::fresh("bad");
        let meaning = state.literal_in(terms, 0, bad);
        state.add(&is_bad.implies(&meaning));
        Shrinker { config, clauses, path, state, bad: is_bad }
    }

    fn shrink(&mut self, all: ClauseSet, deleting: Duration) -> ClauseSet {
        let mut kept = all;
        while let Some(needed) = self.needed(&kept) {
            let stable = needed.len() == kept.len();
            kept = needed;
            if stable {
                break;
            }
        }
        let budget = self.config.budget.aside(deleting);
        for index in kept.clone() {
            if budget.is_over() {
                break;
            }
            if !kept.contains(&index) {
                continue;
            }
            let mut others = kept.clone();
            others.remove(&index);
            match self.safe_and_inductive(others) {
                Some(Some(fewer)) => kept = fewer,
                Some(None) => {}
                None => break,
            }
        }
        kept
    }

    /// Clauses of an invariant that are an invariant already; nothing if some question has no answer.
    fn needed(&self, all: &ClauseSet) -> Option<ClauseSet> {
        let mut needed = self.core(&self.state, all, &self.bad)?;
        let mut open: Vec<usize> = needed.iter().copied().collect();
        while let Some(index) = open.pop() {
            let fails = &self.clauses[index].fails;
            if self.ask(&self.path, &needed, fails)?.is_some() {
                let core = self.core(&self.path, all, fails)?;
                open.extend(core.into_iter().filter(|index| needed.insert(*index)));
            }
        }
        Some(needed)
    }

    /// The clauses that contradict a literal; nothing if they do not.
    fn core(&self, unrolling: &Unrolling, clauses: &ClauseSet, literal: &Literal) -> Option<ClauseSet> {
        if self.ask(unrolling, clauses, literal)?.is_some() {
            return None;
        }
        let order: Vec<usize> = clauses.iter().copied().collect();
        let core = unrolling.core(&self.assumptions(clauses, literal));
        Some(core.into_iter().filter_map(|index| order.get(index).copied()).collect())
    }

    /// The largest inductive set of these clauses, if it excludes the bad states; nothing if that is not known.
    fn safe_and_inductive(&self, mut clauses: ClauseSet) -> Option<Option<ClauseSet>> {
        loop {
            if self.ask(&self.state, &clauses, &self.bad)?.is_some() {
                return Some(None);
            }
            let some_fails = Literal::fresh("some");
            let fails = Literal::or(clauses.iter().map(|&index| self.clauses[index].holds.not()));
            self.path.add(&some_fails.implies(&fails));
            let Some(model) = self.ask(&self.path, &clauses, &some_fails)? else { return Some(Some(clauses)) };
            let holding = clauses.iter().map(|&index| Some((index, model.is_true(&self.clauses[index].holds).ok()?)));
            let holding = holding.collect::<Option<Vec<_>>>()?;
            clauses = holding.into_iter().filter(|(_, holds)| *holds).map(|(index, _)| index).collect();
        }
    }

    fn assumptions(&self, clauses: &ClauseSet, literal: &Literal) -> Vec<Literal> {
        let clauses = clauses.iter().map(|&index| self.clauses[index].assumed.clone());
        clauses.chain([literal.clone()]).collect()
    }

    /// Asks if a literal is possible where these clauses hold; nothing if that is not known.
    fn ask(&self, unrolling: &Unrolling, clauses: &ClauseSet, literal: &Literal) -> Option<Option<Model>> {
        unrolling.check_until(&self.assumptions(clauses, literal), self.config.budget, self.config.stop).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{Budget, Stop};
    use crate::model::Formula;
    use crate::model::of_text::model;
    use crate::smt::with_context;
    use crate::ts::atoms::state_predicate;
    use crate::ts::history::base_system;

    /// `m` follows `n`.
    const COUNTERS: &str = "
        agent Counter
            local: n : int, m : int, up : bool
            init: n = 0 & m = 0 & up
            receive-guard: false
            repeat: ({up} *! (false)()[n := n + 1, up := false] + {!up} *! (false)()[m := m + 1, up := true])
        system = Counter(one, true)
    ";

    /// Which of these conditions are kept, as the invariant of a system whose bad states satisfy the first one.
    fn kept(conditions: &[&str], k: usize, budget: Budget) -> Vec<usize> {
        let specs: String = conditions.iter().map(|condition| format!("SPEC {condition};")).collect();
        let model = model(&format!("{COUNTERS} {specs}"));
        let mut system = base_system(&model);
        let term = |spec: &crate::model::Spec| match &spec.formula {
            Formula::Atom(expr) => state_predicate(&model, &mut system, expr),
            other => panic!("{other:?} is no state formula"),
        };
        let terms: Vec<Term> = model.specs.iter().map(term).collect();
        let invariant = Invariant { terms: system.terms().clone(), clauses: terms[1..].to_vec(), k };
        let stop = Stop::new();
        let config = Config { budget, stop: &stop, progress: &|_| {} };
        let shrunk = with_context(&stop, || shrink(&system, terms[0], invariant, MOST_DELETING * 10, config));
        let place = |clause: &Term| terms.iter().position(|term| term == clause).expect("one of them");
        shrunk.clauses.iter().map(place).collect()
    }

    fn ample() -> Budget {
        Budget::new(Some(Duration::from_secs(1800)))
    }

    #[test]
    fn what_nothing_needs_goes() {
        let superfluous = ["one-m > one-n", "one-n >= 0", "one-up | one-m < one-n", "one-m >= -1", "one-m <= one-n"];
        assert_eq!(kept(&superfluous, 1, ample()), [2, 4]);
        assert_eq!(kept(&["one-m > one-n", "one-m >= 0", "one-m <= one-n"], 2, ample()), [2]);
    }

    #[test]
    fn nothing_goes_without_an_answer() {
        let over = Budget::new(Some(Duration::ZERO));
        assert_eq!(kept(&["one-m > one-n", "one-n >= 0", "one-m <= one-n"], 1, over), [1, 2]);
        // That is no invariant at all.
        assert_eq!(kept(&["one-n > 3", "one-n >= 0", "one-n <= 2"], 1, ample()), [1, 2]);
    }
}
