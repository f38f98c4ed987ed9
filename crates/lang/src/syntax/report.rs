//! Syntax errors in words.

use super::help::{self, before, is_misused_keyword, shorthand};
use super::parser::error::{Expect, Expected, SyntaxError};
use super::parser::{MAX_HEIGHT, Remark};
use super::prepare::{Segment, SegmentKind};
use super::token::Token;
use crate::diag::{Code, Diagnostic, Edit, excerpt};
use crate::source::{SourceFile, Span};

/// How many alternatives a message names.
const MAX_ALTERNATIVES: usize = 4;

/// The report of an error, unless it only repeats or follows from an earlier one.
pub fn diagnostic(error: &SyntaxError, segment: &Segment, source: &SourceFile) -> Option<Diagnostic> {
    let follows_from_bracket =
        segment.doubtful.iter().any(|s| s.start <= error.span.start && error.span.start <= s.end);
    if error.found == Some(Token::Error) || follows_from_bracket || follows_unreadable(error, segment) {
        return None;
    }
    // A bracket that was put in is no text: the segment has ended there.
    let found = error.found.map(|token| (token, source.slice(error.span))).filter(|(_, text)| !text.is_empty());
    let found = found.map(|(token, text)| (token, shorthand(error, source).unwrap_or(text)));
    let alternatives = alternatives(error.expected, segment.kind);
    let message = match found {
        Some((token, text)) if is_misused_keyword(error, segment, token, text) => {
            format!("`{text}` is a keyword and cannot be a name")
        }
        Some((_, text)) => format!("expected {alternatives}, found `{}`", excerpt(text, 40)),
        // A `;` that was put in.
        None if error.found == Some(Token::Semicolon) => {
            format!("expected {alternatives}, but here the next command begins")
        }
        None if segment.is_last => format!("expected {alternatives}, but here the file ends"),
        None => format!("expected {alternatives}, but here {} ends", segment.kind.noun()),
    };
    let label = match found {
        Some((token, text)) if is_misused_keyword(error, segment, token, text) => "a keyword".to_owned(),
        _ => format!("expected {alternatives}"),
    };
    let mut diagnostic = Diagnostic::new(Code::UnexpectedToken, error.span, message).label(label);
    diagnostic.help = help::help(error, segment, source);
    Some(diagnostic)
}

/// The errors of a segment without those that may be mere consequences of the one before: they stand in the same item.
/// Items of lists end at commas, commands where the next one begins; what is one expression is one item.
pub fn independent<'e, 's>(errors: &'e [SyntaxError<'s>], segment: &Segment<'s>) -> Vec<&'e SyntaxError<'s>> {
    let mut sorted: Vec<&SyntaxError> = errors.iter().collect();
    sorted.sort_by_key(|error| error.span.start);
    let mut kept = Vec::new();
    // From there on no item has ended.
    let mut from = 0;
    for error in sorted {
        let behind = segment.tokens.partition_point(|(_, span)| span.start <= error.span.start);
        let between = segment.tokens.get(from..behind).unwrap_or_default();
        from = behind;
        if kept.is_empty() || between.iter().any(|(token, _)| ends_item(*token, segment.kind)) {
            kept.push(error);
            from = segment.tokens.partition_point(|(_, span)| span.start < error.span.start);
        }
    }
    kept
}

fn ends_item(token: Token, kind: SegmentKind) -> bool {
    match kind {
        SegmentKind::Spec | SegmentKind::Init | SegmentKind::ReceiveGuard => false,
        SegmentKind::System => matches!(token, Token::Parallel | Token::CloseParen),
        SegmentKind::Relabel => token == Token::LeftArrow,
        SegmentKind::Repeat => {
            token.closes().is_some()
                || matches!(token, Token::Comma | Token::Semicolon | Token::Colon | Token::OpenBrace | Token::OpenGuard)
        }
        _ => matches!(token, Token::Comma | Token::Semicolon),
    }
}

/// Text before the first keyword of a file, unless it was reported already.
pub fn stray(segment: &Segment, source: &SourceFile) -> Option<Diagnostic> {
    let span = segment.keyword();
    let first = segment.tokens.first()?.0;
    if matches!(first, Token::Error | Token::UnknownDeclaration) {
        return None;
    }
    let message = format!("a declaration or an agent was expected, found `{}`", excerpt(source.slice(span), 40));
    let diagnostic = Diagnostic::new(Code::UnexpectedToken, span, message).label("no declaration begins like this");
    Some(diagnostic.help(match first {
        Token::Channel | Token::Ident("channels") => "channels are declared by `enum channel {one, another}`",
        _ => "a file begins with `enum`, `channels:`, `message-structure:`, `property-variables:`, `guard` or `agent`",
    }))
}

/// The report of a part that was read, but is forbidden.
pub fn forbidden(remark: &Remark) -> Diagnostic {
    match *remark {
        Remark::TooHigh(span) => {
            let message = format!("more than {MAX_HEIGHT} operators hang on each other here");
            Diagnostic::new(Code::NestingTooDeep, span, message)
                .label("too long to be read")
                .help("split it by parentheses, or into guards or agents")
        }
        Remark::Chained(span, inner) => Diagnostic::new(Code::ChainedComparison, span, "comparisons do not chain")
            .label("two comparisons in a row")
            .related(inner, "this is already a truth value")
            .help("compare twice, as in `a < b & b < c`, or set parentheses"),
        Remark::GuardedLoop(span) => Diagnostic::new(Code::UnexpectedToken, span, "a guard cannot stand before `rep`")
            .label("before the first round only, or before each?")
            .help("write it into the commands that it is about, or put a command before `rep`"),
        Remark::FatArrow(span) => Diagnostic::new(Code::UnexpectedToken, span, "this arrow is no operator")
            .label("unknown operator")
            .help("implication is written `->`")
            .fix("write `->`", [Edit::replace(span, "->")]),
    }
}

/// True if the text before an error was no token, which was reported.
fn follows_unreadable(error: &SyntaxError, segment: &Segment) -> bool {
    before(error, segment) == Some(Token::Error)
}

/// A file without any token.
pub fn empty(source: &SourceFile) -> Diagnostic {
    let end = source.text().trim_end().len();
    Diagnostic::new(Code::UnexpectedToken, Span::new(end, end), "the file holds no model")
        .label("here the file ends")
        .help("a model declares its channels and agents, and composes instances of them by `system = ..`")
}

/// The report of a file that holds JSON, such as a certificate or a result: each of its tokens would be a mistake.
pub fn no_model_but_json(source: &SourceFile) -> Option<Diagnostic> {
    let text = source.text().trim_start();
    let inside = text.strip_prefix(['{', '['])?;
    let start = source.text().len() - text.len();
    inside.trim_start().starts_with(['"', '{', '[']).then(|| {
        Diagnostic::new(Code::UnexpectedToken, Span::new(start, start + 1), "this is JSON, no model")
            .label("no model begins so")
            .help("certificates and traces are checked by `certify`, results are shown by `report`")
    })
}

fn alternatives(expected: Expected, kind: SegmentKind) -> String {
    let hidden = |what: &Expect| match what {
        // A call or a qualified name could go on anywhere behind a name: nothing that helps.
        Expect::OpenParen | Expect::Member => expected.contains(Expect::Operator),
        Expect::Name => expected.contains(Expect::Expression),
        Expect::OpenBrace => expected.contains(Expect::Guard),
        _ => false,
    };
    let mut words: Vec<&str> = expected
        .iter()
        .filter(|what| !hidden(what))
        .map(|what| if what == Expect::End { end(kind) } else { what.words() })
        .take(MAX_ALTERNATIVES)
        .collect();
    match (words.pop(), words.is_empty()) {
        (None, _) => "something else".to_owned(),
        (Some(only), true) => only.to_owned(),
        (Some(last), false) => format!("{} or {last}", words.join(", ")),
    }
}

/// The part that follows a segment.
fn end(kind: SegmentKind) -> &'static str {
    match kind {
        SegmentKind::System | SegmentKind::Spec => "the next `SPEC`",
        SegmentKind::Repeat => "the end of the process",
        SegmentKind::Agent => "a section (`local:`, `init:`, `relabel:`, `receive-guard:`, `repeat:`)",
        kind if kind.is_section() => "the next section",
        _ => "the next declaration",
    }
}
