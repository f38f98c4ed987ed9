//! When a line of an evolution would leave the domain of a variable, were it not for the rule that such a line is not taken:
//! a condition on the state, with the actions of the agents chosen in all possible ways.

use super::substitute::{StateExpr, and, not, or, outside, substituted};
use crate::limits::tick;
use crate::model::formula::StateLeaf;
use crate::model::joint::{Behaviour, Joint, JointLeaf};
use crate::model::{Expr, InstanceId, Model, Type, Value};

/// When some step is possible with whose actions the condition of the line holds and a new value leaves its domain.
pub fn overflow(model: &Model, joint: &Joint, instance: InstanceId, line: u32) -> StateExpr {
    let line = &joint.behaviours[instance.index()].lines[line as usize];
    let leaves = or(line.updates.iter().map(|(local, value)| {
        let ty = model.agent_of(instance).locals[local.index()].ty;
        if is_inside(model, value, ty) { Expr::FALSE } else { outside(value.clone(), ty) }
    }));
    if leaves == Expr::FALSE {
        return Expr::FALSE;
    }
    let act = joint.behaviours.iter().map(acts);
    let taken = and([line.condition.clone(), leaves]);
    and(act.chain([with_some_actions(joint, &taken)]))
}

/// True if the value is one of the type since all values of the variable are that it copies.
fn is_inside(model: &Model, value: &Expr<JointLeaf>, ty: Type) -> bool {
    let Expr::Leaf(JointLeaf::Local(owner, local)) = value else { return false };
    match (model.agent_of(*owner).locals[local.index()].ty, ty) {
        (Type::Range(from, to), Type::Range(low, high)) => low <= from && to <= high,
        (copied, ty) => copied == ty,
    }
}

/// The condition with actions that are possible. It is decided agent by agent; actions that leave the same open stand together.
fn with_some_actions(joint: &Joint, condition: &Expr<JointLeaf>) -> StateExpr {
    tick();
    let mut read = None;
    condition.for_each_leaf(&mut |leaf| {
        if let JointLeaf::Action(instance) = leaf {
            read.get_or_insert(*instance);
        }
    });
    let Some(instance) = read else { return over_states(condition) };
    let behaviour = &joint.behaviours[instance.index()];
    let mut options: Vec<(Expr<JointLeaf>, Vec<StateExpr>)> = Vec::new();
    for action in 0..behaviour.actions.len() as u32 {
        let chosen = |leaf: &JointLeaf| match leaf {
            JointLeaf::Action(other) if *other == instance => Some(Expr::Const(Value::Enum(action))),
            leaf => Some(Expr::Leaf(*leaf)),
        };
        let rest = substituted(condition, &chosen).expect("each leaf has something in its place");
        let possible = allows(behaviour, action);
        match options.iter_mut().find(|(other, _)| *other == rest) {
            Some((_, actions)) => actions.push(possible),
            None => options.push((rest, vec![possible])),
        }
    }
    or(options.into_iter().map(|(rest, actions)| and([or(actions), with_some_actions(joint, &rest)])))
}

/// When the protocol of an agent allows an action.
fn allows(behaviour: &Behaviour, action: u32) -> StateExpr {
    let lines = behaviour.protocol.iter().filter(|line| line.actions.contains(&action));
    let other = behaviour.other.contains(&action).then(|| not(is_served(behaviour)));
    or(lines.map(|line| over_states(&line.condition)).chain(other))
}

/// When it allows some action. Each of its lines allows one.
fn acts(behaviour: &Behaviour) -> StateExpr {
    if behaviour.other.is_empty() { is_served(behaviour) } else { Expr::TRUE }
}

/// When the condition of some line of its protocol holds.
fn is_served(behaviour: &Behaviour) -> StateExpr {
    or(behaviour.protocol.iter().map(|line| over_states(&line.condition)))
}

/// A condition that reads no actions.
fn over_states(condition: &Expr<JointLeaf>) -> StateExpr {
    let leaf = |leaf: &JointLeaf| match leaf {
        JointLeaf::Local(instance, local) => Some(Expr::Leaf(StateLeaf::Local(*instance, *local))),
        JointLeaf::Action(_) => None,
    };
    substituted(condition, &leaf).expect("it reads no actions")
}
