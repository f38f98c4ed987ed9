//! Which part of a spec fails on a run.

use super::analysis::Analysis;
use crate::model::elaborate;
use crate::model::eval::{Run, Truth};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Modality, Quantifier, Spec, UnaryOp};

/// The smallest part of a spec that is false on a run of the model, as far as conjunctions take it apart, as its number among
/// these parts; none if nothing smaller than the whole formula is known to fail.
pub fn failing(analysis: &Analysis, spec: usize, run: &Run) -> Option<usize> {
    let tree = &analysis.parsed.model;
    let whole = tree.specs.get(spec)?;
    let parts = conjuncts(&whole.formula);
    let specs =
        parts.iter().map(|(_, formula)| Spec { name: None, expect: None, formula: formula.clone(), ..whole.clone() });
    let assumptions = tree.assumptions.iter().filter(|assumption| assumption.above <= spec);
    let assumptions = assumptions.map(|assumption| ast::Assumption { above: 0, ..assumption.clone() }).collect();
    let (model, _) = elaborate(&ast::Model { specs: specs.collect(), assumptions, ..tree.clone() });
    let model = model?;
    model.specs.iter().take(parts.len()).position(|part| run.evaluate(&part.formula) == Truth::False)
}

/// The place of the part with this number in a spec, or in one that says the same; the whole formula without a number.
pub fn place(analysis: &Analysis, spec: usize, part: Option<usize>) -> Option<Span> {
    let formula = &analysis.parsed.model.specs.get(spec)?.formula;
    let place = part.and_then(|part| conjuncts(formula).get(part).map(|(span, _)| *span));
    Some(place.unwrap_or(formula.span))
}

/// Formulas that together say the same, each with the place of its part.
fn conjuncts(formula: &Expr) -> Vec<(Span, Expr)> {
    let within = |body: &Expr, around: &dyn Fn(Box<Expr>) -> ExprKind| -> Vec<(Span, Expr)> {
        let parts = conjuncts(body).into_iter();
        parts.map(|(span, part)| (span, Expr { kind: around(Box::new(part)), ..formula.clone() })).collect()
    };
    match &formula.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => [conjuncts(left), conjuncts(right)].concat(),
        ExprKind::Binary(BinaryOp::Implies, condition, body) => {
            within(body, &|part| ExprKind::Binary(BinaryOp::Implies, condition.clone(), part))
        }
        ExprKind::Unary(op @ (UnaryOp::Globally | UnaryOp::Next), body) => {
            within(body, &|part| ExprKind::Unary(*op, part))
        }
        ExprKind::Observe { modality: Modality::Necessary, observation, body } => within(body, &|body| {
            ExprKind::Observe { modality: Modality::Necessary, observation: observation.clone(), body }
        }),
        ExprKind::Quantified { quantifier: Quantifier::Forall, variable, domain, body } => within(body, &|body| {
            let (variable, domain) = (variable.clone(), domain.clone());
            ExprKind::Quantified { quantifier: Quantifier::Forall, variable, domain, body }
        }),
        _ => vec![(formula.span, formula.clone())],
    }
}
