//! Invariants in certificates.

use super::legend::legend;
use super::recheck::Refusal;
use super::target::{Target, counted};
use crate::check::certificate::CertifiedPart;
use crate::claim::{Invariant, PartClaim};
use crate::model::Model;
use crate::property::reduction::Reduction;
use crate::ts::smtlib::read;
use crate::ts::smtlib::write::closed;
use crate::ts::term::{Node, Sort, Term, Terms};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The largest k that is worth a check: engines stay far below.
const LARGEST_K: usize = 1000;
/// The same for counters.
const MOST_COUNTED: usize = 1000;

/// Why a conjunct holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartDocument {
    formula: String,
    reduction: ReductionName,
    k: usize,
    /// What the variables mean that are not the model's; for people.
    legend: Map<String, Value>,
    clauses: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReductionName {
    Safety,
    Counting(usize),
}

impl From<Reduction> for ReductionName {
    fn from(reduction: Reduction) -> ReductionName {
        match reduction {
            Reduction::Safety => ReductionName::Safety,
            Reduction::Counting(counted) => ReductionName::Counting(counted),
        }
    }
}

/// The conjuncts of an invariant, none of which is a conjunction, without those that speak only of receives
/// whose labels the spec does not mention: the model's other specs do, and nothing else reads these variables.
pub fn conjuncts(target: &Target, invariant: &Invariant) -> Vec<Term> {
    let conjuncts = |&clause: &Term| match invariant.terms.node(clause) {
        Node::And(list) => list.to_vec(),
        _ => vec![clause],
    };
    let all = invariant.clauses.iter().flat_map(conjuncts);
    all.filter(|&clause| !speaks_of_others(target, &invariant.terms, clause)).collect()
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
        let legend = legend(target).into_iter().map(|(name, meaning)| (name, meaning.into()));
        let clauses = conjuncts(target, invariant).into_iter();
        let clauses = clauses.map(|clause| closed(&invariant.terms, &target.symbols, clause));
        PartDocument {
            formula: model.show_formula(&part.formula),
            reduction: part.reduction.into(),
            k: invariant.k,
            legend: legend.collect(),
            clauses: clauses.collect(),
        }
    }

    /// How far acceptance is counted, unless that is further than anybody counts.
    pub fn counted(&self) -> Result<usize, Refusal> {
        match self.reduction {
            ReductionName::Safety => Ok(0),
            ReductionName::Counting(counted) if counted <= MOST_COUNTED => Ok(counted),
            ReductionName::Counting(counted) => {
                Err(Refusal::Unfit(format!("it counts to {counted}; no more than {MOST_COUNTED} is checked")))
            }
        }
    }

    /// What it claims of a conjunct, whose number is for messages.
    pub fn claim(&self, model: &Model, target: &Target, number: usize) -> Result<PartClaim, Refusal> {
        let unfit = |what: String| Refusal::Unfit(format!("conjunct {number}: {what}"));
        let formula = model.show_formula(&target.formula);
        if self.formula != formula {
            return Err(unfit(format!("it is `{formula}`, and the certificate is about `{}`", self.formula)));
        }
        if self.reduction != target.reached.reduction.into() {
            return Err(unfit("the reduction does not fit".to_owned()));
        }
        if !(1..=LARGEST_K).contains(&self.k) {
            return Err(unfit(format!("k is {}, and has to be between 1 and {LARGEST_K}", self.k)));
        }
        let mut terms = target.reached.system.terms().clone();
        let mut clauses = Vec::new();
        for (index, text) in self.clauses.iter().enumerate() {
            let place = |what: String| unfit(format!("clause {}: {what}", index + 1));
            let lookup = &mut |terms: &mut _, name: &str| target.symbols.lookup(terms, name);
            let clause = read::term(&mut terms, text, lookup).map_err(|problem| place(problem.to_string()))?;
            if terms.sort(clause) != Sort::Bool {
                return Err(place("it is a number".to_owned()));
            }
            clauses.push(clause);
        }
        let invariant = Invariant { terms, clauses, k: self.k };
        Ok(PartClaim { counted: counted(target.reached.reduction), invariant })
    }
}
