//! What groups can bring about, and how.

use super::write as write_proof;
use crate::check::strategies::{Answer, Answers, ProofByStrategies, Why};
use crate::model::strategy::{Decision, Refusal, Strategy};
use crate::model::{EdgeId, Formula, InstanceId, Model};
use crate::words::count;
use std::io::{self, Write};

/// Writes which strategies there are, and why the rest of the spec holds.
pub(super) fn write(out: &mut dyn Write, model: &Model, proof: &ProofByStrategies, whole: &str) -> io::Result<()> {
    write_answers(out, model, proof.answers(), whole)?;
    let rest = proof.answers().rest();
    let formula = &rest.specs[0].formula;
    if *formula != Formula::TRUE {
        writeln!(out, "    what remains, `{}`, holds:", rest.show_formula(formula))?;
        write_proof(out, rest, 0, proof.rest(), whole)?;
    }
    Ok(())
}

/// Writes which strategies there are.
pub fn write_answers(out: &mut dyn Write, model: &Model, answers: &Answers, whole: &str) -> io::Result<()> {
    for piece in answers.pieces() {
        let formula = model.show_formula(&Formula::Branching(Box::new(piece.branching().clone())));
        writeln!(out, "    `{formula}` is true where `{}` is", model.show_state_expr(piece.condition()))?;
    }
    answers.answers().iter().try_for_each(|answer| write_answer(out, model, answer, whole))
}

fn write_answer(out: &mut dyn Write, model: &Model, answer: &Answer, whole: &str) -> io::Result<()> {
    let can = model.show_formula(&Formula::Branching(Box::new(answer.beginning().can.clone())));
    match answer.why() {
        Why::Can { strategy, outcome, proofs } => {
            writeln!(out, "    `{can}` is true, by this strategy:")?;
            write_strategy(out, model, strategy)?;
            for (spec, proof) in proofs.iter().enumerate() {
                let formula = outcome.show_formula(&outcome.specs[spec].formula);
                writeln!(out, "    because `{formula}` holds where members decide so:")?;
                write_proof(out, outcome, spec, proof, whole)?;
            }
            Ok(())
        }
        Why::Cannot { runs, .. } => {
            let runs = count(runs.runs.len(), "run");
            writeln!(out, "    `{can}` is false: each strategy allows one of {runs} that violate it")
        }
    }
}

/// Writes what members do not offer.
pub fn write_strategy(out: &mut dyn Write, model: &Model, strategy: &Strategy) -> io::Result<()> {
    if strategy.refusals.is_empty() && strategy.takes.is_empty() {
        return writeln!(out, "      every command is offered wherever it is possible");
    }
    for Refusal { member, edge, when } in &strategy.refusals {
        let command = command(model, *member, *edge);
        writeln!(out, "      {command} is not offered where `{}`", model.show_state_expr(when))?;
    }
    for take in &strategy.takes {
        let command = command(model, take.member, take.edge);
        writeln!(out, "      {command} does not take a message where {}", where_taken(model, take))?;
    }
    writeln!(out, "      everything else is offered")
}

/// A command of an agent.
fn command(model: &Model, member: InstanceId, edge: EdgeId) -> String {
    let name = &model.instances[member.index()].name;
    match &model.agent_of(member).edges[edge.index()].label {
        Some(label) => format!("`{name}-{label}`"),
        None => format!("command {} of `{name}`", edge.0 + 1),
    }
}

/// The local state and the data of a decision.
fn where_taken(model: &Model, take: &Decision) -> String {
    let name = &model.instances[take.member.index()].name;
    let locals = model.locals_of(take.member).zip(&take.locals);
    let locals = locals.map(|((_, local), value)| format!("{name}-{} = {}", local.name, model.show(value, local.ty)));
    let data = take.message.iter().flat_map(|message| &message.data).map(|(message, value)| {
        let variable = &model.messages[message.index()];
        format!("{} = {}", variable.name, model.show(value, variable.ty))
    });
    format!("`{}`", locals.chain(data).collect::<Vec<_>>().join(" & "))
}
