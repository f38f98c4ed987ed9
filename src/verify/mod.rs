//! From a model to verdicts: the pipeline that the commands run.

mod answer;
mod board;
mod branching;
mod certify;
mod companions;
mod conjunct;
mod durations;
mod examples;
mod fairness;
mod find;
pub mod horn;
mod initial;
mod knowledge;
mod line;
pub mod opinion;
mod portfolio;
mod prove;
mod race;
mod remarks;
mod sizes;
mod strategies;
mod successors;
#[cfg(test)]
mod tests;
mod together;
mod vacuity;

pub use answer::{InternalError, Refused};
pub use certify::certify;
pub use companions::Companions;
pub use fairness::UnderFairness;
pub use find::find;
pub use remarks::{errors, for_chosen_values, remarks};
pub use successors::{depends as depends_on_successors, differences};
pub use vacuity::vacuity_questions;

use answer::Answer;
use opinion::sample::Sample;
use portfolio::Experience;
use tracing::info_span;

use crate::check::Verdict;
use crate::claim::{Claim, Evidence};
pub use crate::engine::Engine;
use crate::engine::Prover;
use crate::engine::bdd::Found;
use crate::engine::bmc::{self, Times};
use crate::engine::explicit;
use crate::engine::invariants::Lemmas;
use crate::engine::recurrent::Recurrence;
use crate::limits::{Budget, Reason, Stop, Team, alone, lock, within};
use crate::model::eval::{Influence, Semantics};
use crate::model::{Formula, Model, Sizes};
use crate::property::Property;
use crate::simplify::simplify;
use crate::smt::unroll::declared_theory;
use crate::smt::{Theory, with_context};
use crate::ts::history::base_system;
use crate::ts::system::{Origin, System};
use crate::ts::term::VarId;
use elsa::sync::FrozenMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// A model with everything that its specs share.
#[derive(Debug)]
pub struct Subject<'m> {
    semantics: Semantics<'m>,
    /// As it was lowered, and simplified.
    base: System,
    system: System,
    /// Invariants of its system that were found for some spec.
    lemmas: Lemmas,
    /// The reachable states as decision diagrams, and the order of variables with which these begin.
    found: Arc<Found>,
    /// Made for the first proof that needs it.
    sample: OnceLock<Sample>,
    /// All that is done for its specs at the same time.
    team: Team,
    /// The engine that decided its specs.
    experience: Experience,
    /// True if it is known that there is no initial state.
    starts_nowhere: OnceLock<bool>,
    /// Instances of other sizes, that were asked about.
    instances: FrozenMap<Sizes, Box<Subject<'m>>>,
    /// The same model with any number of agents, where it has several that are alike.
    general: OnceLock<Option<Box<Subject<'m>>>>,
    /// About the most bytes that an exploration may take.
    exploration_memory: usize,
    /// How many threads explore together.
    threads: usize,
    /// True if shorter counterexamples are looked for.
    shortens: bool,
    /// The number of the first spec that is a question about others: its counterexample is of no interest.
    hidden: usize,
    /// Of those that were asked, whether they were proved; or for how long it was tried.
    idle: Mutex<FxHashMap<usize, Result<bool, Duration>>>,
    /// The prover for an engine; tests have other ones.
    provers: fn(Engine) -> Option<&'static dyn Prover>,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// The search.
    pub engine: Engine,
    /// No counterexample has up to that many steps; `None` if that is not known of any number.
    pub clear: Option<usize>,
    /// The number of states that were visited, by an engine that visits states.
    pub states: Option<usize>,
    /// The number of steps that lead to no bad state of the conjunct at hand, by an engine that proves one after the other.
    pub depth: Option<usize>,
}

impl Progress {
    /// An engine begins.
    pub fn begin(engine: Engine) -> Progress {
        Progress { engine, clear: None, states: None, depth: None }
    }

    fn deeper(engine: Engine, depth: usize) -> Progress {
        Progress { depth: Some(depth), ..Progress::begin(engine) }
    }
}

/// How far and how long to search.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// The largest number of steps.
    pub bound: usize,
    /// How long it may take.
    pub budget: Budget,
    /// Set by others to stop the search.
    pub stop: &'a Stop<'a>,
    /// Told what begins, and what is known whenever that is more.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Told at once of claims that do not survive their check, whatever others find.
    pub refused: &'a (dyn Fn(&Refused) + Sync),
}

impl<'a> Limits<'a> {
    /// Any number of steps within a budget. Nothing is told.
    pub fn new(budget: Budget, stop: &'a Stop<'a>) -> Limits<'a> {
        Limits { bound: usize::MAX, budget, stop, progress: &|_| {}, refused: &|_| {} }
    }

    /// The same without news.
    fn quiet(&self) -> Limits<'a> {
        Limits { progress: &|_| {}, ..*self }
    }

    /// The result of some work within the time.
    fn within<R>(&self, work: impl FnOnce() -> R) -> Result<R, Reason> {
        within(self.budget, self.stop, work)
    }

    /// The answer of some work; beyond the time, it is unknown.
    fn answered<'s>(&self, work: impl FnOnce() -> Answer<'s>) -> Answer<'s> {
        self.within(work).unwrap_or_else(Answer::unknown)
    }

    /// The answer of a check, while which others pause.
    fn checked<'s>(&self, check: impl FnOnce() -> Answer<'s>) -> Answer<'s> {
        alone(|| self.answered(check))
    }
}

/// A verdict and what it took.
#[derive(Debug)]
pub struct Outcome<'s> {
    /// The verdict.
    pub verdict: Verdict<'s>,
    /// The engines whose claims it rests on.
    pub engines: Vec<Engine>,
    /// Conditions of the spec that are known never to come true, if they were asked for
    /// ([`Subject::idle_triggers`]): it holds vacuously.
    pub idle: Vec<Formula>,
    /// The outcome of a violated spec under fairness, if that was asked for ([`Subject::under_fairness`]).
    pub under_fairness: Option<UnderFairness>,
    /// Times of the parts of the work.
    pub times: Times,
}

impl<'m> Subject<'m> {
    /// Lowers and simplifies the model.
    pub fn new(model: &'m Model) -> Subject<'m> {
        let base = base_system(model);
        let (system, _) = simplify(base.clone());
        let exploration_memory = explicit::Config::default().memory;
        Subject {
            semantics: Semantics::new(model),
            base,
            system,
            lemmas: Lemmas::default(),
            found: Arc::default(),
            sample: OnceLock::new(),
            team: Team::new(),
            experience: Experience::default(),
            starts_nowhere: OnceLock::new(),
            instances: FrozenMap::new(),
            general: OnceLock::new(),
            exploration_memory,
            threads: 1,
            shortens: true,
            hidden: model.specs.len(),
            idle: Mutex::default(),
            provers: Engine::prover,
        }
    }

    /// The same, in a process that may use so many bytes for so many searches at the same time. Explorations leave a part
    /// of their share to everything else.
    pub fn with_memory(self, bytes: usize, searches: usize) -> Subject<'m> {
        // The memory that the process takes without any search.
        const BASE: usize = 16 << 20;
        Subject { exploration_memory: bytes.saturating_sub(BASE) / searches.max(1) / 4 * 3, ..self }
    }

    /// The same, with explorations by so many threads.
    pub fn with_threads(self, threads: usize) -> Subject<'m> {
        Subject { threads, ..self }
    }

    /// The same, with counterexamples of [`prove`](Subject::prove) as they are found: for those who want verdicts alone.
    pub fn without_shortening(self) -> Subject<'m> {
        Subject { shortens: false, ..self }
    }

    /// The same, where specs from a number on are [questions about others](vacuity_questions).
    pub fn with_questions(self, hidden: usize) -> Subject<'m> {
        Subject { hidden, ..self }
    }

    /// Another model, decided in the same way.
    fn alike<'o>(&self, model: &'o Model) -> Subject<'o> {
        let Subject { exploration_memory, threads, shortens, provers, .. } = *self;
        Subject { exploration_memory, threads, shortens, provers, ..Subject::new(model) }
    }

    /// The same model with other specs; what is known of it is shared.
    fn with_specs_of<'o>(&self, model: &'o Model) -> Subject<'o> {
        Subject { found: Arc::clone(&self.found), ..self.alike(model) }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.semantics.model()
    }

    /// Its transition system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// True if its system has finitely many states, by the types of its variables.
    fn is_finite(&self) -> bool {
        declared_theory(&self.system) == Theory::Finite
    }

    /// Runs for second opinions.
    fn sample(&self) -> &Sample {
        self.sample.get_or_init(|| Sample::new(&self.semantics))
    }

    /// True if it is known that there is no initial state.
    pub fn has_no_start(&self) -> bool {
        *self.starts_nowhere.get_or_init(|| !initial::clashes(self.model()).is_empty())
    }

    /// Its concrete semantics.
    pub fn semantics(&self) -> &Semantics<'m> {
        &self.semantics
    }
}

impl<'m> Subject<'m> {
    /// Bounded model checking of a spec of the model.
    pub fn bmc<'s>(&'s self, spec: usize, limits: &Limits) -> Result<Outcome<'s>, InternalError> {
        let (answer, times) = self.bounded_answer(spec, limits);
        answer.at_the_end_of(limits.budget).outcome(times)
    }

    fn bounded_answer(&self, spec: usize, limits: &Limits) -> (Answer<'_>, Times) {
        let clear = Mutex::new(None);
        if self.model().specs[spec].formula.is_branching() {
            let words = "a bounded search follows single runs, and the spec is about others or about knowledge; `prove` decides it";
            return (Answer::unknown(Reason::Engine(words.to_owned())), Times::default());
        }
        let unknown = |reason| Answer::new(Verdict::Unknown { clear: *lock(&clear), reason }, &[]);
        let (claim, times) = match limits.within(|| self.bounded_claim(spec, limits, &clear)) {
            Ok(found) => found,
            Err(reason) => return (unknown(reason), Times::default()),
        };
        let engines = &[Engine::Bmc];
        let answer = match claim {
            Claim::Clear { depth } => Answer::new(Verdict::NoCounterexample { depth }, engines),
            Claim::Unknown { clear, reason } => Answer::new(Verdict::Unknown { clear, reason }, engines),
            Claim::Violated { trace } => {
                self.judged(spec, Evidence::Run(trace), engines, limits).with_clear(*lock(&clear))
            }
            Claim::Recurrent { run, clear } => {
                self.judged(spec, Evidence::Recurrent(run), engines, limits).with_clear(clear)
            }
        };
        (answer, times)
    }

    /// Notes which depths are clear.
    fn bounded_claim(&self, spec: usize, limits: &Limits, clear: &Mutex<Option<usize>>) -> (Claim, Times) {
        let (model, mut system) = (self.model(), self.system.clone());
        let spec = &model.specs[spec];
        let property = Property::new(model, &mut system, spec);
        let also_close = influential(&self.semantics, &system, &spec.formula);
        let begin = Progress::begin(Engine::Bmc);
        (limits.progress)(begin);
        let progress = |depth| {
            *lock(clear) = Some(depth);
            (limits.progress)(Progress { clear: Some(depth), ..begin });
        };
        let _logged = info_span!("bmc").entered();
        let recurrence = Recurrence::new(model, &spec.formula, &system);
        let config = bmc::Config {
            bound: limits.bound,
            budget: limits.budget,
            stop: limits.stop,
            also_close: &also_close,
            recurrence: recurrence.as_ref(),
            progress: &progress,
        };
        with_context(limits.stop, || bmc::run(&system, &property, config))
    }
}

/// The variables that a replayed loop has to close on: a superset of the cone of the property where
/// simplification found that something read cannot matter.
fn influential(semantics: &Semantics, system: &System, formula: &Formula) -> Vec<VarId> {
    let influence = Influence::of(semantics.model(), formula);
    let matters = |id: &VarId| match system.variable(*id).origin {
        Origin::Local(instance, local) => influence.contains(instance, local),
        Origin::Automaton(_) => true,
        Origin::Total(_)
        | Origin::Received(..)
        | Origin::Obligation(_)
        | Origin::Counter(_)
        | Origin::Number
        | Origin::Argument(_)
        | Origin::Free(_) => false,
    };
    system.var_ids().filter(matters).collect()
}
