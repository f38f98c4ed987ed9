//! Strongly connected components of the product, and whether one of them has an accepting cycle.
//!
//! A cycle is accepting if it keeps no eventuality pending all the time, and answers each condition that it requests. Where a
//! component has no step that answers some condition, runs that stay there request it finitely often only; so it is
//! taken apart along its other steps, again and again (Emerson, Lei, Modalities for model checking, SCP 1987).
//!
//! If a node stands for its orbit, symmetries may have moved conditions on the way along an edge: condition 1 at its
//! source is condition 2 at its target, say. So each node has a *position*, which tells what its conditions are at the
//! first node of the component; a way back to a node that moves conditions makes them one *class*. A cycle that goes
//! round often enough answers a condition if an edge answers one of its class: so classes are requested and answered
//! (Emerson, Sistla, Utilizing symmetry when model checking under fairness assumptions, TOPLAS 1997).

use super::edges::Edges;
use super::permutation::Permutation;
use crate::limits::tick;
use crate::records::{Records, bits};
use rustc_hash::FxHashMap;

/// The meaning of the bits of the sets that edges carry: first, which eventualities are pending; then, which conditions are not
/// answered; then, which conditions are requested.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// The number of eventualities.
    pub eventualities: usize,
    /// The number of conditions.
    pub conditions: usize,
    /// True if symmetries move conditions: then the word behind the bits is a permutation of them.
    pub moves: bool,
}

impl Marks {
    /// How many words the bits take.
    pub fn words(self) -> usize {
        bits::words(self.eventualities + 2 * self.conditions)
    }

    /// How many words a set takes.
    pub fn width(self) -> usize {
        self.words() + usize::from(self.moves)
    }

    /// The bit for a condition that is not answered.
    pub fn unanswered(self, condition: usize) -> usize {
        self.eventualities + condition
    }

    /// The bit for a condition that is requested.
    pub fn requested(self, condition: usize) -> usize {
        self.eventualities + self.conditions + condition
    }

    /// How many bits must not be on all edges of an accepting cycle, unless no edge requests it.
    pub fn due(self) -> usize {
        self.eventualities + self.conditions
    }

    /// The movement of conditions along an edge, from their numbers at its source to those at its target.
    pub fn moved(self, set: &[u64]) -> Permutation {
        if self.moves { Permutation::of_word(set[self.words()]) } else { Permutation::IDENTITY }
    }
}

/// Why no run stays in a component for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It has no cycle.
    Passing,
    /// This eventuality is pending on every inner edge.
    Pending(u32),
    /// No inner edge answers these conditions, as a number of a set: a run that stays requests them finitely often only.
    Unanswered(u32),
    /// There is none: some cycle is accepting.
    None,
}

/// The entry of the nodes of a component, or of a part of one along some of its edges, to which a reason looks the
/// same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The entry of the component of which it is a part.
    pub within: Option<u32>,
    /// The number of the component.
    pub component: u32,
    /// Why no run stays.
    pub reason: Reason,
}

/// The components of the expanded part, numbered such that no edge leads to a greater number, among all components and
/// among the parts of one along its edges without requests.
#[derive(Debug)]
pub struct Components {
    /// Per node the smallest part.
    component: Vec<u32>,
    /// How many components and parts there are.
    count: u32,
    entries: Vec<Entry>,
    /// Per node its entry. Without moves the entry of a component has its number.
    of_nodes: Vec<u32>,
    /// Sets of conditions, as the bits for their requests; the first one is empty.
    sets: Records,
    /// Per node the requests of edges that do not count as inner ones, if there are conditions.
    excluded: Vec<u32>,
    /// Per node its position in the smallest part, if conditions move.
    positions: Vec<Permutation>,
    /// Per component with an accepting cycle what is on all its inner edges.
    accepting: FxHashMap<u32, Common>,
    marks: Marks,
}

/// The marks that the inner edges of a component have in common, in terms of its first node.
#[derive(Clone, Debug)]
struct Common {
    /// The bits that all of them carry; of conditions, those of the first one of each class.
    always: Vec<u64>,
    /// Per condition the first one of its class.
    classes: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl Components {
    /// Of so many nodes, whose edges carry sets by their numbers.
    pub fn new(nodes: usize, edges: &Edges, sets: &Records, marks: Marks) -> Components {
        let mut components = Components {
            component: vec![UNSEEN; nodes],
            count: 0,
            entries: Vec::new(),
            of_nodes: if marks.moves { vec![UNSEEN; nodes] } else { Vec::new() },
            sets: Records::new(marks.words()),
            excluded: if marks.conditions > 0 { vec![0; nodes] } else { Vec::new() },
            positions: if marks.moves { vec![Permutation::IDENTITY; nodes] } else { Vec::new() },
            accepting: FxHashMap::default(),
            marks,
        };
        components.sets.insert(&vec![0; marks.words()]);
        let mut open: Vec<u32> = (0..nodes as u32).collect();
        let mut before = None;
        while !open.is_empty() {
            let first = components.count;
            let split = components.take_apart(&open, edges, sets, before.as_deref());
            open.retain(|node| split[(components.of(*node) - first) as usize]);
            before = (!open.is_empty()).then(|| components.component.clone());
        }
        components
    }

    /// The components of some nodes, along the edges that stay in their old components without a request there. Says
    /// which of the new ones are to be taken apart.
    fn take_apart(&mut self, nodes: &[u32], edges: &Edges, sets: &Records, before: Option<&[u32]>) -> Vec<bool> {
        let first = self.count;
        let (found, count) = {
            let inner = |node, edge| self.stays(edges, sets, before, node, edge);
            let mut search = Tarjan::new(self.component.len(), edges, first);
            nodes.iter().for_each(|root| search.run(*root, &inner));
            (search.component, search.count)
        };
        self.count = count;
        let mut inside = Inside::new(first, (count - first) as usize, self.marks);
        if self.marks.moves {
            self.find_positions(nodes, edges, sets, before, &found, &mut inside);
        }
        for node in nodes {
            let component = found[*node as usize];
            for edge in edges.of(*node) {
                if found[edges.target(edge) as usize] == component && self.stays(edges, sets, before, *node, edge) {
                    inside.add(component, sets.get(edges.marks(edge)), self.position(*node));
                }
            }
        }
        let judged: Vec<Judged> = (first..count).map(|number| inside.judge(number)).collect();
        for (number, judged) in (first..count).zip(&judged) {
            if matches!(judged, Judged::Accepting) {
                self.accepting.insert(number, inside.common(number));
            }
        }
        if !self.marks.moves {
            // A component of one round has one entry, whose number is its own.
            self.entries.resize(count as usize, Entry { within: None, component: 0, reason: Reason::Passing });
        }
        let mut known = FxHashMap::default();
        for node in nodes {
            let component = found[*node as usize];
            let judged = &judged[(component - first) as usize];
            let reason = self.reason(judged, &inside, component, *node);
            let within = before
                .map(|before| if self.marks.moves { self.of_nodes[*node as usize] } else { before[*node as usize] });
            let entry = Entry { within, component, reason };
            if self.marks.moves {
                let entries = &mut self.entries;
                self.of_nodes[*node as usize] = *known.entry(entry).or_insert_with(|| {
                    entries.push(entry);
                    entries.len() as u32 - 1
                });
            } else {
                self.entries[component as usize] = entry;
            }
            if let (Judged::Unanswered(_), Reason::Unanswered(set)) = (judged, reason) {
                let both: Vec<u64> = self
                    .sets
                    .get(set)
                    .iter()
                    .zip(self.sets.get(self.excluded[*node as usize]))
                    .map(|(a, b)| a | b)
                    .collect();
                self.excluded[*node as usize] = self.sets.insert(&both);
            }
        }
        nodes.iter().for_each(|node| self.component[*node as usize] = found[*node as usize]);
        judged.iter().map(|judged| matches!(judged, Judged::Unanswered(_))).collect()
    }

    /// True if an edge stays in the component of its source, as it was before, and requests nothing that is not answered there.
    fn stays(&self, edges: &Edges, sets: &Records, before: Option<&[u32]>, node: u32, edge: u32) -> bool {
        before.is_none_or(|before| {
            before[node as usize] == before[edges.target(edge) as usize]
                && !self.requests(node, sets.get(edges.marks(edge)))
        })
    }

    /// True if an edge from a node does not count as an inner one, as it requests what no edge answers.
    fn requests(&self, node: u32, set: &[u64]) -> bool {
        let Some(excluded) = self.excluded.get(node as usize).filter(|number| **number > 0) else { return false };
        self.sets.get(*excluded).iter().zip(set).any(|(bad, some)| bad & some != 0)
    }

    fn position(&self, node: u32) -> Permutation {
        self.positions.get(node as usize).copied().unwrap_or(Permutation::IDENTITY)
    }

    /// The positions of the nodes of new components, and which conditions are of one class there.
    fn find_positions(
        &mut self,
        nodes: &[u32],
        edges: &Edges,
        sets: &Records,
        before: Option<&[u32]>,
        found: &[u32],
        inside: &mut Inside,
    ) {
        let mut known = vec![false; self.component.len()];
        let mut open = Vec::new();
        for root in nodes {
            if known[*root as usize] {
                continue;
            }
            known[*root as usize] = true;
            // The first node of its component that is met.
            self.positions[*root as usize] = Permutation::IDENTITY;
            open.push(*root);
            while let Some(node) = open.pop() {
                tick();
                let component = found[node as usize];
                for edge in edges.of(node) {
                    let target = edges.target(edge);
                    if found[target as usize] != component || !self.stays(edges, sets, before, node, edge) {
                        continue;
                    }
                    let moved = self.marks.moved(sets.get(edges.marks(edge)));
                    let position = moved.inverse().then(self.position(node));
                    if std::mem::replace(&mut known[target as usize], true) {
                        inside.join(component, position, self.position(target));
                    } else {
                        self.positions[target as usize] = position;
                        open.push(target);
                    }
                }
            }
        }
    }

    /// Why no run stays in a component, in terms of a node.
    fn reason(&mut self, judged: &Judged, inside: &Inside, component: u32, node: u32) -> Reason {
        let bad = match judged {
            Judged::Passing => return Reason::Passing,
            Judged::Pending(eventuality) => return Reason::Pending(*eventuality),
            Judged::Accepting => return Reason::None,
            Judged::Hopeless(bad) | Judged::Unanswered(bad) => bad,
        };
        let mut set = vec![0; self.marks.words()];
        let position = self.position(node);
        for condition in 0..self.marks.conditions {
            if bad.contains(&inside.class(component, position.of(condition))) {
                bits::set(&mut set, self.marks.requested(condition));
            }
        }
        Reason::Unanswered(self.sets.insert(&set))
    }

    /// The smallest part that has a node.
    pub fn of(&self, node: u32) -> u32 {
        self.component[node as usize]
    }

    /// The number of the entry for a node.
    pub fn entry(&self, node: u32) -> u32 {
        if self.marks.moves { self.of_nodes[node as usize] } else { self.of(node) }
    }

    /// The entries, those of parts behind those of what they are parts of.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The conditions of a set that a reason names.
    pub fn conditions(&self, set: u32) -> impl Iterator<Item = usize> {
        let first = self.marks.requested(0);
        bits::iter(self.sets.get(set)).map(move |bit| bit - first)
    }

    /// The conditions that cycles through a node in its smallest part must not request.
    pub fn refused(&self, node: u32) -> impl Iterator<Item = usize> {
        self.conditions(self.excluded.get(node as usize).copied().unwrap_or_default())
    }

    /// The edges from a node that stay in its smallest part.
    pub fn inner<'e>(&'e self, edges: &'e Edges, sets: &'e Records, node: u32) -> impl Iterator<Item = u32> + 'e {
        let number = self.of(node);
        edges.of(node).filter(move |edge| {
            self.of(edges.target(*edge)) == number && !self.requests(node, sets.get(edges.marks(*edge)))
        })
    }

    /// The eventualities and conditions, by their bits, that an accepting cycle through a node has to get rid of.
    pub fn due(&self, node: u32) -> Vec<usize> {
        let Common { always, classes } = &self.accepting[&self.of(node)];
        let position = self.position(node);
        let is_due = |bit: &usize| match bit.checked_sub(self.marks.eventualities) {
            None => !bits::get(always, *bit),
            Some(condition) => {
                let class = classes[position.of(condition)] as usize;
                !bits::get(always, self.marks.unanswered(class))
            }
        };
        (0..self.marks.due()).filter(is_due).collect()
    }

    /// The meaning of the bits.
    pub fn marks(&self) -> Marks {
        self.marks
    }

    /// True if a node lies in an accepting component.
    pub fn is_accepting(&self, node: u32) -> bool {
        self.accepting.contains_key(&self.of(node))
    }

    /// The nodes that do, in the order of discovery.
    pub fn accepting(&self) -> impl Iterator<Item = u32> {
        (0..self.component.len() as u32).filter(|node| self.is_accepting(*node))
    }
}

/// The judgement of a component, with conditions by the first ones of their classes.
#[derive(Debug)]
enum Judged {
    Passing,
    Pending(u32),
    Accepting,
    /// Every inner edge requests one of these, and none answers.
    Hopeless(Vec<usize>),
    Unanswered(Vec<usize>),
}

/// The marks that edges of components have in common, in terms of the first nodes of the components.
#[derive(Debug)]
struct Inside {
    first: u32,
    marks: Marks,
    cyclic: Vec<bool>,
    /// Per component the bits that are on all inner edges, and those that are on some.
    always: Vec<u64>,
    ever: Vec<u64>,
    /// Per component and condition an earlier one of its class, or itself.
    classes: Vec<u8>,
    mapped: Vec<u64>,
}

impl Inside {
    fn new(first: u32, count: usize, marks: Marks) -> Inside {
        let mut full = vec![0; marks.words()];
        (0..marks.eventualities + 2 * marks.conditions).for_each(|bit| bits::set(&mut full, bit));
        let each: Vec<u8> = if marks.moves { (0..marks.conditions as u8).collect() } else { Vec::new() };
        Inside {
            first,
            marks,
            cyclic: vec![false; count],
            ever: vec![0; count * full.len()],
            always: full.repeat(count),
            classes: each.repeat(count),
            mapped: full,
        }
    }

    fn index(&self, component: u32) -> usize {
        (component - self.first) as usize
    }

    /// The first condition of the class of one.
    fn class(&self, component: u32, condition: usize) -> usize {
        if self.classes.is_empty() {
            return condition;
        }
        let start = self.index(component) * self.marks.conditions;
        let mut condition = condition;
        while self.classes[start + condition] as usize != condition {
            condition = self.classes[start + condition] as usize;
        }
        condition
    }

    /// Two positions of one node: what they say of a condition is one class.
    fn join(&mut self, component: u32, one: Permutation, other: Permutation) {
        if one == other {
            return;
        }
        let start = self.index(component) * self.marks.conditions;
        for condition in 0..self.marks.conditions {
            let [one, other] = [one, other].map(|position| self.class(component, position.of(condition)));
            self.classes[start + one.max(other)] = one.min(other) as u8;
        }
    }

    /// Adds an inner edge from a node at this position.
    fn add(&mut self, component: u32, set: &[u64], position: Permutation) {
        let (index, marks) = (self.index(component), self.marks);
        self.cyclic[index] = true;
        let words = marks.words();
        let mut mapped = std::mem::take(&mut self.mapped);
        mapped.copy_from_slice(&set[..words]);
        if marks.moves {
            // A class is unanswered if all of it are, and requested if some of it is. Others than the first ones do not count.
            for condition in 0..marks.conditions {
                let first = self.class(component, condition) == condition;
                bits::put(&mut mapped, marks.unanswered(condition), first);
                bits::put(&mut mapped, marks.requested(condition), false);
            }
            for condition in 0..marks.conditions {
                let class = self.class(component, position.of(condition));
                if !bits::get(set, marks.unanswered(condition)) {
                    bits::put(&mut mapped, marks.unanswered(class), false);
                }
                if bits::get(set, marks.requested(condition)) {
                    bits::put(&mut mapped, marks.requested(class), true);
                }
            }
        }
        let range = index * words..(index + 1) * words;
        self.always[range.clone()].iter_mut().zip(&mapped).for_each(|(all, some)| *all &= some);
        self.ever[range].iter_mut().zip(&mapped).for_each(|(all, some)| *all |= some);
        self.mapped = mapped;
    }

    fn of(&self, component: u32) -> (&[u64], &[u64]) {
        let (index, words) = (self.index(component), self.marks.words());
        let range = index * words..(index + 1) * words;
        (&self.always[range.clone()], &self.ever[range])
    }

    fn common(&self, component: u32) -> Common {
        let classes = (0..self.marks.conditions).map(|condition| self.class(component, condition) as u32);
        Common { always: self.of(component).0.to_vec(), classes: classes.collect() }
    }

    fn judge(&self, component: u32) -> Judged {
        let (always, ever) = self.of(component);
        if !self.cyclic[self.index(component)] {
            return Judged::Passing;
        }
        if let Some(eventuality) = (0..self.marks.eventualities).find(|bit| bits::get(always, *bit)) {
            return Judged::Pending(eventuality as u32);
        }
        let marks = self.marks;
        let is_bad = |condition: &usize| {
            bits::get(always, marks.unanswered(*condition)) && bits::get(ever, marks.requested(*condition))
        };
        let bad: Vec<usize> = (0..marks.conditions).filter(is_bad).collect();
        let hopeless = bad.iter().find(|condition| bits::get(always, marks.requested(**condition)));
        match hopeless {
            Some(condition) => Judged::Hopeless(vec![*condition]),
            None if bad.is_empty() => Judged::Accepting,
            None => Judged::Unanswered(bad),
        }
    }
}

/// The strongly connected components of a graph: per node the number of its own.
pub fn strongly_connected(nodes: usize, edges: &Edges) -> Vec<u32> {
    let mut search = Tarjan::new(nodes, edges, 0);
    (0..nodes as u32).for_each(|root| search.run(root, &|_, _| true));
    search.component
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
