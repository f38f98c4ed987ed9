//! Verdicts without a bound: a portfolio of engines.
//!
//! For most specs one engine is enough, for an instant. So the tasks of a table ([`FINITE`], [`TABLE`]) begin one after the other
//! ([`line`]), and then work side by side: none is given up, or begins again, as long as there is memory. Each gets processor time in
//! proportion to its share ([`Team`]). The first decided answer stops the rest.
//!
//! With a share of 1 / n of c cores, an engine that decides the spec alone after a time t does so here at the latest after
//! max(1, n / c) t, the time of its beginning, 3/4 s for every c of the others (of the first second of each only a quarter
//! counts), and what checks of evidence that is refused take. That all of them together are faster than any of them is the more
//! frequent case.

use super::answer::{Answer, InternalError};
use super::companions::Companions;
use super::durations::milliseconds;
use super::line::{self, Reserve, Row};
use super::{Engine, Limits, Subject};
use crate::check::Verdict;
use crate::check::branching::conditions::knowledge;
use crate::engine::bmc::Times;
use crate::limits::{Reason, Stop, Team, lock};
use crate::product::negation::Negation;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

/// A task for a spec, each done at most once.
///
/// The order is that of the reasons that are told where no engine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Conditions on what is seen that tell what is known.
    Conditions,
    /// All provers, side by side ([`super::together`]).
    Proof,
    /// The search for a counterexample, without a bound.
    Refutation,
    /// The search for a counterexample, where no other task searches for one; begun when the provers suspect that there is one.
    Suspicion,
    /// An exploration.
    Exploration,
    /// Decision diagrams.
    Diagrams,
    /// A proof for any number of agents, where several are alike.
    AllSizes,
}

const fn row(task: Task, begins: u64, share: u32) -> Row<Task> {
    Row { task, begins: milliseconds(begins), share }
}

/// The portfolio for systems with integers.
const TABLE: [Row<Task>; 5] = [
    row(Task::Exploration, 0, 3),
    row(Task::Proof, 10, 9),
    row(Task::Refutation, 40, 2),
    row(Task::Diagrams, 200, 1),
    row(Task::AllSizes, 500, 2),
];

/// The same for systems with finitely many states: nearly all specs are decided by those who do not ask Z3.
const FINITE: [Row<Task>; 5] = [
    row(Task::Exploration, 0, 5),
    row(Task::Proof, 20, 6),
    row(Task::Diagrams, 100, 3),
    row(Task::Refutation, 300, 1),
    row(Task::AllSizes, 1500, 1),
];

/// The same for specs with path quantifiers and knowledge.
const BRANCHING: [Row<Task>; 3] =
    [row(Task::Exploration, 0, 1), row(Task::Diagrams, 300, 1), row(Task::Conditions, 300, 1)];

/// The same where agents act all at once: each step has many combinations of actions, which diagrams do not enumerate.
const JOINT: [Row<Task>; 3] = [row(Task::Exploration, 0, 1), row(Task::Diagrams, 20, 1), row(Task::Conditions, 300, 1)];

const SUSPICION: Row<Task> = row(Task::Suspicion, 0, 1);

/// How many steps a counterexample may have that is only suspected.
const SUSPECTED: usize = 64;

/// Which task decided the last spec of a model, for specs that are safety and for others.
pub(super) type Experience = Mutex<[Option<Task>; 2]>;

/// The tasks for one spec.
pub struct Portfolio<'a, 's, 'm> {
    subject: &'s Subject<'m>,
    companions: &'a Companions<'s>,
    spec: usize,
    engines: &'a [Engine],
    limits: &'a Limits<'a>,
    suspected: AtomicBool,
    /// For each conjunct, true if it is a safety property, once that was asked for; or why it was not found out.
    safety: OnceLock<Result<Vec<bool>, Reason>>,
}

impl<'a, 's, 'm> Portfolio<'a, 's, 'm> {
    pub fn new(
        (subject, companions): (&'s Subject<'m>, &'a Companions<'s>),
        spec: usize,
        engines: &'a [Engine],
        limits: &'a Limits<'a>,
    ) -> Self {
        let (suspected, safety) = (AtomicBool::new(false), OnceLock::new());
        Portfolio { subject, companions, spec, engines, limits, suspected, safety }
    }

    fn is_branching(&self) -> bool {
        self.subject.model().specs[self.spec].formula.is_branching()
    }

    fn safety(&self, limits: &Limits) -> Result<&[bool], Reason> {
        let Subject { base, .. } = self.subject;
        let model = self.subject.model();
        let find = || Negation::endings(model, base.clone(), &model.specs[self.spec].formula.conjuncts());
        self.safety.get_or_init(|| limits.within(find)).as_deref().map_err(Reason::clone)
    }

    /// The task that decided the last spec of this kind, if one did.
    fn favourite(&self) -> Option<Task> {
        let decided = *lock(&self.subject.experience);
        if decided == [None; 2] || self.is_branching() {
            return None;
        }
        decided[kind(self.safety(self.limits).ok()?)]
    }

    pub fn decide(&self) -> Done<'s> {
        let table: &[Row<Task>] = match () {
            () if self.is_branching() && self.subject.model().joint.is_some() => &JOINT,
            () if self.is_branching() => &BRANCHING,
            () if self.subject.is_finite() => &FINITE,
            () => &TABLE,
        };
        let mut line: Vec<Row<Task>> = table.iter().filter(|row| self.takes_part(row.task)).copied().collect();
        let favourite = self.favourite();
        if let Some(place) = line.iter().position(|row| Some(row.task) == favourite) {
            line[..=place].rotate_right(1);
        }
        let reserve = Reserve { row: SUSPICION, is_called: &self.suspected };
        let reserve = self.takes_part(Task::Suspicion).then_some(&reserve);
        let stop = Stop::under(self.limits.stop);
        let limits = Limits { stop: &stop, ..*self.limits };
        let team = Team::rivals();
        let work = |task| self.run(task, &limits);
        let mut answers = line::work(&line, reserve, (&team, &stop), work);
        answers.sort_by_key(|(task, _)| *task);
        let (mut answer, times) = merged(answers, !self.is_branching())?;
        if let Verdict::Unknown { reason, .. } = &mut answer.verdict
            && self.is_branching()
        {
            *reason = self.why_not_branching(reason, line.is_empty());
        }
        Ok((answer, times))
    }

    fn takes_part(&self, task: Task) -> bool {
        let chosen = |engine| self.engines.contains(&engine);
        let proves = |engine| chosen(engine) && self.subject.prover(engine).is_some();
        let has_provers = || !self.subject.provers(self.engines).is_empty();
        let formula = &self.subject.model().specs[self.spec].formula;
        match task {
            Task::Exploration => chosen(Engine::Explicit),
            Task::Diagrams => chosen(Engine::Bdd),
            // Other engines than those of sets of states answer questions about single runs.
            Task::Conditions => {
                knowledge(formula).is_ok() && self.engines.iter().any(|engine| *engine != Engine::Explicit)
            }
            Task::Refutation => chosen(Engine::Bmc),
            Task::Proof => has_provers(),
            Task::Suspicion => !self.is_branching() && has_provers() && !chosen(Engine::Bmc),
            Task::AllSizes => proves(Engine::Pdr) && self.engines.len() > 1 && self.subject.may_be_general(self.spec),
        }
    }

    /// Does a task; a decided answer stops the others.
    fn run(&self, task: Task, limits: &Limits) -> Done<'s> {
        let (answer, times) = self.work(task, limits).inspect_err(|_| limits.stop.set())?;
        let answer = answer.stopping(limits.stop);
        if answer.is_decided()
            && task != Task::Suspicion
            && let Some(Ok(safety)) = self.safety.get()
        {
            lock(&self.subject.experience)[kind(safety)] = Some(task);
        }
        Ok((answer, times))
    }

    fn work(&self, task: Task, limits: &Limits) -> Done<'s> {
        let (subject, spec) = (self.subject, self.spec);
        let answer = match task {
            Task::Exploration if subject.is_labelled(spec) => subject.labelled(self.companions, spec, limits),
            Task::Exploration => subject.exploration(spec, limits),
            Task::Diagrams => subject.by_diagrams(spec, limits),
            Task::Conditions => {
                let engines = self.engines.iter().copied().filter(|engine| *engine != Engine::Explicit);
                subject.by_conditions(spec, &engines.collect::<Vec<_>>(), limits)
            }
            Task::Refutation => return Ok(self.refute(usize::MAX, limits)),
            Task::Suspicion => return Ok(self.refute(SUSPECTED, limits)),
            Task::Proof => return self.prove(limits),
            Task::AllSizes => subject.proof_by_general(spec, self.engines, limits),
        };
        Ok((answer, Times::default()))
    }

    fn refute(&self, bound: usize, limits: &Limits) -> (Answer<'s>, Times) {
        self.subject.bounded_answer(self.spec, &Limits { bound: limits.bound.min(bound), ..*limits })
    }

    fn prove(&self, limits: &Limits) -> Done<'s> {
        let suspects = || self.suspected.store(true, Ordering::SeqCst);
        let (answer, lacks_trace) = match self.safety(limits) {
            Ok(safety) => self.subject.prove_together(self.spec, self.engines, limits, safety, &suspects)?,
            Err(reason) => (Answer::unknown(reason), false),
        };
        // Without a trace there is no verdict: it has to be searched then.
        if lacks_trace && !answer.is_decided() && !self.engines.contains(&Engine::Bmc) && !limits.stop.is_set() {
            let (found, times) = self.refute(usize::MAX, limits);
            return Ok((if found.is_decided() { found.after(answer) } else { answer.after(found) }, times));
        }
        Ok((answer, Times::default()))
    }

    /// Why a spec with path quantifiers or knowledge is not decided: also why conditions were not tried.
    fn why_not_branching(&self, reason: &Reason, are_none: bool) -> Reason {
        let formula = &self.subject.model().specs[self.spec].formula;
        let words = match reason {
            _ if are_none => "only the engines `explicit` and `bdd` can decide it",
            Reason::Engine(words) => words,
            _ => return reason.clone(),
        };
        Reason::Engine(knowledge(formula).map_or_else(|why| format!("{words}; and {why}"), |_| words.to_owned()))
    }
}

/// The kind of a spec, by its conjuncts: 0 for safety, 1 for everything else.
fn kind(safety: &[bool]) -> usize {
    usize::from(safety.contains(&false))
}

/// The answer of a task.
type Done<'s> = Result<(Answer<'s>, Times), InternalError>;

/// One answer of all, which are in the order of reasons: a decided one, or what is known.
fn merged(answers: Vec<(Task, Done<'_>)>, tells_of_exploration: bool) -> Done<'_> {
    let (mut clear, mut explored, mut times) = (None, None, Times::default());
    let mut all: Option<Answer> = None;
    for (task, done) in answers {
        let (answer, took) = done?;
        match (&answer.verdict, task) {
            (Verdict::Unknown { clear: Some(depth), .. } | Verdict::NoCounterexample { depth }, _) => {
                clear = Some(*depth)
            }
            (Verdict::Unknown { reason, .. }, Task::Exploration) if tells_of_exploration && all.is_some() => {
                explored = Some(reason.clone());
            }
            _ => {}
        }
        times.encoding += took.encoding;
        all = Some(match all {
            None => answer,
            Some(before) => before.agreed(answer)?,
        });
    }
    let mut answer = all.unwrap_or_else(Answer::undecided);
    if let Verdict::Unknown { clear: known, reason } = &mut answer.verdict {
        *known = clear;
        if let Some(explored) = explored {
            *reason = with_exploration(reason.clone(), &explored);
        }
    }
    Ok((answer, times))
}

/// The reason why it is not known, with the reason of the exploration beside that of the others.
fn with_exploration(reason: Reason, gave_up: &Reason) -> Reason {
    match gave_up {
        Reason::Detailed(same, words) if *same.plain() == *reason.plain() => reason.detailed(words.clone()),
        other => reason.detailed(format!("exploration: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Budget;
    use crate::model::of_text::model;
    use std::time::Duration;

    const COUNTER: &str = "agent A
            local: n : 0..9
            init: n = 0
            receive-guard: false
            repeat: (up: {n < 9} *! (true)()[n := n + 1] + wrap: {n = 9} *! (true)()[n := 0])
        system = A(a, true)
        SPEC G (a-n < 10)
        SPEC G F (a-n = 0)";

    #[test]
    fn who_decided_a_spec_is_the_favourite_for_the_next_one_of_its_kind() {
        let model = model(COUNTER);
        let subject = Subject::new(&model);
        let stop = Stop::new();
        let limits = Limits::new(Budget::new(Some(Duration::from_secs(1800))), &stop);
        let companions = Companions::default();
        let portfolio = |spec| Portfolio::new((&subject, &companions), spec, &[Engine::Kind, Engine::Bmc], &limits);
        assert_eq!(portfolio(0).favourite(), None);
        for _ in 0..2 {
            let (answer, _) = portfolio(0).decide().expect("no wrong claims");
            assert!(answer.is_decided());
            assert_eq!([0, 1].map(|spec| portfolio(spec).favourite()), [Some(Task::Proof), None]);
        }
    }
}
