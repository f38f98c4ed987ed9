//! Decision diagrams in a table that all of them share, with complements marked at the edges (Brace, Rudell, Bryant, *Efficient
//! implementation of a BDD package*, DAC 1990).
//!
//! A [`Set`] keeps what it needs alive; the rest is collected between operations. Operations count their steps ([`tick`]), and can be
//! abandoned in the midst.

use crate::limits::{lack_memory, tick, ticks};
use dashu_int::UBig;
use rustc_hash::FxHashMap;
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

/// A node, and whether its complement is meant: the lowest bit.
type Edge = u32;

const TRUE: Edge = 0;
const FALSE: Edge = 1;

/// The level of the terminal, below all others.
const BOTTOM: u32 = u32::MAX;

/// The level of nodes that are none.
const FREE: u32 = u32::MAX - 1;

/// The end of a list of nodes.
const END: u32 = u32::MAX;

/// The number of nodes that are there before any are collected.
const LEAST_NODES: usize = 1 << 17;

/// The least and the largest number of results that are kept.
const RESULTS: (usize, usize) = (1 << 12, 1 << 23);

/// The most nodes: an edge has a bit for the complement.
const MOST_NODES: usize = 1 << 30;

#[derive(Clone, Copy)]
struct Node {
    level: u32,
    low: Edge,
    /// Never a complement.
    high: Edge,
    /// The next one in the same bucket, or that is free.
    next: u32,
}

/// A result of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// The operation and its levels; 0 if there is none.
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

/// Some levels of bits, which are quantified or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels(u32);

struct Table {
    nodes: Vec<Node>,
    /// The first free node.
    free: u32,
    /// Nodes in use.
    used: usize,
    /// When so many are used, nodes are collected before the next operation.
    limit: usize,
    /// A power of two.
    buckets: Vec<u32>,
    /// A power of two.
    results: Vec<Entry>,
    /// Results that were added since there were more places for them.
    added: usize,
    /// The edges that are held, by the places of the sets that hold them.
    held: Vec<Edge>,
    released: Vec<u32>,
    /// Per set of levels whether a level is in it, up to the last one that is.
    levels: Vec<Vec<bool>>,
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
    /// With nothing but the constants.
    pub fn new() -> Package {
        let terminal = Node { level: BOTTOM, low: TRUE, high: TRUE, next: END };
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
            levels: Vec::new(),
        };
        Package { table: Rc::new(RefCell::new(table)) }
    }

    /// Everything, or nothing.
    pub fn constant(&self, all: bool) -> Set {
        Set::holding(&self.table, if all { TRUE } else { FALSE })
    }

    /// The set of assignments in which bits have these values.
    pub fn bits(&self, values: impl IntoIterator<Item = (usize, bool)>) -> Set {
        let mut list: Vec<(usize, bool)> = values.into_iter().collect();
        list.sort_unstable();
        let edge = {
            let mut table = self.table.borrow_mut();
            list.into_iter().rev().fold(TRUE, |below, (level, value)| {
                let [low, high] = if value { [FALSE, below] } else { [below, FALSE] };
                table.node(level as u32, low, high)
            })
        };
        Set::holding(&self.table, edge)
    }

    /// Some levels.
    pub fn levels(&self, list: impl IntoIterator<Item = usize>) -> Levels {
        let mut table = self.table.borrow_mut();
        let mut set = Vec::new();
        for level in list {
            set.resize(set.len().max(level + 1), false);
            set[level] = true;
        }
        let known = table.levels.iter().position(|other| *other == set);
        Levels(known.unwrap_or_else(|| {
            table.levels.push(set);
            table.levels.len() - 1
        }) as u32)
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
            table.collect_if_due();
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

    /// The levels that it reads, in order.
    pub fn reads(&self) -> Vec<usize> {
        let table = self.table.borrow();
        let mut levels: Vec<usize> = table.reached(self.edge()).map(|node| node.level as usize).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// The levels of the bits that are set in some assignment of a set that is not empty.
    pub fn some_bits(&self) -> Vec<usize> {
        let table = self.table.borrow();
        let (mut high, mut at) = (Vec::new(), self.edge());
        while at != TRUE {
            let level = table.level(at);
            let sides = table.sides(at, level);
            at = if sides[0] == FALSE {
                high.push(level as usize);
                sides[1]
            } else {
                sides[0]
            };
        }
        high
    }

    /// The assignments to the bits of some levels, which ascend and contain all that it reads; nothing if there are more than so many.
    pub fn assignments(&self, levels: &[usize], most: usize) -> Option<Vec<Vec<bool>>> {
        let table = self.table.borrow();
        let mut list = vec![(self.edge(), Vec::new())];
        for level in levels {
            let sides = |(edge, bits): (Edge, Vec<bool>)| {
                let sides = table.sides(edge, *level as u32);
                [false, true].map(|bit| (sides[usize::from(bit)], [&bits[..], &[bit]].concat()))
            };
            list = list.into_iter().flat_map(sides).filter(|(edge, _)| *edge != FALSE).collect();
            ticks(list.len());
            if list.len() > most {
                return None;
            }
        }
        Some(list.into_iter().map(|(_, bits)| bits).collect())
    }

    /// The value of the diagram, computed from below, from the values of the empty set and of the full one.
    pub fn folded<T: Clone>(&self, constants: [T; 2], mut node: impl FnMut(usize, T, T) -> T) -> T {
        let table = self.table.borrow();
        let [none, all] = constants;
        let mut known = FxHashMap::from_iter([(FALSE, none), (TRUE, all)]);
        let mut stack = vec![self.edge()];
        while let Some(&top) = stack.last() {
            tick();
            let level = table.level(top);
            if known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let [low, high] = table.sides(top, level);
            match (known.get(&low), known.get(&high)) {
                (Some(below), Some(other)) => {
                    let value = node(level as usize, below.clone(), other.clone());
                    known.insert(top, value);
                }
                (Some(_), None) => stack.push(high),
                _ => stack.push(low),
            }
        }
        known.remove(&self.edge()).expect("it was computed")
    }

    /// How many assignments to the bits of some levels, which ascend and contain all that it reads, are in the set.
    pub fn count(&self, levels: &[usize]) -> UBig {
        // With how many of the levels are above.
        let count = |(count, at): (UBig, usize), above: usize| count << (at - above);
        let end = levels.len();
        let constants = [(UBig::ZERO, end), (UBig::ONE, end)];
        let all = self.folded(constants, |level, low, high| {
            let at = levels.partition_point(|other| *other < level);
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

/// The set where `a & b` is true for some values of the bits on these levels.
pub fn and_exists(a: &Set, b: &Set, levels: Levels) -> Set {
    let (x, y) = (a.edge(), b.edge());
    a.made(|table| table.and_exists(x, y, levels))
}

/// The set where `a` is true for some values of the bits on these levels.
pub fn exists(a: &Set, levels: Levels) -> Set {
    let x = a.edge();
    a.made(|table| table.and_exists(TRUE, x, levels))
}

/// The set with the bits of these levels one level further down, which it does not read.
pub fn down(a: &Set, levels: Levels) -> Set {
    let x = a.edge();
    a.made(|table| table.moved(DOWN, x, levels))
}

/// The set with the bits one below these levels moved up to them, which it does not read.
pub fn up(a: &Set, levels: Levels) -> Set {
    let x = a.edge();
    a.made(|table| table.moved(UP, x, levels))
}

fn mixed(a: u32, b: u32, c: u32) -> usize {
    let sum = u64::from(a) << 32 | u64::from(b);
    let sum = (sum ^ u64::from(c).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((sum >> 32) ^ (sum >> 51)) as usize
}

impl Table {
    fn level(&self, edge: Edge) -> u32 {
        self.nodes[(edge >> 1) as usize].level
    }

    /// The cofactors for the bit of a level, clear and set; the level is not below the first one.
    fn sides(&self, edge: Edge, level: u32) -> [Edge; 2] {
        let node = &self.nodes[(edge >> 1) as usize];
        if node.level == level { [node.low ^ (edge & 1), node.high ^ (edge & 1)] } else { [edge, edge] }
    }

    fn node(&mut self, level: u32, low: Edge, high: Edge) -> Edge {
        if low == high {
            return low;
        }
        let complement = high & 1;
        let (low, high) = (low ^ complement, high ^ complement);
        let bucket = mixed(low, high, level) & (self.buckets.len() - 1);
        let mut at = self.buckets[bucket];
        while at != END {
            let node = &self.nodes[at as usize];
            if node.low == low && node.high == high && node.level == level {
                return at << 1 | complement;
            }
            at = node.next;
        }
        let node = Node { level, low, high, next: self.buckets[bucket] };
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

    /// Puts all nodes into so many buckets.
    fn fill(&mut self, buckets: usize) {
        self.buckets.clear();
        self.buckets.resize(buckets, END);
        for (number, node) in self.nodes.iter_mut().enumerate().skip(1) {
            if node.level != FREE {
                let bucket = mixed(node.low, node.high, node.level) & (buckets - 1);
                node.next = self.buckets[bucket];
                self.buckets[bucket] = number as u32;
            }
        }
    }

    fn mark(&self, edge: Edge, seen: &mut [bool]) {
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

    /// Forgets nodes that are not held, if there are many.
    fn collect_if_due(&mut self) {
        if self.used < self.limit {
            return;
        }
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
                self.nodes[number].level = FREE;
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
        self.limit = LEAST_NODES.max(3 * self.used);
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
        let level = self.level(a).min(self.level(b));
        let (x, y) = (self.sides(a, level), self.sides(b, level));
        let low = self.and(x[0], y[0]);
        let high = self.and(x[1], y[1]);
        let result = self.node(level, low, high);
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
        let level = self.level(a).min(self.level(b));
        let (x, y) = (self.sides(a, level), self.sides(b, level));
        let low = self.different(x[0], y[0]);
        let high = self.different(x[1], y[1]);
        let result = self.node(level, low, high);
        self.keep(DIFFERENT, a, b, result) ^ complement
    }

    fn and_exists(&mut self, a: Edge, b: Edge, levels: Levels) -> Edge {
        if a == FALSE || b == FALSE || a == b ^ 1 {
            return FALSE;
        }
        let (a, b) = if a == b { (TRUE, b) } else { (a.min(b), a.max(b)) };
        let level = self.level(a).min(self.level(b));
        let set = &self.levels[levels.0 as usize];
        if level as usize >= set.len() {
            return self.and(a, b);
        }
        let quantified = set[level as usize];
        let tag = AND_EXISTS | levels.0 << OPERATION_BITS;
        if let Some(known) = self.known(tag, a, b) {
            return known;
        }
        tick();
        let (x, y) = (self.sides(a, level), self.sides(b, level));
        let low = self.and_exists(x[0], y[0], levels);
        let result = if !quantified {
            let high = self.and_exists(x[1], y[1], levels);
            self.node(level, low, high)
        } else if low == TRUE {
            TRUE
        } else {
            let high = self.and_exists(x[1], y[1], levels);
            self.or(low, high)
        };
        self.keep(tag, a, b, result)
    }

    fn moved(&mut self, way: u32, edge: Edge, levels: Levels) -> Edge {
        let (complement, a) = (edge & 1, edge & !1);
        let level = self.level(a);
        let set = &self.levels[levels.0 as usize];
        if a == TRUE || level as usize > set.len() {
            return edge;
        }
        let tag = way | levels.0 << OPERATION_BITS;
        if let Some(known) = self.known(tag, a, TRUE) {
            return known ^ complement;
        }
        tick();
        let has = |level: u32| set.get(level as usize) == Some(&true);
        let to = match way {
            DOWN if has(level) => level + 1,
            UP if level > 0 && has(level - 1) => level - 1,
            _ => level,
        };
        let Node { low, high, .. } = self.nodes[(a >> 1) as usize];
        let low = self.moved(way, low, levels);
        let high = self.moved(way, high, levels);
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
        let package = Package::new();
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
        let package = Package::new();
        let list = sets(&package);
        for levels in [vec![], vec![0], vec![3], vec![0, 2], vec![1, 2, 3]] {
            let mask = levels.iter().fold(0, |mask, level| mask | 1 << level);
            let number = package.levels(levels);
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
    fn levels_move_down_and_up_again() {
        let package = Package::new();
        let bit = |level| package.bits([(level, true)]);
        let levels = package.levels([0, 2]);
        let set = without(&bit(0), &bit(2));
        let moved = down(&set, levels);
        assert!(moved == without(&bit(1), &bit(3)) && up(&moved, levels) == set);
    }

    #[test]
    fn what_is_held_stays_when_the_rest_is_collected() {
        let package = Package::new();
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
