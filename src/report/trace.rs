//! A counterexample, step by step: who sends what to whom, what changes, where the loop starts, and
//! why the spec is false.

use super::folding::{LONG, Part, fold};
use super::other_runs;
use super::picture::wrap;
use super::round::{back_to, differing};
use crate::check::recurrent::Recurrence;
use crate::check::{Counterexample, Ending};
use crate::limits::tick;
use crate::model::eval::{Choice, ExplanationStep, Run, RunPart, State, Step};
use crate::model::{EdgeId, InstanceId, LocalId, MessageId, Model, Spec, Type, Variable};
use crate::source::SourceFile;
use crate::words::count;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

pub(super) const HEADING: Style = Style::new().bold();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
const CHANGE: Style = AnsiColor::Cyan.on_default();
const MARK: Style = AnsiColor::Yellow.on_default();

/// The part of states to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The initial state, then what changes.
    Changes,
    /// Every state whole.
    Full,
}

/// Points at the state or step that shows it.
const FAILS: &str = "  <- here it fails";

/// The number of reasons that are shown where only changes are.
const REASONS: usize = 15;

/// Longer lines are broken.
const WIDTH: usize = 100;

/// Writes the run of a counterexample to the spec and the explanation, indented; with the lines of its commands if there
/// is a file.
pub fn write(
    out: &mut dyn Write,
    counterexample: &Counterexample,
    spec: &Spec,
    detail: Detail,
    source: Option<&SourceFile>,
) -> io::Result<()> {
    let run = counterexample.run();
    let model = run.semantics().model();
    let ending = counterexample.ending();
    let printer = Printer { model, run, ending, failure: Some(counterexample.explanation().place), detail, source };
    printer.run(out, 0)?;
    printer.why(out, counterexample, spec)?;
    let parts = counterexample.branching();
    parts.iter().try_for_each(|part| other_runs::write(out, part, "", detail, source))
}

/// The state from which the run stutters, or in which it matters that there is no step.
fn stuck(counterexample: &Counterexample) -> Option<usize> {
    let run = counterexample.run();
    let is_stuck = |position: usize| run.states().get(position).is_some_and(|state| run.semantics().deadlocked(state));
    let matters = |reason: &&ExplanationStep| reason.subformula == DEADLOCK && is_stuck(reason.position);
    let stutters = run.steps().iter().position(|step| step.choice == Choice::Stutter);
    stutters.or_else(|| counterexample.explanation().reasons.iter().find(matters).map(|reason| reason.position))
}

/// How explanations show that there is no step.
const DEADLOCK: &str = "deadlock";

pub(super) fn write_reason(out: &mut dyn Write, reason: &ExplanationStep) -> io::Result<()> {
    let round = if reason.later_round { ", in a later round" } else { "" };
    let start = format!("at {}{round}: `{}`", reason.position, reason.subformula);
    let fits = start.chars().count() + reason.why.chars().count() < WIDTH;
    let separator = if fits { " " } else { "\n        " };
    writeln!(out, "    {start}{separator}is {}", reason.why)
}

pub(super) struct Printer<'a> {
    model: &'a Model,
    run: &'a Run<'a>,
    ending: Ending<'a>,
    /// The place where it fails.
    failure: Option<RunPart>,
    detail: Detail,
    source: Option<&'a SourceFile>,
}

impl<'a> Printer<'a> {
    /// Of a run that fails nowhere in particular.
    pub(super) fn of_run(run: &'a Run, detail: Detail, source: Option<&'a SourceFile>) -> Printer<'a> {
        let ending = run.loop_start().map_or(Ending::Prefix, Ending::Lasso);
        Printer { model: run.semantics().model(), run, ending, failure: None, detail, source }
    }

    /// The states from a position on, with the steps between them, and how it goes on. Of a long run, what is repeated is shown once.
    pub(super) fn run(&self, out: &mut dyn Write, from: usize) -> io::Result<()> {
        let end = self.run.steps().len();
        self.state(out, from, from.checked_sub(1))?;
        if self.detail == Detail::Full || end - from.min(end) <= LONG {
            self.parts(out, from, &vec![Part::Step; end - from.min(end)])?;
        } else {
            let mut at = from;
            for until in self.marks().into_iter().filter(|mark| *mark > from).chain([end]) {
                self.parts(out, at, &fold(self.run.steps()[at..until].iter().map(|step| &step.choice)))?;
                at = until;
            }
        }
        match self.ending {
            Ending::Prefix => Ok(()),
            Ending::Lasso(start) => {
                let (first, last) = (&self.run.states()[start], &self.run.states()[self.run.steps().len()]);
                let words = back_to(start, &differing(self.model, first, last));
                writeln!(out, "  {MARK}{words}{MARK:#}")
            }
            Ending::Recurrent(recurrence) => self.recurrence(out, recurrence),
        }
    }

    /// The positions that have to be shown, ascending: where it fails, and where a loop begins.
    fn marks(&self) -> Vec<usize> {
        let failure = match self.failure {
            Some(RunPart::State(position) | RunPart::Always(position)) => vec![position],
            Some(RunPart::Step(position)) => vec![position, position + 1],
            None => Vec::new(),
        };
        let mut marks: Vec<usize> = failure.into_iter().chain(self.ending.repeats_from()).collect();
        marks.retain(|mark| *mark < self.run.steps().len());
        marks.sort_unstable();
        marks.dedup();
        marks
    }

    /// Parts of the run, each followed by the state that it leads to; of many, the first and the last ones.
    fn parts(&self, out: &mut dyn Write, mut from: usize, parts: &[Part]) -> io::Result<()> {
        let left_out = if self.detail == Detail::Full { 0 } else { parts.len().saturating_sub(2 * LONG) };
        for (index, part) in parts.iter().enumerate() {
            tick();
            let end = from + part.steps();
            match part {
                _ if left_out > 0 && (LONG..LONG + left_out).contains(&index) => {
                    if index == LONG {
                        let steps = parts[LONG..LONG + left_out].iter().map(Part::steps).sum::<usize>();
                        writeln!(out, "  {MARK}.. {} are left out; `--full` shows them{MARK:#}", count(steps, "step"))?;
                        self.state(out, from + steps, Some(from))?;
                    }
                }
                Part::Step => {
                    self.step(out, from, &self.run.steps()[from])?;
                    self.state(out, end, Some(from))?;
                }
                Part::Repeated(round, times) => {
                    self.parts(out, from, round)?;
                    let (more, last) = (times - 1, from + part.steps() / times);
                    let again = if more == 1 { "once".to_owned() } else { format!("{more} times") };
                    writeln!(out, "  {MARK}.. the steps from {from} to {last} again, {again} more{MARK:#}")?;
                    self.state(out, end, Some(last))?;
                }
            }
            from = end;
        }
        Ok(())
    }

    /// A state, with what differs from an earlier one.
    fn state(&self, out: &mut dyn Write, position: usize, before: Option<usize>) -> io::Result<()> {
        let state = &self.run.states()[position];
        let before = before.map(|before| &self.run.states()[before]);
        match self.ending {
            Ending::Lasso(start) if start == position => writeln!(out, "  {MARK}the loop starts here{MARK:#}")?,
            Ending::Recurrent(recurrence) if recurrence.start() == position => {
                writeln!(out, "  {MARK}what repeats for ever starts here{MARK:#}")?;
            }
            _ => {}
        }
        let name = match before {
            None => "initial state",
            Some(before) if before == state => "state, unchanged",
            Some(_) => "state",
        };
        let fails = if self.failure == Some(RunPart::State(position)) { FAILS } else { "" };
        writeln!(out, "  {HEADING}{position}{HEADING:#}  {name}{BAD}{fails}{BAD:#}")?;
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

    /// The values that change and those that do not when the steps are repeated.
    fn recurrence(&self, out: &mut dyn Write, recurrence: &Recurrence) -> io::Result<()> {
        let (start, end) = (recurrence.start(), self.run.steps().len());
        writeln!(out, "  {MARK}the steps from {start} to {end} again, and so on for ever{MARK:#}")?;
        let changed = self.model.instance_ids().filter_map(|instance| {
            let changes = self.changes(instance, &self.run.states()[start], &self.run.states()[end]);
            let name = &self.model.instances[instance.index()].name;
            (!changes.is_empty()).then(|| format!("{name}: {}", changes.join(", ")))
        });
        let changed = changed.collect::<Vec<_>>().join("; ");
        writeln!(out, "       the first round changes {changed}")?;
        let conditions = recurrence.set().conditions.iter().map(|condition| self.model.show_state_expr(condition));
        let mut conditions: Vec<String> = conditions.map(|condition| format!("`{condition}`")).collect();
        conditions.push(format!("the finite part is as at {start}"));
        let conditions = conditions.join(", ");
        let words = format!("wherever {conditions}, these steps are possible and lead to such a state again");
        wrap(&words, WIDTH - 7).iter().try_for_each(|line| writeln!(out, "       {line}"))
    }

    fn values(&self, instance: InstanceId, state: &State) -> Vec<String> {
        let automaton = self.model.joint.is_none().then(|| format!("automaton-state = {}", state.automaton(instance)));
        let show = |(id, local): (LocalId, &Variable)| {
            format!("{} = {}", local.name, self.model.show(state.local(instance, id), local.ty))
        };
        let locals = self.model.locals_of(instance).map(show);
        automaton.into_iter().chain(locals).collect()
    }

    fn changes(&self, instance: InstanceId, before: &State, after: &State) -> Vec<String> {
        let change = |name: &str, old: String, new: String| format!("{name} {CHANGE}{old} -> {new}{CHANGE:#}");
        let (old, new) = (before.automaton(instance), after.automaton(instance));
        let automaton = (old != new).then(|| change("automaton-state", old.to_string(), new.to_string()));
        let locals = self.model.locals_of(instance).filter_map(|(id, local)| {
            let (old, new) = (before.local(instance, id), after.local(instance, id));
            (old != new).then(|| change(&local.name, self.model.show(old, local.ty), self.model.show(new, local.ty)))
        });
        automaton.into_iter().chain(locals).collect()
    }

    fn step(&self, out: &mut dyn Write, position: usize, step: &Step) -> io::Result<()> {
        let line = match &step.choice {
            Choice::Stutter => "stutter: no other step is possible".to_owned(),
            Choice::Joint(_) => self.model.show_actions(&step.choice),
            Choice::Send { sender, edge, receivers } => {
                let channel = step.channel.as_ref().map(|channel| self.model.show(channel, Type::Channel));
                let channel = channel.unwrap_or_default();
                let kind = if channel == "*" { "broadcasts".to_owned() } else { format!("multicasts on {channel}") };
                let command = self.command(*sender, *edge);
                format!("{command} {kind}{}{}", self.data(step, |_| true), self.receivers(receivers))
            }
            Choice::GetSupply { getter, get, supplier, supply } => {
                let (taker, giver) = (self.command(*getter, *get), self.command(*supplier, *supply));
                let supplied = self.model.agent_of(*supplier).edges[supply.index()].action.data();
                let is_supplied = |id: &MessageId| supplied.iter().any(|(message, _)| message == id);
                let answer = self.data(step, |id| is_supplied(id));
                let asked = self.data(step, |id| !is_supplied(id));
                let asked = if asked.is_empty() { asked } else { format!(", sending{asked}") };
                format!("{taker} gets{answer} from {giver}{asked}")
            }
        };
        let fails = if self.failure == Some(RunPart::Step(position)) { FAILS } else { "" };
        let (next, place) = (position + 1, self.lines(&step.choice));
        writeln!(out, "  {MARK}|{MARK:#}  {HEADING}{line}{HEADING:#}  ({position} -> {next}{place}){BAD}{fails}{BAD:#}")
    }

    /// The lines of the commands of those who act: `, line 41`.
    fn lines(&self, choice: &Choice) -> String {
        match choice {
            Choice::Joint(_) | Choice::Stutter => String::new(),
            Choice::Send { sender, edge, .. } => self.place(&[(*sender, *edge)]),
            Choice::GetSupply { getter, get, supplier, supply } => self.place(&[(*getter, *get), (*supplier, *supply)]),
        }
    }

    /// `, line 41`, or `, lines 41 and 52`; nothing without a file.
    fn place(&self, commands: &[(InstanceId, EdgeId)]) -> String {
        let Some(source) = self.source else { return String::new() };
        let line = |&(instance, edge): &(InstanceId, EdgeId)| {
            let span = self.model.agent_of(instance).edges[edge.index()].span;
            source.line_column(span.start).line.to_string()
        };
        let lines: Vec<String> = commands.iter().map(line).collect();
        format!(", line{} {}", if lines.len() > 1 { "s" } else { "" }, lines.join(" and "))
    }

    /// The part that fails and the place, in a line; then the reasons, and the obstacles in a system that gets stuck.
    fn why(&self, out: &mut dyn Write, counterexample: &Counterexample, spec: &Spec) -> io::Result<()> {
        let (run, detail, explanation) = (self.run, self.detail, counterexample.explanation());
        let part = explanation.show_part(self.model, spec);
        let whole = if spec.question.is_some() { "the check" } else { "the spec" };
        let part = part.map_or(whole.to_owned(), |part| format!("{part},"));
        let place = explanation.show_place(counterexample.repeats_from(), run.steps().len());
        writeln!(out, "\n  {HEADING}why{HEADING:#}: {part} fails {place}")?;
        let (reasons, decisive) = (&explanation.reasons, explanation.decisive);
        let shown = |index: usize| detail == Detail::Full || index < REASONS || index == decisive;
        for (_, reason) in reasons.iter().enumerate().filter(|(index, _)| shown(*index)) {
            write_reason(out, reason)?;
        }
        match (0..reasons.len()).filter(|index| !shown(*index)).count() {
            0 => {}
            hidden => writeln!(out, "    .. and {hidden} more; `--full` shows them")?,
        }
        match stuck(counterexample) {
            Some(position) => self.stuck(out, position),
            None => Ok(()),
        }
    }

    /// The obstacles that keep the commands from being taken in a state without a step.
    fn stuck(&self, out: &mut dyn Write, position: usize) -> io::Result<()> {
        writeln!(out, "  {HEADING}no step is possible in state {position}{HEADING:#}:")?;
        let semantics = self.run.semantics();
        let blocked = semantics.blocked(&self.run.states()[position]);
        if blocked.is_empty() {
            let why = match self.model.joint {
                Some(_) => "the protocol of some agent allows no action",
                None => "no send and no get leaves the automaton states",
            };
            writeln!(out, "    {why}")?;
        }
        blocked.iter().try_for_each(|blocked| {
            let place = self.place(&[(blocked.instance, blocked.edge)]);
            writeln!(out, "    {}{place}", blocked.describe_named(semantics))
        })
    }

    fn command(&self, instance: InstanceId, edge: EdgeId) -> String {
        self.model.show_command_name(instance, edge)
    }

    fn receivers(&self, receivers: &[(InstanceId, EdgeId)]) -> String {
        if receivers.is_empty() {
            return ", no receiver".to_owned();
        }
        let receivers = receivers.iter().map(|&(receiver, edge)| self.command(receiver, edge));
        format!(" -> {}", receivers.collect::<Vec<_>>().join(", "))
    }

    /// The chosen data of a step, in parentheses behind a space; nothing if there are none.
    fn data(&self, step: &Step, chosen: impl Fn(&MessageId) -> bool) -> String {
        let data = self.model.show_data(step.data.iter().filter(|(id, _)| chosen(id))).join(", ");
        if data.is_empty() { data } else { format!(" ({data})") }
    }
}
