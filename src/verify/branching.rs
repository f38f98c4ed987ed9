//! Specs with path quantifiers and knowledge: the exploration labels all reachable states, decision diagrams label sets of
//! them, and conditions on what is seen tell what is known.

use super::answer::{Answer, InternalError};
use super::durations;
use super::portfolio::Clock;
use super::prove::{EXPLICIT, as_reason, gave_up};
use super::{Engine, Limits, Progress, Subject};
use crate::check::branching::conditions::knowledge;
use crate::check::branching::{Unlabelled, confirm};
use crate::check::diagrams;
use crate::check::{Counterexample, Proof, Refuted, Verdict};
use crate::claim::branching::BranchingClaim;
use crate::claim::diagrams::SymbolicClaim;
use crate::claim::explicit::Incomplete;
use crate::engine::bdd;
use crate::engine::explicit::{self, branching};
use crate::limits::{Reason, Stop, Team, alone, join, spawn};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use tracing::{info, info_span};

const BDD: &[Engine] = &[Engine::Bdd];

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
            Ok(claim) => alone(|| self.checked_claim(spec, claim, limits)),
            Err(reason) => {
                info!("gives up: {reason}");
                Answer::unknown(reason)
            }
        })
    }

    /// The answer of the check to a claim about sets of states.
    fn checked_claim(&self, spec: usize, claim: SymbolicClaim, limits: &Limits) -> Answer<'_> {
        let formula = &self.model().specs[spec].formula;
        info!("all states are labelled; checks that");
        // The exploration may be at work at the same time.
        let memory = self.exploration_memory / 3;
        match claim {
            SymbolicClaim::Holds(evidence) => match diagrams::confirm(self.semantics(), formula, evidence, memory) {
                Err(Unlabelled::Unfit(why)) => Answer::unknown(Reason::Engine(why.to_string())),
                proof => Answer::checked(limits, BDD, proof.map(|proof| Verdict::Holds(Proof::Diagrams(proof)))),
            },
            SymbolicClaim::Violated(_, witness) if !formula.is_branching() => {
                self.confirmed(spec, &witness.trace, BDD, limits)
            }
            SymbolicClaim::Violated(evidence, witness) => {
                match Counterexample::confirm_symbolic(self.semantics(), formula, evidence, &witness, memory) {
                    Err(Refuted::Labels(Unlabelled::Unfit(why))) => Answer::unknown(Reason::Engine(why.to_string())),
                    confirmed => Answer::checked(limits, BDD, confirmed.map(|it| Verdict::Violated(Box::new(it)))),
                }
            }
        }
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
                limits.checked(|| {
                    let proof = confirm(self.semantics(), formula, Arc::new(labelling));
                    Answer::checked(limits, EXPLICIT, proof.map(|proof| Verdict::Holds(Proof::Labels(proof))))
                })
            }
            BranchingClaim::Violated(labelling, witness) => limits.answered(|| {
                let labelling = Arc::new(labelling);
                let confirmed = Counterexample::confirm_branching(self.semantics(), formula, labelling, &witness);
                Answer::checked(limits, EXPLICIT, confirmed.map(|it| Verdict::Violated(Box::new(it))))
            }),
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
