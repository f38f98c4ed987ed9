//! The agents that can take part in a command: as far as channels, guards, relabellings and data show it that are constant.

use crate::model::partners::{Partners, may_broadcast, may_listen, may_meet, may_multicast};
use crate::model::{Action, AgentId, Edge, EdgeId, Model, Type};
use crate::words::count;

/// The agents that can take part in a command, as lines of Markdown.
pub(super) fn describe(model: &Model, agent: AgentId, edge: EdgeId) -> Vec<String> {
    let types: Vec<Option<AgentId>> = model.instances.iter().map(|instance| Some(instance.agent)).collect();
    let meeting = CommandPartners { model, partners: Partners::new(model, &types), agent, edge };
    let command = &model.agents[agent.index()].edges[edge.index()];
    let mut lines = vec![format!("leads from automaton state {} to {}", command.source, command.target)];
    match &command.action {
        Action::Send { .. } => lines.extend(meeting.send(command)),
        Action::Receive { .. } => {
            lines.push(meeting.sources("can receive from", "no agent sends what this can receive"))
        }
        Action::Get { .. } => lines.push(meeting.sources("can be answered by", "no agent can answer")),
        Action::Supply { .. } => lines.push(meeting.sources("can answer", "no agent asks for this")),
    }
    lines
}

struct CommandPartners<'m> {
    model: &'m Model,
    partners: Partners<'m>,
    agent: AgentId,
    edge: EdgeId,
}

impl CommandPartners<'_> {
    fn send(&self, command: &Edge) -> Vec<String> {
        let Action::Send { channel, .. } = &command.action else { return Vec::new() };
        let shown = self.model.show_expr(self.agent, channel, Type::Channel);
        let (broadcast, multicast) = (may_broadcast(channel), may_multicast(channel));
        let kind = match (broadcast, multicast) {
            (true, false) => "a broadcast: each agent that can receives it, none blocks it".to_owned(),
            (false, _) => format!("a multicast on `{shown}`: all agents that listen have to receive"),
            (true, true) => format!("a multicast on the value of `{shown}`, a broadcast where that is `*`"),
        };
        let mut lines = vec![kind, self.partners_of("can be received by", "no agent can receive it", true)];
        if multicast {
            let others = self.partners.others(self.agent);
            let listeners = others.filter(|other| may_listen(&self.model.agents[other.index()], channel));
            let names: Vec<String> = listeners.map(|other| self.agent_type(other)).collect();
            lines.push(match names.is_empty() {
                true => "no agent listens, so none can block it".to_owned(),
                false => format!("may listen, and blocks it if it cannot receive: {}", names.join(", ")),
            });
        }
        lines
    }

    fn sources(&self, some: &str, none: &str) -> String {
        self.partners_of(some, none, false)
    }

    /// The commands of others that can meet this one, as giver or as taker.
    fn partners_of(&self, some: &str, none: &str, gives: bool) -> String {
        let own = (self.agent, &self.model.agents[self.agent.index()].edges[self.edge.index()]);
        let mut parts = Vec::new();
        for other in self.partners.others(self.agent) {
            let edges = self.model.agents[other.index()].edges.iter().enumerate();
            let meets = |edge| {
                let (giver, taker) = if gives { (own, (other, edge)) } else { ((other, edge), own) };
                may_meet(self.model, giver, taker)
            };
            let labels: Vec<String> = edges.filter(|(_, edge)| meets(edge)).map(|(at, edge)| label(at, edge)).collect();
            if !labels.is_empty() {
                parts.push(format!("{}: {}", self.agent_type(other), labels.join(", ")));
            }
        }
        if parts.is_empty() { none.to_owned() } else { format!("{some} {}", parts.join("; ")) }
    }

    /// The name of an agent type, with the number of its instances.
    fn agent_type(&self, agent: AgentId) -> String {
        let number = self.model.instances.iter().filter(|instance| instance.agent == agent).count();
        format!("`{}` ({})", self.model.agents[agent.index()].name, count(number, "instance"))
    }
}

/// The name of a command.
fn label(place: usize, edge: &Edge) -> String {
    edge.label.as_ref().map_or_else(|| format!("command {}", place + 1), |label| format!("`{label}`"))
}
