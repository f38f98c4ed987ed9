//! Steps as JSON, and back. Both formats write them alike, but for integers.

use super::problem::{JsonNode, Problems};
use super::value::{Integers, alternatives, to_json};
use crate::model::eval::{Choice, Step};
use crate::model::{EdgeId, InstanceId, MessageId, Model, Type, Value};
use serde_json::{Map, Value as Json, json};

/// A step as a file tells it. The choice decides; the rest has to agree with what it leads to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrittenStep {
    pub(super) choice: Choice,
    pub(super) channel: Option<Value>,
    pub(super) data: Vec<(MessageId, Value)>,
}

/// The broadcast or multicast, get/supply or stutter.
pub(super) fn step_to_json(model: &Model, step: &Step, integers: Integers) -> Json {
    let command = |&(instance, edge): &(InstanceId, EdgeId)| command_to_json(model, instance, edge);
    let data = || {
        let assigned = step.data.iter().map(|(message, value)| {
            let variable = &model.messages[message.index()];
            (variable.name.clone(), to_json(model, value, variable.ty, integers))
        });
        assigned.collect::<Map<_, _>>()
    };
    match &step.choice {
        Choice::Stutter => json!({ "kind": "stutter" }),
        Choice::Joint(deeds) => json!({ "kind": "joint", "deeds": deeds.iter().map(command).collect::<Vec<_>>() }),
        Choice::Send { sender, edge, receivers } => json!({
            "kind": kind_of_send(step.channel.as_ref()),
            "sender": command(&(*sender, *edge)),
            "channel": step.channel.as_ref().map(|channel| model.show(channel, Type::Channel)),
            "data": data(),
            "receivers": receivers.iter().map(command).collect::<Vec<_>>(),
        }),
        Choice::GetSupply { getter, get, supplier, supply } => json!({
            "kind": "get-supply",
            "getter": command(&(*getter, *get)),
            "supplier": command(&(*supplier, *supply)),
            "data": data(),
        }),
    }
}

fn kind_of_send(channel: Option<&Value>) -> &'static str {
    if channel == Some(&Value::BROADCAST) { "broadcast" } else { "multicast" }
}

fn command_to_json(model: &Model, instance: InstanceId, edge: EdgeId) -> Json {
    json!({
        "instance": model.instances[instance.index()].name,
        "command": command_name(model, instance, edge),
    })
}

/// The label of a command, an action, or `#` and its place among the commands of its agent, from 1.
fn command_name(model: &Model, instance: InstanceId, edge: EdgeId) -> String {
    if let Some(joint) = &model.joint {
        let name = model.action_name(instance, edge).map(str::to_owned);
        let line = || format!("#{}", edge.index() - joint.behaviours[instance.index()].actions.len() + 1);
        return name.unwrap_or_else(line);
    }
    let label = model.agent_of(instance).edges[edge.index()].label.clone();
    label.unwrap_or_else(|| format!("#{}", edge.0 + 1))
}

impl Problems {
    pub(super) fn step(&mut self, model: &Model, node: &JsonNode) -> Option<WrittenStep> {
        let kind = self.required(node, "kind")?;
        match self.string(&kind)? {
            "stutter" => {
                self.no_others(node, &["kind"]);
                Some(WrittenStep { choice: Choice::Stutter, channel: None, data: Vec::new() })
            }
            written @ ("broadcast" | "multicast") => {
                let step = self.send(model, node)?;
                match kind_of_send(step.channel.as_ref()) {
                    right if right == written => Some(step),
                    right => self.report(&kind, format!("on this channel it is a {right}")),
                }
            }
            "get-supply" => self.get_supply(model, node),
            "joint" => {
                self.no_others(node, &["kind", "deeds"]);
                let deeds = self.commands(model, node, "deeds")?;
                Some(WrittenStep { choice: Choice::Joint(deeds), channel: None, data: Vec::new() })
            }
            other => self.report(
                &kind,
                format!("`{other}` is no kind of step; there are broadcast, multicast, get-supply, joint, stutter"),
            ),
        }
    }

    fn send(&mut self, model: &Model, node: &JsonNode) -> Option<WrittenStep> {
        self.no_others(node, &["kind", "sender", "channel", "data", "receivers"]);
        let sender = self.participant(model, node, "sender");
        let channel = self.required(node, "channel").and_then(|node| self.value(model, &node, Type::Channel));
        let data = self.data(model, node);
        let receivers = self.commands(model, node, "receivers");
        let (sender, edge) = sender?;
        let choice = Choice::Send { sender, edge, receivers: receivers? };
        Some(WrittenStep { choice, channel: Some(channel?), data: data? })
    }

    fn get_supply(&mut self, model: &Model, node: &JsonNode) -> Option<WrittenStep> {
        self.no_others(node, &["kind", "getter", "supplier", "data"]);
        let getter = self.participant(model, node, "getter");
        let supplier = self.participant(model, node, "supplier");
        let data = self.data(model, node);
        let ((getter, get), (supplier, supply)) = (getter?, supplier?);
        Some(WrittenStep { choice: Choice::GetSupply { getter, get, supplier, supply }, channel: None, data: data? })
    }

    fn commands(&mut self, model: &Model, node: &JsonNode, of: &str) -> Option<Vec<(InstanceId, EdgeId)>> {
        let list = self.required(node, of)?;
        let receivers: Vec<_> = self.list(&list)?.iter().map(|node| self.command(model, node)).collect();
        receivers.into_iter().collect()
    }

    fn data(&mut self, model: &Model, node: &JsonNode) -> Option<Vec<(MessageId, Value)>> {
        let node = self.required(node, "data")?;
        let assigned = self.object(&node)?.keys().map(|name| {
            let field = node.field(name).unwrap_or_else(|| node.clone());
            let Some(index) = model.messages.iter().position(|variable| variable.name == *name) else {
                let names = model.messages.iter().map(|variable| variable.name.clone());
                return self.report(&field, format!("`{name}` is no message variable: {}", alternatives(names)));
            };
            Some((MessageId(index as u32), self.value(model, &field, model.messages[index].ty)?))
        });
        let assigned: Vec<_> = assigned.collect();
        let mut data = assigned.into_iter().collect::<Option<Vec<_>>>()?;
        data.sort_by_key(|(message, _)| *message);
        Some(data)
    }

    fn participant(&mut self, model: &Model, node: &JsonNode, role: &str) -> Option<(InstanceId, EdgeId)> {
        let node = self.required(node, role)?;
        self.command(model, &node)
    }

    fn command(&mut self, model: &Model, node: &JsonNode) -> Option<(InstanceId, EdgeId)> {
        self.no_others(node, &["instance", "command"]);
        let (instance, command) = (self.required(node, "instance"), self.required(node, "command"));
        let Value::Enum(instance) = self.value(model, &instance?, Type::Location)? else { return None };
        let (instance, node) = (InstanceId(instance), command?);
        let text = self.string(&node)?;
        let mut edges = (0..model.commands_of(instance)).map(EdgeId);
        let found = edges.clone().find(|edge| command_name(model, instance, *edge) == text);
        found
            .or_else(|| {
                let agent = &model.agent_of(instance).name;
                let names = edges.by_ref().map(|edge| command_name(model, instance, edge));
                self.report(&node, format!("`{text}` is no command of {agent}: {}", alternatives(names)))
            })
            .map(|edge| (instance, edge))
    }
}
