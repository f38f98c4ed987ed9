//! Specs about all states and the steps from there: `G f`, where f has no other temporal operators but what is true
//! one step later.

use super::deadlock;
use crate::model::eval::value::evaluate;
use crate::model::formula::StateLeaf;
use crate::model::scheme::Obstacle;
use crate::model::{Formula, Model, Observation, Type};
use crate::ts::atoms::{Atoms, Read};
use crate::ts::system::System;
use crate::ts::term::Term;

/// That a step violates what is true, or false, of each: over the states and the inputs of the system of an instance,
/// whose arena it joins.
pub fn violation(model: &Model, system: &mut System, steps: &[(&Formula, bool)]) -> Result<Term, Obstacle> {
    let stuck = deadlock::possible(model, system);
    let mut reader = StepReader { model, atoms: Atoms::new(model), stuck, system };
    let mut violated = Vec::new();
    for &(formula, truth) in steps {
        if reads_enabled(formula) {
            return Err(Obstacle::Enabled);
        }
        if !deadlock::only_makes(formula, !truth) {
            return Err(Obstacle::Deadlock);
        }
        let term = reader.here(formula)?;
        violated.push(if truth { reader.system.terms_mut().not(term) } else { term });
    }
    Ok(system.terms_mut().or(violated))
}

/// A formula in a state, and on the step from there, that does not read who can act; and, if it is about states alone,
/// after that step.
pub fn around_step(model: &Model, system: &mut System, formula: &Formula) -> Result<(Term, Option<Term>), Obstacle> {
    let stuck = system.terms_mut().bool(false);
    let mut reader = StepReader { model, atoms: Atoms::new(model), stuck, system };
    let here = reader.here(formula)?;
    Ok((here, reader.after(formula).ok()))
}

/// True if a formula reads who can act: in an open instance it is not known whom those outside let act.
pub fn reads_enabled(formula: &Formula) -> bool {
    let is_enabled = |leaf: &StateLeaf| matches!(leaf, StateLeaf::Enabled(..));
    let mut reads = matches!(formula, Formula::Atom(expr) if expr.any_leaf(is_enabled));
    formula.for_each_child(&mut |child| reads |= reads_enabled(child));
    reads
}

/// The formulas that have to be true, or false, in all steps so that a formula is true on all runs.
pub fn always(formula: &Formula) -> Result<Vec<(&Formula, bool)>, Obstacle> {
    if formula.is_branching() {
        return Err(Obstacle::Branching);
    }
    let mut always = Vec::new();
    collect(formula, true, &mut always)?;
    Ok(always)
}

/// The same, so that it is true, or false.
fn collect<'f>(formula: &'f Formula, truth: bool, always: &mut Vec<(&'f Formula, bool)>) -> Result<(), Obstacle> {
    match (formula, truth) {
        (Formula::Not(inner), truth) => collect(inner, !truth, always),
        (Formula::And(list), true) | (Formula::Or(list), false) => {
            list.iter().try_for_each(|part| collect(part, truth, always))
        }
        (Formula::Or(list), true) | (Formula::And(list), false) => {
            // Comparisons of instances are constants.
            if list.iter().any(|part| constant(part) == Some(truth)) {
                return Ok(());
            }
            let open: Vec<&Formula> = list.iter().filter(|part| constant(part).is_none()).collect();
            match open[..] {
                [only] => collect(only, truth, always),
                _ => Err(Obstacle::NotOfSteps),
            }
        }
        (other, truth) if let Some(inner) = other.always(truth) => {
            under(inner, truth, always);
            Ok(())
        }
        (other, truth) if constant(other) == Some(truth) => Ok(()),
        _ => Err(Obstacle::NotOfSteps),
    }
}

/// The same of what is always true, or false: what holds always, holds always from then on.
fn under<'f>(formula: &'f Formula, truth: bool, always: &mut Vec<(&'f Formula, bool)>) {
    match (formula, truth) {
        (Formula::And(list), true) | (Formula::Or(list), false) => {
            list.iter().for_each(|part| under(part, truth, always));
        }
        (Formula::Not(inner), truth) => under(inner, !truth, always),
        (other, truth) if let Some(inner) = other.always(truth) => under(inner, truth, always),
        (other, truth) if constant(other) == Some(truth) => {}
        (other, truth) => always.push((other, truth)),
    }
}

/// The truth of a formula that reads nothing.
fn constant(formula: &Formula) -> Option<bool> {
    match formula {
        Formula::Atom(expr) => evaluate(expr, &|_| None).map(|value| value.as_bool()),
        Formula::Not(inner) => constant(inner).map(|value| !value),
        Formula::And(list) if list.is_empty() => Some(true),
        Formula::Or(list) if list.is_empty() => Some(false),
        Formula::Label(..)
        | Formula::Observed(_)
        | Formula::And(_)
        | Formula::Or(_)
        | Formula::Iff(..)
        | Formula::Next(_)
        | Formula::Until(..)
        | Formula::Branching(_) => None,
    }
}

struct StepReader<'a> {
    model: &'a Model,
    atoms: Atoms<'a>,
    /// Stands for `deadlock`.
    stuck: Term,
    system: &'a mut System,
}

impl StepReader<'_> {
    /// A formula in a state, and on the step from there.
    fn here(&mut self, formula: &Formula) -> Result<Term, Obstacle> {
        Ok(match formula {
            Formula::Atom(expr) => self.atoms.state_where(self.system, expr, self.stuck),
            Formula::Label(instance, edge) => match self.atoms.label(self.system, *instance, *edge) {
                Read::State(term) | Read::Step(term) => term,
            },
            Formula::Observed(observation) => self.observed(observation)?,
            Formula::Next(inner) => self.after(inner)?,
            other @ (Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Until(..)
            | Formula::Branching(_)) => self.combined(other, &mut |reader, part| reader.here(part))?,
        })
    }

    /// A formula about the state after the step.
    fn after(&mut self, formula: &Formula) -> Result<Term, Obstacle> {
        let then = self.of_state(formula)?;
        Ok(self.system.after(then))
    }

    /// A formula about a state alone.
    fn of_state(&mut self, formula: &Formula) -> Result<Term, Obstacle> {
        match formula {
            Formula::Atom(_) => self.here(formula),
            Formula::Label(instance, edge) => match self.atoms.label(self.system, *instance, *edge) {
                Read::State(term) => Ok(term),
                Read::Step(_) => Err(Obstacle::NotOfSteps),
            },
            other @ (Formula::Observed(_)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_)) => self.combined(other, &mut |reader, part| reader.of_state(part)),
        }
    }

    fn combined(
        &mut self,
        formula: &Formula,
        part: &mut dyn FnMut(&mut Self, &Formula) -> Result<Term, Obstacle>,
    ) -> Result<Term, Obstacle> {
        let mut all = |reader: &mut Self, list: &[Formula]| -> Result<Vec<Term>, Obstacle> {
            list.iter().map(|formula| part(reader, formula)).collect()
        };
        Ok(match formula {
            Formula::Not(inner) => {
                let inner = part(self, inner)?;
                self.system.terms_mut().not(inner)
            }
            Formula::And(list) => {
                let list = all(self, list)?;
                self.system.terms_mut().and(list)
            }
            Formula::Or(list) => {
                let list = all(self, list)?;
                self.system.terms_mut().or(list)
            }
            Formula::Iff(left, right) => {
                let (left, right) = (part(self, left)?, part(self, right)?);
                self.system.terms_mut().eq(left, right)
            }
            Formula::Atom(_)
            | Formula::Label(..)
            | Formula::Observed(_)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_) => return Err(Obstacle::NotOfSteps),
        })
    }

    fn observed(&mut self, observation: &Observation) -> Result<Term, Obstacle> {
        let grows = |ty| match ty {
            Type::Location => true,
            Type::Channel => self.model.families().iter().any(|family| !family.channels.is_empty()),
            _ => false,
        };
        if observation.properties().iter().any(|property| grows(self.model.properties[property.index()].ty)) {
            return Err(Obstacle::Locations);
        }
        Ok(self.atoms.observed(self.system, observation))
    }
}
