//! Random models and specs by shapes, all engines, one after the other.

use crate::answers::{Effort, Who};
use crate::common::parsed;
use crate::inquiry::Inquiry;
use crate::random::Random;
use crate::shapes;
use crate::tally::Tally;
use rcheck_smt::verify::Engine;
use std::time::Duration;

/// One model in so many has a counter that may grow for ever: there most answers take the time that they are given.
const INFINITE: u64 = 6;
/// Specs of a model.
const SPECS: usize = 10;

const FINITE: Effort = Effort { alone: ms(200), in_vain: ms(15), together: ms(2000), bound: 12 };
const UNBOUNDED: Effort = Effort { alone: ms(50), in_vain: ms(20), together: ms(200), bound: 6 };

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// What does not fit together in the answers about the model of a seed.
pub fn model(seed: u64, tally: &mut Tally) -> Vec<String> {
    let infinite = seed.is_multiple_of(INFINITE);
    let text = shapes::model(seed, SPECS, infinite);
    let model = parsed(&text);
    let asked = |spec| asked(seed, spec, infinite);
    let effort = if infinite { UNBOUNDED } else { FINITE };
    let inquiry = Inquiry { effort, asked: &asked, offers: Some(seed) };
    let wrong = inquiry.run(&model, tally).into_iter();
    wrong.map(|why| format!("RCHECK_SEED={seed}\n{why}\n\n{text}")).collect()
}

/// Exploration, which is quick, always; the others in turn.
fn asked(seed: u64, spec: usize, infinite: bool) -> Vec<Who> {
    const TURNS: [Who; 6] = [
        Who::Alone(Engine::Bmc),
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Kind),
        Who::Alone(Engine::Rlive),
        Who::Alone(Engine::Spacer),
        Who::Together,
    ];
    let mut random = Random::new(seed << 8 | spec as u64);
    let mut asked = vec![Who::Alone(if infinite { Engine::Bmc } else { Engine::Explicit })];
    let first = TURNS[random.weighted(&[25, 45, 6, 12, 6, 6])];
    let second = TURNS[random.weighted(&[20, 20, 6, 12, 6, 36])];
    for who in [first, second] {
        if !asked.contains(&who) {
            asked.push(who);
        }
    }
    asked
}
