//! Decision diagrams of the check, which shares none with engines.
//!
//! Ordered, reduced binary decision diagrams (Bryant, *Graph-based algorithms for Boolean function manipulation*, IEEE Transactions on
//! Computers, 1986) in one table, so that equal sets are equal numbers. Results are kept in a table that forgets what is in the way.
//!
//! Children of a node have smaller numbers. So a computation may forget what it made on the way: [`Package::forget`]
//! renumbers the sets since a [`Mark`] that are still wanted, and leaves those from before alone. The use of a
//! forgotten set panics.

use crate::limits::{lack_memory, tick, ticks};
use dashu_int::UBig;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{Hash, Hasher};

/// A set of assignments to bits.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    number: Number,
    /// How often something had been forgotten when it was made.
    age: u32,
}

/// The number of a node.
type Number = u32;

const EMPTY: Number = 0;
const FULL: Number = 1;

/// Nothing.
pub const NONE: Set = Set { number: EMPTY, age: 0 };
/// Everything.
pub const ALL: Set = Set { number: FULL, age: 0 };

/// The level of both, below all others.
const BOTTOM: u32 = u32::MAX;

/// The end of a list of nodes.
const END: Number = u32::MAX;

/// About the bytes that a node takes, with its places in tables.
const BYTES: usize = 40;

/// The least number of results that are kept.
const RESULTS: usize = 1 << 14;

/// The number of nodes that are forgotten at least, and less if there may not be so many.
const FEW_NODES: usize = 1 << 18;

/// Some levels, by their number in the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Levels(u32);

/// The sets that were there.
#[derive(Clone, Copy, Debug)]
pub struct Mark(Number);

#[derive(Clone, Copy)]
struct Node {
    level: u32,
    low: Number,
    high: Number,
    /// The next one in its bucket.
    next: Number,
}

/// The key of a result: an operation and its levels, and operands.
type Key = (u32, [Number; 3]);

/// No result yet.
const UNKNOWN: (Key, Number) = ((0, [EMPTY; 3]), EMPTY);

/// An operation.
#[derive(Clone, Copy)]
enum Operation {
    Choice = 1,
    JoinedSome,
    Down,
    Up,
}

impl Operation {
    fn with(self, levels: Levels) -> u32 {
        levels.0 << 3 | self as u32
    }
}

/// All diagrams.
pub struct Package {
    nodes: Vec<Node>,
    /// The first node of each; a power of two.
    buckets: Vec<Number>,
    /// A power of two.
    results: Vec<(Key, Number)>,
    /// Results that were added since there were more places for them.
    added: usize,
    /// Per set of levels whether a level is in it, up to the last one that is.
    levels: Vec<Vec<bool>>,
    /// The most nodes.
    most: usize,
    /// Per age the first number of those that sets had then and that were forgotten since.
    forgotten: Vec<Number>,
    /// The least number of nodes that are forgotten.
    few: usize,
    /// The number of nodes that were there when some had been forgotten.
    left: usize,
}

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        self.number == other.number
    }
}

impl Eq for Set {}

impl Hash for Set {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl Package {
    /// Without any but the constants; it may take about so many bytes.
    pub fn new(memory: usize) -> Package {
        let terminal = |number| Node { level: BOTTOM, low: number, high: number, next: END };
        let most = (memory / BYTES).min(END as usize);
        Package {
            nodes: vec![terminal(EMPTY), terminal(FULL)],
            buckets: vec![END; RESULTS],
            results: vec![UNKNOWN; RESULTS],
            added: 0,
            levels: Vec::new(),
            most,
            forgotten: vec![END],
            few: FEW_NODES.min(most / 8),
            left: 0,
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
            let read = self.read(*part);
            let last: Vec<u32> = read.into_iter().filter(|level| open.get(*level as usize) == Some(&true)).collect();
            last.iter().for_each(|level| open[*level as usize] = false);
            lists.push(last);
        }
        // Levels that no part reads are forgotten at once.
        if let Some(first) = lists.last_mut() {
            first.extend((0..).zip(&open).filter(|(_, is_open)| **is_open).map(|(level, _)| level));
        }
        lists.iter().rev().map(|list| self.levels(list)).collect()
    }

    /// The number of nodes of a set.
    pub fn size(&self, set: Set) -> usize {
        self.below(set).len()
    }

    /// The levels that a set reads.
    pub fn read(&self, set: Set) -> FxHashSet<u32> {
        self.below(set).into_iter().map(|number| self.nodes[number as usize].level).collect()
    }

    /// The nodes of a set.
    fn below(&self, set: Set) -> FxHashSet<Number> {
        let (mut seen, mut open) = (FxHashSet::default(), vec![self.number(set)]);
        while let Some(number) = open.pop() {
            let Node { level, low, high, .. } = self.nodes[number as usize];
            if level != BOTTOM && seen.insert(number) {
                tick();
                open.extend([low, high]);
            }
        }
        seen
    }

    /// True if a level is one of some.
    pub fn is_in(&self, level: u32, levels: Levels) -> bool {
        self.levels[levels.0 as usize].get(level as usize) == Some(&true)
    }

    fn set(&self, number: Number) -> Set {
        Set { number, age: self.forgotten.len() as u32 - 1 }
    }

    fn number(&self, set: Set) -> Number {
        assert!(set.number <= FULL || set.number < self.forgotten[set.age as usize], "a set that was forgotten");
        set.number
    }

    /// All sets that there are.
    pub fn mark(&self) -> Mark {
        Mark(self.nodes.len() as Number)
    }

    /// Forgets what was made since a mark but for these sets, if there is much.
    pub fn forget(&mut self, mark: Mark, wanted: &mut [&mut Set]) {
        let first = mark.0 as usize;
        let (count, new) = (self.nodes.len(), self.nodes.len() - first);
        // Work on all nodes shall be worth it.
        if new < self.few || new < count / 2 || count < self.left + self.left.min(self.most / 8) {
            return;
        }
        ticks(count / 64);
        let mut is_wanted = vec![false; self.nodes.len() - first];
        for set in &*wanted {
            let number = self.number(**set) as usize;
            if number >= first {
                is_wanted[number - first] = true;
            }
        }
        for number in (first..self.nodes.len()).rev() {
            if is_wanted[number - first] {
                let Node { low, high, .. } = self.nodes[number];
                for child in [low as usize, high as usize].into_iter().filter(|child| *child >= first) {
                    is_wanted[child - first] = true;
                }
            }
        }
        let mut numbers = vec![END; is_wanted.len()];
        let mut end = first;
        let renamed = |numbers: &[Number], number: Number| match (number as usize).checked_sub(first) {
            Some(place) => numbers[place],
            None => number,
        };
        for number in first..self.nodes.len() {
            if is_wanted[number - first] {
                let node = self.nodes[number];
                let (low, high) = (renamed(&numbers, node.low), renamed(&numbers, node.high));
                self.nodes[end] = Node { low, high, ..node };
                numbers[number - first] = end as Number;
                end += 1;
            }
        }
        self.nodes.truncate(end);
        self.fill(self.buckets.len());
        for result in &mut self.results {
            let ((operation, operands), of) = *result;
            let (operands, of) = (operands.map(|it| renamed(&numbers, it)), renamed(&numbers, of));
            *result = if operands.contains(&END) || of == END { UNKNOWN } else { ((operation, operands), of) };
        }
        self.place_again(self.results.len());
        self.forgotten.iter_mut().for_each(|number| *number = mark.0.min(*number));
        self.forgotten.push(END);
        for set in wanted {
            **set = self.set(renamed(&numbers, set.number));
        }
        self.left = end;
    }

    /// The set that is one set where the bit of a level is clear, and another one where it is set; nothing if one of
    /// these reads that level, or one above.
    pub fn split(&mut self, level: u32, clear: Set, set: Set) -> Option<Set> {
        let [low, high] = [clear, set].map(|set| self.number(set));
        let fits = level < self.level(low) && level < self.level(high);
        fits.then(|| self.node(level, low, high)).map(|number| self.set(number))
    }

    /// The set where the bit of a level is set.
    pub fn bit(&mut self, level: u32) -> Set {
        let number = self.node(level, EMPTY, FULL);
        self.set(number)
    }

    fn bucket(&self, level: u32, low: Number, high: Number) -> usize {
        mixed([level, low, high]) & (self.buckets.len() - 1)
    }

    fn node(&mut self, level: u32, low: Number, high: Number) -> Number {
        if low == high {
            return low;
        }
        let bucket = self.bucket(level, low, high);
        let mut at = self.buckets[bucket];
        while at != END {
            let node = self.nodes[at as usize];
            if (node.level, node.low, node.high) == (level, low, high) {
                return at;
            }
            at = node.next;
        }
        tick();
        if self.nodes.len() >= self.most {
            lack_memory();
        }
        let number = self.nodes.len() as Number;
        self.nodes.push(Node { level, low, high, next: self.buckets[bucket] });
        self.buckets[bucket] = number;
        if self.nodes.len() > self.buckets.len() {
            self.fill(2 * self.buckets.len());
        }
        number
    }

    /// Puts all nodes into so many buckets.
    fn fill(&mut self, count: usize) {
        self.buckets.clear();
        self.buckets.resize(count, END);
        for number in 2..self.nodes.len() {
            let Node { level, low, high, .. } = self.nodes[number];
            let bucket = self.bucket(level, low, high);
            self.nodes[number].next = self.buckets[bucket];
            self.buckets[bucket] = number as Number;
        }
    }

    /// Gives results so many places.
    fn place_again(&mut self, count: usize) {
        let earlier = std::mem::replace(&mut self.results, vec![UNKNOWN; count]);
        for (key, result) in earlier {
            if (key, result) != UNKNOWN {
                let place = self.place(key);
                self.results[place] = (key, result);
            }
        }
    }

    fn level(&self, number: Number) -> u32 {
        self.nodes[number as usize].level
    }

    /// The cofactors of a set for the bit of a level, clear and set; the level is not below its first one.
    fn sides(&self, number: Number, level: u32) -> [Number; 2] {
        let Node { level: own, low, high, .. } = self.nodes[number as usize];
        if own == level { [low, high] } else { [number, number] }
    }

    fn place(&self, (operation, [a, b, c]): Key) -> usize {
        mixed([a ^ operation.rotate_left(20), b, c]) & (self.results.len() - 1)
    }

    fn known(&self, key: Key) -> Option<Number> {
        let (other, result) = self.results[self.place(key)];
        (other == key).then_some(result)
    }

    fn keep(&mut self, key: Key, result: Number) -> Number {
        let place = self.place(key);
        self.results[place] = (key, result);
        self.added += 1;
        if self.added > 2 * self.results.len() && self.results.len() < self.most / 4 {
            self.added = 0;
            self.place_again(2 * self.results.len());
        }
        result
    }

    /// `yes` where the condition is true, `no` elsewhere.
    pub fn choice(&mut self, condition: Set, yes: Set, no: Set) -> Set {
        let [condition, yes, no] = [condition, yes, no].map(|set| self.number(set));
        let number = self.chosen(condition, yes, no);
        self.set(number)
    }

    fn chosen(&mut self, condition: Number, yes: Number, no: Number) -> Number {
        match (condition, yes, no) {
            (FULL, _, _) => return yes,
            (EMPTY, _, _) => return no,
            _ if yes == no => return yes,
            (_, FULL, EMPTY) => return condition,
            _ if condition == yes => return self.chosen(condition, FULL, no),
            _ if condition == no => return self.chosen(condition, yes, EMPTY),
            _ => {}
        }
        let key = (Operation::Choice as u32, [condition, yes, no]);
        if let Some(known) = self.known(key) {
            return known;
        }
        tick();
        let level = self.level(condition).min(self.level(yes)).min(self.level(no));
        let [c, y, n] = [condition, yes, no].map(|number| self.sides(number, level));
        let low = self.chosen(c[0], y[0], n[0]);
        let high = self.chosen(c[1], y[1], n[1]);
        let result = self.node(level, low, high);
        self.keep(key, result)
    }

    fn joined(&mut self, a: Number, b: Number) -> Number {
        self.chosen(a.min(b), a.max(b), EMPTY)
    }

    fn united(&mut self, a: Number, b: Number) -> Number {
        self.chosen(a.min(b), FULL, a.max(b))
    }

    /// The intersection.
    pub fn and(&mut self, a: Set, b: Set) -> Set {
        let (a, b) = (self.number(a), self.number(b));
        let number = self.joined(a, b);
        self.set(number)
    }

    /// The union.
    pub fn or(&mut self, a: Set, b: Set) -> Set {
        let (a, b) = (self.number(a), self.number(b));
        let number = self.united(a, b);
        self.set(number)
    }

    /// The complement.
    pub fn not(&mut self, a: Set) -> Set {
        self.choice(a, NONE, ALL)
    }

    /// The difference: the part of the first one that is not in the second one.
    pub fn without(&mut self, a: Set, b: Set) -> Set {
        self.choice(b, NONE, a)
    }

    /// The set where both are equal.
    pub fn same(&mut self, a: Set, b: Set) -> Set {
        let other = self.not(b);
        self.choice(a, b, other)
    }

    /// The set where some values of the bits of these levels lead to both.
    pub fn and_some(&mut self, a: Set, b: Set, levels: Levels) -> Set {
        let (a, b) = (self.number(a), self.number(b));
        let number = self.joined_some(a, b, levels);
        self.set(number)
    }

    fn joined_some(&mut self, a: Number, b: Number, levels: Levels) -> Number {
        let (a, b) = if a == b { (FULL, b) } else { (a.min(b), a.max(b)) };
        match (a, b) {
            (EMPTY, _) | (_, EMPTY) => return EMPTY,
            (FULL, FULL) => return FULL,
            _ => {}
        }
        let level = self.level(a).min(self.level(b));
        if level as usize >= self.levels[levels.0 as usize].len() {
            return self.joined(a, b);
        }
        let key = (Operation::JoinedSome.with(levels), [a, b, EMPTY]);
        if let Some(known) = self.known(key) {
            return known;
        }
        tick();
        let [x, y] = [a, b].map(|number| self.sides(number, level));
        let low = self.joined_some(x[0], y[0], levels);
        let result = if !self.is_in(level, levels) {
            let high = self.joined_some(x[1], y[1], levels);
            self.node(level, low, high)
        } else if low == FULL {
            FULL
        } else {
            let high = self.joined_some(x[1], y[1], levels);
            self.united(low, high)
        };
        self.keep(key, result)
    }

    /// The set where some values of the bits of these levels lead to this one.
    pub fn some(&mut self, a: Set, levels: Levels) -> Set {
        self.and_some(ALL, a, levels)
    }

    /// The set with each of these levels moved down by one, to a level that it does not read.
    pub fn down(&mut self, a: Set, levels: Levels) -> Set {
        let number = self.moved(Operation::Down, self.number(a), levels);
        self.set(number)
    }

    /// The set with what is one below these levels moved up to them, which it does not read.
    pub fn up(&mut self, a: Set, levels: Levels) -> Set {
        let number = self.moved(Operation::Up, self.number(a), levels);
        self.set(number)
    }

    fn moved(&mut self, way: Operation, a: Number, levels: Levels) -> Number {
        let level = self.level(a);
        // One above may move up to the last one.
        if level == BOTTOM || level as usize > self.levels[levels.0 as usize].len() {
            return a;
        }
        let key = (way.with(levels), [a, EMPTY, EMPTY]);
        if let Some(known) = self.known(key) {
            return known;
        }
        tick();
        let has = |level: u32| self.is_in(level, levels);
        let to = match way {
            Operation::Up if level > 0 && has(level - 1) => level - 1,
            Operation::Down if has(level) => level + 1,
            _ => level,
        };
        let Node { low, high, .. } = self.nodes[a as usize];
        let (low, high) = (self.moved(way, low, levels), self.moved(way, high, levels));
        let result = self.node(to, low, high);
        self.keep(key, result)
    }

    /// The set where bits have these values.
    pub fn one(&mut self, mut bits: Vec<(u32, bool)>) -> Set {
        bits.sort_unstable();
        let number = bits.into_iter().rev().fold(FULL, |below, (level, is_set)| {
            if is_set { self.node(level, EMPTY, below) } else { self.node(level, below, EMPTY) }
        });
        self.set(number)
    }

    /// True if an assignment is in the set.
    pub fn contains(&self, set: Set, bit: impl Fn(u32) -> bool) -> bool {
        let mut number = self.number(set);
        while let Node { level, low, high, .. } = self.nodes[number as usize]
            && level != BOTTOM
        {
            number = if bit(level) { high } else { low };
        }
        number == FULL
    }

    /// How many assignments to the bits of these levels, which ascend and contain all that it reads, a set has.
    pub fn count(&self, set: Set, levels: &[u32]) -> UBig {
        let mut known = FxHashMap::default();
        let number = self.number(set);
        let count = self.count_below(number, levels, &mut known);
        count << self.rank(number, levels)
    }

    /// How many of the levels are above the first one of a set.
    fn rank(&self, number: Number, levels: &[u32]) -> usize {
        levels.partition_point(|level| *level < self.level(number))
    }

    fn count_below(&self, number: Number, levels: &[u32], known: &mut FxHashMap<Number, UBig>) -> UBig {
        match number {
            EMPTY => return UBig::ZERO,
            FULL => return UBig::ONE,
            _ => {}
        }
        if let Some(count) = known.get(&number) {
            return count.clone();
        }
        tick();
        let Node { low, high, .. } = self.nodes[number as usize];
        let above = self.rank(number, levels) + 1;
        let side = |side: Number, known: &mut FxHashMap<Number, UBig>| {
            self.count_below(side, levels, known) << (self.rank(side, levels) - above)
        };
        let count = side(low, known) + side(high, known);
        known.insert(number, count.clone());
        count
    }
}

fn mixed([a, b, c]: [u32; 3]) -> usize {
    let sum = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let sum = (sum.rotate_left(29) ^ u64::from(c)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (sum >> 28) as usize
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
            list.sort_unstable_by_key(|(table, set)| (*table, set.number));
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
    fn what_is_wanted_stays_when_the_rest_is_forgotten() {
        let mut package = Package::new(1 << 16);
        package.few = 0;
        let earlier = all_of_two_operators(&mut package);
        let mark = package.mark();
        let mut made: Vec<(u16, Set)> = Vec::new();
        for (number, (a, x)) in earlier.iter().enumerate() {
            let (b, y) = earlier[(number * 5 + 3) % earlier.len()];
            made.push((a ^ b, package.choice(*x, y, ALL)));
            let other = package.not(y);
            made.last_mut().expect("the last one").1 = package.choice(*x, other, y);
        }
        let before = package.nodes.len();
        let mut wanted: Vec<(u16, Set)> = made.iter().copied().step_by(7).collect();
        package.forget(mark, &mut wanted.iter_mut().map(|(_, set)| set).collect::<Vec<_>>());
        assert!(package.nodes.len() < before && package.nodes.len() > mark.0 as usize);
        for (expected, set) in earlier.iter().chain(&wanted) {
            assert_eq!(table(&package, *set), *expected);
        }
        for (expected, set) in
            earlier.iter().zip(&wanted).map(|((a, x), (b, y))| (a & b, package.and(*x, *y))).collect::<Vec<_>>()
        {
            assert_eq!(table(&package, set), expected);
        }
    }

    #[test]
    #[should_panic = "forgotten"]
    fn forgotten_sets_are_not_used() {
        let mut package = Package::new(1 << 16);
        package.few = 0;
        let mark = package.mark();
        let lost = package.bit(3);
        package.bit(4);
        package.forget(mark, &mut []);
        package.bit(2);
        package.not(lost);
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
