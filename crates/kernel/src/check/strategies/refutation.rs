//! That a group has no strategy: each strategy has one of some runs in its outcome, on which the formula is false.
//!
//! Say that a run is one of the outcome of some strategy s. It is one of the outcome of each strategy that offers the decisions
//! that are made on it, and that refuses whatever could begin a step where the run stands still, though the model does not. If the
//! formula asks which steps are possible, other decisions in the states of the run have to be those of s as well. That is a
//! conjunction of decisions, so its negation is a clause that all strategies which avoid the run satisfy. Besides, of
//! the commands by which a member can take a message, it decides for one at least. Unit propagation shows that no decisions
//! satisfy all clauses, with the help of clauses that follow in the same way (Goldberg and Novikov, Verification of proofs of
//! unsatisfiability for CNF formulas, 2003).

use crate::check::{Counterexample, Ending, Refused};
use crate::claim::strategies::NoStrategy;
use crate::limits::tick;
use crate::model::branching::Branching;
use crate::model::eval::{Choice, Semantics, State};
use crate::model::formula::StateLeaf;
use crate::model::strategy::{Beginning, Decision, Strategy};
use crate::model::{Expr, Formula, InstanceId, Model};
use rustc_hash::{FxHashMap, FxHashSet};

/// A clause: literals are numbers of decisions plus one; negative ones say that they are refused.
type Clause = Vec<i32>;

/// Checks the runs, and that no strategy avoids all of them.
pub(super) fn confirm(
    model: &Model,
    beginning: &Beginning,
    inner: &[(Branching, Expr<StateLeaf>)],
    claim: &NoStrategy,
) -> Result<(), Refused> {
    let semantics = Semantics::new(model);
    let mut clauses =
        Clauses { semantics: &semantics, group: beginning.group(), numbers: FxHashMap::default(), list: Vec::new() };
    for decision in &claim.decisions {
        clauses.number(decision.clone());
    }
    for run in &claim.runs {
        tick();
        let refused = run.refused.iter().map(|number| claim.decisions.get(*number as usize));
        let refused: Vec<&Decision> = refused.collect::<Option<_>>().ok_or_else(no_such)?;
        if !refused.iter().all(|decision| is_decision(model, beginning, decision)) {
            return Err(no_such());
        }
        let strategy = Strategy::refusing(refused.iter().copied());
        let outcome = model.outcome(beginning, inner, &strategy);
        let outcome = Semantics::new(&outcome);
        let formula = &outcome.model().specs[0].formula;
        let shown = Counterexample::confirm(&outcome, formula, &run.trace)?;
        let refused: FxHashSet<&Decision> = refused.into_iter().collect();
        clauses.add_run(&shown, &refused, asks_what_is_possible(formula))?;
    }
    if refutes(&clauses.list, &claim.learnt) { Ok(()) } else { Err(Refused::wrong("some strategy avoids all runs")) }
}

fn no_such() -> Refused {
    Refused::wrong("a run is about decisions that the group does not have")
}

fn is_decision(model: &Model, beginning: &Beginning, decision: &Decision) -> bool {
    beginning.group().contains(&decision.member)
        && decision.edge.index() < model.agent_of(decision.member).edges.len()
        && decision.locals.len() == model.agent_of(decision.member).locals.len()
        && decision.message.is_none() == model.begins(decision.member, decision.edge)
}

/// True if a formula about single runs asks in which states which steps are possible.
fn asks_what_is_possible(formula: &Formula) -> bool {
    let mut found = false;
    formula.for_each_part(&mut |part| {
        if let Formula::Atom(expr) = part {
            found |= expr.any_leaf(|leaf| matches!(leaf, StateLeaf::Deadlock | StateLeaf::Enabled(..)));
        }
        true
    });
    found
}

/// The clauses that runs say.
struct Clauses<'a> {
    semantics: &'a Semantics<'a>,
    group: &'a [InstanceId],
    numbers: FxHashMap<Decision, i32>,
    list: Vec<Clause>,
}

impl Clauses<'_> {
    fn number(&mut self, decision: Decision) -> i32 {
        let next = self.numbers.len() as i32 + 1;
        *self.numbers.entry(decision).or_insert(next)
    }

    /// Adds the clause of a run, of the outcome of a strategy that refuses some decisions.
    fn add_run(
        &mut self,
        shown: &Counterexample,
        refused: &FxHashSet<&Decision>,
        asks_what_is_possible: bool,
    ) -> Result<(), Refused> {
        let run = shown.run();
        let (states, mut clause) = (run.states(), Vec::new());
        match shown.ending() {
            Ending::Prefix => {}
            Ending::Lasso(start) if states[start] == states[states.len() - 1] => {}
            // Decisions may depend on what the loop forgets.
            Ending::Lasso(_) | Ending::Recurrent(_) => {
                return Err(Refused::wrong("a run does not come back to the same state"));
            }
        }
        for (state, step) in states.iter().zip(run.steps()) {
            match &step.choice {
                Choice::Stutter => self.standing_still(state, &mut clause)?,
                choice => clause.extend(self.needed(state, choice).into_iter().map(|number| -number)),
            }
        }
        if asks_what_is_possible {
            for state in states {
                for step in self.semantics.steps(state) {
                    for decision in self.semantics.decided(self.group, state, &step.choice) {
                        let is_refused = refused.contains(&decision);
                        let number = self.number(decision);
                        clause.push(if is_refused { number } else { -number });
                    }
                    self.needed(state, &step.choice);
                }
            }
        }
        clause.sort_unstable();
        clause.dedup();
        self.list.push(clause);
        Ok(())
    }

    /// The numbers of the decisions for a step of the model; and that messages are taken by one of the commands by which they can be.
    fn needed(&mut self, state: &State, choice: &Choice) -> Vec<i32> {
        let decisions = self.semantics.decided(self.group, state, choice);
        for take in decisions.iter().filter(|decision| decision.message.is_some()) {
            let others = self.semantics.alternatives(state, choice, take.member).into_iter();
            let mut clause: Clause = others.map(|edge| self.number(Decision { edge, ..take.clone() })).collect();
            clause.sort_unstable();
            self.list.push(clause);
        }
        decisions.into_iter().map(|decision| self.number(decision)).collect()
    }

    /// What a strategy must not offer so that a run stands still.
    fn standing_still(&mut self, state: &State, clause: &mut Clause) -> Result<(), Refused> {
        for step in self.semantics.steps(state) {
            if step.choice == Choice::Stutter {
                continue;
            }
            let begins = self.semantics.decided(self.group, state, &step.choice).into_iter();
            // Others begin, and messages are taken in some way.
            let begins = begins.into_iter().find(|decision| decision.message.is_none());
            let begins = begins.ok_or_else(|| Refused::wrong("a run stands still where others can go on"))?;
            clause.push(self.number(begins));
        }
        Ok(())
    }
}

/// True if unit propagation shows that each clause that was learnt follows from those before it, and then that they contradict each other.
fn refutes(clauses: &[Clause], learnt: &[Clause]) -> bool {
    let mut known: Vec<&[i32]> = clauses.iter().map(Vec::as_slice).collect();
    for clause in learnt {
        if clause.contains(&0) || !follows(&known, clause) {
            return false;
        }
        known.push(clause);
    }
    follows(&known, &[])
}

/// True if unit propagation comes to a contradiction where all literals of a clause are false.
fn follows(known: &[&[i32]], clause: &[i32]) -> bool {
    let mut is_true: FxHashSet<i32> = clause.iter().map(|literal| -literal).collect();
    loop {
        let before = is_true.len();
        for clause in known {
            tick();
            if clause.iter().any(|literal| is_true.contains(literal)) {
                continue;
            }
            let mut open = clause.iter().filter(|literal| !is_true.contains(&-**literal));
            match (open.next(), open.next()) {
                (None, _) => return true,
                (Some(only), None) => {
                    is_true.insert(*only);
                }
                (Some(_), Some(_)) => {}
            }
        }
        if is_true.len() == before {
            return false;
        }
    }
}
