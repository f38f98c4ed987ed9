//! Predicates that formulas read, over the state and the step from there: state atoms, labels, observations.
//!
//! Temporal operators are not known here.

use super::expressions::{Expressions, Possible};
use super::observe;
use super::system::{EventKind, Origin, System};
use super::term::{Term, VarId};
use crate::model::branching::Branching;
use crate::model::formula::StateLeaf;
use crate::model::normal::Literal;
use crate::model::{EdgeId, Expr, Formula, InstanceId, Model, Observation};
use rustc_hash::{FxHashMap, FxHashSet};

/// The predicates for what formulas over a model read.
pub struct Atoms<'m> {
    model: &'m Model,
    expressions: Expressions<'m>,
    /// The variables that stand for branching formulas.
    labels: FxHashMap<&'m Branching, VarId>,
}

/// When something that a formula reads is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Over the state.
    State(Term),
    /// Over the state and the step from there.
    Step(Term),
}

impl<'m> Atoms<'m> {
    /// Over a model.
    pub fn new(model: &'m Model) -> Atoms<'m> {
        Atoms { model, expressions: Expressions::new(model), labels: FxHashMap::default() }
    }

    /// With variables that stand for branching formulas.
    pub fn labelled(self, labels: FxHashMap<&'m Branching, VarId>) -> Atoms<'m> {
        Atoms { labels, ..self }
    }

    /// A literal, or its negation; variables with one value only do not count.
    pub fn literal(&self, system: &mut System, literal: Literal, truth: bool) -> Read {
        let read = match literal {
            Literal::State(expr) => Read::State(self.state(system, expr)),
            Literal::Label(instance, edge) => self.label(system, instance, edge),
            Literal::Observed(observation) => Read::Step(self.observed(system, observation)),
            Literal::Branching(branching) => Read::State(system.var_term(self.labels[branching])),
        };
        let mut folded = |holds: Term| {
            let holds = system.fold(holds);
            if truth { holds } else { system.terms_mut().not(holds) }
        };
        match read {
            Read::State(holds) => Read::State(folded(holds)),
            Read::Step(holds) => Read::Step(folded(holds)),
        }
    }

    /// The label of a command: of a receive it is over the state. The system has a history variable for a receive whose label
    /// occurs in specs ([`super::history::base_system`]).
    pub fn label(&self, system: &mut System, instance: InstanceId, edge: EdgeId) -> Read {
        match system.find(Origin::Received(instance, edge)) {
            Some(received) => Read::State(system.var_term(received)),
            None => Read::Step(taken(system, instance, edge)),
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
    let (of, mut known, mut atoms) = (Atoms::new(model), FxHashSet::default(), Vec::new());
    formula.for_each_part(&mut |part| {
        if known.contains(part) {
            return true;
        }
        let term = match part {
            Formula::Atom(Expr::Const(_)) => return true,
            Formula::Atom(expr) => of.state(system, expr),
            Formula::Observed(observation) => of.observed(system, observation),
            Formula::Label(instance, edge) if labels => {
                let (Read::State(term) | Read::Step(term)) = of.label(system, *instance, *edge);
                term
            }
            Formula::Label(..)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_) => return true,
        };
        known.insert(part.clone());
        atoms.push(Atom { formula: part.clone(), term });
        true
    });
    atoms
}

/// A state expression as a term of the system.
pub fn state_predicate(model: &Model, system: &mut System, expr: &Expr<StateLeaf>) -> Term {
    Atoms::new(model).state(system, expr)
}
