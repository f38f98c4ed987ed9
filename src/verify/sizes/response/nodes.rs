//! Conditions that are learned from states: conjunctions of literals.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

/// A set of small numbers, as bits.
pub type Bits = UBig;

/// The numbers below a bound that satisfy a condition.
pub fn bits(count: usize, is_in: impl Fn(usize) -> bool) -> Bits {
    let mut bits = Bits::ZERO;
    (0..count).filter(|&number| is_in(number)).for_each(|number| bits.set_bit(number));
    bits
}

/// True if all numbers are in another set.
pub fn is_within(one: &Bits, other: &Bits) -> bool {
    one & other == *one
}

/// States, with what is true of each, and steps between them.
pub struct Nodes {
    pub count: usize,
    /// For each literal, where it is true.
    pub literals: Vec<Bits>,
    /// Steps that a condition has to survive.
    pub links: Vec<(usize, usize)>,
}

impl Nodes {
    /// A conjunction of few literals, as indices, that is true of a node, not false after a step from where it is true, and
    /// of good nodes only. Those in front are rather kept.
    pub fn learn(&self, seed: usize, good: &Bits) -> Option<Vec<usize>> {
        let reached = self.reached(seed);
        if !is_within(&reached, good) {
            return None;
        }
        let mut chosen: Vec<usize> =
            (0..self.literals.len()).filter(|&literal| is_within(&reached, &self.literals[literal])).collect();
        if !self.fits(&chosen, good) {
            return None;
        }
        for literal in chosen.clone().into_iter().rev() {
            let fewer: Vec<usize> = chosen.iter().copied().filter(|&it| it != literal).collect();
            if self.fits(&fewer, good) {
                chosen = fewer;
            }
        }
        Some(chosen)
    }

    /// The nodes where a conjunction is true.
    pub fn extension(&self, literals: &[usize]) -> Bits {
        literals.iter().fold(Bits::ones(self.count), |bits, &literal| bits & &self.literals[literal])
    }

    fn fits(&self, literals: &[usize], good: &Bits) -> bool {
        let bits = self.extension(literals);
        is_within(&bits, good) && self.links.iter().all(|&(from, to)| !bits.bit(from) || bits.bit(to))
    }

    fn reached(&self, seed: usize) -> Bits {
        let mut reached = Bits::ONE << seed;
        let mut grows = true;
        while grows {
            grows = false;
            for &(from, to) in &self.links {
                if reached.bit(from) && !reached.bit(to) {
                    reached.set_bit(to);
                    grows = true;
                }
            }
        }
        reached
    }
}
