//! The grammar, in chumsky: one parser for each kind of segment.
//!
//! Recovery is local: each bracket, each item of a list, each command and each instance that makes no
//! sense becomes an error of its own, and the grammar goes on behind it.

pub mod error;
mod expression;
mod item;
mod process;

use super::ast::{Dialect, Expr, Process};
use super::token::{Spanned, Token};
use crate::source::Span;
use chumsky::input::{Input as _, InputRef, MappedInput};
use chumsky::inspector::TruncateState;
use chumsky::prelude::*;
use error::{Expect, SyntaxError};
use std::ops::Range;

pub use item::{EnumItem, GuardItem, Named};

/// The highest tree that the grammar builds for an expression or a process; chains of operators
/// beyond it become an error node. Code that walks a tree by recursion can rely on it.
pub const MAX_HEIGHT: usize = 1000;

/// The tokens of a segment, with their places.
pub type Input<'s> = MappedInput<'s, Token<'s>, Span, &'s [Spanned<'s>]>;
pub type State = TruncateState<Remark>;
pub type Extra<'s> = extra::Full<SyntaxError<'s>, State, ()>;
pub type Rule<'s, T> = Boxed<'s, 's, Input<'s>, T, Extra<'s>>;

/// A mistake in text that can be read, but is no model. If the grammar goes back and reads otherwise, it forgets its
/// remarks.
#[derive(Clone, Copy, Debug)]
pub enum Remark {
    /// A tree grew beyond [`MAX_HEIGHT`], and was cut off.
    TooHigh(Span),
    /// A comparison, and its left side, which is one already.
    Chained(Span, Span),
    /// `=>` for `->`.
    FatArrow(Span),
    /// A guard before `rep`.
    GuardedLoop(Span),
}

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
    pub enumeration: Rule<'s, EnumItem>,
    /// `channels: a, b`
    pub channels: Rule<'s, EnumItem>,
    /// `keyword: x : T, ..`, for messages, properties and locals
    pub declarations: Rule<'s, Vec<super::ast::Declaration>>,
    /// `point-to-point: paper`
    pub reading: Rule<'s, super::ast::PointToPoint>,
    /// `guard g(x : T) := e;`
    pub guard: Rule<'s, GuardItem>,
    /// `agent A`
    pub agent: Rule<'s, Named>,
    /// `init: e`, `receive-guard: e`
    pub condition: Rule<'s, Expr>,
    /// `relabel: pv <- e ..`
    pub relabel: Rule<'s, Vec<super::ast::Assignment>>,
    /// `const N = e;`
    pub constant: Rule<'s, (super::ast::Ident, Expr)>,
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
        let expression = expression::expression(dialect);
        let plain = expression.clone().map(|node| node.tree).boxed();
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

impl chumsky::span::Span for Span {
    type Context = ();
    type Offset = u32;

    fn new((): (), range: Range<u32>) -> Span {
        Span { start: range.start, end: range.end.max(range.start) }
    }

    fn context(&self) {}

    fn start(&self) -> u32 {
        self.start
    }

    fn end(&self) -> u32 {
        self.end
    }
}

/// A tree that knows its height.
#[derive(Clone, Debug)]
struct Tall<T> {
    tree: T,
    height: usize,
}

/// Trees that can stand for text that could not be read.
trait Tree: Sized {
    fn error(span: Span) -> Self;
    fn span(&self) -> Span;
}

impl Tree for Expr {
    fn error(span: Span) -> Expr {
        Expr { kind: super::ast::ExprKind::Error, span, parenthesised: false }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Tree for Process {
    fn error(span: Span) -> Process {
        Process { kind: super::ast::ProcessKind::Error, span, parenthesised: false }
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl<T: Tree> Tall<T> {
    fn error(span: Span) -> Tall<T> {
        Tall { tree: T::error(span), height: 1 }
    }

    /// A tree above others of which the highest has the given height; an error node if it would be too high.
    /// The part that is cut off is itself not too high, so that dropping it is safe.
    fn above(tree: T, highest: usize, state: &mut State) -> Tall<T> {
        if highest < MAX_HEIGHT {
            return Tall { tree, height: highest + 1 };
        }
        if !state.0.iter().any(|remark| matches!(remark, Remark::TooHigh(_))) {
            state.0.push(Remark::TooHigh(tree.span()));
        }
        Tall::error(tree.span())
    }
}

/// A rule for one token of those that a table knows: `select!` with a label, but faster, as the error is made once.
fn one<'s, T>(
    expected: Option<Expect>,
    table: impl Fn(Token<'s>) -> Option<T> + Clone,
) -> impl Parser<'s, Input<'s>, T, Extra<'s>> + Clone {
    custom(move |input: &mut InputRef<'s, '_, Input<'s>, Extra<'s>>| {
        let start = input.cursor();
        let found = input.next();
        found.and_then(&table).ok_or_else(|| {
            let span = input.span_since(&start);
            SyntaxError { span, found, expected: expected.into_iter().collect() }
        })
    })
}

/// A rule for one token.
fn token<'s>(token: Token<'s>) -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    one(error::expectation(token), move |found| (found == token).then_some(()))
}

/// A name with its place.
fn name<'s>() -> impl Parser<'s, Input<'s>, super::ast::Ident, Extra<'s>> + Clone {
    let table = |token| match token {
        Token::Ident(name) => Some(name),
        _ => None,
    };
    one(Some(Expect::Name), table)
        .map_with(|name: &str, extra| super::ast::Ident { name: name.to_owned(), span: extra.span() })
}

/// Skips to the first token outside of brackets that satisfies the predicate, or to the closing
/// bracket or end; maybe nothing. Never fails.
fn skip_to<'s>(stop: fn(Token) -> bool) -> impl Parser<'s, Input<'s>, Span, Extra<'s>> + Clone {
    custom(move |input: &mut InputRef<'s, '_, Input<'s>, Extra<'s>>| {
        let start = input.cursor();
        let mut depth = 0usize;
        while let Some(token) = input.peek() {
            if depth == 0 && (token.closes().is_some() || stop(token)) {
                break;
            }
            depth = depth + usize::from(token.opens().is_some()) - usize::from(token.closes().is_some());
            input.skip();
        }
        Ok(input.span_since(&start))
    })
}

/// A rule for a token behind a keyword; where it is missing, or `:` and `=` are confused, that is an
/// error, and what follows is read all the same.
fn due<'s>(expected: Token<'s>) -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    let confused = one_of([Token::Colon, Token::Equal, Token::Assign]).ignored();
    token(expected).recover_with(via_parser(confused.or(any().ignored().rewind())))
}

/// Succeeds, without reading anything, before a name: there a separator can be missing.
fn before_name<'s>() -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    name().ignored().rewind()
}

/// Succeeds, without reading anything, where a bracket closes, the segment ends, or a token satisfies
/// the predicate.
fn boundary<'s>(
    stop: fn(Token) -> bool,
    expected: &'static [Expect],
) -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    custom(move |input: &mut InputRef<'s, '_, Input<'s>, Extra<'s>>| {
        let start = input.cursor();
        match input.peek() {
            Some(found) if !(found.closes().is_some() || stop(found)) => {
                input.skip();
                let span = input.span_since(&start);
                Err(SyntaxError { span, found: Some(found), expected: expected.iter().copied().collect() })
            }
            _ => Ok(()),
        }
    })
}
