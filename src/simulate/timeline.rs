//! The run of a session: what was done, where the user stands, and what was undone but not replaced.

use crate::model::eval::{Choice, Influence, ReplayError, Run, Semantics, State, Step};
use crate::trace_file::Round;

/// A run that stutters for ever from its last state on, if that is stuck and the run has no loop.
pub fn for_ever<'s>(run: &Run<'s>) -> Option<Run<'s>> {
    let (semantics, last) = (run.semantics(), run.states().last()?);
    if run.loop_start().is_some() || !semantics.deadlocked(last) {
        return None;
    }
    let mut trace = run.trace();
    let end = trace.choices.len();
    trace.choices.push(Choice::Stutter);
    let influence = Influence::of_behaviour(semantics.model());
    let whole = Run::replay(semantics, run.states()[0].clone(), &trace.choices, Some(end), &influence);
    Some(whole.expect("a stuck state has the stutter, which changes nothing"))
}

/// A run from an initial state and a position on it.
#[derive(Clone, Debug)]
pub struct Timeline {
    states: Vec<State>,
    steps: Vec<Step>,
    at: usize,
    loop_start: Option<usize>,
    /// The round of a loaded run on which no state recurs, and where it ends.
    round: Option<(Round, usize)>,
}

impl Timeline {
    pub fn new(initial: State) -> Timeline {
        Timeline { states: vec![initial], steps: Vec::new(), at: 0, loop_start: None, round: None }
    }

    /// A whole run, seen from its beginning; the round says how it can go on.
    pub fn of(run: &Run, round: Option<Round>) -> Timeline {
        let (states, steps, loop_start) = (run.states().to_vec(), run.steps().to_vec(), run.loop_start());
        let round = round.map(|round| (round, steps.len()));
        Timeline { states, steps, at: 0, loop_start, round }
    }

    pub fn position(&self) -> usize {
        self.at
    }

    /// The number of steps up to here and beyond.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub fn state(&self) -> &State {
        &self.states[self.at]
    }

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

    /// The position where the loop of a loaded run starts.
    pub fn loop_start(&self) -> Option<usize> {
        self.loop_start
    }

    /// The steps of a loaded run that can be repeated for ever with other values, as that run says.
    pub fn round(&self) -> Option<&Round> {
        self.round.as_ref().map(|(round, _)| round)
    }

    /// The round, if the run up to here ends with the one that was loaded.
    pub fn round_to_here(&self) -> Option<&Round> {
        self.round.as_ref().filter(|(_, end)| *end == self.at).map(|(round, _)| round)
    }

    /// The next step at the end of the run when the round is repeated, and the number of the round that begins with
    /// that, if one does: the loaded run has the first one.
    pub fn next_of_round(&self) -> Option<(Choice, Option<usize>)> {
        let (round, end) = self.round.as_ref().filter(|(_, end)| self.at >= *end)?;
        let (done, period) = (self.at - end, end - round.start);
        let choice = self.steps[round.start + done % period].choice.clone();
        Some((choice, (done % period == 0).then(|| done / period + 2)))
    }

    /// Goes on with a step at the end of the run.
    pub fn append(&mut self, step: Step) {
        assert!(self.at == self.steps.len(), "there is more of the run");
        self.states.push(step.target.clone());
        self.steps.push(step);
        self.at += 1;
    }

    /// Takes a step from here. Steps that were undone are forgotten, unless this is the same step again.
    pub fn take(&mut self, step: Step) {
        if self.next() != Some(&step) {
            self.states.truncate(self.at + 1);
            self.steps.truncate(self.at);
            self.loop_start = None;
            self.round = None;
            self.append(step);
            return;
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

    /// The run up to here with the stutter for ever, the only way to go on, if it is stuck at its end.
    pub fn stuck<'s>(&self, run: &Run<'s>) -> Option<Run<'s>> {
        if self.at == self.steps.len() { for_ever(run) } else { None }
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
