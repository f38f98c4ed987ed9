//! `rcheck-smt check`

use super::Status;
use super::arguments::{Check, Format};
use super::input::{Loaded, load_and_look, show_diagnostics};
use super::out::{document, remark};
use crate::diag::{Severity, json};
use crate::escape;
use anyhow::Result;

/// Reports the findings of all files.
pub fn run(command: &Check) -> Result<Status> {
    let mut status = Status::Clear;
    let mut records = Vec::new();
    for path in &command.files {
        match load_and_look(path, command.reading.dialect()) {
            Ok(loaded) => {
                status = status.worst(judge(&loaded, command.deny_warnings));
                match command.format {
                    Format::Human => show_diagnostics(&loaded),
                    Format::Json => records.extend(json::to_json(&loaded.source, &loaded.diagnostics)),
                }
            }
            Err(error) => {
                remark(format_args!("error: {error:#}"));
                status = Status::BadInput;
            }
        }
    }
    if command.format == Format::Json {
        let text = serde_json::to_string_pretty(&records)? + "\n";
        document(escape::json(&text).as_bytes());
    }
    Ok(status)
}

fn judge(loaded: &Loaded, deny_warnings: bool) -> Status {
    let fails = |severity: Severity| severity == Severity::Error || severity == Severity::Warning && deny_warnings;
    if loaded.diagnostics.iter().any(|finding| fails(finding.severity())) { Status::BadInput } else { Status::Clear }
}
