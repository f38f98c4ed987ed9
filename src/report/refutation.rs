//! Why a group has no strategy: strategies, each with a run on which it fails.

use super::strategies::{show_can, write_pieces, write_strategy};
use super::trace::{self, Detail, HEADING};
use crate::check::Counterexample;
use crate::check::strategies::{Answer, Answers, Piece, Why};
use crate::claim::strategies::{Failure, Shows};
use crate::model::branching::Branching;
use crate::model::eval::Semantics;
use crate::model::formula::StateLeaf;
use crate::model::strategy::{Decision, Strategy};
use crate::model::{Expr, Model};
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
    if let Shows::Stuck(..) = &failure.shows {
        writeln!(out, "    the strategy does not count: it makes it impossible to satisfy what is assumed")?;
    } else if !write_run(out, (model, answer, known), &strategy, [failure], (detail, source))? {
        writeln!(out, "    the formula is false")?;
    }
    writeln!(out)
}

/// Writes the first run among some failures that a strategy allows, and on which it fails; false if none shows that.
pub fn write_run<'f>(
    out: &mut dyn Write,
    (model, answer, known): (&Model, &Answer, &[(Branching, Expr<StateLeaf>)]),
    strategy: &Strategy,
    failures: impl IntoIterator<Item = &'f Failure>,
    (detail, source): (Detail, Option<&SourceFile>),
) -> io::Result<bool> {
    let Some(outcome) = model.outcome_of_runs(answer.beginning(), known, strategy) else { return Ok(false) };
    let (semantics, spec) = (Semantics::new(&outcome), &outcome.specs[0]);
    let violating = |failure: &Failure| match &failure.shows {
        Shows::Run(trace) => Counterexample::confirm(&semantics, &spec.formula, trace).ok(),
        Shows::Stuck(..) | Shows::Whole(_) => None,
    };
    let Some(counterexample) = failures.into_iter().find_map(violating) else { return Ok(false) };
    trace::write(out, &counterexample, spec, detail, source)?;
    Ok(true)
}
