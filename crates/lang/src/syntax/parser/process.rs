//! The behaviour of agents: processes and commands.

use super::error::{Expect, Input};
use super::expression::within;
use super::item::list;
use super::rule::{self, Extra, Remark, Rule, State, boundary, due, name, skip_to, token};
use crate::source::Span;
use crate::syntax::ast::{
    Action, Assignment, BinaryOp, Command, Dialect, Expr, ExprKind, Process, ProcessKind, SupplyTarget,
};
use crate::syntax::token::Token;
use chumsky::prelude::*;

/// `repeat: P`
pub fn repeat<'s>(dialect: Dialect, expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Process, Extra<'s>> {
    token(Token::Repeat).ignore_then(due(Token::Colon)).ignore_then(process(dialect, expression)).then_ignore(end())
}

fn process<'s>(dialect: Dialect, expression: Rule<'s, Expr>) -> Rule<'s, Process> {
    let guard = guard(expression.clone()).boxed();
    let command = command(dialect, expression, guard.clone()).boxed();
    recursive(|process| {
        let step = recursive(|step| step_rule(dialect, (guard, command), process, step)).boxed();
        let sequence = step
            .separated_by(token(Token::Semicolon))
            .at_least(1)
            .collect::<Vec<_>>()
            .map_with(move |steps, extra| sequence(dialect, steps, extra.state()));
        sequence
            .separated_by(token(Token::Plus))
            .at_least(1)
            .collect::<Vec<_>>()
            .map_with(|choices, extra| fold_left(choices, ProcessKind::Choice, extra.state()))
    })
    .boxed()
}

/// A step with all that is wrong about it: what makes no sense, up to the next step, is one error.
fn step_rule<'s>(
    dialect: Dialect,
    (guard, command): (Rule<'s, Expr>, Rule<'s, Command>),
    process: impl Parser<'s, Input<'s>, Process, Extra<'s>> + Clone + 's,
    step: impl Parser<'s, Input<'s>, Process, Extra<'s>> + Clone + 's,
) -> impl Parser<'s, Input<'s>, Process, Extra<'s>> + Clone {
    let command = command.map(|command| {
        let span = command.span;
        Process::new(ProcessKind::Command(Box::new(command)), span)
    });
    let repeated: Rule<'s, Process> = match dialect {
        Dialect::Modern => process.clone().boxed(),
        Dialect::Classic => step.boxed(),
    };
    let rep = token(Token::Rep)
        .ignore_then(repeated)
        .map_with(|body, extra| rule::process(ProcessKind::Rep(Box::new(body)), extra.span(), extra.state()));
    let parenthesised = process
        .delimited_by(token(Token::OpenParen), token(Token::CloseParen))
        .map_with(|inner: Process, extra| Process { parenthesised: true, span: extra.span(), ..inner });
    let guarded = guard.then(parenthesised.clone()).map_with(|(guard, mut process), extra| {
        restrict(&mut process, &guard, &mut extra.state().0);
        Process { span: extra.span(), ..process }
    });
    let junk = boundary(ends_step, &[Expect::Semicolon, Expect::Plus, Expect::CloseParen, Expect::End])
        .recover_with(via_parser(skip_to(ends_step).ignored()));
    choice((command, parenthesised, guarded, rep))
        .labelled(Expect::Command)
        .recover_with(via_parser(skip_to(ends_step).map(Process::error)))
        .then_ignore(junk)
}

fn ends_step(token: Token) -> bool {
    matches!(token, Token::Semicolon | Token::Plus)
}

/// `a ; b ; c`, to the left in modern and to the right in classic files.
fn sequence(dialect: Dialect, steps: Vec<Process>, state: &mut State) -> Process {
    match dialect {
        Dialect::Modern => fold_left(steps, ProcessKind::Sequence, state),
        Dialect::Classic => fold_right(steps, state),
    }
}

type Join = fn(Box<Process>, Box<Process>) -> ProcessKind;

fn join(left: Process, right: Process, join: Join, state: &mut State) -> Process {
    let span = left.span.to(right.span);
    rule::process(join(Box::new(left), Box::new(right)), span, state)
}

fn fold_left(nodes: Vec<Process>, kind: Join, state: &mut State) -> Process {
    let folded = nodes.into_iter().reduce(|left, right| join(left, right, kind, state));
    folded.unwrap_or_else(|| Process::error(Span::default()))
}

fn fold_right(nodes: Vec<Process>, state: &mut State) -> Process {
    let folded = nodes.into_iter().rev().reduce(|right, left| join(left, right, ProcessKind::Sequence, state));
    folded.unwrap_or_else(|| Process::error(Span::default()))
}

/// `{e}`, classic `<e>`
fn guard<'s>(expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, Expr, Extra<'s>> + Clone {
    within(Token::OpenBrace, expression.clone(), Token::CloseBrace)
        .or(within(Token::OpenGuard, expression, Token::CloseGuard))
        .labelled(Expect::Guard)
}

/// Puts a guard before a process: before each command that it can begin with. The first command of `rep` can be the next
/// one once more, for which the guard does not count.
fn restrict(process: &mut Process, guard: &Expr, remarks: &mut Vec<Remark>) {
    match &mut process.kind {
        ProcessKind::Error => {}
        ProcessKind::Command(command) => {
            let own = command.guard.clone();
            let span = guard.span.to(own.span);
            let [guard, own] = [guard.clone(), own].map(|part| Expr { parenthesised: true, ..part });
            let kind = ExprKind::Binary(BinaryOp::And, Box::new(guard), Box::new(own));
            command.guard = Expr::new(kind, span);
        }
        ProcessKind::Rep(_) => remarks.push(Remark::GuardedLoop(guard.span)),
        ProcessKind::Sequence(first, _) => restrict(first, guard, remarks),
        ProcessKind::Choice(left, right) => {
            restrict(left, guard, remarks);
            restrict(right, guard, remarks);
        }
    }
}

fn command<'s>(
    dialect: Dialect,
    expression: Rule<'s, Expr>,
    guard: Rule<'s, Expr>,
) -> impl Parser<'s, Input<'s>, Command, Extra<'s>> {
    let label = name().then_ignore(token(Token::Colon)).or_not();
    label.then(guard).then(action(dialect, expression)).map_with(|((label, guard), (action, data, updates)), extra| {
        Command { label, guard, action, data, updates, span: extra.span() }
    })
}

/// An action with its data and its updates.
type WholeAction = (Action, Vec<Assignment>, Vec<Assignment>);

fn action<'s>(dialect: Dialect, expression: Rule<'s, Expr>) -> impl Parser<'s, Input<'s>, WholeAction, Extra<'s>> {
    let data = assignments(Token::OpenData, expression.clone(), Token::CloseParen);
    let updates = assignments(Token::OpenBracket, expression.clone(), Token::CloseBracket);
    let contents = match dialect {
        Dialect::Modern => data.then(updates.clone()).boxed(),
        // One of the papers leaves out updates that change nothing.
        Dialect::Classic => data.then(no_updates().or(updates.clone())).boxed(),
    };
    let send = channel()
        .then_ignore(token(Token::Not))
        .then(expression.clone())
        .then(contents.clone())
        .map(|((channel, guard), (data, updates))| (Action::Send { channel, guard }, data, updates));
    let receive = channel()
        .then_ignore(token(Token::Question))
        .then(updates)
        .map(|(channel, updates)| (Action::Receive { channel }, Vec::new(), updates));
    let get = token(Token::Get)
        .ignore_then(within(Token::OpenParen, expression, Token::CloseParen))
        .then(contents.clone())
        .map(|(target, (data, updates))| (Action::Get { target }, data, updates));
    let supply = token(Token::Supply)
        .ignore_then(supply_target().delimited_by(token(Token::OpenParen), token(Token::CloseParen)))
        .then(contents)
        .map(|(to, (data, updates))| (Action::Supply { to }, data, updates));
    choice((send, receive, get, supply)).labelled(Expect::Action)
}

/// Nothing, where a command ends.
fn no_updates<'s>() -> impl Parser<'s, Input<'s>, Vec<Assignment>, Extra<'s>> + Clone {
    let ends = one_of([Token::Semicolon, Token::Plus, Token::CloseParen]).ignored().or(end());
    ends.rewind().map(|()| Vec::new())
}

fn channel<'s>() -> impl Parser<'s, Input<'s>, Expr, Extra<'s>> + Clone {
    select! {
        Token::Star => ExprKind::Star,
        Token::Ident(name) => ExprKind::Name(name.to_owned()),
    }
    .map_with(|kind, extra| Expr::new(kind, extra.span()))
}

fn supply_target<'s>() -> impl Parser<'s, Input<'s>, SupplyTarget, Extra<'s>> + Clone {
    token(Token::Myself).to(SupplyTarget::Myself).or(name().map(SupplyTarget::Name)).labelled(Expect::Getter)
}

fn assignments<'s>(
    open: Token<'s>,
    expression: Rule<'s, Expr>,
    close: Token<'s>,
) -> impl Parser<'s, Input<'s>, Vec<Assignment>, Extra<'s>> + Clone {
    let assignment = name()
        .then_ignore(token(Token::Assign))
        .then(expression)
        .map(|(name, value)| Assignment { name, value })
        .labelled(Expect::Assignment);
    let none = token(open).then(token(close)).map(|_| Vec::new());
    none.or(list(assignment).delimited_by(token(open), token(close)))
}
