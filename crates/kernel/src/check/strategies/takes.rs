//! That an agent which does not take a message by one command takes it by another one.

use crate::check::Refused;
use crate::model::eval::value::{belongs, evaluate, holds};
use crate::model::strategy::Decision;
use crate::model::{Action, CommandLeaf, Edge, EdgeId, InstanceId, LocalId, MessageId, Model, Type, Value};

/// Checks that the messages which an agent does not take by a command, in one local state, are taken by another command that it decided for.
///
/// It knows the values of the data of a message: so all messages that may come have to have the same data.
pub(super) fn check(model: &Model, refused: &[Decision], take: &Decision) -> Result<(), Refused> {
    let Decision { member, edge, locals, message } = take;
    let types: Vec<Type> = model.locals_of(*member).map(|(_, local)| local.ty).collect();
    let fits = locals.len() == types.len() && locals.iter().zip(&types).all(|(value, ty)| belongs(model, value, *ty));
    let data = message.as_ref().map_or(&[][..], |message| &message.data);
    let names: Vec<MessageId> = data.iter().map(|(message, _)| *message).collect();
    let taken = model.data_taken(*member, *edge);
    let is_all_data = taken.is_some_and(|taken| taken.into_iter().eq(names));
    let fits_data = || data.iter().all(|(message, value)| belongs(model, value, model.messages[message.index()].ty));
    if !fits || !is_all_data || !fits_data() {
        return Err(Refused::wrong("a member decides by data that a message does not have"));
    }
    // A guard that reads the data refuses all messages with them: they come on one channel, or are gets that the same supplies can answer.
    let edges = (0..model.agent_of(*member).edges.len() as u32).map(EdgeId);
    let ways: Vec<EdgeId> = edges.filter(|other| is_ready(model, *member, *other, locals, data)).collect();
    let same = |other: &EdgeId| meets_the_same(model, (*member, *edge), *other, locals);
    let others: Vec<EdgeId> = ways.iter().copied().filter(same).collect();
    let is_one_message = message.as_ref().is_some_and(|message| match channel(model, (*member, *edge), locals) {
        Some(channel) => message.channel.as_ref() == Some(&channel) && message.ready.is_empty(),
        None => message.channel.is_none() && message.ready == others && ways == others,
    });
    if !is_one_message {
        return Err(Refused::wrong("a member decides by what it does not know of a message"));
    }
    let is_taken = |other: &EdgeId| *other != *edge && !refused.contains(&Decision { edge: *other, ..take.clone() });
    let is_safe = |other: &&EdgeId| stays_inside(model, *member, **other, locals, data);
    if others.iter().filter(is_safe).any(is_taken) { Ok(()) } else { Err(Refused::wrong("a member refuses a message")) }
}

/// True if the values that a decision is about belong to what the agent sees.
pub(super) fn are_seen(model: &Model, take: &Decision) -> bool {
    let ty = |(owner, local): (InstanceId, LocalId)| model.agent_of(owner).locals[local.index()].ty;
    model.seen_by(take.member).zip(&take.locals).all(|(seen, value)| belongs(model, value, ty(seen)))
}

/// The value of a leaf in a local state, and of some data.
fn read(member: InstanceId, locals: &[Value], data: &[(MessageId, Value)]) -> impl Fn(CommandLeaf) -> Option<Value> {
    move |leaf: CommandLeaf| match leaf {
        CommandLeaf::Local(LocalId(local)) => locals.get(local as usize).cloned(),
        CommandLeaf::Message(message) => {
            data.iter().find(|(assigned, _)| *assigned == message).map(|(_, value)| value.clone())
        }
        CommandLeaf::Myself => Some(Value::Enum(member.0)),
        CommandLeaf::Property(_) | CommandLeaf::Chan => None,
    }
}

/// The channel on which a command receives, if it does.
fn channel(model: &Model, (member, edge): (InstanceId, EdgeId), locals: &[Value]) -> Option<Value> {
    let Action::Receive { channel } = &model.agent_of(member).edges[edge.index()].action else { return None };
    evaluate(channel, &read(member, locals, &[]))
}

/// True if a command takes messages with some data in a local state, if they are for it.
fn is_ready(model: &Model, member: InstanceId, edge: EdgeId, locals: &[Value], data: &[(MessageId, Value)]) -> bool {
    let edge = &model.agent_of(member).edges[edge.index()];
    let has = |read: &MessageId| data.iter().any(|(message, _)| message == read);
    edge.action.kind().is_taking() && edge.reads.iter().all(has) && holds(&edge.guard, &read(member, locals, data))
}

/// True if two commands take the same messages, as far as their guards allow it.
fn meets_the_same(model: &Model, (member, edge): (InstanceId, EdgeId), other: EdgeId, locals: &[Value]) -> bool {
    let agent = model.agent_of(member);
    let (one, two): (&Edge, &Edge) = (&agent.edges[edge.index()], &agent.edges[other.index()]);
    let meets = match (&one.action, &two.action) {
        (Action::Receive { .. }, Action::Receive { .. }) => {
            let here = channel(model, (member, edge), locals);
            here.is_some() && here == channel(model, (member, other), locals)
        }
        // Getters must not choose by what supplies say.
        (Action::Supply { to: here, .. }, Action::Supply { to: there, .. }) => {
            let agents = model.instance_ids().map(|instance| model.agent_of(instance));
            let mut gets = agents.flat_map(|agent| &agent.edges);
            here == there && !gets.any(|edge| matches!(edge.action, Action::Get { .. }) && !edge.reads.is_empty())
        }
        _ => false,
    };
    one.source == two.source && meets
}

/// True if the new values of locals, and the data of an answer, belong to their types: else a step is not possible.
fn stays_inside(
    model: &Model,
    member: InstanceId,
    edge: EdgeId,
    locals: &[Value],
    data: &[(MessageId, Value)],
) -> bool {
    let agent = model.agent_of(member);
    let edge = &agent.edges[edge.index()];
    let leaf = read(member, locals, data);
    let belongs_to = |value: &_, ty| evaluate(value, &leaf).is_some_and(|value| belongs(model, &value, ty));
    edge.updates.iter().all(|(local, value)| belongs_to(value, agent.locals[local.index()].ty))
        && edge.action.data().iter().all(|(message, value)| belongs_to(value, model.messages[message.index()].ty))
}
