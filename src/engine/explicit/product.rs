//! The product of the model's graph and the automaton of one conjunct, breadth first.

use super::Order;
use super::automaton::{Alternative, Atom, Atoms, Automaton};
use super::graph::Graph;
use super::store::Store;
use crate::limits::ticks;
use rustc_hash::FxHashMap;

/// A step of the product.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The node after it.
    pub target: u32,
    /// The edge of the graph.
    pub step: u32,
    /// The set of eventualities that are put off.
    pub postponed: u32,
}

/// A node of the product.
#[derive(Clone, Copy, Debug)]
pub struct ProductState {
    /// The state of the graph.
    pub state: u32,
    /// Which of the receives that the conjunct speaks about were taken in the step before.
    pub received: u32,
    /// The set of obligations.
    pub obligations: u32,
}

/// No edge leads here: the node is initial.
const NONE: u32 = u32::MAX;

/// The product as far as it is known. Nodes are numbered in the order of discovery, so by their
/// distance from the initial ones; the first `expanded` ones have their edges.
#[derive(Debug)]
pub struct Product<'a> {
    automaton: &'a Automaton,
    views: Views,
    nodes: Store,
    /// Per node the edge that it was discovered by.
    parents: Vec<u32>,
    /// Per expanded node its first edge.
    first: Vec<u32>,
    edges: Vec<Edge>,
    obligations: Store,
    postponed: Store,
    /// Per obligations, letter and receives a range of `moves`.
    unfolded: FxHashMap<[u32; 3], (u32, u32)>,
    /// Obligations of the next position, and what is put off.
    moves: Vec<(u32, u32)>,
    /// Per obligations, letter and receives whether the state alone decides.
    satisfied: FxHashMap<[u32; 3], bool>,
    order: Order,
}

/// What one conjunct sees of the atoms.
#[derive(Debug)]
struct Views {
    /// Atoms of state and step, of the state alone, of receives.
    now: Vec<u32>,
    state: Vec<u32>,
    received: Vec<u32>,
    letters: Store,
    receives: Store,
    /// Per valuation its letter and its receives.
    known: Vec<Option<(u32, u32)>>,
}

impl Views {
    fn new(automaton: &Automaton, atoms: &Atoms) -> Views {
        let now = automaton.mask(atoms, |atom| !matches!(atom, Atom::Received(..)));
        let state = automaton.mask(atoms, |atom| matches!(atom, Atom::State(_) | Atom::Received(..)));
        let received = automaton.mask(atoms, |atom| matches!(atom, Atom::Received(..)));
        let mut receives = Store::new(now.len());
        receives.insert(&vec![0; now.len()]);
        Views { letters: Store::new(now.len()), receives, now, state, received, known: Vec::new() }
    }

    /// The letter and the receives of a valuation.
    fn of(&mut self, graph: &Graph, valuation: u32) -> (u32, u32) {
        let index = valuation as usize;
        if self.known.len() <= index {
            self.known.resize(index + 1, None);
        }
        if let Some(known) = self.known[index] {
            return known;
        }
        let masked = |mask: &[u32]| graph.valuation(valuation).iter().zip(mask).map(|(a, b)| a & b).collect::<Vec<_>>();
        let view = (self.letters.insert(&masked(&self.now)), self.receives.insert(&masked(&self.received)));
        self.known[index] = Some(view);
        view
    }

    /// The truth of all atoms that occur.
    fn joined(&self, letter: u32, received: u32) -> Vec<u32> {
        let (letter, received) = (self.letters.get(letter), self.receives.get(received));
        letter.iter().zip(received).map(|(a, b)| a | b).collect()
    }
}

impl<'a> Product<'a> {
    /// The initial nodes only.
    pub fn new(graph: &Graph, automaton: &'a Automaton, atoms: &Atoms, order: Order) -> Product<'a> {
        let mut product = Product {
            automaton,
            views: Views::new(automaton, atoms),
            nodes: Store::new(3),
            parents: Vec::new(),
            first: Vec::new(),
            edges: Vec::new(),
            obligations: Store::new(automaton.set_words()),
            postponed: Store::new(automaton.postponed_words()),
            unfolded: FxHashMap::default(),
            moves: Vec::new(),
            satisfied: FxHashMap::default(),
            order,
        };
        let obligations = product.obligations.insert(&automaton.initial());
        for initial in graph.initial() {
            product.add(ProductState { state: initial.number, received: 0, obligations }, NONE);
        }
        product
    }

    /// The number of nodes that were found.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of nodes whose edges are known.
    pub fn expanded(&self) -> usize {
        self.first.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let edges = self.edges.capacity() * size_of::<Edge>();
        self.nodes.bytes()
            + edges
            + 4 * (self.parents.capacity() + self.first.capacity())
            + 32 * self.unfolded.len()
            + self.sets_bytes()
    }

    fn sets_bytes(&self) -> usize {
        self.obligations.bytes() + self.postponed.bytes() + 8 * self.moves.capacity()
    }

    /// The automaton.
    pub fn automaton(&self) -> &'a Automaton {
        self.automaton
    }

    /// A node.
    pub fn node(&self, number: u32) -> ProductState {
        let [state, received, obligations] = *self.nodes.get(number) else { unreachable!("nodes have three words") };
        ProductState { state, received, obligations }
    }

    /// The edges from a node; none if it is not expanded.
    pub fn edges(&self, node: u32) -> &[Edge] {
        let range = self.edge_range(node);
        &self.edges[range.start as usize..range.end as usize]
    }

    /// The numbers of the edges from a node; none if it is not expanded.
    pub fn edge_range(&self, node: u32) -> std::ops::Range<u32> {
        let start = |node: usize| self.first.get(node).map_or(self.edges.len() as u32, |first| *first);
        start(node as usize)..start(node as usize + 1)
    }

    /// An edge by its number.
    pub fn edge(&self, number: u32) -> Edge {
        self.edges[number as usize]
    }

    /// The node that an edge leaves.
    pub fn source(&self, edge: u32) -> u32 {
        // Every node has an edge or more, or shares its first edge with the node behind it.
        self.first.partition_point(|first| *first <= edge) as u32 - 1
    }

    /// A set of eventualities.
    pub fn postponed(&self, set: u32) -> &[u32] {
        self.postponed.get(set)
    }

    /// The number of sets of obligations.
    pub fn obligation_sets(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.obligations.len() as u32).map(|set| self.obligations.get(set))
    }

    /// The sets of receives, as bits of atoms.
    pub fn receive_sets(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.views.receives.len() as u32).map(|set| self.views.receives.get(set))
    }

    /// The edges of a shortest path from an initial node.
    pub fn stem(&self, node: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut edge = self.parents[node as usize];
        while edge != NONE {
            path.push(edge);
            edge = self.parents[self.source(edge) as usize];
        }
        path.reverse();
        path
    }

    /// Finds the edges of the next node. True if the path to it violates the conjunct already,
    /// however the run goes on.
    pub fn expand(&mut self, graph: &mut Graph) -> bool {
        let number = self.first.len() as u32;
        self.first.push(self.edges.len() as u32);
        let node = self.node(number);
        let steps = graph.successors(node.state);
        let (letter, _) = self.views.of(graph, graph.edge(steps.start).valuation);
        if self.is_decided(node, letter) {
            return true;
        }
        for step in steps {
            let edge = graph.edge(step);
            let (letter, received) = self.views.of(graph, edge.valuation);
            let (start, end) = self.unfold(node, letter);
            ticks((end - start) as usize + 1);
            for index in start..end {
                let (obligations, postponed) = self.moves[index as usize];
                let target =
                    self.add(ProductState { state: edge.target, received, obligations }, self.edges.len() as u32);
                self.edges.push(Edge { target, step, postponed });
            }
        }
        false
    }

    /// The moves from a node's obligations.
    fn unfold(&mut self, node: ProductState, letter: u32) -> (u32, u32) {
        let key = [node.obligations, letter, node.received];
        if let Some(range) = self.unfolded.get(&key) {
            return *range;
        }
        let atoms = self.views.joined(letter, node.received);
        let mut alternatives = self.automaton.unfold(self.obligations.get(node.obligations), &atoms);
        self.order.sort(&mut alternatives);
        let start = self.moves.len() as u32;
        for Alternative { next, postponed } in alternatives {
            self.moves.push((self.obligations.insert(&next), self.postponed.insert(&postponed)));
        }
        let range = (start, self.moves.len() as u32);
        self.unfolded.insert(key, range);
        range
    }

    fn is_decided(&mut self, node: ProductState, letter: u32) -> bool {
        let key = [node.obligations, letter, node.received];
        if let Some(decided) = self.satisfied.get(&key) {
            return *decided;
        }
        let atoms = self.views.joined(letter, node.received);
        let decided = self.automaton.satisfied(self.obligations.get(node.obligations), &atoms, &self.views.state);
        self.satisfied.insert(key, decided);
        decided
    }

    fn add(&mut self, node: ProductState, parent: u32) -> u32 {
        let number = self.nodes.insert(&[node.state, node.received, node.obligations]);
        if number as usize == self.parents.len() {
            self.parents.push(parent);
        }
        number
    }
}
