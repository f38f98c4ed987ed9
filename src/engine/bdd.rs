//! Reachability on decision diagrams, for safety of finite systems ([`crate::diagrams`]).
//!
//! Burch, Clarke, McMillan, Dill, Hwang, *Symbolic model checking: 10^20 states and beyond* (Information and Computation,
//! 1992). The reachable states grow by one event at a time, from what all others have added (chaining: Roig, Cortadella, Pastor,
//! *Verification of asynchronous circuits by BDD-based model checking of Petri nets*, ICATPN 1995). They are an inductive invariant.

use super::{Config, Engine, Prover, SafetyQuestion};
use crate::claim::{Invariant, SafetyClaim};
use crate::diagrams::{Compiler, Space, Step, Steps, and, or, order, without};
use crate::limits::Reason;
use crate::model::Value;
use crate::ts::system::{EVENT, System};
use crate::ts::term::VarId;
use biodivine_lib_bdd::Bdd;
use tracing::info;

/// The most nodes of a set that is claimed: the check of larger ones takes too long (2,268 in vain, 458 in a second).
const MOST_NODES: usize = 2000;

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
        let (start, inputs) = search.path(&bad);
        return Ok(SafetyClaim::Reached(Some(system.run_from(start, &inputs))));
    }
    if reachable.size() > MOST_NODES {
        let words = format!("the invariant has {} nodes, too many to be checked", reachable.size());
        return Err(Reason::Engine(words));
    }
    let mut terms = system.terms().clone();
    let clauses = vec![space.term(system, &mut terms, &reachable)];
    Ok(SafetyClaim::Unreachable(Invariant { terms, clauses, k: 1 }))
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

    fn successors(&self, set: &Bdd) -> Bdd {
        let none = self.space.constant(false);
        self.steps.list.iter().fold(none, |after, step| or(&after, &step.image(self.space, set)))
    }

    /// A shortest path to bad states, some of which are reachable: its first state, and the inputs of its steps.
    fn path(&self, bad: &Bdd) -> (Vec<Value>, Vec<Vec<u32>>) {
        let mut layers = vec![self.steps.initial.clone()];
        let mut visited = layers[0].clone();
        let last = loop {
            let last = layers.last().expect("the first one");
            let there = and(last, bad);
            if !there.is_false() {
                break self.space.some_state(&there);
            }
            let next = without(&self.successors(last), &visited);
            visited = or(&visited, &next);
            layers.push(next);
        };
        let (mut after, mut inputs) = (last, Vec::new());
        for layer in layers.iter().rev().skip(1) {
            let only = self.space.only(&after);
            let before = |step: &Step| and(layer, &step.preimage(self.space, &only));
            let before = self.steps.list.iter().map(before).find(|before| !before.is_false());
            let before = self.space.some_state(&before.expect("a state of the layer before"));
            inputs.push(self.inputs(&before, &after));
            after = before;
        }
        inputs.reverse();
        (after, inputs)
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
}
