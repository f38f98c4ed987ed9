//! Everything that is neither an expression nor a process: declarations, instances, specs.

use super::error::{Expect, Expected, Input, SyntaxError};
use super::rule::{Extra, Remark, Rule, before_name, boundary, due, name, one, skip_to, token};
use crate::syntax::ast::{
    AnySize, Assignment, Declaration, Expr, Family, Guard, Ident, Instance, PointToPoint, Type, TypeKind,
};
use crate::syntax::token::Token;
use chumsky::input::InputRef;
use chumsky::prelude::*;

/// The name and constants of an enum.
pub type EnumItem = (Ident, Vec<Ident>);
/// The instances, and what restricts their initial values.
pub type System = (Vec<Instance>, Option<Expr>);

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
pub fn declarations<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Vec<Declaration>, Extra<'s>> {
    let none = token(Token::PropertyVariables).then(token(Token::Colon)).then(end()).map(|_| Vec::new());
    let some = one_of([Token::MessageStructure, Token::PropertyVariables, Token::Local])
        .ignore_then(due(Token::Colon))
        .ignore_then(list(declaration(expression)))
        .then_ignore(end());
    none.or(some)
}

fn declaration<'s>(expression: Rule<'s, Expr>) -> Rule<'s, Declaration> {
    let unreadable = skip_to(|token| token == Token::Comma).map(|span| Type { kind: TypeKind::Error, span });
    name()
        .then(token(Token::Colon).ignore_then(type_rule(expression)).recover_with(via_parser(unreadable)))
        .map(|(name, ty)| Declaration { name, ty })
        .labelled(Expect::Declaration)
        .boxed()
}

fn type_rule<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Type, Extra<'s>> + Clone {
    let plain = select! {
        Token::Bool => TypeKind::Bool,
        Token::IntType => TypeKind::Int,
        Token::Location => TypeKind::Location,
        Token::Channel => TypeKind::Named("channel".to_owned()),
        Token::Ident(name) => TypeKind::Named(name.to_owned()),
        Token::Error => TypeKind::Error,
    };
    let range = range(expression).map(|(low, high)| TypeKind::Range(Box::new(low), Box::new(high)));
    range_follows()
        .ignore_then(range)
        .or(plain.labelled(Expect::Type))
        .map_with(|kind, extra| Type { kind, span: extra.span() })
}

/// `l..u`
fn range<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, (Expr, Expr), Extra<'s>> + Clone {
    expression.clone().then_ignore(token(Token::DotDot)).then(expression)
}

/// Succeeds, without reading anything, where `..` stands before the next comma or closing bracket.
fn range_follows<'s>() -> impl Parser<'s, Input<'s>, (), Extra<'s>> + Clone {
    custom(|input: &mut InputRef<'s, '_, Input<'s>, Extra<'s>>| {
        let (start, before) = (input.cursor(), input.save());
        let mut depth = 0usize;
        let follows = std::iter::from_fn(|| input.next()).find_map(|token: Token| {
            let ends = depth == 0 && (token.closes().is_some() || matches!(token, Token::Comma | Token::DotDot));
            depth =
                (depth + usize::from(token.opens().is_some())).saturating_sub(usize::from(token.closes().is_some()));
            ends.then_some(token == Token::DotDot)
        });
        input.rewind(before);
        if follows == Some(true) {
            return Ok(());
        }
        let (mut at, mut found, mut expected) = (start, input.next(), Expected::default());
        if found == Some(Token::Minus) {
            (at, found) = (input.cursor(), input.next());
        }
        if matches!(found, Some(Token::Int(_))) {
            (at, found, expected) = (input.cursor(), input.next(), Expected::from_iter([Expect::DotDot]));
        }
        Err(SyntaxError { span: input.span_since(&at), found, expected })
    })
}

/// `const N = e;`
pub fn constant<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, (Ident, Expr), Extra<'s>> {
    token(Token::Const)
        .ignore_then(name())
        .then_ignore(token(Token::Equal).recover_with(via_parser(one_of([Token::Colon, Token::Assign]).ignored())))
        .then(expression)
        .then_ignore(token(Token::Semicolon))
        .then_ignore(end())
}

/// `point-to-point: paper`
pub fn reading<'s>() -> impl Parser<'s, Input<'s>, PointToPoint, Extra<'s>> {
    let reading = |token| match token {
        Token::Ident(word) => PointToPoint::ALL.into_iter().find(|reading| reading.word() == word),
        _ => None,
    };
    token(Token::PointToPoint)
        .ignore_then(due(Token::Colon))
        .ignore_then(one(Some(Expect::Reading), reading))
        .then_ignore(token(Token::Semicolon).or_not())
        .then_ignore(rest())
}

/// `guard g(x : T) := e;`
pub fn guard<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Guard, Extra<'s>> {
    let none = token(Token::OpenParen).then(token(Token::CloseParen)).map(|_| Vec::new());
    let some = list(declaration(expression.clone())).delimited_by(token(Token::OpenParen), token(Token::CloseParen));
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
pub fn agent<'s>() -> impl Parser<'s, Input<'s>, Ident, Extra<'s>> {
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
pub fn system<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, System, Extra<'s>> {
    let restriction = one(None, |token| (token == Token::Where).then_some(())).ignore_then(expression.clone()).or_not();
    let expression_of_bounds = expression.clone();
    let condition = token(Token::Comma).ignore_then(expression).then_ignore(boundary(|_| false, &[Expect::CloseParen]));
    let unreadable = skip_to(|_| false).map(Expr::error);
    let open = one(None, |token| (token == Token::OpenBracket).then_some(()));
    let star = || {
        let star = token(Token::Star).map_with(|(), extra| extra.span());
        star.then_ignore(token(Token::CloseBracket).rewind())
    };
    let any = |least, star| Family::Any(AnySize::new(least, star));
    let bounds = expression_of_bounds.clone().then_ignore(token(Token::DotDot));
    let family = choice((
        star().map(move |star| any(None, star)),
        bounds.then(star().map(Err).or(expression_of_bounds.map(Ok))).map(move |(first, last)| match last {
            Ok(last) => Family::Range(first, last),
            Err(star) => any(Some(first), star),
        }),
    ));
    let family = family.delimited_by(open, token(Token::CloseBracket));
    let arguments = name().then(family.map(Box::new).or_not()).then(condition.recover_with(via_parser(unreadable)));
    let parallel = token(Token::Parallel).recover_with(via_parser(before_name()));
    let instance = name()
        .then(arguments.delimited_by(token(Token::OpenParen), token(Token::CloseParen)))
        .map(|(agent, ((name, family), init))| Instance { agent, name, family, init })
        .labelled(Expect::Instance);
    let junk = boundary(is_parallel_or_name, &[Expect::Parallel])
        .recover_with(via_parser(skip_to(is_parallel_or_name).ignored()));
    let instance = instance.map(Some).recover_with(via_parser(skip_to(is_parallel).map(|_| None))).then_ignore(junk);
    token(Token::System)
        .ignore_then(due(Token::Equal))
        .ignore_then(instance.separated_by(parallel).at_least(1).collect::<Vec<_>>())
        .map(|instances| instances.into_iter().flatten().collect())
        .then(restriction)
        .then_ignore(rest())
}

fn is_parallel(token: Token) -> bool {
    matches!(token, Token::Parallel | Token::Where)
}

fn is_parallel_or_name(token: Token) -> bool {
    matches!(token, Token::Parallel | Token::Where | Token::Ident(_))
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
