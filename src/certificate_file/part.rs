//! Invariants in certificates.

use super::legend::legend;
use super::recheck::Refusal;
use super::target::{Conjunct, Target};
use crate::check::certificate::CertifiedPart;
use crate::claim::{Invariant, PartClaim};
use crate::model::Model;
use crate::property::reduction::{Accepting, Measure, Reduction};
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
    k: usize,
    /// What the variables mean that are not the model's; for people.
    legend: Map<String, Value>,
    clauses: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReductionDocument {
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
        let Ranking { terms, components } = &part.measure.ranking;
        match part.reduction {
            Reduction::Safety => ReductionDocument::Safety,
            Reduction::Counting(counted) => ReductionDocument::Counting(counted),
            Reduction::Ranking(counted) => ReductionDocument::Ranking {
                counted,
                components: components.iter().map(|&component| closed(terms, symbols, component)).collect(),
            },
        }
    }

    /// Whether it is this reduction; what is measured apart.
    fn is(&self, reduction: Reduction) -> bool {
        match reduction {
            Reduction::Safety => matches!(self, ReductionDocument::Safety),
            Reduction::Counting(_) => matches!(self, ReductionDocument::Counting(_)),
            Reduction::Ranking(_) => matches!(self, ReductionDocument::Ranking { .. }),
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
            reduction: ReductionDocument::new(&target.symbols, part),
            k: invariant.k,
            legend: legend.collect(),
            clauses: clauses.collect(),
        }
    }

    /// How acceptance is measured, unless it is counted further than anybody counts. The number is for messages.
    pub fn measure(&self, model: &Model, conjunct: &Conjunct, number: usize) -> Result<Measure, Refusal> {
        let unfit = |what: String| Refusal::Unfit(format!("conjunct {number}: {what}"));
        let (counted, components) = match &self.reduction {
            ReductionDocument::Safety => (0, &[][..]),
            ReductionDocument::Counting(counted) => (*counted, &[][..]),
            ReductionDocument::Ranking { counted, components } => (*counted, &components[..]),
        };
        if counted > MOST_COUNTED {
            return Err(unfit(format!("it counts to {counted}; no more than {MOST_COUNTED} is checked")));
        }
        let ranking = match conjunct.accepting() {
            Some(Accepting { system, .. }) => {
                let symbols = Symbols::new(model, &system);
                read_terms(system.terms(), &symbols, components, Sort::Int, "component").map_err(unfit)?
            }
            None => (Terms::new(), Vec::new()),
        };
        Ok(Measure { counted, ranking: Ranking { terms: ranking.0, components: ranking.1 } })
    }

    /// What it claims of a conjunct.
    pub fn claim(&self, model: &Model, target: &Target, measure: Measure, number: usize) -> Result<PartClaim, Refusal> {
        let unfit = |what: String| Refusal::Unfit(format!("conjunct {number}: {what}"));
        let formula = model.show_formula(&target.formula);
        if self.formula != formula {
            return Err(unfit(format!("it is `{formula}`, and the certificate is about `{}`", self.formula)));
        }
        if !self.reduction.is(target.reached.reduction) {
            return Err(unfit("the reduction does not fit".to_owned()));
        }
        if !(1..=LARGEST_K).contains(&self.k) {
            return Err(unfit(format!("k is {}, and has to be between 1 and {LARGEST_K}", self.k)));
        }
        let terms = target.reached.system.terms();
        let (terms, clauses) =
            read_terms(terms, &target.symbols, &self.clauses, Sort::Bool, "clause").map_err(unfit)?;
        Ok(PartClaim { measure, invariant: Invariant { terms, clauses, k: self.k } })
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
