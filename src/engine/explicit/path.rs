//! Accepting loops of the product, and paths as traces of the model.

use super::components::Components;
use super::graph::{Graph, parts};
use super::product::Product;
use super::store::bits;
use crate::claim::Trace;
use crate::claim::symmetry::Renaming;
use crate::model::eval::{Choice, Semantics, State};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The edges of a short loop from the node through its accepting component on which every eventuality
/// is somewhere not put off.
pub fn accepting_loop(product: &Product, components: &Components, start: u32) -> Vec<u32> {
    let mut due: Vec<usize> = (0..product.automaton().eventuality_count()).collect();
    let (mut path, mut node) = (Vec::new(), start);
    while !due.is_empty() {
        let lacks = |edge: u32, index: usize| !bits::get(product.postponed(product.edge(edge).postponed), index);
        let leg = shortest(product, components, node, |edge| due.iter().any(|index| lacks(edge, *index)));
        due.retain(|index| !leg.iter().any(|edge| lacks(*edge, *index)));
        node = leg.last().map_or(node, |edge| product.edge(*edge).target);
        path.extend(leg);
    }
    if path.is_empty() || node != start {
        path.extend(shortest(product, components, node, |edge| product.edge(edge).target == start));
    }
    path
}

/// A shortest path inside the component of a node whose last edge is one that is sought.
///
/// # Panics
/// If there is none: in an accepting component there is.
fn shortest(product: &Product, components: &Components, start: u32, sought: impl Fn(u32) -> bool) -> Vec<u32> {
    let component = components.of(start);
    let mut parents: FxHashMap<u32, u32> = FxHashMap::default();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for edge in product.edge_range(node) {
            let target = product.edge(edge).target;
            if components.of(target) != component {
                continue;
            }
            if sought(edge) {
                return back(product, &parents, start, edge);
            }
            if target != start && !parents.contains_key(&target) {
                parents.insert(target, edge);
                queue.push_back(target);
            }
        }
    }
    unreachable!("the component has such an edge")
}

/// The path from the start that ends with an edge.
fn back(product: &Product, parents: &FxHashMap<u32, u32>, start: u32, last: u32) -> Vec<u32> {
    let (mut path, mut node) = (vec![last], product.source(last));
    while node != start {
        let edge = parents[&node];
        path.push(edge);
        node = product.source(edge);
    }
    path.reverse();
    path
}

/// The same run with a loop that starts as early as possible: as long as the step before the loop is
/// also its last one, the loop may start with it. Obligations differ there, but states do not.
pub fn rolled(product: &Product, mut path: Vec<u32>, mut loop_start: usize) -> (Vec<u32>, usize) {
    let step = |edge: u32| product.edge(edge).step;
    while loop_start > 0 && step(path[loop_start - 1]) == step(path[path.len() - 1]) {
        path.pop();
        loop_start -= 1;
    }
    (path, loop_start)
}

/// A path of the product from an initial node, as a run of the model.
///
/// Where the graph is one of orbits, the run is made state by state: of the state of the model at hand, its
/// renaming to the state of the path is known, and with it the choice that the path's is the image of. A loop may
/// close up to a renaming only; its repetitions then go through the images of its states, of which there are
/// finitely many, until the first one is back.
pub fn trace(
    semantics: &Semantics,
    graph: &Graph,
    product: &Product,
    path: &[u32],
    first: u32,
    loop_start: Option<usize>,
) -> Trace {
    let state = product.node(first).state;
    let initial = graph.initial().iter().find(|initial| initial.number == state).expect("paths begin there");
    let mut run = Unfolding {
        semantics,
        graph,
        product,
        state: initial.state.clone(),
        renaming: graph.initial_renaming(initial),
        choices: Vec::new(),
    };
    let (stem, again) = path.split_at(loop_start.unwrap_or(path.len()));
    run.follow(stem);
    if loop_start.is_some() {
        let head = run.state.clone();
        run.follow(again);
        while !graph.agree(&run.state, &head) {
            run.follow(again);
        }
    }
    Trace { initial: parts(semantics, &initial.state), choices: run.choices, loop_start }
}

/// A run of the model along a path of the graph.
struct Unfolding<'a> {
    semantics: &'a Semantics<'a>,
    graph: &'a Graph<'a>,
    product: &'a Product<'a>,
    state: State,
    /// Makes `state` the state of the graph.
    renaming: Renaming,
    choices: Vec<Choice>,
}

impl Unfolding<'_> {
    fn follow(&mut self, path: &[u32]) {
        let model = self.semantics.model();
        for edge in path {
            let source = self.product.node(self.product.source(*edge)).state;
            let edge = self.graph.edge(self.product.edge(*edge).step);
            let choice = self.renaming.inverse().choice(model, &self.graph.choice(source, edge));
            let step = self.semantics.apply(&self.state, &choice).expect("symmetries map steps to steps");
            self.state = step.target;
            self.choices.push(choice);
            self.renaming = self.renaming.then(&self.graph.edge_renaming(source, edge));
        }
    }
}
