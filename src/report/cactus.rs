//! A cactus plot: how many specs are solved when each may take at most so long.

use super::record::{Mode, Record, Verdict};
use maud::{Markup, html};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
/// Left, for the labels of times.
const LEFT: f64 = 60.0;
/// Below, for the labels of numbers.
const BELOW: f64 = 40.0;
const MARGIN: f64 = 12.0;

/// Times below this are shown as this: the axis of times is logarithmic.
const SHORTEST: f64 = 0.001;

/// And times above this as this.
const LONGEST: f64 = 1e12;

const COLORS: [&str; 3] = ["#0b6", "#05c", "#a40"];

/// The times of the specs that have an answer, by mode, sorted.
fn series(records: &[Record]) -> Vec<(&'static str, Vec<f64>)> {
    let times = |mode: Mode| {
        let solved = |record: &&Record| {
            record.settings.mode == mode
                && (record.verdict.is_proved() || record.verdict.is_shown() || record.verdict == Verdict::Clear)
        };
        let mut times: Vec<f64> = records.iter().filter(solved).map(|record| record.seconds.wall).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let all = [("bmc", times(Mode::Bmc)), ("prove", times(Mode::Prove))];
    all.into_iter().filter(|(_, times)| !times.is_empty()).collect()
}

/// The plot; nothing if nothing is solved.
pub fn plot(records: &[Record]) -> Option<Markup> {
    let series = series(records);
    let most = series.iter().map(|(_, times)| times.len()).max()?;
    let longest = series.iter().filter_map(|(_, times)| times.last()).fold(SHORTEST, |a, &b| a.max(b)).min(LONGEST);
    let axes = Axes { most, decades: (longest / SHORTEST).log10().ceil().max(1.0) };
    Some(html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img"
            xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" {
            title { "How many specs are solved within which time" }
            (axes.draw())
            @for (index, (name, times)) in series.iter().enumerate() {
                @let color = COLORS[index % COLORS.len()];
                polyline points=(axes.points(times)) fill="none" stroke=(color) stroke-width="2" {}
                text x=(LEFT + 10.0) y=(MARGIN + 14.0 * (index + 1) as f64) fill=(color) {
                    (name) ": " (times.len()) " solved"
                }
            }
        }
    })
}

/// Numbers from 0 to the right, times upwards in decades from [`SHORTEST`].
struct Axes {
    most: usize,
    decades: f64,
}

impl Axes {
    fn x(&self, number: usize) -> f64 {
        LEFT + (WIDTH - LEFT - MARGIN) * number as f64 / self.most as f64
    }

    fn y(&self, seconds: f64) -> f64 {
        let part = (seconds.clamp(SHORTEST, LONGEST) / SHORTEST).log10() / self.decades;
        HEIGHT - BELOW - (HEIGHT - BELOW - MARGIN) * part
    }

    fn points(&self, times: &[f64]) -> String {
        let points = times.iter().enumerate().map(|(index, &time)| (self.x(index + 1), self.y(time)));
        points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
    }

    fn draw(&self) -> Markup {
        let (bottom, right) = (HEIGHT - BELOW, WIDTH - MARGIN);
        let step = self.most.div_ceil(8).max(1);
        html! {
            @for decade in 0..=self.decades as i32 {
                @let time = SHORTEST * 10f64.powi(decade);
                line x1=(LEFT) x2=(right) y1=(self.y(time)) y2=(self.y(time)) stroke="#ccc" {}
                text x=(LEFT - 6.0) y=(self.y(time) + 4.0) text-anchor="end" { (format!("{time} s")) }
            }
            @for number in (0..=self.most).step_by(step) {
                line x1=(self.x(number)) x2=(self.x(number)) y1=(bottom) y2=(bottom + 4.0) stroke="#888" {}
                text x=(self.x(number)) y=(bottom + 18.0) text-anchor="middle" { (number) }
            }
            line x1=(LEFT) x2=(right) y1=(bottom) y2=(bottom) stroke="#888" {}
            text x=((LEFT + right) / 2.0) y=(HEIGHT - 6.0) text-anchor="middle" { "specs solved" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::{Settings, Unit};

    fn record(verdict: Verdict, wall: f64) -> Record {
        let engines = Vec::new();
        let settings =
            Settings { mode: Mode::Bmc, bound: Some(1), engines, dialect: None, timeout: None, memory_limit: None };
        let mut record = Record { verdict, ..Record::new(Unit::file("m.rcp", None), settings) };
        record.seconds.wall = wall;
        record
    }

    #[test]
    fn solved_specs_are_sorted_by_time() {
        let records = [
            record(Verdict::Clear, 1.0),
            record(Verdict::Unknown, 50.0),
            record(Verdict::Violated, 0.0),
            record(Verdict::Holds, 0.1),
        ];
        assert_eq!(series(&records), [("bmc", vec![0.0, 0.1, 1.0])]);
        let axes = Axes { most: 3, decades: 3.0 };
        assert_eq!(axes.points(&[0.0, 0.1, 1.0]), "249.3,260.0 438.7,94.7 628.0,12.0");
        let svg = plot(&records).expect("something is solved").into_string();
        assert!(svg.contains("3 solved") && svg.contains("0.001 s") && !svg.contains("NaN"), "{svg}");
        assert!(plot(&records[1..2]).is_none());
    }
}
