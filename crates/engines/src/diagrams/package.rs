//! Decision diagrams in a table that all of them share, with complements marked at the edges (Brace, Rudell, Bryant, *Efficient
//! implementation of a BDD package*, DAC 1990).
//!
//! A [`Set`] keeps what it needs alive; the rest is collected between operations, and bits change their places when there are many nodes
//! ([`super::sifting`]). Operations count their steps ([`tick`]), and can be abandoned in the midst.

use crate::claim::diagrams::Root;
use crate::limits::{lack_memory, tick, ticks};
use dashu_int::UBig;
use rustc_hash::FxHashMap;
use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use tracing::info;

/// A node, and whether its complement is meant: the lowest bit.
pub(super) type Edge = u32;

const TRUE: Edge = 0;
const FALSE: Edge = 1;

/// The bit of nodes that are none.
pub(super) const FREE: u32 = u32::MAX;

/// The end of a list of nodes.
pub(super) const END: u32 = u32::MAX;

/// The least number of nodes that come in before any are collected; in builds for development so few that tests see it.
const LEAST_NODES: usize = if cfg!(debug_assertions) { 1 << 7 } else { 1 << 13 };

/// The least and the largest number of results that are kept.
const RESULTS: (usize, usize) = (1 << 12, 1 << 23);

/// The most nodes: an edge has a bit for the complement.
const MOST_NODES: usize = 1 << 30;

#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) bit: u32,
    pub(super) low: Edge,
    /// Never a complement.
    pub(super) high: Edge,
    /// The next one in the same bucket, or that is free.
    pub(super) next: u32,
}

/// A result of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// The operation and its set of bits; 0 if there is none.
    tag: u32,
    a: Edge,
    b: Edge,
    result: Edge,
}

const NONE_YET: Entry = Entry { tag: 0, a: 0, b: 0, result: 0 };

const AND: u32 = 1;
const DIFFERENT: u32 = 2;
const AND_EXISTS: u32 = 3;
const DOWN: u32 = 4;
const UP: u32 = 5;
/// The number of bits of a tag that are the operation.
const OPERATION_BITS: u32 = 3;

/// Some bits, which are quantified or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitSet(u32);

pub(super) struct Table {
    pub(super) nodes: Vec<Node>,
    /// The first free node.
    pub(super) free: u32,
    /// Nodes in use.
    pub(super) used: usize,
    /// When so many are used, nodes are collected before the next operation.
    limit: usize,
    /// A power of two.
    pub(super) buckets: Vec<u32>,
    /// A power of two.
    results: Vec<Entry>,
    /// Results that were added since there were more places for them.
    added: usize,
    /// The edges that are held, by the places of the sets that hold them.
    pub(super) held: Vec<Edge>,
    released: Vec<u32>,
    sets: Vec<Members>,
    pub(super) order: Order,
    /// When so many are held, bits change their places before the next operation.
    sifting: usize,
    /// The least number of nodes at which they do.
    least: usize,
    /// How many times as many nodes as then there are, when it is done the next time.
    patience: usize,
}

/// The places of bits. Those of a block are neighbours, and stay in their order.
pub(super) struct Order {
    /// The place of each bit, from the top; below all of them that of the terminal.
    pub(super) places: Vec<u32>,
    /// The bit at each place.
    pub(super) bits: Vec<u32>,
    /// The numbers of bits of the blocks that change places, from the top; the others are below them.
    pub(super) blocks: Vec<u32>,
}

/// A set of bits.
struct Members {
    has: Vec<bool>,
    /// The lowest place of one of them, or 0 if there are none.
    last: u32,
}

/// All diagrams over some bits.
pub struct Package {
    table: Rc<RefCell<Table>>,
}

/// A set of assignments to bits.
pub struct Set {
    table: Rc<RefCell<Table>>,
    place: u32,
}

impl Package {
    /// With nothing but the constants. Of so many bits, those of each block stay together; if blocks are given for the first bits only, the others stay
    /// where they are.
    pub fn new(count: usize, blocks: Vec<u32>) -> Package {
        let count = count as u32;
        let terminal = Node { bit: count, low: TRUE, high: TRUE, next: END };
        let order = Order { places: (0..=count).collect(), bits: (0..count).collect(), blocks };
        let table = Table {
            nodes: vec![terminal],
            free: END,
            used: 1,
            limit: LEAST_NODES,
            buckets: vec![END; RESULTS.0],
            results: vec![NONE_YET; RESULTS.0],
            added: 0,
            held: Vec::new(),
            released: Vec::new(),
            sets: Vec::new(),
            order,
            sifting: usize::MAX,
            least: usize::MAX,
            patience: 2,
        };
        Package { table: Rc::new(RefCell::new(table)) }
    }

    /// Everything, or nothing.
    pub fn constant(&self, all: bool) -> Set {
        Set::holding(&self.table, if all { TRUE } else { FALSE })
    }

    /// The set of assignments in which bits have these values.
    pub fn bits(&self, values: impl IntoIterator<Item = (usize, bool)>) -> Set {
        let edge = {
            let mut table = self.table.borrow_mut();
            let mut list: Vec<(usize, bool)> = values.into_iter().collect();
            list.sort_unstable_by_key(|(bit, _)| table.order.places[*bit]);
            list.into_iter().rev().fold(TRUE, |below, (bit, value)| {
                let [low, high] = if value { [FALSE, below] } else { [below, FALSE] };
                table.node(bit as u32, low, high)
            })
        };
        Set::holding(&self.table, edge)
    }

    /// A set that was written as nodes ([`super::Nodes`]).
    pub fn set_of(&self, nodes: &[[u32; 3]], root: Root) -> Set {
        let edge = {
            let mut table = self.table.borrow_mut();
            let mut edges = vec![FALSE, TRUE];
            for &[place, low, high] in nodes {
                tick();
                let bit = table.order.bits[place as usize];
                let edge = table.node(bit, edges[low as usize], edges[high as usize]);
                edges.push(edge);
            }
            edges[root as usize]
        };
        Set::holding(&self.table, edge)
    }

    /// Some bits.
    pub fn bit_set(&self, list: impl IntoIterator<Item = usize>) -> BitSet {
        let mut table = self.table.borrow_mut();
        let mut has = vec![false; table.order.bits.len()];
        list.into_iter().for_each(|bit| has[bit] = true);
        let known = table.sets.iter().position(|other| other.has == has);
        BitSet(known.unwrap_or_else(|| {
            let last = table.order.last(&has);
            table.sets.push(Members { has, last });
            table.sets.len() - 1
        }) as u32)
    }

    /// From so many nodes on, bits change their places; at first they never do.
    pub fn sift_from(&self, nodes: usize) {
        let mut table = self.table.borrow_mut();
        (table.sifting, table.least) = (nodes, nodes);
    }

    /// The number of nodes of all sets that there are.
    pub fn size(&self) -> usize {
        let mut table = self.table.borrow_mut();
        table.collect();
        table.used
    }

    /// Looks for better places of bits now.
    #[cfg(test)]
    pub fn sift(&self) {
        let mut table = self.table.borrow_mut();
        table.collect();
        table.reorder();
    }

    /// The place of a bit, from the top.
    pub fn place(&self, bit: usize) -> usize {
        self.table.borrow().order.places[bit] as usize
    }
}

impl Order {
    /// The lowest place of one of some bits.
    pub(super) fn last(&self, has: &[bool]) -> u32 {
        let places = self.places.iter().zip(has).filter(|(_, has)| **has);
        places.map(|(place, _)| *place).max().unwrap_or(0)
    }
}

impl Clone for Set {
    fn clone(&self) -> Set {
        Set::holding(&self.table, self.edge())
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        let mut table = self.table.borrow_mut();
        table.held[self.place as usize] = TRUE;
        table.released.push(self.place);
    }
}

/// Equal sets are equal diagrams, in one package.
impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        self.edge() == other.edge()
    }
}

impl Eq for Set {}

impl Set {
    fn holding(table: &Rc<RefCell<Table>>, edge: Edge) -> Set {
        let mut inner = table.borrow_mut();
        let place = match inner.released.pop() {
            Some(place) => place,
            None => {
                inner.held.push(TRUE);
                inner.held.len() as u32 - 1
            }
        };
        inner.held[place as usize] = edge;
        Set { table: Rc::clone(table), place }
    }

    fn edge(&self) -> Edge {
        self.table.borrow().held[self.place as usize]
    }

    /// The result of an operation.
    fn made(&self, work: impl FnOnce(&mut RefMut<Table>) -> Edge) -> Set {
        let edge = {
            let mut table = self.table.borrow_mut();
            table.tidy();
            work(&mut table)
        };
        Set::holding(&self.table, edge)
    }

    /// True if it is empty.
    pub fn is_false(&self) -> bool {
        self.edge() == FALSE
    }

    /// The number of nodes, without the terminal.
    pub fn size(&self) -> usize {
        self.table.borrow().reached(self.edge()).count()
    }

    /// The bits that it reads, by number.
    pub fn reads(&self) -> Vec<usize> {
        let table = self.table.borrow();
        let mut bits: Vec<usize> = table.reached(self.edge()).map(|node| node.bit as usize).collect();
        bits.sort_unstable();
        bits.dedup();
        bits
    }

    /// The bits that are set in some assignment of a set that is not empty.
    pub fn some_bits(&self) -> Vec<usize> {
        let table = self.table.borrow();
        let (mut high, mut at) = (Vec::new(), self.edge());
        while at != TRUE {
            let bit = table.bit(at);
            let sides = table.sides(at, bit);
            at = if sides[0] == FALSE {
                high.push(bit as usize);
                sides[1]
            } else {
                sides[0]
            };
        }
        high
    }

    /// The assignments to some bits, among which are all that it reads; nothing if there are more than so many.
    pub fn assignments(&self, bits: &[usize], most: usize) -> Option<Vec<Vec<bool>>> {
        let table = self.table.borrow();
        let mut from_top: Vec<usize> = (0..bits.len()).collect();
        from_top.sort_unstable_by_key(|place| table.order.places[bits[*place]]);
        let mut list = vec![(self.edge(), vec![false; bits.len()])];
        for place in from_top {
            let sides = |(edge, mut values): (Edge, Vec<bool>)| {
                let [low, high] = table.sides(edge, bits[place] as u32);
                let without = values.clone();
                values[place] = true;
                [(low, without), (high, values)]
            };
            list = list.into_iter().flat_map(sides).filter(|(edge, _)| *edge != FALSE).collect();
            ticks(list.len());
            if list.len() > most {
                return None;
            }
        }
        Some(list.into_iter().map(|(_, values)| values).collect())
    }

    /// The value of the diagram, computed from below, from the values of the empty set and of the full one; nodes come with the places of their bits.
    pub fn folded<T: Clone>(&self, constants: [T; 2], mut node: impl FnMut(usize, T, T) -> T) -> T {
        let table = self.table.borrow();
        let [none, all] = constants;
        let mut known = FxHashMap::from_iter([(FALSE, none), (TRUE, all)]);
        let mut stack = vec![self.edge()];
        while let Some(&top) = stack.last() {
            tick();
            let bit = table.bit(top);
            if known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let [low, high] = table.sides(top, bit);
            match (known.get(&low), known.get(&high)) {
                (Some(below), Some(other)) => {
                    let place = table.order.places[bit as usize] as usize;
                    let value = node(place, below.clone(), other.clone());
                    known.insert(top, value);
                }
                (Some(_), None) => stack.push(high),
                _ => stack.push(low),
            }
        }
        known.remove(&self.edge()).expect("it was computed")
    }

    /// How many assignments to some bits, among which are all that it reads, are in the set.
    pub fn count(&self, bits: &[usize]) -> UBig {
        let mut places: Vec<u32> = {
            let table = self.table.borrow();
            bits.iter().map(|bit| table.order.places[*bit]).collect()
        };
        places.sort_unstable();
        // With how many of the bits are above.
        let count = |(count, at): (UBig, usize), above: usize| count << (at - above);
        let end = places.len();
        let constants = [(UBig::ZERO, end), (UBig::ONE, end)];
        let all = self.folded(constants, |place, low, high| {
            let at = places.partition_point(|other| (*other as usize) < place);
            (count(low, at + 1) + count(high, at + 1), at)
        });
        count(all, 0)
    }
}

/// `a & b`
pub fn and(a: &Set, b: &Set) -> Set {
    let (x, y) = (a.edge(), b.edge());
    a.made(|table| table.and(x, y))
}

/// `a | b`
pub fn or(a: &Set, b: &Set) -> Set {
    let (x, y) = (a.edge(), b.edge());
    a.made(|table| table.or(x, y))
}

/// `a & !b`
pub fn without(a: &Set, b: &Set) -> Set {
    let (x, y) = (a.edge(), b.edge());
    a.made(|table| table.and(x, y ^ 1))
}

/// `a <-> b`
pub fn same(a: &Set, b: &Set) -> Set {
    let (x, y) = (a.edge(), b.edge());
    a.made(|table| table.different(x, y) ^ 1)
}

/// `!a`
pub fn not(a: &Set) -> Set {
    let x = a.edge();
    a.made(|_| x ^ 1)
}

/// The set where `a & b` is true for some values of these bits.
pub fn and_exists(a: &Set, b: &Set, bits: BitSet) -> Set {
    let (x, y) = (a.edge(), b.edge());
    a.made(|table| table.and_exists(x, y, bits))
}

/// The set where `a` is true for some values of these bits.
pub fn exists(a: &Set, bits: BitSet) -> Set {
    let x = a.edge();
    a.made(|table| table.and_exists(TRUE, x, bits))
}

/// The set with these bits exchanged for those that follow them, which it does not read.
pub fn down(a: &Set, bits: BitSet) -> Set {
    let x = a.edge();
    a.made(|table| table.moved(DOWN, x, bits))
}

/// The set with the bits that follow these exchanged for them, which it does not read.
pub fn up(a: &Set, bits: BitSet) -> Set {
    let x = a.edge();
    a.made(|table| table.moved(UP, x, bits))
}

fn mixed(a: u32, b: u32, c: u32) -> usize {
    let sum = u64::from(a) << 32 | u64::from(b);
    let sum = (sum ^ u64::from(c).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((sum >> 32) ^ (sum >> 51)) as usize
}

impl Table {
    pub(super) fn bit(&self, edge: Edge) -> u32 {
        self.nodes[(edge >> 1) as usize].bit
    }

    /// The upper one of the first bits of two diagrams.
    fn first(&self, a: Edge, b: Edge) -> u32 {
        let (a, b) = (self.bit(a), self.bit(b));
        if self.order.places[a as usize] <= self.order.places[b as usize] { a } else { b }
    }

    /// The cofactors for a bit, clear and set; the diagram reads no bit above it.
    pub(super) fn sides(&self, edge: Edge, bit: u32) -> [Edge; 2] {
        let node = &self.nodes[(edge >> 1) as usize];
        if node.bit == bit { [node.low ^ (edge & 1), node.high ^ (edge & 1)] } else { [edge, edge] }
    }

    pub(super) fn node(&mut self, bit: u32, low: Edge, high: Edge) -> Edge {
        if low == high {
            return low;
        }
        let complement = high & 1;
        let (low, high) = (low ^ complement, high ^ complement);
        let bucket = mixed(low, high, bit) & (self.buckets.len() - 1);
        let mut at = self.buckets[bucket];
        while at != END {
            let node = &self.nodes[at as usize];
            if node.low == low && node.high == high && node.bit == bit {
                return at << 1 | complement;
            }
            at = node.next;
        }
        let node = Node { bit, low, high, next: self.buckets[bucket] };
        let number = if self.free == END {
            if self.nodes.len() >= MOST_NODES {
                lack_memory();
            }
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        } else {
            let number = self.free;
            self.free = self.nodes[number as usize].next;
            self.nodes[number as usize] = node;
            number
        };
        self.buckets[bucket] = number;
        self.used += 1;
        if self.used > self.buckets.len() {
            self.fill(2 * self.buckets.len());
        }
        number << 1 | complement
    }

    /// Takes a node out of its bucket; it is none until it is another one.
    pub(super) fn remove(&mut self, number: u32) {
        let Node { bit, low, high, next } = self.nodes[number as usize];
        self.nodes[number as usize].bit = FREE;
        let bucket = mixed(low, high, bit) & (self.buckets.len() - 1);
        if self.buckets[bucket] == number {
            self.buckets[bucket] = next;
            return;
        }
        let mut at = self.buckets[bucket];
        while self.nodes[at as usize].next != number {
            at = self.nodes[at as usize].next;
        }
        self.nodes[at as usize].next = next;
    }

    /// Makes a node that is in no bucket another one, which there is not yet.
    pub(super) fn insert(&mut self, number: u32, bit: u32, [low, high]: [Edge; 2]) {
        let bucket = mixed(low, high, bit) & (self.buckets.len() - 1);
        self.nodes[number as usize] = Node { bit, low, high, next: self.buckets[bucket] };
        self.buckets[bucket] = number;
    }

    /// A node that is in no bucket is none any more.
    pub(super) fn release(&mut self, number: u32) {
        self.nodes[number as usize] = Node { bit: FREE, low: TRUE, high: TRUE, next: self.free };
        self.free = number;
        self.used -= 1;
    }

    /// Forgets the results of operations.
    pub(super) fn forget_results(&mut self) {
        self.results.fill(NONE_YET);
    }

    /// Puts all nodes into so many buckets.
    fn fill(&mut self, buckets: usize) {
        self.buckets.clear();
        self.buckets.resize(buckets, END);
        for (number, node) in self.nodes.iter_mut().enumerate().skip(1) {
            if node.bit != FREE {
                let bucket = mixed(node.low, node.high, node.bit) & (buckets - 1);
                node.next = self.buckets[bucket];
                self.buckets[bucket] = number as u32;
            }
        }
    }

    pub(super) fn mark(&self, edge: Edge, seen: &mut [bool]) {
        let mut stack = vec![edge >> 1];
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut seen[number as usize], true) {
                let node = &self.nodes[number as usize];
                stack.extend([node.low >> 1, node.high >> 1]);
            }
        }
    }

    /// The nodes of a diagram, without the terminal.
    fn reached(&self, edge: Edge) -> impl Iterator<Item = &Node> {
        let mut seen = vec![false; self.nodes.len()];
        self.mark(edge, &mut seen);
        self.nodes.iter().zip(seen).skip(1).filter_map(|(node, seen)| seen.then_some(node))
    }

    /// If there are many nodes, forgets those that are not held, and if there are still many, looks for better places of bits.
    fn tidy(&mut self) {
        if self.used < self.limit {
            return;
        }
        self.collect();
        if self.used >= self.sifting {
            self.reorder();
        }
        // To look through everything costs little beside what came in.
        self.limit = self.used + LEAST_NODES.max(2 * self.used).max(self.results.len() / 4);
    }

    /// Looks for better places of bits. All nodes are held.
    fn reorder(&mut self) {
        let before = self.used;
        if self.order.blocks.len() > 1 {
            self.sift();
        }
        info!("better places of bits: {before} nodes become {}", self.used);
        let order = &self.order;
        self.sets.iter_mut().for_each(|set| set.last = order.last(&set.has));
        // The less it helped, the longer it is not done again.
        self.patience = if self.used * 10 < before * 9 { 2 } else { 2 * self.patience };
        self.sifting = self.least.max(self.patience * self.used);
    }

    /// Forgets nodes that are not held.
    fn collect(&mut self) {
        let mut seen = vec![false; self.nodes.len()];
        seen[0] = true;
        for number in 0..self.held.len() {
            self.mark(self.held[number], &mut seen);
        }
        (self.used, self.free) = (1, END);
        for (number, seen) in seen.iter().enumerate().skip(1) {
            if *seen {
                self.used += 1;
            } else {
                self.nodes[number].bit = FREE;
                self.nodes[number].next = self.free;
                self.free = number as u32;
            }
        }
        let is_known = |edge: Edge| seen[(edge >> 1) as usize];
        for entry in &mut self.results {
            if !(is_known(entry.a) && is_known(entry.b) && is_known(entry.result)) {
                *entry = NONE_YET;
            }
        }
        self.fill(self.buckets.len());
        ticks(self.nodes.len() / 64);
    }

    fn place(&self, tag: u32, a: Edge, b: Edge) -> usize {
        mixed(a, b, tag) & (self.results.len() - 1)
    }

    fn known(&self, tag: u32, a: Edge, b: Edge) -> Option<Edge> {
        let entry = &self.results[self.place(tag, a, b)];
        (entry.a == a && entry.b == b && entry.tag == tag).then_some(entry.result)
    }

    fn keep(&mut self, tag: u32, a: Edge, b: Edge, result: Edge) -> Edge {
        let place = self.place(tag, a, b);
        self.results[place] = Entry { tag, a, b, result };
        self.added += 1;
        if self.added > 2 * self.results.len() && self.results.len() < RESULTS.1 {
            let twice = vec![NONE_YET; 2 * self.results.len()];
            let earlier = std::mem::replace(&mut self.results, twice);
            self.added = 0;
            for entry in earlier {
                if entry != NONE_YET {
                    let place = self.place(entry.tag, entry.a, entry.b);
                    self.results[place] = entry;
                }
            }
        }
        result
    }

    fn and(&mut self, a: Edge, b: Edge) -> Edge {
        if a == b || b == TRUE {
            return a;
        }
        if a == TRUE {
            return b;
        }
        if a == FALSE || b == FALSE || a == b ^ 1 {
            return FALSE;
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.known(AND, a, b) {
            return known;
        }
        tick();
        let bit = self.first(a, b);
        let (x, y) = (self.sides(a, bit), self.sides(b, bit));
        let low = self.and(x[0], y[0]);
        let high = self.and(x[1], y[1]);
        let result = self.node(bit, low, high);
        self.keep(AND, a, b, result)
    }

    fn or(&mut self, a: Edge, b: Edge) -> Edge {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    fn different(&mut self, a: Edge, b: Edge) -> Edge {
        let complement = (a ^ b) & 1;
        let (a, b) = (a.min(b) & !1, a.max(b) & !1);
        if a == b {
            return FALSE ^ complement;
        }
        if a == TRUE {
            return b ^ 1 ^ complement;
        }
        if let Some(known) = self.known(DIFFERENT, a, b) {
            return known ^ complement;
        }
        tick();
        let bit = self.first(a, b);
        let (x, y) = (self.sides(a, bit), self.sides(b, bit));
        let low = self.different(x[0], y[0]);
        let high = self.different(x[1], y[1]);
        let result = self.node(bit, low, high);
        self.keep(DIFFERENT, a, b, result) ^ complement
    }

    fn and_exists(&mut self, a: Edge, b: Edge, bits: BitSet) -> Edge {
        if a == FALSE || b == FALSE || a == b ^ 1 {
            return FALSE;
        }
        let (a, b) = if a == b { (TRUE, b) } else { (a.min(b), a.max(b)) };
        let bit = self.first(a, b);
        let set = &self.sets[bits.0 as usize];
        if self.order.places[bit as usize] > set.last {
            return self.and(a, b);
        }
        let quantified = set.has[bit as usize];
        let tag = AND_EXISTS | bits.0 << OPERATION_BITS;
        if let Some(known) = self.known(tag, a, b) {
            return known;
        }
        tick();
        let (x, y) = (self.sides(a, bit), self.sides(b, bit));
        let low = self.and_exists(x[0], y[0], bits);
        let result = if !quantified {
            let high = self.and_exists(x[1], y[1], bits);
            self.node(bit, low, high)
        } else if low == TRUE {
            TRUE
        } else {
            let high = self.and_exists(x[1], y[1], bits);
            self.or(low, high)
        };
        self.keep(tag, a, b, result)
    }

    fn moved(&mut self, way: u32, edge: Edge, bits: BitSet) -> Edge {
        let (complement, a) = (edge & 1, edge & !1);
        let bit = self.bit(a);
        let set = &self.sets[bits.0 as usize];
        // The following bit is one place lower.
        if a == TRUE || self.order.places[bit as usize] > set.last + 1 {
            return edge;
        }
        let tag = way | bits.0 << OPERATION_BITS;
        if let Some(known) = self.known(tag, a, TRUE) {
            return known ^ complement;
        }
        tick();
        let has = |bit: u32| set.has[bit as usize];
        let to = match way {
            DOWN if has(bit) => bit + 1,
            UP if bit > 0 && has(bit - 1) => bit - 1,
            _ => bit,
        };
        let Node { low, high, .. } = self.nodes[(a >> 1) as usize];
        let low = self.moved(way, low, bits);
        let high = self.moved(way, high, bits);
        let result = self.node(to, low, high);
        self.keep(tag, a, TRUE, result) ^ complement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some sets over four bits, with the 16 truth values of each.
    fn sets(package: &Package) -> Vec<(u16, Set)> {
        let table = |of: &dyn Fn(u32) -> bool| (0..16).filter(|row| of(*row)).fold(0u16, |sum, row| sum | 1 << row);
        let mut list = vec![(0, package.constant(false)), (u16::MAX, package.constant(true))];
        for level in 0..4 {
            list.push((table(&|row| row >> level & 1 == 1), package.bits([(level, true)])));
        }
        for distance in [1, 3] {
            for number in 0..list.len() {
                let ((a, x), (b, y)) = (list[number].clone(), list[(number + distance) % list.len()].clone());
                list.push((a & b, and(&x, &y)));
                list.push((a | b, or(&x, &y)));
                list.push((a & !b, without(&x, &y)));
                list.push((!(a ^ b), same(&x, &y)));
                list.push((!a, not(&x)));
            }
        }
        list
    }

    fn table(set: &Set) -> u16 {
        let members = set.assignments(&[0, 1, 2, 3], 16).expect("no more than 16");
        let row = |bits: &Vec<bool>| bits.iter().rev().fold(0, |row, bit| 2 * row + u32::from(*bit));
        members.iter().fold(0, |sum, bits| sum | 1 << row(bits))
    }

    #[test]
    fn operations_are_those_of_sets_and_equal_sets_are_equal() {
        let package = Package::new(6, vec![2; 3]);
        let mut of_table: FxHashMap<u16, Set> = FxHashMap::default();
        for (expected, set) in sets(&package) {
            assert_eq!(table(&set), expected);
            assert_eq!(set.count(&[0, 1, 2, 3]), UBig::from(expected.count_ones()));
            assert!(*of_table.entry(expected).or_insert_with(|| set.clone()) == set);
        }
        assert!(of_table.len() > 50, "{}", of_table.len());
    }

    #[test]
    fn quantified_bits_are_forgotten() {
        let package = Package::new(6, vec![2; 3]);
        let list = sets(&package);
        for bits in [vec![], vec![0], vec![3], vec![0, 2], vec![1, 2, 3]] {
            let mask = bits.iter().fold(0, |mask, level| mask | 1 << level);
            let number = package.bit_set(bits);
            for (place, (a, x)) in list.iter().enumerate() {
                let (b, y) = &list[place * 7 % list.len()];
                let is_in =
                    |row: &u32| (0..16u32).any(|other| (a & b) >> other & 1 == 1 && other & !mask == row & !mask);
                let expected = (0..16).filter(is_in).fold(0u16, |sum, row| sum | 1 << row);
                assert_eq!(table(&and_exists(x, y, number)), expected);
            }
        }
    }

    #[test]
    fn bits_move_down_and_up_again() {
        let package = Package::new(6, vec![2; 3]);
        let bit = |level| package.bits([(level, true)]);
        let bits = package.bit_set([0, 2]);
        let set = without(&bit(0), &bit(2));
        let moved = down(&set, bits);
        assert!(moved == without(&bit(1), &bit(3)) && up(&moved, bits) == set);
    }

    #[test]
    fn what_is_held_stays_when_the_rest_is_collected() {
        let package = Package::new(6, vec![2; 3]);
        let mut list = sets(&package);
        list.truncate(40);
        let used = package.table.borrow().used;
        package.table.borrow_mut().limit = 0;
        let more = not(&package.bits([(5, true)]));
        assert!(package.table.borrow().used < used);
        for (expected, set) in &list {
            assert_eq!(table(set), *expected);
        }
        let again = sets(&package);
        for ((expected, set), (_, other)) in list.iter().zip(&again) {
            assert!(set == other && table(set) == *expected);
        }
        assert!(more == package.bits([(5, false)]));
    }
}
