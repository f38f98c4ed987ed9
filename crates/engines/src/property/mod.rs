//! From specs to temporal properties of a transition system.
//!
//! Observations and the labels of sends, gets and supplies become predicates over state *and event*
//! of the current step, not variables; `<<O>> f` is then `O & X f`. Labels of receives are history
//! variables ([`crate::ts::history`]). The rest is linear temporal logic over such predicates,
//! in negation normal form and hash-consed ([`ltl`]). Conjunctions are split first: each part is a
//! property of its own, and usually a much smaller one.

pub mod ltl;

use crate::model::normal::{Literal, Normal};
use crate::model::{Formula, Model, Spec};
use crate::ts::atoms::{Atoms, Read};
use crate::ts::system::System;
use ltl::{Ltl, LtlId};
use rustc_hash::FxHashMap;

/// One conjunct of a spec, as a property of a system.
#[derive(Clone, Debug)]
pub struct Part {
    /// The conjunct in terms of the model.
    pub formula: Formula,
    /// Its negation: a run that satisfies it is a counterexample.
    pub negation: LtlId,
}

/// A spec, ready to be checked on the system that it was built with.
#[derive(Clone, Debug)]
pub struct Property {
    /// The formulas of all parts.
    pub ltl: Ltl,
    /// The conjuncts; the spec holds iff all of them do.
    pub parts: Vec<Part>,
}

impl Property {
    /// Translates a spec; adds terms to the system, which must have a history variable for each
    /// receive label that occurs ([`crate::ts::history::base_system`]).
    pub fn new(model: &Model, system: &mut System, spec: &Spec) -> Property {
        let mut translation =
            Translation { atoms: Atoms::new(model), system, ltl: Ltl::new(), known: FxHashMap::default() };
        let part = |formula: Formula| {
            translation.known.clear();
            Part { negation: translation.formula(&formula, false), formula }
        };
        let parts = spec.formula.conjuncts().into_iter().map(part).collect();
        Property { ltl: translation.ltl, parts }
    }
}

struct Translation<'a> {
    atoms: Atoms<'a>,
    system: &'a mut System,
    ltl: Ltl,
    /// The translations of subformulas of the present conjunct, by their places in memory: under `<->` each is needed
    /// both true and false.
    known: FxHashMap<(*const Formula, bool), LtlId>,
}

impl Translation<'_> {
    /// The formula (`positive`) or its negation, in negation normal form. Until the whole is translated, all formulas that
    /// are passed here have to stay where they are.
    fn formula(&mut self, formula: &Formula, positive: bool) -> LtlId {
        let key = (std::ptr::from_ref(formula), positive);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let id = self.translated(Normal::of(formula, positive));
        self.known.insert(key, id);
        id
    }

    fn translated(&mut self, normal: Normal) -> LtlId {
        match normal {
            Normal::Literal(literal, positive) => self.literal(literal, positive),
            Normal::Formula(formula, positive) => self.formula(formula, positive),
            Normal::All(list) => {
                let list: Vec<LtlId> = list.into_iter().map(|part| self.translated(part)).collect();
                self.ltl.and(self.system.terms_mut(), list)
            }
            Normal::Any(list) => {
                let list: Vec<LtlId> = list.into_iter().map(|part| self.translated(part)).collect();
                self.ltl.or(self.system.terms_mut(), list)
            }
            Normal::Next(formula, positive) => {
                let inner = self.formula(formula, positive);
                self.ltl.next(inner)
            }
            Normal::Until(a, b) => {
                let (a, b) = (self.translated(*a), self.translated(*b));
                self.ltl.until(self.system.terms(), a, b)
            }
            Normal::Release(a, b) => {
                let (a, b) = (self.translated(*a), self.translated(*b));
                self.ltl.release(self.system.terms(), a, b)
            }
        }
    }

    fn literal(&mut self, literal: Literal, positive: bool) -> LtlId {
        match self.atoms.literal(self.system, literal, positive) {
            Read::State(holds) => self.ltl.atom(holds),
            Read::Step(holds) => self.ltl.step_atom(holds),
        }
    }
}
