//! All small formulas on all short lasso words: whatever in the tool tells on which runs a formula is false has to agree
//! with the definition of linear temporal logic. A new automaton gets a `Recogniser` in [`recognisers`].
//!
//! Every run of the tests takes all formulas up to a size, and a fixed share of the larger ones. `RCHECK_WORDS=all`
//! takes all up to size 6 (`scripts/nightly-words`); with `RCHECK_STEP` and `RCHECK_SEED`, every so manieth of these.

mod asked;
mod automaton;
mod bounded;
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

use crate::common::oracle::Oracle;
use asked::Asked;
use lassos::{Alphabet, LONGEST};
use letters::Words;
use rcheck_smt::model::eval::Semantics;
use share::Share;

/// Asks about every formula of a share.
fn for_each(share: &Share, longest: usize, check: impl Fn(&Asked) -> Result<(), String> + Sync) {
    let words = Words::new();
    let library = share::Library::new(longest);
    share.for_each(&words, |formula| {
        let alphabet = Alphabet::of(&words, formula);
        check(&Asked::new(&words, formula, library.shapes(&alphabet)))
            .map_err(|error| format!("{}: {error}", words.model.show_formula(formula)))
    });
}

#[test]
fn consequences_of_obligations_follow_from_them() {
    for_each(&Share::new(&[1, 1, 1, 13, 199, 4999]), LONGEST, explored::check_consequences);
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
    for_each(&Share::new(&[1, 1, 1, 31, 499]), 3, concrete::check);
}

#[test]
fn the_oracle_knows_what_holds_on_all_runs() {
    let words = Words::new();
    let semantics = Semantics::new(&words.model);
    let oracle = Oracle::new(&semantics, Default::default()).expect("the model is small");
    for_each(&Share::new(&[1, 1, 1, 13]), LONGEST, |asked| concrete::check_oracle(asked, &oracle));
}

#[test]
fn bounded_searches_find_shortest_counterexamples() {
    for_each(&Share::new(&[1, 1, 1, 31, 199]), LONGEST, bounded::check);
}
