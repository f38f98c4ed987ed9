//! What engines say of a spec, each alone and all together.

use rcheck_smt::check::Verdict;
use rcheck_smt::smt::{Budget, Stop};
use rcheck_smt::verify::{Engine, Limits, Subject};
use std::time::Duration;

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// An engine.
    Alone(Engine),
    /// All engines.
    Together,
}

impl Who {
    /// Everybody.
    pub const ALL: [Who; 7] = [
        Who::Alone(Engine::Explicit),
        Who::Alone(Engine::Bmc),
        Who::Alone(Engine::Kind),
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Rlive),
        Who::Alone(Engine::Spacer),
        Who::Together,
    ];

    /// In tables.
    pub fn name(self) -> &'static str {
        match self {
            Who::Alone(Engine::Explicit) => "explicit",
            Who::Alone(Engine::Bmc) => "bmc",
            Who::Alone(Engine::Kind) => "kind",
            Who::Alone(Engine::Pdr) => "pdr",
            Who::Alone(Engine::Rlive) => "rlive",
            Who::Alone(Engine::Spacer) => "spacer",
            Who::Together => "portfolio",
        }
    }
}

/// How much an answer may take.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The time of an engine alone.
    pub alone: Duration,
    /// The time of an engine that can only prove, where another one found a violation: what it would say wrongly it
    /// mostly says soon.
    pub in_vain: Duration,
    /// The time of all together.
    pub together: Duration,
    /// The bound of bounded model checking.
    pub bound: usize,
}

impl Effort {
    /// For somebody, where somebody else said so much.
    pub fn after(self, who: Who, known: Option<bool>) -> Effort {
        let proves = !matches!(who, Who::Alone(Engine::Explicit | Engine::Bmc) | Who::Together);
        if proves && known == Some(false) { Effort { alone: self.in_vain, ..self } } else { self }
    }
}

/// An answer; an error is one of the tool, whatever the spec.
pub fn ask<'s>(subject: &'s Subject, spec: usize, who: Who, effort: Effort) -> Result<Verdict<'s>, String> {
    let stop = Stop::new();
    let limits = |bound, time| {
        let budget = Budget::new(Some(time));
        Limits { bound, budget, stop: &stop, progress: &|_| {}, refused: &|why| panic!("{why}") }
    };
    let alone = limits(effort.bound, effort.alone);
    match who {
        Who::Alone(Engine::Bmc) => {
            let outcome = subject.bmc(spec, &alone).map_err(|why| why.to_string())?;
            Ok(outcome.verdict)
        }
        Who::Alone(engine) => {
            let outcome = subject.prove(spec, &[engine], &alone).map_err(|why| why.to_string())?;
            Ok(outcome.verdict)
        }
        Who::Together => {
            let limits = limits(usize::MAX, effort.together);
            let outcome = subject.prove(spec, &Engine::ALL, &limits).map_err(|why| why.to_string())?;
            Ok(outcome.verdict)
        }
    }
}

/// Whether the spec holds, if the verdict says so.
pub fn decided(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => None,
    }
}
