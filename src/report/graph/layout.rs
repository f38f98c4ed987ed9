//! Places for nodes and labels: the layered drawing of dagre (Sugiyama's method).
//!
//! Our additions: edges go straight through the layers that they cross and leave or enter nodes straight, side
//! by side, so that they cut no label; and the label of an edge from a node to itself is placed like a node.

use crate::report::picture::{Point, Size};
use dagre::graph::{Graph as Layers, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel};
use std::collections::BTreeMap;

/// A node to place: its size, and how wide the part is where edges may meet it.
pub(super) type NodeSize = (Size, f64);

/// An edge to place: its ends, and the size of its label.
pub(super) type Connection = (usize, usize, Size);

/// Edges that meet a node side by side are that far apart, if there is room.
pub(super) const PORT_DISTANCE: f64 = 10.0;
/// Edges leave and enter nodes straight for so long; those in the middle for longer, so that they do not meet
/// those from the sides.
const STRAIGHT: f64 = 12.0;
const LONGEST_STRAIGHT: f64 = 30.0;
const LONGER: f64 = 5.0;
/// The two lines of an edge from a node to itself are twice that far apart.
const LOOP_HALF: f64 = 5.0;

/// A node, and whether it is its lower side.
type Side = (usize, bool);

/// The place that an edge comes from, the edge, and true if it leaves the node.
type End = (f64, usize, bool);

/// The place where an edge meets a node: how far from its middle, and how long it goes straight.
#[derive(Clone, Copy, Default)]
struct Port {
    shift: f64,
    straight: f64,
}

/// The places of nodes, edges and labels.
#[derive(Debug)]
pub(super) struct Layout {
    /// The middles of the nodes.
    pub(super) nodes: Vec<Point>,
    /// Per edge its bends, from the middle of one node to that of the other but for a shift to the side,
    /// and the middle of its label.
    pub(super) edges: Vec<(Vec<Point>, Point)>,
    /// The size of the whole drawing.
    pub(super) size: Size,
}

/// Places nodes of these sizes and labelled edges between them.
pub(super) fn layout(nodes: &[NodeSize], edges: &[Connection]) -> Layout {
    let mut layers: Layers<NodeLabel, EdgeLabel> =
        Layers::with_options(GraphOptions { directed: true, multigraph: true, compound: false });
    let mut add_node = |name: String, (width, height): Size| {
        layers.set_node(name, Some(NodeLabel { width, height, ..NodeLabel::default() }));
    };
    nodes.iter().enumerate().for_each(|(index, (size, _))| add_node(index.to_string(), *size));
    let loops = edges.iter().enumerate().filter(|(_, (from, to, _))| from == to);
    loops.for_each(|(index, (_, _, size))| add_node(loop_name(index), *size));
    for (index, (from, to, size)) in edges.iter().enumerate() {
        let (target, (width, height)) =
            if from == to { (loop_name(index), (2.0 * LOOP_HALF, 0.0)) } else { (to.to_string(), *size) };
        let labelpos = LabelPos::Center;
        let label = EdgeLabel { width, height, labelpos, ..EdgeLabel::default() };
        layers.set_edge(from.to_string(), target, Some(label), Some(&index.to_string()));
    }
    let options = LayoutOptions { nodesep: 36.0, edgesep: 24.0, ranksep: 76.0, ..LayoutOptions::default() };
    dagre::layout(&mut layers, Some(options));
    let mut layout = DagreLayout::new(&layers, nodes, edges).layout();
    layout.move_to_corner(nodes, edges);
    layout
}

/// The node that stands for the label of an edge from a node to itself.
fn loop_name(edge: usize) -> String {
    format!("loop {edge}")
}

/// The layout that dagre found.
struct DagreLayout<'a> {
    nodes: &'a [NodeSize],
    edges: &'a [Connection],
    middles: Vec<Point>,
    /// Per edge the points between its ends.
    between: Vec<Vec<Point>>,
    labels: Vec<Point>,
    /// The heights of layers by their middles, in tenths.
    heights: BTreeMap<i64, f64>,
}

impl<'a> DagreLayout<'a> {
    fn new(layers: &Layers<NodeLabel, EdgeLabel>, nodes: &'a [NodeSize], edges: &'a [Connection]) -> DagreLayout<'a> {
        let place = |name: &str| {
            let node = layers.node(name);
            node.and_then(|node| node.x.zip(node.y)).expect("every node has a place")
        };
        let middles: Vec<Point> = (0..nodes.len()).map(|index| place(&index.to_string())).collect();
        let (mut between, mut labels) = (Vec::new(), Vec::new());
        for (index, (from, to, _)) in edges.iter().enumerate() {
            let target = if from == to { loop_name(index) } else { to.to_string() };
            let edge = layers.edge(&from.to_string(), &target, Some(&index.to_string()));
            let edge = edge.expect("every edge has a place");
            let points: Vec<Point> = edge.points.iter().map(|point| (point.x, point.y)).collect();
            let inner = points.get(1..points.len().saturating_sub(1)).unwrap_or_default().to_vec();
            let middle = edge.x.zip(edge.y).or(inner.first().copied()).unwrap_or(middles[*from]);
            labels.push(if from == to { place(&target) } else { middle });
            between.push(if inner.is_empty() { vec![middle] } else { inner });
        }
        let mut heights = BTreeMap::new();
        let sizes = nodes.iter().map(|(size, _)| size).chain(edges.iter().map(|(_, _, size)| size));
        for ((_, y), (_, height)) in middles.iter().chain(&labels).zip(sizes) {
            let highest = heights.entry(key(*y)).or_insert(0.0_f64);
            *highest = highest.max(*height);
        }
        DagreLayout { nodes, edges, middles, between, labels, heights }
    }

    fn layout(self) -> Layout {
        let ports = self.ports();
        let edges = (0..self.edges.len()).map(|edge| (self.bends(edge, ports[edge]), self.labels[edge]));
        Layout { edges: edges.collect(), nodes: self.middles.clone(), size: (0.0, 0.0) }
    }

    /// The places where each edge leaves its source and enters its target: side by side, in the order in which they
    /// come from there.
    fn ports(&self) -> Vec<(Port, Port)> {
        let mut sides: BTreeMap<Side, Vec<End>> = BTreeMap::new();
        for (edge, (from, to, _)) in self.edges.iter().enumerate() {
            let (first, last) = (self.between[edge][0], self.between[edge][self.between[edge].len() - 1]);
            let (leaves, enters) =
                if from == to { (first.0 - LOOP_HALF, first.0 + LOOP_HALF) } else { (first.0, last.0) };
            let returns = if from == to { first.1 } else { last.1 };
            sides.entry((*from, first.1 > self.middles[*from].1)).or_default().push((leaves, edge, true));
            sides.entry((*to, returns > self.middles[*to].1)).or_default().push((enters, edge, false));
        }
        let mut ports = vec![(Port::default(), Port::default()); self.edges.len()];
        for ((node, _), mut ends) in sides {
            ends.sort_by(|one, other| one.partial_cmp(other).expect("places are numbers"));
            let last = ends.len() - 1;
            let distance = (self.nodes[node].1 / last.max(1) as f64).min(PORT_DISTANCE);
            let longer = ((LONGEST_STRAIGHT - STRAIGHT) / (last / 2).max(1) as f64).min(LONGER);
            for (place, (_, edge, is_source)) in ends.into_iter().enumerate() {
                let shift = (place as f64 - last as f64 / 2.0) * distance;
                let port = Port { shift, straight: STRAIGHT + place.min(last - place) as f64 * longer };
                if is_source { ports[edge].0 = port } else { ports[edge].1 = port }
            }
        }
        ports
    }

    fn bends(&self, edge: usize, (leaves, enters): (Port, Port)) -> Vec<Point> {
        let (from, to, _) = self.edges[edge];
        if from == to {
            return self.loop_bends(edge, leaves, enters);
        }
        let meets = |node: usize, port: Port| (self.middles[node].0 + port.shift, self.middles[node].1);
        self.straight(meets(from, leaves), &self.between[edge], meets(to, enters), (leaves.straight, enters.straight))
    }

    /// There and back, side by side; where both go down to a label on one side, the outer line stays above the inner.
    fn loop_bends(&self, edge: usize, leaves: Port, enters: Port) -> Vec<Point> {
        let ((x, y), label) = (self.middles[self.edges[edge].0], self.labels[edge]);
        let down = if label.1 > y { 1.0 } else { -1.0 };
        let one_way = |port: Port, aside: f64| {
            let between: Vec<Point> = self.between[edge].iter().map(|(x, y)| (x + aside, *y)).collect();
            let end = (label.0 + aside, label.1);
            let mut bends = self.straight((x + port.shift, y), &between, end, (port.straight, STRAIGHT));
            if (label.0 - x) * aside > 0.0 {
                bends[2].1 -= down * LONGER;
            }
            bends
        };
        let mut bends = one_way(leaves, -LOOP_HALF);
        bends.extend(one_way(enters, LOOP_HALF).into_iter().rev());
        bends
    }

    /// Goes straight through every layer, and away from its ends for so long.
    fn straight(&self, start: Point, between: &[Point], end: Point, (leaves, enters): (f64, f64)) -> Vec<Point> {
        let down = end.1 >= start.1;
        let half = |y: f64| {
            let half = self.heights.get(&key(y)).map_or(0.0, |height| height / 2.0);
            if down { half } else { -half }
        };
        let sign = if down { 1.0 } else { -1.0 };
        let mut bends = vec![start, (start.0, start.1 + half(start.1) + sign * leaves)];
        bends.extend(between.iter().flat_map(|(x, y)| [(*x, y - half(*y)), (*x, y + half(*y))]));
        bends.extend([(end.0, end.1 - half(end.1) - sign * enters), end]);
        bends
    }
}

fn key(y: f64) -> i64 {
    (y * 10.0).round() as i64
}

impl Layout {
    /// Moves everything so that the drawing starts at the origin, and measures it.
    fn move_to_corner(&mut self, nodes: &[NodeSize], edges: &[Connection]) {
        let boxes = self.nodes.iter().zip(nodes.iter().map(|(size, _)| size));
        let labels = self.edges.iter().map(|(_, middle)| middle).zip(edges.iter().map(|(_, _, size)| size));
        let corners = boxes.chain(labels).flat_map(|((x, y), (width, height))| {
            [(x - width / 2.0, y - height / 2.0), (x + width / 2.0, y + height / 2.0)]
        });
        let bends = self.edges.iter().flat_map(|(points, _)| points.iter().copied());
        let all: Vec<Point> = corners.chain(bends).collect();
        if all.is_empty() {
            return;
        }
        let least = all.iter().fold((f64::MAX, f64::MAX), |(a, b), (x, y)| (a.min(*x), b.min(*y)));
        let greatest = all.iter().fold((f64::MIN, f64::MIN), |(a, b), (x, y)| (a.max(*x), b.max(*y)));
        let shift = |(x, y): &mut Point| (*x, *y) = (*x - least.0, *y - least.1);
        self.nodes.iter_mut().for_each(shift);
        self.edges.iter_mut().for_each(|(points, middle)| {
            points.iter_mut().for_each(shift);
            shift(middle);
        });
        self.size = (greatest.0 - least.0, greatest.1 - least.1);
    }
}
