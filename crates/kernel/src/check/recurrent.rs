//! Violations by runs on which no state recurs: a round of steps that can be repeated for ever.
//!
//! The steps up to the end of the first round are replayed on the concrete semantics. Then a solver
//! is asked about the system that the model defines, without any simplification: from *every* state of the
//! recurrent set the same choices are possible, one after the other, everything that the formula reads has
//! the truth that it had in the first round, and the last step leads into the set again. As the round
//! starts in the set, it can be repeated for ever, and the truth values on that run are a lasso, on which
//! the concrete semantics evaluates the formula.
//!
//! As a second opinion on solvers and system, the round is also repeated a few times on the concrete semantics, where
//! everything that the formula reads has to have the same truth each time.

use super::queries::recurrent::RecurrentQueries;
use super::solver::ScriptSolver;
use super::{Counterexample, Refused, typed};
use crate::claim::recurrent::{RecurrentRun, RecurrentSet};
use crate::model::eval::{Choice, Influence, Run, Semantics, Trace, Truth};
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, Formula, Value};
use crate::ts::atoms::{atoms, state_predicate};
use crate::ts::history::base_system;
use crate::ts::system::System;
use crate::ts::term::Term;
use std::ops::Range;

/// Why rounds are none.
pub(super) const NOT_INSIDE: &str = "the round starts outside of the recurrent set";
pub(super) const NOT_REPEATABLE: &str = "some step of the round cannot be repeated in every round";
pub(super) const OTHER_TRUTH: &str = "the spec may read something else in a later round";

/// The number of more rounds that are replayed.
const REPEATED: usize = 8;

/// Why a run can go on for ever. There is no way to make one but by [`Counterexample::confirm_recurrent`].
#[derive(Clone, Debug)]
pub struct Recurrence {
    start: usize,
    set: RecurrentSet,
    conjunct: usize,
}

impl Recurrence {
    /// The position where the round starts; it ends with the run.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The states from which the round can be repeated; the one at the start is among them.
    pub fn set(&self) -> &RecurrentSet {
        &self.set
    }

    /// Which of the formula's conjuncts is false on the run.
    pub fn conjunct(&self) -> usize {
        self.conjunct
    }
}

impl<'s> Counterexample<'s> {
    /// Replays a run, checks that its round can be repeated for ever, and evaluates the conjunct of the
    /// formula on what comes of that.
    pub fn confirm_recurrent(
        semantics: &'s Semantics<'s>,
        formula: &Formula,
        claim: RecurrentRun,
        solver: &dyn ScriptSolver,
    ) -> Result<Counterexample<'s>, Refused> {
        let RecurrentRun { trace, start, set, conjunct } = claim;
        let whole = formula;
        let formula = whole.conjuncts().into_iter().nth(conjunct).ok_or_else(Refused::other_spec)?;
        typed::check(semantics.model(), &set.conditions)?;
        let influence = Influence::of(semantics.model(), &formula);
        let run = super::replay(semantics, &trace, None, &influence)?;
        if start >= trace.choices.len() {
            return Err(Refused::wrong(NOT_REPEATABLE));
        }
        let round = Round::new(&run, &formula, &set, start);
        round.repeat(semantics, &trace, &influence)?;
        round.confirm(solver)?;
        match run.explain_repeating(&formula, start) {
            Some(explanation) => {
                let explanation = explanation.of_conjunct(whole, conjunct);
                Ok(Counterexample::of_run(run, explanation, Some(Recurrence { start, set, conjunct })))
            }
            None => Err(Refused::not_false(run.evaluation_repeating(&formula, start).at(0))),
        }
    }
}

/// The round of a run, and what has to be shown of it.
pub struct Round<'r> {
    run: &'r Run<'r>,
    start: usize,
    system: System,
    /// And whether each holds where the round starts.
    set: Vec<(Term, bool)>,
    atoms: Vec<(Term, Vec<bool>)>,
    /// The same, as formulas.
    read: Vec<Formula>,
}

impl<'r> Round<'r> {
    /// Of a run from a position on; the formula is the conjunct.
    pub fn new(run: &'r Run<'r>, formula: &Formula, set: &RecurrentSet, start: usize) -> Round<'r> {
        let model = run.semantics().model();
        let mut system = base_system(model);
        let condition = |expr: Expr<StateLeaf>| {
            let term = state_predicate(model, &mut system, &expr);
            (term, run.evaluation(&Formula::Atom(expr)).at(start) == Truth::True)
        };
        let set = conditions(run, set, start).into_iter().map(condition).collect();
        let found = atoms(model, &mut system, formula);
        let atoms = found.iter().map(|atom| {
            let truth = run.evaluation(&atom.formula);
            (atom.term, (0..run.steps().len()).map(|position| truth.at(position) == Truth::True).collect())
        });
        let atoms = atoms.collect();
        Round { run, start, system, set, atoms, read: found.into_iter().map(|atom| atom.formula).collect() }
    }

    /// The system that the model defines, in whose terms everything is said.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The conditions of the set, without those that are true in every state.
    pub fn set(&self) -> Vec<Term> {
        self.set.iter().map(|(term, _)| *term).filter(|term| !self.system.terms().is_true(*term)).collect()
    }

    /// The atoms of the conjunct, and their truth at every position up to the end of the first round.
    pub fn atoms(&self) -> &[(Term, Vec<bool>)] {
        &self.atoms
    }

    /// The positions of its steps.
    pub fn positions(&self) -> Range<usize> {
        self.start..self.run.steps().len()
    }

    /// The semantics takes the same steps some more times, and the formula reads the same.
    fn repeat(&self, semantics: &Semantics, trace: &Trace, influence: &Influence) -> Result<(), Refused> {
        let round = self.positions();
        let again = trace.choices[round.clone()].iter().cycle().take(REPEATED * round.len());
        let choices = trace.choices.iter().chain(again).cloned().collect();
        let longer = super::replay(semantics, &Trace { choices, ..trace.clone() }, None, influence)?;
        for (formula, (_, truth)) in self.read.iter().zip(&self.atoms) {
            let again = longer.evaluation(formula);
            for position in round.end..longer.steps().len() {
                let first = round.start + (position - round.start) % round.len();
                if (again.at(position) == Truth::True) != truth[first] {
                    return Err(Refused::wrong(OTHER_TRUTH));
                }
            }
        }
        Ok(())
    }

    fn confirm(&self, solver: &dyn ScriptSolver) -> Result<(), Refused> {
        if !self.set.iter().all(|(_, holds)| *holds) {
            return Err(Refused::wrong(NOT_INSIDE));
        }
        let question =
            RecurrentQueries::new(self.run.semantics().model(), self).ok_or_else(|| Refused::wrong(NOT_REPEATABLE))?;
        question.queries().iter().try_for_each(|query| query.refute(solver))
    }

    /// The choice of the step at a position.
    pub fn choice(&self, position: usize) -> &Choice {
        &self.run.steps()[position].choice
    }

    /// The inputs of the step at a position. That they make it its choice is not taken from here, but
    /// asked for all states.
    pub fn inputs(&self, position: usize) -> Option<Vec<u32>> {
        self.system.inputs_of(self.choice(position), &self.values(position))
    }

    /// The values of the system's variables at a position, but for those of receive labels.
    pub fn values(&self, position: usize) -> Vec<Value> {
        self.system.values_of(|leaf| self.run.value(position, leaf))
    }
}

/// The set as a conjunction.
fn conditions(run: &Run, set: &RecurrentSet, start: usize) -> Vec<Expr<StateLeaf>> {
    let fixed = set.fixed.iter().map(|leaf| {
        let value = run.value(start, *leaf);
        Expr::binary(BinaryOp::Eq, Expr::Leaf(*leaf), Expr::Const(value))
    });
    fixed.chain(set.conditions.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::solver::Credulous;
    use crate::model::of_text::model;

    /// Checks the claim that these steps violate a spec, the last ones repeated from a position on.
    fn claimed(guard: &str, spec: &str, steps: usize, start: usize) -> Result<usize, Refused> {
        let agent = format!(
            "agent A
                local: n : int
                init: n = 0
                receive-guard: false
                repeat: up: {{{guard}}} *! (true)()[n := n + 1]
            system = A(a, true)
            SPEC {spec}"
        );
        let model = model(&agent);
        let semantics = Semantics::new(&model);
        let mut state = semantics.initial_states().expect("one").remove(0);
        let initial = vec![(0, vec![Value::int(0)])];
        let mut choices = Vec::new();
        for _ in 0..steps {
            let step = semantics.steps(&state).remove(0);
            choices.push(step.choice);
            state = step.target;
        }
        let trace = Trace { initial, choices, loop_start: None };
        let set = RecurrentSet { fixed: Vec::new(), conditions: Vec::new() };
        let claim = RecurrentRun { trace, start, set, conjunct: 0 };
        let found = Counterexample::confirm_recurrent(&semantics, &model.specs[0].formula, claim, &Credulous);
        found.map(|found| found.repeats_from().expect("it goes on for ever"))
    }

    #[test]
    fn rounds_are_repeated_whatever_the_solver_says() {
        let refused = |guard, spec, steps, start| claimed(guard, spec, steps, start).expect_err("refused").to_string();
        assert_eq!(claimed("true", "F (a-n < 0)", 3, 2), Ok(2));
        assert_eq!(claimed("true", "F (a-n < 0)", 3, 0), Ok(0));
        let every_third = "F ((a-n - 3 * (a-n / 3) = 1) & X (a-n < 0))";
        assert_eq!(claimed("true", every_third, 4, 1), Ok(1), "the same steps are compared");
        assert!(refused("n < 10", "F (a-n < 0)", 4, 2).contains("is no run"), "not so often");
        assert_eq!(refused("true", "F (a-n = 9)", 4, 2), OTHER_TRUTH, "in a later round");
        assert_eq!(refused("true", "F (a-n = 2)", 4, 2), OTHER_TRUTH, "in the first round alone");
        assert!(refused("true", "G (a-n >= 0)", 4, 2).contains("does not violate the spec"));
        assert_eq!(refused("true", "F (a-n < 0)", 3, 3), NOT_REPEATABLE, "no step is in it");
    }
}
