//! Verdicts without a bound: a short exploration of all runs, then a search for a proof and a search for
//! a counterexample side by side.

use super::{Limits, Outcome, Subject};
use crate::check::certificate::{Certificate, NoCertificate};
use crate::check::explicit::{Unproved, confirm as confirm_exploration};
use crate::check::invariant::NoProof;
use crate::check::{Counterexample, Proof, Refuted, Verdict};
use crate::claim::explicit::ExplicitClaim;
use crate::claim::{Claim, Invariant, PartClaim, SafetyClaim, Trace};
use crate::engine::bmc::Times;
use crate::engine::{explicit, pdr};
use crate::property::reduction::{Reduction, reachability};
use crate::property::{Property, base_system};
use crate::smt::{Budget, Reason, with_context};
use crate::ts::simplify::simplify;
use crate::ts::system::System;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long to try to visit all runs before the solvers start.
const EXPLORATION_TIME: Duration = Duration::from_secs(5);

/// What the search for a proof found.
enum ProofSearch {
    /// An invariant per part.
    Proved(Vec<PartClaim>),
    /// A violation of a safety part.
    Violated(Trace),
    /// Neither.
    Unknown(Reason),
}

/// Evidence that did not survive its check: an internal error.
#[derive(Debug)]
pub enum BadEvidence {
    /// Of a violation.
    Counterexample(Refuted),
    /// Of a proof.
    Certificate(NoCertificate),
    /// Of an exploration.
    Exploration(Unproved),
    /// One engine proved what another refuted.
    Contradiction,
}

impl fmt::Display for BadEvidence {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            BadEvidence::Counterexample(why) => write!(f, "{why}"),
            BadEvidence::Certificate(why) => write!(f, "{why}"),
            BadEvidence::Exploration(why) => write!(f, "{why}"),
            BadEvidence::Contradiction => write!(f, "pdr proved what bmc refuted"),
        }
    }
}

impl From<Refuted> for BadEvidence {
    fn from(why: Refuted) -> BadEvidence {
        BadEvidence::Counterexample(why)
    }
}

impl Subject<'_> {
    /// Decides a spec for all runs. `limits.bound` bounds the search for a counterexample only.
    pub fn prove<'s>(&'s self, spec: usize, limits: &Limits) -> Result<Outcome<'s>, BadEvidence> {
        let start = Instant::now();
        if let Some(verdict) = self.explore(spec, limits.budget)? {
            return Ok(Outcome { verdict, times: Times { solving: start.elapsed(), ..Times::default() } });
        }
        let stop = AtomicBool::new(false);
        let inner = Limits { bound: limits.bound, budget: limits.budget, stop: &stop, progress: limits.progress };
        let (proof, bounded) = thread::scope(|scope| {
            let prover = scope.spawn(|| {
                let result = with_context(&stop, || self.search_proof(spec, inner.budget, &stop));
                if !matches!(result, ProofSearch::Unknown(_)) {
                    stop.store(true, Ordering::Relaxed);
                }
                result
            });
            let (claim, times) = self.bounded_claim(spec, &inner);
            if matches!(claim, Claim::Violated { .. }) {
                stop.store(true, Ordering::Relaxed);
            }
            (prover.join().expect("the prover does not panic"), (claim, times))
        });
        let verdict = self.conclude(spec, proof, bounded.0, limits.budget)?;
        Ok(Outcome { verdict, times: Times { solving: start.elapsed(), ..bounded.1 } })
    }

    /// Visits all runs if they are few; `None` if they are not.
    fn explore<'s>(&'s self, spec: usize, budget: Budget) -> Result<Option<Verdict<'s>>, BadEvidence> {
        let formula = &self.model().specs[spec].formula;
        let first = budget.left().map_or(EXPLORATION_TIME, |left| left.min(EXPLORATION_TIME));
        let config = explicit::Config { budget: Budget::new(Some(first)), ..explicit::Config::default() };
        match explicit::run(self.semantics(), formula, config) {
            ExplicitClaim::Unknown { .. } => Ok(None),
            ExplicitClaim::Violated(trace) => {
                let counterexample = Counterexample::confirm(self.semantics(), formula, &trace)?;
                Ok(Some(Verdict::Violated(Box::new(counterexample))))
            }
            ExplicitClaim::Holds(certificate) => {
                let proof = confirm_exploration(self.semantics(), formula, &certificate);
                Ok(Some(Verdict::Holds(Proof::Exploration(proof.map_err(BadEvidence::Exploration)?))))
            }
        }
    }

    fn conclude<'s>(
        &'s self,
        spec: usize,
        proof: ProofSearch,
        bounded: Claim,
        budget: Budget,
    ) -> Result<Verdict<'s>, BadEvidence> {
        let formula = &self.model().specs[spec].formula;
        match (proof, bounded) {
            (ProofSearch::Proved(_), Claim::Violated { .. }) => Err(BadEvidence::Contradiction),
            (_, Claim::Violated { trace }) | (ProofSearch::Violated(trace), _) => {
                let counterexample = Counterexample::confirm(self.semantics(), formula, &trace)?;
                Ok(Verdict::Violated(Box::new(counterexample)))
            }
            (ProofSearch::Proved(claims), bounded) => {
                let never = AtomicBool::new(false);
                match with_context(&never, || Certificate::confirm(self.model(), spec, claims, budget)) {
                    Ok(certificate) => Ok(Verdict::Holds(Proof::Invariants(Box::new(certificate)))),
                    Err(NoCertificate::NoProof(NoProof::Unknown(reason))) => {
                        Ok(Verdict::Unknown { clear: clear(&bounded), reason })
                    }
                    Err(why) => Err(BadEvidence::Certificate(why)),
                }
            }
            (ProofSearch::Unknown(reason), bounded) => Ok(Verdict::Unknown { clear: clear(&bounded), reason }),
        }
    }

    /// Proves part by part, with growing counters for liveness.
    fn search_proof(&self, spec: usize, budget: Budget, stop: &AtomicBool) -> ProofSearch {
        let mut system = base_system(self.model());
        let property = Property::new(self.model(), &mut system, &self.model().specs[spec]);
        let config = pdr::Config { budget, stop, progress: &|_| {} };
        let mut claims = Vec::new();
        for part in &property.parts {
            match prove_part(&system, &property, part.negation, config) {
                Ok(claim) => claims.push(claim),
                Err(unproved) => return unproved,
            }
        }
        ProofSearch::Proved(claims)
    }
}

fn prove_part(
    system: &System,
    property: &Property,
    negation: crate::property::ltl::LtlId,
    config: pdr::Config,
) -> Result<PartClaim, ProofSearch> {
    const MOST_COUNTED: usize = 63;
    let mut counted = 0;
    loop {
        let target = reachability(system.clone(), &property.ltl, negation, counted);
        match unreachable(target.system, target.bad, config) {
            SafetyClaim::Unreachable(invariant) => return Ok(PartClaim { counted, invariant }),
            SafetyClaim::Unknown(reason) => return Err(ProofSearch::Unknown(reason)),
            SafetyClaim::Reached(trace) if target.reduction == Reduction::Safety => {
                return Err(ProofSearch::Violated(trace));
            }
            SafetyClaim::Reached(_) if counted >= MOST_COUNTED => {
                let words = format!("no proof that counts to {MOST_COUNTED}");
                return Err(ProofSearch::Unknown(Reason::Engine(words)));
            }
            SafetyClaim::Reached(_) => counted = 2 * counted + 1,
        }
    }
}

/// PDR on the simplified system; the facts of the simplification join the invariant.
fn unreachable(system: System, bad: crate::ts::term::Term, config: pdr::Config) -> SafetyClaim {
    let (mut system, facts) = simplify(system);
    let bad = system.fold(bad);
    let facts = facts.invariant(&mut system);
    match pdr::run(&system, bad, config) {
        SafetyClaim::Unreachable(Invariant { terms, mut clauses }) => {
            clauses.push(facts);
            SafetyClaim::Unreachable(Invariant { terms, clauses })
        }
        other => other,
    }
}

fn clear(claim: &Claim) -> Option<usize> {
    match claim {
        Claim::Clear { depth } => Some(*depth),
        Claim::Unknown { clear, .. } => *clear,
        Claim::Violated { .. } => None,
    }
}
