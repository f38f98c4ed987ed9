//! One part of a spec as a question about reachable states, as the engines that prove it see it.

use crate::model::{Formula, Model, Spec};
use crate::property::reduction::{Measure, Reduction, reachability};
use crate::property::{Property, base_system};
use crate::ts::relations::{Relations, without_dead_events};
use crate::ts::simplify::simplify;

/// Whether bad states of a system can be reached.
///
/// The system is the product of the model's system with the negation of the part, simplified. Its terms
/// are folded with the domains of the variables, which every reachable state respects.
#[derive(Clone, Debug)]
pub struct Question {
    /// The part in terms of the model.
    pub formula: Formula,
    /// The product.
    pub relations: Relations,
    /// What the answer means for the part.
    pub reduction: Reduction,
}

/// The questions for all parts of a spec; where acceptance has to be counted, up to `counted`.
pub fn questions(model: &Model, spec: &Spec, counted: usize) -> Vec<Question> {
    let mut system = base_system(model);
    let property = Property::new(model, &mut system, spec);
    let part = |part: &crate::property::Part| {
        let target = reachability(system.clone(), &property.ltl, part.negation, &Measure::counting(counted));
        let mut system = without_dead_events(simplify(target.system).0);
        let bad = system.fold(target.bad);
        let relations = Relations::new(system, bad);
        Question { formula: part.formula.clone(), relations, reduction: target.reduction }
    };
    property.parts.iter().map(part).collect()
}
