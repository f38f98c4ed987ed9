//! Charts as text, in a given number of columns.
//!
//! Notes stand below the lifelines. Where there is not enough room for that, they are written in lines of
//! their own, one for all instances with the same note, and names above lifelines are abbreviated. Where
//! there are very many instances, those that take no part are left out.

use super::{Chart, ChartStep, Message, send_word, with_data};
use crate::escape::visible;
use crate::report::picture::wrap;
use std::collections::BTreeSet;

/// Room for the numbers of the positions.
const GUTTER: usize = 5;
const NARROWEST: usize = 5;
/// Notes do not fit into narrower columns.
const NARROWEST_FOR_NOTES: usize = 12;
const WIDEST: usize = 24;

impl Chart {
    /// The chart as lines of at most so many characters, unless too many instances take part.
    pub fn to_text(&self, width: usize) -> String {
        let mut drawing = Drawing::new(self, width);
        drawing.draw();
        drawing.lines.iter().map(|line| format!("{}\n", visible(line.trim_end()))).collect()
    }
}

/// How an arrow is drawn.
struct Pen {
    origin: char,
    dash: char,
    crossing: char,
}

const BROADCAST: Pen = Pen { origin: '\u{25cf}', dash: '\u{2500}', crossing: '\u{253c}' };
const MULTICAST: Pen = Pen { origin: '\u{25a0}', dash: '\u{2550}', crossing: '\u{256a}' };
const GET: Pen = Pen { origin: '\u{25c7}', dash: '\u{254c}', crossing: '\u{2506}' };
const SUPPLY: Pen = Pen { origin: '\u{25c6}', dash: '\u{2500}', crossing: '\u{253c}' };

struct Drawing<'c> {
    chart: &'c Chart,
    /// The lifelines that are shown, left to right.
    shown: Vec<usize>,
    column: usize,
    width: usize,
    lines: Vec<String>,
    /// True if a loop is open.
    framed: bool,
}

impl<'c> Drawing<'c> {
    fn new(chart: &'c Chart, width: usize) -> Drawing<'c> {
        let all: Vec<usize> = (0..chart.lifelines.len()).collect();
        let room = width.saturating_sub(GUTTER + 1);
        let crowded = all.len() * NARROWEST > room;
        let shown: Vec<usize> = all.into_iter().filter(|lifeline| !crowded || chart.takes_part(*lifeline)).collect();
        let column = (room / shown.len().max(1)).clamp(NARROWEST, WIDEST);
        let width = width.max(GUTTER + 1 + column * shown.len());
        Drawing { chart, shown, column, width, lines: Vec::new(), framed: false }
    }

    fn draw(&mut self) {
        self.lines.extend(wrap(&self.chart.title, self.width));
        self.left_out();
        self.key();
        self.lines.push(String::new());
        self.names();
        let initial = self.shown.iter().map(|lifeline| (*lifeline, self.chart.lifelines[*lifeline].initial.clone()));
        self.notes(&initial.collect::<Vec<_>>());
        for (position, step) in self.chart.steps.iter().enumerate() {
            if let Some(back) = self.chart.back.as_ref().filter(|back| back.start == position) {
                self.rule(&format!("\u{250c}\u{2500} {} ", back.name()));
                self.framed = true;
            }
            self.position(position);
            self.step(step);
        }
        self.position(self.chart.steps.len());
        if let Some(back) = &self.chart.back {
            self.framed = false;
            let again = if back.recurrent { "again from" } else { "back to" };
            self.rule(&format!("\u{2514}\u{2500} {again} {} ", back.start));
            if !back.forgotten.is_empty() {
                self.paragraph(&back.describe());
            }
        }
        self.names();
    }

    /// Says who is not shown.
    fn left_out(&mut self) {
        let missing = (0..self.chart.lifelines.len()).filter(|lifeline| !self.shown.contains(lifeline));
        let names: Vec<&str> = missing.map(|lifeline| self.chart.lifelines[lifeline].name.as_str()).collect();
        if !names.is_empty() {
            self.paragraph(&format!("(not shown, as they take no part: {})", names.join(", ")));
        }
    }

    fn paragraph(&mut self, words: &str) {
        let first = if self.framed { '\u{2502}' } else { ' ' };
        let indented = |words| format!("{first}{}{words}", " ".repeat(GUTTER - 1));
        self.lines.extend(wrap(words, self.width - GUTTER).into_iter().map(indented));
    }

    /// A line across the chart that starts with these words.
    fn rule(&mut self, words: &str) {
        let rest = self.width.saturating_sub(words.chars().count());
        self.lines.push(format!("{words}{}", "\u{2500}".repeat(rest)));
    }

    fn names(&mut self) {
        let mut line = vec![' '; self.width];
        for (slot, name) in self.short_names().iter().enumerate() {
            put_centred(&mut line, self.middle(slot), name);
        }
        self.push(line);
    }

    /// Names that fit above lifelines; numbers if abbreviations are the same.
    fn short_names(&self) -> Vec<String> {
        let name = |lifeline: &usize| abbreviate(&self.chart.lifelines[*lifeline].name, self.column - 1);
        let names: Vec<String> = self.shown.iter().map(name).collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        if distinct.len() == names.len() { names } else { (1..=names.len()).map(|number| number.to_string()).collect() }
    }

    /// Says which number is whom, if numbers stand for names.
    fn key(&mut self) {
        let short = self.short_names();
        if short.first().is_some_and(|name| name == "1") {
            let names = self.shown.iter().map(|lifeline| &self.chart.lifelines[*lifeline].name);
            let entries: Vec<String> =
                short.iter().zip(names).map(|(number, name)| format!("{number} {name}")).collect();
            self.paragraph(&entries.join(", "));
        }
    }

    /// A line with the number of the position, and the remark if there is one.
    fn position(&mut self, position: usize) {
        let mut line = self.bars();
        let remark = self.chart.mark.as_ref().filter(|mark| mark.position == position);
        put(&mut line, 1, &format!("{position:>3}"));
        self.push(line);
        if let Some(mark) = remark {
            self.paragraph(&format!("\u{2717} {}", mark.text));
        }
    }

    fn step(&mut self, step: &ChartStep) {
        match &step.message {
            Message::Joint => {}
            Message::Stutter => self.caption("stutter: no other step is possible", &[]),
            Message::Send { sender, channel, data, receivers } => {
                let none = if receivers.is_empty() { ", no receiver" } else { "" };
                let caption = with_data(&send_word(channel.as_deref()), data);
                let ends: Vec<usize> = receivers.iter().copied().chain([*sender]).collect();
                self.caption(&format!("{caption}{none}"), &ends);
                self.arrow(if channel.is_some() { &MULTICAST } else { &BROADCAST }, *sender, receivers);
            }
            Message::Meet { getter, supplier, asked, answer } => {
                self.caption(&with_data("get", asked), &[*getter, *supplier]);
                self.arrow(&GET, *getter, &[*supplier]);
                self.caption(&with_data("supply", answer), &[*getter, *supplier]);
                self.arrow(&SUPPLY, *supplier, &[*getter]);
            }
        }
        self.notes(&step.notes.iter().map(|note| (note.lifeline, note.lines("\u{2192}"))).collect::<Vec<_>>());
    }

    /// Notes on lifelines, in their columns or, if these are too narrow, in common lines.
    fn notes(&mut self, notes: &[(usize, Vec<String>)]) {
        if self.column >= NARROWEST_FOR_NOTES {
            return self.notes_in_columns(notes);
        }
        let mut rest: Vec<&(usize, Vec<String>)> = notes.iter().collect();
        while let Some((_, lines)) = rest.first() {
            let (same, others): (Vec<_>, Vec<_>) = rest.iter().copied().partition(|(_, other)| other == lines);
            if !lines.is_empty() {
                let names: Vec<&str> =
                    same.iter().map(|(lifeline, _)| self.chart.lifelines[*lifeline].name.as_str()).collect();
                self.paragraph(&format!("{}: {}", names.join(", "), lines.join(", ")));
            }
            rest = others;
        }
    }

    fn notes_in_columns(&mut self, notes: &[(usize, Vec<String>)]) {
        let wrapped = |lines: &Vec<String>| lines.iter().flat_map(|line| wrap(line, self.column - 1)).collect();
        let notes: Vec<(usize, Vec<String>)> =
            notes.iter().map(|(lifeline, lines)| (*lifeline, wrapped(lines))).collect();
        let height = notes.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
        for row in 0..height {
            let mut line = self.bars();
            for (lifeline, lines) in &notes {
                if let (Some(slot), Some(words)) = (self.slot(*lifeline), lines.get(row)) {
                    put(&mut line, GUTTER + slot * self.column, &" ".repeat(self.column));
                    put_centred(&mut line, self.middle(slot), words);
                }
            }
            self.push(line);
        }
    }

    /// Words above the middle of the lifelines.
    fn caption(&mut self, words: &str, ends: &[usize]) {
        let middles: Vec<usize> = ends.iter().filter_map(|end| Some(self.middle(self.slot(*end)?))).collect();
        let (low, high) = (middles.iter().min().copied(), middles.iter().max().copied());
        let middle = low.zip(high).map_or(self.width / 2, |(low, high)| (low + high) / 2);
        for words in wrap(words, self.width - GUTTER - 2) {
            let mut line = self.bars();
            put_centred(&mut line, middle, &format!(" {words} "));
            self.push(line);
        }
    }

    fn arrow(&mut self, pen: &Pen, from: usize, to: &[usize]) {
        let mut line = self.bars();
        let Some(start) = self.slot(from) else { return };
        let ends: Vec<usize> = to.iter().filter_map(|end| self.slot(*end)).collect();
        let (low, high) = (ends.iter().fold(start, |a, b| a.min(*b)), ends.iter().fold(start, |a, b| a.max(*b)));
        for cell in &mut line[self.middle(low)..=self.middle(high)] {
            *cell = if *cell == ' ' { pen.dash } else { pen.crossing };
        }
        for end in ends {
            line[self.middle(end)] = if end > start { '\u{25ba}' } else { '\u{25c4}' };
        }
        line[self.middle(start)] = pen.origin;
        self.push(line);
    }

    /// An empty line: lifelines only.
    fn bars(&self) -> Vec<char> {
        let mut line = vec![' '; self.width];
        (0..self.shown.len()).for_each(|slot| line[self.middle(slot)] = '\u{2502}');
        line
    }

    fn push(&mut self, mut line: Vec<char>) {
        if self.framed {
            line[0] = '\u{2502}';
        }
        self.lines.push(line.into_iter().collect());
    }

    fn slot(&self, lifeline: usize) -> Option<usize> {
        self.shown.iter().position(|shown| *shown == lifeline)
    }

    fn middle(&self, slot: usize) -> usize {
        GUTTER + slot * self.column + self.column / 2
    }
}

/// Writes over a line; what does not fit is moved to the left.
fn put(line: &mut [char], start: usize, words: &str) {
    let start = start.min(line.len().saturating_sub(words.chars().count()));
    line[start..].iter_mut().zip(words.chars()).for_each(|(cell, character)| *cell = character);
}

fn put_centred(line: &mut [char], middle: usize, words: &str) {
    put(line, middle.saturating_sub(words.chars().count() / 2).max(GUTTER), words);
}

/// At most so many characters; the number at the end of a name stays.
fn abbreviate(name: &str, most: usize) -> String {
    let length = name.chars().count();
    if length <= most {
        return name.to_owned();
    }
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let digits = &name[stem.len()..];
    let kept = most.saturating_sub(1 + digits.len());
    let stem: String = stem.chars().take(kept).collect();
    format!("{stem}\u{2026}{digits}").chars().take(most).collect()
}
