//! Specs with path quantifiers and knowledge: the exploration labels all reachable states, decision diagrams label sets of
//! them, and conditions on what is seen tell what is known.

use super::answer::Answer;
use super::prove::{EXPLICIT, gave_up};
use super::{Engine, Limits, Progress, Subject};
use crate::claim::Evidence;
use crate::claim::branching::BranchingClaim;
use crate::claim::diagrams::SymbolicClaim;
use crate::engine::bdd;
use crate::engine::explicit::{self, branching};
use std::sync::Arc;
use tracing::{info, info_span};

pub(super) const BDD: &[Engine] = &[Engine::Bdd];

impl Subject<'_> {
    /// Decides a spec by sets of states, if the model is finite.
    pub(super) fn by_diagrams(&self, spec: usize, limits: &Limits) -> Answer<'_> {
        let _logged = info_span!("bdd").entered();
        let formula = &self.model().specs[spec].formula;
        let begin = Progress::begin(Engine::Bdd);
        (limits.progress)(begin);
        let progress = |depth| (limits.progress)(Progress { depth: Some(depth), ..begin });
        limits.answered(|| match bdd::branching::run(self.semantics(), formula, &self.order, &progress) {
            Ok(claim) => {
                info!("all states are labelled; checks that");
                let evidence = match claim {
                    SymbolicClaim::Holds(sets) => Evidence::Diagrams(sets),
                    SymbolicClaim::Violated(sets, witness) if formula.is_branching() => {
                        Evidence::SymbolicRun(sets, witness)
                    }
                    SymbolicClaim::Violated(_, witness) => Evidence::Run(witness.trace),
                };
                self.judged(spec, evidence, BDD, limits)
            }
            Err(reason) => {
                info!("gives up: {reason}");
                Answer::unknown(reason)
            }
        })
    }

    /// Decides such a spec, if there are few reachable states.
    pub(super) fn labelled(&self, spec: usize, limits: &Limits) -> Answer<'_> {
        let formula = &self.model().specs[spec].formula;
        let begin = Progress::begin(Engine::Explicit);
        let config = explicit::Config {
            // The check takes as much again, and more.
            memory: self.exploration_memory / 3,
            budget: limits.budget,
            stop: limits.stop,
            progress: &|states| (limits.progress)(Progress { states: Some(states), ..begin }),
            ..explicit::Config::default()
        };
        let _logged = info_span!("explicit").entered();
        info!("begins");
        match branching::run(self.semantics(), formula, config) {
            BranchingClaim::Unknown { reason, states } => {
                info!("gives up after {states} states: {reason}");
                gave_up(reason, states, "states visited")
            }
            BranchingClaim::Holds(labelling) => {
                info!("all states are labelled; checks that");
                self.judged(spec, Evidence::Labels(Arc::new(labelling)), EXPLICIT, limits)
            }
            BranchingClaim::Violated(labelling, witness) => {
                self.judged(spec, Evidence::LabelledRun(Arc::new(labelling), witness), EXPLICIT, limits)
            }
        }
    }
}
