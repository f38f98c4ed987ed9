//! The conditions and terms about some agents that guesses are made of.

use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, InstanceId, LocalId, Model, TotalId, Type, Value};

/// Automaton states, and values of ranges, that are told apart.
const MOST_VALUES: i64 = 8;
/// The number of comparisons of integers that are considered.
const MOST_COMPARISONS: usize = 60;

fn local(instance: InstanceId, local: usize) -> Expr<StateLeaf> {
    Expr::Leaf(StateLeaf::Local(instance, LocalId(local as u32)))
}

fn equals(expr: Expr<StateLeaf>, value: Value) -> Expr<StateLeaf> {
    Expr::binary(BinaryOp::Eq, expr, Expr::Const(value))
}

/// The locals of an agent that a command may read.
fn locals(model: &Model, instance: InstanceId) -> Vec<(usize, Type)> {
    let hidden = |local: usize| {
        let family = model.place_of_member(instance).map(|(family, _)| &model.families()[family]);
        family.is_some_and(|family| family.numbers.iter().any(|own| own.local.index() == local))
    };
    let declared = model.agent_of(instance).locals.iter().map(|local| local.ty).enumerate();
    declared.filter(|(local, _)| !hidden(*local)).collect()
}

/// Conditions on one agent; where its location is one of others.
pub fn conditions(model: &Model, instance: InstanceId, others: &[InstanceId]) -> Vec<Expr<StateLeaf>> {
    let mut list = Vec::new();
    let states = i64::from(model.agent_of(instance).states);
    if (2..=MOST_VALUES).contains(&states) {
        let automaton = || Expr::Leaf(StateLeaf::Automaton(instance));
        list.extend((0..states).map(|state| equals(automaton(), Value::int(state))));
    }
    for (place, ty) in locals(model, instance) {
        let value = || local(instance, place);
        match ty {
            Type::Bool => list.push(value()),
            Type::Range(low, high) if high - low < MOST_VALUES => {
                list.extend((low..=high).map(|number| equals(value(), Value::int(number))));
            }
            Type::Enum(id) => {
                let count = model.enums[id.index()].constants.len() as u32;
                list.extend((0..count.min(MOST_VALUES as u32)).map(|constant| equals(value(), Value::Enum(constant))));
            }
            Type::Location => list.extend(others.iter().map(|other| equals(value(), Value::Enum(other.0)))),
            Type::Int | Type::Range(..) | Type::Channel => {}
        }
    }
    list
}

/// The integers that some agents hold.
pub fn integers(model: &Model, who: &[InstanceId]) -> Vec<(Expr<StateLeaf>, Type)> {
    let of = |&instance: &InstanceId| {
        let held = locals(model, instance).into_iter();
        held.filter(|(_, ty)| matches!(ty, Type::Int | Type::Range(..)))
            .map(move |(place, ty)| (local(instance, place), ty))
    };
    who.iter().flat_map(of).collect()
}

/// Conditions on some agents together.
pub fn atoms(model: &Model, who: &[InstanceId]) -> Vec<Expr<StateLeaf>> {
    let mut list: Vec<Expr<StateLeaf>> = who.iter().flat_map(|&one| conditions(model, one, who)).collect();
    let integers: Vec<Expr<StateLeaf>> = integers(model, who).into_iter().map(|(expr, _)| expr).collect();
    let mut comparisons = Vec::new();
    for (place, left) in integers.iter().enumerate() {
        for right in &integers[place + 1..] {
            let compared = |op| Expr::binary(op, left.clone(), right.clone());
            comparisons.extend([BinaryOp::Le, BinaryOp::Ge, BinaryOp::Eq].map(compared));
        }
    }
    comparisons.truncate(MOST_COMPARISONS);
    list.extend(comparisons);
    list
}

/// The conjunction of some conditions.
pub fn all(parts: impl IntoIterator<Item = Expr<StateLeaf>>) -> Expr<StateLeaf> {
    parts.into_iter().reduce(|all, one| Expr::binary(BinaryOp::And, all, one)).unwrap_or(Expr::TRUE)
}

/// An atom and its negation.
pub fn literals(atom: Expr<StateLeaf>) -> [Expr<StateLeaf>; 2] {
    let negated = match &atom {
        Expr::Binary(BinaryOp::Eq, left, right) => Expr::Binary(BinaryOp::Ne, left.clone(), right.clone()),
        Expr::Binary(BinaryOp::Le, left, right) => Expr::Binary(BinaryOp::Gt, left.clone(), right.clone()),
        Expr::Binary(BinaryOp::Ge, left, right) => Expr::Binary(BinaryOp::Lt, left.clone(), right.clone()),
        other => Expr::Not(Box::new(other.clone())),
    };
    [atom, negated]
}

/// The terms that steps might make less: truth values, integers, distances, and totals.
pub fn ranks(model: &Model, who: &[InstanceId]) -> Vec<Expr<StateLeaf>> {
    let integers = integers(model, who);
    let difference =
        |left: &Expr<StateLeaf>, right: &Expr<StateLeaf>| Expr::binary(BinaryOp::Sub, left.clone(), right.clone());
    let number = |number: i64| Expr::Const(Value::int(number));
    let mut list = Vec::new();
    for (place, (one, ty)) in integers.iter().enumerate() {
        if let Type::Range(low, high) = ty {
            list.extend([difference(one, &number(*low)), difference(&number(*high), one)]);
        } else {
            list.push(one.clone());
        }
        for (other, _) in &integers[place + 1..] {
            list.extend([difference(one, other), difference(other, one)]);
        }
    }
    let totals = (0..model.totals().len() as u32).map(|id| Expr::Leaf(StateLeaf::Total(TotalId(id))));
    list.extend(totals.clone());
    for (id, total) in model.totals().iter().enumerate() {
        let members = crate::model::Total::of_members(total.family);
        if let Some(all) = model.totals().iter().position(|other| *other == members).filter(|all| *all != id) {
            let [all, this] = [all, id].map(|id| Expr::Leaf(StateLeaf::Total(TotalId(id as u32))));
            list.push(difference(&all, &this));
        }
    }
    list.extend(who.iter().flat_map(|&one| conditions(model, one, who)).flat_map(literals));
    list
}
