//! Visits of all expressions of a tree.

use super::ast::{Agent, BinaryOp, Command, Declaration, Expr, ExprKind, Global, Guard, Model, Process, ProcessKind};
use crate::source::Span;

/// Calls the function for every outermost expression of a model, in the order of the text, but for assumptions, which come
/// before the specs.
pub fn expressions<'a>(model: &'a Model, visit: &mut dyn FnMut(&'a Expr)) {
    outside_of_formulas(model, visit);
    model.restriction.iter().for_each(&mut *visit);
    model.assumptions.iter().for_each(|assumption| visit(&assumption.formula));
    model.specs.iter().for_each(|spec| visit(&spec.formula));
}

/// The same, but for specs, assumptions and the restriction.
pub fn outside_of_formulas<'a>(model: &'a Model, visit: &mut dyn FnMut(&'a Expr)) {
    for global in &model.globals {
        match global {
            Global::Guard(Guard { body: expr, .. }) | Global::Constant { value: expr, .. } => visit(expr),
            Global::Enum { .. } | Global::Messages(_) | Global::Properties(_) | Global::PointToPoint { .. } => {}
        }
    }
    model.agents.iter().for_each(|agent| of_agent(agent, visit));
    for instance in &model.system {
        instance.family.iter().flat_map(|family| family.expressions()).for_each(&mut *visit);
        visit(&instance.init);
    }
}

/// Calls the function for every outermost expression of an agent type, in the order of the text.
pub fn of_agent<'a>(agent: &'a Agent, visit: &mut dyn FnMut(&'a Expr)) {
    agent.init.iter().for_each(&mut *visit);
    agent.relabel.iter().for_each(|assignment| visit(&assignment.value));
    agent.receive_guard.iter().for_each(&mut *visit);
    commands(&agent.process, &mut |command| command_expressions(command, visit));
}

/// The declarations of all variables: of messages and properties, parameters of guards, and locals.
pub fn variables(model: &Model) -> impl Iterator<Item = &Declaration> {
    model.globals.iter().flat_map(Global::variables).chain(model.agents.iter().flat_map(|agent| &agent.locals))
}

/// Calls the function for every command of a process, in the order of the text.
pub fn commands<'a>(process: &'a Process, visit: &mut dyn FnMut(&'a Command)) {
    match &process.kind {
        ProcessKind::Error => {}
        ProcessKind::Command(command) => visit(command),
        ProcessKind::Sequence(left, right) | ProcessKind::Choice(left, right) => {
            commands(left, visit);
            commands(right, visit);
        }
        ProcessKind::Rep(body) => commands(body, visit),
    }
}

/// Calls the function for every outermost expression of a command, in the order of the text.
pub fn command_expressions<'a>(command: &'a Command, visit: &mut dyn FnMut(&'a Expr)) {
    visit(&command.guard);
    command.action.expressions().into_iter().for_each(&mut *visit);
    command.data.iter().chain(&command.updates).for_each(|assignment| visit(&assignment.value));
}

/// The same, for code that changes them.
pub fn command_expressions_mut(command: &mut Command, visit: &mut dyn FnMut(&mut Expr)) {
    visit(&mut command.guard);
    command.action.expressions_mut().into_iter().for_each(&mut *visit);
    command.data.iter_mut().chain(&mut command.updates).for_each(|assignment| visit(&mut assignment.value));
}

/// Calls the function for every place in a process.
pub fn places_mut(process: &mut Process, visit: &mut dyn FnMut(&mut Span)) {
    visit(&mut process.span);
    match &mut process.kind {
        ProcessKind::Error => {}
        ProcessKind::Command(command) => places_of_command_mut(command, visit),
        ProcessKind::Sequence(left, right) | ProcessKind::Choice(left, right) => {
            places_mut(left, visit);
            places_mut(right, visit);
        }
        ProcessKind::Rep(body) => places_mut(body, visit),
    }
}

fn places_of_command_mut(command: &mut Command, visit: &mut dyn FnMut(&mut Span)) {
    visit(&mut command.span);
    command.label.iter_mut().chain(command.action.getter_mut()).for_each(|name| visit(&mut name.span));
    command.data.iter_mut().chain(&mut command.updates).for_each(|assignment| visit(&mut assignment.name.span));
    command_expressions_mut(command, &mut |expr| {
        nested_mut(expr, &mut |expr| {
            visit(&mut expr.span);
            expr.kind.names_mut().into_iter().for_each(|name| visit(&mut name.span));
        });
    });
}

/// The parts of a conjunction, from left to right.
pub fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    let (mut pending, mut list) = (vec![expr], Vec::new());
    while let Some(expr) = pending.pop() {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => pending.extend([&**right, left]),
            _ => list.push(expr),
        }
    }
    list
}

/// Calls the function for an expression and everything in it, in the order of the text.
pub fn nested_mut(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    visit(expr);
    expr.kind.parts_mut().into_iter().for_each(|part| nested_mut(part, visit));
}

/// Calls the function for an expression and everything in it, outer before inner.
pub fn nested(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        visit(expr);
        pending.extend(expr.kind.parts().into_iter().rev());
    }
}
