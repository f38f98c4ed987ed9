//! The reachable states of a small model as a graph for Graphviz.
//!
//! It is drawn from the concrete semantics: nodes are states in the user's terms, edges are steps. What
//! has the same value in all states stands once, in the label of the graph.

use super::Subject;
use crate::model::eval::{Choice, Exploration, Limits, NotEnumerable, Semantics, State, Step};
use crate::model::{InstanceId, LocalId, Model, Type};
use crate::ts::smtlib::symbols::command_name;
use std::fmt;
use std::io::{self, Write};

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGraph {
    /// The initial states cannot be listed.
    Initial(NotEnumerable),
    /// There are more reachable states than allowed.
    TooMany(usize),
}

impl fmt::Display for NoGraph {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NoGraph::Initial(why) => write!(f, "the initial states cannot be listed: {why}"),
            NoGraph::TooMany(limit) => {
                write!(f, "the model has more than {limit} reachable states; `--states N` allows more")
            }
        }
    }
}

impl std::error::Error for NoGraph {}

/// The states and the steps between them.
#[derive(Debug)]
pub struct Graph<'m> {
    subject: Subject<'m>,
    exploration: Exploration,
    /// Source, step, target.
    steps: Vec<(usize, Step, usize)>,
}

impl<'m> Graph<'m> {
    /// Explores a model with at most so many states.
    pub fn explore(subject: Subject<'m>, states: usize) -> Result<Graph<'m>, NoGraph> {
        let semantics = Semantics::new(subject.model);
        let limits = Limits { states, ..Limits::default() };
        let exploration = semantics.explore(limits).map_err(NoGraph::Initial)?;
        if !exploration.complete() || exploration.states().len() > states {
            return Err(NoGraph::TooMany(states));
        }
        let mut steps = Vec::new();
        for (source, state) in exploration.states().iter().enumerate() {
            for step in semantics.steps(state) {
                let target = exploration.index_of(&step.target).expect("all reachable states were found");
                steps.push((source, step, target));
            }
        }
        Ok(Graph { subject, exploration, steps })
    }

    /// Writes the graph.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for line in self.subject.heading() {
            writeln!(out, "// {line}")?;
        }
        let (constant, changing) = self.places();
        writeln!(out, "digraph states {{\n  node [shape=box, fontname=monospace];\n  edge [fontname=monospace];")?;
        if let (Some(state), false) = (self.exploration.states().first(), constant.is_empty()) {
            let label = self.label(state, &constant);
            writeln!(out, "  label={};\n  labelloc=t;\n  fontname=monospace;", quoted(&format!("always:\n{label}")))?;
        }
        let initial = self.exploration.layer(0).len();
        for (index, state) in self.exploration.states().iter().enumerate() {
            let style = if index < initial { ", style=bold" } else { "" };
            writeln!(out, "  s{index} [label={}{style}];", quoted(&self.label(state, &changing)))?;
        }
        for (source, step, target) in &self.steps {
            writeln!(out, "  s{source} -> s{target} [label={}];", quoted(&step_label(self.subject.model, step)))?;
        }
        writeln!(out, "}}")
    }

    /// The places that have one value in all states, and the others.
    fn places(&self) -> (Vec<Place>, Vec<Place>) {
        let states = self.exploration.states();
        let constant =
            |place: &Place| states.iter().all(|state| self.value(state, *place) == self.value(&states[0], *place));
        places(self.subject.model).into_iter().partition(constant)
    }

    fn value(&self, state: &State, (instance, local): Place) -> String {
        let model = self.subject.model;
        match local {
            None => state.automaton(instance).to_string(),
            Some(local) => {
                let ty = model.agent_of(instance).locals[local.index()].ty;
                model.show(state.local(instance, local), ty)
            }
        }
    }

    /// A line per instance.
    fn label(&self, state: &State, places: &[Place]) -> String {
        let model = self.subject.model;
        let mut lines = Vec::new();
        for instance in model.instance_ids() {
            let own = places.iter().filter(|(whose, _)| *whose == instance);
            let parts: Vec<String> = own
                .map(|&(instance, local)| match local {
                    None => format!("state {}", self.value(state, (instance, local))),
                    Some(id) => {
                        let name = &model.agent_of(instance).locals[id.index()].name;
                        format!("{name} = {}", self.value(state, (instance, local)))
                    }
                })
                .collect();
            if !parts.is_empty() {
                lines.push(format!("{}: {}", model.instances[instance.index()].name, parts.join(", ")));
            }
        }
        lines.join("\n")
    }
}

/// The automaton state of an instance, or a local.
type Place = (InstanceId, Option<LocalId>);

fn places(model: &Model) -> Vec<Place> {
    let of = |instance: InstanceId| {
        let locals = 0..model.agent_of(instance).locals.len() as u32;
        std::iter::once((instance, None)).chain(locals.map(move |local| (instance, Some(LocalId(local)))))
    };
    model.instance_ids().flat_map(of).collect()
}

/// `client1-sReserve *(MSG = reserve) -> client2-rReserve`
fn step_label(model: &Model, step: &Step) -> String {
    let data = step.data.iter().map(|(id, value)| {
        let variable = &model.messages[id.index()];
        format!("{} = {}", variable.name, model.show(value, variable.ty))
    });
    let data = data.collect::<Vec<_>>().join(", ");
    match &step.choice {
        Choice::Send { sender, edge, receivers } => {
            let channel = step.channel.as_ref().map(|channel| model.show(channel, Type::Channel)).unwrap_or_default();
            let receivers: Vec<String> = receivers.iter().map(|&(who, edge)| command_name(model, who, edge)).collect();
            let receivers = if receivers.is_empty() { "nobody".to_owned() } else { receivers.join(", ") };
            format!("{} {channel}({data})\n-> {receivers}", command_name(model, *sender, *edge))
        }
        Choice::GetSupply { getter, get, supplier, supply } => {
            let (getter, supplier) = (command_name(model, *getter, *get), command_name(model, *supplier, *supply));
            format!("{getter} ({data})\n<- {supplier}")
        }
        Choice::Stutter => "stutter".to_owned(),
    }
}

/// A string of the DOT language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
