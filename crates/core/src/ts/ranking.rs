//! Lexicographic rankings: tuples of functions of the state that can decrease only finitely often.
//!
//! A step *respects* a ranking if the first component that it changes decreases, and was not negative before. On a run
//! of such steps the first component decreases finitely often, from then on the second one, and so on: so all but
//! finitely many steps leave all components as they are.

use super::system::{Case, Parts};
use super::term::{Leaf, Term, TermNode, Terms, VarId};
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

/// The effect of a step on a ranking, over state and inputs.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Some component changes.
    pub changes: Term,
    /// The first one that changes grows, or was negative.
    pub violates: Term,
}

impl Parts {
    /// The effect of steps on these components.
    pub fn change(&mut self, components: &[Term]) -> Change {
        let mut after = AfterStep { parts: self, memo: FxHashMap::default() };
        let deltas: Vec<Term> = components.iter().map(|&component| after.difference(component)).collect();
        let terms = &mut self.terms;
        let zero = terms.int(0);
        let (mut changes, mut violates) = (Vec::new(), Vec::new());
        for (&component, delta) in components.iter().zip(deltas) {
            let same_before = terms.or(changes.iter().copied());
            let same_before = terms.not(same_before);
            let (grows, shrinks) = (terms.lt(zero, delta), terms.lt(delta, zero));
            let negative = terms.lt(component, zero);
            let below = terms.and([shrinks, negative]);
            let wrong = terms.or([grows, below]);
            violates.push(terms.and([same_before, wrong]));
            changes.push(terms.or([grows, shrinks]));
        }
        Change { changes: terms.or(changes), violates: terms.or(violates) }
    }
}

/// Terms after a step, in terms of the state before and the inputs.
struct AfterStep<'p> {
    parts: &'p mut Parts,
    memo: FxHashMap<Term, Term>,
}

impl AfterStep<'_> {
    /// By how much a term grows. Sums are taken apart, so that what a step adds to a variable stays small.
    fn difference(&mut self, term: Term) -> Term {
        match self.parts.terms.node(term).clone() {
            TermNode::Leaf(Leaf::Var(id)) => {
                let grown = |terms: &mut Terms, value| terms.sub(value, term);
                let unchanged = self.parts.terms.int(0);
                by_case(&mut self.parts.terms, &self.parts.updates[id.0 as usize], grown, unchanged)
            }
            TermNode::Sum(_, list) => {
                let mut sum = self.parts.terms.int(0);
                for (factor, x) in list.iter() {
                    let factor = self.parts.terms.int(factor.clone());
                    let difference = self.difference(*x);
                    let summand = self.parts.terms.mul(factor, difference);
                    sum = self.parts.terms.add(sum, summand);
                }
                sum
            }
            _ => {
                let after = self.of(term);
                self.parts.terms.sub(after, term)
            }
        }
    }

    /// The term after the step.
    fn of(&mut self, term: Term) -> Term {
        let Parts { terms, updates, variables, .. } = &mut *self.parts;
        let mut next = |terms: &mut Terms, leaf: Leaf| match leaf {
            Leaf::Var(VarId(id)) => {
                let unchanged = terms.leaf(leaf, variables[id as usize].sort, None);
                Some(by_case(terms, &updates[id as usize], |_, value| value, unchanged))
            }
            Leaf::Input(_) => None,
        };
        terms.substitute(term, &mut next, &mut self.memo)
    }
}

/// Something of the new value of a variable, by the cases of its update.
fn by_case(terms: &mut Terms, cases: &[Case], of: impl Fn(&mut Terms, Term) -> Term, unchanged: Term) -> Term {
    cases.iter().fold(unchanged, |otherwise, case| {
        let value = of(terms, case.value);
        terms.ite(case.condition, value, otherwise)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Value;
    use crate::ts::system::{Domain, EVENT, Event, EventKind, Input, Origin, System, Variable, event_is};
    use crate::ts::term::Sort;
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
            inputs: vec![Input { name: "event".to_owned(), count: 4 }],
            events: vec![event; 4],
            init: Vec::new(),
            constraints: Vec::new(),
            updates: vec![vec![case(0, less), case(2, less)], vec![case(1, not_b), case(2, not_b)]],
            terms,
        }
    }

    /// The values of components, and the terms of their change, by hand and by term.
    fn assert_change(components: &dyn Fn(&mut Parts) -> Vec<Term>) {
        let mut parts = parts();
        let components = components(&mut parts);
        let Change { changes, violates } = parts.change(&components);
        let system = System::new(parts);
        for (n, b, event) in (-2..=2).flat_map(|n| (0..8).map(move |rest| (n, rest % 2 == 0, rest / 2))) {
            let mut before = Valuation::new(vec![Value::int(n), Value::Bool(b)], vec![event]);
            let mut after = Valuation::new(system.successor(&mut before), Vec::new());
            let values = |valuation: &mut Valuation, &component: &Term| match valuation.value(system.terms(), component)
            {
                Value::Int(value) => value,
                other => panic!("{other:?} is no integer"),
            };
            let pairs = components.iter().map(|c| (values(&mut before, c), values(&mut after, c)));
            let first = pairs.collect::<Vec<_>>().into_iter().find(|(old, new)| old != new);
            assert_eq!(before.holds(system.terms(), changes), first.is_some(), "{n} {b} {event}");
            let wrong = first.is_some_and(|(old, new)| new > old || old < 0.into());
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
        assert_change(&|parts| vec![n(parts)]);
        assert_change(&|parts| vec![flag(parts), n(parts)]);
        assert_change(&|parts| vec![n(parts), flag(parts)]);
        assert_change(&|parts| {
            let (n, flag) = (n(parts), flag(parts));
            let (sum, opposite, below) = (parts.terms.add(n, flag), parts.terms.sub(flag, n), parts.terms.le(n, flag));
            vec![parts.terms.ite(below, opposite, sum)]
        });
    }
}
