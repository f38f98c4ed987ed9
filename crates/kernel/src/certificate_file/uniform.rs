//! Invariants for all sizes in certificates.

use super::part::read_terms;
use super::progress::{ProgressDocument, WitnessDocument, Written};
use super::recheck::CertificateError;
use super::recurrent::{read_condition, written_condition};
use crate::check::sizes::{Plan, Uniform};
use crate::claim::sizes::UniformClaim;
use crate::model::formula::StateLeaf;
use crate::model::scheme::{Ghost, TypeRefusal};
use crate::model::{EdgeId, Model, Sizes};
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
    /// If the spec says what a group can do: what agents do not offer. All else is about the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strategy: Option<Vec<TypeRefusalDocument>>,
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

/// A command that agents of a type do not offer, under a condition: an SMT-LIB term over the locals of the first of them, in the instance
/// with the least sizes, but one member at least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TypeRefusalDocument {
    #[serde(rename = "type")]
    agent: String,
    /// Its number among the commands of the type, from 0.
    command: u32,
    when: String,
}

impl TypeRefusalDocument {
    fn new(model: &Model, refusal: &TypeRefusal) -> Option<TypeRefusalDocument> {
        let first = model.instance_ids().find(|id| model.instances[id.index()].agent == refusal.agent)?;
        let when = written_condition(model, &refusal.when_of(first)?);
        let agent = model.agents[refusal.agent.index()].name.clone();
        Some(TypeRefusalDocument { agent, command: refusal.edge.0, when })
    }

    fn claim(&self, model: &Model) -> Result<TypeRefusal, CertificateError> {
        let unfit = || CertificateError::Unfit(format!("there is no agent of type `{}`", self.agent));
        let first = model.instance_ids().find(|id| model.agent_of(*id).name == self.agent).ok_or_else(unfit)?;
        let when = read_condition(model, &self.when).map_err(CertificateError::Unfit)?;
        let refusal = TypeRefusal::of_member(model, first, EdgeId(self.command), &when);
        refusal.ok_or_else(|| CertificateError::Unfit("an agent decides by what it does not see".to_owned()))
    }
}

/// The instance that tables are written over.
fn with_members(model: &Model) -> Option<&Model> {
    let sizes = model.families().iter().map(|family| if family.is_given { family.size } else { family.least.max(1) });
    model.scheme()?.instance(&sizes.collect::<Sizes>())
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
        let table = with_members(uniform.model())
            .into_iter()
            .flat_map(|model| claim.table.iter().filter_map(move |refusal| TypeRefusalDocument::new(model, refusal)));
        UniformDocument {
            strategy: uniform.is_strategic().then(|| table.collect()),
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
        let asked = model.scheme().ok_or_else(|| unfit("it is about all sizes, and the model has one"))?;
        let mut table = Vec::new();
        let outcome = if asked.asks_for_strategy(spec) {
            let documents = self.strategy.as_ref().ok_or_else(|| unfit("it has no strategy"))?;
            let instance = with_members(model).ok_or_else(|| unfit("there is no instance with members"))?;
            table = documents.iter().map(|document| document.claim(instance)).collect::<Result<_, _>>()?;
            let outcome = model.outcome_of_table(spec, &table);
            Some(outcome.ok_or_else(|| unfit("the strategy is none of the group"))?)
        } else {
            None
        };
        let model = outcome.as_ref().unwrap_or(model);
        let scheme = model.scheme().expect("it is an instance of one");
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
        Ok(UniformClaim { table, ghosts, sizes, terms, clauses, witnesses, progress })
    }
}

/// A larger instance is not needed to write clauses that a reader can check, but for specs that name as many members.
const LARGEST: u32 = 100;
