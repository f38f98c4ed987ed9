//! What held in all states of some runs.
//!
//! Literals say that a finite variable has a value; integers are compared with each other, with small
//! distances, and with what they never went below or above.

use crate::model::Value;
use crate::ts::system::{Domain, System};
use crate::ts::term::{Sort, Term, VarId};
use dashu_int::IBig;

/// No more of one kind than that: Houdini asks about all of them at once.
const MOST: usize = 2000;

/// A term with its truth in every state.
struct Fact {
    term: Term,
    variable: VarId,
    held: Vec<bool>,
}

/// Makes candidates from states.
pub struct Candidates<'a> {
    system: &'a mut System,
    states: &'a [Vec<Value>],
    literals: Vec<Fact>,
    integers: Vec<VarId>,
}

impl<'a> Candidates<'a> {
    /// From these states.
    pub fn new(system: &'a mut System, states: &'a [Vec<Value>]) -> Candidates<'a> {
        let integers = system.var_ids().filter(|&id| is_integer(system, id)).collect();
        let mut candidates = Candidates { system, states, literals: Vec::new(), integers };
        for id in candidates.system.var_ids() {
            candidates.add_literals(id);
        }
        candidates
    }

    /// One literal per value that a finite variable was seen with and without.
    fn add_literals(&mut self, id: VarId) {
        let (sort, domain) = (self.system.variable(id).sort, self.system.variable(id).domain.clone());
        let values: Vec<i64> = match domain {
            Domain::Bool => vec![0, 1],
            Domain::Finite(values) => values.to_vec(),
            Domain::Range(..) | Domain::Unbounded => return,
        };
        let variable = self.system.var_term(id);
        for number in values {
            let terms = self.system.terms_mut();
            let value = terms.numbered(number, sort);
            let term = match (sort, number) {
                (Sort::Bool, 0) => terms.not(variable),
                (Sort::Bool, _) => variable,
                _ => terms.eq(variable, value),
            };
            let value = self.system.terms().as_constant(value).expect("a constant");
            let held: Vec<bool> = self.states.iter().map(|state| state[id.0 as usize] == value).collect();
            if held.contains(&true) && held.contains(&false) {
                self.literals.push(Fact { term, variable: id, held });
            }
        }
    }

    /// Bounds of integers and of their differences, and linear equations between three.
    pub fn comparisons(&mut self) -> Vec<Term> {
        let everywhere = vec![true; self.states.len()];
        self.comparisons_where(&everywhere)
    }

    /// Comparisons that hold wherever a literal does, but not elsewhere.
    pub fn guarded_comparisons(&mut self) -> Vec<Term> {
        let mut list = Vec::new();
        let everywhere = self.comparisons();
        for index in 0..self.literals.len() {
            let held = self.literals[index].held.clone();
            for comparison in self.comparisons_where(&held) {
                if list.len() < MOST && !everywhere.contains(&comparison) {
                    let literal = self.literals[index].term;
                    list.push(self.system.terms_mut().implies(literal, comparison));
                }
            }
        }
        list
    }

    /// Pairs of literals of different variables that were never seen together.
    pub fn pairs(&mut self) -> Vec<Term> {
        let mut list = Vec::new();
        for (index, a) in self.literals.iter().enumerate() {
            for b in &self.literals[..index] {
                let together = a.held.iter().zip(&b.held).any(|(a, b)| *a && *b);
                if a.variable != b.variable && !together && list.len() < MOST {
                    let both = self.system.terms_mut().and([a.term, b.term]);
                    list.push(self.system.terms_mut().not(both));
                }
            }
        }
        list
    }

    /// Bounds that integers and their differences had where `held`. Wide ones are chance, not law.
    fn comparisons_where(&mut self, held: &[bool]) -> Vec<Term> {
        const WIDE: u8 = 2;
        let mut list = Vec::new();
        for first in 0..self.integers.len() {
            let a = self.integers[first];
            self.bounds(&mut list, held, a, None, WIDE);
            for second in 0..first {
                let b = self.integers[second];
                self.bounds(&mut list, held, a, Some(b), WIDE);
            }
        }
        list
    }

    /// `low <= a - b`, `a - b <= high`, for small bounds.
    fn bounds(&mut self, list: &mut Vec<Term>, held: &[bool], a: VarId, b: Option<VarId>, wide: u8) {
        let value = |state: &[Value], id: VarId| match &state[id.0 as usize] {
            Value::Int(value) => value.clone(),
            other => unreachable!("{other:?} is no integer"),
        };
        let differences = self.states.iter().zip(held).filter(|(_, held)| **held);
        let differences: Vec<IBig> =
            differences.map(|(state, _)| value(state, a) - b.map_or(IBig::ZERO, |b| value(state, b))).collect();
        let (Some(low), Some(high)) = (differences.iter().min(), differences.iter().max()) else { return };
        let small = |bound: &IBig| (-IBig::from(wide)..=IBig::from(wide)).contains(bound);
        let a = self.system.var_term(a);
        let b = b.map(|b| self.system.var_term(b));
        let terms = self.system.terms_mut();
        let difference = b.map_or(a, |b| terms.sub(a, b));
        if small(low) {
            let low = terms.int(low.clone());
            list.push(terms.le(low, difference));
        }
        if small(high) {
            let high = terms.int(high.clone());
            list.push(terms.le(difference, high));
        }
    }
}

fn is_integer(system: &System, id: VarId) -> bool {
    let variable = system.variable(id);
    variable.sort == Sort::Int && matches!(variable.domain, Domain::Unbounded | Domain::Range(..))
}
