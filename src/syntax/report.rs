//! Syntax errors in words.

use super::parser::MAX_HEIGHT;
use super::parser::error::{Expect, Expected, SyntaxError};
use super::prepare::{Segment, SegmentKind};
use super::token::Token;
use crate::diag::{Code, Diagnostic, excerpt};
use crate::source::{SourceFile, Span};

/// How many alternatives a message names.
const MAX_ALTERNATIVES: usize = 4;

/// What to say about an error, unless it only repeats or follows from what was said already.
pub fn diagnostic(error: &SyntaxError, segment: &Segment, source: &SourceFile) -> Option<Diagnostic> {
    let follows_from_bracket =
        segment.doubtful.iter().any(|s| s.start <= error.span.start && error.span.start <= s.end);
    if error.found == Some(Token::Error) || follows_from_bracket {
        return None;
    }
    let found = error.found.map(|token| (token, source.slice(error.span)));
    let alternatives = alternatives(error.expected, segment.kind);
    let message = match found {
        Some((token, text)) if is_misused_keyword(error, token, text) => {
            format!("`{text}` is a keyword and cannot be a name")
        }
        Some((_, text)) => format!("expected {alternatives}, found `{}`", excerpt(text, 40)),
        None => format!("expected {alternatives}, but here {} ends", part(segment.kind)),
    };
    let label = match found {
        Some((token, text)) if is_misused_keyword(error, token, text) => "a keyword".to_owned(),
        _ => format!("expected {alternatives}"),
    };
    let mut diagnostic = Diagnostic::new(Code::UnexpectedToken, error.span, message).label(label);
    diagnostic.help = help(error, segment, source);
    Some(diagnostic)
}

/// Text before the first keyword of a file.
pub fn stray(segment: &Segment, source: &SourceFile) -> Diagnostic {
    let span = segment.keyword();
    let message = format!("a declaration or an agent was expected, found `{}`", excerpt(source.slice(span), 40));
    Diagnostic::new(Code::UnexpectedToken, span, message)
        .label("no declaration begins like this")
        .help("a file begins with `enum`, `channels:`, `message-structure:`, `property-variables:`, `guard` or `agent`")
}

/// A chain of operators that is too long.
pub fn too_high(span: Span) -> Diagnostic {
    Diagnostic::new(Code::NestingTooDeep, span, format!("more than {MAX_HEIGHT} operators hang on each other here"))
        .label("too long to be read")
        .help("split it by parentheses, or into guards or agents")
}

fn is_misused_keyword(error: &SyntaxError, token: Token, text: &str) -> bool {
    let name_is_due =
        [Expect::Name, Expect::Declaration, Expect::Instance].iter().any(|what| error.expected.contains(*what));
    name_is_due && !error.expected.contains(Expect::Expression) && token.is_keyword(text)
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

/// What follows a segment.
fn end(kind: SegmentKind) -> &'static str {
    match kind {
        SegmentKind::System | SegmentKind::Spec => "the next `SPEC`",
        SegmentKind::Repeat => "the end of the process",
        SegmentKind::Agent => "a section (`local:`, `init:`, `relabel:`, `receive-guard:`, `repeat:`)",
        kind if kind.is_section() => "the next section",
        _ => "the next declaration",
    }
}

/// What a segment is, as a noun.
fn part(kind: SegmentKind) -> &'static str {
    match kind {
        SegmentKind::Stray => "the text",
        SegmentKind::Enum => "the enum",
        SegmentKind::Channels => "the list of channels",
        SegmentKind::Messages => "the message structure",
        SegmentKind::Properties => "the list of property variables",
        SegmentKind::Guard => "the guard",
        SegmentKind::Agent => "the agent",
        SegmentKind::Local => "the list of local variables",
        SegmentKind::Init => "the initial condition",
        SegmentKind::Relabel => "the relabelling",
        SegmentKind::ReceiveGuard => "the receive guard",
        SegmentKind::Repeat => "the process",
        SegmentKind::System => "the system",
        SegmentKind::Spec => "the spec",
    }
}

fn help(error: &SyntaxError, segment: &Segment, source: &SourceFile) -> Option<String> {
    let expects = |what| error.expected.contains(what);
    let token = error.found?;
    let text = source.slice(error.span);
    let help = match token {
        Token::Equal if expects(Expect::Assign) => "values are assigned by `:=`".to_owned(),
        Token::Assign if expects(Expect::Operator) => "values are compared by `=`".to_owned(),
        Token::Assign | Token::Equal if expects(Expect::LeftArrow) => {
            "relabellings are written `property <- expression`".to_owned()
        }
        Token::Comma if segment.kind == SegmentKind::Relabel => "no comma stands between relabellings".to_owned(),
        Token::Semicolon if expects(Expect::Comma) => "commas stand between declarations".to_owned(),
        Token::Ident("and") if expects(Expect::Operator) => "conjunction is written `&`".to_owned(),
        Token::Ident("or") if expects(Expect::Operator) => "disjunction is written `|`".to_owned(),
        Token::Ident("implies") if expects(Expect::Operator) => "implication is written `->`".to_owned(),
        Token::CloseParen if segment.kind == SegmentKind::System && expects(Expect::Comma) => {
            "an instance has an initial condition: `Type(name, true)` if it has nothing to add".to_owned()
        }
        _ if lacks_repeat(segment, error.span) => {
            "does the process begin here? It needs `repeat:` before it".to_owned()
        }
        _ if is_misused_keyword(error, token, text) => "choose another name".to_owned(),
        _ => return None,
    };
    Some(help)
}

/// Whether commands stand in a section that is none of processes, from the given place on.
fn lacks_repeat(segment: &Segment, from: Span) -> bool {
    let rest = segment.tokens.iter().filter(|(_, span)| span.start >= from.start);
    let agent = segment.kind == SegmentKind::Agent || segment.kind.is_section();
    agent
        && segment.kind != SegmentKind::Repeat
        && rest
            .clone()
            .any(|(token, _)| matches!(token, Token::OpenBrace | Token::Get | Token::Supply | Token::Question))
}
