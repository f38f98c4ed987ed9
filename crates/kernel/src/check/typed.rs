//! Types of conditions that evidence has: the semantics is defined for expressions whose types fit.

use super::Refused;
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, Model, Type, Value};

/// Refuses expressions that are no conditions, or in which a value is combined or compared with values of other types than its own.
pub fn check<'e>(model: &Model, conditions: impl IntoIterator<Item = &'e Expr<StateLeaf>>) -> Result<(), Refused> {
    match conditions.into_iter().all(|condition| has(model, condition, Type::Bool)) {
        true => Ok(()),
        false => Err(Refused::unfit("the types of a condition do not fit")),
    }
}

/// True if an expression has this type, or may have it.
fn has(model: &Model, expr: &Expr<StateLeaf>, ty: Type) -> bool {
    let is_of = |found: Type| found.comparable(ty);
    let both = |left, right, of: Type| has(model, left, of) && has(model, right, of);
    match expr {
        Expr::Const(Value::Bool(_)) => is_of(Type::Bool),
        Expr::Const(Value::Int(_)) => is_of(Type::Int),
        Expr::Const(Value::Enum(number)) => {
            matches!(ty, Type::Enum(_) | Type::Channel | Type::Location)
                && model.cardinality(ty).is_some_and(|count| u64::from(*number) < count)
        }
        Expr::Leaf(leaf) => is_of(model.state_leaf(*leaf).1),
        Expr::Not(inner) => is_of(Type::Bool) && has(model, inner, Type::Bool),
        Expr::Neg(inner) => is_of(Type::Int) && has(model, inner, Type::Int),
        Expr::If(condition, yes, no) => has(model, condition, Type::Bool) && both(yes, no, ty),
        Expr::Binary(op, left, right) => match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
                is_of(Type::Bool) && both(left, right, Type::Bool)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                is_of(Type::Int) && both(left, right, Type::Int)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                is_of(Type::Bool) && both(left, right, Type::Int)
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let of = some_type(model, left).or_else(|| some_type(model, right));
                is_of(Type::Bool) && of.is_some_and(|of| both(left, right, of))
            }
        },
    }
}

/// A type that an expression may have; nothing if it says none.
fn some_type(model: &Model, expr: &Expr<StateLeaf>) -> Option<Type> {
    match expr {
        Expr::Const(Value::Bool(_)) | Expr::Not(_) => Some(Type::Bool),
        Expr::Const(Value::Int(_)) | Expr::Neg(_) => Some(Type::Int),
        Expr::Const(Value::Enum(_)) => None,
        Expr::Leaf(leaf) => Some(model.state_leaf(*leaf).1),
        Expr::If(_, yes, no) => some_type(model, yes).or_else(|| some_type(model, no)),
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, ..) => Some(Type::Int),
        Expr::Binary(..) => Some(Type::Bool),
    }
}
