//! That a group has no strategy: each strategy has one of some runs in its outcome, on which the formula is false.
//!
//! Say that a run is one of the outcome of some strategy s. It is one of the outcome of each strategy that offers the decisions
//! that are made on it, and that refuses whatever could begin a step where the run stands still, though the model does not. If the
//! formula asks which steps are possible, other decisions in the states of the run have to be those of s as well. That is a
//! conjunction of decisions, so its negation is a clause that all strategies which avoid the run satisfy. Besides, of
//! the commands by which a member can take a message, it decides for one at least. Unit propagation shows that no decisions
//! satisfy all clauses, with the help of clauses that follow in the same way (Goldberg and Novikov, Verification of proofs of
//! unsatisfiability for CNF formulas, 2003).

use super::{Stuck, deterministic, is_one_of};
use crate::check::{Counterexample, Ending, Means, Refused, Verdict, judge, replay};
use crate::claim::strategies::{NoStrategy, Shows};
use crate::claim::{Evidence, Trace};
use crate::limits::tick;
use crate::model::branching::Branching;
use crate::model::eval::{Choice, Influence, Run, SeenMessage, Semantics, State, Truth};
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
    known: &[(Branching, Expr<StateLeaf>)],
    claim: &NoStrategy,
    means: Means,
) -> Result<Vec<Option<Stuck>>, Refused> {
    let semantics = Semantics::new(model);
    let mut proofs = Vec::new();
    let mut clauses =
        Clauses { semantics: &semantics, group: beginning.group(), numbers: FxHashMap::default(), list: Vec::new() };
    for decision in &claim.decisions {
        clauses.number(decision.clone());
    }
    for failure in &claim.failures {
        tick();
        let refused = failure.refused.iter().map(|number| claim.decisions.get(*number as usize));
        let refused: Vec<&Decision> = refused.collect::<Option<_>>().ok_or_else(no_such)?;
        if !refused.iter().all(|decision| is_decision(model, beginning, decision)) {
            return Err(no_such());
        }
        let strategy = Strategy::refusing(refused.iter().copied());
        is_one_of(model, beginning, &strategy)?;
        let mut clause = match &failure.shows {
            Shows::Run(trace) => {
                let outcome = model.outcome_of_runs(beginning, known, &strategy).ok_or_else(no_such)?;
                let outcome = Semantics::new(&outcome);
                let formula = &outcome.model().specs[0].formula;
                let shown = Counterexample::confirm(&outcome, formula, trace)?;
                recurs(model, beginning, &shown)?;
                proofs.push(None);
                let mut clause = clauses.of_run(shown.run())?;
                if formula.asks_what_is_possible() {
                    clauses.add_possible(shown.run(), &refused.into_iter().collect(), &mut clause);
                }
                clause
            }
            Shows::Stuck(trace, evidence) => {
                let outcome = model.outcome(beginning, known, &strategy);
                let outcome = Semantics::new(&outcome);
                let (run, proof) = stuck(&outcome, model, beginning, known, (trace, evidence.clone()), means)?;
                proofs.push(Some(proof));
                let mut clause = clauses.of_run(&run)?;
                for decision in refused {
                    clause.push(clauses.number(decision.clone()));
                }
                clause
            }
            Shows::Whole(evidence) if beginning.can.is_about_protocols() => {
                let outcome = model.outcome(beginning, known, &strategy);
                let outcome = Semantics::new(&outcome);
                let is_run =
                    matches!(evidence, Evidence::Run(_) | Evidence::LabelledRun(..) | Evidence::SymbolicRun(..));
                let Some(Verdict::Violated(_)) =
                    is_run.then(|| judge(&outcome, 0, evidence.clone(), means)).transpose()?
                else {
                    return Err(Refused::wrong("nothing says that protocols do not do what is asked for"));
                };
                proofs.push(None);
                clauses.of_protocols(&outcome)?
            }
            Shows::Whole(_) => return Err(no_such()),
        };
        clause.sort_unstable();
        clause.dedup();
        clauses.list.push(clause);
    }
    match refutes(&clauses.list, &claim.learnt) {
        true => Ok(proofs),
        false => Err(Refused::wrong("some strategy avoids all runs")),
    }
}

fn no_such() -> Refused {
    Refused::wrong("a run is about decisions that the group does not have")
}

fn is_decision(model: &Model, beginning: &Beginning, decision: &Decision) -> bool {
    beginning.group().contains(&decision.member)
        && model.is_command(decision.member, decision.edge)
        && decision.locals.len() == model.seen_by(decision.member).count()
        && decision.message.is_none() == model.begins(decision.member, decision.edge)
}

/// That the loop of a run comes back to a state in which all is the same that members see, and that influences it and the formula.
fn recurs(model: &Model, beginning: &Beginning, shown: &Counterexample) -> Result<(), Refused> {
    let states = shown.run().states();
    let formula = &shown.run().semantics().model().specs[0].formula;
    let influence = Influence::of_group(model, formula, beginning.group());
    match shown.ending() {
        Ending::Prefix => Ok(()),
        Ending::Lasso(start) if influence.agree(model, &states[start], &states[states.len() - 1]) => Ok(()),
        Ending::Lasso(_) | Ending::Recurrent(_) => {
            Err(Refused::wrong("a run does not come back to the same decisions"))
        }
    }
}

/// That a strategy does not count: of the beginning of a run no continuation in its outcome satisfies what is assumed, though one
/// in the model does.
///
/// Strategies that refuse more have fewer runs, but for those that stand still; these must not satisfy what is assumed.
fn stuck<'s>(
    outcome: &'s Semantics<'s>,
    model: &Model,
    beginning: &Beginning,
    known: &[(Branching, Expr<StateLeaf>)],
    (trace, evidence): (&Trace, Evidence),
    means: Means,
) -> Result<(Run<'s>, Stuck), Refused> {
    let unfit = || Refused::wrong("nothing says that a strategy does not count");
    let assumed = model.restricting(&beginning.can).ok_or_else(unfit)?;
    let all_along = model.all_along(assumed).filter(|_| model.takes_steps(assumed)).ok_or_else(unfit)?;
    let possible = Branching::possible(assumed);
    let (_, condition) = known.iter().find(|(branching, _)| *branching == possible).ok_or_else(unfit)?;
    let run = replay(outcome, trace, None, &Influence::of_behaviour(outcome.model()))?;
    let evaluation = run.evaluation_given(&all_along, 0, &|_, _| Truth::Unknown);
    let last = run.states().last().expect("a run has states");
    let so_far = (0..run.steps().len()).all(|position| evaluation.at(position) == Truth::True);
    let goes_on = outcome.holds_in(last, &Formula::Atom(condition.clone())) == Some(true);
    let counts = |given: &Formula| outcome.holds_in(&run.states()[0], &given.with_known(known)) == Some(true);
    if !beginning.given.iter().all(counts) {
        return Err(unfit());
    }
    let stands_still = run.steps().iter().any(|step| step.choice == Choice::Stutter);
    if !so_far || !goes_on || stands_still || trace.loop_start.is_some() {
        return Err(unfit());
    }
    let question = Box::new(model.stuck(outcome.model(), last, assumed));
    let semantics = Semantics::new(&question);
    let Verdict::Holds(proof) = judge(&semantics, 0, evidence, means)? else { return Err(unfit()) };
    drop(semantics);
    Ok((run, Stuck { model: question, proof }))
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

    /// The clause that the strategies satisfy of whose outcomes this is no run.
    fn of_run(&mut self, run: &Run) -> Result<Clause, Refused> {
        let mut clause = Vec::new();
        for (state, step) in run.states().iter().zip(run.steps()) {
            match &step.choice {
                Choice::Stutter => self.standing_still(state, &mut clause)?,
                choice => clause.extend(self.needed(state, choice).into_iter().map(|decision| -self.number(decision))),
            }
        }
        Ok(clause)
    }

    /// The clause of protocols that allow other actions than these, which are deterministic, in some reachable state.
    fn of_protocols(&mut self, outcome: &Semantics) -> Result<Clause, Refused> {
        let mut clause = Vec::new();
        for (state, member, action) in deterministic(self.semantics, outcome, self.group)? {
            let decision = |edge| self.semantics.decision(&state, (member, edge), Some(SeenMessage::default()));
            let others = self.semantics.alternatives(&state, &Choice::Stutter, member).into_iter().map(decision);
            let others: Vec<Decision> = others.collect();
            let decided = decision(action);
            let ways: Clause = others.into_iter().map(|other| self.number(other)).collect();
            self.list.push(ways);
            clause.push(-self.number(decided));
        }
        Ok(clause)
    }

    /// Adds those in which other steps are possible in some state of the run than where some decisions are refused.
    fn add_possible(&mut self, run: &Run, refused: &FxHashSet<&Decision>, clause: &mut Clause) {
        for state in run.states() {
            for step in self.semantics.steps(state) {
                for decision in self.needed(state, &step.choice) {
                    let is_refused = refused.contains(&decision);
                    let number = self.number(decision);
                    clause.push(if is_refused { number } else { -number });
                }
            }
        }
    }

    /// The decisions for a step of the model; and that messages are taken by one of the commands by which they can be.
    fn needed(&mut self, state: &State, choice: &Choice) -> Vec<Decision> {
        let decisions = self.semantics.decided(self.group, state, choice);
        for take in decisions.iter().filter(|decision| decision.message.is_some()) {
            let others = self.semantics.alternatives(state, choice, take.member).into_iter();
            let mut clause: Clause = others.map(|edge| self.number(Decision { edge, ..take.clone() })).collect();
            clause.sort_unstable();
            self.list.push(clause);
        }
        decisions
    }

    /// The decisions that a strategy must refuse so that a run stands still.
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
        if clause.iter().any(|literal| *literal == 0 || *literal == i32::MIN) || !follows(&known, clause) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_that_do_not_follow_by_unit_propagation_refute_nothing() {
        let clauses = [vec![1, 2], vec![1, -2], vec![-1, 2], vec![-1, -2]];
        assert!(!refutes(&clauses, &[]));
        assert!(refutes(&clauses, &[vec![1]]));
        assert!(!refutes(&clauses[..3], &[vec![1]]));
        assert!(refutes(&clauses, &[vec![-1]]) && refutes(&clauses, &[vec![2]]));
        // Neither a clause that does not follow, nor one that is none, nor one before those from which it follows.
        assert!(!refutes(&clauses[..3], &[vec![-1], vec![]]));
        assert!(!refutes(&clauses, &[vec![0], vec![1]]));
        assert!(!refutes(&clauses[..2], &[vec![]]));
        assert!(refutes(&[vec![]], &[]));
        assert!(!refutes(&[], &[]));
    }
}
