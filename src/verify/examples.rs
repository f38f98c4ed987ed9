//! Conditions on states that are learnt from examples.

use crate::model::eval::value::holds;
use crate::model::eval::{Semantics, State};
use crate::model::formula::StateLeaf;
use crate::model::starting::equals;
use crate::model::{BinaryOp, Expr, InstanceId, LocalId, Model, Type, Value};

/// The locals of some instances, and their types.
fn seen<'m>(model: &'m Model, group: &'m [InstanceId]) -> impl Iterator<Item = (StateLeaf, Type)> + 'm {
    let leaf = |(owner, local): (InstanceId, LocalId)| {
        (StateLeaf::Local(owner, local), model.agent_of(owner).locals[local.index()].ty)
    };
    group.iter().flat_map(|&member| model.seen_by(member)).map(leaf)
}

/// Conditions on what a group sees, the simpler ones first.
pub(super) fn literals<'s>(
    semantics: &Semantics,
    group: &[InstanceId],
    examples: impl Iterator<Item = &'s State> + Clone,
) -> Vec<Expr<StateLeaf>> {
    let model = semantics.model();
    let mut list: Vec<Expr<StateLeaf>> = Vec::new();
    let mut add = |literal: Expr<StateLeaf>| {
        if !list.contains(&literal) {
            list.push(literal);
        }
    };
    let numbers: Vec<StateLeaf> =
        seen(model, group).filter(|(_, ty)| ty.base() == Type::Int).map(|(leaf, _)| leaf).collect();
    for (leaf, _) in seen(model, group).filter(|(_, ty)| *ty == Type::Bool) {
        add(Expr::Leaf(leaf));
    }
    for state in examples.clone() {
        let automata = group.iter().map(|member| StateLeaf::Automaton(*member));
        let others = seen(model, group).filter(|(_, ty)| !matches!(ty.base(), Type::Bool | Type::Int));
        for leaf in automata.chain(others.map(|(leaf, _)| leaf)) {
            add(equals(leaf, &semantics.value(state, leaf)));
        }
    }
    for (index, one) in numbers.iter().enumerate() {
        for other in &numbers[index + 1..] {
            for op in [BinaryOp::Eq, BinaryOp::Le, BinaryOp::Lt] {
                add(Expr::binary(op, Expr::Leaf(*one), Expr::Leaf(*other)));
            }
        }
    }
    for number in [0, 1] {
        for leaf in &numbers {
            for op in [BinaryOp::Eq, BinaryOp::Le] {
                add(Expr::binary(op, Expr::Leaf(*leaf), Expr::Const(Value::int(number))));
            }
        }
    }
    for state in examples.clone() {
        for (index, one) in numbers.iter().enumerate() {
            for other in &numbers[index + 1..] {
                let [left, right] = [one, other].map(|leaf| semantics.value(state, *leaf).into_int());
                let number = Expr::Const(Value::Int(left - right));
                let difference = Expr::binary(BinaryOp::Sub, Expr::Leaf(*one), Expr::Leaf(*other));
                for op in [BinaryOp::Le, BinaryOp::Eq] {
                    add(Expr::binary(op, difference.clone(), number.clone()));
                }
            }
        }
    }
    for state in examples {
        for leaf in &numbers {
            for op in [BinaryOp::Le, BinaryOp::Eq] {
                add(Expr::binary(op, Expr::Leaf(*leaf), Expr::Const(semantics.value(state, *leaf))));
            }
        }
    }
    list
}

/// A decision tree over literals.
pub(super) fn separate<'s>(
    semantics: &Semantics,
    literals: &[Expr<StateLeaf>],
    positive: &[&'s State],
    negative: &[&'s State],
) -> Option<Expr<StateLeaf>> {
    if negative.is_empty() {
        return Some(Expr::TRUE);
    }
    if positive.is_empty() {
        return Some(Expr::FALSE);
    }
    let is_true = |literal: &Expr<StateLeaf>, state: &State| holds(literal, &|leaf| Some(semantics.value(state, leaf)));
    // How many pairs of a positive and a negative example are told apart.
    let told_apart = |literal: &Expr<StateLeaf>| {
        let count = |list: &[&State]| list.iter().filter(|state| is_true(literal, state)).count();
        let (good, bad) = (count(positive), count(negative));
        good * (negative.len() - bad) + bad * (positive.len() - good)
    };
    // The first one of those that tell most apart.
    let literal = literals.iter().rev().max_by_key(|literal| told_apart(literal))?;
    if told_apart(literal) == 0 {
        return None;
    }
    let split = |list: &[&'s State]| -> (Vec<&'s State>, Vec<&'s State>) {
        list.iter().partition(|state| is_true(literal, state))
    };
    let ((good, other_good), (bad, other_bad)) = (split(positive), split(negative));
    let yes = separate(semantics, literals, &good, &bad)?;
    let no = separate(semantics, literals, &other_good, &other_bad)?;
    let negated = Expr::Not(Box::new(literal.clone()));
    let and = |one: Expr<StateLeaf>, other| match (one, other) {
        (one, Expr::Const(Value::Bool(true))) => one,
        (_, Expr::Const(Value::Bool(false))) => Expr::FALSE,
        (one, other) => Expr::binary(BinaryOp::And, one, other),
    };
    Some(match (and(literal.clone(), yes), and(negated, no)) {
        (Expr::Const(Value::Bool(false)), other) | (other, Expr::Const(Value::Bool(false))) => other,
        (one, other) => Expr::binary(BinaryOp::Or, one, other),
    })
}
