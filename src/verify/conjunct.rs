//! Proves one conjunct of a spec: no run satisfies its negation.
//!
//! There are three ways. A prover is asked directly, with a counter if the conjunct is liveness (k-liveness, for k = 0, 1, 3, 7, ..);
//! a ranking is searched for, and provers are asked about what it leaves open; shoals are looked for. Provers are asked
//! about the simplified product; of an invariant, [`shrink()`] drops the clauses that its check does not need.

use super::durations;
use super::race::{Contradiction, Decided, race};
use super::{Engine, Limits, Progress};
use crate::claim::{Invariant, PartClaim, SafetyClaim, Trace};
use crate::engine::invariants::{Invariants, Later, Lemmas};
use crate::engine::kind::KInduction;
use crate::engine::ranking::{self, FoundRanking};
use crate::engine::rlive::{self, Liveness};
use crate::engine::{Config, Prover, SafetyQuestion, shrink::shrink};
use crate::limits::{Budget, Reason, Stop};
use crate::model::{Formula, Model};
use crate::product::rounds::Accepting;
use crate::product::target::{Target, accepting};
use crate::simplify::simplify;
use crate::smt::with_context;
use crate::ts::relevant::lasting;
use crate::ts::system::System;
use crate::ts::term::Term;
use std::time::{Duration, Instant};
use tracing::{info, info_span};

/// How far acceptance is counted for a proof of liveness in the end.
pub const MOST_COUNTED: usize = 63;

/// How far it is counted before a counterexample is suspected.
const SUSPICIOUS: usize = 7;

/// The answer of provers about a conjunct.
pub enum PartAnswer {
    /// Why no run violates it, and which engine found out.
    Proved(Box<PartClaim>, Engine),
    /// A run that violates it, if the engine gives one.
    Refuted(Option<Trace>, Engine),
    Unknown(Reason),
}

/// The engines that are asked, with which reductions, and for how long.
#[derive(Clone, Copy)]
pub struct Provers<'a> {
    /// The model whose specs are proved.
    pub model: &'a Model,
    /// The provers that decide whether bad states can be reached.
    pub provers: &'a [&'a dyn Prover],
    /// How far acceptance is counted, beyond what is ranked; nothing if it is not.
    pub counts: Option<usize>,
    /// The facts known of all reachable states, of which there may be more with time.
    pub lemmas: Option<&'a Lemmas>,
    /// How long it may take.
    pub budget: Budget,
    /// How long provers may take of that.
    pub racing: Budget,
    /// Told how far provers are.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Told when acceptance was seen so often that there may be a counterexample.
    pub suspects: &'a (dyn Fn() + Sync),
    /// Set to stop the search.
    pub stop: &'a Stop<'a>,
}

/// Why a search for a ranking ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RankingEnd {
    /// It found one, or tried all functions.
    Exhausted,
    /// More time may find more.
    Timeout,
}

/// A conjunct of a spec, and the system of the model.
pub type AskedConjunct<'a> = (&'a System, &'a Formula);

impl<'a> Provers<'a> {
    /// Safety alone, within these limits: nothing is counted, and nothing is known.
    pub fn new(model: &'a Model, provers: &'a [&'a dyn Prover], limits: &Limits<'a>) -> Provers<'a> {
        let Limits { budget, stop, progress, .. } = *limits;
        Provers { model, provers, counts: None, lemmas: None, budget, racing: budget, progress, suspects: &|| {}, stop }
    }

    /// Asks the provers, with a growing counter for liveness.
    pub fn counted(&self, asked: AskedConjunct) -> Result<PartAnswer, Contradiction> {
        self.count(asked, FoundRanking::default())
    }

    /// Liveness by a ranking; what it leaves is counted. If time ran out for the ranking, provers get no more of it, and then
    /// both do again, each time twice as much.
    pub fn ranked(&self, asked: AskedConjunct) -> Result<PartAnswer, Contradiction> {
        let Some((accepting, known)) = self.accepting(asked) else { return Ok(no_ranking()) };
        let mut time = durations::RANKING;
        loop {
            let (found, ends) = self.ranking(&accepting, &known, time);
            let racing = match ends {
                RankingEnd::Exhausted => self.racing,
                RankingEnd::Timeout => self.racing.aside(time),
            };
            if !found.is_empty() {
                let answer = Provers { racing, ..*self }.count(asked, found)?;
                if !matches!(answer, PartAnswer::Unknown(_)) {
                    return Ok(answer);
                }
            }
            if self.stop.is_set() || self.racing.is_over() || ends == RankingEnd::Exhausted {
                return Ok(no_ranking());
            }
            time *= 2;
        }
    }

    /// Liveness by shoals; the ranking that they are is proved by induction.
    pub fn by_shoals(&self, asked: AskedConjunct) -> Result<PartAnswer, Contradiction> {
        let Some((accepting, known)) = self.accepting(asked) else { return Ok(no_ranking()) };
        let deeper = |depth| (self.progress)(Progress::deeper(Engine::Rlive, depth));
        let config = Config { budget: self.budget, stop: self.stop, progress: &deeper };
        let _logged = info_span!("prover", name = %Engine::Rlive).entered();
        Ok(match with_context(self.stop, || rlive::run(&accepting, &known, config)) {
            Err(reason) => {
                info!("gives up: {reason}");
                (self.suspects)();
                PartAnswer::Unknown(reason)
            }
            Ok(Liveness::Infinitely(lasso)) => PartAnswer::Refuted(Some(lasso), Engine::Rlive),
            Ok(Liveness::Finitely(found)) => {
                let induction = Provers { provers: &[&KInduction], ..*self };
                match induction.count(asked, found)? {
                    PartAnswer::Proved(claim, _) => PartAnswer::Proved(claim, Engine::Rlive),
                    other => other,
                }
            }
        })
    }

    /// The simplified product whose accepting states are to be seen finitely often, and what is known of it; nothing for safety.
    fn accepting(&self, (original, formula): AskedConjunct) -> Option<(Accepting, Vec<Term>)> {
        let accepting = accepting(self.model, original.clone(), formula)?;
        let (mut system, _) = simplify(accepting.system);
        let seen = system.fold(accepting.seen);
        let known = self.later().map_or_else(Vec::new, |mut later| later.imported(system.terms_mut()));
        Some((Accepting { system, seen }, known))
    }

    /// With growing counters for liveness.
    fn count(&self, (original, formula): AskedConjunct, found: FoundRanking) -> Result<PartAnswer, Contradiction> {
        let FoundRanking { ranking, invariants, .. } = found;
        let invariants = Invariants { terms: ranking.terms.clone(), clauses: invariants };
        let mut counted = ranking.components.len().min(1);
        loop {
            let Target { system, bad, reduction, .. } =
                Target::simplest(self.model, original, formula, counted, &ranking);
            match self.unreachable(system, bad, &invariants)? {
                (SafetyClaim::Unreachable(invariant), engine) => {
                    let claim = PartClaim { reduction, ranking, invariant };
                    return Ok(PartAnswer::Proved(Box::new(claim), engine));
                }
                (SafetyClaim::Unknown(reason), _) => return Ok(PartAnswer::Unknown(reason)),
                (SafetyClaim::Reached(trace), engine) if reduction.is_exact() => {
                    return Ok(PartAnswer::Refuted(trace, engine));
                }
                (SafetyClaim::Reached(_), _) if self.counts.is_none_or(|most| counted >= most) => {
                    let words = format!("no proof that counts to {counted}");
                    return Ok(PartAnswer::Unknown(Reason::Engine(words)));
                }
                (SafetyClaim::Reached(_), _) => {
                    if counted >= SUSPICIOUS {
                        (self.suspects)();
                    }
                    counted = 2 * counted + 1;
                    info!("acceptance is reached so often; counts to {counted}");
                }
            }
        }
    }

    /// The terms that can be ranked, and the relations between the obligations.
    fn ranking(&self, accepting: &Accepting, known: &[Term], time: Duration) -> (FoundRanking, RankingEnd) {
        let budget = self.budget.aside(time);
        let found = with_context(self.stop, || ranking::find(accepting.clone(), known, budget, self.stop));
        let lacks_time = !found.complete && budget.is_over();
        (found, if lacks_time { RankingEnd::Timeout } else { RankingEnd::Exhausted })
    }

    /// The facts of which some are known already.
    fn later(&self) -> Option<Later<'a>> {
        self.lemmas.map(Lemmas::pieces)
    }

    /// On the simplified system; the facts of the simplification join the invariant, of which only what is
    /// needed remains.
    pub(super) fn unreachable(
        &self,
        original: System,
        originally_bad: Term,
        more: &Invariants,
    ) -> Result<Decided, Contradiction> {
        let (mut system, facts) = simplify(original.clone());
        let bad = system.fold(originally_bad);
        let facts = facts.invariant(&mut system);
        let mut later = self.later();
        let mut known = later.as_mut().map_or_else(Vec::new, |later| later.imported(system.terms_mut()));
        known.extend(more.imported(system.terms_mut()));
        known.extend(lasting(&system, bad));
        known.extend(ranking::idle_counters(&mut system, &known, self.budget, self.stop));
        let question = SafetyQuestion { system: &system, bad, known: &known, later };
        let begin = Instant::now();
        Ok(match race(self.provers, question, self.racing, self.stop, self.progress)? {
            (SafetyClaim::Unreachable(Invariant { terms, mut clauses, k }), engine) => {
                clauses.push(facts);
                let invariant = Invariant { terms, clauses, k };
                let config =
                    Config { budget: self.budget.aside(durations::SHRINKING), stop: self.stop, progress: &|_| {} };
                let proving = begin.elapsed();
                let smaller = || shrink(&original, originally_bad, invariant, proving, config);
                let invariant = with_context(self.stop, smaller);
                info!("shrunk to {} clauses", invariant.clauses.len());
                (SafetyClaim::Unreachable(invariant), engine)
            }
            other => other,
        })
    }
}

fn no_ranking() -> PartAnswer {
    PartAnswer::Unknown(Reason::Engine("no ranking was found".to_owned()))
}
