//! Invariants for all sizes in certificates.

use super::part::read_terms;
use super::progress::{ProgressDocument, WitnessDocument, Written};
use super::recheck::CertificateError;
use crate::check::sizes::{Plan, Uniform};
use crate::claim::sizes::UniformClaim;
use crate::model::formula::StateLeaf;
use crate::model::scheme::Ghost;
use crate::model::{Model, Sizes};
use crate::ts::history::base_system;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::smtlib::write::closed;
use crate::ts::system::{Origin, Variable};
use crate::ts::term::Sort;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a spec holds for all sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UniformDocument {
    /// Sums over all agents of a type that clauses speak of, beside those of the spec.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ghosts: Vec<Ghost>,
    /// The meaning of the variables of sums; for people.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    totals: BTreeMap<String, String>,
    /// The sizes of the open instance whose members stand for variables.
    members: BTreeMap<String, u32>,
    /// Each is about all lists of different members.
    clauses: Vec<String>,
    /// Members that exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    witnesses: Vec<WitnessDocument>,
    /// Why the responses come that the spec calls for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    progress: Vec<ProgressDocument>,
    /// The sizes of the instances in which they were checked; for people.
    checked: Vec<Sizes>,
}

impl UniformDocument {
    /// Of a proof.
    pub fn new(uniform: &Uniform) -> UniformDocument {
        let (reference, claim) = (uniform.reference(), uniform.claim());
        let system = base_system(reference);
        let symbols = Symbols::new(reference, &system);
        let total = |variable: &Variable| match variable.origin {
            Origin::Total(id) => Some((variable.name.clone(), reference.state_leaf(StateLeaf::Total(id)).0)),
            _ => None,
        };
        let written = Written { model: reference, symbols: &symbols };
        let terms = &claim.terms;
        let witness = |claimed| WitnessDocument::new(written, terms, claimed);
        let progress = |claimed| ProgressDocument::new(written, terms, claimed);
        let families = reference.families().iter().map(|family| family.name.clone());
        UniformDocument {
            ghosts: claim.ghosts.clone(),
            totals: system.variables().iter().filter_map(total).collect(),
            members: families.zip(claim.sizes.iter().copied()).collect(),
            clauses: claim.clauses.iter().map(|&clause| closed(terms, &symbols, clause)).collect(),
            witnesses: claim.witnesses.iter().map(witness).collect(),
            progress: claim.progress.iter().map(progress).collect(),
            checked: uniform.sizes().cloned().collect(),
        }
    }

    /// The claim that it makes about a spec of a model.
    pub fn claim(&self, model: &Model, spec: usize) -> Result<UniformClaim, CertificateError> {
        let unfit = |what: &str| CertificateError::Unfit(what.to_owned());
        let sizes = model.families().iter().map(|family| self.members.get(&family.name).copied());
        let sizes: Sizes = sizes.collect::<Option<_>>().ok_or_else(|| unfit("it is about other families"))?;
        if sizes.iter().any(|size| *size > LARGEST) {
            return Err(CertificateError::Unfit(format!("its clauses are written over more than {LARGEST} members")));
        }
        let scheme = model.scheme().ok_or_else(|| unfit("it is about all sizes, and the model has one"))?;
        Plan::new(model, spec).map_err(|why| CertificateError::Unfit(why.to_string()))?;
        let ghosts = self.ghosts.clone();
        if ghosts.iter().any(|ghost| scheme.sums_of_ghost(ghost).is_none()) {
            return Err(unfit("it adds up what the model does not have"));
        }
        let reference = scheme
            .open_instance(&sizes, spec, &ghosts)
            .ok_or_else(|| unfit("there is no instance with its members"))?;
        let system = base_system(&reference);
        let symbols = Symbols::new(&reference, &system);
        let read = read_terms(system.terms(), &symbols, &self.clauses, Sort::Bool, "clause");
        let (mut terms, clauses) = read.map_err(CertificateError::Unfit)?;
        let written = Written { model: &reference, symbols: &symbols };
        let witnesses = self.witnesses.iter().map(|witness| witness.claim(written, &mut terms));
        let witnesses = witnesses.collect::<Result<_, _>>().map_err(CertificateError::Unfit)?;
        let progress = self.progress.iter().map(|progress| progress.claim(written, &mut terms));
        let progress = progress.collect::<Result<_, _>>().map_err(CertificateError::Unfit)?;
        Ok(UniformClaim { ghosts, sizes, terms, clauses, witnesses, progress })
    }
}

/// A larger instance is not needed to write clauses that a reader can check, but for specs that name as many members.
const LARGEST: u32 = 100;
