//! The only maker of verdicts.
//!
//! A claim of an engine becomes a verdict here, after its evidence was checked by code that shares
//! nothing with engines, solver or transition system: a trace is replayed step by step on the
//! concrete semantics ([`crate::model::eval`]), and the spec is evaluated on the run. `Violated`
//! holds a [`Counterexample`], and there is no other way to make one.

pub mod certificate;
pub mod explicit;
pub mod invariant;

use crate::claim::{Claim, Trace};
use crate::model::Formula;
use crate::model::eval::{Influence, Reason as Explanation, Run, Semantics, Truth};
use crate::smt::Reason;
use certificate::Certificate;
use explicit::ProofByExploration;
use std::fmt;

/// What is known of a spec.
#[derive(Debug)]
pub enum Verdict<'s> {
    /// It holds on all runs.
    Holds(Proof),
    /// It is violated.
    Violated(Box<Counterexample<'s>>),
    /// What happens in up to that many steps never shows a violation, and, unless it is a safety
    /// property, no run that loops back after them violates it. Longer runs may.
    NoCounterexample {
        /// The bound.
        depth: usize,
    },
    /// The search stopped early.
    Unknown {
        /// No run with up to that many steps violates it.
        clear: Option<usize>,
        /// Why the search stopped.
        reason: Reason,
    },
}

/// Why a spec holds, checked.
#[derive(Debug)]
pub enum Proof {
    /// An inductive invariant per conjunct.
    Invariants(Box<Certificate>),
    /// All runs were visited.
    Exploration(ProofByExploration),
}

/// A run that was replayed and on which the spec is false.
#[derive(Debug)]
pub struct Counterexample<'s> {
    run: Run<'s>,
    explanation: Vec<Explanation>,
}

impl<'s> Counterexample<'s> {
    /// Replays a trace and evaluates the formula on it.
    pub fn confirm(
        semantics: &'s Semantics<'s>,
        formula: &Formula,
        trace: &Trace,
    ) -> Result<Counterexample<'s>, Refuted> {
        let model = semantics.model();
        let initial = semantics.state_from(&trace.initial);
        let initial = initial.map_err(|error| Refuted::NoState(error.to_string()))?;
        let influence = Influence::of(model, formula);
        let run = Run::replay(semantics, initial, &trace.choices, trace.loop_start, &influence)
            .map_err(|error| Refuted::NoRun(error.describe(model)))?;
        match run.evaluate(formula) {
            Truth::False => Ok(Counterexample { explanation: run.explain(formula), run }),
            truth => Err(Refuted::NotFalse(truth)),
        }
    }

    /// The run.
    pub fn run(&self) -> &Run<'s> {
        &self.run
    }

    /// Why the spec is false on it, from the whole formula down to atoms.
    pub fn explanation(&self) -> &[Explanation] {
        &self.explanation
    }
}

/// Why a claimed counterexample is none: an internal error of the tool, never a verdict.
#[derive(Debug)]
pub enum Refuted {
    /// Its first state does not fit the model.
    NoState(String),
    /// It is not a run of the model.
    NoRun(String),
    /// The formula is not false on it.
    NotFalse(Truth),
}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refuted::NoState(why) => write!(f, "the counterexample starts nowhere: {why}"),
            Refuted::NoRun(why) => write!(f, "the counterexample is no run: {why}"),
            Refuted::NotFalse(truth) => {
                write!(f, "the counterexample does not violate the spec, which is {truth:?} on it")
            }
        }
    }
}

/// Makes the verdict.
pub fn judge<'s>(semantics: &'s Semantics<'s>, formula: &Formula, claim: Claim) -> Result<Verdict<'s>, Refuted> {
    match claim {
        Claim::Clear { depth } => Ok(Verdict::NoCounterexample { depth }),
        Claim::Unknown { clear, reason } => Ok(Verdict::Unknown { clear, reason }),
        Claim::Violated { trace } => {
            let counterexample = Counterexample::confirm(semantics, formula, &trace)?;
            Ok(Verdict::Violated(Box::new(counterexample)))
        }
    }
}
