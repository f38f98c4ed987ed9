//! Pictures as TikZ, for papers.
//!
//! A pixel of the picture is three quarters of a point, as browsers print it. The typewriter fonts of LaTeX are narrower than
//! what the picture leaves room for, so that everything fits as it does in SVG.

use super::style::Style;
use super::{Group, Item, Picture, Point, Shape};
use crate::escape::visible;
use std::collections::BTreeSet;

/// Points per pixel.
const POINTS: f64 = 0.75;

impl Picture {
    /// As an environment `tikzpicture`, which needs the package `tikz` and nothing else.
    pub fn to_tikz(&self) -> String {
        let mut out = Writer::default();
        out.group(&self.content);
        let mut text = format!("% A picture by rcheck-smt: {}\n", visible(&self.description).replace('\n', " "));
        text += "% \\usepackage{tikz}, then \\input this file; \\resizebox{\\linewidth}{!}{..} makes it fit.\n";
        text += "\\begingroup\n";
        for colour in &out.colours {
            text += &format!("\\definecolor{{rcheck{colour}}}{{HTML}}{{{colour}}}\n");
        }
        text += "\\begin{tikzpicture}[x=0.75pt, y=-0.75pt, inner sep=0pt, outer sep=0pt]\n";
        text + &out.body + "\\end{tikzpicture}\n\\endgroup\n"
    }
}

#[derive(Default)]
struct Writer {
    body: String,
    colours: BTreeSet<String>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.body += &format!("  {line}\n");
    }

    /// The name of a colour, which is defined before it is used.
    fn colour(&mut self, digits: &str) -> String {
        let digits = digits.to_uppercase();
        let name = format!("rcheck{digits}");
        self.colours.insert(digits);
        name
    }

    fn group(&mut self, group: &Group) {
        if let Some((x, y)) = group.shift {
            self.line(&format!("\\begin{{scope}}[shift={{({x},{y})}}]"));
        }
        for item in &group.items {
            match item {
                Item::Shape(style, shape) => self.shape(style, shape),
                Item::Group(group) => self.group(group),
            }
        }
        if group.shift.is_some() {
            self.line("\\end{scope}");
        }
    }

    fn shape(&mut self, style: &Style, shape: &Shape) {
        match shape {
            Shape::Rectangle((x, y), (width, height), round) => {
                let corners = format!(", rounded corners={:.2}pt", round * POINTS);
                let opposite = (x + width, y + height);
                self.path(style, &corners, &format!("{} rectangle {}", pair((*x, *y)), pair(opposite)));
            }
            Shape::Circle(middle, radius) => {
                self.path(style, "", &format!("{} circle [radius={radius:.1}]", pair(*middle)));
            }
            Shape::Line(from, to) => {
                self.path(&Style { fill: "", ..*style }, "", &format!("{} -- {}", pair(*from), pair(*to)));
            }
            Shape::Triangle(points) => self.path(style, "", &format!("{} -- cycle", points.map(pair).join(" -- "))),
            Shape::Curve(from, bends, to) => self.path(style, "", &curve(*from, bends, *to)),
            Shape::Text(at, is_centred, words) => self.text(style, *at, *is_centred, words),
        }
    }

    fn path(&mut self, style: &Style, more: &str, shape: &str) {
        let mut options = Vec::new();
        if !style.fill.is_empty() {
            options.push(format!("fill={}", self.colour(style.fill)));
        }
        if !style.stroke.is_empty() {
            options.push(format!("draw={}, line width={:.2}pt", self.colour(style.stroke), style.width * POINTS));
        }
        if let Some((dash, gap)) = style.dashes {
            options.push(format!("dash pattern=on {:.2}pt off {:.2}pt", dash * POINTS, gap * POINTS));
        }
        self.line(&format!("\\path[{}{more}] {shape};", options.join(", ")));
    }

    fn text(&mut self, style: &Style, at: Point, is_centred: bool, words: &str) {
        let size = style.font.size * POINTS;
        let family = if style.font.is_sans { "\\sffamily" } else { "\\ttfamily" };
        let bold = if style.font.is_bold { "\\bfseries" } else { "" };
        let anchor = if is_centred { "base" } else { "base west" };
        let colour = self.colour(style.fill);
        let font = format!("\\fontsize{{{size:.1}}}{{{:.1}}}{family}{bold}", size * 1.2);
        self.line(&format!("\\node[anchor={anchor}, font={font}, text={colour}] at {} {{{}}};", pair(at), tex(words)));
    }
}

fn pair((x, y): Point) -> String {
    format!("({x:.1},{y:.1})")
}

/// A line with bends, which TikZ writes as cubic curves.
fn curve(from: Point, bends: &[[Point; 3]], to: Point) -> String {
    let bend = |&[start, corner, end]: &[Point; 3]| {
        let near = |end: Point| pair((end.0 + (corner.0 - end.0) / 1.5, end.1 + (corner.1 - end.1) / 1.5));
        format!(" -- {} .. controls {} and {} .. {}", pair(start), near(start), near(end), pair(end))
    };
    format!("{}{} -- {}", pair(from), bends.iter().map(bend).collect::<String>(), pair(to))
}

/// Words for TeX: nothing in them is a command, and no two letters become one.
fn tex(words: &str) -> String {
    let words = visible(words);
    let letters = words.chars().map(|letter| match letter {
        '\\' => "\\textbackslash{}".to_owned(),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => format!("\\{letter}"),
        '^' => "\\textasciicircum{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '<' => "\\textless{}".to_owned(),
        '>' => "\\textgreater{}".to_owned(),
        '|' => "\\textbar{}".to_owned(),
        '`' => "\\textasciigrave{}".to_owned(),
        '-' => "-{}".to_owned(),
        '\'' => "\\textquotesingle{}".to_owned(),
        '\u{2192}' => "$\\rightarrow$".to_owned(),
        '\u{2717}' => "$\\times$".to_owned(),
        '\u{2026}' => "\\dots{}".to_owned(),
        ' ' => "~".to_owned(),
        other => other.to_string(),
    });
    letters.collect()
}
