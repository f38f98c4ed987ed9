//! Which words satisfy a formula, straight from the definition of linear temporal logic: what comes after a position
//! of a lasso is seen by going on for as many steps as the lasso has positions.

use super::lassos::{Lassos, Set};
use super::letters::Words;
use rcheck_smt::model::written::Written;
use rcheck_smt::model::{Formula, Observation};

/// The words that satisfy a formula.
pub fn satisfying(words: &Words, lassos: &Lassos, formula: &Formula) -> Set {
    Naive { words, lassos }.truth(formula).swap_remove(0)
}

/// Per position, the words that satisfy a formula from there on.
type Truth = Vec<Set>;

struct Naive<'a> {
    words: &'a Words,
    lassos: &'a Lassos,
}

impl Naive<'_> {
    fn truth(&self, formula: &Formula) -> Truth {
        match formula.written() {
            Written::Atom(_) | Written::Label(..) | Written::Observed(_) => self.fact(formula),
            Written::Branching(_) => unreachable!("words are single runs"),
            Written::Not(a) => not(self.truth(a)),
            Written::And(list) => list.into_iter().fold(self.always(), |all, a| and(all, &self.truth(a))),
            Written::Or(list) => list.into_iter().fold(not(self.always()), |any, a| or(any, &self.truth(a))),
            Written::Implies(a, b) => or(not(self.truth(a)), &self.truth(b)),
            Written::Iff(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                or(and(a.clone(), &b), &and(not(a), &not(b)))
            }
            Written::Next(a) => self.next(&self.truth(a)),
            Written::Finally(a) => self.until(&self.always(), &self.truth(a)),
            Written::Globally(a) => self.globally(self.truth(a)),
            Written::Until(a, b) => self.until(&self.truth(a), &self.truth(b)),
            // Until, or for ever.
            Written::WeakUntil(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                or(self.until(&a, &b), &self.globally(a))
            }
            // The second one up to and including the first of the first one, or for ever.
            Written::Release(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                let both = and(a, &b);
                or(self.until(&b, &both), &self.globally(b))
            }
            Written::Possible(observation, a) => and(self.observed(observation), &self.next(&self.truth(a))),
            Written::Necessary(observation, a) => or(not(self.observed(observation)), &self.next(&self.truth(a))),
        }
    }

    fn positions(&self) -> std::ops::Range<usize> {
        0..self.lassos.length
    }

    fn always(&self) -> Truth {
        self.positions().map(|_| self.lassos.every()).collect()
    }

    fn fact(&self, formula: &Formula) -> Truth {
        let here = |position| self.lassos.where_letter(position, |letter| self.words.fact(formula, letter));
        self.positions().map(here).collect()
    }

    fn observed(&self, observation: &Observation) -> Truth {
        self.fact(&Formula::Observed(Box::new(observation.clone())))
    }

    fn next(&self, a: &Truth) -> Truth {
        self.positions().map(|position| a[self.lassos.after(position)].clone()).collect()
    }

    /// At some position from here on b, and a at all positions before it.
    fn until(&self, a: &Truth, b: &Truth) -> Truth {
        let from = |position: usize| {
            let (mut fulfilled, mut waiting, mut at) = (self.lassos.none(), self.lassos.every(), position);
            for _ in self.positions() {
                fulfilled.add_common(&waiting, &b[at]);
                waiting &= &a[at];
                at = self.lassos.after(at);
            }
            fulfilled
        };
        self.positions().map(from).collect()
    }

    /// No position from here on is without a.
    fn globally(&self, a: Truth) -> Truth {
        not(self.until(&self.always(), &not(a)))
    }
}

fn not(a: Truth) -> Truth {
    a.iter().map(|set| !set).collect()
}

fn and(mut a: Truth, b: &Truth) -> Truth {
    a.iter_mut().zip(b).for_each(|(a, b)| *a &= b);
    a
}

fn or(mut a: Truth, b: &Truth) -> Truth {
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
    a
}
