//! The tasks of a batch: the units of files, or those that are named.

use super::earlier::Earlier;
use super::protocol::{ListRequest, Listing};
use super::{Batch, BatchTask};
use crate::cli::arguments::Format;
use crate::cli::io::find::UsableFiles;
use crate::cli::io::input::keep;
use crate::cli::io::out::{document, print, remark};
use crate::cli::results::exports;
use crate::cli::status::Status;
use crate::escape::{self, visible};
use crate::model::Constants;
use crate::report::record::{Cause, Check, Finding, Mode, Named, Record, Unit, Verdict};
use crate::words::count;
use anyhow::{Result, bail};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Reads the names of units; all that are none are one error.
pub fn parse_units(units: &[String]) -> Result<Vec<(String, Named)>> {
    let is_wrong = |id: &&String| Named::parse(id).is_none();
    let wrong: Vec<String> = units.iter().filter(is_wrong).map(|id| format!("`{}`", visible(id))).collect();
    if !wrong.is_empty() {
        let are = if wrong.len() == 1 { "is" } else { "are" };
        bail!("{} {are} no unit; `rcheck-smt batch --units` prints them", wrong.join(", "));
    }
    Ok(units.iter().filter_map(|id| Some((id.clone(), Named::parse(id)?))).collect())
}

/// The tasks in a file, and the result for the file itself where that is something else.
struct FileTasks {
    tasks: Vec<BatchTask>,
    file: Option<Record>,
}

impl Batch<'_> {
    /// Everything there is to do in the files, once for each choice of constants, in the order of results.
    pub fn list(&self, files: UsableFiles, given: &[Constants], pool: &ThreadPool) -> Vec<BatchTask> {
        let each = |(path, usable): (String, Result<(), String>)| {
            given.iter().map(move |given| (path.clone(), given, usable.clone()))
        };
        let files: Vec<_> = files.into_iter().flat_map(each).collect();
        let listed: Vec<Vec<BatchTask>> = pool.install(|| {
            let list = |(path, given, usable)| self.list_file(path, given, &self.checks, usable).tasks;
            files.into_par_iter().map(list).collect()
        });
        listed.into_iter().flatten().collect()
    }

    fn list_file(
        &self,
        path: String,
        constants: &Constants,
        checks: &[Check],
        usable: Result<(), String>,
    ) -> FileTasks {
        let known = |record: Record| FileTasks { tasks: vec![BatchTask::Known(Box::new(record))], file: None };
        if let Err(why) = usable {
            let record = Record::new(Unit::file(&path, None).given(constants), self.settings.clone());
            return known(record.failed(Cause::Input, why));
        }
        let (settings, constants) = (self.settings.clone(), constants.clone());
        let request = ListRequest { path: path.into(), text: None, constants, settings, checks: checks.to_vec() };
        match self.place().list(request) {
            Ok(listing) => match *listing {
                Listing { file, .. } if self.running.deny_warnings && has_only_warnings(&file) => known(denied(file)),
                Listing { file, .. } if self.settings.mode == Mode::Check || file.verdict != Verdict::WellFormed => {
                    known(file)
                }
                Listing { file, specs } if specs.is_empty() => known(file),
                Listing { file, specs } => {
                    self.mention_findings(&file);
                    FileTasks { tasks: specs.into_iter().map(BatchTask::Open).collect(), file: Some(file) }
                }
            },
            Err(record) => known(*record),
        }
    }

    /// Results of specs have no room for what is odd about their file.
    fn mention_findings(&self, file: &Record) {
        let number = file.findings.iter().filter(|finding| is_warning(finding)).count();
        if number > 0 && !self.running.quiet {
            let place = file.unit.place();
            remark(format_args!("{}: {}; `check` shows what", visible(&place), count(number, "warning")));
        }
    }

    /// The units with these names, each once, and whether there are all of them.
    pub fn find(&self, units: Vec<(String, Named)>, pool: &ThreadPool) -> (Vec<BatchTask>, Status) {
        let mut wanted: BTreeMap<Named, BTreeSet<String>> = BTreeMap::new();
        for (id, named) in units {
            keep(Path::new(&named.model));
            wanted.entry(named).or_default().insert(id);
        }
        let found: Vec<(Vec<BatchTask>, Status)> =
            pool.install(|| wanted.into_par_iter().map(|(named, ids)| self.find_in(&named, ids)).collect());
        let status = found.iter().fold(Status::Clear, |worst, (_, status)| worst.worst(*status));
        (found.into_iter().flat_map(|(tasks, _)| tasks).collect(), status)
    }

    fn find_in(&self, named: &Named, mut ids: BTreeSet<String>) -> (Vec<BatchTask>, Status) {
        let checks: Vec<Check> = named.check.into_iter().collect();
        let FileTasks { mut tasks, file } = self.list_file(named.model.clone(), &named.constants, &checks, Ok(()));
        // If there was nothing to check, the file itself was listed.
        tasks.extend(file.map(|file| BatchTask::Known(Box::new(file))));
        tasks.retain(|task| ids.remove(&task.unit().id()));
        for id in &ids {
            remark(format_args!(
                "error: `{}` is nowhere: its file is missing, or has changed since the units were listed",
                visible(id)
            ));
        }
        (tasks, if ids.is_empty() { Status::Clear } else { Status::BadInput })
    }
}

/// Prints the names of what is not answered yet; those that took longest in earlier results after those that have none.
pub fn print_units(
    tasks: &[BatchTask],
    format: Format,
    slowest_first: Option<&Path>,
    earlier: &Earlier,
) -> Result<Status> {
    let open = tasks.iter().filter(|task| matches!(task, BatchTask::Open(_)) || !earlier.is_resumed());
    let mut units: Vec<&Unit> = open.map(BatchTask::unit).collect();
    if let Some(path) = slowest_first {
        let records = exports::read(path)?.records.into_iter();
        // By what they are called: a file may have changed since then.
        let place = |unit: &Unit| (unit.place(), unit.label());
        let took: BTreeMap<_, f64> = records.map(|record| (place(&record.unit), record.seconds.wall)).collect();
        let took = |unit: &Unit| took.get(&place(unit)).map(|seconds| (seconds * 1e4) as u64);
        units.sort_by_cached_key(|unit| Reverse(took(unit).unwrap_or(u64::MAX)));
    }
    match format {
        Format::Human => print(units.iter().map(|unit| unit.id() + "\n").collect::<String>()),
        Format::Json => {
            for unit in units {
                let mut line = serde_json::to_value(unit)?;
                line["id"] = Value::from(unit.id());
                document(escape::json(&format!("{line}\n")).as_bytes());
            }
        }
        Format::Github | Format::Sarif => bail!("--units prints names, or what they stand for with `--format json`"),
    }
    Ok(Status::Clear)
}

fn is_warning(finding: &Finding) -> bool {
    finding.severity == "warning"
}

fn has_only_warnings(file: &Record) -> bool {
    file.verdict == Verdict::WellFormed && file.findings.iter().any(is_warning)
}

/// A file whose warnings count as errors.
fn denied(file: Record) -> Record {
    let first = file.findings.iter().find(|finding| is_warning(finding));
    let first = first.map(|first| format!("line {}: {} [{}]", first.line, first.message, first.code));
    let more = match file.findings.iter().filter(|finding| is_warning(finding)).count() {
        0 | 1 => String::new(),
        number => format!(" and {} more", count(number - 1, "warning")),
    };
    let why = format!("{}{more}; --deny-warnings treats warnings as errors", first.unwrap_or_default());
    file.failed(Cause::Input, why)
}
