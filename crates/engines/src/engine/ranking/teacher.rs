//! Candidate components, confirmed or refuted by the solver.

use super::SampledStep;
use super::functions::{Function, Functions};
use crate::limits::{Budget, Reason, Stop};
use crate::model::Value;
use crate::product::rounds::Accepting;
use crate::smt::Literal;
use crate::smt::unroll::Unrolling;
use crate::ts::system::{EVENT, Parts, System, event_is};
use crate::ts::term::{Term, Terms};
use crate::ts::valuation::Valuation;

/// Knows all steps from states that satisfy the known invariants, as far as they keep the components that were found.
pub struct Teacher<'s> {
    system: &'s System,
    /// The parts of the system, with an arena that grows.
    parts: Parts,
    step: Unrolling<'s>,
    seen: Literal,
    budget: Budget,
    stop: &'s Stop<'s>,
}

impl<'s> Teacher<'s> {
    /// Of the steps of a system; `parts` are its parts.
    pub fn new(
        accepting: &'s Accepting,
        parts: Parts,
        known: &[Term],
        budget: Budget,
        stop: &'s Stop<'s>,
    ) -> Teacher<'s> {
        let system = &accepting.system;
        let mut step = Unrolling::step_within(system, known);
        let seen = step.literal(0, accepting.seen);
        Teacher { system, parts, step, seen, budget, stop }
    }

    /// The arena of all components.
    pub fn into_terms(self) -> Terms {
        self.parts.terms
    }

    /// The function as a term.
    pub fn term(&mut self, function: &Function, functions: &Functions) -> Term {
        functions.term(function, &mut self.parts.terms)
    }

    /// From now on only steps that keep the component.
    pub fn keep(&mut self, component: Term) {
        let changes = self.parts.change(component).changes;
        let changes = self.step.literal_in(&self.parts.terms, 0, changes);
        self.step.add(&changes.not());
    }

    /// A step from an accepting state, with an event that is not passed over.
    pub fn accepting_step(&mut self, functions: &Functions) -> Result<Option<SampledStep>, Reason> {
        let seen = self.seen.clone();
        self.step_with(&seen, functions)
    }

    /// From now on no accepting steps with this event.
    pub fn pass_over(&mut self, event: u32) {
        let count = self.system.inputs()[EVENT.0 as usize].count;
        let happens = event_is(&mut self.parts.terms, event as usize, count);
        let happens = self.step.literal_in(&self.parts.terms, 0, happens);
        self.seen = Literal::and([self.seen.clone(), happens.not()]);
    }

    /// A step that does not respect the component.
    pub fn violation(&mut self, component: Term, functions: &Functions) -> Result<Option<SampledStep>, Reason> {
        let violates = self.parts.change(component).violates;
        let violates = self.step.literal_in(&self.parts.terms, 0, violates);
        self.step_with(&violates, functions)
    }

    fn step_with(&mut self, wanted: &Literal, functions: &Functions) -> Result<Option<SampledStep>, Reason> {
        let answer = self.step.check_until(std::slice::from_ref(wanted), self.budget, self.stop)?;
        let Some(model) = answer else { return Ok(None) };
        let (state, inputs) = (self.step.state(&model, 0)?, self.step.inputs(&model, 0)?);
        let event = inputs[EVENT.0 as usize];
        let next = self.system.successor(&mut Valuation::new(state.clone(), inputs));
        let (before, after) = (self.values(state, functions)?, self.values(next, functions)?);
        Ok(Some(SampledStep { event, before, after }))
    }

    fn values(&self, state: Vec<Value>, functions: &Functions) -> Result<Vec<i128>, Reason> {
        let mut valuation = Valuation::new(state, Vec::new());
        let value = |&term: &Term| match valuation.value(&self.parts.terms, term) {
            Value::Int(value) => match i64::try_from(&value) {
                Ok(value) => Ok(value.into()),
                Err(_) => Err(Reason::Engine("huge integers".to_owned())),
            },
            other => unreachable!("{other:?} is no integer"),
        };
        functions.basis().iter().map(value).collect()
    }
}
