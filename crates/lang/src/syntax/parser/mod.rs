//! The grammar, in chumsky: one parser for each kind of segment.
//!
//! Recovery is local: each bracket, each item of a list, each command and each instance that makes no
//! sense becomes an error of its own, and the grammar goes on behind it.

pub mod error;
mod expression;
mod item;
mod process;
mod rule;

use super::ast::{Assignment, Declaration, Dialect, Expr, Guard, Ident, PointToPoint, Process};
use super::token::Spanned;
use crate::source::Span;
use chumsky::input::Input as _;
use chumsky::inspector::TruncateState;
use chumsky::prelude::*;
use error::SyntaxError;

pub use rule::{MAX_HEIGHT, Remark, Rule};

/// The result of reading a segment.
#[derive(Debug)]
pub struct Read<'s, T> {
    /// The tree; nothing if the beginning made no sense.
    pub value: Option<T>,
    /// The errors, in the order of discovery.
    pub errors: Vec<SyntaxError<'s>>,
    /// Forbidden parts that were read.
    pub remarks: Vec<Remark>,
}

/// The rules of one dialect.
pub struct Grammar<'s> {
    /// `enum E {a, b}`
    pub enumeration: Rule<'s, item::EnumItem>,
    /// `channels: a, b`
    pub channels: Rule<'s, item::EnumItem>,
    /// `keyword: x : T, ..`, for messages, properties and locals
    pub declarations: Rule<'s, Vec<Declaration>>,
    /// `point-to-point: paper`
    pub reading: Rule<'s, PointToPoint>,
    /// `guard g(x : T) := e;`
    pub guard: Rule<'s, Guard>,
    /// `agent A`
    pub agent: Rule<'s, Ident>,
    /// `init: e`, `receive-guard: e`
    pub condition: Rule<'s, Expr>,
    /// `relabel: pv <- e ..`
    pub relabel: Rule<'s, Vec<Assignment>>,
    /// `const N = e;`
    pub constant: Rule<'s, (Ident, Expr)>,
    /// `repeat: P`
    pub repeat: Rule<'s, Process>,
    /// `system = T(n, e) || ..`
    pub system: Rule<'s, item::System>,
    /// `SPEC f`
    pub spec: Rule<'s, Expr>,
}

impl<'s> Grammar<'s> {
    /// The rules of a dialect.
    pub fn new(dialect: Dialect) -> Grammar<'s> {
        let plain = expression::expression(dialect);
        Grammar {
            enumeration: item::enumeration().boxed(),
            channels: item::channels().boxed(),
            declarations: item::declarations(plain.clone()).boxed(),
            constant: item::constant(plain.clone()).boxed(),
            reading: item::reading().boxed(),
            guard: item::guard(plain.clone()).boxed(),
            agent: item::agent().boxed(),
            condition: item::condition(plain.clone()).boxed(),
            relabel: item::relabel(plain.clone()).boxed(),
            repeat: process::repeat(dialect, plain.clone()).boxed(),
            system: item::system(plain.clone()).boxed(),
            spec: item::spec(plain).boxed(),
        }
    }
}

/// Reads a whole segment by a rule.
pub fn read<'s, T>(rule: &Rule<'s, T>, tokens: &'s [Spanned<'s>]) -> Read<'s, T> {
    let end = tokens.last().map_or(0, |(_, span)| span.end as usize);
    let mut state = TruncateState(Vec::new());
    let result = rule.parse_with_state(tokens.split_token_span(Span::new(end, end)), &mut state);
    let (value, errors) = result.into_output_errors();
    Read { value, errors, remarks: state.0 }
}
