//! Engines agree with each other and with the oracle.
//!
//! - [`shapes`] draws models and specs in which obligations meet; [`campaign`] asks everybody about them.
//! - [`inquiry`] compares what engines say ([`answers`]), alone and together; [`offers`] their certificates for specs
//!   with the opposite verdict, which nobody may accept.

#![allow(clippy::print_stdout)] // Tallies are for people and scripts.

#[path = "../common/mod.rs"]
mod common;
#[path = "../differential/random.rs"]
mod random;

mod answers;
mod campaign;
mod family;
mod inquiry;
mod offers;
mod shapes;
mod tally;

use family::{Family, Share};
use tally::Tally;

/// A number of the environment, or the default.
fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => default,
    }
}

#[test]
fn engines_agree_on_shapes() {
    let mut tally = Tally::default();
    let first = setting("RCHECK_SEED", 1);
    for seed in first..first + setting("RCHECK_MODELS", 30) {
        let wrong = campaign::model(seed, &mut tally);
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
    println!("{tally}");
}

/// A share of all small formulas on all small systems.
#[test]
fn engines_agree_on_all_small_systems() {
    let family = Family::new();
    let share = Share {
        seed: setting("RCHECK_SEED", 1) as usize,
        explored: setting("RCHECK_EXPLORED", 2000) as usize,
        solved: setting("RCHECK_SOLVED", 40) as usize,
    };
    let mut tally = Tally::default();
    let [systems, formulas] = family.size();
    println!("{systems} systems, {formulas} formulas");
    for system in 0..systems {
        let wrong = family.check(system, share, &mut tally);
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
    println!("{tally}");
}
