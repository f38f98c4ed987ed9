//! The arrows of a step, and what is written on them.
//!
//! Kinds differ by shape as well as by colour: a broadcast starts at a dot, a multicast at a square,
//! a get is a dashed arrow, and the supply is the arrow that answers it.

use super::Column;
use crate::model::CommandKind;
use crate::report::chart::{Chart, Message};
use crate::report::picture::style::{INVERSE, PAPER, PLAIN, QUIET, SMALL, styles};
use crate::report::picture::{Group, LINE, Point, characters_in, widest, width_of, wrap};

/// The kinds of arrows in a message. Broadcasts look like sends, multicasts like receives.
fn kinds(message: &Message) -> &'static [CommandKind] {
    match message {
        Message::Send { channel: None, .. } => &[CommandKind::Send],
        Message::Send { channel: Some(_), .. } => &[CommandKind::Receive],
        Message::Meet { .. } => &[CommandKind::Get, CommandKind::Supply],
        Message::Joint | Message::Stutter => &[],
    }
}

/// Draws the point where an arrow starts, if that is marked.
fn origin(into: &mut Group, kind: CommandKind, (x, y): Point) {
    match kind {
        CommandKind::Send => into.circle(styles(kind).full, (x, y), 4.5),
        CommandKind::Receive => into.rounded(styles(kind).full, (x - 4.5, y - 4.5), (9.0, 9.0), 0.0),
        CommandKind::Get | CommandKind::Supply => {}
    }
}

/// The arrows of one step.
pub(super) struct Arrows<'c> {
    pub(super) columns: &'c [Column],
    /// Nothing is beyond.
    pub(super) right: f64,
    pub(super) drawn: Group,
    /// The top of the free space.
    pub(super) y: f64,
}

impl Arrows<'_> {
    pub(super) fn draw(&mut self, message: &Message) {
        match message {
            Message::Joint => {}
            Message::Stutter => self.stutter(),
            Message::Send { sender, channel, data, receivers } => {
                let kind = if channel.is_some() { CommandKind::Receive } else { CommandKind::Send };
                self.send(kind, channel.as_deref().unwrap_or("broadcast"), *sender, data, receivers);
            }
            Message::Meet { getter, supplier, asked, answer } => {
                self.caption(CommandKind::Get, "get", &asked.join(", "), &[*getter, *supplier]);
                self.arrow(CommandKind::Get, *getter, *supplier);
                self.caption(CommandKind::Supply, "supply", &answer.join(", "), &[*getter, *supplier]);
                self.arrow(CommandKind::Supply, *supplier, *getter);
            }
        }
    }

    fn stutter(&mut self) {
        let (Some(first), Some(last)) = (self.columns.first(), self.columns.last()) else { return };
        let left = first.middle - first.width / 2.0;
        let words = "stutter: no other step is possible";
        let width = (last.middle + last.width / 2.0 - left).max(width_of(words) + 12.0);
        self.drawn.rectangle(QUIET, (left, self.y), (width, LINE + 5.0));
        self.drawn.text(PLAIN, (left + 6.0, self.y + LINE - 1.0), words);
        self.y += LINE + 5.0;
    }

    /// One line from the sender to the outermost receivers, with a head at each receiver.
    fn send(&mut self, kind: CommandKind, label: &str, sender: usize, data: &[String], receivers: &[usize]) {
        let ends: Vec<usize> = receivers.iter().copied().chain([sender]).collect();
        let none = if receivers.is_empty() { " (no receiver)" } else { "" };
        self.caption(kind, label, &format!("{}{none}", data.join(", ")), &ends);
        let from = (self.columns[sender].middle, self.y);
        for end in [ends.iter().min(), ends.iter().max()].into_iter().flatten().filter(|end| **end != sender) {
            self.drawn.line(styles(kind).arrow, from, (self.columns[*end].middle, self.y));
        }
        if receivers.is_empty() {
            self.drawn.line(styles(kind).arrow, from, (from.0 + 22.0, self.y));
            self.drawn.circle(styles(kind).open, (from.0 + 26.0, self.y), 4.0);
        }
        for &receiver in receivers {
            let to = self.columns[receiver].middle;
            self.head(kind, receiver, to - from.0);
        }
        origin(&mut self.drawn, kind, from);
        self.y += 9.0;
    }

    fn arrow(&mut self, kind: CommandKind, from: usize, to: usize) {
        let (start, end) = (self.columns[from].middle, self.columns[to].middle);
        let direction = (end - start).signum();
        self.drawn.line(styles(kind).arrow, (start, self.y), (end - 6.0 * direction, self.y));
        self.head(kind, to, direction);
        self.y += 9.0;
    }

    fn head(&mut self, kind: CommandKind, to: usize, direction: f64) {
        let mut head = Group::new("head", &[("to", to)]);
        head.arrow_head(styles(kind).full, (self.columns[to].middle, self.y), (direction, 0.0));
        self.drawn.group(head);
    }

    /// The kind and the data, above the middle of what is connected.
    fn caption(&mut self, kind: CommandKind, label: &str, data: &str, ends: &[usize]) {
        const BETWEEN: f64 = 6.0;
        let label_width = width_of(label) + 10.0;
        let left_end = self.columns[0].middle - self.columns[0].width / 2.0;
        let room = self.right - left_end - label_width - 2.0 * BETWEEN;
        let lines = wrap(data.trim(), characters_in(room));
        let width = label_width + BETWEEN + widest(&lines) + BETWEEN;
        let middles = || ends.iter().map(|end| self.columns[*end].middle);
        let (low, high) = (middles().fold(f64::MAX, f64::min), middles().fold(0.0, f64::max));
        let x = ((low + high - width) / 2.0).clamp(left_end, (self.right - width).max(left_end));
        let height = lines.len().max(1) as f64 * LINE;
        self.drawn.rectangle(PAPER, (x, self.y), (width, height + 2.0));
        self.drawn.rounded(styles(kind).full, (x, self.y), (label_width, 16.0), 8.0);
        self.drawn.centred(INVERSE, (x + label_width / 2.0, self.y + 12.0), label);
        let left = x + label_width + BETWEEN;
        self.drawn.lines((left, self.y + LINE - 3.0), lines.iter().map(|words| (PLAIN, words)));
        self.y += lines.len() as f64 * LINE + 8.0;
    }
}

/// A sample of each kind of arrow that occurs, and where that ends.
pub(super) fn legend(chart: &Chart, left: f64, y: f64) -> (Group, f64) {
    const SAMPLE: f64 = 40.0;
    let (mut x, mut legend) = (left, Group::new("legend", &[]));
    let meanings = ["broadcast", "multicast, with its channel", "get", "supply"];
    let occurs = |kind: &CommandKind| chart.steps.iter().any(|step| kinds(&step.message).contains(kind));
    for (kind, meaning) in CommandKind::ALL.into_iter().zip(meanings).filter(|(kind, _)| occurs(kind)) {
        legend.line(styles(kind).arrow, (x, y), (x + SAMPLE - 6.0, y));
        legend.arrow_head(styles(kind).full, (x + SAMPLE, y), (1.0, 0.0));
        origin(&mut legend, kind, (x, y));
        legend.text(SMALL, (x + SAMPLE + 8.0, y + 4.0), meaning);
        x += SAMPLE + 8.0 + width_of(meaning) + 24.0;
    }
    (legend, x)
}
