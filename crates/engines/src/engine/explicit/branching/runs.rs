//! From which states some run makes a formula false: the product of the graph with an automaton, begun in many states.

use super::super::Config;
use super::super::automaton::{Alternative, Automaton};
use super::super::components::Components;
use super::super::edges::Edges;
use super::super::path::accepting_loop;
use super::super::product::{Link, ranks, receives};
use super::graph::Graph;
use crate::claim::explicit::{ClosedSet, Incomplete, Members, Rank, Ranks, Why, WitnessLoop, Witnesses};
use crate::limits::ticks;
use crate::model::eval::tables::{Fact, Facts};
use crate::records::{Layout, Records, bits};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// A node of the product: a state, what was received in the step to it, and obligations.
type ProductNode = (u32, u32, u32);

/// The product of the runs that a search follows with an automaton.
pub struct Runs<'a> {
    graph: &'a Graph<'a, 'a>,
    automaton: &'a Automaton,
    views: LetterViews,
    /// The states in which runs begin.
    starts: Vec<u32>,
    nodes: Vec<ProductNode>,
    index: FxHashMap<ProductNode, u32>,
    edges: Edges,
    received: Records,
    obligations: Records,
    marks: Records,
    /// Per set of obligations and letter what may follow: obligations and marks.
    unfolded: FxHashMap<(u32, u32), Vec<(u32, u32)>>,
    /// True if an accepting run leads on from a node.
    good: Vec<bool>,
    /// Such runs.
    witnesses: Witnesses,
    components: Option<Components>,
}

/// A run: steps, each given by the state that it leaves and its number there.
pub struct Route {
    /// Its beginning.
    pub stem: Vec<(u32, usize)>,
    /// The part that repeats for ever; without, it goes on somehow.
    pub again: Vec<(u32, usize)>,
    /// The state in which its beginning ends.
    pub end: u32,
}

/// Letters as the automaton reads them.
struct LetterViews {
    /// Which facts about a state and the step from there it reads, and which about the step before.
    now: Vec<u64>,
    receives: Vec<u64>,
    /// Those that a state and the step before decide.
    known: Vec<u64>,
    /// The bits of branching formulas, with their labels.
    letters: Records,
}

impl<'a> Runs<'a> {
    /// Of runs that begin in some states. `branching` says which branching formula a fact is.
    pub fn new(
        graph: &'a Graph<'a, 'a>,
        facts: &Facts,
        automaton: &'a Automaton,
        labels: &[(usize, &[bool])],
        starts: impl Iterator<Item = u32>,
        config: &Config,
    ) -> Result<Runs<'a>, Incomplete> {
        let width = bits::words(facts.list().len());
        let views = LetterViews {
            now: automaton.mask(facts, |fact| !matches!(fact, Fact::Received(..))),
            receives: automaton.mask(facts, |fact| matches!(fact, Fact::Received(..))),
            known: automaton.mask(facts, |fact| !matches!(fact, Fact::Performed(..) | Fact::Observed(_))),
            letters: Records::new(width),
        };
        let mut runs = Runs {
            graph,
            automaton,
            views,
            starts: starts.collect(),
            nodes: Vec::new(),
            index: FxHashMap::default(),
            edges: Edges::default(),
            received: Records::new(width),
            obligations: Records::new(automaton.set_words()),
            marks: Records::new(automaton.marks().width()),
            unfolded: FxHashMap::default(),
            good: Vec::new(),
            witnesses: Witnesses::default(),
            components: None,
        };
        let nothing = runs.received.insert(&vec![0; width]);
        let initial = runs.obligations.insert(&automaton.initial());
        for index in 0..runs.starts.len() {
            runs.add((runs.starts[index], nothing, initial));
        }
        runs.expand(labels, config)?;
        runs.find_good();
        Ok(runs)
    }

    fn add(&mut self, node: ProductNode) -> u32 {
        *self.index.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }

    fn expand(&mut self, labels: &[(usize, &[bool])], config: &Config) -> Result<(), Incomplete> {
        let graph = self.graph;
        let mut next = 0;
        while next < self.nodes.len() {
            if next.is_multiple_of(1 << 10) {
                let bytes = 40 * self.nodes.len() + self.edges.bytes() + graph.bytes();
                config.check(self.nodes.len(), bytes)?;
            }
            let node = self.nodes[next];
            self.edges.open();
            for (target, step) in graph.steps(node.0) {
                for (after, marks) in self.after(node, target, step, labels) {
                    let after = self.add(after);
                    self.edges.add(after, marks);
                }
            }
            next += 1;
        }
        Ok(())
    }

    /// The nodes behind a step from a node, with marks.
    fn after(
        &mut self,
        node: ProductNode,
        target: u32,
        step: &[u64],
        labels: &[(usize, &[bool])],
    ) -> Vec<(ProductNode, u32)> {
        let (state, received, obligations) = node;
        let LetterViews { now, receives, letters, .. } = &mut self.views;
        let mut letter: Vec<u64> = self.graph.facts(state).to_vec();
        letter.iter_mut().zip(step).for_each(|(all, some)| *all |= some);
        labels.iter().filter(|(_, label)| label[state as usize]).for_each(|(bit, _)| bits::set(&mut letter, *bit));
        letter.iter_mut().zip(&*now).for_each(|(all, mask)| *all &= mask);
        letter.iter_mut().zip(self.received.get(received)).for_each(|(all, some)| *all |= some);
        let letter = letters.insert(&letter);
        let of_step: Vec<u64> = step.iter().zip(receives).map(|(all, mask)| all & *mask).collect();
        let received = self.received.insert(&of_step);
        if !self.unfolded.contains_key(&(obligations, letter)) {
            let set = self.obligations.get(obligations).to_vec();
            let alternatives = self.automaton.unfold(&set, self.views.letters.get(letter));
            ticks(alternatives.len() + 1);
            let known = alternatives
                .into_iter()
                .map(|Alternative { next, marks }| (self.obligations.insert(&next), self.marks.insert(&marks)));
            let known = known.collect();
            self.unfolded.insert((obligations, letter), known);
        }
        let unfolded = &self.unfolded[&(obligations, letter)];
        unfolded.iter().map(|(next, marks)| ((target, received, *next), *marks)).collect()
    }

    /// Finds from where accepting components are reached: the nodes on a loop through each of them, and backwards from there
    /// all others, each with the next one on the way.
    fn find_good(&mut self) {
        let components = Components::new(self.nodes.len(), &self.edges, &self.marks, self.automaton.marks());
        let loops = self.loops(&components);
        // The order of nodes says nothing: so backwards, edge by edge.
        let mut first = vec![0u32; self.nodes.len() + 2];
        for edge in 0..self.edges.len() as u32 {
            first[self.edges.target(edge) as usize + 2] += 1;
        }
        (2..first.len()).for_each(|at| first[at] += first[at - 1]);
        let mut sources = vec![0u32; self.edges.len()];
        for node in 0..self.nodes.len() as u32 {
            for edge in self.edges.of(node) {
                let place = &mut first[self.edges.target(edge) as usize + 1];
                sources[*place as usize] = node;
                *place += 1;
            }
        }
        self.good = vec![false; self.nodes.len()];
        let mut open: Vec<u32> = loops.iter().flat_map(|it| &it.members).copied().collect();
        open.iter().for_each(|node| self.good[*node as usize] = true);
        let mut next = Vec::new();
        while let Some(node) = open.pop() {
            ticks(1);
            let range = first[node as usize] as usize..first[node as usize + 1] as usize;
            for source in &sources[range] {
                if !std::mem::replace(&mut self.good[*source as usize], true) {
                    next.push((*source, node));
                    open.push(*source);
                }
            }
        }
        next.sort_unstable();
        self.witnesses = Witnesses { next, loops };
        self.components = Some(components);
    }

    /// A loop through each accepting component.
    fn loops(&self, components: &Components) -> Vec<WitnessLoop> {
        let mut loops = BTreeMap::new();
        for node in components.accepting() {
            loops.entry(components.of(node)).or_insert_with(|| {
                let links = accepting_loop(&self.marks, &self.edges, components, node);
                let members = links.iter().map(|link| link.from).collect();
                let refused = components.refused(node).map(|condition| self.automaton.condition(condition));
                WitnessLoop { members, refused: refused.collect() }
            });
        }
        loops.into_values().collect()
    }

    /// Why some runs make the formula false, and others do not: all nodes, with ranks where none does, and witnesses where
    /// one does.
    pub fn evidence(&self, facts: &[Fact]) -> ClosedSet {
        let components = self.components.as_ref().expect("they were found");
        let (mut ranks, mut reasons) = ranks(self.automaton, components);
        // Where a run leads to an accepting component, whatever the own one is.
        let witnessed = ranks.len() as u32;
        ranks.push(Rank { within: None, order: u32::MAX, why: reasons.len() as u32 });
        reasons.push(Why::Witnessed);
        let rank = |node: u32| if self.good[node as usize] { witnessed } else { components.entry(node) };
        let of_members = Ranks::Each((0..self.nodes.len() as u32).map(rank).collect());
        let sets = [self.graph.len(), self.received.len(), self.obligations.len()];
        let layout = Layout::up_to(&sets.map(|count| count.saturating_sub(1) as u32));
        let (mut members, mut record) = (Records::new(layout.width()), Vec::new());
        for (state, received, obligations) in &self.nodes {
            layout.pack(&[*state, *received, *obligations], &mut record).expect("there is room for all numbers");
            members.insert(&record);
        }
        ClosedSet {
            graph: 0,
            received: self.received.iter().map(|set| receives(facts, set)).collect(),
            obligations: self.obligations.iter().map(|set| self.automaton.obligations(set)).collect(),
            reasons,
            ranks,
            members: Members::new(layout, members, of_members),
            witnesses: self.witnesses.clone(),
        }
    }

    /// The node at which runs from a state begin.
    fn start(&self, state: u32) -> Option<u32> {
        self.index.get(&(state, 0, 0)).copied()
    }

    /// The states at which runs begin that make it false.
    pub fn starts(&self) -> Vec<u32> {
        self.starts.iter().copied().filter(|state| self.some(*state)).collect()
    }

    /// True if some run from a state makes the formula false.
    pub fn some(&self, state: u32) -> bool {
        self.start(state).is_some_and(|node| self.good[node as usize])
    }

    /// Which states lie on such runs.
    pub fn states_on_runs(&self) -> Vec<bool> {
        let mut on_runs = vec![false; self.graph.len()];
        let good = self.nodes.iter().zip(&self.good).filter(|(_, good)| **good);
        good.for_each(|(node, _)| on_runs[node.0 as usize] = true);
        on_runs
    }

    /// Such a run from the nearest of some states. If a beginning is enough, it ends where it is clear that the formula is
    /// false however it goes on.
    pub fn route(
        &mut self,
        starts: impl Iterator<Item = u32>,
        labels: &[(usize, &[bool])],
        beginning: bool,
    ) -> Option<Route> {
        let components = self.components.as_ref()?;
        let mut parents: FxHashMap<u32, Option<(u32, u32)>> = FxHashMap::default();
        let mut queue: VecDeque<u32> = starts.filter_map(|state| self.start(state)).collect();
        parents.extend(queue.iter().map(|node| (*node, None)));
        let mut entry = None;
        while let Some(node) = queue.pop_front() {
            if beginning && self.is_decided(node, labels) {
                entry = Some((node, false));
                break;
            }
            if components.is_accepting(node) && (!beginning || entry.is_none()) {
                entry = Some((node, true));
                if !beginning {
                    break;
                }
            }
            for edge in self.edges.of(node).filter(|edge| self.good[self.edges.target(*edge) as usize]) {
                let target = self.edges.target(edge);
                parents.entry(target).or_insert_with(|| {
                    queue.push_back(target);
                    Some((node, edge))
                });
            }
        }
        let (entry, loops) = entry?;
        let again = if loops { accepting_loop(&self.marks, &self.edges, components, entry) } else { Vec::new() };
        let (mut stem, mut at) = (Vec::new(), entry);
        while let Some((before, edge)) = parents[&at] {
            stem.push(Link { from: before, to: at, marks: Some(self.edges.marks(edge)) });
            at = before;
        }
        stem.reverse();
        let [stem, again] = [stem, again].map(|links| links.iter().map(|link| self.step(link, labels)).collect());
        Some(Route { stem, again, end: self.nodes[entry as usize].0 })
    }

    /// True if what is true of the state of a node and of what was received meets all its obligations, whatever comes.
    fn is_decided(&self, node: u32, labels: &[(usize, &[bool])]) -> bool {
        let (state, received, obligations) = self.nodes[node as usize];
        let mut letter = self.graph.facts(state).to_vec();
        labels.iter().filter(|(_, label)| label[state as usize]).for_each(|(bit, _)| bits::set(&mut letter, *bit));
        letter.iter_mut().zip(self.received.get(received)).for_each(|(all, some)| *all |= some);
        self.automaton.satisfied(self.obligations.get(obligations), &letter, &self.views.known)
    }

    /// A step of the graph that an edge of the product is.
    fn step(&mut self, link: &Link, labels: &[(usize, &[bool])]) -> (u32, usize) {
        let (from, to) = (self.nodes[link.from as usize], self.nodes[link.to as usize]);
        let graph = self.graph;
        let found = graph.steps(from.0).enumerate().find(|(_, (target, step))| {
            let after = |node: &mut Self| node.after(from, *target, step, labels);
            *target == to.0
                && after(self).iter().any(|(node, marks)| *node == to && link.marks.is_none_or(|it| it == *marks))
        });
        let (step, _) = found.expect("the edge comes from a step");
        (from.0, step)
    }
}
