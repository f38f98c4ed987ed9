//! Strongly connected components of the product, and whether one of them has an accepting cycle.
//!
//! A cycle is accepting if it puts off no eventuality all the time, and answers each condition that it requests. Where a
//! component has no step that answers some condition, runs that stay there request it finitely often only; so it is
//! taken apart along its other steps, again and again (Emerson, Lei, Modalities for model checking, SCP 1987).

use super::edges::Edges;
use crate::limits::tick;
use crate::records::{Records, bits};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the bits of the sets mean that edges carry: first, which eventualities are put off; then, which conditions are not
/// answered; then, which conditions are requested.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// The number of eventualities.
    pub eventualities: usize,
    /// The number of conditions.
    pub conditions: usize,
}

impl Marks {
    /// How many words a set takes.
    pub fn words(self) -> usize {
        bits::words(self.eventualities + 2 * self.conditions)
    }

    /// The bit for a condition that is not answered.
    pub fn unanswered(self, condition: usize) -> usize {
        self.eventualities + condition
    }

    /// The bit for a condition that is requested.
    pub fn requested(self, condition: usize) -> usize {
        self.eventualities + self.conditions + condition
    }

    /// How many bits must not be on all edges of an accepting cycle, unless nobody requests it.
    pub fn due(self) -> usize {
        self.eventualities + self.conditions
    }
}

/// Why no run stays in a component for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It has no cycle.
    Passing,
    /// Every inner edge puts this eventuality off.
    PutOff(u32),
    /// No inner edge answers these conditions, as a number of a set: whoever stays requests them finitely often only.
    Unanswered(u32),
    /// There is none: some cycle is accepting.
    None,
}

/// A component, or a part of one along some of its edges.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// The component of which it is a part.
    pub within: Option<u32>,
    /// Why no run stays.
    pub reason: Reason,
}

/// The components of the expanded part, numbered such that no edge leads to a greater number, among all components and
/// among the parts of one along its edges without requests.
#[derive(Debug)]
pub struct Components {
    /// Per node the smallest part.
    component: Vec<u32>,
    list: Vec<Component>,
    /// Sets of conditions, as the bits for their requests.
    conditions: Records,
    /// Components that are not taken apart, as every inner edge has a request that none answers.
    hopeless: FxHashSet<u32>,
    /// Per component with an accepting cycle what is on all its inner edges.
    always: FxHashMap<u32, Vec<u64>>,
    marks: Marks,
}

const UNSEEN: u32 = u32::MAX;

/// What edges of a component have in common.
#[derive(Debug)]
struct Inside {
    first: usize,
    words: usize,
    cyclic: Vec<bool>,
    /// Per component the bits that are on all inner edges, and those that are on some.
    always: Vec<u64>,
    ever: Vec<u64>,
}

impl Components {
    /// Of so many nodes, whose edges carry sets by their numbers.
    pub fn new(nodes: usize, edges: &Edges, sets: &Records, marks: Marks) -> Components {
        let mut components = Components {
            component: vec![UNSEEN; nodes],
            list: Vec::new(),
            conditions: Records::new(marks.words()),
            hopeless: FxHashSet::default(),
            always: FxHashMap::default(),
            marks,
        };
        let all: Vec<u32> = (0..nodes as u32).collect();
        components.take_apart(&all, edges, sets, None);
        let mut first = 0;
        while first < components.list.len() {
            let last = components.list.len();
            let open: Vec<bool> = (first..last).map(|number| components.is_split(number)).collect();
            if !open.contains(&true) {
                break;
            }
            let is_open = |number: &u32| *number as usize >= first && open[*number as usize - first];
            let nodes: Vec<u32> = all.iter().copied().filter(|node| is_open(&components.of(*node))).collect();
            let before = components.component.clone();
            components.take_apart(&nodes, edges, sets, Some(&before));
            first = last;
        }
        components
    }

    /// Whether a component is taken apart: not where every inner edge has a request that none answers.
    fn is_split(&self, number: usize) -> bool {
        matches!(self.list[number].reason, Reason::Unanswered(_)) && !self.hopeless.contains(&(number as u32))
    }

    /// The components of some nodes, along the edges that stay in their old components without a request there.
    fn take_apart(&mut self, nodes: &[u32], edges: &Edges, sets: &Records, before: Option<&[u32]>) {
        let first = self.list.len();
        let inner = |components: &Components, node: u32, edge: u32| {
            before.is_none_or(|before| {
                let old = before[node as usize];
                old == before[edges.target(edge) as usize] && !components.requests(old, sets.get(edges.marks(edge)))
            })
        };
        let mut search = Tarjan::new(self.component.len(), edges, first as u32);
        nodes.iter().for_each(|root| search.run(*root, &|node, edge| inner(self, node, edge)));
        let (count, found) = (search.count as usize - first, search.component);
        let words = self.marks.words();
        let mut full = vec![0; words];
        (0..self.marks.eventualities + 2 * self.marks.conditions).for_each(|bit| bits::set(&mut full, bit));
        let mut inside = Inside {
            first,
            words,
            cyclic: vec![false; count],
            always: full.repeat(count),
            ever: vec![0; count * words],
        };
        let mut within = vec![None; count];
        for node in nodes {
            let component = found[*node as usize];
            within[component as usize - first] = before.map(|before| before[*node as usize]);
            for edge in edges.of(*node) {
                if found[edges.target(edge) as usize] == component && inner(self, *node, edge) {
                    inside.add(component, sets.get(edges.marks(edge)));
                }
            }
        }
        nodes.iter().for_each(|node| self.component[*node as usize] = found[*node as usize]);
        for (number, within) in within.into_iter().enumerate() {
            let reason = self.reason(first + number, &inside);
            self.list.push(Component { within, reason });
        }
    }

    /// Why nobody stays in a component.
    fn reason(&mut self, number: usize, inside: &Inside) -> Reason {
        let (always, ever) = inside.of(number);
        if !inside.cyclic[number - inside.first] {
            return Reason::Passing;
        }
        if let Some(eventuality) = (0..self.marks.eventualities).find(|bit| bits::get(always, *bit)) {
            return Reason::PutOff(eventuality as u32);
        }
        let marks = self.marks;
        let bad = |condition: &usize| {
            bits::get(always, marks.unanswered(*condition)) && bits::get(ever, marks.requested(*condition))
        };
        let bad: Vec<usize> = (0..marks.conditions).filter(bad).collect();
        let hopeless = bad.iter().find(|condition| bits::get(always, marks.requested(**condition))).copied();
        let mut set = vec![0; marks.words()];
        match hopeless {
            Some(condition) => bits::set(&mut set, marks.requested(condition)),
            None => bad.iter().for_each(|condition| bits::set(&mut set, marks.requested(*condition))),
        }
        if hopeless.is_some() {
            self.hopeless.insert(number as u32);
        }
        if bad.is_empty() {
            self.always.insert(number as u32, always.to_vec());
            return Reason::None;
        }
        Reason::Unanswered(self.conditions.insert(&set))
    }

    /// Whether a step requests a condition that no step of the component answers, or of one that it is a part of.
    fn requests(&self, component: u32, set: &[u64]) -> bool {
        let mut next = Some(component);
        while let Some(Component { within, reason }) = next.map(|number| self.list[number as usize]) {
            if let Reason::Unanswered(conditions) = reason
                && self.conditions.get(conditions).iter().zip(set).any(|(bad, some)| bad & some != 0)
            {
                return true;
            }
            next = within;
        }
        false
    }

    /// The smallest part that has a node.
    pub fn of(&self, node: u32) -> u32 {
        self.component[node as usize]
    }

    /// All components and parts of components.
    pub fn list(&self) -> &[Component] {
        &self.list
    }

    /// The conditions of a set that a reason names.
    pub fn conditions(&self, set: u32) -> impl Iterator<Item = usize> {
        let first = self.marks.requested(0);
        bits::iter(self.conditions.get(set)).map(move |bit| bit - first)
    }

    /// The edges from a node that stay in its smallest part.
    pub fn inner<'e>(&'e self, edges: &'e Edges, sets: &'e Records, node: u32) -> impl Iterator<Item = u32> + 'e {
        let number = self.of(node);
        edges.of(node).filter(move |edge| {
            self.of(edges.target(*edge)) == number && !self.requests(number, sets.get(edges.marks(*edge)))
        })
    }

    /// What an accepting cycle through a component has to get rid of: eventualities and conditions, by their bits.
    pub fn due(&self, component: u32) -> Vec<usize> {
        let always = &self.always[&component];
        (0..self.marks.due()).filter(|bit| !bits::get(always, *bit)).collect()
    }

    /// The nodes that lie in accepting components, in the order of discovery.
    pub fn accepting(&self) -> impl Iterator<Item = u32> {
        let is_accepting = |node: &u32| self.list[self.of(*node) as usize].reason == Reason::None;
        (0..self.component.len() as u32).filter(is_accepting)
    }
}

impl Inside {
    fn add(&mut self, component: u32, set: &[u64]) {
        let index = component as usize - self.first;
        self.cyclic[index] = true;
        let range = index * self.words..(index + 1) * self.words;
        self.always[range.clone()].iter_mut().zip(set).for_each(|(all, some)| *all &= some);
        self.ever[range].iter_mut().zip(set).for_each(|(all, some)| *all |= some);
    }

    fn of(&self, component: usize) -> (&[u64], &[u64]) {
        let index = component - self.first;
        let range = index * self.words..(index + 1) * self.words;
        (&self.always[range.clone()], &self.ever[range])
    }
}

/// Tarjan's algorithm without recursion, along some of the edges.
struct Tarjan<'e> {
    edges: &'e Edges,
    /// Per node when it was entered; lowered to the least that it reaches on the stack.
    low: Vec<u32>,
    component: Vec<u32>,
    entered: u32,
    count: u32,
    stack: Vec<u32>,
    /// The nodes on the present path: with when they were entered, and their next edge.
    path: Vec<(u32, u32, u32)>,
}

impl<'e> Tarjan<'e> {
    /// Numbers components from the first one on.
    fn new(nodes: usize, edges: &'e Edges, first: u32) -> Tarjan<'e> {
        let unseen = vec![UNSEEN; nodes];
        let (stack, path) = (Vec::new(), Vec::new());
        Tarjan { edges, low: unseen.clone(), component: unseen, entered: 0, count: first, stack, path }
    }

    fn run(&mut self, root: u32, leads: &impl Fn(u32, u32) -> bool) {
        if self.low[root as usize] != UNSEEN {
            return;
        }
        self.enter(root);
        while let Some((node, entered, next)) = self.path.last_mut() {
            let (node, entered, edge) = (*node, *entered, *next);
            if edge < self.edges.of(node).end {
                *next += 1;
                if !leads(node, edge) {
                    continue;
                }
                let target = self.edges.target(edge);
                if self.low[target as usize] == UNSEEN {
                    self.enter(target);
                } else if self.component[target as usize] == UNSEEN {
                    self.lower(node, target);
                }
            } else {
                self.path.pop();
                self.leave(node, entered);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        tick();
        self.low[node as usize] = self.entered;
        self.stack.push(node);
        self.path.push((node, self.entered, self.edges.of(node).start));
        self.entered += 1;
    }

    fn leave(&mut self, node: u32, entered: u32) {
        if self.low[node as usize] == entered {
            while let Some(member) = self.stack.pop() {
                self.component[member as usize] = self.count;
                if member == node {
                    break;
                }
            }
            self.count += 1;
        } else if let Some((parent, ..)) = self.path.last() {
            let parent = *parent;
            self.lower(parent, node);
        }
    }

    fn lower(&mut self, node: u32, by: u32) {
        self.low[node as usize] = self.low[node as usize].min(self.low[by as usize]);
    }
}
