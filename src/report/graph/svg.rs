//! Graphs as SVG.

use super::layout::{Layout, PORT_DISTANCE, Point, Size, layout};
use super::{Graph, Kind, Node};
use crate::report::picture::{
    self, LINE, Picture, arrow_head, centred, circle, group, line, path, rectangle, text, widest, width_of, wrap,
};
use svg::Node as _;
use svg::node::element::Group;

/// The most characters in a line of a label.
const LABEL_CHARACTERS: usize = 36;
const MARGIN: f64 = 16.0;
const PADDING: f64 = 5.0;
const RADIUS: f64 = 17.0;
/// The length of the arrow that points to a node where something can start.
const START: f64 = 26.0;
/// Remarks do not get wider than this, unless the graph is.
const NARROWEST: f64 = 560.0;

/// The graphs, one below the other, as an SVG document.
pub fn to_svg(graphs: &[Graph]) -> String {
    draw(graphs).to_svg()
}

/// The graphs, one below the other, as TikZ.
pub fn to_tikz(graphs: &[Graph]) -> String {
    draw(graphs).to_tikz()
}

fn draw(graphs: &[Graph]) -> Picture {
    let drawings: Vec<Drawing> = graphs.iter().map(Drawing::new).collect();
    let width = drawings.iter().map(|drawing| drawing.layout.size.0).fold(NARROWEST, f64::max) + 2.0 * MARGIN;
    let (mut y, mut content) = (MARGIN, group("graphs"));
    for drawing in &drawings {
        let (graph, height) = drawing.draw(y, width);
        content.append(graph);
        y += height + 2.0 * MARGIN;
    }
    legend(&mut content, graphs, y);
    let titles: Vec<&str> = graphs.iter().map(|graph| graph.title.as_str()).collect();
    Picture { width, height: y + MARGIN, description: titles.join(", "), content }
}

/// A graph with everything measured.
struct Drawing<'g> {
    graph: &'g Graph,
    labels: Vec<Vec<String>>,
    /// Of the nodes.
    sizes: Vec<Size>,
    layout: Layout,
}

impl<'g> Drawing<'g> {
    fn new(graph: &'g Graph) -> Drawing<'g> {
        let labels: Vec<Vec<String>> = graph.edges.iter().map(|edge| edge.lines(LABEL_CHARACTERS)).collect();
        let mut ends = vec![0; graph.nodes.len()];
        graph.edges.iter().flat_map(|edge| [edge.from, edge.to]).for_each(|node| ends[node] += 1);
        let sizes: Vec<Size> = graph.nodes.iter().zip(ends).map(|(node, ends)| size_of(node, ends)).collect();
        let nodes: Vec<_> = graph.nodes.iter().zip(&sizes).map(|(node, size)| space_of(node, *size)).collect();
        let edges = graph.edges.iter().zip(&labels);
        let edges: Vec<_> = edges.map(|(edge, lines)| (edge.from, edge.to, label_size(lines))).collect();
        Drawing { graph, labels, sizes, layout: layout(&nodes, &edges) }
    }

    /// The graph from y downwards, and its height.
    fn draw(&self, top: f64, width: f64) -> (Group, f64) {
        let mut all = group("graph");
        let mut y = top + 14.0;
        all.append(text("title", MARGIN, y, self.graph.title.as_str()));
        for remark in &self.graph.remarks {
            for words in wrap(remark, picture::characters_in(width - 2.0 * MARGIN)) {
                y += LINE + 1.0;
                all.append(text("plain", MARGIN, y, words));
            }
        }
        y += 20.0;
        let left = ((width - self.layout.size.0) / 2.0).max(MARGIN);
        let mut shifted = group("drawing").set("transform", format!("translate({:.1} {:.1})", left, y));
        (0..self.graph.edges.len()).for_each(|edge| shifted.append(self.line(edge)));
        (0..self.graph.nodes.len()).for_each(|node| shifted.append(self.node(node)));
        (0..self.graph.edges.len()).for_each(|edge| shifted.append(self.label(edge)));
        all.append(shifted);
        (all, y + self.layout.size.1 - top)
    }

    fn line(&self, index: usize) -> Group {
        let edge = &self.graph.edges[index];
        let kind = edge.kind.word();
        let mut points = self.layout.edges[index].0.clone();
        let count = points.len();
        if count >= 2 {
            points[0] = self.border(edge.from, points[0], points[1]);
            points[count - 1] = self.border(edge.to, points[count - 1], points[count - 2]);
        }
        let [.., before, end] = points.as_slice() else { return group("edge") };
        let direction = (end.0 - before.0, end.1 - before.1);
        let mut drawn = group("edge").set("data-edge", index).set("data-from", edge.from).set("data-to", edge.to);
        drawn.append(path(&format!("line {kind}-edge"), &smooth(&points)));
        drawn.append(arrow_head(kind, *end, direction));
        drawn
    }

    /// The point at which a vertical line from inside of a node meets its border.
    fn border(&self, node: usize, inside: Point, outside: Point) -> Point {
        let ((middle, y), (width, height)) = (self.layout.nodes[node], self.sizes[node]);
        // Beyond the part that is straight.
        let aside = ((inside.0 - middle).abs() - (width / 2.0 - RADIUS)).max(0.0);
        let round = is_round(&self.graph.nodes[node]);
        let half = if round { (RADIUS * RADIUS - aside * aside).max(0.0).sqrt() } else { height / 2.0 };
        (inside.0, if outside.1 > y { y + half } else { y - half })
    }

    fn node(&self, index: usize) -> Group {
        let (node, (x, y)) = (&self.graph.nodes[index], self.layout.nodes[index]);
        let class = if node.cut { "node cut" } else { "node" };
        let mut drawn = group("state").set("data-node", index);
        let (width, height) = self.sizes[index];
        if node.initial {
            let border = x - width / 2.0;
            drawn.append(line("start", (border - START, y), (border - 4.0, y)));
            drawn.append(arrow_head("start", (border, y), (1.0, 0.0)));
        }
        if is_round(node) {
            if width > 2.0 * RADIUS {
                drawn.append(rectangle(class, x - width / 2.0, y - RADIUS, width, 2.0 * RADIUS).set("rx", RADIUS));
            } else {
                drawn.append(circle(class, (x, y), RADIUS));
            }
            drawn.append(centred("strong", x, y + 4.0, node.name.as_str()));
            return drawn;
        }
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        drawn.append(rectangle(class, left, top, width, height));
        drawn.append(text("strong", left + PADDING, top + LINE, node.name.as_str()));
        for (row, words) in node.lines.iter().enumerate() {
            drawn.append(text("plain", left + PADDING, top + (row + 2) as f64 * LINE, words.as_str()));
        }
        drawn
    }

    fn label(&self, index: usize) -> Group {
        let (lines, (x, y)) = (&self.labels[index], self.layout.edges[index].1);
        let (width, height) = label_size(lines);
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        let kind = self.graph.edges[index].kind.word();
        let mut label = group("edge-label").set("data-label", index);
        label.append(rectangle(&format!("label {kind}-label"), left, top, width, height));
        for (row, words) in lines.iter().enumerate() {
            let style = if row == 0 { format!("strong {kind}-name") } else { "plain".to_owned() };
            label.append(text(&style, left + PADDING, top + (row + 1) as f64 * LINE - 1.0, words.as_str()));
        }
        label
    }
}

fn is_round(node: &Node) -> bool {
    node.lines.is_empty()
}

/// A node that so many ends of edges meet: a round one is as long as these need.
fn size_of(node: &Node, ends: usize) -> Size {
    if is_round(node) {
        return ((ends as f64 * PORT_DISTANCE).max(2.0 * RADIUS), 2.0 * RADIUS);
    }
    let width = widest(&node.lines).max(width_of(&node.name)) + 2.0 * PADDING;
    (width, (node.lines.len() + 1) as f64 * LINE + 2.0 * PADDING)
}

/// A node with the arrow that points to it, and how wide the part is where edges may meet it.
fn space_of(node: &Node, (width, height): Size) -> (Size, f64) {
    ((if node.initial { width + 2.0 * START } else { width }, height), width - 0.6 * RADIUS)
}

fn label_size(lines: &[String]) -> Size {
    (widest(lines) + 2.0 * PADDING, lines.len() as f64 * LINE + 6.0)
}

/// A path that rounds the corners of a line.
fn smooth(points: &[Point]) -> String {
    const CORNER: f64 = 14.0;
    let [first, between @ .., last] = points else { return String::new() };
    let mut path = format!("M{:.1} {:.1}", first.0, first.1);
    let towards = |from: Point, to: Point| {
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(f64::MIN_POSITIVE);
        let share = (CORNER / length).min(0.5);
        (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
    };
    for (index, corner) in between.iter().enumerate() {
        let (start, end) = (towards(*corner, points[index]), towards(*corner, points[index + 2]));
        path += &format!("L{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", start.0, start.1, corner.0, corner.1, end.0, end.1);
    }
    path + &format!("L{:.1} {:.1}", last.0, last.1)
}

/// A sample of each kind of edge that occurs.
fn legend(into: &mut Group, graphs: &[Graph], y: f64) {
    const SAMPLE: f64 = 40.0;
    let mut x = MARGIN;
    let mut legend = group("legend");
    for kind in [Kind::Send, Kind::Receive, Kind::Get, Kind::Supply] {
        if graphs.iter().any(|graph| graph.edges.iter().any(|edge| edge.kind == kind)) {
            let word = kind.word();
            legend
                .append(path(&format!("line {word}-edge"), &format!("M{x:.1} {y:.1}L{:.1} {y:.1}", x + SAMPLE - 6.0)));
            legend.append(arrow_head(word, (x + SAMPLE, y), (1.0, 0.0)));
            legend.append(text("small", x + SAMPLE + 8.0, y + 4.0, word));
            x += SAMPLE + width_of(word) + 30.0;
        }
    }
    into.append(legend);
}
