//! Graphs as pictures.

use super::layout::{Layout, PORT_DISTANCE, layout};
use super::{Graph, Node};
use crate::model::CommandKind;
use crate::report::picture::style::{CUT_NODE, NODE, PLAIN, SMALL, START, STRONG, TITLE, styles};
use crate::report::picture::{Group, LINE, Picture, Point, Size, characters_in, widest, width_of, wrap};
use std::iter::{once, repeat};

/// The most characters in a line of a label.
const LABEL_CHARACTERS: usize = 36;
const MARGIN: f64 = 16.0;
const PADDING: f64 = 5.0;
const RADIUS: f64 = 17.0;
/// The length of the arrow that points to a node where something can start.
const START_LENGTH: f64 = 26.0;
/// Remarks do not get wider than this, unless the graph is.
const NARROWEST: f64 = 560.0;

/// The graphs, one below the other.
pub fn draw(graphs: &[Graph]) -> Picture {
    let drawings: Vec<Drawing> = graphs.iter().map(Drawing::new).collect();
    let width = drawings.iter().map(|drawing| drawing.layout.size.0).fold(NARROWEST, f64::max) + 2.0 * MARGIN;
    let (mut y, mut content) = (MARGIN, Group::new("graphs", &[]));
    for drawing in &drawings {
        let (graph, height) = drawing.draw(y, width);
        content.group(graph);
        y += height + 2.0 * MARGIN;
    }
    content.group(legend(graphs, y));
    let titles: Vec<&str> = graphs.iter().map(|graph| graph.title.as_str()).collect();
    Picture { size: (width, y + MARGIN), description: titles.join(", "), content }
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
        let mut all = Group::new("graph", &[]);
        let mut y = top + 14.0;
        all.text(TITLE, (MARGIN, y), &self.graph.title);
        for remark in &self.graph.remarks {
            for words in wrap(remark, characters_in(width - 2.0 * MARGIN)) {
                y += LINE + 1.0;
                all.text(PLAIN, (MARGIN, y), words);
            }
        }
        y += 20.0;
        let left = ((width - self.layout.size.0) / 2.0).max(MARGIN);
        let mut shifted = Group::new("drawing", &[]).shifted((left, y));
        (0..self.graph.edges.len()).for_each(|edge| shifted.group(self.line(edge)));
        (0..self.graph.nodes.len()).for_each(|node| shifted.group(self.node(node)));
        (0..self.graph.edges.len()).for_each(|edge| shifted.group(self.label(edge)));
        all.group(shifted);
        (all, y + self.layout.size.1 - top)
    }

    fn line(&self, index: usize) -> Group {
        let edge = &self.graph.edges[index];
        let mut drawn = Group::new("edge", &[("edge", index), ("from", edge.from), ("to", edge.to)]);
        let mut points = self.layout.edges[index].0.clone();
        if let [start, after, .., before, end] = points.as_mut_slice() {
            *start = self.border(edge.from, *start, *after);
            *end = self.border(edge.to, *end, *before);
            let (start, before, end) = (*start, *before, *end);
            drawn.curve(styles(edge.kind).edge, start, &bends(&points), end);
            drawn.arrow_head(styles(edge.kind).full, end, (end.0 - before.0, end.1 - before.1));
        }
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
        let (node, (x, y), size) = (&self.graph.nodes[index], self.layout.nodes[index], self.sizes[index]);
        let style = if node.cut { CUT_NODE } else { NODE };
        let mut drawn = Group::new("state", &[("node", index)]);
        let (left, top) = (x - size.0 / 2.0, y - size.1 / 2.0);
        if node.initial {
            drawn.line(START, (left - START_LENGTH, y), (left - 4.0, y));
            drawn.arrow_head(START, (left, y), (1.0, 0.0));
        }
        if is_round(node) {
            match size.0 > 2.0 * RADIUS {
                true => drawn.rounded(style, (left, top), size, RADIUS),
                false => drawn.circle(style, (x, y), RADIUS),
            }
            drawn.centred(STRONG, (x, y + 4.0), &node.name);
            return drawn;
        }
        drawn.rectangle(style, (left, top), size);
        let lines = node.lines.iter().map(|words| (PLAIN, words));
        drawn.lines((left + PADDING, top + LINE), once((STRONG, &node.name)).chain(lines));
        drawn
    }

    fn label(&self, index: usize) -> Group {
        let (lines, (x, y)) = (&self.labels[index], self.layout.edges[index].1);
        let size = label_size(lines);
        let (left, top) = (x - size.0 / 2.0, y - size.1 / 2.0);
        let styles = styles(self.graph.edges[index].kind);
        let mut label = Group::new("edge-label", &[("label", index)]);
        label.rectangle(styles.label, (left, top), size);
        label.lines((left + PADDING, top + LINE - 1.0), once(styles.name).chain(repeat(PLAIN)).zip(lines));
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
    ((if node.initial { width + 2.0 * START_LENGTH } else { width }, height), width - 0.6 * RADIUS)
}

fn label_size(lines: &[String]) -> Size {
    (widest(lines) + 2.0 * PADDING, lines.len() as f64 * LINE + 6.0)
}

/// The round corners of a line through these points.
fn bends(points: &[Point]) -> Vec<[Point; 3]> {
    const CORNER: f64 = 14.0;
    let towards = |from: Point, to: Point| {
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(f64::MIN_POSITIVE);
        let share = (CORNER / length).min(0.5);
        (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
    };
    points.windows(3).map(|around| [towards(around[1], around[0]), around[1], towards(around[1], around[2])]).collect()
}

/// A sample of each kind of edge that occurs.
fn legend(graphs: &[Graph], y: f64) -> Group {
    const SAMPLE: f64 = 40.0;
    let mut x = MARGIN;
    let mut legend = Group::new("legend", &[]);
    for kind in CommandKind::ALL {
        if graphs.iter().any(|graph| graph.edges.iter().any(|edge| edge.kind == kind)) {
            legend.line(styles(kind).edge, (x, y), (x + SAMPLE - 6.0, y));
            legend.arrow_head(styles(kind).full, (x + SAMPLE, y), (1.0, 0.0));
            legend.text(SMALL, (x + SAMPLE + 8.0, y + 4.0), kind.word());
            x += SAMPLE + width_of(kind.word()) + 30.0;
        }
    }
    legend
}
