//! Results for people.

use super::trace::{self, Detail};
use crate::check::{Proof, Verdict};
use crate::model::Model;
use crate::source::SourceFile;
use crate::verify::Outcome;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const OPEN: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// How to write results.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The file of the model: violated specs are shown as they stand there.
    pub source: &'a SourceFile,
    /// What to show of states.
    pub detail: Detail,
    /// Whether to say where the time went.
    pub statistics: bool,
}

/// Writes the result for one spec: a line, and the counterexample if there is one.
pub fn write_outcome(
    out: &mut dyn Write,
    model: &Model,
    spec: usize,
    outcome: &Outcome,
    options: Options,
) -> io::Result<()> {
    write_heading(out, model, spec)?;
    match &outcome.verdict {
        Verdict::NoCounterexample { depth } => writeln!(out, "{GOOD}no counterexample up to depth {depth}{GOOD:#}")?,
        Verdict::Holds(evidence) => writeln!(out, "{GOOD}holds{GOOD:#} ({}, checked)", proof(evidence))?,
        Verdict::Unknown { clear, reason } => write_unknown(out, *clear, &reason.to_string())?,
        Verdict::Violated(counterexample) => {
            let run = counterexample.run();
            let shape = match run.loop_start() {
                Some(start) => format!("by a run that loops back from {} to {start}", run.steps().len()),
                None if run.steps().is_empty() => "in an initial state".to_owned(),
                None => format!("after {}", count(run.steps().len(), "step")),
            };
            writeln!(out, "{BAD}violated{BAD:#} {shape}")?;
            for line in options.source.slice(model.specs[spec].span).lines() {
                writeln!(out, "  {}", line.trim())?;
            }
            writeln!(out)?;
            trace::write(out, counterexample, options.detail)?;
            writeln!(out)?;
        }
    }
    if options.statistics {
        write_statistics(out, spec, outcome)?;
    }
    Ok(())
}

/// One line of `name=value`, for people and programs. The depth is that of the counterexample, or the
/// greatest one without any (`none` where not even 0 is known); times are in seconds.
fn write_statistics(out: &mut dyn Write, spec: usize, outcome: &Outcome) -> io::Result<()> {
    let (verdict, depth) = match &outcome.verdict {
        Verdict::Holds(_) => ("holds", None),
        Verdict::NoCounterexample { depth } => ("clear", Some(*depth)),
        Verdict::Unknown { clear, .. } => ("unknown", *clear),
        Verdict::Violated(counterexample) => ("violated", Some(counterexample.run().steps().len())),
    };
    let depth = depth.map_or("none".to_owned(), |depth| depth.to_string());
    let (encoding, solving) = (outcome.times.encoding.as_secs_f64(), outcome.times.solving.as_secs_f64());
    let spec = spec + 1;
    writeln!(
        out,
        "     {DIM}stats: spec={spec} verdict={verdict} depth={depth} encoding={encoding:.3} solving={solving:.3}{DIM:#}"
    )
}

/// Writes that a spec is undecided.
pub fn write_unknown_spec(
    out: &mut dyn Write,
    model: &Model,
    spec: usize,
    clear: Option<usize>,
    reason: &str,
) -> io::Result<()> {
    write_heading(out, model, spec)?;
    write_unknown(out, clear, reason)
}

fn write_heading(out: &mut dyn Write, model: &Model, spec: usize) -> io::Result<()> {
    write!(out, "spec {}: ", name(model, spec))
}

fn write_unknown(out: &mut dyn Write, clear: Option<usize>, reason: &str) -> io::Result<()> {
    let known = match clear {
        Some(depth) => format!("no counterexample up to depth {depth}"),
        None => "nothing is known".to_owned(),
    };
    writeln!(out, "{OPEN}unknown{OPEN:#} ({reason}); {known}")
}

/// A spec as people refer to it: its number and, if it has one, its name; else its formula.
pub fn name(model: &Model, spec: usize) -> String {
    match &model.specs[spec].name {
        Some(name) => format!("{} {name}", spec + 1),
        None => format!("{} {}", spec + 1, shorten(&model.show_formula(&model.specs[spec].formula))),
    }
}

/// What a proof consists of.
pub fn proof(proof: &Proof) -> String {
    match proof {
        Proof::Exploration(proof) => {
            format!("all of {} explored, {}", count(proof.states(), "state"), count(proof.members(), "product state"))
        }
        Proof::Invariants(certificate) => {
            let clauses: usize = certificate.parts().iter().map(|part| part.proof.invariant().clauses.len()).sum();
            let parts = count(certificate.parts().len(), "inductive invariant");
            format!("{parts}, {}", count(clauses, "clause"))
        }
    }
}

/// At most 60 characters.
pub fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 3).chain("...".chars()).collect()
}

/// `1 step`, `2 steps`
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
