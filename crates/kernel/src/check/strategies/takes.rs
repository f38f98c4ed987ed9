//! That an agent which does not take a message by one command takes it by another one.

use crate::check::Refused;
use crate::model::eval::value::{belongs, evaluate, holds};
use crate::model::strategy::Decision;
use crate::model::{Action, CommandLeaf, Edge, EdgeId, InstanceId, LocalId, MessageId, Model, Type, Value};

/// Checks that the messages which an agent does not take by a command, in one local state, are taken by another command that it decided for.
///
/// What it knows of a message is which values the data have: so all messages that may come have to have the same data.
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
    let others = (0..model.agent_of(*member).edges.len() as u32).map(EdgeId);
    let is_other = |other: &EdgeId| is_ready_as_well(model, (*member, *edge), *other, locals, data);
    let others: Vec<EdgeId> = others.filter(is_other).collect();
    // All gets with these data can be answered by the same supplies.
    let is_get = matches!(model.agent_of(*member).edges[edge.index()].action, Action::Supply { .. });
    let ready = message.as_ref().map_or(&[][..], |message| &message.ready);
    if is_get && ready.iter().any(|other| other != edge && !others.contains(other)) || is_get && !ready.contains(edge) {
        return Err(Refused::wrong("a member decides by which supplies are possible"));
    }
    let is_taken = |other: &EdgeId| *other != *edge && !refused.contains(&Decision { edge: *other, ..take.clone() });
    if others.iter().any(is_taken) { Ok(()) } else { Err(Refused::wrong("a member refuses a message")) }
}

/// True if the values that a decision is about belong to what the agent sees.
pub(super) fn are_seen(model: &Model, take: &Decision) -> bool {
    let ty = |(owner, local): (InstanceId, LocalId)| model.agent_of(owner).locals[local.index()].ty;
    model.seen_by(take.member).zip(&take.locals).all(|(seen, value)| belongs(model, value, ty(seen)))
}

/// True if an agent can take by another command whatever it takes by one, in a local state and with some data.
fn is_ready_as_well(
    model: &Model,
    (member, edge): (InstanceId, EdgeId),
    other: EdgeId,
    locals: &[Value],
    data: &[(MessageId, Value)],
) -> bool {
    let agent = model.agent_of(member);
    let (one, other): (&Edge, &Edge) = (&agent.edges[edge.index()], &agent.edges[other.index()]);
    let leaf = |leaf: CommandLeaf| match leaf {
        CommandLeaf::Local(LocalId(local)) => locals.get(local as usize).cloned(),
        CommandLeaf::Message(message) => {
            data.iter().find(|(assigned, _)| *assigned == message).map(|(_, value)| value.clone())
        }
        CommandLeaf::Myself => Some(Value::Enum(member.0)),
        CommandLeaf::Property(_) | CommandLeaf::Chan => None,
    };
    let meets_the_same = match (&one.action, &other.action) {
        (Action::Receive { channel: here }, Action::Receive { channel: there }) => {
            let here = evaluate(here, &leaf);
            here.is_some() && here == evaluate(there, &leaf)
        }
        // Getters must not choose by what supplies say.
        (Action::Supply { to: here, .. }, Action::Supply { to: there, .. }) => {
            let agents = model.instance_ids().map(|instance| model.agent_of(instance));
            let mut gets = agents.flat_map(|agent| &agent.edges);
            here == there && !gets.any(|edge| matches!(edge.action, Action::Get { .. }) && !edge.reads.is_empty())
        }
        _ => false,
    };
    let is_possible =
        || other.reads.iter().all(|read| data.iter().any(|(message, _)| message == read)) && holds(&other.guard, &leaf);
    let stays_inside = || {
        other.updates.iter().all(|(local, value)| {
            evaluate(value, &leaf).is_some_and(|value| belongs(model, &value, agent.locals[local.index()].ty))
        })
    };
    // Data out of range would make a step impossible, too.
    let sends_inside = || {
        other.action.data().iter().all(|(message, value)| {
            evaluate(value, &leaf).is_some_and(|value| belongs(model, &value, model.messages[message.index()].ty))
        })
    };
    one.source == other.source && meets_the_same && is_possible() && stays_inside() && sends_inside()
}
