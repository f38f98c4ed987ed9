//! Random models and specs by shapes, all engines, one after the other.

use super::answers::{Effort, Who};
use super::inquiry::Inquiry;
use super::shapes;
use super::tally::Tally;
use crate::common::parsed;
use crate::common::random::Random;
use rcheck_smt::check::Verdict;
use rcheck_smt::model::Model;
use rcheck_smt::verify::Engine;
use std::path::Path;

/// One model in so many has a counter that may grow for ever: there most answers take the time that they are given.
const INFINITE: u64 = 6;
/// Specs of a model.
const SPECS: usize = 24;
/// In percent, how often each other engine that may be asked is asked beside the first.
const ASKED: usize = 30;

const FINITE: Effort = Effort { alone: 120_000, in_vain: 30_000, together: 4_000_000, bound: 12 };
const UNBOUNDED: Effort = Effort { alone: 100_000, in_vain: 40_000, together: 400_000, bound: 6 };

/// Asks about models of one seed after the other until so many verdicts are there, and prints what does not fit
/// together as soon as it is found; how much that was. `step` seeds apart, so that several can share the work.
pub fn run(first: u64, step: usize, verdicts: u64, tally: &mut Tally) -> usize {
    const SHOW_EVERY: u64 = 10_000;
    let present = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("campaign-{first}"));
    let (mut found, mut shown) = (0, SHOW_EVERY);
    for seed in (first..).step_by(step) {
        // For a look at the model that ended the process.
        std::fs::write(&present, format!("RCHECK_SEED={seed}\n")).expect("a writable folder");
        for wrong in model(seed, tally) {
            println!("DISAGREEMENT {wrong}");
            found += 1;
        }
        if tally.verdicts() >= shown {
            println!("{} verdicts, seed {seed}", tally.verdicts());
            shown += SHOW_EVERY;
        }
        if tally.verdicts() >= verdicts {
            break;
        }
    }
    found
}

/// The contradictions in the answers about the model of a seed.
pub fn model(seed: u64, tally: &mut Tally) -> Vec<String> {
    let infinite = seed.is_multiple_of(INFINITE);
    let text = shapes::model(seed, SPECS, infinite);
    let model = parsed(&text);
    let first = Who::Alone(if infinite { Engine::Bmc } else { Engine::Explicit });
    let others = |spec, _: Option<&Verdict>| others(seed, spec, first);
    let effort = if infinite { UNBOUNDED } else { FINITE };
    let inquiry = Inquiry { effort, first, others: &others, shortens: true, offers: Some(seed) };
    let wrong = inquiry.run(&model, tally).into_iter();
    wrong.map(|why| format!("RCHECK_SEED={seed}\n{why}\n\n{text}")).collect()
}

/// The finite model of a seed, which need not be that of [`model`].
pub fn finite(seed: u64) -> (String, Model) {
    let text = shapes::model(seed, SPECS, false);
    let model = parsed(&text);
    (text, model)
}

/// One or two of those who need a solver; where the model is finite they get a part of the specs only, because
/// exploration takes a fraction of their time.
fn others(seed: u64, spec: usize, first: Who) -> Vec<Who> {
    const WHO: [Who; 7] = [
        Who::Alone(Engine::Bmc),
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Kind),
        Who::Alone(Engine::Rlive),
        Who::Alone(Engine::Spacer),
        Who::Alone(Engine::Bdd),
        Who::Together,
    ];
    let mut random = Random::new(seed << 8 | spec as u64);
    let one = WHO[random.weighted(&[25, 37, 6, 12, 6, 8, 6])];
    let other = WHO[random.weighted(&[20, 16, 6, 12, 6, 8, 32])];
    let mut others: Vec<Who> = [one, other].into_iter().filter(|who| *who != first && random.percent(ASKED)).collect();
    others.dedup();
    others
}
