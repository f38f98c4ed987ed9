//! Pictures as TikZ, for papers: the shapes of [`super::picture`], with its style sheet as options.
//!
//! A pixel of the picture is three quarters of a point, as browsers print it. The typewriter fonts of LaTeX are narrower than
//! what the picture leaves room for, so that everything fits as it does in SVG.

use super::picture::STYLE;
use crate::escape::visible;
use std::collections::BTreeSet;
use std::fmt::Write;
use svg::Node;

/// Points per pixel.
const POINTS: f64 = 0.75;

/// A drawing as an environment `tikzpicture`, which needs the package `tikz` and nothing else.
pub fn to_tikz(description: &str, content: &dyn Node) -> String {
    let mut out = Writer { body: String::new(), colours: BTreeSet::new() };
    out.node(content);
    let mut text = format!("% A picture by rcheck-smt: {}\n", visible(description).replace('\n', " "));
    text += "% \\usepackage{tikz}, then \\input this file; \\resizebox{\\linewidth}{!}{..} makes it fit.\n";
    text += "\\begingroup\n";
    for colour in &out.colours {
        text += &format!("\\definecolor{{rcheck{colour}}}{{HTML}}{{{colour}}}\n");
    }
    text += "\\begin{tikzpicture}[x=0.75pt, y=-0.75pt, inner sep=0pt, outer sep=0pt]\n";
    text + &out.body + "\\end{tikzpicture}\n\\endgroup\n"
}

struct Writer {
    body: String,
    colours: BTreeSet<String>,
}

/// The properties of an element in the style sheet.
#[derive(Debug, Default)]
struct Style {
    fill: Option<String>,
    stroke: Option<String>,
    width: Option<f64>,
    dashes: Option<String>,
    bold: bool,
    size: Option<f64>,
    sans: bool,
}

impl Style {
    /// Of an element with these classes; later rules of the sheet count more.
    fn of(element: &str, classes: &str) -> Style {
        let mut style = Style::default();
        for rule in STYLE.lines() {
            let Some((selectors, properties)) = rule.trim_end_matches([' ', '}']).split_once('{') else { continue };
            let fits = selectors.split(',').any(|selector| {
                let selector = selector.trim().trim_start_matches(".picture").trim();
                let (wanted, class) = selector.split_once('.').unwrap_or((selector, ""));
                (wanted.is_empty() || wanted == element)
                    && (class.is_empty() || classes.split_whitespace().any(|own| own == class))
            });
            if fits {
                properties
                    .split(';')
                    .filter_map(|it| it.split_once(':'))
                    .for_each(|it| style.set(it.0.trim(), it.1.trim()));
            }
        }
        style
    }

    fn set(&mut self, property: &str, value: &str) {
        let number = || value.trim_end_matches("px").parse().ok();
        match property {
            "fill" => self.fill = colour(value),
            "stroke" => self.stroke = colour(value),
            "stroke-width" => self.width = number(),
            "stroke-dasharray" => self.dashes = Some(value.to_owned()),
            "font-weight" => self.bold = value == "bold",
            "font-size" => self.size = number(),
            "font" => {
                self.bold = value.starts_with("bold");
                self.sans = value.ends_with("sans-serif");
                self.size = value.split_whitespace().find_map(|word| word.strip_suffix("px")?.parse().ok());
            }
            _ => {}
        }
    }
}

/// Six digits, from `#abc` or `#aabbcc`; nothing is drawn in another colour.
fn colour(value: &str) -> Option<String> {
    let digits = value.strip_prefix('#')?.to_uppercase();
    Some(match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        _ => digits,
    })
}

impl Writer {
    fn node(&mut self, node: &dyn Node) {
        let attribute = |name: &str| node.get_attributes().and_then(|all| all.get(name)).map(|it| it.to_string());
        let number = |name: &str| attribute(name).and_then(|it| it.parse().ok()).unwrap_or(0.0);
        let style = Style::of(node.get_name(), &attribute("class").unwrap_or_default());
        match node.get_name() {
            "g" => {
                let shift = attribute("transform").map(|it| numbers(&it));
                if let Some([x, y]) = shift.as_deref() {
                    self.line(&format!("\\begin{{scope}}[shift={{({x},{y})}}]"));
                }
                node.get_children().into_iter().flatten().for_each(|child| self.node(child.as_ref()));
                if shift.is_some() {
                    self.line("\\end{scope}");
                }
            }
            "rect" => {
                let (x, y) = (number("x"), number("y"));
                let (right, bottom) = (x + number("width"), y + number("height"));
                let corners = format!(", rounded corners={:.2}pt", number("rx") * POINTS);
                self.path(&style, &corners, &format!("({x:.1},{y:.1}) rectangle ({right:.1},{bottom:.1})"));
            }
            "circle" => {
                let (x, y, radius) = (number("cx"), number("cy"), number("r"));
                self.path(&style, "", &format!("({x:.1},{y:.1}) circle [radius={radius:.1}]"));
            }
            "line" => {
                let (x1, y1, x2, y2) = (number("x1"), number("y1"), number("x2"), number("y2"));
                self.path(&Style { fill: None, ..style }, "", &format!("({x1:.1},{y1:.1}) -- ({x2:.1},{y2:.1})"));
            }
            "polygon" => {
                let points = numbers(&attribute("points").unwrap_or_default());
                let points: Vec<String> = points.chunks(2).map(|it| format!("({:.1},{:.1})", it[0], it[1])).collect();
                self.path(&style, "", &format!("{} -- cycle", points.join(" -- ")));
            }
            "path" => {
                let shape = curve(&attribute("d").unwrap_or_default());
                self.path(&Style { fill: None, ..style }, "", &shape);
            }
            "text" => {
                let words: String =
                    node.get_children().into_iter().flatten().map(|it| unescaped(&it.to_string())).collect();
                let anchor = if attribute("text-anchor").is_some() { "base" } else { "base west" };
                self.text(&style, anchor, (number("x"), number("y")), &words);
            }
            _ => {}
        }
    }

    fn line(&mut self, line: &str) {
        writeln!(self.body, "  {line}").expect("writing to a string works");
    }

    fn colour(&mut self, digits: &str) -> String {
        self.colours.insert(digits.to_owned());
        format!("rcheck{digits}")
    }

    fn path(&mut self, style: &Style, more: &str, shape: &str) {
        let mut options = Vec::new();
        if let Some(fill) = &style.fill {
            options.push(format!("fill={}", self.colour(fill)));
        }
        if let Some(stroke) = &style.stroke {
            options.push(format!("draw={}", self.colour(stroke)));
            options.push(format!("line width={:.2}pt", style.width.unwrap_or(1.0) * POINTS));
        }
        if let Some(dashes) = &style.dashes {
            let lengths = numbers(dashes);
            let parts = lengths.iter().zip(["on", "off"].iter().cycle());
            let parts: Vec<String> = parts.map(|(length, word)| format!("{word} {:.2}pt", length * POINTS)).collect();
            options.push(format!("dash pattern={}", parts.join(" ")));
        }
        self.line(&format!("\\path[{}{more}] {shape};", options.join(", ")));
    }

    fn text(&mut self, style: &Style, anchor: &str, (x, y): (f64, f64), words: &str) {
        let size = style.size.unwrap_or(12.0) * POINTS;
        let family = if style.sans { "\\sffamily" } else { "\\ttfamily" };
        let bold = if style.bold { "\\bfseries" } else { "" };
        let colour = style.fill.as_ref().map(|fill| format!(", text={}", self.colour(fill))).unwrap_or_default();
        let font = format!("\\fontsize{{{size:.1}}}{{{:.1}}}{family}{bold}", size * 1.2);
        self.line(&format!("\\node[anchor={anchor}, font={font}{colour}] at ({x:.1},{y:.1}) {{{}}};", tex(words)));
    }
}

/// All numbers in an attribute.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|it: char| !(it.is_ascii_digit() || it == '.' || it == '-'));
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// A path of straight lines and quadratic curves, which TikZ writes as cubic ones.
fn curve(description: &str) -> String {
    let mut out = String::new();
    let (mut here, mut rest) = ((0.0, 0.0), description);
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(char::is_alphabetic).map_or(rest.len(), |at| at + 1);
        let points: Vec<(f64, f64)> = numbers(&rest[1..end]).chunks_exact(2).map(|it| (it[0], it[1])).collect();
        match (command, points.as_slice()) {
            ('M', [to]) => out += &format!("({:.1},{:.1})", to.0, to.1),
            ('L', [to]) => out += &format!(" -- ({:.1},{:.1})", to.0, to.1),
            ('Q', [middle, to]) => {
                let near = |end: (f64, f64)| (end.0 + (middle.0 - end.0) / 1.5, end.1 + (middle.1 - end.1) / 1.5);
                let (first, second) = (near(here), near(*to));
                out += &format!(
                    " .. controls ({:.1},{:.1}) and ({:.1},{:.1}) .. ({:.1},{:.1})",
                    first.0, first.1, second.0, second.1, to.0, to.1
                );
            }
            _ => unreachable!("pictures have no other paths: {description}"),
        }
        here = points.last().copied().unwrap_or(here);
        rest = &rest[end..];
    }
    out
}

/// Text as SVG writes it, as it was.
fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&#39;", "'").replace("&amp;", "&")
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
