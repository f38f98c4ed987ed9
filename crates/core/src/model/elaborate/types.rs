//! Declared types, and the operators on typed expressions.

use super::constants::{fold, operation};
use super::context::{Context, TYPES, all_of};
use super::names::Meaning;
use crate::diag::{Code, Diagnostic, Edit};
use crate::model::expr::{BinaryOp, Expr};
use crate::model::{EnumType, Type, Value};
use crate::source::Span;
use crate::syntax::ast::{self, Part};
use crate::syntax::pretty;
use dashu_int::IBig;

/// An expression with its type, at its place.
#[derive(Clone, Debug)]
pub(super) struct Typed<L> {
    /// The expression.
    pub(super) expr: Expr<L>,
    /// Its type.
    pub(super) ty: Type,
    /// Its place.
    pub(super) span: Span,
    /// True if its value comes from a quantified variable: then it is constant only after expansion,
    /// and there is no warning about that.
    pub(super) bound: bool,
}

/// The properties of leaves that the operators need.
pub(super) trait Leaf: Clone {
    /// True if this is the parameter of a guard: whether it is constant is known at each call only.
    fn is_parameter(&self) -> bool;

    /// True if this is data of messages, which not each of them has: then comparisons with it are false.
    fn may_be_missing(&self) -> bool;
}

impl<L> Typed<L> {
    /// An expression of a type, at a place.
    pub(super) fn new(expr: Expr<L>, ty: Type, span: Span) -> Typed<L> {
        Typed { expr, ty, span, bound: false }
    }

    /// A constant of a type, at a place.
    pub(super) fn constant(value: Value, ty: Type, span: Span) -> Typed<L> {
        Typed::new(Expr::Const(value), ty, span)
    }

    fn is_constant(&self) -> bool {
        matches!(self.expr, Expr::Const(_))
    }
}

/// The types that need no declaration.
const BUILT_IN: [&str; 4] = ["bool", "int", "location", "channel"];

impl Context<'_> {
    /// The type that is written, `None` if that was reported.
    pub(super) fn resolve_type(&mut self, written: &ast::Type) -> Option<Type> {
        match &written.kind {
            ast::TypeKind::Error => {
                self.unreadable();
                None
            }
            ast::TypeKind::Bool => Some(Type::Bool),
            ast::TypeKind::Int => Some(Type::Int),
            ast::TypeKind::Location => Some(Type::Location),
            ast::TypeKind::Range(first, last) => {
                let (low, high) = (self.bound(first), self.bound(last));
                let (low, high) = (low?, high?);
                if low <= high {
                    return Some(Type::Range(low, high));
                }
                self.report(
                    Diagnostic::new(Code::EmptyRange, written.span, format!("the range `{low}..{high}` has no value"))
                        .label("its lower end is above its upper end")
                        .help(format!("write `{high}..{low}`"))
                        .fix("exchange the ends", exchanged(first, last)),
                );
                None
            }
            ast::TypeKind::Named(name) if name == "channel" => {
                self.use_global(name);
                Some(Type::Channel)
            }
            ast::TypeKind::Named(name) => {
                let name = ast::Ident { name: name.clone(), span: written.span };
                if self.globals.get(&name.name).is_none() && !self.is_unread(&name.name) {
                    self.unknown_type(&name);
                    return None;
                }
                self.global_of_kind(&name, "type", |meaning| match meaning {
                    Meaning::Enum(ty) => Some(ty),
                    _ => None,
                })
            }
        }
    }

    /// Reports a type that nothing declares; `integer` and `boolean` are ours by other names.
    fn unknown_type(&mut self, name: &ast::Ident) {
        let lower = name.name.to_lowercase();
        let built_in = BUILT_IN.iter().find(|built_in| lower.starts_with(*built_in));
        let number = ["nat", "natural", "uint", "byte", "long", "number"].contains(&lower.as_str()).then_some(&"int");
        let unknown = match built_in.or(number) {
            _ if matches!(lower.as_str(), "string" | "str" | "text") => {
                Context::unknown(&name.name, name.span, "type", [])
                    .help("there are no texts: declare the values as an enum")
            }
            Some(built_in) => Context::unknown(&name.name, name.span, "type", [])
                .help(format!("did you mean `{built_in}`?"))
                .fix(format!("change `{}` to `{built_in}`", name.name), [Edit::replace(name.span, *built_in)]),
            None => {
                let enums = self.globals.names(|meaning| matches!(meaning, Meaning::Enum(_)));
                Context::unknown(&name.name, name.span, "type", enums.chain(BUILT_IN))
            }
        };
        let unknown = if unknown.help.is_none() { unknown.help(TYPES) } else { unknown };
        self.report_unknown(&name.name, &[Part::Globals], unknown);
    }

    /// The expression, if it is of a type that fits the expected one; else that is reported. A
    /// constant must fit a range; whether other integers do is known only when the model runs.
    pub(super) fn expect<L>(&mut self, typed: Typed<L>, expected: Type) -> Option<Expr<L>> {
        self.expect_in_place(typed, expected, None)
    }

    /// The same in a place of which is known what may stand there.
    pub(super) fn expect_in_place<L>(
        &mut self,
        typed: Typed<L>,
        expected: Type,
        what_may_stand: Option<&str>,
    ) -> Option<Expr<L>> {
        if expected == Type::Bool && self.is_named_deadlock(&typed) {
            return None;
        }
        if !typed.ty.comparable(expected) {
            let help = what_may_stand.map(str::to_owned).or_else(|| self.how_to_convert(expected, &typed));
            let (expected, found) = (self.type_name(expected), self.type_name(typed.ty));
            self.report(Diagnostic {
                help,
                ..Diagnostic::new(Code::TypeMismatch, typed.span, format!("expected `{expected}`, found `{found}`"))
                    .label(format!("this is of type `{found}`"))
            });
            return None;
        }
        if let (Type::Range(low, high), Expr::Const(Value::Int(value))) = (expected, &typed.expr)
            && (*value < IBig::from(low) || *value > IBig::from(high))
        {
            let message = format!("the constant {value} is outside of the range `{low}..{high}`");
            self.report(
                Diagnostic::new(Code::OutOfRange, typed.span, message)
                    .label("never fits")
                    .help(format!("use a value from {low} to {high}, or widen the declared range")),
            );
            return None;
        }
        Some(typed.expr)
    }

    /// `!e` and `-e`. Never inlined: the frames of the recursion over expressions stay small.
    #[inline(never)]
    pub(super) fn unary<L>(&mut self, op: ast::UnaryOp, span: Span, inner: Typed<L>) -> Option<Typed<L>> {
        let bound = inner.bound;
        let (expr, ty) = match op {
            ast::UnaryOp::Not if inner.ty != Type::Bool => {
                if self.is_named_deadlock(&inner) {
                    return None;
                }
                self.report(negated_value(inner.span, &self.type_name(inner.ty)));
                return None;
            }
            ast::UnaryOp::Not => (Expr::Not(Box::new(self.expect(inner, Type::Bool)?)), Type::Bool),
            ast::UnaryOp::Neg => (Expr::Neg(Box::new(self.expect(inner, Type::Int)?)), Type::Int),
            ast::UnaryOp::Next | ast::UnaryOp::Finally | ast::UnaryOp::Globally => {
                self.report(temporal_operator(span));
                return None;
            }
        };
        Some(Typed { expr: fold(expr), ty, span, bound })
    }

    /// `a op b`. Never inlined: the frames of the recursion over expressions stay small.
    #[inline(never)]
    pub(super) fn binary<L: Leaf>(
        &mut self,
        op: ast::BinaryOp,
        span: Span,
        left: Typed<L>,
        right: Typed<L>,
    ) -> Option<Typed<L>> {
        let Some(op) = value_operator(op) else {
            self.report(temporal_operator(span));
            return None;
        };
        let bound = left.bound || right.bound;
        let (left, right, ty) = match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
                let (left, right) = (self.expect(left, Type::Bool), self.expect(right, Type::Bool));
                (left?, right?, Type::Bool)
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let (left, right) = self.comparable(span, op, left, right)?;
                (left, right, Type::Bool)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.warn_constant_comparison(span, op, &left, &right);
                let (left, right) = (self.expect(left, Type::Int), self.expect(right, Type::Int));
                (left?, right?, Type::Bool)
            }
            BinaryOp::Add | BinaryOp::Sub => {
                let (left, right) = (self.expect(left, Type::Int), self.expect(right, Type::Int));
                (left?, right?, Type::Int)
            }
            BinaryOp::Mul => self.product(span, left, right)?,
            BinaryOp::Div => {
                let (left, right) = (self.expect(left, Type::Int), self.divisor(right));
                (left?, right?, Type::Int)
            }
        };
        Some(Typed { expr: operation(op, left, right), ty, span, bound })
    }

    /// `if condition then yes else no`. Never inlined: the frames of the recursion over expressions stay small.
    #[inline(never)]
    pub(super) fn conditional<L: Leaf>(
        &mut self,
        span: Span,
        condition: Typed<L>,
        yes: Typed<L>,
        no: Typed<L>,
    ) -> Option<Typed<L>> {
        let bound = condition.bound || yes.bound || no.bound;
        let condition = self.expect(condition, Type::Bool);
        if !yes.ty.comparable(no.ty) {
            let (yes_type, no_type) = (self.type_name(yes.ty), self.type_name(no.ty));
            let message = format!("one branch is of type `{yes_type}`, the other one of type `{no_type}`");
            self.report(
                Diagnostic::new(Code::TypeMismatch, span, message)
                    .label("both branches must be of one type")
                    .related(yes.span, format!("this is of type `{yes_type}`"))
                    .related(no.span, format!("this is of type `{no_type}`")),
            );
            return None;
        }
        let ty = if yes.ty == no.ty { yes.ty } else { yes.ty.base() };
        Some(Typed { expr: fold(Expr::conditional(condition?, yes.expr, no.expr)), ty, span, bound })
    }

    fn comparable<L: Leaf>(
        &mut self,
        span: Span,
        op: BinaryOp,
        left: Typed<L>,
        right: Typed<L>,
    ) -> Option<(Expr<L>, Expr<L>)> {
        if left.ty.comparable(right.ty) {
            self.warn_constant_comparison(span, op, &left, &right);
            return Some((left.expr, right.expr));
        }
        let (left_type, right_type) = (self.type_name(left.ty), self.type_name(right.ty));
        let diagnostic =
            Diagnostic::new(Code::TypeMismatch, span, format!("cannot compare `{left_type}` with `{right_type}`"))
                .label("both sides must be of one type")
                .related(left.span, format!("this is of type `{left_type}`"))
                .related(right.span, format!("this is of type `{right_type}`"));
        let truth = |typed: Type, other: Option<&'static str>| other.filter(|_| typed == Type::Bool);
        let help = truth(left.ty, truth_value(&right)).or(truth(right.ty, truth_value(&left)));
        let help = help.map(str::to_owned).or_else(|| self.values_of(left.ty)).or_else(|| self.values_of(right.ty));
        self.report(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
        None
    }

    fn product<L: Leaf>(&mut self, span: Span, left: Typed<L>, right: Typed<L>) -> Option<(Expr<L>, Expr<L>, Type)> {
        let known = |side: &Typed<L>| !side.is_constant() && !side.expr.any_leaf(Leaf::is_parameter);
        if known(&left) && known(&right) {
            self.warn_nonlinear(span);
        }
        let (left, right) = (self.expect(left, Type::Int), self.expect(right, Type::Int));
        Some((left?, right?, Type::Int))
    }

    /// Warns about a product of two non-constants.
    pub(super) fn warn_nonlinear(&mut self, span: Span) {
        self.report(
            Diagnostic::new(Code::NonlinearProduct, span, "a product of two expressions that are not constant")
                .label("not linear")
                .help("engines may answer `unknown`; a constant factor avoids that"),
        );
    }

    fn divisor<L: Leaf>(&mut self, divisor: Typed<L>) -> Option<Expr<L>> {
        let span = divisor.span;
        let expr = self.expect(divisor, Type::Int)?;
        let parametric = expr.any_leaf(Leaf::is_parameter);
        if parametric || matches!(&expr, Expr::Const(Value::Int(value)) if *value != IBig::ZERO) {
            return Some(expr);
        }
        self.report(invalid_divisor(span));
        None
    }

    fn warn_constant_comparison<L: Leaf>(&mut self, span: Span, op: BinaryOp, left: &Typed<L>, right: &Typed<L>) {
        // Of a family of unknown size, sums are anything.
        if left.bound || right.bound || self.is_missing(Part::Instances) {
            return;
        }
        let outcome = match (&left.expr, &right.expr) {
            (Expr::Const(left), Expr::Const(right)) => super::constants::compare(op, left, right),
            (_, Expr::Const(Value::Int(value))) => range_outcome(op, left.ty, value),
            (Expr::Const(Value::Int(value)), _) => range_outcome(op.mirrored(), right.ty, value),
            _ => None,
        };
        let may_be_missing = |side: &Typed<L>| side.expr.any_leaf(Leaf::may_be_missing);
        if let Some(outcome) = outcome
            && !(outcome && [left, right].into_iter().any(may_be_missing))
        {
            let always = if outcome { "always holds" } else { "can never hold" };
            let ranged = [left, right].into_iter().find(|side| matches!(side.ty, Type::Range(..)));
            let diagnostic = Diagnostic::new(Code::ConstantComparison, span, format!("this comparison {always}"));
            self.report(match ranged {
                // One label: another one at the variable would lie upon it.
                Some(side) => diagnostic.label(format!("{always}: the values are `{}`", self.type_name(side.ty))),
                None => diagnostic.label(always).help("both sides are constants"),
            });
        }
    }
}

impl Context<'_> {
    /// The advice on a value of another type than its place needs.
    fn how_to_convert<L>(&self, expected: Type, found: &Typed<L>) -> Option<String> {
        let help = match (expected, found.ty) {
            (Type::Bool, Type::Int | Type::Range(..)) => truth_value(found).unwrap_or("compare it, as in `x != 0`"),
            (Type::Bool, Type::Channel) => "compare it, as in `chan = c`",
            (Type::Bool, Type::Location) => "compare it, as in `x = i` for an instance `i`",
            (Type::Bool, Type::Enum(id)) => {
                let constant = self.enums[id.index()].constants.first()?;
                return Some(format!("compare it, as in `x = {constant}`"));
            }
            (Type::Channel, _) => "declare the variable as `channel`, or name a channel",
            (Type::Location, _) => "name an instance, `myself`, or a variable of type `location`",
            (Type::Enum(_), _) => return self.values_of(expected),
            (_, Type::Channel) => "a variable holds channels if it is declared as `channel`",
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// The values that values of a type can be compared with, unless they are numbers.
    fn values_of(&self, ty: Type) -> Option<String> {
        Some(match ty {
            Type::Bool => "the values of `bool` are `true` and `false`".to_owned(),
            Type::Int | Type::Range(..) => return None,
            Type::Enum(id) => {
                let EnumType { name, constants } = &self.enums[id.index()];
                all_of("constant", &format!(" of `{name}`"), constants.iter().map(String::as_str))?
            }
            Type::Channel => "a channel is compared with another one, or with `*`, as in `chan = *`".to_owned(),
            Type::Location => "a location is compared with an instance, or with another location".to_owned(),
        })
    }
}

/// The ends of a range, each in the place of the other.
fn exchanged(first: &ast::Expr, last: &ast::Expr) -> [Edit; 2] {
    let shown = |end| pretty::expression(end, &pretty::Names::default());
    [Edit::replace(first.span, shown(last)), Edit::replace(last.span, shown(first))]
}

/// The advice to write a truth value in place of the numbers 0 and 1, which other languages have for them.
fn truth_value<L>(found: &Typed<L>) -> Option<&'static str> {
    match &found.expr {
        Expr::Const(Value::Int(value)) if *value == IBig::ZERO => Some("write `false`"),
        Expr::Const(Value::Int(value)) if *value == IBig::ONE => Some("write `true`"),
        _ => None,
    }
}

/// The report of `!x` for something that is not Boolean: mostly meant for a comparison that begins so.
fn negated_value(span: Span, found: &str) -> Diagnostic {
    Diagnostic::new(Code::TypeMismatch, span, format!("expected `bool`, found `{found}`"))
        .label(format!("this is of type `{found}`"))
        .help("`!` binds to its operand only: to negate a comparison write `!(.. = ..)`")
}

/// The report of a divisor that is not a constant, or zero.
pub(super) fn invalid_divisor(span: Span) -> Diagnostic {
    Diagnostic::new(Code::InvalidDivisor, span, "a divisor must be a constant other than zero")
        .label("not a non-zero constant")
}

/// The report of a temporal operator outside of a formula.
pub(super) fn temporal_operator(span: Span) -> Diagnostic {
    Diagnostic::new(Code::NotAllowedHere, span, "a temporal operator cannot stand here")
        .label("temporal operators belong into specs, and there not inside of comparisons or observations")
}

/// The operator on values, `None` for temporal ones.
pub(super) fn value_operator(op: ast::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        ast::BinaryOp::And => BinaryOp::And,
        ast::BinaryOp::Or => BinaryOp::Or,
        ast::BinaryOp::Implies => BinaryOp::Implies,
        ast::BinaryOp::Iff => BinaryOp::Iff,
        ast::BinaryOp::Eq => BinaryOp::Eq,
        ast::BinaryOp::Ne => BinaryOp::Ne,
        ast::BinaryOp::Lt => BinaryOp::Lt,
        ast::BinaryOp::Le => BinaryOp::Le,
        ast::BinaryOp::Gt => BinaryOp::Gt,
        ast::BinaryOp::Ge => BinaryOp::Ge,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        temporal => {
            debug_assert!(temporal.is_temporal(), "{temporal:?} is about values");
            return None;
        }
    })
}

/// The truth of `x op value` for every x of a range, if it is the same for all.
fn range_outcome(op: BinaryOp, ty: Type, value: &IBig) -> Option<bool> {
    let Type::Range(low, high) = ty else { return None };
    let (low, high) = (Value::int(low), Value::int(high));
    let value = Value::Int(value.clone());
    match op {
        BinaryOp::Eq | BinaryOp::Ne => (value < low || high < value).then_some(op == BinaryOp::Ne),
        _ => {
            let (at_low, at_high) =
                (super::constants::compare(op, &low, &value)?, super::constants::compare(op, &high, &value)?);
            (at_low == at_high).then_some(at_low)
        }
    }
}
