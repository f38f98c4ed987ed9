//! Invariants in certificates.

use super::legend::legend;
use super::recheck::CertificateError;
use crate::check::certificate::CertifiedPart;
use crate::claim::{Invariant, PartClaim};
use crate::model::{Formula, Model};
use crate::product::target::{Reduction, Target, rankable};
use crate::ts::ranking::Ranking;
use crate::ts::smtlib::read;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::smtlib::write::closed;
use crate::ts::system::System;
use crate::ts::term::{Sort, Term, Terms};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The largest k that is worth a check: engines stay far below.
const LARGEST_K: usize = 1000;
/// The same for counters.
const LARGEST_COUNT: usize = 1000;

/// Why a conjunct holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartDocument {
    formula: String,
    reduction: ReductionDocument,
    k: usize,
    /// The meaning of the variables that are not the model's; for people.
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
    fn new(part: &CertifiedPart) -> ReductionDocument {
        let Ranking { terms, components } = &part.ranking;
        let symbols = &part.symbols;
        match part.target.reduction {
            Reduction::Invariance => ReductionDocument::Invariance,
            Reduction::Safety => ReductionDocument::Safety,
            Reduction::Counting(counted) => ReductionDocument::Counting(counted),
            Reduction::Ranking(counted) => ReductionDocument::Ranking {
                counted,
                components: components.iter().map(|&component| closed(terms, symbols, component)).collect(),
            },
        }
    }

    /// The reduction, and the components of its ranking.
    fn read(&self) -> (Reduction, &[String]) {
        match self {
            ReductionDocument::Invariance => (Reduction::Invariance, &[]),
            ReductionDocument::Safety => (Reduction::Safety, &[]),
            ReductionDocument::Counting(counted) => (Reduction::Counting(*counted), &[]),
            ReductionDocument::Ranking { counted, components } => (Reduction::Ranking(*counted), components),
        }
    }
}

impl PartDocument {
    /// Of a conjunct that was proved.
    pub fn new(model: &Model, part: &CertifiedPart) -> PartDocument {
        let (target, invariant) = (&part.target, part.proof.invariant());
        let legend = legend(model, part).into_iter().map(|(name, meaning)| (name, meaning.into()));
        let clauses = invariant.clauses.iter().map(|&clause| closed(&invariant.terms, &part.symbols, clause));
        PartDocument {
            formula: model.show_formula(&target.formula),
            reduction: ReductionDocument::new(part),
            k: invariant.k,
            legend: legend.collect(),
            clauses: clauses.collect(),
        }
    }

    /// The claim about a conjunct, whose number is for messages.
    pub fn claim(
        &self,
        model: &Model,
        system: &System,
        conjunct: &Formula,
        number: usize,
    ) -> Result<PartClaim, CertificateError> {
        let claimed = self.claimed(model, system, conjunct);
        claimed.map_err(|what| CertificateError::Unfit(format!("conjunct {number}: {what}")))
    }

    fn claimed(&self, model: &Model, system: &System, conjunct: &Formula) -> Result<PartClaim, String> {
        let formula = model.show_formula(conjunct);
        if self.formula != formula {
            return Err(format!("it is `{formula}`, and the certificate is about `{}`", self.formula));
        }
        if !(1..=LARGEST_K).contains(&self.k) {
            return Err(format!("k is {}, and has to be between 1 and {LARGEST_K}", self.k));
        }
        let (reduction, ranking) = self.reduction(model, system, conjunct)?;
        let target = Target::new(model, system.clone(), conjunct, reduction, &ranking);
        let system = target.ok_or("the reduction does not fit")?.system;
        let symbols = Symbols::new(model, &system);
        let (terms, clauses) = read_terms(system.terms(), &symbols, &self.clauses, Sort::Bool, "clause")?;
        let invariant = Invariant { terms, clauses, k: self.k };
        Ok(PartClaim { reduction, ranking, invariant })
    }

    /// The reduction and its ranking; an error if rounds are counted beyond [`LARGEST_COUNT`].
    fn reduction(&self, model: &Model, system: &System, conjunct: &Formula) -> Result<(Reduction, Ranking), String> {
        let (reduction, components) = self.reduction.read();
        if let Reduction::Counting(counted) | Reduction::Ranking(counted) = reduction
            && counted > LARGEST_COUNT
        {
            return Err(format!("it counts to {counted}; no more than {LARGEST_COUNT} is checked"));
        }
        if components.is_empty() {
            return Ok((reduction, Ranking::default()));
        }
        let system = rankable(model, system.clone(), conjunct).system;
        let symbols = Symbols::new(model, &system);
        let (terms, components) = read_terms(system.terms(), &symbols, components, Sort::Int, "component")?;
        Ok((reduction, Ranking { terms, components }))
    }
}

/// Terms of a sort over the variables of a system whose arena is given. `what` they are is for messages.
pub(super) fn read_terms(
    arena: &Terms,
    symbols: &Symbols,
    texts: &[String],
    sort: Sort,
    what: &str,
) -> Result<(Terms, Vec<Term>), String> {
    let mut terms = arena.clone();
    let mut list = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let term = read_term(&mut terms, symbols, text, &[sort]);
        list.push(term.map_err(|problem| format!("{what} {}: {problem}", index + 1))?);
    }
    Ok((terms, list))
}

/// A term of one of these sorts: the first one is what is expected.
pub(super) fn read_term(terms: &mut Terms, symbols: &Symbols, text: &str, sorts: &[Sort]) -> Result<Term, String> {
    let lookup = &mut |terms: &mut _, name: &str| symbols.lookup(terms, name);
    let term = read::term(terms, text, lookup).map_err(|problem| problem.to_string())?;
    match sorts.contains(&terms.sort(term)) {
        true => Ok(term),
        false if sorts[0] == Sort::Bool => Err("it is no formula".to_owned()),
        false => Err("it is no integer".to_owned()),
    }
}
