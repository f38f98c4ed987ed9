//! Recognisers: parts of the tool that decide on which runs a formula is false, as automata over letters.

use super::automaton::Automaton;
use super::explored::{Checked, Explored};
use super::lassos::Alphabet;
use super::letters::Words;
use super::symbolic::{self, Acceptance};
use rcheck_smt::model::Formula;
use rcheck_smt::product::target::{Reduction, Target};
use rcheck_smt::ts::ranking::Ranking;

/// The conjuncts of a formula, and per conjunct the automaton of the words on which it is false; an error is a fault that
/// shows in the automaton itself.
pub type Parts = Result<Vec<(Formula, Automaton)>, String>;

/// Says on which runs a formula is false, conjunct by conjunct.
pub trait Recogniser: Sync {
    /// For failures.
    fn name(&self) -> &'static str;

    /// The automata for a formula.
    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts;
}

/// All of them.
pub const ALL: [&dyn Recogniser; 4] = [&Explored, &Checked, &Simplest, &Rounds];

/// The product of provers and checks, `product::target`, with the simplest reduction that fits.
pub struct Simplest;

impl Recogniser for Simplest {
    fn name(&self) -> &'static str {
        "product::target"
    }

    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts {
        let part = |part| {
            let target = Target::simplest(&words.model, &words.system, &part, 0, &Ranking::default());
            (part, of_target(words, alphabet, &target))
        };
        Ok(formula.conjuncts().into_iter().map(part).collect())
    }
}

/// The same by rounds, for every formula.
pub struct Rounds;

impl Recogniser for Rounds {
    fn name(&self) -> &'static str {
        "product::rounds"
    }

    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts {
        let (base, none) = (&words.system, Ranking::default());
        let part = |part| {
            let target = Target::new(&words.model, base.clone(), &part, Reduction::Counting(0), &none);
            let target = target.ok_or("rounds cannot be counted")?;
            Ok((part, of_target(words, alphabet, &target)))
        };
        formula.conjuncts().into_iter().map(part).collect()
    }
}

/// Bad states are reached once, or rounds end for ever.
fn of_target(words: &Words, alphabet: &Alphabet, target: &Target) -> Automaton {
    let acceptance = match target.reduction {
        Reduction::Invariance | Reduction::Safety => Acceptance::Reach(target.bad),
        Reduction::Counting(_) | Reduction::Ranking(_) => Acceptance::Infinitely(std::slice::from_ref(&target.bad)),
    };
    symbolic::automaton(words, alphabet, &words.system, &target.system, acceptance)
}
