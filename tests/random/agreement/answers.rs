//! Answers of engines about a spec, each alone and all together.

use crate::common::{patiently, with_work};
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::Stop;
use rcheck_smt::verify::{Engine, Limits, Refused, Subject};
use std::fmt;
use std::sync::Mutex;

/// The engines that are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// An engine.
    Alone(Engine),
    /// All engines.
    Together,
}

impl Who {
    /// All of them.
    pub const ALL: [Who; 8] = [
        Who::Alone(Engine::Explicit),
        Who::Alone(Engine::Bmc),
        Who::Alone(Engine::Kind),
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Rlive),
        Who::Alone(Engine::Spacer),
        Who::Alone(Engine::Bdd),
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
    /// The work of an engine alone.
    pub alone: u64,
    /// The work of an engine that can only prove, where another one found a violation: what it would say wrongly it
    /// mostly says soon.
    pub in_vain: u64,
    /// The work of all together.
    pub together: u64,
    /// The bound of bounded model checking.
    pub bound: usize,
}

impl Effort {
    /// For engines that are asked when others have found this verdict.
    pub fn after(self, who: Who, known: Option<bool>) -> Effort {
        let proves = !matches!(who, Who::Alone(Engine::Explicit | Engine::Bmc) | Who::Together);
        if proves && known == Some(false) { Effort { alone: self.in_vain, ..self } } else { self }
    }
}

/// An answer, if it is not too much work; an error is one of the tool, whatever the spec: also a claim that was
/// refused, even if another engine answers.
pub fn ask<'s>(subject: &'s Subject, spec: usize, who: Who, effort: Effort) -> Result<Option<Verdict<'s>>, String> {
    let (stop, refused) = (Stop::new(), Mutex::new(None));
    let refuse = |why: &Refused| *refused.lock().expect("no panic before") = Some(why.to_string());
    let limits = |bound| Limits { bound, budget: patiently(), stop: &stop, progress: &|_| {}, refused: &refuse };
    let alone = limits(effort.bound);
    let outcome = match who {
        Who::Alone(Engine::Bmc) => with_work(effort.alone, || subject.bmc(spec, &alone)),
        Who::Alone(engine) => with_work(effort.alone, || subject.prove(spec, &[engine], &alone)),
        Who::Together => with_work(effort.together, || subject.prove(spec, &Engine::ALL, &limits(usize::MAX))),
    };
    let outcome = outcome.transpose().map_err(|why| why.to_string())?;
    match refused.into_inner().expect("no panic before") {
        Some(why) => Err(why),
        None => Ok(outcome.map(|outcome| outcome.verdict)),
    }
}

/// True if the spec holds by the verdict, false if it is violated.
pub fn decided(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => None,
    }
}
