//! Specs with path quantifiers and knowledge: the exploration labels all reachable states.

use super::answer::{Answer, BadEvidence};
use super::prove::as_reason;
use super::{Engine, Limits, Progress, Subject};
use crate::check::branching::conditions::knowledge;
use crate::check::branching::confirm;
use crate::check::{Counterexample, Proof, Verdict};
use crate::claim::branching::BranchingClaim;
use crate::claim::explicit::Incomplete;
use crate::engine::explicit::{self, branching};
use crate::limits::{Reason, Stop, join, spawn, within};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tracing::{info, info_span};

const EXPLICIT: &[Engine] = &[Engine::Explicit];

impl Subject<'_> {
    /// Decides such a spec: by labels of all reachable states, and at the same time by conditions on what knowers see.
    pub(super) fn decide_branching(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        if self.model().specs[spec].formula.is_strategic() {
            return Answer::unknown(as_reason(Incomplete::Strategies));
        }
        if let Err(why) = knowledge(&self.model().specs[spec].formula) {
            let mut answer = self.labelled(spec, engines, limits);
            if let Verdict::Unknown { reason: Reason::Engine(words), .. } = &mut answer.verdict {
                words.push_str(&format!("; and {why}"));
            }
            return answer;
        }
        if engines == EXPLICIT {
            return self.labelled(spec, engines, limits);
        }
        let others: Vec<Engine> = engines.iter().copied().filter(|engine| *engine != Engine::Explicit).collect();
        let finished = Stop::under(limits.stop);
        let limits = &Limits { stop: &finished, ..*limits };
        thread::scope(|scope| {
            let (told, first) = mpsc::channel::<()>();
            let labels = engines.contains(&Engine::Explicit).then(|| {
                spawn(scope, || {
                    let answer = decided_with(self.labelled(spec, engines, limits), &finished);
                    drop(told);
                    answer
                })
            });
            // Small models are labelled at once.
            let _ = first.recv_timeout(AT_ONCE);
            let conditions = if finished.is_set() {
                None
            } else {
                Some(decided_with(self.by_conditions(spec, &others, limits), &finished))
            };
            let labels = labels.map(join);
            match (labels, conditions) {
                (Some(labels), Some(conditions)) if conditions.is_decided() => conditions.after(labels),
                (Some(labels), Some(conditions)) if labels.is_decided() => labels.after(conditions),
                (Some(_), Some(conditions)) => conditions,
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => Answer::undecided(),
            }
        })
    }

    /// Decides such a spec, if there are few reachable states.
    fn labelled(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        if !engines.contains(&Engine::Explicit) {
            let words = "only the engine `explicit` can decide it";
            return Answer::unknown(Reason::Engine(words.to_owned()));
        }
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

/// How long a search for conditions waits for the labels.
const AT_ONCE: Duration = Duration::from_millis(300);

fn decided_with<'s>(answer: Answer<'s>, finished: &Stop) -> Answer<'s> {
    if answer.is_decided() {
        finished.set();
    }
    answer
}
