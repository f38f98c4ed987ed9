//! Sets of many small records: numbers are packed into words, and every record is stored once.

/// The mark of a free slot; no record has this number.
const FREE: u64 = u64::MAX;

/// How many records lie in one piece of memory, as a power of two.
const CHUNK: u32 = 12;

/// Records of `width` words each, every one of them once, numbered in the order of their arrival without gaps.
///
/// A record costs its words and, for the hash table of numbers, 11 to 22 bytes. The table holds a part of each hash, so
/// that other records are seldom looked at.
#[derive(Clone, Debug)]
pub struct Records {
    width: usize,
    count: usize,
    chunks: Vec<Box<[u64]>>,
    /// Open addressing with linear probing; a power of two, at most three quarters full. The upper half of a slot is the
    /// lower half of the hash, the lower half a number.
    slots: Vec<u64>,
}

impl Records {
    /// The greatest number of records.
    pub const MOST: usize = u32::MAX as usize;

    /// No records yet, each of so many words.
    pub fn new(width: usize) -> Records {
        Records { width, count: 0, chunks: Vec::new(), slots: vec![FREE; 16] }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The words of each record.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A record.
    pub fn get(&self, number: u32) -> &[u64] {
        let start = (number as usize & ((1 << CHUNK) - 1)) * self.width;
        &self.chunks[number as usize >> CHUNK][start..start + self.width]
    }

    /// All records, by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.count as u32).map(|number| self.get(number))
    }

    /// The number of a record that is there.
    pub fn find(&self, record: &[u64]) -> Option<u32> {
        let slot = self.slots[self.slot(record, hash(record))];
        (slot != FREE).then_some(slot as u32)
    }

    /// The number of a record, which is added if it is new.
    ///
    /// # Panics
    /// If the record has another width, or if there are [`Records::MOST`] others.
    pub fn insert(&mut self, record: &[u64]) -> u32 {
        assert_eq!(record.len(), self.width);
        let hash = hash(record);
        let slot = self.slot(record, hash);
        if self.slots[slot] != FREE {
            return self.slots[slot] as u32;
        }
        assert!(self.count < Records::MOST, "too many records");
        let number = self.count as u32;
        self.slots[slot] = entry(hash, number);
        let at = number as usize & ((1 << CHUNK) - 1);
        if at == 0 {
            self.chunks.push(vec![0; self.width << CHUNK].into());
        }
        let chunk = self.chunks.last_mut().expect("it was added");
        chunk[at * self.width..(at + 1) * self.width].copy_from_slice(record);
        self.count += 1;
        if 4 * self.count > 3 * self.slots.len() {
            self.grow();
        }
        number
    }

    /// Inserts several records that lie one behind the other; their numbers replace those in a list.
    ///
    /// Memory is asked for all of them before the first one is needed, so that the waiting times overlap.
    pub fn insert_all(&mut self, records: &[u64], numbers: &mut Vec<u32>) {
        numbers.clear();
        self.warm(records);
        numbers.extend(records.chunks_exact(self.width.max(1)).map(|record| self.insert(record)));
    }

    /// Brings what several records will be compared with near the processor.
    pub fn warm(&self, records: &[u64]) {
        let mask = self.slots.len() - 1;
        let mut touched = 0;
        for record in records.chunks_exact(self.width.max(1)) {
            let hash = hash(record);
            let found = self.slots[first_slot(hash, mask)];
            if found != FREE && found >> 32 == hash & 0xffff_ffff {
                touched ^= self.get(found as u32).first().copied().unwrap_or_default();
            }
        }
        std::hint::black_box(touched);
    }

    /// About how many bytes it takes; what it takes while it grows, if that is near.
    pub fn bytes(&self) -> usize {
        let grown = if 8 * self.count > 5 * self.slots.len() { 2 * self.slots.len() } else { 0 };
        8 * (((self.chunks.len() * self.width) << CHUNK) + self.slots.len() + grown)
    }

    /// The slot of the record, or the one where it would go.
    fn slot(&self, record: &[u64], hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = first_slot(hash, mask);
        loop {
            let found = self.slots[slot];
            if found == FREE || found >> 32 == hash & 0xffff_ffff && same(self.get(found as u32), record) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mut slots = vec![FREE; 2 * self.slots.len()];
        let mask = slots.len() - 1;
        for number in 0..self.count as u32 {
            let hash = hash(self.get(number));
            let mut slot = first_slot(hash, mask);
            while slots[slot] != FREE {
                slot = (slot + 1) & mask;
            }
            slots[slot] = entry(hash, number);
        }
        self.slots = slots;
    }
}

/// For records of few words this is faster than a call to compare memory.
#[inline]
fn same(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

fn entry(hash: u64, number: u32) -> u64 {
    hash << 32 | u64::from(number)
}

/// From the upper half of the hash; the lower half is in the slot.
fn first_slot(hash: u64, mask: usize) -> usize {
    (hash.rotate_left(32) as usize ^ (hash >> 7) as usize) & mask
}

fn hash(record: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = record.iter().fold(0u64, |hash, word| {
        let product = u128::from(hash ^ word).wrapping_mul(u128::from(FACTOR));
        (product as u64).rotate_left(23) ^ (product >> 64) as u64
    });
    (mixed ^ mixed >> 29).wrapping_mul(FACTOR)
}

/// About how many bytes a list takes; what it takes while it grows, if that is near.
pub fn list_bytes<T>(list: &Vec<T>) -> usize {
    let grown = if 8 * list.len() > 7 * list.capacity() { 2 * list.capacity() } else { 0 };
    size_of::<T>() * (list.capacity() + grown)
}

/// The places of small numbers in the words of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    fields: Vec<Field>,
    width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Layout {
    /// One field per number of bits, each of them 1 to 32.
    pub fn new(bits: &[u32]) -> Layout {
        let (mut fields, mut used): (Vec<Field>, Vec<u32>) = (Vec::new(), Vec::new());
        for bits in bits {
            let word = used.iter().position(|used| used + bits <= 64).unwrap_or(used.len());
            if word == used.len() {
                used.push(0);
            }
            fields.push(Field { word: word as u32, shift: used[word], mask: (1 << bits) - 1 });
            used[word] += bits;
        }
        Layout { fields, width: used.len() }
    }

    /// The layout in which each field holds numbers up to these.
    pub fn up_to(greatest: &[u32]) -> Layout {
        let bits: Vec<u32> = greatest.iter().map(|greatest| (32 - greatest.leading_zeros()).max(1)).collect();
        Layout::new(&bits)
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// True if there is no field.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The number of words.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The greatest number that a field holds.
    pub fn greatest(&self, field: usize) -> u32 {
        self.fields[field].mask as u32
    }

    /// The number in a field.
    #[inline]
    pub fn get(&self, record: &[u64], field: usize) -> u32 {
        let Field { word, shift, mask } = self.fields[field];
        (record[word as usize] >> shift & mask) as u32
    }

    /// Writes a number that fits into a field.
    #[inline]
    pub fn set(&self, record: &mut [u64], field: usize, number: u32) {
        let Field { word, shift, mask } = self.fields[field];
        let word = &mut record[word as usize];
        *word = *word & !(mask << shift) | u64::from(number) << shift;
    }

    /// All numbers of a record, in the order of the fields.
    pub fn unpack(&self, record: &[u64], numbers: &mut Vec<u32>) {
        numbers.clear();
        numbers.extend((0..self.fields.len()).map(|field| self.get(record, field)));
    }

    /// The record of these numbers, one per field; nothing if some number does not fit, or there are more or fewer.
    pub fn pack(&self, numbers: &[u32], record: &mut Vec<u64>) -> Option<()> {
        record.clear();
        record.resize(self.width, 0);
        if numbers.len() != self.fields.len() {
            return None;
        }
        for (field, number) in numbers.iter().enumerate() {
            if *number > self.greatest(field) {
                return None;
            }
            self.set(record, field, *number);
        }
        Some(())
    }
}

/// Sets of small numbers as bits of words.
pub mod bits {
    /// How many words hold that many bits; at least one.
    pub fn words(bits: usize) -> usize {
        bits.div_ceil(64).max(1)
    }

    /// Adds a number to the set.
    pub fn set(words: &mut [u64], bit: usize) {
        words[bit / 64] |= 1 << (bit % 64);
    }

    /// Adds a number to the set, or takes it out.
    pub fn put(words: &mut [u64], bit: usize, is_in: bool) {
        words[bit / 64] = words[bit / 64] & !(1 << (bit % 64)) | u64::from(is_in) << (bit % 64);
    }

    /// True if the number is in the set.
    pub fn get(words: &[u64], bit: usize) -> bool {
        words[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The numbers in the set, ascending.
    pub fn iter(words: &[u64]) -> impl Iterator<Item = usize> {
        (0..64 * words.len()).filter(|bit| get(words, *bit))
    }

    /// True if the set is contained in the other.
    pub fn subset(left: &[u64], right: &[u64]) -> bool {
        left.iter().zip(right).all(|(left, right)| left & !right == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_numbered_in_order_and_found_again() {
        let mut records = Records::new(2);
        let numbers: Vec<u32> = (0..20_000).map(|n| records.insert(&[n % 10_000, n % 10_000 * 7])).collect();
        assert_eq!(records.len(), 10_000);
        assert_eq!(numbers[..10_000], (0..10_000).collect::<Vec<_>>());
        assert_eq!(numbers[..10_000], numbers[10_000..]);
        assert_eq!(records.get(5033), [5033, 35_231]);
        assert_eq!((records.find(&[5033, 35_231]), records.find(&[5033, 0])), (Some(5033), None));
    }

    #[test]
    fn records_without_words_are_all_the_same() {
        let mut records = Records::new(0);
        assert_eq!((records.insert(&[]), records.insert(&[]), records.len()), (0, 0, 1));
    }

    #[test]
    fn fields_keep_their_numbers_and_leave_others_alone() {
        let layout = Layout::new(&[3, 32, 32, 1, 29, 20]);
        assert_eq!(layout.width(), 2);
        let numbers = [5, u32::MAX, 77, 1, (1 << 29) - 1, 1 << 19];
        let (mut record, mut back) = (Vec::new(), Vec::new());
        layout.pack(&numbers, &mut record).expect("they fit");
        layout.unpack(&record, &mut back);
        assert_eq!(back, numbers);
        layout.set(&mut record, 1, 9);
        layout.unpack(&record, &mut back);
        assert_eq!(back, [5, 9, 77, 1, (1 << 29) - 1, 1 << 19]);
        assert_eq!(layout.pack(&[8, 0, 0, 0, 0, 0], &mut record), None);
        assert_eq!(layout.pack(&[0; 7], &mut record), None);
    }

    #[test]
    fn bits_of_words() {
        let mut words = vec![0; bits::words(70)];
        bits::set(&mut words, 3);
        bits::set(&mut words, 65);
        assert_eq!(bits::iter(&words).collect::<Vec<_>>(), [3, 65]);
        assert!(bits::subset(&[8, 0], &words) && !bits::subset(&words, &[8, 0]));
    }
}
