//! Notations of other languages: `AG f` and `E<> f` of branching time, `[] f` and `<> f`, `p --> q`,
//! `x <> y`, and words for operators (`and`, `not`, `until` ..).
//!
//! Each is reported with what to write instead, and read as that, so that nothing else is reported
//! about it. They are known by places where ours cannot stand; all names remain free for other use.

use super::at;
use super::segment::SegmentKind;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::syntax::add;
use crate::syntax::token::{Spanned, Token};
use rustc_hash::FxHashSet;

/// A notation that was found: how many tokens it takes, what it is read as, what is wrong, what to do.
struct Found<'s> {
    length: usize,
    meant: Token<'s>,
    message: String,
    help: String,
}

/// The names of the guards: `AG(x)` is a call if there is a guard of that name.
pub fn guard_names<'s>(tokens: &[Spanned<'s>]) -> FxHashSet<&'s str> {
    let name = |pair: &[Spanned<'s>]| match (pair[0].0, pair[1].0) {
        (Token::Guard, Token::Ident(name)) => Some(name),
        _ => None,
    };
    tokens.windows(2).filter_map(name).collect()
}

/// The tokens of a segment in our notation.
pub fn translate<'s>(
    kind: SegmentKind,
    tokens: &[Spanned<'s>],
    guards: &FxHashSet<&str>,
    diagnostics: &mut Diagnostics,
) -> Vec<Spanned<'s>> {
    if !has_expressions(kind) {
        return tokens.to_vec();
    }
    let mut result = Vec::with_capacity(tokens.len());
    // For each open square bracket, whether it is read as a parenthesis.
    let mut squares = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let operand_is_due = !result.last().is_some_and(|(token, _): &Spanned| token.ends_operand());
        let found = find(kind, tokens, index, operand_is_due, guards);
        let length = found.as_ref().map_or(1, |found| found.length);
        let span = tokens[index].1.to(tokens[index + length - 1].1);
        let token = match (tokens[index].0, &found) {
            (_, Some(found)) => found.meant,
            (Token::CloseBracket, None) if squares.pop() == Some(true) => Token::CloseParen,
            (token, None) => token,
        };
        if tokens[index + length - 1].0 == Token::OpenBracket {
            squares.push(token == Token::OpenParen);
        }
        if let Some(found) = found {
            let diagnostic = Diagnostic::new(Code::UnexpectedToken, span, found.message);
            add(diagnostics, diagnostic.label("not our notation").help(found.help));
        }
        result.push((token, span));
        index += length;
    }
    result
}

fn has_expressions(kind: SegmentKind) -> bool {
    use SegmentKind::*;
    matches!(kind, Guard | Init | Relabel | ReceiveGuard | Repeat | System | Spec)
}

fn find<'s>(
    kind: SegmentKind,
    tokens: &[Spanned<'s>],
    index: usize,
    operand_is_due: bool,
    guards: &FxHashSet<&str>,
) -> Option<Found<'s>> {
    let in_spec = kind == SegmentKind::Spec;
    match (tokens[index].0, operand_is_due) {
        (Token::Ident(word), true) => {
            let next = at(tokens, index + 1)?;
            let is_call = next == Token::OpenParen && guards.contains(word);
            let is_prefix = begins_operand(next) && !is_call;
            let path = in_spec.then(|| path_quantifier(tokens, index, word)).flatten();
            path.or_else(|| is_prefix.then(|| prefix_word(word, in_spec)).flatten())
        }
        (Token::Ident(word), false) => {
            let next = at(tokens, index + 1)?;
            let goes_on = begins_operand(next) || matches!(next, Token::Not | Token::Minus);
            goes_on.then(|| infix_word(word, in_spec)).flatten()
        }
        (_, true) if in_spec => box_or_diamond(tokens, index).map(|token| modal(2, "", token)),
        (Token::Less, false) if touches(tokens, index, Token::Greater) => {
            Some(operator(2, Token::NotEqual, "<>", "`a is not b` is written `a != b`"))
        }
        (Token::Minus, false) if touches(tokens, index, Token::Implies) => {
            Some(operator(2, Token::Implies, "-->", "`p leads to q` is written `G (p -> F q)`, implication `->`"))
        }
        _ => None,
    }
}

fn begins_operand(token: Token) -> bool {
    matches!(
        token,
        Token::Ident(_)
            | Token::Int(_)
            | Token::True
            | Token::False
            | Token::OpenParen
            | Token::At
            | Token::Chan
            | Token::Finally
            | Token::Globally
            | Token::Next
    )
}

/// Whether a token of the given kind follows without a gap.
fn touches(tokens: &[Spanned], index: usize, next: Token) -> bool {
    tokens.get(index + 1).is_some_and(|(token, span)| *token == next && span.start == tokens[index].1.end)
}

/// `[]` or `<>` where an operand is due.
fn box_or_diamond<'s>(tokens: &[Spanned], index: usize) -> Option<Token<'s>> {
    match tokens.get(index)?.0 {
        Token::OpenBracket if at(tokens, index + 1) == Some(Token::CloseBracket) => Some(Token::Globally),
        Token::Less if touches(tokens, index, Token::Greater) => Some(Token::Finally),
        _ => None,
    }
}

/// `AG f`, `A[] f`, and `A` or `E` alone.
fn path_quantifier<'s>(tokens: &[Spanned<'s>], index: usize, word: &str) -> Option<Found<'s>> {
    if let ("A" | "E", Some(token)) = (word, box_or_diamond(tokens, index + 1)) {
        return Some(modal(3, word, token));
    }
    if let ("A" | "E", Some(Token::OpenBracket)) = (word, at(tokens, index + 1)) {
        return Some(modal(2, word, Token::OpenParen));
    }
    at(tokens, index + 1).filter(|next| begins_operand(*next) || *next == Token::Not)?;
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
fn modal<'s>(length: usize, quantifier: &str, token: Token<'s>) -> Found<'s> {
    let (ours, dual) = match token {
        Token::Globally => ("G (..)", "F !(..)"),
        Token::Finally => ("F (..)", "G !(..)"),
        Token::Next => ("X (..)", "X !(..)"),
        _ => ("(.. U ..)", "!(.. U ..)"),
    };
    let (message, help) = match quantifier {
        "" => ("this operator is written otherwise".to_owned(), format!("write `{ours}`")),
        "A" => (
            "specs have no path quantifiers".to_owned(),
            format!("LTOL is linear time, and a spec speaks about all runs anyway: write `{ours}`"),
        ),
        _ => (
            "specs have no path quantifiers".to_owned(),
            format!(
                "LTOL is linear time: a spec speaks about all runs; a run of `{ours}` is \
                 a counterexample of `{dual}`"
            ),
        ),
    };
    Found { length, meant: token, message, help }
}

fn operator<'s>(length: usize, meant: Token<'s>, text: &str, help: &str) -> Found<'s> {
    Found { length, meant, message: format!("`{text}` is no operator"), help: help.to_owned() }
}

/// Words before an operand.
fn prefix_word<'s>(word: &str, in_spec: bool) -> Option<Found<'s>> {
    let past = "past operators are not part of the language";
    let (meant, help) = match (word, in_spec) {
        ("not" | "NOT", _) => (Token::Not, "negation is written `!`"),
        ("always" | "globally", true) => (Token::Globally, "`always` is written `G`"),
        ("eventually" | "finally", true) => (Token::Finally, "`eventually` is written `F`"),
        ("next", true) => (Token::Next, "`next` is written `X`"),
        ("H" | "historically" | "O" | "once", true) => (Token::Globally, past),
        ("Y" | "Z" | "previously", true) => (Token::Next, past),
        _ => return None,
    };
    Some(operator(1, meant, word, help))
}

/// Words between operands.
fn infix_word<'s>(word: &str, in_spec: bool) -> Option<Found<'s>> {
    let (meant, help) = match (word, in_spec) {
        ("and" | "AND", _) => (Token::And, "conjunction is written `&`"),
        ("or" | "OR", _) => (Token::Or, "disjunction is written `|`"),
        ("implies", _) => (Token::Implies, "implication is written `->`"),
        ("iff", _) => (Token::Iff, "equivalence is written `<->`"),
        ("xor" | "XOR", _) => (Token::Iff, "exclusive or is written `!(a <-> b)`"),
        ("until", true) => (Token::Until, "`until` is written `U`"),
        ("release" | "releases" | "V", true) => (Token::Release, "`release` is written `R`"),
        ("unless", true) => (Token::WeakUntil, "`unless` is written `W`"),
        ("S" | "since", true) => (Token::Until, "past operators are not part of the language"),
        _ => return None,
    };
    Some(operator(1, meant, word, help))
}
