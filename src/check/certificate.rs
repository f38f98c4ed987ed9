//! Proofs of specs: per conjunct an inductive invariant of a named reduction.
//!
//! The systems are made from the model and the spec by [`super::target`], without any simplification and without the
//! reductions of the engines: a certificate is about the semantics that the language defines.

use super::invariant::{NoProof, Proof};
use super::opinion::contradiction;
use super::queries::Query;
use super::queries::invariant::InvariantQueries;
use super::sample::Sample;
use super::solver::ScriptSolver;
use super::target::{NoTarget, Target};
use crate::claim::reduction::Eventualities;
use crate::claim::{Invariant, PartClaim};
use crate::model::eval::Semantics;
use crate::model::{Formula, Model};
use crate::ts::history::base_system;
use crate::ts::ranking::Ranking;
use crate::ts::system::System;
use std::fmt;

/// A spec holds, conjunct by conjunct. There is no way to make one but [`Certificate::confirm`].
#[derive(Debug)]
pub struct Certificate {
    parts: Vec<CertifiedPart>,
}

/// One conjunct of a spec with its proof.
#[derive(Debug)]
pub struct CertifiedPart {
    /// The conjunct, and what was proved of it.
    pub target: Target,
    /// The ranking of the reduction; empty if it has none.
    pub ranking: Ranking,
    /// The eventualities that it watches.
    pub eventualities: Eventualities,
    /// The proof.
    pub proof: Proof,
}

/// Why claims are no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCertificate {
    /// The claims do not fit the conjuncts of the spec.
    OtherSpec,
    /// A reduction does not fit the conjunct that it is said to be of.
    OtherReduction,
    /// An invariant was found for another system.
    OtherSystem,
    /// An invariant proves nothing.
    NoProof(NoProof),
    /// The solver says that it does, and a concrete run of the model says something else.
    Contradicted(String),
}

impl fmt::Display for NoCertificate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NoCertificate::OtherSpec => write!(f, "the certificate belongs to another spec"),
            NoCertificate::OtherReduction => write!(f, "a reduction of the certificate does not fit its conjunct"),
            NoCertificate::OtherSystem => write!(f, "the certificate belongs to another system"),
            NoCertificate::Contradicted(why) => write!(f, "a run of the model contradicts the certificate: {why}"),
            NoCertificate::NoProof(why) => write!(f, "the certificate fails its check: {why}"),
        }
    }
}

impl std::error::Error for NoCertificate {}

impl Certificate {
    /// Checks the claims about the conjuncts of a spec, in their order, with a sample of the model's runs for a second
    /// opinion.
    pub fn confirm(
        semantics: &Semantics,
        sample: &Sample,
        spec: usize,
        claims: &[PartClaim],
        solver: &dyn ScriptSolver,
    ) -> Result<Certificate, NoCertificate> {
        let model = semantics.model();
        let system = base_system(model);
        let conjuncts = model.specs[spec].formula.conjuncts();
        if conjuncts.len() != claims.len() {
            return Err(NoCertificate::OtherSpec);
        }
        let count = conjuncts.len();
        let pairs = conjuncts.into_iter().zip(claims);
        let part = |(formula, claim)| {
            let part = CertifiedPart::confirm(model, &system, &formula, claim, solver)?;
            match contradiction(semantics, sample, &part.target, part.proof.invariant(), count) {
                Some(why) => Err(NoCertificate::Contradicted(why)),
                None => Ok(part),
            }
        };
        Ok(Certificate { parts: pairs.map(part).collect::<Result<_, _>>()? })
    }

    /// The conjuncts with their proofs.
    pub fn parts(&self) -> &[CertifiedPart] {
        &self.parts
    }
}

impl CertifiedPart {
    fn confirm(
        model: &Model,
        system: &System,
        formula: &Formula,
        claim: &PartClaim,
        solver: &dyn ScriptSolver,
    ) -> Result<CertifiedPart, NoCertificate> {
        let PartClaim { eventualities, auxiliaries, invariant, .. } = claim;
        let (target, ranking) = Target::of_claim(model, system, formula, claim)?;
        let mut terms = target.system.terms().clone();
        let clauses = target.vocabulary.translate(&mut terms, &invariant.terms, &invariant.clauses, auxiliaries)?;
        let invariant = Invariant { clauses: terms.conjuncts(&clauses), terms, k: invariant.k.max(1) };
        let Target { system, symbols, bad, .. } = &target;
        let question = InvariantQueries { system, symbols, bad: *bad, invariant: &invariant };
        let proof = Proof::confirm(question, solver).map_err(NoCertificate::NoProof)?;
        Ok(CertifiedPart { target, ranking, eventualities: eventualities.clone(), proof })
    }

    /// The queries that have to be refuted so that the conjunct holds.
    pub fn queries(&self) -> [Query; 3] {
        let Target { system, symbols, bad, .. } = &self.target;
        InvariantQueries { system, symbols, bad: *bad, invariant: self.proof.invariant() }.queries()
    }
}

impl From<NoTarget> for NoCertificate {
    fn from(why: NoTarget) -> NoCertificate {
        match why {
            NoTarget::OtherReduction => NoCertificate::OtherReduction,
            NoTarget::OtherSystem => NoCertificate::OtherSystem,
        }
    }
}
