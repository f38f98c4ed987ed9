//! A system unrolled step by step into one solver.

use super::encode::{Encoded, Frame};
use super::literal::at_most_one;
use super::{Answer, Budget, Literal, Model, Solver, Theory};
use crate::claim::{Step, Trace};
use crate::model::Value;
use crate::ts::system::{Case, Domain, EVENT, System};
use crate::ts::term::{InputId, Node, Sort, Term, VarId};
use rustc_hash::FxHashSet;

/// Frames `0..=depth`, where frame 0 is initial and each frame follows from the one before.
///
/// Frame 0 has all variables, so that the whole initial condition is told; the later ones have those
/// of the cone, which is closed: nothing in it depends on anything outside.
pub struct Unrolling<'s> {
    system: &'s System,
    cone: Vec<VarId>,
    solver: Solver,
    frames: Vec<Frame>,
}

impl<'s> Unrolling<'s> {
    /// With frame 0; `cone` must contain the cone of whatever is asked later.
    pub fn new(system: &'s System, cone: Vec<VarId>) -> Unrolling<'s> {
        let solver = Solver::new(theory(system));
        let mut unrolling = Unrolling { system, cone, solver, frames: Vec::new() };
        let all: Vec<VarId> = system.var_ids().collect();
        let mut first = unrolling.frame(&all);
        for &term in system.init() {
            let init = first.literal(system.terms(), term);
            unrolling.solver.add(&init);
        }
        unrolling.frames.push(first);
        unrolling
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

    /// A variable in a frame.
    pub fn variable(&self, frame: usize, id: VarId) -> &Encoded {
        self.frames[frame].variable(id)
    }

    /// The values that a model gives to the variables of the cone in a frame, in their order.
    pub fn state(&self, model: &Model, frame: usize) -> Vec<Value> {
        self.cone.iter().map(|&id| value(model, self.variable(frame, id), self.system.variable(id).sort)).collect()
    }

    /// That the variables of the cone have these values in a frame.
    pub fn is_state(&self, frame: usize, values: &[Value]) -> Literal {
        assert_eq!(self.cone.len(), values.len(), "one value per variable of the cone");
        Literal::and(self.cone.iter().zip(values).map(|(&id, value)| self.variable(frame, id).is(value)))
    }

    /// Fresh unknowns for a further state that is in no frame.
    pub fn free_state(&self) -> Frame {
        self.frame(&self.cone)
    }

    /// Tells the solver.
    pub fn add(&self, literal: &Literal) {
        self.solver.add(literal);
    }

    /// Asks the solver.
    pub fn check(&self, assumptions: &[Literal], budget: Budget) -> Answer {
        self.solver.check(assumptions, budget)
    }

    /// Unknowns, and that each finite one has exactly one value.
    fn frame(&self, wanted: &[VarId]) -> Frame {
        let frame = Frame::new(self.system.variables(), wanted, self.system.inputs());
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

    /// Adds a step.
    pub fn extend(&mut self) {
        let next = self.frame(&self.cone);
        let mut now = self.frames.pop().expect("frame 0 always exists");
        self.choose_event(&mut now);
        for &id in &self.cone {
            self.update(&mut now, &next, id);
        }
        self.frames.push(now);
        self.frames.push(next);
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
        for (index, event) in self.system.events().iter().enumerate() {
            let chosen = now.input(EVENT)[index].clone();
            let conjuncts = match terms.node(event.guard) {
                Node::And(list) => list.to_vec(),
                _ => vec![event.guard],
            };
            for conjunct in conjuncts {
                let holds = now.literal(terms, conjunct);
                self.solver.add(&chosen.implies(&holds));
            }
        }
    }

    /// The variable's next value: that of the case whose condition holds, else the old one.
    fn update(&self, now: &mut Frame, next: &Frame, id: VarId) {
        let terms = self.system.terms();
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
    pub fn trace(&mut self, model: &Model, steps: usize, loop_start: Option<usize>) -> Trace {
        let system = self.system;
        let initial = system.var_ids().map(|id| value(model, self.frames[0].variable(id), system.variable(id).sort));
        let initial: Vec<Value> = initial.collect();
        let steps = (0..steps).map(|step| self.step(model, step)).collect();
        Trace { initial, steps, loop_start }
    }

    fn step(&mut self, model: &Model, step: usize) -> Step {
        let system = self.system;
        let frame = &mut self.frames[step];
        let chosen = frame.input(EVENT).iter().position(|literal| model.is_true(literal));
        let event = &system.events()[chosen.expect("some event is chosen")];
        let mut receptions: Vec<_> = event
            .receptions
            .iter()
            .filter(|reception| model.is_true(&frame.literal(system.terms(), reception.taken)))
            .map(|reception| (reception.receiver, reception.edge))
            .collect();
        receptions.sort_unstable();
        Step { kind: event.kind, receptions }
    }
}

/// The value of a variable in a model.
fn value(model: &Model, encoded: &Encoded, sort: Sort) -> Value {
    let number = match encoded {
        Encoded::Bool(literal) => return Value::Bool(model.is_true(literal)),
        Encoded::Int(int) => model.integer(int),
        Encoded::Cases(cases) => {
            let case = cases.iter().find(|(_, literal)| model.is_true(literal));
            case.expect("exactly one case holds").0.clone()
        }
    };
    match sort {
        Sort::Int => Value::Int(number),
        _ => Value::Enum(u32::try_from(&number).expect("enum values are small")),
    }
}

/// What the solver has to understand for a system.
fn theory(system: &System) -> Theory {
    let unbounded = |domain: &Domain| matches!(domain, Domain::Unbounded | Domain::Range(..));
    if !system.variables().iter().any(|variable| unbounded(&variable.domain)) {
        return Theory::Finite;
    }
    let terms = system.terms();
    let mut nonlinear = false;
    let mut seen = FxHashSet::default();
    let mut stack: Vec<Term> = system.init().to_vec();
    stack.extend(system.events().iter().map(|event| event.guard));
    stack.extend(system.var_ids().flat_map(|id| system.update(id)).flat_map(|case| [case.condition, case.value]));
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            nonlinear |= matches!(terms.node(term), Node::Product(..));
            terms.for_each_child(term, |child| stack.push(child));
        }
    }
    if nonlinear { Theory::Nonlinear } else { Theory::Linear }
}
