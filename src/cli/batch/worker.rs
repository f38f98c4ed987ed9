//! The process that answers questions: it reads requests from standard input and replies on standard output, and
//! lives until its input ends, even in the midst of a search.
//!
//! Consecutive questions about one model share what is made of the model.

use super::protocol::{ListRequest, Listing, Request, SpecRequest, WorkerReply};
use crate::cli::horn;
use crate::cli::io::input::{self, How, Loaded, compare, load_text, look_at, qualifying};
use crate::cli::io::out::document;
use crate::cli::limits::memory;
use crate::cli::specs;
use crate::cli::specs::nothing_to_check;
use crate::cli::status::Status;
use crate::cli::verify::answer::{append_questions, how, of_file, of_spec, search, subject, units};
use crate::cli::verify::refusal::refusal;
use crate::diag::Diagnostics;
use crate::horn::Format;
use crate::limits::{Budget, Reason, Stop, lock, within};
use crate::model::Constants;
use crate::reading::sha256;
use crate::report::record::{Cause, Check, Finding, Mode, Record, Seconds, Settings, Unit, Verdict, cause, seconds};
use crate::smt;
use crate::source::SourceFile;
use crate::syntax::ast::Dialect;
use crate::verify::{Companions, Limits, Progress, Refused, Subject};
use anyhow::Result;
use cpu_time::ProcessTime;
use std::io::BufRead;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Answers until there is no question any more.
pub fn run() -> Result<Status> {
    let requests = requests();
    let mut next = requests.recv().ok();
    while let Some(request) = next.take() {
        next = match request {
            Request::List(request) => {
                reply(&WorkerReply::Listed(Box::new(list(request))));
                requests.recv().ok()
            }
            Request::Look { path, text } => {
                let source = SourceFile::new(path.display().to_string(), text);
                let found =
                    load_text(source, &How::default()).map(look_at).map_or(Diagnostics::new(), |it| it.diagnostics);
                reply(&WorkerReply::Looked(found.iter().cloned().collect()));
                requests.recv().ok()
            }
            Request::Answer(question) => serve(*question, &requests),
        };
    }
    Ok(Status::Clear)
}

/// Reads requests in a thread of its own, which ends the process with its input: a worker whose batch has died must
/// not go on.
fn requests() -> Receiver<Request> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let request = line.ok().and_then(|line| serde_json::from_str(&line).ok());
            let Some(request) = request else { break };
            if send.send(request).is_err() {
                break;
            }
        }
        std::process::exit(0)
    });
    receive
}

fn reply(reply: &WorkerReply) {
    let mut line = serde_json::to_vec(reply).expect("replies are plain data");
    line.push(b'\n');
    document(&line);
}

/// Reads a file, or the text that is in its place.
fn load(path: &Path, text: Option<String>, how: &How) -> Result<Loaded> {
    match text {
        Some(text) => load_text(SourceFile::new(path.display().to_string(), text), how),
        None => input::load(path, how),
    }
}

fn list(ListRequest { path, text, constants, settings, checks: kinds }: ListRequest) -> Listing {
    if let Some(format) = horn::format(&path).filter(|_| text.is_none()) {
        return list_clauses(&path, format, &constants, &settings, &kinds);
    }
    let unit = Unit::file(&path.display().to_string(), None).given(&constants);
    let load = || {
        let loaded = load(&path, text, &how(&unit, &settings));
        if settings.mode == Mode::Check { loaded.map(look_at) } else { loaded }
    };
    let loaded = match within(budget(&settings), &Stop::new(), load) {
        Ok(loaded) => loaded,
        Err(reason) => return given_up(unit, &settings, &reason),
    };
    let mut file = of_file(&path, &loaded, (&settings, &constants), kinds.is_empty() && settings.mode != Mode::Check);
    let (mut specs, nothing) = match loaded {
        Ok(Loaded { source, model: Some(mut model), diagnostics, .. }) if !diagnostics.has_errors() => {
            specs::append_checks(&mut model, &kinds);
            (units(&source, &model, &constants), nothing_to_check(&model, &kinds).join("; "))
        }
        _ => (Vec::new(), String::new()),
    };
    if !kinds.is_empty() {
        specs.retain(|unit| unit.check.is_some());
        if specs.is_empty() && file.verdict == Verdict::WellFormed {
            file.reason = Some(nothing);
        }
    }
    Listing { file, specs }
}

/// How long a question may take from now on.
fn budget(settings: &Settings) -> Budget {
    Budget::new(settings.timeout.map(Duration::from_secs_f64))
}

/// A file that was not read to its end.
fn given_up(unit: Unit, settings: &Settings, reason: &Reason) -> Listing {
    let file = Record::new(unit, settings.clone()).unknown(cause(reason), None, reason.to_string());
    Listing { file, specs: Vec::new() }
}

/// The same of a system of clauses.
fn list_clauses(path: &Path, format: Format, constants: &Constants, settings: &Settings, kinds: &[Check]) -> Listing {
    let unit = Unit::file(&path.display().to_string(), None).given(constants);
    let failed = |why: String| Listing {
        file: Record::new(unit.clone(), settings.clone()).failed(Cause::Input, why),
        specs: Vec::new(),
    };
    if !constants.is_empty() || settings.dialect.is_some() || !kinds.is_empty() {
        return failed(
            "a system of clauses has no constants, no dialects, and no checks beyond its question".to_owned(),
        );
    }
    match input::read(path) {
        Ok(source) => match within(budget(settings), &Stop::new(), || horn::list(&source, format, settings)) {
            Ok((file, specs)) => Listing { file, specs },
            Err(reason) => given_up(unit, settings, &reason),
        },
        Err(error) => failed(format!("{error:#}")),
    }
}

/// Answers the question about a system of clauses.
fn serve_clauses(question: SpecRequest, format: Format) {
    memory::forget_peak();
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let record = Record::new(question.unit.clone(), question.settings.clone());
    let record = match input::read(Path::new(&question.unit.model)) {
        Ok(source) if Some(sha256(&source)) == question.unit.sha256 => {
            let progress = reporter();
            let answer = || horn::answer_unit(&source, format, record.clone(), &progress, &question.wanted);
            within(budget(&question.settings), &Stop::new(), answer)
                .unwrap_or_else(|reason| record.clone().unknown(cause(&reason), None, reason.to_string()))
        }
        _ => record.failed(Cause::Input, CHANGED.to_owned()),
    };
    let record = Record {
        seconds: Seconds { wall: seconds(start.elapsed()), cpu: Some(seconds(cpu.elapsed())), ..record.seconds },
        peak_memory: memory::peak(),
        ..record
    };
    reply(&WorkerReply::Answered(Box::new(record)));
}

const CHANGED: &str = "the file changed after the batch had read it";

/// Answers the question, and those that follow as long as they are about the same model. Returns the first that is not.
fn serve(mut first: SpecRequest, requests: &Receiver<Request>) -> Option<Request> {
    limit_memory(&first.settings);
    if let Some(format) = horn::format(Path::new(&first.unit.model)) {
        serve_clauses(first, format);
        return requests.recv().ok();
    }
    let text = first.text.take();
    // Reading the model is part of the time of the first question.
    let mut time = budget(&first.settings);
    let load = || load(Path::new(&first.unit.model), text, &how(&first.unit, &first.settings)).map(compare);
    let record = || Record::new(first.unit.clone(), first.settings.clone());
    let refuse = |record| {
        reply(&WorkerReply::Answered(Box::new(record)));
        requests.recv().ok()
    };
    let loaded = match within(time, &Stop::new(), load) {
        Ok(Ok(loaded)) if Some(sha256(&loaded.source)) == first.unit.sha256 => loaded,
        Ok(_) => return refuse(record().failed(Cause::Input, CHANGED.to_owned())),
        Err(reason) => return refuse(record().unknown(cause(&reason), None, reason.to_string())),
    };
    let specs = loaded.model.iter().flat_map(|model| &model.specs);
    let found: Vec<Vec<Finding>> = specs.map(|spec| qualifying(&loaded, spec)).collect();
    let Loaded { source, dialect, model: Some(mut model), .. } = loaded else {
        return refuse(record().failed(Cause::Input, CHANGED.to_owned()));
    };
    specs::append_checks(&mut model, &first.checks);
    let units = units(&source, &model, &first.unit.constants);
    let all: Vec<usize> = (0..model.specs.len()).collect();
    let hidden = append_questions(&mut model, first.settings.mode, &all);
    let subject = subject(&model, hidden, first.settings.memory_limit, 1);
    // A batch asks about all specs.
    let companions = Companions::new(&(0..model.specs.len()).collect::<Vec<_>>());
    let about = |question: &SpecRequest| (question.unit.place(), question.unit.sha256.clone(), question.checks.clone());
    let asked = about(&first);
    let mut question = first;
    loop {
        let loaded = (&source, Some(dialect));
        let record = answer((&subject, &companions), loaded, (&units, &found), question, time);
        reply(&WorkerReply::Answered(Box::new(record)));
        question = match requests.recv().ok()? {
            Request::Answer(next) if about(&next) == asked => *next,
            other => return Some(other),
        };
        time = budget(&question.settings);
    }
}

/// The solver may use what the process does not use anyway.
fn limit_memory(settings: &Settings) {
    if let Some(limit) = settings.memory_limit {
        let used = memory::resident(std::process::id()).unwrap_or_default();
        smt::limit_memory((f64::from(limit) - used).max(1.0) as u32);
    }
}

/// Tells how far a search is; of visited states and depths, of which there are new ones all the time, only if it told nothing of them
/// for a while.
fn reporter() -> impl Fn(Progress) + Sync {
    const EVERY: Duration = Duration::from_millis(100);
    let told: Mutex<Option<Instant>> = Mutex::new(None);
    move |progress| {
        if progress.states.or(progress.depth).is_some() {
            let mut told = lock(&told);
            if told.is_some_and(|told| told.elapsed() < EVERY) {
                return;
            }
            *told = Some(Instant::now());
        }
        reply(&WorkerReply::Progress(progress));
    }
}

fn answer<'s>(
    (subject, companions): (&'s Subject, &Companions<'s>),
    loaded: (&SourceFile, Option<Dialect>),
    (units, found): (&[Unit], &[Vec<Finding>]),
    question: SpecRequest,
    budget: Budget,
) -> Record {
    memory::forget_peak();
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let record = Record::new(question.unit.clone(), question.settings.clone());
    let Some(index) = units.iter().position(|unit| *unit == question.unit) else {
        return record.failed(Cause::Crash, "asked about no spec of the model".to_owned());
    };
    let warnings = Mutex::new(Vec::new());
    let refused = |why: &Refused| lock(&warnings).push(refusal(&record, why));
    let (bound, stop) = (question.settings.bound.unwrap_or(usize::MAX), Stop::new());
    let limits = Limits { bound, budget, stop: &stop, progress: &reporter(), refused: &refused };
    let result = search((subject, companions), index, &question.settings, &limits);
    let refused = std::mem::take(&mut *lock(&warnings));
    let mut record = of_spec(record, subject.model(), &result);
    record.seconds.wall = seconds(start.elapsed());
    record.seconds.cpu = Some(seconds(cpu.elapsed()));
    record.peak_memory = memory::peak();
    record.refused = refused;
    record.findings = found.get(index).cloned().unwrap_or_default();
    match &result {
        Ok(outcome) => question.wanted.write(loaded, (subject.model(), index), &outcome.verdict, record),
        Err(_) => record,
    }
}
