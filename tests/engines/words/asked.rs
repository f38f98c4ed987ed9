//! One formula and all words that matter to it.

use super::lassos::{Lassos, Set};
use super::letters::{Bit, Words};
use super::naive;
use super::recognisers::Recogniser;
use rcheck_smt::model::Formula;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// All words that can be asked about a formula, by shape.
pub struct Asked<'a> {
    /// The model.
    pub words: &'a Words,
    /// The formula.
    pub formula: &'a Formula,
    /// The words over the bits that it reads.
    pub shapes: &'a [Lassos],
    /// Per shape, the words that satisfy a formula, where that was computed before.
    satisfying: RefCell<FxHashMap<Formula, Rc<Vec<Set>>>>,
}

impl<'a> Asked<'a> {
    /// Asks about a formula; `shapes` are over the bits that it reads.
    pub fn new(words: &'a Words, formula: &'a Formula, shapes: &'a [Lassos]) -> Asked<'a> {
        Asked { words, formula, shapes, satisfying: RefCell::default() }
    }

    /// Compares a recogniser with the definition.
    pub fn compare(&self, recogniser: &dyn Recogniser) -> Result<(), String> {
        let alphabet = &self.shapes[0].alphabet;
        let parts = recogniser.parts(self.words, alphabet, self.formula)?;
        let mut any: Vec<Set> = self.shapes.iter().map(Lassos::none).collect();
        for (part, automaton) in &parts {
            let accepted: Vec<Set> = self.shapes.iter().map(|lassos| automaton.accepted(lassos)).collect();
            self.same(part, &accepted)?;
            any.iter_mut().zip(&accepted).for_each(|(any, accepted)| *any |= accepted);
        }
        self.same(self.formula, &any)
    }

    /// Per shape, the words that satisfy a formula.
    pub fn satisfying(&self, formula: &Formula) -> Rc<Vec<Set>> {
        if let Some(known) = self.satisfying.borrow().get(formula) {
            return known.clone();
        }
        let sets = self.shapes.iter().map(|lassos| naive::satisfying(self.words, lassos, formula));
        let sets = Rc::new(sets.collect::<Vec<_>>());
        self.satisfying.borrow_mut().insert(formula.clone(), sets.clone());
        sets
    }

    /// A shortest word on which the formula is false.
    pub fn violating(&self) -> Option<(&Lassos, usize)> {
        let satisfying = self.satisfying(self.formula);
        let violating = self.shapes.iter().zip(&*satisfying).map(|(lassos, set)| (lassos, lassos.runs().common(&!set)));
        violating.into_iter().find_map(|(lassos, set)| Some((lassos, set.first()?)))
    }

    /// True if the formula reads a bit of letters.
    pub fn reads(&self, bit: Bit) -> bool {
        self.shapes[0].alphabet.letters.iter().any(|letter| letter.has(bit))
    }

    /// That the words, by shape, are those on which a formula is false.
    fn same(&self, formula: &Formula, found: &[Set]) -> Result<(), String> {
        let satisfying = self.satisfying(formula);
        for ((lassos, found), satisfying) in self.shapes.iter().zip(found).zip(&*satisfying) {
            if let Some(word) = lassos.runs().common(&found.same_as(satisfying)).first() {
                let formula = self.words.model.show_formula(formula);
                let (truth, word) = (satisfying.contains(word), lassos.show(word));
                return Err(format!("{formula} is {truth} on {word}, and the other is said"));
            }
        }
        Ok(())
    }
}
