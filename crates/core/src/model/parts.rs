//! The parts of a spec as explorations treat them: conjuncts with few, large atoms.

use super::formula::Connective;
use super::written::Written;
use super::{BinaryOp, Expr, Formula, Observation};

impl Formula {
    /// The conjuncts ([`Formula::conjuncts`]) with what is said of one state made one atom, and with one
    /// observation where several of the same step are joined: `<<O>> f | <<P>> f` is `<<O | P>> f`, say.
    ///
    /// An expanded quantifier often is an atom then, which renaming instances does not change, although it
    /// changes each of the atoms that it is made of.
    pub fn parts(&self) -> Vec<Formula> {
        self.conjuncts().iter().map(fused).collect()
    }
}

fn fused(formula: &Formula) -> Formula {
    let pair = |op, left, right, other: fn(Formula, Formula) -> Formula| match (fused(left), fused(right)) {
        (Formula::Atom(left), Formula::Atom(right)) => Formula::Atom(Expr::binary(op, left, right)),
        (left, right) => other(left, right),
    };
    match formula.written() {
        Written::Not(inner) => {
            let inner = fused(inner);
            if let Formula::Atom(expr) = inner { Formula::Atom(Expr::Not(Box::new(expr))) } else { inner.not() }
        }
        Written::And(list) => joined(list, BinaryOp::And),
        Written::Or(list) => joined(list, BinaryOp::Or),
        Written::Implies(left, right) => pair(BinaryOp::Implies, left, right, Formula::implies),
        Written::Iff(left, right) => pair(BinaryOp::Iff, left, right, Formula::iff),
        Written::Release(left, right) => fused(left).release(fused(right)),
        _ => formula.with_operands(&mut fused),
    }
}

/// The conjunction or disjunction of formulas.
fn joined(list: Vec<&Formula>, op: BinaryOp) -> Formula {
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
    let either = |left: &Observation, right: &Observation| left.clone().joined(Connective::Or, right.clone());
    let both = |left: &Observation, right: &Observation| left.clone().joined(Connective::And, right.clone());
    let any = op == BinaryOp::Or;
    Some(match (left.written(), right.written()) {
        (Written::Atom(left), Written::Atom(right)) => Formula::Atom(Expr::binary(op, left.clone(), right.clone())),
        (Written::Possible(one, body), Written::Possible(other, same)) if body == same => {
            Formula::possible(if any { either(one, other) } else { both(one, other) }, body.clone())
        }
        (Written::Necessary(one, body), Written::Necessary(other, same)) if body == same => {
            Formula::necessary(if any { both(one, other) } else { either(one, other) }, body.clone())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::formula::StateLeaf;
    use crate::model::{EdgeId, InstanceId, LocalId};

    fn expr(local: u32) -> Expr<StateLeaf> {
        Expr::Leaf(StateLeaf::Local(InstanceId(0), LocalId(local)))
    }

    fn atom(local: u32) -> Formula {
        Formula::Atom(expr(local))
    }

    fn both(op: BinaryOp, left: Expr<StateLeaf>, right: Expr<StateLeaf>) -> Expr<StateLeaf> {
        Expr::binary(op, left, right)
    }

    #[test]
    fn what_is_said_of_one_state_is_one_atom() {
        let label = Formula::Label(InstanceId(0), EdgeId(0));
        let either = Formula::Or(vec![atom(0), label.clone(), atom(1).not(), atom(2)]);
        let negated = Expr::Not(Box::new(expr(1)));
        let joined = both(BinaryOp::Or, both(BinaryOp::Or, expr(0), negated), expr(2));
        let part = Formula::Or(vec![Formula::Atom(joined), label]);
        assert_eq!(either.finally().parts(), [part.finally()]);
        let implied = atom(0).implies(atom(1).iff(atom(2)));
        let expected = both(BinaryOp::Implies, expr(0), both(BinaryOp::Iff, expr(1), expr(2)));
        assert_eq!(implied.parts(), [Formula::Atom(expected)]);
        // Of different states.
        let later = Formula::Or(vec![atom(0), atom(1).next()]);
        assert_eq!(later.parts(), [later]);
    }

    #[test]
    fn observations_of_one_step_are_joined() {
        let both = |connective| Observation::Const(true).joined(connective, Observation::Const(false));
        let possible = |value, local| Formula::possible(Observation::Const(value), atom(local));
        let necessary = |value, local| Formula::necessary(Observation::Const(value), atom(local));
        let one = |list: Vec<Formula>| Formula::And(list).finally().parts().remove(0);
        let other = |list: Vec<Formula>| Formula::Or(list).parts().remove(0);
        let (all, any) = (both(Connective::And), both(Connective::Or));
        let body = || atom(1);
        assert_eq!(one(vec![possible(true, 1), possible(false, 1)]), Formula::possible(all.clone(), body()).finally());
        assert_eq!(
            one(vec![necessary(true, 1), necessary(false, 1)]),
            Formula::necessary(any.clone(), body()).finally()
        );
        assert_eq!(other(vec![possible(true, 1), possible(false, 1)]), Formula::possible(any, body()));
        assert_eq!(other(vec![necessary(true, 1), necessary(false, 1)]), Formula::necessary(all, body()));
        let different = Formula::Or(vec![possible(true, 1), possible(false, 2), necessary(true, 1)]);
        assert_eq!(different.parts(), [different]);
    }
}
