//! What the grammar reads but the language forbids: comparisons that chain.

use super::add;
use super::ast::{BinaryOp, Expr, ExprKind, Model};
use super::walk;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;

/// Reports every `a < b < c`.
pub fn check(model: &Model, diagnostics: &mut Diagnostics) {
    walk::expressions(model, &mut |expr| {
        walk::nested(expr, &mut |expr| {
            if let Some(inner) = expr.chained() {
                add(
                    diagnostics,
                    Diagnostic::new(Code::ChainedComparison, expr.span, "comparisons do not chain")
                        .label("two comparisons in a row")
                        .related(inner, "this is already a truth value")
                        .help("compare twice, as in `a < b & b < c`, or set parentheses"),
                );
            }
        });
    });
}

impl Expr {
    /// The left side of a comparison, if it is itself a comparison without parentheses.
    pub fn chained(&self) -> Option<Span> {
        match &self.kind {
            ExprKind::Binary(op, left, _) if op.is_comparison() && !left.parenthesised => match &left.kind {
                ExprKind::Binary(inner, ..) if inner.is_comparison() => Some(left.span),
                _ => None,
            },
            _ => None,
        }
    }
}

impl BinaryOp {
    /// Whether it compares two values.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}
