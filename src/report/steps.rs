//! Runs step by step, as panels and pages show them: who acts, where in the text, and what that changes.

use crate::model::eval::words::describe_step;
use crate::model::eval::{Choice, Run, State};
use crate::model::{EdgeId, InstanceId, LocalId, Model};
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
        Steps {
            steps: steps.collect(),
            states: states.iter().map(|state| values(model, state)).collect(),
            loop_start: run.loop_start(),
        }
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

/// All values in a state, with their names.
pub fn values(model: &Model, state: &State) -> Vec<(String, String)> {
    let mut values = Vec::new();
    for instance in model.instance_ids() {
        let owner = &model.instances[instance.index()].name;
        values.push((format!("{owner}-automaton-state"), state.automaton(instance).to_string()));
        for (id, local) in (0..).map(LocalId).zip(&model.agent_of(instance).locals) {
            values.push((format!("{owner}-{}", local.name), model.show(state.local(instance, id), local.ty)));
        }
    }
    values
}

/// The locals that differ, in words, with their owners.
pub fn changes(model: &Model, before: &State, after: &State) -> Vec<(InstanceId, String)> {
    let mut changed = Vec::new();
    for instance in model.instance_ids() {
        let owner = &model.instances[instance.index()].name;
        for (id, local) in (0..).map(LocalId).zip(&model.agent_of(instance).locals) {
            let (old, new) = (before.local(instance, id), after.local(instance, id));
            if old != new {
                let (old, new) = (model.show(old, local.ty), model.show(new, local.ty));
                changed.push((instance, format!("{owner}-{}: {old} -> {new}", local.name)));
            }
        }
    }
    changed
}
