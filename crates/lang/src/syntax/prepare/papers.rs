//! Words of the papers that mean what another word of the classic dialect means: `integer`, `boolean`, `keep-all`,
//! `PROGRESS`.
//!
//! Each is put into the words that the grammar knows, here and nowhere else. A model that declares such a word keeps it as
//! its name.

use super::segment::SegmentKind;
use super::{at, before};
use crate::syntax::token::{Spanned, Token};
use rustc_hash::FxHashSet;

/// The names that a file declares and that could be taken for words of the papers.
#[derive(Debug)]
pub struct Declared<'s>(FxHashSet<&'s str>);

impl<'s> Declared<'s> {
    /// Those of a file: enums and their constants, constants, instances, variables.
    pub fn new(tokens: &[Spanned<'s>]) -> Declared<'s> {
        use Token::{Comma, Const, Enum, OpenBrace, OpenParen};
        let start = tokens.iter().position(|(token, _)| *token == Token::Spec).unwrap_or(tokens.len());
        let names = (0..start).filter_map(|index| match tokens[index].0 {
            Token::Ident(name @ ("integer" | "boolean" | "PROGRESS" | "keep" | "all")) => {
                let declares = matches!(before(tokens, index), Some(Enum | Const | OpenBrace | OpenParen | Comma));
                declares.then_some(name)
            }
            _ => None,
        });
        Declared(names.collect())
    }

    fn is_free(&self, name: &str) -> bool {
        !self.0.contains(name)
    }
}

/// The tokens of a segment of a classic file with the papers' words replaced.
pub fn translate<'s>(kind: SegmentKind, tokens: &[Spanned<'s>], declared: &Declared) -> Vec<Spanned<'s>> {
    let mut result = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while index < tokens.len() {
        let (token, span) = tokens[index];
        let is_type = kind.has_declarations() && before(tokens, index) == Some(Token::Colon);
        let in_spec = kind == SegmentKind::Spec;
        index += 1;
        match token {
            Token::Ident("integer") if is_type && declared.is_free("integer") => result.push((Token::IntType, span)),
            Token::Ident("boolean") if is_type && declared.is_free("boolean") => result.push((Token::Bool, span)),
            // "Some step is possible": the relation of the papers before they complete it by steps that keep all.
            Token::Ident("PROGRESS") if in_spec && declared.is_free("PROGRESS") => {
                result.extend([(Token::Not, span), (Token::Ident("deadlock"), span)]);
            }
            // "All variables keep their values": what completes that relation where no step is possible.
            Token::Ident("keep") if in_spec && declared.is_free("keep") && is_all(tokens, index) => {
                result.push((Token::Ident("deadlock"), span.to(tokens[index + 1].1)));
                index += 2;
            }
            _ => result.push((token, span)),
        }
    }
    result
}

/// True if `-all` stands at an index, without blanks.
fn is_all(tokens: &[Spanned], index: usize) -> bool {
    let adjoins = |index: usize| tokens[index - 1].1.end == tokens[index].1.start;
    matches!(at(tokens, index), Some(Token::Minus | Token::Dash))
        && at(tokens, index + 1) == Some(Token::Ident("all"))
        && adjoins(index)
        && adjoins(index + 1)
}
