//! `rcheck-smt certify`

use crate::certificate_file::{CertificateError, Certified, Document, DocumentError};
use crate::check::{Proof, Verdict};
use crate::cli::arguments::{Reading, parse_duration, parse_megabytes};
use crate::cli::horn;
use crate::cli::io::input::{How, Loaded, load, show_diagnostics, show_found, text};
use crate::cli::io::out::{paragraphs, print, remark, shown};
use crate::cli::limits::watchdog;
use crate::cli::limits::watchdog::{Broken, limited};
use crate::cli::status::Status;
use crate::escape::visible;
use crate::limits::{Budget, Reason};
use crate::model::checks::{Kinds, checks};
use crate::model::eval::Semantics;
use crate::model::{Model, PointToPoint, Spec, show_constants};
use crate::report::{human, proof};
use crate::smt;
use crate::verify::certify;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use walkdir::WalkDir;

pub const CERTIFY_EXIT_CODES: &str = "\
Exit codes:
  0  every certificate proves its verdict
  1  some certificate does not prove its verdict, or belongs to another model
  2  the input or the arguments are wrong
  3  internal error: please report it
  4  some certificate could not be checked, and none was refused
  130  stopped by Ctrl-C";

#[derive(Debug, Args)]
pub struct Certify {
    /// The model.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The certificates, or folders with certificates.
    #[arg(required = true, value_name = "CERTIFICATE")]
    pub certificates: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Explain why specs hold, as `prove --explain` does.
    #[arg(long)]
    pub explain: bool,
    /// Give up on a certificate after this time: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up when the process uses this much memory: megabytes, or `4G`.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
}

/// A certificate that was read, and where.
type Found = (PathBuf, Document);

/// Checks all certificates.
pub fn run(command: &Certify) -> Result<Status> {
    if let Some(format) = horn::format(&command.model) {
        return horn::certify::run(command, format);
    }
    if let Some(megabytes) = command.memory {
        smt::limit_memory(megabytes);
    }
    watchdog::limit_memory(command.memory);
    watchdog::on_break_say("the certificates could not be checked");
    let how = command.reading.how()?;
    let (mut status, mut count, mut groups) = (Status::Clear, Count::default(), BTreeMap::new());
    for result in command.certificates.iter().flat_map(|path| collect(path, Document::read)) {
        match result {
            Ok((path, document)) => {
                let mut constants = document.given().clone();
                // Of two readings, the option's counts, and the certificate is refused.
                if how.constants.keys().any(|name| PointToPoint::named(name).is_some()) {
                    constants.retain(|name, _| PointToPoint::named(name).is_none());
                }
                constants.extend(how.constants.clone());
                groups.entry(constants).or_insert_with(Vec::new).push((path, document));
            }
            Err(error) => {
                remark(format_args!("error: {error:#}"));
                status = Status::BadInput;
            }
        }
    }
    if groups.is_empty() {
        groups.insert(how.constants.clone(), Vec::new());
    }
    let all: usize = groups.values().map(Vec::len).sum();
    for (index, (constants, documents)) in groups.into_iter().enumerate() {
        let how = How { constants, ..how.clone() };
        let show = if index == 0 { show_diagnostics } else { |loaded: &Loaded| show_found(loaded, true) };
        status = check(command, (&how, show), &documents, (&mut count, status))?;
    }
    if all > 1 {
        count.summary();
    }
    Ok(status)
}

/// Checks certificates that were made with the same values of constants.
fn check(
    command: &Certify,
    (how, show): (&How, fn(&Loaded)),
    documents: &[Found],
    (count, mut status): (&mut Count, Status),
) -> Result<Status> {
    let reading = || load(&command.model, how);
    let loaded = match limited(READING, command.timeout, reading) {
        Ok(Ok(loaded)) => loaded,
        // Only a certificate can say what no constant is called.
        Ok(Err(error)) if how.constants != command.reading.how()?.constants => {
            return Ok(documents.iter().fold(status, |status, (path, _)| status.worst(count.refuse(path, &error))));
        }
        Ok(Err(error)) => return Err(error),
        Err(reason) => {
            remark(format_args!("error: the model could not be read: {reason}"));
            return Ok(status.worst(Status::Unknown));
        }
    };
    show(&loaded);
    // A model without initial states has verdicts, and so certificates, and is an error all the same.
    if loaded.diagnostics.has_errors() {
        status = status.worst(Status::BadInput);
    }
    let Some(mut model) = loaded.model else { return Ok(status) };
    let all = Kinds { deadlock: true, overflow: true, dead_code: true };
    let mut wanted = checks(&model, all);
    wanted.retain(|check| documents.iter().any(|(_, document)| document.is_about(&model, check)));
    model.specs.extend(wanted);
    let semantics = Semantics::new(&model);
    let open = Arc::new(Mutex::new(documents.iter().map(|(path, _)| path.clone()).collect::<Vec<PathBuf>>()));
    give_up_on_break(open.clone(), status);
    for (number, (path, document)) in documents.iter().enumerate() {
        let check = || certify(document, &semantics, Budget::new(command.timeout));
        let answer = answer(number, command.timeout, check);
        open.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != path);
        let Some(result) = answer else {
            status = status.worst(count.panicked(path));
            continue;
        };
        let result = result.unwrap_or_else(|reason| Err(CertificateError::Unknown(reason.to_string())));
        status = status.worst(count.report(&model, path, &result));
        if let (true, Ok(Certified { spec, verdict: Verdict::Holds(proof) })) = (command.explain, result) {
            let mut text = Vec::new();
            proof::write(&mut text, &model, spec, &proof, "the certificate has all")?;
            print(paragraphs(&text));
        }
    }
    Ok(status)
}

/// What the check of one certificate says within its time; nothing if it panics, which costs no other certificate its answer.
pub fn answer<R>(number: usize, time: Option<Duration>, check: impl FnOnce() -> R) -> Option<Result<R, Reason>> {
    let answer = catch_unwind(AssertUnwindSafe(|| limited(number, time, check))).ok();
    if answer.is_none() {
        watchdog::end(number);
    }
    answer
}

/// What the watchdog calls reading the model.
pub const READING: usize = usize::MAX;

/// Says that the certificates of which nothing is known are not checked when a limit is broken.
pub fn give_up_on_break(open: Arc<Mutex<Vec<PathBuf>>>, status: Status) {
    watchdog::on_break(move |broken| {
        let reason = CertificateError::Unknown(
            if broken == Broken::Memory { Reason::Memory } else { Reason::Timeout }.to_string(),
        );
        for path in open.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            print(format!("{}: unknown: {reason}\n", shown(path)));
        }
        Some(status.worst(Status::Unknown))
    });
}

/// The certificate of a file, or all those in a folder.
pub fn collect<D>(path: &Path, read: fn(&str) -> Result<D, DocumentError>) -> Vec<Result<(PathBuf, D)>> {
    let read_document = |path: &Path| {
        let document = read(&text(path)?).with_context(|| format!("cannot read {}", shown(path)))?;
        Ok((path.to_owned(), document))
    };
    if !path.is_dir() {
        return vec![read_document(path)];
    }
    let mut found = Vec::new();
    for entry in WalkDir::new(path).follow_links(true).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.path().is_dir() => {}
            Ok(entry) if entry.path().extension().is_some_and(|extension| extension == "json") => {
                found.push(read_document(entry.path()));
            }
            Ok(_) => {}
            Err(error) => found.push(Err(error).context("cannot read the folder")),
        }
    }
    // Traces, for example, may lie beside.
    let is_other = |result: &Result<(PathBuf, D)>| {
        let why = result.as_ref().err().and_then(|error| error.downcast_ref());
        matches!(why, Some(DocumentError::NotACertificate))
    };
    found.retain(|result| !is_other(result));
    if found.is_empty() {
        found.push(Err(anyhow!("there is no certificate in the folder {}", shown(path))));
    }
    found
}

/// How many certificates are worth what.
#[derive(Default)]
pub struct Count {
    valid: usize,
    refused: usize,
    unknown: usize,
}

impl Count {
    /// One more.
    pub fn add(&mut self, worth: Status) {
        *match worth {
            Status::Clear => &mut self.valid,
            Status::Unknown => &mut self.unknown,
            _ => &mut self.refused,
        } += 1;
    }

    /// Says how many there are.
    pub fn summary(&self) {
        print(format!("{} valid, {} refused, {} unknown\n", self.valid, self.refused, self.unknown));
    }

    /// Says that the check of a certificate panicked; the panic itself was told where it happened.
    pub fn panicked(&mut self, path: &Path) -> Status {
        self.add(Status::Unknown);
        print(format!("{}: unknown: internal error, please report it\n", shown(path)));
        Status::Internal
    }

    /// Says what a certificate is worth. One that proves that a spec is violated is as good as any other.
    fn report(&mut self, model: &Model, path: &Path, result: &Result<Certified, CertificateError>) -> Status {
        let shown = shown(path);
        let (status, count, text) = match result {
            Ok(Certified { spec, verdict }) => {
                let (holds, proof) = match verdict {
                    Verdict::Holds(proof) => ("holds", Some(proof)),
                    _ => ("violated", None),
                };
                let given = show_constants(&model.given());
                let given = if given.is_empty() { given } else { format!(" (with {given})") };
                let sizes = if matches!(proof, Some(Proof::Uniform(_))) { " for all sizes" } else { "" };
                let assumed = model.specs[*spec].show_assumptions().map_or(String::new(), |words| format!(" {words}"));
                let text = format!("{shown}: valid: {} {holds}{sizes}{assumed}{given}", title(model, *spec));
                (Status::Clear, &mut self.valid, text)
            }
            Err(why @ CertificateError::Unknown(_)) => {
                (Status::Unknown, &mut self.unknown, format!("{shown}: unknown: {why}"))
            }
            Err(why) => (Status::Violated, &mut self.refused, format!("{shown}: refused: {why}")),
        };
        *count += 1;
        // Names in certificates cannot begin a line of ours.
        print(text.lines().map(visible).collect::<Vec<_>>().join("\n    ") + "\n");
        status
    }

    /// Says that a certificate is for another model than the one that is there.
    fn refuse(&mut self, path: &Path, why: &anyhow::Error) -> Status {
        self.refused += 1;
        print(visible(&format!("{}: refused: {why:#}", shown(path))).into_owned() + "\n");
        Status::Violated
    }
}

/// A spec by its name; a check beyond specs by what it claims, which its name does not say.
fn title(model: &Model, spec: usize) -> String {
    let Spec { question, formula, .. } = &model.specs[spec];
    let title = human::title(model, spec);
    if question.is_some() { format!("{title}: `{}`", model.show_formula(formula)) } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_a_check_costs_no_other_its_answer() {
        let answers = [1, 2, 3].map(|number| {
            answer(number, None, || {
                assert_ne!(number, 2, "the second one is broken");
                number
            })
        });
        assert_eq!(answers, [Some(Ok(1)), None, Some(Ok(3))]);
        let (mut count, path) = (Count::default(), Path::new("2.json"));
        assert_eq!((count.panicked(path), count.unknown), (Status::Internal, 1));
    }
}
