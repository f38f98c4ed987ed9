//! All small formulas on all short lasso words: whatever in the tool tells on which runs a formula is false has to agree
//! with the definition of linear temporal logic.
//!
//! Every run of the tests takes all formulas up to a size, and a fixed share of the larger ones. `RCHECK_WORDS=all`
//! takes all up to size 6 (`scripts/nightly-words`).

mod automaton;
mod bounded;
#[path = "../common/mod.rs"]
mod common;
mod concrete;
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
use letters::{Bit, Words};
use rcheck_smt::check::explicit::tableau::Tableau;
use rcheck_smt::claim::explicit::Obligation;
use rcheck_smt::model::Formula;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::eval::oracle::Oracle;
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

    /// A shortest word on which the formula is false.
    fn violating(&self) -> Option<(&Lassos, usize)> {
        let satisfying = self.satisfying(self.formula);
        let violating = self.shapes.iter().zip(&*satisfying).map(|(lassos, set)| (lassos, lassos.runs().common(&!set)));
        violating.into_iter().find_map(|(lassos, set)| Some((lassos, set.first()?)))
    }

    /// Whether the formula reads a bit of letters.
    fn reads(&self, bit: Bit) -> bool {
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

/// Asks about every formula of a share.
fn for_each(share: &Share, longest: usize, check: impl Fn(&Asked) -> Result<(), String> + Sync) {
    let words = Words::new();
    let library = share::Library::new(longest);
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
    for_each(&Share::new(&[1, 1, 1, 13, 199, 4999]), LONGEST, check_consequences);
}

#[test]
fn every_recogniser_accepts_the_words_on_which_a_formula_is_false() {
    for_each(&Share::new(&[1, 1, 1, 1, 31, 499]), LONGEST, |asked| {
        recognisers::ALL.iter().try_for_each(|recogniser| {
            asked.compare(*recogniser).map_err(|error| format!("{}: {error}", recogniser.name()))
        })
    });
}

#[test]
fn counters_count_what_is_seen() {
    for_each(&Share::new(&[1, 1, 1, 13, 199, 4999]), LONGEST, counted::check);
}

#[test]
fn runs_are_evaluated_as_defined() {
    for_each(&Share::new(&[1, 1, 13, 199, 4999]), 3, concrete::check);
}

#[test]
fn the_oracle_knows_what_holds_on_all_runs() {
    let words = Words::new();
    let semantics = Semantics::new(&words.model);
    let oracle = Oracle::new(&semantics, Default::default()).expect("the model is small");
    for_each(&Share::new(&[1, 1, 3, 61]), LONGEST, |asked| concrete::check_oracle(asked, &oracle));
}

#[test]
fn bounded_searches_find_shortest_counterexamples() {
    for_each(&Share::new(&[1, 1, 11, 199]), LONGEST, bounded::check);
}
