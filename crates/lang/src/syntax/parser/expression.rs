//! Expressions of all places: commands, guards, formulas, observations.
//!
//! Which operators may occur where is not decided here. The two dialects differ in the binding powers
//! of the connectives only (`docs/language.md#precedence`).

use super::error::{Expect, Input};
use super::rule::{Extra, Remark, Rule, boundary, expr, name, one, skip_to, token};
use crate::syntax::ast::{Aggregate, BinaryOp, Dialect, Expr, ExprKind, Ident, Modality, Quantifier, UnaryOp};
use crate::syntax::token::Token;
use chumsky::input::MapExtra;
use chumsky::pratt::{infix, left, prefix, right};
use chumsky::prelude::*;

/// The part before the operand of a prefix operator.
#[derive(Clone)]
enum Prefix {
    Unary(UnaryOp),
    Observe(Modality, Expr),
    Quantified(Quantifier, Vec<Ident>, Vec<Ident>),
    Aggregate(Aggregate, Ident, Vec<Ident>),
    If(Expr, Expr),
}

/// The rule for expressions of a dialect.
pub fn expression<'s>(dialect: Dialect) -> Rule<'s, Expr> {
    recursive(|expression| {
        let atom = atom(expression.clone());
        let observe = observation(expression.clone());
        let widest = quantifier().or(aggregate(Token::Count, Aggregate::Count)).or(conditional(expression)).boxed();
        match dialect {
            Dialect::Modern => modern(atom, observe, widest),
            Dialect::Classic => classic(atom, observe, widest),
        }
    })
    .boxed()
}

/// All connectives on one level, to the left; temporal prefixes take everything to their right.
fn modern<'s>(atom: Rule<'s, Expr>, observe: Rule<'s, Prefix>, widest: Rule<'s, Prefix>) -> Rule<'s, Expr> {
    atom.pratt((
        prefix(5, prefixes(|op| !op.is_temporal()), fold_prefix),
        prefix(0, prefixes(UnaryOp::is_temporal).or(observe).or(widest), fold_prefix),
        prefix(3, aggregate(Token::Sum, Aggregate::Sum), fold_prefix),
        infix(left(1), operators(BinaryOp::is_connective), fold_infix),
        infix(left(2), operators(BinaryOp::is_comparison), fold_infix),
        infix(left(3), operators(is_sum), fold_infix),
        infix(left(4), operators(is_product), fold_infix),
    ))
    .boxed()
}

/// The usual order: `! ; F G X <O> [O] ; U W R ; & ; | ; -> ; <->`, with arithmetic below temporal operators.
fn classic<'s>(atom: Rule<'s, Expr>, observe: Rule<'s, Prefix>, widest: Rule<'s, Prefix>) -> Rule<'s, Expr> {
    atom.pratt((
        prefix(10, prefixes(|op| !op.is_temporal()), fold_prefix),
        prefix(6, prefixes(UnaryOp::is_temporal).or(observe), fold_prefix),
        prefix(0, widest, fold_prefix),
        prefix(8, aggregate(Token::Sum, Aggregate::Sum), fold_prefix),
        infix(left(1), operators(|op| op == BinaryOp::Iff), fold_infix),
        infix(right(2), operators(|op| op == BinaryOp::Implies), fold_infix),
        infix(left(3), operators(|op| op == BinaryOp::Or), fold_infix),
        infix(left(4), operators(|op| op == BinaryOp::And), fold_infix),
        infix(left(5), operators(BinaryOp::is_temporal), fold_infix),
        infix(left(7), operators(BinaryOp::is_comparison), fold_infix),
        infix(left(8), operators(is_sum), fold_infix),
        infix(left(9), operators(is_product), fold_infix),
    ))
    .boxed()
}

/// A rule for the operators of a kind. The arrow of other languages is remarked upon.
fn operators<'s>(
    is_meant: impl Fn(BinaryOp) -> bool + Clone + 's,
) -> impl Parser<'s, Input<'s>, BinaryOp, Extra<'s>> + Clone {
    let table = move |token: Token| token.infix().filter(|op| is_meant(*op)).map(|op| (op, token == Token::FatArrow));
    one(Some(Expect::Operator), table).map_with(|(op, is_other), extra| {
        if is_other {
            let remark = Remark::FatArrow(extra.span());
            extra.state().0.push(remark);
        }
        op
    })
}

fn is_sum(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub)
}

fn is_product(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Mul | BinaryOp::Div)
}

/// A rule for the prefix operators of a kind.
fn prefixes<'s>(
    is_meant: impl Fn(UnaryOp) -> bool + Clone + 's,
) -> impl Parser<'s, Input<'s>, Prefix, Extra<'s>> + Clone {
    one(Some(Expect::Expression), move |token| token.prefix().filter(|op| is_meant(*op)).map(Prefix::Unary))
}

/// `<<O>>` and `[[O]]`, however they are spelt.
fn observation<'s>(expression: impl Parser<'s, Input<'s>, Expr, Extra<'s>> + Clone + 's) -> Rule<'s, Prefix> {
    let of = |open, close, modality| {
        within(open, expression.clone(), close).map(move |observation| Prefix::Observe(modality, observation))
    };
    of(Token::OpenPossible, Token::ClosePossible, Modality::Possible)
        .or(of(Token::OpenNecessary, Token::CloseNecessary, Modality::Necessary))
        .labelled(Expect::Expression)
        .boxed()
}

/// `forall k : T1 | T2 .`
fn quantifier<'s>() -> Rule<'s, Prefix> {
    quantifier_word()
        .then(binding())
        .map(|(quantifier, (variables, domain))| Prefix::Quantified(quantifier, variables, domain))
        .labelled(Expect::Expression)
        .boxed()
}

/// `sum k : T1 | T2 .`, behind which stands arithmetic, or `count k : T .` and a formula.
fn aggregate<'s>(word: Token<'s>, aggregate: Aggregate) -> Rule<'s, Prefix> {
    token(word)
        .ignore_then(name().then_ignore(token(Token::Colon)).then(domain()))
        .map(move |(variable, domain)| Prefix::Aggregate(aggregate, variable, domain))
        .labelled(Expect::Expression)
        .boxed()
}

/// `k, j : T1 | T2 .`
fn binding<'s>() -> impl Parser<'s, Input<'s>, (Vec<Ident>, Vec<Ident>), Extra<'s>> + Clone {
    // If a colon is missing, no comma was meant.
    let comma = one(None, |token| (token == Token::Comma).then_some(()));
    name().separated_by(comma).at_least(1).collect().then_ignore(token(Token::Colon)).then(domain())
}

/// `T1 | T2 .`
fn domain<'s>() -> impl Parser<'s, Input<'s>, Vec<Ident>, Extra<'s>> + Clone {
    let types = name().labelled(Expect::AgentType).separated_by(token(Token::Or)).at_least(1).collect();
    types.then_ignore(token(Token::Dot))
}

/// `if c then a else`
fn conditional<'s>(expression: impl Parser<'s, Input<'s>, Expr, Extra<'s>> + Clone + 's) -> Rule<'s, Prefix> {
    token(Token::If)
        .ignore_then(expression.clone())
        .then_ignore(token(Token::Then))
        .then(expression)
        .then_ignore(token(Token::Else))
        .map(|(condition, yes)| Prefix::If(condition, yes))
        .labelled(Expect::Expression)
        .boxed()
}

fn quantifier_word<'s>() -> impl Parser<'s, Input<'s>, Quantifier, Extra<'s>> + Clone {
    select! {
        Token::Forall => Quantifier::Forall,
        Token::Exists => Quantifier::Exists,
    }
}

/// An expression between brackets. Whatever makes no sense there is one error and an error node.
pub fn within<'s>(
    open: Token<'s>,
    expression: impl Parser<'s, Input<'s>, Expr, Extra<'s>> + Clone + 's,
    close: Token<'s>,
) -> impl Parser<'s, Input<'s>, Expr, Extra<'s>> + Clone {
    let end = boundary(|_| false, closing(close));
    let inside = expression.then_ignore(end).recover_with(via_parser(skip_to(|_| false).map(Expr::error)));
    inside.delimited_by(token(open), token(close))
}

fn closing(close: Token) -> &'static [Expect] {
    match close {
        Token::CloseBrace => &[Expect::CloseBrace],
        Token::CloseGuard => &[Expect::CloseAngle],
        Token::ClosePossible | Token::CloseNecessary => &[Expect::CloseObservation],
        _ => &[Expect::CloseParen],
    }
}

fn atom<'s>(expression: impl Parser<'s, Input<'s>, Expr, Extra<'s>> + Clone + 's) -> Rule<'s, Expr> {
    let constant = select! {
        Token::Int(digits) => ExprKind::Int(digits.parse().expect("digits are a number")),
        Token::True => ExprKind::Bool(true),
        Token::False => ExprKind::Bool(false),
        Token::Star => ExprKind::Star,
        Token::Chan => ExprKind::Chan,
        Token::Myself => ExprKind::Myself,
        Token::Error => ExprKind::Error,
    };
    let property = token(Token::At).ignore_then(name()).map(ExprKind::Property);
    let comma = one(None, |token| (token == Token::Comma).then_some(()));
    let members = name().separated_by(comma).collect();
    let open = one(None, |token| (token == Token::OpenBrace).then_some(()));
    let group = members.delimited_by(open, token(Token::CloseBrace)).map(ExprKind::Group);
    let leaf = constant.or(property).or(group);
    let assignments = quantifier_word()
        .then(within(Token::OpenParen, expression.clone(), Token::CloseParen))
        .map(|(quantifier, body)| ExprKind::Assignments(quantifier, Box::new(body)));
    let plain = leaf
        .or(named(expression.clone()))
        .or(assignments)
        .map_with(|kind, extra| expr(kind, extra.span(), extra.state()));
    let parenthesised = within(Token::OpenParen, expression, Token::CloseParen).map_with(|inner: Expr, extra| Expr {
        parenthesised: true,
        span: extra.span(),
        ..inner
    });
    plain.or(parenthesised).labelled(Expect::Expression).boxed()
}

/// The part behind a name.
enum Suffix {
    Nothing,
    Member(Ident),
    Arguments(Vec<Expr>),
}

/// A name, a qualified name, or a call.
fn named<'s>(
    expression: impl Parser<'s, Input<'s>, Expr, Extra<'s>> + Clone + 's,
) -> impl Parser<'s, Input<'s>, ExprKind, Extra<'s>> + Clone {
    let member = select! {
        Token::Ident(name) = extra => Ident { name: name.to_owned(), span: extra.span() },
        Token::AutomatonState = extra => Ident { name: "automaton-state".to_owned(), span: extra.span() },
        Token::Myself = extra => Ident { name: "myself".to_owned(), span: extra.span() },
    };
    let qualified = token(Token::Dash).ignore_then(member.labelled(Expect::Member)).map(Suffix::Member);
    let argument = expression
        .then_ignore(boundary(|token| token == Token::Comma, &[Expect::Comma, Expect::CloseParen]))
        .recover_with(via_parser(skip_to(|token| token == Token::Comma).map(Expr::error)));
    // An empty list is tried first: an argument recovers from everything, so that it always succeeds.
    let no_arguments = token(Token::OpenParen).then(token(Token::CloseParen)).map(|_| Vec::new());
    let arguments = argument
        .separated_by(token(Token::Comma))
        .at_least(1)
        .collect()
        .delimited_by(token(Token::OpenParen), token(Token::CloseParen));
    let call = no_arguments.or(arguments).map(Suffix::Arguments);
    name().then(qualified.or(call).or(empty().map(|()| Suffix::Nothing))).map(|(name, suffix)| match suffix {
        Suffix::Nothing => ExprKind::Name(name.name),
        Suffix::Member(member) => ExprKind::Member { owner: name, member },
        Suffix::Arguments(arguments) => ExprKind::Call { callee: name, arguments },
    })
}

fn fold_infix<'s>(left: Expr, op: BinaryOp, right: Expr, extra: &mut MapExtra<'s, '_, Input<'s>, Extra<'s>>) -> Expr {
    let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
    if let Some(inner) = kind.chained() {
        let remark = Remark::Chained(extra.span(), inner);
        extra.state().0.push(remark);
    }
    expr(kind, extra.span(), extra.state())
}

fn fold_prefix<'s>(prefix: Prefix, body: Expr, extra: &mut MapExtra<'s, '_, Input<'s>, Extra<'s>>) -> Expr {
    let mut body = Box::new(body);
    let kind = match prefix {
        Prefix::Unary(op) => ExprKind::Unary(op, body),
        Prefix::Quantified(quantifier, mut variables, domain) => {
            let variable = variables.remove(0);
            for variable in variables.into_iter().rev() {
                let (span, domain) = (variable.span.to(body.span), domain.clone());
                body = Box::new(Expr::new(ExprKind::Quantified { quantifier, variable, domain, body }, span));
            }
            ExprKind::Quantified { quantifier, variable, domain, body }
        }
        Prefix::Aggregate(aggregate, variable, domain) => ExprKind::Aggregate { aggregate, variable, domain, body },
        Prefix::If(condition, yes) => ExprKind::If { condition: Box::new(condition), yes: Box::new(yes), no: body },
        Prefix::Observe(modality, observation) => {
            ExprKind::Observe { modality, observation: Box::new(observation), body }
        }
    };
    expr(kind, extra.span(), extra.state())
}
