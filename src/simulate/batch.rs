//! Random runs in a batch.

pub use super::specs::{beyond_one_run, comparison, spec_name};
use super::start::Family;
pub use super::timeline::for_ever;
use super::walk::random_run;
use crate::model::eval::{Run, Semantics, Truth};
use crate::model::{EdgeId, InstanceId, Model};
use fastrand::Rng;
use rustc_hash::FxHashSet;

/// A random run with at most so many steps, from a random initial state. The same seed makes the same run.
pub fn run<'s>(semantics: &'s Semantics<'s>, steps: usize, seed: u64) -> Result<Run<'s>, String> {
    let mut random = Rng::with_seed(seed);
    let initial = Family::new(semantics, Vec::new()).random(semantics, &mut random)?;
    Ok(random_run(semantics, initial, steps, &mut random))
}

/// The specs that the run violates, however it goes on: their numbers, from 0.
pub fn violated(run: &Run) -> Vec<usize> {
    let specs = &run.semantics().model().specs;
    let is_violated = |index: &usize| run.evaluate(&specs[*index].formula) == Truth::False;
    (0..specs.len()).filter(is_violated).collect()
}

/// The commands that were taken in some runs.
#[derive(Debug, Default)]
pub struct Coverage {
    taken: FxHashSet<(InstanceId, EdgeId)>,
}

impl Coverage {
    /// Adds a run.
    pub fn add(&mut self, run: &Run) {
        let model = run.semantics().model();
        for step in run.steps() {
            let commands = commands(model).filter(|&(instance, edge)| step.choice.performs(instance, edge));
            self.taken.extend(commands);
            self.taken.extend(step.choice.receivers());
        }
    }

    /// The commands that were never taken, in the order of the model.
    pub fn missing(&self, model: &Model) -> Vec<(InstanceId, EdgeId)> {
        commands(model).filter(|command| !self.taken.contains(command)).collect()
    }
}

fn commands(model: &Model) -> impl Iterator<Item = (InstanceId, EdgeId)> {
    model.instance_ids().flat_map(|instance| {
        let count = model.agent_of(instance).edges.len() as u32;
        (0..count).map(move |edge| (instance, EdgeId(edge)))
    })
}
