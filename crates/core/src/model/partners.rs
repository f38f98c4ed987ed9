//! Which agent types may take part in whose commands: an approximation from above by what the text
//! says of channels and guards.

use super::elaborate::constant;
use crate::model::expr::Expr;
use crate::model::{Action, Agent, AgentId, CommandLeaf, Edge, MessageId, Model, Value};

/// The agent types of a model with the numbers of their instances.
pub struct Partners<'a> {
    model: &'a Model,
    counts: Vec<usize>,
}

impl<'a> Partners<'a> {
    /// Counts the instances whose type is known.
    pub fn new(model: &'a Model, instances: &[Option<AgentId>]) -> Partners<'a> {
        let mut counts = vec![0; model.agents.len()];
        instances.iter().flatten().for_each(|agent| counts[agent.index()] += 1);
        Partners { model, counts }
    }

    /// The agent types that have an instance.
    pub fn instantiated(&self) -> impl Iterator<Item = AgentId> {
        (0..self.counts.len()).filter(|&index| self.counts[index] > 0).map(|index| AgentId(index as u32))
    }

    /// The agent types that have an instance besides one instance of the given type.
    pub fn others(&self, agent: AgentId) -> impl Iterator<Item = AgentId> {
        self.instantiated().filter(move |&other| self.is_other(agent, other))
    }

    /// True if an agent type with an instance has one besides one instance of the given type.
    pub fn is_other(&self, agent: AgentId, other: AgentId) -> bool {
        other != agent || self.counts[other.index()] > 1
    }

    fn agent(&self, agent: AgentId) -> &'a Agent {
        &self.model.agents[agent.index()]
    }

    /// The commands of all instances of these types.
    pub fn edges(&self) -> impl Iterator<Item = (AgentId, &'a Edge)> {
        self.instantiated().flat_map(|agent| self.agent(agent).edges.iter().map(move |edge| (agent, edge)))
    }

    /// True if the property variables in the predicate of a command may be read of an instance of the
    /// other type: as one that may receive a broadcast, listen to a multicast, or supply.
    pub fn may_answer(&self, edge: &Edge, other: AgentId) -> bool {
        let other = self.agent(other);
        match &edge.action {
            Action::Send { channel, .. } => {
                let receives = other.receives().next().is_some();
                (may_broadcast(channel) && receives) || may_listen(other, channel)
            }
            Action::Get { target, .. } => other.edges.iter().any(|edge| match &edge.action {
                Action::Supply { to, .. } => to.serves(target),
                Action::Send { .. } | Action::Receive { .. } | Action::Get { .. } => false,
            }),
            Action::Receive { .. } | Action::Supply { .. } => false,
        }
    }

    /// The commands whose data a command may read.
    pub fn sources(&self, agent: AgentId, edge: &'a Edge) -> impl Iterator<Item = &'a Edge> {
        self.others(agent).flat_map(|other| &self.agent(other).edges).filter(|source| gives(source, edge))
    }
}

/// True if a command of one agent type may meet one of another, beside their channels: by what is constant in guards,
/// relabellings and data.
pub fn may_meet(model: &Model, source: (AgentId, &Edge), other: (AgentId, &Edge)) -> bool {
    gives(source.1, other.1) && agree(model, source, other)
}

/// The same, beside whom gets and supplies name, too.
pub fn agree(model: &Model, (source, give): (AgentId, &Edge), (other, take): (AgentId, &Edge)) -> bool {
    let assigned = |data: &[(MessageId, Expr<CommandLeaf>)], id: &MessageId| {
        let found = data.iter().find(|(assigned, _)| assigned == id);
        found.map(|(_, value)| constant(value, &|_| None))
    };
    let is_false = |guard: &Expr<CommandLeaf>, of: AgentId, data: &[(MessageId, Expr<CommandLeaf>)]| {
        let relabel = &model.agents[of.index()].relabel;
        let value_of = |leaf: &CommandLeaf| match leaf {
            CommandLeaf::Property(id) => constant(relabel[id.index()].as_ref()?, &|_| None),
            CommandLeaf::Message(id) => assigned(data, id).flatten(),
            _ => None,
        };
        constant(guard, &value_of) == Some(Value::Bool(false))
    };
    let reads_all =
        |edge: &Edge, data: &[(MessageId, Expr<CommandLeaf>)]| edge.reads.iter().all(|id| assigned(data, id).is_some());
    let asked = match (give.action.predicate(), take.action.predicate()) {
        (Some(predicate), _) => Some((predicate, other)),
        (None, Some(predicate)) => Some((predicate, source)),
        (None, None) => None,
    };
    let (given, taken) = (give.action.data(), take.action.data());
    !asked.is_some_and(|(guard, of)| is_false(guard, of, &[]))
        && !is_false(&give.guard, source, taken)
        && !is_false(&take.guard, other, given)
        && reads_all(take, given)
        && reads_all(give, taken)
}

/// True if a command may hand its data to the other one.
pub fn gives(source: &Edge, reader: &Edge) -> bool {
    match (&source.action, &reader.action) {
        (Action::Send { channel: sent, .. }, Action::Receive { channel }) => match (sent, channel) {
            (Expr::Const(sent), Expr::Const(channel)) => sent == channel,
            // One of them is not known.
            _ => true,
        },
        (Action::Supply { to, .. }, Action::Get { target, .. })
        | (Action::Get { target, .. }, Action::Supply { to, .. }) => to.serves(target),
        (Action::Send { .. } | Action::Receive { .. } | Action::Get { .. } | Action::Supply { .. }, _) => false,
    }
}

/// True if a channel may be the broadcast channel.
pub fn may_broadcast(channel: &Expr<CommandLeaf>) -> bool {
    !matches!(channel, Expr::Const(value) if *value != Value::BROADCAST)
}

/// True if a channel may be another than the broadcast channel.
pub fn may_multicast(channel: &Expr<CommandLeaf>) -> bool {
    !matches!(channel, Expr::Const(Value::BROADCAST))
}

/// True if an agent may listen to a multicast on the channel.
pub fn may_listen(agent: &Agent, channel: &Expr<CommandLeaf>) -> bool {
    let known = match channel {
        Expr::Const(value) => Some(value),
        _ => None,
    };
    let value_of = |leaf: &CommandLeaf| match leaf {
        CommandLeaf::Chan => known.cloned(),
        _ => None,
    };
    may_multicast(channel) && constant(&agent.receive_guard, &value_of) != Some(Value::Bool(false))
}

/// True if a command assigns a message variable.
pub fn assigns(edge: &Edge, message: MessageId) -> bool {
    edge.action.data().iter().any(|(assigned, _)| *assigned == message)
}
