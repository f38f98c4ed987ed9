//! Lexicographic rankings: tuples of functions of the state that can decrease only finitely often.
//!
//! A step *respects* a ranking if the first component that it changes decreases, and was not negative before. On a run
//! of such steps the first component decreases finitely often, from then on the second one, and so on: so all but
//! finitely many steps leave all components as they are.

use super::system::Parts;
use super::term::{Leaf, Term, TermNode, Terms};
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// Integer terms over the state, the most significant one first.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// The arena of the components; the arena of the system that they rank is its beginning, or they were
    /// made for another one with the same variables.
    pub terms: Terms,
    /// The components.
    pub components: Vec<Term>,
}

/// The effect of a step on a component, over state and inputs.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// It changes.
    pub changes: Term,
    /// It grows, or changes and was negative.
    pub violates: Term,
}

impl Parts {
    /// The effect of steps on a component.
    pub fn change(&mut self, component: Term) -> Change {
        let delta = self.growth(component, &mut FxHashMap::default());
        let terms = &mut self.terms;
        let zero = terms.int(0);
        let (grows, shrinks, negative) = (terms.lt(zero, delta), terms.lt(delta, zero), terms.lt(component, zero));
        let below = terms.and([shrinks, negative]);
        Change { changes: terms.or([grows, shrinks]), violates: terms.or([grows, below]) }
    }

    /// By how much a term grows. Sums are taken apart, so that what a step adds to a variable stays small.
    fn growth(&mut self, term: Term, memo: &mut FxHashMap<Term, Term>) -> Term {
        match self.terms.node(term).clone() {
            TermNode::Leaf(Leaf::Var(id)) => {
                let Parts { terms, updates, .. } = self;
                let unchanged = terms.int(0);
                updates[id.0 as usize].iter().fold(unchanged, |otherwise, case| {
                    let grown = terms.sub(case.value, term);
                    terms.ite(case.condition, grown, otherwise)
                })
            }
            TermNode::Sum(_, list) => {
                let growth = |(factor, x)| (factor, self.growth(x, memo));
                let list: Vec<(IBig, Term)> = list.into_iter().map(growth).collect();
                self.terms.linear(&list)
            }
            _ => {
                let after = self.after(term, memo);
                self.terms.sub(after, term)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Value;
    use crate::ts::system::{Case, Domain, EVENT, Event, EventKind, Input, Origin, System, Variable, event_is};
    use crate::ts::term::{Sort, VarId};
    use crate::ts::valuation::Valuation;

    /// An integer that shrinks by one and a Boolean that flips, in turn or together: event 0 shrinks, event 1
    /// flips, event 2 does both, event 3 is the stutter.
    fn parts() -> Parts {
        let mut terms = Terms::new();
        let n = terms.leaf(Leaf::Var(VarId(0)), Sort::Int, None);
        let b = terms.leaf(Leaf::Var(VarId(1)), Sort::Bool, None);
        let happens: Vec<Term> = (0..4).map(|event| event_is(&mut terms, event, 4)).collect();
        let (one, not_b, yes) = (terms.int(1), terms.not(b), terms.bool(true));
        let less = terms.sub(n, one);
        let variable = |name: &str, number, sort, domain| Variable {
            name: name.to_owned(),
            origin: Origin::Obligation(number),
            sort,
            domain,
        };
        let event = Event { kind: EventKind::Stutter, guard: yes, enabled: yes, receptions: Vec::new() };
        let case = |event: usize, value| Case { condition: happens[event], value };
        Parts {
            variables: vec![variable("n", 0, Sort::Int, Domain::Unbounded), variable("b", 1, Sort::Bool, Domain::Bool)],
            inputs: vec![Input { name: "event".to_owned(), count: 4, owner: None }],
            events: vec![event; 4],
            init: Vec::new(),
            constraints: Vec::new(),
            updates: vec![vec![case(0, less), case(2, less)], vec![case(1, not_b), case(2, not_b)]],
            terms,
        }
    }

    /// The values of a component, and the terms of its change, by hand and by term.
    fn assert_change(component: &dyn Fn(&mut Parts) -> Term) {
        let mut parts = parts();
        let component = component(&mut parts);
        let Change { changes, violates } = parts.change(component);
        let system = System::new(parts);
        for (n, b, event) in (-2..=2).flat_map(|n| (0..8).map(move |rest| (n, rest % 2 == 0, rest / 2))) {
            let mut before = Valuation::new(vec![Value::int(n), Value::Bool(b)], vec![event]);
            let mut after = Valuation::new(system.successor(&mut before), Vec::new());
            let [old, new] =
                [&mut before, &mut after].map(|valuation| valuation.value(system.terms(), component).into_int());
            assert_eq!(before.holds(system.terms(), changes), old != new, "{n} {b} {event}");
            let wrong = new > old || new != old && old < 0.into();
            assert_eq!(before.holds(system.terms(), violates), wrong, "{n} {b} {event}");
        }
        assert_eq!(system.inputs()[EVENT.0 as usize].count, 4);
    }

    #[test]
    fn changes_are_those_of_the_values() {
        let n = |parts: &mut Parts| parts.terms.leaf(Leaf::Var(VarId(0)), Sort::Int, None);
        let flag = |parts: &mut Parts| {
            let b = parts.terms.leaf(Leaf::Var(VarId(1)), Sort::Bool, None);
            let (one, zero) = (parts.terms.int(1), parts.terms.int(0));
            parts.terms.ite(b, one, zero)
        };
        assert_change(&n);
        assert_change(&flag);
        assert_change(&|parts| {
            let (n, flag) = (n(parts), flag(parts));
            let (sum, opposite, below) = (parts.terms.add(n, flag), parts.terms.sub(flag, n), parts.terms.le(n, flag));
            parts.terms.ite(below, opposite, sum)
        });
    }
}
