//! Recursion as the papers write it: `rep X . (a ; X + b ; X)` is `rep (a + b)`, where each alternative ends in `X` and
//! nothing else does.

use super::around::at;
use super::guards::begins_step;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::findings::add;
use crate::syntax::token::{Spanned, Token};

/// The tokens of a process with plain loops in place of recursion; what is no plain loop is reported.
pub fn unfold<'s>(tokens: &[Spanned<'s>], diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let (mut left_out, mut unreadable) = (vec![false; tokens.len()], vec![false; tokens.len()]);
    for index in (0..tokens.len()).filter(|&index| is_recursion(tokens, index)) {
        let name = tokens[index + 1].0;
        let end = closing(tokens, index + 3).unwrap_or(tokens.len());
        let calls: Vec<usize> = (index + 4..end).filter(|&place| is_call(tokens, place, name)).collect();
        let ends = ends_of_alternatives(tokens, index + 4, end);
        if calls.is_empty() || ends != calls {
            add(diagnostics, no_loop(tokens[index + 1].1.to(tokens[index + 2].1)));
        }
        left_out[index + 1..index + 3].fill(true);
        for place in calls {
            left_out[place] = true;
            left_out[place - 1] |= tokens[place - 1].0 == Token::Semicolon;
            // With a guard of its own it cannot be read, which was reported.
            if let Some(guard) = guard_before(tokens, place) {
                left_out[guard..place].fill(true);
                unreadable[place] = true;
            }
        }
    }
    let token = |(index, (token, left_out)): (usize, (&Spanned<'s>, bool))| match (unreadable[index], left_out) {
        (true, _) => Some((Token::Error, token.1)),
        (false, true) => None,
        (false, false) => Some(*token),
    };
    tokens.iter().zip(left_out).enumerate().filter_map(token).collect()
}

/// Where the guard begins that ends before an index, if one does. At most so many tokens are looked at.
fn guard_before(tokens: &[Spanned], index: usize) -> Option<usize> {
    let opening = match tokens[index - 1].0 {
        Token::CloseBrace => Token::OpenBrace,
        Token::Greater => Token::Less,
        _ => return None,
    };
    let begins = |place: &usize| tokens[*place].0 == opening && begins_step(tokens, *place);
    const LONGEST: usize = 300;
    (index.saturating_sub(LONGEST)..index).rev().find(begins)
}

/// True if `rep X .` begins at an index. The papers write `X`, which is an operator in formulas.
fn is_recursion(tokens: &[Spanned], index: usize) -> bool {
    tokens[index].0 == Token::Rep
        && matches!(at(tokens, index + 1), Some(Token::Ident(_) | Token::Next))
        && at(tokens, index + 2) == Some(Token::Dot)
}

/// True if the name of a recursion stands at an index, as a process.
fn is_call(tokens: &[Spanned], index: usize, name: Token) -> bool {
    let begins = matches!(
        tokens[index - 1].0,
        Token::Semicolon | Token::Plus | Token::OpenParen | Token::Greater | Token::CloseBrace
    );
    let ends = matches!(at(tokens, index + 1), None | Some(Token::Semicolon | Token::Plus | Token::CloseParen));
    tokens[index].0 == name && begins && ends
}

/// The index at which the parenthesis closes that opens at an index, if one does.
fn closing(tokens: &[Spanned], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (index, (token, _)) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::OpenParen => depth += 1,
            Token::CloseParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (index > open).then_some(index);
        }
    }
    None
}

/// The last tokens of the alternatives of a body, where a `;` stands before each.
fn ends_of_alternatives(tokens: &[Spanned], start: usize, end: usize) -> Vec<usize> {
    let mut depth = 0;
    let mut ends = Vec::new();
    for index in start..=end.min(tokens.len().saturating_sub(1)) {
        match tokens[index].0 {
            Token::Plus | Token::CloseParen if depth == 0 => {
                // Inside of data and guards a `+` is an addition: nothing ends in `; X` there.
                let is_sequence = index >= start + 2 && tokens[index - 2].0 == Token::Semicolon;
                ends.push(if is_sequence { index - 1 } else { usize::MAX });
            }
            Token::OpenParen | Token::OpenBracket | Token::OpenBrace => depth += 1,
            Token::CloseParen | Token::CloseBracket | Token::CloseBrace => depth -= 1,
            _ => {}
        }
    }
    ends
}

fn no_loop(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "a name of a process is read in plain loops only")
        .label("no loop in which each alternative ends in this name, and nothing else does")
        .help("write `rep ( .. )`: it begins anew where its body ends; what comes once stands before it")
}
