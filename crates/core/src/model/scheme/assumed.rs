//! The assumptions that open instances keep: that all agents of some types, or their commands, are treated fairly.

use super::Scheme;
use super::alike::SpecReader;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Model, Quantifier};
use crate::syntax::walk;

/// Calls with an agent as argument that say something of that one agent or command only.
pub(super) const WORDS: [&str; 2] = ["weak", "strong"];

impl Scheme {
    /// Leaves only those assumptions that say the same of all agents of a type, however many there are: what holds
    /// without the others holds under them.
    pub(super) fn keep_fairness(&self, tree: &mut Model) {
        let reader = SpecReader::new(self.tree());
        for assumption in &mut tree.assumptions {
            let mut kept = Vec::new();
            keep(&reader, &assumption.formula, &mut kept);
            let span = assumption.formula.span;
            let all = |left: Expr, right: Expr| {
                Expr::in_parentheses(ExprKind::Binary(BinaryOp::And, left.into(), right.into()), span)
            };
            let nothing = Expr::in_parentheses(ExprKind::Bool(true), span);
            assumption.formula = kept.into_iter().reduce(all).unwrap_or(nothing);
        }
    }
}

/// The conjuncts of an assumption that say so.
fn keep(reader: &SpecReader, expr: &Expr, kept: &mut Vec<Expr>) {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            keep(reader, left, kept);
            keep(reader, right, kept);
        }
        _ if is_of_all(reader, expr) => kept.push(Expr { parenthesised: true, ..expr.clone() }),
        _ => {}
    }
}

/// True if it is fairness, with "for all" before it and conjunctions in it; no agent is singled out.
fn is_of_all(reader: &SpecReader, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Quantified { quantifier: Quantifier::Forall, body, .. } => is_of_all(reader, body),
        ExprKind::Binary(BinaryOp::And, left, right) => is_of_all(reader, left) && is_of_all(reader, right),
        ExprKind::Call { callee, arguments } if WORDS.contains(&callee.name.as_str()) => {
            let mut singled_out = false;
            for argument in arguments {
                walk::nested(argument, &mut |part| singled_out |= names_member(reader, part));
            }
            !singled_out
        }
        _ => false,
    }
}

fn names_member(reader: &SpecReader, expr: &Expr) -> bool {
    let name = match &expr.kind {
        ExprKind::Member { owner, .. } => &owner.name,
        ExprKind::Name(name) => name,
        _ => return false,
    };
    reader.member(name).is_some()
}
