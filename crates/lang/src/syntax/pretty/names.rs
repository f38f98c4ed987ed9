//! The facts about names that the printer of expressions needs.

use super::expression::Names;
use crate::syntax::ast::{Dialect, Expr, ExprKind, Global, Guard, Instance, Model};
use crate::syntax::walk;
use rustc_hash::FxHashSet;

/// The facts about the names of a model that the printer needs, outside of its specs.
pub fn names(model: &Model) -> Names<'static> {
    let is_classic = model.dialect == Dialect::Classic;
    let mut names = Names { ch_is_channel: is_classic, name_is_location: is_classic, ..Names::default() };
    for_each_declared(model, &mut |name| {
        names.ch_is_channel &= name != "ch";
        names.name_is_location &= name != "name";
    });
    names
}

/// Calls the function for every name that a model declares.
fn for_each_declared(model: &Model, visit: &mut dyn FnMut(&str)) {
    for global in &model.globals {
        global.constants().iter().for_each(|constant| visit(&constant.name));
        global.variables().iter().for_each(|variable| visit(&variable.name.name));
    }
    for agent in &model.agents {
        agent.locals.iter().for_each(|local| visit(&local.name.name));
        walk::commands(&agent.process, &mut |command| command.label.iter().for_each(|label| visit(&label.name)));
    }
    model.system.iter().for_each(|instance| visit(&instance.name.name));
}

/// The names for a spec: its quantified variables and the instances own qualified names.
pub fn spec_names<'a>(names: &Names<'static>, system: &'a [Instance], formula: &'a Expr) -> Names<'a> {
    let mut owners: FxHashSet<&str> = system.iter().map(|i| i.name.name.as_str()).collect();
    let mut pending = vec![formula];
    while let Some(expr) = pending.pop() {
        if let ExprKind::Quantified { variable, .. } | ExprKind::Aggregate { variable, .. } = &expr.kind {
            owners.insert(&variable.name);
        }
        pending.extend(expr.kind.parts());
    }
    Names { owners, ch_is_channel: names.ch_is_channel, name_is_location: names.name_is_location, ..Names::default() }
}

/// The names for a guard: in classic files its parameters may hide constants, in modern ones they may not.
pub fn guard_names<'a>(names: &Names<'static>, model: &Model, guard: &'a Guard) -> Names<'a> {
    let is_constant = |name: &str| model.globals.iter().flat_map(Global::constants).any(|it| it.name == name);
    let parameters = guard.parameters.iter().map(|parameter| parameter.name.name.as_str());
    let hiding = parameters.filter(|name| model.dialect == Dialect::Classic && is_constant(name));
    let renamed = hiding.map(|name| (name, free_name(name, model))).collect();
    Names { ch_is_channel: names.ch_is_channel, name_is_location: names.name_is_location, renamed, ..Names::default() }
}

/// A name like the given one that a model does not declare.
fn free_name(name: &str, model: &Model) -> String {
    let mut taken = FxHashSet::default();
    for_each_declared(model, &mut |name| taken.extend([name.to_owned()]));
    taken.extend(model.agents.iter().map(|agent| agent.name.name.clone()));
    taken.extend(model.globals.iter().filter_map(Global::name).map(|name| name.name.clone()));
    let mut candidates = (1..).map(|number| format!("{name}_{number}"));
    candidates.find(|candidate| !taken.contains(candidate)).expect("a file has finitely many names")
}
