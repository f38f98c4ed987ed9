//! Subformulas that say what happens again and again: they depend on no beginning of a run.

use super::tableau::Tableau;
use crate::model::subformulas::Obligation;
use crate::model::{Expr, Formula};

/// If something is true again and again (always, if it is missing), something else is, too (never, if that is missing).
/// Both are about a state and the step from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// The obligation that is the request.
    pub request: Option<Obligation>,
    /// The obligation that is the answer.
    pub answer: Option<Obligation>,
}

impl Tableau<'_> {
    /// The recurrence that an obligation says, if it is of this kind.
    pub fn recurrence(&self, obligation: Obligation) -> Option<Recurrence> {
        let operand = |index| self.operand(obligation, index, true);
        let (request, answer) = match (self.formula(obligation), obligation.truth) {
            (Formula::Implies(..), true) => (Some(self.recurring(operand(0))?), Some(self.recurring(operand(1))?)),
            (Formula::Globally(_), true) => (None, Some(self.recurring(obligation)?)),
            // It is true finitely often.
            (Formula::Globally(_), false) => (Some(self.recurring(Obligation { truth: true, ..obligation })?), None),
            (Formula::Finally(_), false) => (None, Some(self.recurring(obligation)?)),
            (Formula::Finally(_), true) => (Some(self.recurring(Obligation { truth: false, ..obligation })?), None),
            _ => return None,
        };
        Some(Recurrence { request, answer })
    }

    /// The obligation that is met again and again if `G F f` is true, or `F G f` is false.
    fn recurring(&self, obligation: Obligation) -> Option<Obligation> {
        let truth = obligation.truth;
        let inner = match (self.formula(obligation), truth) {
            (Formula::Globally(_), true) | (Formula::Finally(_), false) => self.operand(obligation, 0, truth),
            _ => return None,
        };
        let recurs = match (self.formula(inner), truth) {
            (Formula::Finally(_), true) | (Formula::Globally(_), false) => self.operand(inner, 0, truth),
            _ => return None,
        };
        is_of_now(self.formula(recurs)).then_some(recurs)
    }

    /// True if an obligation about a state and the step from there is met, given the truth of atoms and labels, and whether
    /// the step is observed, by subformula.
    pub fn is_met(&self, obligation: Obligation, facts: &[bool]) -> bool {
        let holds = |index| self.is_met(self.operand(obligation, index, true), facts);
        let fact = facts[obligation.subformula as usize];
        let truth = match self.formula(obligation) {
            Formula::Atom(_) | Formula::Label(..) | Formula::Branching(_) | Formula::Possible(..) => fact,
            Formula::Necessary(..) => !fact,
            Formula::Not(_) => !holds(0),
            Formula::And(list) => (0..list.len()).all(holds),
            Formula::Or(list) => (0..list.len()).any(holds),
            Formula::Implies(..) => !holds(0) || holds(1),
            Formula::Iff(..) => holds(0) == holds(1),
            other => unreachable!("{other:?} is about more than one step"),
        };
        truth == obligation.truth
    }

    fn formula(&self, obligation: Obligation) -> &Formula {
        self.list[obligation.subformula as usize]
    }
}

/// True if a formula is about a state and the step from there.
fn is_of_now(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(_) | Formula::Label(..) | Formula::Branching(_) => true,
        Formula::Possible(_, body) => **body == Formula::Atom(Expr::TRUE),
        Formula::Necessary(_, body) => **body == Formula::Atom(Expr::FALSE),
        Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Implies(..) | Formula::Iff(..) => {
            let mut all = true;
            formula.for_each_child(&mut |part| all &= is_of_now(part));
            all
        }
        _ => false,
    }
}
