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
        Formula::Branching(_) => formula,
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
        let either = Formula::Or(vec![atom(0), label.clone(), Formula::Not(Box::new(atom(1))), atom(2)]);
        let negated = Expr::Not(Box::new(expr(1)));
        let joined = both(BinaryOp::Or, both(BinaryOp::Or, expr(0), negated), expr(2));
        let part = Formula::Or(vec![Formula::Atom(joined), label]);
        assert_eq!(Formula::Finally(Box::new(either)).parts(), [Formula::Finally(Box::new(part))]);
        let implied = Formula::Implies(Box::new(atom(0)), Box::new(Formula::Iff(Box::new(atom(1)), Box::new(atom(2)))));
        let expected = both(BinaryOp::Implies, expr(0), both(BinaryOp::Iff, expr(1), expr(2)));
        assert_eq!(implied.parts(), [Formula::Atom(expected)]);
        // Of different states.
        let later = Formula::Or(vec![atom(0), Formula::Next(Box::new(atom(1)))]);
        assert_eq!(later.parts(), [later]);
    }

    #[test]
    fn observations_of_one_step_are_joined() {
        let seen = |value| Box::new(Observation::Const(value));
        let possible = |value, local| Formula::Possible(seen(value), Box::new(atom(local)));
        let necessary = |value, local| Formula::Necessary(seen(value), Box::new(atom(local)));
        let one = |list: Vec<Formula>| Formula::Finally(Box::new(Formula::And(list))).parts().remove(0);
        let other = |list: Vec<Formula>| Formula::Or(list).parts().remove(0);
        let (all, any) = (Observation::And(seen(true), seen(false)), Observation::Or(seen(true), seen(false)));
        let under = |formula: Formula| Formula::Finally(Box::new(formula));
        let body = || Box::new(atom(1));
        assert_eq!(
            one(vec![possible(true, 1), possible(false, 1)]),
            under(Formula::Possible(all.clone().into(), body()))
        );
        assert_eq!(
            one(vec![necessary(true, 1), necessary(false, 1)]),
            under(Formula::Necessary(any.clone().into(), body()))
        );
        assert_eq!(other(vec![possible(true, 1), possible(false, 1)]), Formula::Possible(any.into(), body()));
        assert_eq!(other(vec![necessary(true, 1), necessary(false, 1)]), Formula::Necessary(all.into(), body()));
        let different = Formula::Or(vec![possible(true, 1), possible(false, 2), necessary(true, 1)]);
        assert_eq!(different.parts(), [different]);
    }
}
