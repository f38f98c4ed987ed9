//! Qualified names: `k-x` is one where `k` is an instance or a quantified variable, else a subtraction.

use super::{at, before};
use crate::syntax::token::{Spanned, Token};
use rustc_hash::FxHashSet;

/// The names of instances and of families, whose members have a number behind that.
#[derive(Debug, Default)]
pub struct Owners<'s> {
    instances: FxHashSet<&'s str>,
    families: FxHashSet<&'s str>,
}

impl<'s> Owners<'s> {
    fn contains(&self, name: &str) -> bool {
        self.instances.contains(name) || self.families.iter().any(|family| is_member_of(name, family))
    }
}

/// True if a name is that of a family, which is a mistake, or has a number behind it.
fn is_member_of(name: &str, family: &str) -> bool {
    let number = name.strip_prefix(family);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The names of the instances: second names in `system = Type(name, ..) || Type(name[1..3], ..) || ..`.
pub fn owners<'s>(tokens: &[Spanned<'s>]) -> Owners<'s> {
    let system = tokens.iter().position(|(token, _)| *token == Token::System).unwrap_or(tokens.len());
    let composition = tokens[system..].iter().take_while(|(token, _)| *token != Token::Spec);
    let tokens: Vec<Token<'s>> = composition.map(|(token, _)| *token).collect();
    let mut owners = Owners::default();
    for window in tokens.windows(4) {
        match window {
            [Token::Ident(_), Token::OpenParen, Token::Ident(name), Token::Comma | Token::CloseParen] => {
                owners.instances.insert(*name);
            }
            [Token::Ident(_), Token::OpenParen, Token::Ident(name), Token::OpenBracket] => {
                owners.families.insert(*name);
            }
            _ => {}
        }
    }
    owners
}

/// The names of the agent types.
pub fn agent_names<'s>(tokens: &[Spanned<'s>]) -> FxHashSet<&'s str> {
    let name = |pair: &[Spanned<'s>]| match (pair[0].0, pair[1].0) {
        (Token::Agent, Token::Ident(name)) => Some(name),
        _ => None,
    };
    tokens.windows(2).filter_map(name).collect()
}

/// Marks the dashes of qualified names in a spec.
pub fn mark<'s>(tokens: &mut [Spanned<'s>], owners: &Owners<'s>) {
    let variables = quantified_variables(tokens);
    for index in 0..tokens.len() {
        let Token::Ident(owner) = tokens[index].0 else { continue };
        let is_member = matches!(at(tokens, index + 2), Some(Token::Ident(_) | Token::AutomatonState | Token::Myself));
        let is_owner = owners.contains(owner) || variables.contains(owner);
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
