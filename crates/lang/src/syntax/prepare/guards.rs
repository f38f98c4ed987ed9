//! Command guards in angle brackets (`docs/language.md#guards-in-angle-brackets`).
//!
//! A `<` where a step of a process may begin can be nothing else than the opening of a guard. Its
//! closing `>` is the first one that an action follows: a channel (`*` or a name) with `!` or `?`
//! behind it, or a get or supply; or a process in parentheses.

use super::around::{at, before};
use crate::syntax::token::{Spanned, Token};

/// Marks the angle brackets of guards in a process.
pub fn mark(tokens: &mut [Spanned]) {
    let mut index = 0;
    while index < tokens.len() {
        if tokens[index].0 == Token::Less && begins_step(tokens, index) {
            tokens[index].0 = Token::OpenGuard;
            if let Some(end) = closing(tokens, index) {
                tokens[end].0 = Token::CloseGuard;
                index = end;
            }
        }
        index += 1;
    }
}

/// True if what stands at an index begins a step of a process, or follows its label.
pub fn begins_step(tokens: &[Spanned], index: usize) -> bool {
    matches!(
        before(tokens, index),
        Some(Token::Colon | Token::Semicolon | Token::Plus | Token::Rep | Token::OpenParen | Token::Repeat)
    )
}

fn closing(tokens: &[Spanned], open: usize) -> Option<usize> {
    for index in open + 1..tokens.len() {
        match tokens[index].0 {
            Token::Greater if begins_action(tokens, index + 1) || begins_process(tokens, index + 1) => {
                return Some(index);
            }
            // No guard contains the beginning of another step.
            Token::Less if begins_step(tokens, index) => return None,
            Token::Semicolon | Token::Colon | Token::OpenBracket | Token::OpenBrace | Token::Assign => return None,
            _ => {}
        }
    }
    None
}

fn begins_action(tokens: &[Spanned], index: usize) -> bool {
    match at(tokens, index) {
        Some(Token::Star | Token::Ident(_)) => matches!(at(tokens, index + 1), Some(Token::Not | Token::Question)),
        other => other.is_some_and(|token| token.partner_action().is_some()),
    }
}

/// True if a process in parentheses begins at an index: no expression begins like a step.
fn begins_process(tokens: &[Spanned], index: usize) -> bool {
    let parentheses =
        tokens[index.min(tokens.len())..].iter().take_while(|(token, _)| *token == Token::OpenParen).count();
    parentheses > 0 && is_step(tokens, index + parentheses)
}

/// True if what stands at an index begins like a step.
pub fn is_step(tokens: &[Spanned], index: usize) -> bool {
    match at(tokens, index) {
        Some(Token::Ident(_)) => at(tokens, index + 1) == Some(Token::Colon),
        first => matches!(first, Some(Token::Less | Token::OpenGuard | Token::OpenBrace | Token::Rep)),
    }
}
