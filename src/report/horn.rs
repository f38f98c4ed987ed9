//! The facts known of Horn clauses, as text.

use super::human::{GOOD, OPEN};
use super::trace::{BAD, HEADING};
use crate::check::horn::{Proof, Refutation};
use crate::escape::visible;
use crate::horn::{Clauses, Question, State};
use crate::model::Value;
use crate::source::SourceFile;
use crate::verify::horn::{Outcome, Verdict};
use crate::words::count;
use std::io::{self, Write};

/// How to say it.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The file.
    pub source: &'a SourceFile,
    /// Whole states instead of what changes.
    pub full: bool,
    /// Why it holds.
    pub explain: bool,
}

/// The question, in words.
pub const QUESTION: &str = "no bad state is reachable";

/// The verdict with its evidence.
pub fn write(out: &mut dyn Write, clauses: &Clauses, outcome: &Outcome, options: Options) -> io::Result<()> {
    write!(out, "{QUESTION}: ")?;
    match &outcome.verdict {
        Verdict::Holds(proof) => {
            writeln!(out, "{GOOD}holds{GOOD:#} ({})", evidence(proof.conjuncts(clauses)))?;
            if options.explain {
                explain(out, clauses, proof)?;
            }
            write_other_way(out, clauses, "unsat")
        }
        Verdict::Violated(refutation) => {
            writeln!(out, "{BAD}violated{BAD:#} by a run of {}", count(refutation.steps(), "step"))?;
            write_other_way(out, clauses, "sat")?;
            write_run(out, clauses, refutation, options)
        }
        Verdict::Clear(depth) => {
            writeln!(out, "{OPEN}no run to a bad state up to depth {depth}{OPEN:#}")
        }
        Verdict::Unknown { clear: None, reason } => {
            writeln!(out, "{OPEN}unknown{OPEN:#} ({})", visible(&reason.to_string()))
        }
        Verdict::Unknown { clear: Some(depth), reason } => {
            let reason = reason.to_string();
            writeln!(out, "{OPEN}unknown{OPEN:#} ({}; no run to a bad state up to depth {depth})", visible(&reason))
        }
    }
}

/// The evidence of a proof, in words.
pub fn evidence(conjuncts: usize) -> String {
    format!("1 inductive invariant, {}, checked", count(conjuncts, "conjunct"))
}

/// The formulas of a proof, as solvers print a model of the clauses.
fn explain(out: &mut dyn Write, clauses: &Clauses, proof: &Proof) -> io::Result<()> {
    writeln!(out, "    all clauses are true where the predicates are these:")?;
    for (predicate, conjuncts) in clauses.predicates.iter().zip(proof.interpretation()) {
        write!(out, "    {}", visible(&predicate.begin_of_definition()))?;
        match &conjuncts[..] {
            [] => writeln!(out, " true)")?,
            [only] => writeln!(out, "\n      {})", visible(only))?,
            several => {
                write!(out, "\n      (and")?;
                for conjunct in several {
                    write!(out, "\n        {}", visible(conjunct))?;
                }
                writeln!(out, "))")?;
            }
        }
    }
    Ok(())
}

/// The answer of Z3 where it is the opposite of what satisfiable clauses would have.
fn write_other_way(out: &mut dyn Write, clauses: &Clauses, answer: &str) -> io::Result<()> {
    match clauses.question {
        Question::Satisfiable => Ok(()),
        Question::Reachable => {
            let can = if answer == "sat" { "can" } else { "cannot" };
            writeln!(out, "    (to `query` solvers answer `{answer}`: what it names {can} be reached)")
        }
    }
}

fn write_run(out: &mut dyn Write, clauses: &Clauses, refutation: &Refutation, options: Options) -> io::Result<()> {
    writeln!(out)?;
    let line = |clause: usize| options.source.line_column(clauses.clauses[clause].span.start).line;
    let mut before: Option<&State> = None;
    let uses = &refutation.run().uses;
    for (position, one) in uses.iter().enumerate() {
        let Some(state) = &one.head else { continue };
        writeln!(out, "  {HEADING}state {position}{HEADING:#}  (clause in line {})", line(one.clause))?;
        write_state(out, clauses, state, before.filter(|_| !options.full))?;
        before = Some(state);
    }
    if let Some(one) = uses.last() {
        writeln!(out, "  {BAD}bad{BAD:#}  (clause in line {})", line(one.clause))?;
    }
    writeln!(out)
}

/// The differences from the state before, if that is one of the same predicate.
fn write_state(out: &mut dyn Write, clauses: &Clauses, state: &State, before: Option<&State>) -> io::Result<()> {
    let predicate = &clauses.predicates[state.predicate];
    if clauses.predicates.len() > 1 {
        writeln!(out, "    {}", visible(predicate.name))?;
    }
    if predicate.arguments.is_empty() {
        return Ok(());
    }
    let before = before.filter(|before| before.predicate == state.predicate);
    let mut said = false;
    for (index, (argument, value)) in predicate.arguments.iter().zip(&state.values).enumerate() {
        if before.is_none_or(|before| before.values[index] != *value) {
            writeln!(out, "    {} = {}", visible(&argument.name), shown(value))?;
            said = true;
        }
    }
    if said { Ok(()) } else { writeln!(out, "    nothing changes") }
}

/// A value as SMT-LIB has it, but for the sign.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Enum(number) => number.to_string(),
    }
}
