//! The concrete reference semantics: `docs/semantics.md` and `docs/logic.md`, on values, without any solver.
//!
//! Nothing else in the project may decide whether a trace is a run. Read it in this order:
//!
//! - [`value`]: values of expressions; [`state`]: states; [`choice`]: steps as data;
//! - `send` and `transfer`: broadcast and multicast, and get/supply, rule by rule;
//! - `joint`: steps of agents that act all at once; `lookup`: which of their lines are worth a look; [`leaving`]: lines of
//!   theirs that can leave a domain;
//! - [`steps`]: all steps from a state, one claimed step, deadlock;
//! - [`initial`]: which states are initial, and which they are;
//! - [`why`]: all that keeps a command from being taken;
//! - [`observe`]: which steps an observation descriptor observes;
//! - [`influence`]: what a run may forget when it closes a loop; [`run`]: replayed runs;
//! - [`truth`]: formulas on runs; [`explain`]: why a formula is false on a run; [`explanation`]: what that comes to;
//! - [`words`]: steps in words;
//! - [`explore`]: the reachable states of a finite model; [`tables`]: the same steps, fast.

mod candidates;
pub mod choice;
pub mod decisions;
pub mod explain;
pub mod explanation;
pub mod explore;
pub mod influence;
pub mod initial;
mod joint;
pub mod leaving;
mod lookup;
pub mod observe;
pub mod run;
mod scope;
mod send;
mod starts;
pub mod state;
pub mod steps;
pub mod tables;
#[cfg(test)]
mod tests;
mod trace;
mod transfer;
pub mod truth;
mod unfair;
pub mod value;
pub mod why;
pub mod words;

pub use choice::{Choice, Step, WhyNot};
pub use decisions::{Decisions, SeenMessage};
pub use explanation::{Explanation, ExplanationStep, RunPart};
pub use explore::{Exploration, Limits};
pub use influence::Influence;
pub use initial::EnumerationError;
pub use run::{ReplayError, Run};
pub use state::{State, StateError};
pub use trace::Trace;
pub use truth::{Given, Truth};

use super::{Action, Agent, Edge, EdgeId, InstanceId, Model};
use lookup::Lines;

/// The meaning of a model: everything that depends on the model alone is computed once, here.
#[derive(Debug)]
pub struct Semantics<'m> {
    model: &'m Model,
    /// Per agent type and automaton state.
    commands: Vec<Vec<Commands>>,
    /// Per instance, where all act at once.
    lines: Vec<Lines>,
}

/// The commands that leave an automaton state, by kind, in the order of the text.
#[derive(Clone, Debug, Default)]
struct Commands {
    sends: Vec<EdgeId>,
    receives: Vec<EdgeId>,
    gets: Vec<EdgeId>,
    supplies: Vec<EdgeId>,
}

impl<'m> Semantics<'m> {
    /// The meaning of a model that came without errors.
    pub fn new(model: &'m Model) -> Semantics<'m> {
        let commands = model.agents.iter().map(commands_by_state).collect();
        let behaviours = model.joint.iter().flat_map(|joint| &joint.behaviours);
        Semantics { model, commands, lines: behaviours.map(Lines::new).collect() }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    fn edge(&self, instance: InstanceId, edge: EdgeId) -> &'m Edge {
        &self.model.agent_of(instance).edges[edge.index()]
    }

    /// The commands that leave the instance's automaton state.
    fn commands(&self, state: &State, instance: InstanceId) -> &Commands {
        let agent = self.model.instances[instance.index()].agent;
        &self.commands[agent.index()][state.automaton(instance) as usize]
    }
}

fn commands_by_state(agent: &Agent) -> Vec<Commands> {
    let mut by_state = vec![Commands::default(); agent.states as usize];
    for (index, edge) in agent.edges.iter().enumerate() {
        let commands = &mut by_state[edge.source as usize];
        let list = match edge.action {
            Action::Send { .. } => &mut commands.sends,
            Action::Receive { .. } => &mut commands.receives,
            Action::Get { .. } => &mut commands.gets,
            Action::Supply { .. } => &mut commands.supplies,
        };
        list.push(EdgeId(index as u32));
    }
    by_state
}
