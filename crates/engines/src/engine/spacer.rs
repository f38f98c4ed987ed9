//! Z3's own engine for constrained Horn clauses, as one of the provers: strong on integers, weak where control
//! dominates. It returns an invariant, or says that bad states are reachable, without a trace.

use super::{Config, Engine, Prover, SafetyQuestion};
use crate::claim::{Invariant, SafetyClaim};
use crate::limits::Budget;
use crate::smt;
use crate::smt::horn::{SpacerAnswer, spacer};
use crate::smt::unroll::Unrolling;
use crate::ts::system::System;

/// The engine.
pub struct Spacer {
    /// True if its lemmas guide it where it generalises one.
    pub global: bool,
}

impl Prover for Spacer {
    fn engine(&self) -> Engine {
        Engine::Spacer
    }

    fn is_for_safety(&self) -> bool {
        true
    }

    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim {
        let SafetyQuestion { system, bad, known } = question;
        match spacer(system, bad, known, self.global, config.budget) {
            SpacerAnswer::Reachable => SafetyClaim::Reached(None),
            SpacerAnswer::Unknown(reason) => SafetyClaim::Unknown(reason),
            SpacerAnswer::Unreachable(mut terms, mut clauses) => {
                match some_start(system, config.budget) {
                    smt::SolverAnswer::Unknown(reason) => return SafetyClaim::Unknown(reason),
                    smt::SolverAnswer::Sat(_) => clauses.extend(known),
                    // Its relation may say nothing then.
                    smt::SolverAnswer::Unsat => clauses = vec![terms.bool(false)],
                }
                SafetyClaim::Unreachable(Invariant { terms, clauses, k: 1 })
            }
        }
    }
}

/// Asks a solver for an initial state.
fn some_start(system: &System, budget: Budget) -> smt::SolverAnswer {
    Unrolling::new(system, system.var_ids().collect(), Unrolling::theory_for(system)).check(&[], budget)
}
