//! The runs on which a formula is false, as a system of obligations: the construction on which checked proofs rest.
//!
//! Taken for granted are the system of the model with its predicates for atoms ([`crate::ts::atoms`]), their
//! simplification where variables have only one value ([`System::fold`]), the arena of terms, and the numbers of
//! subformulas.
//!
//! That a subformula f is true (false) *from here on* is a demand on the present state and step, and on *promises*
//! about the next state. Write ⟨..⟩ for a promise; the rules for what has to be false are dual:
//!
//! ```text
//! X f       ⟨f⟩
//! f U g     g | f & ⟨f U g stays pending⟩
//! f R g     g & (f | ⟨f R g⟩)
//! <<O>> f   O & ⟨f⟩
//! ```
//!
//! Each promise has a variable, true in the states where what was promised is *pending*. In every step
//!
//! 1. the demand of everything that is pending is met;
//! 2. a promise is made only if the demand of something pending mentions it;
//! 3. exactly what was promised is pending next,
//! 4. that an eventuality stays pending is promised only where its goal is false, if this can be told without promises.
//!
//! Initially the falsity of the whole formula is pending, and nothing else. An eventuality *stays pending* where it
//! could have been fulfilled in the state before, and was not. If the falsity of the whole formula is one, it counts as such in
//! the initial state: only what stays pending for ever matters.
//!
//! **Every run on which the formula is false is a run of this system on which no eventuality stays pending for ever.**
//! Given such a run, make each promise that rules 2 and 4 allow and that is true in the next state, but promise that an
//! eventuality stays pending only where it is true and its goal is not true yet. Then by induction over time everything
//! pending is true, and by induction over formulas the demand of what is true is met, because demands are monotone in
//! the promises. If an eventuality stayed pending for ever from some moment on, its goal would never be true from there
//! on; but at that moment it was pending and hence true, so its goal is true eventually, a contradiction.
//!
//! For an eventuality that is the body of an `X`, the promise is the eventuality as a whole. That is a different
//! promise from the one that it stays pending: it may be demanded anew in every step, and be fulfilled each time.
//!
//! If moreover nothing that has to go on for ever (`R`, `G`) is ever promised, then from some moment on nothing is
//! pending: each promise is about a smaller formula than the one that demands it, or keeps the same eventuality pending,
//! which ends.

use super::rounds::Auxiliary;
use crate::claim::branching::branchings;
use crate::model::normal::{Literal, Normal};
use crate::model::subformulas::{Obligation, subformulas};
use crate::model::{Formula, Model};
use crate::ts::atoms::{Atoms, Read};
use crate::ts::system::{Domain, Input, Origin, Parts, System, Variable};
use crate::ts::term::{InputId, Leaf, Sort, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A system whose runs, with a choice of promises, contain all those on which a formula is false.
#[derive(Clone, Debug)]
pub struct Negation {
    /// The system; the variables and inputs of obligations come after those of the model.
    pub system: System,
    /// The obligations that can be passed on, in the order of their variables.
    pub bits: Vec<Bit>,
    /// True if on each run that makes the formula false nothing is pending some day: a prefix shows that it is false.
    pub ends: bool,
    /// True if the falsity of the formula demands what is false.
    pub is_trivial: bool,
    /// The bit that is pending at first.
    initially: usize,
    /// The demand of each subformula that has to be true, or false.
    demands: FxHashMap<Obligation, Term>,
    /// Of obligations that a single bit stands for, the bit.
    wholes: FxHashMap<Obligation, usize>,
}

/// An obligation that is passed on from one state to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passed {
    /// The subformula that has to be true, or false, from there on.
    pub obligation: Obligation,
    /// True if it is an eventuality that could have been fulfilled before, and was not.
    pub is_eventuality: bool,
}

/// An obligation that can be passed on.
#[derive(Clone, Copy, Debug)]
pub struct Bit {
    /// The obligation that it was first made for.
    pub passed: Passed,
    /// That it is pending, over the state.
    pub pending: Term,
    /// Its demand while it is pending, with places for constants about steps.
    demand: Term,
    promise: Term,
    /// Of an eventuality the demand that ends it, if that mentions no promises.
    goal: Option<Term>,
    /// True if it is passed on until something releases it, which may never happen.
    kept: bool,
}

impl Negation {
    /// Of the runs of the model's system on which the formula is false. If that is an eventuality, it is pending at
    /// first.
    pub fn new(model: &Model, system: System, formula: &Formula) -> Negation {
        Negation::of(Builder::new(model, system, formula), formula)
    }

    /// The same of a formula about other runs, too: the system has a truth value for each of its branching formulas, which every
    /// step may change, before the obligations.
    pub fn labelled(model: &Model, system: System, formula: &Formula) -> Negation {
        let mut parts = system.into_parts();
        let mut labels = FxHashMap::default();
        for (branching, number) in branchings(formula).into_iter().zip(0..) {
            let id = VarId(parts.variables.len() as u32);
            let (name, origin) = (format!("label-{number}"), Origin::Free(number));
            parts.variables.push(Variable { name, origin, sort: Sort::Bool, domain: Domain::Bool });
            parts.updates.push(Vec::new());
            labels.insert(branching, id);
        }
        let mut builder = Builder::new(model, System::new(parts), formula);
        builder.atoms = builder.atoms.labelled(labels);
        Negation::of(builder, formula)
    }

    fn of<'f>(mut builder: Builder<'f>, formula: &'f Formula) -> Negation {
        let root = builder.demand(formula, false);
        builder.finish(formula, root)
    }

    /// For each formula, true if its negation [ends](Negation::ends).
    pub fn endings(model: &Model, mut system: System, formulas: &[Formula]) -> Vec<bool> {
        let mut endings = Vec::with_capacity(formulas.len());
        for formula in formulas {
            let mut builder = Builder::new(model, system, formula);
            let root = builder.demand(formula, false);
            endings.push(builder.start(formula, root).ends);
            system = builder.system;
        }
        endings
    }

    /// The system with the state predicate that is always false if the formula is one of the kind `G p` or `!F p`: of
    /// which the negation says that a state is reached that violates p.
    pub fn invariance(model: &Model, system: System, formula: &Formula) -> Option<(System, Term)> {
        let mut builder = Builder::new(model, system, formula);
        let root = builder.demand(formula, false);
        let always = builder.system.terms_mut().bool(true);
        let goal = builder.untils.iter().find(|((stay, _), demand)| *stay == always && **demand == root);
        let goal = goal.map(|((_, goal), _)| *goal).filter(|&goal| builder.system.terms().is_of_state(goal))?;
        Some((builder.system, goal))
    }

    /// The meanings of the variables of obligations, in their order.
    pub fn auxiliaries(&self) -> Vec<Auxiliary> {
        self.bits.iter().map(|bit| Auxiliary::Pending(bit.passed)).collect()
    }

    /// That an eventuality stays pending, for each one.
    pub fn pending_eventualities(&self) -> Vec<Term> {
        self.bits.iter().filter(|bit| bit.passed.is_eventuality).map(|bit| bit.pending).collect()
    }

    /// The number of the obligation that is passed on as this, if one is.
    pub fn bit(&self, passed: Passed) -> Option<usize> {
        let demand = self.demands.get(&passed.obligation);
        let demands = |bit: &Bit| Some(&bit.demand) == demand;
        if passed.is_eventuality {
            return self.bits.iter().position(|bit| bit.passed.is_eventuality && demands(bit));
        }
        // At first the falsity of the formula as a whole is pending, whatever it is called.
        let first = Some(self.initially).filter(|&bit| demands(&self.bits[bit]));
        self.wholes.get(&passed.obligation).copied().or(first)
    }
}

/// The beginning of runs.
struct Start {
    /// The bit that is pending at first.
    initially: usize,
    /// For each bit those that its demand mentions.
    mentions: Vec<FxHashSet<usize>>,
    /// See [`Negation::ends`].
    ends: bool,
}

struct Builder<'f> {
    atoms: Atoms<'f>,
    system: System,
    /// The first input for a promise.
    first: u32,
    numbers: FxHashMap<&'f Formula, u32>,
    demands: FxHashMap<Obligation, Term>,
    /// Eventualities, and what is kept, by what they are made of.
    untils: FxHashMap<(Term, Term), Term>,
    releases: FxHashMap<(Term, Term), usize>,
    wholes: FxHashMap<Obligation, usize>,
    bits: Vec<Bit>,
    /// Predicates over steps, and conjunctions and disjunctions of nothing else.
    of_steps: FxHashSet<Term>,
    /// The members of conjunctions (`true`) and disjunctions.
    junctions: FxHashMap<(Term, bool), Vec<Term>>,
}

impl<'f> Builder<'f> {
    fn new(model: &'f Model, system: System, formula: &'f Formula) -> Builder<'f> {
        Builder {
            atoms: Atoms::new(model),
            first: system.inputs().len() as u32,
            system,
            numbers: subformulas(formula).into_iter().zip(0..).collect(),
            demands: FxHashMap::default(),
            untils: FxHashMap::default(),
            releases: FxHashMap::default(),
            wholes: FxHashMap::default(),
            bits: Vec::new(),
            of_steps: FxHashSet::default(),
            junctions: FxHashMap::default(),
        }
    }

    fn obligation(&self, formula: &Formula, truth: bool) -> Obligation {
        Obligation { subformula: self.numbers[formula], truth }
    }

    /// The demand that a formula is true, or false, from here on.
    fn demand(&mut self, formula: &'f Formula, truth: bool) -> Term {
        let obligation = self.obligation(formula, truth);
        if let Some(&known) = self.demands.get(&obligation) {
            return known;
        }
        let demand = self.unfold(formula, obligation);
        self.demands.insert(obligation, demand);
        // Of `!f` this is the obligation of f.
        if let Formula::Not(inner) = formula {
            let inner = self.obligation(inner, !truth);
            if let Some(&bit) = self.wholes.get(&inner) {
                self.wholes.insert(obligation, bit);
            }
        }
        demand
    }

    fn unfold(&mut self, formula: &'f Formula, this: Obligation) -> Term {
        self.demanded(Normal::of(formula, this.truth), this)
    }

    /// The demand of a normal form whose fixpoint, if it has one, is the obligation as a whole.
    fn demanded(&mut self, normal: Normal<'f>, this: Obligation) -> Term {
        match normal {
            Normal::Literal(literal, truth) => self.literal(literal, truth),
            Normal::Formula(formula, truth) => self.demand(formula, truth),
            Normal::All(list) => {
                let list = list.into_iter().map(|part| self.demanded(part, this)).collect();
                self.junction(list, true)
            }
            Normal::Any(list) => {
                let list = list.into_iter().map(|part| self.demanded(part, this)).collect();
                self.junction(list, false)
            }
            Normal::Next(formula, truth) => self.next(formula, truth),
            Normal::Until(a, b) => {
                let (a, b) = (self.demanded(*a, this), self.demanded(*b, this));
                self.until(a, b, this)
            }
            Normal::Release(a, b) => {
                let (a, b) = (self.demanded(*a, this), self.demanded(*b, this));
                self.release(a, b, this)
            }
        }
    }

    /// A literal as a predicate over the state, or over state and step; variables with one value only do not count.
    fn literal(&mut self, literal: Literal, truth: bool) -> Term {
        match self.atoms.literal(&mut self.system, literal, truth) {
            Read::State(holds) => holds,
            Read::Step(holds) => self.of_step(holds),
        }
    }

    /// A predicate over steps, with a place for constants. One that is true of every step, or of none, still needs a step:
    /// the runs that are found have to show what they violate without knowing that.
    fn of_step(&mut self, holds: Term) -> Term {
        let terms = self.system.terms_mut();
        let value = terms.is_true(holds);
        let is_constant = value || terms.is_false(holds);
        let holds = if is_constant { terms.leaf(Leaf::Input(constant(value)), Sort::Bool, None) } else { holds };
        self.of_steps.insert(holds);
        holds
    }

    /// A conjunction if `all`, else a disjunction. Its part about the step is one predicate, in which constants count
    /// as such: they decide nothing but this predicate.
    fn junction(&mut self, list: Vec<Term>, all: bool) -> Term {
        let flat = |term: &Term| self.junctions.get(&(*term, all)).cloned().unwrap_or_else(|| vec![*term]);
        let members: Vec<Term> = list.iter().flat_map(flat).collect();
        let (of_steps, mut others): (Vec<Term>, Vec<Term>) =
            members.into_iter().partition(|term| self.of_steps.contains(term));
        if !of_steps.is_empty() {
            let terms = self.system.terms_mut();
            let of_steps = of_steps.into_iter().map(|term| with_constants(terms, term)).collect();
            let of_step = joined(terms, of_steps, all);
            others.push(self.of_step(of_step));
        }
        let junction = joined(self.system.terms_mut(), others.clone(), all);
        self.junctions.insert((junction, all), others);
        junction
    }

    /// The promise that a formula is true, or false, from the next state on.
    fn next(&mut self, formula: &'f Formula, truth: bool) -> Term {
        let demand = self.demand(formula, truth);
        let obligation = self.obligation(formula, truth);
        let bit = self.whole(obligation, demand);
        self.bits[bit].promise
    }

    /// The obligation with this demand that is no pending eventuality. One that is kept is such an obligation, too; but where the
    /// demand is nothing but a promise, `X f` may have it as well as f.
    fn whole(&mut self, obligation: Obligation, demand: Term) -> usize {
        if let Some(&known) = self.wholes.get(&obligation) {
            return known;
        }
        let promises = self.bits.iter().any(|bit| bit.promise == demand);
        let fits = |bit: &Bit| !bit.passed.is_eventuality && bit.demand == demand && !(promises && bit.kept);
        let bit = self.bits.iter().position(fits).unwrap_or_else(|| self.new_whole(obligation, demand));
        self.wholes.insert(obligation, bit);
        bit
    }

    fn new_whole(&mut self, obligation: Obligation, demand: Term) -> usize {
        let bit = self.bit(obligation, false);
        self.bits[bit].demand = demand;
        bit
    }

    /// `goal | stay & ⟨stays pending⟩`
    fn until(&mut self, stay: Term, goal: Term, this: Obligation) -> Term {
        if let Some(&known) = self.untils.get(&(stay, goal)) {
            return known;
        }
        let bit = self.bit(this, true);
        let waiting = self.junction(vec![stay, self.bits[bit].promise], true);
        let demand = self.junction(vec![goal, waiting], false);
        self.bits[bit].demand = demand;
        self.bits[bit].goal = Some(goal).filter(|goal| self.mentioned(*goal).is_empty());
        self.untils.insert((stay, goal), demand);
        demand
    }

    /// `always & (exit | ⟨this⟩)`
    fn release(&mut self, exit: Term, always: Term, this: Obligation) -> Term {
        if let Some(&bit) = self.releases.get(&(exit, always)) {
            self.wholes.insert(this, bit);
            return self.bits[bit].demand;
        }
        let bit = self.bit(this, false);
        self.wholes.insert(this, bit);
        let going_on = self.junction(vec![exit, self.bits[bit].promise], false);
        let demand = self.junction(vec![always, going_on], true);
        self.bits[bit].demand = demand;
        // Constants may have made it something that is over at once.
        self.bits[bit].kept = self.mentioned(demand).contains(&bit);
        self.releases.insert((exit, always), bit);
        demand
    }

    /// A new obligation; what it demands is not known yet.
    fn bit(&mut self, obligation: Obligation, is_eventuality: bool) -> usize {
        let number = self.bits.len() as u32;
        let variable = VarId(self.system.variables().len() as u32 + number);
        let terms = self.system.terms_mut();
        let made = terms.leaf(Leaf::Input(InputId(self.first + number)), Sort::Enum(2), None);
        let yes = terms.constant_of_enum(1, 2);
        let promise = terms.eq(made, yes);
        let pending = terms.leaf(Leaf::Var(variable), Sort::Bool, None);
        let passed = Passed { obligation, is_eventuality };
        self.bits.push(Bit { passed, pending, demand: pending, promise, goal: None, kept: false });
        self.bits.len() - 1
    }

    fn start(&mut self, formula: &Formula, root: Term) -> Start {
        let falsity = self.obligation(formula, false);
        let pending = self.bits.iter().position(|bit| bit.passed.is_eventuality && bit.demand == root);
        let known = pending.or_else(|| self.wholes.get(&falsity).copied());
        let initially = known.unwrap_or_else(|| self.new_whole(falsity, root));
        let mentions: Vec<FxHashSet<usize>> = self.bits.iter().map(|bit| self.mentioned(bit.demand)).collect();
        let ends = closure(initially, &mentions).into_iter().all(|bit| !self.bits[bit].kept);
        Start { initially, mentions, ends }
    }

    fn finish(mut self, formula: &Formula, root: Term) -> Negation {
        let Start { initially, mentions, ends } = self.start(formula, root);
        let mut parts = self.system.into_parts();
        let mut is_trivial = false;
        for (number, bit) in self.bits.iter().enumerate() {
            let mentioning = self.bits.iter().zip(&mentions).filter(|(_, mentioned)| mentioned.contains(&number));
            let needed = mentioning.map(|(bit, _)| bit.pending).collect();
            let demand = with_constants(&mut parts.terms, bit.demand);
            is_trivial |= number == initially && parts.terms.is_false(demand);
            let goal = bit.goal.map(|goal| with_constants(&mut parts.terms, goal));
            pass_on(&mut parts, number, Bit { demand, goal, ..*bit }, number == initially, needed);
        }
        let (system, wholes) = (System::new(parts), self.wholes);
        Negation { system, bits: self.bits, ends, is_trivial, initially, demands: self.demands, wholes }
    }

    /// The promises that a demand mentions.
    fn mentioned(&self, demand: Term) -> FxHashSet<usize> {
        let mut mentioned = FxHashSet::default();
        self.system.terms().collect_leaves(demand, &mut FxHashSet::default(), &mut |leaf| {
            if let Leaf::Input(InputId(id)) = leaf {
                let bit = id.checked_sub(self.first).map(|bit| bit as usize);
                mentioned.extend(bit.filter(|&bit| bit < self.bits.len()));
            }
        });
        mentioned
    }
}

/// A conjunction if `all`, else a disjunction.
fn joined(terms: &mut Terms, list: Vec<Term>, all: bool) -> Term {
    if all { terms.and(list) } else { terms.or(list) }
}

/// The place of a constant about steps: between the inputs, which are few, and those places of the lowering that are no
/// inputs either, which are counted down from the greatest number.
fn constant(value: bool) -> InputId {
    InputId(u32::MAX / 2 + u32::from(value))
}

/// A demand with the constants in their places.
fn with_constants(terms: &mut Terms, demand: Term) -> Term {
    let mut replace = |terms: &mut Terms, leaf: Leaf| {
        let value = [false, true].into_iter().find(|&value| leaf == Leaf::Input(constant(value)))?;
        Some(terms.bool(value))
    };
    terms.substitute(demand, &mut replace, &mut FxHashMap::default())
}

/// The bits that can be promised after this one.
fn closure(initially: usize, mentions: &[FxHashSet<usize>]) -> FxHashSet<usize> {
    let (mut found, mut work) = (FxHashSet::default(), vec![initially]);
    while let Some(bit) = work.pop() {
        if found.insert(bit) {
            work.extend(&mentions[bit]);
        }
    }
    found
}

/// Variable, input and rules of an obligation; `needed` are those of which the demand mentions it.
fn pass_on(parts: &mut Parts, number: usize, bit: Bit, initially: bool, needed: Vec<Term>) {
    parts.inputs.push(Input { name: format!("promise-{number}"), count: 2, owner: None });
    let name = format!("obligation-{number}");
    let (pending, id) = parts.add_flag(name, Origin::Obligation(number as u32), initially);
    assert_eq!(pending, bit.pending);
    parts.becomes(id, bit.promise);
    let needed = parts.terms.or(needed);
    parts.constraints.push(parts.terms.implies(bit.pending, bit.demand));
    parts.constraints.push(parts.terms.implies(bit.promise, needed));
    if let Some(goal) = bit.goal {
        let open = parts.terms.not(goal);
        parts.constraints.push(parts.terms.implies(bit.promise, open));
    }
}
