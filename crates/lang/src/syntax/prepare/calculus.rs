//! Actions as the article on point-to-point communication writes them for its calculus: `Get(x, e)@l U`, `Supply(x, e)@l U`,
//! `(g)! c (e) U` and `(x) c? U`, where the language assigns data to message variables by name; and processes in `[ ]`.
//!
//! Each is reported with what to write instead. An action is read as a command of its kind that carries and changes nothing.

use super::{at, before};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::syntax::add;
use crate::syntax::ast::Dialect;
use crate::syntax::token::{Spanned, Token};

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
    let begins = match at(tokens, index + 1) {
        Some(Token::Less | Token::OpenBrace | Token::OpenParen | Token::Rep) => true,
        Some(Token::Ident(_)) => at(tokens, index + 2) == Some(Token::Colon),
        _ => false,
    };
    tokens[index].0 == Token::OpenBracket && is_due && begins
}

/// An action of the calculus: where its updates begin, and what it is read as without them.
struct CalculusAction<'s> {
    end: usize,
    meant: Vec<Token<'s>>,
    message: &'static str,
    help: &'static str,
}

fn find<'s>(tokens: &[Spanned<'s>], closings: &[usize], index: usize) -> Option<CalculusAction<'s>> {
    let no_data = [Token::OpenParen, Token::CloseParen];
    match tokens[index].0 {
        Token::Ident(word) if at(tokens, index + 1) == Some(Token::OpenParen) => {
            let is_get = word.eq_ignore_ascii_case("get");
            let target = closings[index + 1] + 1;
            let names_partner = at(tokens, target) == Some(Token::At) && tokens.len() > target + 1;
            if !names_partner || !is_get && !word.eq_ignore_ascii_case("supply") {
                return None;
            }
            let end = if tokens[target + 1].0 == Token::OpenParen { closings[target + 1] + 1 } else { target + 2 };
            Some(match is_get {
                true => CalculusAction {
                    end,
                    meant: [&[Token::Get, Token::OpenParen, Token::True, Token::CloseParen], &no_data[..]].concat(),
                    message: "a get is written otherwise",
                    help: "write `GET@(true)(D := demand)[rating := RT]`: whom it asks (a name, or a condition on property \
                           variables), what it hands over, and updates, which read the message variables of the supplier",
                },
                false => CalculusAction {
                    end,
                    meant: [&[Token::Supply, Token::OpenParen, Token::Ident("any"), Token::CloseParen], &no_data[..]]
                        .concat(),
                    message: "a supply is written otherwise",
                    help: "write `SUPPLY@(any)(RT := rating)[demand := D]`, or `SUPPLY@(myself)` where gets name the \
                           supplier: what it hands over, and updates, which read the message variables of the getter",
                },
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
                        message: "a send begins with its channel",
                        help: "write `c! (guard)(MSG := e, ..)[updates]`: data are assigned to message variables",
                    })
                }
                [channel @ (Token::Star | Token::Ident(_)), Token::Question, _]
                    if is_list(&tokens[index + 1..close]) =>
                {
                    Some(CalculusAction {
                        end: close + 3,
                        meant: vec![channel, Token::Question],
                        message: "a receive does not list its data",
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
