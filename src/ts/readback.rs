//! Terms over the state as expressions of the model: the way back from `expressions`.

use super::system::{Origin, System};
use super::term::{Leaf, Node, Sort, Term, Terms};
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, Value};
use dashu_int::IBig;

/// A Boolean or integer term as an expression; nothing if it reads what is not the model's, or has a
/// conditional in it. `terms` may have grown out of the system's arena.
pub fn state_expr(system: &System, terms: &Terms, term: Term) -> Option<Expr<StateLeaf>> {
    Readback { system, terms }.expr(term)
}

struct Readback<'a> {
    system: &'a System,
    terms: &'a Terms,
}

impl Readback<'_> {
    fn expr(&self, term: Term) -> Option<Expr<StateLeaf>> {
        Some(match self.terms.node(term) {
            Node::Bool(value) => Expr::Const(Value::Bool(*value)),
            Node::Int(value) => Expr::Const(Value::Int(value.clone())),
            Node::Enum(value, _) => Expr::Const(Value::Enum(*value)),
            Node::Leaf(leaf) => Expr::Leaf(self.leaf(*leaf)?),
            Node::Not(inner) => match *self.terms.node(*inner) {
                Node::Le(a, b) => self.inequality(BinaryOp::Lt, b, a)?,
                Node::Eq(a, b) => self.equality(BinaryOp::Ne, a, b)?,
                _ => Expr::Not(Box::new(self.expr(*inner)?)),
            },
            Node::And(list) => self.chain(BinaryOp::And, list)?,
            Node::Or(list) => self.chain(BinaryOp::Or, list)?,
            Node::Eq(a, b) => self.equality(BinaryOp::Eq, *a, *b)?,
            Node::Le(a, b) => self.inequality(BinaryOp::Le, *a, *b)?,
            Node::Sum(..) => self.sum(term)?,
            Node::Product(a, b) => Expr::binary(BinaryOp::Mul, self.expr(*a)?, self.expr(*b)?),
            Node::Quotient(a, divisor) => {
                Expr::binary(BinaryOp::Div, self.expr(*a)?, Expr::Const(Value::Int(divisor.clone())))
            }
            Node::Ite(..) => return None,
        })
    }

    fn leaf(&self, leaf: Leaf) -> Option<StateLeaf> {
        let Leaf::Var(id) = leaf else { return None };
        match self.system.variable(id).origin {
            Origin::Automaton(instance) => Some(StateLeaf::Automaton(instance)),
            Origin::Local(instance, local) => Some(StateLeaf::Local(instance, local)),
            Origin::Received(..) | Origin::Obligation(_) | Origin::Counter(_) => None,
        }
    }

    fn chain(&self, op: BinaryOp, list: &[Term]) -> Option<Expr<StateLeaf>> {
        let list: Option<Vec<_>> = list.iter().map(|&x| self.expr(x)).collect();
        list?.into_iter().reduce(|all, x| Expr::binary(op, all, x))
    }

    fn equality(&self, op: BinaryOp, a: Term, b: Term) -> Option<Expr<StateLeaf>> {
        if self.terms.sort(a) == Sort::Int {
            return self.inequality(op, a, b);
        }
        let (left, right) = (self.expr(a)?, self.expr(b)?);
        // Automaton states are integers in formulas.
        let right = match (&left, right) {
            (Expr::Leaf(StateLeaf::Automaton(_)), Expr::Const(Value::Enum(state))) => {
                Expr::Const(Value::int(i64::from(state)))
            }
            (_, right) => right,
        };
        Some(Expr::binary(op, left, right))
    }

    /// `a op b` with every summand on the side where it is positive.
    fn inequality(&self, op: BinaryOp, a: Term, b: Term) -> Option<Expr<StateLeaf>> {
        let Sides { mut positive, mut negative, constant } = self.sides(&[(1, a), (-1, b)])?;
        if negative.is_empty() || (constant < IBig::ZERO && !positive.is_empty()) {
            add_constant(&mut negative, -constant);
        } else {
            add_constant(&mut positive, constant);
        }
        let side = |list| total(list).unwrap_or(Expr::Const(Value::int(0)));
        Some(Expr::binary(op, side(positive), side(negative)))
    }

    fn sum(&self, term: Term) -> Option<Expr<StateLeaf>> {
        let Sides { mut positive, negative, constant } = self.sides(&[(1, term)])?;
        add_constant(&mut positive, constant);
        let positive = total(positive).unwrap_or(Expr::Const(Value::int(0)));
        Some(match total(negative) {
            Some(negative) => Expr::binary(BinaryOp::Sub, positive, negative),
            None => positive,
        })
    }

    /// The summands of a sum of terms with signs.
    fn sides(&self, summands: &[(i64, Term)]) -> Option<Sides> {
        let mut sides = Sides { positive: Vec::new(), negative: Vec::new(), constant: IBig::ZERO };
        for &(sign, term) in summands {
            match self.terms.node(term) {
                Node::Int(value) => sides.constant += sign * value,
                Node::Sum(constant, list) => {
                    sides.constant += sign * constant;
                    for (factor, x) in list {
                        sides.add(sign * factor, self.expr(*x)?);
                    }
                }
                _ => sides.add(sign.into(), self.expr(term)?),
            }
        }
        Some(sides)
    }
}

/// A sum, apart from its constant: positive minus negative.
struct Sides {
    positive: Vec<Expr<StateLeaf>>,
    negative: Vec<Expr<StateLeaf>>,
    constant: IBig,
}

impl Sides {
    fn add(&mut self, factor: IBig, x: Expr<StateLeaf>) {
        let (side, factor) = match factor > IBig::ZERO {
            true => (&mut self.positive, factor),
            false => (&mut self.negative, -factor),
        };
        let scaled = factor != IBig::ONE;
        let factor = Expr::Const(Value::Int(factor));
        side.push(if scaled { Expr::binary(BinaryOp::Mul, factor, x) } else { x });
    }
}

fn add_constant(side: &mut Vec<Expr<StateLeaf>>, constant: IBig) {
    if constant != IBig::ZERO {
        side.push(Expr::Const(Value::Int(constant)));
    }
}

fn total(list: Vec<Expr<StateLeaf>>) -> Option<Expr<StateLeaf>> {
    list.into_iter().reduce(|sum, x| Expr::binary(BinaryOp::Add, sum, x))
}
