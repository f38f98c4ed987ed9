//! Requests of the batch to its workers, and their replies: one JSON value per line, each way.

use super::evidence::WantedEvidence;
use crate::diag::Diagnostic;
use crate::model::Constants;
use crate::report::record::{Check, Record, Settings, Unit};
use crate::verify::Progress;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A request to a worker. The caller waits for the answer before the next question.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Asks for the units of a file.
    List(ListRequest),
    /// Asks for the answer to a question about a spec or a check.
    Answer(Box<SpecRequest>),
    /// Asks for the findings in a text that take more than reading it.
    Look { path: PathBuf, text: String },
}

/// A question about the units of a file.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListRequest {
    pub path: PathBuf,
    /// Its text, where that is not what is on the disk.
    pub text: Option<String>,
    /// The constants that `--const` gives.
    pub constants: Constants,
    /// How questions will be asked.
    pub settings: Settings,
    /// The checks to make instead of looking at specs, if any.
    pub checks: Vec<Check>,
}

/// A question about a spec or a check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SpecRequest {
    pub unit: Unit,
    /// The text of its file, where that is not what is on the disk.
    pub text: Option<String>,
    pub settings: Settings,
    pub checks: Vec<Check>,
    pub wanted: WantedEvidence,
}

/// A reply of a worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkerReply {
    Listed(Box<Listing>),
    /// How far the search is.
    Progress(Progress),
    Answered(Box<Record>),
    Looked(Vec<Diagnostic>),
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Listing {
    /// The record of the file as a whole.
    pub file: Record,
    /// Its specs, or the checks that can be made; none if it has errors.
    pub specs: Vec<Unit>,
}
