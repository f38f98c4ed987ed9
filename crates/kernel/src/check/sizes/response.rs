//! The statements of a spec about all states: safety properties of single steps, and responses: sooner or later
//! something else is true.

use super::clause::mentioned;
use super::renaming::{Renaming, renamed};
use super::step::{always, reads_enabled};
use crate::model::scheme::Obstacle;
use crate::model::{Formula, InstanceId, Model};

/// `G (start -> F goal)`
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// From when on the goal is waited for: about a state and the step from there.
    pub start: Formula,
    /// The goal, likewise about a state and the step from there.
    pub goal: Formula,
}

/// The statements of a spec about all states.
pub struct Said<'f> {
    /// The formulas that are true, or false, of each step.
    pub steps: Vec<(&'f Formula, bool)>,
    /// The responses.
    pub responses: Vec<Response>,
}

impl Said<'_> {
    /// By a spec.
    pub fn by(formula: &Formula) -> Result<Said<'_>, Obstacle> {
        let mut said = Said { steps: Vec::new(), responses: Vec::new() };
        for (formula, truth) in always(formula)? {
            match Response::new(formula, truth) {
                Some(response) => {
                    response.is_understood()?;
                    said.responses.push(response);
                }
                None => said.steps.push((formula, truth)),
            }
        }
        Ok(said)
    }
}

impl Response {
    /// The response that follows if a formula is always true, or always false; nothing if none does.
    fn new(formula: &Formula, truth: bool) -> Option<Response> {
        let (mut goals, mut others) = (Vec::new(), Vec::new());
        split(formula, truth, &mut goals, &mut others);
        (!goals.is_empty()).then(|| Response { start: Formula::And(others), goal: Formula::Or(goals) })
    }

    fn parts(&self) -> [&Formula; 2] {
        [&self.start, &self.goal]
    }

    /// Steps alone can be talked about, without what is about all agents at once.
    fn is_understood(&self) -> Result<(), Obstacle> {
        for part in self.parts() {
            if reads_enabled(part) {
                return Err(Obstacle::Enabled);
            }
            if super::deadlock::reads_deadlock(part) {
                return Err(Obstacle::Deadlock);
            }
            if !is_plain(part) {
                return Err(Obstacle::NotOfSteps);
            }
        }
        Ok(())
    }

    /// The members that it is about; nothing if it is about agents outside.
    pub fn members(&self, model: &Model) -> Option<Vec<InstanceId>> {
        let mut members = Vec::new();
        for part in self.parts() {
            collect_members(model, part, &mut members)?;
        }
        members.sort_unstable();
        members.dedup();
        members.retain(|instance| model.place_of_member(*instance).is_some());
        Some(members)
    }

    /// The same in another instance.
    pub fn renamed(&self, renaming: &Renaming) -> Response {
        Response { start: renamed_formula(&self.start, renaming), goal: renamed_formula(&self.goal, renaming) }
    }
}

/// A disjunction, or a negated conjunction: what of it is waited for, and the negations of the rest.
fn split(formula: &Formula, truth: bool, goals: &mut Vec<Formula>, others: &mut Vec<Formula>) {
    match (formula, truth) {
        (Formula::Or(list), true) | (Formula::And(list), false) => {
            list.iter().for_each(|part| split(part, truth, goals, others));
        }
        (Formula::Not(inner), truth) => split(inner, !truth, goals, others),
        (other, truth) if let Some(inner) = other.sometime(truth) => {
            goals.push(if truth { inner.clone() } else { inner.clone().not() });
        }
        (other, true) => others.push(other.clone().not()),
        (other, false) => others.push(other.clone()),
    }
}

/// True if it is a Boolean combination of conditions on the state and labels.
fn is_plain(formula: &Formula) -> bool {
    formula.is_combination_of(&|part| matches!(part, Formula::Atom(_) | Formula::Label(..)))
}

fn collect_members(model: &Model, formula: &Formula, members: &mut Vec<InstanceId>) -> Option<()> {
    if let Formula::Atom(expr) = formula {
        members.extend(mentioned(model, expr)?);
    }
    if let Formula::Label(instance, _) = formula {
        members.push(*instance);
    }
    let mut all = Some(());
    formula.for_each_child(&mut |part| all = all.and(collect_members(model, part, members)));
    all
}

fn renamed_formula(formula: &Formula, renaming: &Renaming) -> Formula {
    formula.with_parts(&|part| {
        if let Formula::Label(instance, edge) = part {
            return Some(Formula::Label(renaming.of(*instance), *edge));
        }
        let Formula::Atom(expr) = part else { return None };
        Some(Formula::Atom(renamed(renaming, expr)))
    })
}
