//! Which formulas a run of the tests takes.

use super::formulas::{count, formula};
use super::lassos::{Alphabet, Lassos};
use super::letters::Words;
use crate::common::setting;
use rayon::prelude::*;
use rcheck_smt::model::Formula;

/// A share of the formulas of each size.
pub struct Share {
    /// Every how manieth formula of size 1, 2, and so on.
    strides: Vec<usize>,
    /// The first of them, where several processes share the formulas.
    first: usize,
}

impl Share {
    /// The share of every run of the tests; or all formulas up to the same size if the environment says so, or one in
    /// `RCHECK_STEP` of these, from number `RCHECK_SEED` on.
    pub fn new(strides: &[usize]) -> Share {
        if std::env::var("RCHECK_WORDS").is_ok_and(|value| value == "all") {
            let (step, first) = (setting("RCHECK_STEP", 1), setting("RCHECK_SEED", 0));
            return Share { strides: vec![step; strides.len()], first };
        }
        Share { strides: strides.to_vec(), first: 0 }
    }

    /// Checks each formula; panics with what fails, the smallest formulas first.
    pub fn for_each(&self, words: &Words, check: impl Fn(&Formula) -> Result<(), String> + Sync) {
        for (index, stride) in self.strides.iter().enumerate() {
            let numbers: Vec<usize> = (self.first..count(words, index + 1)).step_by(*stride).collect();
            let failures = numbers.par_iter().filter_map(|number| check(&formula(words, index + 1, *number)).err());
            let failures: Vec<String> = failures.collect();
            let some = failures.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
            let number = failures.len();
            assert!(failures.is_empty(), "{number} of {} formulas of size {}:\n{some}", numbers.len(), index + 1);
        }
    }
}

/// The words over every alphabet.
pub struct Library {
    shapes: Vec<Vec<Lassos>>,
}

impl Library {
    /// Up to a length.
    pub fn new(longest: usize) -> Library {
        let alphabets = Alphabet::all();
        Library { shapes: alphabets.iter().map(|alphabet| Lassos::all(alphabet, longest)).collect() }
    }

    /// The words over one alphabet.
    pub fn shapes(&self, alphabet: &Alphabet) -> &[Lassos] {
        let shapes = self.shapes.iter().find(|shapes| shapes[0].alphabet == *alphabet);
        shapes.expect("all alphabets are there")
    }
}
