//! The order of variables with which diagrams begin: the best one of several, by trying them. Specs of a model share it, and the
//! reachable states.

use super::search::Search;
use crate::claim::diagrams::Root;
use crate::diagrams::{Nodes, Set, Space, orders};
use crate::limits::{Limits, Reason, Work, lock};
use crate::model::{EdgeId, InstanceId};
use crate::ts::system::System;
use crate::ts::term::Leaf;
use std::sync::{Arc, Mutex};
use tracing::info;

/// How much work is allowed with each order, one time after the other, to find all reachable states.
const UNITS: [u64; 4] = [1 << 14, 1 << 17, 1 << 20, 1 << 22];

/// The least number of nodes at which a better order is looked for; in builds for development so few that tests see it.
const LEAST: usize = if cfg!(debug_assertions) { 100 } else { 4_000 };

/// How many times the nodes with which an order did well there have to be before a better one is looked for.
const GROWTH: usize = if cfg!(debug_assertions) { 1 } else { 4 };

/// The findings of diagrams for one spec of a model, for all others.
#[derive(Debug, Default)]
pub struct Found(Mutex<Option<Arc<Reached>>>);

/// An order for the system of a model that did well, and the reachable states.
#[derive(Debug)]
pub(super) struct Reached {
    order: Vec<Leaf>,
    patience: usize,
    /// The receives that states remember.
    receives: Vec<(InstanceId, EdgeId)>,
    nodes: Vec<[u32; 3]>,
    states: Root,
}

/// With what diagrams begin.
pub(super) struct Start {
    /// The order of variables and inputs.
    pub order: Vec<Leaf>,
    /// From how many nodes on a better one is looked for.
    pub patience: usize,
    reached: Option<Arc<Reached>>,
}

impl Start {
    /// The reachable states, if they are known, in a space with the order.
    pub fn states(&self, space: &Space) -> Option<Set> {
        self.reached.as_ref().map(|reached| space.set_of(&reached.nodes, reached.states))
    }
}

impl Found {
    /// The beginning for a system, which has the variables of the model, and some that remember these receives.
    pub(super) fn start(
        &self,
        system: &System,
        receives: &[(InstanceId, EdgeId)],
        spare: usize,
    ) -> Result<Start, Reason> {
        let candidates = orders(system);
        let known = lock(&self.0).clone().filter(|known| is_order(&known.order, &candidates[0]));
        let Some(known) = known else {
            let (order, patience) = best(system, spare, candidates)?;
            return Ok(Start { order, patience, reached: None });
        };
        let (order, patience) = (known.order.clone(), known.patience);
        Ok(Start { order, patience, reached: (known.receives == receives).then_some(known) })
    }

    /// All reachable states were found, with these variables and inputs, which now have the order of the space.
    pub(super) fn set(&self, leaves: &[Leaf], receives: &[(InstanceId, EdgeId)], space: &Space, states: &Set) {
        let (mut order, receives) = (leaves.to_vec(), receives.to_vec());
        space.sort(&mut order);
        let mut nodes = Nodes::default();
        let states = nodes.root(states);
        let (patience, nodes) = (LEAST.max(GROWTH * space.size()), nodes.into_list());
        *lock(&self.0) = Some(Arc::new(Reached { order, patience, receives, nodes, states }));
    }
}

/// True if an order has all leaves of another one, and no others.
fn is_order(order: &[Leaf], other: &[Leaf]) -> bool {
    order.len() == other.len() && other.iter().all(|leaf| order.contains(leaf))
}

/// The order with the fewest nodes of those that take little work; if none does, of those with which there are relations at least; else the first one.
fn best(system: &System, spare: usize, mut candidates: Vec<Vec<Leaf>>) -> Result<(Vec<Leaf>, usize), Reason> {
    let rounds = if candidates.len() > 1 { &UNITS[..] } else { &[] };
    let (mut nodes, mut winner) = (0, 0);
    for units in rounds {
        // Nodes and numbers of orders with which all states were found, and the relations.
        let (mut ends, mut begins): (Vec<(usize, usize)>, Vec<_>) = Default::default();
        for (number, candidate) in candidates.iter().enumerate() {
            let space = Space::with_spare(system, candidate, spare)?;
            let limits = Limits { work: vec![Work::new(*units)], ..Limits::default() };
            let tried = limits.within(|| {
                let search = Search::new(system, &space)?;
                begins.push((space.size(), number));
                // It counts with the others that are held.
                let _states = search.reachable(&|_| {});
                Ok::<usize, Reason>(space.size())
            });
            // Other limits end the next one, too.
            let Ok(done) = tried else { continue };
            let size = done?;
            info!("order {number}: {size} nodes");
            ends.push((size, number));
        }
        if let Some(best) = ends.iter().chain(begins.iter().filter(|_| ends.is_empty())).min() {
            (nodes, winner) = *best;
        }
        if !ends.is_empty() {
            break;
        }
    }
    Ok((candidates.swap_remove(winner), LEAST.max(GROWTH * nodes)))
}
