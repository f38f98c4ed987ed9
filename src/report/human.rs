//! Results for people.

use super::record::{self, Agreement, Check, Record, Tone};
use super::refutation;
use super::summary;
use super::trace::{self, BAD, Detail, HEADING};
use crate::check::{Counterexample, Ending, Proof, ProofBy, Verdict};
use crate::escape::visible;
use crate::model::checks::Question;
use crate::model::fairness::{Actor, Fairness};
use crate::model::spec::Expectation;
use crate::model::written::Written;
use crate::model::{Expr, Formula, Model, Spec};
use crate::source::SourceFile;
use crate::verify::{Outcome, UnderFairness};
use crate::words::{count, shorten};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(super) const OPEN: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// How to write results.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The file of the model: violated specs are shown as they stand there.
    pub source: &'a SourceFile,
    /// The part of states to show.
    pub detail: Detail,
    /// True if to say where the time went.
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
    write!(out, "{}: ", title(model, spec))?;
    let scheme = model.scheme().map(|_| model);
    let model = outcome.verdict.model(model);
    let sizes = scheme.map_or(String::new(), |scheme| format!(" for {}", scheme.show_sizes(&model.sizes())));
    let spec_of = &model.specs[spec];
    let assumed = spec_of.show_assumptions().map_or(String::new(), |words| format!(" {words}"));
    let verdict = record::Verdict::of(&outcome.verdict, spec_of.question.map(Check::from));
    let agreement = spec_of.expect.and_then(|expect| record::compare(expect, verdict));
    let expected = if summary::is_as_expected(agreement, verdict) { summary::AS_EXPECTED } else { "" };
    let (style, word) = (style(verdict.tone()), verdict.words());
    match &outcome.verdict {
        Verdict::NoCounterexample { depth } => {
            writeln!(out, "{style}{} {depth}{style:#}{assumed}{sizes}", clear_words(spec_of))?;
        }
        Verdict::Holds(proof) => {
            writeln!(out, "{style}{word}{style:#}{assumed} ({}, checked)", evidence(proof))?;
            if matches!(spec_of.question, Some(Question::DeadCode(..))) {
                write_place(out, spec_of, options.source)?;
            }
        }
        Verdict::Unknown { reason, .. } if scheme.is_some() => {
            writeln!(out, "{style}{word}{style:#}{expected} ({})", visible(&reason.to_string()))?;
        }
        Verdict::Unknown { clear, reason } => write_unknown(out, spec_of, *clear, &reason.to_string(), expected)?,
        Verdict::Violated(counterexample) => {
            let expected = if expected.is_empty() { String::new() } else { format!("{expected},") };
            writeln!(out, "{style}{word}{style:#}{assumed}{expected}{sizes} {}", shape(counterexample))?;
            if !matches!(spec_of.question, Some(Question::DeadCode(..))) {
                write_place(out, spec_of, options.source)?;
                writeln!(out)?;
                if let Some(answers) = counterexample.strategies() {
                    refutation::write(out, model, answers, options.detail, Some(options.source))?;
                }
                // Where nothing remains of the spec, every run violates it.
                if !is_refuted(counterexample) {
                    trace::write(out, counterexample, spec_of, options.detail, Some(options.source))?;
                    writeln!(out)?;
                }
                write_fairness(out, model, counterexample, outcome.under_fairness.as_ref())?;
            }
        }
    }
    if options.statistics {
        write_statistics(out, spec, outcome)?;
    }
    Ok(())
}

/// To how many the report says that a run is unfair.
const UNFAIR: usize = 4;

/// To whom the run is unfair, and what becomes of the spec under fairness.
fn write_fairness(
    out: &mut dyn Write,
    model: &Model,
    counterexample: &Counterexample,
    under: Option<&UnderFairness>,
) -> io::Result<()> {
    let unfair = counterexample.run().unfair_to();
    for (actor, fairness) in unfair.iter().take(UNFAIR) {
        let often = match fairness {
            Fairness::Weak => "all the time",
            Fairness::Strong => "again and again",
        };
        let (name, word) = (model.show_actor(*actor), fairness.word());
        // No formula can name a command without a label.
        let is_named = match actor {
            Actor::Instance(_) => true,
            Actor::Command(instance, edge) => model.agent_of(*instance).edges[edge.index()].label.is_some(),
        };
        let against = if is_named { format!(", against `{word}({name})`") } else { String::new() };
        let name = if is_named { format!("`{name}`") } else { name };
        writeln!(out, "  {HEADING}unfair{HEADING:#}: in the loop {name} is enabled {often} and never acts{against}")?;
    }
    if let Some(more) = unfair.len().checked_sub(UNFAIR).filter(|more| *more > 0) {
        writeln!(out, "          .. and {more} more")?;
    }
    match under {
        Some(UnderFairness::Holds(list)) => {
            writeln!(out, "  {OPEN}note{OPEN:#}: the spec holds under `{}`", list.join(" "))?;
        }
        Some(UnderFairness::Violated) => {
            writeln!(out, "  {OPEN}note{OPEN:#}: the spec is also violated by a run that is fair to all agents")?;
        }
        None if unfair.is_empty() => return Ok(()),
        None => {}
    }
    if unfair.is_empty() { Ok(()) } else { writeln!(out) }
}

/// A note where the verdict is not, or not yet, the one that a comment at the spec tells.
pub fn write_expectation(out: &mut dyn Write, record: &Record) -> io::Result<()> {
    let style = match record.agreement {
        Some(Agreement::Mismatch) => BAD,
        Some(Agreement::Open) => OPEN,
        Some(Agreement::Met) | None => return Ok(()),
    };
    summary::expectation(record).map_or(Ok(()), |words| writeln!(out, "  {style}note{style:#}: {words}"))
}

/// Notes on what never happens, so that a spec holds vacuously. That there is no initial state is no matter of one spec:
/// [`write_no_start`] says it after all of them.
pub fn write_vacuity(
    out: &mut dyn Write,
    model: &Model,
    spec: usize,
    idle: &[Formula],
    source: &SourceFile,
) -> io::Result<()> {
    let place = source.line_column(model.specs[spec].span.start);
    idle.iter().filter(|trigger| **trigger != Formula::TRUE).try_for_each(|trigger| {
        let shown = model.show_formula(trigger);
        let (line, column) = (place.line, place.column);
        let why = if model.specs[spec].assumed().as_ref() == Some(trigger) {
            "no run satisfies what is assumed".to_owned()
        } else {
            format!("`{shown}` never happens")
        };
        writeln!(out, "  {OPEN}note{OPEN:#}: holds vacuously: {why} ({}:{line}:{column})", visible(source.name()))
    })
}

/// A note on all specs of a model without initial states.
pub fn write_no_start(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{OPEN}note{OPEN:#}: every spec holds vacuously: there is no initial state")
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Good => GOOD,
        Tone::Bad | Tone::Broken => BAD,
        Tone::Open => OPEN,
    }
}

/// That nothing was found, before a number of steps.
fn clear_words(spec: &Spec) -> &'static str {
    match spec.question {
        None => "no counterexample up to depth",
        Some(Question::Deadlock | Question::Overflow(..)) => "not found up to depth",
        Some(Question::DeadCode(..)) => "not taken up to depth",
    }
}

/// The evidence of a proof, in words.
pub fn evidence(proof: &Proof) -> String {
    match proof.by() {
        ProofBy::Exploration(proof) => {
            let (states, members) = (count(proof.states(), "state"), count(proof.members(), "state"));
            let alike = if proof.is_symmetric() { " up to symmetry" } else { "" };
            format!("all of {states}{alike} explored, {members} of model and automaton")
        }
        ProofBy::Conditions(proof) => {
            let proofs = count(proof.proofs().len(), "proof");
            format!("{} of what is known, {proofs}", count(proof.conditions().count(), "condition"))
        }
        ProofBy::Strategies(proof) => {
            let answers = proof.answers().answers();
            let found = answers.iter().filter(|answer| answer.is_true()).count();
            let none = answers.len() - found;
            let found = match found {
                0 => None,
                1 => Some("1 strategy".to_owned()),
                found => Some(format!("{found} strategies")),
            };
            let none = (none > 0).then(|| format!("{} for which there is none", count(none, "goal")));
            let pieces = proof.answers().pieces().len();
            let pieces =
                (pieces > 0).then(|| format!("{} of where formulas inside are true", count(pieces, "condition")));
            pieces.into_iter().chain(found).chain(none).collect::<Vec<_>>().join(", ")
        }
        ProofBy::Labels(proof) => {
            let alike = if proof.is_symmetric() { " up to symmetry" } else { "" };
            let states = format!("all of {}{alike}", count(proof.states(), "state"));
            match proof.labels().len() {
                0 => format!("{states} explored"),
                some => format!("{} labelled in {states}", count(some, "branching formula")),
            }
        }
        ProofBy::Diagrams(proof) if proof.labels().is_empty() => format!("sets of all of {} states", proof.states()),
        ProofBy::Diagrams(proof) => {
            let formulas = count(proof.labels().len(), "branching formula");
            format!("{formulas} labelled in sets of all of {} states", proof.states())
        }
        ProofBy::Uniform(uniform) => {
            let clauses = count(uniform.clauses().len(), "quantified clause");
            let from = uniform.least().iter().any(|least| *least > 0);
            let from = from.then(|| format!(" from {} on", uniform.model().show_sizes(uniform.least())));
            let instances = count(uniform.sizes().len(), "open instance");
            let by = if uniform.is_strategic() { " by a strategy" } else { "" };
            format!("for all sizes{}{by}, {clauses}, checked in {instances}", from.unwrap_or_default())
        }
        ProofBy::Invariants(certificate) => {
            let clauses: usize = certificate.parts().iter().map(|part| part.proof.invariant().clauses.len()).sum();
            let parts = count(certificate.parts().len(), "inductive invariant");
            format!("{parts}, {}", count(clauses, "clause"))
        }
    }
}

/// The text of a spec, or of the command that a check is about and where that stands.
fn write_place(out: &mut dyn Write, spec: &Spec, source: &SourceFile) -> io::Result<()> {
    if let Some(Question::Overflow(..) | Question::DeadCode(..)) = spec.question {
        let place = source.line_column(spec.span.start);
        writeln!(out, "  {}:{}:{}", visible(source.name()), place.line, place.column)?;
    }
    source.slice(spec.span).lines().try_for_each(|line| writeln!(out, "  {}", visible(line.trim())))
}

/// True if what groups can bring about alone makes the spec false.
pub(super) fn is_refuted(counterexample: &Counterexample) -> bool {
    counterexample
        .strategies()
        .is_some_and(|answers| !answers.answers().is_empty() && is_false(&answers.rest().specs[0].formula))
}

/// True if it is false, or claims that under assumptions.
fn is_false(formula: &Formula) -> bool {
    match formula.written() {
        Written::Implies(_, claimed) => is_false(claimed),
        _ => *formula == Formula::Atom(Expr::FALSE),
    }
}

/// How a run violates: `after 3 steps`.
pub fn shape(counterexample: &Counterexample) -> String {
    if is_refuted(counterexample) {
        let answers = counterexample.strategies().map_or(&[][..], |answers| answers.answers());
        let none = answers.iter().any(|answer| !answer.is_true());
        return if none { "as there is no strategy" } else { "as there is a strategy" }.to_owned();
    }
    let steps = counterexample.run().steps().len();
    match counterexample.ending() {
        Ending::Lasso(start) => format!("by a run with a loop: state {steps} -> state {start}"),
        Ending::Recurrent(recurrence) => {
            let start = recurrence.start();
            format!("by a run that repeats the steps from {start} to {steps} for ever, with other values")
        }
        Ending::Prefix if steps == 0 => "in an initial state".to_owned(),
        Ending::Prefix => format!("after {}", count(steps, "step")),
    }
}

/// One line of `name=value`, for people and programs. The depth is that of the counterexample, or the
/// greatest one without any, and missing where there is none; times are in seconds.
fn write_statistics(out: &mut dyn Write, spec: usize, outcome: &Outcome) -> io::Result<()> {
    let (verdict, depth) = match &outcome.verdict {
        Verdict::Holds(_) => ("holds", None),
        Verdict::NoCounterexample { depth } => ("clear", Some(*depth)),
        Verdict::Unknown { clear, .. } => ("unknown", *clear),
        Verdict::Violated(counterexample) => ("violated", Some(counterexample.run().steps().len())),
    };
    let depth = depth.map_or(String::new(), |depth| format!(" depth={depth}"));
    let (encoding, solving) = (outcome.times.encoding.as_secs_f64(), outcome.times.solving.as_secs_f64());
    let spec = spec + 1;
    writeln!(
        out,
        "     {DIM}stats: spec={spec} verdict={verdict}{depth} encoding={encoding:.3} solving={solving:.3}{DIM:#}"
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
    write!(out, "{}: ", title(model, spec))?;
    let is_expected = model.specs[spec].expect == Some(Expectation::Unknown);
    let expected = if is_expected { summary::AS_EXPECTED } else { "" };
    write_unknown(out, &model.specs[spec], clear, reason, expected)
}

fn write_unknown(
    out: &mut dyn Write,
    spec: &Spec,
    clear: Option<usize>,
    reason: &str,
    expected: &str,
) -> io::Result<()> {
    let known = match clear {
        Some(depth) => format!("{} {depth}", clear_words(spec)),
        None => "nothing is known".to_owned(),
    };
    writeln!(out, "{OPEN}unknown{OPEN:#}{expected} ({}); {known}", visible(reason))
}

/// A spec or check at the beginning of a line.
pub fn title(model: &Model, spec: usize) -> String {
    match (&model.specs[spec].question, &model.specs[spec].name) {
        (Some(_), Some(name)) => visible(name).into_owned(),
        _ => format!("spec {}", name(model, spec)),
    }
}

/// A spec as people refer to it: its number and, if it has one, its name; else its text.
pub fn name(model: &Model, spec: usize) -> String {
    match &model.specs[spec].name {
        Some(name) => format!("{} {}", spec + 1, visible(name)),
        None => format!("{} {}", spec + 1, visible(&shorten(&model.show_spec(spec)))),
    }
}
