//! Loops that close on all but the unbounded integers: rounds that may repeat for ever.

use super::{Bmc, EndConditions, Violation};
use crate::claim::Trace;
use crate::engine::recurrent::Recurrence;
use crate::limits::{Budget, Reason};
use crate::smt::{Literal, Model};

/// The number of those that are looked at per depth.
const CANDIDATES: usize = 8;

impl Bmc<'_> {
    /// True if there may be runs without a lasso.
    pub(super) fn may_grow(&self) -> bool {
        self.loops.is_some() && !self.unbounded.is_empty() && self.unrolling.depth() > 0
    }

    /// Looks for a prefix, a lasso or a round that repeats. None of the first two is missed: what is said
    /// against a round is not said of lassos.
    pub(super) fn search_rounds(
        &mut self,
        end: &EndConditions,
        recurrence: &Recurrence,
        budget: Budget,
    ) -> Result<Option<Violation>, Reason> {
        let mut candidates = 0;
        while let Some((trace, model)) = self.run_to(end, budget)? {
            if self.is_closed(&trace, &model)? {
                return Ok(Some(Violation::Run(trace)));
            }
            let conjunct = self.violated_part(&model)?;
            if let Some(run) = recurrence.generalise(&trace, conjunct, budget) {
                return Ok(Some(Violation::Recurrent(Box::new(run))));
            }
            candidates += 1;
            let unless = if candidates < CANDIDATES { self.takes_other_steps(&trace) } else { Literal::FALSE };
            let not_here = [end.here.not(), end.looping.not(), end.exact.clone(), unless];
            self.unrolling.add(&Literal::or(not_here));
        }
        Ok(None)
    }

    /// True if the run is a prefix, or a loop that closes on everything.
    fn is_closed(&self, trace: &Trace, model: &Model) -> Result<bool, Reason> {
        let Some(start) = trace.loop_start else { return Ok(true) };
        Ok(self.unrolling.state(model, start)? == self.unrolling.state(model, trace.choices.len())?)
    }

    /// The first part whose negation a model satisfies.
    fn violated_part(&self, model: &Model) -> Result<usize, Reason> {
        model.first_true(self.property.parts.iter().map(|part| &self.bits[0][&part.negation]))
    }

    /// That the loop starts elsewhere than this one, or takes other steps.
    fn takes_other_steps(&mut self, trace: &Trace) -> Literal {
        let start = trace.loop_start.expect("a round is a loop");
        let steps = trace.choices.iter().enumerate().skip(start);
        let same = steps.map(|(position, choice)| self.unrolling.is_choice(position, choice)).collect::<Vec<_>>();
        let loops = self.loops.as_ref().expect("rounds are loops");
        Literal::and([loops.starts_here[start].clone(), Literal::and(same)]).not()
    }
}
