//! Everything that is neither an expression nor a process: declarations, instances, specs.

use super::error::Expect;
use super::{Extra, Input, Remark, Rule, Tree as _, before_name, boundary, due, name, skip_to, token};
use crate::syntax::ast::{Assignment, Declaration, Expr, Guard, Ident, Instance, Type, TypeKind};
use crate::syntax::token::Token;
use chumsky::prelude::*;

/// The name and constants of an enum.
pub type EnumItem = (Ident, Vec<Ident>);
/// The definition of a guard.
pub type GuardItem = Guard;
/// The name of an agent.
pub type Named = Ident;

/// Items between commas, at least one; each that makes no sense is an error and left out. Where a
/// comma is missing before a name, that is the error.
pub fn list<'s, T: 's>(
    item: impl Parser<'s, Input<'s>, T, Extra<'s>> + Clone + 's,
) -> impl Parser<'s, Input<'s>, Vec<T>, Extra<'s>> + Clone {
    fn is_comma(token: Token) -> bool {
        token == Token::Comma
    }
    fn is_comma_or_name(token: Token) -> bool {
        matches!(token, Token::Comma | Token::Ident(_))
    }
    let junk = boundary(is_comma_or_name, &[Expect::Comma]).recover_with(via_parser(skip_to(is_comma).ignored()));
    item.map(Some)
        .recover_with(via_parser(skip_to(is_comma).map(|_| None)))
        .then_ignore(junk)
        .separated_by(token(Token::Comma).recover_with(via_parser(before_name())))
        .at_least(1)
        .collect::<Vec<Option<T>>>()
        .map(|items| items.into_iter().flatten().collect())
}

/// `enum E {a, b}`
pub fn enumeration<'s>() -> impl Parser<'s, Input<'s>, EnumItem, Extra<'s>> {
    let constants = list(name()).delimited_by(token(Token::OpenBrace), token(Token::CloseBrace)).then_ignore(end());
    token(Token::Enum).ignore_then(name().or(channel_name())).then(constants.recover_with(via_parser(all_names())))
}

/// The names up to a closing bracket, however they are separated; at least one. Reads up to the end.
fn all_names<'s>() -> impl Parser<'s, Input<'s>, Vec<Ident>, Extra<'s>> + Clone {
    let other = any().filter(|token: &Token| token.closes().is_none()).to(None);
    let names = name().map(Some).or(other).repeated().collect::<Vec<_>>().then_ignore(any().repeated());
    names.map(|names| names.into_iter().flatten().collect::<Vec<_>>()).filter(|names| !names.is_empty())
}

/// `channels: a, b`
pub fn channels<'s>() -> impl Parser<'s, Input<'s>, EnumItem, Extra<'s>> {
    let keyword = token(Token::Channels).map_with(|(), extra| Ident { name: "channel".to_owned(), span: extra.span() });
    keyword.then_ignore(token(Token::Colon)).then(list(name())).then_ignore(end())
}

fn channel_name<'s>() -> impl Parser<'s, Input<'s>, Ident, Extra<'s>> + Clone {
    token(Token::Channel).map_with(|(), extra| Ident { name: "channel".to_owned(), span: extra.span() })
}

/// `keyword: x : T, ..`; the list of property variables may be empty.
pub fn declarations<'s>() -> impl Parser<'s, Input<'s>, Vec<Declaration>, Extra<'s>> {
    let none = token(Token::PropertyVariables).then(token(Token::Colon)).then(end()).map(|_| Vec::new());
    let some = one_of([Token::MessageStructure, Token::PropertyVariables, Token::Local])
        .ignore_then(due(Token::Colon))
        .ignore_then(list(declaration()))
        .then_ignore(end());
    none.or(some)
}

fn declaration<'s>() -> Rule<'s, Declaration> {
    let unreadable = skip_to(|token| token == Token::Comma).map(|span| Type { kind: TypeKind::Error, span });
    name()
        .then(token(Token::Colon).ignore_then(type_rule()).recover_with(via_parser(unreadable)))
        .map(|(name, ty)| Declaration { name, ty })
        .labelled(Expect::Declaration)
        .boxed()
}

fn type_rule<'s>() -> impl Parser<'s, Input<'s>, Type, Extra<'s>> + Clone {
    let plain = select! {
        Token::Bool => TypeKind::Bool,
        Token::IntType => TypeKind::Int,
        Token::Location => TypeKind::Location,
        Token::Channel => TypeKind::Named("channel".to_owned()),
        Token::Ident(name) => TypeKind::Named(name.to_owned()),
        Token::Error => TypeKind::Error,
    };
    let range = bound().then_ignore(token(Token::DotDot)).then(bound()).map(|(low, high)| TypeKind::Range(low, high));
    plain.or(range).map_with(|kind, extra| Type { kind, span: extra.span() }).labelled(Expect::Type)
}

fn bound<'s>() -> impl Parser<'s, Input<'s>, i64, Extra<'s>> + Clone {
    let literal = select! { Token::Int(value) => value }.labelled(Expect::Number);
    // The least integer has its minus already.
    let positive = select! { Token::Int(value) if value >= 0 => value }.labelled(Expect::Number);
    token(Token::Minus).ignore_then(positive).map(|value: i64| -value).or(literal)
}

/// `guard g(x : T) := e;`
pub fn guard<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, GuardItem, Extra<'s>> {
    let none = token(Token::OpenParen).then(token(Token::CloseParen)).map(|_| Vec::new());
    let some = list(declaration()).delimited_by(token(Token::OpenParen), token(Token::CloseParen));
    token(Token::Guard)
        .ignore_then(name())
        .then(none.or(some))
        .then_ignore(token(Token::Assign))
        .then(expression)
        .then_ignore(token(Token::Semicolon))
        .then_ignore(end())
        .map(|((name, parameters), body)| Guard { name, parameters, body })
}

/// `agent A`
pub fn agent<'s>() -> impl Parser<'s, Input<'s>, Named, Extra<'s>> {
    let rest = end().recover_with(via_parser(skip_to(|_| false).ignored()));
    token(Token::Agent).ignore_then(name()).then_ignore(rest)
}

/// `init: e`, `receive-guard: e`
pub fn condition<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Expr, Extra<'s>> {
    one_of([Token::Init, Token::ReceiveGuard]).ignore_then(due(Token::Colon)).ignore_then(whole(expression))
}

/// `relabel: pv <- e ..`
pub fn relabel<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Vec<Assignment>, Extra<'s>> {
    let assignment = name()
        .then_ignore(token(Token::LeftArrow))
        .then(expression)
        .map(|(name, value)| Assignment { name, value })
        .labelled(Expect::Assignment);
    token(Token::Relabel)
        .ignore_then(due(Token::Colon))
        .ignore_then(assignment.repeated().at_least(1).collect())
        .then_ignore(rest())
}

/// `system = T(n, e) || ..`
pub fn system<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Vec<Instance>, Extra<'s>> {
    let condition = token(Token::Comma).ignore_then(expression).then_ignore(boundary(|_| false, &[Expect::CloseParen]));
    let unreadable = skip_to(|_| false).map(Expr::error);
    let arguments = name().then(condition.recover_with(via_parser(unreadable)));
    let parallel = token(Token::Parallel).recover_with(via_parser(before_name()));
    let instance = name()
        .then(arguments.delimited_by(token(Token::OpenParen), token(Token::CloseParen)))
        .map(|(agent, (name, init))| Instance { agent, name, init })
        .labelled(Expect::Instance);
    let junk = boundary(is_parallel_or_name, &[Expect::Parallel])
        .recover_with(via_parser(skip_to(is_parallel_or_name).ignored()));
    let instance = instance.map(Some).recover_with(via_parser(skip_to(is_parallel).map(|_| None))).then_ignore(junk);
    token(Token::System)
        .ignore_then(due(Token::Equal))
        .ignore_then(instance.separated_by(parallel).at_least(1).collect::<Vec<_>>())
        .map(|instances| instances.into_iter().flatten().collect())
        .then_ignore(rest())
}

fn is_parallel(token: Token) -> bool {
    token == Token::Parallel
}

fn is_parallel_or_name(token: Token) -> bool {
    matches!(token, Token::Parallel | Token::Ident(_))
}

/// `SPEC f`, maybe with `;`
pub fn spec<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Expr, Extra<'s>> {
    token(Token::Spec).ignore_then(whole(expression.then_ignore(token(Token::Semicolon).or_not()).boxed()))
}

/// An expression up to the end of the segment; an error node if something else follows it, as it may
/// then be another expression than it was meant to be.
fn whole<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Expr, Extra<'s>> {
    let rest = end().to(true).recover_with(via_parser(any().repeated().to(false)));
    expression.then(rest).map_with(|(expr, is_whole), extra| {
        if is_whole {
            return expr;
        }
        extra.state().0.retain(|remark| !matches!(remark, Remark::Chained(..)));
        Expr::error(expr.span)
    })
}

/// The end of a segment; what stands before it is one error.
fn rest<'s>() -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    end().recover_with(via_parser(any().repeated()))
}
