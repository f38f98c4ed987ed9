//! Charts as SVG.
//!
//! Every column is as wide as its widest note, so nothing leaves its column but arrows and what is
//! written on them; each step has rows of its own for those, so nothing overlaps. The names of the
//! instances are repeated where a chart is long.

mod message;

use super::{Back, Chart, ChartStep, Lifeline, Note};
use crate::report::picture::{self, LINE, Picture, centred, group, line, rectangle, text, widest, width_of, wrap};
use message::Arrows;
use svg::Node;
use svg::node::element::Group;

/// The most characters in a line of a note.
const NOTE_CHARACTERS: usize = 30;
/// Room for the numbers of the positions.
const GUTTER: f64 = 46.0;
const MARGIN: f64 = 12.0;
const NARROWEST_COLUMN: f64 = 84.0;
/// All columns together are at least so wide.
const NARROWEST: f64 = 400.0;
const GAP: f64 = 10.0;
const PADDING: f64 = 5.0;
const NAME_HEIGHT: f64 = 34.0;
/// After so much chart the names are repeated.
const PAGE: f64 = 900.0;
/// Below so much chart the names are repeated at the end.
const SHORT: f64 = 420.0;

impl Chart {
    /// The chart as an SVG document, which can stand in HTML as it is.
    pub fn to_svg(&self) -> String {
        Drawing::new(self).draw().to_svg()
    }

    /// The chart as TikZ.
    pub fn to_tikz(&self) -> String {
        Drawing::new(self).draw().to_tikz()
    }
}

/// A chart that grows downwards.
struct Drawing<'c> {
    chart: &'c Chart,
    columns: Vec<Column>,
    width: f64,
    content: Group,
    y: f64,
    /// The last place where the names stand.
    names_at: f64,
}

/// The place of a lifeline.
#[derive(Clone, Copy)]
struct Column {
    middle: f64,
    width: f64,
}

impl<'c> Drawing<'c> {
    fn new(chart: &'c Chart) -> Drawing<'c> {
        let widths = chart.lifelines.iter().enumerate().map(|(index, lifeline)| column_width(chart, index, lifeline));
        let mut widths: Vec<f64> = widths.collect();
        let missing = NARROWEST - GAP * widths.len() as f64 - widths.iter().sum::<f64>();
        let more = missing.max(0.0) / widths.len().max(1) as f64;
        widths.iter_mut().for_each(|width| *width += more);
        let mut left = GUTTER + GAP;
        let mut columns = Vec::new();
        for width in widths {
            columns.push(Column { middle: left + width / 2.0, width });
            left += width + GAP;
        }
        let width = (left + MARGIN).max(message::legend_width(chart));
        Drawing { chart, columns, width, content: group("content"), y: MARGIN, names_at: 0.0 }
    }

    fn draw(mut self) -> Picture {
        self.title();
        let top = self.y;
        self.names();
        self.initial();
        let frame_top = self.steps();
        if let (Some(back), Some(frame_top)) = (&self.chart.back, frame_top) {
            self.end_loop(back, frame_top);
        }
        if self.y - self.names_at > SHORT {
            self.names();
        }
        let mut all = group("chart");
        for column in &self.columns {
            all.append(line("life", (column.middle, top), (column.middle, self.y)));
        }
        self.y += 14.0;
        message::legend(&mut self.content, self.chart, MARGIN, self.y);
        all.append(self.content);
        Picture { width: self.width, height: self.y + MARGIN, description: self.chart.title.clone(), content: all }
    }

    fn title(&mut self) {
        for words in wrap(&self.chart.title, picture::title_characters_in(self.width - 2.0 * MARGIN)) {
            self.y += 18.0;
            self.content.append(text("title", MARGIN, self.y, words));
        }
        self.y += 12.0;
    }

    fn names(&mut self) {
        for (column, lifeline) in self.columns.iter().zip(&self.chart.lifelines) {
            let Lifeline { name, agent, .. } = lifeline;
            let width = name_width(lifeline);
            self.content.append(rectangle("box name", column.middle - width / 2.0, self.y, width, NAME_HEIGHT));
            self.content.append(centred("strong", column.middle, self.y + 15.0, name.as_str()));
            self.content.append(centred("small", column.middle, self.y + 28.0, agent.as_str()));
        }
        self.names_at = self.y;
        self.y += NAME_HEIGHT + GAP;
    }

    /// The values in the first state, below the names.
    fn initial(&mut self) {
        let lists: Vec<Vec<String>> = self.chart.lifelines.iter().map(initial_lines).collect();
        let highest = lists.iter().map(Vec::len).max().unwrap_or(0);
        for (column, lines) in self.columns.iter().zip(&lists) {
            note_box(&mut self.content, "quiet initial", *column, self.y, &[], lines);
        }
        self.y += box_height(highest) + GAP;
    }

    /// All steps; says where the frame of the loop starts.
    fn steps(&mut self) -> Option<f64> {
        let mut frame_top = None;
        for (position, step) in self.chart.steps.iter().enumerate() {
            if self.y - self.names_at > PAGE {
                self.names();
            }
            if self.chart.back.as_ref().is_some_and(|back| back.start == position) {
                frame_top = Some(self.y);
                self.y += 24.0;
            }
            self.position(position);
            self.step(position, step);
        }
        self.position(self.chart.steps.len());
        frame_top
    }

    /// A line across the chart with the number of the position, and the remark if there is one.
    fn position(&mut self, position: usize) {
        let remark = self.chart.mark.as_ref().filter(|mark| mark.position == position);
        let right = self.width - MARGIN;
        let class = if remark.is_some() { "bad-line" } else { "rule" };
        self.content.append(line(class, (GUTTER, self.y), (right, self.y)));
        let number = rectangle(if remark.is_some() { "bad" } else { "quiet" }, MARGIN, self.y - 9.0, 26.0, 18.0);
        self.content.append(number.set("data-position", position));
        let number_class = if remark.is_some() { "inverse" } else { "strong" };
        self.content.append(centred(number_class, MARGIN + 13.0, self.y + 4.0, position.to_string()));
        self.y += GAP;
        if let Some(mark) = remark {
            let lines = wrap(&format!("\u{2717} {}", mark.text), picture::characters_in(right - GUTTER - 12.0));
            let mut remark = group("mark");
            remark.append(rectangle("paper", GUTTER, self.y - 8.0, widest(&lines) + 12.0, box_height(lines.len())));
            for words in lines {
                self.y += LINE;
                remark.append(text("bad", GUTTER + 6.0, self.y - 4.0, words));
            }
            self.content.append(remark);
            self.y += 4.0;
        }
    }

    fn step(&mut self, position: usize, step: &ChartStep) {
        let mut arrows = Arrows::new(&self.columns, self.width - MARGIN, self.y);
        arrows.draw(&step.message);
        let Arrows { content, y: mut bottom, kind, .. } = arrows;
        let mut all = group(&format!("step step-{kind}")).set("data-step", position);
        all.append(content);
        let top = bottom;
        for note in &step.notes {
            let (heading, lines) = note_lines(note);
            let column = self.columns[note.lifeline];
            bottom = bottom.max(top + note_box(&mut all, "note", column, top, &heading, &lines));
        }
        self.content.append(all);
        self.y = bottom + 2.0 * GAP;
    }

    /// Frames what is repeated.
    fn end_loop(&mut self, back: &Back, top: f64) {
        let right = self.width - MARGIN;
        let lines = wrap(&back.describe(), picture::characters_in(right - GUTTER - 12.0));
        let mut frame = group("loop");
        let height = lines.len() as f64 * LINE + 4.0;
        frame.append(rectangle("paper", GUTTER + 1.0, self.y - 6.0, widest(&lines) + 12.0, height));
        for words in lines {
            self.y += LINE;
            frame.append(text("strong", GUTTER + 6.0, self.y - 8.0, words));
        }
        self.y += 2.0;
        frame.append(rectangle("frame", GUTTER - 4.0, top, right - GUTTER + 6.0, self.y - top));
        frame.append(rectangle("frame-tab", GUTTER - 4.0, top, width_of(back.name()) + 16.0, 18.0));
        frame.append(text("inverse", GUTTER + 4.0, top + 13.0, back.name()));
        self.content.append(frame);
        self.y += GAP;
    }
}

fn name_width(lifeline: &Lifeline) -> f64 {
    width_of(&lifeline.name).max(width_of(&lifeline.agent)) + 2.0 * PADDING + 8.0
}

fn column_width(chart: &Chart, index: usize, lifeline: &Lifeline) -> f64 {
    let notes = chart.steps.iter().flat_map(|step| step.notes.iter().filter(|note| note.lifeline == index));
    let widths = notes.map(|note| {
        let (heading, lines) = note_lines(note);
        widest(&heading).max(widest(&lines))
    });
    let notes = widths.fold(widest(&initial_lines(lifeline)), f64::max) + 2.0 * PADDING;
    notes.max(name_width(lifeline)).max(NARROWEST_COLUMN)
}

fn initial_lines(lifeline: &Lifeline) -> Vec<String> {
    lifeline.initial.iter().flat_map(|value| wrap(value, NOTE_CHARACTERS)).collect()
}

/// The command, with the automaton states, and the changes.
fn note_lines(note: &Note) -> (Vec<String>, Vec<String>) {
    let moved = note.moved.map(|(from, to)| format!(" {from}\u{2192}{to}")).unwrap_or_default();
    let heading = wrap(&format!("{}{moved}", note.command), NOTE_CHARACTERS);
    let change = |change: &super::Change| format!("{}: {} \u{2192} {}", change.name, change.old, change.new);
    (heading, note.changes.iter().flat_map(|one| wrap(&change(one), NOTE_CHARACTERS)).collect())
}

fn box_height(lines: usize) -> f64 {
    if lines == 0 { 0.0 } else { lines as f64 * LINE + 6.0 }
}

/// Draws lines in a box, the heading in bold; says how high it is.
fn note_box(into: &mut Group, class: &str, column: Column, y: f64, heading: &[String], lines: &[String]) -> f64 {
    let height = box_height(heading.len() + lines.len());
    if height == 0.0 {
        return height;
    }
    let width = widest(heading).max(widest(lines)) + 2.0 * PADDING;
    let left = column.middle - width / 2.0;
    let mut note = group("note-box");
    note.append(rectangle(class, left, y, width, height));
    let styled = heading.iter().map(|words| ("strong", words)).chain(lines.iter().map(|words| ("plain", words)));
    for (index, (style, words)) in styled.enumerate() {
        note.append(text(style, left + PADDING, y + (index + 1) as f64 * LINE - 1.0, words.as_str()));
    }
    into.append(note);
    height
}
