//! `rcheck-smt certify`

pub mod tally;

use crate::certificate_file::{CertificateError, Certified, Document, DocumentError};
use crate::check::{Proof, ProofBy, Verdict};
use crate::cli::arguments::{ReadingOptions, parse_duration, parse_megabytes};
use crate::cli::horn;
use crate::cli::io::input::{How, Loaded, load, show_diagnostics, show_found, text};
use crate::cli::io::out::{paragraphs, remark, shown};
use crate::cli::limits::watchdog;
use crate::cli::limits::watchdog::limited;
use crate::cli::status::Status;
use crate::escape::visible;
use crate::limits::{Budget, Reason};
use crate::model::checks::{Kinds, checks};
use crate::model::eval::Semantics;
use crate::model::{ConstantName, Model, Spec};
use crate::report::{human, proof};
use crate::verify::certify;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::vec::IntoIter;
use tally::{READING, Tally, one_by_one};
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
    pub reading: ReadingOptions,
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
type ReadCertificate = (PathBuf, Document);

pub fn run(command: &Certify) -> Result<Status> {
    if let Some(format) = horn::format(&command.model) {
        return horn::certify::run(command, format);
    }
    watchdog::limit_memory(command.memory);
    watchdog::on_break_say("the certificates could not be checked");
    let how = command.reading.how()?;
    let is_reading = |name: &ConstantName| matches!(name, ConstantName::PointToPoint(_));
    let (tally, mut groups) = (Arc::new(Tally::default()), BTreeMap::new());
    for (path, document) in collect(command, &tally, Document::read) {
        let mut constants = document.given().clone();
        // Of two readings, the option's counts, and the certificate is refused.
        if how.constants.keys().any(is_reading) {
            constants.retain(|name, _| !is_reading(name));
        }
        constants.extend(how.constants.clone());
        groups.entry(constants).or_insert_with(Vec::new).push((path, document));
    }
    if groups.is_empty() {
        groups.insert(how.constants.clone(), Vec::new());
    }
    let groups = groups.into_iter().enumerate().map(|(index, (constants, documents))| CertificateGroup {
        how: How { constants, ..how.clone() },
        documents,
        show: if index == 0 { show_diagnostics } else { |loaded: &Loaded| show_found(loaded, true) },
    });
    check_all(command, &tally, &mut groups.collect::<Vec<_>>().into_iter())?;
    tally.summary();
    Ok(tally.status())
}

/// Certificates that were made with the same values of constants.
struct CertificateGroup {
    how: How,
    documents: Vec<ReadCertificate>,
    /// Shows what is found in the model with these.
    show: fn(&Loaded),
}

fn check_all(command: &Certify, tally: &Arc<Tally>, groups: &mut IntoIter<CertificateGroup>) -> Result<()> {
    while let Some(group) = groups.next() {
        check(command, tally, &group, groups)?;
    }
    Ok(())
}

/// Checks the certificates of a group; where checks are still at work that were given up, those of the others, too.
fn check(
    command: &Certify,
    tally: &Arc<Tally>,
    group: &CertificateGroup,
    others: &mut IntoIter<CertificateGroup>,
) -> Result<()> {
    let CertificateGroup { how, documents, show } = group;
    let reading = || load(&command.model, how);
    let loaded = match limited(READING, command.timeout, reading) {
        Ok(Ok(loaded)) => loaded,
        // Only a certificate can say what no constant is called.
        Ok(Err(error)) if how.constants != command.reading.how()?.constants => {
            for (path, _) in documents {
                // It is for another model than the one that is there.
                tally.say(
                    Status::Violated,
                    &(visible(&format!("{}: refused: {error:#}", shown(path))).into_owned() + "\n"),
                );
            }
            return Ok(());
        }
        Ok(Err(error)) => return Err(error),
        Err(reason) => {
            remark(format_args!("error: the model could not be read: {reason}"));
            tally.worst(Status::Unknown);
            return Ok(());
        }
    };
    show(&loaded);
    // A model without initial states has verdicts, and so certificates, and is an error all the same.
    if loaded.diagnostics.has_errors() {
        tally.worst(Status::BadInput);
    }
    let Some(mut model) = loaded.model else { return Ok(()) };
    let all = Kinds { deadlock: true, overflow: true, dead_code: true };
    let mut wanted = checks(&model, all);
    wanted.retain(|check| documents.iter().any(|(_, document)| document.is_about(&model, check)));
    model.specs.extend(wanted);
    let semantics = Semantics::new(&model);
    let check = |document: &Document| certify(document, &semantics, Budget::new(command.timeout));
    let text = |path: &Path, result: Result<_, Reason>| {
        let result = result.unwrap_or_else(|reason| Err(CertificateError::Unknown(reason.to_string())));
        let (status, mut text) = report(&model, path, &result);
        if let (true, Ok(Certified { spec, verdict: Verdict::Holds(proof) })) = (command.explain, result) {
            let mut words = Vec::new();
            proof::write(&mut words, &model, spec, &proof, "the certificate has all").expect("writing to memory works");
            text.push_str(&String::from_utf8_lossy(&paragraphs(&words)));
        }
        (status, text)
    };
    let rest = || check_all(command, tally, others);
    one_by_one(tally, (documents, command.timeout), check, text, rest)
}

/// The certificates that a command names; says which files are none.
pub fn collect<D>(command: &Certify, tally: &Tally, read: fn(&str) -> Result<D, DocumentError>) -> Vec<(PathBuf, D)> {
    let refuse = |error: &anyhow::Error| {
        remark(format_args!("error: {error:#}"));
        tally.worst(Status::BadInput);
    };
    let found = command.certificates.iter().flat_map(|path| collect_from(path, read));
    found.filter_map(|found| found.inspect_err(refuse).ok()).collect()
}

/// The certificate of a file, or all those in a folder.
fn collect_from<D>(path: &Path, read: fn(&str) -> Result<D, DocumentError>) -> Vec<Result<(PathBuf, D)>> {
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

/// The worth of a certificate, and what is said of it. One that proves that a spec is violated is as good as any other.
fn report(model: &Model, path: &Path, result: &Result<Certified, CertificateError>) -> (Status, String) {
    let shown = shown(path);
    let (status, text) = match result {
        Ok(certified) => {
            let (holds, proof) = match &certified.verdict {
                Verdict::Holds(proof) => ("holds", Some(proof)),
                _ => ("violated", None),
            };
            let sizes = if matches!(proof.map(Proof::by), Some(ProofBy::Uniform(_))) { " for all sizes" } else { "" };
            let (title, presupposed) = (title(model, certified.spec), certified.presupposed(model));
            (Status::Clear, format!("{shown}: valid: {title} {holds}{sizes}{presupposed}"))
        }
        Err(why @ CertificateError::Unknown(_)) => (Status::Unknown, format!("{shown}: unknown: {why}")),
        Err(why) => (Status::Violated, format!("{shown}: refused: {why}")),
    };
    // Names in certificates cannot begin a line of ours.
    (status, text.lines().map(visible).collect::<Vec<_>>().join("\n    ") + "\n")
}

/// A spec by its name; a check beyond specs by what it claims, which its name does not say.
fn title(model: &Model, spec: usize) -> String {
    let Spec { question, formula, .. } = &model.specs[spec];
    let title = human::title(model, spec);
    if question.is_some() { format!("{title}: `{}`", model.show_formula(formula)) } else { title }
}
