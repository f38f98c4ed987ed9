//! Comparison of the content of a file with the replay.

use super::problem::{NotATrace, Problem};
use super::read::{AUTOMATON, FileContent, Parts};
use crate::model::eval::{Run, State};
use crate::model::{InstanceId, LocalId, Model};

/// Every state and step that was written has to be that of the run.
pub(super) fn compare(run: &Run, written: &FileContent) -> Result<(), NotATrace> {
    let model = run.semantics().model();
    let mut problems = Vec::new();
    for (position, (state, parts)) in run.states().iter().zip(&written.states).enumerate() {
        for (instance, variable, what) in differences(model, state, parts) {
            let owner = &model.instances[instance.index()].name;
            problems.push(Problem { place: written.variable_place(position, owner, variable), what });
        }
    }
    for (position, (step, written_step)) in run.steps().iter().zip(&written.steps).enumerate() {
        let what = match () {
            () if step.channel != written_step.channel => "the message is on another channel",
            () if step.data != written_step.data => "the step has other data",
            () => continue,
        };
        problems.push(Problem { place: written.step_place(position), what: what.to_owned() });
    }
    if problems.is_empty() { Ok(()) } else { Err(NotATrace { problems }) }
}

/// The variables that have another value than the file says.
fn differences<'m>(model: &'m Model, state: &State, parts: &Parts) -> Vec<(InstanceId, &'m str, String)> {
    let mut found = Vec::new();
    for (instance, (automaton, values)) in model.instance_ids().zip(parts) {
        let replayed = state.automaton(instance);
        if replayed != *automaton {
            found.push((instance, AUTOMATON, format!("{automaton} in the file, {replayed} in the replay")));
        }
        for (index, (local, value)) in model.agent_of(instance).locals.iter().zip(values).enumerate() {
            let replayed = state.local(instance, LocalId(index as u32));
            if replayed != value {
                let (value, replayed) = (model.show(value, local.ty), model.show(replayed, local.ty));
                found.push((instance, &local.name, format!("{value} in the file, {replayed} in the replay")));
            }
        }
    }
    found
}
