//! What was proved of a conjunct: that the bad states of a system cannot be reached.

use crate::check::certificate::Certificate;
use crate::model::{EdgeId, Formula, InstanceId, Model};
use crate::property::ltl::{Ltl, LtlId};
use crate::property::reduction::{Accepting, Measure, Reachability, accepting, reachability};
use crate::property::{self, Property, base_system};
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::system::{Origin, System};
use crate::ts::term::{Leaf, VarId};
use rustc_hash::FxHashSet;

/// A conjunct of a spec with the system that was made for it, before any simplification.
pub struct Target {
    /// The conjunct.
    pub formula: Formula,
    /// The formulas of all conjuncts.
    pub ltl: Ltl,
    /// Its negation.
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

/// A conjunct of a spec with what is known before a reduction is chosen.
pub struct Conjunct {
    formula: Formula,
    ltl: Ltl,
    negation: LtlId,
    system: System,
    others: FxHashSet<Leaf>,
}

/// The conjuncts of a spec.
pub fn conjuncts(model: &Model, spec: usize) -> Vec<Conjunct> {
    let mut system = base_system(model);
    let property = Property::new(model, &mut system, &model.specs[spec]);
    let others = others(&system, &model.specs[spec].formula);
    let conjunct = |part: property::Part| Conjunct {
        formula: part.formula,
        ltl: property.ltl.clone(),
        negation: part.negation,
        system: system.clone(),
        others: others.clone(),
    };
    property.parts.into_iter().map(conjunct).collect()
}

impl Conjunct {
    /// What rankings of the conjunct speak about; nothing for safety.
    pub fn accepting(&self) -> Option<Accepting> {
        accepting(self.system.clone(), &self.ltl, self.negation)
    }

    /// What has to be proved.
    pub fn target(self, model: &Model, measure: &Measure) -> Target {
        let reached = reachability(self.system.clone(), &self.ltl, self.negation, measure);
        let symbols = Symbols::new(model, &reached.system);
        let Conjunct { formula, ltl, negation, system, others } = self;
        Target { formula, ltl, negation, system, reached, symbols, others }
    }
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
    let conjuncts = conjuncts(model, spec).into_iter().zip(certificate.parts());
    conjuncts.map(|(conjunct, part)| conjunct.target(model, &part.measure)).collect()
}
