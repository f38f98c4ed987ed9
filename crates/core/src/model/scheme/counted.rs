//! Sums and numbers of members in specs, so that open instances can say them: `sum` and `count` of expressions about
//! one member alone; `size(T)`, which is `count k : T . true`; and "some agent exists", which is "at least one is
//! counted". `model::elaborate` makes totals of the sums.

use super::Scheme;
use super::alike::{SpecReader, is_awaited};
use crate::source::Span;
use crate::syntax::ast::sized_types;
use crate::syntax::ast::{
    Agent, Aggregate, BinaryOp, Expr, ExprKind, Global, Ident, Model, Quantifier, TypeKind, UnaryOp,
};
use crate::syntax::walk;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Sums over all agents of a type, for a proof of a spec that does not speak of them; as certificates write it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, untagged)]
pub enum Ghost {
    /// Of the value of a local, or of how many have it true.
    Local {
        /// The agent type.
        agent: String,
        /// The local.
        local: String,
    },
    /// Of how many are in an automaton state.
    State {
        /// The agent type.
        agent: String,
        /// The automaton state.
        state: u32,
    },
    /// Those of another spec.
    Spec {
        /// The number of the spec in the file, from 1.
        spec: NonZeroU32,
    },
}

impl Ghost {
    /// The sums of a spec, by its place.
    pub fn of_spec(spec: usize) -> Ghost {
        Ghost::Spec { spec: NonZeroU32::MIN.saturating_add(spec as u32) }
    }
}

impl Scheme {
    /// A ghost as the language writes it; nothing if the model has no such thing.
    pub fn sums_of_ghost(&self, ghost: &Ghost) -> Option<Vec<Expr>> {
        let name = match ghost {
            Ghost::Local { agent, .. } | Ghost::State { agent, .. } => agent,
            Ghost::Spec { spec } => return self.sums_of_spec(spec.get() as usize - 1),
        };
        let tree = self.tree();
        let agent = tree.agents.iter().find(|agent| agent.name.name == *name)?;
        let span = agent.name.span;
        let ident = |name: &str| Ident { name: name.to_owned(), span };
        let expr = |kind| Expr::in_parentheses(kind, span);
        let variable = free_name(tree);
        let member = |member: &str| expr(ExprKind::Member { owner: ident(&variable), member: ident(member) });
        let (aggregate, body) = match ghost {
            Ghost::Local { local, .. } => {
                let declared = agent.locals.iter().find(|declared| declared.name.name == *local)?;
                let aggregate = match declared.ty.kind {
                    TypeKind::Bool => Aggregate::Count,
                    TypeKind::Int | TypeKind::Range(..) => Aggregate::Sum,
                    TypeKind::Error | TypeKind::Location | TypeKind::Named(_) => return None,
                };
                (aggregate, member(local))
            }
            Ghost::State { state, .. } => {
                let (left, right) = (member("automaton-state"), expr(ExprKind::Int((*state).into())));
                (Aggregate::Count, expr(ExprKind::Binary(BinaryOp::Eq, left.into(), right.into())))
            }
            Ghost::Spec { .. } => return None,
        };
        let (variable, domain, body) = (ident(&variable), vec![ident(name)], Box::new(body));
        Some(vec![expr(ExprKind::Aggregate { aggregate, variable, domain, body })])
    }

    /// The sums in a spec that open instances can say.
    fn sums_of_spec(&self, spec: usize) -> Option<Vec<Expr>> {
        self.conjuncts(spec).ok()?;
        let mut sums = Vec::new();
        SpecReader::new(self.tree()).aggregates(&self.counted(&self.tree().specs[spec].formula), &mut sums);
        Some(sums)
    }
}

/// A name that nothing has.
fn free_name(tree: &Model) -> String {
    let globals = tree.globals.iter().flat_map(|global| match global {
        Global::Enum { constants, name } => constants.iter().chain([name]).collect(),
        Global::Messages(list) | Global::Properties(list) => list.iter().map(|it| &it.name).collect::<Vec<_>>(),
        Global::Guard(guard) => vec![&guard.name],
        Global::Constant { name, .. } => vec![name],
        Global::PointToPoint { .. } => Vec::new(),
    });
    let system = tree.system.iter().map(|instance| &instance.name);
    let names: Vec<&Ident> = globals.chain(system).chain(tree.agents.iter().map(|agent| &agent.name)).collect();
    let longest = names.iter().map(|name| name.name.len()).max().unwrap_or_default();
    "k".repeat(longest + 1)
}

impl SpecReader<'_> {
    /// An expression of a spec or of `where`, with what open instances can count written as a count. It is wanted true
    /// or false, if it is known which.
    pub(super) fn counted(&self, expr: &Expr, truth: Option<bool>) -> Expr {
        let boxed = |part: &Expr, truth| Box::new(self.counted(part, truth));
        let kind = match &expr.kind {
            ExprKind::Quantified { quantifier, variable, domain, body } => {
                let is_universal = truth.map(|truth| (*quantifier == Quantifier::Forall) == truth);
                let counts = is_universal != Some(true) && !self.ranging(domain).is_empty();
                if counts && self.is_countable(variable, domain, body) {
                    return some(*quantifier, variable, domain, body, expr.span);
                }
                let (variable, domain) = (variable.clone(), domain.clone());
                ExprKind::Quantified { quantifier: *quantifier, variable, domain, body: boxed(body, truth) }
            }
            ExprKind::Unary(UnaryOp::Not, inner) => ExprKind::Unary(UnaryOp::Not, boxed(inner, truth.map(|it| !it))),
            ExprKind::Unary(op, inner) => {
                ExprKind::Unary(*op, boxed(inner, truth.filter(|&truth| !is_awaited(*op, truth))))
            }
            ExprKind::Binary(op, left, right) => {
                let (of_left, of_right) = match op {
                    BinaryOp::And | BinaryOp::Or => (truth, truth),
                    BinaryOp::Implies => (truth.map(|it| !it), truth),
                    op if op.is_temporal() => (truth, truth),
                    _ => (None, None),
                };
                ExprKind::Binary(*op, boxed(left, of_left), boxed(right, of_right))
            }
            ExprKind::If { condition, yes, no } => {
                ExprKind::If { condition: boxed(condition, None), yes: boxed(yes, truth), no: boxed(no, truth) }
            }
            ExprKind::Observe { modality, observation, body } => {
                let (modality, observation) = (*modality, observation.clone());
                ExprKind::Observe { modality, observation, body: boxed(body, truth) }
            }
            ExprKind::Call { arguments, .. } if self.is_size_of_family(expr) => {
                let Some(types) = sized_types(&arguments[0]) else { return expr.clone() };
                let variable = Ident { name: free_name(self.tree), span: expr.span };
                let body = Expr { kind: ExprKind::Bool(true), ..expr.clone() };
                return count(&variable, &types, body, expr.span);
            }
            _ => return expr.clone(),
        };
        Expr { kind, ..*expr }
    }

    /// True if an expression is about the agent that a variable stands for alone.
    pub(super) fn is_countable(&self, variable: &Ident, domain: &[Ident], body: &Expr) -> bool {
        let mut alone = true;
        walk::nested(body, &mut |part| {
            alone &= match &part.kind {
                ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Star | ExprKind::If { .. } => true,
                ExprKind::Unary(op, _) => matches!(op, UnaryOp::Not | UnaryOp::Neg),
                ExprKind::Binary(op, ..) => !op.is_temporal(),
                ExprKind::Name(name) => self.is_constant(name),
                ExprKind::Member { owner, member } => {
                    let agents = self.tree.agents.iter();
                    let of_domain =
                        |agent: &&Agent| domain.iter().any(|name| name.name == agent.name.name || name.name == "Agent");
                    let has = |agent: &Agent| agent.locals.iter().any(|local| local.name.name == member.name);
                    owner.name == variable.name
                        && (member.name == "automaton-state" || agents.clone().filter(of_domain).all(has))
                }
                _ => false,
            };
        });
        alone
    }

    /// True if a name is a constant that is no agent's own.
    fn is_constant(&self, name: &str) -> bool {
        let is_declared = self.tree.globals.iter().any(|global| match global {
            Global::Enum { constants, .. } => constants.iter().any(|constant| constant.name == name),
            Global::Constant { name: constant, .. } => constant.name == name,
            _ => false,
        });
        is_declared && self.member(name).is_none()
    }

    /// The sums and counts over families in an expression.
    pub(super) fn aggregates(&self, expr: &Expr, found: &mut Vec<Expr>) {
        walk::nested(expr, &mut |part| {
            if let ExprKind::Aggregate { domain, .. } = &part.kind
                && !self.ranging(domain).is_empty()
            {
                found.push(part.clone());
            }
        });
    }
}

fn count(variable: &Ident, domain: &[Ident], body: Expr, span: Span) -> Expr {
    let body = Box::new(Expr { parenthesised: true, ..body });
    let (variable, domain) = (variable.clone(), domain.to_vec());
    let kind = ExprKind::Aggregate { aggregate: Aggregate::Count, variable, domain, body };
    Expr::in_parentheses(kind, span)
}

/// `(count k : T . f) >= 1` for `exists k : T . f`, and `(count k : T . !f) = 0` for `forall k : T . f`.
fn some(quantifier: Quantifier, variable: &Ident, domain: &[Ident], body: &Expr, span: Span) -> Expr {
    let expr = |kind| Expr::in_parentheses(kind, span);
    let (op, number, body) = match quantifier {
        Quantifier::Exists => (BinaryOp::Ge, 1, body.clone()),
        Quantifier::Forall => (
            BinaryOp::Eq,
            0,
            expr(ExprKind::Unary(UnaryOp::Not, Box::new(Expr { parenthesised: true, ..body.clone() }))),
        ),
    };
    let number = expr(ExprKind::Int(number.into()));
    expr(ExprKind::Binary(op, count(variable, domain, body, span).into(), number.into()))
}
