//! The process that answers questions: it reads requests from standard input and replies on standard output, and
//! lives until its input ends, even in the midst of a search.
//!
//! Consecutive questions about one model share what is made of the model.

use super::evidence;
use super::memory;
use super::protocol::{Listing, Question, Reply, Request};
use crate::cli::answer::{of_file, of_spec, search};
use crate::cli::arguments::dialect;
use crate::cli::input::{Loaded, load, sha256};
use crate::cli::{Status, print};
use crate::model::Model;
use crate::report::record::{Cause, Record, Settings, Unit, seconds};
use crate::smt::{self, Stop};
use crate::source::SourceFile;
use crate::verify::{Progress, Subject};
use anyhow::Result;
use cpu_time::ProcessTime;
use std::io::BufRead;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

/// Answers until nobody asks.
pub fn run() -> Result<Status> {
    let requests = requests();
    let mut next = requests.recv().ok();
    while let Some(request) = next.take() {
        next = match request {
            Request::List { path, settings } => {
                reply(&Reply::Listed(Box::new(list(&path, &settings))));
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

fn reply(reply: &Reply) {
    let mut line = serde_json::to_vec(reply).expect("replies are plain data");
    line.push(b'\n');
    print(&line);
}

fn list(path: &Path, settings: &Settings) -> Listing {
    let loaded = load(path, settings.dialect.as_deref().and_then(dialect));
    let file = of_file(path, &loaded, settings);
    let specs = match &loaded {
        Ok(Loaded { source, model: Some(model), .. }) => units(source, model),
        _ => Vec::new(),
    };
    Listing { file, specs }
}

fn units(source: &SourceFile, model: &Model) -> Vec<Unit> {
    let sha256 = sha256(source);
    model.specs.iter().enumerate().map(|(index, spec)| Unit::spec(source, &sha256, index, spec)).collect()
}

/// Answers the question, and those that follow as long as they are about the same model. Returns the first that is not.
fn serve(first: Question, requests: &Receiver<Request>) -> Option<Request> {
    limit_memory(&first.settings);
    let loaded = load(Path::new(&first.unit.model), first.settings.dialect.as_deref().and_then(dialect));
    let model = match loaded {
        Ok(Loaded { source, model: Some(model), .. }) if Some(sha256(&source)) == first.unit.sha256 => model,
        _ => {
            let record = Record::new(first.unit, first.settings);
            let record = record.failed(Cause::Input, "the file changed after the batch had read it".to_owned());
            reply(&Reply::Answered(Box::new(record)));
            return requests.recv().ok();
        }
    };
    let subject = Subject::new(&model);
    let (name, sha256) = (first.unit.model.clone(), first.unit.sha256.clone());
    let mut question = first;
    loop {
        reply(&Reply::Answered(Box::new(answer(&subject, question))));
        question = match requests.recv().ok()? {
            Request::Answer(next) if next.unit.model == name && next.unit.sha256 == sha256 => *next,
            other => return Some(other),
        };
    }
}

/// The solver may use what the process does not use anyway.
fn limit_memory(settings: &Settings) {
    if let Some(limit) = settings.memory_limit {
        let used = memory::resident(std::process::id()).unwrap_or_default();
        smt::limit_memory((f64::from(limit) - used).max(1.0) as u32);
    }
}

fn answer(subject: &Subject, question: Question) -> Record {
    memory::forget_peak();
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let record = Record::new(question.unit.clone(), question.settings.clone());
    let Some(index) = question.unit.spec.and_then(|number| number.checked_sub(1)) else {
        return record.failed(Cause::Crash, "asked about no spec".to_owned());
    };
    let progress = |progress: Progress| reply(&Reply::Progress(progress));
    let result = search(subject, index, &question.settings, &Stop::new(), &progress);
    let mut record = of_spec(record, &result);
    record.seconds.wall = seconds(start.elapsed());
    record.seconds.cpu = Some(seconds(cpu.elapsed()));
    record.peak_memory = memory::peak();
    match (&question.traces, &result) {
        (Some(folder), Ok(outcome)) => evidence::write(folder, &subject.model().specs[index], outcome, record),
        _ => record,
    }
}
