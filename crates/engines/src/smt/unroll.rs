//! A system unrolled step by step into one solver.

use super::encode::{Encoded, Frame, choose};
use super::literal::at_most_one;
use super::{Literal, Model, Solver, SolverAnswer, Theory};
use crate::limits::{Budget, Reason, Stop};
use crate::model::Value;
use crate::model::eval::{Choice, Trace};
use crate::simplify::initial_values;
use crate::ts::system::{Case, Domain, EVENT, LISTED_VALUES, System};
use crate::ts::term::{InputId, Sort, Term, Terms, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use z3::ast::Bool;

/// Frames `0..=depth`, where frame 0 is initial and each frame follows from the one before.
///
/// Frame 0 has all variables, so that the whole initial condition is told; the later ones have those
/// of the cone, which is closed: nothing in it depends on anything outside.
///
/// An unbounded integer that starts from constants has few values while the run is short. As long as
/// they can be listed it is encoded like an enum, and a system in which all of them can be is
/// propositional: on a ticket lock, 20 times faster than integers.
pub struct Unrolling<'s> {
    system: &'s System,
    cone: Vec<VarId>,
    theory: Theory,
    solver: Solver,
    frames: Vec<Frame>,
    /// True if the next value of an integer is one term, instead of a clause per case.
    equations: bool,
}

/// The next frame has a variable with too many values to be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyValues;

impl<'s> Unrolling<'s> {
    /// With frame 0; `cone` must contain the cone of whatever is asked later. The theory must be at
    /// least [`Unrolling::theory_for`] the system, or beyond it.
    pub fn new(system: &'s System, cone: Vec<VarId>, theory: Theory) -> Unrolling<'s> {
        let solver = Solver::new(theory);
        let mut unrolling = Unrolling { system, cone, theory, solver, frames: Vec::new(), equations: false };
        let all: Vec<VarId> = system.var_ids().collect();
        let starts = initial_values(system);
        let mut first = unrolling.frame(&all, |id| match &starts[id.0 as usize] {
            Some(values) => Domain::Finite(values.clone()),
            None => system.variable(id).domain.clone(),
        });
        for &term in system.init() {
            let init = first.literal(system.terms(), term);
            unrolling.solver.add(&init);
        }
        unrolling.frames.push(first);
        unrolling
    }

    /// With any state in frame 0 instead of the initial ones, and all variables in every frame.
    pub fn from_anywhere(system: &'s System) -> Unrolling<'s> {
        Unrolling::anywhere(system, system.var_ids().collect(), declared_theory(system), false)
    }

    /// A step from anywhere where invariants of the system hold.
    pub fn step_within(system: &'s System, known: &[Term]) -> Unrolling<'s> {
        let mut step = Unrolling::from_anywhere(system);
        step.extend().expect("declared values are listed or integers");
        step.assume(0, known);
        step
    }

    /// [`Unrolling::from_anywhere`] as equations, which solvers for Horn clauses prefer: with them Spacer finds sums
    /// that it does not find with clauses. `cone` as in [`Unrolling::new`].
    pub fn equations(system: &'s System, cone: Vec<VarId>) -> Unrolling<'s> {
        Unrolling::anywhere(system, cone, integer_theory(system), true)
    }

    fn anywhere(system: &'s System, cone: Vec<VarId>, theory: Theory, equations: bool) -> Unrolling<'s> {
        let solver = Solver::new(theory);
        let mut unrolling = Unrolling { system, cone, theory, solver, frames: Vec::new(), equations };
        let first = unrolling.frame(&unrolling.cone, |id| system.variable(id).domain.clone());
        unrolling.frames.push(first);
        unrolling
    }

    /// The least theory that can do frame 0.
    pub fn theory_for(system: &System) -> Theory {
        let starts = initial_values(system);
        let listed = |id: VarId| starts[id.0 as usize].is_some() || system.variable(id).domain.listed().is_some();
        if system.var_ids().all(listed) { Theory::Finite } else { integer_theory(system) }
    }

    /// The number of steps.
    pub fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    /// The variables of every frame.
    pub fn cone(&self) -> &[VarId] {
        &self.cone
    }

    /// A Boolean term in a frame; it may read inputs in frames before the last only.
    pub fn literal(&mut self, frame: usize, term: Term) -> Literal {
        self.frames[frame].literal(self.system.terms(), term)
    }

    /// A term of a larger arena than the system's own: one that grew out of it.
    pub fn literal_in(&mut self, terms: &Terms, frame: usize, term: Term) -> Literal {
        self.frames[frame].literal(terms, term)
    }

    /// The options that the step from a frame chooses, per input.
    pub fn inputs(&self, model: &Model, frame: usize) -> Result<Vec<u32>, Reason> {
        let chosen = |input: u32| Ok(model.first_true(self.frames[frame].input(InputId(input)))? as u32);
        (0..self.system.inputs().len() as u32).map(chosen).collect()
    }

    /// That the step from a frame, which is not the last one, is this choice.
    pub fn is_choice(&mut self, frame: usize, choice: &Choice) -> Literal {
        let Some(number) = self.system.event_of(choice) else { return Literal::FALSE };
        let now = &mut self.frames[frame];
        let mut same = vec![now.input(EVENT)[number].clone()];
        for reception in &self.system.events()[number].receptions {
            let taken = now.literal(self.system.terms(), reception.taken);
            let expected = choice.receives(reception.receiver, reception.edge);
            same.push(if expected { taken } else { taken.not() });
        }
        Literal::and(same)
    }

    /// After an unsatisfiable question, see [`Solver::core`].
    pub fn core(&self, assumptions: &[Literal]) -> Vec<usize> {
        self.solver.core(assumptions)
    }

    /// A variable in a frame.
    pub fn variable(&self, frame: usize, id: VarId) -> &Encoded {
        self.frames[frame].variable(id)
    }

    /// The values that a model gives to the variables of the cone in a frame, in their order.
    pub fn state(&self, model: &Model, frame: usize) -> Result<Vec<Value>, Reason> {
        self.values(model, frame, self.cone.iter().copied())
    }

    fn values(&self, model: &Model, frame: usize, ids: impl Iterator<Item = VarId>) -> Result<Vec<Value>, Reason> {
        ids.map(|id| value(model, self.variable(frame, id), self.system.variable(id).sort)).collect()
    }

    /// That the variables of the cone have these values in a frame.
    pub fn is_state(&self, frame: usize, values: &[Value]) -> Literal {
        assert_eq!(self.cone.len(), values.len(), "one value per variable of the cone");
        Literal::and(self.cone.iter().zip(values).map(|(&id, value)| self.variable(frame, id).is_value(value)))
    }

    /// That the variables of the cone have the same values in two frames, but for free ones.
    pub fn same_state(&self, a: usize, b: usize) -> Literal {
        let kept = self.cone.iter().filter(|&&id| !self.system.variable(id).is_free());
        Literal::and(kept.map(|&id| self.variable(a, id).equals(self.variable(b, id))))
    }

    /// Fresh unknowns for a further state that is in no frame, of those variables of the cone that
    /// the theory can have without knowing their values.
    pub fn free_state(&self) -> (Vec<VarId>, Frame) {
        let known = |id: &&VarId| self.theory != Theory::Finite || self.system.variable(**id).domain.listed().is_some();
        let ids: Vec<VarId> = self.cone.iter().filter(known).copied().collect();
        let frame = self.frame(&ids, |id| self.system.variable(id).domain.clone());
        (ids, frame)
    }

    /// Tells the solver.
    pub fn add(&self, literal: &Literal) {
        self.solver.add(literal);
    }

    /// Adds terms of the system about a frame for good.
    pub fn assume(&mut self, frame: usize, list: &[Term]) {
        self.assume_in(self.system.terms(), frame, list);
    }

    /// The same with terms of a larger arena: one that grew out of the system's.
    pub fn assume_in(&mut self, terms: &Terms, frame: usize, list: &[Term]) {
        for &term in list {
            let holds = self.literal_in(terms, frame, term);
            self.add(&holds);
        }
    }

    /// All that the solver was told; the one for finite domains forgets.
    pub(super) fn assertions(&self) -> Vec<Bool> {
        self.solver.assertions()
    }

    /// Asks the solver.
    pub fn check(&self, assumptions: &[Literal], budget: Budget) -> SolverAnswer {
        self.solver.check(assumptions, budget)
    }

    /// The same, but no answer is given once a stop was asked for.
    pub fn check_until(&self, assumptions: &[Literal], budget: Budget, stop: &Stop) -> SolverAnswer {
        let answer = self.check(assumptions, budget);
        if stop.is_set() { Err(Reason::Interrupted) } else { answer }
    }

    /// Unknowns, and that each finite one has exactly one value.
    fn frame(&self, wanted: &[VarId], domain: impl Fn(VarId) -> Domain) -> Frame {
        let frame = Frame::new(self.system.variables(), wanted, &domain, self.system.inputs());
        for &id in wanted {
            match frame.variable(id) {
                Encoded::Cases(cases) if cases.len() > 2 => {
                    let literals: Vec<Literal> = cases.iter().map(|(_, literal)| literal.clone()).collect();
                    self.exactly_one(&literals);
                }
                _ => self.stay_in_range(&frame, id),
            }
        }
        frame
    }

    fn exactly_one(&self, literals: &[Literal]) {
        self.solver.add(&Literal::or(literals.iter().cloned()));
        at_most_one(literals).iter().for_each(|clause| self.solver.add(clause));
    }

    /// Long ranges are integers of the solver with bounds.
    fn stay_in_range(&self, frame: &Frame, id: VarId) {
        if let (Domain::Range(low, high), Encoded::Int(_)) = (&self.system.variable(id).domain, frame.variable(id)) {
            self.solver.add(&frame.variable(id).between(*low, *high));
        }
    }

    /// Adds a step. On an error nothing more can be done with this unrolling.
    pub fn extend(&mut self) -> Result<(), TooManyValues> {
        let mut now = self.frames.pop().expect("frame 0 always exists");
        self.choose_event(&mut now);
        let mut domains = FxHashMap::default();
        for &id in &self.cone {
            let domain = self.next_domain(&mut now, id);
            if self.theory == Theory::Finite && domain.listed().is_none() {
                return Err(TooManyValues);
            }
            domains.insert(id, domain);
        }
        let next = self.frame(&self.cone, |id| domains[&id].clone());
        for &id in &self.cone {
            self.update(&mut now, &next, id);
        }
        self.frames.push(now);
        self.frames.push(next);
        Ok(())
    }

    /// The values that a variable can have after a step: few integers while counters are young.
    fn next_domain(&self, now: &mut Frame, id: VarId) -> Domain {
        let declared = &self.system.variable(id).domain;
        if declared.listed().is_some() || self.system.variable(id).is_free() {
            return declared.clone();
        }
        let mut values = BTreeSet::new();
        let mut encoded = vec![now.variable(id).clone()];
        for case in self.system.update(id) {
            if !matches!(now.literal(self.system.terms(), case.condition), Literal::Const(false)) {
                encoded.push(now.encode(self.system.terms(), case.value));
            }
        }
        for encoded in encoded {
            let Encoded::Cases(cases) = encoded else { return declared.clone() };
            for (value, when) in cases.iter() {
                let Ok(value) = i64::try_from(value) else { return declared.clone() };
                let inside = declared.bounds().is_none_or(|(low, high)| (low..=high).contains(&value));
                if inside && !matches!(when, Literal::Const(false)) {
                    values.insert(value);
                }
            }
        }
        if values.len() as u64 > LISTED_VALUES {
            declared.clone()
        } else {
            Domain::Finite(values.into_iter().collect())
        }
    }

    /// Exactly one event and one option of every choice; the guard of the event holds.
    fn choose_event(&self, now: &mut Frame) {
        let terms = self.system.terms();
        for input in 0..self.system.inputs().len() as u32 {
            if now.input(InputId(input)).len() > 2 {
                let literals = now.input(InputId(input)).to_vec();
                self.exactly_one(&literals);
            }
        }
        for &constraint in self.system.constraints() {
            self.solver.add(&now.literal(terms, constraint));
        }
        for (index, event) in self.system.events().iter().enumerate() {
            let chosen = now.input(EVENT)[index].clone();
            for conjunct in terms.conjuncts(&[event.guard]) {
                let holds = now.literal(terms, conjunct);
                self.solver.add(&chosen.implies(&holds));
            }
        }
    }

    /// The variable's next value: that of the case whose condition holds, else the old one; any if it is free.
    fn update(&self, now: &mut Frame, next: &Frame, id: VarId) {
        if self.system.variable(id).is_free() {
            return;
        }
        let terms = self.system.terms();
        if let (true, Encoded::Int(_)) = (self.equations, next.variable(id)) {
            let old = now.variable(id).clone();
            let new = self.system.update(id).iter().rev().fold(old, |otherwise, Case { condition, value }| {
                let condition = now.literal(terms, *condition);
                choose(&condition, &now.encode(terms, *value), &otherwise)
            });
            self.solver.add(&next.variable(id).equals(&new));
            return;
        }
        let mut keeps = Vec::new();
        for Case { condition, value } in self.system.update(id) {
            let condition = now.literal(terms, *condition);
            let value = now.encode(terms, *value);
            self.assign_when(&condition, next.variable(id), &value);
            keeps.push(condition.not());
        }
        let old = now.variable(id).clone();
        self.assign_when(&Literal::and(keeps), next.variable(id), &old);
    }

    /// `condition -> new = value`, in clauses.
    fn assign_when(&self, condition: &Literal, new: &Encoded, value: &Encoded) {
        let (Encoded::Cases(new_cases), Encoded::Cases(values)) = (new, value) else {
            self.solver.add(&condition.implies(&new.equals(value)));
            return;
        };
        for (number, when) in values.iter() {
            let target = new_cases.iter().find(|(other, _)| other == number);
            let target = target.map_or(Literal::FALSE, |(_, literal)| literal.clone());
            self.solver.add(&Literal::or([condition.not(), when.not(), target]));
        }
    }

    /// The run that a model describes.
    pub fn trace(&mut self, model: &Model, steps: usize, loop_start: Option<usize>) -> Result<Trace, Reason> {
        let initial = self.system.by_instance(self.values(model, 0, self.system.var_ids())?);
        let choices: Result<Vec<Choice>, Reason> = (0..steps).map(|step| self.choice(model, step)).collect();
        Ok(Trace { initial, choices: choices?, loop_start })
    }

    fn choice(&mut self, model: &Model, step: usize) -> Result<Choice, Reason> {
        let system = self.system;
        let frame = &mut self.frames[step];
        let event = &system.events()[model.first_true(frame.input(EVENT))?];
        let mut taken = FxHashMap::default();
        for reception in &event.receptions {
            let literal = frame.literal(system.terms(), reception.taken);
            taken.insert(reception.taken, model.is_true(&literal)?);
        }
        Ok(event.choice(|term| taken[&term]))
    }
}

/// The value of a variable in a model.
fn value(model: &Model, encoded: &Encoded, sort: Sort) -> Result<Value, Reason> {
    let number = match encoded {
        Encoded::Bool(literal) => return Ok(Value::Bool(model.is_true(literal)?)),
        Encoded::Int(int) => model.integer(int)?,
        Encoded::Cases(cases) => cases[model.first_true(cases.iter().map(|(_, literal)| literal))?].0.clone(),
    };
    Ok(match sort {
        Sort::Int => Value::Int(number),
        _ => Value::Enum(u32::try_from(&number).expect("enum values are small")),
    })
}

/// The least theory that can do any number of steps.
pub fn declared_theory(system: &System) -> Theory {
    let listed = system.variables().iter().all(|variable| variable.domain.listed().is_some());
    if listed { Theory::Finite } else { integer_theory(system) }
}

/// The theory that the solver has to understand when integers of a system are its own, also in questions about the
/// system.
pub fn integer_theory(system: &System) -> Theory {
    if system.terms().has_products() { Theory::Nonlinear } else { Theory::Linear }
}
