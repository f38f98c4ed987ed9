//! `certify` for Horn clauses and VMT-LIB.

use super::{found, show};
use crate::certificate_file::horn::{Checked, ClausesDocument, NotProved};
use crate::check::horn::Refused;
use crate::cli::certify::{Certify, Count, collect};
use crate::cli::io::input::{read, sha256};
use crate::cli::io::out::{print, remark, shown};
use crate::cli::limits::watchdog::limited;
use crate::cli::status::Status;
use crate::escape::visible;
use crate::horn::Format;
use crate::limits::{Budget, Stop};
use crate::report::horn::QUESTION;
use crate::smt::Scripts;
use anyhow::Result;

/// Checks certificates of a file.
pub fn run(command: &Certify, format: Format) -> Result<Status> {
    super::refuse_reading(&command.model, command.reading.is_given())?;
    let source = read(&command.model)?;
    let clauses = match format.read(source.text()) {
        Ok(clauses) => clauses,
        Err(faults) => {
            show(&source, &found(faults));
            return Ok(Status::BadInput);
        }
    };
    let hash = sha256(&source);
    let (mut status, mut count, mut all) = (Status::Clear, Count::default(), 0);
    let found = command.certificates.iter().flat_map(|path| collect(path, ClausesDocument::read));
    for (number, found) in found.enumerate() {
        let (path, document) = match found {
            Ok(found) => found,
            Err(error) => {
                remark(format_args!("error: {error:#}"));
                status = status.worst(Status::BadInput);
                continue;
            }
        };
        all += 1;
        let check = || {
            let stop = Stop::new();
            document.check(&clauses, &hash, &Scripts { budget: Budget::new(command.timeout), stop: &stop })
        };
        let (shown, words) = (shown(&path), QUESTION);
        let (worth, text) = match limited(number, command.timeout, check) {
            Ok(Ok(Checked::Holds(_))) => (Status::Clear, format!("{shown}: valid: {words}: holds")),
            Ok(Ok(Checked::Violated(_))) => (Status::Clear, format!("{shown}: valid: {words}: violated")),
            Ok(Err(NotProved::Refused(Refused::Undecided(_, reason)))) | Err(reason) => {
                (Status::Unknown, format!("{shown}: unknown: {reason}"))
            }
            Ok(Err(why)) => (Status::Violated, format!("{shown}: refused: {why}")),
        };
        count.add(worth);
        print(visible(&text).into_owned() + "\n");
        status = status.worst(worth);
    }
    if all > 1 {
        count.summary();
    }
    Ok(status)
}
