//! From questions to records: what the commands for one model and for many have in common.

use crate::check::Verdict;
use crate::cli::io::input::{How, Loaded, findings};
use crate::diag::Diagnostics;
use crate::limits::within;
use crate::model::{Constants, Formula, Model};
use crate::reading::sha256;
use crate::report::record::{self, Cause, Mode, Record, Settings, Unit};
use crate::smt::keeping_context;
use crate::source::SourceFile;
use crate::syntax::ast::Dialect;
use crate::verify::{Companions, Engine, InternalError, Limits, Outcome, Subject, vacuity_questions};
use crate::words::count;
use anyhow::Result;
use std::path::Path;
use std::time::Duration;

/// The question to ask about a spec.
#[derive(Clone, Debug)]
pub enum Method {
    /// The question if there is a counterexample with up to that many steps.
    Bmc(usize),
    /// A verdict on all runs, of these engines.
    Prove(Vec<Engine>),
    /// Nothing: only the front end reads the file.
    Check,
}

/// How the file of a question is read.
pub fn how(unit: &Unit, settings: &Settings) -> How {
    let dialect = Dialect::ALL.into_iter().find(|dialect| settings.dialect.as_deref() == Some(dialect.word()));
    How { dialect, constants: unit.constants.clone() }
}

/// The settings of a run.
pub fn settings(
    method: Method,
    dialect: Option<Dialect>,
    timeout: Option<Duration>,
    memory_limit: Option<u32>,
) -> Settings {
    let (mode, bound, engines) = match method {
        Method::Bmc(bound) => (Mode::Bmc, Some(bound), vec![Engine::Bmc]),
        Method::Prove(engines) => (Mode::Prove, None, engines),
        Method::Check => (Mode::Check, None, Vec::new()),
    };
    let (dialect, timeout) = (dialect.map(|it| it.word().to_owned()), timeout.map(|limit| limit.as_secs_f64()));
    Settings { mode, bound, engines, dialect, timeout, memory_limit }
}

/// Asks for a verdict; in the mode `check` there is none to ask for.
pub fn search<'s>(
    (subject, companions): (&'s Subject, &Companions<'s>),
    spec: usize,
    settings: &Settings,
    limits: &Limits,
) -> Result<Outcome<'s>, InternalError> {
    match settings.mode {
        Mode::Bmc => {
            let mut outcome = subject.bmc(spec, limits)?;
            if matches!(outcome.verdict, Verdict::NoCounterexample { .. }) && subject.has_no_start() {
                outcome.idle = vec![Formula::TRUE];
            }
            Ok(outcome)
        }
        Mode::Prove => keeping_context(|| {
            let mut outcome = subject.prove_among(companions, spec, &settings.engines, limits)?;
            if let Verdict::Holds(proof) = &outcome.verdict {
                let took = outcome.times.encoding + outcome.times.solving;
                let idle = || subject.idle_triggers(companions, spec, (proof, took), &settings.engines, limits);
                // An aside: it is not needed.
                outcome.idle = within(limits.budget, limits.stop, idle).unwrap_or_else(|_| Ok(Vec::new()))?;
            }
            Ok(outcome)
        }),
        Mode::Check => unreachable!("`check` has no specs to verify"),
    }
}

/// Adds to an outcome of [`Mode::Prove`] whether it is a matter of fairness that the spec is violated.
pub fn advise(
    outcome: &mut Outcome,
    subject: &Subject,
    spec: usize,
    settings: &Settings,
    limits: &Limits,
) -> Result<(), InternalError> {
    if let (Mode::Prove, Verdict::Violated(counterexample)) = (settings.mode, &outcome.verdict) {
        let fair = || keeping_context(|| subject.under_fairness(spec, counterexample, &settings.engines, limits));
        // An aside, as well.
        outcome.under_fairness = within(limits.budget, limits.stop, fair).unwrap_or(Ok(None))?;
    }
    Ok(())
}

/// Appends what has to be asked beside these specs, in the mode [`Mode::Prove`]; the number of specs before.
pub fn append_questions(model: &mut Model, mode: Mode, specs: &[usize]) -> usize {
    let count = model.specs.len();
    if mode == Mode::Prove {
        let questions = vacuity_questions(model, specs);
        model.specs.extend(questions);
    }
    count
}

/// The model with everything that its specs share, for a process that may use so many megabytes for so many searches
/// at the same time. Specs from a number on are [questions](append_questions).
pub fn subject(model: &Model, hidden: usize, megabytes: Option<u32>, searches: usize) -> Subject<'_> {
    let subject = Subject::new(model).with_questions(hidden);
    match megabytes {
        Some(megabytes) => subject.with_memory((megabytes as usize) << 20, searches),
        None => subject,
    }
}

/// The record of a spec of the model.
pub fn of_spec(record: Record, model: &Model, result: &Result<Outcome, InternalError>) -> Record {
    match result {
        Ok(outcome) => record.answer(model, outcome),
        Err(why) => record.failed(Cause::Evidence, why.to_string()),
    }
}

/// The questions about the specs of a model, in their order.
pub fn units(source: &SourceFile, model: &Model, constants: &Constants) -> Vec<Unit> {
    let sha256 = sha256(source);
    let specs = model.specs.iter().enumerate();
    specs.map(|(index, spec)| Unit::spec(source, &sha256, index, spec).given(constants)).collect()
}

/// The record of a file as a whole: whether it has errors, and what was found in it. It may be an error to have no
/// specs.
pub fn of_file(
    path: &Path,
    loaded: &Result<Loaded>,
    (settings, constants): (&Settings, &Constants),
    wants_specs: bool,
) -> Record {
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            let unit = Unit::file(&path.display().to_string(), None).given(constants);
            return Record::new(unit, settings.clone()).failed(Cause::Input, format!("{error:#}"));
        }
    };
    let unit = Unit::file(loaded.source.name(), Some(sha256(&loaded.source))).given(constants);
    let record = judged(Record::new(unit, settings.clone()), &loaded.source, &loaded.diagnostics);
    match &loaded.model {
        Some(model) if wants_specs && model.specs.is_empty() => {
            record.failed(Cause::Input, "the model has no spec".to_owned())
        }
        None if record.verdict == record::Verdict::WellFormed => {
            record.failed(Cause::Crash, "no model, and no error either".to_owned())
        }
        Some(_) | None => record,
    }
}

/// The record of a file with these findings: an error in it, or well-formed.
pub fn judged(record: Record, source: &SourceFile, found: &Diagnostics) -> Record {
    let record = Record { findings: findings(source, found), ..record };
    let mut errors = record.findings.iter().filter(|finding| finding.severity == "error");
    let Some(first) = errors.next() else { return record.well_formed() };
    let more = match errors.count() {
        0 => String::new(),
        more => format!(" and {} more", count(more, "error")),
    };
    let reason = format!("line {}: {} [{}]{more}", first.line, first.message, first.code);
    record.failed(Cause::Input, reason)
}
