//! What groups can bring about with uniform strategies: a strategy is proposed, its outcome is proved as a model like others, and a
//! counterexample excludes all strategies that it is a run of (`docs/strategies.md`).

use super::answer::{Answer, InternalError};
use super::{Engine, Limits, Subject};
use crate::check::strategies::{inner_formulas, is_one_of};
use crate::check::{Counterexample, Ending, Verdict};
use crate::claim::strategies::{CanClaim, NoStrategy, OutcomeRun, StrategiesClaim};
use crate::claim::{Evidence, Trace};
use crate::limits::{Reason, tick};
use crate::model::branching::Branching;
use crate::model::eval::{Choice, Semantics, State};
use crate::model::formula::StateLeaf;
use crate::model::strategy::{Beginning, Decision, Strategy};
use crate::model::{Expr, Formula};
use crate::smt::proposals::Proposals;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::{info, info_span};

/// How often a loop is followed until its state recurs with all that members see.
const TURNS: usize = 64;

impl Subject<'_> {
    /// Decides a spec that says at its beginning what groups can bring about.
    pub(super) fn by_strategies(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Answer<'_>, InternalError> {
        let _logged = info_span!("strategies").entered();
        let mut used = Vec::new();
        match self.strategies(spec, engines, limits, &mut used) {
            Ok(claim) => Ok(self.judged(spec, Evidence::Strategies(Box::new(claim)), &used, limits)),
            Err(GaveUp::Because(reason)) => Ok(Answer::unknown(reason)),
            Err(GaveUp::Broken(error)) => Err(error),
        }
    }

    fn strategies(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
        used: &mut Vec<Engine>,
    ) -> Result<StrategiesClaim, GaveUp> {
        let model = self.model();
        let formula = &model.specs[spec].formula;
        let beginnings = formula.beginnings();
        let is_supported =
            |beginning: &Beginning| beginning.can.among.as_ref().is_none_or(|among| among.is_fairness(model));
        if !beginnings.iter().all(is_supported) {
            return Err(gave_up("strategies under assumptions other than fairness are not supported"));
        }
        if !inner_formulas(&beginnings).is_empty() {
            return Err(gave_up("what is to be brought about speaks of other runs or knowledge"));
        }
        let mut answers = Vec::new();
        for beginning in &beginnings {
            let mut search = Search::new(self, beginning, &[]);
            answers.push(search.run(engines, limits, used)?);
        }
        let truth = |beginning: &Beginning| {
            let place = beginnings.iter().position(|other| other == beginning);
            place.is_some_and(|place| matches!(answers[place], CanClaim::Can(..)))
        };
        let rest = model.with_specs(vec![formula.with_beginnings(&truth).into()]);
        let rest = self.with_specs_of(&rest).without_shortening().evidence(engines, limits, used)?;
        Ok(StrategiesClaim { inner: Vec::new(), answers, rest })
    }

    /// The evidence about the only spec.
    fn evidence(&self, engines: &[Engine], limits: &Limits, used: &mut Vec<Engine>) -> Result<Evidence, GaveUp> {
        let outcome = self.prove(0, engines, &limits.quiet()).map_err(GaveUp::Broken)?;
        note(used, outcome.engines);
        match outcome.verdict {
            Verdict::Holds(proof) => Ok(proof.evidence()),
            Verdict::Violated(counterexample) => counterexample
                .evidence()
                .ok_or_else(|| gave_up("why what remains of the spec is violated is too complex")),
            Verdict::Unknown { reason, .. } => Err(GaveUp::Because(reason)),
            Verdict::NoCounterexample { .. } => Err(GaveUp::Because(Reason::Interrupted)),
        }
    }
}

/// Why it is not decided.
enum GaveUp {
    Because(Reason),
    Broken(InternalError),
}

fn gave_up(why: impl ToString) -> GaveUp {
    GaveUp::Because(Reason::Engine(why.to_string()))
}

fn note(used: &mut Vec<Engine>, new: Vec<Engine>) {
    new.into_iter().for_each(|engine| {
        if !used.contains(&engine) {
            used.push(engine);
        }
    });
}

/// The search for a strategy.
struct Search<'a, 'm> {
    subject: &'a Subject<'m>,
    beginning: &'a Beginning,
    inner: &'a [(Branching, Expr<StateLeaf>)],
    proposals: Proposals,
    numbers: FxHashMap<Decision, i32>,
    decisions: Vec<Decision>,
    /// The clauses that say by which commands messages are taken.
    taken: FxHashSet<Vec<i32>>,
    runs: Vec<OutcomeRun>,
}

impl<'a, 'm> Search<'a, 'm> {
    fn new(
        subject: &'a Subject<'m>,
        beginning: &'a Beginning,
        inner: &'a [(Branching, Expr<StateLeaf>)],
    ) -> Search<'a, 'm> {
        Search {
            subject,
            beginning,
            inner,
            proposals: Proposals::new(),
            numbers: FxHashMap::default(),
            decisions: Vec::new(),
            taken: FxHashSet::default(),
            runs: Vec::new(),
        }
    }

    fn run(&mut self, engines: &[Engine], limits: &Limits, used: &mut Vec<Engine>) -> Result<CanClaim, GaveUp> {
        let model = self.subject.model();
        loop {
            tick();
            let Some(refused) = self.proposals.next(self.decisions.len() as i32) else {
                info!("no strategy after {} runs", self.runs.len());
                let (decisions, runs) = (std::mem::take(&mut self.decisions), std::mem::take(&mut self.runs));
                return Ok(CanClaim::Cannot(NoStrategy { decisions, runs, learnt: self.proposals.learnt() }));
            };
            let refused: Vec<u32> = refused.into_iter().map(|variable| variable as u32 - 1).collect();
            let strategy = Strategy::refusing(refused.iter().map(|number| &self.decisions[*number as usize]));
            is_one_of(model, self.beginning, &strategy).map_err(|_| {
                gave_up("members would choose how they take messages by what some of these do not have")
            })?;
            let outcome = model.outcome(self.beginning, self.inner, &strategy);
            let subject = self.subject.alike(&outcome).without_shortening();
            let decided = subject.prove(0, engines, &limits.quiet()).map_err(GaveUp::Broken)?;
            note(used, decided.engines);
            match decided.verdict {
                Verdict::Holds(proof) => {
                    info!("a strategy after {} runs refuses {} decisions", self.runs.len(), refused.len());
                    return Ok(CanClaim::Can(strategy, proof.evidence()));
                }
                Verdict::Violated(counterexample) => self.learn(refused, &counterexample)?,
                Verdict::Unknown { reason, .. } => return Err(GaveUp::Because(reason)),
                Verdict::NoCounterexample { .. } => return Err(GaveUp::Because(Reason::Interrupted)),
            }
        }
    }

    /// Excludes all strategies of which this is a run.
    fn learn(&mut self, refused: Vec<u32>, counterexample: &Counterexample) -> Result<(), GaveUp> {
        let (states, trace) = recurring(counterexample)?;
        let semantics = self.subject.semantics();
        let group = self.beginning.group();
        let mut clause = Vec::new();
        for (state, choice) in states.iter().zip(&trace.choices) {
            if *choice == Choice::Stutter {
                for step in semantics.steps(state) {
                    let begins = semantics.decided(group, state, &step.choice);
                    let begins = begins.into_iter().find(|decision| decision.message.is_none());
                    clause.extend(begins.map(|begins| self.number(begins)));
                }
                continue;
            }
            for decision in self.needed(state, choice) {
                clause.push(-self.number(decision));
            }
        }
        if asks_what_is_possible(counterexample.run().semantics()) {
            let refused: FxHashSet<Decision> =
                refused.iter().map(|number| self.decisions[*number as usize].clone()).collect();
            for state in &states {
                for step in semantics.steps(state) {
                    for decision in self.needed(state, &step.choice) {
                        let is_refused = refused.contains(&decision);
                        let number = self.number(decision);
                        clause.push(if is_refused { number } else { -number });
                    }
                }
            }
        }
        clause.sort_unstable();
        clause.dedup();
        self.proposals.add(&clause);
        self.runs.push(OutcomeRun { refused, trace });
        Ok(())
    }

    /// The decisions for a step, of which it is told by which commands messages can be taken.
    fn needed(&mut self, state: &State, choice: &Choice) -> Vec<Decision> {
        let semantics = self.subject.semantics();
        let decisions = semantics.decided(self.beginning.group(), state, choice);
        for take in decisions.iter().filter(|decision| decision.message.is_some()) {
            let others = semantics.alternatives(state, choice, take.member).into_iter();
            let clause: Vec<i32> = others.map(|edge| self.number(Decision { edge, ..take.clone() })).collect();
            if self.taken.insert(clause.clone()) {
                self.proposals.add(&clause);
            }
        }
        decisions
    }

    fn number(&mut self, decision: Decision) -> i32 {
        if let Some(number) = self.numbers.get(&decision) {
            return *number;
        }
        let number = self.decisions.len() as i32 + 1;
        self.decisions.push(decision.clone());
        self.numbers.insert(decision, number);
        number
    }
}

/// True if the spec asks in which states which steps are possible.
fn asks_what_is_possible(semantics: &Semantics) -> bool {
    let mut found = false;
    semantics.model().specs[0].formula.for_each_part(&mut |part| {
        if let Formula::Atom(expr) = part {
            found |= expr.any_leaf(|leaf| matches!(leaf, StateLeaf::Deadlock | StateLeaf::Enabled(..)));
        }
        true
    });
    found
}

/// The states of a run, and the run, which is followed until its loop comes back to the same state.
fn recurring(counterexample: &Counterexample) -> Result<(Vec<State>, Trace), GaveUp> {
    let run = counterexample.run();
    let (mut states, mut trace) = (run.states().to_vec(), run.trace());
    let start = match counterexample.ending() {
        Ending::Prefix => return Ok((states, Trace { loop_start: None, ..trace })),
        Ending::Lasso(start) => start,
        Ending::Recurrent(_) => return Err(gave_up("there are infinitely many decisions on a run")),
    };
    let round = trace.choices[start..].to_vec();
    let mut ends = vec![(start, states[start].clone())];
    for _ in 0..TURNS {
        let last = states.last().expect("a run has states").clone();
        if let Some((begin, _)) = ends.iter().find(|(_, state)| *state == last) {
            return Ok((states, Trace { loop_start: Some(*begin), ..trace }));
        }
        ends.push((states.len() - 1, last.clone()));
        for choice in &round {
            let last = states.last().expect("a run has states");
            let step = run.semantics().apply(last, choice).map_err(|_| gave_up("a loop could not be followed"))?;
            states.push(step.target);
            trace.choices.push(choice.clone());
        }
    }
    Err(gave_up("there are infinitely many decisions on a run"))
}
