//! Directives for specs in line comments: `// name: N`, `// expect: holds`, or both on one line with a comma.
//!
//! They stand on the lines directly above a spec, or behind it at the end of its last line. A comment that begins like
//! a directive but is none is an error: otherwise a slip of the pen would silence an expectation. Before the specs it is
//! prose. Where a directive is well-formed but belongs to no spec, that is worth a warning.

use super::ast::{Dialect, Expr, Ident, Model, Spec};
use super::findings::add;
use super::token::Comment;
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic, Diagnostics, Edit, excerpt};
use crate::source::{SourceFile, Span};
use rustc_hash::FxHashMap;

/// The setting of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Name,
    Expect,
}

/// The verdicts that can be expected.
const VERDICTS: [&str; 3] = ["holds", "violated", "unknown"];

const FORM: &str =
    "write `// name: N` or `// expect: holds|violated|unknown`, once each, directly above a spec or behind it";

/// A comment that is, or begins like, a directive.
struct Directive {
    comment: Span,
    line: usize,
    /// Its settings, or the mistake in it.
    settings: Result<Vec<(Key, Ident)>, Box<Diagnostic>>,
    /// True if it is a directive only if it stands at a spec.
    is_doubtful: bool,
}

/// A tree that has nothing but specs at these places: for languages whose trees are others.
pub fn unnamed(places: &[Span]) -> Model {
    let spec = |span: &Span| Spec { name: None, expect: None, formula: Expr::error(*span), span: *span };
    Model { specs: places.iter().map(spec).collect(), ..Model::empty(Dialect::Modern) }
}

/// Fills in the names and expectations of the specs.
pub fn attach(source: &SourceFile, comments: &[Comment], model: &mut Model, diagnostics: &mut Diagnostics) {
    let end_of_system = model.system.last().map(|instance| instance.init.span.end);
    let formulas = model.specs.iter().map(|spec| spec.span).chain(model.assumptions.iter().map(|it| it.span));
    let first_formula = formulas.map(|span| span.start).min();
    let Some(begin) = end_of_system.or(first_formula) else { return };
    let line = |offset: u32| source.line_column(offset).line;
    let own = comments.iter().map(|comment| comment.span).filter(|span| stands_alone(source, *span));
    let mut own_lines: Vec<usize> = own.flat_map(|span| line(span.start)..=line(span.end)).collect();
    own_lines.dedup();
    let blocks = Blocks::new(own_lines);
    for comment in comments {
        let Some(directive) = read(source, comment, line(comment.span.start)) else { continue };
        let spec = match blocks.line_below(directive.line) {
            Some(below) => spec_on(&model.specs, below, &line),
            None => spec_before(&model.specs, directive.comment, directive.line, &line),
        };
        let is_among_specs = comment.span.start >= begin && !directive.is_doubtful;
        let finding = match (directive.settings, spec) {
            (Ok(settings), Some(index)) => {
                fill(&mut model.specs[index], &settings).err().map(|(first, second)| repeated(first, second))
            }
            (Ok(_), None) if stands_inside(&model.specs, comment.span) => Some(inside(comment.span)),
            (Ok(_), None) => is_among_specs.then(|| stray(comment.span)),
            (Err(malformed), spec) => (is_among_specs || spec.is_some()).then_some(*malformed),
        };
        finding.into_iter().for_each(|finding| add(diagnostics, finding));
    }
}

/// Reports specs of one name: a name would mean either.
pub fn repeated_names(specs: &[Spec]) -> Vec<Diagnostic> {
    let mut known: FxHashMap<&str, Span> = FxHashMap::default();
    let mut found = Vec::new();
    for name in specs.iter().filter_map(|spec| spec.name.as_ref()) {
        match known.get(name.name.as_str()) {
            Some(&first) => found.push(
                Diagnostic::new(Code::DuplicateName, name.span, format!("two specs are called `{}`", name.name))
                    .label("the second one")
                    .related(first, "the first one")
                    .help("rename one of them"),
            ),
            None => drop(known.insert(&name.name, name.span)),
        }
    }
    found
}

/// True if only white space stands before a comment on its line.
pub fn stands_alone(source: &SourceFile, comment: Span) -> bool {
    let before = &source.text()[..comment.start as usize];
    let line = before.rfind(['\n', '\r']).map_or(before, |end| &before[end + 1..]);
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

/// True if a comment stands between the beginning and the end of a spec.
fn stands_inside(specs: &[Spec], comment: Span) -> bool {
    let before = specs.partition_point(|spec| spec.span.start < comment.start);
    before > 0 && comment.end <= specs[before - 1].span.end
}

/// Sets what the directive says, unless something is set already: then returns the place of that and of the repetition.
fn fill(spec: &mut Spec, settings: &[(Key, Ident)]) -> Result<(), (Span, Span)> {
    for (key, value) in settings {
        let place = match key {
            Key::Name => &mut spec.name,
            Key::Expect => &mut spec.expect,
        };
        match place {
            Some(first) => return Err((first.span, value.span)),
            None => *place = Some(value.clone()),
        }
    }
    Ok(())
}

/// Reads a comment that is, or begins like, a directive.
fn read(source: &SourceFile, comment: &Comment, line: usize) -> Option<Directive> {
    let text = source.slice(comment.span);
    let start = comment.span.start as usize + 2;
    let text = if comment.is_line { &text[2..] } else { text[2..].strip_suffix("*/")? };
    let begins = key_of(text).is_some_and(|(key, _)| Key::of(&key.to_lowercase()).is_some());
    let bare = text.trim_start_matches(['/', '*', '!', '-', ' ', '\t']);
    let is_decorated = key_of(bare).is_some_and(|(key, _)| Key::of(&key.to_lowercase()).is_some());
    let is_meant = begins || is_decorated || text.split(',').chain(bare.split(',')).any(resembles_setting);
    let settings = if comment.is_line { settings(text, start) } else { Err(Box::new(in_block(comment.span))) };
    let is_doubtful = !begins || !comment.is_line;
    is_meant.then_some(Directive { comment: comment.span, line, settings, is_doubtful })
}

/// Reads all settings of a comment whose text begins at an offset.
fn settings(text: &str, start: usize) -> Result<Vec<(Key, Ident)>, Box<Diagnostic>> {
    let mut settings: Vec<(Key, Ident)> = Vec::new();
    let mut offset = start;
    for piece in text.split(',') {
        let (key, value) = setting(piece, offset)?;
        if let Some((_, first)) = settings.iter().find(|(other, _)| *other == key) {
            return Err(Box::new(repeated(first.span, value.span)));
        }
        settings.push((key, value));
        offset += piece.len() + 1;
    }
    Ok(settings)
}

/// The key before and the text behind the first colon.
fn key_of(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').map(|(key, value)| (key.trim(), value))
}

/// Reads `name: N` or `expect: E` at an offset.
fn setting(piece: &str, offset: usize) -> Result<(Key, Ident), Box<Diagnostic>> {
    let whole = trimmed(piece, offset);
    let Some((key, value)) = key_of(piece) else { return Err(Box::new(no_setting(piece.trim(), whole))) };
    let Some(key) = Key::of(key) else { return Err(Box::new(no_key(key, whole))) };
    let name = value.trim();
    let span = trimmed(value, offset + piece.len() - value.len());
    let is_right = match key {
        Key::Name => is_word(name) && !is_number(name),
        Key::Expect => VERDICTS.contains(&name),
    };
    if is_right { Ok((key, Ident { name: name.to_owned(), span })) } else { Err(Box::new(key.rejects(name, span))) }
}

/// The place of a text at an offset without the white space around it.
fn trimmed(text: &str, offset: usize) -> Span {
    let start = offset + text.len() - text.trim_start().len();
    Span::new(start, start + text.trim().len())
}

/// True if a piece is a setting by another key, or without its colon: `expected: holds`, `expect violated`, `nmae: first`.
fn resembles_setting(piece: &str) -> bool {
    const SEPARATORS: [char; 3] = [':', '=', '\u{ff1a}'];
    let is_separated = piece.contains(SEPARATORS);
    let mut words = piece.split(|c: char| c.is_whitespace() || SEPARATORS.contains(&c));
    let mut next = || words.by_ref().find(|word| !word.is_empty() && *word != "-");
    let (Some(key), Some(value), None) = (next(), next(), next()) else { return false };
    let key = key.to_lowercase();
    let expects = key.starts_with("expect") || nearest(&key, ["expect"]).is_some();
    let names = is_separated && (key == "name" || key == "names" || nearest(&key, ["name"]).is_some());
    names || expects && (VERDICTS.contains(&value) || nearest(value, VERDICTS).is_some())
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// A number is the place of a spec.
fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit())
}

impl Key {
    fn of(word: &str) -> Option<Key> {
        match word {
            "name" => Some(Key::Name),
            "expect" => Some(Key::Expect),
            _ => None,
        }
    }

    /// The report of a value that does not fit.
    fn rejects(self, value: &str, span: Span) -> Diagnostic {
        let shown = excerpt(value, 40);
        let (message, help) = match self {
            Key::Name => (
                format!("`{shown}` cannot be the name of a spec"),
                match is_number(value) {
                    true => "a number is the place of a spec in the file: add a letter".to_owned(),
                    false => "a name is one word of letters, digits, `_`, `-` and `.`".to_owned(),
                },
            ),
            Key::Expect => (
                format!("`{shown}` is no verdict to expect"),
                match meant_verdict(value) {
                    Some(verdict) => format!("did you mean `{verdict}`?"),
                    None => "write `holds`, `violated` or `unknown`".to_owned(),
                },
            ),
        };
        let diagnostic = malformed(span, message).help(help);
        match meant_verdict(value).filter(|_| self == Key::Expect) {
            Some(verdict) => diagnostic.fix(format!("expect `{verdict}`"), [Edit::replace(span, verdict)]),
            None => diagnostic,
        }
    }
}

/// The verdict that a word was meant to be.
fn meant_verdict(word: &str) -> Option<&'static str> {
    match word.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()) {
        "true" | "pass" | "passes" | "valid" | "ok" | "yes" => Some("holds"),
        "false" | "fail" | "fails" | "invalid" | "no" => Some("violated"),
        word => VERDICTS.into_iter().find(|verdict| *verdict == word).or_else(|| nearest(word, VERDICTS)),
    }
}

fn malformed(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::MalformedDirective, span, message).label("neither a name nor an expectation").help(FORM)
}

fn no_setting(text: &str, span: Span) -> Diagnostic {
    malformed(span, format!("`{}` says nothing about the spec", excerpt(text, 40)))
}

fn no_key(key: &str, span: Span) -> Diagnostic {
    let diagnostic = malformed(span, format!("a comment at a spec sets no `{}`", excerpt(key, 40)));
    let lower = key.to_lowercase();
    let meant = if lower.starts_with("expect") { Some("expect") } else { nearest(&lower, ["name", "expect"]) };
    match Key::of(&lower).map(|_| lower.as_str()).or(meant) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}:`?")),
        None => diagnostic,
    }
}

fn inside(span: Span) -> Diagnostic {
    Diagnostic::new(Code::MalformedDirective, span, "a name or an expectation stands inside of a spec")
        .label("the spec before it goes on behind it")
        .help("is `SPEC` missing before the next formula?")
}

fn in_block(span: Span) -> Diagnostic {
    malformed(span, "the name and the expectation of a spec stand in a line comment")
        .help("begin the comment with `//`")
}

fn repeated(first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(Code::MalformedDirective, second, "this is said of the spec already")
        .label("said again here")
        .related(first, "said here")
        .help("keep one of them")
}

fn stray(comment: Span) -> Diagnostic {
    Diagnostic::new(Code::StrayDirective, comment, "this reads like a directive, but belongs to no spec")
        .label("ignored")
        .help(FORM)
}
