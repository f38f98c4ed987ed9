//! Many results at a glance: a table, what needs attention, and counts.

use super::record::{Agreement, Expectation, Record, Tone, Verdict};
use super::trace::HEADING as BOLD;
use crate::escape::visible;
use crate::words::count;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};
use std::io::{self, Write};
use std::time::Duration;

/// The first column of the table has at least that many characters.
const NARROWEST: u16 = 20;

/// The answer in a few words, without why.
pub fn words(record: &Record) -> String {
    told(record, false)
}

/// The same, which may say that it is what the file expects.
fn told(record: &Record, is_expected: bool) -> String {
    let (verdict, under) = (record.verdict.words(), under(record));
    let known = record.depth.and_then(|depth| match record.verdict {
        shown if shown.is_shown() => Some(shape(record, depth)),
        Verdict::Clear => Some(format!("up to {depth}")),
        Verdict::Unknown => Some(format!("clear up to {depth}")),
        _ => None,
    });
    let separator = if record.verdict == Verdict::Unknown { ", " } else { " " };
    match (known, is_expected) {
        (Some(known), _) if record.verdict == Verdict::Clear => format!("{verdict} {known}{under}"),
        (Some(known), false) => format!("{verdict}{under}{separator}{known}"),
        (Some(known), true) => format!("{verdict}{under}{AS_EXPECTED}, {known}"),
        (None, false) => format!("{verdict}{under}"),
        (None, true) => format!("{verdict}{under}{AS_EXPECTED}"),
    }
}

/// How the run of so many steps shows it.
fn shape(record: &Record, depth: usize) -> String {
    match (record.loop_start, record.round_start) {
        (Some(start), _) => format!("by a loop: state {depth} -> state {start}"),
        (None, Some(start)) => format!("by a run that repeats the steps from {start} to {depth} for ever"),
        (None, None) if depth == 0 => "in an initial state".to_owned(),
        (None, None) => format!("after {}", count(depth, "step")),
    }
}

/// Number of assumptions of a verdict, behind it: ` under 2 assumptions`; nothing without any, or without a verdict.
pub fn under(record: &Record) -> String {
    let has_verdict = record.verdict.is_proved() || record.verdict.is_shown() || record.verdict == Verdict::Clear;
    match record.assumptions {
        number if number > 0 && has_verdict => format!(" under {}", count(number, "assumption")),
        _ => String::new(),
    }
}

/// The assumptions of the verdict, a line for each: `assumed: ..`
pub fn assumed(record: &Record) -> impl Iterator<Item = String> {
    let list = if under(record).is_empty() { &[][..] } else { &record.assumed };
    list.iter().map(|formula| format!("assumed: {formula}"))
}

/// Behind verdicts that would be bad news if nothing were expected.
pub const AS_EXPECTED: &str = ", as expected";

/// The verdict is what the file expects, which goes without saying of good news.
pub fn is_as_expected(agreement: Option<Agreement>, verdict: Verdict) -> bool {
    agreement == Some(Agreement::Met) && matches!(verdict, Verdict::Violated | Verdict::Unknown)
}

/// The answer in a line, with why.
pub fn line(record: &Record) -> String {
    let is_expected = is_as_expected(record.agreement, record.verdict);
    let words = told(record, is_expected);
    let because = match (&record.reason, &record.proof) {
        (Some(reason), _) => format!(" ({})", reason.lines().next().unwrap_or_default()),
        (None, Some(proof)) => format!(" ({proof})"),
        (None, None) => String::new(),
    };
    let vacuous = record.vacuity().next().map(|why| format!("; vacuously: {why}"));
    let expected = expectation(record).filter(|_| !is_expected).map(|expected| format!("; {expected}"));
    format!("{words}{because}{}{}", vacuous.unwrap_or_default(), expected.unwrap_or_default())
}

/// How the answer compares to what was expected, in words.
pub fn expectation(record: &Record) -> Option<String> {
    let expected = record.unit.expect?;
    Some(match record.agreement? {
        Agreement::Met => "as expected".to_owned(),
        Agreement::Mismatch => unexpected(expected),
        Agreement::Open => format!("open: the file expects `{}`", expected.word()),
    })
}

/// Says that a verdict is not what the file expects.
pub fn unexpected(expected: Expectation) -> String {
    format!("unexpected: the file expects `{}`", expected.word())
}

/// True if a reader should look at it.
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
    write_attention(out, records)?;
    writeln!(out, "\n{}", totals(records))
}

/// Writes which results need attention, by name and place.
pub fn write_attention(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    let mut attention = records.iter().filter(|record| needs_attention(record)).peekable();
    if attention.peek().is_some() {
        writeln!(out, "\nTo look at:")?;
    }
    for record in attention {
        let words = format!("{} {}: {}", record.unit.line_and_place(), record.unit.label(), line(record));
        writeln!(out, "  {}", visible(&words))?;
        for path in &record.evidence {
            writeln!(out, "      {}", visible(&path.to_string_lossy()))?;
        }
    }
    write_qualified(out, records)
}

/// Writes what the front end found that verdicts on specs are to be read with, each finding once.
fn write_qualified(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    let mut told: Vec<String> = Vec::new();
    for record in records.iter().filter(|record| record.unit.spec.is_some()) {
        for finding in &record.findings {
            let words = format!("{}:{}: {} [{}]", record.unit.model, finding.line, finding.message, finding.code);
            if !told.contains(&words) {
                writeln!(out, "{}", visible(&words))?;
                told.push(words);
            }
        }
    }
    Ok(())
}

/// `12 specs in 3 files: 7 holds, ..`
pub fn totals(records: &[Record]) -> String {
    let specs = records.iter().filter(|record| record.unit.spec.is_some()).count();
    let mut files: Vec<&str> = records.iter().map(|record| record.unit.model.as_str()).collect();
    files.dedup();
    let parts = counts(records);
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

/// `4 specs: 3 holds, 1 violated (as expected); 0.3 s`, of results for one model that took so long together.
pub fn of_one_model(records: &[Record], took: Duration) -> String {
    let checks = records.iter().filter(|record| record.unit.check.is_some()).count();
    let parts = counts(records).join(", ");
    format!("{}: {parts}; {:.1} s", asked(records.len() - checks, checks), took.as_secs_f64())
}

/// `7 holds`, `2 violated (1 as expected)`, .., `1 unexpected`
fn counts(records: &[Record]) -> Vec<String> {
    let counted = Verdict::ALL.into_iter().filter_map(|verdict| {
        let these: Vec<&Record> = records.iter().filter(|record| record.verdict == verdict).collect();
        let is_expected = |record: &&&Record| is_as_expected(record.agreement, verdict);
        let expected = match these.iter().filter(is_expected).count() {
            0 => String::new(),
            all if all == these.len() => " (as expected)".to_owned(),
            some => format!(" ({some} as expected)"),
        };
        (!these.is_empty()).then(|| format!("{} {}{expected}", these.len(), verdict.words()))
    });
    let compared = [(Agreement::Mismatch, "unexpected"), (Agreement::Open, "open")].into_iter();
    let compared = compared.filter_map(|(agreement, words)| {
        let number = records.iter().filter(|record| record.agreement == Some(agreement)).count();
        (number > 0).then(|| format!("{number} {words}"))
    });
    counted.chain(compared).collect()
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
        let model = |number| format!("folder/of/models/model{number}.rcp");
        let record = |number| Record::new(Unit::file(&model(number), None), Settings::of(Mode::Check)).well_formed();
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
