//! The advice on syntax errors.

use super::parser::error::{Expect, SyntaxError};
use super::prepare::{OPERATORS, SUMS, Segment, SegmentKind, assumes};
use super::token::{PartnerAction, Token};
use crate::source::SourceFile;

const SEND_OR_RECEIVE: &str =
    "the channel comes first: a send is written `c! (guard)(data)[updates]`, a receive `c? [updates]`";

const BEHIND_OBSERVATION: &str =
    "behind an observation stands what holds after the step: `true` if that does not matter";

/// The advice on an error, if that is plain.
pub fn help(error: &SyntaxError, segment: &Segment, source: &SourceFile) -> Option<String> {
    let expects = |what| error.expected.contains(what);
    if segment.kind == SegmentKind::Const {
        return Some("a constant is declared by `const name = 3;`".to_owned());
    }
    let Some(token) = error.found else { return help_at_end(error, segment).map(str::to_owned) };
    let known = stray_mark(error, segment, token).or_else(|| confused_sign(error, segment, token, source));
    if known.is_some() {
        return known;
    }
    let text = source.slice(error.span);
    let help = match token {
        Token::Comma if segment.kind == SegmentKind::Relabel => "no comma stands between relabellings".to_owned(),
        Token::Semicolon if expects(Expect::Comma) => "commas stand between declarations".to_owned(),
        Token::Or if segment.kind == SegmentKind::Repeat && expects(Expect::Plus) => {
            "`+` stands between alternatives".to_owned()
        }
        Token::OpenBracket if expects(Expect::Comma) && before(error, segment) == Some(Token::IntType) => {
            "a range is a type of its own: `0..3` in place of `int[0..3]`".to_owned()
        }
        _ if expects(Expect::Then) || expects(Expect::Else) => "`if` needs both: `if c then a else b`".to_owned(),
        Token::Colon if segment.kind == SegmentKind::Spec && !expects(Expect::CloseParen) && !expects(Expect::Dot) => {
            colon_in_spec(error, segment, source.slice(segment.keyword()))
        }
        _ if segment.kind == SegmentKind::Spec
            && (token == Token::Colon || expects(Expect::Colon) || expects(Expect::Dot)) =>
        {
            form_of_binder(error, segment).to_owned()
        }
        Token::Dot if expects(Expect::Operator) => {
            "the local `x` of an instance `i` is written `i-x`, and a constant stands without its enum".to_owned()
        }
        Token::Ident(_) if segment.kind == SegmentKind::Spec && expects(Expect::Operator) => OPERATORS.to_owned(),
        Token::Semicolon if segment.kind == SegmentKind::Spec && expects(Expect::End) => {
            "one semicolon is enough".to_owned()
        }
        Token::CloseParen if segment.kind == SegmentKind::System && expects(Expect::Comma) => {
            "an instance has an initial condition: `Type(name, true)` if it has nothing to add".to_owned()
        }
        Token::Minus if source.text()[error.span.range().start..].starts_with("--") => {
            "comments begin with `//`".to_owned()
        }
        Token::OpenParen if expects(Expect::Data) => {
            "behind the data of a command stand its updates, `[]` if there are none".to_owned()
        }
        Token::OpenData if expects(Expect::Expression) => {
            "between `!` and the data stands the send guard: `c! true (..)[..]` sends to all agents".to_owned()
        }
        Token::CloseParen if expects(Expect::Command) && follows_separator(error, segment) => {
            "no `;` or `+` stands behind the last command".to_owned()
        }
        _ if is_misused_keyword(error, segment, token, text) => match after(error, segment) {
            Some(Token::Ident(name)) if is_type(token) => format!("the name comes first: write `{name} : {text}`"),
            _ => "choose another name".to_owned(),
        },
        _ if expects(Expect::Colon)
            && before(error, segment).is_some_and(|token| !matches!(token, Token::Ident(_))) =>
        {
            format!("write `{}:`", source.slice(segment.keyword()))
        }
        _ => return form(error, segment, token).map(str::to_owned),
    };
    Some(help)
}

/// The advice on a colon behind the keyword of a spec or an assumption, or behind a name for it.
fn colon_in_spec(error: &SyntaxError, segment: &Segment, keyword: &str) -> String {
    match (before(error, segment), assumes(keyword)) {
        (Some(Token::Spec), true) => format!("no colon stands behind `{keyword}`: write `{keyword} f;`"),
        (_, true) => "assumptions have no names".to_owned(),
        _ => "a spec gets a name by a comment above it, as in `// name: safety`".to_owned(),
    }
}

/// How to write the quantifier, the sum or the count before an error.
fn form_of_binder(error: &SyntaxError, segment: &Segment) -> &'static str {
    let end = segment.tokens.partition_point(|(_, span)| span.start < error.span.start);
    let binds = |token: &Token| matches!(token, Token::Forall | Token::Exists | Token::Sum | Token::Count);
    match segment.tokens[..end].iter().rev().map(|(token, _)| *token).find(binds) {
        Some(Token::Sum | Token::Count) => SUMS,
        _ => "quantifiers are written `forall k : Type . f` and `exists k : Type . f`",
    }
}

/// The advice on a sign in place of `:=`, `=` or `<-`.
fn confused_sign(error: &SyntaxError, segment: &Segment, token: Token, source: &SourceFile) -> Option<String> {
    let expects = |what| error.expected.contains(what);
    Some(match token {
        Token::Equal if expects(Expect::Assign) => "values are assigned by `:=`".to_owned(),
        Token::Assign if expects(Expect::Operator) => "values are compared by `=`".to_owned(),
        Token::Assign | Token::Equal | Token::Implies | Token::FatArrow if expects(Expect::LeftArrow) => {
            "relabellings are written `property <- expression`".to_owned()
        }
        Token::Minus | Token::Plus if expects(Expect::Assign) => {
            match (before(error, segment), shorthand(error, source)) {
                (Some(Token::Ident(name)), Some(shorthand)) => {
                    let (sign, by) = (&shorthand[..1], if shorthand.ends_with('=') { ".." } else { "1" });
                    format!("write `{name} := {name} {sign} {by}`")
                }
                _ => "values are assigned by `:=`".to_owned(),
            }
        }
        _ => return None,
    })
}

/// The advice on a mark that belongs elsewhere.
fn stray_mark(error: &SyntaxError, segment: &Segment, token: Token) -> Option<String> {
    use SegmentKind::{Agent, Guard, Repeat, Spec};
    let expects = |what| error.expected.contains(what);
    Some(match (token, before(error, segment), after(error, segment)) {
        (Token::Semicolon, _, None) if !matches!(segment.kind, Guard | Repeat | Spec) => {
            format!("no semicolon stands behind {}", segment.kind.noun())
        }
        (Token::Minus, Some(Token::Ident(_)), Some(Token::Ident(right))) if expects(Expect::Assign) => {
            format!("a command changes variables of its own agent only: write `{right} := ..`; names have no `-`")
        }
        (Token::Minus, Some(Token::Ident(left)), Some(Token::Ident(right))) if !expects(Expect::Operator) => {
            format!("there is no `-` in names: write `{left}_{right}`")
        }
        (Token::Plus, ..) if expects(Expect::Command) => "`+` stands between alternatives, not before the first".into(),
        (Token::Dot, Some(Token::DotDot), _) => "a range is written with two dots, as in `0..3`".into(),
        (Token::CloseBrace, Some(Token::OpenBrace), _) if segment.kind == Repeat => {
            "a command that is always possible has the guard `{true}`".into()
        }
        (Token::Colon, ..) if segment.kind == Agent => "no colon stands behind the name of an agent".into(),
        (Token::OpenParen | Token::At, Some(Token::Ident(word)), _) if expects(Expect::Send) => {
            PartnerAction::named(word).map_or(SEND_OR_RECEIVE, |action| action.form).into()
        }
        (_, Some(Token::Ident(_) | Token::Star), _) if expects(Expect::Send) && expects(Expect::Receive) => {
            SEND_OR_RECEIVE.into()
        }
        (_, Some(keyword), _) if expects(Expect::OpenParen) && keyword.partner_action().is_some() => {
            keyword.partner_action()?.form.into()
        }
        (Token::OpenBracket, Some(Token::CloseBracket), _) if segment.kind == Repeat => {
            "a command has one list of updates: `[x := 1, y := 2]`".into()
        }
        (Token::Question | Token::Not, ..) if expects(Expect::Action) => SEND_OR_RECEIVE.into(),
        (Token::Equal | Token::Assign, ..) if segment.kind == SegmentKind::Local && expects(Expect::Comma) => {
            "initial values stand behind `init:`, as in `init: x = 0`".into()
        }
        (Token::OpenBrace, ..) if expects(Expect::Type) => {
            "an enum is declared by itself, `enum name {a, b}`, and its name is the type".into()
        }
        (_, Some(Token::ClosePossible | Token::CloseNecessary), _) => BEHIND_OBSERVATION.into(),
        (Token::OpenBracket, Some(Token::Not), _) => {
            "a send has a guard and data, as in `c! true ()[..]`; a receive is written `c? [..]`".into()
        }
        _ => return None,
    })
}

fn is_type(token: Token) -> bool {
    matches!(token, Token::Bool | Token::IntType | Token::Location | Token::Channel)
}

fn follows_separator(error: &SyntaxError, segment: &Segment) -> bool {
    matches!(before(error, segment), Some(Token::Semicolon | Token::Plus))
}

/// The advice on the argument of `SUPPLY@`, if an error stands there, maybe behind a name.
fn targets(error: &SyntaxError, segment: &Segment) -> Option<&'static str> {
    let end = segment.tokens.partition_point(|(_, span)| span.start < error.span.start);
    let is_due = error.expected.contains(Expect::Getter);
    let before = if is_due { end.saturating_sub(3)..end } else { end.checked_sub(3)?..end - 2 };
    segment.tokens[before].iter().rev().find_map(|(token, _)| token.partner_action()).and_then(|action| action.targets)
}

/// The advice where a segment ends too early.
fn help_at_end(error: &SyntaxError, segment: &Segment) -> Option<&'static str> {
    match before(error, segment)? {
        Token::Comma if error.expected.contains(Expect::Declaration) => {
            Some("no comma stands behind the last declaration")
        }
        Token::ClosePossible | Token::CloseNecessary => Some(BEHIND_OBSERVATION),
        _ => None,
    }
}

/// How to write what is expected.
fn form(error: &SyntaxError, segment: &Segment, token: Token) -> Option<&'static str> {
    let expects = |what| error.expected.contains(what);
    Some(match token {
        Token::OpenParen | Token::OpenData if expects(Expect::Updates) && !expects(Expect::Data) => {
            "a receive has no data, only updates that read it: `c? [x := MSG]`"
        }
        _ if expects(Expect::Guard) => "each command begins with its guard: `{true}` if it is always possible",
        Token::OpenBracket if expects(Expect::Data) => "before the updates stand the data: `()` if there are none",
        _ if expects(Expect::Updates) => "a command ends with its updates: `[]` if it changes nothing",
        _ if expects(Expect::Parallel) => "`||` stands between instances",
        _ if expects(Expect::DotDot) || token == Token::OpenBracket && expects(Expect::Type) => {
            "ranges are written `low..high`, as in `0..10`"
        }
        Token::OpenBrace if expects(Expect::Expression) => "no braces stand around this condition",
        _ if segment.kind == SegmentKind::Enum => "an enum is written `enum name {one, another}`",
        _ if expects(Expect::Colon) && segment.kind.has_declarations() => "a variable is declared by `name : type`",
        _ if expects(Expect::Colon) => "a colon stands behind a label, and each command begins with its guard `{..}`",
        _ if targets(error, segment).is_some() => targets(error, segment)?,
        _ if expects(Expect::Equal) => "the system is written `system = Type(name, true) || Type(other, true)`",
        _ if expects(Expect::AgentType) => "quantifiers range over the instances of agent types",
        _ if expects(Expect::Assign) || expects(Expect::Assignment) => "assignments are written `variable := value`",
        _ => return None,
    })
}

/// The token before an error.
pub fn before<'s>(error: &SyntaxError, segment: &Segment<'s>) -> Option<Token<'s>> {
    let index = segment.tokens.partition_point(|(_, span)| span.start < error.span.start);
    index.checked_sub(1).map(|index| segment.tokens[index].0)
}

/// The token behind an error.
pub fn after<'s>(error: &SyntaxError, segment: &Segment<'s>) -> Option<Token<'s>> {
    let index = segment.tokens.partition_point(|(_, span)| span.start < error.span.end);
    segment.tokens.get(index).map(|(token, _)| *token)
}

/// True if a keyword stands where a name is due.
pub fn is_misused_keyword(error: &SyntaxError, segment: &Segment, token: Token, text: &str) -> bool {
    let is_label = error.expected.contains(Expect::Command) && after(error, segment) == Some(Token::Colon);
    let name_is_due = is_label
        || [Expect::Name, Expect::Declaration, Expect::Instance].iter().any(|what| error.expected.contains(*what));
    name_is_due && !error.expected.contains(Expect::Expression) && token.is_keyword(text)
}

/// `x++`, `x += 1` and the like, where a value is assigned.
pub fn shorthand<'s>(error: &SyntaxError, source: &'s SourceFile) -> Option<&'s str> {
    let text = source.text().get(error.span.range().start..)?.get(..2)?;
    let is_shorthand = error.expected.contains(Expect::Assign) && matches!(text, "++" | "--" | "+=" | "-=");
    is_shorthand.then_some(text)
}
