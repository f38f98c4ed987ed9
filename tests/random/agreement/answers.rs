//! What engines say of a spec, each alone and all together.

use rcheck_smt::check::Verdict;
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::verify::{Engine, Limits, Refused, Subject};
use std::fmt;
use std::sync::Mutex;
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
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Who::Alone(engine) => write!(f, "{engine}"),
            Who::Together => f.write_str("portfolio"),
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

/// An answer; an error is one of the tool, whatever the spec: also a claim that was refused, whoever else answers.
pub fn ask<'s>(subject: &'s Subject, spec: usize, who: Who, effort: Effort) -> Result<Verdict<'s>, String> {
    let (stop, refused) = (Stop::new(), Mutex::new(None));
    let refuse = |why: &Refused| *refused.lock().expect("no panic before") = Some(why.to_string());
    let limits = |bound, time| {
        let budget = Budget::new(Some(time));
        Limits { bound, budget, stop: &stop, progress: &|_| {}, refused: &refuse }
    };
    let alone = limits(effort.bound, effort.alone);
    let outcome = match who {
        Who::Alone(Engine::Bmc) => subject.bmc(spec, &alone),
        Who::Alone(engine) => subject.prove(spec, &[engine], &alone),
        Who::Together => subject.prove(spec, &Engine::ALL, &limits(usize::MAX, effort.together)),
    };
    let outcome = outcome.map_err(|why| why.to_string())?;
    match refused.into_inner().expect("no panic before") {
        Some(why) => Err(why),
        None => Ok(outcome.verdict),
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
