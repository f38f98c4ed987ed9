//! What is known of Horn clauses, as text.

use super::human::{BAD, GOOD, HEADING, OPEN};
use crate::check::horn::Refutation;
use crate::escape::visible;
use crate::horn::Clauses;
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
            writeln!(out, "{GOOD}holds{GOOD:#} ({})", evidence(proof.invariant().len()))?;
            if options.explain {
                let (relation, arguments) = (visible(clauses.relation), clauses.arguments.iter());
                let names: Vec<_> = arguments.map(|argument| visible(&argument.name)).collect();
                writeln!(out, "    all clauses are true where `{relation}` is true of ({}) iff", names.join(", "))?;
                for conjunct in proof.invariant() {
                    writeln!(out, "      {}", visible(conjunct))?;
                }
            }
            Ok(())
        }
        Verdict::Violated(refutation) => {
            writeln!(
                out,
                "{BAD}violated{BAD:#} by a run of {}",
                count(refutation.states().len().saturating_sub(1), "step")
            )?;
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

/// What a proof consists of.
pub fn evidence(conjuncts: usize) -> String {
    format!("1 inductive invariant, {}, checked", count(conjuncts, "conjunct"))
}

fn write_run(out: &mut dyn Write, clauses: &Clauses, refutation: &Refutation, options: Options) -> io::Result<()> {
    writeln!(out)?;
    let line = |clause: usize| options.source.line_column(clauses.clauses[clause].span.start).line;
    let mut before: Option<&Vec<Value>> = None;
    let uses = &refutation.run().uses;
    for (position, (state, (clause, _))) in refutation.states().iter().zip(uses).enumerate() {
        writeln!(out, "  {HEADING}state {position}{HEADING:#}  (clause in line {})", line(*clause))?;
        let mut said = false;
        for (index, (argument, value)) in clauses.arguments.iter().zip(state).enumerate() {
            if options.full || before.is_none_or(|before| before[index] != *value) {
                writeln!(out, "    {} = {}", visible(&argument.name), shown(value))?;
                said = true;
            }
        }
        if !said {
            writeln!(out, "    nothing changes")?;
        }
        before = Some(state);
    }
    if let Some((clause, _)) = uses.last() {
        writeln!(out, "  {BAD}bad{BAD:#}  (clause in line {})", line(*clause))?;
    }
    writeln!(out)
}

/// A value as SMT-LIB has it, but for the sign.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Enum(number) => number.to_string(),
    }
}
