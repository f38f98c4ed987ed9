//! Qualified names: `k-x` is one where `k` is an instance or a quantified variable, else a subtraction.

use super::around::{at, before};
use super::names::Names;
use crate::syntax::token::{Spanned, Token};
use rustc_hash::FxHashSet;

/// Marks the dashes of qualified names in a spec.
pub fn mark(tokens: &mut [Spanned], known: &Names) {
    let variables = quantified_variables(tokens);
    for index in 0..tokens.len() {
        let Token::Ident(owner) = tokens[index].0 else { continue };
        let is_member = matches!(at(tokens, index + 2), Some(Token::Ident(_) | Token::AutomatonState | Token::Myself));
        let is_owner = known.owns(owner) || variables.contains(owner);
        // The member of a qualified name owns nothing itself: `a-b-c` is `(a-b) - c`. Neither does a property.
        let is_free = !matches!(before(tokens, index), Some(Token::Dash | Token::At));
        if is_owner && is_free && is_member && at(tokens, index + 1) == Some(Token::Minus) {
            tokens[index + 1].0 = Token::Dash;
        }
    }
}

fn quantified_variables<'s>(tokens: &[Spanned<'s>]) -> FxHashSet<&'s str> {
    let binds = |token| matches!(token, Token::Forall | Token::Exists | Token::Sum | Token::Count);
    let mut variables = FxHashSet::default();
    for (index, _) in tokens.iter().enumerate().filter(|(_, (token, _))| binds(*token)) {
        let names = tokens[index + 1..].iter().take_while(|(token, _)| matches!(token, Token::Ident(_) | Token::Comma));
        variables.extend(names.filter_map(|(token, _)| match token {
            Token::Ident(name) => Some(*name),
            _ => None,
        }));
    }
    variables
}
