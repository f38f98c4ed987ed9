//! The product of a system with the negation of a property.
//!
//! A tableau of one-way obligations on steps: a bit per formula that is passed on to the next state
//! (untils that are put off, releases, bodies of `X`). A pending obligation implies its formula; what
//! the formula leaves for later is promised by an input, and a promise is only made when some pending
//! obligation needs it. The runs of the product on which every until is infinitely often not put off are
//! the runs of the system that satisfy the negation, with a choice of promises.
//!
//! An until that is the body of an `X` has a bit of its own for that: it may be demanded anew on every
//! step, and be fulfilled each time, so that being pending says nothing about being put off.
//!
//! Variables, inputs and events of the system keep their places; the obligations come after them.

use super::ltl::{Ltl, LtlId, LtlNode, Passed};
use crate::ts::system::{Case, Domain, Input, Origin, Parts, System, Variable};
use crate::ts::term::{InputId, Leaf, Sort, Term, Terms, VarId};
use rustc_hash::FxHashMap;

/// A system whose runs are the counterexamples.
#[derive(Clone, Debug)]
pub struct Product {
    /// The system with obligations.
    pub system: System,
    /// When a run is one.
    pub acceptance: Acceptance,
}

/// Which runs of a product are counterexamples.
#[derive(Clone, Debug)]
pub enum Acceptance {
    /// Those that reach a state with this property: nothing that comes later matters any more.
    Reach(Term),
    /// Those on which each of these state predicates holds infinitely often.
    Infinitely(Vec<Term>),
}

/// The product for a formula in negation normal form, over the system that its atoms belong to.
pub fn product(system: System, ltl: &Ltl, root: LtlId) -> Product {
    if let Some(bad) = reached_state(system.terms(), ltl, root) {
        return Product { system, acceptance: Acceptance::Reach(bad) };
    }
    let mut tableau = Tableau::new(system, ltl, root);
    let constraints: Vec<Term> = (0..tableau.bits.len()).map(|index| tableau.meaning(index)).collect();
    tableau.parts.constraints.extend(constraints);
    tableau.only_needed_promises();
    let acceptance = tableau.acceptance(root);
    Product { system: System::new(tableau.parts), acceptance }
}

/// `F b` for a state predicate b needs no tableau.
fn reached_state(terms: &Terms, ltl: &Ltl, root: LtlId) -> Option<Term> {
    let LtlNode::Until(a, b) = ltl.node(root) else { return None };
    match ltl.node(*b) {
        LtlNode::Atom(bad) if ltl.is(terms, *a, true) => Some(*bad),
        _ => None,
    }
}

struct Bit {
    passed: Passed,
    pending: Term,
    promised: Term,
    /// Obligations whose meaning has the promise.
    needed_by: Vec<Term>,
}

struct Tableau<'l> {
    parts: Parts,
    ltl: &'l Ltl,
    bits: Vec<Bit>,
    /// The conditions for formulas that were unfolded for the present bit.
    known: FxHashMap<LtlId, Term>,
}

impl<'l> Tableau<'l> {
    fn new(system: System, ltl: &'l Ltl, root: LtlId) -> Tableau<'l> {
        let mut tableau = Tableau { parts: system.into_parts(), ltl, bits: Vec::new(), known: FxHashMap::default() };
        for passed in ltl.obligations(root) {
            tableau.add_bit(passed, passed.formula == root);
        }
        tableau
    }

    fn add_bit(&mut self, passed: Passed, initially: bool) {
        let number = self.bits.len() as u32;
        let Parts { terms, variables, inputs, init, updates, .. } = &mut self.parts;
        let pending = terms.leaf(Leaf::Var(VarId(variables.len() as u32)), Sort::Bool, None);
        let promised = promise(terms, InputId(inputs.len() as u32));
        let name = format!("obligation-{number}");
        inputs.push(Input { name: format!("promise-{number}"), count: 2 });
        variables.push(Variable { name, origin: Origin::Obligation(number), sort: Sort::Bool, domain: Domain::Bool });
        init.push(if initially { pending } else { terms.not(pending) });
        let (yes, no, not_promised) = (terms.bool(true), terms.bool(false), terms.not(promised));
        updates.push(vec![Case { condition: promised, value: yes }, Case { condition: not_promised, value: no }]);
        self.bits.push(Bit { passed, pending, promised, needed_by: Vec::new() });
    }

    /// A pending obligation implies its formula.
    fn meaning(&mut self, index: usize) -> Term {
        let Bit { passed, pending, .. } = self.bits[index];
        self.known.clear();
        let holds = self.holds(passed.formula, pending);
        self.parts.terms.implies(pending, holds)
    }

    /// The condition on state and promises for a formula; notes that `whose` needs those promises.
    fn holds(&mut self, formula: LtlId, whose: Term) -> Term {
        if let Some(&known) = self.known.get(&formula) {
            return known;
        }
        let holds = self.unfolded(formula, whose);
        self.known.insert(formula, holds);
        holds
    }

    fn unfolded(&mut self, formula: LtlId, whose: Term) -> Term {
        match self.ltl.node(formula).clone() {
            LtlNode::Atom(term) | LtlNode::StepAtom(term) => term,
            LtlNode::And(list) => {
                let list: Vec<Term> = list.iter().map(|&x| self.holds(x, whose)).collect();
                self.parts.terms.and(list)
            }
            LtlNode::Or(list) => {
                let list: Vec<Term> = list.iter().map(|&x| self.holds(x, whose)).collect();
                self.parts.terms.or(list)
            }
            LtlNode::Next(a) => self.promise_of(Passed { formula: a, put_off: false }, whose),
            LtlNode::Until(a, b) => {
                let (a, b) = (self.holds(a, whose), self.holds(b, whose));
                let later = self.promise_of(Passed { formula, put_off: true }, whose);
                let waiting = self.parts.terms.and([a, later]);
                self.parts.terms.or([b, waiting])
            }
            LtlNode::Release(a, b) => {
                let (a, b) = (self.holds(a, whose), self.holds(b, whose));
                let later = self.promise_of(Passed { formula, put_off: false }, whose);
                let released = self.parts.terms.or([a, later]);
                self.parts.terms.and([b, released])
            }
        }
    }

    fn promise_of(&mut self, passed: Passed, whose: Term) -> Term {
        let bit = self.bits.iter_mut().find(|bit| bit.passed == passed).expect("what is passed on has a bit");
        bit.needed_by.push(whose);
        bit.promised
    }

    fn only_needed_promises(&mut self) {
        for bit in &self.bits {
            let needed = self.parts.terms.or(bit.needed_by.iter().copied());
            let constraint = self.parts.terms.implies(bit.promised, needed);
            self.parts.constraints.push(constraint);
        }
    }

    fn acceptance(&mut self, root: LtlId) -> Acceptance {
        let terms = &mut self.parts.terms;
        if self.ltl.is_cosafe(root) {
            let idle: Vec<Term> = self.bits.iter().map(|bit| terms.not(bit.pending)).collect();
            return Acceptance::Reach(terms.and(idle));
        }
        let untils = self.bits.iter().filter(|bit| bit.passed.put_off);
        Acceptance::Infinitely(untils.map(|bit| terms.not(bit.pending)).collect())
    }
}

/// That an input with two options says yes.
fn promise(terms: &mut Terms, input: InputId) -> Term {
    let leaf = terms.leaf(Leaf::Input(input), Sort::Enum(2), None);
    let yes = terms.constant_of_enum(1, 2);
    terms.eq(leaf, yes)
}
