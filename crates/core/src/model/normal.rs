//! Negation normal form, one operator at a time.
//!
//! Products, automata of explorations and their checks know literals, conjunction, disjunction, `X`, `U` and `R` only.
//! Evaluation on a run ([`super::eval`]) has the meaning of operators by definition.

use super::branching::Branching;
use super::formula::{StateLeaf, Strength};
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

impl<'f> Literal<'f> {
    /// The formula, if it is one.
    pub fn of(formula: &'f Formula) -> Option<Literal<'f>> {
        match formula {
            Formula::Atom(expr) => Some(Literal::State(expr)),
            Formula::Label(instance, edge) => Some(Literal::Label(*instance, *edge)),
            Formula::Observed(observation) => Some(Literal::Observed(observation)),
            Formula::Branching(branching) => Some(Literal::Branching(branching)),
            Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..) => None,
        }
    }
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
        let operand = |formula: &'f Formula| Normal::operand(formula, truth);
        match formula {
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) | Formula::Branching(_) => {
                Normal::Literal(Literal::of(formula).expect("it is one"), truth)
            }
            Formula::Not(inner) => Normal::Formula(inner, !truth),
            Formula::And(list) => junction(truth, list.iter().map(same).collect()),
            Formula::Or(list) => junction(!truth, list.iter().map(same).collect()),
            Formula::Iff(a, b) => {
                let (yes, no) = (Normal::Formula(a, true), Normal::Formula(a, false));
                Any(vec![All(vec![yes, same(b)]), All(vec![no, Normal::Formula(b, !truth)])])
            }
            Formula::Next(inner) => Normal::Next(inner, truth),
            Formula::Until(Strength::Strong, a, b) => fixpoint(truth, operand(a), operand(b)),
            // `b R (a | b)`
            Formula::Until(Strength::Weak, a, b) if **b == Formula::FALSE => fixpoint(!truth, operand(b), operand(a)),
            Formula::Until(Strength::Weak, a, b) => {
                fixpoint(!truth, operand(b), junction(!truth, vec![operand(a), operand(b)]))
            }
        }
    }

    /// An operand of an until. Constants, as `F` and `G` have them, are empty conjunctions and disjunctions.
    fn operand(formula: &'f Formula, truth: bool) -> Normal<'f> {
        match formula {
            constant if *constant == Formula::TRUE => junction(truth, Vec::new()),
            constant if *constant == Formula::FALSE => junction(!truth, Vec::new()),
            other => Normal::Formula(other, truth),
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
