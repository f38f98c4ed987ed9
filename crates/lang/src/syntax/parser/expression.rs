//! Expressions of all places: commands, guards, formulas, observations.
//!
//! Which operators may occur where is not decided here. The two dialects differ in the binding powers
//! of the connectives only (`docs/language.md#precedence`).

use super::error::Expect;
use super::{Extra, Input, Remark, Rule, Tall, boundary, name, one, skip_to, token};
use crate::syntax::ast::{Aggregate, BinaryOp, Dialect, Expr, ExprKind, Ident, Modality, Quantifier, UnaryOp};
use crate::syntax::token::Token;
use chumsky::input::MapExtra;
use chumsky::pratt::{infix, left, prefix, right};
use chumsky::prelude::*;

type ParsedExpr = Tall<Expr>;

/// The part before the operand of a prefix operator.
#[derive(Clone)]
enum Prefix {
    Unary(UnaryOp),
    Observe(Modality, ParsedExpr),
    Quantified(Quantifier, Vec<Ident>, Vec<Ident>),
    Aggregate(Aggregate, Ident, Vec<Ident>),
    If(ParsedExpr, ParsedExpr),
}

/// The rule for expressions of a dialect.
pub fn expression<'s>(dialect: Dialect) -> Rule<'s, ParsedExpr> {
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
fn modern<'s>(atom: Rule<'s, ParsedExpr>, observe: Rule<'s, Prefix>, widest: Rule<'s, Prefix>) -> Rule<'s, ParsedExpr> {
    let connective = arrows(|token: Token<'_>| connective(token).or(until(token)));
    atom.pratt((
        prefix(5, tight(), fold_prefix),
        prefix(0, temporal().or(observe).or(widest), fold_prefix),
        prefix(3, aggregate(Token::Sum, Aggregate::Sum), fold_prefix),
        infix(left(1), connective, fold_infix),
        infix(left(2), operators(comparison), fold_infix),
        infix(left(3), operators(sum), fold_infix),
        infix(left(4), operators(product), fold_infix),
    ))
    .boxed()
}

/// The usual order: `! ; F G X <O> [O] ; U W R ; & ; | ; -> ; <->`, with arithmetic below temporal operators.
fn classic<'s>(
    atom: Rule<'s, ParsedExpr>,
    observe: Rule<'s, Prefix>,
    widest: Rule<'s, Prefix>,
) -> Rule<'s, ParsedExpr> {
    atom.pratt((
        prefix(10, tight(), fold_prefix),
        prefix(6, temporal().or(observe), fold_prefix),
        prefix(0, widest, fold_prefix),
        prefix(8, aggregate(Token::Sum, Aggregate::Sum), fold_prefix),
        infix(left(1), operators(only(BinaryOp::Iff)), fold_infix),
        infix(right(2), arrows(only(BinaryOp::Implies)), fold_infix),
        infix(left(3), operators(only(BinaryOp::Or)), fold_infix),
        infix(left(4), operators(only(BinaryOp::And)), fold_infix),
        infix(left(5), operators(until), fold_infix),
        infix(left(7), operators(comparison), fold_infix),
        infix(left(8), operators(sum), fold_infix),
        infix(left(9), operators(product), fold_infix),
    ))
    .boxed()
}

/// A rule for the operators that a table knows.
fn operators<'s>(
    table: impl Fn(Token) -> Option<BinaryOp> + Clone + 's,
) -> impl Parser<'s, Input<'s>, BinaryOp, Extra<'s>> + Clone {
    one(Some(Expect::Operator), table)
}

/// A rule for operators among which is the implication. The arrow of other languages is remarked upon.
fn arrows<'s>(
    table: impl Fn(Token) -> Option<BinaryOp> + Clone + 's,
) -> impl Parser<'s, Input<'s>, BinaryOp, Extra<'s>> + Clone {
    let with_token = move |token| table(token).map(|op| (op, token));
    one(Some(Expect::Operator), with_token).map_with(|(op, token), extra| {
        if token == Token::FatArrow {
            let remark = Remark::FatArrow(extra.span());
            extra.state().0.push(remark);
        }
        op
    })
}

/// The table of one connective.
fn only(wanted: BinaryOp) -> impl Fn(Token) -> Option<BinaryOp> + Clone {
    move |token| connective(token).filter(|op| *op == wanted)
}

fn connective(token: Token) -> Option<BinaryOp> {
    match token {
        Token::And => Some(BinaryOp::And),
        Token::Or => Some(BinaryOp::Or),
        Token::Implies | Token::FatArrow => Some(BinaryOp::Implies),
        Token::Iff => Some(BinaryOp::Iff),
        _ => None,
    }
}

fn until(token: Token) -> Option<BinaryOp> {
    match token {
        Token::Until => Some(BinaryOp::Until),
        Token::WeakUntil => Some(BinaryOp::WeakUntil),
        Token::Release => Some(BinaryOp::Release),
        _ => None,
    }
}

fn comparison(token: Token) -> Option<BinaryOp> {
    match token {
        Token::Equal => Some(BinaryOp::Eq),
        Token::NotEqual => Some(BinaryOp::Ne),
        Token::Less => Some(BinaryOp::Lt),
        Token::LessEqual => Some(BinaryOp::Le),
        Token::Greater => Some(BinaryOp::Gt),
        Token::GreaterEqual => Some(BinaryOp::Ge),
        _ => None,
    }
}

fn sum(token: Token) -> Option<BinaryOp> {
    match token {
        Token::Plus => Some(BinaryOp::Add),
        Token::Minus => Some(BinaryOp::Sub),
        _ => None,
    }
}

fn product(token: Token) -> Option<BinaryOp> {
    match token {
        Token::Star => Some(BinaryOp::Mul),
        Token::Slash => Some(BinaryOp::Div),
        _ => None,
    }
}

fn tight<'s>() -> impl Parser<'s, Input<'s>, Prefix, Extra<'s>> + Clone {
    let table = |token| match token {
        Token::Not => Some(Prefix::Unary(UnaryOp::Not)),
        Token::Minus => Some(Prefix::Unary(UnaryOp::Neg)),
        _ => None,
    };
    one(Some(Expect::Expression), table)
}

fn temporal<'s>() -> impl Parser<'s, Input<'s>, Prefix, Extra<'s>> + Clone {
    let table = |token| match token {
        Token::Finally => Some(Prefix::Unary(UnaryOp::Finally)),
        Token::Globally => Some(Prefix::Unary(UnaryOp::Globally)),
        Token::Next => Some(Prefix::Unary(UnaryOp::Next)),
        _ => None,
    };
    one(Some(Expect::Expression), table)
}

/// `<<O>>` and `[[O]]`, however they are spelt.
fn observation<'s>(expression: impl Parser<'s, Input<'s>, ParsedExpr, Extra<'s>> + Clone + 's) -> Rule<'s, Prefix> {
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
fn conditional<'s>(expression: impl Parser<'s, Input<'s>, ParsedExpr, Extra<'s>> + Clone + 's) -> Rule<'s, Prefix> {
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
    expression: impl Parser<'s, Input<'s>, ParsedExpr, Extra<'s>> + Clone + 's,
    close: Token<'s>,
) -> impl Parser<'s, Input<'s>, ParsedExpr, Extra<'s>> + Clone {
    let end = boundary(|_| false, closing(close));
    let inside = expression.then_ignore(end).recover_with(via_parser(skip_to(|_| false).map(Tall::error)));
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

fn atom<'s>(expression: impl Parser<'s, Input<'s>, ParsedExpr, Extra<'s>> + Clone + 's) -> Rule<'s, ParsedExpr> {
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
    let members = name().separated_by(comma).at_least(1).collect();
    // If an expression is missing, no group was meant.
    let open = one(None, |token| (token == Token::OpenBrace).then_some(()));
    let group = members.delimited_by(open, token(Token::CloseBrace)).map(ExprKind::Group);
    let leaf = constant.or(property).or(group).map(|kind| (kind, 0));
    let assignments = quantifier_word()
        .then(within(Token::OpenParen, expression.clone(), Token::CloseParen))
        .map(|(quantifier, node)| (ExprKind::Assignments(quantifier, Box::new(node.tree)), node.height));
    let plain = leaf.or(named(expression.clone())).or(assignments).map_with(|(kind, highest), extra| {
        let tree = Expr { kind, span: extra.span(), parenthesised: false };
        Tall::above(tree, highest, extra.state())
    });
    let parenthesised =
        within(Token::OpenParen, expression, Token::CloseParen).map_with(|mut node: ParsedExpr, extra| {
            node.tree.parenthesised = true;
            node.tree.span = extra.span();
            node
        });
    plain.or(parenthesised).labelled(Expect::Expression).boxed()
}

/// The part behind a name.
enum Suffix {
    Nothing,
    Member(Ident),
    Arguments(Vec<ParsedExpr>),
}

/// A name, a qualified name, or a call; with the height of the highest argument.
fn named<'s>(
    expression: impl Parser<'s, Input<'s>, ParsedExpr, Extra<'s>> + Clone + 's,
) -> impl Parser<'s, Input<'s>, (ExprKind, usize), Extra<'s>> + Clone {
    let member = select! {
        Token::Ident(name) = extra => Ident { name: name.to_owned(), span: extra.span() },
        Token::AutomatonState = extra => Ident { name: "automaton-state".to_owned(), span: extra.span() },
        Token::Myself = extra => Ident { name: "myself".to_owned(), span: extra.span() },
    };
    let qualified = token(Token::Dash).ignore_then(member.labelled(Expect::Member)).map(Suffix::Member);
    let argument = expression
        .then_ignore(boundary(|token| token == Token::Comma, &[Expect::Comma, Expect::CloseParen]))
        .recover_with(via_parser(skip_to(|token| token == Token::Comma).map(Tall::error)));
    // An empty list is tried first: an argument recovers from everything, so that it always succeeds.
    let no_arguments = token(Token::OpenParen).then(token(Token::CloseParen)).map(|_| Vec::new());
    let arguments = argument
        .separated_by(token(Token::Comma))
        .at_least(1)
        .collect()
        .delimited_by(token(Token::OpenParen), token(Token::CloseParen));
    let call = no_arguments.or(arguments).map(Suffix::Arguments);
    name().then(qualified.or(call).or(empty().map(|()| Suffix::Nothing))).map(|(name, suffix)| match suffix {
        Suffix::Nothing => (ExprKind::Name(name.name), 0),
        Suffix::Member(member) => (ExprKind::Member { owner: name, member }, 0),
        Suffix::Arguments(nodes) => {
            let highest = nodes.iter().map(|node| node.height).max().unwrap_or(0);
            let arguments = nodes.into_iter().map(|node| node.tree).collect();
            (ExprKind::Call { callee: name, arguments }, highest)
        }
    })
}

fn fold_infix<'s>(
    left: ParsedExpr,
    op: BinaryOp,
    right: ParsedExpr,
    extra: &mut MapExtra<'s, '_, Input<'s>, Extra<'s>>,
) -> ParsedExpr {
    let highest = left.height.max(right.height);
    let kind = ExprKind::Binary(op, Box::new(left.tree), Box::new(right.tree));
    let tree = Expr { kind, span: extra.span(), parenthesised: false };
    if let Some(inner) = tree.chained() {
        extra.state().0.push(Remark::Chained(tree.span, inner));
    }
    Tall::above(tree, highest, extra.state())
}

fn fold_prefix<'s>(prefix: Prefix, body: ParsedExpr, extra: &mut MapExtra<'s, '_, Input<'s>, Extra<'s>>) -> ParsedExpr {
    let mut highest = body.height;
    let mut body = Box::new(body.tree);
    let kind = match prefix {
        Prefix::Unary(op) => ExprKind::Unary(op, body),
        Prefix::Quantified(quantifier, mut variables, domain) => {
            let variable = variables.remove(0);
            for variable in variables.into_iter().rev() {
                let (span, domain) = (variable.span.to(body.span), domain.clone());
                let kind = ExprKind::Quantified { quantifier, variable, domain, body };
                body = Box::new(Expr { kind, span, parenthesised: false });
                highest += 1;
            }
            ExprKind::Quantified { quantifier, variable, domain, body }
        }
        Prefix::Aggregate(aggregate, variable, domain) => ExprKind::Aggregate { aggregate, variable, domain, body },
        Prefix::If(condition, yes) => {
            highest = highest.max(condition.height).max(yes.height);
            ExprKind::If { condition: Box::new(condition.tree), yes: Box::new(yes.tree), no: body }
        }
        Prefix::Observe(modality, observation) => {
            highest = highest.max(observation.height);
            ExprKind::Observe { modality, observation: Box::new(observation.tree), body }
        }
    };
    let tree = Expr { kind, span: extra.span(), parenthesised: false };
    Tall::above(tree, highest, extra.state())
}
