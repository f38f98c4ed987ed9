//! Proves one conjunct of a spec: no run satisfies its negation.
//!
//! For a safety property the provers are asked directly. For a liveness property a ranking is searched for first; a
//! counter (k-liveness, for k = 0, 1, 3, 7, ..) covers what the ranking leaves open, while another thread looks for
//! shoals. Provers are asked about the simplified product; of an invariant, [`shrink()`] drops the clauses that its
//! check does not need.

use super::durations;
use super::race::{Contradiction, Decided, race};
use super::{Engine, Limits, Progress};
use crate::claim::{Invariant, PartClaim, SafetyClaim, Trace};
use crate::engine::invariants::Invariants;
use crate::engine::kind::KInduction;
use crate::engine::ranking::{self, FoundRanking};
use crate::engine::rlive::{self, Liveness};
use crate::engine::{Config, Prover, SafetyQuestion, shrink::shrink};
use crate::limits::{Budget, Reason, Stop, join, spawn, within};
use crate::model::{Formula, Model};
use crate::product::rounds::Accepting;
use crate::product::target::{Target, accepting};
use crate::simplify::simplify;
use crate::smt::with_context;
use crate::ts::relevant::lasting;
use crate::ts::system::System;
use crate::ts::term::Term;
use rustc_hash::FxHashMap;
use std::thread;
use std::time::{Duration, Instant};
use tracing::{info, info_span};

/// How far acceptance is counted for a proof of liveness in the end.
pub const MOST_COUNTED: usize = 63;

/// How far it is counted before a counterexample is suspected.
const SUSPICIOUS: usize = 7;

/// The answer of provers about something.
pub enum ProversAnswer<C, E> {
    /// Why no run violates it, and which engines found out.
    Proved(C, E),
    /// A run that violates it, if the engine gives one.
    Refuted(Option<Trace>, Engine),
    Unknown(Reason),
}

/// The answer about one part.
pub type PartAnswer = ProversAnswer<Box<PartClaim>, Engine>;

/// The engines that are asked, with which reductions, and for how long.
#[derive(Clone, Copy)]
pub struct Provers<'a> {
    /// The model whose specs are proved.
    pub model: &'a Model,
    /// The prover that decides whether bad states can be reached.
    pub provers: &'a [&'a dyn Prover],
    /// True if rankings are looked for.
    pub ranks: bool,
    /// How far acceptance is counted, beyond what is ranked; nothing if it is not.
    pub counts: Option<usize>,
    /// True if shoals are looked for.
    pub shoals: bool,
    /// The facts known of all reachable states.
    pub invariants: Option<&'a Invariants>,
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
    /// Set when a proof is not needed any more; `stop` may be set before that, to search in another way.
    pub cancelled: &'a Stop<'a>,
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
type AskedConjunct<'a> = (&'a System, &'a Formula);

impl<'a> Provers<'a> {
    /// Safety alone, within these limits: nothing is ranked or counted, no shoals are looked for, and nothing is known.
    pub fn new(model: &'a Model, provers: &'a [&'a dyn Prover], limits: &Limits<'a>) -> Provers<'a> {
        let Limits { budget, stop, progress, .. } = *limits;
        Provers {
            model,
            provers,
            ranks: false,
            counts: None,
            shoals: false,
            invariants: None,
            budget,
            racing: budget,
            progress,
            suspects: &|| {},
            stop,
            cancelled: stop,
        }
    }

    /// Liveness is ranked; what the ranking leaves is counted, while shoals are looked for.
    pub fn prove_part(&self, system: &System, formula: &Formula) -> Result<PartAnswer, Contradiction> {
        within(self.budget, self.cancelled, || self.search_part(system, formula))
            .unwrap_or_else(|reason| Ok(PartAnswer::Unknown(reason)))
    }

    fn search_part(&self, system: &System, formula: &Formula) -> Result<PartAnswer, Contradiction> {
        let asked = (system, formula);
        let ranked = self.ranks.then(|| accepting(self.model, system.clone(), formula)).flatten();
        let Some(accepting) = ranked else { return self.count(asked, FoundRanking::default()) };
        let (mut system, _) = simplify(accepting.system);
        let seen = system.fold(accepting.seen);
        let known = self.known(&mut system);
        let accepting = Accepting { system, seen };
        let (found, ends) = self.ranking(&accepting, &known, durations::RANKING);
        match (self.counts.is_some() || found.complete, self.shoals && !found.complete) {
            (true, true) => self.both(asked, (found, ends), &accepting, &known),
            (false, true) => self.rlive(asked, &accepting, &known),
            _ => self.count(asked, found),
        }
    }

    /// Two ways at once; the first answer stops the other.
    fn both(
        &self,
        asked: AskedConjunct,
        found: (FoundRanking, RankingEnd),
        accepting: &Accepting,
        known: &[Term],
    ) -> Result<PartAnswer, Contradiction> {
        let stop = Stop::under(self.stop);
        let inner = Provers { stop: &stop, ..*self };
        let decided = |search: Result<PartAnswer, Contradiction>| {
            if !matches!(search, Ok(PartAnswer::Unknown(_))) {
                stop.set();
            }
            search
        };
        let (shoals, counted) = thread::scope(|scope| {
            let shoals = spawn(scope, || {
                let _stops_others = stop.set_in_panic();
                let search = || inner.rlive(asked, accepting, known);
                decided(within(self.budget, &stop, search).unwrap_or_else(|reason| Ok(PartAnswer::Unknown(reason))))
            });
            let _stops_others = stop.set_in_panic();
            let counted = decided(inner.rank_and_count(asked, found, accepting, known));
            (join(shoals), counted)
        });
        match (shoals?, counted?) {
            (PartAnswer::Proved(_, prover), PartAnswer::Refuted(_, refuter))
            | (PartAnswer::Refuted(_, refuter), PartAnswer::Proved(_, prover)) => Err(Contradiction(prover, refuter)),
            (PartAnswer::Unknown(_), counted) => Ok(counted),
            (shoals, _) => Ok(shoals),
        }
    }

    /// With growing counters. If time ran out for the ranking, provers get no more of it, and then both do again, each
    /// time twice as much.
    fn rank_and_count(
        &self,
        asked: AskedConjunct,
        (mut found, mut ends): (FoundRanking, RankingEnd),
        accepting: &Accepting,
        known: &[Term],
    ) -> Result<PartAnswer, Contradiction> {
        let mut time = durations::RANKING;
        loop {
            let racing = match ends {
                RankingEnd::Exhausted => self.racing,
                RankingEnd::Timeout => self.racing.aside(time),
            };
            let answer = Provers { racing, ..*self }.count(asked, found)?;
            let is_over = self.stop.is_set() || self.racing.is_over() || ends == RankingEnd::Exhausted;
            if is_over || !matches!(answer, PartAnswer::Unknown(_)) {
                return Ok(answer);
            }
            time *= 2;
            (found, ends) = self.ranking(accepting, known, time);
        }
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

    /// By shoals; the ranking that they are is proved by induction.
    fn rlive(&self, asked: AskedConjunct, accepting: &Accepting, known: &[Term]) -> Result<PartAnswer, Contradiction> {
        let deeper = |depth| (self.progress)(Progress::deeper(Engine::Rlive, depth));
        let config = Config { budget: self.budget, stop: self.stop, progress: &deeper };
        let _logged = info_span!("prover", name = %Engine::Rlive).entered();
        Ok(match with_context(self.stop, || rlive::run(accepting, known, config)) {
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

    /// The terms that can be ranked, and the relations between the obligations.
    fn ranking(&self, accepting: &Accepting, known: &[Term], time: Duration) -> (FoundRanking, RankingEnd) {
        let budget = self.budget.aside(time);
        let found = with_context(self.stop, || ranking::find(accepting.clone(), known, budget, self.stop));
        let lacks_time = !found.complete && budget.is_over();
        (found, if lacks_time { RankingEnd::Timeout } else { RankingEnd::Exhausted })
    }

    /// The facts that are known, as terms of a system.
    fn known(&self, system: &mut System) -> Vec<Term> {
        self.invariants.map_or_else(Vec::new, |invariants| imported(system, invariants))
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
        let mut known = [self.known(&mut system), imported(&mut system, more)].concat();
        known.extend(lasting(&system, bad));
        known.extend(ranking::idle_counters(&mut system, &known, self.budget, self.stop));
        let question = SafetyQuestion { system: &system, bad, known: &known };
        let begin = Instant::now();
        Ok(match race(self.provers, question, self.racing, self.stop, self.progress)? {
            (SafetyClaim::Unreachable(Invariant { terms, mut clauses, k }), engine) => {
                clauses.push(facts);
                let invariant = Invariant { terms, clauses, k };
                let config =
                    Config { budget: self.budget.aside(durations::SHRINKING), stop: self.cancelled, progress: &|_| {} };
                let proving = begin.elapsed();
                let smaller = || shrink(&original, originally_bad, invariant, proving, config);
                let invariant = with_context(self.cancelled, smaller);
                info!("shrunk to {} clauses", invariant.clauses.len());
                (SafetyClaim::Unreachable(invariant), engine)
            }
            other => other,
        })
    }
}

/// Invariants of another arena, as terms of a system with the same variables.
pub(super) fn imported(system: &mut System, Invariants { terms, clauses }: &Invariants) -> Vec<Term> {
    let mut memo = FxHashMap::default();
    clauses.iter().map(|&clause| system.terms_mut().import(terms, clause, &mut memo)).collect()
}
