//! Values of terms in one state and step, and why a Boolean term has its value.

use super::system::{Domain, System};
use super::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use crate::model::Value;
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The values of all variables, and of the inputs of a step.
#[derive(Clone, Debug)]
pub struct Valuation {
    state: Vec<Value>,
    inputs: Vec<u32>,
    memo: FxHashMap<Term, Value>,
}

impl Valuation {
    /// In a state, by variable, with the chosen option per input. Without inputs, terms that read
    /// them must not be evaluated.
    pub fn new(state: Vec<Value>, inputs: Vec<u32>) -> Valuation {
        Valuation { state, inputs, memo: FxHashMap::default() }
    }

    /// The state.
    pub fn state(&self) -> &[Value] {
        &self.state
    }

    /// The inputs.
    pub fn inputs(&self) -> &[u32] {
        &self.inputs
    }

    /// A Boolean term.
    pub fn holds(&mut self, terms: &Terms, term: Term) -> bool {
        self.value(terms, term).as_bool()
    }

    /// Any term. Every subterm is computed once.
    pub fn value(&mut self, terms: &Terms, term: Term) -> Value {
        let Valuation { state, inputs, memo } = self;
        let leaf_value = |leaf| match leaf {
            Leaf::Var(id) => state[id.0 as usize].clone(),
            Leaf::Input(id) => Value::Enum(inputs[id.0 as usize]),
        };
        terms.evaluate_with(term, &leaf_value, memo)
    }
}

/// Collects literals that hold and together imply that terms have the values that they have.
///
/// A literal is a Boolean leaf, a comparison of a leaf with a constant, or a comparison of integers,
/// or a negation of one. Integer equalities are split into inequalities: an inequality separates
/// half of the integers from the other half, an equality or its negation almost nothing.
pub struct Implicant<'a> {
    system: &'a System,
    terms: &'a mut Terms,
    valuation: &'a mut Valuation,
    literals: BTreeSet<Term>,
}

impl<'a> Implicant<'a> {
    /// No literals yet. `terms` may have grown out of the system's arena.
    pub fn new(system: &'a System, terms: &'a mut Terms, valuation: &'a mut Valuation) -> Implicant<'a> {
        Implicant { system, terms, valuation, literals: BTreeSet::new() }
    }

    /// The literals.
    pub fn literals(self) -> Vec<Term> {
        self.literals.into_iter().collect()
    }

    /// Adds what implies that a Boolean term has its present value.
    pub fn explain(&mut self, term: Term) {
        let truth = self.valuation.holds(self.terms, term);
        match self.terms.node(term).clone() {
            TermNode::Bool(_) => {}
            TermNode::Leaf(_) => self.keep(term, truth),
            TermNode::Not(a) => self.explain(a),
            TermNode::And(list) => self.junction(&list, true, truth),
            TermNode::Or(list) => self.junction(&list, false, truth),
            TermNode::Eq(a, b) => self.equality(term, a, b, truth),
            TermNode::Le(a, b) => {
                let (a, b) = (self.resolve(a), self.resolve(b));
                let le = self.terms.le(a, b);
                self.keep(le, truth);
            }
            other => unreachable!("{other:?} is not Boolean"),
        }
    }

    /// The value of a variable after the step, without conditionals, once it is explained that it is that one; nothing if the
    /// variable keeps its value.
    pub fn next(&mut self, id: VarId) -> Option<Term> {
        let cases = self.system.update(id);
        let Some(case) = cases.iter().find(|case| self.valuation.holds(self.terms, case.condition)) else {
            cases.iter().for_each(|case| self.explain(case.condition));
            return None;
        };
        self.explain(case.condition);
        if self.terms.sort(case.value) != Sort::Bool {
            return Some(self.resolve(case.value));
        }
        self.explain(case.value);
        let value = self.valuation.holds(self.terms, case.value);
        Some(self.terms.bool(value))
    }

    /// A true conjunction needs all members, a false one any false member; disjunctions dually.
    fn junction(&mut self, list: &[Term], conjunction: bool, truth: bool) {
        if conjunction == truth {
            list.iter().for_each(|&x| self.explain(x));
            return;
        }
        let deciding: Vec<Term> =
            list.iter().copied().filter(|&x| self.valuation.holds(self.terms, x) == truth).collect();
        let known = |&&x: &&Term| self.is_kept(x, truth);
        let best =
            deciding.iter().find(known).or_else(|| deciding.iter().min_by_key(|&&x| self.terms.size_up_to(x, 50)));
        self.explain(*best.expect("some member decides"));
    }

    fn is_kept(&self, term: Term, truth: bool) -> bool {
        match self.terms.node(term) {
            TermNode::Not(inner) if !truth => self.literals.contains(inner),
            _ => truth && self.literals.contains(&term),
        }
    }

    fn equality(&mut self, term: Term, a: Term, b: Term, truth: bool) {
        match self.terms.sort(a) {
            Sort::Bool => {
                self.explain(a);
                self.explain(b);
            }
            Sort::Enum(_) => {
                if self.terms.as_constant(b).is_some() && self.is_leaf(a) {
                    return self.keep(term, truth);
                }
                // Not two variables at once: each is compared with its value, or one is not with the
                // other's.
                let (a, b) = (self.resolve(a), self.resolve(b));
                let value = self.valuation.value(self.terms, a);
                let constant = self.terms.constant(&value, self.terms.sort(a));
                for (side, holds) in [(a, true), (b, truth)] {
                    let literal = self.terms.eq(side, constant);
                    self.keep(literal, holds);
                }
            }
            Sort::Int => {
                let (a, b) = (self.resolve(a), self.resolve(b));
                if self.is_listed(a) && self.terms.as_constant(b).is_some() {
                    let literal = self.terms.eq(a, b);
                    return self.keep(literal, truth);
                }
                let (le, ge) = (self.terms.le(a, b), self.terms.le(b, a));
                if truth {
                    self.keep(le, true);
                    self.keep(ge, true);
                } else if self.valuation.holds(self.terms, le) {
                    self.keep(ge, false);
                } else {
                    self.keep(le, false);
                }
            }
        }
    }

    fn is_leaf(&self, term: Term) -> bool {
        matches!(self.terms.node(term), TermNode::Leaf(_))
    }

    fn is_listed(&self, term: Term) -> bool {
        match self.terms.node(term) {
            TermNode::Leaf(Leaf::Var(id)) => matches!(self.system.variable(*id).domain, Domain::Finite(_)),
            _ => false,
        }
    }

    fn keep(&mut self, literal: Term, truth: bool) {
        let literal = if truth { literal } else { self.terms.not(literal) };
        match self.terms.node(literal) {
            TermNode::Bool(_) => {}
            TermNode::And(list) => self.literals.extend(list.to_vec()),
            _ => {
                self.literals.insert(literal);
            }
        }
    }

    /// The term without conditionals: their present branches, with the conditions explained.
    fn resolve(&mut self, term: Term) -> Term {
        match self.terms.node(term).clone() {
            TermNode::Ite(c, a, b) => {
                self.explain(c);
                let branch = if self.valuation.holds(self.terms, c) { a } else { b };
                self.resolve(branch)
            }
            TermNode::Sum(constant, list) => {
                let resolved = |(factor, x)| (factor, self.resolve(x));
                let mut list: Vec<(IBig, Term)> = list.into_iter().map(resolved).collect();
                list.push((IBig::ONE, self.terms.int(constant)));
                self.terms.linear(&list)
            }
            TermNode::Product(a, b) => {
                let (a, b) = (self.resolve(a), self.resolve(b));
                self.terms.mul(a, b)
            }
            TermNode::Quotient(a, divisor) => {
                let a = self.resolve(a);
                self.terms.div(a, divisor)
            }
            _ => term,
        }
    }
}
