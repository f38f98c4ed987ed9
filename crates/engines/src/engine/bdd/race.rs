//! The order of variables with which diagrams begin: the best one of several, by trying them.

use super::search::Search;
use crate::diagrams::{Space, orders};
use crate::limits::{Limits, Reason, Work, lock};
use crate::ts::system::System;
use crate::ts::term::Leaf;
use std::sync::Mutex;
use tracing::info;

/// How much work is allowed with each order, one time after the other, to find all reachable states.
const UNITS: [u64; 2] = [1 << 14, 1 << 17];

/// An order for the system of a model that did well, for all of its specs.
#[derive(Debug, Default)]
pub struct KnownOrder(Mutex<Option<Vec<Leaf>>>);

impl KnownOrder {
    /// The order for a system, which has the variables of the model, and maybe more.
    pub(super) fn get(&self, system: &System, spare: usize) -> Result<Vec<Leaf>, Reason> {
        let candidates = orders(system);
        let known = lock(&self.0).clone();
        match known.filter(|known| is_order(known, &candidates[0])) {
            Some(known) => Ok(known),
            None => best(system, spare, candidates),
        }
    }

    /// An order did well.
    pub(super) fn set(&self, order: Vec<Leaf>) {
        *lock(&self.0) = Some(order);
    }
}

/// True if an order has all leaves of another one, and no others.
fn is_order(order: &[Leaf], other: &[Leaf]) -> bool {
    order.len() == other.len() && other.iter().all(|leaf| order.contains(leaf))
}

/// The order that takes the fewest nodes of those that take little work; the first one if none does.
fn best(system: &System, spare: usize, mut candidates: Vec<Vec<Leaf>>) -> Result<Vec<Leaf>, Reason> {
    if candidates.len() == 1 {
        return Ok(candidates.remove(0));
    }
    for units in UNITS {
        let mut best: Option<(usize, Vec<Leaf>)> = None;
        for (number, candidate) in candidates.iter().enumerate() {
            let space = Space::with_spare(system, candidate, spare)?;
            let limits = Limits { work: vec![Work::new(units)], ..Limits::default() };
            let tried = limits.within(|| {
                let search = Search::new(system, &space)?;
                // It counts with what is held.
                let _states = search.reachable(&|_| {});
                Ok::<usize, Reason>(space.size())
            });
            // Other limits end the next one, too.
            let Ok(done) = tried else { continue };
            let size = done?;
            info!("order {number}: {size} nodes");
            if best.as_ref().is_none_or(|(fewest, _)| size < *fewest) {
                let mut order = candidate.clone();
                space.sort(&mut order);
                best = Some((size, order));
            }
        }
        if let Some((_, order)) = best {
            return Ok(order);
        }
    }
    Ok(candidates.remove(0))
}
