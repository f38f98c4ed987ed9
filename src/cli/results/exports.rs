//! Results in and out: what `batch` and `report` have in common.

use crate::cli::arguments::Format;
use crate::cli::io::input::{LARGEST_FILE, bytes, keep};
use crate::cli::io::kind::Kind;
use crate::cli::io::out::{document, print, remark, shown};
use crate::cli::io::replace;
use crate::cli::results::form;
use crate::cli::results::picture::Gallery;
use crate::cli::status::Status;
use crate::report::record::{Agreement, Cause, Record, Tone, Verdict};
use crate::report::results::{self, Results};
use crate::report::{csv, html, junit, summary};
use crate::words::count;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};

/// Forms of results for other tools.
#[derive(Debug, Args)]
pub struct Exports {
    /// How to print the results: a summary, a line of JSON for each, or a review with the verdicts to
    /// look at.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the results as a table of comma-separated values.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a self-contained HTML page with the results, the counterexamples and plots of the times for
    /// the values of a constant.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

impl Status {
    /// The meaning of a result for the exit code. An expectation takes the place of the usual meaning of the verdict.
    pub fn of(record: &Record) -> Status {
        match record.agreement {
            Some(Agreement::Met) => Status::Clear,
            Some(Agreement::Mismatch) => Status::Violated,
            Some(Agreement::Open) => Status::Unknown,
            None => Status::of_verdict(record.verdict),
        }
    }

    /// The meaning of a result for the exit code of a job that shall answer, whatever the answer is: it tells if
    /// another try is worthwhile.
    pub fn of_answer(record: &Record) -> Status {
        match (record.verdict.tone(), record.cause) {
            (Tone::Broken, _) if record.verdict != Verdict::Error => Status::of_verdict(record.verdict),
            (Tone::Open, Some(Cause::Killed)) => Status::Unknown,
            _ => Status::Clear,
        }
    }

    /// The meaning of a verdict for the exit code if nothing was expected.
    pub fn of_verdict(verdict: Verdict) -> Status {
        match verdict.tone() {
            Tone::Good => Status::Clear,
            Tone::Bad => Status::Violated,
            Tone::Open => Status::Unknown,
            Tone::Broken if verdict == Verdict::Error => Status::BadInput,
            Tone::Broken => Status::Internal,
        }
    }
}

/// Reads a file of results, and says what in it is none.
pub fn read(path: &Path) -> Result<Results> {
    let results = results::read(&bytes(path, LARGEST_FILE)?);
    keep(path);
    if results.records.is_empty() && !results.broken.is_empty() && !results.newer {
        bail!("{} is no file of results: no line of it is one", shown(path));
    }
    warn(path, &results);
    Ok(results)
}

/// Says what in a file of results is none.
pub fn warn(path: &Path, results: &Results) {
    const MOST: usize = 5;
    let shown = shown(path);
    for (line, why) in results.broken.iter().take(MOST) {
        remark(format_args!("warning: {shown}, line {line}: {why}"));
    }
    if results.broken.len() > MOST {
        let more = count(results.broken.len() - MOST, "more line");
        remark(format_args!("warning: {shown}: {more} like that"));
    }
    if results.cut {
        remark(format_args!("warning: {shown}: the last line is cut off, and does not count"));
    }
}

impl Exports {
    /// Fails if a file is named for two things, or is none that may be replaced: better before the work than after it.
    pub fn check(&self) -> Result<()> {
        replace::refuse_repetition(self.paths())?;
        self.files().try_for_each(|(path, kind)| replace::refuse_other(path, kind))
    }

    /// The files to write.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files().map(|(path, _)| path)
    }

    fn files(&self) -> impl Iterator<Item = (&Path, Kind)> {
        let files = [(&self.junit, Kind::Junit), (&self.csv, Kind::Table), (&self.html, Kind::Page)];
        files.into_iter().filter_map(|(path, kind)| path.as_deref().map(|path| (path, kind)))
    }
}

/// Prints the results, and writes the files that the user wants.
pub fn write(records: &[Record], exports: &Exports) -> Result<Status> {
    if exports.format == Format::Human {
        let mut text = Vec::new();
        summary::write(&mut text, records).expect("writing to memory works");
        print(&text);
    } else {
        document(&form::records(exports.format, records));
    }
    write_file(exports.junit.as_deref(), Kind::Junit, |out| junit::write(out, records))?;
    write_file(exports.csv.as_deref(), Kind::Table, |out| csv::write(out, records))?;
    let mut gallery = Gallery::default();
    let page = exports.html.as_deref().unwrap_or(Path::new(""));
    write_file(exports.html.as_deref(), Kind::Page, |out| {
        html::write(out, records, page, &mut |record| gallery.picture(record))
    })?;
    Ok(records.iter().map(Status::of).fold(Status::Clear, Status::worst))
}

fn write_file(path: Option<&Path>, kind: Kind, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let mut content = Vec::new();
    write(&mut content).with_context(|| format!("cannot write {}", shown(path)))?;
    replace::write(path, kind, content)
}
