//! Expressions: names are resolved where they stand, constants of enumerations by what they are compared with.

use super::super::ast::{Expr, ExprKind, Ident, Op};
use super::Context;
use super::names::{ENVIRONMENT, meant_or, shown};
use crate::diag::{Code, Diagnostic};
use crate::model::formula::StateLeaf;
use crate::model::joint::JointLeaf;
use crate::model::{BinaryOp, EnumId, Expr as Typed, InstanceId, LocalId, Type, Value};
use crate::source::Span;
use dashu_int::IBig;

/// The context of an expression, which decides which variables it can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExprContext {
    /// The variables that an agent sees.
    Local(u32),
    /// That, and the actions of all.
    Step(u32),
    /// The variables that an agent sees, in a new value.
    Value(u32),
    /// All variables, with the names of their agents.
    Global,
}

impl ExprContext {
    /// The agent whose variables stand there without its name.
    fn agent(self) -> Option<u32> {
        match self {
            ExprContext::Local(agent) | ExprContext::Step(agent) | ExprContext::Value(agent) => Some(agent),
            ExprContext::Global => None,
        }
    }
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Bool,
    /// With its bounds, if it is a variable.
    Int(Option<(i64, i64)>),
    /// The numerator is given; this is the denominator, beyond 1.
    Ratio(i64),
    Enum(EnumId),
    /// The actions of an agent.
    Actions(u32),
}

impl Ty {
    fn of(ty: Type) -> Ty {
        match ty {
            Type::Range(low, high) => Ty::Int(Some((low, high))),
            Type::Enum(id) => Ty::Enum(id),
            _ => Ty::Bool,
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Ty::Int(_) | Ty::Ratio(_))
    }

    fn words(self) -> &'static str {
        match self {
            Ty::Bool => "a truth value",
            Ty::Int(_) | Ty::Ratio(_) => "a number",
            Ty::Enum(_) => "a value of an enumeration",
            Ty::Actions(_) => "an action",
        }
    }
}

/// A typed expression.
pub type Valued = (Typed<JointLeaf>, Ty);

/// A number, as an integer divided by a positive one.
struct Ratio {
    over: Typed<JointLeaf>,
    by: i64,
}

impl Ratio {
    /// Of an expression that is a number.
    fn of((over, ty): Valued) -> Ratio {
        Ratio { over, by: if let Ty::Ratio(by) = ty { by } else { 1 } }
    }

    fn valued(self) -> Valued {
        match (self.over, self.by) {
            (over, 1) => (over, Ty::Int(None)),
            (Typed::Const(Value::Int(number)), by) if &number % IBig::from(by) == IBig::ZERO => {
                (Typed::Const(Value::Int(number / IBig::from(by))), Ty::Int(None))
            }
            (over, by) => (over, Ty::Ratio(by)),
        }
    }

    /// The numerators of two numbers over the same denominator.
    fn alike(self, other: Ratio) -> Option<(Typed<JointLeaf>, Typed<JointLeaf>, i64)> {
        let common = gcd(self.by, other.by);
        let by = (self.by / common).checked_mul(other.by)?;
        let times = |number: Ratio| match by / number.by {
            1 => number.over,
            factor => Typed::binary(BinaryOp::Mul, number.over, Typed::Const(Value::int(factor))),
        };
        Some((times(self), times(other), by))
    }
}

fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// A quotient as a new value of a variable; where it is no integer, a value beyond the highest one.
fn whole(over: Typed<JointLeaf>, divisor: i64, high: i64) -> Typed<JointLeaf> {
    let by = || Typed::Const(Value::int(divisor));
    let quotient = Typed::binary(BinaryOp::Div, over.clone(), by());
    let again = Typed::binary(BinaryOp::Mul, quotient.clone(), by());
    let beyond = Typed::Const(Value::Int(IBig::from(high) + IBig::ONE));
    Typed::If(Box::new(Typed::binary(BinaryOp::Eq, again, over)), Box::new(quotient), Box::new(beyond))
}

/// Operands beyond this many are joined as a tree that is not deep.
const CHAIN: usize = 64;

/// Joins operands.
fn joined(op: BinaryOp, mut list: Vec<Typed<JointLeaf>>) -> Typed<JointLeaf> {
    while list.len() > CHAIN {
        let mut pairs = Vec::new();
        let mut rest = list.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => Typed::binary(op, left, right),
                None => left,
            });
        }
        list = pairs;
    }
    list.into_iter().reduce(|left, right| Typed::binary(op, left, right)).unwrap_or(Typed::TRUE)
}

/// A name that may be a constant.
pub fn constant_of(expr: &Expr) -> Option<&Ident> {
    match &expr.kind {
        ExprKind::Name(None, name) => Some(name),
        _ => None,
    }
}

impl Context<'_> {
    /// A condition over all variables.
    pub fn global_condition(&mut self, expr: &Expr) -> Option<Typed<StateLeaf>> {
        let condition = self.condition(expr, ExprContext::Global)?;
        Some(over_states(&condition))
    }

    /// A condition over what an agent sees.
    pub fn local_condition(&mut self, expr: &Expr, agent: u32) -> Option<Typed<StateLeaf>> {
        let condition = self.condition(expr, ExprContext::Local(agent))?;
        Some(over_states(&condition))
    }

    /// A condition.
    pub fn condition(&mut self, expr: &Expr, place: ExprContext) -> Option<Typed<JointLeaf>> {
        let (typed, ty) = self.typed(expr, place, Some(Ty::Bool))?;
        if ty != Ty::Bool {
            let message = format!("expected a condition, found {}", ty.words());
            self.report(Diagnostic::new(Code::TypeMismatch, expr.span, message).help("compare it with something"));
            return None;
        }
        Some(typed)
    }

    /// A value for a variable.
    pub fn of_type(&mut self, expr: &Expr, place: ExprContext, ty: Type, variable: &str) -> Option<Typed<JointLeaf>> {
        let wanted = Ty::of(ty);
        let (typed, found) = self.typed(expr, place, Some(wanted))?;
        let (typed, found) = match (wanted, found) {
            (Ty::Int(_), Ty::Ratio(divisor)) if matches!(typed, Typed::Const(_)) => {
                let message = format!("this is no integer, and `{variable}` is one");
                let finding = Diagnostic::new(Code::OutOfRange, expr.span, message);
                self.report(finding.label(format!("{divisor} does not divide it")).help("write one of its values"));
                return None;
            }
            (Ty::Int(Some((_, high))), Ty::Ratio(divisor)) => (whole(typed, divisor, high), Ty::Int(None)),
            _ => (typed, found),
        };
        match (wanted, found) {
            (Ty::Int(Some((low, high))), Ty::Int(_)) => {
                if let Typed::Const(Value::Int(value)) = &typed
                    && (*value < low.into() || *value > high.into())
                {
                    let message = format!("{value} is no value of `{variable}`, which is from {low} to {high}");
                    self.report(
                        Diagnostic::new(Code::OutOfRange, expr.span, message)
                            .help("write one of its values, or widen its range"),
                    );
                    return None;
                }
            }
            (wanted, found) if wanted == found => {}
            (wanted, found) => {
                let message =
                    format!("`{variable}` is {}, and this is {}", wanted.words(), self.differing(wanted, found));
                self.report(Diagnostic::new(Code::TypeMismatch, expr.span, message).label("another type"));
                return None;
            }
        }
        Some(typed)
    }

    fn differing(&self, wanted: Ty, found: Ty) -> String {
        match (wanted, found) {
            (Ty::Enum(_), Ty::Enum(id)) => {
                let values = shown(self.enums[id.index()].constants.iter().map(String::as_str));
                format!("one of another enumeration: {values}")
            }
            _ => found.words().to_owned(),
        }
    }

    /// An expression. A bare name can be a constant of the type that is wanted.
    pub fn typed(&mut self, expr: &Expr, place: ExprContext, wanted: Option<Ty>) -> Option<Valued> {
        match &expr.kind {
            ExprKind::Number(number) => Some((Typed::Const(Value::int(*number)), Ty::Int(None))),
            ExprKind::Truth(value) => Some((Typed::Const(Value::Bool(*value)), Ty::Bool)),
            ExprKind::Name(None, name) => self.bare(name, place, wanted),
            ExprKind::Name(Some(whose), name) => self.qualified(whose, name, place),
            ExprKind::Not(inner) => {
                let inner = self.condition(inner, place)?;
                Some((Typed::Not(Box::new(inner)), Ty::Bool))
            }
            ExprKind::All(list) | ExprKind::Any(list) => {
                let list: Vec<Option<_>> = list.iter().map(|part| self.condition(part, place)).collect();
                let op = if matches!(expr.kind, ExprKind::All(_)) { BinaryOp::And } else { BinaryOp::Or };
                Some((joined(op, list.into_iter().collect::<Option<_>>()?), Ty::Bool))
            }
            ExprKind::Negative(inner) => {
                let Ratio { over, by } = self.number(inner, place)?;
                Some(Ratio { over: Typed::Neg(Box::new(over)), by }.valued())
            }
            ExprKind::Binary(Op::Implies, left, right) => {
                let (left, right) = (self.condition(left, place), self.condition(right, place));
                Some((Typed::binary(BinaryOp::Implies, left?, right?), Ty::Bool))
            }
            ExprKind::Binary(op @ (Op::Equal | Op::Unequal), left, right) => self.equation(*op, left, right, place),
            ExprKind::Binary(op @ (Op::BitAnd | Op::BitOr | Op::BitXor), left, right) => {
                let left = self.bit(left, place)?;
                let right = self.bit(right, place)?;
                let op = match op {
                    Op::BitAnd => BinaryOp::And,
                    Op::BitOr => BinaryOp::Or,
                    _ => BinaryOp::Ne,
                };
                Some((Typed::binary(op, left, right), Ty::Bool))
            }
            ExprKind::Binary(op, left, right) => self.of_numbers(*op, (left, right), place),
        }
    }

    /// A truth value that `&`, `|` or `^` joins.
    fn bit(&mut self, expr: &Expr, place: ExprContext) -> Option<Typed<JointLeaf>> {
        let (typed, ty) = self.typed(expr, place, Some(Ty::Bool))?;
        if ty != Ty::Bool {
            let message = format!("`&`, `|` and `^` join truth values, and this is {}", ty.words());
            let finding = Diagnostic::new(Code::TypeMismatch, expr.span, message);
            self.report(
                finding.help("conditions are joined by `and` and `or`; there are no operators on the bits of numbers"),
            );
            return None;
        }
        Some(typed)
    }

    fn number(&mut self, expr: &Expr, place: ExprContext) -> Option<Ratio> {
        let (over, ty) = self.typed(expr, place, Some(Ty::Int(None)))?;
        match ty {
            Ty::Int(_) => Some(Ratio { over, by: 1 }),
            Ty::Ratio(by) => Some(Ratio { over, by }),
            Ty::Bool | Ty::Enum(_) | Ty::Actions(_) => {
                let message = format!("expected a number, found {}", ty.words());
                self.report(Diagnostic::new(Code::TypeMismatch, expr.span, message));
                None
            }
        }
    }

    fn of_numbers(&mut self, op: Op, (left, right): (&Expr, &Expr), place: ExprContext) -> Option<Valued> {
        let (one, other) = (self.number(left, place), self.number(right, place));
        let (one, other) = (one?, other?);
        let whole = left.span.to(right.span);
        match op {
            Op::Times => {
                let Some(by) = one.by.checked_mul(other.by) else { return self.too_fine(whole) };
                Some(Ratio { over: Typed::binary(BinaryOp::Mul, one.over, other.over), by }.valued())
            }
            Op::Divided => self.quotient(one, other, right),
            _ => {
                let Some((one, other, by)) = one.alike(other) else { return self.too_fine(whole) };
                match op {
                    Op::Plus => Some(Ratio { over: Typed::binary(BinaryOp::Add, one, other), by }.valued()),
                    Op::Minus => Some(Ratio { over: Typed::binary(BinaryOp::Sub, one, other), by }.valued()),
                    Op::Less => Some((Typed::binary(BinaryOp::Lt, one, other), Ty::Bool)),
                    Op::LessEqual => Some((Typed::binary(BinaryOp::Le, one, other), Ty::Bool)),
                    Op::Greater => Some((Typed::binary(BinaryOp::Gt, one, other), Ty::Bool)),
                    _ => Some((Typed::binary(BinaryOp::Ge, one, other), Ty::Bool)),
                }
            }
        }
    }

    /// A number divided by a constant: of numbers that this does not divide, the quotient is no integer.
    fn quotient(&mut self, one: Ratio, other: Ratio, right: &Expr) -> Option<Valued> {
        let divisor = match &other {
            Ratio { over: Typed::Const(Value::Int(number)), by: 1 } => i64::try_from(number).ok().filter(|it| *it != 0),
            _ => None,
        };
        let Some(divisor) = divisor else {
            let message = "a divisor is a number other than 0";
            self.report(Diagnostic::new(Code::InvalidDivisor, right.span, message));
            return None;
        };
        let over = if divisor < 0 { Typed::Neg(Box::new(one.over)) } else { one.over };
        match divisor.checked_abs().and_then(|divisor| one.by.checked_mul(divisor)) {
            Some(by) => Some(Ratio { over, by }.valued()),
            None => self.too_fine(right.span),
        }
    }

    fn too_fine(&mut self, span: Span) -> Option<Valued> {
        let message = "the divisors together do not fit into 64 bits";
        self.report(Diagnostic::new(Code::InvalidDivisor, span, message).help("write smaller ones"));
        None
    }

    /// `a = b`, `a <> b`
    fn equation(&mut self, op: Op, left: &Expr, right: &Expr, place: ExprContext) -> Option<Valued> {
        // A side that can only be a constant gets its type from the other one.
        let is_open =
            |context: &Self, side: &Expr| constant_of(side).is_some_and(|name| !context.is_variable(name, place));
        let (one, other) = match (is_open(self, left), is_open(self, right)) {
            (true, true) => {
                let name = constant_of(left).expect("it is one");
                return self.unknown_name(name, place);
            }
            (true, false) => {
                let other = self.typed(right, place, None)?;
                (self.typed(left, place, Some(other.1))?, other)
            }
            _ => {
                let one = self.typed(left, place, None)?;
                (one.clone(), self.typed(right, place, Some(one.1))?)
            }
        };
        let same = one.1 == other.1 || one.1.is_number() && other.1.is_number();
        if !same {
            let span = left.span.to(right.span);
            let message = format!("{} is compared with {}", one.1.words(), self.differing(one.1, other.1));
            self.report(Diagnostic::new(Code::TypeMismatch, span, message).label("these are never equal"));
            return None;
        }
        for ((side, value), other) in [((left, &one), &other), ((right, &other), &one)] {
            self.beyond(side, value, other.1);
        }
        let op = if op == Op::Equal { BinaryOp::Eq } else { BinaryOp::Ne };
        if matches!(one.1, Ty::Ratio(_)) || matches!(other.1, Ty::Ratio(_)) {
            let Some((one, other, _)) = Ratio::of(one).alike(Ratio::of(other)) else {
                return self.too_fine(left.span.to(right.span));
            };
            return Some((Typed::binary(op, one, other), Ty::Bool));
        }
        Some((Typed::binary(op, one.0, other.0), Ty::Bool))
    }

    /// Warns of a number that a variable never is.
    fn beyond(&mut self, side: &Expr, value: &Valued, other: Ty) {
        if let ((Typed::Const(Value::Int(number)), Ty::Int(_)), Ty::Int(Some((low, high)))) = (value, other)
            && (*number < low.into() || *number > high.into())
        {
            let message = format!("{number} is outside of the range {low}..{high} of the variable");
            self.report(Diagnostic::new(Code::ConstantComparison, side.span, message).label("never equal"));
        }
    }

    fn is_variable(&self, name: &Ident, place: ExprContext) -> bool {
        place.agent().is_some_and(|agent| {
            name.name == "Action" || self.names.variables[agent as usize].contains_key(name.name.as_str())
        })
    }

    /// A name without an agent: a variable of the agent at hand, its action, or a constant.
    fn bare(&mut self, name: &Ident, place: ExprContext, wanted: Option<Ty>) -> Option<Valued> {
        let constant = self.constant(name, wanted);
        if let Some(agent) = place.agent() {
            if name.name == "Action" {
                return self.action_of(agent, name, place);
            }
            if let Some(local) = self.names.variables[agent as usize].get(name.name.as_str()) {
                if self.names.untyped[agent as usize].contains(local) {
                    return None;
                }
                let variable = self.variable(agent, *local);
                // A constant of that name, if only that fits.
                let fits =
                    wanted.is_none_or(|wanted| wanted == variable.1 || wanted.is_number() && variable.1.is_number());
                return Some(if fits { variable } else { constant.unwrap_or(variable) });
            }
        }
        match (constant, wanted) {
            (Some(constant), _) => Some(constant),
            (None, Some(Ty::Actions(agent))) => {
                self.action_named(agent, name);
                None
            }
            (None, Some(Ty::Enum(id))) => {
                let values = &self.enums[id.index()].constants;
                let message = format!("`{}` is no value of the variable", name.name);
                let values = values.iter().map(String::as_str);
                let help = meant_or(name, values.clone(), || format!("its values are {}", shown(values)));
                self.report(Diagnostic::new(Code::UnknownName, name.span, message).help(help));
                None
            }
            _ => self.unknown_name(name, place),
        }
    }

    fn constant(&self, name: &Ident, wanted: Option<Ty>) -> Option<Valued> {
        let number = match wanted? {
            Ty::Enum(id) => self.enums[id.index()].constants.iter().position(|value| *value == name.name)? as u32,
            Ty::Actions(agent) => *self.names.actions[agent as usize].get(name.name.as_str())?,
            Ty::Bool | Ty::Int(_) | Ty::Ratio(_) => return None,
        };
        Some((Typed::Const(Value::Enum(number)), wanted?))
    }

    fn unknown_name(&mut self, name: &Ident, place: ExprContext) -> Option<Valued> {
        let finding = Diagnostic::new(Code::UnknownName, name.span, format!("nothing here is called `{}`", name.name));
        let owner = |context: &Self, agent: usize| context.names.variables[agent].contains_key(name.name.as_str());
        let whose = match place.agent() {
            Some(agent) => format!("{}.{}", self.file.agents[agent as usize].name.name, name.name),
            None => name.name.clone(),
        };
        let owners: Vec<usize> = (0..self.file.agents.len()).filter(|agent| owner(self, *agent)).collect();
        let may_be_declared = match place.agent() {
            Some(agent) => self.names.lacking[agent as usize].0,
            None => self.names.lacking.iter().any(|(variables, _)| *variables),
        };
        if may_be_declared && owners.is_empty() {
            return None;
        }
        let help = match (place.agent(), owners.first()) {
            (_, None) if matches!(name.name.as_str(), "True" | "False" | "TRUE" | "FALSE") => {
                format!("write `{}`", name.name.to_lowercase())
            }
            (_, Some(agent)) => format!("write `{}.{}`", self.file.agents[*agent].name.name, name.name),
            (None, None) if self.names.agents.contains_key(name.name.as_str()) => {
                format!("this is an agent; its variables are read as in `{}.x`", name.name)
            }
            (None, None) => "variables stand with the names of their agents, as in `Agent.x`".to_owned(),
            (Some(agent), None) => {
                let known = self.locals[agent as usize].iter().map(|local| local.name.as_str());
                meant_or(name, known, || "declare it in `Vars`".to_owned())
            }
        };
        self.unknown("variable", &whose, finding.help(help));
        None
    }

    fn variable(&self, agent: u32, local: u32) -> Valued {
        let leaf = JointLeaf::Local(InstanceId(agent), LocalId(local));
        (Typed::Leaf(leaf), Ty::of(self.locals[agent as usize][local as usize].ty))
    }

    fn action_of(&mut self, agent: u32, name: &Ident, place: ExprContext) -> Option<Valued> {
        if !matches!(place, ExprContext::Step(_)) {
            let message = "actions are read in the conditions of evolutions only";
            let finding = Diagnostic::new(Code::NotAllowedHere, name.span, message);
            self.report(finding.help("note in a variable that the action was taken"));
            return None;
        }
        Some((Typed::Leaf(JointLeaf::Action(InstanceId(agent))), Ty::Actions(agent)))
    }

    /// `Agent.x`, `Agent.Action`
    fn qualified(&mut self, whose: &Ident, name: &Ident, place: ExprContext) -> Option<Valued> {
        let agent = self.agent_named(whose)?;
        if name.name == "Action" {
            return self.action_of(agent, name, place);
        }
        let Some(local) = self.names.variables[agent as usize].get(name.name.as_str()).copied() else {
            self.unknown_variable(agent, name);
            return None;
        };
        let observer = place.agent().unwrap_or(agent);
        let is_seen = observer == agent
            || Some(agent) == self.names.environment && self.names.sees[observer as usize].contains(&local);
        if !is_seen && Some(agent) == self.names.environment && self.names.blind[observer as usize] {
            return None;
        }
        if !is_seen {
            let observer = &self.file.agents[observer as usize].name.name;
            let message = format!("`{observer}` does not see `{}.{}`", whose.name, name.name);
            let finding = Diagnostic::new(Code::NotAllowedHere, whose.span.to(name.span), message);
            let help = match whose.name == ENVIRONMENT {
                true => format!("name it in `Lobsvars` of `{observer}`, or declare it in `Obsvars`"),
                false => "of other agents only the actions are seen, and those in evolutions".to_owned(),
            };
            self.report(finding.help(help));
            return None;
        }
        if self.names.untyped[agent as usize].contains(&local) {
            return None;
        }
        Some(self.variable(agent, local))
    }
}

/// A condition that reads no actions.
fn over_states(expr: &Typed<JointLeaf>) -> Typed<StateLeaf> {
    let inner = |part: &Typed<JointLeaf>| Box::new(over_states(part));
    match expr {
        Typed::Const(value) => Typed::Const(value.clone()),
        Typed::Leaf(JointLeaf::Local(instance, local)) => Typed::Leaf(StateLeaf::Local(*instance, *local)),
        Typed::Leaf(JointLeaf::Action(_)) => unreachable!("actions are read in evolutions only"),
        Typed::Not(part) => Typed::Not(inner(part)),
        Typed::Neg(part) => Typed::Neg(inner(part)),
        Typed::Binary(op, left, right) => Typed::Binary(*op, inner(left), inner(right)),
        Typed::If(condition, yes, no) => Typed::If(inner(condition), inner(yes), inner(no)),
    }
}
