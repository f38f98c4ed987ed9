//! The parts of a spec as explorations treat them: conjuncts with few, large atoms.

use super::{BinaryOp, Expr, Formula, Observation};

impl Formula {
    /// The conjuncts ([`Formula::conjuncts`]) with what is said of one state made one atom, and with one
    /// observation where several of the same step are joined: `<<O>> f | <<P>> f` is `<<O | P>> f`, say.
    ///
    /// An expanded quantifier often is an atom then, which renaming instances does not change, although it
    /// changes each of the atoms that it is made of.
    pub fn parts(&self) -> Vec<Formula> {
        self.conjuncts().into_iter().map(fused).collect()
    }
}

fn fused(formula: Formula) -> Formula {
    let boxed = |inner: Box<Formula>| Box::new(fused(*inner));
    match formula {
        Formula::Atom(_) | Formula::Label(..) => formula,
        Formula::Not(inner) => match fused(*inner) {
            Formula::Atom(expr) => Formula::Atom(Expr::Not(Box::new(expr))),
            other => Formula::Not(Box::new(other)),
        },
        Formula::And(list) => joined(list, BinaryOp::And),
        Formula::Or(list) => joined(list, BinaryOp::Or),
        Formula::Implies(left, right) => match (fused(*left), fused(*right)) {
            (Formula::Atom(left), Formula::Atom(right)) => Formula::Atom(Expr::binary(BinaryOp::Implies, left, right)),
            (left, right) => Formula::Implies(Box::new(left), Box::new(right)),
        },
        Formula::Iff(left, right) => match (fused(*left), fused(*right)) {
            (Formula::Atom(left), Formula::Atom(right)) => Formula::Atom(Expr::binary(BinaryOp::Iff, left, right)),
            (left, right) => Formula::Iff(Box::new(left), Box::new(right)),
        },
        Formula::Next(inner) => Formula::Next(boxed(inner)),
        Formula::Finally(inner) => Formula::Finally(boxed(inner)),
        Formula::Globally(inner) => Formula::Globally(boxed(inner)),
        Formula::Until(left, right) => Formula::Until(boxed(left), boxed(right)),
        Formula::WeakUntil(left, right) => Formula::WeakUntil(boxed(left), boxed(right)),
        Formula::Release(left, right) => Formula::Release(boxed(left), boxed(right)),
        Formula::Possible(observation, inner) => Formula::Possible(observation, boxed(inner)),
        Formula::Necessary(observation, inner) => Formula::Necessary(observation, boxed(inner)),
    }
}

/// The conjunction or disjunction of formulas.
fn joined(list: Vec<Formula>, op: BinaryOp) -> Formula {
    let mut parts: Vec<Formula> = Vec::new();
    for next in list.into_iter().map(fused) {
        match parts.iter_mut().find_map(|part| Some((merged(part, &next, op)?, part))) {
            Some((both, part)) => *part = both,
            None => parts.push(next),
        }
    }
    match (parts.len(), op) {
        (1, _) => parts.remove(0),
        (_, BinaryOp::And) => Formula::And(parts),
        _ => Formula::Or(parts),
    }
}

/// Both in one, if they are atoms or observe the same step with the same body.
fn merged(left: &Formula, right: &Formula, op: BinaryOp) -> Option<Formula> {
    let either = |left: &Observation, right: &Observation| Observation::Or(left.clone().into(), right.clone().into());
    let both = |left: &Observation, right: &Observation| Observation::And(left.clone().into(), right.clone().into());
    let any = op == BinaryOp::Or;
    Some(match (left, right) {
        (Formula::Atom(left), Formula::Atom(right)) => Formula::Atom(Expr::binary(op, left.clone(), right.clone())),
        (Formula::Possible(one, body), Formula::Possible(other, same)) if body == same => {
            let observation = if any { either(one, other) } else { both(one, other) };
            Formula::Possible(observation.into(), body.clone())
        }
        (Formula::Necessary(one, body), Formula::Necessary(other, same)) if body == same => {
            let observation = if any { both(one, other) } else { either(one, other) };
            Formula::Necessary(observation.into(), body.clone())
        }
        _ => return None,
    })
}
