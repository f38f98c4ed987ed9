//! Claims of proofs that do not survive their check.
//!
//! What a prover found is an invariant of the engines' reduction, and the check has one of its own. Where constants decide
//! parts of a conjunct the two need not fit. Then the provers are asked about the system of the check itself.

use super::contest::Contest;
use super::{Engine, Limits, Subject};
use crate::check::certificate::{Certificate, NoCertificate};
use crate::check::invariant::NoProof;
use crate::check::target::Target;
use crate::claim::{PartClaim, SafetyClaim};
use crate::engine::Prover;
use crate::engine::invariants::Invariants;
use crate::smt::{Reason, with_context};
use crate::ts::history::base_system;

impl Subject<'_> {
    /// The certificate of a spec that these engines claim to have proved.
    pub(super) fn certificate(
        &self,
        spec: usize,
        claims: &[PartClaim],
        engines: &[&str],
        limits: &Limits,
    ) -> Result<Certificate, NoCertificate> {
        use NoProof::{NotInductive, NotInitial, NotSafe};
        let confirm = |claims: &[PartClaim]| {
            let check = || Certificate::confirm(self.semantics(), self.sample(), spec, claims, limits.budget);
            with_context(limits.stop, check)
        };
        let confirmed = confirm(claims);
        if !matches!(confirmed, Err(NoCertificate::NoProof(NotInitial | NotInductive | NotSafe))) {
            return confirmed;
        }
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
        engines: &[&str],
        limits: &Limits,
    ) -> Result<Vec<PartClaim>, Option<Reason>> {
        let engines = Engine::ALL.into_iter().filter(|engine| engines.contains(&engine.to_string().as_str()));
        let provers: Vec<&dyn Prover> = engines.filter_map(self.provers).collect();
        let contest = Contest {
            model: self.model(),
            provers: &provers,
            ranks: false,
            counts: None,
            shoals: false,
            invariants: &Invariants::default(),
            budget: limits.budget,
            racing: limits.budget,
            progress: limits.progress,
            suspects: &|| {},
            stop: limits.stop,
            needless: limits.stop,
        };
        let system = base_system(self.model());
        let conjuncts = self.model().specs[spec].formula.conjuncts();
        let pairs = conjuncts.iter().zip(claims);
        let again = |(formula, claim)| {
            let (target, ranking) = Target::of_claim(self.model(), &system, formula, claim).map_err(|_| None)?;
            let auxiliaries = target.vocabulary.auxiliaries();
            let invariant = match contest.unreachable(target.system, target.bad, &Invariants::default()) {
                Ok((SafetyClaim::Unreachable(invariant), _)) => invariant,
                Ok((SafetyClaim::Unknown(reason), _)) => return Err(Some(reason)),
                Ok((SafetyClaim::Reached(_), _)) | Err(_) => return Err(None),
            };
            let (reduction, eventualities) = (claim.reduction, claim.eventualities.clone());
            Ok(PartClaim { reduction, ranking, eventualities, auxiliaries, invariant })
        };
        pairs.map(again).collect()
    }
}
