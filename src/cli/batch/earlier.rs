//! The content of a file of results before the batch replaces it.

use super::BatchTask;
use super::evidence::WantedEvidence;
use crate::cli::io::input::{LARGEST_FILE, bytes};
use crate::cli::io::out::shown;
use crate::cli::io::replace::is_stream;
use crate::cli::results::exports;
use crate::report::record::{Record, Settings, Unit};
use crate::report::results::{self, Key};
use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How every record begins.
const FIRST_FIELD: &[u8] = b"{\"schema\":";

/// Results of earlier runs, by their questions.
#[derive(Debug, Default)]
pub struct Earlier {
    records: BTreeMap<Key, Record>,
    is_resumed: bool,
}

impl Earlier {
    /// Reads the file, if there is one; to go on from it, or only to see that nothing else is overwritten.
    pub fn read(path: Option<&Path>, resume: bool) -> Result<Earlier> {
        let is_file = |path: &&Path| path.exists() && !is_stream(path);
        let Some(path) = path.filter(is_file) else { return Ok(Earlier::default()) };
        let (shown, bytes) = (shown(path), bytes(path, LARGEST_FILE)?);
        let results = results::read(&bytes);
        // A run that was killed at once has left the beginning of a record.
        let start = bytes.trim_ascii_start();
        let is_beginning = start.starts_with(FIRST_FIELD) || FIRST_FIELD.starts_with(start);
        let is_other = !is_beginning || !results.broken.is_empty();
        if results.records.is_empty() && is_other && !results.newer {
            bail!("{shown} is no file of results, and would be overwritten; name another file, or remove it");
        }
        if !resume {
            return Ok(Earlier::default());
        }
        exports::warn(path, &results);
        if results.newer {
            bail!("{shown} has results of a later version of this tool, which would be lost; name another file");
        }
        Ok(Earlier { records: results::index(results.records), is_resumed: true })
    }

    /// True if there is an earlier run to go on from.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// The answer to a question, if it still is one, and what is wanted of it was written.
    pub fn answer(&self, unit: &Unit, settings: &Settings, wanted: &WantedEvidence) -> Option<&Record> {
        let record = self.records.get(&results::key(unit, settings))?;
        (wanted.is_written(record) && results::answers(record, unit, settings)).then_some(record)
    }

    /// The records of the questions that are asked again, about the same input: they count until there are new answers.
    pub fn provisional(&self, asked: &[BatchTask], settings: &Settings) -> Vec<Record> {
        let open = asked.iter().filter(|task| matches!(task, BatchTask::Open(_)));
        let known = open.filter_map(|task| {
            let record = self.records.get(&results::key(task.unit(), settings));
            record.filter(|record| record.unit == *task.unit())
        });
        known.cloned().collect()
    }

    /// The results that are about something else than what is asked: other models, modes and shards. Of the models
    /// whose units are `listed`, those count that are about units as they are now.
    pub fn others(self, listed: &[Unit], asked: &[BatchTask], settings: &Settings) -> Vec<Record> {
        let asked: BTreeSet<Key> = asked.iter().map(|task| results::key(task.unit(), settings)).collect();
        let models: BTreeSet<String> = listed.iter().map(Unit::place).collect();
        let listed: BTreeMap<Key, &Unit> = listed.iter().map(|unit| (results::key(unit, settings), unit)).collect();
        let is_other = |key: &Key, Record { unit, .. }: &Record| {
            let present = listed.get(&results::key(unit, settings)).is_some_and(|known| *known == unit);
            !asked.contains(key) && (present || !models.contains(&unit.place()))
        };
        self.records.into_iter().filter(|(key, record)| is_other(key, record)).map(|(_, record)| record).collect()
    }
}
