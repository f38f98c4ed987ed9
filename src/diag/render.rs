//! Diagnostics for people: the only module that names ariadne.

use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{SourceFile, Span};
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};
use std::io::{self, Write};
use std::ops::Range;

type Place<'a> = (&'a str, Range<usize>);

/// The longest line, in bytes, that is shown with its findings.
const WIDEST_LINE: usize = 2000;

/// Writes all findings about a file, by place, and a line that counts them, notes left out: they take a line each. Writes
/// nothing if there are none.
pub fn render(source: &SourceFile, diagnostics: &Diagnostics, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut text = (source.name(), Source::from(source.text()));
    let sorted = diagnostics.clone().sorted();
    for diagnostic in sorted.iter() {
        if diagnostic.severity() == Severity::Note {
            write_line(source, diagnostic, out)?;
        } else if is_too_wide(source, diagnostic) {
            write_plain(source, diagnostic, out)?;
        } else {
            report(source, diagnostic, colour).write(&mut text, &mut *out)?;
        }
    }
    match count(&sorted) {
        Some(count) => writeln!(out, "{count}"),
        None => Ok(()),
    }
}

/// Whether a line that would be shown is too long for any terminal, as in generated or broken files.
fn is_too_wide(source: &SourceFile, diagnostic: &Diagnostic) -> bool {
    let spans = std::iter::once(diagnostic.span).chain(diagnostic.related.iter().map(|related| related.span));
    spans.into_iter().any(|span| {
        let (before, after) = source.text().split_at(span.start as usize);
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
        column + after.find('\n').unwrap_or(after.len()) > WIDEST_LINE
    })
}

/// Writes a finding in a line.
fn write_line(source: &SourceFile, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let line = source.line_column(diagnostic.span.start).line;
    let remark = if diagnostic.label.is_empty() { String::new() } else { format!(" ({})", diagnostic.label) };
    writeln!(out, "{}:{line}: [{}] note: {}{remark}", source.name(), diagnostic.code.as_str(), diagnostic.message)
}

/// Writes a finding without showing the text.
fn write_plain(source: &SourceFile, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let place = |span: Span| {
        let at = source.line_column(span.start);
        format!("{}:{}:{}", source.name(), at.line, at.column)
    };
    let kind = match diagnostic.severity() {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Note => "Note",
    };
    writeln!(out, "[{}] {kind}: {}", diagnostic.code.as_str(), diagnostic.message)?;
    writeln!(out, "  {}: {}", place(diagnostic.span), diagnostic.label)?;
    for related in &diagnostic.related {
        writeln!(out, "  {}: {}", place(related.span), related.message)?;
    }
    diagnostic.help.iter().try_for_each(|help| writeln!(out, "  Help: {help}"))
}

fn report<'a>(source: &'a SourceFile, diagnostic: &Diagnostic, colour: bool) -> Report<'a, Place<'a>> {
    let (kind, main) = match diagnostic.severity() {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
        Severity::Note => (ReportKind::Advice, Color::Blue),
    };
    let place = |span: Span| (source.name(), visible(source, span));
    let mut labels = vec![(diagnostic.span, &diagnostic.label, main)];
    labels.extend(diagnostic.related.iter().map(|related| (related.span, &related.message, Color::Blue)));
    // In the order of the text, ariadne shows them in one piece.
    labels.sort_by_key(|(span, ..)| (span.end, span.start));
    let report = Report::build(kind, place(diagnostic.span))
        .with_config(Config::new().with_index_type(IndexType::Byte).with_color(colour))
        .with_code(diagnostic.code.as_str())
        .with_message(&diagnostic.message)
        .with_labels(labels.into_iter().map(|(span, message, color)| label(place(span), message, color)));
    match &diagnostic.help {
        Some(help) => report.with_help(help).finish(),
        None => report.finish(),
    }
}

/// A span without white space at its end, which ariadne cannot underline.
fn visible(source: &SourceFile, span: Span) -> Range<usize> {
    let start = span.start as usize;
    start..start + source.slice(span).trim_end().len()
}

fn label<'a>(place: Place<'a>, message: &str, color: Color) -> Label<Place<'a>> {
    let label = Label::new(place).with_color(color);
    if message.is_empty() { label } else { label.with_message(message) }
}

/// As in `2 errors, 1 warning`; nothing for no findings.
fn count(diagnostics: &Diagnostics) -> Option<String> {
    let number = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity() == severity).count();
    let words = |number: usize, noun: &str| match number {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{number} {noun}s")),
    };
    let parts = [words(number(Severity::Error), "error"), words(number(Severity::Warning), "warning")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;

    fn rendered(text: &str, diagnostics: Vec<Diagnostic>, colour: bool) -> String {
        let mut list = Diagnostics::new();
        diagnostics.into_iter().for_each(|diagnostic| list.push(diagnostic));
        let mut out = Vec::new();
        render(&SourceFile::new("m.rcp", text), &list, colour, &mut out).expect("writing to memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn findings_come_by_place_and_are_counted() {
        let at = |code, start| Diagnostic::new(code, Span::new(start, start + 1), format!("at {start}"));
        let findings =
            vec![at(Code::UnknownName, 4), at(Code::Unused, 2), at(Code::TypeMismatch, 0), at(Code::TypeMismatch, 0)];
        let text = rendered("a b c", findings, false);
        let order: Vec<_> = ["at 0", "at 2", "at 4"].iter().map(|message| text.find(message)).collect();
        assert!(order.is_sorted() && order[0].is_some(), "{text}");
        assert!(text.ends_with("\n2 errors, 1 warning\n"), "{text}");
    }

    #[test]
    fn places_are_bytes() {
        let text = rendered("// ü\nx", vec![Diagnostic::new(Code::UnknownName, Span::new(6, 7), "no x")], false);
        assert!(text.contains("m.rcp:2:1"), "{text}");
    }

    #[test]
    fn colour_is_a_choice_and_nothing_is_said_about_nothing() {
        let finding = || vec![Diagnostic::new(Code::UnknownName, Span::new(0, 1), "no x").label("here")];
        assert!(!rendered("x", finding(), false).contains('\u{1b}'));
        assert!(rendered("x", finding(), true).contains('\u{1b}'));
        assert_eq!(rendered("x", vec![], true), "");
    }

    #[test]
    fn places_before_the_main_one_are_shown_before_it() {
        let finding = Diagnostic::new(Code::DuplicateName, Span::new(4, 5), "twice").related(Span::new(0, 1), "first");
        let text = rendered("a\nb\na\n", vec![finding.clone().label("second")], false);
        assert!(text.find("first") < text.find("second"), "{text}");
        assert_eq!(text.matches("m.rcp").count(), 1, "{text}");
        let over_lines = Diagnostic { span: Span::new(0, 6), ..finding };
        assert!(rendered("a\nb\na\n", vec![over_lines], false).contains("twice"));
    }

    #[test]
    fn lines_beyond_all_measure_are_not_shown() {
        let text = "x".repeat(100_000);
        let finding =
            || Diagnostic::new(Code::UnknownName, Span::new(70_000, 70_001), "no x").label("here").help("add x");
        let related = finding().related(Span::new(5, 6), "there");
        let shown = rendered(&text, vec![finding(), related], false);
        assert!(shown.len() < 500, "{} bytes", shown.len());
        let lines: Vec<_> = shown.lines().take(3).collect();
        assert_eq!(lines, ["[E0202] Error: no x", "  m.rcp:1:70001: here", "  Help: add x"]);
        assert!(shown.contains("\n  m.rcp:1:6: there\n"), "{shown}");
    }

    #[test]
    fn the_end_of_a_file_is_a_place() {
        for text in ["", "x", "x\n", "ü"] {
            let end = Span::new(text.len(), text.len());
            let finding = Diagnostic::new(Code::UnexpectedToken, end, "the file ends").label("here");
            assert!(rendered(text, vec![finding], false).contains("the file ends"));
        }
    }
}
