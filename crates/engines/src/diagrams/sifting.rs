//! Better orders of the bits of decision diagrams, found while there are diagrams.
//!
//! Rudell, *Dynamic variable ordering for ordered binary decision diagrams* (ICCAD 1993): each block of bits moves through all places, and stays where
//! there are fewest nodes. Neighbouring bits exchange their places in the nodes of the upper one alone; every node keeps its meaning.

use super::package::{Edge, FREE, Table};
use crate::limits::ticks;

/// A block moves on in one direction as long as there are at most so many times (in percent) the fewest nodes that were found.
const MOST_GROWTH: usize = 120;

/// Nodes that are looked at for each one there is, whatever comes of it;
const LOOKS: usize = 8;

/// and for each one that there is less.
const LOOKS_PER_GAIN: usize = 80;

/// Nodes by bits, with what is counted while bits change their places.
struct Sifting<'t> {
    table: &'t mut Table,
    /// Per bit its nodes.
    nodes: Vec<Vec<u32>>,
    /// Per node the number of edges to it, and of sets that are it.
    references: Vec<u32>,
    /// How many nodes were looked at.
    looks: usize,
}

impl Table {
    /// Moves blocks, those with many nodes first, as long as it is worth the work. All nodes are held.
    pub(super) fn sift(&mut self) {
        let before = self.used;
        let mut nodes = vec![Vec::new(); self.order.bits.len()];
        let mut references = vec![0; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate().skip(1).filter(|(_, node)| node.bit != FREE) {
            nodes[node.bit as usize].push(number as u32);
            references[(node.low >> 1) as usize] += 1;
            references[(node.high >> 1) as usize] += 1;
        }
        self.held.iter().for_each(|edge| references[(edge >> 1) as usize] += 1);
        let mut sifting = Sifting { table: self, nodes, references, looks: 0 };
        // Blocks by their first bits, which tell them apart.
        let mut blocks: Vec<(usize, u32)> = Vec::new();
        let mut place = 0;
        for size in &sifting.table.order.blocks {
            let bits = &sifting.table.order.bits[place as usize..(place + size) as usize];
            blocks.push((bits.iter().map(|bit| sifting.nodes[*bit as usize].len()).sum(), bits[0]));
            place += size;
        }
        blocks.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        for (count, bit) in blocks {
            let gain = before.saturating_sub(sifting.table.used);
            if count == 0 || sifting.looks > LOOKS * before + LOOKS_PER_GAIN * gain {
                break;
            }
            sifting.settle(bit);
        }
        self.forget_results();
    }
}

impl Sifting<'_> {
    /// Moves the block that begins with a bit to its best place.
    fn settle(&mut self, bit: u32) {
        let place = self.table.order.places[bit as usize];
        let (mut at, mut above) = (0, 0);
        while above < place {
            above += self.table.order.blocks[at];
            at += 1;
        }
        let last = self.table.order.blocks.len() - 1;
        let (mut fewest, mut best) = (self.table.used, at);
        let mut go = |sifting: &mut Self, at: &mut usize, end: usize| {
            while *at != end && sifting.table.used * 100 <= fewest * MOST_GROWTH {
                let upper = if *at < end { *at } else { *at - 1 };
                sifting.exchange_blocks(upper);
                *at = if *at < end { *at + 1 } else { *at - 1 };
                if sifting.table.used < fewest {
                    (fewest, best) = (sifting.table.used, *at);
                }
            }
        };
        let ends = if at < last - at { [0, last] } else { [last, 0] };
        ends.into_iter().for_each(|end| go(self, &mut at, end));
        while at != best {
            let upper = if at < best { at } else { at - 1 };
            self.exchange_blocks(upper);
            at = if at < best { at + 1 } else { at - 1 };
        }
    }

    /// A block and the next one change places.
    fn exchange_blocks(&mut self, upper: usize) {
        let blocks = &mut self.table.order.blocks;
        let place: u32 = blocks[..upper].iter().sum();
        let (above, below) = (blocks[upper], blocks[upper + 1]);
        blocks.swap(upper, upper + 1);
        for bit in 0..below {
            for other in (0..above).rev() {
                self.exchange(place + bit + other);
            }
        }
    }

    /// The bit at a place and the next one change places.
    fn exchange(&mut self, place: u32) {
        let order = &mut self.table.order;
        let (x, y) = (order.bits[place as usize], order.bits[place as usize + 1]);
        order.bits.swap(place as usize, place as usize + 1);
        order.places.swap(x as usize, y as usize);
        let list = std::mem::take(&mut self.nodes[x as usize]);
        ticks(1 + list.len() / 16);
        self.looks += list.len();
        let mut changed = Vec::new();
        for number in list {
            let node = self.table.nodes[number as usize];
            if self.table.bit(node.low) == y || self.table.bit(node.high) == y {
                self.table.remove(number);
                changed.push((number, node));
            } else {
                self.nodes[x as usize].push(number);
            }
        }
        if changed.is_empty() {
            return;
        }
        let mut left = Vec::new();
        for (number, node) in changed {
            let (low, high) = (self.table.sides(node.low, y), self.table.sides(node.high, y));
            let sides = [0, 1].map(|side| self.node(x, low[side], high[side]));
            self.table.insert(number, y, sides);
            self.nodes[y as usize].push(number);
            left.extend([node.low, node.high]);
        }
        left.into_iter().for_each(|edge| self.leave(edge));
        let (table, nodes) = (&self.table, &mut self.nodes);
        nodes[y as usize].retain(|number| table.nodes[*number as usize].bit == y);
    }

    /// A node to which there will be an edge.
    fn node(&mut self, bit: u32, low: Edge, high: Edge) -> Edge {
        let before = self.table.used;
        let edge = self.table.node(bit, low, high);
        let number = edge >> 1;
        if self.table.used > before {
            self.references.resize(self.references.len().max(number as usize + 1), 0);
            self.nodes[bit as usize].push(number);
            self.references[(low >> 1) as usize] += 1;
            self.references[(high >> 1) as usize] += 1;
        }
        self.references[number as usize] += 1;
        edge
    }

    /// There is an edge less to a node.
    fn leave(&mut self, edge: Edge) {
        let mut stack = vec![edge >> 1];
        while let Some(number) = stack.pop() {
            self.references[number as usize] -= 1;
            if number > 0 && self.references[number as usize] == 0 {
                let node = self.table.nodes[number as usize];
                self.table.remove(number);
                self.table.release(number);
                stack.extend([node.low >> 1, node.high >> 1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::package::{Package, Set, and, down, exists, not, or, same};

    const PAIRS: usize = 6;

    /// That pairs of bits which are far from each other at first are equal.
    fn equal(package: &Package) -> Set {
        let bit = |number: usize| package.bits([(2 * number, true)]);
        (0..PAIRS).fold(package.constant(true), |all, pair| and(&all, &same(&bit(pair), &bit(pair + PAIRS))))
    }

    fn members(set: &Set) -> Vec<Vec<bool>> {
        let bits: Vec<usize> = (0..2 * PAIRS).map(|number| 2 * number).collect();
        let mut list = set.assignments(&bits, usize::MAX).expect("there is no limit");
        list.sort_unstable();
        list
    }

    #[test]
    fn sets_keep_their_members_and_get_smaller() {
        let package = Package::new(4 * PAIRS, vec![2; 2 * PAIRS]);
        let set = equal(&package);
        let other = or(&not(&set), &package.bits([(6, true), (14, false)]));
        let all = [set, other];
        let (before, sizes) = (all.each_ref().map(members), all.each_ref().map(Set::size));
        package.sift();
        assert_eq!(all.each_ref().map(members), before);
        assert!(all[0].size() < sizes[0] / 5, "{} of {sizes:?}", all[0].size());
        // Operations are as before, and new diagrams are the same as old ones.
        assert!(equal(&package) == all[0]);
        let now = package.bit_set([0, 4]);
        let moved = down(&all[0], now);
        assert_eq!(moved.reads().iter().filter(|bit| **bit % 2 == 1).count(), 2);
        assert!(exists(&moved, package.bit_set([1, 5])) == exists(&all[0], now));
        for first in (0..4 * PAIRS).step_by(2) {
            assert_eq!(package.place(first) + 1, package.place(first + 1));
        }
    }

    #[test]
    fn bits_that_are_in_no_block_stay() {
        let package = Package::new(4 * PAIRS, vec![2; 2 * PAIRS - 2]);
        let set = equal(&package);
        let before = members(&set);
        package.sift();
        assert_eq!(members(&set), before);
        let last = 4 * PAIRS - 4;
        (last..4 * PAIRS).for_each(|bit| assert_eq!(package.place(bit), bit));
    }
}
