//! Verdicts without a bound: a portfolio of engines.
//!
//! For most specs one engine is enough, for an instant. So the tasks of a table ([`FINITE`], [`TABLE`]) begin one after the other, at
//! fixed times, or sooner if those before them have given up. Each has a thread of its own, unless it is the only one; the
//! system divides the cores among them. The first decided answer stops the rest.
//!
//! These times are about the work that was done, not those of the clock on the wall ([`Clock`]): where others use the
//! machine as well, an engine that would have been enough is not joined by all the rest before it had its time.

use super::answer::{Answer, InternalError};
use super::conjuncts::Conjuncts;
use super::durations::{self, milliseconds};
use super::prove::TraceMissing;
use super::{Engine, Limits, Subject};
use crate::check::Verdict;
use crate::engine::bmc::Times;
use crate::limits::{Reason, Stop, Team, join, lock, spawn};
use cpu_time::ProcessTime;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A task for a spec, each done at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// A brief exploration of all runs.
    Glance,
    /// PDR alone, without rankings and shared invariants; for safety of finite systems to the end.
    Pdr,
    /// The same with Spacer, for safety.
    Spacer,
    /// An exploration to the end.
    Exploration,
    /// Decision diagrams.
    Diagrams,
    /// The search for a counterexample, without a bound.
    Refutation,
    /// All provers, side by side, conjunct by conjunct, with rankings and shared invariants.
    Proof,
    /// The search for a counterexample, where no other task searches for one; begun when the provers suspect that there is one.
    Suspicion,
    /// A proof for any number of agents, where several are alike.
    AllSizes,
}

/// A line of a table.
struct TaskRow {
    task: Task,
    /// It begins when these tasks are over; tasks that do not take part are.
    after: &'static [Task],
    /// It begins after so long in any case, if that is given.
    latest: Option<Duration>,
    /// How long it may take, for a spec that is safety, and for others; `None` for the whole budget.
    time: Option<[Duration; 2]>,
}

const fn row(task: Task, after: &'static [Task], latest: Option<Duration>, time: Option<[Duration; 2]>) -> TaskRow {
    TaskRow { task, after, latest, time }
}

/// The portfolio for systems with integers. A decided answer of any task is the answer; the order is that of reasons, where no engine decides.
const TABLE: [TaskRow; 9] = [
    row(Task::Proof, &[Task::Pdr, Task::Spacer], Some(milliseconds(2100)), None),
    row(Task::Pdr, &[Task::Glance], Some(milliseconds(20)), Some(durations::PROVER_ALONE)),
    row(Task::Spacer, &[Task::Pdr], Some(milliseconds(100)), Some(durations::PROVER_ALONE)),
    row(Task::Refutation, &[Task::Pdr, Task::Spacer], Some(milliseconds(700)), None),
    row(Task::Suspicion, &[], None, None),
    row(Task::Exploration, &[Task::Pdr, Task::Spacer], Some(milliseconds(300)), None),
    row(Task::Diagrams, &[Task::Proof, Task::Exploration], Some(milliseconds(200)), None),
    row(Task::AllSizes, &[Task::Pdr, Task::Spacer], Some(milliseconds(500)), None),
    row(Task::Glance, &[], None, Some([milliseconds(40); 2])),
];

/// The same for systems with finitely many states: nearly all specs are decided by those who do not ask Z3.
const FINITE: [TaskRow; 7] = [
    row(Task::Proof, &[Task::Pdr, Task::Exploration, Task::Diagrams], Some(milliseconds(6000)), None),
    row(Task::Pdr, &[Task::Exploration], Some(milliseconds(20)), Some(durations::PROVER_ALONE)),
    row(Task::Refutation, &[Task::Pdr, Task::Exploration], Some(milliseconds(500)), None),
    row(Task::Suspicion, &[], None, None),
    row(Task::Exploration, &[], None, None),
    row(Task::Diagrams, &[Task::Exploration], Some(milliseconds(100)), None),
    row(Task::AllSizes, &[Task::Pdr, Task::Exploration], Some(milliseconds(1500)), None),
];

/// How many steps a counterexample may have that is only suspected.
const SUSPECTED: usize = 64;

/// Which task decided the last spec of a model, for specs that are safety and for others; nothing where a glance did, since
/// no other task is needed there.
pub(super) type Experience = Mutex<[Option<Task>; 2]>;

/// The processor time of the process, as long as that is less than the time on the wall. A process that is waiting has to
/// get on as well, so that it is never much less.
pub(super) struct Clock {
    begin: Instant,
    spent: ProcessTime,
}

impl Clock {
    /// How much longer the time on the wall may be.
    const SLOWEST: u32 = 16;

    pub(super) fn begin() -> Clock {
        Clock { begin: Instant::now(), spent: ProcessTime::now() }
    }

    pub(super) fn elapsed(&self) -> Duration {
        let wall = self.begin.elapsed();
        self.spent.elapsed().clamp(wall / Self::SLOWEST, wall)
    }
}

/// The tasks for one spec.
pub struct Portfolio<'a, 's, 'm> {
    subject: &'s Subject<'m>,
    table: &'static [TaskRow],
    spec: usize,
    engines: &'a [Engine],
    limits: &'a Limits<'a>,
    clock: Clock,
    /// When tasks have to end that have begun, by the clock.
    ends: Mutex<Vec<(Task, Duration)>>,
    over: Mutex<Vec<Task>>,
    changed: Condvar,
    suspected: AtomicBool,
    /// Engines whose claims were refused: they would make them again.
    refused: Mutex<Vec<Engine>>,
    /// The conjuncts that PDR has proved alone.
    conjuncts: Mutex<Option<Conjuncts>>,
    /// True if the spec is safety or something else, as an index; `None` if there was no time to see.
    kind: OnceLock<Option<usize>>,
}

impl<'a, 's, 'm> Portfolio<'a, 's, 'm> {
    pub fn new(subject: &'s Subject<'m>, spec: usize, engines: &'a [Engine], limits: &'a Limits<'a>) -> Self {
        Portfolio {
            subject,
            table: if subject.is_finite() { &FINITE } else { &TABLE },
            spec,
            engines,
            limits,
            clock: Clock::begin(),
            ends: Mutex::default(),
            over: Mutex::default(),
            changed: Condvar::new(),
            suspected: AtomicBool::new(false),
            refused: Mutex::default(),
            conjuncts: Mutex::default(),
            kind: OnceLock::new(),
        }
    }

    fn kind(&self) -> Option<usize> {
        let find = || kind(&self.subject.conjuncts(self.spec));
        *self.kind.get_or_init(|| self.limits.within(find).ok())
    }

    /// The engine that decided the last spec of this kind, if one had to.
    fn favourite(&self) -> Option<Task> {
        let decided = *lock(&self.subject.experience);
        if decided == [None; 2] { None } else { decided[self.kind()?] }
    }

    pub fn decide(&self) -> Result<(Answer<'s>, Times), InternalError> {
        let mut waiting: Vec<&TaskRow> = self.table.iter().filter(|row| self.takes_part(row.task)).collect();
        let takes_no_part = |task: &Task| waiting.iter().all(|row| row.task != *task);
        lock(&self.over).extend(TABLE.iter().map(|row| row.task).filter(takes_no_part));
        let stop = Stop::under(self.limits.stop);
        let limits = Limits { stop: &stop, ..*self.limits };
        if let [row] = waiting[..] {
            return merged(vec![(row.task, self.run(row, &limits, &stop))]);
        }
        let favourite = self.favourite();
        if favourite == Some(Task::Proof) {
            // All provers at once, and those that would have been alone among them.
            let alone = waiting.extract_if(.., |row| matches!(row.task, Task::Pdr | Task::Spacer));
            lock(&self.over).extend(alone.map(|row| row.task));
        }
        let team = Team::default();
        // Set where the time of a task is over.
        let turns: Vec<(Task, Stop)> = self.table.iter().map(|row| (row.task, Stop::under(&stop))).collect();
        let mut answers: Vec<(Task, (Answer, Times))> = thread::scope(|scope| {
            let mut threads = Vec::new();
            while let Some(ready) = self.next(&mut waiting, favourite, &turns, &stop) {
                let (limits, turns, team) = (&limits, &turns, &team);
                threads.extend(ready.into_iter().map(|row| {
                    let (_, turn) = turns.iter().find(|(task, _)| *task == row.task).expect("all tasks have one");
                    let work = move || team.work(|| self.run(row, limits, turn));
                    (row.task, spawn(scope, work))
                }));
            }
            threads.into_iter().map(|(task, thread)| (task, join(thread))).collect()
        });
        answers.sort_by_key(|(task, _)| self.table.iter().position(|row| row.task == *task));
        merged(answers)
    }

    fn takes_part(&self, task: Task) -> bool {
        let chosen = |engine| self.engines.contains(&engine);
        let proves = |engine| chosen(engine) && self.subject.prover(engine).is_some();
        let has_provers = || !self.subject.provers(self.engines).is_empty();
        match task {
            Task::Glance => chosen(Engine::Explicit) && self.engines.len() > 1,
            Task::Exploration => chosen(Engine::Explicit),
            Task::Refutation => chosen(Engine::Bmc),
            Task::Pdr => proves(Engine::Pdr),
            Task::Spacer => proves(Engine::Spacer),
            Task::Diagrams => chosen(Engine::Bdd),
            Task::Proof => has_provers(),
            Task::Suspicion => has_provers() && !chosen(Engine::Bmc),
            Task::AllSizes => proves(Engine::Pdr) && self.engines.len() > 1 && self.subject.may_be_general(self.spec),
        }
    }

    /// Does a task until its turn is over; a decided answer stops the others.
    fn run(&self, row: &TaskRow, limits: &Limits, turn: &Stop) -> (Answer<'s>, Times) {
        let _over_in_any_case = Turn { portfolio: self, task: row.task };
        let _stops_others = limits.stop.set_in_panic();
        let (answer, times) = self.work(row, limits, turn);
        let answer = answer.stopping(limits.stop);
        // If the kind was not found out yet, the favourite would hardly be sooner.
        let known = self.kind.get().copied().flatten();
        if let Some(kind) = known.filter(|_| answer.is_decided() && !matches!(row.task, Task::Glance | Task::Suspicion))
        {
            lock(&self.subject.experience)[kind] = Some(row.task);
        }
        lock(&self.refused).extend(answer.refused_engines());
        (answer, times)
    }

    fn work(&self, row: &TaskRow, limits: &Limits, turn: &Stop) -> (Answer<'s>, Times) {
        let alone = |answer| (answer, Times::default());
        match row.task {
            Task::Glance => alone(self.explore(row, limits)),
            Task::Exploration if lock(&self.refused).contains(&Engine::Explicit) => alone(Answer::undecided()),
            Task::Exploration => alone(self.explore(row, limits)),
            Task::Refutation => self.refute(usize::MAX, limits),
            Task::Suspicion => self.refute(SUSPECTED, limits),
            Task::Pdr => alone(self.prove_alone(Engine::Pdr, row, limits, turn)),
            Task::Spacer => alone(self.prove_alone(Engine::Spacer, row, limits, turn)),
            Task::Diagrams => alone(self.subject.by_diagrams(self.spec, limits)),
            Task::Proof => self.prove_together(limits),
            Task::AllSizes => alone(self.subject.proof_by_general(self.spec, self.engines, limits)),
        }
    }

    fn explore(&self, row: &TaskRow, limits: &Limits) -> Answer<'s> {
        let budget = row.time.map_or(limits.budget, |[time, _]| limits.budget.at_most(time));
        self.subject.exploration(self.spec, limits, budget)
    }

    fn refute(&self, bound: usize, limits: &Limits) -> (Answer<'s>, Times) {
        self.subject.bounded_answer(self.spec, &Limits { bound: limits.bound.min(bound), ..*limits })
    }

    fn prove_alone(&self, engine: Engine, row: &TaskRow, limits: &Limits, turn: &Stop) -> Answer<'s> {
        limits.answered(|| {
            let mut conjuncts = self.subject.conjuncts(self.spec);
            let kind = kind(&conjuncts);
            // It need not be found out again; it may have been.
            let _ = self.kind.set(Some(kind));
            // It would only begin again with all others.
            let goes_on = engine == Engine::Pdr && conjuncts.are_safety() && self.subject.is_finite();
            if let Some(times) = row.time.filter(|_| !goes_on) {
                lock(&self.ends).push((row.task, self.clock.elapsed() + times[kind]));
            }
            let answer = self.subject.prove_alone(self.spec, engine, &mut conjuncts, limits, turn);
            if engine == Engine::Pdr {
                *lock(&self.conjuncts) = Some(conjuncts);
            }
            answer
        })
    }

    fn prove_together(&self, limits: &Limits) -> (Answer<'s>, Times) {
        let refutes = self.engines.contains(&Engine::Bmc);
        let found = limits.within(|| {
            if refutes {
                limits.stop.sleep(durations::PROVERS_JOIN);
            }
            let proved = lock(&self.conjuncts).take();
            let mut conjuncts = proved.unwrap_or_else(|| self.subject.conjuncts(self.spec));
            let _ = self.kind.set(Some(kind(&conjuncts)));
            let refused = self.left_out(limits);
            let suspects = || self.suspect();
            self.subject.prove_together(self.spec, &mut conjuncts, self.engines, refused, limits, &suspects)
        });
        let (answer, missing) = found.unwrap_or_else(|reason| (Answer::unknown(reason), TraceMissing(false)));
        // Without a trace there is no verdict: it has to be searched then.
        if missing.0 && !refutes && !limits.stop.is_set() {
            let (found, times) = self.refute(usize::MAX, limits);
            return (if found.is_decided() { found.after(answer) } else { answer.after(found) }, times);
        }
        (answer, Times::default())
    }

    /// The engines that take no part in a proof by all: those whose claims were refused, and PDR while it goes on alone, for which
    /// this waits if there is no other one.
    fn left_out(&self, limits: &Limits) -> Vec<Engine> {
        let others = |engine: &Engine| *engine != Engine::Pdr && self.subject.prover(*engine).is_some();
        let is_over = || lock(&self.over).contains(&Task::Pdr);
        if !self.engines.iter().any(others) {
            while !is_over() && !limits.stop.is_set() {
                limits.stop.sleep(durations::LOOK_EVERY);
            }
        }
        let busy = (!is_over()).then_some(Engine::Pdr);
        lock(&self.refused).iter().copied().chain(busy).collect()
    }

    fn suspect(&self) {
        let _lock = lock(&self.over);
        self.suspected.store(true, Ordering::SeqCst);
        self.changed.notify_all();
    }

    /// Waits until some tasks may begin, which are taken from those that wait, and ends turns; nothing once all have begun
    /// and no turn has to be ended, or they are not needed any more.
    fn next<'r>(
        &self,
        waiting: &mut Vec<&'r TaskRow>,
        favourite: Option<Task>,
        turns: &[(Task, Stop)],
        stop: &Stop,
    ) -> Option<Vec<&'r TaskRow>> {
        let mut over = lock(&self.over);
        loop {
            let now = self.clock.elapsed();
            for (task, _) in lock(&self.ends).extract_if(.., |(_, end)| now >= *end) {
                turns.iter().filter(|(other, _)| *other == task).for_each(|(_, turn)| turn.set());
            }
            let has_a_turn = |row: &TaskRow| row.time.is_some() && !over.contains(&row.task);
            let never = |row: &&TaskRow| row.task == Task::Suspicion && over.contains(&Task::Proof);
            waiting.retain(|row| self.is_ready(row, favourite, &over) || !never(row));
            if stop.is_set() || waiting.is_empty() && !self.table.iter().any(has_a_turn) {
                return None;
            }
            let ready: Vec<&TaskRow> = waiting.extract_if(.., |row| self.is_ready(row, favourite, &over)).collect();
            if !ready.is_empty() {
                return Some(ready);
            }
            let left = waiting.iter().filter_map(|row| row.latest).map(|at| at.saturating_sub(now));
            let most = left.min().map_or(durations::LOOK_EVERY, |left| left.min(durations::LOOK_EVERY));
            over = self.changed.wait_timeout(over, most).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The favourite is ready at once; the others wait for their time while it is at work.
    fn is_ready(&self, row: &TaskRow, favourite: Option<Task>, over: &[Task]) -> bool {
        let is_time = row.latest.map(|latest| self.clock.elapsed() >= latest);
        match row.task {
            task if favourite == Some(task) => true,
            Task::Suspicion => self.suspected.load(Ordering::SeqCst),
            task if waits_for(favourite, task, over) => is_time.unwrap_or(true),
            _ => row.after.iter().all(|task| over.contains(task)) || is_time.unwrap_or(false),
        }
    }
}

/// All provers together have no counterexample to show, so that the search for one does not wait for them.
fn waits_for(favourite: Option<Task>, task: Task, over: &[Task]) -> bool {
    let searches_beside = favourite == Some(Task::Proof) && task == Task::Refutation;
    favourite.is_some_and(|favourite| !over.contains(&favourite)) && !searches_beside
}

/// While a task is done.
struct Turn<'t, 's, 'm> {
    portfolio: &'t Portfolio<'t, 's, 'm>,
    task: Task,
}

impl Drop for Turn<'_, '_, '_> {
    fn drop(&mut self) {
        lock(&self.portfolio.over).push(self.task);
        self.portfolio.changed.notify_all();
    }
}

/// 0 for safety, 1 for everything else.
fn kind(conjuncts: &Conjuncts) -> usize {
    usize::from(!conjuncts.are_safety())
}

/// One answer of all, which are in the order of the table: a decided one, or what is known.
fn merged(answers: Vec<(Task, (Answer<'_>, Times))>) -> Result<(Answer<'_>, Times), InternalError> {
    let (mut clear, mut explored, mut times) = (None, None, Times::default());
    let mut all: Option<Answer> = None;
    for (task, (answer, took)) in answers {
        match (&answer.verdict, task) {
            (Verdict::Unknown { clear: Some(depth), .. } | Verdict::NoCounterexample { depth }, _) => {
                clear = Some(*depth)
            }
            (Verdict::Unknown { reason, .. }, Task::Exploration) if all.is_some() => explored = Some(reason.clone()),
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
        Reason::Detailed(same, words) if **same == reason => reason.detailed(words.clone()),
        other => reason.detailed(format!("exploration: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Budget;
    use crate::model::of_text::model;

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
        let portfolio = |spec| Portfolio::new(&subject, spec, &[Engine::Kind, Engine::Bmc], &limits);
        assert_eq!(portfolio(0).favourite(), None);
        for _ in 0..2 {
            let (answer, _) = portfolio(0).decide().expect("no wrong claims");
            assert!(answer.is_decided());
            assert_eq!([0, 1].map(|spec| portfolio(spec).favourite()), [Some(Task::Proof), None]);
        }
    }
}
