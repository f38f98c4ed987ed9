//! The run of a session: what was done, where the user stands, and what was undone but not replaced.

use crate::model::eval::{Choice, Influence, ReplayError, Run, Semantics, State, Step};

/// A run from an initial state and a position on it.
#[derive(Clone, Debug)]
pub struct Timeline {
    states: Vec<State>,
    steps: Vec<Step>,
    at: usize,
    loop_start: Option<usize>,
}

impl Timeline {
    /// Only an initial state.
    pub fn new(initial: State) -> Timeline {
        Timeline { states: vec![initial], steps: Vec::new(), at: 0, loop_start: None }
    }

    /// A whole run, seen from its beginning.
    pub fn of(run: &Run) -> Timeline {
        Timeline { states: run.states().to_vec(), steps: run.steps().to_vec(), at: 0, loop_start: run.loop_start() }
    }

    /// The number of steps up to here.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The number of steps up to here and beyond.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The state here.
    pub fn state(&self) -> &State {
        &self.states[self.at]
    }

    /// The state at a position.
    pub fn state_at(&self, position: usize) -> &State {
        &self.states[position]
    }

    /// The step to a position, with the state before it; none at the start.
    pub fn step_to(&self, position: usize) -> Option<(&State, &Step)> {
        let before = position.checked_sub(1)?;
        Some((&self.states[before], &self.steps[before]))
    }

    /// The step that was taken from here, and maybe undone.
    pub fn next(&self) -> Option<&Step> {
        self.steps.get(self.at)
    }

    /// Where the loop of a loaded run starts.
    pub fn loop_start(&self) -> Option<usize> {
        self.loop_start
    }

    /// Takes a step from here. What was undone is forgotten, unless this is the same step again.
    pub fn take(&mut self, step: Step) {
        if self.next() != Some(&step) {
            self.states.truncate(self.at + 1);
            self.steps.truncate(self.at);
            self.loop_start = None;
            self.states.push(step.target.clone());
            self.steps.push(step);
        }
        self.at += 1;
    }

    /// Goes to a position, which has to exist.
    pub fn go(&mut self, position: usize) {
        assert!(position <= self.steps.len(), "position {position} of {}", self.steps.len());
        self.at = position;
    }

    /// The run up to here; with its loop at the end of a loaded run that has one.
    pub fn run<'s>(&self, semantics: &'s Semantics<'s>) -> Result<Run<'s>, ReplayError> {
        let loop_start = self.loop_start.filter(|_| self.at == self.steps.len());
        self.replay(semantics, self.at, loop_start)
    }

    /// The first so many steps, as a beginning.
    pub fn beginning<'s>(&self, semantics: &'s Semantics<'s>, steps: usize) -> Result<Run<'s>, ReplayError> {
        self.replay(semantics, steps, None)
    }

    fn replay<'s>(
        &self,
        semantics: &'s Semantics<'s>,
        steps: usize,
        loop_start: Option<usize>,
    ) -> Result<Run<'s>, ReplayError> {
        let choices: Vec<Choice> = self.steps[..steps].iter().map(|step| step.choice.clone()).collect();
        let influence = Influence::of_behaviour(semantics.model());
        Run::replay(semantics, self.states[0].clone(), &choices, loop_start, &influence)
    }
}
