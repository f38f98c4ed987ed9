//! The product of the model's states and the automaton of one conjunct, breadth first.
//!
//! Records are as narrow as the numbers known so far allow, and are packed again when one does not fit. Edges are kept
//! only where something has to hold for ever; steps of counterexamples are found again. The records are also the claim,
//! so that nothing is copied, and the memory limit covers search and check.

use super::Config;
use super::automaton::{Alternative, Automaton};
use super::components::{Components, Marks, Reason};
use super::edges::Edges;
use super::expansion::{Expansion, NodeSteps, Wanted};
use super::permutation::Permutation;
use super::states::States;
use crate::claim::explicit::{ClosedSet, Members, Rank, Ranks, Why, Witnesses};
use crate::limits::ticks;
use crate::model::EdgeId;
use crate::model::InstanceId;
use crate::model::eval::Choice;
use crate::model::eval::tables::{Fact, Facts};
use crate::records::{Layout, Records, bits, list_bytes};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// No node was before it: it is initial.
const NONE: u32 = u32::MAX;

/// The product as far as it is known. A node is a row of local states, the receives that the conjunct speaks about and
/// that were taken in the step before, and a set of obligations, packed into a record. Nodes are numbered in the order of
/// discovery, so by their distance from the initial ones.
#[derive(Debug)]
pub struct Product<'a> {
    automaton: &'a Automaton,
    views: FactViews,
    cells: usize,
    layout: Arc<Layout>,
    nodes: Records,
    /// Per node the one from which it was discovered.
    parents: Vec<u32>,
    expanded: usize,
    /// Unless every violation has a finite prefix that shows it.
    edges: Option<Edges>,
    obligations: Records,
    /// The meaning of the sets of marks of edges, and the sets.
    kind: Marks,
    marks: Records,
    /// Per set of marks, without a movement of conditions, and movement the set with it.
    moved: FxHashMap<(u32, Permutation), u32>,
    wanted: Wanted,
    /// Per obligations, letter and receives.
    unfolded: FxHashMap<[u32; 3], KnownMoves>,
    /// Obligations of the next position, and the marks of the edge.
    moves: Vec<(u32, u32)>,
    work: Work,
}

/// The moves that obligations allow under a letter, as a range, and whether the state alone decides.
#[derive(Clone, Copy, Debug)]
struct KnownMoves {
    decided: bool,
    start: u32,
    end: u32,
}

/// The parts of the facts that one conjunct sees.
#[derive(Debug)]
struct FactViews {
    /// Facts of state and step, of the state alone, of receives.
    now: Vec<u64>,
    state: Vec<u64>,
    received: Vec<u64>,
    letters: Records,
    receives: Records,
    /// Per letter of a state and of a step the letter of both, and the receives.
    joined: FxHashMap<(u32, u32), (u32, u32)>,
}

/// Space for one node after the other.
#[derive(Debug, Default)]
struct Work {
    single: Expansion,
    /// Of the edges of a node the records of the targets, their numbers, and their marks.
    targets: Vec<u64>,
    found: Vec<u32>,
    marks: Vec<u32>,
    record: Vec<u64>,
    numbers: Vec<u32>,
}

/// A number does not fit into its field any more, so the node has to be expanded again.
struct Wider;

/// A step between two nodes.
pub struct Link {
    /// The node that it leaves.
    pub from: u32,
    /// The node that it enters.
    pub to: u32,
    /// The marks of the edge, if they matter.
    pub marks: Option<u32>,
}

/// A step of the product as one of the model.
pub struct Hop {
    /// The row that it leaves.
    pub source: Vec<u32>,
    /// The choice of the step.
    pub choice: Choice,
    /// The generators that make the row after it the one of the product.
    pub word: Vec<u32>,
}

impl FactViews {
    fn new(automaton: &Automaton, facts: &Facts) -> FactViews {
        let now = automaton.mask(facts, |fact| !matches!(fact, Fact::Received(..)));
        let state = automaton.mask(facts, |fact| matches!(fact, Fact::State(_)));
        let received = automaton.mask(facts, |fact| matches!(fact, Fact::Received(..)));
        let mut receives = Records::new(now.len());
        receives.insert(&vec![0; now.len()]);
        FactViews { letters: Records::new(now.len()), receives, now, state, received, joined: FxHashMap::default() }
    }

    /// The letter and the receives of a step whose facts are these.
    fn of(&mut self, letter: u32, step: u32, facts: &[u64]) -> (u32, u32) {
        if let Some(known) = self.joined.get(&(letter, step)) {
            return *known;
        }
        let base = self.letters.get(letter).to_vec();
        let now: Vec<u64> =
            base.iter().zip(facts).zip(&self.now).map(|((base, fact), now)| base | fact & now).collect();
        let received: Vec<u64> = facts.iter().zip(&self.received).map(|(fact, received)| fact & received).collect();
        let view = (self.letters.insert(&now), self.receives.insert(&received));
        self.joined.insert((letter, step), view);
        view
    }

    /// The truth of all facts that occur.
    fn joined(&self, letter: u32, received: u32) -> Vec<u64> {
        let (letter, received) = (self.letters.get(letter), self.receives.get(received));
        letter.iter().zip(received).map(|(a, b)| a | b).collect()
    }
}

impl<'a> Product<'a> {
    /// Without nodes.
    ///
    /// The last argument but one says what generators do to the conditions of the automaton.
    pub fn new(
        states: &States,
        automaton: &'a Automaton,
        atoms: &Facts,
        moves: &[Permutation],
        config: &Config,
    ) -> Product<'a> {
        let cells = states.tables().cells().len();
        let mut obligations = Records::new(automaton.set_words());
        obligations.insert(&automaton.initial());
        let do_move = moves.iter().any(|moved| *moved != Permutation::IDENTITY);
        let kind = Marks { moves: do_move, ..automaton.marks() };
        let views = FactViews::new(automaton, atoms);
        let wanted = Wanted { facts: views.state.clone(), moves: if do_move { moves.to_vec() } else { Vec::new() } };
        let mut product = Product {
            automaton,
            views,
            cells,
            layout: Arc::default(),
            nodes: Records::new(0),
            parents: Vec::new(),
            expanded: 0,
            edges: (!automaton.is_cosafe()).then(Edges::default),
            obligations,
            marks: Records::new(kind.width()),
            kind,
            moved: FxHashMap::default(),
            wanted,
            unfolded: FxHashMap::default(),
            moves: Vec::new(),
            work: Work { single: Expansion::within(config.memory), ..Work::default() },
        };
        product.widen(states);
        product
    }

    /// Adds an initial node.
    pub fn begin(&mut self, row: &[u32]) {
        let Work { numbers, record, .. } = &mut self.work;
        numbers.clear();
        numbers.extend_from_slice(row);
        numbers.extend([0, 0]);
        self.layout.pack(numbers, record).expect("there is room for all that is known");
        let node = self.nodes.insert(record);
        if node as usize == self.parents.len() {
            self.parents.push(NONE);
        }
    }

    /// The number of nodes that were found.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of nodes whose edges are known.
    pub fn expanded(&self) -> usize {
        self.expanded
    }

    /// True if there are as many nodes and edges as can be numbered.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= Records::MOST / 2 || self.edges.as_ref().is_some_and(|edges| edges.len() >= Edges::MOST / 2)
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.edges.as_ref().map_or(0, Edges::bytes)
            + list_bytes(&self.parents)
            + 40 * (self.unfolded.len() + self.views.joined.len())
            + 8 * self.moves.capacity()
            + [&self.obligations, &self.marks, &self.views.letters].map(Records::bytes).iter().sum::<usize>()
    }

    /// The edges; only if they are needed.
    pub fn edges(&self) -> Option<&Edges> {
        self.edges.as_ref()
    }

    /// The sets of marks that edges carry.
    pub fn marks(&self) -> &Records {
        &self.marks
    }

    /// The components of the nodes that were found.
    pub fn components(&self, edges: &Edges) -> Components {
        Components::new(self.nodes.len(), edges, &self.marks, self.kind)
    }

    /// The row of a node.
    pub fn row(&self, node: u32) -> Vec<u32> {
        let record = self.nodes.get(node);
        (0..self.cells).map(|cell| self.layout.get(record, cell)).collect()
    }

    /// The nodes of a shortest path from an initial node, both included.
    pub fn stem(&self, node: u32) -> Vec<u32> {
        let mut path = vec![node];
        while let Some(parent) = path.last().map(|last| self.parents[*last as usize]).filter(|parent| *parent != NONE) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// The nodes behind those that are expanded, from the given one on, so many at most: their records, and where the
    /// numbers lie.
    pub fn sources(&self, first: usize, most: usize) -> (Arc<Layout>, Vec<u64>) {
        let last = self.nodes.len().min(first + most);
        let records = (first..last).flat_map(|node| self.nodes.get(node as u32)).copied();
        (Arc::clone(&self.layout), records.collect())
    }

    /// The data that it asks for about nodes and steps.
    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// Finds the edges of the next node. True if the path to it violates the conjunct already,
    /// however the run goes on.
    pub fn expand(&mut self, states: &mut States) -> bool {
        let mut expansion = std::mem::take(&mut self.work.single);
        let decided = loop {
            expansion.clear();
            let node = self.nodes.get(self.expanded as u32);
            let again = match expansion.add(states, &self.layout, &self.wanted, node) {
                Ok(()) => self.merge(states, expansion.of(0)),
                Err(missing) => {
                    states.fill(missing);
                    Err(Wider)
                }
            };
            match again {
                Ok(decided) => break decided,
                Err(Wider) => self.widen(states),
            }
        };
        self.work.single = expansion;
        decided
    }

    /// The same, with steps that were found in this layout. Nothing if they have to be found again.
    pub fn expand_with(&mut self, states: &States, layout: &Arc<Layout>, steps: NodeSteps) -> Option<bool> {
        if !Arc::ptr_eq(layout, &self.layout) {
            return None;
        }
        self.merge(states, steps).ok()
    }

    fn merge(&mut self, states: &States, steps: NodeSteps) -> Result<bool, Wider> {
        let mut work = std::mem::take(&mut self.work);
        let result = self.merge_in(states, &steps, &mut work);
        self.work = work;
        result
    }

    fn merge_in(&mut self, states: &States, steps: &NodeSteps, work: &mut Work) -> Result<bool, Wider> {
        let number = self.expanded as u32;
        let Work { targets, found, marks, .. } = work;
        targets.clear();
        marks.clear();
        let letter = self.views.letters.insert(steps.facts);
        let (_, here) = self.branches(states, number, letter, 0)?;
        let (width, count) = (self.layout.width(), steps.letters.len());
        for step in 0..if here.decided { 0 } else { count } {
            let (receives, unfolded) = match steps.letters[step] {
                0 => (0, here),
                of_step => self.branches(states, number, letter, of_step)?,
            };
            if receives > self.layout.greatest(self.cells) {
                return Err(Wider);
            }
            for index in unfolded.start..unfolded.end {
                let (obligations, of_edge) = self.moves[index as usize];
                let start = targets.len();
                targets.extend_from_slice(&steps.targets[step * width..(step + 1) * width]);
                self.layout.set(&mut targets[start..], self.cells, receives);
                self.layout.set(&mut targets[start..], self.cells + 1, obligations);
                marks.push(self.moved(of_edge, steps.moved.get(step)));
            }
        }
        self.nodes.insert_all(targets, found);
        found.iter().for_each(|node| {
            if *node as usize == self.parents.len() {
                self.parents.push(number);
            }
        });
        if let Some(edges) = &mut self.edges {
            edges.open();
            found.iter().zip(marks).for_each(|(node, marks)| edges.add(*node, *marks));
        }
        self.expanded += 1;
        Ok(here.decided)
    }

    /// The receives of a step from a node with the letter of its state, and what comes of the obligations there.
    fn branches(&mut self, states: &States, node: u32, letter: u32, of_step: u32) -> Result<(u32, KnownMoves), Wider> {
        let node = self.nodes.get(node);
        let [received, obligations] = [0, 1].map(|field| self.layout.get(node, self.cells + field));
        let (letter, receives) = match of_step {
            0 => (letter, 0),
            _ => self.views.of(letter, of_step, states.tables().letter(of_step)),
        };
        Ok((receives, self.unfold(obligations, letter, received)?))
    }

    fn unfold(&mut self, obligations: u32, letter: u32, received: u32) -> Result<KnownMoves, Wider> {
        let key = [obligations, letter, received];
        if let Some(unfolded) = self.unfolded.get(&key) {
            return Ok(*unfolded);
        }
        let facts = self.views.joined(letter, received);
        let set = self.obligations.get(obligations).to_vec();
        let known: Vec<u64> = self.views.state.iter().zip(&self.views.received).map(|(a, b)| a | b).collect();
        let decided = self.automaton.satisfied(&set, &facts, &known);
        let alternatives = self.automaton.unfold(&set, &facts);
        ticks(alternatives.len() + 1);
        let start = self.moves.len() as u32;
        for Alternative { next, mut marks } in alternatives {
            marks.extend(self.kind.moves.then_some(Permutation::IDENTITY.word()));
            self.moves.push((self.obligations.insert(&next), self.marks.insert(&marks)));
        }
        let unfolded = KnownMoves { decided, start, end: self.moves.len() as u32 };
        self.unfolded.insert(key, unfolded);
        let fits = self.obligations.len() as u32 - 1 <= self.layout.greatest(self.cells + 1);
        if fits { Ok(unfolded) } else { Err(Wider) }
    }

    /// The set of marks of an edge on which conditions move.
    fn moved(&mut self, marks: u32, by: Option<&Permutation>) -> u32 {
        let Some(by) = by.copied().filter(|by| *by != Permutation::IDENTITY) else { return marks };
        if let Some(known) = self.moved.get(&(marks, by)) {
            return *known;
        }
        let mut set = self.marks.get(marks).to_vec();
        *set.last_mut().expect("it has a word for the movement") = by.word();
        let number = self.marks.insert(&set);
        self.moved.insert((marks, by), number);
        number
    }

    /// Makes room for the numbers of all local states, receives and obligations that are known.
    fn widen(&mut self, states: &States) {
        let tables = states.tables();
        let local_states = tables.cells().iter().map(|cell| cell.local_states().len());
        let sets = [self.views.receives.len(), self.obligations.len()];
        let greatest: Vec<u32> = local_states.chain(sets).map(|count| count.saturating_sub(1) as u32).collect();
        if self.layout.len() == greatest.len()
            && greatest.iter().enumerate().all(|(field, greatest)| *greatest <= self.layout.greatest(field))
        {
            return;
        }
        let layout = Layout::up_to(&greatest);
        let mut nodes = Records::new(layout.width());
        let (mut numbers, mut record) = (Vec::new(), Vec::new());
        for node in self.nodes.iter() {
            ticks(1);
            self.layout.unpack(node, &mut numbers);
            layout.pack(&numbers, &mut record).expect("it has room for more");
            nodes.insert(&record);
        }
        (self.layout, self.nodes) = (Arc::new(layout), nodes);
    }

    /// Which step of the model leads from an expanded node to another one.
    pub fn hop(&mut self, states: &States, Link { from, to, marks }: Link) -> Hop {
        let missing = "an expanded node has all its steps";
        let mut expansion = Expansion::within(usize::MAX);
        expansion.add(states, &self.layout, &self.wanted, self.nodes.get(from)).expect(missing);
        let steps = expansion.of(0);
        let letter = self.views.letters.insert(steps.facts);
        let width = self.layout.width();
        for (step, of_step) in steps.letters.iter().enumerate() {
            let (receives, unfolded) = self.branches(states, from, letter, *of_step).ok().expect(missing);
            let mut target = steps.targets[step * width..(step + 1) * width].to_vec();
            self.layout.set(&mut target, self.cells, receives);
            for index in unfolded.start..unfolded.end {
                let (next, of_edge) = self.moves[index as usize];
                let of_edge = self.moved(of_edge, steps.moved.get(step));
                self.layout.set(&mut target, self.cells + 1, next);
                if self.nodes.find(&target) == Some(to) && marks.is_none_or(|marks| marks == of_edge) {
                    return states.hop(&self.row(from), step);
                }
            }
        }
        unreachable!("there is an edge")
    }

    /// All nodes, as evidence that the conjunct is not violated. The components are those of the nodes, and needed unless
    /// every violation has a finite prefix.
    pub fn closed_set(self, graph: u32, components: Option<&Components>, facts: &[Fact]) -> ClosedSet {
        let automaton = self.automaton;
        let of_sets;
        let (components, of_members) = match components {
            Some(components) => {
                let nodes = 0..self.nodes.len() as u32;
                (components, Ranks::Each(nodes.map(|node| components.entry(node)).collect()))
            }
            None => {
                of_sets = self.obligation_components();
                let sets = 0..self.obligations.len() as u32;
                (&of_sets, Ranks::ByObligations(sets.map(|set| of_sets.of(set)).collect()))
            }
        };
        let (ranks, reasons) = ranks(automaton, components);
        ClosedSet {
            graph,
            received: self.views.receives.iter().map(|set| receives(facts, set)).collect(),
            obligations: self.obligations.iter().map(|set| automaton.obligations(set)).collect(),
            reasons,
            ranks,
            members: Members::new(Arc::unwrap_or_clone(self.layout), self.nodes, of_members),
            witnesses: Witnesses::default(),
        }
    }

    /// The components of the sets of obligations, with the moves that were seen. Where nothing has to hold for ever, each
    /// cycle through a set keeps its largest obligation pending, whatever the states are.
    fn obligation_components(&self) -> Components {
        let mut moves: Vec<(u32, u32, u32)> = Vec::new();
        for ([from, ..], KnownMoves { start, end, .. }) in &self.unfolded {
            let range = &self.moves[*start as usize..*end as usize];
            moves.extend(range.iter().map(|(to, marks)| (*from, *to, *marks)));
        }
        moves.sort_unstable();
        moves.dedup();
        let mut edges = Edges::default();
        let mut moves = moves.into_iter().peekable();
        for set in 0..self.obligations.len() as u32 {
            edges.open();
            while let Some((_, to, marks)) = moves.next_if(|(from, ..)| *from == set) {
                edges.add(to, marks);
            }
        }
        Components::new(self.obligations.len(), &edges, &self.marks, self.kind)
    }
}

/// The ranks of the entries of components, and their reasons.
pub fn ranks(automaton: &Automaton, components: &Components) -> (Vec<Rank>, Vec<Why>) {
    let (mut reasons, mut listed) = (FxHashMap::default(), Vec::new());
    let ranks = components.entries().iter().map(|entry| {
        let why = *reasons.entry(entry.reason).or_insert_with(|| {
            listed.push(why(automaton, components, entry.reason));
            listed.len() as u32 - 1
        });
        Rank { within: entry.within, order: entry.component, why }
    });
    (ranks.collect(), listed)
}

/// Why no run stays in a component.
fn why(automaton: &Automaton, components: &Components, reason: Reason) -> Why {
    match reason {
        Reason::Passing => Why::Passing,
        Reason::Pending(eventuality) => Why::Pending(automaton.eventuality(eventuality as usize)),
        Reason::Unanswered(set) => {
            Why::Unanswered(components.conditions(set).map(|index| automaton.condition(index)).collect())
        }
        Reason::None => Why::Witnessed,
    }
}

/// The receives whose facts are true, ascending.
pub fn receives(facts: &[Fact], set: &[u64]) -> Vec<(u32, u32)> {
    let receive = |fact: usize| match facts[fact] {
        Fact::Received(InstanceId(instance), EdgeId(edge)) => Some((instance, edge)),
        Fact::State(_) | Fact::Performed(..) | Fact::Observed(_) | Fact::Branching(_) => None,
    };
    let mut list: Vec<(u32, u32)> = bits::iter(set).filter_map(receive).collect();
    list.sort_unstable();
    list
}
