//! Common parts of all pictures: shapes, measured text, and one style for light backgrounds.
//!
//! Text that has to fit somewhere is set in a monospaced font, so that its width is known without the
//! font. Colours follow the palette of Okabe and Ito, which colour-blind people can tell apart, darkened for
//! text; no meaning is carried by colour alone. Arrow heads are shapes, not markers: several pictures can stand in
//! one HTML document without clashes of names.

use super::tikz::to_tikz;
use crate::escape;
use svg::node::element::{Circle, Group, Line, Path, Polygon, Rectangle, Style, Text, Title};
use svg::{Document, Node};
use textwrap::{Options, WordSplitter};

/// The height of a line of text.
pub const LINE: f64 = 15.0;

/// The width of a character; no common monospaced font is wider at this size.
const CHARACTER: f64 = 7.25;

/// Titles are set in a larger font, which is not monospaced: an upper bound for usual text.
const TITLE_CHARACTER: f64 = 8.6;

/// The style sheet: a rule a line, whose selectors are elements and classes.
pub(super) const STYLE: &str = "\
.picture text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #222 }
.picture .title { font: bold 15px 'DejaVu Sans', Verdana, Helvetica, sans-serif }
.picture .small { font-size: 10.5px; fill: #555 }
.picture .strong { font-weight: bold }
.picture .inverse { fill: #fff; font-weight: bold }
.picture .paper { fill: #fff }
.picture .box { fill: #f4f4f1; stroke: #555 }
.picture .note { fill: #fffbe6; stroke: #b9b08a }
.picture .life { stroke: #aaa; stroke-dasharray: 3 3 }
.picture .rule { stroke: #e4e4e4 }
.picture .quiet { fill: #eee; stroke: #999 }
.picture .frame { fill: none; stroke: #6a3d9a; stroke-width: 1.6 }
.picture .frame-tab { fill: #6a3d9a }
.picture .bad { fill: #b00020 }
.picture .bad-line { stroke: #b00020; stroke-width: 1.6 }
.picture .send, .picture .broadcast { fill: #0072b2; stroke: #0072b2 }
.picture .multicast, .picture .receive { fill: #b34700; stroke: #b34700 }
.picture .get { fill: #8a3a73; stroke: #8a3a73 }
.picture .supply { fill: #00735c; stroke: #00735c }
.picture line.broadcast, .picture line.multicast, .picture line.supply, .picture line.get { stroke-width: 1.8 }
.picture .get-line { stroke-dasharray: 6 4 }
.picture .line { fill: none; stroke-width: 1.5 }
.picture .send-edge { stroke: #0072b2 }
.picture .receive-edge { stroke: #b34700; stroke-dasharray: 7 4 }
.picture .get-edge { stroke: #8a3a73; stroke-dasharray: 2 3 }
.picture .supply-edge { stroke: #00735c; stroke-width: 2.4 }
.picture .send-name { fill: #0072b2 }
.picture .receive-name { fill: #b34700 }
.picture .get-name { fill: #8a3a73 }
.picture .supply-name { fill: #00735c }
.picture .label { fill: #fff; stroke-width: .8 }
.picture .send-label { stroke: #0072b2 }
.picture .receive-label { stroke: #b34700 }
.picture .get-label { stroke: #8a3a73 }
.picture .supply-label { stroke: #00735c }
.picture .node { fill: #f4f4f1; stroke: #333; stroke-width: 1.4 }
.picture .cut { stroke-dasharray: 5 3 }
.picture .start { fill: #333; stroke: #333; stroke-width: 1.4 }
.picture .open { fill: #fff; stroke-width: 1.8 }
";

/// Rounded to tenths: a tenth of a pixel is nothing, and the text stays short.
fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A whole picture.
#[derive(Debug)]
pub struct Picture {
    /// How wide it is, in pixels.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// A description of the picture, for those who do not see it.
    pub description: String,
    /// The shapes.
    pub content: Group,
}

impl Picture {
    /// As an SVG document: background, style and content.
    pub fn to_svg(&self) -> String {
        let (width, height) = (self.width.ceil(), self.height.ceil());
        let picture = Document::new()
            .set("class", "picture")
            .set("role", "img")
            .set("width", width)
            .set("height", height)
            .set("viewBox", (0.0, 0.0, width, height))
            .add(Title::new(&self.description))
            .add(Style::new(STYLE))
            .add(rectangle("paper", 0.0, 0.0, width, height))
            .add(self.content.clone());
        escape::document(&format!("{picture}\n")).into_owned()
    }

    /// As TikZ.
    pub fn to_tikz(&self) -> String {
        to_tikz(&self.description, &self.content)
    }
}

/// The style sheet of every picture, as it stands in the document.
#[cfg(feature = "tool")]
pub(super) fn style_sheet() -> String {
    let element = Style::new(STYLE).to_string();
    element.trim_start_matches("<style>").trim_end_matches("</style>").to_owned()
}

/// How wide the text is.
pub fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// How many characters fit.
pub fn characters_in(width: f64) -> usize {
    (width / CHARACTER).max(1.0) as usize
}

/// How many characters of a title fit.
pub fn title_characters_in(width: f64) -> usize {
    (width / TITLE_CHARACTER).max(1.0) as usize
}

/// Lines of at most so many characters. Qualified names such as `i-x` stay whole if they can.
pub fn wrap(text: &str, characters: usize) -> Vec<String> {
    let options = Options::new(characters.max(1)).word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}

/// The width of the widest line.
pub fn widest(lines: &[String]) -> f64 {
    lines.iter().map(|line| width_of(line)).fold(0.0, f64::max)
}

/// Text that starts at x, on the base line y.
pub fn text(class: &str, x: f64, y: f64, content: impl Into<String>) -> Text {
    Text::new(content.into()).set("class", class).set("x", tenths(x)).set("y", tenths(y))
}

/// Text that is centred on x.
pub fn centred(class: &str, x: f64, y: f64, content: impl Into<String>) -> Text {
    text(class, x, y, content).set("text-anchor", "middle")
}

/// A rectangle with slightly round corners.
pub fn rectangle(class: &str, x: f64, y: f64, width: f64, height: f64) -> Rectangle {
    Rectangle::new()
        .set("class", class)
        .set("x", tenths(x))
        .set("y", tenths(y))
        .set("width", tenths(width))
        .set("height", tenths(height))
        .set("rx", 3)
}

/// A straight line.
pub fn line(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Line {
    Line::new()
        .set("class", class)
        .set("x1", tenths(x1))
        .set("y1", tenths(y1))
        .set("x2", tenths(x2))
        .set("y2", tenths(y2))
}

/// A circle.
pub fn circle(class: &str, (x, y): (f64, f64), radius: f64) -> Circle {
    Circle::new().set("class", class).set("cx", tenths(x)).set("cy", tenths(y)).set("r", tenths(radius))
}

/// An arrow head with its tip here, pointing into the direction.
pub fn arrow_head(class: &str, (x, y): (f64, f64), (dx, dy): (f64, f64)) -> Polygon {
    const LENGTH: f64 = 10.0;
    const HALF_WIDTH: f64 = 4.2;
    let norm = dx.hypot(dy).max(f64::MIN_POSITIVE);
    let (dx, dy) = (dx / norm, dy / norm);
    let (back_x, back_y) = (x - LENGTH * dx, y - LENGTH * dy);
    polygon(
        class,
        &[
            (x, y),
            (back_x - HALF_WIDTH * dy, back_y + HALF_WIDTH * dx),
            (back_x + HALF_WIDTH * dy, back_y - HALF_WIDTH * dx),
        ],
    )
}

/// A polygon.
pub fn polygon(class: &str, points: &[(f64, f64)]) -> Polygon {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", tenths(*x), tenths(*y))).collect();
    Polygon::new().set("class", class).set("points", points.join(" "))
}

/// A path, as SVG writes it.
pub fn path(class: &str, description: &str) -> Path {
    Path::new().set("class", class).set("d", description)
}

/// A group of a class.
pub fn group(class: &str) -> Group {
    Group::new().set("class", class)
}

/// A label of a kind: white on its colour. Its left end is at x, its middle at y; says how wide it is.
pub fn pill(class: &str, x: f64, y: f64, content: &str) -> (Group, f64) {
    let width = width_of(content) + 10.0;
    let mut pill = group("pill");
    pill.append(rectangle(class, x, y - 8.0, width, 16.0).set("rx", 8));
    pill.append(centred("inverse", x + width / 2.0, y + 4.0, content));
    (pill, width)
}
