//! Message sequence charts of runs: one lifeline per instance, time runs downwards.
//!
//! [`Chart`] is what there is to draw, without any measure; [`drawing`], [`text`] and [`mermaid`] draw it.
//! It is made from a replayed run, so it shows what happened, never what an engine claims.

pub mod drawing;
pub mod mermaid;
pub mod text;

use crate::check::{Counterexample, Ending};
use crate::model::eval::{self, Choice, Run, RunPart, Semantics, State};
use crate::model::{EdgeId, InstanceId, LocalId, Model, Spec, Type, Value, Variable};
use crate::report::round::{back_to, differing};
use crate::report::steps::commands;

/// The content of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// The title, in one line.
    pub title: String,
    /// One per instance, in the order of the model.
    pub lifelines: Vec<Lifeline>,
    /// One per step: step p leads from position p to p + 1.
    pub steps: Vec<ChartStep>,
    /// The continuation behind the last step, if the run is infinite.
    pub back: Option<Back>,
    /// The remark at a position.
    pub mark: Option<Mark>,
}

/// An instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifeline {
    /// Its name.
    pub name: String,
    /// The name of its agent type.
    pub agent: String,
    /// Its locals in the first state, as `x = 1`.
    pub initial: Vec<String>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartStep {
    /// The messages that agents tell each other.
    pub message: Message,
    /// Its effects on those who take part, ascending by lifeline.
    pub notes: Vec<Note>,
}

/// The message of a step. Lifelines are indices into [`Chart::lifelines`]; data are as `X = 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A broadcast or multicast.
    Send {
        /// The lifeline of the sender.
        sender: usize,
        /// The channel of a multicast; nothing for a broadcast.
        channel: Option<String>,
        /// The data of the message.
        data: Vec<String>,
        /// The lifelines that it reaches.
        receivers: Vec<usize>,
    },
    /// A get with its supply.
    Meet {
        /// The lifeline of the getter.
        getter: usize,
        /// The lifeline of the supplier.
        supplier: usize,
        /// The data that the getter sends along.
        asked: Vec<String>,
        /// The data that the supplier answers.
        answer: Vec<String>,
    },
    /// All act at once: what each does is said beside it.
    Joint,
    /// Nothing is possible.
    Stutter,
}

/// The effect of a step on an instance that takes part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its lifeline.
    pub lifeline: usize,
    /// The label of its command, or its action, or its place among the agent's commands.
    pub command: String,
    /// The automaton states before and after, if they differ.
    pub moved: Option<(u32, u32)>,
    /// The locals that change.
    pub changes: Vec<Change>,
}

/// A local that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// Its value before.
    pub old: String,
    /// Its value after.
    pub new: String,
}

/// The end of a run that loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Back {
    /// The position where the loop starts.
    pub start: usize,
    /// Locals, as `i-x`, in which the last state differs from that at the start.
    pub forgotten: Vec<String>,
    /// True if the steps repeat with other values, so that those locals do matter.
    pub recurrent: bool,
}

/// A remark at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The position.
    pub position: usize,
    /// The remark.
    pub text: String,
}

impl Chart {
    /// A run.
    pub fn of_run(run: &Run, title: impl Into<String>) -> Chart {
        let model = run.semantics().model();
        let states = run.states();
        let steps = run.steps().iter().zip(states).map(|(step, before)| ChartStep {
            message: message(run.semantics(), step, before),
            notes: notes(model, step, before),
        });
        let back = run.loop_start().map(|start| Back::of(run, start, false));
        let lifelines = model.instance_ids().map(|instance| lifeline(model, instance, &states[0]));
        Chart { title: title.into(), lifelines: lifelines.collect(), steps: steps.collect(), back, mark: None }
    }

    /// The run of a counterexample to the spec, with a mark at the position that shows it.
    pub fn of_counterexample(counterexample: &Counterexample, spec: &Spec, title: impl Into<String>) -> Chart {
        let run = counterexample.run();
        let mut chart = Chart { mark: Some(Mark::of(counterexample, spec)), ..Chart::of_run(run, title) };
        if let Ending::Recurrent(recurrence) = counterexample.ending() {
            chart.back = Some(Back::of(run, recurrence.start(), true));
        }
        chart
    }

    /// True if the instance takes part in some step.
    pub fn takes_part(&self, lifeline: usize) -> bool {
        self.steps.iter().any(|step| step.notes.iter().any(|note| note.lifeline == lifeline))
    }
}

impl Note {
    /// The command, with the automaton states if they differ.
    fn heading(&self) -> String {
        let moved = self.moved.map(|(from, to)| format!(" {from}\u{2192}{to}"));
        format!("{}{}", self.command, moved.unwrap_or_default())
    }

    /// Its changes, with an arrow between the old and the new value.
    fn changes(&self, arrow: &str) -> impl Iterator<Item = String> {
        self.changes.iter().map(move |Change { name, old, new }| format!("{name}: {old}{arrow}{new}"))
    }

    /// The heading and what changes.
    fn lines(&self, arrow: &str) -> Vec<String> {
        std::iter::once(self.heading()).chain(self.changes(arrow)).collect()
    }
}

/// `broadcast`, or `multicast on c`.
fn send_word(channel: Option<&str>) -> String {
    channel.map_or("broadcast".to_owned(), |channel| format!("multicast on {channel}"))
}

/// Words with data behind them, in parentheses.
fn with_data(words: &str, data: &[String]) -> String {
    if data.is_empty() { words.to_owned() } else { format!("{words} ({})", data.join(", ")) }
}

impl Mark {
    /// The mark at the place that the explanation names; if something never happens, where the part begins that repeats
    /// for ever.
    fn of(counterexample: &Counterexample, spec: &Spec) -> Mark {
        let explanation = counterexample.explanation();
        let reason = explanation.decisive();
        let position = match (explanation.place, counterexample.repeats_from()) {
            (RunPart::Always(from), Some(start)) => from.max(start),
            (place, _) => place.position(),
        };
        let round = if reason.later_round { " (in a later round)" } else { "" };
        let model = counterexample.run().semantics().model();
        let part = explanation.show_part(model, spec).map_or(String::new(), |part| format!("{part}: "));
        Mark { position, text: format!("{part}{}{round} is {}", reason.subformula, reason.why) }
    }
}

impl Back {
    fn of(run: &Run, start: usize, recurrent: bool) -> Back {
        let (first, last) = (&run.states()[start], &run.states()[run.steps().len()]);
        Back { start, forgotten: differing(run.semantics().model(), first, last), recurrent }
    }

    /// The name of the part that repeats, in a word.
    pub fn name(&self) -> &'static str {
        if self.recurrent { "rounds" } else { "loop" }
    }

    /// As a sentence without a full stop.
    pub fn describe(&self) -> String {
        if self.recurrent {
            let (start, changed) = (self.start, self.forgotten.join(", "));
            return format!("the steps from {start} on again, and so on for ever, with other values of {changed}");
        }
        back_to(self.start, &self.forgotten)
    }
}

fn lifeline(model: &Model, instance: InstanceId, state: &State) -> Lifeline {
    let show = |(id, local): (LocalId, &Variable)| {
        format!("{} = {}", local.name, model.show(state.local(instance, id), local.ty))
    };
    Lifeline {
        name: model.instances[instance.index()].name.clone(),
        agent: model.agent_of(instance).name.clone(),
        initial: model.locals_of(instance).map(show).collect(),
    }
}

fn message(semantics: &Semantics, step: &eval::Step, before: &State) -> Message {
    let model = semantics.model();
    let sent = |instance, edge| model.show_data(&semantics.data_sent(before, instance, edge));
    match &step.choice {
        Choice::Stutter => Message::Stutter,
        Choice::Joint(_) => Message::Joint,
        Choice::Send { sender, receivers, .. } => Message::Send {
            sender: sender.index(),
            channel: multicast_channel(model, step),
            data: model.show_data(&step.data),
            receivers: receivers.iter().map(|(receiver, _)| receiver.index()).collect(),
        },
        Choice::GetSupply { getter, get, supplier, supply } => Message::Meet {
            getter: getter.index(),
            supplier: supplier.index(),
            asked: sent(*getter, *get),
            answer: sent(*supplier, *supply),
        },
    }
}

/// The channel of a multicast.
pub(super) fn multicast_channel(model: &Model, step: &eval::Step) -> Option<String> {
    let channel = step.channel.as_ref().filter(|channel| **channel != Value::BROADCAST)?;
    Some(model.show(channel, Type::Channel))
}

fn notes(model: &Model, step: &eval::Step, before: &State) -> Vec<Note> {
    let acts = |(instance, edge): &&(InstanceId, EdgeId)| model.action_name(*instance, *edge).is_some();
    let mut takers = match &step.choice {
        Choice::Joint(deeds) => deeds.iter().filter(acts).copied().collect(),
        choice => commands(choice),
    };
    takers.sort_unstable();
    takers.into_iter().map(|(instance, edge)| note(model, instance, edge, before, &step.target)).collect()
}

fn note(model: &Model, instance: InstanceId, edge: EdgeId, before: &State, after: &State) -> Note {
    let label = match model.action_name(instance, edge) {
        Some(action) => Some(action.to_owned()),
        None => model.agent_of(instance).edges[edge.index()].label.clone(),
    };
    let (from, to) = (before.automaton(instance), after.automaton(instance));
    let change = |(id, local): (LocalId, &Variable)| {
        let (old, new) = (before.local(instance, id), after.local(instance, id));
        let show = |value| model.show(value, local.ty);
        (old != new).then(|| Change { name: local.name.clone(), old: show(old), new: show(new) })
    };
    Note {
        lifeline: instance.index(),
        command: label.unwrap_or_else(|| format!("command {}", edge.0 + 1)),
        moved: (from != to).then_some((from, to)),
        changes: model.locals_of(instance).filter_map(change).collect(),
    }
}
