//! The largest inductive subset of some candidates.

use crate::limits::{Budget, Reason, Stop};
use crate::smt::unroll::{Unrolling, declared_theory};
use crate::smt::{Literal, Model};
use crate::ts::system::System;
use crate::ts::term::Term;

/// A candidate with the literals that stand for it.
struct Candidate {
    term: Term,
    /// Assumed to have it hold before the step.
    assumed: Literal,
    /// That it holds where it has to.
    holds: Literal,
}

/// Those candidates that hold initially and are kept by every step from where they and what is known
/// hold.
pub fn inductive(
    system: &System,
    known: &[Term],
    candidates: Vec<Term>,
    budget: Budget,
    stop: &Stop,
) -> Result<Vec<Term>, Reason> {
    let initially = hold_initially(system, candidates, budget, stop)?;
    let mut step = Unrolling::step_within(system, known);
    let candidates = initially.into_iter().map(|term| {
        let assumed = Literal::fresh("candidate");
        let before = step.literal(0, term);
        step.add(&assumed.implies(&before));
        Candidate { term, assumed, holds: step.literal(1, term) }
    });
    let candidates = candidates.collect();
    drop_failing(&step, candidates, budget, stop)
}

fn hold_initially(system: &System, candidates: Vec<Term>, budget: Budget, stop: &Stop) -> Result<Vec<Term>, Reason> {
    let mut initial = Unrolling::new(system, system.var_ids().collect(), declared_theory(system));
    let candidates = candidates
        .into_iter()
        .map(|term| Candidate { term, assumed: Literal::TRUE, holds: initial.literal(0, term) })
        .collect();
    drop_failing(&initial, candidates, budget, stop)
}

/// Drops what fails somewhere until the solver says that nothing does.
fn drop_failing(
    unrolling: &Unrolling,
    mut candidates: Vec<Candidate>,
    budget: Budget,
    stop: &Stop,
) -> Result<Vec<Term>, Reason> {
    loop {
        let asked = Literal::fresh("round");
        let fails = Literal::or(candidates.iter().map(|candidate| candidate.holds.not()));
        unrolling.add(&asked.implies(&fails));
        let mut assumptions: Vec<Literal> = candidates.iter().map(|candidate| candidate.assumed.clone()).collect();
        assumptions.push(asked.clone());
        let Some(model) = unrolling.check_until(&assumptions, budget, stop)? else {
            return Ok(candidates.into_iter().map(|candidate| candidate.term).collect());
        };
        candidates = that_hold(candidates, &model)?;
        unrolling.add(&asked.not());
    }
}

fn that_hold(candidates: Vec<Candidate>, model: &Model) -> Result<Vec<Candidate>, Reason> {
    let mut kept = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        if model.is_true(&candidate.holds)? {
            kept.push(candidate);
        }
    }
    Ok(kept)
}
