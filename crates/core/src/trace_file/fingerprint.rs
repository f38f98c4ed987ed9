//! Fingerprints that tell one model from another.

use crate::model::joint::{Behaviour, Joint, JointLeaf, Line, Possible};
use crate::model::{
    Agent, AgentId, BinaryOp, ConstantName, EdgeId, Expr, InstanceId, LocalId, Model, PointToPoint, Restriction, Type,
    Variable,
};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A hash of the model's meaning: declarations, agents with their automata and commands, instances; in
/// their order, with their names. Specs are left out: a run is one whatever is asked of it.
pub fn fingerprint(model: &Model) -> String {
    let digest = Sha256::digest(describe(model).as_bytes());
    let mut text = "sha256:".to_owned();
    for byte in digest {
        write!(text, "{byte:02x}").expect("a string takes everything");
    }
    text
}

/// The facts that a file has about its model, with the fingerprint, and with the values of constants.
pub(super) fn identify(mut about: Json, model: &Model) -> Json {
    about["fingerprint"] = json!(fingerprint(model));
    if !model.constants.is_empty() {
        about["constants"] = json!(model.literals());
        about["given"] = json!(model.given());
    }
    about
}

/// The model as a text, one fact per line.
fn describe(model: &Model) -> String {
    let mut lines = vec![format!("channels {}", model.channels.join(" "))];
    lines.extend(model.enums.iter().map(|it| format!("enum {} {}", it.name, it.constants.join(" "))));
    // The same text has another meaning then.
    if model.point_to_point != PointToPoint::default() {
        lines.push(ConstantName::PointToPoint(model.point_to_point).to_string());
    }
    lines.extend(variables(model, "message", &model.messages));
    lines.extend(variables(model, "property", &model.properties));
    for (index, agent) in model.agents.iter().enumerate() {
        describe_agent(model, AgentId(index as u32), agent, &mut lines);
    }
    for instance in &model.instances {
        let (agent, init) = (&model.agents[instance.agent.index()].name, &instance.init);
        lines.push(format!("instance {} {agent} {}", instance.name, model.show_expr(instance.agent, init, Type::Bool)));
    }
    if let Some(joint) = &model.joint {
        let behaviours = model.instance_ids().zip(&joint.behaviours);
        behaviours.for_each(|(id, behaviour)| describe_behaviour(model, joint, (id, behaviour), &mut lines));
    }
    let restricted = |restriction: &Restriction| format!("where {}", model.show_formula(&restriction.formula));
    lines.extend(model.restriction.iter().map(restricted));
    lines.join("\n")
}

fn describe_agent(model: &Model, id: AgentId, agent: &Agent, lines: &mut Vec<String>) {
    let condition = |expr: &Expr<_>| model.show_expr(id, expr, Type::Bool);
    lines.push(format!("agent {}", agent.name));
    lines.extend(variables(model, "local", &agent.locals));
    lines.push(format!("init {}", condition(&agent.init)));
    lines.push(format!("receive-guard {}", condition(&agent.receive_guard)));
    for (property, meaning) in model.properties.iter().zip(&agent.relabel) {
        if let Some(meaning) = meaning {
            lines.push(format!("relabel {} {}", property.name, model.show_expr(id, meaning, property.ty)));
        }
    }
    for (index, edge) in agent.edges.iter().enumerate() {
        let command = model.show_command(id, EdgeId(index as u32));
        lines.push(format!("command {} {} {command}", edge.source, edge.target));
    }
}

/// The protocol and the evolution of an agent.
fn describe_behaviour(model: &Model, joint: &Joint, (id, it): (InstanceId, &Behaviour), lines: &mut Vec<String>) {
    let name = |of: InstanceId| &model.instances[of.index()].name;
    let leaf = |leaf: JointLeaf| match leaf {
        JointLeaf::Local(of, local) => {
            let variable = &model.agent_of(of).locals[local.index()];
            (format!("{}.{}", name(of), variable.name), variable.ty)
        }
        JointLeaf::Action(of) => (format!("{}.action", name(of)), Type::Enum(joint.behaviours[of.index()].action_type)),
    };
    let shown = |expr: &Expr<JointLeaf>| model.show_expr_over(expr, &leaf);
    lines.push(format!("behaviour {} {}; otherwise {:?}", name(id), it.actions.join(" "), it.other));
    for Possible { condition, actions, .. } in &it.protocol {
        lines.push(format!("protocol {actions:?} if {}", shown(condition)));
    }
    for Line { condition, updates, .. } in &it.lines {
        let update = |(local, value): &(LocalId, Expr<JointLeaf>)| {
            shown(&Expr::binary(BinaryOp::Eq, Expr::Leaf(JointLeaf::Local(id, *local)), value.clone()))
        };
        let updates: Vec<String> = updates.iter().map(update).collect();
        lines.push(format!("line {} if {}", updates.join(", "), shown(condition)));
    }
    let sees = it.sees.iter().map(|(of, local)| leaf(JointLeaf::Local(*of, *local)).0);
    lines.push(format!("groups {:?}; sees {}", it.groups, sees.collect::<Vec<_>>().join(" ")));
}

fn variables(model: &Model, kind: &str, list: &[Variable]) -> Vec<String> {
    list.iter().map(|variable| format!("{kind} {} : {}", variable.name, type_name(model, variable.ty))).collect()
}

fn type_name(model: &Model, ty: Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Range(low, high) => format!("{low}..{high}"),
        Type::Enum(id) => model.enums[id.index()].name.clone(),
        Type::Channel => "channel".to_owned(),
        Type::Location => "location".to_owned(),
    }
}
