//! Property-directed reachability (IC3) over Booleans, finite values and unbounded integers.
//!
//! Bradley, *SAT-based model checking without unrolling* (VMCAI 2011); Een, Mishchenko, Brayton, *Efficient
//! implementation of property directed reachability* (FMCAD 2011). Two things differ. First, once event and inputs are
//! fixed, a step is a function, so a predecessor is generalised exactly: the precondition is computed by substitution,
//! and an implicant of it that the solver's model satisfies becomes the cube. Second, the predicates over integers come
//! from these preconditions, as in Hoder and Bjorner (*Generalized property directed reachability*, SAT 2012): the
//! comparisons that they contain, with equalities split into inequalities ([`crate::ts::valuation`]), and those that
//! [`integers`] derives from them. Cubes have no free variables: [`mod@project`] takes them out of preconditions, and sets of
//! bad states must not read any.
//!
//! Frame `i` is the conjunction of all clauses of levels `i` and above; frame 0 is the initial condition. A cube that
//! was blocked at level `i` is unreachable in up to `i` steps. When all clauses of a level move up, the clauses above
//! it are an inductive invariant.
//!
//! Known incompleteness: over integers the search for predicates may go on for ever.

mod bounds;
mod integers;
mod project;
mod solver;

use super::invariants::Later;
use super::{Config, Engine, Prover, SafetyQuestion};
use crate::claim::{Invariant, SafetyClaim};
use crate::limits::Reason;
use crate::model::Value;
use crate::ts::show::ShownTerm;
use crate::ts::system::System;
use crate::ts::term::{Leaf, Term, Terms};
use crate::ts::valuation::{Implicant, Valuation};
use bounds::Sum;
use dashu_int::IBig;
use project::project;
use rustc_hash::FxHashMap;
use solver::{Frames, Relative};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tracing::{debug, info};

/// A conjunction of literals, sorted.
type Cube = Vec<Term>;

/// The engine.
pub struct Pdr;

impl Prover for Pdr {
    fn engine(&self) -> Engine {
        Engine::Pdr
    }

    fn run(&self, SafetyQuestion { system, bad, known, later }: SafetyQuestion, config: Config) -> SafetyClaim {
        match PdrSearch::new(system, known, config).with_later(later).reach(bad) {
            Ok(Reach::Reached(Path { initial, inputs })) => {
                SafetyClaim::Reached(Some(system.run_from(initial, &inputs)))
            }
            Ok(Reach::Unreachable(invariant)) => SafetyClaim::Unreachable(invariant),
            Err(reason) => SafetyClaim::Unknown(reason),
        }
    }
}

/// The reachability of bad states.
pub enum Reach {
    /// By this run.
    Reached(Path),
    /// Because of this.
    Unreachable(Invariant),
}

/// A run of a system.
pub struct Path {
    /// Its first state.
    pub initial: Vec<Value>,
    /// The inputs of its steps.
    pub inputs: Vec<Vec<u32>>,
}

/// A cube to be blocked, because all its states reach the bad ones.
struct Obligation {
    cube: Cube,
    /// The inputs of a step that leads from the cube to the next obligation; none for the bad states.
    step: Option<(Vec<u32>, usize)>,
}

/// A step with its inputs fixed.
struct FixedStep {
    /// When it is possible.
    guard: Term,
    /// The next values, by variable.
    next: Vec<Term>,
}

/// A search that can be asked about several sets of bad states: what it learnt of the reachable ones stays.
pub struct PdrSearch<'s> {
    system: &'s System,
    config: Config<'s>,
    /// The system's arena, grown by preconditions and invariants.
    terms: Terms,
    /// Invariants that are relied on.
    known: Vec<Term>,
    later: Option<Later<'s>>,
    bad: Cube,
    frames: Frames<'s>,
    /// Per level the cubes that are blocked there and not known to be blocked above.
    levels: Vec<Vec<Cube>>,
    steps: FxHashMap<Vec<u32>, FixedStep>,
    obligations: Vec<Obligation>,
    /// Some initial states.
    starts: Vec<Valuation>,
    /// The least values of sums in the initial states.
    least: FxHashMap<Sum, IBig>,
    /// The bounds of sums of which was asked whether they last.
    tried: FxHashMap<Sum, Vec<IBig>>,
    /// While something is blocked for the sake of another cube.
    nested: bool,
}

impl<'s> PdrSearch<'s> {
    /// Of the runs of a system that has these invariants.
    pub fn new(system: &'s System, known: &[Term], config: Config<'s>) -> PdrSearch<'s> {
        let terms = system.terms().clone();
        let frames = Frames::new(system, known, config);
        PdrSearch {
            system,
            config,
            terms,
            known: known.to_vec(),
            later: None,
            bad: Vec::new(),
            frames,
            levels: vec![Vec::new()],
            steps: FxHashMap::default(),
            obligations: Vec::new(),
            starts: Vec::new(),
            least: FxHashMap::default(),
            tried: FxHashMap::default(),
            nested: false,
        }
    }

    /// The same, with invariants that others may find meanwhile.
    fn with_later(self, later: Option<Later<'s>>) -> PdrSearch<'s> {
        PdrSearch { later, ..self }
    }

    /// The arena of the search, for sets of bad states.
    pub fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// Can these states be reached? The first call finds a shortest run.
    pub fn reach(&mut self, bad: Term) -> Result<Reach, Reason> {
        self.bad = self.terms.conjuncts(&[bad]);
        if let Some(initial) = self.frames.initial_state(&self.terms, &self.bad)? {
            return Ok(Reach::Reached(Path { initial, inputs: Vec::new() }));
        }
        loop {
            if self.top() > 0 {
                if let Some((initial, first)) = self.block_bad()? {
                    return Ok(Reach::Reached(Path { initial, inputs: self.inputs(first) }));
                }
                if let Some(level) = self.propagate()? {
                    return Ok(Reach::Unreachable(self.invariant_above(level)));
                }
            }
            (self.config.progress)(self.top());
            self.learn();
            let lemmas = self.levels.iter().skip(1).map(Vec::len).collect::<Vec<_>>();
            info!("frame {}: {} lemmas {lemmas:?}", self.top(), lemmas.iter().sum::<usize>());
            self.levels.push(Vec::new());
            self.frames.add_level();
        }
    }

    /// Relies on what others found meanwhile.
    fn learn(&mut self) {
        let Some(later) = &mut self.later else { return };
        let new = later.imported(&mut self.terms);
        self.frames.learn(&self.terms, &new);
        self.known.extend(new);
    }

    fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// Blocks the bad states at the top level. Returns an initial state that reaches them, and the
    /// obligation that it satisfies.
    fn block_bad(&mut self) -> Result<Option<(Vec<Value>, usize)>, Reason> {
        self.obligations.clear();
        self.obligations.push(Obligation { cube: self.bad.clone(), step: None });
        let mut queue = BinaryHeap::from([(Reverse(self.top()), 0)]);
        while let Some((Reverse(level), index)) = queue.pop() {
            let cube = self.obligations[index].cube.clone();
            if self.is_blocked(&cube, level) {
                continue;
            }
            if let Some(bound) = self.lasting_bound(&cube)? {
                self.add_blocked(vec![bound], self.top());
                continue;
            }
            match self.frames.relative(&self.terms, &cube, level)? {
                Relative::Inductive(core) => {
                    let blocked_at = self.block(cube, core, level)?;
                    if blocked_at < self.top() {
                        queue.push((Reverse(blocked_at + 1), index));
                    }
                }
                Relative::Predecessor { state, inputs } => {
                    let predecessor = self.generalise_predecessor(&cube, &state, &inputs);
                    self.obligations.push(Obligation { cube: predecessor, step: Some((inputs, index)) });
                    let new = self.obligations.len() - 1;
                    if level == 1 {
                        return Ok(Some((state, new)));
                    }
                    if let Some(initial) = self.frames.initial_state(&self.terms, &self.obligations[new].cube)? {
                        return Ok(Some((initial, new)));
                    }
                    queue.push((Reverse(level - 1), new));
                    queue.push((Reverse(level), index));
                }
            }
        }
        Ok(None)
    }

    /// True if a blocked cube of this level or above contains the cube.
    fn is_blocked(&self, cube: &Cube, level: usize) -> bool {
        self.levels[level..].iter().flatten().any(|blocked| contains(cube, blocked))
    }

    /// Blocks a cube, generalised, at the highest level that allows it; returns that level.
    fn block(&mut self, cube: Cube, core: Cube, level: usize) -> Result<usize, Reason> {
        let core = self.keep_off_initial(&cube, core)?;
        let weaker = self.weaken(core, level)?;
        let shorter = self.generalise(weaker, level)?;
        let general = self.add_up(shorter, level)?;
        let mut at = level;
        while at < self.top() {
            match self.frames.relative(&self.terms, &general, at + 1)? {
                Relative::Inductive(_) => at += 1,
                Relative::Predecessor { .. } => break,
            }
        }
        self.add_blocked(general, at);
        Ok(at)
    }

    fn add_blocked(&mut self, cube: Cube, level: usize) {
        debug!("blocked up to frame {level}: {}", self.shown(&cube));
        for known in &mut self.levels[..=level] {
            known.retain(|other| !contains(other, &cube));
        }
        self.frames.add_clause(&self.terms, &cube, level);
        self.levels[level].push(cube);
    }

    fn shown(&self, cube: &Cube) -> String {
        let shown = |&term: &Term| ShownTerm { system: self.system, terms: &self.terms, term }.to_string();
        cube.iter().map(shown).collect::<Vec<_>>().join(" & ")
    }

    /// Adds literals of the cube to its core until no initial state satisfies it.
    fn keep_off_initial(&mut self, cube: &Cube, mut core: Cube) -> Result<Cube, Reason> {
        while let Some(state) = self.frames.initial_state(&self.terms, &core)? {
            let mut valuation = Valuation::new(state, Vec::new());
            let excluding = cube.iter().find(|&&literal| !valuation.holds(&self.terms, literal));
            core.push(*excluding.expect("no initial state satisfies the whole cube"));
            core.sort_unstable();
        }
        Ok(core)
    }

    /// Drops literals as long as the rest is inductive relative to the level below; gives up after a
    /// few failures.
    fn generalise(&mut self, mut cube: Cube, level: usize) -> Result<Cube, Reason> {
        const FAILURES: usize = 3;
        let mut failures = 0;
        for literal in cube.clone() {
            if cube.len() == 1 || failures == FAILURES {
                break;
            }
            if !cube.contains(&literal) {
                continue;
            }
            let smaller: Cube = cube.iter().copied().filter(|&other| other != literal).collect();
            if self.frames.initial_state(&self.terms, &smaller)?.is_some() {
                continue;
            }
            match self.frames.relative(&self.terms, &smaller, level)? {
                Relative::Inductive(core) => cube = self.keep_off_initial(&smaller, core)?,
                Relative::Predecessor { .. } => failures += 1,
            }
        }
        Ok(cube)
    }

    /// Literals of the state that suffice to take this step into the cube.
    fn generalise_predecessor(&mut self, cube: &Cube, state: &[Value], inputs: &[u32]) -> Cube {
        if !self.steps.contains_key(inputs) {
            let step = fix_step(self.system, &mut self.terms, inputs);
            self.steps.insert(inputs.to_vec(), step);
        }
        let FixedStep { guard, next } = &self.steps[inputs];
        let mut into = |_: &mut Terms, leaf: Leaf| match leaf {
            Leaf::Var(id) => Some(next[id.0 as usize]),
            Leaf::Input(_) => None,
        };
        let mut memo = FxHashMap::default();
        let precondition: Vec<Term> =
            cube.iter().map(|&literal| self.terms.substitute(literal, &mut into, &mut memo)).collect();
        let mut valuation = Valuation::new(state.to_vec(), inputs.to_vec());
        let mut implicant = Implicant::new(self.system, &mut self.terms, &mut valuation);
        precondition.into_iter().chain([*guard]).for_each(|term| implicant.explain(term));
        let literals = implicant.literals();
        project(self.system, &mut self.terms, literals, &mut valuation)
    }

    /// Moves clauses up; returns a level that is empty then, so that those above it are inductive.
    fn propagate(&mut self) -> Result<Option<usize>, Reason> {
        for level in 1..self.top() {
            for cube in std::mem::take(&mut self.levels[level]) {
                match self.frames.pushable(&self.terms, &cube, level)? {
                    true => self.add_blocked(cube, level + 1),
                    false => self.levels[level].push(cube),
                }
            }
            if self.levels[level].is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    fn invariant_above(&self, level: usize) -> Invariant {
        let mut terms = self.terms.clone();
        let clause = |cube: &Cube| {
            let cube = terms.and(cube.iter().copied());
            terms.not(cube)
        };
        let mut clauses: Vec<Term> = self.levels[level + 1..].iter().flatten().map(clause).collect();
        clauses.extend(&self.known);
        Invariant { terms, clauses, k: 1 }
    }

    /// The inputs of the steps from an obligation to the bad states.
    fn inputs(&self, first: usize) -> Vec<Vec<u32>> {
        let mut inputs = Vec::new();
        let mut at = self.obligations[first].step.as_ref();
        while let Some((chosen, next)) = at {
            inputs.push(chosen.clone());
            at = self.obligations[*next].step.as_ref();
        }
        inputs
    }
}

/// True if the cube `large` implies the cube `small`: it has all its literals.
fn contains(large: &Cube, small: &Cube) -> bool {
    small.iter().all(|literal| large.binary_search(literal).is_ok())
}

/// The guard and the next values of a step with these inputs, over the state.
fn fix_step(system: &System, terms: &mut Terms, inputs: &[u32]) -> FixedStep {
    let mut fixed = |terms: &mut Terms, leaf: Leaf| match leaf {
        Leaf::Input(id) => {
            let count = system.inputs()[id.0 as usize].count;
            Some(terms.constant_of_enum(inputs[id.0 as usize], count))
        }
        Leaf::Var(_) => None,
    };
    let mut memo = FxHashMap::default();
    let mut fix = |terms: &mut Terms, term: Term| terms.substitute(term, &mut fixed, &mut memo);
    let event = &system.events()[inputs[0] as usize];
    let conditions = system.constraints().iter().chain([&event.guard]);
    let conditions: Vec<Term> = conditions.map(|&term| fix(terms, term)).collect();
    let next = system
        .var_ids()
        .map(|id| {
            let variable = system.variable(id);
            let mut next = terms.leaf(Leaf::Var(id), variable.sort, None);
            for case in system.update(id) {
                let (condition, value) = (fix(terms, case.condition), fix(terms, case.value));
                next = terms.ite(condition, value, next);
            }
            next
        })
        .collect();
    FixedStep { guard: terms.and(conditions), next }
}
