//! Verdicts without a bound: a portfolio of engines.
//!
//! Most specs need no more than one engine for an instant. So a brief exploration of all runs begins, PDR joins in soon,
//! then Spacer, then an exploration that goes on to the end, then the search for a counterexample. Once PDR and Spacer
//! are at their ends, or had their time, all provers run side by side in threads; where there are fewer cores than
//! threads, the operating system gives each its slices. The provers race conjunct by conjunct. Whatever has an answer
//! first stops the rest.

use super::answer::{Answer, BadEvidence, Failure};
use super::contest::{Contest, MOST_COUNTED, PartSearch};
use super::race::Contradiction;
use super::{Engine, Limits, Outcome, Progress, Subject};
use crate::check::certificate::NoCertificate;
use crate::check::explicit::confirm as confirm_exploration;
use crate::check::invariant::NoProof;
use crate::check::{Counterexample, Proof, Refuted, Verdict};
use crate::claim::explicit::{self as explicit_claim, ExplicitClaim};
use crate::claim::{PartClaim, Trace};
use crate::engine::bmc::Times;
use crate::engine::invariants::Invariants;
use crate::engine::{Prover, explicit};
use crate::limits::{Budget, Reason, Stop, join, spawn, within};
use crate::property::Property;
use crate::smt::with_context;
use crate::ts::system::System;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tracing::{info, info_span};

/// How long the brief exploration may take, and when the others begin at the latest.
const EXPLORING: Duration = Duration::from_millis(8);
const OTHERS_JOIN: Duration = Duration::from_millis(3);

/// How long PDR and Spacer may take then, before all provers join in.
const SAFETY_SPRINT: Duration = Duration::from_millis(2000);
const LIVENESS_SPRINT: Duration = Duration::from_millis(700);

/// When Spacer joins in, when the exploration starts anew, and when the search for a counterexample begins, unless
/// PDR and Spacer have given up before.
const SPACER_JOINS: Duration = Duration::from_millis(100);
const EXPLORER_JOINS: Duration = Duration::from_millis(300);
const BMC_JOINS: Duration = Duration::from_millis(700);

/// When all provers join in after that: most counterexamples are found by then.
const PROVERS_JOIN: Duration = Duration::from_millis(50);

/// How many steps a counterexample may have that is only suspected.
const SUSPECTED: usize = 64;

/// A shorter counterexample is looked for as long as the first one took, and this long.
const SHORTENING: Duration = Duration::from_millis(250);

/// What the provers found.
enum ProofSearch {
    /// An invariant per part, and the engines that found them.
    Proved(Vec<PartClaim>, Vec<&'static str>),
    /// A violation of a safety part, and the engine that found it.
    Refuted(Option<Trace>, &'static str),
    /// Neither.
    Unknown(Reason),
}

/// What came of asking all provers.
enum Proving<'s> {
    /// There are none.
    NotTried,
    /// An answer.
    Answered(Answer<'s>),
    /// One of them says that the spec is violated, and does not say how.
    TraceMissing(Answer<'s>),
}

impl Subject<'_> {
    /// Decides a spec for all runs with these engines. `limits.bound` bounds the search for a
    /// counterexample only.
    pub fn prove<'s>(&'s self, spec: usize, engines: &[Engine], limits: &Limits) -> Result<Outcome<'s>, Failure> {
        let start = Instant::now();
        let (answer, times) = self.decide(spec, engines, limits)?;
        let answer = self.shortened(answer, spec, start.elapsed(), limits);
        answer.outcome(Times { solving: start.elapsed() - times.encoding, ..times })
    }

    /// With a shorter counterexample, if one is found at once: within as much time as the first one took, and a moment.
    fn shortened<'s>(&'s self, answer: Answer<'s>, spec: usize, taken: Duration, limits: &Limits) -> Answer<'s> {
        let Verdict::Violated(counterexample) = &answer.verdict else { return answer };
        let steps = counterexample.run().steps().len();
        if steps == 0 || answer.engine == "bmc" {
            return answer;
        }
        let budget = limits.budget.at_most(taken + SHORTENING);
        let (shorter, _) =
            self.bounded_answer(spec, &Limits { bound: steps - 1, budget, progress: &|_| {}, ..*limits });
        if shorter.is_decided() { shorter.after(answer) } else { answer.after(shorter) }
    }

    fn decide(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Result<(Answer<'_>, Times), Failure> {
        let explores = engines.contains(&Engine::Explicit);
        if explores && engines.iter().all(|&engine| engine == Engine::Explicit) {
            return Ok((self.exploration(spec, limits, limits.budget), Times::default()));
        }
        let stop = Stop::under(limits.stop);
        let inner = Limits { stop: &stop, ..*limits };
        let sprinted = Stop::under(&stop);
        let (tried, is_tried) = mpsc::channel();
        let (found, explored) = thread::scope(|scope| {
            let explore = || {
                let briefly = limits.budget.at_most(EXPLORING);
                let brief = self.exploration(spec, &inner, briefly).stopping(&stop);
                // If that took long nobody listens any more.
                let _ = tried.send(());
                // What was refused would be found again.
                if brief.is_decided() || brief.refused_engines().next().is_some() {
                    return brief;
                }
                sprinted.sleep(EXPLORER_JOINS);
                if stop.is_set() {
                    Answer::undecided()
                } else {
                    self.exploration(spec, &inner, inner.budget).stopping(&stop)
                }
            };
            let explorer = explores.then(|| {
                let explorer = spawn(scope, explore);
                let _ = is_tried.recv_timeout(OTHERS_JOIN);
                explorer
            });
            let found = if stop.is_set() {
                Ok((Answer::undecided(), Times::default()))
            } else {
                self.search_symbolically(spec, engines, &inner, &sprinted)
            };
            (found, explorer.map(join))
        });
        let (mut found, times) = found?;
        if let Some(explored) = explored {
            if let (Verdict::Unknown { reason, .. }, Verdict::Unknown { reason: gave_up, .. }) =
                (&mut found.verdict, &explored.verdict)
            {
                *reason = with_exploration(reason.clone(), gave_up);
            }
            found = found.agreed(explored)?;
        }
        Ok((found, times))
    }

    /// With all engines but the exploration. Sets `limits.stop` with an answer, `sprinted` after the sprints.
    fn search_symbolically(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
        sprinted: &Stop,
    ) -> Result<(Answer<'_>, Times), Failure> {
        let stop = limits.stop;
        let mut parts = match within(limits.budget, stop, || self.parts(spec)) {
            Ok(parts) => parts,
            Err(reason) => return Ok((Answer::unknown(reason), Times::default())),
        };
        let refutes = engines.contains(&Engine::Bmc);
        let idle = || (Answer::undecided(), Times::default());
        let refute = |bound: usize| {
            let limits = Limits { bound: limits.bound.min(bound), ..*limits };
            let (answer, times) = self.bounded_answer(spec, &limits);
            (answer.stopping(stop), times)
        };
        let (sprint, proof, (bounded, times)) = thread::scope(|scope| {
            let (suspicion, is_suspicious) = mpsc::channel();
            let bounded = spawn(scope, move || {
                let bound = if refutes { usize::MAX } else { SUSPECTED };
                if refutes {
                    sprinted.sleep(BMC_JOINS);
                } else if is_suspicious.recv().is_err() {
                    return idle();
                }
                if stop.is_set() { idle() } else { refute(bound) }
            });
            let sprint = self.sprints(spec, engines, limits, &mut parts);
            if sprint.as_ref().map_or(true, Answer::is_decided) {
                stop.set();
            }
            sprinted.set();
            let proof = match &sprint {
                Ok(sprint) if !stop.is_set() => {
                    // Nobody listens any more once a search has begun.
                    let suspects = || suspicion.send(()).unwrap_or_default();
                    self.prove_with_all(&mut parts, engines, sprint, limits, &suspects)
                }
                _ => Proving::Answered(Answer::undecided()),
            };
            drop(suspicion);
            let mut bounded = join(bounded);
            // Without a trace there is no verdict: it has to be searched then.
            if matches!(proof, Proving::TraceMissing(_)) && !refutes && !bounded.0.is_decided() {
                bounded = refute(usize::MAX);
            }
            (sprint, proof, bounded)
        });
        let answer = match proof {
            Proving::NotTried => bounded.agreed(sprint?)?,
            Proving::Answered(mut proof) | Proving::TraceMissing(mut proof) => {
                if let Verdict::Unknown { clear, .. } = &mut proof.verdict {
                    *clear = depth_without_counterexample(&bounded.verdict);
                }
                proof.agreed(sprint?)?.agreed(bounded)?
            }
        };
        Ok((answer, times))
    }

    /// PDR, and soon Spacer beside it, each for a while.
    fn sprints(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
        parts: &mut PartByPart,
    ) -> Result<Answer<'_>, Failure> {
        let stop = Stop::under(limits.stop);
        let inner = Limits { stop: &stop, ..*limits };
        let alone = Stop::under(&stop);
        let time = if parts.are_safety() { SAFETY_SPRINT } else { LIVENESS_SPRINT };
        let prover = |engine: Engine| engines.contains(&engine).then(|| (self.provers)(engine)).flatten();
        thread::scope(|scope| {
            let by_spacer = prover(Engine::Spacer).map(|spacer| {
                let (stop, alone, inner) = (&stop, &alone, &inner);
                spawn(scope, move || {
                    alone.sleep(SPACER_JOINS);
                    if stop.is_set() {
                        return Answer::undecided();
                    }
                    let sprint = || self.sprint(spacer, time, true, &mut self.parts(spec), inner);
                    within(inner.budget, stop, sprint).unwrap_or_else(Answer::unknown).stopping(stop)
                })
            });
            let by_pdr = match prover(Engine::Pdr) {
                Some(pdr) => self.sprint(pdr, time, false, parts, &inner).stopping(&stop),
                None => Answer::undecided(),
            };
            alone.set();
            match by_spacer {
                Some(by_spacer) => by_pdr.agreed(join(by_spacer)),
                None => Ok(by_pdr),
            }
        })
    }

    /// Visits all runs if they are few, in so much time; the check of what comes of it may take longer.
    fn exploration(&self, spec: usize, limits: &Limits, budget: Budget) -> Answer<'_> {
        const EXPLICIT: &[&str] = &["explicit"];
        let formula = &self.model().specs[spec].formula;
        let begin = Progress::begin(Engine::Explicit);
        let config = explicit::Config {
            memory: self.exploration_memory,
            budget,
            stop: limits.stop,
            progress: &|states| (limits.progress)(Progress { states: Some(states), ..begin }),
            ..explicit::Config::default()
        };
        let _logged = info_span!("explicit").entered();
        info!("begins");
        match explicit::run(self.semantics(), formula, config) {
            ExplicitClaim::Unknown { reason, states } => {
                info!("gives up after {states} product states: {reason}");
                let reason = match as_reason(reason) {
                    listed if states > 0 => listed.detailed(format!("product states visited: {states}")),
                    none => none,
                };
                Answer::new(Verdict::Unknown { clear: None, reason }, "explicit")
            }
            ExplicitClaim::Violated(trace) => self.confirmed(spec, &trace, EXPLICIT, limits),
            ExplicitClaim::Holds(certificate) => {
                info!("all runs explored; checks that");
                let confirm = || confirm_exploration(self.semantics(), formula, certificate);
                match within(limits.budget, limits.stop, confirm) {
                    Ok(Ok(proof)) => Answer::new(Verdict::Holds(Proof::Exploration(proof)), "explicit"),
                    Ok(Err(why)) => Answer::refused(limits, EXPLICIT, BadEvidence::Exploration(why)),
                    Err(reason) => Answer::unknown(reason),
                }
            }
        }
    }

    /// The answer that a trace allows.
    fn confirmed(&self, spec: usize, trace: &Trace, engines: &[&str], limits: &Limits) -> Answer<'_> {
        match within(limits.budget, limits.stop, || self.violated(spec, trace)) {
            Ok(verdict) => Answer::checked(limits, engines, verdict),
            Err(reason) => Answer::unknown(reason),
        }
    }

    fn violated(&self, spec: usize, trace: &Trace) -> Result<Verdict<'_>, Refuted> {
        let counterexample = Counterexample::confirm(self.semantics(), &self.model().specs[spec].formula, trace)?;
        Ok(Verdict::Violated(Box::new(counterexample)))
    }

    /// The conjuncts of a spec; none is proved.
    fn parts(&self, spec: usize) -> PartByPart {
        let mut system = self.base.clone();
        let property = Property::new(self.model(), &mut system, &self.model().specs[spec]);
        PartByPart { spec, system, property, claims: Vec::new(), names: Vec::new() }
    }

    /// One prover in one context, without further ado: no shared invariants, no rankings, and acceptance is counted to
    /// one, if liveness is asked for at all.
    fn sprint(
        &self,
        prover: &dyn Prover,
        time: Duration,
        only_safety: bool,
        parts: &mut PartByPart,
        limits: &Limits,
    ) -> Answer<'_> {
        let Limits { budget, stop, progress, .. } = *limits;
        let contest = Contest {
            model: self.model(),
            provers: &[prover],
            ranks: false,
            counts: Some(1),
            shoals: false,
            invariants: &Invariants::default(),
            budget,
            racing: budget.at_most(time),
            progress,
            suspects: &|| {},
            stop,
            needless: stop,
        };
        with_context(stop, || match parts.go_on(&contest, only_safety) {
            Ok(proof) => self.conclude(parts.spec, proof, limits),
            Err(contradiction) => Answer::contradictory(limits, contradiction),
        })
    }

    /// The answer that a claim of provers allows once its evidence was checked.
    fn conclude(&self, spec: usize, proof: ProofSearch, limits: &Limits) -> Answer<'_> {
        match proof {
            ProofSearch::Refuted(Some(trace), engine) => self.confirmed(spec, &trace, &[engine], limits),
            ProofSearch::Refuted(None, engine) => {
                let reason = Reason::Engine(format!("{engine} says that it is violated, but no trace was found"));
                Answer::new(Verdict::Unknown { clear: None, reason }, engine)
            }
            ProofSearch::Proved(claims, provers) => {
                info!("all conjuncts are proved; checks that");
                let confirm = || self.certificate(spec, &claims, &provers, limits);
                let verdict = match within(limits.budget, limits.stop, confirm) {
                    Err(reason) => return Answer::unknown(reason),
                    Ok(checked) => checked,
                };
                let verdict = match verdict {
                    Ok(certificate) => Ok(Verdict::Holds(Proof::Invariants(Box::new(certificate)))),
                    Err(NoCertificate::NoProof(NoProof::Unknown(reason))) => {
                        Ok(Verdict::Unknown { clear: None, reason })
                    }
                    Err(why) => Err(BadEvidence::Certificate(why)),
                };
                Answer::checked(limits, &provers, verdict)
            }
            ProofSearch::Unknown(reason) => Answer::unknown(reason),
        }
    }

    /// With all provers but those whose claims were refused, now or in the sprints. Sets `limits.stop` with an answer.
    fn prove_with_all(
        &self,
        parts: &mut PartByPart,
        engines: &[Engine],
        sprint: &Answer,
        limits: &Limits,
        suspects: &(dyn Fn() + Sync),
    ) -> Proving<'_> {
        let mut refused: Vec<String> = sprint.refused_engines().cloned().collect();
        let mut earlier = Answer::undecided();
        if self.provers(engines).is_empty() {
            return Proving::NotTried;
        }
        loop {
            let proof = self.search_proof(parts, engines, &refused, limits, suspects);
            let lacks_trace = matches!(proof, Ok(ProofSearch::Refuted(None, _)));
            let known = refused.len();
            let answer = match proof {
                // The proof has a chance to be checked.
                Err(Contradiction(prover, refuter)) => {
                    refused.push(refuter.to_owned());
                    Answer::contradictory(limits, Contradiction(prover, refuter))
                }
                Ok(proof) => {
                    let answer = self.conclude(parts.spec, proof, limits).stopping(limits.stop);
                    let fresh = answer.refused_engines().filter(|name| !refused.contains(name));
                    let fresh: Vec<String> = fresh.cloned().collect();
                    refused.extend(fresh);
                    answer
                }
            };
            let again = refused.len() > known && !limits.stop.is_set();
            let answer = answer.after(earlier);
            match (again, lacks_trace) {
                (true, _) => earlier = answer,
                (false, true) => return Proving::TraceMissing(answer),
                (false, false) => return Proving::Answered(answer),
            }
        }
    }

    /// Proves part by part: without further ado while the shared invariants are looked for, then with them.
    fn search_proof(
        &self,
        parts: &mut PartByPart,
        engines: &[Engine],
        refused: &[String],
        limits: &Limits,
        suspects: &(dyn Fn() + Sync),
    ) -> Result<ProofSearch, Contradiction> {
        let Limits { budget, stop, progress, .. } = *limits;
        let takes_part = |name: &str| !refused.iter().any(|other| other == name);
        let mut provers = self.provers(engines);
        provers.retain(|prover| takes_part(prover.name()));
        if provers.is_empty() {
            return Ok(ProofSearch::Unknown(Reason::Interrupted));
        }
        if engines.contains(&Engine::Bmc) {
            stop.sleep(PROVERS_JOIN);
        }
        let counter = engines.iter().find(|&&engine| engine != Engine::Rlive && engine.prover().is_some());
        let counts = counter.map(|_| MOST_COUNTED);
        let shoals = engines.contains(&Engine::Rlive) && takes_part("rlive");
        let (found, needless) = (Stop::under(stop), Stop::under(stop));
        thread::scope(|scope| {
            let invariants = spawn(scope, || {
                let invariants = with_context(&needless, || self.invariants(budget, &needless));
                info!("{} invariants of the model", invariants.clauses.len());
                found.set();
                invariants
            });
            let (none, racing) = (Invariants::default(), budget);
            let early = Contest {
                model: self.model(),
                provers: &provers,
                ranks: true,
                counts,
                shoals,
                invariants: &none,
                budget,
                racing,
                progress,
                suspects,
                stop: &found,
                needless: stop,
            };
            let mut result = parts.go_on(&early, true);
            if !matches!(result, Ok(ProofSearch::Unknown(_))) {
                needless.set();
            } else {
                let invariants = join(invariants);
                result = parts.go_on(&Contest { invariants: &invariants, stop, ..early }, false);
            }
            result
        })
    }

    /// Whom the engines ask about bad states: each prover once.
    fn provers(&self, engines: &[Engine]) -> Vec<&'static dyn Prover> {
        let repeats = |engine: &Engine| *engine == Engine::Rlive && engines.contains(&Engine::Pdr);
        engines.iter().filter(|engine| !repeats(engine)).filter_map(|&engine| (self.provers)(engine)).collect()
    }
}

/// The conjuncts of a spec, of which the first ones have been proved.
struct PartByPart {
    spec: usize,
    system: System,
    property: Property,
    claims: Vec<PartClaim>,
    /// Who proved them.
    names: Vec<&'static str>,
}

impl PartByPart {
    /// Whether all conjuncts are safety properties.
    fn are_safety(&self) -> bool {
        self.property.parts.iter().all(|part| self.property.ltl.is_cosafe(part.negation))
    }

    /// Goes on to the first conjunct that is not proved, or that is liveness if only safety is asked for.
    fn go_on(&mut self, contest: &Contest, only_safety: bool) -> Result<ProofSearch, Contradiction> {
        for part in &self.property.parts[self.claims.len()..] {
            let number = self.claims.len() + 1;
            let _logged = info_span!("conjunct", name = %format_args!("conjunct {number}")).entered();
            if only_safety && !self.property.ltl.is_cosafe(part.negation) {
                return Ok(ProofSearch::Unknown(Reason::Interrupted));
            }
            match contest.prove_part(&self.system, &self.property, part)? {
                PartSearch::Proved(claim, name) => {
                    self.claims.push(*claim);
                    if !self.names.contains(&name) {
                        self.names.push(name);
                    }
                }
                PartSearch::Refuted(trace, name) => return Ok(ProofSearch::Refuted(trace, name)),
                PartSearch::Unknown(reason) => return Ok(ProofSearch::Unknown(reason)),
            }
        }
        Ok(ProofSearch::Proved(std::mem::take(&mut self.claims), std::mem::take(&mut self.names)))
    }
}

fn as_reason(why: explicit_claim::Reason) -> Reason {
    match why {
        explicit_claim::Reason::Exceeded(exceeded) => exceeded.into(),
        explicit_claim::Reason::States | explicit_claim::Reason::NotEnumerable(_) => Reason::Engine(why.to_string()),
    }
}

/// Why nobody knows, with the reason of the exploration beside that of the others.
fn with_exploration(reason: Reason, gave_up: &Reason) -> Reason {
    match gave_up {
        Reason::Detailed(same, words) if **same == reason => reason.detailed(words.clone()),
        other => reason.detailed(format!("exploration: {other}")),
    }
}

fn depth_without_counterexample(verdict: &Verdict) -> Option<usize> {
    match verdict {
        Verdict::NoCounterexample { depth } => Some(*depth),
        Verdict::Unknown { clear, .. } => *clear,
        Verdict::Holds(_) | Verdict::Violated(_) => None,
    }
}
