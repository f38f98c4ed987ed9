//! From "infinitely often" to "more than k times": the counters of k-liveness.
//!
//! Claessen and Sorensson, *A liveness checking algorithm that counts* (FMCAD 2012). If the acceptance
//! of a product can be seen at most k times on any run, it is not seen infinitely often, so there is no
//! counterexample. That is a safety property of the product with a counter. A run on which it is seen
//! more often says nothing: the bound was too small, or the property is violated.
//!
//! Several conditions are seen once when each of them was seen since the last time.

use super::system::{Case, Domain, Origin, Parts, System, Variable};
use super::term::{Leaf, Sort, Term, VarId};

/// The system with a unary counter up to `k`, and the states in which the acceptance is seen for the
/// (k + 1)st time. The new variables come after those of the system.
pub fn count(system: System, conditions: &[Term], k: usize) -> (System, Term) {
    let mut counting = Counting { parts: system.into_parts(), number: 0 };
    let seen = counting.all_seen(conditions);
    let mut before = counting.parts.terms.bool(true);
    for _ in 0..k {
        let reached = counting.parts.terms.and([before, seen]);
        before = counting.latch(reached);
    }
    let bad = counting.parts.terms.and([before, seen]);
    (System::new(counting.parts), bad)
}

struct Counting {
    parts: Parts,
    number: u32,
}

impl Counting {
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

    /// A variable that is true after a state in which `reached` was, for ever.
    fn latch(&mut self, reached: Term) -> Term {
        let (variable, id) = self.variable();
        let next = self.parts.terms.or([variable, reached]);
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
