//! Forms that mean another one: guards, guards before processes, families, constants.
//!
//! Elaboration replaces all of it by what it stands for, before either semantics sees the model. So a model is compared
//! with its plain form, in which guards that read locals are written out in the text, and all else is printed anew.

use super::graph::Graph;
use super::harness::Source;
use rcheck_smt::model::elaborate;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::ast::{ExprKind, Global, Model, sized_types};
use rcheck_smt::syntax::{parse, plain, pretty, walk};
use std::collections::BTreeSet;

/// The most states in which steps are compared.
const STATES: usize = 300;

/// The rules of the language that only the text shows.
pub fn rules(source: &Source) -> BTreeSet<&'static str> {
    let tree = &parse(&SourceFile::new("generated.rcp", &source.text), None).model;
    let mut found = BTreeSet::new();
    walk::expressions(tree, &mut |expr| {
        walk::nested(expr, &mut |part| {
            if let ExprKind::Call { callee, arguments } = &part.kind
                && let ("size", [types]) = (callee.name.as_str(), &arguments[..])
                && sized_types(types).is_some_and(|types| types.len() > 1)
            {
                found.insert("number of instances of several types");
            }
        });
    });
    let reading = guards_that_read_locals(tree);
    let mut callers: Vec<(&str, usize)> = Vec::new();
    for (index, agent) in tree.agents.iter().enumerate() {
        walk::commands(&agent.process, &mut |command| {
            if command.guard.span.start < command.span.start {
                found.insert("guard before a process");
            }
            walk::command_expressions(command, &mut |expr| {
                walk::nested(expr, &mut |part| {
                    if let ExprKind::Call { callee, .. } = &part.kind
                        && let Some(guard) = reading.get(callee.name.as_str())
                    {
                        callers.push((guard, index));
                    }
                });
            });
        });
    }
    if !callers.is_empty() {
        found.insert("guard that reads locals");
    }
    if callers.iter().any(|(guard, agent)| callers.iter().any(|(same, other)| guard == same && agent != other)) {
        found.insert("guard that reads locals of several agents");
    }
    found
}

/// The names of guards whose bodies read something that is a local of some agent, and no parameter.
fn guards_that_read_locals(tree: &Model) -> BTreeSet<&str> {
    let is_local = |name: &str| tree.agents.iter().flat_map(|agent| &agent.locals).any(|local| local.name.name == name);
    let guards = tree.globals.iter().filter_map(|global| match global {
        Global::Guard(guard) => Some(guard),
        _ => None,
    });
    let reads = guards.filter(|guard| {
        let mut reads = false;
        walk::nested(&guard.body, &mut |part| {
            if let ExprKind::Name(name) = &part.kind {
                reads |= is_local(name) && guard.parameters.iter().all(|parameter| parameter.name.name != *name);
            }
        });
        reads
    });
    reads.map(|guard| guard.name.name.as_str()).collect()
}

/// Checks that the plain form of a model, if it has one, has the same states and steps; true if there is one.
pub fn check(source: &Source) -> Result<bool, String> {
    let file = SourceFile::new("generated.rcp", &source.text);
    let mut parsed = parse(&file, None);
    let Ok(tree) = plain(&parsed.model, &source.model.literals()) else { return Ok(false) };
    parsed.model = tree;
    let text = pretty::format(&file, &parsed);
    let (model, diagnostics) = elaborate(&parse(&SourceFile::new("plain.rcp", &text), None).model);
    let model = model.ok_or_else(|| format!("{diagnostics:#?} in the plain form\n{text}"))?;
    let (one, other) = (Semantics::new(&source.model), Semantics::new(&model));
    let (graph, same) = (Graph::new(&one, STATES), Graph::new(&other, STATES));
    let states = |graph: &Graph| graph.expanded().iter().map(|node| node.state.clone()).collect::<Vec<_>>();
    if states(&graph) != states(&same) {
        return Err(format!("other states in the plain form\n{text}"));
    }
    match graph.expanded().iter().find(|node| one.steps(&node.state) != other.steps(&node.state)) {
        Some(node) => Err(format!("other steps from {:?} in the plain form\n{text}", node.state)),
        None => Ok(true),
    }
}
