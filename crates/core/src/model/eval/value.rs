//! Values of expressions, and the values that types have.

use crate::limits;
use crate::model::{BinaryOp, Expr, Model, Type, Value};
use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// The value of an expression, given those of its leaves; `None` if a leaf that occurs has none.
///
/// Every operand is evaluated, also where another one decides: an expression over something that is
/// not there has no value, whatever the rest says.
///
/// # Panics
/// On an ill-typed expression; a [`Model`] without errors has none.
pub fn evaluate<L: Copy>(expr: &Expr<L>, leaf: &impl Fn(L) -> Option<Value>) -> Option<Value> {
    match expr {
        Expr::Const(value) => Some(value.clone()),
        Expr::Leaf(name) => leaf(*name),
        Expr::Not(inner) => Some(Value::Bool(!boolean(&evaluate(inner, leaf)?))),
        Expr::Neg(inner) => Some(Value::Int(-integer(evaluate(inner, leaf)?))),
        Expr::Binary(op, left, right) => {
            let left = evaluate(left, leaf);
            let right = evaluate(right, leaf);
            Some(binary(*op, left?, right?))
        }
        Expr::If(condition, yes, no) => {
            let (yes, no) = (evaluate(yes, leaf), evaluate(no, leaf));
            let (condition, yes, no) = (evaluate(condition, leaf)?, yes?, no?);
            Some(if boolean(&condition) { yes } else { no })
        }
    }
}

/// True if a Boolean expression has the value true.
pub fn holds<L: Copy>(expr: &Expr<L>, leaf: &impl Fn(L) -> Option<Value>) -> bool {
    evaluate(expr, leaf).is_some_and(|value| boolean(&value))
}

/// The truth of a condition, if what is known decides it.
pub fn partial<L: Copy>(expr: &Expr<L>, known: &impl Fn(L) -> Option<Value>) -> Option<bool> {
    match expr {
        Expr::Not(inner) => partial(inner, known).map(|value| !value),
        Expr::Binary(BinaryOp::And, left, right) => match (partial(left, known), partial(right, known)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (left, right) => Some(left? && right?),
        },
        Expr::Binary(BinaryOp::Or, left, right) => match (partial(left, known), partial(right, known)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (left, right) => Some(left? || right?),
        },
        other => evaluate(other, known).map(|value| value == Value::Bool(true)),
    }
}

fn binary(op: BinaryOp, left: Value, right: Value) -> Value {
    match op {
        BinaryOp::And => Value::Bool(boolean(&left) && boolean(&right)),
        BinaryOp::Or => Value::Bool(boolean(&left) || boolean(&right)),
        BinaryOp::Implies => Value::Bool(!boolean(&left) || boolean(&right)),
        BinaryOp::Iff => Value::Bool(boolean(&left) == boolean(&right)),
        BinaryOp::Eq => Value::Bool(left == right),
        BinaryOp::Ne => Value::Bool(left != right),
        BinaryOp::Lt => Value::Bool(integer(left) < integer(right)),
        BinaryOp::Le => Value::Bool(integer(left) <= integer(right)),
        BinaryOp::Gt => Value::Bool(integer(left) > integer(right)),
        BinaryOp::Ge => Value::Bool(integer(left) >= integer(right)),
        BinaryOp::Add => sum(&integer(left), &integer(right)),
        BinaryOp::Sub => sum(&integer(left), &-integer(right)),
        BinaryOp::Mul => product(&integer(left), &integer(right)),
        BinaryOp::Div => Value::Int(integer(left) / integer(right)),
    }
}

/// Integers that grow and grow end the work instead of filling the memory.
fn product(left: &IBig, right: &IBig) -> Value {
    limits::bits(left.bit_len() + right.bit_len());
    Value::Int(left * right)
}

fn sum(left: &IBig, right: &IBig) -> Value {
    limits::bits(left.bit_len().max(right.bit_len()));
    Value::Int(left + right)
}

fn boolean(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        other => unreachable!("the model is typed, but {other:?} stands where a Boolean is needed"),
    }
}

fn integer(value: Value) -> IBig {
    match value {
        Value::Int(value) => value,
        other => unreachable!("the model is typed, but {other:?} stands where an integer is needed"),
    }
}

/// True if the value is one of the type; for ranges, whether it lies inside.
pub fn belongs(model: &Model, value: &Value, ty: Type) -> bool {
    match (value, ty) {
        (Value::Bool(_), Type::Bool) | (Value::Int(_), Type::Int) => true,
        (Value::Int(value), Type::Range(low, high)) => *value >= IBig::from(low) && *value <= IBig::from(high),
        (Value::Enum(index), Type::Enum(_) | Type::Channel | Type::Location) => {
            model.cardinality(ty).is_some_and(|count| u64::from(*index) < count)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compute(op: BinaryOp, left: i64, right: i64) -> Value {
        let expr: Expr<()> = Expr::binary(op, Expr::Const(Value::int(left)), Expr::Const(Value::int(right)));
        evaluate(&expr, &|()| None).expect("constants have values")
    }

    #[test]
    fn division_rounds_towards_zero() {
        assert_eq!(compute(BinaryOp::Div, -7, 2), Value::int(-3));
        assert_eq!(compute(BinaryOp::Div, 7, -2), Value::int(-3));
        assert_eq!(compute(BinaryOp::Div, 7, 2), Value::int(3));
    }

    #[test]
    fn integers_never_wrap() {
        let twice = compute(BinaryOp::Add, i64::MAX, i64::MAX);
        assert_eq!(twice, Value::Int(IBig::from(i64::MAX) * IBig::from(2)));
    }

    #[test]
    fn what_is_missing_has_no_value_even_where_another_operand_decides() {
        let expr = Expr::binary(BinaryOp::Or, Expr::TRUE, Expr::Leaf(()));
        assert_eq!(evaluate(&expr, &|()| None), None);
        assert!(!holds(&expr, &|()| None));
        assert!(holds(&expr, &|()| Some(Value::Bool(false))));
    }
}
