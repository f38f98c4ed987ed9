//! Predicates that formulas read, over the state and the step from there: state atoms, labels, observations.
//!
//! Temporal operators are not known here.

use super::expressions::{Expressions, Possible};
use super::observe;
use super::system::{EventKind, Origin, System};
use super::term::Term;
use crate::model::formula::StateLeaf;
use crate::model::{EdgeId, Expr, Formula, InstanceId, Model, Observation};
use rustc_hash::FxHashSet;

/// The predicates for what formulas over a model read.
pub struct Atoms<'m> {
    model: &'m Model,
    expressions: Expressions<'m>,
}

/// When a label of a command is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Of a receive: over the state.
    Received(Term),
    /// Of any other command: over the state and the step from there.
    Taken(Term),
}

impl<'m> Atoms<'m> {
    /// Over a model.
    pub fn new(model: &'m Model) -> Atoms<'m> {
        Atoms { model, expressions: Expressions::new(model) }
    }

    /// The label of a command. The system has a history variable for a receive whose label occurs in specs
    /// ([`super::history::base_system`]).
    pub fn label(&self, system: &mut System, instance: InstanceId, edge: EdgeId) -> Label {
        match system.find(Origin::Received(instance, edge)) {
            Some(received) => Label::Received(system.var_term(received)),
            None => Label::Taken(taken(system, instance, edge)),
        }
    }

    /// When the current step is observed.
    pub fn observed(&self, system: &mut System, observation: &Observation) -> Term {
        observe::observation(self.model, &self.expressions, system, observation)
    }

    /// A state expression.
    pub fn state(&self, system: &mut System, expr: &Expr<StateLeaf>) -> Term {
        let possible = self.possible(system, expr);
        self.expressions.state(system.terms_mut(), expr, &possible)
    }

    /// The same, where something stands for `deadlock`.
    pub fn state_where(&self, system: &mut System, expr: &Expr<StateLeaf>, deadlock: Term) -> Term {
        let mut possible = self.possible(system, expr);
        possible.insert(StateLeaf::Deadlock, deadlock);
        self.expressions.state(system.terms_mut(), expr, &possible)
    }

    /// The terms for those leaves of an expression that are about the possible steps.
    fn possible(&self, system: &mut System, expr: &Expr<StateLeaf>) -> Possible {
        let mut possible = Possible::default();
        expr.for_each_leaf(&mut |leaf| match *leaf {
            StateLeaf::Deadlock => drop(possible.insert(*leaf, system.deadlock())),
            StateLeaf::Enabled(instance, edge) => {
                let is_it = |kind| takes(kind, instance, edge);
                let enabled = system.events().iter().filter(|event| is_it(event.kind)).map(|event| event.enabled);
                let enabled: Vec<Term> = enabled.collect();
                possible.insert(*leaf, system.terms_mut().or(enabled));
            }
            _ => {}
        });
        possible
    }
}

/// True if the instance takes this send, get or supply in an event, or any if none is named.
fn takes(kind: EventKind, instance: InstanceId, edge: Option<EdgeId>) -> bool {
    let is_it = |other: (InstanceId, EdgeId)| other.0 == instance && edge.is_none_or(|edge| edge == other.1);
    match kind {
        EventKind::Send { sender, edge } => is_it((sender, edge)),
        EventKind::GetSupply { getter, get, supplier, supply } => is_it((getter, get)) || is_it((supplier, supply)),
        EventKind::Joint { .. } | EventKind::Clause(_) | EventKind::Stutter => false,
    }
}

/// That the step is an event in which the instance takes this send, get or supply.
fn taken(system: &mut System, instance: InstanceId, edge: EdgeId) -> Term {
    let is_it = |kind| takes(kind, instance, Some(edge));
    let events: Vec<usize> = (0..system.events().len()).filter(|&index| is_it(system.events()[index].kind)).collect();
    let events: Vec<Term> = events.into_iter().map(|index| system.event_is(index)).collect();
    system.terms_mut().or(events)
}

/// Something that a formula reads.
#[derive(Clone, Debug)]
pub struct Atom {
    /// It as a formula: a state atom, `<<O>> true` for an observation O, or a label.
    pub formula: Formula,
    /// It as a predicate over the state and the step from there.
    pub term: Term,
}

/// The state atoms and observations of a formula, each once. Labels are not among them: they follow from
/// the choices of a run.
pub fn atoms(model: &Model, system: &mut System, formula: &Formula) -> Vec<Atom> {
    collected(model, system, formula, false)
}

/// The same, and the labels.
pub fn atoms_and_labels(model: &Model, system: &mut System, formula: &Formula) -> Vec<Atom> {
    collected(model, system, formula, true)
}

fn collected(model: &Model, system: &mut System, formula: &Formula, labels: bool) -> Vec<Atom> {
    let (known, atoms) = (FxHashSet::default(), Vec::new());
    let mut collector = Collector { of: Atoms::new(model), system, labels, known, atoms };
    collector.collect(formula);
    collector.atoms
}

/// A state expression as a term of the system.
pub fn state_predicate(model: &Model, system: &mut System, expr: &Expr<StateLeaf>) -> Term {
    Atoms::new(model).state(system, expr)
}

struct Collector<'a> {
    of: Atoms<'a>,
    system: &'a mut System,
    /// True if labels are collected as well.
    labels: bool,
    known: FxHashSet<Formula>,
    atoms: Vec<Atom>,
}

impl Collector<'_> {
    fn collect(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(Expr::Const(_)) => {}
            Formula::Atom(expr) => {
                let term = self.of.state(self.system, expr);
                self.add(formula.clone(), term);
            }
            Formula::Observed(observation) => {
                let term = self.of.observed(self.system, observation);
                self.add(formula.clone(), term);
            }
            Formula::Label(instance, edge) if self.labels => {
                let (Label::Received(term) | Label::Taken(term)) = self.of.label(self.system, *instance, *edge);
                self.add(formula.clone(), term);
            }
            Formula::Label(..)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_) => {}
        }
        formula.for_each_child(&mut |child| self.collect(child));
    }

    fn add(&mut self, formula: Formula, term: Term) {
        if self.known.insert(formula.clone()) {
            self.atoms.push(Atom { formula, term });
        }
    }
}
