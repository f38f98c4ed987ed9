//! Conditions that are learned from states: conjunctions of literals.

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Of numbers below a bound, all.
    pub fn all(count: usize) -> Bits {
        let mut bits = Bits(vec![0; count.div_ceil(64)]);
        (0..count).for_each(|number| bits.insert(number));
        bits
    }

    /// Those below a bound that satisfy a condition.
    pub fn of(count: usize, is_in: impl Fn(usize) -> bool) -> Bits {
        let mut bits = Bits(vec![0; count.div_ceil(64)]);
        (0..count).filter(|&number| is_in(number)).for_each(|number| bits.insert(number));
        bits
    }

    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// True if a number is in it.
    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Those in another one, too.
    pub fn and(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }

    /// True if all are in another one.
    pub fn is_within(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one & !other == 0)
    }
}

/// States, with what is true of each, and steps between them.
pub struct Nodes {
    /// Their number.
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
        if !reached.is_within(good) {
            return None;
        }
        let mut chosen: Vec<usize> =
            (0..self.literals.len()).filter(|&literal| reached.is_within(&self.literals[literal])).collect();
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
        literals.iter().fold(Bits::all(self.count), |bits, &literal| bits.and(&self.literals[literal]))
    }

    fn fits(&self, literals: &[usize], good: &Bits) -> bool {
        let bits = self.extension(literals);
        bits.is_within(good) && self.links.iter().all(|&(from, to)| !bits.contains(from) || bits.contains(to))
    }

    fn reached(&self, seed: usize) -> Bits {
        let mut reached = Bits::of(self.count, |node| node == seed);
        let mut grows = true;
        while grows {
            grows = false;
            for &(from, to) in &self.links {
                if reached.contains(from) && !reached.contains(to) {
                    reached.insert(to);
                    grows = true;
                }
            }
        }
        reached
    }
}
