//! Actions as the article on point-to-point communication writes them for its calculus: `Get(x, e)@l U`, `Supply(x, e)@l U`,
//! `(g)! c (e) U` and `(x) c? U`, where the language assigns data to message variables by name; and processes in `[ ]`.
//!
//! Each is reported with what to write instead. An action is read as a command of its kind that carries and changes nothing.

use super::around::{at, before};
use super::guards::is_step;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::syntax::ast::Dialect;
use crate::syntax::findings::add;
use crate::syntax::token::{PartnerAction, Spanned, Token};

/// The tokens of a process with actions of the language in place of those of the calculus.
pub fn translate<'s>(tokens: &[Spanned<'s>], dialect: Dialect, diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let mut result = Vec::with_capacity(tokens.len());
    let always = match dialect {
        Dialect::Modern => [Token::OpenBrace, Token::True, Token::CloseBrace],
        Dialect::Classic => [Token::Less, Token::True, Token::Greater],
    };
    let closings = closings(tokens);
    let mut tokens = tokens.to_vec();
    for index in 1..tokens.len() {
        if groups(&tokens, index) && tokens[closings[index]].0 == Token::CloseBracket {
            let diagnostic =
                Diagnostic::new(Code::UnbalancedBracket, tokens[index].1, "a process stands in parentheses");
            add(diagnostics, diagnostic.label("opened here").help("parentheses stand around a process: `(..)`"));
            (tokens[index].0, tokens[closings[index]].0) = (Token::OpenParen, Token::CloseParen);
        }
    }
    let mut index = 0;
    while index < tokens.len() {
        let Some(found) = find(&tokens, &closings, index) else {
            result.push(tokens[index]);
            index += 1;
            continue;
        };
        let end = end_of_updates(&tokens, &closings, found.end);
        let span = tokens[index].1.to(tokens[found.end - 1].1);
        let diagnostic = Diagnostic::new(Code::UnexpectedToken, span, found.message);
        add(diagnostics, diagnostic.label("a notation of articles").help(found.help));
        // In the calculus, what is always possible has no guard.
        if !matches!(before(&tokens, index), Some(Token::CloseBrace | Token::Greater)) {
            result.extend(always.map(|token| (token, span)));
        }
        result.extend(found.meant.into_iter().map(|token| (token, span)));
        let updates = tokens[end - 1].1;
        result.extend([Token::OpenBracket, Token::CloseBracket].map(|token| (token, updates)));
        index = end;
    }
    result
}

/// True if a square bracket opens at an index around a process: a step begins there, and one behind it.
fn groups(tokens: &[Spanned], index: usize) -> bool {
    let is_due = matches!(tokens[index - 1].0, Token::Semicolon | Token::Plus | Token::OpenParen);
    let begins = at(tokens, index + 1) == Some(Token::OpenParen) || is_step(tokens, index + 1);
    tokens[index].0 == Token::OpenBracket && is_due && begins
}

/// An action of the calculus: where its updates begin, and what it is read as without them.
struct CalculusAction<'s> {
    end: usize,
    meant: Vec<Token<'s>>,
    message: String,
    help: &'static str,
}

fn find<'s>(tokens: &[Spanned<'s>], closings: &[usize], index: usize) -> Option<CalculusAction<'s>> {
    let no_data = [Token::OpenParen, Token::CloseParen];
    match tokens[index].0 {
        Token::Ident(word) if at(tokens, index + 1) == Some(Token::OpenParen) => {
            let action = PartnerAction::named(word)?;
            let target = closings[index + 1] + 1;
            if at(tokens, target) != Some(Token::At) {
                return None;
            }
            let end = if at(tokens, target + 1)? == Token::OpenParen { closings[target + 1] + 1 } else { target + 2 };
            Some(CalculusAction {
                end,
                meant: [&[action.keyword, Token::OpenParen, action.any, Token::CloseParen], &no_data[..]].concat(),
                message: format!("a {} is written otherwise", action.word),
                help: action.example,
            })
        }
        Token::OpenParen => {
            let close = closings[index];
            let behind =
                [at(tokens, close + 1)?, at(tokens, close + 2)?, at(tokens, close + 3).unwrap_or(Token::Error)];
            match behind {
                [Token::Not, channel @ (Token::Star | Token::Ident(_)), Token::OpenParen] => {
                    let guard = tokens[index..=close].iter().map(|(token, _)| *token);
                    Some(CalculusAction {
                        end: closings[close + 3] + 1,
                        meant: [channel, Token::Not].into_iter().chain(guard).chain(no_data).collect(),
                        message: "a send begins with its channel".to_owned(),
                        help: "write `c! (guard)(MSG := e, ..)[updates]`: data are assigned to message variables",
                    })
                }
                [channel @ (Token::Star | Token::Ident(_)), Token::Question, _]
                    if is_list(&tokens[index + 1..close]) =>
                {
                    Some(CalculusAction {
                        end: close + 3,
                        meant: vec![channel, Token::Question],
                        message: "a receive does not list its data".to_owned(),
                        help: "write `c? [x := MSG]`: its guard and its updates read message variables by name",
                    })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// True if there is nothing but names, or marks for what has none.
fn is_list(tokens: &[Spanned]) -> bool {
    let is_name = |token| matches!(token, Token::Ident(_) | Token::Comma | Token::Minus | Token::Dot | Token::Error);
    tokens.iter().all(|(token, _)| is_name(*token))
}

/// For each token that opens a bracket, where it is closed; the end of the text if it is not.
fn closings(tokens: &[Spanned]) -> Vec<usize> {
    let mut closings = vec![tokens.len().saturating_sub(1); tokens.len()];
    let mut open = Vec::new();
    for (index, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::OpenParen | Token::OpenBracket => open.push(index),
            Token::CloseParen | Token::CloseBracket => {
                if let Some(opening) = open.pop() {
                    closings[opening] = index;
                }
            }
            _ => {}
        }
    }
    closings
}

/// Behind the updates that begin at an index: in brackets, or whatever stands before the next command.
fn end_of_updates(tokens: &[Spanned], closings: &[usize], start: usize) -> usize {
    let mut index = start;
    while index < tokens.len() {
        match tokens[index].0 {
            Token::OpenBracket if index == start => return closings[index] + 1,
            Token::OpenParen | Token::OpenBracket => index = closings[index],
            Token::Semicolon | Token::Plus | Token::CloseParen | Token::CloseBracket => break,
            _ => {}
        }
        index += 1;
    }
    index.min(tokens.len())
}
