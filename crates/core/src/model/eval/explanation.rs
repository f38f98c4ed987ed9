//! The parts of an explanation, and their summary in a few lines.

use crate::model::branching::Branching;
use crate::model::{Formula, Model, Spec};

/// Why a formula is false on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The subformulas that decide, from the whole formula down to atoms.
    pub reasons: Vec<ExplanationStep>,
    /// Which of the formula's conjuncts ([`Formula::conjuncts`]) is false, as an index, and how many there are.
    pub conjunct: (usize, usize),
    /// The place where the run shows it.
    pub place: RunPart,
    /// True if the loop has come round by then.
    pub later_round: bool,
    /// The index of the reason that speaks of that place.
    pub decisive: usize,
    /// The subformulas on the way to the atom that decides, from the whole formula down.
    pub(super) way: Vec<Formula>,
    /// The branching formulas that decide: at which positions of the run, and whether they are true there.
    pub branching: Vec<(usize, Branching, bool)>,
}

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplanationStep {
    /// A position of the run.
    pub position: usize,
    /// True if the loop has come round by then, so that the step before is one of the loop.
    pub later_round: bool,
    /// The formula that is true or false there, as the user writes it.
    pub subformula: String,
    /// Its truth there, and what that means or comes from.
    pub why: String,
}

/// The part of a run that shows that a formula is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPart {
    /// The state at this position.
    State(usize),
    /// The step from this position.
    Step(usize),
    /// All that follows this position: something never happens in what repeats for ever.
    Always(usize),
}

impl RunPart {
    /// The position where it is, or begins.
    pub fn position(self) -> usize {
        match self {
            RunPart::State(position) | RunPart::Step(position) | RunPart::Always(position) => position,
        }
    }
}

impl Explanation {
    /// The reason that speaks of the place where the run shows it.
    pub fn decisive(&self) -> &ExplanationStep {
        &self.reasons[self.decisive]
    }

    /// For a formula that is a conjunct of another one: the same about the other one.
    pub fn of_conjunct(mut self, whole: &Formula, conjunct: usize) -> Explanation {
        let mut way = Vec::new();
        whole.way_to_conjunct(conjunct, &mut way);
        way.append(&mut self.way);
        Explanation { conjunct: (conjunct, whole.conjuncts().len()), way, ..self }
    }

    /// Which conjunct of the spec is false and for which instances, as in [`Model::show_conjunct`].
    pub fn show_part(&self, model: &Model, spec: &Spec) -> Option<String> {
        model.show_part(spec, self.conjunct, &self.way)
    }

    /// The place where the run shows it; `repeats` is the start of the part that repeats for ever, if there is one, and
    /// `steps` is the end.
    pub fn show_place(&self, repeats: Option<usize>, steps: usize) -> String {
        let round = if self.later_round { ", in a later round" } else { "" };
        match (self.place, repeats) {
            (RunPart::State(position), _) => format!("in state {position}{round}"),
            (RunPart::Step(position), _) => format!("in the step from {position} to {}{round}", position + 1),
            (RunPart::Always(from), Some(start)) if start < steps => {
                format!("for ever from {from} on{round}: in the steps from {start} to {steps}, which repeat")
            }
            (RunPart::Always(from), _) => format!("from {from} on{round}"),
        }
    }
}
