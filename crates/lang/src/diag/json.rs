//! Diagnostics for programs: flat records with places both as bytes and as people count.

use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{SourceFile, Span};
use serde::Serialize;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The line of the first byte, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

/// A further place with a remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Related {
    /// The place.
    #[serde(flatten)]
    pub place: Place,
    /// The message for it.
    pub message: String,
}

/// A fix of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The effect, as a command.
    pub title: String,
    /// The changes, made all at once.
    pub edits: Vec<Edit>,
}

/// New text in place of old text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The place of the text that is replaced; empty where text is put in.
    #[serde(flatten)]
    pub place: Place,
    /// The new text.
    pub text: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// The file, as the user named it.
    pub file: String,
    /// The main place.
    #[serde(flatten)]
    pub place: Place,
    /// As in `E0201`.
    pub code: &'static str,
    /// Error, warning or note.
    pub severity: Severity,
    /// The headline.
    pub message: String,
    /// The remark at the main place (may be empty).
    pub label: String,
    /// Further places.
    pub related: Vec<Related>,
    /// The advice on it.
    pub help: Option<String>,
    /// Changes of the text that do so.
    pub fixes: Vec<Fix>,
}

/// All findings about a file, by place.
pub fn to_json(source: &SourceFile, diagnostics: &Diagnostics) -> Vec<Record> {
    diagnostics.clone().sorted().iter().map(|diagnostic| record(source, diagnostic)).collect()
}

fn record(source: &SourceFile, diagnostic: &Diagnostic) -> Record {
    let related = |label: &super::Label| Related { place: place(source, label.span), message: label.message.clone() };
    let edit = |edit: &super::Edit| Edit { place: place(source, edit.span), text: edit.text.clone() };
    let fix = |fix: &super::Fix| Fix { title: fix.title.clone(), edits: fix.edits.iter().map(edit).collect() };
    Record {
        file: source.name().to_owned(),
        place: place(source, diagnostic.span),
        code: diagnostic.code.as_str(),
        severity: diagnostic.severity(),
        message: diagnostic.message.clone(),
        label: diagnostic.label.clone(),
        related: diagnostic.related.iter().map(related).collect(),
        help: diagnostic.help.clone(),
        fixes: diagnostic.fixes.iter().map(fix).collect(),
    }
}

fn place(source: &SourceFile, span: Span) -> Place {
    let at = source.line_column(span.start);
    Place { start: span.start, end: span.end, line: at.line, column: at.column }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;

    #[test]
    fn records_are_flat_and_complete() {
        let source = SourceFile::new("m.rcp", "ü\nab");
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(
            Diagnostic::new(Code::DuplicateName, Span::new(4, 5), "twice")
                .label("second")
                .related(Span::new(3, 4), "first")
                .help("rename one")
                .fix("rename it", [super::super::Edit::replace(Span::new(4, 5), "c")]),
        );
        let json = serde_json::to_value(to_json(&source, &diagnostics)).expect("records are plain data");
        let expected = serde_json::json!([{
            "file": "m.rcp", "start": 4, "end": 5, "line": 2, "column": 2,
            "code": "E0201", "severity": "error", "message": "twice", "label": "second",
            "related": [{"start": 3, "end": 4, "line": 2, "column": 1, "message": "first"}],
            "help": "rename one",
            "fixes": [{"title": "rename it", "edits": [{"start": 4, "end": 5, "line": 2, "column": 2, "text": "c"}]}],
        }]);
        assert_eq!(json, expected);
    }
}
