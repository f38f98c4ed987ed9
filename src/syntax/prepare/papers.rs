//! Words of the papers that mean what another word of the classic dialect means: `integer`, `boolean`, `keep-all`,
//! `PROGRESS`; and recursion as they write it, `rep X . (..; X)`.
//!
//! Each is put into the words that the grammar knows, here and nowhere else. A model that declares such a word keeps it as
//! its name.

use super::segment::SegmentKind;
use super::{at, before};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::add;
use crate::syntax::token::{Spanned, Token};
use rustc_hash::FxHashSet;

/// The names that a file declares and that could be taken for words of the papers.
#[derive(Debug)]
pub struct Declared<'s>(FxHashSet<&'s str>);

impl<'s> Declared<'s> {
    /// Those of a file: enums and their constants, constants, instances, variables.
    pub fn new(tokens: &[Spanned<'s>]) -> Declared<'s> {
        use Token::{Comma, Const, Enum, OpenBrace, OpenParen};
        let start = tokens.iter().position(|(token, _)| *token == Token::Spec).unwrap_or(tokens.len());
        let names = (0..start).filter_map(|index| match tokens[index].0 {
            Token::Ident(name @ ("integer" | "boolean" | "PROGRESS" | "keep" | "all")) => {
                let declares = matches!(before(tokens, index), Some(Enum | Const | OpenBrace | OpenParen | Comma));
                declares.then_some(name)
            }
            _ => None,
        });
        Declared(names.collect())
    }

    fn is_free(&self, name: &str) -> bool {
        !self.0.contains(name)
    }
}

/// The tokens of a segment of a classic file with the papers' words replaced.
pub fn translate<'s>(kind: SegmentKind, tokens: &[Spanned<'s>], declared: &Declared) -> Vec<Spanned<'s>> {
    let mut result = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while index < tokens.len() {
        let (token, span) = tokens[index];
        let is_type = kind.has_declarations() && before(tokens, index) == Some(Token::Colon);
        let in_spec = kind == SegmentKind::Spec;
        index += 1;
        match token {
            Token::Ident("integer") if is_type && declared.is_free("integer") => result.push((Token::IntType, span)),
            Token::Ident("boolean") if is_type && declared.is_free("boolean") => result.push((Token::Bool, span)),
            // "Some step is possible": the relation of the papers before they complete it by steps that keep all.
            Token::Ident("PROGRESS") if in_spec && declared.is_free("PROGRESS") => {
                result.extend([(Token::Not, span), (Token::Ident("deadlock"), span)]);
            }
            // "All variables keep their values": what completes that relation where no step is possible.
            Token::Ident("keep") if in_spec && declared.is_free("keep") && is_all(tokens, index) => {
                result.push((Token::Ident("deadlock"), span.to(tokens[index + 1].1)));
                index += 2;
            }
            _ => result.push((token, span)),
        }
    }
    result
}

/// Whether `-all` stands at an index, without blanks.
fn is_all(tokens: &[Spanned], index: usize) -> bool {
    let adjoins = |index: usize| tokens[index - 1].1.end == tokens[index].1.start;
    matches!(at(tokens, index), Some(Token::Minus | Token::Dash))
        && at(tokens, index + 1) == Some(Token::Ident("all"))
        && adjoins(index)
        && adjoins(index + 1)
}

/// A `rep X . (..)` that is being read.
struct Recursion<'s> {
    name: Token<'s>,
    /// Where its parenthesis closes.
    end: usize,
}

/// The tokens of a process with `rep X . (.. ; X)` as `rep (..)`: a loop begins anew where its body ends.
pub fn unfold<'s>(tokens: Vec<Spanned<'s>>, diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let is_recursion =
        |window: &[Spanned]| window[0].0 == Token::Rep && is_name(window[1].0) && window[2].0 == Token::Dot;
    if !tokens.windows(3).any(is_recursion) {
        return tokens;
    }
    let closing = closing(&tokens);
    let mut open: Vec<Recursion<'s>> = Vec::new();
    let mut result = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while index < tokens.len() {
        open.retain(|recursion| index <= recursion.end);
        let (token, span) = tokens[index];
        match token {
            Token::Rep if tokens.get(index..index + 3).is_some_and(is_recursion) => {
                result.push((token, span));
                if at(&tokens, index + 3) == Some(Token::OpenParen) {
                    open.push(Recursion { name: tokens[index + 1].0, end: closing[index + 3] });
                } else {
                    add(diagnostics, no_parenthesis(tokens[index + 1].1.to(tokens[index + 2].1)));
                }
                index += 3;
                continue;
            }
            Token::Semicolon if calls(&tokens, index + 1, &open) => {
                let ends = open.last().is_some_and(|last| {
                    tokens[index + 1].0 == last.name && ends_body(&tokens, &closing, index + 2, last.end)
                });
                if !ends {
                    add(diagnostics, not_at_end(tokens[index + 1].1));
                }
                index += 2;
                continue;
            }
            _ => result.push((token, span)),
        }
        index += 1;
    }
    result
}

/// Whether a recursion can be called so: the papers write `X`, which is an operator in formulas.
fn is_name(token: Token) -> bool {
    matches!(token, Token::Ident(_) | Token::Next)
}

/// Whether the name of a recursion stands at an index.
fn calls(tokens: &[Spanned], index: usize, open: &[Recursion]) -> bool {
    let is_name = at(tokens, index).is_some_and(|token| open.iter().any(|it| it.name == token));
    is_name && at(tokens, index + 1) != Some(Token::Colon)
}

/// Whether nothing comes between an index and the end of the body that ends there.
fn ends_body(tokens: &[Spanned], closing: &[usize], from: usize, end: usize) -> bool {
    let mut index = from;
    while index < end {
        match tokens[index].0 {
            Token::CloseParen => index += 1,
            // The other alternatives, up to the parenthesis around them.
            Token::Plus => match (index..end).find(|&index| closing[index] == usize::MAX) {
                Some(next) => index = skip_alternatives(tokens, closing, next, end),
                None => return true,
            },
            _ => return false,
        }
    }
    true
}

/// The index of the parenthesis that closes around alternatives, or the end.
fn skip_alternatives(tokens: &[Spanned], closing: &[usize], from: usize, end: usize) -> usize {
    let mut index = from;
    while index < end && tokens[index].0 != Token::CloseParen {
        index = if closing[index] == usize::MAX { index + 1 } else { closing[index] + 1 };
    }
    index
}

/// For each opening parenthesis where it closes, at most at the last token.
fn closing(tokens: &[Spanned]) -> Vec<usize> {
    let mut closing = vec![usize::MAX; tokens.len()];
    let mut open = Vec::new();
    for (index, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::OpenParen => open.push(index),
            Token::CloseParen => {
                if let Some(start) = open.pop() {
                    closing[start] = index;
                }
            }
            _ => {}
        }
    }
    for start in open {
        closing[start] = tokens.len() - 1;
    }
    closing
}

fn no_parenthesis(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "a parenthesis is due behind `rep X .`")
        .label("what does it repeat?")
        .help("write `rep X . ( .. ; X )`, or `rep ( .. )`")
}

fn not_at_end(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "a process can go back to its `rep` only where it ends")
        .label("not the end of what the innermost `rep` repeats")
        .help("a loop begins anew where its body ends: write `rep ( .. )`, with what follows outside of it")
}
