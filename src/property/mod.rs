//! From specs to temporal properties of a transition system.
//!
//! Observations and the labels of sends, gets and supplies become predicates over state *and event*
//! of the current step, not variables; `<<O>> f` is then `O & X f`. Labels of receives are history
//! variables ([`crate::ts::history`]). What remains is linear temporal logic over such predicates,
//! in negation normal form and hash-consed ([`ltl`]). Conjunctions are split first: each part is a
//! property of its own, and usually a much smaller one.

pub mod ltl;
mod meaning;
pub mod reduction;
pub mod tableau;

use crate::model::{Formula, Model, Observation, Spec};
use crate::ts::atoms::{Atoms, Label};
use crate::ts::system::System;
use crate::ts::term::Term;
use ltl::{Ltl, LtlId};
use meaning::Meanings;
pub use meaning::auxiliaries;
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
        let mut translation = Translation::new(model, system);
        let parts = translation.property(spec);
        Property { ltl: translation.ltl, parts }
    }
}

struct Translation<'a> {
    atoms: Atoms<'a>,
    system: &'a mut System,
    ltl: Ltl,
    /// What the formulas are made of, if somebody wants to know.
    meanings: Option<Meanings<'a>>,
    /// What subformulas of the present conjunct became, by their places in memory: under `<->` each is needed both true
    /// and false.
    known: FxHashMap<(*const Formula, bool), LtlId>,
}

impl<'a> Translation<'a> {
    fn new(model: &'a Model, system: &'a mut System) -> Translation<'a> {
        Translation { atoms: Atoms::new(model), system, ltl: Ltl::new(), meanings: None, known: FxHashMap::default() }
    }

    fn property(&mut self, spec: &Spec) -> Vec<Part> {
        let conjuncts = spec.formula.conjuncts().into_iter();
        conjuncts.map(|formula| Part { negation: self.whole(&formula, false), formula }).collect()
    }

    /// A formula that is no part of another, or its negation.
    fn whole(&mut self, formula: &Formula, positive: bool) -> LtlId {
        self.known.clear();
        self.formula(formula, positive)
    }

    /// The formula (`positive`) or its negation, in negation normal form. Until the whole is translated, all formulas that
    /// are passed here have to stay where they are.
    fn formula(&mut self, formula: &Formula, positive: bool) -> LtlId {
        let key = (std::ptr::from_ref(formula), positive);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let id = self.translated(formula, positive);
        self.known.insert(key, id);
        if let Some(meanings) = &mut self.meanings {
            meanings.note(formula, positive, id);
        }
        id
    }

    fn translated(&mut self, formula: &Formula, positive: bool) -> LtlId {
        match formula {
            Formula::Atom(expr) => {
                let term = self.atoms.state(self.system, expr);
                self.atom(term, positive)
            }
            Formula::Label(instance, edge) => match self.atoms.label(self.system, *instance, *edge) {
                Label::Received(term) => self.atom(term, positive),
                Label::Taken(term) => self.step_atom(term, positive),
            },
            Formula::Not(inner) => self.formula(inner, !positive),
            Formula::And(list) => self.junction(list, positive, positive),
            Formula::Or(list) => self.junction(list, !positive, positive),
            Formula::Implies(a, b) => {
                let (a, b) = (self.formula(a, !positive), self.formula(b, positive));
                if positive {
                    self.ltl.or(self.system.terms_mut(), [a, b])
                } else {
                    self.ltl.and(self.system.terms_mut(), [a, b])
                }
            }
            Formula::Iff(a, b) => self.iff(a, b, positive),
            Formula::Next(inner) => {
                let inner = self.formula(inner, positive);
                self.ltl.next(inner)
            }
            Formula::Finally(inner) => self.eventually(inner, positive),
            Formula::Globally(inner) => self.eventually_not(inner, positive),
            Formula::Until(a, b) => self.until(a, b, positive),
            Formula::Release(a, b) => self.release(a, b, positive),
            Formula::WeakUntil(a, b) => self.weak_until(a, b, positive),
            Formula::Possible(observation, body) => self.observed(observation, body, true, positive),
            Formula::Necessary(observation, body) => self.observed(observation, body, false, positive),
        }
    }

    fn atom(&mut self, term: Term, positive: bool) -> LtlId {
        let term = self.literal(term, positive);
        self.ltl.atom(term)
    }

    fn step_atom(&mut self, term: Term, positive: bool) -> LtlId {
        let term = self.literal(term, positive);
        self.ltl.step_atom(term)
    }

    fn literal(&mut self, term: Term, positive: bool) -> Term {
        let term = self.system.fold(term);
        if positive { term } else { self.system.terms_mut().not(term) }
    }

    /// A conjunction if `all`, else a disjunction, of the formulas (`positive`) or their negations.
    fn junction(&mut self, list: &[Formula], all: bool, positive: bool) -> LtlId {
        let list: Vec<LtlId> = list.iter().map(|formula| self.formula(formula, positive)).collect();
        let terms = self.system.terms_mut();
        if all { self.ltl.and(terms, list) } else { self.ltl.or(terms, list) }
    }

    fn iff(&mut self, a: &Formula, b: &Formula, positive: bool) -> LtlId {
        let (a_yes, a_no) = (self.formula(a, true), self.formula(a, false));
        let (b_same, b_other) = (self.formula(b, positive), self.formula(b, !positive));
        let terms = self.system.terms_mut();
        let both = self.ltl.and(terms, [a_yes, b_same]);
        let neither = self.ltl.and(terms, [a_no, b_other]);
        self.ltl.or(terms, [both, neither])
    }

    fn eventually(&mut self, inner: &Formula, positive: bool) -> LtlId {
        let inner = self.formula(inner, positive);
        let terms = self.system.terms_mut();
        if positive { self.ltl.finally(terms, inner) } else { self.ltl.globally(terms, inner) }
    }

    fn eventually_not(&mut self, inner: &Formula, positive: bool) -> LtlId {
        let inner = self.formula(inner, positive);
        let terms = self.system.terms_mut();
        if positive { self.ltl.globally(terms, inner) } else { self.ltl.finally(terms, inner) }
    }

    fn until(&mut self, a: &Formula, b: &Formula, positive: bool) -> LtlId {
        let (a, b) = (self.formula(a, positive), self.formula(b, positive));
        let terms = self.system.terms();
        if positive { self.ltl.until(terms, a, b) } else { self.ltl.release(terms, a, b) }
    }

    fn release(&mut self, a: &Formula, b: &Formula, positive: bool) -> LtlId {
        let (a, b) = (self.formula(a, positive), self.formula(b, positive));
        let terms = self.system.terms();
        if positive { self.ltl.release(terms, a, b) } else { self.ltl.until(terms, a, b) }
    }

    /// `a W b` is `b R (a | b)`.
    fn weak_until(&mut self, a: &Formula, b: &Formula, positive: bool) -> LtlId {
        let (b_id, a_id) = (self.formula(b, positive), self.formula(a, positive));
        let terms = self.system.terms_mut();
        let either = if positive { self.ltl.or(terms, [a_id, b_id]) } else { self.ltl.and(terms, [a_id, b_id]) };
        if let Some(meanings) = &mut self.meanings {
            meanings.note(&Formula::Or(vec![a.clone(), b.clone()]), positive, either);
        }
        let terms = self.system.terms();
        if positive { self.ltl.release(terms, b_id, either) } else { self.ltl.until(terms, b_id, either) }
    }

    /// `<<O>> f` is `O & X f` (`possible`), `[[O]] f` is `O -> X f`.
    fn observed(&mut self, observation: &Observation, body: &Formula, possible: bool, positive: bool) -> LtlId {
        let seen = self.atoms.observed(self.system, observation);
        let seen = self.step_atom(seen, possible == positive);
        let body = self.formula(body, positive);
        let next = self.ltl.next(body);
        let terms = self.system.terms_mut();
        if possible == positive { self.ltl.and(terms, [seen, next]) } else { self.ltl.or(terms, [seen, next]) }
    }
}
