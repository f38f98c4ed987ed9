//! Conditions that cycles have to meet again and again, instead of obligations: there is no need to remember them.

use super::automaton::Compiler;
use crate::model::subformulas::Obligation;
use crate::model::{Expr, Formula};
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
        let (request, answer) = match formula {
            Formula::Implies(one, other) if truth => {
                (Some(self.now(again_and_again(one)?)?), Some(self.now(again_and_again(other)?)?))
            }
            // It stops to be true: it is requested, and never answered.
            Formula::Globally(_) if !truth => (Some(self.now(again_and_again(formula)?)?), None),
            Formula::Finally(_) if truth => (Some(self.negated(in_the_end(formula)?)?), None),
            Formula::Globally(_) => (None, Some(self.now(again_and_again(formula)?)?)),
            Formula::Finally(_) => (None, Some(self.negated(in_the_end(formula)?)?)),
            _ => return None,
        };
        Some(Condition { origin: self.origin(formula, truth), request, answer })
    }

    fn negated(&mut self, formula: &'f Formula) -> Option<Now> {
        Some(Now::Not(Box::new(self.now(formula)?)))
    }

    fn now(&mut self, formula: &'f Formula) -> Option<Now> {
        Some(match formula {
            Formula::Atom(_) | Formula::Label(..) | Formula::Branching(_) => Now::Bit(self.fact(formula)?),
            Formula::Possible(_, body) if **body == Formula::Atom(Expr::TRUE) => Now::Bit(self.fact(formula)?),
            Formula::Necessary(_, body) if **body == Formula::Atom(Expr::FALSE) => {
                Now::Not(Box::new(Now::Bit(self.fact(formula)?)))
            }
            Formula::Not(inner) => self.negated(inner)?,
            Formula::And(list) => Now::All(list.iter().map(|part| self.now(part)).collect::<Option<_>>()?),
            Formula::Or(list) => Now::Any(list.iter().map(|part| self.now(part)).collect::<Option<_>>()?),
            Formula::Implies(one, other) => Now::Any(vec![self.negated(one)?, self.now(other)?]),
            Formula::Iff(one, other) => Now::Same(Box::new(self.now(one)?), Box::new(self.now(other)?)),
            _ => return None,
        })
    }
}

/// f of `G F f`
fn again_and_again(formula: &Formula) -> Option<&Formula> {
    match formula {
        Formula::Globally(inner) => match &**inner {
            Formula::Finally(body) => Some(body),
            _ => None,
        },
        _ => None,
    }
}

/// f of `F G f`
fn in_the_end(formula: &Formula) -> Option<&Formula> {
    match formula {
        Formula::Finally(inner) => match &**inner {
            Formula::Globally(body) => Some(body),
            _ => None,
        },
        _ => None,
    }
}
