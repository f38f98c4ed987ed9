//! Expressions over one instance of a scheme, renamed to be about agents of another instance.

use super::clause::compared;
use crate::limits;
use crate::model::formula::StateLeaf;
use crate::model::{Expr, InstanceId, Model, TotalId, Type, Value};

/// The representatives of instances.
#[derive(Clone, Copy)]
pub struct Renaming<'a> {
    /// The instance that the expressions are over.
    pub from: &'a Model,
    /// The instance that they are renamed for.
    pub to: &'a Model,
    members: &'a [InstanceId],
    chosen: &'a [InstanceId],
}

impl<'a> Renaming<'a> {
    /// Of members of families; agents that every instance has stand for themselves.
    pub fn new(from: &'a Model, to: &'a Model, members: &'a [InstanceId], chosen: &'a [InstanceId]) -> Renaming<'a> {
        Renaming { from, to, members, chosen }
    }

    /// The representative of an instance.
    pub fn of(&self, instance: InstanceId) -> InstanceId {
        if let Some(place) = self.members.iter().position(|member| *member == instance) {
            return self.chosen[place];
        }
        let name = &self.from.instances[instance.index()].name;
        let position = self.to.instances.iter().position(|other| other.name == *name);
        InstanceId(position.expect("an agent that is no member is in each instance") as u32)
    }
}

/// Each choice of different members of an instance for members of another one.
pub fn for_each_assignment(from: &Model, to: &Model, members: &[InstanceId], visit: &mut dyn FnMut(&[InstanceId])) {
    assign(from, to, members, &mut Vec::new(), visit);
}

fn assign(
    from: &Model,
    to: &Model,
    members: &[InstanceId],
    chosen: &mut Vec<InstanceId>,
    visit: &mut dyn FnMut(&[InstanceId]),
) {
    limits::tick();
    let Some(&member) = members.get(chosen.len()) else { return visit(chosen) };
    let (family, _) = from.place_of_member(member).expect("it is a member");
    for choice in to.families()[family].members() {
        if !chosen.contains(&choice) {
            chosen.push(choice);
            assign(from, to, members, chosen, visit);
            chosen.pop();
        }
    }
}

/// The expression in the other instance, about other instances in place of those that it mentions.
pub fn renamed(renaming: &Renaming, expr: &Expr<StateLeaf>) -> Expr<StateLeaf> {
    let Renaming { from, to, .. } = *renaming;
    let of = |instance| renaming.of(instance);
    let rename = |part: &Expr<StateLeaf>| Box::new(renamed(renaming, part));
    match expr {
        Expr::Const(value) => Expr::Const(value.clone()),
        Expr::Leaf(StateLeaf::Local(instance, local)) => Expr::Leaf(StateLeaf::Local(of(*instance), *local)),
        Expr::Leaf(StateLeaf::Automaton(instance)) => Expr::Leaf(StateLeaf::Automaton(of(*instance))),
        Expr::Leaf(StateLeaf::Deadlock) => Expr::Leaf(StateLeaf::Deadlock),
        Expr::Leaf(StateLeaf::Enabled(instance, command)) => Expr::Leaf(StateLeaf::Enabled(of(*instance), *command)),
        Expr::Leaf(StateLeaf::Total(id)) => total(from, to, *id),
        Expr::Not(inner) => Expr::Not(rename(inner)),
        Expr::Neg(inner) => Expr::Neg(rename(inner)),
        Expr::Binary(op, left, right) => {
            let ty = compared(from, expr);
            let side = |side: &Expr<StateLeaf>| match (side, ty) {
                (Expr::Const(Value::Enum(value)), Some(Type::Location)) => {
                    Box::new(Expr::Const(Value::Enum(of(InstanceId(*value)).0)))
                }
                (Expr::Const(Value::Enum(value)), Some(Type::Channel)) => {
                    Box::new(Expr::Const(Value::Enum(renamed_channel(from, to, *value, &of))))
                }
                (other, _) => rename(other),
            };
            Expr::Binary(*op, side(left), side(right))
        }
        Expr::If(condition, yes, no) => Expr::If(rename(condition), rename(yes), rename(no)),
    }
}

/// A total in another instance: where there is no agent outside, the sum over its members.
fn total(from: &Model, to: &Model, id: TotalId) -> Expr<StateLeaf> {
    if to.open.is_none() {
        return from.totals()[id.index()].here(to);
    }
    let same = to.totals().iter().position(|total| *total == from.totals()[id.index()]);
    let place = same.expect("open instances for one spec and the same ghosts have the same totals");
    Expr::Leaf(StateLeaf::Total(TotalId(place as u32)))
}

/// A channel of the file is the same everywhere; a member's own becomes that of another one.
fn renamed_channel(from: &Model, to: &Model, channel: u32, of: &dyn Fn(InstanceId) -> InstanceId) -> u32 {
    let Some((family, own, member)) = from.owner_of_channel(channel) else { return channel };
    let member = from.families()[family].members().nth(member).expect("its own channel");
    let (family, member) = to.place_of_member(of(member)).expect("members stand for members");
    to.families()[family].channels[own][member as usize]
}
