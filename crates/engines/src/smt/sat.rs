//! A solver for propositional logic: CaDiCaL, which gets formulas as clauses.
//!
//! A formula is a literal of the solver that implies it (Plaisted and Greenbaum, A structure-preserving clause form
//! translation, 1986): of a connective that is only ever asserted, one half of its definition is told.

use super::formula::{Formula, Kind};
use crate::limits;
use cadical::Callbacks;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An incremental solver for formulas without atoms.
pub struct Sat {
    solver: cadical::Solver<Watcher>,
    /// By the number of the formula.
    gates: Rc<RefCell<FxHashMap<u64, Gate>>>,
    variables: i32,
    looks: Rc<Cell<u64>>,
}

/// The variable of a formula.
#[derive(Clone, Copy)]
struct Gate {
    variable: i32,
    /// True if the variable implies the formula, and whether its negation implies that of the formula.
    told: [bool; 2],
}

/// Ends a question.
struct Watcher {
    ends: Option<Arc<AtomicBool>>,
    looks: Rc<Cell<u64>>,
    most: u64,
}

impl Callbacks for Watcher {
    fn terminate(&mut self) -> bool {
        limits::pass();
        self.looks.set(self.looks.get() + 1);
        self.looks.get() >= self.most || self.ends.as_ref().is_some_and(|ends| ends.load(Ordering::Relaxed))
    }
}

/// The values of unknowns in a model, and so of all formulas.
pub struct Values {
    gates: Rc<RefCell<FxHashMap<u64, Gate>>>,
    /// By variable.
    values: Vec<bool>,
    /// By the number of the formula.
    known: RefCell<FxHashMap<u64, bool>>,
}

impl Sat {
    /// Without clauses.
    pub fn new() -> Sat {
        // Most questions are small and follow each other closely: preprocessing between them costs more than it saves.
        let solver = cadical::Solver::with_config("plain").expect("the solver knows this configuration");
        Sat { solver, gates: Rc::default(), variables: 0, looks: Rc::default() }
    }

    /// How often the solver looked whether it has to end: a measure of work that depends on no clock.
    pub fn looks(&self) -> u64 {
        self.looks.get()
    }

    /// Adds a formula for good.
    pub fn add(&mut self, formula: &Formula) {
        let mut clause = Vec::new();
        match formula.kind() {
            Kind::And(list) => return list.iter().for_each(|part| self.add(part)),
            Kind::Not(inside) => match inside.kind() {
                Kind::Or(list) => return list.iter().for_each(|part| self.add(&part.not())),
                Kind::And(list) => clause.extend(list.iter().map(|part| -self.literal(part, false))),
                _ => self.clause(formula, &mut clause),
            },
            _ => self.clause(formula, &mut clause),
        }
        self.solver.add_clause(clause);
    }

    /// Adds what is false.
    pub fn contradict(&mut self) {
        self.solver.add_clause([]);
    }

    /// The disjuncts of a formula.
    fn clause(&mut self, formula: &Formula, clause: &mut Vec<i32>) {
        match formula.kind() {
            Kind::Or(list) => list.iter().for_each(|part| self.clause(part, clause)),
            _ => clause.push(self.literal(formula, true)),
        }
    }

    /// A literal that implies the formula, or that is implied by it.
    fn literal(&mut self, formula: &Formula, implies: bool) -> i32 {
        if let Kind::Not(inside) = formula.kind() {
            return -self.literal(inside, !implies);
        }
        let (variable, is_told) = self.gate(formula.number(), implies);
        if is_told {
            return variable;
        }
        match formula.kind() {
            Kind::Unknown(_) => {}
            Kind::And(list) => self.define(variable, list, implies, false),
            Kind::Or(list) => self.define(variable, list, implies, true),
            Kind::Iff(a, b) => {
                // Both are needed in both directions.
                let [a, b] = [a, b].map(|part| {
                    self.literal(part, true);
                    self.literal(part, false)
                });
                let clauses = if implies {
                    [[-variable, -a, b], [-variable, a, -b]]
                } else {
                    [[variable, a, b], [variable, -a, -b]]
                };
                clauses.into_iter().for_each(|clause| self.solver.add_clause(clause));
            }
            Kind::Not(_) => unreachable!("negations are literals"),
            Kind::Atom(atom) => panic!("{atom} is not propositional"),
        }
        variable
    }

    /// The variable of a formula, and whether this half of its definition was told before; from now on it is.
    fn gate(&mut self, number: u64, implies: bool) -> (i32, bool) {
        let mut gates = self.gates.borrow_mut();
        let gate = gates.entry(number).or_insert_with(|| {
            self.variables += 1;
            Gate { variable: self.variables, told: [false; 2] }
        });
        (gate.variable, std::mem::replace(&mut gate.told[usize::from(implies)], true))
    }

    /// Half of the definition of a junction.
    fn define(&mut self, variable: i32, list: &[Formula], implies: bool, is_disjunction: bool) {
        let parts: Vec<i32> = list.iter().map(|part| self.literal(part, implies)).collect();
        let sign = if implies { -1 } else { 1 };
        if is_disjunction == implies {
            let clause = parts.iter().map(|part| -sign * part).chain([sign * variable]);
            self.solver.add_clause(clause);
        } else {
            parts.iter().for_each(|part| self.solver.add_clause([sign * variable, -sign * part]));
        }
    }

    /// True if what was added and the assumptions can hold together; nothing if the solver was told to end, or looked as often as it may.
    pub fn check(&mut self, assumptions: &[Formula], ends: Option<Arc<AtomicBool>>, most: u64) -> Option<bool> {
        let literals: Vec<i32> = assumptions.iter().map(|assumption| self.literal(assumption, true)).collect();
        let most = self.looks.get().saturating_add(most);
        self.solver.set_callbacks(Some(Watcher { ends, looks: self.looks.clone(), most }));
        self.solver.solve_with(literals)
    }

    /// After "no": whether an assumption was needed for it.
    pub fn failed(&mut self, assumption: &Formula) -> bool {
        let literal = self.literal(assumption, true);
        self.solver.failed(literal)
    }

    /// After "yes": the values of all that the solver knows of.
    pub fn values(&self) -> Values {
        let value = |variable| self.solver.value(variable) == Some(true);
        Values {
            gates: self.gates.clone(),
            values: (1..=self.variables).map(value).collect(),
            known: RefCell::default(),
        }
    }
}

impl Values {
    /// The truth of a formula; unknowns that the solver does not know are false.
    pub fn is_true(&self, formula: &Formula) -> bool {
        let all = |list: &[Formula]| list.iter().all(|part| self.is_true(part));
        if let Kind::Not(inside) = formula.kind() {
            return !self.is_true(inside);
        }
        if let Some(known) = self.known.borrow().get(&formula.number()) {
            return *known;
        }
        let value = match formula.kind() {
            Kind::Unknown(_) => {
                let gate = self.gates.borrow().get(&formula.number()).map(|gate| gate.variable as usize - 1);
                return gate.and_then(|index| self.values.get(index)).copied().unwrap_or(false);
            }
            Kind::And(list) => all(list),
            Kind::Or(list) => list.iter().any(|part| self.is_true(part)),
            Kind::Iff(a, b) => self.is_true(a) == self.is_true(b),
            Kind::Not(_) => unreachable!("negations are looked through"),
            Kind::Atom(atom) => panic!("{atom} is not propositional"),
        };
        self.known.borrow_mut().insert(formula.number(), value);
        value
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Values").field("count", &self.values.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Sat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Sat").field("variables", &self.variables).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    const UNKNOWNS: usize = 4;

    fn random(unknowns: &[Formula], depth: usize, random: &mut Rng) -> Formula {
        let part = |random: &mut Rng| self::random(unknowns, depth - 1, random);
        match if depth == 0 { 0 } else { random.u8(..5) } {
            0 => unknowns[random.usize(..unknowns.len())].clone(),
            1 => part(random).not(),
            2 => Formula::new(Kind::And((0..random.usize(2..4)).map(|_| part(random)).collect())),
            3 => Formula::new(Kind::Or((0..random.usize(2..4)).map(|_| part(random)).collect())),
            _ => Formula::new(Kind::Iff(part(random), part(random))),
        }
    }

    /// The truth of a formula where bit i of the world is the truth of unknown i.
    fn holds(formula: &Formula, unknowns: &[Formula], world: usize) -> bool {
        let here = |part: &Formula| holds(part, unknowns, world);
        match formula.kind() {
            Kind::Unknown(_) => {
                let index = unknowns.iter().position(|unknown| unknown.number() == formula.number());
                world >> index.expect("one of ours") & 1 == 1
            }
            Kind::Not(inside) => !here(inside),
            Kind::And(list) => list.iter().all(here),
            Kind::Or(list) => list.iter().any(here),
            Kind::Iff(a, b) => here(a) == here(b),
            Kind::Atom(_) => unreachable!("there are none"),
        }
    }

    /// Random formulas, some asserted between questions and some assumed, against all worlds.
    #[test]
    fn answers_values_and_cores_agree_with_truth_tables() {
        let mut answers = [0, 0];
        for seed in 0..1_000 {
            let mut rng = Rng::with_seed(seed);
            let unknowns: Vec<Formula> = (0..UNKNOWNS).map(|_| Formula::new(Kind::Unknown("x".into()))).collect();
            let (mut sat, mut asserted) = (Sat::new(), Vec::new());
            for _ in 0..4 {
                let formula = random(&unknowns, 3, &mut rng);
                sat.add(&formula);
                asserted.push(formula);
                let assumed: Vec<Formula> = (0..3).map(|_| random(&unknowns, 2, &mut rng)).collect();
                let worlds = |assumed: &[Formula]| {
                    (0..1 << UNKNOWNS).any(|world| asserted.iter().chain(assumed).all(|f| holds(f, &unknowns, world)))
                };
                let answer = sat.check(&assumed, None, u64::MAX).expect("it is not ended");
                assert_eq!(answer, worlds(&assumed), "{seed}: {asserted:?} {assumed:?}");
                answers[usize::from(answer)] += 1;
                if answer {
                    let values = sat.values();
                    assert!(asserted.iter().chain(&assumed).all(|formula| values.is_true(formula)), "{seed}");
                } else {
                    let needed: Vec<Formula> = assumed.iter().filter(|f| sat.failed(f)).cloned().collect();
                    assert!(!worlds(&needed), "{seed}: {asserted:?} {needed:?}");
                }
            }
        }
        assert!(answers.iter().all(|count| *count > 300), "{answers:?}");
    }

    #[test]
    fn what_is_false_stays_false() {
        let mut sat = Sat::new();
        sat.contradict();
        assert_eq!(sat.check(&[], None, u64::MAX), Some(false));
    }

    /// A run of a million steps nests formulas as deep.
    #[test]
    fn deep_formulas_are_dropped() {
        let unknown = Formula::new(Kind::Unknown("x".into()));
        let deeper = |inside: Formula, _| Formula::new(Kind::Or(Box::new([inside, unknown.clone()])));
        drop((0..1_000_000).fold(unknown.clone(), deeper));
    }
}
