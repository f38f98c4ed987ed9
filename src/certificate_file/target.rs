//! What was proved of a conjunct: that the bad states of a system cannot be reached.

use crate::check::certificate::Certificate;
use crate::model::{EdgeId, Formula, InstanceId, Model};
use crate::property::ltl::{Ltl, LtlId};
use crate::property::reduction::{Reachability, Reduction, reachability};
use crate::property::{Property, base_system};
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::system::{Origin, System};
use crate::ts::term::{Leaf, VarId};
use rustc_hash::FxHashSet;

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
    /// The variables of receives whose labels only other specs mention.
    pub others: FxHashSet<Leaf>,
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
        let others = others(&reached.system, &model.specs[spec].formula);
        let (ltl, system) = (property.ltl.clone(), system.clone());
        Target { formula: part.formula, ltl, negation: part.negation, system, reached, symbols, others }
    };
    Some(property.parts.into_iter().zip(counted).map(target).collect())
}

fn others(system: &System, formula: &Formula) -> FxHashSet<Leaf> {
    let mut labels = FxHashSet::default();
    collect_labels(formula, &mut labels);
    let is_other = |&id: &VarId| match system.variable(id).origin {
        Origin::Received(instance, edge) => !labels.contains(&(instance, edge)),
        _ => false,
    };
    system.var_ids().filter(is_other).map(Leaf::Var).collect()
}

fn collect_labels(formula: &Formula, labels: &mut FxHashSet<(InstanceId, EdgeId)>) {
    if let Formula::Label(instance, edge) = formula {
        labels.insert((*instance, *edge));
    }
    formula.for_each_child(&mut |child| collect_labels(child, labels));
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
