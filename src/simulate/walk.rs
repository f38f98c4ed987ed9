//! Steps that are not chosen one by one: further rounds, random steps, `until`, `find`; and `eval`.

use super::Here;
use super::condition::{About, Condition};
use super::session::{Phase, Session, Told};
use super::show::{self, BAD, DIM, Detail, GOOD};
use super::timeline::Timeline;
use crate::claim::Claim;
use crate::model::Formula;
use crate::model::eval::{Choice, Run, Semantics, State, Step, Trace, Truth, WhyNot};
use crate::words::count;
use fastrand::Rng;
use std::fmt;

/// The most random steps of `until`, and of one `random`.
const PATIENCE: usize = 1000;

/// A random step; none where only the stutter is possible.
pub(super) fn random_step(semantics: &Semantics, state: &State, random: &mut Rng) -> Option<Step> {
    let steps = semantics.steps(state);
    random.choice(steps).filter(|step| step.choice != Choice::Stutter)
}

/// Takes random steps, at most so many; true if there were so many.
fn walk_randomly(semantics: &Semantics, walk: &mut Timeline, steps: usize, random: &mut Rng) -> bool {
    (0..steps).all(|_| random_step(semantics, walk.state(), random).map(|step| walk.take(step)).is_some())
}

impl Session<'_> {
    /// Forward beyond the end of a run that can repeat its last steps.
    pub(super) fn repeat(&mut self, steps: usize) -> Told {
        let mut begun = String::new();
        for _ in 0..steps {
            let (semantics, timeline) = (self.semantics, self.timeline_mut()?);
            if timeline.position() < timeline.len() {
                timeline.go(timeline.position() + 1);
                continue;
            }
            let Some((choice, round)) = timeline.next_of_round() else { break };
            let step = semantics.apply(timeline.state(), &choice);
            let impossible =
                |why: WhyNot| format!("the round cannot be repeated here: {}", why.describe(semantics.model()));
            timeline.append(step.map_err(impossible)?);
            if let Some(round) = round {
                begun = format!("{DIM}round {round} begins{DIM:#}\n");
            }
        }
        Ok(format!("{begun}{}", self.here(Detail::Changes)))
    }

    pub(super) fn random_steps(&mut self, steps: usize) -> Told {
        if steps > PATIENCE {
            return Err(format!("at most {PATIENCE} random steps at once"));
        }
        let mut text = String::new();
        for _ in 0..steps {
            let state = self.timeline()?.state().clone();
            let Some(step) = random_step(self.semantics, &state, &mut self.random) else {
                text += &format!("{DIM}stuck: no step but the stutter is possible{DIM:#}\n");
                break;
            };
            text += &self.note(&step)?;
            self.timeline_mut()?.take(step);
        }
        Ok(text + &self.here(Detail::Changes))
    }

    /// A line about a step that is taken without being chosen.
    fn note(&self, step: &Step) -> Told {
        let position = self.timeline()?.position();
        Ok(format!("{DIM}{position} -> {}{DIM:#}  {}\n", position + 1, show::step(self.model(), step, false)))
    }

    pub(super) fn until(&mut self, condition: &Condition) -> Told {
        let mut walk = self.timeline()?.clone();
        let start = walk.position();
        let is_stuck = !walk_randomly(self.semantics, &mut walk, PATIENCE, &mut self.random);
        let reached = self.first(&walk, condition, start)?;
        let end = reached.unwrap_or(walk.position());
        if end == start && reached.is_some() {
            return Ok(format!("this holds here already: no step was taken\n{}", self.here(Detail::Changes)));
        }
        let mut text = self.retrace(&walk, start, end)?;
        text += &match reached {
            Some(_) => format!("{GOOD}reached{GOOD:#}\n"),
            None if is_stuck => format!("{BAD}not reached{BAD:#}: stuck after {}\n", count(end - start, "step")),
            None => format!("{BAD}not reached{BAD:#} in {}\n", count(end - start, "step")),
        };
        Ok(text + &self.here(Detail::Changes))
    }

    /// Takes the steps of a walk from one position to another, with a line about each.
    fn retrace(&mut self, walk: &Timeline, start: usize, end: usize) -> Told {
        let mut text = String::new();
        for (_, step) in (start + 1..=end).filter_map(|position| walk.step_to(position)) {
            text += &self.note(step)?;
            self.timeline_mut()?.take(step.clone());
        }
        Ok(text)
    }

    /// The first position from `start` on at which the condition was reached: it holds there, or the
    /// step to it was such a step.
    fn first(&self, timeline: &Timeline, condition: &Condition, start: usize) -> Result<Option<usize>, String> {
        let run = timeline.beginning(self.semantics, timeline.position());
        let run = run.map_err(|error| error.describe(self.model()))?;
        let evaluation = run.evaluation(&condition.formula);
        let found = (start..=timeline.position()).find(|position| evaluation.at(*position) == Truth::True);
        Ok(found.map(|position| position + usize::from(condition.about == About::Step)))
    }

    pub(super) fn evaluate(&mut self, condition: &Condition) -> Told {
        let timeline = self.timeline()?;
        let position = timeline.position();
        let at = match condition.about {
            About::State => position,
            About::Step => position.checked_sub(1).ok_or("this is about a step, and none led here")?,
        };
        let run = timeline.beginning(self.semantics, position).map_err(|error| error.describe(self.model()))?;
        Ok(match run.evaluation(&condition.formula).at(at) {
            Truth::True => format!("{GOOD}true{GOOD:#}\n"),
            Truth::False => format!("{BAD}false{BAD:#}\n"),
            Truth::Unknown => "not decided by one state or step\n".to_owned(),
        })
    }

    /// Asks for a shortest continuation to the condition, and takes it.
    pub(super) fn find(&mut self, condition: &Condition) -> Told {
        let never = condition.formula.clone().never();
        let search = match &self.phase {
            Phase::Start(family) => {
                let start = family.condition().not();
                self.world.search(None, &Formula::Or(vec![start, never]))
            }
            Phase::Run(timeline) => {
                if self.first(timeline, condition, timeline.position())?.is_some() {
                    return Ok("this holds here already\n".to_owned());
                }
                let received =
                    timeline.step_to(timeline.position()).map_or(&[][..], |(_, step)| step.choice.receivers());
                self.world.search(Some(Here { state: timeline.state(), received }), &never)
            }
        };
        match search {
            Claim::Violated { trace } => self.follow(&trace, condition),
            Claim::Clear { depth } => Ok(format!("{BAD}not reached{BAD:#} within {}\n", count(depth, "step"))),
            Claim::Recurrent { clear, .. } => Err(unknown(clear, "the run that shows it has no end")),
            Claim::Unknown { clear, reason } => Err(unknown(clear, reason)),
        }
    }

    /// Replays what the search found, step by step; it must lead from here to the condition.
    fn follow(&mut self, trace: &Trace, condition: &Condition) -> Told {
        const WRONG: &str = "internal error: what the search found does not replay; please report it with the model";
        let initial = self.semantics.state_from(&trace.initial).map_err(|_| WRONG)?;
        let mut walk = match &self.phase {
            Phase::Start(_) => Timeline::new(initial.clone()),
            Phase::Run(timeline) => timeline.clone(),
        };
        if *walk.state() != initial {
            return Err(WRONG.to_owned());
        }
        let start = walk.position();
        for choice in &trace.choices {
            let step = self.semantics.apply(walk.state(), choice).map_err(|_| WRONG)?;
            walk.take(step);
        }
        if self.first(&walk, condition, start)? != Some(walk.position()) {
            return Err(WRONG.to_owned());
        }
        if let Phase::Start(_) = self.phase {
            self.start_from(initial);
        }
        let text = self.retrace(&walk, start, walk.position())?;
        Ok(format!("{text}{GOOD}reached{GOOD:#}\n{}", self.here(Detail::Changes)))
    }
}

/// That it is not known, for a reason, and how far there is nothing.
fn unknown(clear: Option<usize>, reason: impl fmt::Display) -> String {
    let clear = clear.map(|depth| format!("; not reached within {}", count(depth, "step")));
    format!("unknown ({reason}){}", clear.unwrap_or_default())
}

/// A random run with at most so many steps; shorter if it gets stuck.
pub(super) fn random_run<'s>(semantics: &'s Semantics<'s>, initial: State, steps: usize, random: &mut Rng) -> Run<'s> {
    let mut walk = Timeline::new(initial);
    walk_randomly(semantics, &mut walk, steps, random);
    walk.run(semantics).expect("steps that were offered replay")
}
