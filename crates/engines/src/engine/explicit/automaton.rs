//! The runs that make a formula false, as a generalised Büchi automaton over steps.
//!
//! A state of the automaton is a set of *obligations*: subformulas that have to be true, or false, from
//! the present position on. Obligations are one-way: nothing is promised without need. Given what the
//! atoms say of the present state and step, the set unfolds into alternative sets for the next position;
//! of these only the minimal ones are kept, since whatever satisfies a set satisfies its subsets. A run
//! that fulfils every *eventuality* (a `U`, say) that it unfolds, sooner or later, makes all obligations
//! true: on infinitely many steps of an accepting path each eventuality is not *pending*.
//!
//! Labels of receives belong to the step before, so that they are part of the product's states.

use super::components::Marks;
use super::conditions::Condition;
use crate::limits::ticks;
use crate::model::eval::tables::{Fact, Facts};
use crate::model::normal::{Literal, Normal};
use crate::model::subformulas::{Obligation, subformulas};
use crate::model::{Formula, Model};
use crate::records::bits;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct NodeId(usize);

/// A formula in negation normal form.
#[derive(Clone, Debug)]
enum Nnf {
    Literal {
        atom: usize,
        positive: bool,
    },
    /// Empty is true.
    All(Vec<NodeId>),
    /// Empty is false.
    Any(Vec<NodeId>),
    Next(NodeId),
    /// The least solution of `self = goal | (stay & X self)`: an eventuality.
    Reach {
        stay: NodeId,
        goal: NodeId,
    },
    /// The greatest solution of `self = always & (exit | X self)`.
    Keep {
        always: NodeId,
        exit: NodeId,
    },
}

/// The automaton of the negation of one conjunct.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    nodes: Vec<Nnf>,
    /// The meanings of the nodes in terms of the conjunct; helpers have none and never become obligations alone.
    origins: Vec<Option<Obligation>>,
    /// The nodes that are eventualities.
    eventualities: Vec<NodeId>,
    /// The obligations at the start of a run, but for conditions.
    initial: Vec<NodeId>,
    /// The conditions that have to be met again and again, besides.
    conditions: Vec<Condition>,
}

impl Automaton {
    /// The automaton of the runs on which the formula is false; adds its atoms to those known.
    pub fn of_negation<'f>(model: &Model, formula: &'f Formula, atoms: &mut Facts<'f>) -> Automaton {
        let index = subformulas(formula).into_iter().zip(0..).collect();
        let automaton = Automaton::default();
        let mut compiler = Compiler { model, atoms, index, known: FxHashMap::default(), automaton };
        compiler.begin(formula, false);
        compiler.automaton
    }

    /// The width of sets of obligations, in words.
    pub fn set_words(&self) -> usize {
        bits::words(self.nodes.len())
    }

    /// The marks that decide if a cycle is accepting.
    pub fn marks(&self) -> Marks {
        Marks { eventualities: self.eventualities.len(), conditions: self.conditions.len(), moves: false }
    }

    /// The conditions in terms of the conjunct, each once.
    pub fn conditions(&self) -> impl Iterator<Item = Obligation> {
        self.conditions.iter().map(|condition| condition.origin)
    }

    /// Which facts must be the same of states that stand for each other: all but those that conditions alone read of the state
    /// and the step from there.
    pub fn fixed_facts(&self, facts: &Facts) -> Vec<u64> {
        let mut mask = self.mask(facts, |fact| matches!(fact, Fact::Received(..)));
        for node in &self.nodes {
            if let Nnf::Literal { atom, .. } = node {
                bits::set(&mut mask, *atom);
            }
        }
        mask
    }

    /// A condition in terms of the conjunct.
    pub fn condition(&self, index: usize) -> Obligation {
        self.conditions[index].origin
    }

    /// An eventuality in terms of the conjunct.
    pub fn eventuality(&self, index: usize) -> Obligation {
        self.origins[self.eventualities[index].0].expect("eventualities are subformulas")
    }

    /// A set of obligations in terms of the conjunct, ascending.
    pub fn obligations(&self, set: &[u64]) -> Vec<Obligation> {
        let origin = |node: usize| self.origins[node].expect("obligations are subformulas");
        let mut list: Vec<Obligation> = bits::iter(set).map(origin).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// True if every accepted run has a finite prefix that shows it: nothing has to hold for ever.
    pub fn is_cosafe(&self) -> bool {
        self.conditions.is_empty() && !self.nodes.iter().any(|node| matches!(node, Nnf::Keep { .. }))
    }

    /// The obligations at the start of a run.
    pub fn initial(&self) -> Vec<u64> {
        let mut set = vec![0; self.set_words()];
        self.initial.iter().for_each(|node| bits::set(&mut set, node.0));
        set
    }

    /// Which atoms occur that satisfy the predicate, as bits.
    pub fn mask(&self, atoms: &Facts, select: impl Fn(&Fact) -> bool) -> Vec<u64> {
        let mut mask = vec![0; bits::words(atoms.list().len())];
        for node in &self.nodes {
            if let Nnf::Literal { atom, .. } = node
                && select(&atoms.list()[*atom])
            {
                bits::set(&mut mask, *atom);
            }
        }
        for condition in &self.conditions {
            condition.facts(|atom| {
                if select(&atoms.list()[atom]) {
                    bits::set(&mut mask, atom);
                }
            });
        }
        mask
    }

    /// The minimal alternatives of a set under a letter.
    pub fn unfold(&self, set: &[u64], letter: &[u64]) -> Vec<Alternative> {
        let mut unfolding = Unfolding { automaton: self, letter, known: FxHashMap::default() };
        let mut all = vec![self.nothing()];
        for node in bits::iter(set) {
            all = both(&all, &unfolding.node(NodeId(node)));
        }
        let marks = self.marks();
        for (index, condition) in self.conditions.iter().enumerate() {
            let (requested, answered) = condition.at(letter);
            let bits = [(marks.requested(index), requested), (marks.unanswered(index), !answered)];
            for (bit, _) in bits.into_iter().filter(|(_, is_set)| *is_set) {
                all.iter_mut().for_each(|alternative| bits::set(&mut alternative.marks, bit));
            }
        }
        all
    }

    /// True if the atoms of the state alone (those in `known`) satisfy the obligations, whatever
    /// happens from here on.
    pub fn satisfied(&self, set: &[u64], letter: &[u64], known: &[u64]) -> bool {
        if !self.conditions.is_empty() {
            return false;
        }
        // The parts of a node were made before it.
        let mut found: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let satisfied = |node: &NodeId| found[node.0];
            found.push(match node {
                Nnf::Literal { atom, positive } => bits::get(known, *atom) && bits::get(letter, *atom) == *positive,
                Nnf::All(list) => list.iter().all(satisfied),
                Nnf::Any(list) => list.iter().any(satisfied),
                Nnf::Next(_) => false,
                Nnf::Reach { goal, .. } => satisfied(goal),
                Nnf::Keep { always, exit } => satisfied(always) && satisfied(exit),
            });
        }
        bits::iter(set).all(|node| found[node])
    }

    fn nothing(&self) -> Alternative {
        Alternative { next: vec![0; self.set_words()], marks: vec![0; self.marks().words()] }
    }

    /// The node as an obligation of the next position. One that only joins subformulas is taken apart.
    fn demand(&self, node: NodeId, next: &mut [u64]) {
        match &self.nodes[node.0] {
            Nnf::All(list) if list.iter().all(|part| self.origins[part.0].is_some()) => {
                list.iter().for_each(|part| self.demand(*part, next));
            }
            _ => bits::set(next, node.0),
        }
    }
}

/// A way to go on with a set of obligations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The obligations of the next position.
    pub next: Vec<u64>,
    /// The eventualities that are pending, and what is said of conditions.
    pub marks: Vec<u64>,
}

impl Alternative {
    fn is_within(&self, other: &Alternative) -> bool {
        bits::subset(&self.next, &other.next) && bits::subset(&self.marks, &other.marks)
    }
}

/// The minimal ones of the joined pairs.
fn both(left: &[Alternative], right: &[Alternative]) -> Vec<Alternative> {
    let join = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a | b).collect();
    let pairs = left.iter().flat_map(|a| {
        right.iter().map(move |b| Alternative { next: join(&a.next, &b.next), marks: join(&a.marks, &b.marks) })
    });
    minimal(pairs)
}

fn minimal(all: impl IntoIterator<Item = Alternative>) -> Vec<Alternative> {
    let mut kept: Vec<Alternative> = Vec::new();
    for alternative in all {
        ticks(kept.len() + 1);
        if !kept.iter().any(|other| other.is_within(&alternative)) {
            kept.retain(|other| !alternative.is_within(other));
            kept.push(alternative);
        }
    }
    kept
}

/// Unfolds nodes under one letter.
struct Unfolding<'a> {
    automaton: &'a Automaton,
    letter: &'a [u64],
    known: FxHashMap<NodeId, Vec<Alternative>>,
}

impl Unfolding<'_> {
    fn node(&mut self, node: NodeId) -> Vec<Alternative> {
        if let Some(known) = self.known.get(&node) {
            return known.clone();
        }
        let alternatives = self.unfold(node);
        self.known.insert(node, alternatives.clone());
        alternatives
    }

    fn unfold(&mut self, node: NodeId) -> Vec<Alternative> {
        let automaton = self.automaton;
        match &automaton.nodes[node.0] {
            Nnf::Literal { atom, positive } if bits::get(self.letter, *atom) == *positive => vec![automaton.nothing()],
            Nnf::Literal { .. } => Vec::new(),
            Nnf::All(list) => {
                let mut all = vec![automaton.nothing()];
                for part in list {
                    all = both(&all, &self.node(*part));
                    if all.is_empty() {
                        break;
                    }
                }
                all
            }
            Nnf::Any(list) => minimal(list.iter().flat_map(|part| self.node(*part)).collect::<Vec<_>>()),
            Nnf::Next(inner) => vec![self.later(*inner)],
            Nnf::Reach { stay, goal } => {
                let mut pending = self.later(node);
                let index = automaton.eventualities.iter().position(|other| *other == node);
                bits::set(&mut pending.marks, index.expect("it is an eventuality"));
                let stays = both(&self.node(*stay), &[pending]);
                minimal(self.node(*goal).into_iter().chain(stays))
            }
            Nnf::Keep { always, exit } => {
                let later = self.later(node);
                let goes_on = minimal(self.node(*exit).into_iter().chain([later]));
                both(&self.node(*always), &goes_on)
            }
        }
    }

    fn later(&self, node: NodeId) -> Alternative {
        let mut alternative = self.automaton.nothing();
        self.automaton.demand(node, &mut alternative.next);
        alternative
    }
}

/// Builds the nodes of signed subformulas.
pub struct Compiler<'c, 'f> {
    model: &'c Model,
    atoms: &'c mut Facts<'f>,
    index: FxHashMap<&'f Formula, u32>,
    known: FxHashMap<Obligation, NodeId>,
    automaton: Automaton,
}

impl<'f> Compiler<'_, 'f> {
    /// Adds the obligations and conditions that make the formula true or false on a run, part by part.
    fn begin(&mut self, formula: &'f Formula, truth: bool) {
        if let Some(condition) = self.condition(formula, truth) {
            if self.automaton.conditions().all(|known| known != condition.origin) {
                self.automaton.conditions.push(condition);
            }
            return;
        }
        match (formula, truth) {
            (Formula::Not(inner), truth) => self.begin(inner, !truth),
            (Formula::And(list), true) | (Formula::Or(list), false) => {
                list.iter().for_each(|part| self.begin(part, truth));
            }
            (formula, truth) => {
                let node = self.node(formula, truth);
                self.automaton.initial.push(node);
            }
        }
    }

    /// The obligation that a subformula is true, or false.
    pub fn origin(&self, formula: &Formula, truth: bool) -> Obligation {
        Obligation { subformula: self.index[formula], truth }
    }

    /// The number of the fact that an atom, a label or an observation is.
    pub fn fact(&mut self, formula: &'f Formula) -> Option<usize> {
        Literal::of(formula).map(|literal| self.atom(literal))
    }

    /// That the formula is true (`positive`) or false.
    fn node(&mut self, formula: &'f Formula, positive: bool) -> NodeId {
        let origin = self.origin(formula, positive);
        if let Some(node) = self.known.get(&origin) {
            return *node;
        }
        let made = self.made(Normal::of(formula, positive));
        let eventuality = matches!(made, Nnf::Reach { .. });
        let node = self.add(made, Some(origin));
        if eventuality {
            self.automaton.eventualities.push(node);
        }
        self.known.insert(origin, node);
        node
    }

    fn made(&mut self, normal: Normal<'f>) -> Nnf {
        match normal {
            Normal::Literal(literal, positive) => Nnf::Literal { atom: self.atom(literal), positive },
            Normal::Formula(formula, positive) => Nnf::All(vec![self.node(formula, positive)]),
            Normal::All(list) => Nnf::All(list.into_iter().map(|part| self.part(part)).collect()),
            Normal::Any(list) => Nnf::Any(list.into_iter().map(|part| self.part(part)).collect()),
            Normal::Next(formula, positive) => Nnf::Next(self.node(formula, positive)),
            Normal::Until(a, b) => Nnf::Reach { stay: self.part(*a), goal: self.part(*b) },
            Normal::Release(a, b) => Nnf::Keep { always: self.part(*b), exit: self.part(*a) },
        }
    }

    fn part(&mut self, normal: Normal<'f>) -> NodeId {
        if let Normal::Formula(formula, positive) = normal {
            return self.node(formula, positive);
        }
        let made = self.made(normal);
        self.add(made, None)
    }

    fn atom(&mut self, literal: Literal<'f>) -> usize {
        self.atoms.add(Fact::of(self.model, literal))
    }

    fn add(&mut self, node: Nnf, origin: Option<Obligation>) -> NodeId {
        self.automaton.nodes.push(node);
        self.automaton.origins.push(origin);
        NodeId(self.automaton.nodes.len() - 1)
    }
}
