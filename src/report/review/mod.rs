//! Findings and verdicts as remarks at lines of files, as a review of code shows them: [`Form::Github`] are the workflow
//! commands of GitHub, [`Form::Sarif`] is SARIF 2.1.0, which GitHub, GitLab, Azure and editors read.

mod github;
mod sarif;

use super::record::{Agreement, Cause, Check, Finding, Record, Tone, Verdict};
use super::summary;
use crate::diag::{Diagnostic, Diagnostics, Severity};
use crate::source::{LineColumn, SourceFile};
use std::io::{self, Write};

/// How remarks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line per remark, which GitHub shows at its place.
    Github,
    /// One document.
    Sarif,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FilePlace {
    line: usize,
    /// If more is known than the line.
    column: Option<usize>,
    /// The end: the first character that is no part of it.
    end: Option<LineColumn>,
}

/// Something to say about a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    file: String,
    /// Missing if it is about the file as a whole.
    place: Option<FilePlace>,
    level: Severity,
    /// The kind of remark: the code of a finding, or one of [`RULES`].
    rule: String,
    /// One line.
    title: String,
    /// Details; may have several lines.
    message: String,
}

/// The kinds of remarks that are no findings of the front end, and what they mean.
const RULES: [(&str, &str); 8] = [
    ("violated", "A run violates the spec; it was replayed."),
    ("possible", "The system can deadlock, or a command can overflow; the run was replayed."),
    ("dead", "No run takes the command; this was proved."),
    ("mismatch", "The verdict contradicts the expectation at the spec."),
    ("open", "Nothing is known yet that could be compared with the expectation at the spec."),
    ("unknown", "The search for a verdict stopped early."),
    ("unreadable", "The file cannot be verified."),
    ("internal-error", "The tool failed: please report it."),
];

impl Remark {
    /// A file that cannot be read, or has nothing to verify.
    pub fn of_file(file: &str, why: &str) -> Remark {
        let (file, rule, title) = (file.to_owned(), "unreadable".to_owned(), "the file cannot be verified".to_owned());
        Remark { file, place: None, level: Severity::Error, rule, title, message: why.to_owned() }
    }

    /// All findings about a file, by place.
    pub fn of_findings(source: &SourceFile, diagnostics: &Diagnostics) -> Vec<Remark> {
        diagnostics.clone().sorted().iter().map(|diagnostic| Remark::of_finding(source, diagnostic)).collect()
    }

    fn of_finding(source: &SourceFile, diagnostic: &Diagnostic) -> Remark {
        let (start, end) = (source.line_column(diagnostic.span.start), source.line_column(diagnostic.span.end));
        let related = diagnostic.related.iter().map(|label| {
            let line = source.line_column(label.span.start).line;
            format!("line {line}: {}", label.message)
        });
        let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
        let label = Some(diagnostic.label.clone()).filter(|label| !label.is_empty());
        Remark {
            file: source.name().to_owned(),
            place: Some(FilePlace { line: start.line, column: Some(start.column), end: Some(end) }),
            level: diagnostic.severity(),
            rule: diagnostic.code.as_str().to_owned(),
            title: diagnostic.message.clone(),
            message: label.into_iter().chain(related).chain(help).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Remarks about a result: none if all is as it should be. A violation that is expected is a note.
    pub fn of_record(record: &Record) -> Vec<Remark> {
        if !record.findings.is_empty() {
            return record.findings.iter().map(|finding| Remark::of_recorded(&record.unit.model, finding)).collect();
        }
        let (level, rule) = match (record.agreement, record.verdict) {
            (Some(Agreement::Mismatch), _) => (Severity::Error, "mismatch"),
            (Some(Agreement::Open), _) => (Severity::Warning, "open"),
            (Some(Agreement::Met), Verdict::Violated) => (Severity::Note, "violated"),
            (Some(Agreement::Met), _) => return Vec::new(),
            (None, verdict) => match (verdict.tone(), record.unit.check) {
                (Tone::Good, _) => return Vec::new(),
                (Tone::Bad, None) => (Severity::Error, "violated"),
                (Tone::Bad, Some(Check::DeadCode)) => (Severity::Error, "dead"),
                (Tone::Bad, Some(Check::Deadlock | Check::Overflow)) => (Severity::Error, "possible"),
                (Tone::Open, _) => (Severity::Warning, "unknown"),
                (Tone::Broken, _) if record.cause == Some(Cause::Input) => (Severity::Error, "unreadable"),
                (Tone::Broken, _) => (Severity::Error, "internal-error"),
            },
        };
        let evidence = record.evidence.iter().map(|path| path.display().to_string());
        let lines = record.unit.text.iter().cloned().chain(summary::assumed(record)).chain(evidence);
        let remark = Remark {
            file: record.unit.model.clone(),
            place: record.unit.line.map(|line| FilePlace { line, column: None, end: None }),
            level,
            rule: rule.to_owned(),
            title: format!("{}: {}", record.unit.label(), summary::line(record)),
            message: lines.collect::<Vec<_>>().join("\n"),
        };
        vec![remark]
    }

    fn of_recorded(model: &str, finding: &Finding) -> Remark {
        Remark {
            file: model.to_owned(),
            place: Some(FilePlace { line: finding.line, column: Some(finding.column), end: None }),
            level: match finding.severity.as_str() {
                "error" => Severity::Error,
                "warning" => Severity::Warning,
                _ => Severity::Note,
            },
            rule: finding.code.clone(),
            title: finding.message.clone(),
            message: finding.help.iter().map(|help| format!("help: {help}")).collect(),
        }
    }
}

/// Writes remarks, in their order.
pub fn write(out: &mut dyn Write, form: Form, remarks: &[Remark]) -> io::Result<()> {
    match form {
        Form::Github => github::write(out, remarks),
        Form::Sarif => sarif::write(out, remarks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;
    use crate::report::record::{Expectation, Mode, Settings, Unit};
    use crate::source::Span;

    /// A finding, a violated spec in a file with a difficult name, and a file that is none.
    fn remarks() -> Vec<Remark> {
        let source = SourceFile::new("m.rcp", "ü\nab");
        let mut diagnostics = Diagnostics::new();
        let finding = Diagnostic::new(Code::DuplicateName, Span::new(4, 5), "twice").label("second");
        diagnostics.push(finding.related(Span::new(3, 4), "first").help("100 %:\nrename one"));
        let unit =
            Unit { spec: Some(1), line: Some(7), text: Some("SPEC G a".to_owned()), ..Unit::file("a, b/ü.rcp", None) };
        let violated = Record::new(unit, Settings::of(Mode::Prove)).with_verdict(Verdict::Violated);
        let violated = Record { depth: Some(3), cause: None, reason: None, ..violated };
        let findings = Remark::of_findings(&source, &diagnostics);
        findings.into_iter().chain(Remark::of_record(&violated)).chain([Remark::of_file("x", "gone")]).collect()
    }

    fn written(form: Form) -> String {
        let mut text = Vec::new();
        write(&mut text, form, &remarks()).expect("memory");
        String::from_utf8(text).expect("UTF-8")
    }

    #[test]
    fn workflow_commands() {
        insta::assert_snapshot!(written(Form::Github), @r"
        ::error file=m.rcp,line=2,col=2,endLine=2,endColumn=3,title=E0201%3A twice::second%0Aline 2: first%0Ahelp: 100 %25:%0Arename one
        ::error file=a%2C b/ü.rcp,line=7,title=1 SPEC G a%3A violated after 3 steps::SPEC G a
        ::error file=x,title=the file cannot be verified::gone
        ");
    }

    #[test]
    fn sarif() {
        let document: serde_json::Value = serde_json::from_str(&written(Form::Sarif)).expect("JSON");
        insta::assert_snapshot!(serde_json::to_string_pretty(&document["runs"][0]["results"]).expect("JSON"));
        let rules = &document["runs"][0]["tool"]["driver"]["rules"];
        let ids: Vec<&str> = rules.as_array().expect("a list").iter().filter_map(|rule| rule["id"].as_str()).collect();
        assert_eq!(ids, ["E0201", "violated", "unreadable"]);
    }

    #[test]
    fn nothing_is_said_where_all_is_well() {
        let level = |expect, verdict| {
            let unit = Unit { spec: Some(1), expect, ..Unit::file("m.rcp", None) };
            let remarks = Remark::of_record(&Record::new(unit, Settings::of(Mode::Prove)).with_verdict(verdict));
            remarks.first().map(|remark| (remark.level, remark.rule.clone()))
        };
        assert_eq!(level(None, Verdict::Holds), None);
        assert_eq!(level(Some(Expectation::Holds), Verdict::Clear), None);
        assert_eq!(
            level(Some(Expectation::Violated), Verdict::Violated),
            Some((Severity::Note, "violated".to_owned()))
        );
        assert_eq!(level(Some(Expectation::Violated), Verdict::Holds), Some((Severity::Error, "mismatch".to_owned())));
        assert_eq!(level(Some(Expectation::Holds), Verdict::Unknown), Some((Severity::Warning, "open".to_owned())));
        assert_eq!(level(None, Verdict::Unknown), Some((Severity::Warning, "unknown".to_owned())));
        assert_eq!(level(None, Verdict::InternalError), Some((Severity::Error, "internal-error".to_owned())));
    }
}
