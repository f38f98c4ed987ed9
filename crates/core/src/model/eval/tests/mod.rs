//! Tests of the reference semantics on tiny models; one file per part.

mod explanations;
mod formulas;
mod initial;
mod known;
mod observations;
mod replay;
mod steps;

use super::words::describe_step;
use super::{Choice, Semantics, State, Step};
use crate::model::Model;
use crate::model::of_text::model;

/// The only initial state.
fn initial(semantics: &Semantics) -> State {
    let mut states = semantics.initial_states().expect("enumerable");
    assert_eq!(states.len(), 1);
    states.remove(0)
}

/// The steps from a state, each in words, in order. Checks by the way that each can be applied.
fn shown(semantics: &Semantics, state: &State) -> Vec<String> {
    let steps = semantics.steps(state);
    for step in &steps {
        assert_eq!(semantics.apply(state, &step.choice).as_ref(), Ok(step));
    }
    let stutters = steps.iter().any(|step| step.choice == Choice::Stutter);
    assert_eq!(stutters, steps.len() == 1 && semantics.deadlocked(state));
    steps.iter().map(|step| describe_step(semantics.model(), step)).collect()
}

/// The steps from the only initial state of a model in words.
fn first_steps(text: &str) -> Vec<String> {
    let model = model(text);
    let semantics = Semantics::new(&model);
    let state = initial(&semantics);
    shown(&semantics, &state)
}

/// The step from the state that reads like this.
fn step(semantics: &Semantics, state: &State, text: &str) -> Step {
    let steps = semantics.steps(state);
    let found = steps.iter().find(|step| describe_step(semantics.model(), step) == text);
    found.unwrap_or_else(|| panic!("no step `{text}` among {:#?}", shown(semantics, state))).clone()
}

/// The values of all locals of an instance, as the user writes them.
fn locals(model: &Model, state: &State, instance: &str) -> String {
    let named = |id: &crate::model::InstanceId| model.instances[id.index()].name == instance;
    let id = model.instance_ids().find(named).expect("an instance");
    let locals = model.agent_of(id).locals.iter().enumerate().map(|(index, local)| {
        let value = state.local(id, crate::model::LocalId(index as u32));
        format!("{}={}", local.name, model.show(value, local.ty))
    });
    locals.collect::<Vec<_>>().join(" ")
}
