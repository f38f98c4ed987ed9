//! Invariants in certificates.

use super::legend::legend;
use super::recheck::Refusal;
use super::target::{Conjunct, Target};
use crate::check::certificate::CertifiedPart;
use crate::claim::reduction::{Eventualities, Reduction};
use crate::claim::{Invariant, PartClaim};
use crate::model::Model;
use crate::ts::ranking::Ranking;
use crate::ts::smtlib::read;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::smtlib::write::closed;
use crate::ts::term::{Node, Sort, Term, Terms};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// The largest k that is worth a check: engines stay far below.
const LARGEST_K: usize = 1000;
/// The same for counters.
const MOST_COUNTED: usize = 1000;

/// Why a conjunct holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartDocument {
    formula: String,
    reduction: ReductionDocument,
    #[serde(default, skip_serializing_if = "Eventualities::is_empty")]
    eventualities: Eventualities,
    k: usize,
    /// What the variables mean that are not the model's; for people.
    legend: Map<String, Value>,
    clauses: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReductionDocument {
    Invariance,
    Safety,
    Counting(usize),
    Ranking {
        counted: usize,
        /// Integer terms, the most significant one first.
        components: Vec<String>,
    },
}

impl ReductionDocument {
    fn new(symbols: &Symbols, part: &CertifiedPart) -> ReductionDocument {
        let Ranking { terms, components } = &part.ranking;
        match part.reduction {
            Reduction::Invariance => ReductionDocument::Invariance,
            Reduction::Safety => ReductionDocument::Safety,
            Reduction::Counting(counted) => ReductionDocument::Counting(counted),
            Reduction::Ranking(counted) => ReductionDocument::Ranking {
                counted,
                components: components.iter().map(|&component| closed(terms, symbols, component)).collect(),
            },
        }
    }

    /// What it says but for the components of a ranking, which are given apart.
    fn read(&self) -> (Reduction, &[String]) {
        match self {
            ReductionDocument::Invariance => (Reduction::Invariance, &[]),
            ReductionDocument::Safety => (Reduction::Safety, &[]),
            ReductionDocument::Counting(counted) => (Reduction::Counting(*counted), &[]),
            ReductionDocument::Ranking { counted, components } => (Reduction::Ranking(*counted), components),
        }
    }
}

/// The conjuncts of an invariant, none of which is a conjunction, without those that speak only of receives
/// whose labels the spec does not mention: the model's other specs do, and nothing else reads these variables. With k
/// states in a row, that they differ does.
pub fn conjuncts(target: &Target, invariant: &Invariant) -> Vec<Term> {
    let conjuncts = |&clause: &Term| match invariant.terms.node(clause) {
        Node::And(list) => list.to_vec(),
        _ => vec![clause],
    };
    let all = invariant.clauses.iter().flat_map(conjuncts);
    all.filter(|&clause| invariant.k > 1 || !speaks_of_others(target, &invariant.terms, clause)).collect()
}

fn speaks_of_others(target: &Target, terms: &Terms, clause: Term) -> bool {
    let (mut leaves, mut others) = (0, 0);
    terms.collect_leaves(clause, &mut FxHashSet::default(), &mut |leaf| {
        leaves += 1;
        others += usize::from(target.others.contains(&leaf));
    });
    leaves > 0 && leaves == others
}

impl PartDocument {
    /// Of a conjunct that was proved.
    pub fn new(model: &Model, target: &Target, part: &CertifiedPart) -> PartDocument {
        let invariant = part.proof.invariant();
        let legend = legend(model, target).into_iter().map(|(name, meaning)| (name, meaning.into()));
        let clauses = conjuncts(target, invariant).into_iter();
        let clauses = clauses.map(|clause| closed(&invariant.terms, &target.symbols, clause));
        PartDocument {
            formula: model.show_formula(&part.formula),
            reduction: ReductionDocument::new(&target.symbols, part),
            eventualities: part.eventualities.clone(),
            k: invariant.k,
            legend: legend.collect(),
            clauses: clauses.collect(),
        }
    }

    /// What it claims of a conjunct, whose number is for messages.
    pub fn claim(&self, model: &Model, conjunct: Conjunct, number: usize) -> Result<PartClaim, Refusal> {
        self.claimed(model, conjunct).map_err(|what| Refusal::Unfit(format!("conjunct {number}: {what}")))
    }

    fn claimed(&self, model: &Model, conjunct: Conjunct) -> Result<PartClaim, String> {
        let formula = model.show_formula(&conjunct.formula);
        if self.formula != formula {
            return Err(format!("it is `{formula}`, and the certificate is about `{}`", self.formula));
        }
        if !(1..=LARGEST_K).contains(&self.k) {
            return Err(format!("k is {}, and has to be between 1 and {LARGEST_K}", self.k));
        }
        let eventualities = self.eventualities.clone();
        let (reduction, ranking) = self.reduction(model, &conjunct, &eventualities)?;
        let target = conjunct.target(reduction, &ranking, &eventualities).ok_or("the reduction does not fit")?;
        let terms = target.reached.system.terms();
        let (terms, clauses) = read_terms(terms, &target.symbols, &self.clauses, Sort::Bool, "clause")?;
        let invariant = Invariant { terms, clauses, k: self.k };
        let auxiliaries = target.reached.vocabulary.auxiliaries();
        Ok(PartClaim { reduction, ranking, eventualities, auxiliaries, invariant })
    }

    /// The reduction and its ranking, unless rounds are counted further than anybody counts.
    fn reduction(
        &self,
        model: &Model,
        conjunct: &Conjunct,
        eventualities: &Eventualities,
    ) -> Result<(Reduction, Ranking), String> {
        let (reduction, components) = self.reduction.read();
        if let Reduction::Counting(counted) | Reduction::Ranking(counted) = reduction
            && counted > MOST_COUNTED
        {
            return Err(format!("it counts to {counted}; no more than {MOST_COUNTED} is checked"));
        }
        if components.is_empty() {
            return Ok((reduction, Ranking::default()));
        }
        let system = conjunct.rankable(eventualities);
        let symbols = Symbols::new(model, &system);
        let (terms, components) = read_terms(system.terms(), &symbols, components, Sort::Int, "component")?;
        Ok((reduction, Ranking { terms, components }))
    }
}

/// Terms of a sort over the variables of a system whose arena is given. `what` they are is for messages.
fn read_terms(
    arena: &Terms,
    symbols: &Symbols,
    texts: &[String],
    sort: Sort,
    what: &str,
) -> Result<(Terms, Vec<Term>), String> {
    let mut terms = arena.clone();
    let mut list = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let place = |problem: &dyn fmt::Display| format!("{what} {}: {problem}", index + 1);
        let lookup = &mut |terms: &mut _, name: &str| symbols.lookup(terms, name);
        let term = read::term(&mut terms, text, lookup).map_err(|problem| place(&problem))?;
        if terms.sort(term) != sort {
            let wanted = if sort == Sort::Bool { "it is no formula" } else { "it is no integer" };
            return Err(place(&wanted));
        }
        list.push(term);
    }
    Ok((terms, list))
}
