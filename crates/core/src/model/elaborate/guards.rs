//! Guards: macros over expressions. Each is checked once, with its parameters as leaves, and then
//! inlined at its calls. One that mentions locals is checked once for each agent type that calls it.

use super::constants::{fold, operation};
use super::context::{ALL_EXPANSIONS_LIMIT, AgentNames, Context, EXPANSION_LIMIT};
use super::expression::{Scope, expression};
use super::names::{Meaning, Member, Table, duplicate};
use super::scopes::{means_channel, misplaced, named_constant, unknown_value};
use super::types::{Leaf, Typed, invalid_divisor};
use crate::diag::{Code, Diagnostic};
use crate::limits::ticks;
use crate::model::expr::{BinaryOp, Expr};
use crate::model::{AgentId, CommandLeaf, Type, Value};
use crate::source::Span;
use crate::syntax::ast::{self, Part};
use crate::words::count;
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How deep an expression may be nested once its guards are inlined: code that walks a model by recursion
/// can rely on it.
const HEIGHT_LIMIT: usize = 2000;

/// A local that a guard mentions.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    name: String,
    span: Span,
}

/// The facts known of a guard where its names mean those of an agent type, or of none.
#[derive(Clone, Debug)]
enum GuardState {
    /// Being checked: a call of it now is a recursion.
    InProgress,
    /// Checked; `None` if it has errors.
    Checked(Option<Rc<Template>>),
    /// It mentions a local that there is not.
    Lacks(Mention),
}

/// A guard of the file.
#[derive(Debug)]
pub(super) struct Guard<'a> {
    declared: &'a ast::Guard,
    /// Its state without an agent type, and with those that call it.
    states: FxHashMap<Option<AgentId>, GuardState>,
}

impl<'a> Guard<'a> {
    /// A guard that was not looked at.
    pub(super) fn new(declared: &'a ast::Guard) -> Guard<'a> {
        Guard { declared, states: FxHashMap::default() }
    }
}

/// A guard that has been checked, with all its own calls inlined.
#[derive(Debug)]
pub(super) struct Template {
    parameters: Vec<Option<Type>>,
    body: Expr<GuardLeaf>,
    ty: Type,
}

/// The variables of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GuardLeaf {
    /// A parameter, from 0.
    Parameter(usize),
    /// Anything else; a local where the guard is checked for an agent type.
    Command(CommandLeaf),
}

impl Leaf for GuardLeaf {
    fn is_parameter(&self) -> bool {
        matches!(self, GuardLeaf::Parameter(_))
    }

    fn may_be_missing(&self) -> bool {
        matches!(self, GuardLeaf::Command(leaf) if leaf.may_be_missing())
    }
}

/// Names in the body of a guard: its parameters, and whatever is global.
struct GuardScope {
    parameters: Table<usize>,
    types: Vec<Option<Type>>,
    /// The agent type that calls it.
    agent: Option<Rc<AgentNames>>,
    /// A local that it mentions and the agent type has not.
    lacks: Option<Mention>,
}

impl GuardScope {
    /// A local of the agent type.
    fn local(&self, context: &mut Context, name: &str, span: Span) -> Option<Option<Typed<GuardLeaf>>> {
        let (id, declared) = self.agent.as_ref()?.local(name)?;
        context.mark_used(declared);
        let ty = self.agent.as_ref()?.locals[id.index()].ty;
        Some(ty.map(|ty| Typed::new(Expr::Leaf(GuardLeaf::Command(CommandLeaf::Local(id))), ty, span)))
    }

    /// The report of a name that nothing declares.
    fn unknown(&self, context: &mut Context, name: &str, span: Span) -> Diagnostic {
        let agents = context.agents.clone();
        let is_local = |member| matches!(member, Member::Local(_));
        let locals = agents.iter().flat_map(|agent| {
            let fits =
                |name: &&str| agent.local(name).is_some_and(|(id, _)| context.is_wanted(agent.locals[id.index()].ty));
            agent.members.names(is_local).filter(fits).collect::<Vec<_>>()
        });
        let globals = context.globals.names(|meaning| context.is_wanted_value(meaning));
        let parameters = self.parameters.names(|parameter| context.is_wanted(self.types[parameter]));
        let unknown = unknown_value(context, name, span, globals.chain(parameters).chain(locals));
        match unknown.help {
            Some(_) => unknown,
            None => unknown.help("a guard reads its parameters, global names, and locals of the agents that call it"),
        }
    }
}

impl Scope for GuardScope {
    type Leaf = GuardLeaf;

    fn name(&mut self, context: &mut Context, name: &str, span: Span) -> Option<Typed<GuardLeaf>> {
        if let Some(parameter) = self.parameters.get(name) {
            context.mark_used(parameter.span);
            let leaf = Expr::Leaf(GuardLeaf::Parameter(parameter.meaning));
            return Some(Typed::new(leaf, self.types[parameter.meaning]?, span));
        }
        if let Some(local) = self.local(context, name, span) {
            return local;
        }
        let Some(symbol) = context.use_global(name) else {
            if context.is_unread(name) {
                return None;
            }
            if means_channel(context, name) {
                return self.channel(context, span);
            }
            if context.agents.iter().any(|agent| agent.local(name).is_some()) {
                // No mistake of the guard, but maybe of a call.
                self.lacks.get_or_insert(Mention { name: name.to_owned(), span });
                return None;
            }
            let unknown = self.unknown(context, name, span);
            let mut parts = context.parts_of_values();
            parts.extend((0..context.tree.agents.len()).map(Part::Members));
            context.report_unknown(name, &parts, unknown);
            return None;
        };
        match symbol.meaning {
            Meaning::Message(id) => {
                let leaf = Expr::Leaf(GuardLeaf::Command(CommandLeaf::Message(id)));
                Some(Typed::new(leaf, context.message_type(id)?, span))
            }
            Meaning::Property(id) => {
                let leaf = Expr::Leaf(GuardLeaf::Command(CommandLeaf::Property(id)));
                Some(Typed::new(leaf, context.property_type(id)?, span))
            }
            meaning => named_constant(context, name, meaning, symbol.span, span),
        }
    }

    fn property(&mut self, context: &mut Context, name: &ast::Ident, span: Span) -> Option<Typed<GuardLeaf>> {
        let id = context.property_named(name)?;
        let leaf = Expr::Leaf(GuardLeaf::Command(CommandLeaf::Property(id)));
        Some(Typed::new(leaf, context.property_type(id)?, span))
    }

    fn channel(&mut self, _: &mut Context, span: Span) -> Option<Typed<GuardLeaf>> {
        Some(Typed::new(Expr::Leaf(GuardLeaf::Command(CommandLeaf::Chan)), Type::Channel, span))
    }

    fn myself(&mut self, _: &mut Context, span: Span) -> Option<Typed<GuardLeaf>> {
        Some(Typed::new(Expr::Leaf(GuardLeaf::Command(CommandLeaf::Myself)), Type::Location, span))
    }

    fn place(&self) -> &'static str {
        "a guard"
    }

    fn adopt(&mut self, _: &mut Context, leaf: CommandLeaf, _: Span) -> Option<GuardLeaf> {
        Some(GuardLeaf::Command(leaf))
    }

    fn agent(&self) -> Option<Rc<AgentNames>> {
        self.agent.clone()
    }

    fn pass_on(&mut self, mention: &Mention) -> bool {
        self.lacks.get_or_insert_with(|| mention.clone());
        true
    }
}

impl Context<'_> {
    /// Checks all guards, called or not.
    pub(super) fn check_guards(&mut self) {
        for index in 0..self.guards.len() {
            self.check_guard(index, None);
        }
    }

    /// The state of a guard when an agent type calls it, or none does.
    fn check_guard(&mut self, index: usize, agent: Option<Rc<AgentNames>>) -> GuardState {
        match self.guards[index].states.get(&None).cloned() {
            None if agent.is_some() => {
                let general = self.check_guard(index, None);
                if !matches!(general, GuardState::Lacks(_)) {
                    return general;
                }
            }
            Some(GuardState::Lacks(_)) if agent.is_some() => {}
            Some(known) => return known,
            None => {}
        }
        let key = agent.as_ref().map(|agent| agent.agent);
        if let Some(known) = self.guards[index].states.get(&key) {
            return known.clone();
        }
        self.guards[index].states.insert(key, GuardState::InProgress);
        let state = self.check_body(self.guards[index].declared, agent);
        self.guards[index].states.insert(key, state.clone());
        state
    }

    fn check_body(&mut self, guard: &ast::Guard, agent: Option<Rc<AgentNames>>) -> GuardState {
        let mut scope = GuardScope { parameters: Table::new(), types: Vec::new(), agent, lacks: None };
        for (position, parameter) in guard.parameters.iter().enumerate() {
            self.declare_parameter(&mut scope.parameters, &parameter.name, position);
            let ty = self.resolve_type(&parameter.ty);
            scope.types.push(ty);
        }
        let body = expression(self, &mut scope, &guard.body);
        match (scope.lacks, body) {
            (Some(mention), _) => GuardState::Lacks(mention),
            (None, None) => GuardState::Checked(None),
            (None, Some(body)) => {
                GuardState::Checked(Some(Rc::new(Template { parameters: scope.types, body: body.expr, ty: body.ty })))
            }
        }
    }

    /// Declares a parameter; in classic files it may hide a constant.
    fn declare_parameter(&mut self, parameters: &mut Table<usize>, name: &ast::Ident, position: usize) {
        let hidden = self.globals.get(&name.name);
        let Some(hidden) = hidden.filter(|symbol| self.classic() && matches!(symbol.meaning, Meaning::Constant(..)))
        else {
            self.declare_inner(parameters, name, position);
            return;
        };
        if let Err(first) = parameters.declare(name, position) {
            return self.report(duplicate(name, first));
        }
        self.report(
            Diagnostic::new(Code::HiddenName, name.span, format!("the parameter hides the constant `{}`", name.name))
                .label("inside of the guard, this is the parameter")
                .related(hidden.span, "the constant is declared here")
                .help("rename the parameter"),
        );
    }

    /// The types of the parameters of a guard, of each that is built in; none if there is no such guard.
    pub(super) fn parameter_types(&self, callee: &ast::Ident) -> Vec<Option<Type>> {
        let global = || match self.globals.get(&callee.name)?.meaning {
            Meaning::Guard(index) => Some(index),
            _ => None,
        };
        let Some(index) = self.namesakes.get(&callee.name).map(|guard| guard.meaning).or_else(global) else {
            return Vec::new();
        };
        let built_in = |parameter: &ast::Declaration| match parameter.ty.kind {
            ast::TypeKind::Bool => Some(Type::Bool),
            ast::TypeKind::Int | ast::TypeKind::Range(..) => Some(Type::Int),
            ast::TypeKind::Location => Some(Type::Location),
            ast::TypeKind::Named(_) | ast::TypeKind::Error => None,
        };
        self.guards[index].declared.parameters.iter().map(built_in).collect()
    }

    /// The body of a guard with its parameters replaced by arguments.
    pub(super) fn inline<S: Scope>(
        &mut self,
        scope: &mut S,
        index: usize,
        arguments: Vec<Option<Typed<S::Leaf>>>,
        span: Span,
    ) -> Option<Typed<S::Leaf>> {
        let template = match self.check_guard(index, scope.agent()) {
            GuardState::Checked(template) => template?,
            GuardState::InProgress => {
                let name = &self.guards[index].declared.name;
                let message = format!("the guard `{}` is defined by itself", name.name);
                self.report(
                    Diagnostic::new(Code::RecursiveGuard, span, message)
                        .label("this call leads back to it")
                        .related(name.span, "the guard is declared here"),
                );
                return None;
            }
            GuardState::Lacks(mention) => {
                if !scope.pass_on(&mention) {
                    self.report_lack(index, scope.agent(), &mention, span);
                }
                return None;
            }
        };
        let arguments = self.check_arguments(index, &template, arguments, span)?;
        let size = template.body.expanded_size(&arguments.iter().map(Expr::size).collect::<Vec<_>>());
        let height = template.body.height() + arguments.iter().map(Expr::height).max().unwrap_or(0);
        if size > EXPANSION_LIMIT || height > HEIGHT_LIMIT {
            self.report(too_large("this call", span));
            return None;
        }
        self.inlined = self.inlined.saturating_add(size);
        if self.inlined > ALL_EXPANSIONS_LIMIT {
            self.report(too_many(span));
            return None;
        }
        ticks(size);
        let body = Inliner { context: self, scope, arguments: &arguments, span }.substitute(&template.body)?;
        Some(Typed::new(body, template.ty, span))
    }

    /// Reports a call of a guard that mentions a local which is not to be had where it is called.
    fn report_lack(&mut self, index: usize, agent: Option<Rc<AgentNames>>, mention: &Mention, span: Span) {
        let (guard, local) = (&self.guards[index].declared.name.name, &mention.name);
        let diagnostic = match agent {
            Some(agent) => {
                let agent = &self.tree.agents[agent.agent.index()].name.name;
                let message = format!("the guard `{guard}` reads `{local}`, which is no local of `{agent}`");
                let help = format!("declare `{local}` behind `local:` of `{agent}`, or pass it as an argument");
                Diagnostic::new(Code::UnknownName, span, message).label("called here").help(help)
            }
            None => {
                misplaced(format!("the guard `{guard}` reads the local `{local}` of the agent that calls it"), span)
                    .help("no agent calls it here: pass the value as an argument")
            }
        };
        self.report(diagnostic.related(mention.span, format!("`{local}` is read here")));
    }

    fn check_arguments<L>(
        &mut self,
        index: usize,
        template: &Template,
        arguments: Vec<Option<Typed<L>>>,
        span: Span,
    ) -> Option<Vec<Expr<L>>> {
        let name = &self.guards[index].declared.name;
        if arguments.len() != template.parameters.len() {
            let (needed, given) = (template.parameters.len(), arguments.len());
            let needed = count(needed, "argument");
            let message = format!("the guard `{}` takes {needed}, not {given}", name.name);
            self.report(
                Diagnostic::new(Code::WrongNumberOfArguments, span, message)
                    .label(format!("expected {needed}"))
                    .related(name.span, "the guard is declared here"),
            );
            return None;
        }
        let checked: Vec<_> = arguments
            .into_iter()
            .zip(&template.parameters)
            .map(|(argument, parameter)| self.expect(argument?, (*parameter)?))
            .collect();
        checked.into_iter().collect()
    }
}

/// The report of calls that are too large together.
fn too_many(span: Span) -> Diagnostic {
    Diagnostic::new(Code::ExpansionTooLarge, span, "the calls up to this one expand to more than the tool handles")
        .label(format!("the limit is {ALL_EXPANSIONS_LIMIT} operators and names in all calls of guards together"))
}

/// The report of an expansion beyond the limit.
pub(super) fn too_large(what: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::ExpansionTooLarge, span, format!("{what} expands to more than the tool handles"))
        .label(format!("the limits are {EXPANSION_LIMIT} operators and names, nested at most {HEIGHT_LIMIT} deep"))
}

impl<L> Expr<L> {
    /// The number of nodes.
    pub(super) fn size(&self) -> usize {
        match self {
            Expr::Const(_) | Expr::Leaf(_) => 1,
            Expr::Not(inner) | Expr::Neg(inner) => inner.size() + 1,
            Expr::Binary(_, left, right) => left.size() + right.size() + 1,
            Expr::If(condition, yes, no) => condition.size() + yes.size() + no.size() + 1,
        }
    }

    /// The number of nodes on the longest way to a leaf.
    fn height(&self) -> usize {
        match self {
            Expr::Const(_) | Expr::Leaf(_) => 1,
            Expr::Not(inner) | Expr::Neg(inner) => inner.height() + 1,
            Expr::Binary(_, left, right) => left.height().max(right.height()) + 1,
            Expr::If(condition, yes, no) => condition.height().max(yes.height()).max(no.height()) + 1,
        }
    }
}

impl Expr<GuardLeaf> {
    /// The number of nodes when each parameter is replaced by an argument of the given size.
    fn expanded_size(&self, arguments: &[usize]) -> usize {
        match self {
            Expr::Leaf(GuardLeaf::Parameter(position)) => arguments[*position],
            Expr::Const(_) | Expr::Leaf(_) => 1,
            Expr::Not(inner) | Expr::Neg(inner) => inner.expanded_size(arguments).saturating_add(1),
            Expr::Binary(_, left, right) => {
                left.expanded_size(arguments).saturating_add(right.expanded_size(arguments)).saturating_add(1)
            }
            Expr::If(condition, yes, no) => {
                let sizes = [condition, yes, no].map(|part| part.expanded_size(arguments));
                sizes.into_iter().fold(1, usize::saturating_add)
            }
        }
    }
}

/// One call being inlined.
struct Inliner<'c, 'a, S: Scope> {
    context: &'c mut Context<'a>,
    scope: &'c mut S,
    arguments: &'c [Expr<S::Leaf>],
    span: Span,
}

impl<S: Scope> Inliner<'_, '_, S> {
    fn substitute(&mut self, expr: &Expr<GuardLeaf>) -> Option<Expr<S::Leaf>> {
        Some(match expr {
            Expr::Const(value) => Expr::Const(value.clone()),
            Expr::Leaf(GuardLeaf::Parameter(position)) => self.arguments[*position].clone(),
            Expr::Leaf(GuardLeaf::Command(leaf)) => Expr::Leaf(self.scope.adopt(self.context, *leaf, self.span)?),
            Expr::Not(inner) => Expr::Not(Box::new(self.substitute(inner)?)),
            Expr::Neg(inner) => fold(Expr::Neg(Box::new(self.substitute(inner)?))),
            Expr::Binary(op, left, right) => {
                let (new_left, new_right) = (self.substitute(left), self.substitute(right));
                let (new_left, new_right) = (new_left?, new_right?);
                if matches!(op, BinaryOp::Mul | BinaryOp::Div)
                    && (left.any_leaf(Leaf::is_parameter) || right.any_leaf(Leaf::is_parameter))
                {
                    self.check_operands(*op, &new_left, &new_right)?;
                }
                operation(*op, new_left, new_right)
            }
            Expr::If(condition, yes, no) => {
                let (condition, yes, no) = (self.substitute(condition), self.substitute(yes), self.substitute(no));
                fold(Expr::conditional(condition?, yes?, no?))
            }
        })
    }

    /// Checks of an operator on parameters that had to wait for the arguments.
    fn check_operands(&mut self, op: BinaryOp, left: &Expr<S::Leaf>, right: &Expr<S::Leaf>) -> Option<()> {
        if left.any_leaf(Leaf::is_parameter) || right.any_leaf(Leaf::is_parameter) {
            return Some(());
        }
        match op {
            BinaryOp::Mul if !matches!(left, Expr::Const(_)) && !matches!(right, Expr::Const(_)) => {
                self.context.warn_nonlinear(self.span);
            }
            BinaryOp::Div if !matches!(right, Expr::Const(Value::Int(value)) if *value != IBig::ZERO) => {
                self.context.report(invalid_divisor(self.span).help("the argument of the guard is the divisor"));
                return None;
            }
            _ => {}
        }
        Some(())
    }
}
