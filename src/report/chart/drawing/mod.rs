//! Charts as pictures.
//!
//! Every column is as wide as its widest note, so nothing leaves its column but arrows and what is
//! written on them; each step has rows of its own for those, so nothing overlaps. The names of the
//! instances are repeated where a chart is long.

mod message;

use super::{Back, Chart, ChartStep, Lifeline, Note};
use crate::report::picture::style::{
    BAD, BAD_RULE, BOX, FRAME, FRAME_TAB, INVERSE, LIFE, NOTE, PAPER, PLAIN, QUIET, REMARK, RULE, SMALL, STRONG, Style,
    TITLE,
};
use crate::report::picture::{Group, LINE, Picture, characters_in, title_characters_in, widest, width_of, wrap};
use message::Arrows;

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
        let width = (left + MARGIN).max(message::legend(chart, 0.0, 0.0).1 + 24.0);
        Drawing { chart, columns, width, content: Group::new("content", &[]), y: MARGIN, names_at: 0.0 }
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
        let mut all = Group::new("chart", &[]);
        for column in &self.columns {
            all.line(LIFE, (column.middle, top), (column.middle, self.y));
        }
        all.group(self.content);
        self.y += 14.0;
        all.group(message::legend(self.chart, MARGIN + 6.0, self.y).0);
        Picture { size: (self.width, self.y + MARGIN), description: self.chart.title.clone(), content: all }
    }

    fn title(&mut self) {
        for words in wrap(&self.chart.title, title_characters_in(self.width - 2.0 * MARGIN)) {
            self.y += 18.0;
            self.content.text(TITLE, (MARGIN, self.y), words);
        }
        self.y += 12.0;
    }

    fn names(&mut self) {
        for (column, lifeline) in self.columns.iter().zip(&self.chart.lifelines) {
            let Lifeline { name, agent, .. } = lifeline;
            let width = name_width(lifeline);
            self.content.rectangle(BOX, (column.middle - width / 2.0, self.y), (width, NAME_HEIGHT));
            self.content.centred(STRONG, (column.middle, self.y + 15.0), name);
            self.content.centred(SMALL, (column.middle, self.y + 28.0), agent);
        }
        self.names_at = self.y;
        self.y += NAME_HEIGHT + GAP;
    }

    /// The values in the first state, below the names.
    fn initial(&mut self) {
        let lists: Vec<Vec<String>> = self.chart.lifelines.iter().map(initial_lines).collect();
        let highest = lists.iter().map(Vec::len).max().unwrap_or(0);
        for (column, lines) in self.columns.iter().zip(&lists) {
            note_box(&mut self.content, QUIET, *column, self.y, &[], lines);
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
        let (rule, behind, style) = if remark.is_some() { (BAD_RULE, BAD, INVERSE) } else { (RULE, QUIET, STRONG) };
        self.content.line(rule, (GUTTER, self.y), (right, self.y));
        let mut number = Group::new("position", &[("position", position)]);
        number.rectangle(behind, (MARGIN, self.y - 9.0), (26.0, 18.0));
        number.centred(style, (MARGIN + 13.0, self.y + 4.0), position.to_string());
        self.content.group(number);
        self.y += GAP;
        if let Some(mark) = remark {
            let lines = wrap(&format!("\u{2717} {}", mark.text), characters_in(right - GUTTER - 12.0));
            let size = (widest(&lines) + 12.0, box_height(lines.len()));
            self.content.rectangle(PAPER, (GUTTER, self.y - 8.0), size);
            self.content.lines((GUTTER + 6.0, self.y + LINE - 4.0), lines.iter().map(|words| (REMARK, words)));
            self.y += lines.len() as f64 * LINE + 4.0;
        }
    }

    fn step(&mut self, position: usize, step: &ChartStep) {
        let drawn = Group::new("step", &[("step", position)]);
        let mut arrows = Arrows { columns: &self.columns, right: self.width - MARGIN, drawn, y: self.y };
        arrows.draw(&step.message);
        let Arrows { mut drawn, y: top, .. } = arrows;
        let mut bottom = top;
        for note in &step.notes {
            let (heading, lines) = note_lines(note);
            let column = self.columns[note.lifeline];
            bottom = bottom.max(top + note_box(&mut drawn, NOTE, column, top, &heading, &lines));
        }
        self.content.group(drawn);
        self.y = bottom + 2.0 * GAP;
    }

    /// Frames what is repeated.
    fn end_loop(&mut self, back: &Back, top: f64) {
        let right = self.width - MARGIN;
        let lines = wrap(&back.describe(), characters_in(right - GUTTER - 12.0));
        let height = lines.len() as f64 * LINE + 4.0;
        self.content.rectangle(PAPER, (GUTTER + 1.0, self.y - 6.0), (widest(&lines) + 12.0, height));
        self.content.lines((GUTTER + 6.0, self.y + LINE - 8.0), lines.iter().map(|words| (STRONG, words)));
        self.y += height - 2.0;
        let corner = (GUTTER - 4.0, top);
        self.content.rectangle(FRAME, corner, (right - GUTTER + 6.0, self.y - top));
        self.content.rectangle(FRAME_TAB, corner, (width_of(back.name()) + 16.0, 18.0));
        self.content.text(INVERSE, (GUTTER + 4.0, top + 13.0), back.name());
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
    let changes = note.changes(" \u{2192} ").flat_map(|change| wrap(&change, NOTE_CHARACTERS));
    (wrap(&note.heading(), NOTE_CHARACTERS), changes.collect())
}

fn box_height(lines: usize) -> f64 {
    if lines == 0 { 0.0 } else { lines as f64 * LINE + 6.0 }
}

/// Draws lines in a box, the heading in bold; says how high it is.
fn note_box(into: &mut Group, style: Style, column: Column, y: f64, heading: &[String], lines: &[String]) -> f64 {
    let height = box_height(heading.len() + lines.len());
    if height == 0.0 {
        return height;
    }
    let width = widest(heading).max(widest(lines)) + 2.0 * PADDING;
    let left = column.middle - width / 2.0;
    into.rectangle(style, (left, y), (width, height));
    let styled = heading.iter().map(|words| (STRONG, words)).chain(lines.iter().map(|words| (PLAIN, words)));
    into.lines((left + PADDING, y + LINE - 1.0), styled);
    height
}
