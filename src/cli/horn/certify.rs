//! `certify` for Horn clauses and VMT-LIB.

use super::{found, show};
use crate::certificate_file::horn::{Checked, ClausesDocument, NotProved};
use crate::check::horn::Refused;
use crate::cli::certify::{Certify, Count, READING, answer, collect, give_up_on_break};
use crate::cli::io::input::{read, sha256};
use crate::cli::io::out::{print, remark, shown};
use crate::cli::limits::watchdog::{self, limited};
use crate::cli::status::Status;
use crate::escape::visible;
use crate::horn::Format;
use crate::limits::{Budget, Stop};
use crate::report::horn::QUESTION;
use crate::smt::{self, Scripts};
use anyhow::Result;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Checks certificates of a file.
pub fn run(command: &Certify, format: Format) -> Result<Status> {
    super::refuse_reading(&command.model, command.reading.is_given())?;
    command.memory.into_iter().for_each(smt::limit_memory);
    watchdog::limit_memory(command.memory);
    watchdog::on_break_say("the certificates could not be checked");
    let source = read(&command.model)?;
    let clauses = match limited(READING, command.timeout, || format.read(source.text())) {
        Ok(Ok(clauses)) => clauses,
        Ok(Err(faults)) => {
            show(&source, &found(faults));
            return Ok(Status::BadInput);
        }
        Err(reason) => {
            remark(format_args!("error: the file could not be read: {reason}"));
            return Ok(Status::Unknown);
        }
    };
    let hash = sha256(&source);
    let (mut status, mut count) = (Status::Clear, Count::default());
    let mut documents = Vec::new();
    for found in command.certificates.iter().flat_map(|path| collect(path, ClausesDocument::read)) {
        match found {
            Ok(found) => documents.push(found),
            Err(error) => {
                remark(format_args!("error: {error:#}"));
                status = status.worst(Status::BadInput);
            }
        }
    }
    let open = Arc::new(Mutex::new(documents.iter().map(|(path, _)| path.clone()).collect::<Vec<PathBuf>>()));
    give_up_on_break(open.clone(), status);
    for (number, (path, document)) in documents.iter().enumerate() {
        let check = || {
            let stop = Stop::new();
            document.check(&clauses, &hash, &Scripts { budget: Budget::new(command.timeout), stop: &stop })
        };
        let (shown, words) = (shown(path), QUESTION);
        let answer = answer(number, command.timeout, check);
        open.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != path);
        let Some(result) = answer else {
            status = status.worst(count.panicked(path));
            continue;
        };
        let (worth, text) = match result {
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
    if documents.len() > 1 {
        count.summary();
    }
    Ok(status)
}
