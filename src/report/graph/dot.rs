//! Graphs in the language of Graphviz.
//!
//! Graphviz draws the edges from a node to itself through each other's labels, so such a label is a node on the way.

use super::{Arrow, Graph};
use crate::escape::visible;
use crate::model::CommandKind;
use crate::report::picture::style::styles;
use std::fmt::Write;

/// The most characters in a line of a label.
const LABEL_CHARACTERS: usize = 40;

/// The graphs as one directed graph with a cluster for each.
pub fn to_dot(graphs: &[Graph]) -> String {
    let mut out = String::from("digraph model {\n    fontname=\"monospace\"; fontsize=12;\n");
    out += "    node [fontname=\"monospace\", fontsize=11, shape=box, style=rounded];\n";
    out += "    edge [fontname=\"monospace\", fontsize=10];\n";
    for (number, graph) in graphs.iter().enumerate() {
        write_graph(&mut out, number, graph).expect("writing to a string works");
    }
    out + "}\n"
}

fn write_graph(out: &mut String, number: usize, graph: &Graph) -> std::fmt::Result {
    let title: Vec<&str> = std::iter::once(&graph.title).chain(&graph.remarks).map(String::as_str).collect();
    writeln!(out, "    subgraph cluster_{number} {{\n        label=\"{}\"; labeljust=l;", left_aligned(&title))?;
    for (index, node) in graph.nodes.iter().enumerate() {
        let lines: Vec<&str> = std::iter::once(&node.name).chain(&node.lines).map(String::as_str).collect();
        let style = if node.cut { "style=\"rounded,dashed\", " } else { "" };
        let (shape, label) = match node.lines.is_empty() {
            true => ("shape=circle, ", escape(&node.name)),
            false => (style, left_aligned(&lines)),
        };
        writeln!(out, "        n{number}_{index} [{shape}label=\"{label}\"];")?;
        if node.initial {
            writeln!(out, "        start{number}_{index} [shape=point];")?;
            writeln!(out, "        start{number}_{index} -> n{number}_{index};")?;
        }
    }
    graph.edges.iter().enumerate().try_for_each(|(index, edge)| write_edge(out, number, index, edge))?;
    writeln!(out, "    }}")
}

fn write_edge(out: &mut String, number: usize, index: usize, edge: &Arrow) -> std::fmt::Result {
    let (style, label, from, to) = (style(edge.kind), label(edge), edge.from, edge.to);
    if from != to {
        return writeln!(out, "        n{number}_{from} -> n{number}_{to} [{style}, label=\"{label}\"];");
    }
    writeln!(out, "        l{number}_{index} [{style}, shape=plain, label=\"{label}\"];")?;
    writeln!(out, "        n{number}_{from} -> l{number}_{index} [{style}, arrowhead=none];")?;
    writeln!(out, "        l{number}_{index} -> n{number}_{to} [{style}];")
}

/// The colour of other pictures, and a line that is told apart without it.
fn style(kind: CommandKind) -> String {
    let line = match kind {
        CommandKind::Send => "",
        CommandKind::Receive => ", style=dashed",
        CommandKind::Get => ", style=dotted",
        CommandKind::Supply => ", style=bold",
    };
    let colour = styles(kind).colour();
    format!("color=\"#{colour}\", fontcolor=\"#{colour}\"{line}")
}

fn label(edge: &Arrow) -> String {
    // The space keeps the label off its line.
    edge.lines(LABEL_CHARACTERS).iter().map(|line| format!(" {}\\l", escape(line))).collect()
}

fn left_aligned(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{}\\l", escape(line))).collect()
}

fn escape(words: &str) -> String {
    visible(words).replace('\\', "\\\\").replace('"', "\\\"")
}
