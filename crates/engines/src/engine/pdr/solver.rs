//! The queries of PDR. Those about steps go to an incremental solver with one step from an arbitrary state. Those
//! about initial states are answered from a list if there are few of them, and otherwise by a solver of their own.

use super::{Config, Cube};
use crate::limits::Reason;
use crate::model::Value;
use crate::simplify::initial_states;
use crate::smt::Literal;
use crate::smt::unroll::Unrolling;
use crate::ts::system::System;
use crate::ts::term::{Term, Terms};
use crate::ts::valuation::Valuation;
use rustc_hash::FxHashMap;

/// The inductiveness of a cube relative to a frame: if it can be entered from outside of it.
pub enum Relative {
    /// It cannot; these literals of it suffice.
    Inductive(Cube),
    /// It can, from this state by this step.
    Predecessor {
        /// The values, by variable.
        state: Vec<Value>,
        /// The options, by input.
        inputs: Vec<u32>,
    },
}

const NOW: usize = 0;
const NEXT: usize = 1;

/// Literals that stand for terms in one frame, so that they can be assumed and found in cores.
#[derive(Default)]
struct Proxies {
    literals: FxHashMap<Term, Literal>,
}

impl Proxies {
    fn of(&mut self, unrolling: &mut Unrolling, terms: &Terms, frame: usize, term: Term) -> Literal {
        if let Some(known) = self.literals.get(&term) {
            return known.clone();
        }
        let proxy = Literal::fresh("literal");
        let meaning = unrolling.literal_in(terms, frame, term);
        unrolling.add(&proxy.implies(&meaning));
        self.literals.insert(term, proxy.clone());
        proxy
    }
}

/// The initial states.
enum InitialStates<'s> {
    Listed(Vec<Valuation>),
    Solver(Box<Unrolling<'s>>, Proxies),
}

impl<'s> InitialStates<'s> {
    fn new(system: &'s System) -> InitialStates<'s> {
        const MOST: usize = 32;
        match initial_states(system, MOST) {
            Some(states) => {
                InitialStates::Listed(states.into_iter().map(|state| Valuation::new(state, Vec::new())).collect())
            }
            None => {
                let unrolling = Unrolling::new(system, system.var_ids().collect(), Unrolling::theory_for(system));
                InitialStates::Solver(Box::new(unrolling), Proxies::default())
            }
        }
    }
}

/// The solvers.
pub struct Frames<'s> {
    config: Config<'s>,
    step: Unrolling<'s>,
    next: Proxies,
    initial: InitialStates<'s>,
    /// Assumed for the clauses of a level; level 0 is the initial condition.
    levels: Vec<Literal>,
    outsides: FxHashMap<Cube, Literal>,
}

impl<'s> Frames<'s> {
    /// With frame 0.
    pub fn new(system: &'s System, known: &[Term], config: Config<'s>) -> Frames<'s> {
        let mut step = Unrolling::step_within(system, known);
        step.assume(NEXT, known);
        let initially = Literal::fresh("initially");
        for &term in system.init() {
            let init = step.literal(NOW, term);
            step.add(&initially.implies(&init));
        }
        let initial = InitialStates::new(system);
        Frames {
            config,
            step,
            next: Proxies::default(),
            initial,
            levels: vec![initially],
            outsides: FxHashMap::default(),
        }
    }

    /// More invariants.
    pub fn learn(&mut self, terms: &Terms, known: &[Term]) {
        [NOW, NEXT].into_iter().for_each(|frame| self.step.assume_in(terms, frame, known));
    }

    /// One more level.
    pub fn add_level(&mut self) {
        self.levels.push(Literal::fresh("level"));
    }

    /// No state of the cube is in the frames up to the level.
    pub fn add_clause(&mut self, terms: &Terms, cube: &Cube, level: usize) {
        let clause = self.outside(terms, cube);
        self.step.add(&self.levels[level].implies(&clause));
    }

    fn outside(&mut self, terms: &Terms, cube: &Cube) -> Literal {
        Literal::or(cube.iter().map(|&term| self.step.literal_in(terms, NOW, term).not()))
    }

    /// Asks if the cube can be entered, from the frame below the level and from outside of it.
    pub fn relative(&mut self, terms: &Terms, cube: &Cube, level: usize) -> Result<Relative, Reason> {
        let from_outside = match self.outsides.get(cube) {
            Some(known) => known.clone(),
            None => {
                let literal = Literal::fresh("outside");
                let outside = self.outside(terms, cube);
                self.step.add(&literal.implies(&outside));
                self.outsides.insert(cube.clone(), literal.clone());
                literal
            }
        };
        self.enter(terms, cube, level - 1, &from_outside)
    }

    /// True if no step enters the cube from outside of it, wherever from.
    pub fn lasts(&mut self, terms: &Terms, cube: &Cube) -> Result<bool, Reason> {
        let anywhere = self.levels.len() + 1;
        Ok(matches!(self.relative(terms, cube, anywhere)?, Relative::Inductive(_)))
    }

    /// True if the clause of the cube also holds one level up.
    pub fn pushable(&mut self, terms: &Terms, cube: &Cube, level: usize) -> Result<bool, Reason> {
        Ok(matches!(self.enter(terms, cube, level, &Literal::TRUE)?, Relative::Inductive(_)))
    }

    fn enter(&mut self, terms: &Terms, cube: &Cube, frame: usize, also: &Literal) -> Result<Relative, Reason> {
        let into: Vec<Literal> = cube.iter().map(|&term| self.next.of(&mut self.step, terms, NEXT, term)).collect();
        let assumptions: Vec<Literal> = into.iter().chain(&self.levels[frame..]).chain([also]).cloned().collect();
        Ok(match self.step.check_until(&assumptions, self.config.budget, self.config.stop)? {
            None => {
                let core = self.step.core(&assumptions);
                Relative::Inductive(core.into_iter().filter_map(|index| cube.get(index).copied()).collect())
            }
            Some(model) => {
                Relative::Predecessor { state: self.step.state(&model, NOW)?, inputs: self.step.inputs(&model, NOW)? }
            }
        })
    }

    /// An initial state in the cube, if there is one.
    pub fn initial_state(&mut self, terms: &Terms, cube: &Cube) -> Result<Option<Vec<Value>>, Reason> {
        let (unrolling, proxies) = match &mut self.initial {
            InitialStates::Solver(unrolling, proxies) => (unrolling, proxies),
            InitialStates::Listed(states) => {
                let inside = states.iter_mut().find_map(|state| {
                    cube.iter().all(|&literal| state.holds(terms, literal)).then(|| state.state().to_vec())
                });
                return Ok(inside);
            }
        };
        let assumptions: Vec<Literal> = cube.iter().map(|&term| proxies.of(unrolling, terms, 0, term)).collect();
        let model = unrolling.check_until(&assumptions, self.config.budget, self.config.stop)?;
        model.map(|model| unrolling.state(&model, 0)).transpose()
    }
}
