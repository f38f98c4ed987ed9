//! Observations in single brackets: `<O> f` and `[O] f` in specs.
//!
//! A `[` in a spec can be nothing else than such a bracket, and neither can a `<` where an operand is
//! due. Which `>` closes `<` is decided so: a `>` outside of parentheses closes unless it is a
//! comparison, and it is one if
//! - the piece of the observation before it, back to the last connective, can be compared: it has no
//!   comparison yet, and is not Boolean by itself (`true`, `p2p`, `exists(..)`, a Boolean message variable ..), and
//! - a later `>` can still close: only what may stand in an observation lies between, and no number follows it.

use super::around::{at, before};
use super::names::Names;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::findings::add;
use crate::syntax::token::{Spanned, Token};

/// Marks the single brackets of observations in a spec. Where `]` closes `[[`, that is reported.
pub fn mark(tokens: &mut [Spanned], known: &Names, diagnostics: &mut Diagnostics) {
    // For each open square bracket, whether it is a single one.
    let mut squares = Vec::new();
    for index in 0..tokens.len() {
        match tokens[index].0 {
            Token::OpenNecessary => squares.push(false),
            Token::OpenBracket => {
                tokens[index].0 = Token::OpenNecessary;
                squares.push(true);
            }
            Token::CloseNecessary => drop(squares.pop()),
            Token::CloseBracket if !squares.is_empty() => {
                tokens[index].0 = Token::CloseNecessary;
                if squares.pop() == Some(false) {
                    add(diagnostics, half_closed(tokens[index].1));
                }
            }
            Token::Less if operand_is_due(tokens, index) => {
                tokens[index].0 = Token::OpenPossible;
                if let Some(end) = closing(tokens, index, known) {
                    tokens[end].0 = Token::ClosePossible;
                }
            }
            _ => {}
        }
    }
}

fn half_closed(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnbalancedBracket, span, "one bracket is missing here")
        .label("closes `[[`")
        .help("an observation is written `[[observation]] f`: close it with `]]`")
}

/// Reports single brackets around something of the state, `[i-x = 3]`, in modern files. That is neither an
/// observation nor a parenthesis, so it is not read.
pub fn refuse_states<'s>(tokens: Vec<Spanned<'s>>, diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let mut result = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while index < tokens.len() {
        let length = around_state(&tokens[index..]);
        let span = tokens[index].1.to(tokens[index + length.unwrap_or(1) - 1].1);
        if length.is_some() {
            add(
                diagnostics,
                Diagnostic::new(Code::UnexpectedToken, span, "square brackets are no parentheses")
                    .label("neither a condition nor an observation")
                    .help("conditions on the state stand in `( )`, observations of a step in `[[ ]]` or `<< >>`"),
            );
        }
        result.push(if length.is_some() { (Token::Error, span) } else { tokens[index] });
        index += length.unwrap_or(1);
    }
    result
}

/// How many tokens stand in a single bracket that begins here, if a qualified name is among them.
fn around_state(tokens: &[Spanned]) -> Option<usize> {
    if tokens[0].0 != Token::OpenNecessary || tokens[0].1.end - tokens[0].1.start != 1 {
        return None;
    }
    // Up to the next bracket of this kind, so that no text is looked at twice.
    let is_bracket = |token| matches!(token, Token::OpenNecessary | Token::CloseNecessary);
    let end = 1 + tokens[1..].iter().position(|(token, _)| is_bracket(*token))?;
    let length = (tokens[end].0 == Token::CloseNecessary).then_some(end + 1)?;
    let is_state =
        |pair: &[Spanned]| pair[0].0 == Token::Dash && matches!(pair[1].0, Token::Ident(_) | Token::AutomatonState);
    tokens[..length].windows(2).any(is_state).then_some(length)
}

fn operand_is_due(tokens: &[Spanned], index: usize) -> bool {
    !before(tokens, index).is_some_and(Token::ends_operand)
}

/// The piece of an observation since the last connective.
#[derive(Default)]
struct Piece<'s> {
    compared: bool,
    first: Option<Token<'s>>,
    tokens: usize,
}

impl<'s> Piece<'s> {
    fn add(&mut self, token: Token<'s>) {
        self.first.get_or_insert(token);
        self.tokens += 1;
    }

    fn can_be_compared(&self, known: &Names) -> bool {
        let is_boolean = match self.first {
            Some(Token::Forall | Token::Exists | Token::At) => true,
            Some(Token::True | Token::False | Token::Ident("p2p")) => self.tokens == 1,
            Some(Token::Ident(name)) => self.tokens == 1 && known.boolean.contains(name),
            _ => false,
        };
        !self.compared && !is_boolean
    }
}

fn closing(tokens: &[Spanned], open: usize, known: &Names) -> Option<usize> {
    let mut depth = 0usize;
    let mut piece = Piece::default();
    for (index, &(token, _)) in tokens.iter().enumerate().skip(open + 1) {
        match token {
            Token::OpenParen => depth += 1,
            Token::CloseParen if depth == 0 => return None,
            Token::CloseParen => depth -= 1,
            _ if ends_observation(tokens, index) => return None,
            _ => {}
        }
        if depth > 0 {
            continue;
        }
        match token {
            Token::Greater if !(piece.can_be_compared(known) && closes_later(tokens, index)) => return Some(index),
            Token::And | Token::Or | Token::Implies | Token::FatArrow | Token::Iff | Token::Not => {
                piece = Piece::default();
            }
            token if token.is_comparison() => piece.compared = true,
            token => piece.add(token),
        }
    }
    None
}

/// True if a `>` after the one at an index can close the observation.
fn closes_later(tokens: &[Spanned], index: usize) -> bool {
    let mut depth = 0usize;
    for (later, &(token, _)) in tokens.iter().enumerate().skip(index + 1) {
        match token {
            Token::OpenParen => depth += 1,
            Token::CloseParen if depth == 0 => return false,
            Token::CloseParen => depth -= 1,
            Token::Greater if depth == 0 => return !matches!(at(tokens, later + 1), Some(Token::Int(_)) | None),
            _ if ends_observation(tokens, later) => return false,
            _ => {}
        }
    }
    false
}

/// True if no observation can contain what stands at an index.
fn ends_observation(tokens: &[Spanned], index: usize) -> bool {
    match tokens[index].0 {
        token if token.is_temporal() => true,
        Token::Semicolon
        | Token::Colon
        | Token::Dash
        | Token::OpenBracket
        | Token::OpenNecessary
        | Token::OpenPossible => true,
        Token::Less => operand_is_due(tokens, index),
        _ => false,
    }
}
