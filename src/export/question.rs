//! One part of a spec as a question about reachable states.

use super::relations::{Relations, without_dead_events};
use crate::model::{Formula, Model, Spec};
use crate::product::target::{Reduction, Target};
use crate::simplify::simplify;
use crate::ts::history::base_system;
use crate::ts::ranking::Ranking;

/// The question if bad states of a system can be reached.
///
/// The system is that of the model with the obligations of the part's negation, as proofs are checked on it
/// ([`crate::product::target`]), simplified. Its terms are folded with the domains of the variables, which every
/// reachable state respects.
#[derive(Clone, Debug)]
pub struct PartQuestion {
    /// The part in terms of the model.
    pub formula: Formula,
    /// The system.
    pub relations: Relations,
    /// The meaning of the answer for the part.
    pub reduction: Reduction,
}

/// The questions for all parts of a spec; where rounds have to be counted, up to `counted`.
pub fn questions(model: &Model, spec: &Spec, counted: usize) -> Vec<PartQuestion> {
    let system = base_system(model);
    let part = |formula: Formula| {
        let Target { system, bad, reduction, .. } =
            Target::simplest(model, &system, &formula, counted, &Ranking::default());
        let mut system = without_dead_events(simplify(system).0);
        let bad = system.fold(bad);
        PartQuestion { formula, relations: Relations::new(system, bad), reduction }
    };
    spec.formula.conjuncts().into_iter().map(part).collect()
}
