//! `rcheck-smt report`

use crate::cli::io::input::is_standard_input;
use crate::cli::io::out::{remark, shown};
use crate::cli::results::exports;
use crate::cli::results::exports::Exports;
use crate::cli::status::Status;
use crate::report::record::Record;
use crate::report::results;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Report {
    /// Files with results of `batch`. If several results are for the same model, spec and mode, the last one counts.
    #[arg(required = true, value_name = "RESULTS")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub exports: Exports,
}

/// Merges results, and shows and exports them.
pub fn run(command: &Report) -> Result<Status> {
    command.exports.check()?;
    if command.files.iter().any(|path| is_standard_input(path)) {
        bail!("`report` reads files of results that `batch --output FILE` writes, not standard input");
    }
    let mut status = Status::Clear;
    let mut all: Vec<Record> = Vec::new();
    for path in &command.files {
        match exports::read(path) {
            Ok(results) => {
                if results.records.is_empty() && results.broken.is_empty() {
                    remark(format_args!("error: {} has no results", shown(path)));
                }
                if !results.broken.is_empty() || results.records.is_empty() {
                    status = Status::BadInput;
                }
                all.extend(results.records);
            }
            Err(error) => {
                remark(format_args!("error: {error:#}"));
                status = Status::BadInput;
            }
        }
    }
    for (proved, violated) in results::contradictions(&all) {
        let (model, label) = (&proved.unit.model, proved.unit.label());
        let (one, other) = (&proved.versions.tool, &violated.versions.tool);
        remark(format_args!(
            "internal error: {model} {label} is proved by version {one} and violated by version {other}; please \
             report it with the model"
        ));
        status = Status::Internal;
    }
    let records: Vec<Record> = results::index(all).into_values().collect();
    Ok(exports::write(&records, &command.exports)?.worst(status))
}
