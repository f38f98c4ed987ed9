//! Runs step by step, as panels and pages show them: who acts, where in the text, and what that changes.

use crate::model::eval::words::describe_step;
use crate::model::eval::{Choice, Run, State};
use crate::model::{EdgeId, InstanceId, Model};
use crate::source::Span;

/// A run, without its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The values in each state, the initial one first, as in `client1-x` and `3`.
    pub states: Vec<Vec<(String, String)>>,
    /// The steps between them.
    pub steps: Vec<Step>,
    /// The state that the last step leads back to, if the run goes on for ever.
    pub loop_start: Option<usize>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The actions of agents, in words.
    pub words: String,
    /// The commands that take part, that of the sender or getter first.
    pub places: Vec<Span>,
    /// The locals that change, as in `client1-x: 1 -> 2`.
    pub changes: Vec<String>,
}

impl Steps {
    /// All of a run.
    pub fn of(run: &Run) -> Steps {
        let (model, states) = (run.semantics().model(), run.states());
        let steps = run.steps().iter().zip(states).map(|(step, state)| Step {
            words: describe_step(model, step),
            places: commands(&step.choice).into_iter().map(|it| place(model, it)).collect(),
            changes: changes(model, state, &step.target).into_iter().map(|(_, words)| words).collect(),
        });
        let named = |state| values(model, state).into_iter().map(|it| (it.name, it.value)).collect();
        Steps { steps: steps.collect(), states: states.iter().map(named).collect(), loop_start: run.loop_start() }
    }
}

/// The agents that take part in a step, with their commands.
pub fn commands(choice: &Choice) -> Vec<(InstanceId, EdgeId)> {
    let first = match choice {
        Choice::Send { sender, edge, .. } => vec![(*sender, *edge)],
        Choice::GetSupply { getter, get, supplier, supply } => vec![(*getter, *get), (*supplier, *supply)],
        // Agents that act all at once have no commands.
        Choice::Joint(_) | Choice::Stutter => return Vec::new(),
    };
    first.into_iter().chain(choice.receivers().to_vec()).collect()
}

/// The place of a command.
pub fn place(model: &Model, (instance, edge): (InstanceId, EdgeId)) -> Span {
    model.agent_of(instance).edges[edge.index()].span
}

/// A value in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownValue {
    /// The instance whose it is.
    pub owner: InstanceId,
    /// As in `client1-x`.
    pub name: String,
    /// As in `3`.
    pub value: String,
}

/// All values in a state. Agents that act all at once have no automaton states.
pub fn values(model: &Model, state: &State) -> Vec<ShownValue> {
    let mut values = Vec::new();
    for owner in model.instance_ids() {
        if model.joint.is_none() {
            let name = format!("{}-automaton-state", model.instances[owner.index()].name);
            values.push(ShownValue { owner, name, value: state.automaton(owner).to_string() });
        }
        for (id, local) in model.locals_of(owner) {
            let value = model.show(state.local(owner, id), local.ty);
            values.push(ShownValue { owner, name: model.variable_name(owner, id), value });
        }
    }
    values
}

/// The locals that differ, in words, with their owners.
pub fn changes(model: &Model, before: &State, after: &State) -> Vec<(InstanceId, String)> {
    let mut changed = Vec::new();
    for instance in model.instance_ids() {
        for (id, local) in model.locals_of(instance) {
            let (old, new) = (before.local(instance, id), after.local(instance, id));
            if old != new {
                let (old, new) = (model.show(old, local.ty), model.show(new, local.ty));
                changed.push((instance, format!("{}: {old} -> {new}", model.variable_name(instance, id))));
            }
        }
    }
    changed
}
