//! Proofs of specs: per conjunct an inductive invariant of a named reduction.
//!
//! The systems are made again from the model and the spec, without any simplification: a certificate
//! speaks of what the language defines.

use super::invariant::{NoProof, Proof};
use crate::claim::PartClaim;
use crate::model::{Formula, Model};
use crate::property::reduction::{Measure, Reduction, reachability};
use crate::property::{Property, base_system};
use crate::smt::Budget;
use std::fmt;

/// A spec holds, conjunct by conjunct. There is no way to make one but [`Certificate::confirm`].
#[derive(Debug)]
pub struct Certificate {
    parts: Vec<CertifiedPart>,
}

/// One conjunct of a spec with its proof.
#[derive(Debug)]
pub struct CertifiedPart {
    /// The conjunct.
    pub formula: Formula,
    /// What was proved of the product with its negation.
    pub reduction: Reduction,
    /// What the reduction measured.
    pub measure: Measure,
    /// The proof.
    pub proof: Proof,
}

/// Why claims are no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCertificate {
    /// The claims do not fit the conjuncts of the spec.
    OtherSpec,
    /// An invariant was found for another system.
    OtherSystem,
    /// An invariant proves nothing.
    NoProof(NoProof),
}

impl fmt::Display for NoCertificate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NoCertificate::OtherSpec => write!(f, "the certificate belongs to another spec"),
            NoCertificate::OtherSystem => write!(f, "the certificate belongs to another system"),
            NoCertificate::NoProof(why) => write!(f, "the certificate fails its check: {why}"),
        }
    }
}

impl Certificate {
    /// Checks the claims about the conjuncts of a spec, in their order. Needs a Z3 context
    /// ([`crate::smt::with_context`]).
    pub fn confirm(
        model: &Model,
        spec: usize,
        claims: Vec<PartClaim>,
        budget: Budget,
    ) -> Result<Certificate, NoCertificate> {
        let mut system = base_system(model);
        let property = Property::new(model, &mut system, &model.specs[spec]);
        if property.parts.len() != claims.len() {
            return Err(NoCertificate::OtherSpec);
        }
        let mut parts = Vec::new();
        for (part, PartClaim { measure, invariant }) in property.parts.into_iter().zip(claims) {
            let reached = reachability(system.clone(), &property.ltl, part.negation, &measure);
            if !reached.system.terms().is_beginning_of(&invariant.terms) {
                return Err(NoCertificate::OtherSystem);
            }
            let proof = Proof::confirm(&reached.system, reached.bad, invariant, budget);
            let proof = proof.map_err(NoCertificate::NoProof)?;
            parts.push(CertifiedPart { formula: part.formula, reduction: reached.reduction, measure, proof });
        }
        Ok(Certificate { parts })
    }

    /// The conjuncts with their proofs.
    pub fn parts(&self) -> &[CertifiedPart] {
        &self.parts
    }
}
