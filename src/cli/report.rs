//! `rcheck-smt report`

use super::arguments::Report;
use super::out::remark;
use super::{Status, exports};
use crate::report::record::Record;
use crate::report::results;
use anyhow::Result;

/// Merges results, and shows and exports them.
pub fn run(command: &Report) -> Result<Status> {
    command.exports.check()?;
    let mut status = Status::Clear;
    let mut all: Vec<Record> = Vec::new();
    for path in &command.files {
        match exports::read(path) {
            Ok(results) => {
                if !results.broken.is_empty() {
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
