//! The walk over expressions: one for commands, guards, state formulas and data of observations. These
//! differ in the names that they may use, their [`Scope`].

use super::branching::{BranchingWord, group_alone, not_in_values};
use super::context::{AgentNames, Context};
use super::fairness::{Word, not_here};
use super::guards::Mention;
use super::names::Meaning;
use super::scopes::qualified_outside_of_specs;
use super::types::{Leaf, Typed};
use crate::diag::{Code, Diagnostic};
use crate::limits::tick;
use crate::model::{CommandLeaf, Type, Value};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind};
use std::rc::Rc;

/// The meanings of names in one kind of place. Each method reports errors and then returns `None`.
pub(super) trait Scope {
    /// The leaves of expressions in this place.
    type Leaf: Leaf;

    /// A plain name.
    fn name(&mut self, context: &mut Context, name: &str, span: Span) -> Option<Typed<Self::Leaf>>;

    /// `@pv`
    fn property(&mut self, context: &mut Context, name: &ast::Ident, span: Span) -> Option<Typed<Self::Leaf>>;

    /// The channel of the current message.
    fn channel(&mut self, context: &mut Context, span: Span) -> Option<Typed<Self::Leaf>>;

    /// The instance itself.
    fn myself(&mut self, context: &mut Context, span: Span) -> Option<Typed<Self::Leaf>>;

    /// The kind of place, for messages.
    fn place(&self) -> &'static str;

    /// `i-x`, where `i` is an instance or a quantified variable; in specs only.
    fn member(
        &mut self,
        context: &mut Context,
        owner: &ast::Ident,
        member: &ast::Ident,
        span: Span,
    ) -> Option<Typed<Self::Leaf>> {
        context.report(qualified_outside_of_specs(owner, member, self.place(), span));
        None
    }

    /// True if a name is an instance or a quantified variable, so that `name-x` is a qualified name.
    fn owns_members(&self, context: &Context, name: &str) -> bool {
        matches!(context.globals.get(name).map(|symbol| symbol.meaning), Some(Meaning::Instance(_)))
    }

    /// The meaning of a leaf of a guard where the guard is called.
    fn adopt(&mut self, context: &mut Context, leaf: CommandLeaf, span: Span) -> Option<Self::Leaf>;

    /// The agent type of which this is a place: guards may read its locals.
    fn agent(&self) -> Option<Rc<AgentNames>> {
        None
    }

    /// Notes that a guard reads a local which is not to be had here. True if the place that calls this one reports it.
    fn pass_on(&mut self, _: &Mention) -> bool {
        false
    }
}

/// Names and types of an expression.
pub(super) fn expression<S: Scope>(context: &mut Context, scope: &mut S, expr: &ast::Expr) -> Option<Typed<S::Leaf>> {
    tick();
    let span = expr.span;
    let typed = match &expr.kind {
        ExprKind::Error => {
            context.unreadable();
            None
        }
        ExprKind::Bool(value) => Some(Typed::constant(Value::Bool(*value), Type::Bool, span)),
        ExprKind::Int(value) => Some(Typed::constant(Value::Int(value.clone()), Type::Int, span)),
        ExprKind::Star => Some(Typed::constant(Value::BROADCAST, Type::Channel, span)),
        ExprKind::Chan => scope.channel(context, span),
        ExprKind::Myself => scope.myself(context, span),
        ExprKind::Name(name) => scope.name(context, name, span),
        ExprKind::Property(name) => scope.property(context, name, span),
        ExprKind::Member { owner, member } => qualified(context, scope, owner, member, span),
        ExprKind::Call { callee, arguments } => call(context, scope, callee, arguments, span),
        ExprKind::Unary(op, inner) => {
            let inner = wanted_expression(context, scope, inner, Some(operand_type(*op)))?;
            context.unary(*op, span, inner)
        }
        ExprKind::Binary(op, left, right) => {
            if let Some((owner, member)) = hidden_member(context, scope, expr) {
                return scope.member(context, &owner, &member, span);
            }
            let left = wanted_expression(context, scope, left, wanted_by(*op, evident_type(right)));
            let other = left.as_ref().map(|left| left.ty);
            let right = wanted_expression(context, scope, right, wanted_by(*op, other));
            context.unless_chained(expr)?;
            context.binary(*op, span, left?, right?)
        }
        ExprKind::If { condition, yes, no } => {
            let condition = wanted_expression(context, scope, condition, Some(Type::Bool));
            let yes = expression(context, scope, yes);
            let no = wanted_expression(context, scope, no, yes.as_ref().map(|yes| yes.ty));
            context.conditional(span, condition?, yes?, no?)
        }
        ExprKind::Group(_) => {
            context.report(group_alone(span));
            None
        }
        ExprKind::Assignments(..)
        | ExprKind::Observe { .. }
        | ExprKind::Quantified { .. }
        | ExprKind::Aggregate { .. } => {
            context.report(formula_only(&expr.kind, span));
            None
        }
    }?;
    Some(Typed { span, ..typed })
}

/// An expression of which the type is known that it should have.
pub(super) fn wanted_expression<S: Scope>(
    context: &mut Context,
    scope: &mut S,
    expr: &ast::Expr,
    ty: Option<Type>,
) -> Option<Typed<S::Leaf>> {
    context.want(expr, ty);
    let typed = expression(context, scope, expr);
    context.want(expr, None);
    typed
}

/// The type of an operand of an operator, given that of the other one, if it tells.
pub(super) fn wanted_by(op: ast::BinaryOp, other: Option<Type>) -> Option<Type> {
    use ast::BinaryOp::*;
    match op {
        Eq | Ne => other,
        Lt | Le | Gt | Ge | Add | Sub | Mul | Div => Some(Type::Int),
        connective => connective.is_connective().then_some(Type::Bool),
    }
}

/// The type of the operand of an operator.
pub(super) fn operand_type(op: ast::UnaryOp) -> Type {
    use ast::UnaryOp::*;
    match op {
        Neg => Type::Int,
        Not | Next | Finally | Globally => Type::Bool,
    }
}

/// The type of an expression, if its form tells it, whatever the names in it are.
pub(super) fn evident_type(expr: &ast::Expr) -> Option<Type> {
    use ast::BinaryOp::*;
    match &expr.kind {
        ExprKind::Bool(_) => Some(Type::Bool),
        ExprKind::Int(_) => Some(Type::Int),
        ExprKind::Unary(op, _) => Some(operand_type(*op)),
        ExprKind::Star => Some(Type::Channel),
        // `a - b` may be the member `a-b`.
        ExprKind::Binary(Sub, left, _) if identifier(left).is_some() => None,
        ExprKind::Binary(Add | Sub | Mul | Div, ..) => Some(Type::Int),
        ExprKind::Binary(op, ..) => (op.is_comparison() || op.is_connective()).then_some(Type::Bool),
        _ => None,
    }
}

impl Context<'_> {
    /// Nothing for `a < b < c`, which was reported.
    pub(super) fn unless_chained(&mut self, expr: &ast::Expr) -> Option<()> {
        match expr.kind.chained() {
            Some(_) => {
                self.unreadable();
                None
            }
            None => Some(()),
        }
    }
}

/// The names in `a - b`, if that is `a-b` for an instance `a`.
pub(super) fn hidden_member<S: Scope>(
    context: &Context,
    scope: &S,
    expr: &ast::Expr,
) -> Option<(ast::Ident, ast::Ident)> {
    let ExprKind::Binary(ast::BinaryOp::Sub, left, right) = &expr.kind else { return None };
    let (owner, member) = (identifier(left)?, identifier(right)?);
    scope.owns_members(context, &owner.name).then_some((owner, member))
}

fn identifier(expr: &ast::Expr) -> Option<ast::Ident> {
    match &expr.kind {
        ExprKind::Name(name) if !expr.parenthesised => Some(ast::Ident { name: name.clone(), span: expr.span }),
        _ => None,
    }
}

/// `a-b`: a qualified name where `a` is an instance or a quantified variable, else a subtraction.
fn qualified<S: Scope>(
    context: &mut Context,
    scope: &mut S,
    owner: &ast::Ident,
    member: &ast::Ident,
    span: Span,
) -> Option<Typed<S::Leaf>> {
    if scope.owns_members(context, &owner.name) || member.name.contains('-') || member.name == "myself" {
        return scope.member(context, owner, member, span);
    }
    let left = scope.name(context, &owner.name, owner.span);
    let right = scope.name(context, &member.name, member.span);
    context.binary(ast::BinaryOp::Sub, span, left?, right?)
}

fn call<S: Scope>(
    context: &mut Context,
    scope: &mut S,
    callee: &ast::Ident,
    arguments: &[ast::Expr],
    span: Span,
) -> Option<Typed<S::Leaf>> {
    if let [argument] = arguments
        && let Some(size) = context.size(callee, argument, span)
    {
        return size;
    }
    if Word::named(&callee.name).is_some() && context.globals.get(&callee.name).is_none() {
        context.report(not_here(&callee.name, span));
        return None;
    }
    if BranchingWord::named(&callee.name).is_some() && context.globals.get(&callee.name).is_none() {
        context.report(not_in_values(&callee.name, span));
        return None;
    }
    let types = context.parameter_types(callee);
    let types = types.into_iter().chain(std::iter::repeat(None));
    let typed = arguments.iter().zip(types).map(|(argument, ty)| wanted_expression(context, scope, argument, ty));
    let arguments: Vec<_> = typed.collect();
    let guard = match context.namesake(callee) {
        Some(guard) => guard,
        None => context.global_of_kind(callee, "guard", |meaning| match meaning {
            Meaning::Guard(index) => Some(index),
            _ => None,
        })?,
    };
    context.inline(scope, guard, arguments, span)
}

/// The report of an operator that only formulas or observations know.
fn formula_only(kind: &ExprKind, span: Span) -> Diagnostic {
    let what = match kind {
        ExprKind::Assignments(..) => "`exists(..)` and `forall(..)` stand in observations only",
        ExprKind::Observe { .. } => "an observation cannot stand here",
        ExprKind::Aggregate { .. } => {
            "`sum` and `count` stand in specs only, and there outside of calls and observations"
        }
        _ => "a quantifier cannot stand here",
    };
    Diagnostic::new(Code::NotAllowedHere, span, what).label("not allowed here")
}
