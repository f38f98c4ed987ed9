//! Guards: macros over expressions. Each is checked once, with its parameters as leaves, and then
//! inlined at its calls.

use super::constants::{fold, operation};
use super::context::{ALL_EXPANSIONS_LIMIT, Context, EXPANSION_LIMIT};
use super::expression::{Scope, expression};
use super::names::{Meaning, Table, duplicate};
use super::scopes::{means_channel, named_constant, qualified_outside_of_specs, unknown_value};
use super::types::{Leaf, Typed, invalid_divisor};
use crate::diag::{Code, Diagnostic};
use crate::limits::ticks;
use crate::model::expr::{BinaryOp, Expr};
use crate::model::{CommandLeaf, Type, Value};
use crate::source::Span;
use crate::syntax::ast;
use crate::words::count;
use dashu_int::IBig;
use std::rc::Rc;

/// How deep an expression may be nested once its guards are inlined: code that walks a model by recursion
/// can rely on it.
const HEIGHT_LIMIT: usize = 2000;

/// The facts known of a guard.
#[derive(Clone, Debug)]
pub(super) enum GuardState {
    /// Not yet looked at.
    Unchecked,
    /// Being checked: a call of it now is a recursion.
    InProgress,
    /// Checked; `None` if it has errors.
    Checked(Option<Rc<Template>>),
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
    /// Anything else; never a local.
    Command(CommandLeaf),
}

impl Leaf for GuardLeaf {
    fn is_parameter(&self) -> bool {
        matches!(self, GuardLeaf::Parameter(_))
    }
}

/// Names in the body of a guard: its parameters, and whatever is global.
struct GuardScope {
    parameters: Table<usize>,
    types: Vec<Option<Type>>,
}

impl Scope for GuardScope {
    type Leaf = GuardLeaf;

    fn name(&mut self, context: &mut Context, name: &str, span: Span) -> Option<Typed<GuardLeaf>> {
        if let Some(parameter) = self.parameters.get(name) {
            context.mark_used(parameter.span);
            let leaf = Expr::Leaf(GuardLeaf::Parameter(parameter.meaning));
            return Some(Typed::new(leaf, self.types[parameter.meaning]?, span));
        }
        let Some(symbol) = context.use_global(name) else {
            if context.is_unread(name) {
                return None;
            }
            if means_channel(context, name) {
                return self.channel(context, span);
            }
            let unknown = {
                let globals = context.globals.names(|meaning| context.is_wanted_value(meaning));
                let parameters = self.parameters.names(|parameter| context.is_wanted(self.types[parameter]));
                unknown_value(context, name, span, globals.chain(parameters))
            };
            let unknown = match unknown.help {
                Some(_) => unknown,
                None => unknown.help("a guard does not see the locals of agents: pass them as arguments"),
            };
            let parts = context.parts_of_values();
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

    fn member(
        &mut self,
        context: &mut Context,
        owner: &ast::Ident,
        member: &ast::Ident,
        span: Span,
    ) -> Option<Typed<GuardLeaf>> {
        context.report(qualified_outside_of_specs(owner, member, "a guard", span));
        None
    }

    fn adopt(&mut self, _: &mut Context, leaf: CommandLeaf, _: Span) -> Option<GuardLeaf> {
        Some(GuardLeaf::Command(leaf))
    }
}

impl Context<'_> {
    /// Checks all guards, called or not.
    pub(super) fn check_guards(&mut self) {
        for index in 0..self.guards.len() {
            self.template(index);
        }
    }

    /// The checked guard; it must not be in progress.
    fn template(&mut self, index: usize) -> Option<Rc<Template>> {
        if let (_, GuardState::Checked(template)) = &self.guards[index] {
            return template.clone();
        }
        self.guards[index].1 = GuardState::InProgress;
        let template = self.check_guard(self.guards[index].0).map(Rc::new);
        self.guards[index].1 = GuardState::Checked(template.clone());
        template
    }

    fn check_guard(&mut self, guard: &ast::Guard) -> Option<Template> {
        let mut scope = GuardScope { parameters: Table::new(), types: Vec::new() };
        for (position, parameter) in guard.parameters.iter().enumerate() {
            self.declare_parameter(&mut scope.parameters, &parameter.name, position);
            let ty = self.resolve_type(&parameter.ty);
            scope.types.push(ty);
        }
        let body = expression(self, &mut scope, &guard.body)?;
        Some(Template { parameters: scope.types, body: body.expr, ty: body.ty })
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

    /// The body of a guard with its parameters replaced by arguments.
    pub(super) fn inline<S: Scope>(
        &mut self,
        scope: &mut S,
        index: usize,
        arguments: Vec<Option<Typed<S::Leaf>>>,
        span: Span,
    ) -> Option<Typed<S::Leaf>> {
        let name = &self.guards[index].0.name;
        if matches!(self.guards[index].1, GuardState::InProgress) {
            let message = format!("the guard `{}` is defined by itself", name.name);
            self.report(
                Diagnostic::new(Code::RecursiveGuard, span, message)
                    .label("this call leads back to it")
                    .related(name.span, "the guard is declared here"),
            );
            return None;
        }
        let template = self.template(index)?;
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

    fn check_arguments<L>(
        &mut self,
        index: usize,
        template: &Template,
        arguments: Vec<Option<Typed<L>>>,
        span: Span,
    ) -> Option<Vec<Expr<L>>> {
        let name = &self.guards[index].0.name;
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

    /// What could not be said of an operator on parameters before the arguments were known.
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
