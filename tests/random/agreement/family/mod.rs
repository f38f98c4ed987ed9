//! All formulas up to size five on all systems with up to three states and two commands.
//!
//! The systems have the same agent, so that formulas of one are formulas of all. Two conditions on states tell the
//! three of them apart, a label and an observation the commands.

mod formulas;
mod systems;

use super::answers::{Effort, Who};
use super::inquiry::Inquiry;
use super::tally::Tally;
use crate::common::parsed;
use formulas::{Vocabulary, formulas};
use rcheck_smt::check::{Ending, Verdict};
use rcheck_smt::model::{Formula, Model};
use rcheck_smt::verify::Engine;
use systems::{System, systems};

/// The largest formulas.
const SIZE: usize = 5;
/// Number of formulas that are asked of a model at once.
const TOGETHER: usize = 64;
/// The atoms of the formulas.
const ATOMS: &str = "SPEC a-x = 0; SPEC a-x < 2; SPEC a-s; SPEC <<V = true>> a-s;";

const EFFORT: Effort = Effort { alone: 1_000_000, in_vain: 30_000, together: 10_000_000, bound: 8 };

/// A part of the family: one pair of a system and a formula in so many, and of those one in so many for engines that
/// need a solver. The pairs are spread evenly, other ones for each seed.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub seed: usize,
    pub explored: usize,
    pub solved: usize,
}

/// The family.
pub struct Family {
    systems: Vec<System>,
    formulas: Vec<Formula>,
}

impl Family {
    /// All of it.
    pub fn new() -> Family {
        let systems = systems();
        let vocabulary = Vocabulary::of(&parsed(&format!("{}{ATOMS}", systems[0].text())));
        Family { systems, formulas: formulas(&vocabulary, SIZE) }
    }

    /// The number of systems.
    pub fn systems(&self) -> usize {
        self.systems.len()
    }

    /// A system as text, and as models with the formulas of a share as specs.
    pub fn models(&self, system: usize, share: Share) -> (String, Vec<Model>) {
        let text = self.systems[system].text();
        let bare = parsed(&text);
        // A prime, so that neighbours meet other formulas.
        let first = (system * 7919 + share.seed) % share.explored;
        let chosen: Vec<&Formula> = self.formulas.iter().skip(first).step_by(share.explored).collect();
        let models = chosen.chunks(TOGETHER).map(|chunk| with_specs(&bare, chunk)).collect();
        (text, models)
    }

    /// The contradictions in the answers about the formulas of a share on a system.
    pub fn check(&self, system: usize, share: Share, tally: &mut Tally) -> Vec<String> {
        let (text, models) = self.models(system, share);
        let mut wrong = Vec::new();
        for (round, model) in models.iter().enumerate() {
            let number = |spec| (system * 31 + share.seed) * 17 + round * TOGETHER + spec;
            let others = |spec, verdict: Option<&Verdict>| others(number(spec), verdict, share.solved);
            let first = Who::Alone(Engine::Explicit);
            let inquiry = Inquiry { effort: EFFORT, first, others: &others, shortens: false, offers: None };
            let found = inquiry.run(model, tally).into_iter();
            wrong.extend(found.map(|why| format!("{why}\n\n{text}")));
        }
        wrong
    }
}

fn with_specs(model: &Model, formulas: &[&Formula]) -> Model {
    Model { specs: formulas.iter().map(|&formula| formula.clone().into()).collect(), ..model.clone() }
}

/// One of those who need a solver in turn, PDR most often. Where a loop violates the formula it is asked more
/// often: these are the pairs on which a wrong tableau shows.
fn others(number: usize, verdict: Option<&Verdict>, solved: usize) -> Vec<Who> {
    const TURNS: [Who; 11] = [
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Bmc),
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Rlive),
        Who::Alone(Engine::Pdr),
        Who::Together,
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Kind),
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Spacer),
        Who::Alone(Engine::Bdd),
    ];
    const LESS_OFTEN: usize = 8;
    let by_loop = matches!(verdict, Some(Verdict::Violated(it)) if matches!(it.ending(), Ending::Lasso(_)));
    let solved = if by_loop { solved } else { solved * LESS_OFTEN };
    if number.is_multiple_of(solved) { vec![TURNS[number / solved % TURNS.len()]] } else { Vec::new() }
}
