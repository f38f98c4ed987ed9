//! Visits of all expressions of a tree.

use super::ast::{
    Action, Agent, BinaryOp, Command, Declaration, Expr, ExprKind, Global, Guard, Model, Process, ProcessKind,
};

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
    let globals = model.globals.iter().flat_map(|global| match global {
        Global::Messages(list) | Global::Properties(list) => &list[..],
        Global::Guard(guard) => &guard.parameters,
        Global::Enum { .. } | Global::Constant { .. } | Global::PointToPoint { .. } => &[],
    });
    globals.chain(model.agents.iter().flat_map(|agent| &agent.locals))
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
    let (data, updates) = match &command.action {
        Action::Send { channel, guard, data, updates } => {
            visit(channel);
            visit(guard);
            (&data[..], updates)
        }
        Action::Receive { channel, updates } => {
            visit(channel);
            (&[][..], updates)
        }
        Action::Get { target, data, updates } => {
            visit(target);
            (&data[..], updates)
        }
        Action::Supply { data, updates, .. } => (&data[..], updates),
    };
    data.iter().chain(updates).for_each(|assignment| visit(&assignment.value));
}

/// The same, for code that changes them.
pub fn command_expressions_mut(command: &mut Command, visit: &mut dyn FnMut(&mut Expr)) {
    visit(&mut command.guard);
    let (data, updates) = match &mut command.action {
        Action::Send { channel, guard, data, updates } => {
            visit(channel);
            visit(guard);
            (&mut data[..], updates)
        }
        Action::Receive { channel, updates } => {
            visit(channel);
            (&mut [][..], updates)
        }
        Action::Get { target, data, updates } => {
            visit(target);
            (&mut data[..], updates)
        }
        Action::Supply { data, updates, .. } => (&mut data[..], updates),
    };
    data.iter_mut().chain(updates).for_each(|assignment| visit(&mut assignment.value));
}

/// The direct parts of an expression, in the order of the text.
pub fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Call { arguments, .. } => arguments.iter().collect(),
        ExprKind::Assignments(_, body) | ExprKind::Unary(_, body) => vec![body],
        ExprKind::Quantified { body, .. } | ExprKind::Aggregate { body, .. } => vec![body],
        ExprKind::Binary(_, left, right) => vec![left, right],
        ExprKind::If { condition, yes, no } => vec![condition, yes, no],
        ExprKind::Observe { observation, body, .. } => vec![observation, body],
        _ => Vec::new(),
    }
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
    let parts: Vec<&mut Expr> = match &mut expr.kind {
        ExprKind::Call { arguments, .. } => arguments.iter_mut().collect(),
        ExprKind::Assignments(_, body) | ExprKind::Unary(_, body) => vec![body],
        ExprKind::Quantified { body, .. } | ExprKind::Aggregate { body, .. } => vec![body],
        ExprKind::Binary(_, left, right) => vec![left, right],
        ExprKind::If { condition, yes, no } => vec![condition, yes, no],
        ExprKind::Observe { observation, body, .. } => vec![observation, body],
        _ => Vec::new(),
    };
    parts.into_iter().for_each(|part| nested_mut(part, visit));
}

/// Calls the function for an expression and everything in it, outer before inner.
pub fn nested(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        visit(expr);
        pending.extend(parts(expr).into_iter().rev());
    }
}
