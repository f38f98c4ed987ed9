//! All provers side by side on the conjuncts of a spec, each in its own way, with the invariants that one of them finds for all.

use super::answer::{Answer, InternalError};
use super::board::{Board, BoardEnd};
use super::conjunct::{MOST_COUNTED, Provers};
use super::durations::milliseconds;
use super::line::{self, Row};
use super::race::Contradiction;
use super::{Engine, Limits, Progress, Subject};
use crate::check::Verdict;
use crate::claim::Evidence;
use crate::engine::Prover;
use crate::limits::{Reason, Stop, Team, lock, within};
use crate::smt::with_context;
use std::collections::BTreeMap;
use std::sync::Mutex;
use tracing::info;

/// A way of working on conjuncts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A prover is asked about them.
    Directly(Engine),
    /// Rankings of those that are no safety.
    Ranking,
    /// Shoals of these.
    Shoals,
    /// Invariants that help others.
    Lemmas,
}

const fn row(task: Way, begins: u64, share: u32) -> Row<Way> {
    Row { task, begins: milliseconds(begins), share }
}

/// The ways for systems with integers: for safety, and for other specs.
const WAYS: [&[Row<Way>]; 2] = [
    &[
        row(Way::Directly(Engine::Pdr), 0, 8),
        row(Way::Lemmas, 80, 2),
        row(Way::Directly(Engine::Spacer), 100, 2),
        row(Way::Directly(Engine::Kind), 200, 1),
        row(Way::Directly(Engine::Loops), 300, 2),
    ],
    &[
        row(Way::Ranking, 0, 6),
        row(Way::Directly(Engine::Pdr), 20, 3),
        row(Way::Lemmas, 80, 2),
        row(Way::Shoals, 300, 3),
        row(Way::Directly(Engine::Kind), 700, 1),
        row(Way::Directly(Engine::Spacer), 2000, 1),
    ],
];

/// The same for systems with finitely many states.
const FINITE: [&[Row<Way>]; 2] = [
    &[
        row(Way::Directly(Engine::Pdr), 0, 8),
        row(Way::Directly(Engine::Kind), 300, 1),
        row(Way::Directly(Engine::Loops), 500, 1),
        row(Way::Lemmas, 1000, 1),
        row(Way::Directly(Engine::Spacer), 3000, 1),
    ],
    &[
        row(Way::Directly(Engine::Pdr), 0, 3),
        row(Way::Ranking, 100, 3),
        row(Way::Shoals, 500, 2),
        row(Way::Directly(Engine::Kind), 500, 1),
        row(Way::Lemmas, 1000, 1),
        row(Way::Directly(Engine::Spacer), 3000, 1),
    ],
];

/// The end of work in a way.
struct WayEnd<'s> {
    answer: Answer<'s>,
    /// Engines that are not asked again, as their claims are worth nothing.
    barred: Vec<Engine>,
    /// True if a prover says that the spec is violated, and does not say how.
    lacks_trace: bool,
}

impl<'s> WayEnd<'s> {
    fn new(answer: Answer<'s>) -> WayEnd<'s> {
        WayEnd { barred: answer.refused_engines().collect(), answer, lacks_trace: false }
    }
}

/// Where it is undecided, also how far provers came in their time.
fn with_depths<'s>(mut answer: Answer<'s>, depths: &BTreeMap<&str, usize>) -> Answer<'s> {
    let depths: Vec<String> = depths.iter().map(|(engine, depth)| format!("{depth} ({engine})")).collect();
    if let Verdict::Unknown { reason, .. } = &mut answer.verdict
        && !depths.is_empty()
    {
        *reason = reason.clone().detailed(format!("steps without a bad state: {}", depths.join(", ")));
    }
    answer
}

impl Subject<'_> {
    /// Asks all provers but those whose claims are refused about the conjuncts of a spec, of which it is known whether they are safety; says if one
    /// of them knows of a counterexample which it cannot show. When there may be one, `suspects` is told.
    pub(super) fn prove_together(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
        safety: &[bool],
        suspects: &(dyn Fn() + Sync),
    ) -> Result<(Answer<'_>, bool), InternalError> {
        let mut barred = Vec::new();
        let mut earlier = Answer::undecided();
        // Per prover the number of steps without a bad state of the conjunct at hand.
        let depths: Mutex<BTreeMap<&str, usize>> = Mutex::default();
        let progress = |progress: Progress| {
            if let Some(depth) = progress.depth {
                lock(&depths).insert(progress.engine.name(), depth);
            }
            (limits.progress)(progress);
        };
        let limits = &Limits { progress: &progress, ..*limits };
        loop {
            let ends = self.round(spec, engines, &barred, limits, safety, suspects);
            let known = barred.len();
            let fresh = ends.iter().flat_map(|end| end.barred.clone()).filter(|engine| !barred.contains(engine));
            let fresh: Vec<Engine> = fresh.collect();
            barred.extend(fresh);
            let lacks_trace = ends.iter().any(|end| end.lacks_trace);
            let mut answers: Vec<Answer> = ends.into_iter().map(|end| end.answer).collect();
            answers.sort_by_key(|answer| answer.says_little());
            let answers = answers.into_iter().map(Ok).reduce(|one, other| one?.agreed(other?)).transpose()?;
            let answer = answers.unwrap_or_else(Answer::undecided).after(earlier);
            if answer.is_decided() || barred.len() == known || limits.stop.is_set() {
                let tells = limits.budget.is_over() && safety.iter().all(|is_safety| *is_safety);
                let answer = if tells { with_depths(answer, &lock(&depths)) } else { answer };
                return Ok((answer, lacks_trace));
            }
            earlier = answer;
        }
    }

    fn round(
        &self,
        spec: usize,
        engines: &[Engine],
        barred: &[Engine],
        limits: &Limits,
        safety: &[bool],
        suspects: &(dyn Fn() + Sync),
    ) -> Vec<WayEnd<'_>> {
        let stop = Stop::under(limits.stop);
        let limits = &Limits { stop: &stop, ..*limits };
        let made = limits.within(|| Board::new(self.model(), &self.base, &self.model().specs[spec], safety, &stop));
        let board = match made {
            Ok(board) => board,
            Err(reason) => return vec![WayEnd::new(Answer::unknown(reason))],
        };
        let are_safety = safety.iter().all(|is_safety| *is_safety);
        let mut provers = self.provers(engines);
        provers.retain(|prover| !barred.contains(&prover.engine()));
        let proves_itself = |engine: &Engine| engine.prover().is_some_and(|prover| prover.engine() == *engine);
        let counts = engines.iter().any(proves_itself).then_some(MOST_COUNTED);
        let rlive = engines.contains(&Engine::Rlive) && !barred.contains(&Engine::Rlive);
        let takes_part = |way: Way| match way {
            Way::Directly(engine) => provers.iter().any(|prover| prover.engine() == engine),
            Way::Ranking | Way::Lemmas => !provers.is_empty(),
            Way::Shoals => rlive,
        };
        let ways = if self.is_finite() { FINITE } else { WAYS }[usize::from(!are_safety)];
        let line: Vec<Row<Way>> = ways.iter().filter(|row| takes_part(row.task)).copied().collect();
        // Which of them ranks does not matter much. One that says no more than that there is a counterexample is of no use, nor is
        // one that proves nothing.
        let mut inductive = provers.clone();
        let is_inductive = |engine: Engine| !matches!(engine, Engine::Spacer | Engine::Loops);
        inductive.retain(|prover| is_inductive(prover.engine()) || provers.len() == 1);
        let is_alone = provers.len() == 1;
        let work = |way| {
            let asked: Vec<&dyn Prover> = match way {
                Way::Directly(engine) => provers.iter().filter(|prover| prover.engine() == engine).copied().collect(),
                _ => inductive.clone(),
            };
            let provers =
                Provers { counts, lemmas: Some(&self.lemmas), suspects, ..Provers::new(self.model(), &asked, limits) };
            let end = self.go(way, &board, &provers, (spec, limits));
            // Beside others it says little that loops lead to no bad state.
            let is_little = way == Way::Directly(Engine::Loops) && !is_alone && end.barred.is_empty();
            if is_little && !end.answer.is_decided() {
                return WayEnd::new(Answer::undecided());
            }
            if end.answer.is_decided() || !end.barred.is_empty() {
                stop.set();
            }
            end
        };
        let ends = line::work(&line, None, (&Team::new(), &stop), work);
        ends.into_iter().map(|(_, end)| end).collect()
    }

    fn go(&self, way: Way, board: &Board, provers: &Provers, (spec, limits): (usize, &Limits)) -> WayEnd<'_> {
        let budget = limits.budget;
        let end = match way {
            Way::Lemmas => {
                let search = || with_context(limits.stop, || self.lemmas.search(&self.system, budget, limits.stop));
                // As many as it finds.
                let _ = within(budget, limits.stop, search);
                info!("{} invariants of the model", self.lemmas.all().clauses.len());
                return WayEnd::new(Answer::undecided());
            }
            Way::Directly(_) => {
                let suits = |is_safety| is_safety || provers.counts.is_some();
                board.work(suits, budget, |asked, stop| Provers { stop, ..*provers }.counted(asked))
            }
            Way::Ranking => {
                board.work(|is_safety| !is_safety, budget, |asked, stop| Provers { stop, ..*provers }.ranked(asked))
            }
            Way::Shoals => {
                board.work(|is_safety| !is_safety, budget, |asked, stop| Provers { stop, ..*provers }.by_shoals(asked))
            }
        };
        match end {
            BoardEnd::Proved => {
                info!("all conjuncts are proved; checks that");
                let (claims, engines) = board.proofs();
                WayEnd::new(self.judged(spec, Evidence::Invariants(claims), &engines, limits))
            }
            BoardEnd::Refuted(Some(trace), engine) => {
                WayEnd::new(self.judged(spec, Evidence::Run(trace), &[engine], limits))
            }
            BoardEnd::Refuted(None, engine) => {
                let reason = Reason::Engine(format!("{engine} says that it is violated, but no trace was found"));
                let answer = Answer::new(Verdict::Unknown { clear: None, reason }, &[engine]);
                WayEnd { lacks_trace: true, ..WayEnd::new(answer) }
            }
            // The proof has a chance to be checked.
            BoardEnd::Contradiction(Contradiction(prover, refuter)) => {
                let answer = Answer::contradictory(limits, Contradiction(prover, refuter));
                WayEnd { barred: vec![refuter], ..WayEnd::new(answer) }
            }
            BoardEnd::Unknown(reason) => WayEnd::new(Answer::unknown(reason)),
        }
    }
}
