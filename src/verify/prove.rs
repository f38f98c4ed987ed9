//! Verdicts without a bound: a portfolio of engines.
//!
//! Most specs need no more than one engine for an instant. So a brief exploration of all runs begins, PDR joins in soon,
//! then Spacer, then an exploration that goes on to the end, then the search for a counterexample. Once PDR and Spacer
//! are at their ends, or had their time, all provers run side by side in threads; where there are fewer cores than
//! threads, the operating system gives each its slices. The provers race conjunct by conjunct. Whatever has an answer
//! first stops the rest.

use super::contest::{Contest, MOST_COUNTED, PartSearch};
use super::race::Contradiction;
use super::{Engine, Limits, Outcome, Progress, Subject};
use crate::check::certificate::{Certificate, NoCertificate};
use crate::check::explicit::{Unproved, confirm as confirm_exploration};
use crate::check::invariant::NoProof;
use crate::check::{Counterexample, Proof, Refuted, Verdict, judge};
use crate::claim::explicit::{self as explicit_claim, ExplicitClaim};
use crate::claim::{Claim, PartClaim, Trace};
use crate::engine::bmc::Times;
use crate::engine::invariants::Invariants;
use crate::engine::pdr::Pdr;
use crate::engine::spacer::Spacer;
use crate::engine::{Prover, explicit};
use crate::property::Property;
use crate::smt::{Budget, Reason, Stop, spawn, with_context};
use crate::ts::history::base_system;
use crate::ts::system::System;
use std::fmt;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

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

/// What the provers found.
enum ProofSearch {
    /// An invariant per part, and the engines that found them.
    Proved(Vec<PartClaim>, Vec<&'static str>),
    /// A violation of a safety part, and the engine that found it.
    Refuted(Option<Trace>, &'static str),
    /// Neither.
    Unknown(Reason),
    /// There are no provers.
    NotTried,
}

/// A verdict, and whose claims it rests on.
type Answer<'s> = (Verdict<'s>, String);

/// Evidence that did not survive its check, or claims that contradict each other: an internal error.
#[derive(Debug)]
pub enum BadEvidence {
    /// Of a violation.
    Counterexample(Refuted),
    /// Of a proof.
    Certificate(NoCertificate),
    /// Of an exploration.
    Exploration(Unproved),
    /// The first one proved what the second one refuted.
    Contradiction(String, String),
}

impl fmt::Display for BadEvidence {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            BadEvidence::Counterexample(why) => write!(f, "{why}"),
            BadEvidence::Certificate(why) => write!(f, "{why}"),
            BadEvidence::Exploration(why) => write!(f, "{why}"),
            BadEvidence::Contradiction(prover, refuter) => write!(f, "{prover} proved what {refuter} refuted"),
        }
    }
}

impl From<Contradiction> for BadEvidence {
    fn from(Contradiction(prover, refuter): Contradiction) -> BadEvidence {
        BadEvidence::Contradiction(prover.to_owned(), refuter.to_owned())
    }
}

impl From<Refuted> for BadEvidence {
    fn from(why: Refuted) -> BadEvidence {
        BadEvidence::Counterexample(why)
    }
}

impl Subject<'_> {
    /// Decides a spec for all runs with these engines. `limits.bound` bounds the search for a
    /// counterexample only.
    pub fn prove<'s>(&'s self, spec: usize, engines: &[Engine], limits: &Limits) -> Result<Outcome<'s>, BadEvidence> {
        let start = Instant::now();
        let outcome = |(verdict, engine): Answer<'s>, times: Times| {
            let times = Times { solving: start.elapsed() - times.encoding, ..times };
            Outcome { verdict, engine, idle: Vec::new(), times }
        };
        let explores = engines.contains(&Engine::Explicit);
        if explores && engines.iter().all(|&engine| engine == Engine::Explicit) {
            return Ok(outcome(self.exploration(spec, limits)?, Times::default()));
        }
        let stop = Stop::under(limits.stop);
        let inner = Limits { stop: &stop, ..*limits };
        let sprinted = Stop::under(&stop);
        let (tried, is_tried) = mpsc::channel();
        let (found, explored) = thread::scope(|scope| {
            let explore = || {
                let briefly = Limits { budget: limits.budget.at_most(EXPLORING), ..inner };
                let brief = stopping(&stop, self.exploration(spec, &briefly));
                // If that took long nobody listens any more.
                let _ = tried.send(());
                if !matches!(brief, Ok((Verdict::Unknown { .. }, _))) {
                    return brief;
                }
                sprinted.sleep(EXPLORER_JOINS);
                if stop.is_set() { Ok(undecided()) } else { stopping(&stop, self.exploration(spec, &inner)) }
            };
            let explorer = explores.then(|| {
                let explorer = spawn(scope, explore);
                let _ = is_tried.recv_timeout(OTHERS_JOIN);
                explorer
            });
            let found = if stop.is_set() {
                Ok((undecided(), Times::default()))
            } else {
                self.search_symbolically(spec, engines, &inner, &sprinted)
            };
            (found, explorer.map(|explorer| explorer.join().expect("the exploration does not panic")))
        });
        let ((found, times), explored) = (found?, explored.transpose()?);
        let answer = match (found, explored) {
            (found, None) => found,
            ((Verdict::Unknown { clear, reason }, engine), Some((Verdict::Unknown { reason: gave_up, .. }, _))) => {
                let reason = match gave_up {
                    Reason::Detailed(same, words) if *same == reason => reason.detailed(words),
                    other => reason.detailed(format!("exploration: {other}")),
                };
                (Verdict::Unknown { clear, reason }, engine)
            }
            (found, Some(explored)) => agreed(found, explored)?,
        };
        Ok(outcome(answer, times))
    }

    /// With all engines but the exploration. Sets `limits.stop` with an answer, `sprinted` after the sprints.
    fn search_symbolically(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
        sprinted: &Stop,
    ) -> Result<(Answer<'_>, Times), BadEvidence> {
        let stop = limits.stop;
        let mut parts = self.parts(spec);
        let refutes = engines.contains(&Engine::Bmc);
        let idle = || (Claim::Unknown { clear: None, reason: Reason::Interrupted }, Times::default());
        let refute = || {
            let (claim, times) = self.bounded_claim(spec, limits);
            if claim.is_violation() {
                stop.set();
            }
            (claim, times)
        };
        let (sprint, proof, bounded) = thread::scope(|scope| {
            let bounded = refutes.then(|| {
                spawn(scope, || {
                    sprinted.sleep(BMC_JOINS);
                    if stop.is_set() { idle() } else { refute() }
                })
            });
            let sprint = stopping(stop, self.sprints(spec, engines, limits, &mut parts));
            sprinted.set();
            let proof = if stop.is_set() {
                Ok(ProofSearch::Unknown(Reason::Interrupted))
            } else {
                self.search_proof(&mut parts, engines, limits)
            };
            // Without a trace there is no verdict: it has to be searched then.
            let refute = || if matches!(proof, Ok(ProofSearch::Refuted(None, _))) { refute() } else { idle() };
            let bounded = bounded.map_or_else(refute, |it| it.join().expect("the search does not panic"));
            (sprint, proof, bounded)
        });
        let (sprint, (claim, times)) = (sprint?, bounded);
        let answer = match (sprint, claim) {
            ((Verdict::Holds(_), prover), claim) if claim.is_violation() => {
                return Err(BadEvidence::Contradiction(prover, Engine::Bmc.to_string()));
            }
            (sprint, _) if is_decided(&sprint.0) => sprint,
            (_, claim) => self.conclude(spec, proof?, claim, limits.budget)?,
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
    ) -> Result<Answer<'_>, BadEvidence> {
        let stop = Stop::under(limits.stop);
        let inner = Limits { stop: &stop, ..*limits };
        let alone = Stop::under(&stop);
        let time = if parts.are_safety() { SAFETY_SPRINT } else { LIVENESS_SPRINT };
        thread::scope(|scope| {
            let by_spacer = engines.contains(&Engine::Spacer).then(|| {
                spawn(scope, || {
                    alone.sleep(SPACER_JOINS);
                    if stop.is_set() {
                        return Ok(undecided());
                    }
                    stopping(&stop, self.sprint(&Spacer, time, true, &mut self.parts(spec), &inner))
                })
            });
            let by_pdr = if engines.contains(&Engine::Pdr) {
                stopping(&stop, self.sprint(&Pdr, time, false, parts, &inner))
            } else {
                Ok(undecided())
            };
            alone.set();
            match by_spacer {
                Some(by_spacer) => agreed(by_pdr?, by_spacer.join().expect("the prover does not panic")?),
                None => by_pdr,
            }
        })
    }

    /// The answer of the exploration.
    fn exploration(&self, spec: usize, limits: &Limits) -> Result<Answer<'_>, BadEvidence> {
        Ok((self.explore(spec, limits)?, Engine::Explicit.to_string()))
    }

    /// Visits all runs if they are few.
    fn explore(&self, spec: usize, limits: &Limits) -> Result<Verdict<'_>, BadEvidence> {
        let formula = &self.model().specs[spec].formula;
        let begin = Progress::begin(Engine::Explicit);
        let config = explicit::Config {
            memory: self.exploration_memory,
            budget: limits.budget,
            stop: limits.stop,
            progress: &|states| (limits.progress)(Progress { states: Some(states), ..begin }),
            ..explicit::Config::default()
        };
        match explicit::run(self.semantics(), formula, config) {
            ExplicitClaim::Unknown { reason, states } => {
                let reason = match as_reason(reason) {
                    listed if states > 0 => listed.detailed(format!("product states visited: {states}")),
                    none => none,
                };
                Ok(Verdict::Unknown { clear: None, reason })
            }
            ExplicitClaim::Violated(trace) => Ok(self.violated(spec, &trace)?),
            ExplicitClaim::Holds(certificate) => {
                let proof = confirm_exploration(self.semantics(), formula, certificate);
                Ok(Verdict::Holds(Proof::Exploration(proof.map_err(BadEvidence::Exploration)?)))
            }
        }
    }

    fn violated(&self, spec: usize, trace: &Trace) -> Result<Verdict<'_>, Refuted> {
        let counterexample = Counterexample::confirm(self.semantics(), &self.model().specs[spec].formula, trace)?;
        Ok(Verdict::Violated(Box::new(counterexample)))
    }

    /// The conjuncts of a spec; none is proved.
    fn parts(&self, spec: usize) -> PartByPart {
        let mut system = base_system(self.model());
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
    ) -> Result<Answer<'_>, BadEvidence> {
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
            stop,
            needless: stop,
        };
        with_context(stop, || {
            let proof = parts.go_on(&contest, only_safety)?;
            let no_search = Claim::Unknown { clear: None, reason: Reason::Interrupted };
            self.conclude(parts.spec, proof, no_search, budget)
        })
    }

    /// The verdict that the claims allow once their evidence was checked, and whose claim it rests on.
    fn conclude<'s>(
        &'s self,
        spec: usize,
        proof: ProofSearch,
        bounded: Claim,
        budget: Budget,
    ) -> Result<Answer<'s>, BadEvidence> {
        let clear = clear(&bounded);
        match (proof, bounded) {
            (ProofSearch::Proved(_, provers), claim) if claim.is_violation() => {
                Err(BadEvidence::Contradiction(provers.join(" and "), "bmc".to_owned()))
            }
            (_, claim @ Claim::Recurrent { .. }) => {
                let formula = &self.model().specs[spec].formula;
                Ok((judge(self.semantics(), formula, claim, budget)?, "bmc".to_owned()))
            }
            (_, Claim::Violated { trace }) => Ok((self.violated(spec, &trace)?, "bmc".to_owned())),
            (ProofSearch::Refuted(Some(trace), engine), _) => Ok((self.violated(spec, &trace)?, engine.to_owned())),
            (ProofSearch::Refuted(None, engine), _) => {
                let reason = Reason::Engine(format!("{engine} says that it is violated, but no trace was found"));
                Ok((Verdict::Unknown { clear, reason }, engine.to_owned()))
            }
            (ProofSearch::Proved(claims, provers), _) => {
                let verdict = match with_context(&Stop::new(), || {
                    Certificate::confirm(self.semantics(), self.sample(), spec, claims, budget)
                }) {
                    Ok(certificate) => Verdict::Holds(Proof::Invariants(Box::new(certificate))),
                    Err(NoCertificate::NoProof(NoProof::Unknown(reason))) => Verdict::Unknown { clear, reason },
                    Err(why) => return Err(BadEvidence::Certificate(why)),
                };
                Ok((verdict, provers.join(" and ")))
            }
            (ProofSearch::NotTried, claim) => {
                let formula = &self.model().specs[spec].formula;
                Ok((judge(self.semantics(), formula, claim, budget)?, String::new()))
            }
            (ProofSearch::Unknown(reason), _) => Ok((Verdict::Unknown { clear, reason }, String::new())),
        }
    }

    /// Proves part by part: without further ado while the shared invariants are looked for, then with them.
    fn search_proof(
        &self,
        parts: &mut PartByPart,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<ProofSearch, Contradiction> {
        let Limits { budget, stop, progress, .. } = *limits;
        let provers = provers(engines);
        if provers.is_empty() {
            return Ok(ProofSearch::NotTried);
        }
        if engines.contains(&Engine::Bmc) {
            stop.sleep(PROVERS_JOIN);
        }
        let counter = engines.iter().find(|&&engine| engine != Engine::Rlive && engine.prover().is_some());
        let counts = counter.map(|_| MOST_COUNTED);
        let shoals = engines.contains(&Engine::Rlive);
        let (found, needless) = (Stop::under(stop), Stop::under(stop));
        thread::scope(|scope| {
            let invariants = scope.spawn(|| {
                let invariants = with_context(&needless, || self.invariants(budget, &needless));
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
                stop: &found,
                needless: stop,
            };
            let mut result = parts.go_on(&early, true);
            if !matches!(result, Ok(ProofSearch::Unknown(_))) {
                needless.set();
            } else {
                let invariants = invariants.join().expect("the search does not panic");
                result = parts.go_on(&Contest { invariants: &invariants, stop, ..early }, false);
            }
            if matches!(result, Ok(ProofSearch::Proved(..) | ProofSearch::Refuted(Some(_), _)) | Err(_)) {
                stop.set();
            }
            result
        })
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
        explicit_claim::Reason::Timeout => Reason::Timeout,
        explicit_claim::Reason::Memory => Reason::Memory,
        explicit_claim::Reason::Stopped => Reason::Interrupted,
        explicit_claim::Reason::States | explicit_claim::Reason::NotEnumerable(_) => Reason::Engine(why.to_string()),
    }
}

/// An answer that is decided makes others stop.
fn stopping<'s>(stop: &Stop, answer: Result<Answer<'s>, BadEvidence>) -> Result<Answer<'s>, BadEvidence> {
    if !matches!(answer, Ok((Verdict::Unknown { .. }, _))) {
        stop.set();
    }
    answer
}

/// Of somebody who did not begin.
fn undecided<'s>() -> Answer<'s> {
    (Verdict::Unknown { clear: None, reason: Reason::Interrupted }, String::new())
}

/// One of two answers that do not contradict each other, decided if one of them is.
fn agreed<'s>(first: Answer<'s>, second: Answer<'s>) -> Result<Answer<'s>, BadEvidence> {
    match (&first.0, &second.0) {
        (Verdict::Holds(_), Verdict::Violated(_)) => Err(BadEvidence::Contradiction(first.1, second.1)),
        (Verdict::Violated(_), Verdict::Holds(_)) => Err(BadEvidence::Contradiction(second.1, first.1)),
        (undecided, decided) if !is_decided(undecided) && is_decided(decided) => Ok(second),
        _ => Ok(first),
    }
}

fn is_decided(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Holds(_) | Verdict::Violated(_))
}

fn clear(claim: &Claim) -> Option<usize> {
    match claim {
        Claim::Clear { depth } => Some(*depth),
        Claim::Unknown { clear, .. } | Claim::Recurrent { clear, .. } => *clear,
        Claim::Violated { .. } => None,
    }
}

/// Whom the engines ask about bad states: each prover once.
fn provers(engines: &[Engine]) -> Vec<&'static dyn Prover> {
    let repeats = |engine: &Engine| *engine == Engine::Rlive && engines.contains(&Engine::Pdr);
    engines.iter().filter(|engine| !repeats(engine)).filter_map(|engine| engine.prover()).collect()
}
