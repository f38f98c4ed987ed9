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

use rcheck_smt::check::explicit::tableau::Tableau;
use rcheck_smt::claim::explicit::Obligation;
use lassos::{Alphabet, LONGEST, Lassos, Set};
use letters::Words;
use rcheck_smt::model::Formula;
use recognisers::Recogniser;
use share::Share;

/// All words that can be asked about a formula, by shape.
struct Asked<'a> {
    words: &'a Words,
    formula: &'a Formula,
    shapes: &'a [Lassos],
}

impl Asked<'_> {
    /// Compares a recogniser with the definition.
    fn compare(&self, recogniser: &dyn Recogniser) -> Result<(), String> {
        let alphabet = &self.shapes[0].alphabet;
        let parts = recogniser.parts(self.words, alphabet, self.formula)?;
        for lassos in self.shapes {
            let mut any = lassos.none();
            for (part, automaton) in &parts {
                let accepted = automaton.accepted(lassos);
                self.same(lassos, part, &accepted)?;
                any |= &accepted;
            }
            self.same(lassos, self.formula, &any)?;
        }
        Ok(())
    }

    /// That the words are those on which a formula is false.
    fn same(&self, lassos: &Lassos, formula: &Formula, found: &Set) -> Result<(), String> {
        let satisfying = naive::satisfying(self.words, lassos, formula);
        let mut wrong = lassos.runs();
        let mut differing = lassos.none();
        differing.add_common(found, &satisfying);
        differing.add_common(&!found, &!&satisfying);
        wrong &= &differing;
        match wrong.first() {
            None => Ok(()),
            Some(word) => Err(format!(
                "{} is {} on {}, and the other is said",
                self.words.model.show_formula(formula),
                satisfying.contains(word),
                lassos.show(word)
            )),
        }
    }
}

/// Asks about every formula of a share.
fn for_each(share: &Share, check: impl Fn(&Asked) -> Result<(), String> + Sync) {
    let words = Words::new();
    let library = share::Library::new(LONGEST);
    share.for_each(&words, |formula| {
        let alphabet = Alphabet::of(&words, formula);
        let asked = Asked { words: &words, formula, shapes: library.shapes(&alphabet) };
        check(&asked).map_err(|error| format!("{}: {error}", words.model.show_formula(formula)))
    });
}

/// That what obligations consist of follows from them: each holds on the words on which the obligation does.
fn check_consequences(asked: &Asked) -> Result<(), String> {
    let tableau = Tableau::new(asked.formula);
    let numbers = 0..tableau.list.len() as u32;
    let obligations = numbers.flat_map(|subformula| [true, false].map(|truth| Obligation { subformula, truth }));
    for (obligation, lassos) in obligations.flat_map(|obligation| asked.shapes.iter().map(move |shape| (obligation, shape))) {
        let words = |obligation: &Obligation| {
            let formula = tableau.list[obligation.subformula as usize];
            let satisfying = naive::satisfying(asked.words, lassos, formula);
            if obligation.truth { satisfying } else { !&satisfying }
        };
        let mut outside = words(&obligation);
        let mut inside = lassos.every();
        tableau.consequences(&[obligation].into()).iter().for_each(|consequence| inside &= &words(consequence));
        outside &= &!&inside;
        if !outside.is_empty() {
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
