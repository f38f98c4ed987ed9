//! A model with a strategy built in, as the text of an ordinary model: stronger guards, and what the strategy brings about as its only spec.

use crate::diag::{Edit, Fix};
use crate::model::strategy::Strategy;
use crate::model::{BinaryOp, CommandLeaf, Constant, ConstantName, EdgeId, Expr, InstanceId, Model, Type, Value};
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{self, Dialect, Global};
use crate::syntax::{parse, walk};

/// A strategy, and what comes of it.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn<'m> {
    /// The model as it was read.
    pub model: &'m Model,
    /// The strategy.
    pub strategy: &'m Strategy,
    /// The model with it, whose first spec is what it brings about.
    pub outcome: &'m Model,
    /// The number of the spec that asks for it.
    pub spec: usize,
}

impl BuiltIn<'_> {
    /// The text of the model with the strategy.
    ///
    /// # Errors
    /// Why guards cannot say what members decide.
    pub fn text(&self, source: &SourceFile, dialect: Option<Dialect>) -> Result<String, String> {
        if self.model.joint.is_some() {
            return Err("strategies of agents that act all at once are tables".to_owned());
        }
        let parsed = parse(source, dialect).model;
        if parsed.families_of_any_size().next().is_some() {
            return Err("the file has families of any size; write their sizes into it, as in `client[1..3]`".to_owned());
        }
        let is_declared = |constant: &&Constant| matches!(constant.name, ConstantName::Declared(_));
        if let Some(given) = self.model.constants.iter().filter(|it| it.is_given).find(|it| !is_declared(it)) {
            return Err(format!("the model depends on an option ({}); write that into the file", given.name));
        }
        let guards = self.strategy.guards();
        let mut edits = self.constants(&parsed);
        for agent in &parsed.agents {
            let mut commands = Vec::new();
            walk::commands(&agent.process, &mut |command| commands.push(command));
            for command in commands {
                let allowed = self.allowed(&agent.name.name, command, &guards)?;
                edits.extend(allowed.map(|allowed| stronger(source, command, &allowed)));
            }
        }
        let end = first_spec(source.text(), &parsed);
        edits.push(Edit::replace(Span::new(end, source.text().len()), ""));
        let mut text =
            self.heading(source) + Fix { title: String::new(), edits }.apply(source.text()).trim_end() + "\n\n";
        for assumption in parsed.assumptions.iter().filter(|assumption| assumption.above <= self.spec) {
            text += &format!("{};\n\n", source.slice(assumption.span));
        }
        Ok(text + &self.claim())
    }

    fn heading(&self, source: &SourceFile) -> String {
        let tool = env!("CARGO_PKG_VERSION");
        let shown = super::one_line(&self.model.show_spec(self.spec));
        format!(
            "// written by rcheck-smt {tool}: {} with a strategy for\n// {shown}\n\n",
            super::one_line(source.name())
        )
    }

    /// The spec that the strategy satisfies.
    fn claim(&self) -> String {
        let name = self.model.specs[self.spec].name.as_ref();
        let name = name.map(|name| format!("// name: {name}\n")).unwrap_or_default();
        format!("{name}// expect: holds\nSPEC {};\n", self.outcome.show_formula(self.outcome.specs[0].claimed()))
    }

    /// Where the agents of a type do what a command says; nothing if they always do.
    fn allowed(
        &self,
        agent: &str,
        command: &ast::Command,
        guards: &[(InstanceId, EdgeId, Expr<CommandLeaf>)],
    ) -> Result<Option<String>, String> {
        let model = self.model;
        let of_type = model.instance_ids().filter(|member| model.agent_of(*member).name == agent);
        let of_type: Vec<InstanceId> = of_type.collect();
        let mut conditions: Vec<(Expr<CommandLeaf>, Vec<InstanceId>)> = Vec::new();
        for &member in &of_type {
            // A command may begin in several places of the process; guards do not tell them apart.
            let edges = model.agent_of(member).edges.iter().zip(0..).filter(|(edge, _)| edge.span == command.span);
            let mut of_edges = edges.map(|(_, number)| {
                let of_edge = guards.iter().filter(|(who, edge, _)| (*who, *edge) == (member, EdgeId(number)));
                Expr::joined(BinaryOp::Or, of_edge.map(|(.., refused)| Some(refused.clone())))
            });
            let Some(first) = of_edges.next().flatten() else { continue };
            if of_edges.any(|other| other.as_ref() != Some(&first)) {
                let name = &model.instances[member.index()].name;
                return Err(format!("`{name}` decides by where it is in its process, which guards do not tell"));
            }
            if first == Expr::Const(Value::Bool(false)) {
                continue;
            }
            match conditions.iter_mut().find(|(other, _)| *other == first) {
                Some((_, members)) => members.push(member),
                None => conditions.push((first, vec![member])),
            }
        }
        let parts = conditions.into_iter().map(|(refused, members)| {
            if members.len() == of_type.len() {
                return Some(refused);
            }
            let is = |member: InstanceId| {
                let name = Expr::Const(Value::Enum(member.0));
                Some(Expr::binary(BinaryOp::Eq, Expr::Leaf(CommandLeaf::Myself), name))
            };
            let is_one = Expr::joined(BinaryOp::Or, members.into_iter().map(is))?;
            Some(Expr::binary(BinaryOp::And, is_one, refused))
        });
        let parts: Vec<_> = parts.collect();
        let Some(first) = of_type.first().filter(|_| !parts.is_empty()) else { return Ok(None) };
        let refused = Expr::joined(BinaryOp::Or, parts).expect("each part is one");
        let allowed = match refused {
            Expr::Const(Value::Bool(true)) => Expr::FALSE,
            Expr::Not(allowed) => *allowed,
            refused => Expr::Not(Box::new(refused)),
        };
        let id = model.instances[first.index()].agent;
        Ok(Some(model.show_expr(id, &allowed, Type::Bool)))
    }

    /// Constants that were given have their values in the text.
    fn constants(&self, parsed: &ast::Model) -> Vec<Edit> {
        let value = |global: &Global| {
            let Global::Constant { name, value, .. } = global else { return None };
            let constant = self
                .model
                .constants
                .iter()
                .find(|constant| constant.name == ConstantName::Declared(name.name.clone()))?;
            constant.is_given.then(|| Edit::replace(value.span, constant.value.to_string()))
        };
        parsed.globals.iter().filter_map(value).collect()
    }
}

/// The place where the specs and assumptions begin, with the comments above that say the name of the first one.
fn first_spec(text: &str, parsed: &ast::Model) -> usize {
    let spans = parsed.specs.iter().map(|spec| spec.span).chain(parsed.assumptions.iter().map(|it| it.span));
    let first = spans.map(|span| span.range().start).min().unwrap_or(text.len());
    let line = |before: usize| text[..before].rfind('\n').map_or(0, |end| end + 1);
    let mut start = line(first);
    if !text[start..first].trim().is_empty() {
        return first;
    }
    while start > 0 && text[line(start - 1)..start].trim_start().starts_with("//") {
        start = line(start - 1);
    }
    start
}

/// The guard of a command, with a condition without which it does nothing.
fn stronger(source: &SourceFile, command: &ast::Command, allowed: &str) -> Edit {
    let guard = source.slice(command.guard.span);
    if allowed == "false" {
        return Edit::replace(command.guard.span, allowed);
    }
    let is_word = |text: &str| text.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '!');
    let part = |text: &str| if is_word(text) { text.to_owned() } else { format!("({text})") };
    Edit::replace(command.guard.span, format!("{} & {}", part(guard), part(allowed)))
}
