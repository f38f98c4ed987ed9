//! Constant expressions.

use crate::limits;
use crate::model::Value;
use crate::model::expr::{BinaryOp, Expr};
use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// The comparison of two values of one type, `None` if the operator is no comparison.
pub(super) fn compare(op: BinaryOp, left: &Value, right: &Value) -> Option<bool> {
    Some(match op {
        BinaryOp::Eq => left == right,
        BinaryOp::Ne => left != right,
        BinaryOp::Lt => left < right,
        BinaryOp::Le => left <= right,
        BinaryOp::Gt => left > right,
        BinaryOp::Ge => left >= right,
        _ => return None,
    })
}

/// Evaluates an operator whose operands are constants: arithmetic and comparisons only, so that
/// connectives stay as they are written. Of conditionals whose condition is constant a branch is left.
pub(super) fn fold<L>(expr: Expr<L>) -> Expr<L> {
    let expr = match expr {
        Expr::If(condition, yes, no) => match constant(&condition, &|_| None) {
            Some(Value::Bool(true)) => return *yes,
            Some(_) => return *no,
            None => Expr::If(condition, yes, no),
        },
        other => other,
    };
    let value = match &expr {
        Expr::Neg(inner) => match &**inner {
            Expr::Const(Value::Int(value)) => Some(Value::Int(-value)),
            _ => None,
        },
        Expr::Binary(op, left, right) => match (&**left, &**right) {
            (Expr::Const(left), Expr::Const(right)) => {
                compare(*op, left, right).map(Value::Bool).or_else(|| arithmetic(*op, left, right))
            }
            _ => None,
        },
        _ => None,
    };
    value.map_or(expr, Expr::Const)
}

/// An operator between values, in the branches of conditionals if it says whether they are equal.
pub(super) fn operation<L: Clone>(op: BinaryOp, left: Expr<L>, right: Expr<L>) -> Expr<L> {
    Expr::in_branches(op, left, right, &|op, left, right| fold(Expr::binary(op, left, right)))
}

/// The result of arithmetic, unless it may be larger than integers can be.
fn arithmetic(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let (Value::Int(left), Value::Int(right)) = (left, right) else { return None };
    let bits = match op {
        BinaryOp::Mul => left.bit_len() + right.bit_len(),
        _ => left.bit_len().max(right.bit_len()) + 1,
    };
    if !limits::fits(bits) {
        return None;
    }
    Some(Value::Int(match op {
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left - right,
        BinaryOp::Mul => left * right,
        BinaryOp::Div if *right != IBig::ZERO => left / right,
        _ => return None,
    }))
}

/// The value of an expression, if it is the same whatever the leaves are that `value_of` does not know.
pub fn constant<L>(expr: &Expr<L>, value_of: &impl Fn(&L) -> Option<Value>) -> Option<Value> {
    match expr {
        Expr::Const(value) => Some(value.clone()),
        Expr::Leaf(leaf) => value_of(leaf),
        Expr::Not(inner) => match constant(inner, value_of)? {
            Value::Bool(value) => Some(Value::Bool(!value)),
            _ => None,
        },
        Expr::Neg(inner) => match constant(inner, value_of)? {
            Value::Int(value) => Some(Value::Int(-value)),
            _ => None,
        },
        Expr::Binary(op, left, right) => {
            let (left, right) = (constant(left, value_of), constant(right, value_of));
            connective(*op, &left, &right).or_else(|| {
                let (left, right) = (left?, right?);
                compare(*op, &left, &right).map(Value::Bool).or_else(|| arithmetic(*op, &left, &right))
            })
        }
        Expr::If(condition, yes, no) => match constant(condition, value_of) {
            Some(Value::Bool(value)) => constant(if value { yes } else { no }, value_of),
            _ => {
                let (yes, no) = (constant(yes, value_of)?, constant(no, value_of)?);
                (yes == no).then_some(yes)
            }
        },
    }
}

/// A connective whose outcome follows from what is known of its sides.
fn connective(op: BinaryOp, left: &Option<Value>, right: &Option<Value>) -> Option<Value> {
    let truth = |side: &Option<Value>| match side {
        Some(Value::Bool(value)) => Some(*value),
        _ => None,
    };
    let (left, right) = (truth(left), truth(right));
    let outcome = match op {
        BinaryOp::And => either(left, right, false),
        BinaryOp::Or => either(left, right, true),
        BinaryOp::Implies => either(left.map(|value| !value), right, true),
        BinaryOp::Iff => left.zip(right).map(|(left, right)| left == right),
        _ => None,
    };
    outcome.map(Value::Bool)
}

/// `decisive` if one side is; the opposite if both are.
fn either(left: Option<bool>, right: Option<bool>, decisive: bool) -> Option<bool> {
    if left == Some(decisive) || right == Some(decisive) {
        return Some(decisive);
    }
    left.zip(right).map(|_| !decisive)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i64) -> Expr<u8> {
        Expr::Const(Value::int(value))
    }

    #[test]
    fn division_rounds_towards_zero() {
        assert_eq!(fold(Expr::binary(BinaryOp::Div, int(-7), int(2))), int(-3));
        assert_eq!(fold(Expr::binary(BinaryOp::Div, int(7), int(-2))), int(-3));
    }

    #[test]
    fn one_side_can_decide() {
        let unknown = Expr::Leaf(0);
        let value = |expr: &Expr<u8>| constant(expr, &|_| None);
        assert_eq!(value(&Expr::binary(BinaryOp::And, unknown.clone(), Expr::FALSE)), Some(Value::Bool(false)));
        assert_eq!(value(&Expr::binary(BinaryOp::Implies, Expr::FALSE, unknown.clone())), Some(Value::Bool(true)));
        assert_eq!(value(&Expr::binary(BinaryOp::Or, unknown, Expr::FALSE)), None);
    }
}
