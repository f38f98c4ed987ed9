//! Diagnostics for people: the only module that names ariadne.

use super::shown::Shown;
use super::{Diagnostic, Diagnostics, Severity};
use crate::escape::visible;
use crate::source::{SourceFile, Span};
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};
use std::io::{self, Write};
use std::ops::Range;

type LabelledSpan<'a> = (&'a str, Range<usize>);

/// How findings look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// True if in colours.
    pub colour: bool,
    /// The width at which lines of sentences are broken, if they are.
    pub width: Option<usize>,
}

/// The longest line, in bytes, that is shown with its findings.
const WIDEST_LINE: usize = 2000;

/// Writes all findings about a file, by place, and a line that counts them, notes left out: they take a line each. Writes
/// nothing if there are none.
pub fn render(source: &SourceFile, diagnostics: &Diagnostics, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let sorted = diagnostics.clone().sorted();
    if sorted.is_empty() {
        return Ok(());
    }
    let (name, shown) = (visible(source.name()), Shown::new(source));
    let mut text = (&*name, Source::from(&*shown.text));
    for diagnostic in sorted.iter() {
        if diagnostic.severity() == Severity::Note {
            write_line(source, diagnostic, look, out)?;
        } else if is_too_wide(source, diagnostic) {
            write_plain(source, diagnostic, out)?;
        } else {
            report(&name, &shown, &wrapped(diagnostic, look.width), look.colour).write(&mut text, &mut *out)?;
        }
    }
    match count(&sorted) {
        Some(count) => writeln!(out, "{count}"),
        None => Ok(()),
    }
}

/// True if a line that would be shown is too long for any terminal, as in generated or broken files.
fn is_too_wide(source: &SourceFile, diagnostic: &Diagnostic) -> bool {
    let spans = std::iter::once(diagnostic.span).chain(diagnostic.related.iter().map(|related| related.span));
    spans.into_iter().any(|span| {
        let (before, after) = source.text().split_at(span.start as usize);
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
        column + after.find('\n').unwrap_or(after.len()) > WIDEST_LINE
    })
}

/// Writes a finding in a line, or in as many as the width asks for.
fn write_line(source: &SourceFile, diagnostic: &Diagnostic, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let Diagnostic { code, message, span, label, .. } = &wrapped(diagnostic, None);
    let (name, line) = (visible(source.name()), source.line_column(span.start).line);
    let remark = if label.is_empty() { String::new() } else { format!(" ({label})") };
    let text = format!("{name}:{line}: [{}] note: {message}{remark}", code.as_str());
    writeln!(out, "{}", look.width.map_or_else(|| text.clone(), |width| fill(&text, width)))
}

/// A finding whose sentences can be shown: without characters that would do something to a terminal, and in lines of
/// the given width, as far as words are not broken.
fn wrapped(diagnostic: &Diagnostic, width: Option<usize>) -> Diagnostic {
    // Before the first line of each stands something else.
    const BEFORE_MESSAGE: usize = 17;
    const BEFORE_HELP: usize = 14;
    let lines = |text: &str, before: usize| match width {
        Some(width) => fill(text, width.saturating_sub(before)),
        None => text.to_owned(),
    };
    let mut shown = diagnostic.clone();
    shown.message = lines(&visible(&diagnostic.message), BEFORE_MESSAGE);
    shown.label = visible(&diagnostic.label).into_owned();
    shown.help = diagnostic.help.as_ref().map(|help| lines(&visible(help), BEFORE_HELP));
    shown.related.iter_mut().for_each(|related| related.message = visible(&related.message).into_owned());
    shown
}

fn fill(text: &str, width: usize) -> String {
    let options = textwrap::Options::new(width.max(1)).break_words(false);
    textwrap::fill(text, options.word_splitter(textwrap::WordSplitter::NoHyphenation))
}

/// Writes a finding without showing the text.
fn write_plain(source: &SourceFile, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let diagnostic = &wrapped(diagnostic, None);
    let place = |span: Span| {
        let at = source.line_column(span.start);
        format!("{}:{}:{}", visible(source.name()), at.line, at.column)
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

fn report<'a>(name: &'a str, shown: &Shown, diagnostic: &Diagnostic, colour: bool) -> Report<'a, LabelledSpan<'a>> {
    let (kind, main) = match diagnostic.severity() {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
        Severity::Note => (ReportKind::Advice, Color::Blue),
    };
    let place = |span: Span| (name, without_blanks(shown, span));
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
fn without_blanks(shown: &Shown, span: Span) -> Range<usize> {
    let Range { start, end } = shown.range(span);
    start..start + shown.text[start..end].trim_end().len()
}

fn label<'a>(place: LabelledSpan<'a>, message: &str, color: Color) -> Label<LabelledSpan<'a>> {
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
    use crate::escape::acts;

    fn rendered(text: &str, diagnostics: Vec<Diagnostic>, colour: bool) -> String {
        let mut list = Diagnostics::new();
        diagnostics.into_iter().for_each(|diagnostic| list.push(diagnostic));
        let mut out = Vec::new();
        let look = Look { colour, width: None };
        render(&SourceFile::new("m.rcp", text), &list, look, &mut out).expect("writing to memory");
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
    fn nothing_reaches_the_terminal_but_what_is_shown() {
        let text = "a \u{1b}[2Jx\u{202e} y\rz\u{2028}";
        let finding = Diagnostic::new(Code::UnknownName, Span::new(6, 7), "no \u{1b}]0;x\u{7}").label("\u{9b}");
        let mut list = Diagnostics::new();
        list.push(finding.related(Span::new(0, 1), "\u{2066}").help("\u{8}"));
        let mut out = Vec::new();
        let source = SourceFile::new("m\u{1b}[1m.rcp", text);
        render(&source, &list, Look::default(), &mut out).expect("writing to memory");
        let text = String::from_utf8(out).expect("text");
        assert!(text.chars().all(|c| c == '\n' || !acts(c)), "{text:?}");
        assert!(text.contains("m\u{241b}[1m.rcp:1:7"), "{text}");
    }

    #[test]
    fn sentences_keep_to_the_width_without_breaking_words() {
        let words = "a sentence of many words that does not fit on one line of a terminal that is as narrow as this";
        let finding = Diagnostic::new(Code::UnknownName, Span::new(0, 1), words).label("here").help(words);
        let mut list = Diagnostics::new();
        list.push(finding);
        let mut out = Vec::new();
        let look = Look { colour: false, width: Some(40) };
        render(&SourceFile::new("m.rcp", "x"), &list, look, &mut out).expect("writing to memory");
        let text = String::from_utf8(out).expect("text");
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        let shown = |word: &str| text.split_whitespace().filter(|shown| *shown == word).count();
        assert!(words.split_whitespace().all(|word| shown(word) >= 2), "{text}");
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
