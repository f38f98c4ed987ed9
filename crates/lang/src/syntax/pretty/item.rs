//! Declarations, agents, the system and specs.

use super::expression::{Names, expression};
use super::layout::Layout;
use super::names::{guard_names, names, spec_names};
use super::process;
use crate::source::Span;
use crate::syntax::ast::{
    Agent, AnySize, Assignment, Declaration, Expr, Family, Global, Ident, Instance, Model, Spec, Type, TypeKind,
};

/// Writes a whole model.
pub fn model(layout: &mut Layout, model: &Model) {
    let names = names(model);
    for (index, global) in model.globals.iter().enumerate() {
        let same_kind = index > 0 && is_enum(&model.globals[index - 1]) == is_enum(global);
        if !same_kind || matches!(global, Global::Guard(_)) {
            layout.blank();
        }
        self::global(layout, global, model, &names);
    }
    for agent in &model.agents {
        layout.blank();
        self::agent(layout, agent, &names);
    }
    if !model.system.is_empty() {
        layout.blank();
        system(layout, model, &names);
    }
    if !model.specs.is_empty() || !model.assumptions.is_empty() {
        layout.blank();
    }
    let mut assumptions = model.assumptions.iter().peekable();
    for above in 0..=model.specs.len() {
        while let Some(assumption) = assumptions.next_if(|assumption| assumption.above == above) {
            let names = spec_names(&names, &model.system, &assumption.formula);
            item(layout, assumption.span, &format!("ASSUME {};", expression(&assumption.formula, &names)));
        }
        if let Some(spec) = model.specs.get(above) {
            self::spec(layout, spec, &spec_names(&names, &model.system, &spec.formula));
        }
    }
}

fn is_enum(global: &Global) -> bool {
    matches!(global, Global::Enum { .. })
}

/// From the first to the last of some places.
fn whole(places: impl IntoIterator<Item = Span>) -> Span {
    places.into_iter().reduce(Span::to).unwrap_or_default()
}

fn global(layout: &mut Layout, global: &Global, model: &Model, names: &Names<'static>) {
    match global {
        Global::Enum { name, constants } => {
            let span = whole(constants.iter().map(|constant| constant.span).chain([name.span]));
            let constants: Vec<&str> = constants.iter().map(|constant| constant.name.as_str()).collect();
            item(layout, span, &format!("enum {} {{{}}}", name.name, constants.join(", ")));
        }
        Global::Messages(list) => declarations(layout, "message-structure:", list, names),
        Global::Properties(list) => declarations(layout, "property-variables:", list, names),
        Global::Guard(guard) => {
            let names = guard_names(names, model, guard);
            let parameter = |it: &Declaration| format!("{} : {}", names.of(&it.name.name), ty(&it.ty, &names));
            let parameters: Vec<String> = guard.parameters.iter().map(parameter).collect();
            let body = expression(&guard.body, &names);
            let text = format!("guard {}({}) := {body};", guard.name.name, parameters.join(", "));
            item(layout, guard.name.span.to(guard.body.span), &text);
        }
        Global::Constant { name, value, .. } => {
            let text = format!("const {} = {};", name.name, expression(value, names));
            item(layout, name.span.to(value.span), &text);
        }
        Global::PointToPoint { reading, keyword } => {
            item(layout, keyword.span, &format!("{}: {}", keyword.name, reading.word()));
        }
    }
}

/// Writes an item of one line with its comments.
fn item(layout: &mut Layout, span: Span, text: &str) {
    layout.before(span);
    layout.line(text);
    layout.behind(span);
}

fn declaration(declaration: &Declaration, names: &Names) -> String {
    format!("{} : {}", declaration.name.name, ty(&declaration.ty, names))
}

fn ty(ty: &Type, names: &Names) -> String {
    match &ty.kind {
        TypeKind::Error => "?".to_owned(),
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Int => "int".to_owned(),
        TypeKind::Range(low, high) => range(low, high, names),
        TypeKind::Location => "location".to_owned(),
        TypeKind::Named(name) => name.clone(),
    }
}

fn range(low: &Expr, high: &Expr, names: &Names) -> String {
    format!("{}..{}", expression(low, names), expression(high, names))
}

/// Writes a list on one line if it fits and has no comments, else one declaration to a line.
fn declarations(layout: &mut Layout, keyword: &str, list: &[Declaration], names: &Names) {
    let texts: Vec<String> = list.iter().map(|it| declaration(it, names)).collect();
    let span = |declaration: &Declaration| declaration.name.span.to(declaration.ty.span);
    let (Some(first), Some(last)) = (list.first().map(span), list.last().map(span)) else {
        return layout.line(keyword);
    };
    layout.before(Span { start: first.start, end: first.start });
    let one_line = format!("{keyword} {}", texts.join(", "));
    if layout.fits(&one_line) && !layout.has_comment_before(last.end) {
        layout.line(&one_line);
        return layout.behind(last);
    }
    layout.line(keyword);
    layout.indented(|layout| {
        for (index, (declaration, text)) in list.iter().zip(&texts).enumerate() {
            let comma = if index + 1 < list.len() { "," } else { "" };
            item(layout, span(declaration), &format!("{text}{comma}"));
        }
    });
}

/// Writes an agent; its sections keep their order.
fn agent(layout: &mut Layout, agent: &Agent, names: &Names) {
    item(layout, agent.name.span, &format!("agent {}", agent.name.name));
    let mut sections: Vec<(u32, Section)> = vec![(agent.process.span.start, Section::Repeat)];
    sections.extend(agent.locals.first().map(|local| (local.name.span.start, Section::Local)));
    sections.extend(agent.init.as_ref().map(|init| (init.span.start, Section::Init)));
    sections.extend(agent.relabel.first().map(|first| (first.name.span.start, Section::Relabel)));
    sections.extend(agent.receive_guard.as_ref().map(|guard| (guard.span.start, Section::ReceiveGuard)));
    sections.sort();
    layout.indented(|layout| sections.iter().for_each(|(_, section)| self::section(layout, agent, *section, names)));
}

/// The sections of an agent, in the order of those that have no places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Local,
    Init,
    Relabel,
    ReceiveGuard,
    Repeat,
}

fn section(layout: &mut Layout, agent: &Agent, section: Section, names: &Names) {
    let condition = |layout: &mut Layout, keyword: &str, condition: &Option<Expr>| {
        if let Some(condition) = condition {
            item(layout, condition.span, &format!("{keyword} {}", expression(condition, names)));
        }
    };
    match section {
        Section::Local => declarations(layout, "local:", &agent.locals, names),
        Section::Init => condition(layout, "init:", &agent.init),
        Section::ReceiveGuard => condition(layout, "receive-guard:", &agent.receive_guard),
        Section::Repeat => process::behaviour(layout, &agent.process, names),
        Section::Relabel => {
            let start = agent.relabel.first().map_or(0, |first| first.name.span.start);
            layout.before(Span { start, end: start });
            layout.line("relabel:");
            layout.indented(|layout| agent.relabel.iter().for_each(|assignment| relabel(layout, assignment, names)));
        }
    }
}

fn relabel(layout: &mut Layout, assignment: &Assignment, names: &Names) {
    let Ident { name, span } = &assignment.name;
    item(layout, span.to(assignment.value.span), &format!("{name} <- {}", expression(&assignment.value, names)));
}

fn system(layout: &mut Layout, model: &Model, names: &Names<'static>) {
    let instances = &model.system;
    let text = |instance: &Instance| {
        let family = instance.family.as_ref().map(|family| match &**family {
            Family::Range(first, last) => format!("[{}]", range(first, last, names)),
            Family::Any(AnySize { least: Some(least), .. }) => format!("[{}..*]", expression(least, names)),
            Family::Any(_) => "[*]".to_owned(),
        });
        let name = format!("{}{}", instance.name.name, family.unwrap_or_default());
        format!("{}({name}, {})", instance.agent.name, expression(&instance.init, names))
    };
    let span = |instance: &Instance| instance.agent.span.to(instance.init.span);
    let all = whole(instances.iter().map(span));
    layout.before(Span { start: all.start, end: all.start });
    let one_line = format!("system = {}", instances.iter().map(text).collect::<Vec<_>>().join(" || "));
    if layout.fits(&one_line) && !layout.has_comment_before(all.end) {
        layout.line(&one_line);
        layout.behind(all);
        return restriction(layout, model, names);
    }
    layout.line("system =");
    layout.indented(|layout| {
        for (index, instance) in instances.iter().enumerate() {
            let bars = if index + 1 < instances.len() { " ||" } else { "" };
            item(layout, span(instance), &format!("{}{bars}", text(instance)));
        }
    });
    restriction(layout, model, names);
}

fn restriction(layout: &mut Layout, model: &Model, names: &Names<'static>) {
    let Some(restriction) = &model.restriction else { return };
    let names = spec_names(names, &model.system, restriction);
    layout.indented(|layout| item(layout, restriction.span, &format!("where {}", expression(restriction, &names))));
}

fn spec(layout: &mut Layout, spec: &Spec, names: &Names) {
    if !layout.has_source() {
        let name = spec.name.as_ref().map(|name| format!("name: {}", name.name));
        let expect = spec.expect.as_ref().map(|expect| format!("expect: {}", expect.name));
        let directives: Vec<String> = name.into_iter().chain(expect).collect();
        if !directives.is_empty() {
            layout.line(&format!("// {}", directives.join(", ")));
        }
    }
    item(layout, spec.span, &format!("SPEC {};", expression(&spec.formula, names)));
}
