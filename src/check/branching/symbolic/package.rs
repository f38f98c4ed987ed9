//! Decision diagrams of the check, which shares none with engines.
//!
//! Ordered, reduced binary decision diagrams (Bryant, *Graph-based algorithms for Boolean function manipulation*, IEEE Transactions on
//! Computers, 1986) in one table, so that equal sets are equal numbers. Results are kept in a table that forgets what is in the way.

use crate::limits::{lack_memory, tick};
use dashu_int::UBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of assignments to bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Set(u32);

/// Nothing.
pub const NONE: Set = Set(0);
/// Everything.
pub const ALL: Set = Set(1);

/// The level of both, below all others.
const BOTTOM: u32 = u32::MAX;

/// About the bytes that a node takes, with its places in tables.
const BYTES: usize = 64;

/// The least number of results that are kept.
const RESULTS: usize = 1 << 14;

/// Some levels, by their number in the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Levels(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    level: u32,
    low: Set,
    high: Set,
}

/// What a result is of: an operation, possibly with levels, and its operands.
type Key = (Operation, u32, [Set; 3]);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    /// None yet.
    Empty,
    Choice,
    JoinedSome,
    Down,
    Up,
}

/// All diagrams.
pub struct Package {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Set>,
    /// A power of two.
    results: Vec<(Key, Set)>,
    /// Per set of levels whether a level is in it, up to the last one that is.
    levels: Vec<Vec<bool>>,
    /// The most nodes.
    most: usize,
}

impl Package {
    /// Without any but the constants; it may take about so many bytes.
    pub fn new(memory: usize) -> Package {
        let terminal = |set| Node { level: BOTTOM, low: set, high: set };
        let empty = ((Operation::Empty, 0, [NONE; 3]), NONE);
        Package {
            nodes: vec![terminal(NONE), terminal(ALL)],
            numbers: FxHashMap::default(),
            results: vec![empty; RESULTS],
            levels: Vec::new(),
            most: memory / BYTES,
        }
    }

    /// Some levels, to be quantified or moved.
    pub fn levels(&mut self, list: &[u32]) -> Levels {
        let mut set = vec![false; list.iter().max().map_or(0, |last| *last as usize + 1)];
        list.iter().for_each(|level| set[*level as usize] = true);
        let known = self.levels.iter().position(|other| *other == set);
        Levels(known.unwrap_or_else(|| {
            self.levels.push(set);
            self.levels.len() - 1
        }) as u32)
    }

    /// For a conjunction that is made part by part: which of these levels may be forgotten once a part has joined, since no later
    /// one reads them.
    pub fn last_read(&mut self, parts: &[Set], levels: Levels) -> Vec<Levels> {
        let mut open = self.levels[levels.0 as usize].clone();
        let mut lists: Vec<Vec<u32>> = Vec::new();
        for part in parts.iter().rev() {
            let (read, _) = self.read(*part);
            let last: Vec<u32> = read.into_iter().filter(|level| open.get(*level as usize) == Some(&true)).collect();
            last.iter().for_each(|level| open[*level as usize] = false);
            lists.push(last);
        }
        // What no part reads is forgotten at once.
        if let Some(first) = lists.last_mut() {
            first.extend((0..).zip(&open).filter(|(_, is_open)| **is_open).map(|(level, _)| level));
        }
        lists.iter().rev().map(|list| self.levels(list)).collect()
    }

    /// The number of nodes of a set.
    pub fn size(&self, set: Set) -> usize {
        self.read(set).1
    }

    /// The levels that a set reads, and the number of its nodes.
    fn read(&self, set: Set) -> (FxHashSet<u32>, usize) {
        let (mut levels, mut seen, mut open) = (FxHashSet::default(), FxHashSet::default(), vec![set]);
        while let Some(set) = open.pop() {
            let Node { level, low, high } = self.nodes[set.0 as usize];
            if level != BOTTOM && seen.insert(set) {
                tick();
                levels.insert(level);
                open.extend([low, high]);
            }
        }
        (levels, seen.len())
    }

    /// Where the bit of a level is set.
    pub fn bit(&mut self, level: u32) -> Set {
        self.node(level, NONE, ALL)
    }

    fn node(&mut self, level: u32, low: Set, high: Set) -> Set {
        if low == high {
            return low;
        }
        let node = Node { level, low, high };
        if let Some(known) = self.numbers.get(&node) {
            return *known;
        }
        tick();
        if self.nodes.len() >= self.most {
            lack_memory();
        }
        let number = Set(self.nodes.len() as u32);
        self.nodes.push(node);
        self.numbers.insert(node, number);
        if self.nodes.len() > self.results.len() {
            let empty = ((Operation::Empty, 0, [NONE; 3]), NONE);
            self.results = vec![empty; 2 * self.results.len()];
        }
        number
    }

    fn level(&self, set: Set) -> u32 {
        self.nodes[set.0 as usize].level
    }

    /// What remains of a set where the bit of a level, which is not below its first one, is clear or set.
    fn sides(&self, set: Set, level: u32) -> [Set; 2] {
        let Node { level: own, low, high } = self.nodes[set.0 as usize];
        if own == level { [low, high] } else { [set, set] }
    }

    fn place(&self, (operation, levels, [a, b, c]): Key) -> usize {
        let mixed = [a.0, b.0, c.0, levels, operation as u32];
        let mixed = mixed
            .iter()
            .fold(0u64, |sum, part| (sum.rotate_left(5) ^ u64::from(*part)).wrapping_mul(0x51_7c_c1_b7_27_22_0a_95));
        (mixed >> 24) as usize & (self.results.len() - 1)
    }

    fn known(&self, key: Key) -> Option<Set> {
        let (other, result) = self.results[self.place(key)];
        (other == key).then_some(result)
    }

    fn keep(&mut self, key: Key, result: Set) -> Set {
        let place = self.place(key);
        self.results[place] = (key, result);
        result
    }

    /// `yes` where the condition is true, `no` elsewhere.
    pub fn choice(&mut self, condition: Set, yes: Set, no: Set) -> Set {
        match (condition, yes, no) {
            (ALL, _, _) => return yes,
            (NONE, _, _) => return no,
            _ if yes == no => return yes,
            (_, ALL, NONE) => return condition,
            _ => {}
        }
        let key = (Operation::Choice, 0, [condition, yes, no]);
        if let Some(known) = self.known(key) {
            return known;
        }
        tick();
        let level = self.level(condition).min(self.level(yes)).min(self.level(no));
        let [c, y, n] = [condition, yes, no].map(|set| self.sides(set, level));
        let low = self.choice(c[0], y[0], n[0]);
        let high = self.choice(c[1], y[1], n[1]);
        let result = self.node(level, low, high);
        self.keep(key, result)
    }

    /// The intersection.
    pub fn and(&mut self, a: Set, b: Set) -> Set {
        self.choice(a.min(b), a.max(b), NONE)
    }

    /// The union.
    pub fn or(&mut self, a: Set, b: Set) -> Set {
        self.choice(a.min(b), ALL, a.max(b))
    }

    /// The complement.
    pub fn not(&mut self, a: Set) -> Set {
        self.choice(a, NONE, ALL)
    }

    /// What is in the first one only.
    pub fn without(&mut self, a: Set, b: Set) -> Set {
        self.choice(b, NONE, a)
    }

    /// Where both are equal.
    pub fn same(&mut self, a: Set, b: Set) -> Set {
        let other = self.not(b);
        self.choice(a, b, other)
    }

    /// Where some values of the bits of these levels lead to both.
    pub fn and_some(&mut self, a: Set, b: Set, levels: Levels) -> Set {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (NONE, _) => return NONE,
            (ALL, ALL) => return ALL,
            _ => {}
        }
        let level = self.level(a).min(self.level(b));
        if level as usize >= self.levels[levels.0 as usize].len() {
            return self.and(a, b);
        }
        let key = (Operation::JoinedSome, levels.0, [a, b, NONE]);
        if let Some(known) = self.known(key) {
            return known;
        }
        tick();
        let [x, y] = [a, b].map(|set| self.sides(set, level));
        let low = self.and_some(x[0], y[0], levels);
        let result = if !self.levels[levels.0 as usize][level as usize] {
            let high = self.and_some(x[1], y[1], levels);
            self.node(level, low, high)
        } else if low == ALL {
            ALL
        } else {
            let high = self.and_some(x[1], y[1], levels);
            self.or(low, high)
        };
        self.keep(key, result)
    }

    /// Where some values of the bits of these levels lead to the set.
    pub fn some(&mut self, a: Set, levels: Levels) -> Set {
        self.and_some(ALL, a, levels)
    }

    /// The set with each of these levels moved down by one, to a level that it does not read.
    pub fn down(&mut self, a: Set, levels: Levels) -> Set {
        self.moved(Operation::Down, a, levels)
    }

    /// The set with what is one below these levels moved up to them, which it does not read.
    pub fn up(&mut self, a: Set, levels: Levels) -> Set {
        self.moved(Operation::Up, a, levels)
    }

    fn moved(&mut self, way: Operation, a: Set, levels: Levels) -> Set {
        let level = self.level(a);
        if level == BOTTOM {
            return a;
        }
        let key = (way, levels.0, [a, NONE, NONE]);
        if let Some(known) = self.known(key) {
            return known;
        }
        tick();
        let has = |level: u32| self.levels[levels.0 as usize].get(level as usize) == Some(&true);
        let to = match way {
            Operation::Up if level > 0 && has(level - 1) => level - 1,
            Operation::Down if has(level) => level + 1,
            _ => level,
        };
        let Node { low, high, .. } = self.nodes[a.0 as usize];
        let (low, high) = (self.moved(way, low, levels), self.moved(way, high, levels));
        let result = self.node(to, low, high);
        self.keep(key, result)
    }

    /// Whether an assignment is in the set.
    pub fn contains(&self, mut set: Set, bit: impl Fn(u32) -> bool) -> bool {
        while let Node { level, low, high } = self.nodes[set.0 as usize]
            && level != BOTTOM
        {
            set = if bit(level) { high } else { low };
        }
        set == ALL
    }

    /// How many assignments to the bits of these levels, which ascend and contain all that it reads, a set has.
    pub fn count(&self, set: Set, levels: &[u32]) -> UBig {
        let mut known = FxHashMap::default();
        let count = self.count_below(set, levels, &mut known);
        count << self.rank(set, levels)
    }

    /// How many of the levels are above the first one of a set.
    fn rank(&self, set: Set, levels: &[u32]) -> usize {
        levels.partition_point(|level| *level < self.level(set))
    }

    fn count_below(&self, set: Set, levels: &[u32], known: &mut FxHashMap<Set, UBig>) -> UBig {
        match set {
            NONE => return UBig::ZERO,
            ALL => return UBig::ONE,
            _ => {}
        }
        if let Some(count) = known.get(&set) {
            return count.clone();
        }
        tick();
        let Node { low, high, .. } = self.nodes[set.0 as usize];
        let above = self.rank(set, levels) + 1;
        let side = |side: Set, known: &mut FxHashMap<Set, UBig>| {
            self.count_below(side, levels, known) << (self.rank(side, levels) - above)
        };
        let count = side(low, known) + side(high, known);
        known.insert(set, count.clone());
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{Exceeded, Limits};

    const BITS: u32 = 4;

    /// Formulas over four bits, as tables of 16 truth values, and as sets.
    fn all_of_two_operators(package: &mut Package) -> Vec<(u16, Set)> {
        let table = |of: &dyn Fn(u32) -> bool| (0..16).filter(|row| of(*row)).fold(0u16, |sum, row| sum | 1 << row);
        let mut list = vec![(0, NONE), (u16::MAX, ALL)];
        for level in 0..BITS {
            list.push((table(&|row| row >> level & 1 == 1), package.bit(level)));
        }
        for _ in 0..2 {
            let known = list.clone();
            for (number, (a, x)) in known.iter().enumerate() {
                for distance in 1..8 {
                    let (b, y) = known[(number + distance) % known.len()];
                    list.push((a & b, package.and(*x, y)));
                    list.push((a | b, package.or(*x, y)));
                    list.push((a & !b, package.without(*x, y)));
                    list.push((!(a ^ b), package.same(*x, y)));
                }
            }
            list.sort_unstable();
            list.dedup();
        }
        list
    }

    fn table(package: &Package, set: Set) -> u16 {
        let rows = (0..16).filter(|row: &u32| package.contains(set, |level| row >> level & 1 == 1));
        rows.fold(0, |sum, row| sum | 1 << row)
    }

    #[test]
    fn operations_are_those_of_sets_and_equal_sets_are_equal() {
        let mut package = Package::new(1 << 24);
        let list = all_of_two_operators(&mut package);
        let mut of_table = FxHashMap::default();
        for (expected, set) in &list {
            assert_eq!(table(&package, *set), *expected);
            assert_eq!(*of_table.entry(*expected).or_insert(*set), *set);
            assert_eq!(package.count(*set, &[0, 1, 2, 3]), UBig::from(expected.count_ones()));
            let complement = package.not(*set);
            assert_eq!(table(&package, complement), !*expected);
        }
        assert!(of_table.len() > 200, "{}", of_table.len());
    }

    #[test]
    fn quantified_bits_are_forgotten() {
        let mut package = Package::new(1 << 24);
        let list = all_of_two_operators(&mut package);
        for levels in [vec![], vec![0], vec![3], vec![0, 2], vec![1, 2, 3]] {
            let number = package.levels(&levels);
            let mask = levels.iter().fold(0, |mask, level| mask | 1 << level);
            for (pair, (a, x)) in list.iter().enumerate() {
                let (b, y) = list[(pair * 7) % list.len()];
                let joined = package.and_some(*x, y, number);
                let is_in =
                    |row: &u32| (0..16).any(|other: u32| (a & b) >> other & 1 == 1 && other & !mask == row & !mask);
                let expected = (0..16).filter(is_in).fold(0u16, |sum, row| sum | 1 << row);
                assert_eq!(table(&package, joined), expected);
            }
        }
    }

    #[test]
    fn levels_move_down_and_up_again() {
        let mut package = Package::new(1 << 24);
        let levels = package.levels(&[0, 2]);
        let (a, b) = (package.bit(0), package.bit(2));
        let (below_a, below_b) = (package.bit(1), package.bit(3));
        let (set, expected) = (package.without(a, b), package.without(below_a, below_b));
        let moved = package.down(set, levels);
        assert_eq!(moved, expected);
        assert_eq!(package.up(moved, levels), set);
        let one = package.levels(&[0]);
        let half = package.without(below_a, b);
        assert_eq!(package.down(set, one), half);
    }

    #[test]
    fn counts_are_over_the_levels_that_are_given() {
        let mut package = Package::new(1 << 24);
        let bit = package.bit(6);
        assert_eq!(package.count(bit, &[2, 6, 8]), UBig::from(4u8));
        assert_eq!(package.count(ALL, &[2, 6, 8]), UBig::from(8u8));
        assert_eq!(package.count(NONE, &[2, 6, 8]), UBig::ZERO);
        let levels: Vec<u32> = (0..200).collect();
        assert_eq!(package.count(bit, &levels), UBig::ONE << 199);
    }

    #[test]
    fn memory_is_limited() {
        let parity = || {
            let mut package = Package::new(BYTES * 100);
            (0..100).fold(NONE, |sum, level| {
                let bit = package.bit(level);
                let other = package.not(sum);
                package.choice(bit, other, sum)
            })
        };
        assert_eq!(Limits::default().within(parity), Err(Exceeded::Memory));
    }
}
