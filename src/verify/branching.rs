//! Specs with path quantifiers and knowledge: the exploration labels all reachable states, decision diagrams label sets of
//! them, and conditions on what is seen tell what is known.

use super::answer::Answer;
use super::companions::{Companions, Turn};
use super::prove::{EXPLICIT, gave_up};
use super::{Engine, Limits, Progress, Subject};
use crate::check::judge_labelled;
use crate::claim::Evidence;
use crate::claim::branching::BranchingClaim;
use crate::claim::diagrams::SymbolicClaim;
use crate::engine::bdd;
use crate::engine::explicit::{self, branching};
use crate::model::Formula;
use crate::model::eval::Influence;
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
        limits.answered(|| match bdd::branching::run(self.semantics(), formula, &self.found, &progress) {
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

    /// True if an exploration finds all states first, and then labels them. Where all agents act at once, states have so many steps that
    /// specs share these.
    pub(super) fn is_labelled(&self, spec: usize) -> bool {
        self.model().specs[spec].formula.is_branching() || self.model().joint.is_some()
    }

    /// Decides such a spec, if there are few reachable states; and those that are asked about with it.
    pub(super) fn labelled<'s>(&'s self, companions: &Companions<'s>, spec: usize, limits: &Limits) -> Answer<'s> {
        let formula = |spec: usize| &self.model().specs[spec].formula;
        let matters = |spec: usize| self.is_labelled(spec).then(|| Influence::of(self.model(), formula(spec)));
        let (exploring, others) = match companions.turn(spec, &matters, limits) {
            Turn::Known(answer) => return answer,
            Turn::Over => return Answer::undecided(),
            Turn::Explore(exploring, others) => (exploring, others),
        };
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
        let specs: Vec<usize> = [spec].into_iter().chain(others).collect();
        let formulas: Vec<&Formula> = specs.iter().map(|spec| formula(*spec)).collect();
        let claims = branching::run_all(self.semantics(), &formulas, config);
        let (mut list, mut runs) = (Vec::new(), Vec::new());
        for (other, claim) in specs.into_iter().zip(claims) {
            match claim {
                Some(BranchingClaim::Holds(labelling)) => list.push((other, Evidence::Labels(Arc::new(labelling)))),
                Some(BranchingClaim::Violated(labelling, witness)) if formula(other).is_branching() => {
                    list.push((other, Evidence::LabelledRun(Arc::new(labelling), witness)));
                }
                Some(BranchingClaim::Violated(_, witness)) => runs.push((other, Evidence::Run(witness.trace))),
                Some(BranchingClaim::Unknown { reason, states }) if other == spec => {
                    info!("gives up after {states} states: {reason}");
                    return gave_up(reason, states, "states visited");
                }
                Some(BranchingClaim::Unknown { .. }) | None => {}
            }
        }
        info!("all states are labelled, for {} specs; checks that", list.len() + runs.len());
        limits.checked(|| {
            let judged = list.iter().map(|(spec, _)| *spec).zip(judge_labelled(self.semantics(), &list));
            let run = |(spec, evidence)| (spec, self.checked(spec, evidence, limits));
            let (mut own, mut others) = (None, Vec::new());
            for (other, judged) in judged.chain(runs.into_iter().map(run)) {
                match judged {
                    judged if other == spec => own = Some(self.answer(judged, EXPLICIT, limits)),
                    Ok(verdict) => others.push((other, self.answer(Ok(verdict), EXPLICIT, &limits.quiet()))),
                    // It finds out by itself why its evidence is refused.
                    Err(_) => {}
                }
            }
            exploring.tell(others);
            own.expect("the spec is one of them")
        })
    }
}
