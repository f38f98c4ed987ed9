//! Specs with path quantifiers and knowledge: the exploration labels all reachable states.

use super::answer::{Answer, BadEvidence};
use super::prove::as_reason;
use super::{Engine, Limits, Progress, Subject};
use crate::check::branching::confirm;
use crate::check::{Counterexample, Proof, Verdict};
use crate::claim::branching::BranchingClaim;
use crate::engine::explicit::{self, branching};
use crate::limits::{Reason, within};
use tracing::{info, info_span};

const EXPLICIT: &[Engine] = &[Engine::Explicit];

impl Subject<'_> {
    /// Decides such a spec, if there are few reachable states.
    pub(super) fn labelled(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        if !engines.contains(&Engine::Explicit) {
            let words = "it is about other runs or knowledge, which the engine `explicit` decides alone";
            return Answer::unknown(Reason::Engine(words.to_owned()));
        }
        let formula = &self.model().specs[spec].formula;
        let begin = Progress::begin(Engine::Explicit);
        let config = explicit::Config {
            memory: self.exploration_memory,
            budget: limits.budget,
            stop: limits.stop,
            progress: &|states| (limits.progress)(Progress { states: Some(states), ..begin }),
            ..explicit::Config::default()
        };
        let _logged = info_span!("explicit").entered();
        info!("begins");
        let verdict: Result<Result<Verdict, BadEvidence>, Reason> =
            match branching::run(self.semantics(), formula, config) {
                BranchingClaim::Unknown { reason, states } => {
                    info!("gives up after {states} states: {reason}");
                    let reason = match as_reason(reason) {
                        listed if states > 0 => listed.detailed(format!("states visited: {states}")),
                        none => none,
                    };
                    return Answer::new(Verdict::Unknown { clear: None, reason }, EXPLICIT);
                }
                BranchingClaim::Holds(labelling) => {
                    info!("all states are labelled; checks that");
                    within(limits.budget, limits.stop, || {
                        let proof = confirm(self.semantics(), formula, Some(labelling)).map_err(BadEvidence::Labels)?;
                        Ok(Verdict::Holds(Proof::Labels(proof)))
                    })
                }
                BranchingClaim::Violated(labelling, witness) => within(limits.budget, limits.stop, || {
                    let confirmed =
                        Counterexample::confirm_branching(self.semantics(), formula, Some(&labelling), &witness)?;
                    Ok(Verdict::Violated(Box::new(confirmed)))
                }),
            };
        match verdict {
            Ok(verdict) => Answer::checked(limits, EXPLICIT, verdict),
            Err(reason) => Answer::unknown(reason),
        }
    }
}
