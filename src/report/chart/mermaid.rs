//! Charts as Mermaid sequence diagrams, for Markdown.
//!
//! Mermaid has no message to several receivers: a broadcast or multicast is a group of parallel arrows.

use super::{Chart, ChartStep, Message, send_word, with_data};
use crate::escape::visible;
use std::fmt::Write;

impl Chart {
    /// The chart as the text of a Mermaid diagram.
    pub fn to_mermaid(&self) -> String {
        let mut out = String::from("sequenceDiagram\n");
        for (index, lifeline) in self.lifelines.iter().enumerate() {
            line(&mut out, &format!("participant {} as {}", id(index), escape(&lifeline.name)));
        }
        for (index, lifeline) in self.lifelines.iter().enumerate().filter(|(_, lifeline)| !lifeline.initial.is_empty())
        {
            line(&mut out, &format!("Note over {}: {}", id(index), breaks(&lifeline.initial)));
        }
        for (position, step) in self.steps.iter().enumerate() {
            if let Some(back) = self.back.as_ref().filter(|back| back.start == position) {
                line(&mut out, &format!("loop {}", escape(&back.describe())));
            }
            self.mark(&mut out, position);
            self.step(&mut out, position, step);
        }
        self.mark(&mut out, self.steps.len());
        if self.back.is_some() {
            line(&mut out, "end");
        }
        out
    }

    /// The diagram in a Markdown document with its title.
    pub fn to_markdown(&self) -> String {
        let title = visible(&self.title).replace('`', " ");
        format!("### `{title}`\n\n```mermaid\n{}```\n", self.to_mermaid())
    }

    fn mark(&self, out: &mut String, position: usize) {
        if let Some(mark) = self.mark.as_ref().filter(|mark| mark.position == position) {
            line(out, &format!("Note {}: \u{2717} at {position}: {}", self.over_all(), escape(&mark.text)));
        }
    }

    fn over_all(&self) -> String {
        match self.lifelines.len() {
            0 | 1 => format!("over {}", id(0)),
            count => format!("over {},{}", id(0), id(count - 1)),
        }
    }

    fn step(&self, out: &mut String, position: usize, step: &ChartStep) {
        match &step.message {
            Message::Joint => line(out, &format!("Note {}: {position}: all act at once", self.over_all())),
            Message::Stutter => {
                line(out, &format!("Note {}: {position}: stutter, no other step is possible", self.over_all()));
            }
            Message::Send { sender, channel, data, receivers } => {
                let caption = caption(position, &send_word(channel.as_deref()), data);
                send(out, *sender, receivers, channel.is_some(), &caption);
            }
            Message::Meet { getter, supplier, asked, answer } => {
                let (getter, supplier) = (id(*getter), id(*supplier));
                line(out, &format!("{getter}-->>{supplier}: {}", caption(position, "get", asked)));
                line(out, &format!("{supplier}->>{getter}: {}", caption(position, "supply", answer)));
            }
        }
        for note in &step.notes {
            line(out, &format!("Note over {}: {}", id(note.lifeline), breaks(&note.lines(" \u{2192} "))));
        }
    }
}

/// A broadcast has open arrow heads, a multicast filled ones.
fn send(out: &mut String, sender: usize, receivers: &[usize], multicast: bool, caption: &str) {
    let (from, arrow) = (id(sender), if multicast { "->>" } else { "-)" });
    match receivers {
        [] => line(out, &format!("Note over {from}: {caption} (no receiver)")),
        [only] => line(out, &format!("{from}{arrow}{}: {caption}", id(*only))),
        several => {
            for (index, receiver) in several.iter().enumerate() {
                line(out, if index == 0 { "par" } else { "and" });
                line(out, &format!("{from}{arrow}{}: {caption}", id(*receiver)));
            }
            line(out, "end");
        }
    }
}

fn line(out: &mut String, content: &str) {
    writeln!(out, "    {content}").expect("writing to a string works");
}

/// Participants have names of ours: those of instances may be words of Mermaid.
fn id(lifeline: usize) -> String {
    format!("i{lifeline}")
}

fn caption(position: usize, kind: &str, data: &[String]) -> String {
    escape(&format!("{position}: {}", with_data(kind, data)))
}

fn breaks(lines: &[String]) -> String {
    lines.iter().map(|words| escape(words)).collect::<Vec<_>>().join("<br/>")
}

/// Mermaid gives a meaning to these characters, and to the word `end`.
fn escape(words: &str) -> String {
    let words = visible(words);
    let escaped = words.chars().map(|character| match character {
        '%' => "#37;".to_owned(),
        '#' => "#35;".to_owned(),
        ';' => "#59;".to_owned(),
        '<' => "#lt;".to_owned(),
        '>' => "#gt;".to_owned(),
        other => other.to_string(),
    });
    let escaped: String = escaped.collect();
    if escaped.eq_ignore_ascii_case("end") { "#101;nd".to_owned() } else { escaped }
}
