//! A counterexample, step by step: who sends what to whom, what changes, where the loop starts, and
//! why the spec is false.

use crate::check::Counterexample;
use crate::model::eval::{Choice, Run, State, Step};
use crate::model::{EdgeId, InstanceId, LocalId, Model, Type};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const HEADING: Style = Style::new().bold();
const CHANGE: Style = AnsiColor::Cyan.on_default();
const MARK: Style = AnsiColor::Yellow.on_default();

/// What to show of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The initial state, then what changes.
    Changes,
    /// Every state whole.
    Full,
}

/// Writes the run and the explanation, indented.
pub fn write(out: &mut dyn Write, counterexample: &Counterexample, detail: Detail) -> io::Result<()> {
    let run = counterexample.run();
    let model = run.semantics().model();
    let printer = Printer { model, run, detail };
    for position in 0..run.states().len() {
        printer.state(out, position)?;
        if let Some(step) = run.steps().get(position) {
            printer.step(out, position, step)?;
        }
    }
    if let Some(start) = run.loop_start() {
        writeln!(out, "  {MARK}back to {start}, and so on for ever{MARK:#}")?;
    }
    writeln!(out, "\n  {HEADING}why{HEADING:#}")?;
    for reason in counterexample.explanation() {
        writeln!(out, "    at {}: {}  {}", reason.position, reason.subformula, reason.why)?;
    }
    Ok(())
}

struct Printer<'a> {
    model: &'a Model,
    run: &'a Run<'a>,
    detail: Detail,
}

impl Printer<'_> {
    fn state(&self, out: &mut dyn Write, position: usize) -> io::Result<()> {
        let state = &self.run.states()[position];
        let before = position.checked_sub(1).map(|previous| &self.run.states()[previous]);
        if self.run.loop_start() == Some(position) {
            writeln!(out, "  {MARK}the loop starts here{MARK:#}")?;
        }
        let name = if position == 0 { "initial state" } else { "state" };
        writeln!(out, "  {HEADING}{position}{HEADING:#}  {name}")?;
        let whole = before.is_none() || self.detail == Detail::Full;
        for instance in self.model.instance_ids() {
            let parts = match before {
                Some(before) if !whole => self.changes(instance, before, state),
                _ => self.values(instance, state),
            };
            if !parts.is_empty() {
                let name = &self.model.instances[instance.index()].name;
                writeln!(out, "       {name}: {}", parts.join(", "))?;
            }
        }
        Ok(())
    }

    fn values(&self, instance: InstanceId, state: &State) -> Vec<String> {
        let automaton = format!("automaton-state = {}", state.automaton(instance));
        let locals = self
            .locals(instance)
            .map(|(local, name, ty)| format!("{name} = {}", self.model.show(state.local(instance, local), ty)));
        std::iter::once(automaton).chain(locals).collect()
    }

    fn changes(&self, instance: InstanceId, before: &State, after: &State) -> Vec<String> {
        let change = |name: &str, old: String, new: String| format!("{name} {CHANGE}{old} -> {new}{CHANGE:#}");
        let (old, new) = (before.automaton(instance), after.automaton(instance));
        let automaton = (old != new).then(|| change("automaton-state", old.to_string(), new.to_string()));
        let locals = self.locals(instance).filter_map(|(local, name, ty)| {
            let (old, new) = (before.local(instance, local), after.local(instance, local));
            (old != new).then(|| change(name, self.model.show(old, ty), self.model.show(new, ty)))
        });
        automaton.into_iter().chain(locals).collect()
    }

    fn locals(&self, instance: InstanceId) -> impl Iterator<Item = (LocalId, &str, Type)> {
        let locals = self.model.agent_of(instance).locals.iter().enumerate();
        locals.map(|(index, local)| (LocalId(index as u32), local.name.as_str(), local.ty))
    }

    fn step(&self, out: &mut dyn Write, position: usize, step: &Step) -> io::Result<()> {
        let line = match &step.choice {
            Choice::Stutter => "stutter: no other step is possible".to_owned(),
            Choice::Send { sender, edge, receivers } => {
                let channel = step.channel.as_ref().map(|channel| self.model.show(channel, Type::Channel));
                let channel = channel.unwrap_or_default();
                let kind = if channel == "*" { "broadcasts".to_owned() } else { format!("multicasts on {channel}") };
                let command = self.command(*sender, *edge);
                format!("{command} {kind}{} -> {}", self.data(step), self.receivers(receivers))
            }
            Choice::GetSupply { getter, get, supplier, supply } => {
                let (get, supply) = (self.command(*getter, *get), self.command(*supplier, *supply));
                format!("{get} gets from {supply}{}", self.data(step))
            }
        };
        writeln!(out, "  {MARK}|{MARK:#}  {HEADING}{line}{HEADING:#}  ({position} -> {})", position + 1)
    }

    fn command(&self, instance: InstanceId, edge: EdgeId) -> String {
        self.model.show_command_name(instance, edge)
    }

    fn receivers(&self, receivers: &[(InstanceId, EdgeId)]) -> String {
        if receivers.is_empty() {
            return "nobody".to_owned();
        }
        receivers.iter().map(|&(receiver, edge)| self.command(receiver, edge)).collect::<Vec<_>>().join(", ")
    }

    fn data(&self, step: &Step) -> String {
        if step.data.is_empty() {
            return String::new();
        }
        let one = |(id, value): &(crate::model::MessageId, crate::model::Value)| {
            let variable = &self.model.messages[id.index()];
            format!("{} = {}", variable.name, self.model.show(value, variable.ty))
        };
        format!(" ({})", step.data.iter().map(one).collect::<Vec<_>>().join(", "))
    }
}
