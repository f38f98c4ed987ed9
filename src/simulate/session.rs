//! A session: what each command does.

use super::World;
use super::command::{ENTRIES, TypedCommand, parse};
use super::condition::{About, Condition, ConditionReader};
use super::show::{self, DIM, Detail, HEADING};
use super::start::Family;
use super::timeline::Timeline;
use crate::model::Model;
use crate::model::eval::{Choice, Run, Semantics, State, Step};
use crate::trace_file::Round;
use crate::words::count;
use fastrand::Rng;
use std::borrow::Cow;

/// The number of steps that are listed without being asked for.
const LISTED: usize = 20;

/// The outcome of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It made no sense here; nothing was changed.
    Refused,
    /// The user leaves.
    Left,
}

/// The answer to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The text to show; ends with a line break unless it is empty. It has escape codes for colours.
    pub text: String,
    /// The outcome of it.
    pub outcome: Outcome,
}

/// The place of the user.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// The initial state is not chosen yet.
    Start(Family),
    /// On a run.
    Run(Timeline),
}

/// A session with one model.
pub struct Session<'s> {
    pub(super) semantics: &'s Semantics<'s>,
    pub(super) reader: &'s ConditionReader,
    pub(super) world: &'s dyn World,
    pub(super) random: Rng,
    pub(super) phase: Phase,
}

/// The text of what was done, or why it was not.
pub(super) type Told = Result<String, String>;

impl<'s> Session<'s> {
    /// Starts in the initial state, if there is only one. The same seed makes the same choices.
    pub fn new(
        semantics: &'s Semantics<'s>,
        reader: &'s ConditionReader,
        world: &'s dyn World,
        seed: u64,
    ) -> Session<'s> {
        let phase = begin(Family::new(semantics, Vec::new()));
        Session { semantics, reader, world, random: Rng::with_seed(seed), phase }
    }

    /// The same, on a run that is given.
    pub fn with_run(mut self, run: &Run, round: Option<Round>) -> Session<'s> {
        self.phase = Phase::Run(Timeline::of(run, round));
        self
    }

    /// The text to show before the first line.
    pub fn welcome(&mut self) -> String {
        let model = self.model();
        let agents: Vec<String> = model.instances.iter().map(|it| it.name.clone()).collect();
        let rest = match &self.phase {
            Phase::Run(timeline) if !timeline.is_empty() => {
                format!("a run with {}; `forward` goes along it\n", show::extent(timeline))
            }
            _ => String::new(),
        };
        format!("{}; `help` lists the commands\n{rest}\n{}", agents.join(", "), self.here(Detail::Whole))
    }

    /// Does what the line says.
    pub fn execute(&mut self, line: &str) -> Reply {
        let command = parse(line);
        let leaves = matches!(&command, Ok(Some(command)) if command.name == "quit");
        match command.and_then(|command| command.map_or_else(|| Ok(String::new()), |command| self.perform(&command))) {
            Ok(text) => Reply { text, outcome: if leaves { Outcome::Left } else { Outcome::Done } },
            Err(error) if error.ends_with('\n') => Reply { text: error, outcome: Outcome::Refused },
            Err(error) => Reply { text: format!("{error}\n"), outcome: Outcome::Refused },
        }
    }

    /// The state that the session is in; none before an initial state is chosen.
    pub fn state(&self) -> Option<&State> {
        self.timeline().ok().map(Timeline::state)
    }

    /// The steps that are offered, in the order of their numbers; none before an initial state is chosen.
    pub fn offered(&self) -> Vec<Step> {
        self.state().map_or(Vec::new(), |state| self.semantics.steps(state))
    }

    fn perform(&mut self, command: &TypedCommand) -> Told {
        match command.name {
            "N" => self.take_number(command.number(None)?),
            "steps" => self.timeline().map(|_| self.step_list(usize::MAX)),
            "show" => self.preview(command.number(None)?),
            "state" => self.timeline().map(|_| self.here(Detail::Whole)),
            "trace" => self.trace(),
            "back" => self.back(command.number(Some(1))?),
            "forward" => self.forward(command.number(Some(1))?),
            "goto" => self.go(command.number(None)?),
            "reset" => self.go(0),
            "initial" if command.argument().is_empty() => Ok(self.choose_again()),
            "initial" if command.argument() == "random" => self.start_anywhere(),
            "initial" => self.start_number(command.number(None)?),
            "constrain" => self.constrain(command),
            "random" => self.random_steps(command.number(Some(1))?),
            "until" => self.with_condition(command, Session::until),
            "find" => self.with_condition(command, Session::find),
            "eval" => self.with_condition(command, Session::evaluate),
            "why" => self.why(command.argument()),
            "blocked" => self.blocked(),
            "specs" => self.specs(),
            "save" => self.save(command.argument()),
            "load" => self.load(command.argument()),
            "help" => Ok(help(self.reader)),
            _ => Ok(String::new()),
        }
    }

    pub(super) fn model(&self) -> &'s Model {
        self.semantics.model()
    }

    pub(super) fn timeline(&self) -> Result<&Timeline, String> {
        match &self.phase {
            Phase::Run(timeline) => Ok(timeline),
            Phase::Start(_) => Err("choose an initial state first: see `initial`".to_owned()),
        }
    }

    pub(super) fn timeline_mut(&mut self) -> Result<&mut Timeline, String> {
        match &mut self.phase {
            Phase::Run(timeline) => Ok(timeline),
            Phase::Start(_) => Err("choose an initial state first: see `initial`".to_owned()),
        }
    }

    fn condition(&self, command: &TypedCommand) -> Result<Condition, String> {
        self.reader.condition(self.model(), command.line, command.place.clone())
    }

    /// Does something with a condition; what looks wrong with the condition is shown first.
    fn with_condition(&mut self, command: &TypedCommand, action: fn(&mut Session<'s>, &Condition) -> Told) -> Told {
        let condition = self.condition(command)?;
        Ok(format!("{}{}", condition.warnings, action(self, &condition)?))
    }

    /// The place of the session, and the steps from there.
    pub(super) fn here(&self, detail: Detail) -> String {
        match &self.phase {
            Phase::Start(family) => family.show(self.model()),
            Phase::Run(timeline) => {
                let mut text = self.position(timeline, detail);
                text += &self.step_list(LISTED);
                text
            }
        }
    }

    fn position(&self, timeline: &Timeline, detail: Detail) -> String {
        let (model, at) = (self.model(), timeline.position());
        let arrived = timeline.step_to(at);
        let how = match arrived {
            None => "initial state".to_owned(),
            Some((_, step)) => format!("after {}", show::step(model, step, true)),
        };
        let mark = match timeline.round() {
            _ if timeline.loop_start() == Some(at) => ", where the loop starts",
            Some(round) if round.start == at => ", where what repeats for ever starts",
            _ => "",
        };
        let before = arrived.map(|(before, _)| before);
        let detail = if arrived.is_none() { Detail::Whole } else { detail };
        let state = show::state(model, timeline.state(), before, detail);
        let state = if state.is_empty() { format!("  {DIM}nothing changed{DIM:#}\n") } else { state };
        format!("{HEADING}{at}{HEADING:#}  {how}{mark}\n{state}")
    }

    fn step_list(&self, most: usize) -> String {
        let steps = self.offered();
        let heading = match steps[..] {
            [Step { choice: Choice::Stutter, .. }] => "stuck:",
            [_] => "one step is possible:",
            _ => &format!("{} steps are possible:", steps.len()),
        };
        format!("{heading}\n{}", show::numbered(self.model(), &steps, most))
    }

    fn numbered_step(&self, number: usize) -> Result<Step, String> {
        self.timeline()?;
        let mut steps = self.offered();
        match number.checked_sub(1) {
            Some(index) if index < steps.len() => Ok(steps.swap_remove(index)),
            _ => Err(format!("there is no step {number}: the list has {}", count(steps.len(), "step"))),
        }
    }

    fn take_number(&mut self, number: usize) -> Told {
        if let Phase::Start(_) = self.phase {
            return self.start_number(number);
        }
        let step = self.numbered_step(number)?;
        self.timeline_mut()?.take(step);
        Ok(self.here(Detail::Changes))
    }

    fn preview(&self, number: usize) -> Told {
        let step = self.numbered_step(number)?;
        let state = self.timeline()?.state();
        let changes = show::state(self.model(), &step.target, Some(state), Detail::Changes);
        let changes = if changes.is_empty() { format!("  {DIM}nothing changes{DIM:#}\n") } else { changes };
        let next = self.semantics.steps(&step.target);
        let then = match next[..] {
            [Step { choice: Choice::Stutter, .. }] => "then nothing is possible".to_owned(),
            _ => format!(
                "then {} possible",
                if next.len() == 1 { "1 step is".to_owned() } else { format!("{} steps are", next.len()) }
            ),
        };
        Ok(format!("{}\n{changes}  {DIM}{then}{DIM:#}\n", show::step(self.model(), &step, true)))
    }

    fn trace(&self) -> Told {
        let timeline = self.timeline()?;
        let mut text = String::new();
        for position in 0..=timeline.position() {
            let (state, arrived) = (timeline.state_at(position), timeline.step_to(position));
            if let Some((_, step)) = arrived {
                text += &format!("{}\n", show::step(self.model(), step, true));
            }
            let before = arrived.map(|(before, _)| before);
            let detail = if before.is_some() { Detail::Changes } else { Detail::Whole };
            text += &format!("{HEADING}{position}{HEADING:#}\n{}", show::state(self.model(), state, before, detail));
        }
        Ok(text)
    }

    fn back(&mut self, steps: usize) -> Told {
        let at = self.timeline()?.position();
        match at.checked_sub(steps) {
            Some(position) => self.go(position),
            None => Err(format!("there is no way {steps} back: the position is {at}")),
        }
    }

    fn forward(&mut self, steps: usize) -> Told {
        let timeline = self.timeline()?;
        let (at, end) = (timeline.position(), timeline.len());
        match timeline.loop_start() {
            _ if at + steps <= end => self.go(at + steps),
            Some(start) => {
                let position = start + (at + steps - end) % (end - start);
                let answer = self.go(position)?;
                Ok(format!("{DIM}the loop leads from {end} back to {start}{DIM:#}\n{answer}"))
            }
            None if timeline.round().is_some() => self.repeat(steps),
            None if at == end => Err("nothing was undone here; choose a step".to_owned()),
            None => Err(format!("the run goes on for {} only", count(end - at, "step"))),
        }
    }

    fn go(&mut self, position: usize) -> Told {
        let timeline = self.timeline_mut()?;
        if position > timeline.len() {
            return Err(format!("the run has the positions 0 to {}", timeline.len()));
        }
        timeline.go(position);
        Ok(self.here(Detail::Changes))
    }

    /// Back to the family of initial states, even if it has one member only.
    fn choose_again(&mut self) -> String {
        if let Phase::Run(_) = self.phase {
            self.phase = Phase::Start(Family::new(self.semantics, Vec::new()));
        }
        self.here(Detail::Whole)
    }

    fn start_number(&mut self, number: usize) -> Told {
        let state = self.family().state(number)?.clone();
        Ok(self.start_from(state))
    }

    fn start_anywhere(&mut self) -> Told {
        let state = self.family().into_owned().random(self.semantics, &mut self.random)?;
        Ok(self.start_from(state))
    }

    /// The family that is narrowed, or else all initial states.
    fn family(&self) -> Cow<'_, Family> {
        match &self.phase {
            Phase::Start(family) => Cow::Borrowed(family),
            Phase::Run(_) => Cow::Owned(Family::new(self.semantics, Vec::new())),
        }
    }

    pub(super) fn start_from(&mut self, state: State) -> String {
        self.phase = Phase::Run(Timeline::new(state));
        self.here(Detail::Whole)
    }

    fn constrain(&mut self, command: &TypedCommand) -> Told {
        let Phase::Start(family) = &self.phase else {
            return Err("constraints are about initial states: leave the run with `initial` first".to_owned());
        };
        let mut constraints = Vec::new();
        if !command.argument().is_empty() {
            constraints.extend(family.constraints().iter().cloned());
            let condition = self.condition(command)?;
            if condition.about == About::Step {
                return Err("a constraint on initial states is about a state, not about a step".to_owned());
            }
            constraints.push((command.argument().to_owned(), condition.formula));
        }
        let narrowed = Family::new(self.semantics, constraints);
        if narrowed.is_empty() {
            return Err("no initial state is left; the constraint was dropped".to_owned());
        }
        self.phase = begin(narrowed);
        Ok(self.here(Detail::Whole))
    }
}

/// The only member of a family is where all agents start.
fn begin(family: Family) -> Phase {
    match family.only() {
        Some(state) => Phase::Run(Timeline::new(state.clone())),
        None => Phase::Start(family),
    }
}

fn help(reader: &ConditionReader) -> String {
    let mut text = String::new();
    for entry in ENTRIES {
        let usage = format!("{} {}", entry.name, entry.arguments);
        text += &format!("  {HEADING}{usage:<24}{HEADING:#}{}\n", entry.help);
    }
    let conditions = reader.about_conditions().lines().map(|line| format!("  {line}\n"));
    text + "\n" + &conditions.collect::<String>()
}
