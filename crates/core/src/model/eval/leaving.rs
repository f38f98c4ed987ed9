//! Lines of evolutions whose new values can be outside of the domains of their variables, as far as the text shows it: by the
//! line itself, and by the protocol of its agent.

use super::candidates::{Intervals, admitted};
use super::value::{belongs, evaluate, partial};
use crate::limits::tick;
use crate::model::joint::{Behaviour, Joint, JointLeaf};
use crate::model::{InstanceId, LocalId, Model, Type, Value};

/// The most combinations of values that are tried; of more, only those of the ends of ranges.
const MOST: u128 = 1 << 10;

/// An assignment that leaves a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// The variable that gets the value.
    pub variable: LocalId,
    /// Values of what the assignment reads with which it does.
    pub values: Vec<((InstanceId, LocalId), Value)>,
}

/// The first assignment of a line that leaves the domain of its variable for some values of what it reads, with which neither
/// the condition of the line nor the protocol of its agent is known to be false.
pub fn leaving(model: &Model, joint: &Joint, instance: InstanceId, line: u32) -> Option<Leaving> {
    let behaviour = &joint.behaviours[instance.index()];
    let line = &behaviour.lines[line as usize];
    let type_of = |(owner, local): (InstanceId, LocalId)| model.agent_of(owner).locals[local.index()].ty;
    line.updates.iter().find_map(|(variable, value)| {
        let mut read: Vec<(InstanceId, LocalId)> = Vec::new();
        value.for_each_leaf(&mut |leaf| match leaf {
            JointLeaf::Local(owner, local) if !read.contains(&(*owner, *local)) => read.push((*owner, *local)),
            JointLeaf::Local(..) | JointLeaf::Action(_) => {}
        });
        let admitted = read.iter().map(|&(owner, local)| match type_of((owner, local)) {
            Type::Range(low, high) => {
                Some(admitted(JointLeaf::Local(owner, local), (low.into(), high.into()), [&line.condition], &|_| None))
            }
            // Other values leave no domain.
            _ => None,
        });
        let admitted = admitted.collect::<Option<Vec<Intervals>>>()?;
        let leaves = |values: &[Value]| {
            let known = |leaf: JointLeaf| match leaf {
                JointLeaf::Local(owner, local) => {
                    read.iter().position(|it| *it == (owner, local)).map(|place| values[place].clone())
                }
                JointLeaf::Action(_) => None,
            };
            let new = evaluate(value, &known);
            new.is_some_and(|new| !belongs(model, &new, type_of((instance, *variable))))
                && (0..behaviour.actions.len() as u32).any(|action| {
                    let known = |leaf: JointLeaf| match leaf {
                        JointLeaf::Action(other) if other == instance => Some(Value::Enum(action)),
                        leaf => known(leaf),
                    };
                    partial(&line.condition, &known) != Some(false) && can_allow(behaviour, action, &known)
                })
        };
        let values = first(&admitted, leaves)?;
        Some(Leaving { variable: *variable, values: read.iter().copied().zip(values).collect() })
    })
}

/// True unless the protocol is known to forbid the action.
fn can_allow(behaviour: &Behaviour, action: u32, known: &impl Fn(JointLeaf) -> Option<Value>) -> bool {
    let truth = |line: &crate::model::joint::Possible| partial(&line.condition, known);
    let mut lines = behaviour.protocol.iter().filter(|line| line.actions.contains(&action));
    let is_other = behaviour.other.contains(&action);
    lines.any(|line| truth(line) != Some(false))
        || is_other && behaviour.protocol.iter().all(|line| truth(line) != Some(true))
}

/// The first combination of values, one of each of these, that satisfies a predicate.
fn first(lists: &[Intervals], is_wanted: impl Fn(&[Value]) -> bool) -> Option<Vec<Value>> {
    let count = |lists: &[Intervals]| lists.iter().try_fold(1u128, |all, list| all.checked_mul(list.count()));
    let is_small = |lists: &[Intervals]| count(lists).is_some_and(|count| count <= MOST);
    let ends: Vec<Intervals>;
    let lists = if is_small(lists) {
        lists
    } else {
        ends = lists.iter().map(Intervals::ends).collect();
        &ends[..]
    };
    if !is_small(lists) {
        return None;
    }
    let mut found: Vec<Vec<Value>> = vec![Vec::new()];
    for list in lists {
        let extended = |values: Vec<Value>| {
            list.clone().values().map(move |value| [&values[..], &[value]].concat()).collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(extended).collect();
    }
    found.into_iter().find(|values| {
        tick();
        is_wanted(values)
    })
}
