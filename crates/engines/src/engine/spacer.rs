//! Z3's own engine for constrained Horn clauses, as one of the provers: strong on integers, weak where control
//! dominates. It returns an invariant, or says that bad states are reachable, without a trace.

use super::{Config, Engine, Prover, SafetyQuestion};
use crate::claim::{Invariant, SafetyClaim};
use crate::limits::{Budget, Reason};
use crate::smt::horn::spacer;
use crate::smt::unroll::Unrolling;

/// The engine.
pub struct Spacer;

impl Prover for Spacer {
    fn engine(&self) -> Engine {
        Engine::Spacer
    }

    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim {
        self.ask(question, config.budget).unwrap_or_else(SafetyClaim::Unknown)
    }
}

impl Spacer {
    fn ask(
        &self,
        SafetyQuestion { system, bad, known, .. }: SafetyQuestion,
        budget: Budget,
    ) -> Result<SafetyClaim, Reason> {
        let Some((mut terms, mut clauses)) = spacer(system, bad, known, budget)? else {
            return Ok(SafetyClaim::Reached(None));
        };
        let starts = Unrolling::new(system, system.var_ids().collect(), Unrolling::theory_for(system));
        match starts.check(&[], budget)? {
            Some(_) => clauses.extend(known),
            // Its relation may say nothing then.
            None => clauses = vec![terms.bool(false)],
        }
        Ok(SafetyClaim::Unreachable(Invariant { terms, clauses, k: 1 }))
    }
}
