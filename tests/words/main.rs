//! All small formulas on all short lasso words: whatever in the tool tells on which runs a formula is false has to agree
//! with the definition of linear temporal logic.
//!
//! Every run of the tests takes all formulas up to a size, and a fixed share of the larger ones. `RCHECK_WORDS=all`
//! takes all up to size 6 (`scripts/nightly-words`).

mod automaton;
#[path = "../common/mod.rs"]
mod common;
mod counted;
mod explored;
mod formulas;
mod lassos;
mod letters;
mod naive;
mod recognisers;
mod share;
mod symbolic;

use lassos::{Alphabet, LONGEST, Lassos, Set};
use letters::Words;
use rcheck_smt::check::explicit::tableau::Tableau;
use rcheck_smt::claim::explicit::Obligation;
use rcheck_smt::model::Formula;
use recognisers::Recogniser;
use rustc_hash::FxHashMap;
use share::Share;
use std::cell::RefCell;
use std::rc::Rc;

/// All words that can be asked about a formula, by shape.
struct Asked<'a> {
    words: &'a Words,
    formula: &'a Formula,
    shapes: &'a [Lassos],
    /// Per shape, the words that satisfy a formula, where that was computed before.
    satisfying: RefCell<FxHashMap<Formula, Rc<Vec<Set>>>>,
}

impl Asked<'_> {
    /// Compares a recogniser with the definition.
    fn compare(&self, recogniser: &dyn Recogniser) -> Result<(), String> {
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
    fn satisfying(&self, formula: &Formula) -> Rc<Vec<Set>> {
        if let Some(known) = self.satisfying.borrow().get(formula) {
            return known.clone();
        }
        let sets = self.shapes.iter().map(|lassos| naive::satisfying(self.words, lassos, formula));
        let sets = Rc::new(sets.collect::<Vec<_>>());
        self.satisfying.borrow_mut().insert(formula.clone(), sets.clone());
        sets
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

/// Asks about every formula of a share.
fn for_each(share: &Share, check: impl Fn(&Asked) -> Result<(), String> + Sync) {
    let words = Words::new();
    let library = share::Library::new(LONGEST);
    share.for_each(&words, |formula| {
        let alphabet = Alphabet::of(&words, formula);
        let asked = Asked { words: &words, formula, shapes: library.shapes(&alphabet), satisfying: RefCell::default() };
        check(&asked).map_err(|error| format!("{}: {error}", words.model.show_formula(formula)))
    });
}

/// That what obligations consist of follows from them: each holds on the words on which the obligation does.
fn check_consequences(asked: &Asked) -> Result<(), String> {
    let tableau = Tableau::new(asked.formula);
    let numbers = 0..tableau.list.len() as u32;
    let obligations = numbers.flat_map(|subformula| [true, false].map(|truth| Obligation { subformula, truth }));
    for (obligation, lassos) in
        obligations.flat_map(|obligation| asked.shapes.iter().map(move |shape| (obligation, shape)))
    {
        let words = |obligation: &Obligation| {
            let formula = tableau.list[obligation.subformula as usize];
            let satisfying = naive::satisfying(asked.words, lassos, formula);
            if obligation.truth { satisfying } else { !&satisfying }
        };
        let consequences = tableau.consequences(&[obligation].into());
        let inside = consequences.iter().fold(lassos.every(), |inside, consequence| inside.common(&words(consequence)));
        if words(&obligation).common(&!&inside).first().is_some() {
            return Err(format!("{obligation:?} does not imply what it is said to"));
        }
    }
    Ok(())
}

#[test]
fn consequences_of_obligations_follow_from_them() {
    for_each(&Share::new(&[1, 1, 1, 7, 61, 997]), check_consequences);
}

#[test]
fn every_recogniser_accepts_the_words_on_which_a_formula_is_false() {
    for_each(&Share::new(&[1, 1, 1, 1, 7, 61]), |asked| {
        recognisers::ALL.iter().try_for_each(|recogniser| {
            asked.compare(*recogniser).map_err(|error| format!("{}: {error}", recogniser.name()))
        })
    });
}

#[test]
fn counters_count_what_is_seen() {
    for_each(&Share::new(&[1, 1, 1, 7, 61, 997]), counted::check);
}
