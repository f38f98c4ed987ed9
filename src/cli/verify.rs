//! `rcheck-smt bmc` and `rcheck-smt prove`

use super::answer::{Method, of_file, of_spec, search, settings, subject};
use super::arguments::{Format, Verification};
use super::board::Board;
use super::certificates::Folder;
use super::checks::{self, NOTHING_TO_CHECK};
use super::files::{Files, Written};
use super::input::{Loaded, load, load_and_look, sha256, show_diagnostics};
use super::jobs::jobs;
use super::out::{document, print, remark, shown};
use super::refusal::refusal;
use super::{Status, interrupt, simulate};
use crate::check::{Counterexample, Verdict};
use crate::model::checks::Question;
use crate::model::{Model, Spec};
use crate::report::human::{self, Options};
use crate::report::proof;
use crate::report::record::{Cause, Check, Record, Settings, Unit, seconds};
use crate::report::results;
use crate::report::trace::Detail;
use crate::simulate::Reader;
use crate::smt::{self, Stop};
use crate::source::SourceFile;
use crate::verify::{Failure, Outcome, Progress, Refused, Subject};
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Passes recurse over terms and formulas.
const WORKER_STACK_BYTES: usize = 64 << 20;

/// How results are written.
struct Writer {
    source: SourceFile,
    sha256: String,
    settings: Settings,
    format: Format,
    detail: Detail,
    statistics: bool,
    explain: bool,
    /// Whether some spec was proved whose proof was not shown.
    unexplained: AtomicBool,
}

/// What to do with proofs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Proofs<'a> {
    /// Write certificates to this folder.
    pub folder: Option<&'a Path>,
    /// Say why specs hold.
    pub explain: bool,
}

/// Checks the chosen specs of one model.
pub fn run(command: &Verification, method: Method, proofs: Proofs) -> Result<Status> {
    let settings = settings(method, &command.reading, command.timeout, command.memory);
    let read = if command.quiet { load } else { load_and_look };
    let loaded = read(&command.file, command.reading.dialect());
    if command.format == Format::Json && !matches!(&loaded, Ok(Loaded { model: Some(_), .. })) {
        document(&json_line(&of_file(&command.file, &loaded, &settings, true)));
    }
    let loaded = loaded?;
    show_diagnostics(&loaded);
    let Loaded { source, dialect, model: Some(mut model), .. } = loaded else { return Ok(Status::BadInput) };
    let reader = Reader::new(&source, dialect, &model);
    let kinds = command.checks.kinds();
    let only_checks = !kinds.is_empty() && command.spec.is_empty();
    let mut specs = if only_checks { Vec::new() } else { choose(&model, &command.spec)? };
    let first_check = model.specs.len();
    checks::append(&mut model, &kinds);
    specs.extend(first_check..model.specs.len());
    let is_overflow = |check: &Spec| matches!(check.question, Some(Question::Overflow(..)));
    if kinds.contains(&Check::Overflow) && !model.specs.iter().any(is_overflow) {
        match command.format {
            Format::Human => print(format!("{NOTHING_TO_CHECK}\n")),
            Format::Json => remark(NOTHING_TO_CHECK),
        }
    }
    if specs.is_empty() && only_checks {
        return Ok(Status::Clear);
    }
    if specs.is_empty() {
        bail!("{} has no spec; add one, as in `SPEC G (x-y != 0)`", shown(&command.file));
    }
    let files = Files::new(command, &model, &specs)?;
    let folder = proofs.folder.map(|folder| Folder::prepare(folder, &command.file)).transpose()?;
    if let Some(megabytes) = command.memory {
        smt::limit_memory(megabytes);
    }
    let detail = if command.full { Detail::Full } else { Detail::Changes };
    let sha256 = sha256(&source);
    let (format, statistics, explain) = (command.format, command.stats, proofs.explain);
    let writer = Arc::new(Writer {
        source,
        sha256,
        settings,
        format,
        detail,
        statistics,
        explain,
        unexplained: AtomicBool::new(false),
    });
    let board = Arc::new(Board::new(model, specs));
    give_up_on_interrupt(board.clone(), writer.clone())?;
    let jobs = jobs(command.jobs, board.specs().len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(WORKER_STACK_BYTES).build();
    let pool = pool.context("cannot start threads for the jobs")?;
    let subject = subject(board.model(), command.memory, jobs);
    let found = pool.install(|| {
        let slots = (0..board.specs().len()).into_par_iter();
        // The others would take memory that nobody needs.
        let check = |slot| check_spec(&writer, (files, folder), &subject, &board, slot).filter(|_| command.simulate);
        slots.filter_map(check).collect::<Vec<Found>>()
    });
    if writer.unexplained.load(Ordering::Relaxed) {
        print("`--explain` says why specs hold\n");
    }
    if !command.simulate {
        return Ok(board.status());
    }
    let bound = writer.settings.bound.unwrap_or(LOOKS_AHEAD);
    Ok(board.status().worst(replay_first(board.model(), &found, &reader, bound, command.timeout)?))
}

/// How far `find` looks ahead in a session after `prove`.
const LOOKS_AHEAD: usize = 30;

/// A violated spec with its counterexample.
type Found<'s> = (usize, Box<Counterexample<'s>>);

/// Opens a session on the first counterexample, and says which one that is.
fn replay_first(
    model: &Model,
    found: &[Found],
    reader: &Reader,
    bound: usize,
    timeout: Option<Duration>,
) -> Result<Status> {
    let Some((spec, counterexample)) = found.first() else {
        remark("note: nothing is violated, so there is no counterexample to replay");
        return Ok(Status::Clear);
    };
    let others = if found.len() > 1 { "; `--spec` chooses another one" } else { "" };
    print(format!("\nthe counterexample to {}{others}\n", human::title(model, *spec)));
    simulate::replay(counterexample, reader, bound, timeout)
}

/// Prints what is known when somebody presses Ctrl-C, or when the process is asked to end.
fn give_up_on_interrupt(board: Arc<Board>, writer: Arc<Writer>) -> Result<()> {
    let handler = move || {
        let unknown =
            |model: &Model, spec, clear| writer.unknown(model, spec, clear, Cause::Interrupted, "interrupted");
        board.give_up(&unknown);
        interrupt::end();
    };
    interrupt::on_interrupt(handler)
}

/// Returns the counterexample, if there is one.
fn check_spec<'s>(
    writer: &Writer,
    (files, folder): (Files, Option<Folder>),
    subject: &'s Subject,
    board: &Board,
    slot: usize,
) -> Option<Found<'s>> {
    let (model, spec) = (subject.model(), board.specs()[slot]);
    let progress = |Progress { clear, .. }: Progress| clear.into_iter().for_each(|depth| board.clear(slot, depth));
    let start = Instant::now();
    let warnings = Mutex::new(Vec::new());
    let refused = |refused: &Refused| {
        let words = refusal(&writer.record(model, spec), refused);
        remark(format_args!("warning: {words}"));
        warnings.lock().expect("nobody panics with it").push(words);
    };
    let result = search(subject, spec, &writer.settings, &Stop::new(), &progress, &refused);
    let (wall, mut status, mut written) = (start.elapsed(), status_of(model.specs[spec].question, &result), Vec::new());
    match &result {
        Err(why) => {
            let name = human::title(model, spec);
            remark(format_args!("internal error: {name}: {why}; please report it with the model"));
        }
        Ok(Outcome { verdict, .. }) => {
            let certificate = folder.map(|folder| folder.write(model, spec, verdict));
            for result in files.write(model, spec, verdict).into_iter().chain(certificate.into_iter().flatten()) {
                match result {
                    Ok(file) => written.push(file),
                    Err(error) => {
                        remark(format_args!("error: {error:#}"));
                        status = status.worst(Status::BadInput);
                    }
                }
            }
        }
    }
    let warnings = warnings.into_inner().expect("nobody panics with it");
    board.done(slot, writer.result(model, spec, &result, wall, (written, warnings)), status);
    match result {
        Ok(Outcome { verdict: Verdict::Violated(counterexample), .. }) => Some((spec, counterexample)),
        _ => None,
    }
}

/// Dead code is found by a proof, and its absence by a run.
fn status_of(question: Option<Question>, result: &Result<Outcome, Failure>) -> Status {
    match (question, result.as_ref().map(|outcome| &outcome.verdict)) {
        (_, Err(_)) => Status::Internal,
        (Some(Question::DeadCode(..)), Ok(Verdict::Holds(_))) => Status::Violated,
        (Some(Question::DeadCode(..)), Ok(Verdict::Violated(_))) => Status::Clear,
        (_, Ok(Verdict::Violated(_))) => Status::Violated,
        (_, Ok(Verdict::Holds(_) | Verdict::NoCounterexample { .. })) => Status::Clear,
        (_, Ok(Verdict::Unknown { .. })) => Status::Unknown,
    }
}

impl Writer {
    /// What to print; `written` are the files with evidence.
    fn result(
        &self,
        model: &Model,
        spec: usize,
        result: &Result<Outcome, Failure>,
        wall: Duration,
        (written, refused): (Vec<Written>, Vec<String>),
    ) -> Vec<u8> {
        match (self.format, result) {
            (Format::Json, result) => {
                let mut record = of_spec(self.record(model, spec), model, result);
                record.seconds.wall = seconds(wall);
                record.evidence = written.into_iter().map(|file| file.path).collect();
                record.refused = refused;
                json_line(&record)
            }
            (Format::Human, Ok(outcome)) => {
                let options = Options { source: &self.source, detail: self.detail, statistics: self.statistics };
                let mut text = Vec::new();
                let done = human::write_outcome(&mut text, model, spec, outcome, options);
                done.and_then(|()| human::write_vacuity(&mut text, model, spec, &outcome.idle, &self.source))
                    .expect("writing to memory works");
                match &outcome.verdict {
                    Verdict::Holds(proof) if self.explain => {
                        proof::write(&mut text, model, spec, proof, "`--certificate DIR` writes all")
                            .expect("writing to memory works");
                    }
                    Verdict::Holds(_) => self.unexplained.store(true, Ordering::Relaxed),
                    _ => {}
                }
                for Written { what, path } in &written {
                    text.extend(format!("  {what} {}\n", shown(path)).bytes());
                }
                if !written.is_empty() {
                    text.push(b'\n');
                }
                text
            }
            (Format::Human, Err(_)) => {
                self.unknown(model, spec, None, Cause::Evidence, "an internal error of the tool")
            }
        }
    }

    fn unknown(&self, model: &Model, spec: usize, clear: Option<usize>, cause: Cause, reason: &str) -> Vec<u8> {
        if self.format == Format::Json {
            return json_line(&self.record(model, spec).unknown(cause, clear, reason.to_owned()));
        }
        let mut text = Vec::new();
        let written = human::write_unknown_spec(&mut text, model, spec, clear, reason);
        written.expect("writing to memory works");
        text
    }

    fn record(&self, model: &Model, spec: usize) -> Record {
        Record::new(Unit::spec(&self.source, &self.sha256, spec, &model.specs[spec]), self.settings.clone())
    }
}

fn json_line(record: &Record) -> Vec<u8> {
    let mut line = Vec::new();
    results::write(&mut line, record).expect("writing to memory works");
    line
}

/// The indices of the specs that the user named; all if none was.
pub(super) fn choose(model: &Model, wanted: &[String]) -> Result<Vec<usize>> {
    if wanted.is_empty() {
        return Ok((0..model.specs.len()).collect());
    }
    let mut chosen = Vec::new();
    for text in wanted {
        let by_number = text.parse::<usize>().ok().filter(|number| (1..=model.specs.len()).contains(number));
        let by_number = by_number.map(|number| number - 1);
        let is_named = |spec: &usize| model.specs[*spec].name.as_deref() == Some(text.as_str());
        let mut meant: Vec<usize> = (0..model.specs.len()).filter(is_named).chain(by_number).collect();
        meant.dedup();
        if let [first, second, ..] = meant[..] {
            let (first, second) = (human::name(model, first), human::name(model, second));
            bail!("`{text}` can be spec {first} or spec {second}: say which by a number, or rename one");
        }
        let Some(&spec) = meant.first() else {
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
