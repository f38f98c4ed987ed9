//! The axes of plots of times: whole numbers to the right, times upwards, in decades.

use maud::{Markup, html};

/// The size of a plot.
pub const WIDTH: f64 = 640.0;
/// And its height.
pub const HEIGHT: f64 = 300.0;
/// Left, for the labels of times.
pub const LEFT: f64 = 60.0;
/// Around.
pub const MARGIN: f64 = 12.0;
/// Below, for the labels of numbers.
const BELOW: f64 = 40.0;

/// Times below this are shown as this.
pub const SHORTEST: f64 = 0.001;

/// And times above this as this.
const LONGEST: f64 = 1e12;

/// Colors of lines, in turns.
pub const COLORS: [&str; 3] = ["#0b6", "#05c", "#a40"];

/// Numbers between two others, times from [`SHORTEST`] on.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    first: i64,
    last: i64,
    decades: f64,
}

impl Axes {
    /// For numbers, and times of which this is the longest.
    pub fn new(first: i64, last: i64, longest: f64) -> Axes {
        let longest = longest.clamp(SHORTEST, LONGEST);
        Axes { first, last: last.max(first + 1), decades: (longest / SHORTEST).log10().ceil().max(1.0) }
    }

    /// The x-coordinate of a number.
    pub fn x(&self, number: i64) -> f64 {
        let (place, all) = (number as f64 - self.first as f64, self.last as f64 - self.first as f64);
        LEFT + (WIDTH - LEFT - MARGIN) * place / all
    }

    /// The y-coordinate of a time.
    pub fn y(&self, seconds: f64) -> f64 {
        let part = (seconds.clamp(SHORTEST, LONGEST) / SHORTEST).log10() / self.decades;
        HEIGHT - BELOW - (HEIGHT - BELOW - MARGIN) * part
    }

    /// A line through points, as SVG writes it.
    pub fn line(&self, points: impl Iterator<Item = (i64, f64)>) -> String {
        let shown = points.map(|(number, time)| format!("{:.1},{:.1}", self.x(number), self.y(time)));
        shown.collect::<Vec<_>>().join(" ")
    }

    /// The axes; `what` the numbers are.
    pub fn draw(&self, what: &str) -> Markup {
        let (bottom, right) = (HEIGHT - BELOW, WIDTH - MARGIN);
        let step = (self.last.abs_diff(self.first)).div_ceil(8).max(1);
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
            text x=((LEFT + right) / 2.0) y=(HEIGHT - 6.0) text-anchor="middle" { (what) }
        }
    }
}
