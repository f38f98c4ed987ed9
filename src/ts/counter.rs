//! From "infinitely often" to "more than k times": the counters of k-liveness.
//!
//! Claessen and Sorensson, *A liveness checking algorithm that counts* (FMCAD 2012). If the acceptance condition of a
//! product is met at most k times on any run, it is not met infinitely often, so there is no counterexample. That is a
//! safety property of the product with a counter. A run on which the condition is met more often says nothing: either
//! the bound was too small, or the property is violated.
//!
//! If no number bounds how often the condition is met, a ranking may help: the counter is reset whenever the ranking
//! changes. If every step respects the ranking ([`super::ranking`]), the ranking changes only finitely often on any
//! run; so a condition that is met at most k times between two changes is not met infinitely often. With k = 1, and if
//! all steps from accepting states change the ranking, that is the usual rule for lexicographic rankings; a larger k
//! leaves to the counter what the ranking does not capture.
//!
//! Several acceptance conditions count as met once when each of them was met since the last time.

use super::ranking::{Change, Ranking};
use super::system::{Case, Domain, Origin, Parts, System, Variable};
use super::term::{Leaf, Sort, Term, VarId};
use rustc_hash::FxHashMap;

/// The system, and the states in which all conditions were seen since the last such state. The new variables
/// come after those of the system.
pub fn all_seen(system: System, conditions: &[Term]) -> (System, Term) {
    let mut counting = Counting::new(system);
    let seen = counting.all_seen(conditions);
    (System::new(counting.parts), seen)
}

/// The system with a unary counter up to `k`, and the states in which `seen` holds for the (k + 1)st time
/// since the ranking changed last. The new variables come after those of the system; the ranking speaks
/// of those of the system only.
pub fn count(system: System, seen: Term, k: usize, ranking: &Ranking) -> (System, Term) {
    let mut counting = Counting::new(system);
    let mut memo = FxHashMap::default();
    let import = |&component: &Term| counting.parts.terms.import(&ranking.terms, component, &mut memo);
    let components: Vec<Term> = ranking.components.iter().map(import).collect();
    let Change { changes, violates } = counting.parts.change(&components);
    let goes_on = counting.parts.terms.not(changes);
    let mut before = counting.parts.terms.bool(true);
    for _ in 0..k {
        let reached = counting.parts.terms.and([before, seen]);
        before = counting.latch(reached, goes_on);
    }
    let mut bad = counting.parts.terms.and([before, seen]);
    if !components.is_empty() {
        let violated = counting.violated(violates);
        bad = counting.parts.terms.or([bad, violated]);
    }
    (System::new(counting.parts), bad)
}

struct Counting {
    parts: Parts,
    number: u32,
}

impl Counting {
    fn new(system: System) -> Counting {
        let parts = system.into_parts();
        let is_memory = |variable: &&Variable| matches!(variable.origin, Origin::Counter(_));
        let number = parts.variables.iter().filter(is_memory).count() as u32;
        Counting { parts, number }
    }

    /// That the last of the conditions was seen since this was true before. One condition needs no
    /// memory.
    fn all_seen(&mut self, conditions: &[Term]) -> Term {
        if let [only] = conditions {
            return *only;
        }
        let memories: Vec<(Term, VarId)> = conditions.iter().map(|_| self.variable()).collect();
        let terms = &mut self.parts.terms;
        let seen: Vec<Term> =
            memories.iter().zip(conditions).map(|((memory, _), &condition)| terms.or([*memory, condition])).collect();
        let all = terms.and(seen.clone());
        for ((_, id), seen) in memories.into_iter().zip(seen) {
            let not_all = self.parts.terms.not(all);
            let next = self.parts.terms.and([seen, not_all]);
            self.set_next(id, next);
        }
        all
    }

    /// A variable that is true after a state in which `reached` was, until a step that does not go on.
    fn latch(&mut self, reached: Term, goes_on: Term) -> Term {
        let (variable, id) = self.variable();
        let next = self.parts.terms.or([variable, reached]);
        let next = self.parts.terms.and([next, goes_on]);
        self.set_next(id, next);
        variable
    }

    /// A variable that is true after a step that violates, for ever.
    fn violated(&mut self, violates: Term) -> Term {
        let (variable, id) = self.variable();
        let next = self.parts.terms.or([variable, violates]);
        self.set_next(id, next);
        variable
    }

    /// A variable that is false at first.
    fn variable(&mut self) -> (Term, VarId) {
        let id = VarId(self.parts.variables.len() as u32);
        let variable = self.parts.terms.leaf(Leaf::Var(id), Sort::Bool, None);
        self.parts.variables.push(Variable {
            name: format!("counter-{}", self.number),
            origin: Origin::Counter(self.number),
            sort: Sort::Bool,
            domain: Domain::Bool,
        });
        self.number += 1;
        self.parts.init.push(self.parts.terms.not(variable));
        self.parts.updates.push(Vec::new());
        (variable, id)
    }

    fn set_next(&mut self, id: VarId, next: Term) {
        let (yes, no) = (self.parts.terms.bool(true), self.parts.terms.bool(false));
        let not_next = self.parts.terms.not(next);
        self.parts.updates[id.0 as usize] =
            vec![Case { condition: next, value: yes }, Case { condition: not_next, value: no }];
    }
}
