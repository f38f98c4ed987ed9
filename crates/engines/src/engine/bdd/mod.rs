//! Reachability on decision diagrams, for safety of finite systems ([`crate::diagrams`]); [`branching`] has path quantifiers and
//! knowledge.
//!
//! Burch, Clarke, McMillan, Dill, Hwang, *Symbolic model checking: 10^20 states and beyond* (Information and Computation,
//! 1992). The reachable states grow by one event at a time, from what all others have added (chaining: Roig, Cortadella, Pastor,
//! *Verification of asynchronous circuits by BDD-based model checking of Petri nets*, ICATPN 1995). They are an inductive invariant.
//!
//! Tried and dropped: layers of states from which acceptance is seen at most n times, as a claim for the counter of
//! k-liveness. For Dijkstra's ring of 5 there were 25 layers of 400 nodes, and their check, from one layer to the next,
//! did not end.

pub mod branching;
mod cycles;
mod evidence;
mod lasso;
mod product;
mod search;
mod witness;

use super::{Config, Engine, Prover, SafetyQuestion};
use crate::claim::{Invariant, SafetyClaim};
use crate::diagrams::{Compiler, Space, and, order};
use crate::limits::Reason;
use search::Search;

/// The most nodes of a set that is claimed: the check of larger ones takes too long (2,268 in vain, 458 in a second).
const MOST_NODES: usize = 2000;

/// The engine.
pub struct Diagrams;

impl Prover for Diagrams {
    fn engine(&self) -> Engine {
        Engine::Bdd
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim {
        safety(question, config).unwrap_or_else(SafetyClaim::Unknown)
    }
}

fn safety(SafetyQuestion { system, bad, .. }: SafetyQuestion, config: Config) -> Result<SafetyClaim, Reason> {
    let space = Space::new(system, &order(system))?;
    let bad = Compiler::new(&space).truth(system.terms(), bad)?;
    let search = Search::new(system, &space)?;
    let reachable = search.reachable(&bad, config.progress);
    if !and(&reachable, &bad).is_false() {
        let way = search.way(&search.steps.initial, &space.constant(true), &bad).expect("a bad state is reachable");
        return Ok(SafetyClaim::Reached(Some(system.run_from(way.states[0].clone(), &way.inputs))));
    }
    if reachable.size() > MOST_NODES {
        let words = format!("the invariant has {} nodes, too many to be checked", reachable.size());
        return Err(Reason::Engine(words));
    }
    let mut terms = system.terms().clone();
    let clauses = vec![space.term(system, &mut terms, &reachable)];
    Ok(SafetyClaim::Unreachable(Invariant { terms, clauses, k: 1 }))
}
