//! `rcheck-smt bmc` and `rcheck-smt prove`

use super::arguments::Verification;
use super::board::Board;
use super::certificates::Folder;
use super::files::Files;
use super::input::{Loaded, load, show_diagnostics};
use super::{Status, print};
use crate::check::Verdict;
use crate::model::checks::{Question, checks};
use crate::model::{Formula, Model};
use crate::report::human::{self, Options};
use crate::report::trace::Detail;
use crate::smt::{self, Budget, Stop};
use crate::verify::{BadEvidence, Engine, Limits, Outcome, Subject};
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Passes recurse over terms and formulas.
const WORKER_STACK_BYTES: usize = 64 << 20;

/// How to look at specs.
#[derive(Clone, Copy, Debug)]
pub enum Method<'a> {
    /// For counterexamples with up to that many steps.
    Bounded(usize),
    /// For a verdict on all runs, with these engines.
    Unbounded(&'a [Engine]),
}

/// Checks the chosen specs of one model; certificates go to the folder.
pub fn run(command: &Verification, method: Method, folder: Option<&Path>) -> Result<Status> {
    let loaded = load(&command.file, command.reading.dialect())?;
    show_diagnostics(&loaded)?;
    let Loaded { source, model: Some(mut model), .. } = loaded else { return Ok(Status::BadInput) };
    let kinds = command.checks.kinds();
    let only_checks = kinds.any() && command.spec.is_empty();
    let mut specs = if only_checks { Vec::new() } else { choose(&model, &command.spec)? };
    let checks = checks(&model, kinds);
    specs.extend(model.specs.len()..model.specs.len() + checks.len());
    model.specs.extend(checks);
    if specs.is_empty() && only_checks {
        print(b"no command can overflow: none writes a variable that has a range\n");
        return Ok(Status::Clear);
    }
    if specs.is_empty() {
        bail!("{} has no spec; add one, as in `SPEC G (x-y != 0)`", command.file.display());
    }
    let files = Files::new(command, &specs)?;
    let folder = folder.map(|folder| Folder::prepare(folder, &command.file)).transpose()?;
    if let Some(megabytes) = command.memory {
        smt::limit_memory(megabytes);
    }
    let board = Arc::new(Board::new(model, specs));
    on_interrupt(board.clone())?;
    let subject = Subject::new(board.model());
    let jobs = command.jobs.unwrap_or(0).into();
    let detail = if command.full { Detail::Full } else { Detail::Changes };
    let options = Options { source: &source, detail, statistics: command.stats };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(WORKER_STACK_BYTES).build()?;
    pool.install(|| {
        let slots = (0..board.specs().len()).into_par_iter();
        slots.for_each(|slot| check_spec(command, (files, folder), method, options, &subject, &board, slot));
    });
    Ok(board.status())
}

/// Prints what is known when somebody presses Ctrl-C, or when the process is asked to end.
fn on_interrupt(board: Arc<Board>) -> Result<()> {
    let handler = move || std::process::exit(board.give_up().code().into());
    ctrlc::set_handler(handler).context("cannot watch for Ctrl-C")
}

fn check_spec(
    command: &Verification,
    (files, folder): (Files, Option<Folder>),
    method: Method,
    options: Options,
    subject: &Subject,
    board: &Board,
    slot: usize,
) {
    let spec = board.specs()[slot];
    let progress = |depth: usize| board.clear(slot, depth);
    let stop = Stop::new();
    let limits = |bound| Limits { bound, budget: Budget::new(command.timeout), stop: &stop, progress: &progress };
    let result = match method {
        Method::Bounded(bound) => {
            subject.bmc(spec, &limits(bound)).map(|outcome| (outcome, Vec::new())).map_err(BadEvidence::from)
        }
        Method::Unbounded(engines) => prove(subject, spec, engines, &limits(usize::MAX)),
    };
    let mut text = Vec::new();
    let (status, written) = match result {
        Ok((outcome, idle)) => {
            let written = human::write_outcome(&mut text, subject.model(), spec, &outcome, options)
                .and_then(|()| human::write_vacuity(&mut text, subject.model(), spec, &idle, options.source));
            let saved = files.write(subject.model(), spec, &outcome.verdict, &mut text);
            let certified = folder.map(|folder| save_certificate(folder, subject.model(), spec, &outcome.verdict));
            let certified = certified.unwrap_or(Status::Clear);
            (status_of(subject.model().specs[spec].question, &outcome.verdict).worst(saved).worst(certified), written)
        }
        Err(why) => {
            let name = human::title(subject.model(), spec);
            anstream::eprintln!("internal error: {name}: {why}; please report it with the model");
            let reason = "an internal error of the tool";
            (Status::Internal, human::write_unknown_spec(&mut text, subject.model(), spec, None, reason))
        }
    };
    written.expect("writing to memory works");
    board.done(slot, text, status);
}

/// The outcome, and what never happens so that the spec holds vacuously.
fn prove<'s>(
    subject: &'s Subject,
    spec: usize,
    engines: &[Engine],
    limits: &Limits,
) -> Result<(Outcome<'s>, Vec<Formula>), BadEvidence> {
    let outcome = subject.prove(spec, engines, limits)?;
    let idle = match &outcome.verdict {
        Verdict::Holds(proof) => subject.idle_triggers(spec, proof, engines, limits)?,
        _ => Vec::new(),
    };
    Ok((outcome, idle))
}

fn save_certificate(folder: Folder, model: &Model, spec: usize, verdict: &Verdict) -> Status {
    match folder.write(model, spec, verdict) {
        Ok(()) => Status::Clear,
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            Status::BadInput
        }
    }
}

/// Dead code is found by a proof, and its absence by a run.
fn status_of(question: Option<Question>, verdict: &Verdict) -> Status {
    match (question, verdict) {
        (Some(Question::DeadCode(..)), Verdict::Holds(_)) => Status::Violated,
        (Some(Question::DeadCode(..)), Verdict::Violated(_)) => Status::Clear,
        (_, Verdict::Violated(_)) => Status::Violated,
        (_, Verdict::Holds(_) | Verdict::NoCounterexample { .. }) => Status::Clear,
        (_, Verdict::Unknown { .. }) => Status::Unknown,
    }
}

/// The indices of the specs that the user named; all if none was.
pub(super) fn choose(model: &Model, wanted: &[String]) -> Result<Vec<usize>> {
    if wanted.is_empty() {
        return Ok((0..model.specs.len()).collect());
    }
    let mut chosen = Vec::new();
    for text in wanted {
        let by_name = model.specs.iter().position(|spec| spec.name.as_deref() == Some(text.as_str()));
        let by_number = text.parse::<usize>().ok().filter(|number| (1..=model.specs.len()).contains(number));
        let Some(spec) = by_name.or(by_number.map(|number| number - 1)) else {
            let names: Vec<&str> = model.specs.iter().filter_map(|spec| spec.name.as_deref()).collect();
            let names = if names.is_empty() { String::new() } else { format!(", named {}", names.join(", ")) };
            bail!("no spec `{text}`: the model has {}{names}", human::count(model.specs.len(), "spec"));
        };
        if !chosen.contains(&spec) {
            chosen.push(spec);
        }
    }
    Ok(chosen)
}
