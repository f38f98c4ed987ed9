//! Directives for specs in line comments: `// name: N`, `// expect: holds`, or both on one line with a comma.
//!
//! They stand on the lines directly above a spec, or behind it at the end of its last line. Only a
//! comment that is nothing but directives counts; one that merely begins like a directive is prose,
//! though in the part of the specs worth a warning.

use super::add;
use super::ast::{Ident, Model, Spec};
use super::token::Comment;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};

/// What a directive sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Name,
    Expect,
}

/// A comment that is, or begins like, a directive.
struct Directive {
    comment: Span,
    line: usize,
    settings: Vec<(Key, Ident)>,
}

/// Fills in the names and expectations of the specs.
pub fn attach(source: &SourceFile, comments: &[Comment], model: &mut Model, diagnostics: &mut Diagnostics) {
    let end_of_system = model.system.last().map(|instance| instance.init.span.end);
    let first_spec = model.specs.first().map(|spec| spec.span.start);
    let Some(begin) = end_of_system.or(first_spec) else { return };
    let line = |offset: u32| source.line_column(offset).line;
    let own_lines =
        comments.iter().filter(|comment| stands_alone(source, comment.span)).map(|c| line(c.span.start)).collect();
    let blocks = Blocks::new(own_lines);
    for comment in comments.iter().filter(|comment| comment.is_line) {
        let Some(directive) = read(source, comment.span, line(comment.span.start)) else { continue };
        let spec = match blocks.line_below(directive.line) {
            Some(below) => spec_on(&model.specs, below, &line),
            None => spec_before(&model.specs, directive.comment, directive.line, &line),
        };
        let used = spec.is_some_and(|index| fill(&mut model.specs[index], &directive));
        if !used && (comment.span.start >= begin || spec.is_some()) {
            add(diagnostics, stray(directive.comment));
        }
    }
}

/// Whether only white space stands before a comment on its line.
pub fn stands_alone(source: &SourceFile, comment: Span) -> bool {
    let before = &source.text()[..comment.start as usize];
    let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
    line.trim().is_empty()
}

/// The lines that hold comments only, and for each the first line below its block of such lines.
struct Blocks {
    lines: Vec<usize>,
    below: Vec<usize>,
}

impl Blocks {
    fn new(lines: Vec<usize>) -> Blocks {
        let mut below = vec![0; lines.len()];
        for index in (0..lines.len()).rev() {
            let next = lines[index] + 1;
            below[index] = if lines.get(index + 1) == Some(&next) { below[index + 1] } else { next };
        }
        Blocks { lines, below }
    }

    /// The line below the block of a line; nothing if the line holds more than comments.
    fn line_below(&self, line: usize) -> Option<usize> {
        self.lines.binary_search(&line).ok().map(|index| self.below[index])
    }
}

/// The first spec that begins on a line.
fn spec_on(specs: &[Spec], at: usize, line: &dyn Fn(u32) -> usize) -> Option<usize> {
    let index = specs.partition_point(|spec| line(spec.span.start) < at);
    specs.get(index).filter(|spec| line(spec.span.start) == at).map(|_| index)
}

/// The last spec that ends on a line, before a comment.
fn spec_before(specs: &[Spec], comment: Span, at: usize, line: &dyn Fn(u32) -> usize) -> Option<usize> {
    let index = specs.partition_point(|spec| spec.span.end <= comment.start).checked_sub(1)?;
    (line(specs[index].span.end) == at).then_some(index)
}

/// Sets what the directive says, unless it says nothing legible or something is set already.
fn fill(spec: &mut Spec, directive: &Directive) -> bool {
    let taken = |key: &Key| match key {
        Key::Name => spec.name.is_some(),
        Key::Expect => spec.expect.is_some(),
    };
    if directive.settings.is_empty() || directive.settings.iter().any(|(key, _)| taken(key)) {
        return false;
    }
    for (key, value) in &directive.settings {
        match key {
            Key::Name => spec.name = Some(value.clone()),
            Key::Expect => spec.expect = Some(value.clone()),
        }
    }
    true
}

/// Reads a comment that begins like a directive; without settings if it does not go on like one.
fn read(source: &SourceFile, comment: Span, line: usize) -> Option<Directive> {
    let text = source.slice(comment).strip_prefix("//")?;
    let begins = |key: &str| text.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    if !begins("name") && !begins("expect") {
        return None;
    }
    let mut settings: Vec<(Key, Ident)> = Vec::new();
    let mut offset = comment.start as usize + 2;
    for piece in text.split(',') {
        match setting(piece, offset).filter(|(key, _)| settings.iter().all(|(other, _)| other != key)) {
            Some(setting) => settings.push(setting),
            None => return Some(Directive { comment, line, settings: Vec::new() }),
        }
        offset += piece.len() + 1;
    }
    Some(Directive { comment, line, settings })
}

/// Reads `name: N` or `expect: E` at an offset.
fn setting(piece: &str, offset: usize) -> Option<(Key, Ident)> {
    let (key, value) = piece.split_once(':')?;
    let trimmed = value.trim();
    let key = match key.trim() {
        "name" if is_word(trimmed) => Key::Name,
        "expect" if matches!(trimmed, "holds" | "violated" | "unknown") => Key::Expect,
        _ => return None,
    };
    let start = offset + piece.len() - value.trim_start().len();
    Some((key, Ident { name: trimmed.to_owned(), span: Span::new(start, start + trimmed.len()) }))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn stray(comment: Span) -> Diagnostic {
    Diagnostic::new(Code::StrayDirective, comment, "this reads like a directive, but belongs to no spec")
        .label("ignored")
        .help(
            "write `// name: N` or `// expect: holds|violated|unknown`, once each, directly above a spec or behind it",
        )
}
