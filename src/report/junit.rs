//! Results as JUnit XML, the form of test results that CI systems show: one suite per model, one case per spec.
//!
//! A violated or unexpected verdict is a failure, a broken file or an internal error an error. An unknown verdict counts
//! as skipped: nothing is known to be wrong. For a failure instead, use the exit code.

use super::record::{Agreement, Record, Tone};
use super::summary;
use crate::escape::{document, visible};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};
use std::time::Duration;

/// Writes records that are sorted by model.
pub fn write(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    let mut report = Report::new("rcheck-smt");
    for of_model in records.chunk_by(|a, b| a.unit.place() == b.unit.place()) {
        let mut suite = TestSuite::new(visible(&of_model[0].unit.place()));
        suite.add_test_cases(of_model.iter().map(case));
        report.add_test_suite(suite);
    }
    let xml = report.to_string().map_err(io::Error::other)?;
    out.write_all(document(&xml).as_bytes())
}

fn case(record: &Record) -> TestCase {
    let mut status = status(record);
    if !matches!(status, TestCaseStatus::Success { .. }) {
        status.set_message(visible(&summary::line(record))).set_type(kind(record));
        status.set_description(document(&description(record)));
    }
    let mut case = TestCase::new(visible(&record.unit.label()), status);
    case.set_classname(visible(&record.unit.place()));
    if let Ok(time) = Duration::try_from_secs_f64(record.seconds.wall) {
        case.set_time(time);
    }
    let lines = std::iter::once(summary::line(record)).chain(summary::assumed(record));
    case.set_system_out(document(&lines.map(|line| visible(&line).into_owned()).collect::<Vec<_>>().join("\n")));
    case
}

fn status(record: &Record) -> TestCaseStatus {
    match (record.agreement, record.verdict.tone()) {
        (Some(Agreement::Met), _) => TestCaseStatus::success(),
        (Some(Agreement::Mismatch), _) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        (Some(Agreement::Open), _) => TestCaseStatus::skipped(),
        (None, Tone::Good) => TestCaseStatus::success(),
        (None, Tone::Bad) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        (None, Tone::Open) => TestCaseStatus::skipped(),
        (None, Tone::Broken) => TestCaseStatus::non_success(NonSuccessKind::Error),
    }
}

fn kind(record: &Record) -> &'static str {
    if record.agreement == Some(Agreement::Mismatch) { "mismatch" } else { record.verdict.words() }
}

/// The spec, what is wrong with the file, and where the evidence is.
fn description(record: &Record) -> String {
    let mut lines: Vec<String> = record.unit.text.iter().cloned().collect();
    for finding in &record.findings {
        let place = format!("{}:{}:{}", record.unit.model, finding.line, finding.column);
        lines.push(format!("{place}: {} [{}]: {}", finding.severity, finding.code, finding.message));
    }
    lines.extend(summary::assumed(record));
    lines.extend(record.reason.clone());
    lines.extend(record.evidence.iter().map(|path| path.display().to_string()));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::{Expectation, Mode, Settings, Unit, Verdict};

    #[test]
    fn suites_are_models_and_text_is_escaped() {
        let record = |model: &str, verdict, agreement| {
            let expect = Some(Expectation::Holds);
            let unit = Unit { spec: Some(1), name: Some("a<b".to_owned()), expect, ..Unit::file(model, None) };
            Record { verdict, agreement, ..Record::new(unit, Settings::of(Mode::Bmc)) }
        };
        let records = [
            record("a.rcp", Verdict::Clear, Some(Agreement::Met)),
            record("a.rcp", Verdict::Violated, Some(Agreement::Mismatch)),
            record("b&c.rcp", Verdict::Unknown, Some(Agreement::Open)),
            record("d.rcp", Verdict::Error, None),
        ];
        let mut xml = Vec::new();
        write(&mut xml, &records).expect("memory");
        let xml = String::from_utf8(xml).expect("XML is UTF-8");
        for part in [
            "tests=\"4\" skipped=\"1\" failures=\"1\" errors=\"1\"",
            "<testsuite name=\"a.rcp\" tests=\"2\"",
            "<testsuite name=\"b&amp;c.rcp\" tests=\"1\" skipped=\"1\"",
            "<testcase name=\"1 a&lt;b\" classname=\"a.rcp\"",
            "type=\"mismatch\"",
        ] {
            assert!(xml.contains(part), "{part} is missing:\n{xml}");
        }
    }
}
