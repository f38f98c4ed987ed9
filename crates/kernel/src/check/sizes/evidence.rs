//! The evidence of a claim beside its clauses: which members exist, and why responses come.

use super::progress::{Premise, Progress};
use super::response::{Response, Said};
use super::rule;
use super::witness::Witness;
use super::{NO_CLAUSE, OpenInstance};
use crate::check::Refused;
use crate::claim::sizes::UniformClaim;
use crate::model::scheme::Obstacle;
use crate::model::{Model, Sizes};
use crate::ts::system::System;
use crate::ts::term::Term;
use std::collections::BTreeSet;

/// It, over the reference instance.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Members that exist.
    pub witnesses: Vec<Witness>,
    /// For each response of the spec, up to the names of members.
    pub progress: Vec<Progress>,
}

/// That a step takes the last witness away.
const WITNESSED: (&str, &str) = ("witnessed", "after a step, no agent is the witness");

/// The responses that a spec of an open instance calls for, one of those that differ in members only.
pub fn responses(model: &Model, spec: usize) -> Result<Vec<Response>, Obstacle> {
    let mut different: Vec<Response> = Vec::new();
    for response in Said::by(model.specs[spec].claimed())?.responses {
        let known = different.iter().any(|known| {
            let members = known.members(model).unwrap_or_default();
            let as_claim = Progress {
                response: known.clone(),
                members,
                pending: Vec::new(),
                ranks: Vec::new(),
                cases: Vec::new(),
            };
            as_claim.responses(model, model).contains(&response)
        });
        if !known {
            different.push(response);
        }
    }
    Ok(different)
}

impl Evidence {
    /// The evidence of a claim, over the system of the reference instance.
    pub fn new(reference: &Model, system: &System, spec: usize, claim: &UniformClaim) -> Result<Evidence, Refused> {
        let responses = responses(reference, spec)?;
        if responses.len() != claim.progress.len() {
            return Err(Refused::unfit("it is not about the responses that the spec calls for"));
        }
        let witness = |claimed| Witness::new(reference, system, &claim.terms, claimed);
        let witnesses = claim.witnesses.iter().map(witness).collect::<Option<_>>();
        let progress = responses.into_iter().zip(&claim.progress);
        let progress =
            progress.map(|(response, claimed)| Progress::new(reference, system, &claim.terms, response, claimed));
        match (witnesses, progress.collect()) {
            (Some(witnesses), Some(progress)) => Ok(Evidence { witnesses, progress }),
            _ => Err(Refused::unfit(NO_CLAUSE)),
        }
    }

    /// True if there is none, as the spec calls for no response.
    pub fn is_empty(&self) -> bool {
        self.witnesses.is_empty() && self.progress.is_empty()
    }

    /// The numbers of members that, where conjuncts of the spec are about some, have to be looked at for its sake.
    pub fn sizes(&self, model: &Model, concerned: &BTreeSet<Sizes>) -> BTreeSet<Sizes> {
        let no_members = vec![0; model.families().len()];
        let one_more: BTreeSet<Sizes> = (0..no_members.len())
            .map(|family| no_members.iter().enumerate().map(|(other, _)| u32::from(family == other)).collect())
            .chain([no_members.clone()])
            .collect();
        let participants = rule::participants(model);
        let mut sizes = BTreeSet::new();
        for progress in &self.progress {
            // A helper, and who takes part in a step.
            let with_helper = rule::with_participants(concerned, &progress.helpers(model));
            sizes.extend(rule::with_participants(&with_helper, &participants));
            // Witnesses, and who keeps the helper from sending.
            let mut with_witnesses = with_helper;
            for witness in &self.witnesses {
                with_witnesses.extend(rule::beside(&with_witnesses, &witness.sizes(model)));
            }
            sizes.extend(rule::with_participants(&with_witnesses, &one_more));
        }
        for witness in &self.witnesses {
            let with_witness = BTreeSet::from([no_members.clone(), witness.sizes(model)]);
            sizes.extend(rule::with_participants(&with_witness, &participants));
        }
        sizes
    }

    /// The conditions that have to be false of the states and the steps of an open instance.
    pub fn premises(&self, reference: &Model, open: &mut OpenInstance) -> Result<Vec<Premise>, Refused> {
        self.has_all_responses(reference, open)?;
        let mut all: Vec<Premise> = Vec::new();
        for progress in &self.progress {
            let mut premises = Vec::new();
            for chosen in progress.lists(reference, &open.model) {
                premises.extend(progress.premises(reference, open, &chosen, &self.witnesses)?);
            }
            for premise in premises {
                match all.iter_mut().find(|known| known.name == premise.name) {
                    Some(known) => known.bad = open.system.terms_mut().or([known.bad, premise.bad]),
                    None => all.push(premise),
                }
            }
        }
        let mut lost = Vec::new();
        for term in self.exist(reference, open) {
            let after = open.system.after(term);
            let terms = open.system.terms_mut();
            let gone = terms.not(after);
            lost.push(terms.and([term, gone]));
        }
        if !lost.is_empty() {
            let bad = open.system.terms_mut().or(lost);
            all.push(Premise { name: WITNESSED.0, meaning: WITNESSED.1, bad });
        }
        Ok(all)
    }

    /// That witnesses exist, for any number, in an open instance.
    pub fn exist(&self, reference: &Model, open: &mut OpenInstance) -> Vec<Term> {
        self.witnesses.iter().map(|witness| witness.of_any_number(reference, open)).collect()
    }

    /// Checks that there is evidence for each response that is called for in an open instance.
    fn has_all_responses(&self, reference: &Model, open: &OpenInstance) -> Result<(), Refused> {
        let known: Vec<Response> =
            self.progress.iter().flat_map(|progress| progress.responses(reference, &open.model)).collect();
        match open.responses.iter().all(|response| known.contains(response)) {
            true => Ok(()),
            false => Err(Refused::unfit("it is not about the responses that the spec calls for")),
        }
    }
}
