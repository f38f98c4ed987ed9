//! `certify` for Horn clauses and VMT-LIB.

use crate::certificate_file::horn::{Checked, ClausesDocument, NotProved};
use crate::check::horn::Refused;
use crate::cli::certify::tally::{READING, Tally, one_by_one};
use crate::cli::certify::{Certify, collect};
use crate::cli::io::input::{read, show};
use crate::cli::io::out::{remark, shown};
use crate::cli::limits::watchdog::{self, limited};
use crate::cli::status::Status;
use crate::escape::visible;
use crate::horn::{self, Format};
use crate::limits::{Budget, Stop};
use crate::reading::sha256;
use crate::report::horn::QUESTION;
use crate::smt::Scripts;
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;

/// Checks certificates of a file.
pub fn run(command: &Certify, format: Format) -> Result<Status> {
    super::refuse_reading(&command.model, command.reading.is_given())?;
    watchdog::limit_memory(command.memory);
    watchdog::on_break_say("the certificates could not be checked");
    let source = read(&command.model)?;
    let clauses = match limited(READING, command.timeout, || format.read(source.text())) {
        Ok(Ok(clauses)) => clauses,
        Ok(Err(faults)) => {
            show(&source, &horn::findings(faults));
            return Ok(Status::BadInput);
        }
        Err(reason) => {
            remark(format_args!("error: the file could not be read: {reason}"));
            return Ok(Status::Unknown);
        }
    };
    let hash = sha256(&source);
    let tally = Arc::new(Tally::default());
    let documents = collect(command, &tally, ClausesDocument::read);
    let check = |document: &ClausesDocument| {
        let stop = Stop::new();
        document.check(&clauses, &hash, &Scripts { budget: Budget::new(command.timeout), stop: &stop })
    };
    let text = |path: &Path, result| {
        let (worth, text) = match result {
            Ok(Ok(Checked::Holds(_))) => (Status::Clear, format!("valid: {QUESTION}: holds")),
            Ok(Ok(Checked::Violated(_))) => (Status::Clear, format!("valid: {QUESTION}: violated")),
            Ok(Err(NotProved::Refused(Refused::Undecided(_, reason)))) | Err(reason) => {
                (Status::Unknown, format!("unknown: {reason}"))
            }
            Ok(Err(why)) => (Status::Violated, format!("refused: {why}")),
        };
        (worth, format!("{}: {}\n", shown(path), visible(&text)))
    };
    one_by_one(&tally, (&documents, command.timeout), check, text, || Ok(()))?;
    tally.summary();
    Ok(tally.status())
}
