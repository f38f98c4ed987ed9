//! Times against the values of a constant: a plot for each model that `--const` gave several values.

use super::record::{Mode, Record, Verdict};
use crate::model::{Literal, integer};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A line: the values of the constant with the times, and whether there was an answer.
type Line = Vec<(i64, f64, bool)>;

/// The subject of a plot: a model, how it was verified, a constant, and the values of the other constants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Subject {
    model: String,
    mode: Mode,
    constant: String,
    others: String,
}

/// A value that fits onto an axis.
fn small(value: &Literal) -> Option<i64> {
    match value {
        Literal::Bool(_) => None,
        Literal::Int(number) => integer::exact(number),
    }
}

/// For each subject its lines, by what they are about.
fn series(records: &[Record]) -> BTreeMap<Subject, BTreeMap<String, Line>> {
    let mut series: BTreeMap<Subject, BTreeMap<String, Line>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.unit.spec.is_some() || record.unit.check.is_some()) {
        let unit = &record.unit;
        for (name, value) in &unit.constants {
            let Some(number) = small(value) else { continue };
            let others = unit.constants.iter().filter(|(other, _)| *other != name);
            let subject = Subject {
                model: unit.model.clone(),
                mode: record.settings.mode,
                constant: name.to_string(),
                others: others.map(|(name, value)| format!(", {}", name.with(value))).collect(),
            };
            let is_answer = record.verdict != Verdict::Unknown && record.verdict != Verdict::InternalError;
            let line = series.entry(subject).or_default().entry(unit.label()).or_default();
            line.push((number, record.seconds.wall, is_answer));
        }
    }
    for lines in series.values_mut() {
        lines.values_mut().for_each(|line| line.sort_by_key(|point| point.0));
        lines.retain(|_, line| line.len() > 1);
    }
    series.retain(|_, lines| !lines.is_empty());
    series
}

/// The plots, each with its title.
pub fn plots(records: &[Record]) -> Vec<(String, Markup)> {
    let title = |subject: &Subject| format!("{}{}: {:?}", subject.model, subject.others, subject.mode).to_lowercase();
    series(records).iter().map(|(subject, lines)| (title(subject), plot(&subject.constant, lines))).collect()
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
/// Room for the labels of times.
const LEFT: f64 = 60.0;
/// Room for the labels of values.
const BELOW: f64 = 40.0;
const MARGIN: f64 = 12.0;

/// Times below this are shown as this.
const SHORTEST: f64 = 0.001;
/// And times above this as this.
const LONGEST: f64 = 1e12;

/// Colours of lines, in turns.
const COLOURS: [&str; 3] = ["#0b6", "#05c", "#a40"];

/// More lines have their names in tooltips alone.
const MOST_LABELS: usize = 12;

/// The axes: values to the right, times from [`SHORTEST`] on upwards, in decades.
struct Axes {
    first: i64,
    last: i64,
    decades: f64,
}

impl Axes {
    fn of(lines: &BTreeMap<String, Line>) -> Axes {
        let points = || lines.values().flatten();
        let first = points().map(|point| point.0).min().unwrap_or_default();
        let last = points().map(|point| point.0).max().unwrap_or_default();
        let longest = points().fold(SHORTEST, |longest, point| longest.max(point.1)).min(LONGEST);
        Axes { first, last: last.max(first + 1), decades: (longest / SHORTEST).log10().ceil().max(1.0) }
    }

    fn x(&self, number: i64) -> f64 {
        let (place, all) = (number as f64 - self.first as f64, self.last as f64 - self.first as f64);
        LEFT + (WIDTH - LEFT - MARGIN) * place / all
    }

    fn y(&self, seconds: f64) -> f64 {
        let part = (seconds.clamp(SHORTEST, LONGEST) / SHORTEST).log10() / self.decades;
        HEIGHT - BELOW - (HEIGHT - BELOW - MARGIN) * part
    }

    fn draw(&self, constant: &str) -> Markup {
        let (bottom, right) = (HEIGHT - BELOW, WIDTH - MARGIN);
        let step = self.last.abs_diff(self.first).div_ceil(8).max(1);
        html! {
            @for decade in 0..=self.decades as i32 {
                @let time = SHORTEST * 10f64.powi(decade);
                line x1=(LEFT) x2=(right) y1=(self.y(time)) y2=(self.y(time)) stroke="#ccc" {}
                text x=(LEFT - 6.0) y=(self.y(time) + 4.0) text-anchor="end" { (format!("{time} s")) }
            }
            @for number in (self.first..=self.last).step_by(step as usize) {
                line x1=(self.x(number)) x2=(self.x(number)) y1=(bottom) y2=(bottom + 4.0) stroke="#888" {}
                text x=(self.x(number)) y=(bottom + 18.0) text-anchor="middle" { (number) }
            }
            line x1=(LEFT) x2=(right) y1=(bottom) y2=(bottom) stroke="#888" {}
            text x=((LEFT + right) / 2.0) y=(HEIGHT - 6.0) text-anchor="middle" { (constant) }
        }
    }
}

fn plot(constant: &str, lines: &BTreeMap<String, Line>) -> Markup {
    let axes = Axes::of(lines);
    let place = |number: i64, time: f64| (format!("{:.1}", axes.x(number)), format!("{:.1}", axes.y(time)));
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img"
            xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" {
            title { "Times against values of " (constant) }
            (axes.draw(constant))
            @for (index, (label, line)) in lines.iter().enumerate() {
                @let color = COLOURS[index % COLOURS.len()];
                @let points: Vec<(String, String)> = line.iter().map(|(number, time, _)| place(*number, *time)).collect();
                polyline points=(points.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" "))
                    fill="none" stroke=(color) { title { (label) } }
                @for ((number, time, is_answer), (x, y)) in line.iter().zip(&points) {
                    circle cx=(x) cy=(y) r="3" stroke=(color) fill=(if *is_answer { color } else { "white" }) {
                        title { (label) ", " (constant) " = " (number) ": " (format!("{time:.3} s")) @if !is_answer { ", no answer" } }
                    }
                }
                @if lines.len() <= MOST_LABELS {
                    text x=(LEFT + 10.0) y=(MARGIN + 14.0 * (index + 1) as f64) fill=(color) { (label) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Constants;
    use crate::report::record::{Settings, Unit};

    fn record(number: i64, spec: usize, verdict: Verdict, wall: f64) -> Record {
        let constants = Constants::from(
            [("N", Literal::int(number)), ("f", Literal::Bool(true))]
                .map(|(name, value)| (name.to_owned().into(), value)),
        );
        let unit = Unit { spec: Some(spec), constants, ..Unit::file("m.rcp", None) };
        let mut record = Record { verdict, ..Record::new(unit, Settings::of(Mode::Prove)) };
        record.seconds.wall = wall;
        record
    }

    #[test]
    fn each_spec_has_a_line_of_its_times() {
        let records = [
            record(4, 1, Verdict::Unknown, 10.0),
            record(2, 1, Verdict::Holds, 0.1),
            record(3, 1, Verdict::Holds, 1.0),
            record(2, 2, Verdict::Holds, 0.1),
        ];
        let plots = plots(&records);
        assert_eq!(plots.len(), 1);
        let (title, svg) = (&plots[0].0, plots[0].1.clone().into_string());
        assert_eq!(title, "m.rcp, f = true: prove");
        assert!(svg.contains(r#"points="60.0,136.0 344.0,74.0 628.0,12.0""#), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert_eq!(svg.matches("no answer").count(), 1, "{svg}");
        assert!(super::plots(&records[..1]).is_empty());
    }
}
