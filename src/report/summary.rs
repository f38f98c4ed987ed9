//! Many results at a glance: a table, what needs attention, and counts.

use super::record::{Agreement, Expect, Record, Tone, Verdict};
use crate::escape::visible;
use crate::words::count;
use anstyle::Style;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};
use std::io::{self, Write};
use std::time::Duration;

/// The first column of the table has at least that many characters.
const NARROWEST: u16 = 20;

const BOLD: Style = Style::new().bold();

/// The answer in a few words, without why.
pub fn words(record: &Record) -> String {
    let verdict = record.verdict.words();
    match (record.verdict, record.depth) {
        (shown, Some(0)) if shown.is_shown() => format!("{verdict} in an initial state"),
        (shown, Some(depth)) if shown.is_shown() => match record.loop_start {
            Some(start) => format!("{verdict} by a loop from {depth} to {start}"),
            None => format!("{verdict} after {}", count(depth, "step")),
        },
        (Verdict::Clear, Some(depth)) => format!("clear up to {depth}"),
        (Verdict::Unknown, Some(depth)) => format!("unknown, clear up to {depth}"),
        _ => verdict.to_owned(),
    }
}

/// The answer in a line, with why.
pub fn line(record: &Record) -> String {
    let words = words(record);
    let because = match (&record.reason, &record.proof) {
        (Some(reason), _) => format!(" ({})", reason.lines().next().unwrap_or_default()),
        (None, Some(proof)) => format!(" ({proof})"),
        (None, None) => String::new(),
    };
    let vacuous = record.vacuity().next().map(|why| format!("; vacuously: {why}"));
    let expected = expectation(record).map(|expected| format!("; {expected}"));
    format!("{words}{because}{}{}", vacuous.unwrap_or_default(), expected.unwrap_or_default())
}

/// How the answer compares to what was expected, in words.
pub fn expectation(record: &Record) -> Option<String> {
    let expected = match record.unit.expect? {
        Expect::Holds => "holds",
        Expect::Violated => "violated",
        Expect::Unknown => "unknown",
    };
    Some(match record.agreement? {
        Agreement::Met => "as expected".to_owned(),
        Agreement::Mismatch => format!("MISMATCH: expected {expected}"),
        Agreement::Open => format!("open: expected {expected}"),
    })
}

/// Whether somebody should look at it.
pub fn needs_attention(record: &Record) -> bool {
    match record.agreement {
        Some(Agreement::Met) => false,
        Some(Agreement::Mismatch | Agreement::Open) => true,
        None => record.verdict.tone() != Tone::Good,
    }
}

/// Writes everything.
pub fn write(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    if !records.is_empty() {
        write_table(out, records)?;
    }
    let mut attention = records.iter().filter(|record| needs_attention(record)).peekable();
    if attention.peek().is_some() {
        writeln!(out, "\nTo look at:")?;
    }
    for record in attention {
        let words = format!("{} {}: {}", record.unit.place(), record.unit.label(), line(record));
        writeln!(out, "  {}", visible(&words))?;
        for path in &record.evidence {
            writeln!(out, "      {}", visible(&path.to_string_lossy()))?;
        }
    }
    writeln!(out, "\n{}", totals(records))
}

/// `12 specs in 3 files: 7 holds, ..`
pub fn totals(records: &[Record]) -> String {
    let specs = records.iter().filter(|record| record.unit.spec.is_some()).count();
    let mut files: Vec<&str> = records.iter().map(|record| record.unit.model.as_str()).collect();
    files.dedup();
    let verdicts: Vec<Verdict> = records.iter().map(|record| record.verdict).collect();
    let mut parts = counts(&verdicts);
    for (agreement, words) in
        [(Agreement::Met, "as expected"), (Agreement::Mismatch, "not as expected"), (Agreement::Open, "open")]
    {
        let number = records.iter().filter(|record| record.agreement == Some(agreement)).count();
        if number > 0 {
            parts.push(format!("{number} {words}"));
        }
    }
    // A sum of nothing is -0.
    let seconds = records.iter().map(|record| record.seconds.wall).fold(0.0, |sum, wall| sum + wall);
    let parts = if parts.is_empty() { "nothing to do".to_owned() } else { parts.join(", ") };
    let checks = records.iter().filter(|record| record.unit.check.is_some()).count();
    let asked = asked(specs, checks);
    format!("{asked} in {}: {parts}; {seconds:.1} s of work", count(files.len(), "file"))
}

/// `4 specs and 2 checks`
fn asked(specs: usize, checks: usize) -> String {
    match (specs, checks) {
        (specs, 0) => count(specs, "spec"),
        (0, checks) => count(checks, "check"),
        (specs, checks) => format!("{} and {}", count(specs, "spec"), count(checks, "check")),
    }
}

/// `4 specs: 3 holds, 1 violated; 0.3 s`, of so many specs and checks of one model that took so long together.
pub fn of_one_model(specs: usize, checks: usize, verdicts: &[Verdict], took: Duration) -> String {
    format!("{}: {}; {:.1} s", asked(specs, checks), counts(verdicts).join(", "), took.as_secs_f64())
}

/// `7 holds`, `2 violated`, ..
fn counts(verdicts: &[Verdict]) -> Vec<String> {
    let counted = Verdict::ALL.into_iter().filter_map(|verdict| {
        let number = verdicts.iter().filter(|other| **other == verdict).count();
        (number > 0).then(|| format!("{number} {}", verdict.words()))
    });
    counted.collect()
}

/// Marks rows that only hold the index of a record, whose model is the heading of the rows that follow: a line of its
/// own, so that long paths leave the columns alone.
const HEADING: char = '\u{E000}';

fn write_table(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    write_lines(out, records, &table(records))
}

fn write_lines(out: &mut dyn Write, records: &[Record], table: &Table) -> io::Result<()> {
    for line in table.lines() {
        let heading = line.trim().strip_prefix(HEADING).and_then(|index| records.get(index.parse::<usize>().ok()?));
        match heading {
            Some(record) => writeln!(out, "{BOLD}{}{BOLD:#}", visible(&record.unit.place()))?,
            None => writeln!(out, "{}", line.trim_end())?,
        }
    }
    Ok(())
}

fn table(records: &[Record]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.enforce_styling();
    let heading = ["spec", "result", "expected", "engine", "s", "MB"];
    table.set_header(heading.map(|text| Cell::new(text).add_attribute(Attribute::Bold)));
    for number in [4, 5] {
        table.column_mut(number).expect("a column").set_cell_alignment(CellAlignment::Right);
    }
    // However narrow the terminal is, words stay whole.
    for (number, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(match number {
            0 => ColumnConstraint::LowerBoundary(Width::Fixed(NARROWEST)),
            _ => ColumnConstraint::ContentWidth,
        });
    }
    let mut place = String::new();
    for (index, record) in records.iter().enumerate() {
        if record.unit.place() != place {
            place = record.unit.place();
            table.add_row([format!("{HEADING}{index}")]);
        }
        table.add_row(row(record));
    }
    table
}

fn row(record: &Record) -> Vec<Cell> {
    let colored = |text: String, color: Color| Cell::new(text).fg(color).add_attribute(Attribute::Bold);
    let color = match record.verdict.tone() {
        Tone::Good => Color::Green,
        Tone::Bad | Tone::Broken => Color::Red,
        Tone::Open => Color::Yellow,
    };
    let expected = match (record.agreement, expectation(record)) {
        (Some(Agreement::Mismatch), Some(words)) => colored(words, Color::Red),
        (Some(Agreement::Open), Some(words)) => Cell::new(words).fg(Color::Yellow),
        (_, words) => Cell::new(words.unwrap_or_default()),
    };
    let engine = record.engine.clone().unwrap_or_default();
    vec![
        Cell::new(visible(&record.unit.label())),
        colored(words(record) + if record.vacuous.is_empty() { "" } else { ", vacuously" }, color),
        expected,
        Cell::new(visible(&engine)),
        Cell::new(format!("{:.2}", record.seconds.wall)),
        Cell::new(record.peak_memory.map(|megabytes| format!("{megabytes:.0}")).unwrap_or_default()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::{Mode, Settings, Unit};

    #[test]
    fn narrow_terminals_lose_no_heading() {
        let engines = Vec::new();
        let settings =
            Settings { mode: Mode::Check, bound: None, engines, dialect: None, timeout: None, memory_limit: None };
        let model = |number| format!("folder/of/models/model{number}.rcp");
        let record = |number| Record::new(Unit::file(&model(number), None), settings.clone()).well_formed();
        let records: Vec<Record> = (0..120).map(record).collect();
        for width in [1, 20, 40] {
            let mut table = table(&records);
            table.set_width(width);
            let mut text = Vec::new();
            write_lines(&mut text, &records, &table).expect("memory");
            let text = String::from_utf8(text).expect("UTF-8");
            assert!(!text.contains(HEADING), "{width}");
            assert!((0..120).all(|number| text.contains(&model(number))), "{width}");
            let first = text.lines().next().unwrap_or_default();
            assert!(
                ["spec", "result", "expected", "engine"].iter().all(|word| first.contains(word)),
                "{width}: {first}"
            );
        }
    }
}
