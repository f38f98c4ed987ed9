//! Pictures: lists of shapes, each with a style, which [`svg`] and [`tikz`] write.
//!
//! Text that has to fit somewhere is set in a monospaced font, so that its width is known without the font. Arrow heads are
//! shapes, not markers: several pictures can stand in one HTML document without clashes of names.

pub(super) mod style;
mod svg;
mod tikz;

#[cfg(feature = "tool")]
pub(super) use svg::style_sheet;

use style::Style;
use textwrap::{Options, WordSplitter};

/// A point, in pixels to the right and downwards.
pub type Point = (f64, f64);

/// A width and a height.
pub type Size = (f64, f64);

/// The height of a line of text.
pub const LINE: f64 = 15.0;

/// The width of a character; no common monospaced font is wider at this size.
const CHARACTER: f64 = 7.25;

/// Titles are set in a larger font, which is not monospaced: an upper bound for usual text.
const TITLE_CHARACTER: f64 = 8.6;

/// How round the corners of rectangles are.
const ROUND: f64 = 3.0;

/// A whole picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its size.
    pub size: Size,
    /// A description of the picture, for those who do not see it.
    pub description: String,
    /// The shapes.
    pub content: Group,
}

/// Shapes in the order in which they are drawn.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Its class in SVG.
    class: &'static str,
    /// Numbers by which scripts find it.
    data: Vec<(&'static str, usize)>,
    /// How far its shapes are moved.
    shift: Option<Point>,
    items: Vec<Item>,
}

/// A part of a group.
#[derive(Clone, Debug)]
enum Item {
    Shape(Style, Shape),
    Group(Group),
}

/// A shape.
#[derive(Clone, Debug)]
enum Shape {
    /// The upper left corner, the size, and how round the corners are.
    Rectangle(Point, Size, f64),
    /// The middle and the radius.
    Circle(Point, f64),
    Line(Point, Point),
    Triangle([Point; 3]),
    /// The start, bends (where it leaves a straight line, the corner, and where it enters the next one), and the end.
    Curve(Point, Vec<[Point; 3]>, Point),
    /// A point on the base line, true if that is its middle instead of its start, and the words.
    Text(Point, bool, String),
}

/// Rounded to tenths: a tenth of a pixel is nothing, and the text stays short.
fn tenths((x, y): Point) -> Point {
    let tenth = |value: f64| (value * 10.0).round() / 10.0;
    (tenth(x), tenth(y))
}

impl Group {
    /// A group of a class, with numbers for scripts.
    pub fn new(class: &'static str, data: &[(&'static str, usize)]) -> Group {
        Group { class, data: data.to_vec(), shift: None, items: Vec::new() }
    }

    /// The same, moved.
    pub fn shifted(self, shift: Point) -> Group {
        Group { shift: Some(tenths(shift)), ..self }
    }

    /// Adds a group.
    pub fn group(&mut self, group: Group) {
        self.items.push(Item::Group(group));
    }

    fn add(&mut self, style: Style, shape: Shape) {
        self.items.push(Item::Shape(style, shape));
    }

    /// Adds a rectangle with slightly round corners.
    pub fn rectangle(&mut self, style: Style, corner: Point, size: Size) {
        self.rounded(style, corner, size, ROUND);
    }

    /// Adds a rectangle with round corners.
    pub fn rounded(&mut self, style: Style, corner: Point, size: Size, round: f64) {
        self.add(style, Shape::Rectangle(tenths(corner), tenths(size), round));
    }

    /// Adds a circle.
    pub fn circle(&mut self, style: Style, middle: Point, radius: f64) {
        self.add(style, Shape::Circle(tenths(middle), radius));
    }

    /// Adds a straight line.
    pub fn line(&mut self, style: Style, from: Point, to: Point) {
        self.add(style, Shape::Line(tenths(from), tenths(to)));
    }

    /// Adds a line with bends: its start, a corner and its end.
    pub fn curve(&mut self, style: Style, from: Point, bends: &[[Point; 3]], to: Point) {
        let bends = bends.iter().map(|bend| bend.map(tenths)).collect();
        self.add(style, Shape::Curve(tenths(from), bends, tenths(to)));
    }

    /// Adds text that starts at a point on its base line.
    pub fn text(&mut self, style: Style, at: Point, words: impl Into<String>) {
        self.add(style, Shape::Text(tenths(at), false, words.into()));
    }

    /// Adds text that is centred on a point on its base line.
    pub fn centred(&mut self, style: Style, at: Point, words: impl Into<String>) {
        self.add(style, Shape::Text(tenths(at), true, words.into()));
    }

    /// Adds lines of text, one below the other, of which the first starts at a point on its base line.
    pub fn lines<W: Into<String>>(&mut self, (x, y): Point, lines: impl IntoIterator<Item = (Style, W)>) {
        for (row, (style, words)) in lines.into_iter().enumerate() {
            self.text(style, (x, y + row as f64 * LINE), words);
        }
    }

    /// Adds an arrow head with its tip here, pointing into the direction.
    pub fn arrow_head(&mut self, style: Style, (x, y): Point, (dx, dy): Point) {
        const LENGTH: f64 = 10.0;
        const HALF_WIDTH: f64 = 4.2;
        let norm = dx.hypot(dy).max(f64::MIN_POSITIVE);
        let (dx, dy) = (dx / norm, dy / norm);
        let (back_x, back_y) = (x - LENGTH * dx, y - LENGTH * dy);
        let left = (back_x - HALF_WIDTH * dy, back_y + HALF_WIDTH * dx);
        let right = (back_x + HALF_WIDTH * dy, back_y - HALF_WIDTH * dx);
        self.add(style, Shape::Triangle([(x, y), left, right].map(tenths)));
    }
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
