//! Sets of lasso words, one bit per word.
//!
//! Formulas do not read all bits of a letter. Two words that agree in those that a formula reads are one word for it,
//! so that words are listed over these bits only ([`Alphabet`]).

use super::letters::{BITS, Bit, Letter, Words};
use rcheck_smt::model::Formula;
use std::ops::{BitAndAssign, BitOrAssign, Not};

/// The longest words: positions of stem and loop together.
pub const LONGEST: usize = 4;

/// The letters over some of the bits; the others are false in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet {
    /// In the order of the numbers of letters.
    pub letters: Vec<Letter>,
    bits: Vec<Bit>,
}

impl Alphabet {
    /// Over the bits that a formula reads.
    pub fn of(words: &Words, formula: &Formula) -> Alphabet {
        let mut read = [false; 4];
        mark(words, formula, &mut read);
        Alphabet::over(BITS.into_iter().filter(|bit| read[*bit as usize]).collect())
    }

    /// Over every set of bits but the empty one.
    pub fn all() -> Vec<Alphabet> {
        let subsets = (1..16_usize).map(|set| BITS.into_iter().filter(|bit| set >> *bit as usize & 1 == 1).collect());
        subsets.map(Alphabet::over).collect()
    }

    fn over(bits: Vec<Bit>) -> Alphabet {
        let letter = |number: u8| {
            let set = bits.iter().enumerate().filter(|(index, _)| number >> index & 1 == 1);
            Letter(set.fold(0, |letter, (_, bit)| letter | 1 << *bit as u8))
        };
        Alphabet { letters: (0..1 << bits.len()).map(letter).collect(), bits }
    }

    /// The number of bits.
    pub fn width(&self) -> usize {
        self.bits.len()
    }

    /// The number of the letter that agrees with this one in the bits of the alphabet.
    pub fn number(&self, letter: Letter) -> usize {
        self.bits.iter().enumerate().fold(0, |number, (index, bit)| number | usize::from(letter.has(*bit)) << index)
    }
}

fn mark(words: &Words, formula: &Formula, read: &mut [bool; 4]) {
    if let Formula::Observed(_) = formula {
        read[Bit::Sent as usize] = true;
    }
    if let Some(index) = words.atoms.iter().position(|atom| atom == formula) {
        read[index] = true;
    }
    formula.for_each_child(&mut |child| mark(words, child, read));
}

/// All words of one shape.
#[derive(Clone, Debug)]
pub struct Lassos {
    /// The number of positions.
    pub length: usize,
    /// The start of the loop.
    pub start: usize,
    /// Of the letters.
    pub alphabet: Alphabet,
    /// Per position and letter, the words that have it there.
    having: Vec<Vec<Set>>,
}

impl Lassos {
    /// Of every shape.
    pub fn all(alphabet: &Alphabet, longest: usize) -> Vec<Lassos> {
        let shapes = (1..=longest).flat_map(|length| (0..length).map(move |start| (length, start)));
        shapes.map(|(length, start)| Lassos::new(alphabet, length, start)).collect()
    }

    fn new(alphabet: &Alphabet, length: usize, start: usize) -> Lassos {
        let mut lassos = Lassos { length, start, alphabet: alphabet.clone(), having: Vec::new() };
        for position in 0..length {
            let mut sets = vec![lassos.none(); alphabet.letters.len()];
            for word in 0..lassos.count() {
                sets[lassos.letter_number(word, position)].insert(word);
            }
            lassos.having.push(sets);
        }
        lassos
    }

    /// The number of words.
    pub fn count(&self) -> usize {
        1 << (self.alphabet.width() * self.length)
    }

    fn letter_number(&self, word: usize, position: usize) -> usize {
        let width = self.alphabet.width();
        word >> (width * position) & ((1 << width) - 1)
    }

    /// The letters of a word.
    pub fn word(&self, word: usize) -> Vec<Letter> {
        (0..self.length).map(|position| self.alphabet.letters[self.letter_number(word, position)]).collect()
    }

    /// The position after a position.
    pub fn after(&self, position: usize) -> usize {
        if position + 1 < self.length { position + 1 } else { self.start }
    }

    /// No words.
    pub fn none(&self) -> Set {
        Set { bits: vec![0; self.count().div_ceil(64)], count: self.count() }
    }

    /// All words.
    pub fn every(&self) -> Set {
        !&self.none()
    }

    /// The words that are runs: nothing was received before the first step.
    pub fn runs(&self) -> Set {
        self.where_letter(0, |letter| !letter.has(Bit::Received))
    }

    /// The words whose letter at a position satisfies the predicate.
    pub fn where_letter(&self, position: usize, predicate: impl Fn(Letter) -> bool) -> Set {
        let mut found = self.none();
        for (letter, having) in self.alphabet.letters.iter().zip(&self.having[position]) {
            if predicate(*letter) {
                found |= having;
            }
        }
        found
    }

    /// The words whose letter at a position is one of these, which are given as bits of their numbers.
    pub fn where_one_of(&self, position: usize, numbers: u16) -> Set {
        let mut found = self.none();
        for (number, having) in self.having[position].iter().enumerate() {
            if numbers >> number & 1 == 1 {
                found |= having;
            }
        }
        found
    }

    /// A word for people: letters by what is true, with the loop in brackets.
    pub fn show(&self, word: usize) -> String {
        let mut text = String::new();
        for (position, letter) in self.word(word).into_iter().enumerate() {
            let names = BITS.iter().zip("xysr".chars()).filter(|(bit, _)| letter.has(**bit)).map(|(_, name)| name);
            text += if position == self.start { " (" } else { " " };
            text += &format!("{{{}}}", names.collect::<String>());
        }
        text + ")^w"
    }
}

/// A set of words of one shape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    bits: Vec<u64>,
    count: usize,
}

impl Set {
    fn insert(&mut self, word: usize) {
        self.bits[word / 64] |= 1 << (word % 64);
    }

    /// The words that are in both sets.
    pub fn common(&self, other: &Set) -> Set {
        let mut common = self.clone();
        common &= other;
        common
    }

    /// The words that are in both sets or in none.
    pub fn same_as(&self, other: &Set) -> Set {
        let mut same = self.common(other);
        same |= &(!self).common(&!other);
        same
    }

    /// True if a word is one.
    pub fn contains(&self, word: usize) -> bool {
        self.bits[word / 64] >> (word % 64) & 1 == 1
    }

    /// The first word.
    pub fn first(&self) -> Option<usize> {
        (0..self.count).find(|word| self.contains(*word))
    }

    /// Adds the words that are in both sets; whether some were missing.
    pub fn add_common(&mut self, left: &Set, right: &Set) -> bool {
        let mut grown = 0;
        for ((bits, left), right) in self.bits.iter_mut().zip(&left.bits).zip(&right.bits) {
            grown |= left & right & !*bits;
            *bits |= left & right;
        }
        grown != 0
    }
}

impl BitOrAssign<&Set> for Set {
    fn bitor_assign(&mut self, other: &Set) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, other)| *bits |= other);
    }
}

impl BitAndAssign<&Set> for Set {
    fn bitand_assign(&mut self, other: &Set) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, other)| *bits &= other);
    }
}

impl Not for &Set {
    type Output = Set;

    fn not(self) -> Set {
        let used = if self.count < 64 { (1 << self.count) - 1 } else { u64::MAX };
        Set { bits: self.bits.iter().map(|bits| !bits & used).collect(), count: self.count }
    }
}
