//! Results in and out: what `batch` and `report` have in common.

use super::arguments::Exports;
use super::picture::Gallery;
use super::{Status, print};
use crate::report::human::count;
use crate::report::record::{Agreement, Record, Tone, Verdict};
use crate::report::results::{self, Results};
use crate::report::{csv, html, junit, summary};
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

impl Status {
    /// What a result means for the exit code. An expectation takes the place of the usual meaning of the verdict.
    pub fn of(record: &Record) -> Status {
        match (record.agreement, record.verdict.tone()) {
            (Some(Agreement::Met), _) => Status::Clear,
            (Some(Agreement::Mismatch), _) => Status::Mismatch,
            (Some(Agreement::Open), _) => Status::Unknown,
            (None, Tone::Good) => Status::Clear,
            (None, Tone::Bad) => Status::Violated,
            (None, Tone::Open) => Status::Unknown,
            (None, Tone::Broken) if record.verdict == Verdict::Error => Status::BadInput,
            (None, Tone::Broken) => Status::Internal,
        }
    }
}

/// Reads a file of results, and says what in it is none.
pub fn read(path: &Path) -> Result<Results> {
    let shown = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let results = results::read(&bytes);
    warn(path, &results);
    Ok(results)
}

/// Says what in a file of results is none.
pub fn warn(path: &Path, results: &Results) {
    const MOST: usize = 5;
    let shown = path.display();
    for (line, why) in results.broken.iter().take(MOST) {
        anstream::eprintln!("warning: {shown}, line {line}: {why}");
    }
    if results.broken.len() > MOST {
        let more = count(results.broken.len() - MOST, "more line");
        anstream::eprintln!("warning: {shown}: {more} like that");
    }
    if results.cut {
        anstream::eprintln!("warning: {shown}: the last line is cut off, and does not count");
    }
}

/// Prints the summary, and writes the files that the user wants.
pub fn write(records: &[Record], exports: &Exports) -> Result<Status> {
    let mut text = Vec::new();
    summary::write(&mut text, records).expect("writing to memory works");
    print(&text);
    write_file(exports.junit.as_deref(), |out| junit::write(out, records))?;
    write_file(exports.csv.as_deref(), |out| csv::write(out, records))?;
    let mut gallery = Gallery::default();
    write_file(exports.html.as_deref(), |out| html::write(out, records, &mut |record| gallery.picture(record)))?;
    Ok(records.iter().map(Status::of).fold(Status::Clear, Status::worst))
}

fn write_file(path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let all = || {
        let mut file = BufWriter::new(File::create(path)?);
        write(&mut file)?;
        file.flush()
    };
    all().with_context(|| format!("cannot write {}", path.display()))
}
