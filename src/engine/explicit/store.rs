//! A set of records of one width, numbered in the order of their arrival.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The mark of a free slot; no record has this number.
const FREE: u32 = u32::MAX;

/// Records of `width` words each, every one of them once.
///
/// All records lie in one vector, and the hash table holds only their numbers: a record costs its
/// words and about two more. The numbers are 0, 1, .. without gaps.
#[derive(Clone, Debug)]
pub struct Store {
    width: usize,
    words: Vec<u32>,
    /// Open addressing with linear probing; a power of two, at most half full.
    slots: Vec<u32>,
    count: usize,
}

impl Store {
    /// The greatest number of records.
    pub const MOST: usize = FREE as usize;

    /// An empty store.
    pub fn new(width: usize) -> Store {
        Store { width, words: Vec::new(), slots: vec![FREE; 16], count: 0 }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.count
    }

    /// A record.
    pub fn get(&self, number: u32) -> &[u32] {
        let start = number as usize * self.width;
        &self.words[start..start + self.width]
    }

    /// The number of a record, which is added if it is new.
    ///
    /// # Panics
    /// If the record has another width, or if there are [`Store::MOST`] others.
    pub fn insert(&mut self, record: &[u32]) -> u32 {
        assert_eq!(record.len(), self.width);
        let slot = self.slot(record);
        if self.slots[slot] != FREE {
            return self.slots[slot];
        }
        assert!(self.count < Store::MOST, "a store is full");
        let number = self.count as u32;
        self.slots[slot] = number;
        self.words.extend_from_slice(record);
        self.count += 1;
        if 2 * self.count > self.slots.len() {
            self.grow();
        }
        number
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        4 * (self.words.capacity() + self.slots.capacity())
    }

    /// Where the record is, or where it would go.
    fn slot(&self, record: &[u32]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(record) & mask;
        while self.slots[slot] != FREE && self.get(self.slots[slot]) != record {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; 2 * self.slots.len()];
        for number in 0..self.count as u32 {
            let slot = self.slot(self.get(number));
            self.slots[slot] = number;
        }
    }
}

fn hash(record: &[u32]) -> usize {
    let mut hasher = FxHasher::default();
    record.iter().for_each(|word| hasher.write_u32(*word));
    hasher.finish() as usize
}

/// Sets of small numbers as bits of records.
pub mod bits {
    /// How many words hold that many bits; at least one.
    pub fn words(bits: usize) -> usize {
        bits.div_ceil(32).max(1)
    }

    /// Adds a number to the set.
    pub fn set(words: &mut [u32], bit: usize) {
        words[bit / 32] |= 1 << (bit % 32);
    }

    /// Whether the number is in the set.
    pub fn get(words: &[u32], bit: usize) -> bool {
        words[bit / 32] >> (bit % 32) & 1 == 1
    }

    /// The numbers in the set, ascending.
    pub fn iter(words: &[u32]) -> impl Iterator<Item = usize> {
        (0..32 * words.len()).filter(|bit| get(words, *bit))
    }

    /// Whether the set is contained in the other.
    pub fn subset(left: &[u32], right: &[u32]) -> bool {
        left.iter().zip(right).all(|(left, right)| left & !right == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_numbered_in_order_and_found_again() {
        let mut store = Store::new(2);
        let numbers: Vec<u32> = (0..1000).map(|n| store.insert(&[n % 500, n % 500 * 7])).collect();
        assert_eq!(store.len(), 500);
        assert_eq!(numbers[..500], (0..500).collect::<Vec<_>>());
        assert_eq!(numbers[..500], numbers[500..]);
        assert_eq!(store.get(33), [33, 231]);
    }

    #[test]
    fn records_without_words_are_all_the_same() {
        let mut store = Store::new(0);
        assert_eq!((store.insert(&[]), store.insert(&[]), store.len()), (0, 0, 1));
    }

    #[test]
    fn bits_of_words() {
        let mut words = vec![0; bits::words(40)];
        bits::set(&mut words, 3);
        bits::set(&mut words, 35);
        assert_eq!(bits::iter(&words).collect::<Vec<_>>(), [3, 35]);
        assert!(bits::subset(&[8, 0], &words) && !bits::subset(&words, &[8, 0]));
    }
}
