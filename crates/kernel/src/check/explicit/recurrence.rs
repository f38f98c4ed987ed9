//! Subformulas that say what happens again and again: they depend on no beginning of a run.

use super::tableau::Tableau;
use crate::model::Formula;
use crate::model::subformulas::Obligation;
use crate::model::written::Written;

/// If something is true again and again (always, if it is missing), something else is, too (never, if that is missing).
/// Both are about a state and the step from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// The obligation that is the request.
    pub request: Option<Obligation>,
    /// The obligation that is the answer.
    pub answer: Option<Obligation>,
}

impl<'f> Tableau<'f> {
    /// The recurrence that an obligation says, if it is of this kind.
    pub fn recurrence(&self, obligation: Obligation) -> Option<Recurrence> {
        let truth = obligation.truth;
        if let Some((request, answer)) = self.implication(obligation) {
            return Some(Recurrence { request: Some(self.recurring(request)?), answer: Some(self.recurring(answer)?) });
        }
        if self.formula(obligation).always(truth).is_some() {
            return Some(Recurrence { request: None, answer: Some(self.recurring(obligation)?) });
        }
        // It stops to be true, or false.
        self.formula(obligation).sometime(truth)?;
        let stops = Obligation { truth: !truth, ..obligation };
        Some(Recurrence { request: Some(self.recurring(stops)?), answer: None })
    }

    /// Both sides of an implication that has to be true, if it is one.
    fn implication(&self, obligation: Obligation) -> Option<(Obligation, Obligation)> {
        let Written::Implies(left, right) = self.formula(obligation).written() else { return None };
        obligation.truth.then(|| (self.obligation(left, true), self.obligation(right, true)))
    }

    /// The obligation that is met again and again if `G F f` is true, or `F G f` is false.
    fn recurring(&self, obligation: Obligation) -> Option<Obligation> {
        let truth = obligation.truth;
        let recurs = self.formula(obligation).recurring(truth)?;
        is_of_now(recurs).then(|| self.obligation(recurs, truth))
    }

    /// True if an obligation about a state and the step from there is met, given the truth of atoms and labels, and whether
    /// the step is observed, by subformula.
    pub fn is_met(&self, obligation: Obligation, facts: &[bool]) -> bool {
        let mut fact = |part: &Formula| {
            // Whatever comes next.
            Some(if let Formula::Next(body) = part {
                **body == Formula::TRUE
            } else {
                facts[self.number(part) as usize]
            })
        };
        self.formula(obligation).combined(&mut fact) == Some(obligation.truth)
    }

    fn formula(&self, obligation: Obligation) -> &'f Formula {
        self.list[obligation.subformula as usize]
    }
}

/// True if a formula is about a state and the step from there.
fn is_of_now(formula: &Formula) -> bool {
    formula.is_combination_of(&|part| match part {
        Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) | Formula::Branching(_) => true,
        Formula::Next(body) => **body == Formula::TRUE || **body == Formula::FALSE,
        Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Iff(..) | Formula::Until(..) => false,
    })
}
