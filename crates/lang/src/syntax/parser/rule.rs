//! The parts that the rules of the grammar are made of.

use super::error::{Expect, Input, SyntaxError};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Ident, Process, ProcessKind};
use crate::syntax::token::Token;
use chumsky::input::InputRef;
use chumsky::inspector::TruncateState;
use chumsky::prelude::*;
use std::ops::Range;

/// The highest tree that the grammar builds for an expression or a process; chains of operators
/// beyond it become an error node. Code that walks a tree by recursion can rely on it.
pub const MAX_HEIGHT: usize = 1000;

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

/// An expression, or an error node in place of one that would be too high. What is cut off is itself not too high, so that
/// dropping it is safe.
pub fn expr(kind: ExprKind, span: Span, state: &mut State) -> Expr {
    let expr = Expr::new(kind, span);
    if is_low(expr.height, span, state) { expr } else { Expr::error(span) }
}

/// The same for a process.
pub fn process(kind: ProcessKind, span: Span, state: &mut State) -> Process {
    let process = Process::new(kind, span);
    if is_low(process.height, span, state) { process } else { Process::error(span) }
}

/// True if a height is allowed; otherwise that is remarked upon, once.
fn is_low(height: usize, span: Span, state: &mut State) -> bool {
    if height > MAX_HEIGHT && !state.0.iter().any(|remark| matches!(remark, Remark::TooHigh(_))) {
        state.0.push(Remark::TooHigh(span));
    }
    height <= MAX_HEIGHT
}

/// A rule for one token of those that a table knows: `select!` with a label, but faster, as the error is made once.
pub fn one<'s, T>(
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
pub fn token<'s>(token: Token<'s>) -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    one(Expect::of(token), move |found| (found == token).then_some(()))
}

/// A name with its place.
pub fn name<'s>() -> impl Parser<'s, Input<'s>, Ident, Extra<'s>> + Clone {
    let table = |token| match token {
        Token::Ident(name) => Some(name),
        _ => None,
    };
    one(Some(Expect::Name), table).map_with(|name: &str, extra| Ident { name: name.to_owned(), span: extra.span() })
}

/// Skips to the first token outside of brackets that satisfies the predicate, or to the closing
/// bracket or end; maybe nothing. Never fails.
pub fn skip_to<'s>(stop: fn(Token) -> bool) -> impl Parser<'s, Input<'s>, Span, Extra<'s>> + Clone {
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
pub fn due<'s>(expected: Token<'s>) -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    let confused = one_of([Token::Colon, Token::Equal, Token::Assign]).ignored();
    token(expected).recover_with(via_parser(confused.or(any().ignored().rewind())))
}

/// Succeeds, without reading anything, before a name: there a separator can be missing.
pub fn before_name<'s>() -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    name().ignored().rewind()
}

/// Succeeds, without reading anything, where a bracket closes, the segment ends, or a token satisfies
/// the predicate.
pub fn boundary<'s>(
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
