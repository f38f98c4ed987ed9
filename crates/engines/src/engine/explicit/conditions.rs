//! Conditions that cycles have to meet again and again, instead of obligations: there is no need to remember them.

use super::automaton::Compiler;
use crate::model::Formula;
use crate::model::subformulas::Obligation;
use crate::model::written::Written;
use crate::records::bits;

/// If it is requested again and again, it is answered again and again (Streett).
#[derive(Clone, Debug)]
pub struct Condition {
    /// Its meaning in terms of the conjunct.
    pub origin: Obligation,
    /// When it is requested; without, always.
    request: Option<Now>,
    /// When it is answered; without, never.
    answer: Option<Now>,
}

/// A formula about a state and the step from there.
#[derive(Clone, Debug)]
enum Now {
    Bit(usize),
    Not(Box<Now>),
    All(Vec<Now>),
    Any(Vec<Now>),
    Same(Box<Now>, Box<Now>),
}

impl Now {
    fn holds(&self, letter: &[u64]) -> bool {
        match self {
            Now::Bit(bit) => bits::get(letter, *bit),
            Now::Not(inner) => !inner.holds(letter),
            Now::All(list) => list.iter().all(|part| part.holds(letter)),
            Now::Any(list) => list.iter().any(|part| part.holds(letter)),
            Now::Same(one, other) => one.holds(letter) == other.holds(letter),
        }
    }

    fn collect(&self, mask: &mut dyn FnMut(usize)) {
        match self {
            Now::Bit(bit) => mask(*bit),
            Now::Not(inner) => inner.collect(mask),
            Now::All(list) | Now::Any(list) => list.iter().for_each(|part| part.collect(mask)),
            Now::Same(one, other) => {
                one.collect(mask);
                other.collect(mask);
            }
        }
    }
}

impl Condition {
    /// True if it is requested and whether it is answered where these facts are true.
    pub fn at(&self, letter: &[u64]) -> (bool, bool) {
        let requested = self.request.as_ref().is_none_or(|request| request.holds(letter));
        (requested, self.answer.as_ref().is_some_and(|answer| answer.holds(letter)))
    }

    /// Calls the function for each fact that it reads.
    pub fn facts(&self, mut visit: impl FnMut(usize)) {
        self.request.iter().chain(&self.answer).for_each(|now| now.collect(&mut visit));
    }
}

impl<'f> Compiler<'_, 'f> {
    /// That a formula has this truth, as a condition, if it is one.
    pub fn condition(&mut self, formula: &'f Formula, truth: bool) -> Option<Condition> {
        let mut recurring = |formula: &'f Formula, truth| self.now(formula.recurring(truth)?, truth);
        let (request, answer) = match formula.written() {
            Written::Implies(one, other) if truth => (Some(recurring(one, true)?), Some(recurring(other, true)?)),
            _ if formula.always(truth).is_some() => (None, Some(recurring(formula, truth)?)),
            // It stops to be true, or false: the other is requested, and never answered.
            _ => (Some(recurring(formula, !truth)?), None),
        };
        Some(Condition { origin: self.origin(formula, truth), request, answer })
    }

    /// That a formula has a truth.
    fn now(&mut self, formula: &'f Formula, truth: bool) -> Option<Now> {
        let now = match formula {
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) | Formula::Branching(_) => {
                Now::Bit(self.fact(formula)?)
            }
            Formula::Not(inner) => return self.now(inner, !truth),
            Formula::And(list) => Now::All(list.iter().map(|part| self.now(part, true)).collect::<Option<_>>()?),
            Formula::Or(list) => Now::Any(list.iter().map(|part| self.now(part, true)).collect::<Option<_>>()?),
            Formula::Iff(one, other) => Now::Same(Box::new(self.now(one, true)?), Box::new(self.now(other, true)?)),
            Formula::Next(body) if **body == Formula::TRUE => Now::All(Vec::new()),
            Formula::Next(body) if **body == Formula::FALSE => Now::Any(Vec::new()),
            Formula::Next(_) | Formula::Until(..) => return None,
        };
        Some(if truth { now } else { Now::Not(Box::new(now)) })
    }
}
