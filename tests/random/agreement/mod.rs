//! Engines agree with each other, with the oracle, and with NuSMV.
//!
//! - [`shapes`] draws models and specs in which obligations meet; [`campaign`] asks all engines about them.
//! - [`corners`] draws models of which nearly everything is a special case, and compares with the definition of path quantifiers and
//!   knowledge.
//! - [`family`] is all small formulas on all small systems.
//! - [`shipped`] asks all engines about `specs/`.
//! - [`inquiry`] compares what engines say ([`answers`]), alone and together; [`offers`] their certificates for specs
//!   with the opposite verdict, which no check may accept.
//! - [`nusmv`] reads our files, and has its own construction for LTL.
//!
//! By default shares that take seconds are asked. Ignored tests are for the night: `scripts/nightly-campaign` and
//! `scripts/nightly-agreement` ask for it. `RCHECK_SEED` is the first seed (default 1), and a failure prints it; `RCHECK_MODELS` is the number of random
//! models; `RCHECK_WORK` is the work that an engine may do on a shipped spec; `RCHECK_EXPLORED` and `RCHECK_SOLVED` say how large a share of the family is ([`family::Share`]).

#![allow(clippy::print_stdout)] // Tallies are for people and scripts.

mod answers;
mod campaign;
mod corners;
mod family;
mod inquiry;
mod nusmv;
mod offers;
mod shapes;
mod shipped;
mod tally;

use crate::common::setting;
use family::{Family, Share};
use nusmv::NuSmv;
use std::sync::Mutex;
use tally::Tally;

fn share(explored: usize, solved: usize) -> Share {
    let (explored, solved) = (setting("RCHECK_EXPLORED", explored), setting("RCHECK_SOLVED", solved));
    Share { seed: setting("RCHECK_SEED", 1), explored, solved }
}

fn fine(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn engines_agree_on_shapes() {
    let mut tally = Tally::default();
    let (first, models) = (setting("RCHECK_SEED", 1) as u64, setting("RCHECK_MODELS", 20));
    for seed in (first..).take(models) {
        fine(&campaign::model(seed, &mut tally));
    }
    println!("{tally}");
    assert!(models < 20 || ["explicit", "bmc", "pdr", "portfolio"].iter().all(|name| tally.of(name)[1] > 0), "{tally}");
    assert!(models < 20 || (tally.of("pdr")[0] > 0 && tally.refused > 0 && tally.certified > 0), "{tally}");
}

#[test]
fn engines_agree_in_corners() {
    let mut tally = Tally::default();
    let (first, models) = (setting("RCHECK_SEED", 1) as u64, setting("RCHECK_MODELS", 60));
    for seed in (first..).take(models) {
        fine(&corners::check(seed, &mut tally));
    }
    println!("{tally}");
    // Labels in branching formulas are a matter of more models.
    let missing: Vec<&&str> = corners::SHAPES[4..].iter().filter(|shape| !tally.shapes.contains_key(**shape)).collect();
    assert!(models < 60 || missing.is_empty(), "no spec is about {missing:?}: {tally}");
    // A model that is too large, or a spec with too many operators, is compared with nothing.
    assert!(tally.oracle >= models as u64 * corners::SPECS as u64 * 9 / 10, "{tally}");
    assert!(models < 60 || ["explicit", "bdd", "pdr", "rlive"].iter().all(|name| tally.of(name)[0] > 0), "{tally}");
    assert!(models < 60 || (tally.refused > 0 && tally.certified > 0), "{tally}");
}

/// All models from `RCHECK_SEED` on, also after a mismatch; `RCHECK_STEP` processes share them.
#[test]
#[ignore = "for the night"]
fn engines_agree_in_many_corners() {
    let mut tally = Tally::default();
    let (first, models, step) =
        (setting("RCHECK_SEED", 1), setting("RCHECK_MODELS", 100_000), setting("RCHECK_STEP", 1));
    let mut found = 0;
    for seed in (first..first + models).step_by(step) {
        for wrong in corners::check(seed as u64, &mut tally) {
            println!("DISAGREEMENT {wrong}");
            found += 1;
        }
    }
    println!("{tally} mismatches {found}");
    assert_eq!(found, 0);
}

#[test]
fn engines_agree_on_small_systems() {
    let (family, share, mut tally) = (Family::new(), share(5000, 5), Tally::default());
    for system in 0..family.systems() {
        fine(&family.check(system, share, &mut tally));
    }
    println!("{tally}");
    let [[holds, violated], by_pdr] = ["explicit", "pdr"].map(|name| tally.of(name));
    assert!(holds > 0 && violated > 0 && by_pdr.iter().all(|count| *count > 0) && tally.oracle > 0, "{tally}");
}

/// All of the family with `RCHECK_EXPLORED=1`; `RCHECK_STEP` processes share the systems, each has its own seed.
#[test]
#[ignore = "for the night"]
fn engines_agree_on_all_small_systems() {
    let (family, share, mut tally) = (Family::new(), share(1, 10_000), Tally::default());
    let mut found = 0;
    for system in (share.seed..family.systems()).step_by(setting("RCHECK_STEP", 1)) {
        for wrong in family.check(system, share, &mut tally) {
            println!("DISAGREEMENT {wrong}");
            found += 1;
        }
    }
    println!("{tally} mismatches {found}");
    assert_eq!(found, 0);
}

#[test]
#[ignore = "for the night"]
fn engines_agree_in_a_campaign() {
    let mut tally = Tally::default();
    let (first, step) = (setting("RCHECK_SEED", 1) as u64, setting("RCHECK_STEP", 1));
    let found = campaign::run(first, step, setting("RCHECK_VERDICTS", 10_000) as u64, &mut tally);
    println!("{tally} mismatches {found}");
    assert_eq!(found, 0);
}

#[test]
#[ignore = "for the night"]
fn engines_agree_on_shipped_specs() {
    let tally = Mutex::new(Tally::default());
    let wrong = shipped::check(setting("RCHECK_WORK", 20_000_000) as u64, &tally);
    println!("{} mismatches {}", tally.into_inner().expect("no panic before"), wrong.len());
    fine(&wrong);
}

#[test]
#[ignore = "needs scripts/setup-nusmv"]
fn nusmv_agrees_on_small_systems() {
    let (family, share, mut nusmv) = (Family::new(), share(60, 1), NuSmv::new("family.smv"));
    // A start of the tool for each system takes longer than its answers.
    for system in (share.seed..family.systems()).step_by(setting("RCHECK_STEP", 60)) {
        let (text, models) = family.models(system, share);
        let wrong: Vec<String> = models.iter().flat_map(|model| nusmv.check(model)).collect();
        assert!(wrong.is_empty(), "{}\n\n{text}", wrong.join("\n\n"));
    }
    println!("tally nusmv holds {} violated {}", nusmv.answers[0], nusmv.answers[1]);
}

#[test]
#[ignore = "needs scripts/setup-nusmv"]
fn nusmv_agrees_on_shapes() {
    let mut nusmv = NuSmv::new("shapes.smv");
    let first = setting("RCHECK_SEED", 1) as u64;
    for seed in (first..).take(setting("RCHECK_MODELS", 200)) {
        let (text, model) = campaign::finite(seed);
        let wrong = nusmv.check(&model);
        assert!(wrong.is_empty(), "RCHECK_SEED={seed}\n{}\n\n{text}", wrong.join("\n\n"));
    }
    println!("tally nusmv holds {} violated {}", nusmv.answers[0], nusmv.answers[1]);
}
