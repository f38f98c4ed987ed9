//! `rcheck-smt bmc` and `rcheck-smt prove`

pub mod answer;
pub mod arguments;
pub mod bars;
mod board;
pub mod certificates;
pub mod files;
pub mod known;
pub mod refusal;
mod strategies;

use crate::check::{Counterexample, Verdict};
use crate::cli::arguments::{BOUND, Format};
use crate::cli::io::input::{Loaded, compare, load, look_at, qualifying, show_found};
use crate::cli::io::out::{document, fitted, judge, paragraphs, print, remark, shown};
use crate::cli::io::{interrupt, log, replace};
use crate::cli::limits::address_space::searches;
use crate::cli::limits::watchdog;
use crate::cli::limits::watchdog::Broken;
use crate::cli::limits::workers::{self, Queue, StillAtWork};
use crate::cli::results::form;
use crate::cli::specs::nothing_to_check;
use crate::cli::status::Status;
use crate::cli::verify::answer::{Method, advise, append_questions, of_file, of_spec, search, settings, subject};
use crate::cli::verify::bars::Bars;
use crate::cli::verify::board::{Board, Reached};
use crate::cli::verify::files::{EvidenceFile, EvidenceFiles};
use crate::cli::verify::refusal::refusal;
use crate::cli::{simulate, specs};
use crate::limits::{Budget, Reason, Stop, lock, within};
use crate::model::{Constants, Formula, Model};
use crate::reading::sha256;
use crate::report::human::{self, Options};
use crate::report::proof;
use crate::report::record::{self, Cause, Finding, Record, Settings, Unit, cause, seconds};
use crate::report::trace::Detail;
use crate::simulate::ConditionReader;
use crate::source::SourceFile;
use crate::verify::{Companions, Engine, InternalError, Limits, Outcome, Progress, Refused, Subject};
use anyhow::{Context, Result, bail};
use arguments::Verification;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tracing::info_span;

struct ResultWriter {
    source: SourceFile,
    sha256: String,
    constants: Constants,
    settings: Settings,
    format: Format,
    detail: Detail,
    statistics: bool,
    explain: bool,
    /// True if some spec was proved whose proof was not shown.
    unexplained: AtomicBool,
    /// True if some spec holds because there is no initial state.
    without_start: AtomicBool,
    /// Per spec the findings that its verdict is to be read with.
    qualifying: Vec<Vec<Finding>>,
}

/// The use of proofs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Proofs<'a> {
    /// Write certificates to this folder.
    pub folder: Option<&'a Path>,
    /// Write strategies to this file.
    pub strategy: Option<&'a Path>,
    pub explain: bool,
}

/// Checks the chosen specs of one model.
pub fn run(command: &Verification, method: Method, proofs: Proofs) -> Result<Status> {
    if let Some(format) = crate::cli::horn::format(&command.file) {
        return crate::cli::horn::run(command, format, method, proofs);
    }
    log::begin(command.verbose);
    let settings = settings(method, command.reading.dialect(), command.timeout, command.memory);
    let how = command.reading.how()?;
    let begun = Instant::now();
    limit(command);
    let budget = Budget::new(command.timeout);
    let look: fn(Loaded) -> Loaded = if command.quiet { compare } else { look_at };
    let read = within(budget, &Stop::new(), || load(&command.file, &how).map(look));
    let loaded = match read {
        Ok(loaded) => loaded,
        Err(reason) => return Ok(not_read(command, (&settings, &how.constants), &reason)),
    };
    if command.format != Format::Human && !matches!(&loaded, Ok(Loaded { model: Some(_), .. })) {
        let record = of_file(&command.file, &loaded, (&settings, &how.constants), true);
        document(&form::records(command.format, [&record]));
    }
    let loaded = loaded?;
    show_found(&loaded, command.quiet);
    // A model without initial states: its specs get verdicts all the same.
    let qualifying = loaded.model.iter().flat_map(|model| &model.specs).map(|spec| qualifying(&loaded, spec)).collect();
    let at_least = if loaded.diagnostics.has_errors() { Status::BadInput } else { Status::Clear };
    let Loaded { source, dialect, model: Some(mut model), .. } = loaded else { return Ok(Status::BadInput) };
    let reader = ConditionReader::new(&source, dialect, &model);
    let kinds = command.checks.kinds();
    let only_checks = !kinds.is_empty() && command.spec.is_empty();
    let mut specs = if only_checks { Vec::new() } else { specs::choose(&model, &command.spec)? };
    let first_check = model.specs.len();
    specs::append_checks(&mut model, &kinds);
    specs.extend(first_check..model.specs.len());
    for why in nothing_to_check(&model, &kinds) {
        match command.format {
            Format::Human => print(format!("{why}\n")),
            Format::Json | Format::Github | Format::Sarif => remark(why),
        }
    }
    if specs.is_empty() && only_checks {
        if command.format.review().is_some() {
            document(&form::records(command.format, []));
        }
        return Ok(at_least);
    }
    if specs.is_empty() {
        bail!(specs::no_spec(&model, &shown(&command.file)));
    }
    let hidden = append_questions(&mut model, settings.mode, &specs);
    let files = EvidenceFiles::new(command, proofs, &model, &specs)?;
    let detail = if command.full { Detail::Full } else { Detail::Changes };
    let sha256 = sha256(&source);
    let (format, statistics, explain) = (command.format, command.stats, proofs.explain);
    let writer = Arc::new(ResultWriter {
        source,
        sha256,
        constants: how.constants,
        settings,
        format,
        detail,
        statistics,
        explain,
        unexplained: AtomicBool::new(false),
        without_start: AtomicBool::new(false),
        qualifying,
    });
    let jobs = searches(command.jobs, specs.len());
    let shows = !command.quiet && command.verbose == 0 && std::io::stderr().is_terminal();
    let bars = shows.then(|| Bars::new(specs.len(), jobs, command.timeout));
    let questions = specs.iter().map(|&spec| writer.record(&model, spec)).collect();
    let board = Arc::new(Board::new(model, (specs, questions), bars, format));
    give_up_on_interrupt(board.clone(), writer.clone())?;
    let (queue, events) = Queue::new(board.specs().len());
    let queue = Arc::new(queue);
    give_up_on_break(board.clone(), writer.clone(), queue.clone());
    // If others search, too, there is a thread for each of them.
    let threads =
        if writer.settings.engines == [Engine::Explicit] { searches(command.jobs, usize::MAX) / jobs } else { 1 };
    let subject = || subject(board.model(), hidden, command.memory, jobs).with_threads(threads);
    let lowered = within(budget, &Stop::new(), subject);
    let subject = match lowered {
        Ok(subject) => subject,
        Err(reason) => return Ok(board.give_up(&given_up(&writer, &reason))),
    };
    watchdog::end(PREPARATION);
    let time = command.timeout.map(|time| time.saturating_sub(begun.elapsed()));
    let asked: Vec<usize> = board.specs().iter().copied().chain(hidden..board.model().specs.len()).collect();
    let companions = Companions::new(&asked);
    let first = Mutex::new(None);
    let check = |worker, slot| {
        let found = check_spec(&writer, files, (&subject, &companions), &board, (slot, worker, time));
        if command.simulate {
            keep_first(&first, found);
        }
    };
    let last = |behind| {
        let status = board.close(&writer.closing(command.quiet));
        let status = status.worst(at_least);
        let status = match command.simulate {
            false => Ok(status),
            true => {
                let bound = writer.settings.bound.unwrap_or(BOUND);
                let first = lock(&first).take();
                replay_first(board.model(), first, &reader, bound, command.timeout).map(|replay| status.worst(replay))
            }
        };
        match (behind, status) {
            (StillAtWork(true), Ok(status)) => replace::exit(judge(status).code().into()),
            (_, status) => status,
        }
    };
    workers::run((&queue, &events), jobs, check, last).context("cannot start threads for the jobs")?
}

/// A violated spec with its counterexample.
type ViolatedSpec<'s> = (usize, Box<Counterexample<'s>>);

/// Keeps the counterexample of the first spec that has one, and the number of all that have one.
fn keep_first<'s>(first: &Mutex<Option<(ViolatedSpec<'s>, usize)>>, found: Option<ViolatedSpec<'s>>) {
    let Some(found) = found else { return };
    let mut first = lock(first);
    *first = Some(match first.take() {
        Some((earlier, count)) if earlier.0 < found.0 => (earlier, count + 1),
        later => (found, later.map_or(1, |(_, count)| count + 1)),
    });
}

/// Opens a session on the first counterexample, and says which one that is; `found` has the number of all.
fn replay_first(
    model: &Model,
    found: Option<(ViolatedSpec, usize)>,
    reader: &ConditionReader,
    bound: usize,
    timeout: Option<Duration>,
) -> Result<Status> {
    let Some(((spec, counterexample), count)) = found else {
        remark("note: nothing is violated, so there is no counterexample to replay");
        return Ok(Status::Clear);
    };
    let others = if count > 1 { "; `--spec` chooses another one" } else { "" };
    print(format!("\nthe counterexample to {}{others}\n", human::title(model, spec)));
    simulate::replay(&counterexample, reader, bound, timeout)
}

/// Prints what is known when Ctrl-C is pressed, or when the process is asked to end.
fn give_up_on_interrupt(board: Arc<Board>, writer: Arc<ResultWriter>) -> Result<()> {
    let handler = move || {
        let unknown =
            |model: &Model, spec, reached| writer.unknown(model, spec, reached, Cause::Interrupted, "interrupted");
        interrupt::end_line();
        board.give_up(&unknown);
        interrupt::end();
    };
    interrupt::on_interrupt(handler)
}

/// The number of the work before the first spec, for the watchdog.
const PREPARATION: usize = usize::MAX;

/// How long a report may take beyond the time for the spec.
const REPORTING: Duration = Duration::from_millis(500);

/// The limits of the whole process, and of reading the model.
fn limit(command: &Verification) {
    watchdog::limit_memory(command.memory);
    watchdog::on_break_say("the model could not be read");
    watchdog::begin(PREPARATION, command.timeout);
}

/// The time was over, or the memory full, before the model was read.
fn not_read(command: &Verification, (settings, constants): (&Settings, &Constants), reason: &Reason) -> Status {
    remark(format_args!("error: the model could not be read: {reason}"));
    if command.format != Format::Human {
        let unit = Unit::file(&command.file.display().to_string(), None).given(constants);
        let record = Record::new(unit, settings.clone()).unknown(cause(reason), None, reason.to_string());
        document(&form::records(command.format, [&record]));
    }
    Status::Unknown
}

/// The words for specs that are given up for a reason.
fn given_up(writer: &ResultWriter, reason: &Reason) -> impl Fn(&Model, usize, Reached) -> Vec<u8> {
    move |model, spec, reached| writer.unknown(model, spec, reached, cause(reason), &reason.to_string())
}

/// Prints what is known when a limit is broken: a spec that runs over its time is given up, and its thread left behind.
fn give_up_on_break(board: Arc<Board>, writer: Arc<ResultWriter>, queue: Arc<Queue>) {
    watchdog::on_break(move |broken| match broken {
        Broken::Time(slot) if slot != PREPARATION => {
            board.give_up_on(slot, &given_up(&writer, &Reason::Timeout));
            queue.leave_behind(slot);
            None
        }
        Broken::Time(_) => Some(board.give_up(&given_up(&writer, &Reason::Timeout))),
        Broken::Memory => Some(board.give_up(&given_up(&writer, &Reason::Memory))),
    });
}

/// Shows and watches that a spec is checked. Returns the counterexample, if there is one.
fn check_spec<'s>(
    writer: &ResultWriter,
    files: EvidenceFiles,
    subject: (&'s Subject, &Companions<'s>),
    board: &Board,
    (slot, worker, time): (usize, usize, Option<Duration>),
) -> Option<ViolatedSpec<'s>> {
    watchdog::begin(slot, time);
    board.begin(worker, slot);
    let found = answer(writer, files, subject, board, (slot, worker, Budget::new(time)));
    watchdog::end(slot);
    board.end(worker);
    found
}

/// Puts what is known of a spec on the board.
fn answer<'s>(
    writer: &ResultWriter,
    files: EvidenceFiles,
    (subject, companions): (&'s Subject, &Companions<'s>),
    board: &Board,
    (slot, worker, budget): (usize, usize, Budget),
) -> Option<ViolatedSpec<'s>> {
    let (model, spec) = (subject.model(), board.specs()[slot]);
    let progress = |progress: Progress| board.progress(worker, slot, progress);
    let _logged = info_span!("spec", name = %human::title(model, spec)).entered();
    let start = Instant::now();
    let warnings = Mutex::new(Vec::new());
    let refused = |refused: &Refused| {
        let words = refusal(&writer.record(model, spec), refused);
        board.remark(format_args!("warning: {words}"));
        lock(&warnings).push(words);
    };
    let stop = Stop::new();
    let bound = writer.settings.bound.unwrap_or(usize::MAX);
    let limits = Limits { bound, budget, stop: &stop, progress: &progress, refused: &refused };
    let searched = || {
        let mut outcome = search((subject, companions), spec, &writer.settings, &limits)?;
        advise(&mut outcome, subject, spec, &writer.settings, &limits)?;
        Ok(outcome)
    };
    let result: Result<Outcome, InternalError> = match within(budget, &Stop::new(), searched) {
        Ok(result) => result,
        Err(reason) => {
            board.give_up_on(slot, &given_up(writer, &reason));
            return None;
        }
    };
    let (wall, mut written) = (start.elapsed(), Vec::new());
    let record = writer.record(model, spec);
    let mut record = match &result {
        Ok(outcome) => record.brief_answer(model, outcome),
        Err(why) => record.failed(Cause::Evidence, why.to_string()),
    };
    let mut status = Status::of(&record);
    match &result {
        Err(why) => {
            let name = human::title(model, spec);
            board.remark(format_args!("internal error: {name}: {why}; please report it with the model"));
        }
        Ok(Outcome { verdict, .. }) => {
            for result in files.write((&writer.source, model), spec, verdict) {
                match result {
                    Ok(file) => written.push(file),
                    Err(error) => {
                        board.remark(format_args!("error: {error:#}"));
                        status = status.worst(Status::BadInput);
                    }
                }
            }
        }
    }
    record.evidence = written.iter().map(|file| file.path.clone()).collect();
    let warnings = std::mem::take(&mut *lock(&warnings));
    let reporting = Budget::new(budget.left().map(|left| left + REPORTING));
    let report = || writer.result(model, spec, &result, wall, (written, warnings));
    match within(reporting, &Stop::new(), report) {
        Ok(text) => board.done(slot, text, record, status),
        Err(reason) => board.give_up_on(slot, &given_up(writer, &reason)),
    }
    match result {
        Ok(Outcome { verdict: Verdict::Violated(counterexample), .. }) => Some((spec, counterexample)),
        _ => None,
    }
}

impl ResultWriter {
    /// The text after all specs.
    fn closing(&self, quiet: bool) -> String {
        let mut text = Vec::new();
        if self.without_start.load(Ordering::Relaxed) {
            human::write_no_start(&mut text).expect("writing to memory works");
        }
        if self.unexplained.load(Ordering::Relaxed) && !quiet {
            text.extend(b"`--explain` says why specs hold\n");
        }
        String::from_utf8(text).expect("it was written as text")
    }

    /// The text to print; `written` are the files with evidence.
    fn result(
        &self,
        model: &Model,
        spec: usize,
        result: &Result<Outcome, InternalError>,
        wall: Duration,
        (written, refused): (Vec<EvidenceFile>, Vec<String>),
    ) -> Vec<u8> {
        match (self.format, result) {
            (Format::Json | Format::Github | Format::Sarif, result) => {
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
                if outcome.idle.contains(&Formula::TRUE) {
                    self.without_start.store(true, Ordering::Relaxed);
                }
                let record = self.record(model, spec);
                let verdict = record::Verdict::of(&outcome.verdict, record.unit.check);
                let record = record.with_verdict(verdict);
                human::write_expectation(&mut text, &record).expect("writing to memory works");
                match &outcome.verdict {
                    Verdict::Holds(proof) if self.explain => {
                        let mut words = Vec::new();
                        proof::write(&mut words, model, spec, proof, "`--certificate DIR` writes all")
                            .expect("writing to memory works");
                        text.extend(paragraphs(&words));
                    }
                    Verdict::Holds(_) => self.unexplained.store(true, Ordering::Relaxed),
                    _ => {}
                }
                for EvidenceFile { what, path } in &written {
                    text.extend(format!("  {what} {}\n", shown(path)).bytes());
                }
                if !written.is_empty() {
                    text.push(b'\n');
                }
                fitted(text)
            }
            (Format::Human, Err(_)) => self.unknown(
                model,
                spec,
                Reached { clear: None, time: wall },
                Cause::Evidence,
                "an internal error of the tool",
            ),
        }
    }

    fn unknown(&self, model: &Model, spec: usize, reached: Reached, cause: Cause, reason: &str) -> Vec<u8> {
        let Reached { clear, time } = reached;
        if self.format != Format::Human {
            let mut record = self.record(model, spec).unknown(cause, clear, reason.to_owned());
            record.seconds.wall = seconds(time);
            return json_line(&record);
        }
        let mut text = Vec::new();
        let written = human::write_unknown_spec(&mut text, model, spec, clear, reason);
        written.expect("writing to memory works");
        fitted(text)
    }

    fn record(&self, model: &Model, spec: usize) -> Record {
        let unit = Unit::spec(&self.source, &self.sha256, spec, &model.specs[spec]).given(&self.constants);
        let findings = self.qualifying.get(spec).cloned().unwrap_or_default();
        Record { findings, ..Record::new(unit, self.settings.clone()) }
    }
}

/// The line of a result, which the board makes a review of, or prints as it is if that is what the user wants.
fn json_line(record: &Record) -> Vec<u8> {
    form::records(Format::Json, [record])
}
