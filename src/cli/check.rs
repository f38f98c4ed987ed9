//! `rcheck-smt check`

use crate::cli::arguments::{Format, ReadingOptions};
use crate::cli::horn;
use crate::cli::io::find::FileKinds;
use crate::cli::io::input::{How, Loaded, expand, load, look_at, show_diagnostics};
use crate::cli::io::out::{document, print, remark};
use crate::cli::limits::limited::Limited;
use crate::cli::results::form;
use crate::cli::status::Status;
use crate::diag::{Severity, json};
use crate::escape::{self, visible};
use crate::limits::{Budget, Stop, within};
use crate::report::review::{Form, Remark};
use crate::words::count;
use anyhow::Result;
use clap::Args;
use std::path::{Path, PathBuf};

pub const CHECK_EXIT_CODES: &str = "\
`rcheck-smt explain CODE` says more about an error, a warning or a note.

Exit codes:
  0  no file has errors
  2  some file has errors or cannot be read, or has warnings (`--deny-warnings`)
  3  internal error: please report it
  4  given up at the limit of `--timeout` or `--memory`
  130  stopped by Ctrl-C";

#[derive(Debug, Args)]
pub struct Check {
    /// The models, folders with models (`*.rcp`, `*.ispl`, clauses; at any depth), or `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// How to print errors, warnings and notes.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Treat warnings as errors.
    #[arg(long)]
    pub deny_warnings: bool,
    /// Print errors and warnings only.
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub limited: Limited,
}

/// Reports the findings of all files.
pub fn run(command: &Check) -> Result<Status> {
    command.limited.run("not all was checked", || check(command))
}

fn check(command: &Check) -> Result<Status> {
    let how = command.reading.how()?;
    let mut status = Status::Clear;
    let (mut records, mut remarks) = (Vec::new(), Vec::new());
    let (mut judged, mut warnings) = (Vec::new(), 0);
    let unlimited = (Budget::new(None), Stop::new());
    for path in expand(&command.files, FileKinds::Verifiable) {
        // An entry of a folder that cannot even be listed has no name of its own.
        let name = path.as_ref().map_or_else(|_| ".".to_owned(), |path| path.display().to_string());
        // One file that is given up takes no findings of others along.
        let looked = within(unlimited.0, &unlimited.1, || path.and_then(|path| look(&path, &how)));
        let of_file = match looked {
            Err(reason) => {
                let why = format!("not checked: {reason}");
                remark(format_args!("error: {}: {why}", visible(&name)));
                remarks.push(Remark::of_file(&name, &why));
                Status::Unknown
            }
            Ok(Ok((mut loaded, content))) => {
                match command.format {
                    Format::Human => show(&mut loaded, &content, command.quiet),
                    Format::Json => records.extend(json::to_json(&loaded.source, &loaded.diagnostics)),
                    Format::Github | Format::Sarif => remarks.extend(review(&mut loaded, command.quiet)),
                }
                warnings += number_of_warnings(&loaded);
                judge(&loaded, command.deny_warnings)
            }
            Ok(Err(error)) => {
                remark(format_args!("error: {error:#}"));
                remarks.push(Remark::of_file(&name, &format!("{error:#}")));
                Status::BadInput
            }
        };
        judged.push(of_file);
        status = status.worst(of_file);
    }
    match command.format {
        Format::Human if command.quiet || judged.len() < 2 => {}
        Format::Human => print(summary(&judged, warnings)),
        Format::Json => {
            let text = serde_json::to_string_pretty(&records)? + "\n";
            document(escape::json(&text).as_bytes());
        }
        Format::Github => document(&form::remarks(Form::Github, &remarks)),
        Format::Sarif => document(&form::remarks(Form::Sarif, &remarks)),
    }
    Ok(status)
}

/// Reads a file of any kind; says what is in it.
fn look(path: &Path, how: &How) -> Result<(Loaded, String)> {
    if let Some(format) = horn::format(path) {
        return horn::look(path, format, how);
    }
    let loaded = load(path, how).map(look_at)?;
    let content = loaded
        .model
        .as_ref()
        .map(|model| format!("{}, {}", count(model.instances.len(), "instance"), count(model.specs.len(), "spec")));
    Ok((loaded, content.unwrap_or_default()))
}

/// The findings, quietly without notes.
fn review(loaded: &mut Loaded, quiet: bool) -> Vec<Remark> {
    if quiet {
        loaded.diagnostics.drop_notes();
    }
    Remark::of_findings(&loaded.source, &loaded.diagnostics)
}

/// Shows what was found, or says that all is well.
fn show(loaded: &mut Loaded, content: &str, quiet: bool) {
    if quiet {
        loaded.diagnostics.drop_notes();
    }
    show_diagnostics(loaded);
    if !quiet && !loaded.diagnostics.has_errors() {
        let name = visible(loaded.source.name());
        let warnings = match number_of_warnings(loaded) {
            0 => "no warnings".to_owned(),
            number => count(number, "warning"),
        };
        print(format!("{name}: no errors, {warnings} ({content})\n"));
    }
}

fn number_of_warnings(loaded: &Loaded) -> usize {
    loaded.diagnostics.iter().filter(|finding| finding.severity() == Severity::Warning).count()
}

fn summary(judged: &[Status], warnings: usize) -> String {
    let bad = judged.iter().filter(|status| **status != Status::Clear).count();
    let files = count(judged.len(), "file");
    match (bad, warnings) {
        (0, 0) => format!("{files}: all is well\n"),
        (0, warnings) => format!("{files}: no errors, {}\n", count(warnings, "warning")),
        (bad, _) => format!("{files}: {bad} to be corrected\n"),
    }
}

fn judge(loaded: &Loaded, deny_warnings: bool) -> Status {
    let fails = |severity: Severity| severity == Severity::Error || severity == Severity::Warning && deny_warnings;
    if loaded.diagnostics.iter().any(|finding| fails(finding.severity())) { Status::BadInput } else { Status::Clear }
}
