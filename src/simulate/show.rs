//! How states and steps look. Names are those that formulas and the command `why` understand.

use super::timeline::Timeline;
use crate::model::eval::{Choice, State, Step};
use crate::model::{EdgeId, InstanceId, Model, Type};
use crate::words::count;
use anstyle::{AnsiColor, Style};

pub(super) const HEADING: Style = Style::new().bold();
pub(super) const CHANGE: Style = AnsiColor::Cyan.on_default();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(super) const DIM: Style = Style::new().dimmed();

/// Lines of states are broken behind so many characters.
const WIDTH: usize = 100;

/// The part of a state to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    Whole,
    /// The differences from the state before.
    Changes,
}

/// A command of an instance: `client1-reserve`, or `client1-#3` for the third one if it has no label.
pub fn command_name(model: &Model, instance: InstanceId, edge: EdgeId) -> String {
    format!("{}-{}", model.instances[instance.index()].name, short_name(model, instance, edge))
}

fn short_name(model: &Model, instance: InstanceId, edge: EdgeId) -> String {
    let label = model.agent_of(instance).edges[edge.index()].label.clone();
    label.unwrap_or_else(|| format!("#{}", edge.0 + 1))
}

/// The command that a name means.
pub fn find_command(model: &Model, text: &str) -> Result<(InstanceId, EdgeId), String> {
    let (owner, name) = text.split_once('-').unwrap_or((text, ""));
    let Some(instance) = model.instance_ids().find(|id| model.instances[id.index()].name == owner.trim()) else {
        let names: Vec<&str> = model.instances.iter().map(|instance| instance.name.as_str()).collect();
        return Err(format!("no instance is called `{}`; there are {}", owner.trim(), names.join(", ")));
    };
    let mut edges = (0..model.agent_of(instance).edges.len() as u32).map(EdgeId);
    let found = edges.clone().find(|edge| short_name(model, instance, *edge) == name.trim());
    found
        .or_else(|| edges.find(|edge| format!("#{}", edge.0 + 1) == name.trim()))
        .map(|edge| (instance, edge))
        .ok_or_else(|| {
            let count = model.agent_of(instance).edges.len() as u32;
            let names: Vec<String> = (0..count).map(|edge| command_name(model, instance, EdgeId(edge))).collect();
            format!("`{text}` is no command; {owner} has {}", names.join(", "))
        })
}

/// A step in a line; receivers with or without the commands that they take.
pub fn step(model: &Model, step: &Step, with_receives: bool) -> String {
    let name = |instance: InstanceId| model.instances[instance.index()].name.as_str();
    let data = data(model, step);
    match &step.choice {
        Choice::Joint(_) => model.show_actions(&step.choice),
        Choice::Stutter => "stutter (nothing else is possible)".to_owned(),
        Choice::Send { sender, edge, receivers } => {
            let channel = step.channel.as_ref().map(|channel| model.show(channel, Type::Channel)).unwrap_or_default();
            let alike =
                |(_, one): &(InstanceId, EdgeId), (_, other): &(InstanceId, EdgeId)| !with_receives || one == other;
            let runs = neighbours(model, receivers, |(receiver, _)| *receiver, alike).map(|run| {
                let (first, edge) = run[0];
                let names = range(model, first, run[run.len() - 1].0);
                if with_receives { format!("{names} ({})", short_name(model, first, edge)) } else { names }
            });
            let receivers = runs.collect::<Vec<_>>().join(", ");
            let receivers = if receivers.is_empty() { ", no receiver".to_owned() } else { format!(" -> {receivers}") };
            format!("{} -- {} on {channel}{data}{receivers}", name(*sender), short_name(model, *sender, *edge))
        }
        Choice::GetSupply { getter, get, supplier, supply } => {
            let (get, supply) = (short_name(model, *getter, *get), short_name(model, *supplier, *supply));
            format!("{} -- {get}{data} <- {} ({supply})", name(*getter), name(*supplier))
        }
    }
}

fn data(model: &Model, step: &Step) -> String {
    let data = model.show_data(&step.data).join(", ");
    if data.is_empty() { data } else { format!(" ({data})") }
}

/// Steps as a numbered list; receives are named where two steps would look alike.
pub fn numbered(model: &Model, steps: &[Step], most: usize) -> String {
    let short: Vec<String> = steps.iter().map(|it| step(model, it, false)).collect();
    let width = steps.len().to_string().len();
    let mut text = String::new();
    for (index, it) in steps.iter().enumerate().take(most) {
        let alike = short.iter().filter(|other| **other == short[index]).count() > 1;
        let line = if alike { step(model, it, true) } else { short[index].clone() };
        text += &format!("  {HEADING}{:>width$}{HEADING:#}  {line}\n", index + 1);
    }
    if steps.len() > most {
        text += &format!("  {DIM}.. and {} more; `steps` lists all{DIM:#}\n", steps.len() - most);
    }
    text
}

/// A state, a line or more per instance. Without a state before it, it is shown whole.
pub fn state(model: &Model, state: &State, before: Option<&State>, detail: Detail) -> String {
    let parts = model.instance_ids().map(|instance| (instance, parts(model, instance, state, before, detail)));
    let parts: Vec<(InstanceId, Vec<Part>)> = parts.filter(|(_, parts)| !parts.is_empty()).collect();
    let alike = |(_, one): &(InstanceId, Vec<Part>), (_, other): &(InstanceId, Vec<Part>)| one == other;
    let runs = neighbours(model, &parts, |(instance, _)| *instance, alike);
    let lines: Vec<_> = runs.map(|run| (range(model, run[0].0, run[run.len() - 1].0), &run[0].1)).collect();
    let names = model.instances.iter().map(|instance| instance.name.len());
    let longest = names.chain(lines.iter().map(|(name, _)| name.len())).max().unwrap_or(0);
    let line = |(name, parts): &(String, &Vec<Part>)| {
        wrapped(&format!("  {HEADING}{name:<longest$}{HEADING:#}  "), longest + 4, parts)
    };
    lines.iter().map(line).collect()
}

/// A part of a line, and how long it looks.
type Part = (String, usize);

/// The number of neighbouring instances of one type with the same line that are shown as one.
const MANY: usize = 4;

/// The list in pieces of one, or of many neighbours that are alike.
fn neighbours<'l, T>(
    model: &'l Model,
    list: &'l [T],
    instance: fn(&T) -> InstanceId,
    alike: impl Fn(&T, &T) -> bool + 'l,
) -> impl Iterator<Item = &'l [T]> {
    let agent = move |item: &T| model.instances[instance(item).index()].agent;
    let follows = move |one: &T, next: &T| instance(next).0 == instance(one).0 + 1 && agent(one) == agent(next);
    let runs = list.chunk_by(move |one, next| follows(one, next) && alike(one, next));
    runs.flat_map(|run| run.chunks(if run.len() < MANY { 1 } else { run.len() }))
}

/// `client1`, or `client1 .. client6`
fn range(model: &Model, first: InstanceId, last: InstanceId) -> String {
    let name = |instance: InstanceId| model.instances[instance.index()].name.as_str();
    if first == last { name(first).to_owned() } else { format!("{} .. {}", name(first), name(last)) }
}

fn parts(model: &Model, instance: InstanceId, state: &State, before: Option<&State>, detail: Detail) -> Vec<Part> {
    let part = |name: &str, old: Option<String>, new: String| match old {
        Some(old) if old != new => {
            let length = name.len() + old.len() + new.len() + 5;
            Some((format!("{name} {CHANGE}{old} -> {new}{CHANGE:#}"), length))
        }
        Some(_) if detail == Detail::Changes => None,
        _ => {
            let text = format!("{name} = {new}");
            let length = text.chars().count();
            Some((text, length))
        }
    };
    let old = before.map(|before| before.automaton(instance).to_string());
    let automaton =
        if model.joint.is_some() { None } else { part("automaton-state", old, state.automaton(instance).to_string()) };
    let locals = model.locals_of(instance).filter_map(|(id, local)| {
        let value = |state: &State| model.show(state.local(instance, id), local.ty);
        part(&local.name, before.map(value), value(state))
    });
    automaton.into_iter().chain(locals).collect()
}

/// Parts (with their visible lengths) after a head of this visible length, broken into lines.
fn wrapped(head: &str, indentation: usize, parts: &[Part]) -> String {
    let (mut text, mut column) = (head.to_owned(), indentation);
    for (index, (part, length)) in parts.iter().enumerate() {
        if index > 0 {
            text.push(',');
            if column + length + 2 > WIDTH {
                text += &format!("\n{}", " ".repeat(indentation));
                column = indentation;
            } else {
                text.push(' ');
            }
        }
        text += part;
        column += length + 2;
    }
    text + "\n"
}

/// How long a run is, and how it goes on.
pub(super) fn extent(timeline: &Timeline) -> String {
    let steps = count(timeline.len(), "step");
    match (timeline.loop_start(), timeline.round()) {
        (Some(start), _) => format!("{steps} and a loop back to {start}"),
        (None, Some(round)) => {
            let (start, changes) = (round.start, round.changes.join(", "));
            format!("{steps}, those from {start} on again and again, each time with other values of {changes}")
        }
        (None, None) => steps,
    }
}
