//! The effect of symmetries on the conditions of an automaton.

/// A permutation of few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permutation(u64);

impl Permutation {
    /// How many numbers it may permute.
    pub const MOST: usize = 16;
    const BITS: usize = 4;

    /// Nothing moves.
    pub const IDENTITY: Permutation = Permutation(0xFEDC_BA98_7654_3210);

    /// With these images of the first numbers; the others stay. Nothing if that is no permutation, or moves too many.
    pub fn new(images: &[usize]) -> Option<Permutation> {
        if images.len() > Permutation::MOST {
            let nothing_moves = images.iter().enumerate().all(|(from, to)| from == *to);
            return nothing_moves.then_some(Permutation::IDENTITY);
        }
        let mut seen = [false; Permutation::MOST];
        let mut permutation = Permutation::IDENTITY;
        for (from, to) in images.iter().enumerate() {
            if *to >= images.len() || std::mem::replace(&mut seen[*to], true) {
                return None;
            }
            permutation = permutation.with(from, *to);
        }
        Some(permutation)
    }

    /// As a word, and back.
    pub fn word(self) -> u64 {
        self.0
    }

    /// Of a word.
    pub fn of_word(word: u64) -> Permutation {
        Permutation(word)
    }

    /// The image of a number; greater ones stay.
    pub fn of(self, number: usize) -> usize {
        if number >= Permutation::MOST {
            return number;
        }
        (self.0 >> (Permutation::BITS * number)) as usize & (Permutation::MOST - 1)
    }

    /// This one, then the other.
    pub fn then(self, other: Permutation) -> Permutation {
        (0..Permutation::MOST).fold(self, |all, number| all.with(number, other.of(self.of(number))))
    }

    /// Back again.
    pub fn inverse(self) -> Permutation {
        (0..Permutation::MOST).fold(self, |all, number| all.with(self.of(number), number))
    }

    fn with(self, from: usize, to: usize) -> Permutation {
        let at = Permutation::BITS * from;
        Permutation(self.0 & !(0xF << at) | (to as u64) << at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_compose() {
        let turn = Permutation::new(&[1, 2, 0]).expect("a permutation");
        let swap = Permutation::new(&[1, 0]).expect("a permutation");
        assert_eq!([0, 1, 2, 3].map(|number| turn.then(swap).of(number)), [0, 2, 1, 3]);
        assert_eq!(turn.then(turn).then(turn), Permutation::IDENTITY);
        assert_eq!(turn.then(turn.inverse()), Permutation::IDENTITY);
        assert_eq!((Permutation::new(&[0, 0]), Permutation::new(&[2, 1])), (None, None));
        let last: Vec<usize> = (0..Permutation::MOST).rev().collect();
        let last = Permutation::new(&last).expect("a permutation");
        assert_eq!((last.of(0), last.of(15), last.then(last)), (15, 0, Permutation::IDENTITY));
        let other: Vec<usize> = (0..20).rev().collect();
        assert_eq!((Permutation::new(&[0; 17]), Permutation::new(&other)), (None, None));
        let same = Permutation::new(&(0..20).collect::<Vec<_>>()).expect("nothing moves");
        assert_eq!([0, 15, 16, 19].map(|number| same.of(number)), [0, 15, 16, 19]);
    }
}
