//! The parts of a model that a verdict depends on, as a text: equal texts have equal verdicts. Parts that only name,
//! place or expect something are left out: the display of a verdict takes them from the text as it is.

use super::analysis::Analysis;
use crate::syntax::ast::{Expr, Global, Model};
use crate::syntax::pretty::{self, Names};
use crate::syntax::walk;

/// The part of a file that every verdict depends on.
///
/// Comments, white space, specs, agent types without an instance, and guards and constants without use do not count.
/// All else does: any agent may have a part in any run.
pub fn system(analysis: &Analysis) -> String {
    let is_used = used(analysis);
    let mut kept = Model { specs: Vec::new(), assumptions: Vec::new(), ..analysis.parsed.model.clone() };
    kept.agents.retain(|agent| is_used(&agent.name.name));
    kept.globals.retain(|global| match global {
        Global::Guard(guard) => is_used(&guard.name.name),
        Global::Constant { name, .. } => is_used(&name.name),
        Global::Enum { .. } | Global::Messages(_) | Global::Properties(_) | Global::PointToPoint { .. } => true,
    });
    pretty::model(&kept)
}

/// True if something uses a global name.
fn used(analysis: &Analysis) -> impl Fn(&str) -> bool {
    let index = analysis.index();
    let mut used = vec![false; index.symbols.len()];
    for it in index.uses.iter().filter(|it| !it.declares) {
        it.symbols.iter().for_each(|&id| used[id] = true);
    }
    move |name| index.globals.get(name).is_some_and(|&id| used[id])
}

/// The rest that the verdicts of checks beyond specs depend on: their commands, those of agent types without an
/// instance included.
pub fn commands(analysis: &Analysis) -> String {
    let is_used = used(analysis);
    let mut text = String::new();
    for agent in analysis.parsed.model.agents.iter().filter(|agent| !is_used(&agent.name.name)) {
        text.push_str(&agent.name.name);
        walk::commands(&agent.process, &mut |command| {
            text.push(' ');
            text.push_str(command.label.as_ref().map_or("_", |label| &label.name));
        });
        text.push('\n');
    }
    text
}

/// The rest that the verdict on a spec depends on: its formula, and the assumptions above it.
pub fn spec(analysis: &Analysis, spec: usize) -> Option<String> {
    let tree = &analysis.parsed.model;
    let show = |formula: &Expr| pretty::expression(formula, &Names::default());
    let assumptions = tree.assumptions.iter().filter(|assumption| assumption.above <= spec);
    let mut text: Vec<String> = assumptions.map(|assumption| show(&assumption.formula)).collect();
    text.push(show(&tree.specs.get(spec)?.formula));
    Some(text.join("\n"))
}
