//! The truth of formulas on a run, at every position (`docs/logic.md`).
//!
//! On a lasso every formula is true or false: `f U g` is the least and `f W g` the greatest
//! solution of its one-step equation, found by going backwards through the loop
//! twice. The beginning of a run stands for all its continuations: a formula is true (false) there
//! only if what was seen makes it true (false) on each of them, and unknown otherwise. It may be
//! unknown although all continuations agree, since operands are judged one by one.

use super::{Influence, Run, State, Step};
use crate::limits::ticks;
use crate::model::branching::Branching;
use crate::model::formula::{StateLeaf, Strength};
use crate::model::written::Node;
use crate::model::{EdgeId, Expr, Formula, InstanceId, Observation};

/// A truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// It does not hold, however the run goes on.
    False,
    /// Not decided by what was seen.
    Unknown,
    /// It holds, however the run goes on.
    True,
}

impl Truth {
    /// Conjunction.
    pub fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::False, _) | (_, Truth::False) => Truth::False,
            (Truth::True, Truth::True) => Truth::True,
            _ => Truth::Unknown,
        }
    }

    /// Disjunction.
    pub fn or(self, other: Truth) -> Truth {
        self.negated().and(other.negated()).negated()
    }

    /// Negation.
    pub fn negated(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }

    /// Implication.
    pub fn implies(self, other: Truth) -> Truth {
        self.negated().or(other)
    }

    /// Equivalence.
    pub fn iff(self, other: Truth) -> Truth {
        self.implies(other).and(other.implies(self))
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        if value { Truth::True } else { Truth::False }
    }
}

/// Which branching formulas are true in which states of a run, by their positions, as far as that is known.
pub type Given<'g> = &'g dyn Fn(&Branching, usize) -> Truth;

/// The immediate subformulas, from left to right.
pub fn operands(formula: &Formula) -> Vec<&Formula> {
    let mut list = Vec::new();
    // The parts of branching formulas are about other runs.
    if !matches!(formula, Formula::Branching(_)) {
        formula.for_each_child(&mut |part| list.push(part));
    }
    list
}

/// The positions of a run at which formulas are evaluated.
///
/// A receive label speaks about the step before. Where the loop starts, that is another step on the
/// first visit than on the later ones; if the receivers differ, the loop is unrolled once, so that
/// every position has one step before it as far as labels can tell. Where a path quantifier or knowledge looks at
/// the runs from a state, they begin there: no step comes before.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    /// The position where the run begins that formulas speak of.
    origin: usize,
    /// How many there are.
    count: usize,
    /// The successor of the last one, on a lasso.
    back: Option<usize>,
    /// The run's own loop, as (start, number of steps), on a lasso.
    period: Option<(usize, usize)>,
}

impl Positions {
    fn new(run: &Run, loop_start: Option<usize>, origin: usize) -> Positions {
        let steps = run.steps();
        let Some(start) = loop_start else {
            return Positions { origin, count: steps.len() + 1, back: None, period: None };
        };
        let rolled = Positions { origin, count: steps.len(), back: Some(start), period: Some((start, steps.len())) };
        // A loop that the run is in at its origin is entered there.
        let (back, count) = (start.max(origin), steps.len() + origin.saturating_sub(start));
        let receivers = |position: usize| {
            let before = rolled.before(position).map(|before| rolled.index(before));
            before.map_or(&[][..], |before| steps[before].choice.receivers())
        };
        if receivers(back) == receivers(count) {
            Positions { back: Some(back), count, ..rolled }
        } else {
            Positions { back: Some(count), count: 2 * count - back, ..rolled }
        }
    }

    /// The position before another one, unless the run begins there.
    fn before(&self, position: usize) -> Option<usize> {
        if position > self.origin { Some(position - 1) } else { None }
    }

    /// The position that any position of the infinite run is like.
    pub(super) fn fold(&self, position: usize) -> usize {
        match self.back {
            Some(back) if position >= self.count => back + (position - back) % (self.count - back),
            _ => position,
        }
    }

    /// The index of a position's state and, but for the last position of a beginning, of its step.
    fn index(&self, position: usize) -> usize {
        match self.period {
            Some((start, end)) if position >= end => start + (position - start) % (end - start),
            _ => position,
        }
    }

    /// The position as a trace shows it, whose last state is written down although the loop starts
    /// with it again.
    pub(super) fn in_trace(&self, position: usize) -> usize {
        match self.period {
            Some((_, end)) if position > end => self.index(position),
            _ => position,
        }
    }

    /// The position before a step as a trace shows it.
    pub(super) fn step_in_trace(&self, position: usize) -> usize {
        self.index(position)
    }

    fn successor(&self, position: usize) -> Option<usize> {
        if position + 1 < self.count { Some(position + 1) } else { self.back }
    }

    /// The start of the last repetition of the loop, or the last position of a beginning.
    pub(super) fn late(&self) -> usize {
        self.back.unwrap_or(self.count - 1)
    }

    /// The positions of the infinite run from `position` on, until nothing new can come.
    pub(super) fn from(&self, position: usize) -> std::ops::Range<usize> {
        match self.back {
            None => position..self.count,
            Some(back) => position..position.max(back) + self.count,
        }
    }
}

/// A formula with its truth at every position of a run.
#[derive(Clone, Debug)]
pub struct Evaluation<'f> {
    formula: &'f Formula,
    positions: Positions,
    truth: Vec<Truth>,
    operands: Vec<Evaluation<'f>>,
}

impl<'f> Evaluation<'f> {
    /// The formula.
    pub fn formula(&self) -> &'f Formula {
        self.formula
    }

    /// Its immediate subformulas, from left to right.
    pub fn operands(&self) -> &[Evaluation<'f>] {
        &self.operands
    }

    /// Its truth at a position; on a lasso at any position of the infinite run.
    ///
    /// # Panics
    /// Behind the last state of a run without a loop.
    pub fn at(&self, position: usize) -> Truth {
        self.truth[self.positions.fold(position)]
    }

    pub(super) fn positions(&self) -> &Positions {
        &self.positions
    }
}

impl<'e> Node<'e> for &'e Evaluation<'e> {
    fn formula(self) -> &'e Formula {
        self.formula
    }

    fn operand(self, index: usize) -> &'e Evaluation<'e> {
        &self.operands[index]
    }
}

impl Run<'_> {
    /// The truth of the formula on this run.
    pub fn evaluate(&self, formula: &Formula) -> Truth {
        self.evaluation(formula).at(0)
    }

    /// The truth of the formula and of all its subformulas, at every position.
    ///
    /// A loop that forgets a variable that matters to the formula is not used: then the run is taken
    /// as a beginning only, and the answer may be unknown.
    pub fn evaluation<'f>(&self, formula: &'f Formula) -> Evaluation<'f> {
        let influence = Influence::of(self.semantics().model(), formula);
        let positions = Positions::new(self, self.loop_start_for(&influence), 0);
        self.evaluation_at(&positions, formula, &|_, _| Truth::Unknown)
    }

    /// The same for the run from a position on, where it is known which branching formulas are true in which states.
    pub fn evaluation_given<'f>(&self, formula: &'f Formula, from: usize, given: Given) -> Evaluation<'f> {
        let influence = Influence::of(self.semantics().model(), formula);
        let positions = Positions::new(self, self.loop_start_for(&influence), from);
        self.evaluation_at(&positions, formula, given)
    }

    /// The same on the infinite run that repeats the steps from `start` on for ever. The states of later
    /// rounds may differ from those seen here, but not in any atom or observation of the formula: that is
    /// for the caller to establish.
    ///
    /// # Panics
    /// If there is no step from `start` on.
    pub fn evaluation_repeating<'f>(&self, formula: &'f Formula, start: usize) -> Evaluation<'f> {
        assert!(start < self.steps().len(), "a round has at least one step");
        self.evaluation_at(&Positions::new(self, Some(start), 0), formula, &|_, _| Truth::Unknown)
    }

    fn evaluation_at<'f>(&self, positions: &Positions, formula: &'f Formula, given: Given) -> Evaluation<'f> {
        ticks(positions.count);
        let parts = operands(formula);
        let operands: Vec<_> = parts.into_iter().map(|part| self.evaluation_at(positions, part, given)).collect();
        let truth = self.truth(positions, formula, &operands, given);
        Evaluation { formula, positions: positions.clone(), truth, operands }
    }

    fn truth(&self, positions: &Positions, formula: &Formula, operands: &[Evaluation], given: Given) -> Vec<Truth> {
        let each = |rule: &dyn Fn(usize) -> Truth| (0..positions.count).map(rule).collect::<Vec<_>>();
        let value = |operand: usize, at: usize| operands[operand].truth[at];
        let next = |at: usize| positions.successor(at).map_or(Truth::Unknown, |after| value(0, after));
        match formula {
            Formula::Atom(expr) => each(&|at| self.atom(positions, expr, at)),
            Formula::Label(instance, edge) => each(&|at| self.label(positions, *instance, *edge, at)),
            Formula::Branching(branching) => each(&|at| given(branching, positions.index(at))),
            Formula::Not(_) => each(&|at| value(0, at).negated()),
            Formula::And(parts) => each(&|at| (0..parts.len()).fold(Truth::True, |all, part| all.and(value(part, at)))),
            Formula::Or(parts) => {
                each(&|at| (0..parts.len()).fold(Truth::False, |some, part| some.or(value(part, at))))
            }
            Formula::Iff(..) => each(&|at| value(0, at).iff(value(1, at))),
            Formula::Next(_) => each(&next),
            Formula::Until(strength, ..) => {
                let seed = Truth::from(*strength == Strength::Weak);
                fixpoint(positions, seed, &|at, after| value(1, at).or(value(0, at).and(after)))
            }
            Formula::Observed(observation) => each(&|at| self.observed(positions, observation, at)),
        }
    }

    fn atom(&self, positions: &Positions, expr: &Expr<StateLeaf>, at: usize) -> Truth {
        let state = self.state(positions, at);
        super::value::holds(expr, &|leaf| Some(self.semantics().value(state, leaf))).into()
    }

    /// A receive label is about the step before, false where the run begins; any other about the step from here.
    fn label(&self, positions: &Positions, instance: InstanceId, edge: EdgeId, at: usize) -> Truth {
        if self.semantics().model().is_receive(instance, edge) {
            let before = self.step_before(positions, at);
            return before.is_some_and(|step| step.choice.receives(instance, edge)).into();
        }
        self.step(positions, at).map_or(Truth::Unknown, |step| step.choice.performs(instance, edge).into())
    }

    /// True if the step from a position is observed.
    pub(super) fn observed(&self, positions: &Positions, observation: &Observation, at: usize) -> Truth {
        match self.step(positions, at) {
            None => Truth::Unknown,
            Some(step) => self.semantics().observes(self.state(positions, at), step, observation).into(),
        }
    }

    /// The state at a position of the infinite run.
    pub(super) fn state(&self, positions: &Positions, at: usize) -> &State {
        &self.states()[positions.index(at)]
    }

    /// The step from a position, unless a beginning ends there.
    pub(super) fn step(&self, positions: &Positions, at: usize) -> Option<&Step> {
        self.steps().get(positions.index(at))
    }

    /// The step to a position.
    pub(super) fn step_before(&self, positions: &Positions, at: usize) -> Option<&Step> {
        positions.before(at).and_then(|before| self.step(positions, before))
    }
}

/// Solves `truth(at) = rule(at, truth(successor of at))`, beginning with `seed` in the loop.
fn fixpoint(positions: &Positions, seed: Truth, rule: &dyn Fn(usize, Truth) -> Truth) -> Vec<Truth> {
    let mut truth = vec![seed; positions.count];
    let mut behind = match positions.back {
        None => Truth::Unknown,
        Some(back) => (back..positions.count).rev().fold(seed, |after, at| rule(at, after)),
    };
    for at in (0..positions.count).rev() {
        behind = rule(at, behind);
        truth[at] = behind;
    }
    truth
}
