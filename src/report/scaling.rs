//! Times against the values of a constant: a plot for each model that `--const` gave several values.

use super::axes::{Axes, COLORS, HEIGHT, LEFT, MARGIN, SHORTEST, WIDTH};
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
    for record in records {
        let unit = &record.unit;
        for (name, value) in &unit.constants {
            let is_answered = unit.spec.is_some() || unit.check.is_some();
            let (Some(number), true) = (small(value), is_answered) else { continue };
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
    series(records).iter().map(|(subject, lines)| (title(subject), plot(subject, lines))).collect()
}

fn plot(subject: &Subject, lines: &BTreeMap<String, Line>) -> Markup {
    let points = || lines.values().flatten();
    let (first, last) = (points().map(|point| point.0).min(), points().map(|point| point.0).max());
    let longest = points().fold(SHORTEST, |longest, point| longest.max(point.1));
    let axes = Axes::new(first.unwrap_or_default(), last.unwrap_or_default(), longest);
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img"
            xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" {
            title { "Times against values of " (subject.constant) }
            (axes.draw(&subject.constant))
            @for (index, (label, line)) in lines.iter().enumerate() {
                @let color = COLORS[index % COLORS.len()];
                polyline points=(axes.line(line.iter().map(|point| (point.0, point.1)))) fill="none" stroke=(color) {
                    title { (label) }
                }
                @for (number, time, is_answer) in line {
                    circle cx=(format!("{:.1}", axes.x(*number))) cy=(format!("{:.1}", axes.y(*time))) r="3" stroke=(color)
                        fill=(if *is_answer { color } else { "white" }) {
                        title { (label) ", " (subject.constant) " = " (number) ": " (format!("{time:.3} s")) @if !is_answer { ", no answer" } }
                    }
                }
                @if lines.len() <= MOST_LABELS {
                    text x=(LEFT + 10.0) y=(MARGIN + 14.0 * (index + 1) as f64) fill=(color) { (label) }
                }
            }
        }
    }
}

/// More lines have their names in tooltips alone.
const MOST_LABELS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Constants;
    use crate::report::record::{Settings, Unit};

    fn record(number: i64, spec: usize, verdict: Verdict, wall: f64) -> Record {
        let engines = Vec::new();
        let settings =
            Settings { mode: Mode::Prove, bound: None, engines, dialect: None, timeout: None, memory_limit: None };
        let constants = Constants::from(
            [("N", Literal::int(number)), ("f", Literal::Bool(true))]
                .map(|(name, value)| (name.to_owned().into(), value)),
        );
        let unit = Unit { spec: Some(spec), constants, ..Unit::file("m.rcp", None) };
        let mut record = Record { verdict, ..Record::new(unit, settings) };
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
