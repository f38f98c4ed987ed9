//! Pictures as SVG, with a style sheet.

use super::style::{self, Font, NORMAL, PAPER, Style};
use super::{Group, Item, Picture, Point, Shape};
use crate::escape::{document, markup};

const MONO: &str = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const SANS: &str = "'DejaVu Sans', Verdana, Helvetica, sans-serif";

impl Picture {
    /// As an SVG document: background, style and content.
    pub fn to_svg(&self) -> String {
        let (width, height) = (self.size.0.ceil(), self.size.1.ceil());
        let mut background = Group::new("background", &[]);
        background.rectangle(PAPER, (0.0, 0.0), (width, height));
        let size = format!(r#"width="{width}" height="{height}" viewBox="0 0 {width} {height}""#);
        let head = format!(r#"<svg class="picture" role="img" {size} xmlns="http://www.w3.org/2000/svg">"#);
        let title = format!("<title>{}</title>\n<style>{}</style>", markup(&self.description), style_sheet());
        document(&format!("{head}\n{title}\n{}{}</svg>\n", group(&background), group(&self.content))).into_owned()
    }
}

/// The style sheet of every picture: a rule a line.
pub fn style_sheet() -> String {
    format!("\n.picture text {{ font: {} }}\n{}", font(NORMAL), style::all().map(rule).collect::<String>())
}

fn font(Font { size, is_bold, is_sans }: Font) -> String {
    format!("{}{size}px {}", if is_bold { "bold " } else { "" }, if is_sans { SANS } else { MONO })
}

fn rule(Style { class, fill, stroke, width, dashes, font: own }: Style) -> String {
    let mut rule = if fill.is_empty() { "fill: none".to_owned() } else { format!("fill: #{fill}") };
    if !stroke.is_empty() {
        rule += &format!("; stroke: #{stroke}; stroke-width: {width}");
    }
    if let Some((dash, gap)) = dashes {
        rule += &format!("; stroke-dasharray: {dash} {gap}");
    }
    if own != NORMAL {
        rule += &format!("; font: {}", font(own));
    }
    format!(".picture .{} {{ {rule} }}\n", class.replace(' ', "."))
}

fn group(Group { class, data, shift, items }: &Group) -> String {
    let data: String = data.iter().map(|(name, number)| format!(r#" data-{name}="{number}""#)).collect();
    let shift = shift.map_or(String::new(), |(x, y)| format!(r#" transform="translate({x} {y})""#));
    let items = items.iter().map(|item| match item {
        Item::Shape(style, shape) => element(style.class, shape) + "\n",
        Item::Group(inner) => group(inner),
    });
    format!("<g class=\"{class}\"{data}{shift}>\n{}</g>\n", items.collect::<String>())
}

fn element(class: &str, shape: &Shape) -> String {
    let pair = |(x, y): Point| format!("{x} {y}");
    match shape {
        Shape::Rectangle((x, y), (width, height), round) => {
            format!(r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{round}"/>"#)
        }
        Shape::Circle((x, y), radius) => {
            format!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="{radius}"/>"#)
        }
        Shape::Line((x1, y1), (x2, y2)) => {
            format!(r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#)
        }
        Shape::Triangle(points) => {
            format!(r#"<polygon class="{class}" points="{}"/>"#, points.map(pair).join(" "))
        }
        Shape::Curve(from, bends, to) => {
            let bend =
                |[start, corner, end]: &[Point; 3]| format!("L{}Q{} {}", pair(*start), pair(*corner), pair(*end));
            let bends: String = bends.iter().map(bend).collect();
            format!(r#"<path class="{class}" d="M{}{bends}L{}"/>"#, pair(*from), pair(*to))
        }
        Shape::Text((x, y), is_centred, words) => {
            let anchor = if *is_centred { r#" text-anchor="middle""# } else { "" };
            format!(r#"<text class="{class}" x="{x}" y="{y}"{anchor}>{}</text>"#, markup(words))
        }
    }
}
