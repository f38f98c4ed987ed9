//! Files of results: one record per line.

use super::record::{Cause, Check, Mode, Record, SCHEMA, Seconds, Settings, Unit, Verdict, Versions};
use crate::escape;
use crate::model::Constants;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The content of a file of results.
#[derive(Debug, Default)]
pub struct Results {
    /// The records, in the order of the file.
    pub records: Vec<Record>,
    /// Lines that are no records: their numbers from 1, and what is wrong with them.
    pub broken: Vec<(usize, String)>,
    /// True if the last line was cut off, by a run that was killed while it wrote. It is no record.
    pub cut: bool,
    /// True if some lines are of a later version of the schema: they are broken for this tool only.
    pub newer: bool,
}

/// Reads what can be read.
pub fn read(bytes: &[u8]) -> Results {
    let mut results = Results::default();
    let mut lines = bytes.split(|&byte| byte == b'\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let is_last = lines.peek().is_none();
        if line.trim_ascii().is_empty() {
            continue;
        }
        match record(line) {
            Ok(record) => results.records.push(record),
            Err(NoRecord::Newer(version)) => {
                let words = format!("it has version {version} of the schema, and this tool knows {SCHEMA}");
                results.broken.push((index + 1, words));
                results.newer = true;
            }
            Err(NoRecord::Senseless(field, number)) => {
                results.broken.push((index + 1, format!("it is no result: {field} cannot be {number:e}")));
            }
            Err(NoRecord::Malformed(_)) if is_last => results.cut = true,
            Err(NoRecord::Malformed(error)) => {
                // A record is a line: where in the file the error is, its number says.
                let why = error.to_string();
                let why = why.split(" at line 1 ").next().unwrap_or(&why);
                results.broken.push((index + 1, format!("it is no result: {why}")));
            }
        }
    }
    results
}

/// Why a line is no record.
enum NoRecord {
    Newer(u32),
    Senseless(&'static str, f64),
    Malformed(serde_json::Error),
}

fn record(line: &[u8]) -> Result<Record, NoRecord> {
    #[derive(Deserialize)]
    struct Versioned {
        schema: u32,
    }
    let Versioned { schema } = serde_json::from_slice(line).map_err(NoRecord::Malformed)?;
    if schema > SCHEMA {
        return Err(NoRecord::Newer(schema));
    }
    let record = serde_json::from_slice(line).map_err(NoRecord::Malformed)?;
    let senseless = senseless(&record);
    senseless.map_or(Ok(record), |(field, number)| Err(NoRecord::Senseless(field, number)))
}

/// A number in a record that no run can have measured: a time or an amount of memory below zero, or beyond all measure.
fn senseless(record: &Record) -> Option<(&'static str, f64)> {
    const MOST: f64 = 1e12;
    let Seconds { wall, cpu, encoding, solving } = record.seconds;
    let numbers = [
        ("seconds.wall", Some(wall)),
        ("seconds.cpu", cpu),
        ("seconds.encoding", Some(encoding)),
        ("seconds.solving", Some(solving)),
        ("peak_memory", record.peak_memory),
        ("timeout", record.settings.timeout),
    ];
    let numbers = numbers.into_iter().filter_map(|(field, number)| Some((field, number?)));
    numbers.into_iter().find(|(_, number)| !(0.0..=MOST).contains(number))
}

/// Writes a line.
pub fn write(out: &mut dyn Write, record: &Record) -> io::Result<()> {
    let line = serde_json::to_string(record)? + "\n";
    out.write_all(escape::json(&line).as_bytes())
}

/// The question that a record is about, in the order of summaries: files as a whole, specs, checks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    model: String,
    constants: Constants,
    check: Option<(Check, Option<usize>, Option<String>)>,
    spec: Option<usize>,
    mode: Mode,
}

/// Records by their questions. Of several answers to one question the last one counts.
pub fn index(records: impl IntoIterator<Item = Record>) -> BTreeMap<Key, Record> {
    records.into_iter().map(|record| (key(&record.unit, &record.settings), record)).collect()
}

/// The question that a unit and its settings make.
pub fn key(unit: &Unit, settings: &Settings) -> Key {
    let check = unit.check.map(|check| (check, unit.line, unit.name.clone()));
    Key { model: unit.model.clone(), constants: unit.constants.clone(), check, spec: unit.spec, mode: settings.mode }
}

/// True if a question that is asked again is answered already: for the same input and versions, and, where the answer was not
/// known, with the same limits.
pub fn answers(record: &Record, unit: &Unit, settings: &Settings) -> bool {
    let same_question = record.unit == *unit
        && (record.settings.mode, record.settings.bound) == (settings.mode, settings.bound)
        && record.settings.engines == settings.engines
        && record.settings.dialect == settings.dialect
        && record.versions == Versions::present();
    let settled = match record.verdict {
        Verdict::Holds | Verdict::Impossible | Verdict::Dead => true,
        Verdict::Violated | Verdict::Possible | Verdict::Taken => true,
        Verdict::Clear => true,
        Verdict::Unknown => {
            record.settings == *settings && !matches!(record.cause, Some(Cause::Interrupted | Cause::Killed))
        }
        Verdict::WellFormed | Verdict::Error | Verdict::InternalError => false,
    };
    same_question && settled
}

/// Pairs of records of which one has a proof, and the other a run that shows the contrary, of the same question about
/// the same model.
pub fn contradictions(records: &[Record]) -> Vec<(&Record, &Record)> {
    // Copies of a model are the same model.
    let subject = |Record { unit, .. }: &Record| {
        let check = unit.check.map(|check| (check, unit.line, unit.name.clone()));
        (unit.sha256.clone(), unit.constants.clone(), unit.spec, check)
    };
    let proved = records.iter().filter(|record| record.verdict.is_proved());
    let proved: FxHashMap<_, _> = proved.map(|record| (subject(record), record)).collect();
    let shown = records.iter().filter(|record| record.verdict.is_shown());
    shown.filter_map(|other| Some((*proved.get(&subject(other))?, other))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings { bound: Some(5), timeout: Some(1.0), ..Settings::of(Mode::Bmc) }
    }

    fn record(spec: usize, verdict: Verdict) -> Record {
        let unit = Unit { spec: Some(spec), ..Unit::file("m.rcp", Some("00".to_owned())) };
        Record { verdict, ..Record::new(unit, settings()) }
    }

    fn lines(records: &[Record]) -> Vec<u8> {
        let mut bytes = Vec::new();
        records.iter().for_each(|record| write(&mut bytes, record).expect("memory"));
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        let records = [record(1, Verdict::Clear), record(2, Verdict::Unknown)];
        let bytes = lines(&records);
        let all = read(&bytes);
        assert_eq!((all.records.as_slice(), all.broken.len(), all.cut), (&records[..], 0, false));
        for cut in bytes.len() - 20..bytes.len() - 1 {
            let some = read(&bytes[..cut]);
            assert_eq!((some.records.as_slice(), some.broken.len(), some.cut), (&records[..1], 0, true));
        }
        // Only the end of the line is missing.
        assert_eq!(read(&bytes[..bytes.len() - 1]).records, records);
    }

    #[test]
    fn broken_lines_cost_themselves() {
        let newer = String::from_utf8(lines(&[record(3, Verdict::Clear)])).expect("JSON is UTF-8");
        let newer = newer.replace("\"schema\":2", "\"schema\":99");
        let mut bytes = b"\xff\n\n{\"schema\": 1}\n".to_vec();
        bytes.extend(newer.as_bytes());
        bytes.extend(lines(&[record(1, Verdict::Clear)]));
        let read = read(&bytes);
        assert_eq!(read.records, [record(1, Verdict::Clear)]);
        assert_eq!(read.broken.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 3, 4]);
        assert!(read.newer && read.broken[2].1.contains("version 99"), "{:?}", read.broken);
    }

    #[test]
    fn answers_to_the_same_question_count() {
        let clear = record(1, Verdict::Clear);
        let (unit, same) = (clear.unit.clone(), settings());
        assert!(answers(&clear, &unit, &same));
        assert!(answers(&clear, &unit, &Settings { timeout: None, ..same.clone() }));
        assert!(!answers(&clear, &unit, &Settings { bound: Some(6), ..same.clone() }));
        assert!(!answers(&clear, &Unit { sha256: Some("01".to_owned()), ..unit.clone() }, &same));
        let mut older = clear.clone();
        older.versions.tool = "0.0.1".to_owned();
        assert!(!answers(&older, &unit, &same));
        let mut unknown = record(1, Verdict::Unknown);
        unknown.cause = Some(Cause::Timeout);
        assert!(answers(&unknown, &unit, &same));
        assert!(!answers(&unknown, &unit, &Settings { timeout: Some(2.0), ..same.clone() }));
        unknown.cause = Some(Cause::Interrupted);
        assert!(!answers(&unknown, &unit, &same));
        assert!(!answers(&record(1, Verdict::InternalError), &unit, &same));
    }

    #[test]
    fn the_last_answer_counts_and_contradictions_are_found() {
        let mut proved = record(1, Verdict::Holds);
        proved.settings.mode = Mode::Prove;
        let all = [record(2, Verdict::Clear), record(1, Verdict::Violated), record(2, Verdict::Unknown), proved];
        let verdicts: Vec<Verdict> = index(all.clone()).values().map(|record| record.verdict).collect();
        assert_eq!(verdicts, [Verdict::Violated, Verdict::Holds, Verdict::Unknown]);
        assert_eq!(contradictions(&all).len(), 1);
        assert_eq!(contradictions(&all[..3]).len(), 0);
    }

    #[test]
    fn checks_are_questions_of_their_own() {
        let check = |line, verdict| {
            let (check, name) = (Some(Check::DeadCode), Some("command A-up".to_owned()));
            let unit = Unit { check, name, line: Some(line), ..Unit::file("m.rcp", Some("00".to_owned())) };
            Record { verdict, ..Record::new(unit, settings()) }
        };
        let all = [check(3, Verdict::Dead), check(4, Verdict::Taken), record(1, Verdict::Violated)];
        assert_eq!(contradictions(&all).len(), 0);
        let order = [Some(1), None, None];
        assert_eq!(index(all.clone()).values().map(|record| record.unit.spec).collect::<Vec<_>>(), order);
        let all = [all, [check(3, Verdict::Taken), check(4, Verdict::Unknown), record(2, Verdict::Clear)]].concat();
        assert_eq!((contradictions(&all).len(), index(all).len()), (1, 4));
    }

    /// Results of the first version have no checks.
    #[test]
    fn older_versions_are_read() {
        let text = String::from_utf8(lines(&[record(1, Verdict::Clear)])).expect("JSON is UTF-8");
        let text =
            text.replace("\"schema\":2", "\"schema\":1").replace("\"check\":null,", "").replace("\"vacuous\":[],", "");
        assert_eq!(read(text.as_bytes()).records, [Record { schema: 1, ..record(1, Verdict::Clear) }]);
    }
}
