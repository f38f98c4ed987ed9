//! Notations of other languages: `AG f` and `E<> f` of branching time, `[] f` and `<> f`, `p --> q`,
//! `x <> y`, and words for operators (`and`, `not`, `until` ..).
//!
//! Each is reported with what to write instead, and read as that, so that nothing else is reported
//! about it. They are known by places where ours cannot stand; all names remain free for other use.

use super::around::{at, before, touches};
use super::names::{Names, begins_condition};
use super::segment::SegmentKind;
use crate::diag::{Code, Diagnostic, Diagnostics, Edit};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::syntax::findings::add;
use crate::syntax::token::{Spanned, Token};

/// The operators of formulas, in words.
pub const OPERATORS: &str = "the operators of formulas are `X`, `F` and `G` before one, and `U`, `W` and `R` between \
                             two, beside `!`, `&`, `|`, `->` and `<->`";

/// How sums are written.
pub const SUMS: &str = "sums are written `(sum k : Type . e)`, counts `(count k : Type . f)`";

const PAST: &str = "past operators are not part of the language: there are `X`, `F` and `G` before a formula, and `U`, \
                    `W` and `R` between two";

/// A notation that was found: how many tokens it takes, what it is read as, what is wrong, what to do.
struct Notation<'s> {
    length: usize,
    meant: Token<'s>,
    message: String,
    help: String,
}

impl<'s> Notation<'s> {
    fn new(length: usize, meant: Token<'s>, message: impl Into<String>, help: impl Into<String>) -> Notation<'s> {
        Notation { length, meant, message: message.into(), help: help.into() }
    }

    /// One that says something else than what can be read: what it takes up is not read.
    fn unread(length: usize, message: impl Into<String>, help: impl Into<String>) -> Notation<'s> {
        Notation::new(length, Token::Error, message, help)
    }

    /// Another way to write an operator.
    fn operator(length: usize, meant: Token<'s>, text: &str, help: impl Into<String>) -> Notation<'s> {
        Notation::new(length, meant, format!("`{text}` is no operator"), help)
    }
}

/// The tokens of a segment in our notation.
pub fn translate<'s>(
    kind: SegmentKind,
    tokens: &[Spanned<'s>],
    known: &Names,
    diagnostics: &mut Diagnostics,
) -> Vec<Spanned<'s>> {
    if !has_expressions(kind) {
        return in_ranges(kind, tokens, known);
    }
    let mut result = Vec::with_capacity(tokens.len());
    // For each open square bracket, whether it is read as a parenthesis.
    let mut squares = Vec::new();
    let (mut index, mut depth) = (0, 0usize);
    while index < tokens.len() {
        let operand_is_due = !result.last().is_some_and(|(token, _): &Spanned| token.ends_operand());
        let joins = kind == SegmentKind::Init && depth == 0 && tokens[index].0 == Token::Comma && !operand_is_due;
        if let Some((length, words)) = our_words(kind, tokens, index, operand_is_due, known) {
            let span = tokens[index].1.to(tokens[index + length - 1].1);
            result.extend(words.iter().map(|word| (*word, span)));
            index += length;
            continue;
        }
        let found = match joins {
            true => Some(Notation::operator(1, Token::And, ",", "conditions that all hold are joined by `&`")),
            false => find(kind, tokens, index, operand_is_due, known),
        };
        match tokens[index].0 {
            Token::OpenParen => depth += 1,
            Token::CloseParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        let length = found.as_ref().map_or(1, |found| found.length);
        let span = tokens[index].1.to(tokens[index + length - 1].1);
        let token = match (tokens[index].0, &found) {
            (_, Some(found)) => found.meant,
            (Token::CloseBracket, None) if squares.pop() == Some(true) => Token::CloseParen,
            (Token::CloseBrace, None) if is_condition(kind) => Token::CloseParen,
            (token, None) => token,
        };
        if tokens[index + length - 1].0 == Token::OpenBracket {
            squares.push(token == Token::OpenParen);
        }
        if let Some(found) = found {
            // If the help names the notation as a whole, it can be written.
            let ours = written(found.meant).filter(|ours| found.help.contains(&format!("`{ours}`")));
            let diagnostic = Diagnostic::new(Code::UnexpectedToken, span, found.message);
            let diagnostic = diagnostic.label("not our notation").help(found.help);
            add(
                diagnostics,
                match ours {
                    Some(ours) => diagnostic.fix(format!("write `{ours}`"), [Edit::replace(span, ours)]),
                    None => diagnostic,
                },
            );
        }
        result.push((token, span));
        index += length;
    }
    result
}

/// The tokens of a segment that has expressions in ranges only.
fn in_ranges<'s>(kind: SegmentKind, tokens: &[Spanned<'s>], known: &Names) -> Vec<Spanned<'s>> {
    let mut result: Vec<Spanned> = Vec::with_capacity(tokens.len());
    for (index, &(token, span)) in tokens.iter().enumerate() {
        let operand_is_due = !result.last().is_some_and(|(token, _)| token.ends_operand());
        match our_words(kind, tokens, index, operand_is_due, known) {
            Some((_, words)) => result.extend(words.iter().map(|word| (*word, span))),
            None => result.push((token, span)),
        }
    }
    result
}

fn has_expressions(kind: SegmentKind) -> bool {
    use SegmentKind::*;
    matches!(kind, Guard | Const | Init | Relabel | ReceiveGuard | Repeat | System | Spec)
}

fn is_condition(kind: SegmentKind) -> bool {
    matches!(kind, SegmentKind::Init | SegmentKind::ReceiveGuard)
}

fn find<'s>(
    kind: SegmentKind,
    tokens: &[Spanned<'s>],
    index: usize,
    operand_is_due: bool,
    known: &Names,
) -> Option<Notation<'s>> {
    let in_spec = kind == SegmentKind::Spec;
    if operand_is_due && is_condition(kind) && tokens[index].0 == Token::OpenBrace {
        let (message, help) = ("expected an expression, found `{`", "no braces stand around this condition");
        return Some(Notation::new(1, Token::OpenParen, message, help));
    }
    if operand_is_due && let Some(found) = conditional(tokens, index).or_else(|| dotted(tokens, index, known)) {
        return Some(found);
    }
    if operand_is_due && let Some(found) = stepped(tokens, index) {
        return Some(found);
    }
    if operand_is_due
        && in_spec
        && let Some(found) = aggregate(tokens, index, known).or_else(|| member(tokens, index))
    {
        return Some(found);
    }
    match (tokens[index].0, operand_is_due) {
        (Token::Ident(word), true) => {
            let next = at(tokens, index + 1)?;
            let is_ours =
                known.guards.contains(word) || matches!(word, "A" | "E" | "K" | "GK" | "DK" | "GCK" | "can" | "could");
            let is_call = next == Token::OpenParen && is_ours;
            let goes_on = known.has_conditionals && matches!(next, Token::Ident("then" | "else"));
            let is_prefix = (next.begins_operand() || in_spec && next == Token::Not) && !is_call && !goes_on;
            let path = in_spec.then(|| path_quantifier(tokens, index, word)).flatten();
            let known_word = path.or_else(|| is_prefix.then(|| prefix_word(word, in_spec)).flatten());
            let may_be_unknown = in_spec && is_prefix && !known.words.contains(word);
            let is_guard = known.guards.contains(word) && !known.words.contains(word);
            known_word
                .or_else(|| is_guard.then(|| bare_call(tokens, index, word, in_spec)).flatten())
                .or_else(|| may_be_unknown.then(|| unknown_prefix(tokens, index, word)).flatten())
        }
        (Token::Ident(word), false) => {
            let next = at(tokens, index + 1)?;
            let goes_on = next.begins_operand() || matches!(next, Token::Not | Token::Minus);
            goes_on.then(|| infix_word(word, in_spec)).flatten()
        }
        (Token::Forall | Token::Exists, false) => {
            wedge(tokens, index).or_else(|| bracketed_quantifier(tokens, index).filter(|_| in_spec))
        }
        (Token::Forall | Token::Exists, true) if in_spec => bracketed_quantifier(tokens, index),
        (_, true) if in_spec => boxes(tokens, index).or_else(|| bounded(tokens, index)),
        (infix, false) if in_spec && infix.is_temporal_infix() => bounded(tokens, index),
        (Token::EqualLess, false) => Some(Notation::operator(1, Token::LessEqual, "=<", "did you mean `<=`?")),
        (Token::LessEqual, false) if touches(tokens, index, Token::Greater) => {
            Some(Notation::operator(2, Token::Iff, "<=>", "equivalence is written `<->`"))
        }
        (Token::Less, false) if touches(tokens, index, Token::Greater) => {
            Some(Notation::operator(2, Token::NotEqual, "<>", "`a is not b` is written `a != b`"))
        }
        (Token::Minus, false) if touches(tokens, index, Token::Implies) => Some(Notation::operator(
            2,
            Token::Implies,
            "-->",
            "`p leads to q` is written `G (p -> F q)`, implication `->`",
        )),
        _ => None,
    }
}

/// Words of ours that are names elsewhere: `if c then a else b`, `sum k : T . e`, `count k : T . f`; and in classic files those of
/// the papers: `integer`, `boolean`, `keep-all`, `PROGRESS`. Tells how many tokens they take, and what they are read as.
fn our_words<'s>(
    kind: SegmentKind,
    tokens: &[Spanned<'s>],
    index: usize,
    operand_is_due: bool,
    known: &Names,
) -> Option<(usize, &'static [Token<'static>])> {
    let Token::Ident(word) = tokens[index].0 else { return None };
    let in_spec = kind == SegmentKind::Spec;
    let has_formulas = in_spec || kind == SegmentKind::System;
    let binds =
        || matches!(at(tokens, index + 1), Some(Token::Ident(_))) && at(tokens, index + 2) == Some(Token::Colon);
    let is_type = || kind.has_declarations() && before(tokens, index) == Some(Token::Colon);
    let is_of_papers = known.of_papers.contains(word);
    let read_as: &[Token] = match (word, operand_is_due) {
        ("if", true) if known.has_conditionals && begins_condition(tokens, index) => &[Token::If],
        ("then", false) if known.has_conditionals => &[Token::Then],
        ("else", false) if known.has_conditionals => &[Token::Else],
        ("sum", true) if has_formulas && binds() => &[Token::Sum],
        ("count", true) if has_formulas && binds() => &[Token::Count],
        ("where", false) if kind == SegmentKind::System => &[Token::Where],
        ("integer", _) if is_of_papers && is_type() => &[Token::IntType],
        ("boolean", _) if is_of_papers && is_type() => &[Token::Bool],
        // "Some step is possible": the relation of the papers before they complete it by steps that keep all.
        ("PROGRESS", _) if is_of_papers && in_spec => &[Token::Not, Token::Ident("deadlock")],
        // "All variables keep their values": what completes that relation where no step is possible.
        ("keep", _) if is_of_papers && in_spec && is_all(tokens, index + 1) => {
            return Some((3, &[Token::Ident("deadlock")]));
        }
        _ => return None,
    };
    Some((1, read_as))
}

/// True if `-all` stands at an index, without blanks.
fn is_all(tokens: &[Spanned], index: usize) -> bool {
    let adjoins = |index: usize| tokens[index - 1].1.end == tokens[index].1.start;
    matches!(at(tokens, index), Some(Token::Minus | Token::Dash))
        && at(tokens, index + 1) == Some(Token::Ident("all"))
        && adjoins(index)
        && adjoins(index + 1)
}

/// `x++` and `x--` in an expression.
fn stepped<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Notation<'s>> {
    let (Token::Ident(name), sign) = (tokens[index].0, at(tokens, index + 1)?) else { return None };
    let text = match sign {
        Token::Plus => "+",
        Token::Minus => "-",
        _ => return None,
    };
    // As an update it is told of elsewhere.
    let is_update = matches!(before(tokens, index), Some(Token::OpenBracket | Token::Comma))
        && matches!(at(tokens, index + 3), Some(Token::CloseBracket | Token::Comma));
    let goes_on = at(tokens, index + 3).is_some_and(|next| next.begins_operand() || next == Token::Minus);
    (touches(tokens, index + 1, sign) && !goes_on && !is_update).then(|| {
        let help =
            format!("write `{name} {text} 1`; what changes `{name}` is the update `[{name} := {name} {text} 1]`");
        Notation::operator(3, Token::Error, &text.repeat(2), help)
    })
}

/// `c ? a : b`, up to the end of the expression.
fn conditional<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Notation<'s>> {
    let is_assigned = before(tokens, index) == Some(Token::Assign);
    let within = &tokens[index..if is_assigned { end_of_expression(tokens, index) } else { index }];
    let question = within.iter().position(|(token, _)| *token == Token::Question)?;
    within[question..]
        .iter()
        .any(|(token, _)| *token == Token::Colon)
        .then(|| Notation::unread(within.len(), "`c ? a : b` is not our notation", "write `if c then a else b`"))
}

/// `p /\ q` and `p \/ q`, in the signs of quantifiers.
fn wedge<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Notation<'s>> {
    let (token, span) = tokens[index];
    let is_sign = span.end - span.start == 2;
    let quantifies = at(tokens, index + 2) == Some(Token::Colon);
    (is_sign && !quantifies).then(|| match token {
        Token::Forall => Notation::operator(1, Token::And, r"/\", "conjunction is written `&`"),
        _ => Notation::operator(1, Token::Or, r"\/", "disjunction is written `|`"),
    })
}

/// Behind the expression that begins at an index: at a separator outside of its brackets, or the bracket around it.
/// A longer expression than anyone writes ends early.
fn end_of_expression(tokens: &[Spanned], index: usize) -> usize {
    const LONGEST: usize = 300;
    let mut depth = 0usize;
    let end = tokens.len().min(index + LONGEST);
    for (at, (token, _)) in tokens[..end].iter().enumerate().skip(index) {
        let ends = matches!(token, Token::Comma | Token::Semicolon | Token::Assign | Token::OpenBrace);
        if depth == 0 && (ends || token.closes().is_some()) {
            return at;
        }
        depth = depth + usize::from(token.opens().is_some()) - usize::from(token.closes().is_some());
    }
    end
}

/// `enum.constant` and `instance.local`, written in one piece.
fn dotted<'s>(tokens: &[Spanned<'s>], index: usize, known: &Names) -> Option<Notation<'s>> {
    let (dot, last) = (tokens.get(index + 1)?, tokens.get(index + 2)?);
    let in_one_piece = dot.0 == Token::Dot && touches(tokens, index, Token::Dot) && dot.1.end == last.1.start;
    let in_domain = stands_in_domain(tokens, index);
    let (Token::Ident(member), true) = (last.0, in_one_piece && !in_domain) else { return None };
    let (owner, is_enum) = match tokens[index].0 {
        Token::Channel => ("channel", true),
        Token::Ident(owner) => (owner, known.enums.contains(owner)),
        _ => return None,
    };
    let (meant, help) = match is_enum {
        true => (Token::Ident(member), format!("a constant stands without its enum: write `{member}`")),
        false => (Token::Error, format!("the local `{member}` of an instance `{owner}` is written `{owner}-{member}`")),
    };
    Some(Notation::new(3, meant, format!("`{owner}.{member}` is not our notation"), help))
}

/// True if the name at an index is a type of `k : T1 | T2`.
fn stands_in_domain(tokens: &[Spanned], mut index: usize) -> bool {
    while before(tokens, index) == Some(Token::Or) && index > 1 && matches!(tokens[index - 2].0, Token::Ident(_)) {
        index -= 2;
    }
    before(tokens, index) == Some(Token::Colon)
}

/// `forall (k : T)`: what follows cannot be read either.
fn bracketed_quantifier<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Notation<'s>> {
    let variable = matches!(at(tokens, index + 2), Some(Token::Ident(_)));
    let is_bracketed = at(tokens, index + 1) == Some(Token::OpenParen) && at(tokens, index + 3) == Some(Token::Colon);
    (variable && is_bracketed).then(|| {
        let length = end_of_expression(tokens, index) - index;
        let help = "quantifiers are written `forall k : Type . f` and `exists k : Type . f`";
        Notation::unread(length, "a quantifier stands without parentheses", help)
    })
}

/// `sum(k : T . e)`, `sum k in T . e`, `sum T . x`: what follows cannot be read either.
fn aggregate<'s>(tokens: &[Spanned<'s>], index: usize, known: &Names) -> Option<Notation<'s>> {
    let word = match tokens[index].0 {
        Token::Ident(word @ ("sum" | "count")) if !known.words.contains(word) && !known.guards.contains(word) => word,
        _ => return None,
    };
    let follows = [at(tokens, index + 1)?, at(tokens, index + 2)?, at(tokens, index + 3)?];
    let is_other = matches!(
        follows,
        [Token::OpenParen, Token::Ident(_), Token::Colon | Token::Ident("in")]
            | [Token::Ident(_), Token::Ident("in") | Token::Dot, _]
    );
    let length = end_of_expression(tokens, index) - index;
    is_other.then(|| Notation::unread(length, format!("a {word} is written otherwise"), SUMS))
}

/// `worker[1]`, maybe with a local of it.
fn member<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Notation<'s>> {
    let follows = [at(tokens, index + 1)?, at(tokens, index + 2)?, at(tokens, index + 3)?];
    let (Token::Ident(name), [Token::OpenBracket, number, Token::CloseBracket]) = (tokens[index].0, follows) else {
        return None;
    };
    let (shown, help) = match number {
        Token::Int(number) => {
            (number.to_string(), format!("a member of a family has its number behind the name: write `{name}{number}`"))
        }
        Token::Ident(variable) => (
            variable.to_owned(),
            format!("`forall {variable} : Type . ..` is about all members: `{variable}` is one of them, no number"),
        ),
        _ => return None,
    };
    let has_local =
        at(tokens, index + 4) == Some(Token::Minus) && matches!(at(tokens, index + 5), Some(Token::Ident(_)));
    let length = if has_local { 6 } else { 4 };
    Some(Notation::unread(length, format!("`{name}[{shown}]` is not our notation"), help))
}

/// Reads `Type(name(l..u), e)` as the family that was meant.
pub fn correct_families(tokens: &mut [Spanned], diagnostics: &mut Diagnostics) {
    for index in 0..tokens.len() {
        let opens = matches!(tokens[index].0, Token::OpenParen) && index > 2;
        let within = |at: usize| matches!(tokens[at].0, Token::Ident(_));
        if !opens || !within(index - 1) || tokens[index - 2].0 != Token::OpenParen || !within(index - 3) {
            continue;
        }
        let rest = &tokens[index + 1..end_of_expression(tokens, index + 1)];
        let closes = index + 1 + rest.len();
        if rest.iter().any(|(token, _)| *token == Token::DotDot) && at(tokens, closes) == Some(Token::CloseParen) {
            let message = "the numbers of a family stand in square brackets";
            let diagnostic = Diagnostic::new(Code::UnexpectedToken, tokens[index].1, message).label("opened here");
            add(diagnostics, diagnostic.help("as in `Type(name[1..3], true)`"));
            (tokens[index].0, tokens[closes].0) = (Token::OpenBracket, Token::CloseBracket);
        }
    }
}

/// Reads `name(Type, e)` as the instance `Type(name, e)` that was meant.
pub fn correct_instances(tokens: &mut [Spanned], known: &Names, diagnostics: &mut Diagnostics) {
    for index in 1..tokens.len().saturating_sub(3) {
        let begins = matches!(tokens[index - 1].0, Token::Equal | Token::Parallel);
        let follows = [tokens[index + 1].0, tokens[index + 2].0, tokens[index + 3].0];
        let (Token::Ident(name), [Token::OpenParen, Token::Ident(agent), Token::Comma | Token::CloseParen]) =
            (tokens[index].0, follows)
        else {
            continue;
        };
        // `x = size(T)` is a condition.
        let counts = name == "size" && follows[2] == Token::CloseParen;
        if begins && known.agents.contains(agent) && !known.agents.contains(name) && !counts {
            let message = "the type comes first, then the name of the instance";
            let diagnostic = Diagnostic::new(Code::WrongKindOfName, tokens[index].1.to(tokens[index + 2].1), message);
            add(diagnostics, diagnostic.label("exchanged").help(format!("write `{agent}({name}, ..)`")));
            (tokens[index].0, tokens[index + 2].0) = (Token::Ident(agent), Token::Ident(name));
        }
    }
}

/// `g x` for a guard `g`: its arguments cannot be read either.
fn bare_call<'s>(tokens: &[Spanned<'s>], index: usize, guard: &str, in_spec: bool) -> Option<Notation<'s>> {
    let argument = |place: usize| match tokens[place].0 {
        Token::Ident("then" | "else") => None,
        // A relabelling begins there.
        Token::Ident(_) if at(tokens, place + 1) == Some(Token::LeftArrow) => None,
        Token::Ident(word) => infix_word(word, in_spec).is_none().then(|| word.to_owned()),
        Token::Int(number) => Some(number.to_string()),
        Token::True => Some("true".to_owned()),
        Token::False => Some("false".to_owned()),
        _ => None,
    };
    let arguments: Vec<String> = (index + 1..tokens.len()).map_while(argument).collect();
    (!arguments.is_empty()).then(|| {
        let message = format!("the arguments of the guard `{guard}` stand without parentheses");
        Notation::unread(1 + arguments.len(), message, format!("write `{guard}({})`", arguments.join(", ")))
    })
}

/// `[]` or `<>` where an operand is due.
fn box_or_diamond<'s>(tokens: &[Spanned], index: usize) -> Option<Token<'s>> {
    match tokens.get(index)?.0 {
        Token::OpenBracket if at(tokens, index + 1) == Some(Token::CloseBracket) => Some(Token::Globally),
        Token::Less if touches(tokens, index, Token::Greater) => Some(Token::Finally),
        _ => None,
    }
}

/// `[] f` or `<> f`, or several of them, such as `[]<> f`, of which the first counts.
fn boxes<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Notation<'s>> {
    let first = box_or_diamond(tokens, index)?;
    let more = (1..).map_while(|nth| box_or_diamond(tokens, index + 2 * nth));
    let letters: Vec<&str> =
        [first].into_iter().chain(more).map(|token| if token == Token::Globally { "G" } else { "F" }).collect();
    let help = format!("write `{} (..)`", letters.join(" "));
    Some(Notation { help, ..modal(2 * letters.len(), "", first) })
}

/// `F[0,3] f`, `f U[0,3] g`.
fn bounded<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Notation<'s>> {
    use Token::*;
    let (token, _) = tokens[index];
    let begins = at(tokens, index + 1) == Some(OpenBracket) && matches!(at(tokens, index + 2), Some(Int(_)));
    let length = (4..7).find(|length| at(tokens, index + length - 1) == Some(CloseBracket))?;
    let separates = |token| matches!(token, Comma | DotDot | Colon | CloseBracket);
    (token.is_temporal() && begins && at(tokens, index + 3).is_some_and(separates)).then(|| {
        let help = "leave the bound out; `X` is one step, `f | X (f | X f)` says `f` within two";
        Notation::new(length, token, "temporal operators have no bounds", help)
    })
}

/// `AG f`, `A[] f`, and `A` or `E` alone.
fn path_quantifier<'s>(tokens: &[Spanned<'s>], index: usize, word: &str) -> Option<Notation<'s>> {
    if let ("A" | "E", Some(token)) = (word, box_or_diamond(tokens, index + 1)) {
        return Some(modal(3, word, token));
    }
    if let ("A" | "E", Some(Token::OpenBracket)) = (word, at(tokens, index + 1)) {
        return Some(modal(2, word, Token::OpenParen));
    }
    at(tokens, index + 1).filter(|next| next.begins_operand() || *next == Token::Not)?;
    let quantifier = word.get(..1).filter(|quantifier| matches!(*quantifier, "A" | "E"))?;
    let token = match &word[1..] {
        "G" => Token::Globally,
        "F" => Token::Finally,
        "X" => Token::Next,
        _ => return None,
    };
    Some(modal(1, quantifier, token))
}

/// An operator of another notation that we write `G`, `F`, `X` or `(.. U ..)`, maybe with a path quantifier.
fn modal<'s>(length: usize, quantifier: &str, token: Token<'s>) -> Notation<'s> {
    let ours = match token {
        Token::Globally => "G ..",
        Token::Finally => "F ..",
        Token::Next => "X ..",
        _ => ".. U ..",
    };
    let (message, help) = match quantifier {
        "" if ours == ".. U .." => ("this operator is written otherwise", format!("write `({ours})`")),
        "" => ("this operator is written otherwise", format!("write `{}(..)`", &ours[..2])),
        "A" => (
            "path quantifiers stand before parentheses",
            format!("write `A({ours})`; a whole spec is about all runs without `A`"),
        ),
        _ => ("path quantifiers stand before parentheses", format!("write `{quantifier}({ours})`")),
    };
    Notation::new(length, token, message, help)
}

/// An operator as it is written, if it says all of what others mean: division is written for remainders too.
fn written(operator: Token) -> Option<&'static str> {
    let infix = operator.infix().filter(|op| *op != BinaryOp::Div);
    operator.prefix().map(UnaryOp::symbol).or(infix.map(BinaryOp::symbol))
}

/// Words before an operand.
fn prefix_word<'s>(word: &str, in_spec: bool) -> Option<Notation<'s>> {
    let (meant, help) = match (word, in_spec) {
        ("not" | "NOT", _) => (Token::Not, "negation is written `!`"),
        ("A", true) => (Token::Not, "write `A(..)`: on all runs"),
        ("E", true) => (Token::Not, "write `E(..)`: on some run"),
        ("always" | "globally", true) => (Token::Globally, "`always` is written `G`"),
        ("eventually" | "finally", true) => (Token::Finally, "`eventually` is written `F`"),
        ("next", true) => (Token::Next, "`next` is written `X`"),
        ("H" | "historically" | "O" | "P" | "once", true) => (Token::Globally, PAST),
        ("Y" | "Z" | "previously", true) => (Token::Next, PAST),
        _ => return None,
    };
    Some(Notation::operator(1, meant, word, help))
}

/// Few capital letters before an operand, which can be nothing else than an operator that we do not have: `GF f`, `N f`.
fn unknown_prefix<'s>(tokens: &[Spanned<'s>], index: usize, word: &str) -> Option<Notation<'s>> {
    use Token::*;
    let is_short = word.len() <= 3 && word.bytes().all(|letter| letter.is_ascii_uppercase());
    let last = before(tokens, index)?;
    let follows_operator = last.is_temporal()
        || matches!(last, Spec | OpenParen | Not | And | Or | Implies | Iff | Dot | ClosePossible | CloseNecessary);
    if !is_short || !follows_operator || stands_in_domain(tokens, index) {
        return None;
    }
    let letters: Vec<&str> = word.split("").filter(|letter| !letter.is_empty()).collect();
    if letters.iter().all(|letter| matches!(*letter, "X" | "F" | "G")) {
        return Some(Notation::operator(1, Next, word, format!("write `{}`", letters.join(" "))));
    }
    // In front of a parenthesis it can as well be a guard that is not declared.
    (at(tokens, index + 1) != Some(OpenParen)).then(|| Notation::operator(1, Next, word, OPERATORS))
}

/// Words between operands.
fn infix_word<'s>(word: &str, in_spec: bool) -> Option<Notation<'s>> {
    let (meant, help) = match (word, in_spec) {
        ("and" | "AND", _) => (Token::And, "conjunction is written `&`"),
        ("or" | "OR", _) => (Token::Or, "disjunction is written `|`"),
        ("implies", _) => (Token::Implies, "implication is written `->`"),
        ("iff", _) => (Token::Iff, "equivalence is written `<->`"),
        ("mod", _) => (Token::Slash, "there is no remainder; `/` rounds towards zero"),
        ("div", _) => (Token::Slash, "division is written `/`, and rounds towards zero"),
        ("xor" | "XOR", _) => (Token::Iff, "exclusive or is written `!(a <-> b)`"),
        ("until", true) => (Token::Until, "`until` is written `U`"),
        ("release" | "releases" | "V", true) => (Token::Release, "`release` is written `R`"),
        ("unless", true) => (Token::WeakUntil, "`unless` is written `W`"),
        ("S" | "since" | "T" | "triggered", true) => (Token::Until, PAST),
        _ => return None,
    };
    Some(Notation::operator(1, meant, word, help))
}
