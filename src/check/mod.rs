//! The only maker of verdicts.
//!
//! A claim of an engine becomes a verdict here, after its evidence was checked by code that shares
//! nothing with engines, solver or transition system: a trace is replayed step by step on the
//! concrete semantics ([`crate::model::eval`]), and the spec is evaluated on the run. `Violated`
//! holds a [`Counterexample`], and there is no other way to make one.

use crate::claim::{Claim, Step, Trace};
use crate::model::eval::{Choice, Influence, Reason as Explanation, Run, Semantics, State, Truth};
use crate::model::{EdgeId, Formula, InstanceId, LocalId, Value};
use crate::smt::Reason;
use crate::ts::system::{EventKind, Origin, System};
use std::fmt;

/// What is known of a spec.
#[derive(Debug)]
pub enum Verdict<'s> {
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
        system: &System,
        formula: &Formula,
        trace: &Trace,
    ) -> Result<Counterexample<'s>, Refuted> {
        let model = semantics.model();
        let initial = initial_state(semantics, system, &trace.initial)?;
        let choices: Vec<Choice> = trace.steps.iter().map(choice).collect();
        let influence = Influence::of(model, formula);
        let run = Run::replay(semantics, initial, &choices, trace.loop_start, &influence)
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
pub fn judge<'s>(
    semantics: &'s Semantics<'s>,
    system: &System,
    formula: &Formula,
    claim: Claim,
) -> Result<Verdict<'s>, Refuted> {
    match claim {
        Claim::Clear { depth } => Ok(Verdict::NoCounterexample { depth }),
        Claim::Unknown { clear, reason } => Ok(Verdict::Unknown { clear, reason }),
        Claim::Violated { trace } => {
            let counterexample = Counterexample::confirm(semantics, system, formula, &trace)?;
            Ok(Verdict::Violated(Box::new(counterexample)))
        }
    }
}

/// The state of the model that the values of the system's variables describe.
fn initial_state(semantics: &Semantics, system: &System, values: &[Value]) -> Result<State, Refuted> {
    let value_of = |origin: Origin| {
        let id = system.find(origin).ok_or_else(|| Refuted::NoState(format!("no variable is {origin:?}")))?;
        Ok::<&Value, Refuted>(&values[id.0 as usize])
    };
    let model = semantics.model();
    let mut parts = Vec::new();
    for id in model.instance_ids() {
        let automaton = match value_of(Origin::Automaton(id))? {
            Value::Enum(state) => *state,
            other => return Err(Refuted::NoState(format!("{other:?} is no automaton state"))),
        };
        let count = model.agent_of(id).locals.len() as u32;
        let locals: Result<Vec<Value>, Refuted> =
            (0..count).map(|local| value_of(Origin::Local(id, LocalId(local))).cloned()).collect();
        parts.push((automaton, locals?));
    }
    semantics.state_from(&parts).map_err(|error| Refuted::NoState(format!("{error:?}")))
}

fn choice(step: &Step) -> Choice {
    let receivers: Vec<(InstanceId, EdgeId)> = step.receptions.clone();
    match step.kind {
        EventKind::Send { sender, edge } => Choice::Send { sender, edge, receivers },
        EventKind::GetSupply { getter, get, supplier, supply } => Choice::GetSupply { getter, get, supplier, supply },
        EventKind::Stutter => Choice::Stutter,
    }
}
