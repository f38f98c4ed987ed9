//! Specs with path quantifiers and knowledge: the exploration labels all reachable states, decision diagrams label sets of
//! them, and conditions on what is seen tell what is known.

use super::answer::{Answer, InternalError};
use super::durations;
use super::portfolio::Clock;
use super::prove::{EXPLICIT, as_reason, gave_up};
use super::{Engine, Limits, Progress, Subject};
use crate::check::Verdict;
use crate::check::branching::conditions::knowledge;
use crate::claim::Evidence;
use crate::claim::branching::BranchingClaim;
use crate::claim::diagrams::SymbolicClaim;
use crate::claim::explicit::Incomplete;
use crate::engine::bdd;
use crate::engine::explicit::{self, branching};
use crate::limits::{Reason, Stop, Team, join, spawn};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use tracing::{info, info_span};

pub(super) const BDD: &[Engine] = &[Engine::Bdd];

impl Subject<'_> {
    /// Decides such a spec. The exploration begins; decision diagrams and conditions on what knowers see join it, as far as
    /// their engines were chosen.
    pub(super) fn decide_branching(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Answer<'_>, InternalError> {
        let formula = &self.model().specs[spec].formula;
        if formula.is_strategic() {
            return Ok(Answer::unknown(as_reason(Incomplete::Strategies)));
        }
        let chosen = |engine| engines.contains(&engine);
        let conditional = knowledge(formula);
        let provers: Vec<Engine> = engines.iter().copied().filter(|engine| *engine != Engine::Explicit).collect();
        let finished = Stop::under(limits.stop);
        let limits = &Limits { stop: &finished, ..*limits };
        let team = Team::default();
        let answers: Vec<Answer> = thread::scope(|scope| {
            let (told, over) = mpsc::channel::<()>();
            let labels = chosen(Engine::Explicit).then(|| {
                spawn(scope, || {
                    let _stops_others = finished.set_in_panic();
                    let answer = team.work(|| self.labelled(spec, limits).stopping(&finished));
                    drop(told);
                    answer
                })
            });
            let _stops_others = finished.set_in_panic();
            if labels.is_some() && !provers.is_empty() {
                wait(&over);
            }
            let diagrams = (chosen(Engine::Bdd) && !finished.is_set()).then(|| {
                spawn(scope, || {
                    let _stops_others = finished.set_in_panic();
                    team.work(|| self.by_diagrams(spec, limits).stopping(&finished))
                })
            });
            // Without other provers, conditions are what is left.
            let (before, beside) = if provers == BDD { (diagrams.map(join), None) } else { (None, diagrams) };
            let conditions = (conditional.is_ok() && !provers.is_empty() && !finished.is_set())
                .then(|| team.work(|| self.by_conditions(spec, &provers, limits).stopping(&finished)));
            [before, conditions, labels.map(join), beside.map(join)].into_iter().flatten().collect()
        });
        let first = answers.into_iter().map(Ok).reduce(|before, answer| before?.agreed(answer?)).transpose()?;
        let mut answer = first.unwrap_or_else(|| {
            let words = "only the engines `explicit` and `bdd` can decide it";
            Answer::unknown(Reason::Engine(words.to_owned()))
        });
        if let (Verdict::Unknown { reason: Reason::Engine(words), .. }, Err(why)) = (&mut answer.verdict, conditional) {
            words.push_str(&format!("; and {why}"));
        }
        Ok(answer)
    }

    /// Decides a spec by sets of states, if the model is finite.
    pub(super) fn by_diagrams(&self, spec: usize, limits: &Limits) -> Answer<'_> {
        let _logged = info_span!("bdd").entered();
        let formula = &self.model().specs[spec].formula;
        let begin = Progress::begin(Engine::Bdd);
        (limits.progress)(begin);
        let progress = |depth| (limits.progress)(Progress { depth: Some(depth), ..begin });
        limits.answered(|| match bdd::branching::run(self.semantics(), formula, &progress) {
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
    fn labelled(&self, spec: usize, limits: &Limits) -> Answer<'_> {
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

/// Waits until a task is over, but not for long.
fn wait(over: &Receiver<()>) {
    let clock = Clock::begin();
    while clock.elapsed() < durations::LABELS_ALONE
        && over.recv_timeout(durations::LOOK_EVERY) == Err(RecvTimeoutError::Timeout)
    {}
}
