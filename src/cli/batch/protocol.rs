//! Requests of the batch to its workers, and their replies: one JSON value per line, each way.

use super::evidence::Wanted;
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
    List {
        /// The file.
        path: PathBuf,
        /// Its text, where that is not what is on the disk.
        #[serde(default)]
        text: Option<String>,
        /// The constants that `--const` gives.
        constants: Constants,
        /// How questions will be asked.
        settings: Settings,
        /// The checks to make instead of looking at specs, if any.
        checks: Vec<Check>,
    },
    /// Asks for the answer to a question about a spec or a check.
    Answer(Box<SpecRequest>),
    /// Asks for the findings in a text that take more than reading it.
    Look {
        /// The name of the file.
        path: PathBuf,
        /// Its text.
        text: String,
    },
}

/// A question about a spec or a check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SpecRequest {
    /// The spec.
    pub unit: Unit,
    /// The text of its file, where that is not what is on the disk.
    #[serde(default)]
    pub text: Option<String>,
    /// How to look at it.
    pub settings: Settings,
    /// The checks that are made.
    pub checks: Vec<Check>,
    /// Which files to write.
    pub wanted: Wanted,
}

/// A reply of a worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// To [`Request::List`].
    Listed(Box<Listing>),
    /// How far the search is.
    Progress(Progress),
    /// To [`Request::Answer`].
    Answered(Box<Record>),
    /// To [`Request::Look`].
    Looked(Vec<Diagnostic>),
}

/// A file, read.
#[derive(Debug, Serialize, Deserialize)]
pub struct Listing {
    /// The record of the file as a whole.
    pub file: Record,
    /// Its specs, or the checks that can be made; none if it has errors.
    pub specs: Vec<Unit>,
}
