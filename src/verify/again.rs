//! Proofs that the check refused.
//!
//! A prover finds an invariant of the engines' reduction; the check has a reduction of its own. If constants
//! decide parts of a conjunct, the two may not match. Then the provers are asked again, about the system of the check.

use super::conjunct::{MOST_COUNTED, Provers};
use super::{Engine, Limits, Subject};
use crate::check::certificate::{Certificate, NoCertificate};
use crate::check::invariant::NoProof;
use crate::check::target::Target;
use crate::claim::reduction::Reduction;
use crate::claim::{Invariant, PartClaim, SafetyClaim};
use crate::engine::Prover;
use crate::engine::invariants::Invariants;
use crate::limits::Reason;
use crate::model::Formula;
use crate::smt::{Scripts, with_context};
use crate::ts::history::base_system;
use crate::ts::system::System;
use std::time::Duration;
use tracing::info;

/// How long that may take.
const TIME: Duration = Duration::from_secs(10);

/// The invariant of a system that has no initial state.
fn never(system: &System) -> Invariant {
    let mut terms = system.terms().clone();
    Invariant { clauses: vec![terms.bool(false)], terms, k: 1 }
}

impl Subject<'_> {
    /// The certificate of a spec that these engines claim to have proved.
    pub(super) fn certificate(
        &self,
        spec: usize,
        claims: &[PartClaim],
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Certificate, NoCertificate> {
        use NoProof::{NotInductive, NotInitial, NotSafe};
        let confirm = |claims: &[PartClaim]| {
            let solver = Scripts { budget: limits.budget, stop: limits.stop };
            let check = || Certificate::confirm(self.semantics(), self.sample(), spec, claims, &solver);
            with_context(limits.stop, check)
        };
        let confirmed = confirm(claims);
        if !matches!(confirmed, Err(NoCertificate::NoProof(NotInitial | NotInductive | NotSafe))) {
            return confirmed;
        }
        info!("the check refuses the claim; the provers are asked again on its own system");
        match self.proved_again(spec, claims, engines, limits) {
            Ok(claims) => confirm(&claims),
            Err(Some(reason)) => Err(NoCertificate::NoProof(NoProof::Unknown(reason))),
            Err(None) => confirmed,
        }
    }

    /// The same, said of the systems of the check. If the engines do not claim that, the reason why they do not know,
    /// if they do not.
    fn proved_again(
        &self,
        spec: usize,
        claims: &[PartClaim],
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Vec<PartClaim>, Option<Reason>> {
        let asked: Vec<&dyn Prover> = engines.iter().filter_map(|&engine| self.prover(engine)).collect();
        let budget = limits.budget.at_most(TIME);
        let provers = Provers {
            model: self.model(),
            provers: &asked,
            ranks: false,
            counts: None,
            shoals: false,
            invariants: &Invariants::default(),
            budget,
            racing: budget,
            progress: limits.progress,
            suspects: &|| {},
            stop: limits.stop,
            cancelled: limits.stop,
        };
        let system = base_system(self.model());
        let conjuncts = self.model().specs[spec].formula.conjuncts();
        conjuncts.iter().zip(claims).map(|(formula, claim)| self.again(&provers, &system, formula, claim)).collect()
    }

    /// With longer counters as long as shorter ones are full.
    fn again(
        &self,
        provers: &Provers,
        system: &System,
        formula: &Formula,
        claim: &PartClaim,
    ) -> Result<PartClaim, Option<Reason>> {
        let mut claim = claim.clone();
        loop {
            let (target, ranking) = Target::of_claim(self.model(), system, formula, &claim).map_err(|_| None)?;
            let auxiliaries = target.vocabulary.auxiliaries();
            let invariant = if self.has_no_start() {
                never(&target.system)
            } else {
                match provers.unreachable(target.system, target.bad, &Invariants::default()) {
                    Ok((SafetyClaim::Unreachable(invariant), _)) => invariant,
                    Ok((SafetyClaim::Unknown(reason), _)) => return Err(Some(reason)),
                    Ok((SafetyClaim::Reached(_), _)) => {
                        claim.reduction = longer(claim.reduction).ok_or(None)?;
                        continue;
                    }
                    Err(_) => return Err(None),
                }
            };
            return Ok(PartClaim { ranking, auxiliaries, invariant, ..claim });
        }
    }
}

/// With a longer counter, if there is one and it is not too long.
fn longer(reduction: Reduction) -> Option<Reduction> {
    let more = |counted: usize| Some(2 * counted + 1).filter(|&more| more <= MOST_COUNTED);
    match reduction {
        Reduction::Invariance | Reduction::Safety => None,
        Reduction::Counting(counted) => more(counted).map(Reduction::Counting),
        Reduction::Ranking(counted) => more(counted).map(Reduction::Ranking),
    }
}
