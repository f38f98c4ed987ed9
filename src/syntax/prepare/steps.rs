//! Commands without `;` or `+` between them.
//!
//! A command ends in `]`, a process in parentheses in `)`; where the next step begins right behind, or
//! behind a comma, it is reported, and `;` is put in.

use super::{at, before};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::add;
use crate::syntax::token::{Spanned, Token};

/// The tokens of a process with all `;`.
pub fn separate<'s>(tokens: Vec<Spanned<'s>>, diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let mut result = Vec::with_capacity(tokens.len());
    for (index, &(token, span)) in tokens.iter().enumerate() {
        let ended = matches!(before(&tokens, index), Some(Token::CloseBracket | Token::CloseParen));
        if ended && token == Token::Comma && begins_step(&tokens, index + 1) {
            add(diagnostics, missing("`,`", span));
            result.push((Token::Semicolon, span));
        } else if ended && begins_step(&tokens, index) {
            add(diagnostics, missing("the next command", span));
            result.push((Token::Semicolon, Span::new(span.start as usize, span.start as usize)));
            result.push((token, span));
        } else {
            result.push((token, span));
        }
    }
    result
}

fn begins_step(tokens: &[Spanned], index: usize) -> bool {
    match at(tokens, index) {
        Some(Token::Ident(_)) => at(tokens, index + 1) == Some(Token::Colon),
        Some(Token::OpenParen) => before(tokens, index) == Some(Token::CloseBracket),
        Some(token) => matches!(token, Token::OpenBrace | Token::OpenGuard | Token::Rep),
        None => false,
    }
}

fn missing(found: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, format!("expected `;` or `+`, found {found}"))
        .label("expected `;` or `+`")
        .help("commands one after the other are separated by `;`, alternatives by `+`")
}
