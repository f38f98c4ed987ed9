//! Reachability and fair cycles on decision diagrams, for finite systems ([`crate::diagrams`]).
//!
//! Burch, Clarke, McMillan, Dill, Hwang, *Symbolic model checking: 10^20 states and beyond* (LICS 1990). The reachable
//! states grow by one event at a time, from what all others have added (chaining: Roig, Cortadella, Pastor,
//! *Verification of asynchronous circuits by BDD-based model checking of Petri nets*, ICATPN 1995). They are an inductive invariant.
//!
//! For liveness the states from where acceptance can be seen once, twice, and so on are computed one after the other (Emerson, Lei, *Efficient
//! model checking in fragments of the propositional mu-calculus*, LICS 1986). If none is left after n of them, acceptance is seen at most n times
//! on any run: that is a proof for the counter of k-liveness ([`crate::ts::counter`]), which has seen so much that the rest is not possible any more.
//! If the same states remain, there is a lasso among them.

use super::{Config, Engine, Prover, SafetyQuestion};
use crate::claim::{Invariant, SafetyClaim, Trace};
use crate::diagrams::{Compiler, Space, Step, Steps, and, or, order, without};
use crate::limits::Reason;
use crate::model::Value;
use crate::property::reduction::Accepting;
use crate::ts::system::{EVENT, System};
use crate::ts::term::{Leaf, Sort, Term, Terms, VarId};
use biodivine_lib_bdd::Bdd;
use tracing::info;

/// The most nodes of a diagram that becomes a clause: certificates have terms that are not nested deeper.
const MOST_NODES: usize = 9000;

/// The engine.
pub struct Diagrams;

impl Prover for Diagrams {
    fn engine(&self) -> Engine {
        Engine::Bdd
    }

    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim {
        safety(question, config).unwrap_or_else(SafetyClaim::Unknown)
    }
}

fn safety(SafetyQuestion { system, bad, .. }: SafetyQuestion, config: Config) -> Result<SafetyClaim, Reason> {
    let space = Space::new(system, &order(system))?;
    let bad = Compiler::new(&space).truth(system.terms(), bad)?;
    let search = Search::new(system, &space)?;
    let reachable = search.reachable(&bad, config);
    if !and(&reachable, &bad).is_false() {
        let path = search.path(&search.steps.initial, &bad, &reachable).expect("a bad state is reachable");
        return Ok(SafetyClaim::Reached(Some(system.run_from(path.states[0].clone(), &path.inputs))));
    }
    let mut terms = system.terms().clone();
    let clauses = vec![clause(&space, system, &mut terms, &reachable)?];
    Ok(SafetyClaim::Unreachable(Invariant { terms, clauses, k: 1 }))
}

/// What was found about how often acceptance is seen.
pub enum Liveness {
    /// At most so many times, because of this invariant of the system that counts to that number.
    Finitely(usize, Invariant),
    /// Infinitely often on this lasso.
    Infinitely(Trace),
}

/// How often is acceptance seen?
pub fn run(Accepting { system, seen }: &Accepting, config: Config) -> Result<Liveness, Reason> {
    let space = Space::new(system, &order(system))?;
    let seen = Compiler::new(&space).truth(system.terms(), *seen)?;
    let search = Search::new(system, &space)?;
    let reachable = search.reachable(&space.constant(false), config);
    let mut from = search.before(and(&reachable, &seen), &reachable);
    let mut seldom = vec![without(&reachable, &from)];
    while !from.is_false() {
        (config.progress)(seldom.len());
        info!("acceptance {} times: {} nodes, {:.0} states", seldom.len(), from.size(), space.count(&from));
        let once_more = search.before(and(&and(&from, &seen), &search.predecessors(&from)), &from);
        if once_more == from {
            return Ok(Liveness::Infinitely(search.lasso(system, &from, &seen, &reachable)));
        }
        seldom.push(without(&reachable, &once_more));
        from = once_more;
    }
    // The last of these sets are all reachable states.
    let counted = seldom.len() - 1;
    let mut terms = system.terms().clone();
    let mut clauses = vec![clause(&space, system, &mut terms, &reachable)?];
    for (number, seldom) in seldom[..counted].iter().rev().enumerate() {
        let counter = Leaf::Var(VarId((system.variables().len() + number) as u32));
        let counter = terms.leaf(counter, Sort::Bool, None);
        let seldom = clause(&space, system, &mut terms, seldom)?;
        clauses.push(terms.implies(counter, seldom));
    }
    Ok(Liveness::Finitely(counted, Invariant { terms, clauses, k: 1 }))
}

fn clause(space: &Space, system: &System, terms: &mut Terms, set: &Bdd) -> Result<Term, Reason> {
    if set.size() > MOST_NODES {
        return Err(Reason::Engine(format!("an invariant has {} nodes, too many to be checked", set.size())));
    }
    Ok(space.term(system, terms, set))
}

/// States with the inputs of the steps between them.
struct Path {
    states: Vec<Vec<Value>>,
    inputs: Vec<Vec<u32>>,
}

struct Search<'s> {
    space: &'s Space,
    steps: Steps,
}

impl<'s> Search<'s> {
    fn new(system: &System, space: &'s Space) -> Result<Search<'s>, Reason> {
        let mut steps = Steps::new(system, space)?;
        let first = |step: &Step| space.levels(&step.changed).into_iter().min();
        steps.list.sort_by_key(first);
        info!("{} relations", steps.list.len());
        Ok(Search { space, steps })
    }

    /// Those that change something.
    fn moving(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.steps.list.iter().filter(|step| !step.changed.is_empty())
    }

    /// The reachable states; only some, one of them bad, if there is one.
    fn reachable(&self, bad: &Bdd, config: Config) -> Bdd {
        let mut set = self.steps.initial.clone();
        for round in 1.. {
            let before = set.clone();
            let grow = |set: Bdd, step: &Step| or(&set, &step.image(self.space, &set));
            set = self.moving().fold(set, grow);
            set = self.moving().rev().fold(set, grow);
            info!("round {round}: {} nodes, {:.0} states", set.size(), self.space.count(&set));
            (config.progress)(round);
            if set == before || !and(&set, bad).is_false() {
                break;
            }
        }
        set
    }

    /// The states before one step, of all kinds.
    fn predecessors(&self, set: &Bdd) -> Bdd {
        let none = self.space.constant(false);
        self.steps.list.iter().fold(none, |before, step| or(&before, &step.preimage(self.space, set)))
    }

    fn successors(&self, set: &Bdd) -> Bdd {
        let none = self.space.constant(false);
        self.steps.list.iter().fold(none, |after, step| or(&after, &step.image(self.space, set)))
    }

    /// The states of a set from where others of it are reached within it.
    fn before(&self, mut set: Bdd, within: &Bdd) -> Bdd {
        loop {
            let smaller = set.clone();
            let grow = |set: Bdd, step: &Step| or(&set, &and(within, &step.preimage(self.space, &set)));
            set = self.moving().rev().fold(set, grow);
            set = self.moving().fold(set, grow);
            if set == smaller {
                return set;
            }
        }
    }

    /// A shortest path within a set.
    fn path(&self, from: &Bdd, to: &Bdd, within: &Bdd) -> Option<Path> {
        let mut layers = vec![and(from, within)];
        let mut visited = layers[0].clone();
        let last = loop {
            let last = layers.last().expect("the first one");
            let there = and(last, to);
            if !there.is_false() {
                break self.space.some_state(&there);
            }
            if last.is_false() {
                return None;
            }
            let next = without(&and(&self.successors(last), within), &visited);
            visited = or(&visited, &next);
            layers.push(next);
        };
        let (mut states, mut inputs) = (vec![last], Vec::new());
        for layer in layers.iter().rev().skip(1) {
            let after = &states[states.len() - 1];
            let only = self.space.only(after);
            let before = |step: &Step| and(layer, &step.preimage(self.space, &only));
            let before = self.steps.list.iter().map(before).find(|before| !before.is_false());
            let before = self.space.some_state(&before.expect("a state of the layer before"));
            inputs.push(self.inputs(&before, after));
            states.push(before);
        }
        states.reverse();
        inputs.reverse();
        Some(Path { states, inputs })
    }

    /// The inputs of a step between two states, which there is.
    fn inputs(&self, from: &[Value], to: &[Value]) -> Vec<u32> {
        let only = self.space.only(from);
        let inputs = |step: &Step| {
            let same =
                |(index, (a, b)): (usize, (&Value, &Value))| a == b || step.changed.contains(&VarId(index as u32));
            if !from.iter().zip(to).enumerate().all(same) {
                return None;
            }
            let choices = step.choices(&and(&only, &self.space.are(&step.changed, to, true)));
            if choices.is_false() {
                return None;
            }
            let mut inputs = self.space.some_inputs(&choices);
            inputs[EVENT.0 as usize] = step.event as u32;
            Some(inputs)
        };
        self.steps.list.iter().find_map(inputs).expect("a step")
    }

    /// A run to states of a set and round among them, by accepting ones. From each state of the set others of it with acceptance are reached within it.
    fn lasso(&self, system: &System, set: &Bdd, seen: &Bdd, reachable: &Bdd) -> Trace {
        let expected = "fair states are reachable from fair states";
        let accepting = and(&and(set, seen), &self.predecessors(set));
        let mut run = self.path(&self.steps.initial, &accepting, reachable).expect(expected);
        let mut within = set.clone();
        loop {
            let accepted = run.states[run.states.len() - 1].clone();
            let only = self.space.only(&accepted);
            let start = run.inputs.len();
            let after = and(&self.successors(&only), &within);
            if let Some(round) = self.path(&after, &only, &within) {
                self.extend(&mut run, round);
                return Trace { loop_start: Some(start), ..system.run_from(run.states[0].clone(), &run.inputs) };
            }
            // What is reached from here never comes back, and is fewer.
            within = self.after(after, &within);
            let accepting = and(&accepting, &within);
            let first = and(&self.successors(&only), &within);
            let onward = self.path(&first, &accepting, &within).expect(expected);
            self.extend(&mut run, onward);
        }
    }

    /// Appends a path that begins after a step from the last state.
    fn extend(&self, run: &mut Path, Path { states, inputs }: Path) {
        run.inputs.push(self.inputs(&run.states[run.states.len() - 1], &states[0]));
        run.inputs.extend(inputs);
        run.states.extend(states);
    }

    /// What is reached from states of a set within it.
    fn after(&self, mut set: Bdd, within: &Bdd) -> Bdd {
        loop {
            let smaller = set.clone();
            let grow = |set: Bdd, step: &Step| or(&set, &and(within, &step.image(self.space, &set)));
            set = self.moving().fold(set, grow);
            if set == smaller {
                return set;
            }
        }
    }
}
