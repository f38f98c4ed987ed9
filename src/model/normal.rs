//! The meaning of each operator in terms of a few: negation normal form, one operator at a time.
//!
//! Products, automata of explorations and their checks know literals, conjunction, disjunction, `X`, `U` and `R` only;
//! all other operators are explained here. Evaluation on a run ([`super::eval`]) has their meaning by definition.

use super::branching::Branching;
use super::formula::StateLeaf;
use super::{EdgeId, Expr, Formula, InstanceId, Observation};

/// A formula that is true or false at a position on its own.
#[derive(Clone, Copy, Debug)]
pub enum Literal<'f> {
    /// Of the state.
    State(&'f Expr<StateLeaf>),
    /// The label of a command.
    Label(InstanceId, EdgeId),
    /// The step from here is observed.
    Observed(&'f Observation),
    /// Of the state, because of other runs.
    Branching(&'f Branching),
}

/// The outermost operator of a formula in negation normal form.
#[derive(Clone, Debug)]
pub enum Normal<'f> {
    /// A literal, or its negation if false.
    Literal(Literal<'f>, bool),
    /// A subformula, or its negation if false, whose normal form is asked for in turn.
    Formula(&'f Formula, bool),
    /// Conjunction; empty is true.
    All(Vec<Normal<'f>>),
    /// Disjunction; empty is false.
    Any(Vec<Normal<'f>>),
    /// `X a`, for a subformula, or its negation if false.
    Next(&'f Formula, bool),
    /// `a U b`
    Until(Box<Normal<'f>>, Box<Normal<'f>>),
    /// `a R b`: b holds up to and including the first a.
    Release(Box<Normal<'f>>, Box<Normal<'f>>),
}

use Normal::{All, Any};

impl<'f> Normal<'f> {
    /// Of a formula, or of its negation if `truth` is false.
    pub fn of(formula: &'f Formula, truth: bool) -> Normal<'f> {
        let same = |formula: &'f Formula| Normal::Formula(formula, truth);
        let negated = |formula: &'f Formula| Normal::Formula(formula, !truth);
        match formula {
            Formula::Atom(expr) => Normal::Literal(Literal::State(expr), truth),
            Formula::Label(instance, edge) => Normal::Literal(Literal::Label(*instance, *edge), truth),
            Formula::Branching(branching) => Normal::Literal(Literal::Branching(branching), truth),
            Formula::Not(inner) => negated(inner),
            Formula::And(list) => junction(truth, list.iter().map(same).collect()),
            Formula::Or(list) => junction(!truth, list.iter().map(same).collect()),
            Formula::Implies(a, b) => junction(!truth, vec![negated(a), same(b)]),
            Formula::Iff(a, b) => {
                let (yes, no) = (Normal::Formula(a, true), Normal::Formula(a, false));
                Any(vec![All(vec![yes, same(b)]), All(vec![no, negated(b)])])
            }
            Formula::Next(inner) => Normal::Next(inner, truth),
            // `true U a`
            Formula::Finally(inner) => fixpoint(truth, junction(truth, Vec::new()), same(inner)),
            // `false R a`
            Formula::Globally(inner) => fixpoint(!truth, junction(!truth, Vec::new()), same(inner)),
            Formula::Until(a, b) => fixpoint(truth, same(a), same(b)),
            Formula::Release(a, b) => fixpoint(!truth, same(a), same(b)),
            // `b R (a | b)`
            Formula::WeakUntil(a, b) => fixpoint(!truth, same(b), junction(!truth, vec![same(a), same(b)])),
            Formula::Possible(observation, body) => observed(truth, observation, truth, Normal::Next(body, truth)),
            Formula::Necessary(observation, body) => observed(!truth, observation, !truth, Normal::Next(body, truth)),
        }
    }
}

fn junction(all: bool, list: Vec<Normal>) -> Normal {
    if all { All(list) } else { Any(list) }
}

fn fixpoint<'f>(least: bool, a: Normal<'f>, b: Normal<'f>) -> Normal<'f> {
    let (a, b) = (Box::new(a), Box::new(b));
    if least { Normal::Until(a, b) } else { Normal::Release(a, b) }
}

/// `<<O>> f` is `O & X f`, `[[O]] f` is `!O | X f`.
fn observed<'f>(all: bool, observation: &'f Observation, truth: bool, next: Normal<'f>) -> Normal<'f> {
    let seen = Normal::Literal(Literal::Observed(observation), truth);
    junction(all, vec![seen, next])
}
