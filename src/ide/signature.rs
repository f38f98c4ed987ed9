//! The parameters of the guard whose call is being typed.

use super::analysis::Analysis;
use super::place::Before;
use crate::source::SourceFile;
use crate::syntax::ast::Global;
use crate::syntax::token::Token;

/// A guard with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// As in `g(x : int, y : bool)`.
    pub label: String,
    /// The place of each parameter in the label, in bytes.
    pub parameters: Vec<(usize, usize)>,
    /// Which argument the place is in, from 0.
    pub active: usize,
    /// The meaning of the guard.
    pub body: String,
}

/// The guard whose arguments a place stands in.
pub fn signature(analysis: &Analysis, offset: usize) -> Option<Signature> {
    let prefix = SourceFile::new("", &analysis.source.text()[..offset]);
    let before = Before::new(&prefix);
    let tokens = before.tokens();
    before.brackets().iter().rev().find_map(|&bracket| {
        let Token::Ident(name) = tokens[bracket.checked_sub(1)?].0 else { return None };
        let guard = analysis.parsed.model.globals.iter().find_map(|global| match global {
            Global::Guard(guard) if guard.name.name == name => Some(guard),
            _ => None,
        })?;
        let (mut label, mut parameters) = (format!("{name}("), Vec::new());
        for (index, parameter) in guard.parameters.iter().enumerate() {
            label.push_str(if index > 0 { ", " } else { "" });
            let start = label.len();
            label.push_str(&format!("{} : {}", parameter.name.name, analysis.source.slice(parameter.ty.span)));
            parameters.push((start, label.len()));
        }
        label.push(')');
        let active = before.directly_in(bracket).filter(|token| *token == Token::Comma).count();
        Some(Signature { label, parameters, active, body: analysis.source.slice(guard.body.span).to_owned() })
    })
}
