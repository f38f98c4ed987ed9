//! k-induction: no bad state in the first k steps, and none after k different states that are not bad.
//!
//! Sheeran, Singh, Stalmarck, *Checking safety properties using induction and a SAT-solver* (FMCAD 2000); incremental
//! as in Een and Sorensson (*Temporal induction by incremental SAT solving*, BMC 2003). The states of the induction
//! step differ pairwise, because a shortest run to a bad state never repeats one. So the search terminates on finite
//! systems, though often late.

use super::invariants::Later;
use super::{Config, Engine, Prover, SafetyQuestion};
use crate::claim::{Invariant, SafetyClaim};
use crate::limits::Reason;
use crate::smt::unroll::{Unrolling, declared_theory};
use crate::smt::{Literal, SolverAnswer};
use crate::ts::term::{Term, Terms};
use tracing::info;

/// The engine.
pub struct KInduction;

impl Prover for KInduction {
    fn engine(&self) -> Engine {
        Engine::Kind
    }

    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim {
        search(question, config).unwrap_or_else(SafetyClaim::Unknown)
    }
}

fn search(question: SafetyQuestion, config: Config) -> Result<SafetyClaim, Reason> {
    let SafetyQuestion { system, bad, mut later, .. } = question;
    let all = system.var_ids().collect();
    let mut base = Unrolling::new(system, all, declared_theory(system));
    let mut step = InductionStep::new(question);
    for k in 1.. {
        let is_bad = base.literal(k - 1, bad);
        if let Some(model) = ask(&base, &is_bad, config)? {
            return Ok(SafetyClaim::Reached(Some(base.trace(&model, k - 1, None)?)));
        }
        base.add(&is_bad.not());
        (config.progress)(k - 1);
        info!("depth {}: no bad state", k - 1);
        if let Some(later) = &mut later {
            step.learn(later, k);
        }
        let is_bad = step.extend(k);
        if ask(&step.unrolling, &is_bad, config)?.is_none() {
            return Ok(SafetyClaim::Unreachable(step.invariant(k)));
        }
        base.extend().expect("declared values are listed or integers");
    }
    unreachable!("the search ends with an answer")
}

fn ask(unrolling: &Unrolling, assumption: &Literal, config: Config) -> SolverAnswer {
    unrolling.check_until(std::slice::from_ref(assumption), config.budget, config.stop)
}

/// The induction step: a path from anywhere.
struct InductionStep<'s> {
    unrolling: Unrolling<'s>,
    bad: Term,
    /// The system's arena, grown by invariants.
    terms: Terms,
    known: Vec<Term>,
}

impl<'s> InductionStep<'s> {
    fn new(SafetyQuestion { system, bad, known, .. }: SafetyQuestion<'s>) -> InductionStep<'s> {
        let (unrolling, terms) = (Unrolling::from_anywhere(system), system.terms().clone());
        let mut step = InductionStep { unrolling, bad, terms, known: known.to_vec() };
        step.unrolling.assume(0, known);
        step
    }

    /// More invariants, before the k-th step.
    fn learn(&mut self, later: &mut Later, k: usize) {
        let new = later.imported(&mut self.terms);
        (0..k).for_each(|frame| self.unrolling.assume_in(&self.terms, frame, &new));
        self.known.extend(new);
    }

    /// The k-th step, from k different states that are not bad; returns that the next one is.
    fn extend(&mut self, k: usize) -> Literal {
        let not_bad = self.unrolling.literal(k - 1, self.bad).not();
        self.unrolling.add(&not_bad);
        for earlier in 0..k - 1 {
            let differs = self.unrolling.same_state(earlier, k - 1).not();
            self.unrolling.add(&differs);
        }
        self.unrolling.extend().expect("declared values are listed or integers");
        self.unrolling.assume_in(&self.terms, k, &self.known);
        self.unrolling.literal(k, self.bad)
    }

    fn invariant(self, k: usize) -> Invariant {
        let InductionStep { bad, mut terms, known: mut clauses, .. } = self;
        clauses.push(terms.not(bad));
        Invariant { terms, clauses, k }
    }
}
