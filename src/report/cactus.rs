//! A cactus plot: how many specs are solved when each may take at most so long.

use super::axes::{Axes, COLORS, HEIGHT, LEFT, MARGIN, SHORTEST, WIDTH};
use super::record::{Mode, Record, Verdict};
use maud::{Markup, html};

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
    let longest = series.iter().filter_map(|(_, times)| times.last()).fold(SHORTEST, |a, &b| a.max(b));
    let axes = Axes::new(0, most as i64, longest);
    Some(html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img"
            xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" {
            title { "How many specs are solved within which time" }
            (axes.draw("specs solved"))
            @for (index, (name, times)) in series.iter().enumerate() {
                @let color = COLORS[index % COLORS.len()];
                polyline points=(axes.line((1..).zip(times.iter().copied()))) fill="none" stroke=(color) stroke-width="2" {}
                text x=(LEFT + 10.0) y=(MARGIN + 14.0 * (index + 1) as f64) fill=(color) {
                    (name) ": " (times.len()) " solved"
                }
            }
        }
    })
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
        let axes = Axes::new(0, 3, 1.0);
        assert_eq!(axes.line((1..).zip([0.0, 0.1, 1.0])), "249.3,260.0 438.7,94.7 628.0,12.0");
        let svg = plot(&records).expect("something is solved").into_string();
        assert!(svg.contains("3 solved") && svg.contains("0.001 s") && !svg.contains("NaN"), "{svg}");
        assert!(plot(&records[1..2]).is_none());
    }
}
