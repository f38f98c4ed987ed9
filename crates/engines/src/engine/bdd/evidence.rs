//! The evidence of sets: their nodes, each once.

use super::branching::Judge;
use super::product::{Layers, Solution};
use crate::claim::diagrams::{Diagrams, Layer, RankSet, RunSets};
use crate::diagrams::{Nodes, Set};
use crate::ts::term::{InputId, Leaf, VarId};
use std::sync::Arc;

impl Nodes {
    fn layers(&mut self, layers: &Layers) -> Vec<Layer> {
        layers.iter().map(|(event, set)| Layer { event: *event as u32, set: self.root(set) }).collect()
    }

    fn runs(&mut self, solution: &Solution) -> RunSets {
        let rank = |(set, pending): &(Set, Option<u32>)| RankSet { set: self.root(set), pending: *pending };
        RunSets {
            ranks: solution.ranks.iter().map(rank).collect(),
            closed: solution.closed.iter().map(|set| self.root(set)).collect(),
            none: self.root(&solution.none),
            some: self.root(&solution.some),
            approaches: solution.approaches.iter().map(|layers| self.layers(layers)).collect(),
            visited: self.layers(&solution.visited),
        }
    }
}

/// The evidence for labels and for conjuncts.
pub fn evidence(judge: &Judge, conjuncts: &[Solution]) -> Arc<Diagrams> {
    let (system, space) = (&judge.system, judge.search.space);
    let mut nodes = Nodes::default();
    let number = |leaf: Leaf| match leaf {
        Leaf::Var(VarId(id)) => id,
        Leaf::Input(InputId(id)) => system.variables().len() as u32 + id,
    };
    // The places at the end: nodes have these.
    let mut order = judge.order.clone();
    space.sort(&mut order);
    let formulas = judge.solutions.iter().map(|solution| solution.as_ref().map(|solution| nodes.runs(solution)));
    let formulas = formulas.collect();
    let ranks = judge.ranks.iter().map(|sets| sets.iter().map(|set| nodes.root(set)).collect());
    let games = if judge.ranks.iter().all(Vec::is_empty) { Vec::new() } else { ranks.collect() };
    let conjuncts = conjuncts.iter().map(|solution| nodes.runs(solution)).collect();
    let (states, reached) = (nodes.root(&judge.reachable), nodes.layers(&judge.reached));
    Arc::new(Diagrams {
        values: system.var_ids().map(|id| space.bits(Leaf::Var(id)).values.clone()).collect(),
        order: order.into_iter().map(number).collect(),
        nodes: nodes.into_list(),
        states,
        reached,
        formulas,
        games,
        conjuncts,
    })
}
