//! Strategies in words, and the runs that show that there is none.

use super::trace::{self, Detail, HEADING};
use crate::check::Counterexample;
use crate::check::strategies::{Answer, Answers, Piece, Why};
use crate::claim::strategies::{Failure, Shows};
use crate::model::branching::Branching;
use crate::model::eval::Semantics;
use crate::model::formula::StateLeaf;
use crate::model::strategy::{Decision, Refusal, Strategy};
use crate::model::{EdgeId, Expr, Formula, InstanceId, Model, Value};
use crate::source::SourceFile;
use crate::words::count;
use std::io::{self, Write};

/// The number of runs that are shown.
const RUNS: usize = 3;

/// Writes for each `can(g, f)` a strategy, or runs that show that there is none.
pub fn write(
    out: &mut dyn Write,
    model: &Model,
    answers: &Answers,
    detail: Detail,
    source: Option<&SourceFile>,
) -> io::Result<()> {
    write_pieces(out, model, answers)?;
    let known: Vec<_> = answers.pieces().iter().map(Piece::known).collect();
    for answer in answers.answers() {
        let can = show_can(model, answer);
        match answer.why() {
            Why::Can { strategy, .. } => {
                writeln!(out, "  {HEADING}`{can}` is true{HEADING:#}, by this strategy:")?;
                write_strategy(out, model, strategy)?;
                writeln!(out)?;
            }
            Why::Cannot { runs, .. } => {
                let all = runs.failures.len();
                let which = match all {
                    1 => "every strategy allows this run".to_owned(),
                    _ => format!("each strategy allows one of {all} runs"),
                };
                writeln!(out, "  {HEADING}`{can}` is false{HEADING:#}: {which}")?;
                writeln!(out)?;
                for failure in runs.failures.iter().take(RUNS) {
                    write_failure(out, (model, answer, &known), failure, &runs.decisions, (detail, source))?;
                }
                if all > RUNS {
                    writeln!(out, "  .. and {}; a certificate has all of them", count(all - RUNS, "further run"))?;
                    writeln!(out)?;
                }
            }
        }
    }
    Ok(())
}

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

/// Why the strategy fails that refuses some decisions.
fn write_failure(
    out: &mut dyn Write,
    (model, answer, known): (&Model, &Answer, &[(Branching, Expr<StateLeaf>)]),
    failure: &Failure,
    decisions: &[Decision],
    (detail, source): (Detail, Option<&SourceFile>),
) -> io::Result<()> {
    let strategy = Strategy::refusing(failure.refused.iter().map(|number| &decisions[*number as usize]));
    if strategy == Strategy::default() {
        writeln!(out, "  if every command is offered wherever it is possible:")?;
    } else {
        writeln!(out, "  if it is decided like this:")?;
        write_strategy(out, model, &strategy)?;
    }
    match (&failure.shows, model.outcome_of_runs(answer.beginning(), known, &strategy)) {
        (Shows::Run(run), Some(outcome)) => {
            let (semantics, spec) = (Semantics::new(&outcome), &outcome.specs[0]);
            if let Ok(counterexample) = Counterexample::confirm(&semantics, &spec.formula, run) {
                trace::write(out, &counterexample, spec, detail, source)?;
            }
        }
        (Shows::Stuck(..), _) => {
            writeln!(out, "    the strategy does not count: it makes it impossible to satisfy what is assumed")?;
        }
        (Shows::Whole(_) | Shows::Run(_), _) => writeln!(out, "    the formula is false")?,
    }
    writeln!(out)
}

/// Writes what members do not offer.
pub fn write_strategy(out: &mut dyn Write, model: &Model, strategy: &Strategy) -> io::Result<()> {
    if *strategy == Strategy::default() {
        return writeln!(out, "      every command is offered wherever it is possible");
    }
    for Refusal { member, edge, when } in &strategy.refusals {
        let command = show_command(model, *member, *edge);
        match when {
            Expr::Const(Value::Bool(true)) => writeln!(out, "      {command} is never offered")?,
            when => writeln!(out, "      {command} is not offered where `{}`", model.show_state_expr(when))?,
        }
    }
    for take in &strategy.takes {
        let command = show_command(model, take.member, take.edge);
        let does_not = if model.joint.is_some() { "is not taken" } else { "does not take messages" };
        writeln!(out, "      {command} {does_not} where {}", show_taken(model, take))?;
    }
    writeln!(out, "      everything else is offered")
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

/// The local state and the data of a decision.
fn show_taken(model: &Model, take: &Decision) -> String {
    let locals = model.seen_by(take.member).zip(&take.locals).map(|((owner, local), value)| {
        let ty = model.agent_of(owner).locals[local.index()].ty;
        format!("{} = {}", model.variable_name(owner, local), model.show(value, ty))
    });
    let data = take.message.iter().flat_map(|message| &message.data).map(|(message, value)| {
        let variable = &model.messages[message.index()];
        format!("{} = {}", variable.name, model.show(value, variable.ty))
    });
    format!("`{}`", locals.chain(data).collect::<Vec<_>>().join(" & "))
}
