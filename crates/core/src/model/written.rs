//! Operators that stand for others: what they are made of, and how to read them back, so that formulas are shown as they
//! are written.
//!
//! | written | stands for |
//! | --- | --- |
//! | `f -> g` | `!(f & !g)` |
//! | `F f` | `true U f` |
//! | `G f` | `f W false` |
//! | `f R g` | `!(!f U !g)` |
//! | `<<O>> f` | `O & X f`, where O says that the step from here is observed |
//! | `[[O]] f` | `O -> X f` |
//!
//! Engines and checks unfold the operators that are left; some recognise patterns of these (`G F f`, an implication). What is shown need not be what was typed: `true U f` is shown as `F f`.

use super::branching::Branching;
use super::formula::{Observation, StateLeaf, Strength};
use super::{EdgeId, Expr, Formula, InstanceId};

impl Formula {
    /// Truth.
    pub const TRUE: Formula = Formula::Atom(Expr::TRUE);

    /// Falsity.
    pub const FALSE: Formula = Formula::Atom(Expr::FALSE);

    /// `!f`; as an operator it would not fit into chains of calls.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Formula {
        Formula::Not(Box::new(self))
    }

    /// `f -> g`
    pub fn implies(self, other: Formula) -> Formula {
        Formula::And(vec![self, other.not()]).not()
    }

    /// `f <-> g`, also `f = g` between formulas
    pub fn iff(self, other: Formula) -> Formula {
        Formula::Iff(Box::new(self), Box::new(other))
    }

    /// `X f`
    pub fn next(self) -> Formula {
        Formula::Next(Box::new(self))
    }

    /// `F f`
    pub fn finally(self) -> Formula {
        Formula::TRUE.until(self)
    }

    /// `G f`
    pub fn globally(self) -> Formula {
        self.weak_until(Formula::FALSE)
    }

    /// `f U g`
    pub fn until(self, goal: Formula) -> Formula {
        Formula::Until(Strength::Strong, Box::new(self), Box::new(goal))
    }

    /// `f W g`
    pub fn weak_until(self, goal: Formula) -> Formula {
        Formula::Until(Strength::Weak, Box::new(self), Box::new(goal))
    }

    /// `f R g`
    pub fn release(self, held: Formula) -> Formula {
        self.not().until(held.not()).not()
    }

    /// `<<O>> f`
    pub fn possible(observation: Observation, then: Formula) -> Formula {
        Formula::And(vec![Formula::Observed(Box::new(observation)), then.next()])
    }

    /// `[[O]] f`
    pub fn necessary(observation: Observation, then: Formula) -> Formula {
        Formula::Observed(Box::new(observation)).implies(then.next())
    }

    /// As it is written.
    pub fn written(&self) -> Written<'_, &Formula> {
        Written::of(self)
    }

    /// The formula that always has a truth if this has it: f of `G f`, or of `!F f`.
    pub fn always(&self, truth: bool) -> Option<&Formula> {
        match (self.written(), truth) {
            (Written::Globally(inner), true) | (Written::Finally(inner), false) => Some(inner),
            _ => None,
        }
    }

    /// The formula that sometime has a truth if this has it: f of `F f`, or of `!G f`.
    pub fn sometime(&self, truth: bool) -> Option<&Formula> {
        self.always(!truth)
    }

    /// The formula that has a truth again and again if this has it: f of `G F f`, or of `!F G f`.
    pub fn recurring(&self, truth: bool) -> Option<&Formula> {
        self.always(truth)?.sometime(truth)
    }
}

/// A formula with all operators of the language; its operands are formulas, or what else stands for them.
#[derive(Clone, Debug)]
pub enum Written<'f, T> {
    /// A Boolean expression over the state.
    Atom(&'f Expr<StateLeaf>),
    /// The label of a command.
    Label(InstanceId, EdgeId),
    /// The step from here is observed; within `<<O>> f` and `[[O]] f` only.
    Observed(&'f Observation),
    /// `!f`
    Not(T),
    /// `f & g & ..`
    And(Vec<T>),
    /// `f | g | ..`
    Or(Vec<T>),
    /// `f -> g`
    Implies(T, T),
    /// `f <-> g`
    Iff(T, T),
    /// `X f`
    Next(T),
    /// `F f`
    Finally(T),
    /// `G f`
    Globally(T),
    /// `f U g`
    Until(T, T),
    /// `f W g`
    WeakUntil(T, T),
    /// `f R g`
    Release(T, T),
    /// `<<O>> f`
    Possible(&'f Observation, T),
    /// `[[O]] f`
    Necessary(&'f Observation, T),
    /// `A(f)`, `K(i, f)`, ..
    Branching(&'f Branching),
}

/// A formula, or something that is made of one and has as many operands.
pub trait Node<'f>: Copy {
    /// The formula.
    fn formula(self) -> &'f Formula;

    /// Its counterpart of an operand of the formula.
    fn operand(self, index: usize) -> Self;
}

impl<'f> Node<'f> for &'f Formula {
    fn formula(self) -> &'f Formula {
        self
    }

    fn operand(self, index: usize) -> &'f Formula {
        match self {
            Formula::And(list) | Formula::Or(list) => &list[index],
            Formula::Not(inner) | Formula::Next(inner) => inner,
            Formula::Iff(left, right) | Formula::Until(_, left, right) => [left, right][index],
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) | Formula::Branching(_) => {
                unreachable!("it has no operands")
            }
        }
    }
}

impl<'f, T: Node<'f>> Written<'f, T> {
    /// As the formula is written.
    pub fn of(node: T) -> Written<'f, T> {
        let all = |list: &[Formula]| (0..list.len()).map(|index| node.operand(index)).collect();
        match node.formula() {
            Formula::Atom(expr) => Written::Atom(expr),
            Formula::Label(instance, edge) => Written::Label(*instance, *edge),
            Formula::Observed(observation) => Written::Observed(observation),
            Formula::Not(_) => Written::of_negation(node.operand(0)),
            Formula::And(list) => match &list[..] {
                [Formula::Observed(observation), Formula::Next(_)] => {
                    Written::Possible(observation, node.operand(1).operand(0))
                }
                _ => Written::And(all(list)),
            },
            Formula::Or(list) => Written::Or(all(list)),
            Formula::Iff(..) => Written::Iff(node.operand(0), node.operand(1)),
            Formula::Next(_) => Written::Next(node.operand(0)),
            Formula::Until(strength, left, right) => match strength {
                Strength::Strong if **left == Formula::TRUE => Written::Finally(node.operand(1)),
                Strength::Strong => Written::Until(node.operand(0), node.operand(1)),
                Strength::Weak if **right == Formula::FALSE => Written::Globally(node.operand(0)),
                Strength::Weak => Written::WeakUntil(node.operand(0), node.operand(1)),
            },
            Formula::Branching(branching) => Written::Branching(branching),
        }
    }

    /// As its negation is written.
    fn of_negation(node: T) -> Written<'f, T> {
        match node.formula() {
            Formula::And(list) => match &list[..] {
                [Formula::Observed(observation), Formula::Not(next)] if matches!(**next, Formula::Next(_)) => {
                    Written::Necessary(observation, node.operand(1).operand(0).operand(0))
                }
                [_, Formula::Not(_)] => Written::Implies(node.operand(0), node.operand(1).operand(0)),
                _ => Written::Not(node),
            },
            Formula::Until(Strength::Strong, left, right)
                if matches!((&**left, &**right), (Formula::Not(_), Formula::Not(_))) =>
            {
                Written::Release(node.operand(0).operand(0), node.operand(1).operand(0))
            }
            Formula::Atom(_)
            | Formula::Label(..)
            | Formula::Observed(_)
            | Formula::Not(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_) => Written::Not(node),
        }
    }
}
