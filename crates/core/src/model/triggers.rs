//! Triggers: conditions that have to become true so that a spec says anything.

use super::formula::{Connective, StateLeaf};
use super::written::Written;
use super::{BinaryOp, Expr, Formula, Observation, Value};

impl Formula {
    /// The conditions of what the formula says again and again: `a` of `G (a -> b)`, and `<<O>> true` of
    /// `G [[O]] f`, also below `&`, `X` and other conditions; each once. If one of them is never true
    /// on any run, that part of the formula holds, but vacuously. Not so where the body is `false`: that the
    /// condition is never true is what such a formula says.
    ///
    /// Where quantifiers make a condition false by itself, as `i != j` where both are one instance, the author left that
    /// case out on purpose: neither it nor what stands below it counts, unless nothing else is left.
    pub fn triggers(&self) -> Vec<Formula> {
        let mut found = Triggers::default();
        found.collect(self, false);
        if found.open.is_empty() { found.impossible } else { found.open }
    }

    /// True if it is false whatever the run is, as far as its connectives show.
    fn is_false(&self) -> bool {
        match self.written() {
            Written::Atom(expr) => truth(expr) == Some(false),
            Written::Not(inner) => matches!(inner, Formula::Atom(expr) if truth(expr) == Some(true)),
            Written::And(list) => list.into_iter().any(Formula::is_false),
            Written::Or(list) => list.into_iter().all(Formula::is_false),
            Written::Possible(observation, body) => body.is_false() || observation.is_false(),
            Written::Next(body) | Written::Finally(body) | Written::Globally(body) => body.is_false(),
            _ => false,
        }
    }

    /// That the formula is false at all positions.
    pub fn never(self) -> Formula {
        self.not().globally()
    }
}

impl Observation {
    /// True if it observes no step, as far as its connectives show.
    fn is_false(&self) -> bool {
        match self {
            Observation::Const(value) => !value,
            Observation::Data(expr) => truth(expr) == Some(false),
            Observation::Joined(Connective::And, left, right) => left.is_false() || right.is_false(),
            Observation::Joined(Connective::Or, left, right) => left.is_false() && right.is_false(),
            Observation::Role(..)
            | Observation::PointToPoint
            | Observation::Locality(_)
            | Observation::Not(_)
            | Observation::Joined(Connective::Implies | Connective::Iff, ..)
            | Observation::Exists(_)
            | Observation::Forall(_) => false,
        }
    }
}

/// The conditions of a formula, each once.
#[derive(Default)]
struct Triggers {
    /// Those that may come true.
    open: Vec<Formula>,
    /// Those that are false by themselves.
    impossible: Vec<Formula>,
}

impl Triggers {
    fn collect(&mut self, formula: &Formula, always: bool) {
        match formula.written() {
            Written::Implies(_, body) | Written::Necessary(_, body) if *body == Formula::FALSE => {}
            Written::Implies(condition, body) => {
                self.add(condition.clone(), always, |all| all.collect(body, always));
            }
            Written::Necessary(observation, body) => {
                let observed = Formula::possible(observation.clone(), Formula::TRUE);
                self.add(observed, always, |all| all.collect(body, always));
            }
            Written::Globally(body) => self.collect(body, true),
            Written::Next(body) => self.collect(body, always),
            Written::And(list) => list.into_iter().for_each(|part| self.collect(part, always)),
            Written::Atom(expr) => self.collect_from_state(expr, always),
            _ => {}
        }
    }

    fn collect_from_state(&mut self, expr: &Expr<StateLeaf>, always: bool) {
        match expr {
            Expr::Binary(BinaryOp::Implies, _, body) if **body == Expr::FALSE => {}
            Expr::Binary(BinaryOp::Implies, condition, body) => {
                let condition = Formula::Atom((**condition).clone());
                self.add(condition, always, |all| all.collect_from_state(body, always));
            }
            Expr::Binary(BinaryOp::And, left, right) => {
                self.collect_from_state(left, always);
                self.collect_from_state(right, always);
            }
            _ => {}
        }
    }

    /// Adds a condition if it must hold again and again, and, if it may come true, what stands below it.
    fn add(&mut self, trigger: Formula, always: bool, add_below: impl FnOnce(&mut Self)) {
        let is_open = !trigger.is_false();
        let list = if is_open { &mut self.open } else { &mut self.impossible };
        if always && !list.contains(&trigger) {
            list.push(trigger);
        }
        if is_open {
            add_below(self);
        }
    }
}

/// The value of a Boolean expression, if its connectives and constants show it.
fn truth<L>(expr: &Expr<L>) -> Option<bool> {
    match expr {
        Expr::Const(Value::Bool(value)) => Some(*value),
        Expr::Not(inner) => truth(inner).map(|value| !value),
        Expr::Binary(op, left, right) => match (op, truth(left), truth(right)) {
            (BinaryOp::And, Some(false), _) | (BinaryOp::And, _, Some(false)) => Some(false),
            (BinaryOp::Or, Some(true), _) | (BinaryOp::Or, _, Some(true)) => Some(true),
            (BinaryOp::And | BinaryOp::Or, Some(_), value) => value,
            (BinaryOp::Implies, Some(false), _) | (BinaryOp::Implies, _, Some(true)) => Some(true),
            (BinaryOp::Implies, Some(true), value) => value,
            (BinaryOp::Iff, Some(left), Some(right)) => Some(left == right),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::model::of_text::model;

    /// The conditions of the spec of a system of two agents, in words.
    fn triggers(spec: &str) -> Vec<String> {
        let text = "agent A local: x : bool receive-guard: chan = * repeat: snd: {x} *! (false)()[x := false]\n\
            agent B local: y : bool repeat: {y} *? []\n";
        let model = model(&format!("{text}system = A(a, true) || A(b, true) || B(c, true)\nSPEC {spec};"));
        model.specs[0].formula.triggers().iter().map(|trigger| model.show_formula(trigger)).collect()
    }

    #[test]
    fn what_quantifiers_leave_out_is_no_condition() {
        assert_eq!(triggers("forall i : A . forall j : A . G (i != j -> !(i-x & j-x))"), ["true"]);
        assert_eq!(triggers("forall i : A . forall j : A . G ((i != j & i-x) -> !j-x)"), ["true & a-x", "true & b-x"]);
        assert_eq!(triggers("forall i : A . forall j : A . G (i != j -> (i-x -> X !i-x))"), ["true", "a-x", "b-x"]);
        assert_eq!(
            triggers("forall i : A . forall j : A . G ((i != j -> true) & (i != j -> G ((i-x & !j-x) -> F j-x)))"),
            ["true", "a-x & !b-x", "b-x & !a-x"]
        );
        assert_eq!(triggers("forall i : A . forall j : A . G ((i != j & i-snd) -> X j-x)").len(), 2);
    }

    #[test]
    fn where_all_is_left_out_that_is_all_there_is_to_say() {
        assert_eq!(triggers("forall i : B . forall j : B . G (i != j -> !i-y)"), ["false"]);
        assert_eq!(triggers("G (a-x -> false)"), [""; 0]);
    }
}
