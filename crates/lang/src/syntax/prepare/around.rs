//! Looks at the tokens around an index, and at names behind keywords.

use crate::syntax::token::{Spanned, Token};

/// True if an operand ends with a token. Behind `if`, `then`, `else` and `where` one begins, although they may be names.
pub fn completes_operand(token: Token) -> bool {
    token.ends_operand() && !matches!(token, Token::Ident("if" | "then" | "else" | "where"))
}

/// The names that stand directly behind a keyword.
pub fn names_behind<'a, 's>(tokens: &'a [Spanned<'s>], keyword: Token<'a>) -> impl Iterator<Item = &'s str> + 'a {
    tokens.windows(2).filter_map(move |pair| match (pair[0].0, pair[1].0) {
        (token, Token::Ident(name)) if token == keyword => Some(name),
        _ => None,
    })
}

/// The token at an index, if there is one.
pub fn at<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Token<'s>> {
    tokens.get(index).map(|(token, _)| *token)
}

/// The token before an index, if there is one.
pub fn before<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Token<'s>> {
    index.checked_sub(1).and_then(|index| at(tokens, index))
}

/// True if a token of the given kind follows without a gap.
pub fn touches(tokens: &[Spanned], index: usize, next: Token) -> bool {
    tokens.get(index + 1).is_some_and(|(token, span)| *token == next && span.start == tokens[index].1.end)
}
