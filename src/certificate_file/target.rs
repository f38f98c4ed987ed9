//! What was proved of a conjunct: that the bad states of a system cannot be reached.

use crate::check::certificate::Certificate;
use crate::model::{Formula, Model};
use crate::property::ltl::{Ltl, LtlId};
use crate::property::reduction::{Reachability, Reduction, reachability};
use crate::property::{Property, base_system};
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::system::System;

/// A conjunct of a spec with the system that was made for it, before any simplification.
pub struct Target {
    /// The conjunct.
    pub formula: Formula,
    /// Its negation.
    pub ltl: Ltl,
    pub negation: LtlId,
    /// The system without the negation.
    pub system: System,
    /// The system with it, and its bad states.
    pub reached: Reachability,
    /// The names of that.
    pub symbols: Symbols,
}

/// The targets of a spec, given for each conjunct how far acceptance is counted; nothing if that are not
/// as many as there are conjuncts.
pub fn targets(model: &Model, spec: usize, counted: &[usize]) -> Option<Vec<Target>> {
    let mut system = base_system(model);
    let property = Property::new(model, &mut system, &model.specs[spec]);
    if property.parts.len() != counted.len() {
        return None;
    }
    let target = |(part, &counted): (crate::property::Part, &usize)| {
        let reached = reachability(system.clone(), &property.ltl, part.negation, counted);
        let symbols = Symbols::new(model, &reached.system);
        let (ltl, system) = (property.ltl.clone(), system.clone());
        Target { formula: part.formula, ltl, negation: part.negation, system, reached, symbols }
    };
    Some(property.parts.into_iter().zip(counted).map(target).collect())
}

/// The targets of what was proved.
pub fn targets_of(model: &Model, spec: usize, certificate: &Certificate) -> Vec<Target> {
    let counted: Vec<usize> = certificate.parts().iter().map(|part| counted(part.reduction)).collect();
    targets(model, spec, &counted).expect("a certificate has all conjuncts")
}

/// How far a reduction counts.
pub fn counted(reduction: Reduction) -> usize {
    match reduction {
        Reduction::Safety => 0,
        Reduction::Counting(counted) => counted,
    }
}
