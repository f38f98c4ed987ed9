//! Verdicts without a bound: what the tasks of the [portfolio](super::portfolio) do, and what their claims are worth.

use super::answer::{Answer, InternalError};
use super::branching::BDD;
use super::companions::Companions;
use super::durations;
use super::line::Clock;
use super::opinion;
use super::portfolio::Portfolio;
use super::{Engine, Limits, Outcome, Progress, Subject};
use crate::check::{Means, Refused, Verdict, judge};
use crate::claim::Evidence;
use crate::claim::explicit::{self as explicit_claim, ExplicitClaim};
use crate::engine::bmc::Times;
use crate::engine::{Prover, explicit};
use crate::limits::{Reason, Stop};
use crate::model::scheme::Obstacle;
use crate::smt::Scripts;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::{info, info_span};

/// See [`durations::SHORTENING`].
const SHORTENING_PART: u32 = 5;

/// How many times as long that may take by the clock on the wall, where others use the machine as well: its time is processor
/// time, as that of the portfolio ([`Clock`]).
const SHORTENING_WAITS: u32 = 4;

impl Subject<'_> {
    /// Decides a spec for all runs with these engines. `limits.bound` bounds the search for a
    /// counterexample only.
    pub fn prove<'s>(&'s self, spec: usize, engines: &[Engine], limits: &Limits) -> Result<Outcome<'s>, InternalError> {
        self.prove_among(&Companions::default(), spec, engines, limits)
    }

    /// The same of one of several specs that are asked about.
    pub fn prove_among<'s>(
        &'s self,
        companions: &Companions<'s>,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Outcome<'s>, InternalError> {
        self.team.work(1, || {
            let start = Instant::now();
            let (answer, times) = match self.model().scheme() {
                Some(_) if self.model().specs[spec].question.is_some() => {
                    let reason = Reason::Engine(format!("{}; `--size` chooses one", Obstacle::Check));
                    (Answer::unknown(reason), Times::default())
                }
                Some(scheme) => self.decide_all_sizes(scheme, spec, engines, limits)?,
                None => self.decide(companions, spec, engines, limits)?,
            };
            answer.at_the_end_of(limits.budget).outcome(Times { solving: start.elapsed() - times.encoding, ..times })
        })
    }

    /// Decides a spec of the instance at hand.
    pub(super) fn decide<'s>(
        &'s self,
        companions: &Companions<'s>,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<(Answer<'s>, Times), InternalError> {
        let formula = &self.model().specs[spec].formula;
        if formula.is_about_views() {
            return Ok((self.by_strategies(spec, engines, limits)?, Times::default()));
        }
        let start = Instant::now();
        let (answer, times) = Portfolio::new((self, companions), spec, engines, limits).decide()?;
        if formula.is_branching() {
            return Ok((answer, times));
        }
        Ok((self.shortened(answer, spec, start.elapsed(), limits), times))
    }

    /// With a shorter counterexample, if one is found at once: within a part of the time that the first one took, and a moment.
    fn shortened<'s>(&'s self, answer: Answer<'s>, spec: usize, taken: Duration, limits: &Limits) -> Answer<'s> {
        let Verdict::Violated(counterexample) = &answer.verdict else { return answer };
        let steps = counterexample.run().steps().len();
        if !self.shortens || spec >= self.hidden || steps == 0 || answer.engines == [Engine::Bmc] {
            return answer;
        }
        let (time, clock) = (taken / SHORTENING_PART + durations::SHORTENING, Clock::begin());
        let (stop, budget) = (Stop::under(limits.stop), limits.budget.at_most(time * SHORTENING_WAITS));
        let watch = |_| {
            if clock.elapsed() >= time {
                stop.set();
            }
        };
        let limits = &Limits { bound: steps - 1, budget, stop: &stop, progress: &watch, ..*limits };
        let (shorter, _) = self.bounded_answer(spec, limits);
        if shorter.is_decided() { shorter.after(answer) } else { answer.after(shorter) }
    }

    /// Visits all runs if they are few.
    pub(super) fn exploration(&self, spec: usize, limits: &Limits) -> Answer<'_> {
        let formula = &self.model().specs[spec].formula;
        let begin = Progress::begin(Engine::Explicit);
        let config = explicit::Config {
            memory: self.exploration_memory,
            threads: self.threads,
            budget: limits.budget,
            stop: limits.stop,
            progress: &|states| (limits.progress)(Progress { states: Some(states), ..begin }),
            ..explicit::Config::default()
        };
        let _logged = info_span!("explicit").entered();
        info!("begins");
        match explicit::run(self.semantics(), formula, config) {
            ExplicitClaim::Unknown { reason, states } => {
                info!("gives up after {states} states of model and automaton: {reason}");
                gave_up(reason, states, "states of model and automaton visited")
            }
            ExplicitClaim::Violated(trace) => self.judged(spec, Evidence::Run(trace), EXPLICIT, limits),
            ExplicitClaim::Holds(certificate) => {
                info!("all runs explored; checks that");
                self.judged(spec, Evidence::Exploration(Arc::new(certificate)), EXPLICIT, limits)
            }
        }
    }

    /// The answer that the evidence of engines allows.
    pub(super) fn judged(&self, spec: usize, evidence: Evidence, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        limits.checked(|| self.answer(self.checked(spec, evidence, limits), engines, limits))
    }

    /// The verdict that evidence allows.
    pub(super) fn checked(&self, spec: usize, evidence: Evidence, limits: &Limits) -> Result<Verdict<'_>, Refused> {
        let solver = Scripts { budget: limits.budget, stop: limits.stop };
        // The exploration may be at work at the same time.
        let means = Means { solver: &solver, threads: self.threads, memory: self.exploration_memory / 3 };
        judge(self.semantics(), spec, evidence, means)
    }

    /// The answer after a check.
    pub(super) fn answer<'s>(
        &'s self,
        judged: Result<Verdict<'s>, Refused>,
        engines: &[Engine],
        limits: &Limits,
    ) -> Answer<'s> {
        match judged {
            Ok(verdict) => match opinion::on(self, &verdict) {
                Some(why) => Answer::refused(limits, engines, why.into()),
                None => Answer::new(verdict, engines),
            },
            Err(Refused::Unknown(reason)) => Answer::unknown(reason),
            // Diagrams cannot be about everything.
            Err(Refused::Unfit(why)) if engines == BDD => Answer::unknown(Reason::Engine(why)),
            Err(why) => Answer::refused(limits, engines, why.into()),
        }
    }

    /// The prover for an engine.
    pub(super) fn prover(&self, engine: Engine) -> Option<&'static dyn Prover> {
        (self.provers)(engine)
    }

    /// The provers that the engines ask about bad states together: each once.
    pub(super) fn provers(&self, engines: &[Engine]) -> Vec<&'static dyn Prover> {
        let mut provers: Vec<&'static dyn Prover> = Vec::new();
        for prover in engines.iter().filter_map(|&engine| self.prover(engine)) {
            if provers.iter().all(|known| known.engine() != prover.engine()) {
                provers.push(prover);
            }
        }
        provers
    }
}

/// The exploration, as the engine of an answer.
pub(super) const EXPLICIT: &[Engine] = &[Engine::Explicit];

/// The answer of an exploration that gave up, with the number of states that it visited.
pub(super) fn gave_up<'s>(why: explicit_claim::Incomplete, states: usize, visited: &str) -> Answer<'s> {
    let reason = match as_reason(why) {
        listed if states > 0 => listed.detailed(format!("{visited}: {states}")),
        none => none,
    };
    Answer::new(Verdict::Unknown { clear: None, reason }, EXPLICIT)
}

pub(super) fn as_reason(why: explicit_claim::Incomplete) -> Reason {
    match why {
        explicit_claim::Incomplete::Exceeded(exceeded) => exceeded.into(),
        explicit_claim::Incomplete::States
        | explicit_claim::Incomplete::NotEnumerable(_)
        | explicit_claim::Incomplete::Strategies => Reason::Engine(why.to_string()),
    }
}
