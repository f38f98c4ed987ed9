//! Pictures of automata and reachable graphs: every edge appears once, no label covers another or a node,
//! and no edge crosses a label that is not its own.

use crate::common;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::{AgentId, Model};
use rcheck_smt::report::graph::{Graph, Words, dot, drawing};
use svg::node::Attributes;
use svg::parser::Event;

/// All graphs of a model: its automata, and the beginning of what is reachable.
fn graphs(model: &Model) -> Vec<Graph> {
    let automata = (0..model.agents.len() as u32).map(|agent| Graph::of_agent(model, AgentId(agent)));
    let semantics = Semantics::new(model);
    let reachable = [(12, Words::All), (60, Words::Few)];
    automata
        .chain(reachable.into_iter().filter_map(|(most, words)| Graph::of_reachable(&semantics, most, words).ok()))
        .collect()
}

fn for_each_graph(look: impl Fn(&str, &Graph)) {
    for path in common::shipped() {
        let source = common::source(&path);
        for graph in graphs(&common::model(&source)) {
            look(&format!("{}, {}", source.name(), graph.title), &graph);
        }
    }
}

/// The elements of a picture with that name and that attribute.
fn elements(picture: &str, wanted: &str, attribute: &str) -> Vec<Attributes> {
    let parser = svg::read(picture).expect("the picture is SVG");
    let found = parser.filter_map(|event| match event {
        Event::Tag(name, _, attributes) if name == wanted && attributes.contains_key(attribute) => Some(attributes),
        Event::Error(error) => panic!("{error}"),
        _ => None,
    });
    found.collect()
}

#[test]
fn every_node_and_every_edge_appears_once() {
    for_each_graph(|name, graph| {
        let text = drawing::draw(std::slice::from_ref(graph)).to_svg();
        let numbers = |attribute: &str| -> Vec<usize> {
            elements(&text, "g", attribute).iter().map(|group| group[attribute].parse().expect("a number")).collect()
        };
        assert_eq!(numbers("data-node"), (0..graph.nodes.len()).collect::<Vec<_>>(), "{name}");
        assert_eq!(numbers("data-edge"), (0..graph.edges.len()).collect::<Vec<_>>(), "{name}");
        assert_eq!(numbers("data-label"), (0..graph.edges.len()).collect::<Vec<_>>(), "{name}");
        assert_eq!(numbers("data-from"), graph.edges.iter().map(|edge| edge.from).collect::<Vec<_>>(), "{name}");
        assert_eq!(numbers("data-to"), graph.edges.iter().map(|edge| edge.to).collect::<Vec<_>>(), "{name}");
        for edge in &graph.edges {
            assert!(edge.from < graph.nodes.len() && edge.to < graph.nodes.len(), "{name}");
        }
        let dot = dot::to_dot(std::slice::from_ref(graph));
        let starts = graph.nodes.iter().filter(|node| node.initial).count();
        assert_eq!(dot.matches(" -> n").count(), graph.edges.len() + starts, "{name}\n{dot}");
    });
}

/// Left, top, right, bottom.
type Area = [f64; 4];

fn area(attributes: &Attributes) -> Option<Area> {
    let number = |name: &str| attributes.get(name)?.parse::<f64>().ok();
    if let Some(radius) = number("r") {
        let (x, y) = (number("cx")?, number("cy")?);
        return Some([x - radius, y - radius, x + radius, y + radius]);
    }
    let (left, top) = (number("x")?, number("y")?);
    Some([left, top, left + number("width")?, top + number("height")?])
}

fn areas(picture: &str, class: &str) -> Vec<Area> {
    let shapes = [elements(picture, "rect", "class"), elements(picture, "circle", "class")].concat();
    let named = shapes.iter().filter(|shape| shape["class"].split(' ').any(|word| word == class));
    named.filter_map(area).collect()
}

#[test]
fn labels_and_nodes_have_their_places_for_themselves() {
    for_each_graph(|name, graph| {
        let text = drawing::draw(std::slice::from_ref(graph)).to_svg();
        let (nodes, labels) = (areas(&text, "node"), areas(&text, "label"));
        assert_eq!((nodes.len(), labels.len()), (graph.nodes.len(), graph.edges.len()), "{name}");
        let all = [nodes, labels].concat();
        for (index, one) in all.iter().enumerate() {
            for other in &all[index + 1..] {
                let apart = one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1];
                assert!(apart, "{name}: {one:?} {other:?}");
            }
        }
    });
}

/// The points of a path; corners are rounded inside of the polygon that they make.
fn points(path: &Attributes) -> Vec<(f64, f64)> {
    let numbers = path["d"].split(['M', 'L', 'Q', ' ']).filter(|word| !word.is_empty());
    let numbers: Vec<f64> = numbers.map(|word| word.parse().expect("a number")).collect();
    numbers.chunks(2).map(|point| (point[0], point[1])).collect()
}

#[test]
fn edges_pass_labels_of_others() {
    for_each_graph(|name, graph| {
        let text = drawing::draw(std::slice::from_ref(graph)).to_svg();
        let labels = areas(&text, "label");
        let lines = elements(&text, "path", "d");
        for (edge, line) in lines.iter().take(graph.edges.len()).enumerate() {
            for (other, [left, top, right, bottom]) in labels.iter().enumerate().filter(|(other, _)| *other != edge) {
                for pair in points(line).windows(2) {
                    let inside = (1..20).any(|part| {
                        let share = f64::from(part) / 20.0;
                        let x = pair[0].0 + (pair[1].0 - pair[0].0) * share;
                        let y = pair[0].1 + (pair[1].1 - pair[0].1) * share;
                        *left < x && x < *right && *top < y && y < *bottom
                    });
                    assert!(!inside, "{name}: edge {edge} crosses label {other}");
                }
            }
        }
    });
}

/// Arrow heads side by side are as far apart as they are wide, also where many edges meet.
#[test]
fn ends_of_edges_are_apart() {
    const WIDTH: f64 = 8.4;
    let mut most = 0;
    for_each_graph(|name, graph| {
        if !graph.title.starts_with("agent ") {
            return;
        }
        let text = drawing::draw(std::slice::from_ref(graph)).to_svg();
        let lines = elements(&text, "path", "d");
        let mut ends: Vec<Vec<(f64, f64)>> = vec![Vec::new(); graph.nodes.len()];
        for (edge, line) in graph.edges.iter().zip(&lines) {
            let points = points(line);
            ends[edge.from].push(points[0]);
            ends[edge.to].push(points[points.len() - 1]);
        }
        for ends in ends {
            for (index, one) in ends.iter().enumerate() {
                for other in &ends[index + 1..] {
                    let distance = (one.0 - other.0).hypot(one.1 - other.1);
                    assert!(distance >= WIDTH, "{name}: {one:?} {other:?}");
                }
            }
        }
    });
    for path in common::shipped() {
        let model = common::model(&common::source(&path));
        let loops =
            |agent: &rcheck_smt::model::Agent| agent.edges.iter().filter(|edge| edge.source == edge.target).count();
        most = most.max(model.agents.iter().map(loops).max().unwrap_or(0));
    }
    assert!(most >= 5, "some automaton has a node with many edges");
}

#[test]
fn snapshots() {
    let model = common::model(&common::source("resource_allocation/modern.rcp"));
    let automata: Vec<Graph> = (0..3).map(|agent| Graph::of_agent(&model, AgentId(agent))).collect();
    insta::assert_snapshot!("automata_dot", dot::to_dot(&automata));
    insta::assert_snapshot!("manager_svg", drawing::draw(&automata[1..2]).to_svg());
    insta::assert_snapshot!("manager_tikz", drawing::draw(&automata[1..2]).to_tikz());
    let model = common::model(&common::source("features/get_by_name.rcp"));
    let reachable = Graph::of_reachable(&Semantics::new(&model), 3, Words::All).expect("few initial states");
    insta::assert_snapshot!("reachable_dot", dot::to_dot(&[reachable]));
}
