//! Warnings where the other dialect, or the Java tool, would group an unparenthesised text otherwise.
//!
//! The text is simply read by the rules of the other dialect too: where the two trees differ, the
//! grouping is worth parentheses.

use super::ast::{BinaryOp, Dialect, Expr, ExprKind, Process, ProcessKind, UnaryOp};
use super::findings::add;
use super::pretty;
use super::token::{Spanned, Token};
use crate::diag::{Code, Diagnostic, Diagnostics, Edit, excerpt};
use crate::source::Span;

/// True if tokens hold enough operators for another grouping: two connectives or temporal operators that no `;` separates.
pub fn may_differ(tokens: &[Spanned]) -> bool {
    let counts = |token: &Token| {
        let connects = token.is_temporal() || token.infix().is_some_and(BinaryOp::is_connective);
        connects || matches!(token, Token::ClosePossible | Token::CloseNecessary)
    };
    let mut parts = tokens.split(|(token, _)| *token == Token::Semicolon);
    parts.any(|part| part.iter().filter(|(token, _)| counts(token)).nth(1).is_some())
}

/// Compares what one text is in this and in the other dialect.
pub fn compare(ours: &Expr, theirs: &Expr, dialect: Dialect, diagnostics: &mut Diagnostics) {
    let mut pending = vec![(ours, theirs)];
    while let Some((ours, theirs)) = pending.pop() {
        let (our_parts, their_parts) = (ours.kind.parts(), theirs.kind.parts());
        let same = std::mem::discriminant(&ours.kind) == std::mem::discriminant(&theirs.kind)
            && our_parts.iter().map(|part| part.span).eq(their_parts.iter().map(|part| part.span));
        if same {
            if is_java_trap(ours, dialect) {
                add(diagnostics, java_trap(ours));
            }
            pending.extend(our_parts.into_iter().zip(their_parts));
        } else {
            add(diagnostics, ambiguous(ours, theirs, dialect));
            pending.extend(units(ours).into_iter().zip(units(theirs)));
        }
    }
}

/// The parts of an unparenthesised mixture that both dialects agree on: what stands in brackets.
fn units(expr: &Expr) -> Vec<&Expr> {
    let mut units = Vec::new();
    let mut pending = vec![(expr, true)];
    while let Some((expr, is_open)) = pending.pop() {
        if !is_open {
            units.push(expr);
            continue;
        }
        let in_brackets = |index| match expr.kind {
            ExprKind::Call { .. } | ExprKind::Assignments(..) => true,
            ExprKind::Observe { .. } => index == 0,
            ExprKind::If { .. } => index < 2,
            _ => false,
        };
        let parts = expr.kind.parts().into_iter().enumerate();
        pending.extend(parts.map(|(index, part)| (part, !part.parenthesised && !in_brackets(index))).rev());
    }
    units
}

/// The parentheses that leave no doubt how an unparenthesised mixture is grouped.
fn parentheses(expr: &Expr) -> Vec<Edit> {
    let doubtful = |part: &Expr| match &part.kind {
        ExprKind::Binary(op, ..) => op.is_connective(),
        ExprKind::Unary(op, _) => matches!(op, UnaryOp::Next | UnaryOp::Finally | UnaryOp::Globally),
        ExprKind::Observe { .. } | ExprKind::If { .. } => true,
        _ => false,
    };
    let (mut edits, mut pending) = (Vec::new(), vec![expr]);
    while let Some(expr) = pending.pop() {
        for part in expr.kind.parts().into_iter().filter(|part| !part.parenthesised) {
            if doubtful(part) && !matches!(expr.kind, ExprKind::Call { .. } | ExprKind::Assignments(..)) {
                edits.extend(Edit::parenthesise(part.span));
            }
            pending.push(part);
        }
    }
    // Of insertions at one place, those of inner parentheses come first where they close, and last where they open: one
    // place has either kind only.
    edits
}

/// An expression with its parentheses, for a message.
fn quoted(expr: &Expr) -> String {
    excerpt(&pretty::expression(expr, &pretty::Names::default()), 300)
}

fn ambiguous(ours: &Expr, theirs: &Expr, dialect: Dialect) -> Diagnostic {
    let (message, other) = match dialect {
        Dialect::Modern => ("these operators are of one level, unlike elsewhere", "the usual precedence"),
        Dialect::Classic => ("the modern dialect groups these operators otherwise", "the modern dialect"),
    };
    Diagnostic::new(Code::AmbiguousGrouping, ours.span, message)
        .label(format!("read as `{}`", quoted(ours)))
        .help(format!("set these parentheses; {other} reads `{}`", quoted(theirs)))
        .fix("set these parentheses", parentheses(ours))
}

/// True if the Java tool, for which `->` binds tighter than `&` and `|`, reads a classic expression otherwise.
fn is_java_trap(expr: &Expr, dialect: Dialect) -> bool {
    let loose =
        |part: &Expr| !part.parenthesised && matches!(part.kind, ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..));
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Implies, left, right) => {
            dialect == Dialect::Classic && (loose(left) || loose(right))
        }
        _ => false,
    }
}

fn java_trap(expr: &Expr) -> Diagnostic {
    Diagnostic::new(Code::AmbiguousGrouping, expr.span, "the Java tool groups these operators otherwise")
        .label(format!("read as `{}`", quoted(expr)))
        .help("set these parentheses; for the Java tool `->` binds tighter than `&` and `|`")
        .fix("set these parentheses", parentheses(expr))
}

/// Warns of each unparenthesised `rep` that `;` or `+` follows.
pub fn check_rep(process: &Process, dialect: Dialect, diagnostics: &mut Diagnostics) {
    match &process.kind {
        ProcessKind::Error | ProcessKind::Command(_) => {}
        ProcessKind::Rep(body) => {
            let goes_on = matches!(body.kind, ProcessKind::Sequence(..) | ProcessKind::Choice(..));
            if goes_on && !body.parenthesised {
                let fix = Edit::parenthesise(body.span);
                add(diagnostics, ambiguous_rep(process, dialect).fix("set these parentheses", fix));
            }
            check_rep(body, dialect, diagnostics);
        }
        ProcessKind::Sequence(left, right) | ProcessKind::Choice(left, right) => {
            if let Some(rep) = last_rep(left) {
                add(
                    diagnostics,
                    ambiguous_rep(rep, dialect).fix("set these parentheses", Edit::parenthesise(rep.span)),
                );
            }
            check_rep(left, dialect, diagnostics);
            check_rep(right, dialect, diagnostics);
        }
    }
}

/// The `rep` that ends a process without parentheses around it.
fn last_rep(process: &Process) -> Option<&Process> {
    match &process.kind {
        _ if process.parenthesised => None,
        ProcessKind::Rep(_) => Some(process),
        ProcessKind::Sequence(_, right) | ProcessKind::Choice(_, right) => last_rep(right),
        _ => None,
    }
}

fn ambiguous_rep(rep: &Process, dialect: Dialect) -> Diagnostic {
    let start = rep.span.start as usize;
    let keyword = Span::new(start, start + "rep".len());
    let (label, other) = match dialect {
        Dialect::Modern => ("takes all that follows", "in the classic dialect `rep` takes one step only"),
        Dialect::Classic => ("takes one step only", "in the modern dialect `rep` takes all that follows"),
    };
    Diagnostic::new(Code::AmbiguousRep, keyword, "the dialects do not agree on what this `rep` repeats")
        .label(label)
        .help(format!("set parentheses, as in `rep (..)` or `(rep ..)`; {other}"))
}
