//! Words that mean something in some places and are free for names: `sender`, `p2p`, `deadlock`, `any` ..
//!
//! Where a declared one stands in such a place, either could be meant: that is an error, never a guess.

use super::context::Context;
use super::formula::Formulas;
use super::names::Meaning;
use super::types::Typed;
use crate::diag::{Code, Diagnostic};
use crate::model::expr::Expr;
use crate::model::formula::Role;
use crate::model::{Type, Value};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind};

/// The words for those who take part in a step.
pub(super) const ROLES: [&str; 5] = ["sender", "getter", "supplier", "initiator", "producer"];

/// The role that a name of observations means.
pub(super) fn role_named(name: &str) -> Option<Role> {
    Some(match name {
        "sender" => Role::Sender,
        "getter" => Role::Getter,
        "supplier" => Role::Supplier,
        "initiator" => Role::Initiator,
        "producer" => Role::Producer,
        _ => return None,
    })
}

/// The meaning that a name has in observations or formulas by itself.
pub(super) fn meaning_in_specs(name: &str) -> Option<&'static str> {
    Some(match name {
        "sender" => "who sends the message",
        "getter" => "who gets",
        "supplier" => "who supplies",
        "initiator" => "who sends or gets",
        "producer" => "who sends or supplies",
        "p2p" => "a get with its supply",
        "deadlock" => "that no step is possible",
        _ => return None,
    })
}

/// The report of a declared name where it could as well be a word of the language.
fn ambiguous(name: &str, meaning: &str, span: Span, declaration: Span) -> Diagnostic {
    Diagnostic::new(Code::NotAllowedHere, span, format!("`{name}` has a meaning of its own here: {meaning}"))
        .label("the word or the declared name?")
        .related(declaration, "declared here")
        .help(format!("rename the declared `{name}`"))
}

impl Context<'_> {
    /// Reports a quantified variable that is called as something that specs know.
    pub(super) fn is_free_for_variable(&mut self, variable: &ast::Ident) -> bool {
        let Some(meaning) = meaning_in_specs(&variable.name) else { return true };
        let message = format!("`{}` has a meaning of its own in specs: {meaning}", variable.name);
        self.report(
            Diagnostic::new(Code::NotAllowedHere, variable.span, message)
                .label("cannot be a quantified variable")
                .help("choose another name"),
        );
        false
    }

    /// Reports a name that stands where a word of specs can.
    pub(super) fn ambiguous_in_spec(&mut self, name: &str, span: Span) {
        if let Some((symbol, meaning)) = self.use_global(name).zip(meaning_in_specs(name)) {
            self.report(ambiguous(name, meaning, span, symbol.span));
        }
    }

    /// Reports `SUPPLY@(any)` where something is declared as `any`.
    pub(super) fn ambiguous_any(&mut self, span: Span, declaration: Span) {
        self.report(ambiguous("any", "each instance that gets", span, declaration));
    }

    /// Reports a constant called `deadlock` where a truth value is due; tells whether it is one.
    pub(super) fn is_named_deadlock<L>(&mut self, typed: &Typed<L>) -> bool {
        let Expr::Const(Value::Enum(value)) = typed.expr else { return false };
        let is_named = match self.globals.get("deadlock").map(|symbol| symbol.meaning) {
            Some(Meaning::Instance(id)) => (typed.ty, value) == (Type::Location, id.0),
            Some(Meaning::Constant(ty, index)) => (typed.ty, value) == (ty, index),
            _ => false,
        };
        if is_named {
            self.ambiguous_in_spec("deadlock", typed.span);
        }
        is_named
    }
}

impl Formulas<'_, '_> {
    /// Nothing where a declared name is compared with an instance and could as well be a role, which is reported.
    pub(super) fn unless_ambiguous_role(&mut self, expr: &ast::Expr, other: &ast::Expr) -> Option<()> {
        let ExprKind::Name(name) = &expr.kind else { return Some(()) };
        let is_role = role_named(name).is_some() && self.context.globals.get(name).is_some();
        let is_name = matches!(other.kind, ExprKind::Name(_) | ExprKind::Member { .. });
        if !is_role || !is_name {
            return Some(());
        }
        match self.value(other)? {
            Typed { expr: Expr::Const(_), ty: Type::Location, .. } => {
                self.context.ambiguous_in_spec(name, expr.span);
                None
            }
            _ => Some(()),
        }
    }

    /// True if a name is `p2p`, or could be, as what is declared so is Boolean.
    pub(super) fn may_be_point_to_point(&mut self, name: &str, expr: &ast::Expr) -> bool {
        let is_declared = self.context.globals.get(name).is_some();
        name == "p2p" && (!is_declared || self.value(expr).is_some_and(|typed| typed.ty == Type::Bool))
    }
}
