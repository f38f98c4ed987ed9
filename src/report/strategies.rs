//! Strategies in words.

use crate::check::strategies::{Answer, Answers};
use crate::model::strategy::{Decision, Refusal, Strategy};
use crate::model::{EdgeId, Expr, Formula, InstanceId, Model, Value};
use std::io::{self, Write};

/// Where formulas are true that are known before.
pub fn write_pieces(out: &mut dyn Write, model: &Model, answers: &Answers) -> io::Result<()> {
    answers.pieces().iter().try_for_each(|piece| {
        let formula = model.show_formula(&Formula::Branching(Box::new(piece.branching().clone())));
        match piece.condition() {
            Expr::Const(Value::Bool(false)) => writeln!(out, "    `{formula}` is true nowhere"),
            Expr::Const(Value::Bool(true)) => writeln!(out, "    `{formula}` is true everywhere"),
            condition => writeln!(out, "    `{formula}` is true where `{}` is", model.show_state_expr(condition)),
        }
    })
}

/// `can(g, f)`
pub fn show_can(model: &Model, answer: &Answer) -> String {
    model.show_formula(&Formula::Branching(Box::new(answer.beginning().can.clone())))
}

/// Writes what members do not offer.
pub fn write_strategy(out: &mut dyn Write, model: &Model, strategy: &Strategy) -> io::Result<()> {
    if *strategy == Strategy::default() {
        return writeln!(out, "      every command is offered wherever it is possible");
    }
    for Refusal { member, edge, when } in &strategy.refusals {
        write_refusal(out, &show_command(model, *member, *edge), &model.show_state_expr(when))?;
    }
    for take in &strategy.takes {
        let command = show_command(model, take.member, take.edge);
        let does_not = if model.joint.is_some() { "is not taken" } else { "does not take messages" };
        match show_taken(model, take).as_str() {
            "" => writeln!(out, "      {command} {does_not}")?,
            taken => writeln!(out, "      {command} {does_not} where `{taken}`")?,
        }
    }
    writeln!(out, "      everything else is offered")
}

/// Writes where a command is not offered.
pub fn write_refusal(out: &mut dyn Write, command: &str, when: &str) -> io::Result<()> {
    match when {
        "true" => writeln!(out, "      {command} is never offered"),
        when => writeln!(out, "      {command} is not offered where `{when}`"),
    }
}

/// A command of an agent.
fn show_command(model: &Model, member: InstanceId, edge: EdgeId) -> String {
    let name = &model.instances[member.index()].name;
    if let Some(action) = model.action_name(member, edge) {
        return format!("`{name}`: `{action}`");
    }
    match &model.agent_of(member).edges[edge.index()].label {
        Some(label) => format!("`{name}-{label}`"),
        None => format!("command {} of `{name}`", edge.0 + 1),
    }
}

/// A decision: `command where ..`
pub fn show_decision(model: &Model, decision: &Decision) -> String {
    let command = show_command(model, decision.member, decision.edge);
    match show_taken(model, decision).as_str() {
        "" => command,
        taken => format!("{command} where `{taken}`"),
    }
}

/// The local state and the data of a decision; empty if there is nothing to see.
pub fn show_taken(model: &Model, take: &Decision) -> String {
    let locals = model.seen_by(take.member).zip(&take.locals).map(|((owner, local), value)| {
        let ty = model.agent_of(owner).locals[local.index()].ty;
        format!("{} = {}", model.variable_name(owner, local), model.show(value, ty))
    });
    let data = take.message.iter().flat_map(|message| &message.data).map(|(message, value)| {
        let variable = &model.messages[message.index()];
        format!("{} = {}", variable.name, model.show(value, variable.ty))
    });
    locals.chain(data).collect::<Vec<_>>().join(" & ")
}
