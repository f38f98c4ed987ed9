//! The order of variables with which diagrams begin: the best one of several, by trying them.

use super::search::Search;
use crate::diagrams::{Space, orders};
use crate::limits::{Limits, Reason, Work, lock};
use crate::ts::system::System;
use crate::ts::term::Leaf;
use std::sync::Mutex;
use tracing::info;

/// How much work is allowed with each order, one time after the other, to find all reachable states.
const UNITS: [u64; 4] = [1 << 14, 1 << 17, 1 << 20, 1 << 22];

/// The least number of nodes at which a better order is looked for; in builds for development so few that tests see it.
const LEAST: usize = if cfg!(debug_assertions) { 100 } else { 4_000 };

/// How many times the nodes with which an order did well there have to be before a better one is looked for.
const GROWTH: usize = if cfg!(debug_assertions) { 1 } else { 4 };

/// An order for the system of a model that did well, for all of its specs; and from how many nodes on a better one is looked for.
#[derive(Debug, Default)]
pub struct KnownOrder(Mutex<Option<(Vec<Leaf>, usize)>>);

impl KnownOrder {
    /// The order for a system, which has the variables of the model, and maybe more.
    pub(super) fn get(&self, system: &System, spare: usize) -> Result<(Vec<Leaf>, usize), Reason> {
        let candidates = orders(system);
        let known = lock(&self.0).clone();
        match known.filter(|(known, _)| is_order(known, &candidates[0])) {
            Some(known) => Ok(known),
            None => best(system, spare, candidates),
        }
    }

    /// An order did well, with so many nodes.
    pub(super) fn set(&self, order: Vec<Leaf>, nodes: usize) {
        *lock(&self.0) = Some((order, LEAST.max(GROWTH * nodes)));
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
