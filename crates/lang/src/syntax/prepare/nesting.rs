//! A bound on how deep the grammar must recurse, found without recursion.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::syntax::ast::Dialect;
use crate::syntax::findings::add;
use crate::syntax::token::{Spanned, Token};

/// The deepest nesting of brackets, prefix operators and operators that group to the right.
pub const MAX_NESTING: usize = 400;

/// The constructs that make the grammar recurse within one pair of brackets.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// Prefix operators since the last operand; an operand ends them all.
    run: usize,
    /// Operators whose right side reaches as far as it can; only a separator ends them.
    pending: usize,
}

/// Reports what is nested deeper than [`MAX_NESTING`] and tells whether all is well.
pub fn check(tokens: &[Spanned], dialect: Dialect, diagnostics: &mut Diagnostics) -> bool {
    let mut stack = Vec::new();
    let mut outside = 0;
    let mut frame = Frame::default();
    for &(token, span) in tokens {
        if token.opens().is_some() {
            outside += 1 + frame.run + frame.pending;
            stack.push(frame);
            frame = Frame::default();
        } else if token.closes().is_some() {
            frame = stack.pop().unwrap_or_default();
            outside -= (1 + frame.run + frame.pending).min(outside);
            frame.after_bracket(token, dialect);
        } else {
            frame.after(token, dialect);
        }
        if outside + frame.run + frame.pending > MAX_NESTING {
            add(
                diagnostics,
                Diagnostic::new(Code::NestingTooDeep, span, "this is nested too deep to be read")
                    .label(format!("beyond {MAX_NESTING} levels")),
            );
            return false;
        }
    }
    true
}

impl Frame {
    fn after(&mut self, token: Token, dialect: Dialect) {
        match token {
            Token::Not | Token::Minus => self.run += 1,
            Token::Finally | Token::Globally | Token::Next | Token::Rep => match dialect {
                Dialect::Modern => self.pending += 1,
                Dialect::Classic => self.run += 1,
            },
            Token::Forall | Token::Exists => self.pending += 1,
            Token::Implies | Token::FatArrow if dialect == Dialect::Classic => self.pending += 1,
            Token::Comma | Token::Assign | Token::LeftArrow => *self = Frame::default(),
            Token::Semicolon if dialect == Dialect::Classic => *self = Frame::default(),
            Token::Semicolon | Token::Plus => self.run = 0,
            token if token.ends_operand() => self.run = 0,
            _ => {}
        }
    }

    fn after_bracket(&mut self, token: Token, dialect: Dialect) {
        match (token, dialect) {
            (Token::ClosePossible | Token::CloseNecessary, Dialect::Modern) => self.pending += 1,
            (Token::ClosePossible | Token::CloseNecessary, Dialect::Classic) => self.run += 1,
            _ => self.run = 0,
        }
    }
}
