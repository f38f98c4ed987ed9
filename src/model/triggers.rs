//! What has to happen so that a spec says anything.

use super::formula::StateLeaf;
use super::{BinaryOp, Expr, Formula};

impl Formula {
    /// The conditions of what the formula says again and again: `a` of `G (a -> b)`, and `<<O>> true` of
    /// `G [[O]] f`, also below `&`, `X` and other conditions; each once. If one of them is never true
    /// on any run, that part of the formula holds, but vacuously. Not so where the body is `false`: that the
    /// condition is never true is what such a formula says.
    pub fn triggers(&self) -> Vec<Formula> {
        let mut found = Vec::new();
        self.collect_triggers(false, &mut found);
        found
    }

    fn collect_triggers(&self, always: bool, found: &mut Vec<Formula>) {
        let mut add = |trigger: Formula| {
            if always && !found.contains(&trigger) {
                found.push(trigger);
            }
        };
        match self {
            Formula::Implies(_, body) | Formula::Necessary(_, body) if **body == Formula::Atom(Expr::FALSE) => {}
            Formula::Implies(condition, body) => {
                add((**condition).clone());
                body.collect_triggers(always, found);
            }
            Formula::Necessary(observation, body) => {
                add(Formula::Possible(observation.clone(), Box::new(Formula::Atom(Expr::TRUE))));
                body.collect_triggers(always, found);
            }
            Formula::Globally(body) => body.collect_triggers(true, found),
            Formula::Next(body) => body.collect_triggers(always, found),
            Formula::And(list) => list.iter().for_each(|part| part.collect_triggers(always, found)),
            Formula::Atom(expr) => conditions(expr).into_iter().for_each(|expr| add(Formula::Atom(expr.clone()))),
            _ => {}
        }
    }

    /// That the formula is false at all positions.
    pub fn never(self) -> Formula {
        Formula::Globally(Box::new(Formula::Not(Box::new(self))))
    }
}

/// The conditions of a state formula.
fn conditions(expr: &Expr<StateLeaf>) -> Vec<&Expr<StateLeaf>> {
    match expr {
        Expr::Binary(BinaryOp::Implies, _, body) if **body == Expr::FALSE => Vec::new(),
        Expr::Binary(BinaryOp::Implies, condition, body) => {
            [&**condition].into_iter().chain(conditions(body)).collect()
        }
        Expr::Binary(BinaryOp::And, left, right) => conditions(left).into_iter().chain(conditions(right)).collect(),
        _ => Vec::new(),
    }
}
