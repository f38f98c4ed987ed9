//! Invariants.
//!
//! A clause is an invariant of the model only if the reduction adds no obligations: obligations leave out the runs that
//! cannot become a violation any more, and the text says so.

use super::names::Names;
use super::{CLAUSES, CONJUNCTS, write_conjunct};
use crate::check::certificate::{Certificate, CertifiedPart};
use crate::claim::Invariant;
use crate::model::{BinaryOp, Expr, Model};
use crate::product::target::{Reduction, Target};
use crate::ts::ranking::Ranking;
use crate::ts::readback::expression;
use crate::ts::smtlib::write::closed;
use crate::ts::system::Origin;
use crate::ts::term::{Leaf, Term, TermNode, Terms};
use crate::words::count;
use dashu_int::IBig;
use rustc_hash::FxHashSet;
use std::io::{self, Write};

/// Writes the invariant of each conjunct.
pub(super) fn write(
    out: &mut dyn Write,
    model: &Model,
    spec: usize,
    certificate: &Certificate,
    whole: &str,
) -> io::Result<()> {
    let parts = certificate.parts();
    for (index, part) in parts.iter().enumerate().take(CONJUNCTS) {
        write_conjunct(out, model, spec, index, &part.target.formula)?;
        write_part(out, model, part, whole)?;
    }
    match parts.len().saturating_sub(CONJUNCTS) {
        0 => Ok(()),
        more => writeln!(out, "  .. and {} more; {whole}", count(more, "conjunct")),
    }
}

fn write_part(out: &mut dyn Write, model: &Model, part: &CertifiedPart, whole: &str) -> io::Result<()> {
    let target = &part.target;
    let names = Names::new(model, target);
    if target.is_trivial {
        return writeln!(out, "    it is true as it stands");
    }
    let invariant = part.proof.invariant();
    let clauses = clauses(model, part, &names);
    if clauses.is_empty() && target.reduction == Reduction::Invariance {
        return writeln!(out, "    no state violates it, whether it can be reached or not");
    }
    let ranking = ranking(model, part, &names);
    writeln!(out, "    {}", because(target.reduction, &names, &ranking, invariant.k))?;
    for clause in clauses.iter().take(CLAUSES) {
        writeln!(out, "      {}", clause.text)?;
    }
    if clauses.len() > CLAUSES {
        writeln!(out, "      .. and {} more; {whole}", count(clauses.len() - CLAUSES, "clause"))?;
    }
    let used: FxHashSet<Origin> =
        clauses.iter().take(CLAUSES).flat_map(|clause| clause.reads.iter().copied()).collect();
    let added = target.system.variables().iter().map(|variable| variable.origin);
    for origin in added.filter(|origin| used.contains(origin)) {
        if let Some(meaning) = names.meaning(origin) {
            writeln!(out, "    {meaning}")?;
        }
    }
    Ok(())
}

/// The conclusion from the invariant, and the sense in which it is one.
fn because(reduction: Reduction, names: &Names, ranking: &str, k: usize) -> String {
    let runs = if names.watches() { ", on every run that can still become a violation" } else { "" };
    let holds = match k {
        1 => format!("true at the start and kept by every step{runs}"),
        _ => {
            format!("true in the first {k} states and after {k} different states in which they are true{runs}")
        }
    };
    match reduction {
        Reduction::Safety => format!("no violation is ever complete, because these are {holds}:"),
        Reduction::Invariance => format!("no state violates it, because these are {holds}:"),
        Reduction::Counting(0) => format!("{}; there is none, because these are {holds}:", recurring(names)),
        Reduction::Counting(times) => {
            format!("{}; there are {times} of them at most, because these are {holds}:", recurring(names))
        }
        Reduction::Ranking(times) => format!(
            "{}; there {} at most between two changes of the ranking {ranking}, which no step lets grow or fall below \
            zero, because these are {holds}:",
            recurring(names),
            if times == 1 { "is one of them".to_owned() } else { format!("are {times} of them") },
        ),
    }
}

/// The states that a violating run visits infinitely often.
fn recurring(names: &Names) -> String {
    match names.awaited() {
        awaited if awaited.is_empty() => "a violating run has infinitely many states".to_owned(),
        awaited => format!("a violating run has infinitely many states in which nothing of {awaited} is waited for"),
    }
}

/// The components of a ranking, the most significant one first.
fn ranking(model: &Model, part: &CertifiedPart, names: &Names) -> String {
    let Ranking { terms, components } = &part.ranking;
    let show = |&component: &Term| format!("`{}`", value(model, part, names, terms, component));
    components.iter().map(show).collect::<Vec<_>>().join(", then ")
}

/// A term; conditionals, which expressions do not have, in words.
fn value(model: &Model, part: &CertifiedPart, names: &Names, terms: &Terms, term: Term) -> String {
    let value = |term| value(model, part, names, terms, term);
    let summand = |(factor, x): &(IBig, Term)| match factor {
        factor if *factor == IBig::ONE => value(*x),
        factor if *factor == -IBig::ONE => format!("-{}", value(*x)),
        factor => format!("{factor} * {}", value(*x)),
    };
    match (expression(&part.target.system, terms, term, &Some), terms.node(term)) {
        (Some(expr), _) => model.show_expr_over(&expr, &|origin| names.of(origin)),
        (None, TermNode::Ite(condition, yes, no)) => {
            format!("({} if {}, else {})", value(*yes), value(*condition), value(*no))
        }
        (None, TermNode::Sum(constant, list)) => {
            let constant = (*constant != IBig::ZERO).then(|| constant.to_string());
            list.iter().map(summand).chain(constant).collect::<Vec<_>>().join(" + ")
        }
        (None, _) => closed(terms, &part.symbols, term),
    }
}

/// A conjunct of an invariant.
struct Clause {
    text: String,
    reads: Vec<Origin>,
}

/// The conjuncts, those that read least first. Conjuncts that hold by themselves are left out.
fn clauses(model: &Model, part: &CertifiedPart, names: &Names) -> Vec<Clause> {
    let all = part.proof.invariant().clauses.iter();
    let mut clauses: Vec<Clause> = all.flat_map(|&clause| Clause::of(model, part, clause, names)).collect();
    clauses.sort_by_cached_key(|clause| (clause.reads.len(), clause.text.chars().count(), clause.text.clone()));
    clauses.dedup_by(|one, other| one.text == other.text);
    clauses
}

impl Clause {
    /// A conjunct of an invariant, which may be a conjunction behind a negation.
    fn of(model: &Model, part: &CertifiedPart, clause: Term, names: &Names) -> Vec<Clause> {
        let CertifiedPart { target, symbols, proof, .. } = part;
        let invariant = proof.invariant();
        let (system, terms) = (&target.system, &invariant.terms);
        let is_not_bad = matches!(terms.node(clause), TermNode::Not(inner) if *inner == target.bad);
        let whole = |text| vec![Clause { text, reads: reads(target, invariant, clause) }];
        match (target.formula.always(true), expression(system, terms, clause, &Some)) {
            // The state predicate that the conjunct is about, as its user wrote it.
            (Some(inner), _) if is_not_bad && !names.watches() => whole(model.show_formula(inner)),
            (_, None) => whole(closed(terms, symbols, clause)),
            (_, Some(expr)) => {
                let mut parts = Vec::new();
                split_conjunction(expr, &mut parts);
                parts.into_iter().map(|part| Clause::new(model, names, part)).collect()
            }
        }
    }

    fn new(model: &Model, names: &Names, expr: Expr<Origin>) -> Clause {
        let mut reads = Vec::new();
        expr.for_each_leaf(&mut |origin| {
            if !reads.contains(origin) {
                reads.push(*origin);
            }
        });
        Clause { text: model.show_expr_over(&as_implication(expr), &|origin| names.of(origin)), reads }
    }
}

/// The variables of a term.
fn reads(target: &Target, invariant: &Invariant, clause: Term) -> Vec<Origin> {
    let mut reads = Vec::new();
    invariant.terms.collect_leaves(clause, &mut FxHashSet::default(), &mut |leaf| {
        if let Leaf::Var(id) = leaf {
            reads.push(target.system.variable(id).origin);
        }
    });
    reads
}

/// The conjuncts of `a & b`, and those of `!(a | b)`.
fn split_conjunction<L: Clone>(expr: Expr<L>, parts: &mut Vec<Expr<L>>) {
    match expr {
        Expr::Binary(BinaryOp::And, left, right) => {
            split_conjunction(*left, parts);
            split_conjunction(*right, parts);
        }
        Expr::Not(inner) => match *inner {
            Expr::Binary(BinaryOp::Or, left, right) => {
                split_conjunction(Expr::Not(left), parts);
                split_conjunction(Expr::Not(right), parts);
            }
            other => parts.push(Expr::Not(Box::new(other))),
        },
        other => parts.push(other),
    }
}

/// `!a | b != c | d` as `a & b = c -> d`, and `!(a & b < c)` as `a -> b >= c`.
pub(super) fn as_implication<L: Clone>(clause: Expr<L>) -> Expr<L> {
    let (mut premises, mut conclusions) = (Vec::new(), Vec::new());
    split(&clause, &mut premises, &mut conclusions);
    let join = |op: BinaryOp, list: Vec<Expr<L>>| list.into_iter().reduce(|left, right| Expr::binary(op, left, right));
    match (join(BinaryOp::And, premises), join(BinaryOp::Or, conclusions)) {
        (Some(premise), Some(conclusion)) => Expr::binary(BinaryOp::Implies, premise, conclusion),
        (Some(premise), None) => Expr::Not(Box::new(premise)),
        (None, Some(conclusion)) => conclusion,
        (None, None) => clause,
    }
}

fn split<L: Clone>(clause: &Expr<L>, premises: &mut Vec<Expr<L>>, conclusions: &mut Vec<Expr<L>>) {
    match clause {
        Expr::Binary(BinaryOp::Or, left, right) => {
            split(left, premises, conclusions);
            split(right, premises, conclusions);
        }
        Expr::Not(inner) => split_negated(inner, premises, conclusions),
        Expr::Binary(BinaryOp::Ne, left, right) => {
            premises.push(Expr::Binary(BinaryOp::Eq, left.clone(), right.clone()));
        }
        other => conclusions.push(other.clone()),
    }
}

fn split_negated<L: Clone>(inner: &Expr<L>, premises: &mut Vec<Expr<L>>, conclusions: &mut Vec<Expr<L>>) {
    match inner {
        Expr::Binary(BinaryOp::And, left, right) => {
            split_negated(left, premises, conclusions);
            split_negated(right, premises, conclusions);
        }
        Expr::Not(inner) => split(inner, premises, conclusions),
        Expr::Binary(op, left, right) => match opposite(*op) {
            Some(op) => conclusions.push(Expr::Binary(op, left.clone(), right.clone())),
            None => premises.push(inner.clone()),
        },
        other => premises.push(other.clone()),
    }
}

/// The comparison that is true where this one is false; equations are better premises than that.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Ne => Some(BinaryOp::Eq),
        BinaryOp::Lt => Some(BinaryOp::Ge),
        BinaryOp::Le => Some(BinaryOp::Gt),
        BinaryOp::Gt => Some(BinaryOp::Le),
        BinaryOp::Ge => Some(BinaryOp::Lt),
        _ => None,
    }
}
