//! The canonical text of a model, in the modern dialect whatever it was read in.
//!
//! `parse(format(x))` is `x` again, up to the dialect and two spellings that only classic files know
//! (`ch` for `chan`, `k-name` for `k-myself`), and formatting twice changes nothing. Comments stay: those on
//! lines of their own before the item that they precede, others behind the item that they follow.
//!
//! Only files without syntax errors should be formatted: an error node has no text.

mod expression;
mod item;
mod layout;
mod process;

pub use expression::{Names, expression};

use super::Parsed;
use super::ast::{Dialect, ExprKind, Global, Instance, Model};
use super::walk;
use crate::source::SourceFile;
use layout::Layout;

/// The canonical text of a file, with its comments.
pub fn format(source: &SourceFile, parsed: &Parsed) -> String {
    let mut layout = Layout::new(Some(source), &parsed.comments);
    item::model(&mut layout, &parsed.model);
    layout.finish()
}

/// The canonical text of a model that has no text of its own; the names and expectations of its specs become comments.
pub fn model(model: &Model) -> String {
    let mut layout = Layout::new(None, &[]);
    item::model(&mut layout, model);
    layout.finish()
}

/// What the printer must know about the names of a model, outside of its specs.
fn names(model: &Model) -> Names<'static> {
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
        match global {
            Global::Enum { constants, .. } => constants.iter().for_each(|constant| visit(&constant.name)),
            Global::Messages(list) | Global::Properties(list) => list.iter().for_each(|d| visit(&d.name.name)),
            Global::Guard(guard) => guard.parameters.iter().for_each(|d| visit(&d.name.name)),
        }
    }
    for agent in &model.agents {
        agent.locals.iter().for_each(|local| visit(&local.name.name));
        walk::commands(&agent.process, &mut |command| command.label.iter().for_each(|label| visit(&label.name)));
    }
    model.system.iter().for_each(|instance| visit(&instance.name.name));
}

/// The names for a spec: its quantified variables and the instances own qualified names.
fn spec_names<'a>(names: &Names<'static>, system: &'a [Instance], formula: &'a super::ast::Expr) -> Names<'a> {
    let mut owners: rustc_hash::FxHashSet<&str> = system.iter().map(|i| i.name.name.as_str()).collect();
    let mut pending = vec![formula];
    while let Some(expr) = pending.pop() {
        if let ExprKind::Quantified { variable, .. } = &expr.kind {
            owners.insert(&variable.name);
        }
        pending.extend(walk::parts(expr));
    }
    Names { owners, ch_is_channel: names.ch_is_channel, name_is_location: names.name_is_location }
}
