//! Commands without `;` or `+` between them, or without the colon behind their label.
//!
//! A command ends in `]`, a process in parentheses in `)`; where the next step begins right behind, or
//! behind a comma, it is reported, and `;` is put in. A `;` behind which no step follows is left out.

use super::around::{at, before};
use crate::diag::{Code, Diagnostic, Diagnostics, Edit};
use crate::source::Span;
use crate::syntax::findings::add;
use crate::syntax::token::{Spanned, Token};

/// The tokens of a process with all `;`, and with a colon behind each label.
pub fn separate<'s>(tokens: Vec<Spanned<'s>>, diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let mut result = Vec::with_capacity(tokens.len());
    for (index, &(token, span)) in tokens.iter().enumerate() {
        let ended = matches!(before(&tokens, index), Some(Token::CloseBracket | Token::CloseParen));
        if token == Token::Semicolon && ended && is_too_much(&tokens, index) {
            add(diagnostics, too_much(at(&tokens, index + 1), span));
        } else if ended && token == Token::Comma && begins_step(&tokens, index + 1) {
            add(diagnostics, missing("`,`", |between| Edit::replace(span, between), span));
            result.push((Token::Semicolon, span));
        } else if token == Token::OpenBrace && follows_label(&tokens, index) {
            let edit = Edit::insert(span.start, ": ");
            add(diagnostics, no_colon("`{`", span, "put a colon behind the label", edit));
            result.push((Token::Colon, Span::new(span.start as usize, span.start as usize)));
            result.push((token, span));
        } else if token == Token::Equal
            && at(&tokens, index + 1) == Some(Token::OpenBrace)
            && follows_label(&tokens, index)
        {
            add(diagnostics, no_colon("`=`", span, "write a colon", Edit::replace(span, ":")));
            result.push((Token::Colon, span));
        } else if ended && begins_step(&tokens, index) {
            let insert = |between: &str| Edit::insert(span.start, format!("{between} "));
            add(diagnostics, missing("the next command", insert, span));
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
        Some(Token::Ident(_)) => matches!(at(tokens, index + 1), Some(Token::Colon | Token::OpenBrace)),
        Some(Token::OpenParen) => before(tokens, index) == Some(Token::CloseBracket),
        Some(token) => matches!(token, Token::OpenBrace | Token::OpenGuard | Token::Rep),
        None => false,
    }
}

/// True if a name stands before an index where a command begins.
fn follows_label(tokens: &[Spanned], index: usize) -> bool {
    use Token::{CloseBracket, CloseParen, Colon, Comma, Ident, OpenParen, Plus, Semicolon};
    let begins = |token| matches!(token, Colon | OpenParen | Semicolon | Plus | Comma | CloseBracket | CloseParen);
    index >= 2 && matches!(tokens[index - 1].0, Ident(_)) && begins(tokens[index - 2].0)
}

/// True if no step follows the `;` at an index, but an alternative or the end.
fn is_too_much(tokens: &[Spanned], index: usize) -> bool {
    matches!(at(tokens, index + 1), None | Some(Token::Plus | Token::CloseParen))
}

fn too_much(next: Option<Token>, span: Span) -> Diagnostic {
    let what = match next {
        Some(Token::Plus) => "before `+`",
        Some(_) => "before `)`",
        None => "at the end of the process",
    };
    Diagnostic::new(Code::UnexpectedToken, span, format!("a `;` too much {what}"))
        .label("no command follows")
        .help("`;` stands between commands, not behind the last one")
        .fix("leave it out", [Edit::replace(span, "")])
}

fn no_colon(found: &str, span: Span, title: &str, edit: Edit) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, format!("expected `:`, found {found}"))
        .label("expected `:`")
        .help("a colon stands behind a label, and each command begins with its guard `{..}`")
        .fix(title, [edit])
}

fn missing(found: &str, write: impl Fn(&'static str) -> Edit, span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, format!("expected `;` or `+`, found {found}"))
        .label("expected `;` or `+`")
        .help("commands one after the other are separated by `;`, alternatives by `+`")
        .fix("one after the other: `;`", [write(";")])
        .fix("alternatives: `+`", [write("+")])
}
