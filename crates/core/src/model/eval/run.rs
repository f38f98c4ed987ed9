//! Runs that were checked by replaying them.

use super::{Choice, Influence, Semantics, State, Step, Trace, WhyNot};
use crate::model::formula::StateLeaf;
use crate::model::{InstanceId, LocalId, Model, Value};
use crate::words::count;

/// A run of a model, or the beginning of one. There is no way to make one but [`Run::replay`].
///
/// It has the states s_0 .. s_n and the steps between them. With a loop back to l < n it is the
/// infinite run s_0 .. s_(l-1) (s_l .. s_(n-1))^omega: see [`super::influence`] for what s_n and s_l
/// must have in common, and why that is enough. Without a loop it stands for all its continuations.
#[derive(Debug)]
pub struct Run<'s> {
    semantics: &'s Semantics<'s>,
    states: Vec<State>,
    steps: Vec<Step>,
    loop_start: Option<usize>,
    /// The locals in which s_n differs from s_l; none of them influences the steps.
    forgotten: Vec<(InstanceId, LocalId)>,
}

/// Why a claimed run is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The first state is not initial.
    NotInitial,
    /// The step at this position does not exist.
    NoSuchStep {
        /// The number of steps before it.
        position: usize,
        /// The reason.
        why: WhyNot,
    },
    /// The loop starts at or behind the last state.
    EmptyLoop {
        /// The claimed start of the loop.
        loop_start: usize,
        /// The number of steps.
        steps: usize,
    },
    /// The last state is not where the loop starts.
    LoopNotClosed {
        /// Instances in another automaton state.
        instances: Vec<InstanceId>,
        /// Influential locals with another value.
        locals: Vec<(InstanceId, LocalId)>,
    },
}

impl ReplayError {
    /// The reason as a sentence without a full stop.
    pub fn describe(&self, model: &Model) -> String {
        match self {
            ReplayError::NotInitial => "the first state is not initial".to_string(),
            ReplayError::NoSuchStep { position, why } => {
                format!("the step from position {position} does not exist: {}", why.describe(model))
            }
            ReplayError::EmptyLoop { loop_start, steps } => {
                format!("a loop back to position {loop_start} is empty after {}", count(*steps, "step"))
            }
            ReplayError::LoopNotClosed { instances, locals } => {
                let name = |instance: &InstanceId| &model.instances[instance.index()].name;
                let automata = instances.iter().map(|instance| format!("`{}-automaton-state`", name(instance)));
                let locals = locals.iter().map(|(instance, local)| {
                    format!("`{}-{}`", name(instance), model.agent_of(*instance).locals[local.index()].name)
                });
                let differing = automata.chain(locals).collect::<Vec<_>>().join(", ");
                format!("the last state differs from the state at the start of the loop in {differing}")
            }
        }
    }
}

impl<'s> Run<'s> {
    /// Replays the choices from the state. With a loop, the last state must agree with that at
    /// `loop_start` in all automaton states and all locals of `influence`, which belongs to the same
    /// model.
    pub fn replay(
        semantics: &'s Semantics<'s>,
        initial: State,
        choices: &[Choice],
        loop_start: Option<usize>,
        influence: &Influence,
    ) -> Result<Run<'s>, ReplayError> {
        if !semantics.is_initial(&initial) {
            return Err(ReplayError::NotInitial);
        }
        if let Some(loop_start) = loop_start.filter(|start| *start >= choices.len()) {
            return Err(ReplayError::EmptyLoop { loop_start, steps: choices.len() });
        }
        let mut states = vec![initial];
        let mut steps = Vec::with_capacity(choices.len());
        for (position, choice) in choices.iter().enumerate() {
            let step =
                semantics.apply(&states[position], choice).map_err(|why| ReplayError::NoSuchStep { position, why })?;
            states.push(step.target.clone());
            steps.push(step);
        }
        let mut run = Run { semantics, states, steps, loop_start, forgotten: Vec::new() };
        run.close(influence)?;
        Ok(run)
    }

    /// Checks that the loop closes, and notes what it forgets.
    fn close(&mut self, influence: &Influence) -> Result<(), ReplayError> {
        let Some(loop_start) = self.loop_start else { return Ok(()) };
        let (start, end) = (&self.states[loop_start], &self.states[self.steps.len()]);
        let model = self.semantics.model();
        let instances: Vec<InstanceId> =
            model.instance_ids().filter(|instance| start.automaton(*instance) != end.automaton(*instance)).collect();
        let locals = model.instance_ids().flat_map(|instance| {
            let count = model.agent_of(instance).locals.len() as u32;
            (0..count).map(move |local| (instance, LocalId(local)))
        });
        let differing =
            locals.filter(|(instance, local)| start.local(*instance, *local) != end.local(*instance, *local));
        let (open, forgotten): (Vec<_>, Vec<_>) =
            differing.partition(|(instance, local)| influence.contains(*instance, *local));
        if !instances.is_empty() || !open.is_empty() {
            return Err(ReplayError::LoopNotClosed { instances, locals: open });
        }
        self.forgotten = forgotten;
        Ok(())
    }

    /// How to run it again.
    pub fn trace(&self) -> Trace {
        let initial = self.states[0].parts(self.semantics.model());
        let choices = self.steps.iter().map(|step| step.choice.clone()).collect();
        Trace { initial, choices, loop_start: self.loop_start }
    }

    /// The semantics that it was replayed on.
    pub fn semantics(&self) -> &'s Semantics<'s> {
        self.semantics
    }

    /// The states s_0 .. s_n.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The value of what a state atom reads, in the state at a position.
    pub fn value(&self, position: usize, leaf: StateLeaf) -> Value {
        let state = &self.states[position];
        self.semantics().value(state, leaf)
    }

    /// The steps between them.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The position where the loop starts, if there is one.
    pub fn loop_start(&self) -> Option<usize> {
        self.loop_start
    }

    /// The loop's start, if the loop is also one for a formula with this influence: if nothing that
    /// it forgets matters.
    pub(super) fn loop_start_for(&self, influence: &Influence) -> Option<usize> {
        let matters = self.forgotten.iter().any(|(instance, local)| influence.contains(*instance, *local));
        self.loop_start.filter(|_| !matters)
    }
}
