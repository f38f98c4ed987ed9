//! Horn clauses: engines on their transition system, verdicts by checks on the clauses themselves.
//!
//! Spacer runs twice: with global guidance, which proved in seconds most of what was open without it; and without, but
//! told invariants that random runs suggest ([`crate::engine::invariants`]). Those are also about the states with one
//! combination of truth values, by which such systems say where they are.

use super::durations::{self, milliseconds};
use super::line::{self, Row};
use super::{Engine, Progress};
use crate::check::horn::{Proof, Refused, Refutation};
use crate::claim::{Invariant, SafetyClaim};
use crate::clauses::{Lowered, as_written, lower};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::engine::invariants::{self, Invariants};
use crate::engine::pdr::Pdr;
use crate::engine::shrink::shrink;
use crate::engine::{Config, Prover, SafetyQuestion};
use crate::horn::Clauses;
use crate::limits::{Budget, Reason, Stop, Team, lock, within};
use crate::smt::unroll::{Unrolling, declared_theory};
use crate::smt::{Scripts, with_context};
use crate::source::Span;
use crate::ts::system::{EVENT, System};
use std::sync::Mutex;
use std::time::Instant;
use tracing::{info, info_span};

/// The facts known of clauses.
#[derive(Debug)]
pub enum Verdict {
    /// Some relation keeps all of them: no bad state can be reached.
    Holds(Proof),
    /// No relation does, because of a run.
    Violated(Refutation),
    /// Neither is known.
    Unknown {
        /// No run of up to that many steps is bad.
        clear: Option<usize>,
        /// Why the search ended.
        reason: Reason,
    },
    /// No run of up to that many steps is bad, and longer ones were not asked for.
    Clear(usize),
}

/// A verdict, and whose claim was confirmed.
#[derive(Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The engine that claimed it.
    pub engine: Option<Engine>,
    /// Claims that the check refused.
    pub refused: Vec<(Engine, Refused)>,
}

/// How to search.
#[derive(Clone, Copy)]
pub struct HornSearch<'a> {
    /// With which engines: those of [`ENGINES`].
    pub engines: &'a [Engine],
    /// The greatest number of steps of runs.
    pub bound: usize,
    /// How long.
    pub budget: Budget,
    /// Set by others to stop.
    pub stop: &'a Stop<'a>,
    /// Told what engines do.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// The engines that can be asked about clauses.
pub const ENGINES: [Engine; 3] = [Engine::Bmc, Engine::Pdr, Engine::Spacer];

/// A way to use an engine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Looks at runs of each length.
    Unroll,
    /// Asks PDR about the system.
    Pdr,
    /// Asks Spacer about the clauses, with global guidance.
    Guided,
    /// Asks Spacer about the clauses, with invariants that random runs suggest.
    Told,
}

impl Way {
    fn engine(self) -> Engine {
        match self {
            Way::Unroll => Engine::Bmc,
            Way::Pdr => Engine::Pdr,
            Way::Guided | Way::Told => Engine::Spacer,
        }
    }
}

const fn row(task: Way, begins: u64, share: u32) -> Row<Way> {
    Row { task, begins: milliseconds(begins), share }
}

/// The ways, with the times when they begin: most questions are easy for Spacer. Each of its two ways proves what the other one
/// does not.
const WAYS: [Row<Way>; 4] =
    [row(Way::Guided, 0, 3), row(Way::Unroll, 50, 2), row(Way::Told, 300, 3), row(Way::Pdr, 300, 2)];

/// Warnings about clauses: that nothing is asked, that no state is initial, or that no clause leads on from any initial
/// state. The look is short, and may miss the latter.
pub fn remarks(clauses: &Clauses) -> Diagnostics {
    let mut found = Diagnostics::new();
    let budget = Budget::new(None).aside(durations::LOOK_AT_CLAUSES);
    let look = || {
        let lowered = lower(clauses);
        let is_empty = || empty_frame(&lowered.system, budget).and_then(|_| empty_frame(&as_written(clauses), budget));
        (lowered.places, with_context(&Stop::new(), is_empty))
    };
    let Ok((places, empty)) = within(budget, &Stop::new(), look) else { return found };
    let span = |clause: Option<usize>| clause.map_or_else(Span::default, |clause| clauses.clauses[clause].span);
    if places.bad.is_none() {
        let message = "nothing is asked: no clause says which states are bad";
        found.push(Diagnostic::new(Code::NothingAsked, span(None), message));
    }
    match empty {
        Some(0) => {
            let why = if places.start.is_some() { "this is never true" } else { "no clause is about initial states" };
            let message = "there is no initial state, so that no bad state is reachable";
            found.push(Diagnostic::new(Code::NothingReachable, span(places.start), message).label(why));
        }
        Some(_) if places.step.is_some() => {
            let message = "no step is possible from any initial state";
            found.push(Diagnostic::new(Code::StuckAtOnce, span(places.step), message));
        }
        Some(_) | None => {}
    }
    found
}

/// 0 if there is no initial state, 1 if no step is possible from one.
fn empty_frame(system: &System, budget: Budget) -> Option<usize> {
    let mut runs = Unrolling::new(system, system.var_ids().collect(), declared_theory(system));
    let none = |runs: &Unrolling| matches!(runs.check_until(&[], budget, &Stop::new()), Ok(None));
    if none(&runs) {
        return Some(0);
    }
    runs.extend().expect("declared values are listed or integers");
    none(&runs).then_some(1)
}

/// Searches for evidence and checks it.
pub fn verify(clauses: &Clauses, search: HornSearch) -> Outcome {
    let unknown = |reason| {
        let verdict = Verdict::Unknown { clear: None, reason };
        Outcome { verdict, engine: None, refused: Vec::new() }
    };
    let lowered = match within(search.budget, search.stop, || lower(clauses)) {
        Ok(lowered) => lowered,
        Err(reason) => return unknown(reason),
    };
    let finished = Stop::under(search.stop);
    let task = HornTask { clauses, lowered: &lowered, search: HornSearch { stop: &finished, ..search } };
    let found: Mutex<Outcome> = Mutex::new(unknown(Reason::Timeout));
    let run = |way: Way| {
        let engine = way.engine();
        let _logged = info_span!("engine", name = %engine).entered();
        let answer = within(search.budget, &finished, || with_context(&finished, || task.run(way)));
        let answer = answer.unwrap_or_else(|reason| Ok(Verdict::Unknown { clear: None, reason }));
        let mut found = lock(&found);
        match answer {
            Ok(verdict) => found.keep(verdict, engine),
            // That it is not known is no mistake of an engine.
            Err(Refused::Undecided(_, reason)) => found.keep(Verdict::Unknown { clear: None, reason }, engine),
            Err(refused) => found.refused.push((engine, refused)),
        }
        if !matches!(found.verdict, Verdict::Unknown { .. }) {
            finished.set();
        }
    };
    search.engines.iter().for_each(|&engine| (search.progress)(Progress::begin(engine)));
    let line: Vec<Row<Way>> = WAYS.into_iter().filter(|row| search.engines.contains(&row.task.engine())).collect();
    line::work(&line, None, (&Team::new(), &finished), run);
    let mut found = found.into_inner().expect("no thread panics with it");
    if let Verdict::Unknown { clear, reason } = found.verdict {
        found.verdict = Verdict::Unknown { clear, reason: reason.at_the_end_of(search.budget) };
    }
    found
}

impl Outcome {
    /// Takes a verdict if it says more.
    fn keep(&mut self, verdict: Verdict, engine: Engine) {
        match (&mut self.verdict, verdict) {
            (Verdict::Unknown { clear, reason }, Verdict::Unknown { clear: further, reason: other }) => {
                *clear = (*clear).max(further);
                // The reason of one who did not just stop early.
                if matches!(reason, Reason::Timeout | Reason::Interrupted) {
                    *reason = other;
                }
            }
            (Verdict::Unknown { .. }, verdict) => (self.verdict, self.engine) = (verdict, Some(engine)),
            _ => {}
        }
    }
}

struct HornTask<'a, 't> {
    clauses: &'a Clauses<'t>,
    lowered: &'a Lowered,
    search: HornSearch<'a>,
}

impl HornTask<'_, '_> {
    fn run(&self, way: Way) -> Result<Verdict, Refused> {
        let HornSearch { budget, stop, bound, progress, .. } = self.search;
        let Lowered { system, bad, .. } = self.lowered;
        let begin = Instant::now();
        let claim = match way {
            Way::Unroll => return self.unroll(0, bound),
            Way::Pdr => {
                let deeper = |depth| progress(Progress::deeper(Engine::Pdr, depth));
                let question = SafetyQuestion { system, bad: *bad, known: &[], later: None };
                Pdr.run(question, Config { budget, stop, progress: &deeper })
            }
            Way::Guided => self.lowered.spacer(&Invariants::default(), true, budget),
            Way::Told => self.lowered.spacer(&self.guessed(), false, budget),
        };
        match claim {
            SafetyClaim::Unreachable(mut invariant) => {
                if way == Way::Told {
                    let config = Config { budget: budget.aside(durations::SHRINKING), stop, progress: &|_| {} };
                    invariant = shrink(system, *bad, invariant, begin.elapsed(), config);
                }
                info!("an invariant, {} clauses", invariant.clauses.len());
                self.confirm(&invariant)
            }
            // It says how long the run is.
            SafetyClaim::Reached(Some(trace)) => {
                info!("bad states after {} steps", trace.choices.len());
                self.unroll(trace.choices.len(), trace.choices.len())
            }
            // The engine that unrolls the system finds the run.
            SafetyClaim::Reached(None) if self.search.engines.contains(&Engine::Bmc) => {
                info!("bad states");
                let reason = Reason::Engine("bad states are reachable, but no run is known".to_owned());
                Ok(Verdict::Unknown { clear: None, reason })
            }
            SafetyClaim::Reached(None) => self.unroll(0, bound),
            SafetyClaim::Unknown(reason) => Ok(Verdict::Unknown { clear: None, reason }),
        }
    }

    fn confirm(&self, invariant: &Invariant) -> Result<Verdict, Refused> {
        let HornSearch { budget, stop, .. } = self.search;
        match self.lowered.interpretation(invariant, budget) {
            Ok(interpretation) => {
                Proof::confirm(self.clauses, interpretation, &Scripts { budget, stop }).map(Verdict::Holds)
            }
            Err(reason) => Ok(Verdict::Unknown { clear: None, reason }),
        }
    }

    fn guessed(&self) -> Invariants {
        let HornSearch { budget, stop, .. } = self.search;
        let time = budget.aside(durations::GUESSING_CLAUSES);
        let found = within(time, stop, || invariants::find(&self.lowered.system, time, stop)).unwrap_or_default();
        info!("{} invariants from runs", found.clauses.len());
        found
    }

    /// Looks for a run with this many steps, in this order.
    fn unroll(&self, from: usize, to: usize) -> Result<Verdict, Refused> {
        let HornSearch { budget, stop, progress, .. } = self.search;
        let Lowered { system, bad, .. } = self.lowered;
        let mut unrolling = Unrolling::new(system, system.var_ids().collect(), declared_theory(system));
        for depth in 0..=to {
            if depth > 0 {
                unrolling.extend().expect("declared values are listed or integers");
            }
            if depth < from {
                continue;
            }
            let clear = depth.checked_sub(1).filter(|_| from == 0);
            let is_bad = unrolling.literal(depth, *bad);
            match unrolling.check_until(std::slice::from_ref(&is_bad), budget, stop) {
                Ok(None) => unrolling.add(&is_bad.not()),
                Err(reason) => return Ok(Verdict::Unknown { clear, reason }),
                Ok(Some(model)) => {
                    let event = |frame| Ok(unrolling.inputs(&model, frame)?[EVENT.0 as usize] as usize);
                    let run = || -> Result<_, Reason> {
                        let states = (0..=depth).map(|frame| unrolling.state(&model, frame));
                        let states = states.collect::<Result<Vec<_>, Reason>>()?;
                        let events = (0..depth).map(event).collect::<Result<Vec<usize>, Reason>>()?;
                        Ok(self.lowered.run(&states, &events))
                    };
                    return match run() {
                        Ok(run) => Refutation::confirm(self.clauses, run).map(Verdict::Violated),
                        Err(reason) => Ok(Verdict::Unknown { clear, reason }),
                    };
                }
            }
            info!("depth {depth}: no bad state");
            progress(Progress::deeper(Engine::Bmc, depth));
        }
        if from > 0 {
            let reason = Reason::Engine(format!("bad states are not {to} steps away, as an engine claims"));
            return Ok(Verdict::Unknown { clear: None, reason });
        }
        Ok(Verdict::Clear(to))
    }
}
