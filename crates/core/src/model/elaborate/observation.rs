//! Observation descriptors.

use super::built_in::role_named;
use super::expression::expression;
use super::formula::{Formulas, Least};
use super::relabelling::asked_properties;
use super::spec_scopes::DataScope;
use super::types::{Typed, temporal_operator, value_operator};
use crate::diag::{Code, Diagnostic, Edit};
use crate::model::expr::{BinaryOp as ValueOp, Expr};
use crate::model::formula::{Connective, DataLeaf, Observation, Role};
use crate::model::partners::Partners;
use crate::model::{InstanceId, PropertyId, Type, Value};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, ExprKind, Quantifier, UnaryOp};

/// The number of assignments to property variables beyond which `exists(..)` and `forall(..)` are
/// refused.
const ASSIGNMENT_LIMIT: u64 = 100_000;

/// The connective of an operator, if it is one.
fn connective(op: BinaryOp) -> Option<Connective> {
    value_operator(op).and_then(Connective::of)
}

fn is_equality(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne)
}

impl Formulas<'_, '_> {
    /// A descriptor; `inside` of `exists(..)` or `forall(..)`, property variables stand for themselves.
    pub(super) fn observation(&mut self, expr: &ast::Expr, inside: bool) -> Option<Observation> {
        self.count(1)?;
        match &expr.kind {
            ExprKind::Name(name) if name == "p2p" => self.point_to_point(expr.span),
            ExprKind::Assignments(quantifier, inner) => self.assignments(*quantifier, inner, expr.span, inside),
            ExprKind::Unary(UnaryOp::Not, inner) => Some(negation(self.observation(inner, inside)?)),
            ExprKind::Binary(op, left, right) => self.infix_observation(*op, left, right, expr, inside),
            ExprKind::Quantified { quantifier, variable, domain, body } => {
                let parts = self.expand(variable, domain, Least::One, |formulas| formulas.observation(body, inside))?;
                let connective = match quantifier {
                    Quantifier::Forall => Connective::And,
                    Quantifier::Exists => Connective::Or,
                };
                parts.into_iter().reduce(|left, right| left.joined(connective, right))
            }
            ExprKind::Unary(UnaryOp::Next | UnaryOp::Finally | UnaryOp::Globally, _) => {
                self.context.report(temporal_operator(expr.span));
                None
            }
            _ => self.data(expr, inside),
        }
    }

    fn infix_observation(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        expr: &ast::Expr,
        inside: bool,
    ) -> Option<Observation> {
        if let Some(connective) = connective(op) {
            let (left, right) = (self.observation(left, inside), self.observation(right, inside));
            return Some(left?.joined(connective, right?));
        }
        if is_equality(op) {
            self.unless_ambiguous_role(left, right)?;
            self.unless_ambiguous_role(right, left)?;
        }
        if is_equality(op)
            && let Some((role, instance)) = self.role(left).zip(Some(right)).or(self.role(right).zip(Some(left)))
        {
            let atom = Observation::Role(role, self.instance(instance)?);
            return Some(if op == BinaryOp::Ne { negation(atom) } else { atom });
        }
        if is_equality(op) && (self.is_locality(left) || self.is_locality(right)) {
            let name = if self.is_locality(left) { right } else { left };
            let is_any = matches!(&name.kind, ExprKind::Name(word) if word == "any" && self.undeclared(word));
            let atom = Observation::Locality(if is_any { None } else { Some(self.instance(name)?) });
            return Some(if op == BinaryOp::Ne { negation(atom) } else { atom });
        }
        if is_equality(op) && (self.is_descriptor(left) || self.is_descriptor(right)) {
            let (left, right) = (self.observation(left, inside), self.observation(right, inside));
            let same = left?.joined(Connective::Iff, right?);
            return Some(if op == BinaryOp::Ne { negation(same) } else { same });
        }
        self.data(expr, inside)
    }

    /// `p2p`, unless something is called so.
    fn point_to_point(&mut self, span: Span) -> Option<Observation> {
        if self.undeclared("p2p") {
            return Some(Observation::PointToPoint);
        }
        self.context.ambiguous_in_spec("p2p", span);
        None
    }

    /// The role that an expression names.
    fn role(&self, expr: &ast::Expr) -> Option<Role> {
        match &expr.kind {
            ExprKind::Name(name) if self.undeclared(name) => role_named(name),
            _ => None,
        }
    }

    /// True if an expression is `locality`, the name that a get used; a declared name of that kind keeps its meaning.
    fn is_locality(&self, expr: &ast::Expr) -> bool {
        matches!(&expr.kind, ExprKind::Name(name) if name == "locality" && self.undeclared(name))
    }

    fn undeclared(&self, name: &str) -> bool {
        self.context.globals.get(name).is_none() && self.scope.bindings.get(name).is_none()
    }

    /// True if an expression says something of the step that no value can say.
    fn is_descriptor(&mut self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) if name == "p2p" => self.may_be_point_to_point(name, expr),
            ExprKind::Name(name) => self.undeclared(name) && role_named(name).is_some(),
            ExprKind::Assignments(..) | ExprKind::Quantified { .. } => true,
            ExprKind::Unary(UnaryOp::Not, inner) => self.is_descriptor(inner),
            ExprKind::Binary(op, left, right) if connective(*op).is_some() || is_equality(*op) => {
                self.is_descriptor(left) || self.is_descriptor(right)
            }
            _ => false,
        }
    }

    /// The instance that a role is compared with.
    fn instance(&mut self, expr: &ast::Expr) -> Option<InstanceId> {
        if let ExprKind::Name(name) = &expr.kind
            && role_named(name).is_none()
        {
            let name = ast::Ident { name: name.clone(), span: expr.span };
            return self.scope.bindings.owner(self.context, &name).map(|(instance, _)| instance);
        }
        let typed = self.value(expr)?;
        if let (Type::Location, Expr::Const(Value::Enum(index))) = (typed.ty, &typed.expr) {
            return Some(InstanceId(*index));
        }
        self.context.report(
            Diagnostic::new(Code::WrongKindOfName, expr.span, "who took part is compared with instances only")
                .label("expected an instance or a quantified variable")
                .help("as in `sender = i`, for an instance or a quantified variable `i`"),
        );
        None
    }

    /// A value of the data of a message.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Option<Typed<DataLeaf>> {
        let mut scope = DataScope { bindings: &self.scope.bindings, is_blind: &mut self.is_blind };
        expression(self.context, &mut scope, expr)
    }

    /// A Boolean expression over data, taken apart at its connectives.
    fn data(&mut self, expr: &ast::Expr, inside: bool) -> Option<Observation> {
        let typed = self.value(expr)?;
        let data = self.context.expect(typed, Type::Bool)?;
        self.count(data.size())?;
        if !inside && data.any_leaf(is_property) {
            if !self.counted.contains(&expr.span) {
                self.warn_of_inequalities(&data, expr.span, true);
            }
            self.check_assignments(&properties(&data), expr.span)?;
        }
        Some(descriptor(data, inside))
    }

    /// Warns of `pv != c`, which is the negation of `pv = c` here: some assignment differs, not every one. `is_whole` says
    /// whether nothing else stands at the place.
    fn warn_of_inequalities(&mut self, data: &Expr<DataLeaf>, span: Span, is_whole: bool) {
        match data {
            Expr::Binary(ValueOp::Ne, left, right) if left.any_leaf(is_property) || right.any_leaf(is_property) => {
                let show = |observation| self.model.show_observation(&observation);
                let differs = || Box::new(Observation::Data(data.clone()));
                let equal = Observation::Data(Expr::Binary(ValueOp::Eq, left.clone(), right.clone()));
                let read_as = negation(equal.clone());
                // Without the data of a message the two sides are neither equal nor different.
                let may_lack_data = data.any_leaf(|leaf| matches!(leaf, DataLeaf::Message(_)));
                let some = if may_lack_data { Box::new(negation(equal)) } else { differs() };
                let (some, every) = (show(Observation::Exists(some)), show(Observation::Forall(differs())));
                let message =
                    format!("`{}` holds here if some assignment to the property variables differs", show(*differs()));
                let read_as = show(read_as);
                let diagnostic = Diagnostic::new(Code::UnquantifiedInequality, span, message)
                    .label(format!("read as `{read_as}`, which is `{some}`"))
                    .help(format!("write `{some}` if that is meant, and `{every}` if every assignment has to differ"));
                self.context.report(match is_whole {
                    true => diagnostic
                        .fix("some assignment differs", [Edit::replace(span, some)])
                        .fix("every assignment differs", [Edit::replace(span, every)]),
                    false => diagnostic,
                });
            }
            Expr::Binary(_, left, right) => {
                self.warn_of_inequalities(left, span, false);
                self.warn_of_inequalities(right, span, false);
            }
            Expr::Not(inner) | Expr::Neg(inner) => self.warn_of_inequalities(inner, span, false),
            Expr::If(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| self.warn_of_inequalities(part, span, false));
            }
            Expr::Const(_) | Expr::Leaf(_) => {}
        }
    }

    /// `exists(e)` and `forall(e)`; where nested, the outermost counts.
    fn assignments(
        &mut self,
        quantifier: Quantifier,
        inner: &ast::Expr,
        span: Span,
        inside: bool,
    ) -> Option<Observation> {
        let inner = self.observation(inner, true)?;
        if inside {
            return Some(inner);
        }
        let read: Vec<PropertyId> = inner.properties().into_iter().collect();
        self.check_assignments(&read, span)?;
        Some(match quantifier {
            Quantifier::Exists => Observation::Exists(Box::new(inner)),
            Quantifier::Forall => Observation::Forall(Box::new(inner)),
        })
    }

    /// Checks that the assignments to the property variables, those that a predicate reads included,
    /// can be enumerated, and that suppliers know their own values.
    fn check_assignments(&mut self, read: &[PropertyId], span: Span) -> Option<()> {
        if !self.counted.insert(span) {
            return Some(());
        }
        self.context.check_observed_relabellings(self.model, read, span);
        let partners = Partners::new(self.model, self.context.written_instances());
        let mut predicates: Vec<(Vec<PropertyId>, Option<Span>)> = vec![(Vec::new(), None)];
        predicates.extend(partners.edges().map(|(_, edge)| (asked_properties(edge), Some(edge.span))));
        for (mut properties, edge) in predicates {
            properties.extend(read);
            properties.sort_unstable();
            properties.dedup();
            self.check_enumerable(&properties, span, edge)?;
        }
        Some(())
    }

    fn check_enumerable(&mut self, properties: &[PropertyId], span: Span, edge: Option<Span>) -> Option<()> {
        let mut count: u64 = 1;
        for property in properties {
            let variable = &self.model.properties[property.index()];
            let ty = self.context.property_type(*property)?;
            let Some(values) = self.model.cardinality(ty) else {
                if !self.context.unlisted.insert(variable.span) {
                    self.context.unreadable();
                    return None;
                }
                let message = format!("`{}` has infinitely many values to try here", variable.name);
                let diagnostic = Diagnostic::new(Code::TypeMismatch, span, message)
                    .label("tries all assignments to the property variables")
                    .related(variable.span, "declared here")
                    .help(format!("declare `{}` with a range, as in `0..10`", variable.name));
                self.context.report(match edge {
                    Some(edge) => diagnostic.related(edge, "its predicate reads it"),
                    None => diagnostic,
                });
                return None;
            };
            count = count.saturating_mul(values);
        }
        if count > ASSIGNMENT_LIMIT {
            let message = format!("more than {ASSIGNMENT_LIMIT} assignments to the property variables");
            let diagnostic = Diagnostic::new(Code::ExpansionTooLarge, span, message)
                .label("tries all of them")
                .help("declare the property variables with smaller types");
            self.context.report(match edge {
                Some(edge) => diagnostic.related(edge, "its predicate reads property variables, too"),
                None => diagnostic,
            });
            return None;
        }
        Some(())
    }
}

fn negation(observation: Observation) -> Observation {
    Observation::Not(Box::new(observation))
}

fn is_property(leaf: &DataLeaf) -> bool {
    matches!(leaf, DataLeaf::Property(_))
}

fn properties(data: &Expr<DataLeaf>) -> Vec<PropertyId> {
    let mut properties = Vec::new();
    data.for_each_leaf(&mut |leaf| {
        if let DataLeaf::Property(id) = leaf {
            properties.push(*id);
        }
    });
    properties
}

/// A Boolean expression as a descriptor: connectives become those of descriptors, so that each
/// comparison is false of its own when the step lacks what it reads. `chan != c` is the negation of
/// `chan = c`; outside of `exists(..)` and `forall(..)`, so is `pv != c`, and `pv = c` holds if it does
/// for all assignments.
fn descriptor(data: Expr<DataLeaf>, inside: bool) -> Observation {
    match data {
        Expr::Const(Value::Bool(value)) => Observation::Const(value),
        Expr::Not(inner) => negation(descriptor(*inner, inside)),
        Expr::Binary(op, left, right) if let Some(connective) = Connective::of(op) => {
            descriptor(*left, inside).joined(connective, descriptor(*right, inside))
        }
        Expr::Binary(ValueOp::Ne, left, right) if reads_as_negation(&left, &right, inside) => {
            negation(descriptor(Expr::Binary(ValueOp::Eq, left, right), inside))
        }
        atom if !inside && atom.any_leaf(is_property) => Observation::Forall(Box::new(Observation::Data(atom))),
        atom => Observation::Data(atom),
    }
}

/// True if `left != right` means the negation of `left = right`.
fn reads_as_negation(left: &Expr<DataLeaf>, right: &Expr<DataLeaf>, inside: bool) -> bool {
    let reads = |kind: fn(&DataLeaf) -> bool| left.any_leaf(kind) || right.any_leaf(kind);
    let of_channel = reads(|leaf| *leaf == DataLeaf::Chan) && !reads(|leaf| matches!(leaf, DataLeaf::Message(_)));
    of_channel || (!inside && reads(is_property))
}
