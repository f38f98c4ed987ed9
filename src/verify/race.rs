//! Several provers on one question.
//!
//! If one prover proves what another one refutes, neither claim is used: that is a [`Contradiction`], which is reported,
//! and the search is repeated without the prover that refuted ([`super::prove`]).

use super::{Engine, Progress};
use crate::claim::SafetyClaim;
use crate::engine::{Config, Prover, SafetyQuestion};
use crate::limits::{Budget, Reason, Stop, join, spawn, with_share, within};
use crate::smt::with_context;
use std::thread;
use tracing::{info, info_span};

/// The first decisive claim, and who made it.
pub type Decided = (SafetyClaim, Engine);

/// Two provers contradict each other: one that proved, one that refuted.
#[derive(Debug)]
pub struct Contradiction(pub Engine, pub Engine);

/// Asks all of them, at least one; the first with an answer stops the others.
pub fn race(
    provers: &[&dyn Prover],
    question: SafetyQuestion,
    budget: Budget,
    stop: &Stop,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Decided, Contradiction> {
    let finished = Stop::under(stop);
    let claims: Vec<Decided> = thread::scope(|scope| {
        let finished = &finished;
        let run = |prover: &dyn Prover| {
            let _stops_others = finished.set_in_panic();
            let engine = prover.engine();
            progress(Progress::begin(engine));
            let deeper = |depth| progress(Progress::deeper(engine, depth));
            let config = Config { budget, stop: finished, progress: &deeper };
            let _logged = info_span!("prover", name = %engine).entered();
            info!("begins");
            let run = || within(budget, finished, || prover.run(question, config));
            let claim = with_context(finished, run).unwrap_or_else(SafetyClaim::Unknown);
            match &claim {
                SafetyClaim::Unreachable(invariant) => info!("an invariant, {} clauses", invariant.clauses.len()),
                SafetyClaim::Reached(Some(trace)) => info!("bad states after {} steps", trace.choices.len()),
                SafetyClaim::Reached(None) => info!("bad states"),
                SafetyClaim::Unknown(reason) => info!("gives up: {reason}"),
            }
            if !matches!(claim, SafetyClaim::Unknown(_)) {
                finished.set();
            }
            (claim, engine)
        };
        if let [only] = provers {
            return vec![run(*only)];
        }
        let threads: Vec<_> =
            provers.iter().map(|&prover| spawn(scope, move || with_share(1, || run(prover)))).collect();
        threads.into_iter().map(join).collect()
    });
    decide(claims)
}

fn decide(claims: Vec<Decided>) -> Result<Decided, Contradiction> {
    let proved = claims.iter().find(|(claim, _)| matches!(claim, SafetyClaim::Unreachable(_)));
    let refuted = claims.iter().find(|(claim, _)| matches!(claim, SafetyClaim::Reached(_)));
    if let (Some((_, prover)), Some((_, refuter))) = (proved, refuted) {
        return Err(Contradiction(*prover, *refuter));
    }
    // An answer, with a trace if there is one; else the reason of the one that did not just stop early.
    let rank = |(claim, _): &Decided| match claim {
        SafetyClaim::Unreachable(_) | SafetyClaim::Reached(Some(_)) => 0,
        SafetyClaim::Reached(None) => 1,
        SafetyClaim::Unknown(Reason::Solver(_) | Reason::Engine(_) | Reason::Memory) => 2,
        SafetyClaim::Unknown(_) => 3,
    };
    Ok(claims.into_iter().min_by_key(rank).expect("some engine was asked"))
}
