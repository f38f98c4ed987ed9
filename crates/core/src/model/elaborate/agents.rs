//! Agent types: their names, their conditions and their commands.
//!
//! Where something has an error, a filler stands in its place; models with errors are dropped.

use super::automaton::{Automaton, Step};
use super::context::{AgentNames, Context, Declared, all_of};
use super::expression::{expression, wanted_expression};
use super::names::{Meaning, Member, Table};
use super::scopes::{AgentPlace, CommandScope};
use crate::diag::{Code, Diagnostic};
use crate::model::expr::Expr;
use crate::model::{
    Action, Agent, AgentId, BinaryOp, CommandLeaf, Condition, Edge, EdgeId, GetTarget, LocalId, MessageId,
    PointToPoint, PropertyId, SupplyTarget, Type, Variable,
};
use crate::source::Span;
use crate::syntax::ast::{self, Part};
use crate::syntax::token::is_keyword;
use std::rc::Rc;

/// The conjuncts of a condition as they were written.
pub(super) fn conditions(written: &ast::Expr, expr: &Expr<CommandLeaf>) -> Vec<Condition> {
    match (&written.kind, expr) {
        (ast::ExprKind::Binary(ast::BinaryOp::And, a, b), Expr::Binary(BinaryOp::And, left, right)) => {
            [conditions(a, left), conditions(b, right)].concat()
        }
        _ => vec![Condition { expr: expr.clone(), span: written.span }],
    }
}

type Assignments<T> = Vec<(T, Expr<CommandLeaf>)>;

impl Context<'_> {
    /// Declares the locals and the labels of an agent type.
    pub(super) fn declare_members(&mut self, agent: &ast::Agent, automaton: &Automaton) -> AgentNames {
        let id = AgentId(self.agents.len() as u32);
        let mut members = Table::new();
        let mut clashes = Vec::new();
        for (index, local) in agent.locals.iter().enumerate() {
            clashes.extend(self.declare_inner(&mut members, &local.name, Member::Local(LocalId(index as u32))));
        }
        for (index, step) in automaton.steps.iter().enumerate() {
            if let Some(label) = &step.command.label {
                clashes.extend(self.declare_inner(&mut members, label, Member::Label(EdgeId(index as u32))));
            }
        }
        let is_reserved = |name: &ast::Ident| is_keyword(&name.name);
        let labels = automaton.steps.iter().filter_map(|step| step.command.label.as_ref());
        if !clashes.is_empty() || agent.locals.iter().map(|local| &local.name).chain(labels).any(is_reserved) {
            self.hide(Part::Members(id.index()));
        }
        let local = |declaration: &ast::Declaration| {
            let name = declaration.name.clone();
            let is_clear = self.globals.get(&name.name).is_none() && !clashes.contains(&name.span);
            Declared { ty: self.resolve_type(&declaration.ty).filter(|_| is_clear), name }
        };
        AgentNames { locals: agent.locals.iter().map(local).collect(), members, agent: id }
    }

    /// The variables of declarations; fillers stand for types that could not be read.
    pub(super) fn variables(declared: &[Declared]) -> Vec<Variable> {
        let variable = |declared: &Declared| Variable {
            name: declared.name.name.clone(),
            ty: declared.ty.unwrap_or(Type::Bool),
            span: declared.name.span,
        };
        declared.iter().map(variable).collect()
    }

    /// A Boolean expression in a place of an agent type.
    pub(super) fn condition(
        &mut self,
        names: &Rc<AgentNames>,
        place: AgentPlace,
        expr: &ast::Expr,
    ) -> Expr<CommandLeaf> {
        self.value(names, place, expr, Type::Bool)
    }

    /// An expression of a type in a place of an agent type.
    fn value(&mut self, names: &Rc<AgentNames>, place: AgentPlace, expr: &ast::Expr, ty: Type) -> Expr<CommandLeaf> {
        let mut scope = CommandScope { names: names.clone(), place };
        let typed = wanted_expression(self, &mut scope, expr, Some(ty));
        typed.and_then(|typed| self.expect_in_place(typed, ty, place.what_may_stand)).unwrap_or(Expr::TRUE)
    }

    /// An agent type with its automaton.
    pub(super) fn agent(&mut self, agent: &ast::Agent, names: &Rc<AgentNames>, automaton: &Automaton) -> Agent {
        if !automaton.complete {
            self.unreadable();
        }
        let init = agent.init.as_ref().map(|init| self.condition(names, AgentPlace::INIT, init));
        let conditions = agent.init.iter().zip(&init).flat_map(|(written, init)| conditions(written, init));
        let relabelled = self
            .assignments(names, AgentPlace::RELABEL, &agent.relabel, |context, name| context.relabelled(names, name));
        let mut relabel = vec![None; self.properties.len()];
        for (property, value) in relabelled {
            relabel[property.index()] = Some(value);
        }
        let receive_guard = agent.receive_guard.as_ref().map(|guard| self.receive_guard(names, guard));
        let mut locals = Context::variables(&names.locals);
        locals.extend(self.hidden_locals(names.agent));
        Agent {
            name: agent.name.name.clone(),
            locals,
            conditions: conditions.collect(),
            init: init.unwrap_or(Expr::TRUE),
            relabel,
            receive_guard: receive_guard.unwrap_or(Expr::TRUE),
            states: automaton.states,
            edges: automaton.steps.iter().map(|step| self.edge(names, step)).collect(),
        }
    }

    /// A receive guard; with a mistake it listens to no agent, so that nothing follows from it.
    fn receive_guard(&mut self, names: &Rc<AgentNames>, guard: &ast::Expr) -> Expr<CommandLeaf> {
        let before = self.troubles();
        let guard = self.condition(names, AgentPlace::RECEIVE_GUARD, guard);
        if self.troubles() == before { guard } else { Expr::FALSE }
    }

    fn edge(&mut self, names: &Rc<AgentNames>, step: &Step) -> Edge {
        let command = step.command;
        let (guard_place, update_place) = match &command.action {
            ast::Action::Send { .. } => (AgentPlace::GUARD_OF_SEND, AgentPlace::UPDATE_OF_SEND),
            ast::Action::Receive { .. } | ast::Action::Get { .. } | ast::Action::Supply { .. } => {
                (AgentPlace::GUARD, AgentPlace::UPDATE)
            }
        };
        let guard = self.condition(names, guard_place, &command.guard);
        let action = self.action(names, command);
        let updates = &command.updates;
        let updates =
            self.assignments(names, update_place, updates, |context, name| context.updated_local(names, name));
        Edge {
            source: step.source,
            target: step.target,
            label: command.label.as_ref().map(|label| label.name.clone()),
            reads: reads(&guard, &updates),
            guard,
            action,
            updates,
            span: command.span,
        }
    }

    fn action(&mut self, names: &Rc<AgentNames>, command: &ast::Command) -> Action {
        let data = &command.data;
        match &command.action {
            ast::Action::Send { channel, guard } => Action::Send {
                channel: self.channel_of_send(names, channel),
                guard: self.condition(names, AgentPlace::SEND_GUARD, guard),
                data: self.data(names, data),
            },
            ast::Action::Receive { channel } => {
                Action::Receive { channel: self.value(names, AgentPlace::CHANNEL, channel, Type::Channel) }
            }
            ast::Action::Get { target } => {
                Action::Get { target: self.get_target(names, target), data: self.data(names, data) }
            }
            ast::Action::Supply { to } => {
                Action::Supply { to: self.supply_target(names, to), data: self.data(names, data) }
            }
        }
    }

    /// The channel of a send; one with a mistake is noted, as it is not known who listens to it.
    fn channel_of_send(&mut self, names: &Rc<AgentNames>, channel: &ast::Expr) -> Expr<CommandLeaf> {
        let before = self.troubles();
        let value = self.value(names, AgentPlace::CHANNEL, channel, Type::Channel);
        if self.troubles() > before {
            self.faulty.insert(channel.span);
        }
        value
    }

    /// A bare location names the supplier; anything else is a predicate.
    fn get_target(&mut self, names: &Rc<AgentNames>, target: &ast::Expr) -> GetTarget {
        let bare = matches!(target.kind, ast::ExprKind::Name(_) | ast::ExprKind::Myself) && !target.parenthesised;
        let mut scope = CommandScope { names: names.clone(), place: AgentPlace::GET_TARGET };
        let is_self = matches!(&target.kind, ast::ExprKind::Name(name) if name == "self");
        if is_self && names.members.get("self").is_none() && self.globals.get("self").is_none() {
            return GetTarget::Location(Expr::Leaf(CommandLeaf::Myself));
        }
        let Some(typed) = expression(self, &mut scope, target) else { return GetTarget::Predicate(Expr::TRUE) };
        let readable = matches!(&typed.expr, Expr::Const(_) | Expr::Leaf(CommandLeaf::Local(_) | CommandLeaf::Myself));
        if bare && readable && typed.ty == Type::Location {
            return GetTarget::Location(typed.expr);
        }
        let predicate = self.expect_in_place(typed, Type::Bool, AgentPlace::GET_TARGET.what_may_stand);
        GetTarget::Predicate(predicate.unwrap_or(Expr::TRUE))
    }

    /// The getters that a supply serves; they depend on the reading that the file or the caller chooses.
    fn supply_target(&mut self, names: &Rc<AgentNames>, target: &ast::SupplyTarget) -> SupplyTarget {
        let reading = self.reading();
        match target {
            ast::SupplyTarget::Myself => SupplyTarget::MYSELF,
            ast::SupplyTarget::Name(name) if name.name == "self" && self.declared_location(names, "self").is_none() => {
                SupplyTarget::MYSELF
            }
            ast::SupplyTarget::Name(name) if name.name == "any" => {
                if let Some(declaration) = self.declared_location(names, "any") {
                    self.ambiguous_any(name.span, declaration);
                }
                SupplyTarget::any(reading)
            }
            ast::SupplyTarget::Name(name) => {
                let kind = ast::ExprKind::Name(name.name.clone());
                let expr = ast::Expr::new(kind, name.span);
                let named = self.value(names, AgentPlace::SUPPLY_TARGET, &expr, Type::Location);
                SupplyTarget::naming(named, reading)
            }
        }
    }

    /// Which gets meet which supplies.
    pub(super) fn reading(&self) -> PointToPoint {
        self.tree.chosen_reading().unwrap_or_default()
    }

    /// The place where a local or an instance of a name is declared.
    fn declared_location(&self, names: &AgentNames, name: &str) -> Option<Span> {
        let local = names.members.get(name).filter(|symbol| matches!(symbol.meaning, Member::Local(_)));
        let instance = self.globals.get(name).filter(|symbol| matches!(symbol.meaning, Meaning::Instance(_)));
        local.map(|symbol| symbol.span).or(instance.map(|symbol| symbol.span))
    }

    fn data(&mut self, names: &Rc<AgentNames>, data: &[ast::Assignment]) -> Assignments<MessageId> {
        self.assignments(names, AgentPlace::DATA, data, |context, name| context.assigned_message(names, name))
    }

    /// Assignments whose left sides are found by `target`, with the types that their right sides need.
    fn assignments<T: Copy + PartialEq>(
        &mut self,
        names: &Rc<AgentNames>,
        place: AgentPlace,
        list: &[ast::Assignment],
        target: impl Fn(&mut Context, &ast::Ident) -> Option<(T, Option<Type>)>,
    ) -> Assignments<T> {
        let mut done: Vec<(T, Span)> = Vec::new();
        let mut assignments = Vec::new();
        for assignment in list {
            if let Some(exchanged) = self.exchanged_sides(names, place, assignment) {
                self.report(exchanged);
                continue;
            }
            let mut scope = CommandScope { names: names.clone(), place };
            let target = target(self, &assignment.name);
            let wanted = target.and_then(|(_, ty)| ty);
            let typed = wanted_expression(self, &mut scope, &assignment.value, wanted);
            let Some((variable, ty)) = target else { continue };
            match done.iter().find(|(other, _)| *other == variable) {
                Some((_, first)) => self.report(assigned_twice(&assignment.name, *first, place)),
                None => done.push((variable, assignment.name.span)),
            }
            if let Some((typed, ty)) = typed.zip(ty)
                && let Some(value) = self.expect(typed, ty)
            {
                assignments.push((variable, value));
            }
        }
        assignments
    }

    /// The report of an assignment that is one if its sides are exchanged.
    fn exchanged_sides(
        &mut self,
        names: &AgentNames,
        place: AgentPlace,
        ast::Assignment { name: left, value }: &ast::Assignment,
    ) -> Option<Diagnostic> {
        let (ast::ExprKind::Name(right) | ast::ExprKind::Property(ast::Ident { name: right, .. })) = &value.kind else {
            return None;
        };
        let is_local =
            |name: &str| names.members.get(name).is_some_and(|symbol| matches!(symbol.meaning, Member::Local(_)));
        let meaning = |name: &str| self.globals.get(name).map(|symbol| symbol.meaning);
        let (is_exchanged, sign) = if place.is_relabelling() {
            (is_local(&left.name) && matches!(meaning(right), Some(Meaning::Property(_))), "<-")
        } else if place.is_update() {
            (is_local(right) && matches!(meaning(&left.name), Some(Meaning::Message(_))), ":=")
        } else {
            (is_local(&left.name) && matches!(meaning(right), Some(Meaning::Message(_))), ":=")
        };
        if is_exchanged && place.is_relabelling() {
            self.hide(Part::Relabelling(names.agent.index()));
        }
        is_exchanged.then(|| {
            let span = left.span.to(value.span);
            Diagnostic::new(Code::WrongKindOfName, span, "the sides of this assignment are exchanged")
                .label("the left side gets the value of the right side")
                .help(format!("write `{right} {sign} {}`", left.name))
        })
    }

    /// The report of a local variable in place of what is assigned here.
    fn no_local(&self, names: &AgentNames, name: &ast::Ident, what: &str, help: &str) -> Option<Diagnostic> {
        let symbol = names.members.get(&name.name).filter(|symbol| matches!(symbol.meaning, Member::Local(_)))?;
        self.globals.get(&name.name).is_none().then(|| {
            let message = format!("`{}` is a local variable, not a {what}", name.name);
            Diagnostic::new(Code::WrongKindOfName, name.span, message)
                .label(format!("expected a {what}"))
                .related(symbol.span, "declared here")
                .help(help)
        })
    }

    fn assigned_message(&mut self, names: &AgentNames, name: &ast::Ident) -> Option<(MessageId, Option<Type>)> {
        let help = "the data of a message are written `MESSAGE_VARIABLE := value`";
        if let Some(local) = self.no_local(names, name, "message variable", help) {
            self.report(local);
            return None;
        }
        let id = self.global_of_kind(name, "message variable", |meaning| match meaning {
            Meaning::Message(id) => Some(id),
            _ => None,
        })?;
        Some((id, self.message_type(id)))
    }

    /// Relabelling alone makes no use of a property variable.
    fn relabelled(&mut self, names: &AgentNames, name: &ast::Ident) -> Option<(PropertyId, Option<Type>)> {
        let id = match self.globals.get(&name.name).map(|symbol| symbol.meaning) {
            Some(Meaning::Property(id)) => id,
            _ => self.relabelled_by_name(names, name).or_else(|| {
                self.hide(Part::Relabelling(names.agent.index()));
                None
            })?,
        };
        Some((id, self.property_type(id)))
    }

    fn relabelled_by_name(&mut self, names: &AgentNames, name: &ast::Ident) -> Option<PropertyId> {
        let help = "relabellings are written `property <- expression`";
        match self.no_local(names, name, "property variable", help) {
            Some(local) => {
                self.report(local);
                None
            }
            None => self.property_named(name),
        }
    }

    fn updated_local(&mut self, names: &Rc<AgentNames>, name: &ast::Ident) -> Option<(LocalId, Option<Type>)> {
        let symbol = names.members.get(&name.name);
        if let Some(symbol) = symbol
            && let Member::Local(id) = symbol.meaning
        {
            self.mark_used(symbol.span);
            return Some((id, names.locals[id.index()].ty));
        }
        let found = symbol.map(|symbol| ("a label", symbol.span));
        let found = found.or_else(|| self.use_global(&name.name).map(|found| (found.meaning.describe(), found.span)));
        let diagnostic = match found {
            Some((kind, span)) => {
                let message = format!("`{}` is {kind}, not a local variable", name.name);
                Diagnostic::new(Code::WrongKindOfName, name.span, message)
                    .label("updates assign locals only")
                    .related(span, "declared here")
            }
            None if self.is_unread(&name.name) => return None,
            None => {
                let locals = || names.locals.iter().map(|local| local.name.name.as_str());
                let mut unknown = Context::unknown(&name.name, name.span, "local variable", locals());
                if unknown.help.is_none() {
                    let declaration = || "declare it behind `local:`".to_owned();
                    unknown.help = Some(all_of("local", " of this agent", locals()).unwrap_or_else(declaration));
                }
                self.report_unknown(&name.name, &[Part::Members(names.agent.index())], unknown);
                return None;
            }
        };
        self.report(diagnostic);
        None
    }
}

/// The report of a second assignment to one variable.
fn assigned_twice(name: &ast::Ident, first: Span, place: AgentPlace) -> Diagnostic {
    let help = match place.is_relabelling() {
        true => "keep one of them",
        false => "all assignments of a command happen at once: keep one of them",
    };
    Diagnostic::new(Code::DuplicateName, name.span, format!("`{}` is assigned twice", name.name))
        .label("assigned again here")
        .related(first, "first assigned here")
        .help(help)
}

/// The message variables that guard and updates read, sorted.
fn reads(guard: &Expr<CommandLeaf>, updates: &[(LocalId, Expr<CommandLeaf>)]) -> Vec<MessageId> {
    let mut reads = Vec::new();
    let mut visit = |leaf: &CommandLeaf| {
        if let CommandLeaf::Message(id) = leaf {
            reads.push(*id);
        }
    };
    guard.for_each_leaf(&mut visit);
    updates.iter().for_each(|(_, value)| value.for_each_leaf(&mut visit));
    reads.sort_unstable();
    reads.dedup();
    reads
}
