//! The arrows of a step, and what is written on them.
//!
//! Kinds differ by shape as well as by colour: a broadcast starts at a dot, a multicast at a square,
//! a get is a dashed arrow, and the supply is the arrow that answers it.

use super::Column;
use crate::report::chart::{Chart, Message};
use crate::report::picture::{
    LINE, arrow_head, characters_in, circle, group, line, pill, rectangle, text, widest, width_of, wrap,
};
use svg::Node;
use svg::node::element::Group;

const BROADCAST: &str = "broadcast";
const MULTICAST: &str = "multicast";
const GET: &str = "get";
const SUPPLY: &str = "supply";

/// The arrows of one step.
pub(super) struct Arrows<'c> {
    columns: &'c [Column],
    right: f64,
    /// The drawn shapes.
    pub(super) content: Group,
    /// The top of the free space.
    pub(super) y: f64,
    /// The class of the step.
    pub(super) kind: &'static str,
}

impl<'c> Arrows<'c> {
    /// Arrows between columns, from y downwards, with nothing beyond `right`.
    pub(super) fn new(columns: &'c [Column], right: f64, y: f64) -> Arrows<'c> {
        Arrows { columns, right, content: group("message"), y, kind: "stutter" }
    }

    pub(super) fn draw(&mut self, message: &Message) {
        match message {
            Message::Joint => self.kind = "joint",
            Message::Stutter => self.stutter(),
            Message::Send { sender, channel, data, receivers } => {
                self.kind = if channel.is_some() { MULTICAST } else { BROADCAST };
                self.send(*sender, channel.as_deref().unwrap_or("broadcast"), data, receivers);
            }
            Message::Meet { getter, supplier, asked, answer } => {
                self.kind = "meet";
                self.caption(GET, GET, &asked.join(", "), &[*getter, *supplier]);
                self.arrow(GET, "get get-line", *getter, *supplier);
                self.caption(SUPPLY, SUPPLY, &answer.join(", "), &[*getter, *supplier]);
                self.arrow(SUPPLY, SUPPLY, *supplier, *getter);
            }
        }
    }

    fn stutter(&mut self) {
        let (Some(first), Some(last)) = (self.columns.first(), self.columns.last()) else { return };
        let left = first.middle - first.width / 2.0;
        let words = "stutter: no other step is possible";
        let width = (last.middle + last.width / 2.0 - left).max(width_of(words) + 12.0);
        self.content.append(rectangle("quiet", left, self.y, width, LINE + 5.0));
        self.content.append(text("plain", left + 6.0, self.y + LINE - 1.0, words));
        self.y += LINE + 5.0;
    }

    /// One line from the sender to the outermost receivers, with a head at each receiver.
    fn send(&mut self, sender: usize, channel: &str, data: &[String], receivers: &[usize]) {
        let kind = self.kind;
        let ends: Vec<usize> = receivers.iter().copied().chain([sender]).collect();
        let none = if receivers.is_empty() { " (no receiver)" } else { "" };
        self.caption(kind, channel, &format!("{}{none}", data.join(", ")), &ends);
        let from = self.columns[sender].middle;
        for end in [ends.iter().min(), ends.iter().max()].into_iter().flatten().filter(|end| **end != sender) {
            self.content.append(line(kind, (from, self.y), (self.columns[*end].middle, self.y)));
        }
        if receivers.is_empty() {
            self.content.append(line(kind, (from, self.y), (from + 22.0, self.y)));
            self.content.append(circle(&format!("open {kind}"), (from + 26.0, self.y), 4.0));
        }
        for &receiver in receivers {
            let to = self.columns[receiver].middle;
            let head = arrow_head(kind, (to, self.y), (to - from, 0.0));
            self.content.append(head.set("data-to", receiver));
        }
        self.origin(kind, from);
        self.y += 9.0;
    }

    fn arrow(&mut self, kind: &str, line_class: &str, from: usize, to: usize) {
        let (start, end) = (self.columns[from].middle, self.columns[to].middle);
        let direction = (end - start).signum();
        self.content.append(line(line_class, (start, self.y), (end - 6.0 * direction, self.y)));
        let head = arrow_head(kind, (end, self.y), (direction, 0.0));
        self.content.append(head.set("data-to", to));
        self.y += 9.0;
    }

    fn origin(&mut self, kind: &str, x: f64) {
        if kind == BROADCAST {
            self.content.append(circle(kind, (x, self.y), 4.5));
        } else {
            self.content.append(rectangle(kind, x - 4.5, self.y - 4.5, 9.0, 9.0).set("rx", 0));
        }
    }

    /// The kind and the data, above the middle of what is connected.
    fn caption(&mut self, kind: &str, label: &str, data: &str, ends: &[usize]) {
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
        self.content.append(rectangle("paper", x, self.y, width, height + 2.0));
        self.content.append(pill(kind, x, self.y + 8.0, label).0);
        for words in lines {
            self.y += LINE;
            self.content.append(text("data", x + label_width + BETWEEN, self.y - 3.0, words));
        }
        self.y += 8.0;
    }
}

/// The kinds of messages that occur, with what is said of them.
fn legend_entries(chart: &Chart) -> Vec<(&'static str, &'static str)> {
    let occurs = |kind: fn(&Message) -> bool| chart.steps.iter().any(|step| kind(&step.message));
    let meets = occurs(|message| matches!(message, Message::Meet { .. }));
    let all = [
        (occurs(|message| matches!(message, Message::Send { channel: None, .. })), BROADCAST, "broadcast"),
        (
            occurs(|message| matches!(message, Message::Send { channel: Some(_), .. })),
            MULTICAST,
            "multicast, with its channel",
        ),
        (meets, GET, "get"),
        (meets, SUPPLY, "supply"),
    ];
    all.into_iter().filter(|(occurs, ..)| *occurs).map(|(_, kind, meaning)| (kind, meaning)).collect()
}

const SAMPLE: f64 = 40.0;

fn entry_width(meaning: &str) -> f64 {
    SAMPLE + 8.0 + width_of(meaning) + 24.0
}

/// How wide the legend is.
pub(super) fn legend_width(chart: &Chart) -> f64 {
    legend_entries(chart).into_iter().map(|(_, meaning)| entry_width(meaning)).sum::<f64>() + 24.0
}

/// Draws a sample of each kind of message that occurs.
pub(super) fn legend(into: &mut Group, chart: &Chart, left: f64, y: f64) {
    let mut x = left + 6.0;
    let mut legend = group("legend");
    for (kind, meaning) in legend_entries(chart) {
        let line_class = if kind == GET { "get get-line" } else { kind };
        legend.append(line(line_class, (x, y), (x + SAMPLE - 6.0, y)));
        legend.append(arrow_head(kind, (x + SAMPLE, y), (1.0, 0.0)));
        match kind {
            BROADCAST => legend.append(circle(kind, (x, y), 4.5)),
            MULTICAST => legend.append(rectangle(kind, x - 4.5, y - 4.5, 9.0, 9.0).set("rx", 0)),
            _ => {}
        }
        legend.append(text("small", x + SAMPLE + 8.0, y + 4.0, meaning));
        x += entry_width(meaning);
    }
    into.append(legend);
}
