//! What was proved of a conjunct: that the bad states of a system cannot be reached; with names for all of it.

use crate::check::certificate::{Certificate, CertifiedPart};
use crate::check::target::{self, rankable};
use crate::claim::reduction::{Eventualities, Reduction};
use crate::model::{EdgeId, Formula, InstanceId, Model};
use crate::ts::history::base_system;
use crate::ts::ranking::Ranking;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::system::{Origin, System};
use crate::ts::term::{Leaf, VarId};
use rustc_hash::FxHashSet;

/// A conjunct of a spec with the system that was made for it, before any simplification.
pub struct Target {
    /// The system, and its bad states.
    pub reached: target::Target,
    /// The names of that.
    pub symbols: Symbols,
    /// The variables of receives whose labels only other specs mention.
    pub others: FxHashSet<Leaf>,
}

/// A conjunct of a spec before a reduction is chosen.
pub struct Conjunct<'m> {
    model: &'m Model,
    /// What it says.
    pub formula: Formula,
    system: System,
    others: FxHashSet<Leaf>,
}

/// The conjuncts of a spec.
pub fn conjuncts(model: &Model, spec: usize) -> Vec<Conjunct<'_>> {
    let (system, formula) = (base_system(model), &model.specs[spec].formula);
    let others = others(&system, formula);
    let conjunct = |formula| Conjunct { model, formula, system: system.clone(), others: others.clone() };
    formula.conjuncts().into_iter().map(conjunct).collect()
}

impl Conjunct<'_> {
    /// What rankings of the conjunct speak about.
    pub fn rankable(&self, eventualities: &Eventualities) -> System {
        rankable(self.model, self.system.clone(), &self.formula, eventualities).0
    }

    /// What has to be proved; nothing if the reduction does not fit.
    pub fn target(self, reduction: Reduction, ranking: &Ranking, eventualities: &Eventualities) -> Option<Target> {
        let Conjunct { model, formula, system, others } = self;
        let reached = target::Target::new(model, system, &formula, reduction, ranking, eventualities)?;
        let symbols = Symbols::new(model, &reached.system);
        Some(Target { reached, symbols, others })
    }

    fn proved(self, part: &CertifiedPart) -> Target {
        let target = self.target(part.reduction, &part.ranking, &part.eventualities);
        target.expect("the reduction fits: the conjunct was proved with it")
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
    conjuncts.map(|(conjunct, part)| conjunct.proved(part)).collect()
}
