//! Structure automata and reachable graphs.
//!
//! A [`Graph`] is what there is to draw, without any measure; [`drawing`] and [`dot`] draw it.

pub mod dot;
pub mod drawing;
mod layout;

use crate::model::eval::{Choice, EnumerationError, Exploration, Limits, Semantics, State, Step};
use crate::model::{Action, AgentId, CommandKind, CommandLeaf, Edge, EdgeId, Expr, GetTarget, InstanceId, LocalId};
use crate::model::{Model, Type, Value, Variable};
use crate::report::chart::multicast_channel;
use crate::report::picture::wrap;
use crate::words;

/// A graph with a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The heading.
    pub title: String,
    /// Further remarks, line by line.
    pub remarks: Vec<String>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Arrow>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The lines below its name.
    pub lines: Vec<String>,
    /// True if something can start here.
    pub initial: bool,
    /// True if more leaves it than is shown.
    pub cut: bool,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The index of the node that it leaves.
    pub from: usize,
    /// The index of the node that it enters.
    pub to: usize,
    /// The kind of command; of a step, the one that begins it.
    pub kind: CommandKind,
    /// The name of the command.
    pub name: String,
    /// Its guard, data, updates and the like, part by part.
    pub parts: Vec<String>,
}

/// How much is said in a graph of reachable states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// All that differs from state to state, and all of a step.
    All,
    /// Of a state what changed since the one that it was first reached from, and of a step the command.
    Few,
}

impl Arrow {
    /// The name and the parts in lines of at most so many characters; assignments are not broken before their
    /// right sides.
    fn lines(&self, characters: usize) -> Vec<String> {
        const TOGETHER: &str = "\u{a0}:=\u{a0}";
        let parts = std::iter::once(&self.name).chain(&self.parts);
        let lines = parts.flat_map(|part| wrap(&part.replace(" := ", TOGETHER), characters));
        lines.map(|line| line.replace(TOGETHER, " := ")).collect()
    }
}

impl Graph {
    /// The structure automaton of an agent type.
    pub fn of_agent(model: &Model, id: AgentId) -> Graph {
        let agent = &model.agents[id.index()];
        let condition = |name: &str, expr| format!("{name}: {}", model.show_expr(id, expr, Type::Bool));
        let node = |number: u32| Node { name: number.to_string(), lines: Vec::new(), initial: number == 0, cut: false };
        let commands = Commands { model, agent: id };
        let edges = (0..agent.edges.len() as u32).map(|edge| commands.arrow(EdgeId(edge)));
        Graph {
            title: format!("agent {}", agent.name),
            remarks: vec![condition("init", &agent.init), condition("receive-guard", &agent.receive_guard)],
            nodes: (0..agent.states).map(node).collect(),
            edges: edges.collect(),
        }
    }

    /// The first states that can be reached, breadth first, with all steps between them. A state from
    /// which a step leads elsewhere is cut.
    pub fn of_reachable(semantics: &Semantics, most: usize, words: Words) -> Result<Graph, EnumerationError> {
        let explored = semantics.explore(Limits { states: most, ..Limits::default() })?;
        let count = explored.states().len().min(most);
        let reachable = Reachable { semantics, explored: &explored, count, brief: words == Words::Few };
        let (nodes, edges) = reachable.nodes_and_edges();
        let complete = nodes.iter().all(|node: &Node| !node.cut);
        let states = words::count(count, "reachable state");
        let title = if complete { format!("all {states}") } else { format!("the first {states}") };
        Ok(Graph { title, remarks: reachable.remarks(), nodes, edges })
    }
}

/// The commands of an agent type, as edges.
struct Commands<'m> {
    model: &'m Model,
    agent: AgentId,
}

impl Commands<'_> {
    fn arrow(&self, id: EdgeId) -> Arrow {
        let edge = &self.model.agents[self.agent.index()].edges[id.index()];
        let name = edge.label.clone().unwrap_or_else(|| format!("command {}", id.0 + 1));
        let (from, to) = (edge.source as usize, edge.target as usize);
        Arrow { from, to, kind: edge.action.kind(), name, parts: self.parts(edge) }
    }

    /// Guard, action, data and updates; those that say nothing are left out.
    fn parts(&self, edge: &Edge) -> Vec<String> {
        let guard = (edge.guard != Expr::TRUE).then(|| format!("{{{}}}", self.expr(&edge.guard, Type::Bool)));
        let set = |variable: &Variable, value| format!("{} := {}", variable.name, self.expr(value, variable.ty));
        let (messages, locals) = (&self.model.messages, &self.model.agents[self.agent.index()].locals);
        let data = edge.action.data().iter().map(|(message, value)| set(&messages[message.index()], value));
        let updates = edge.updates.iter().map(|(local, value)| set(&locals[local.index()], value));
        let (data, updates): (Vec<String>, Vec<String>) = (data.collect(), updates.collect());
        let data = (!data.is_empty()).then(|| format!("({})", data.join(", ")));
        let updates = (!updates.is_empty()).then(|| format!("[{}]", updates.join(", ")));
        guard.into_iter().chain([self.action(&edge.action)]).chain(data).chain(updates).collect()
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Send { channel, guard, .. } => {
                let guard =
                    if *guard == Expr::TRUE { String::new() } else { format!(" ({})", self.expr(guard, Type::Bool)) };
                format!("{} !{guard}", self.expr(channel, Type::Channel))
            }
            Action::Receive { channel } => format!("{} ?", self.expr(channel, Type::Channel)),
            Action::Get { target: GetTarget::Location(location), .. } => {
                format!("GET@({})", self.expr(location, Type::Location))
            }
            Action::Get { target: GetTarget::Predicate(predicate), .. } => {
                format!("GET@({})", self.expr(predicate, Type::Bool))
            }
            Action::Supply { to, .. } => match &to.named {
                Some((location, _)) => format!("SUPPLY@({})", self.expr(location, Type::Location)),
                None => if to.by_predicate { "SUPPLY@(any)" } else { "SUPPLY@(myself)" }.to_owned(),
            },
        }
    }

    fn expr(&self, expr: &Expr<CommandLeaf>, ty: Type) -> String {
        self.model.show_expr(self.agent, expr, ty)
    }
}

/// The beginning of an exploration.
struct Reachable<'e, 'm> {
    semantics: &'e Semantics<'m>,
    explored: &'e Exploration,
    count: usize,
    /// True if states are shown by what differs from the one that they were first reached from, and steps by
    /// their commands alone.
    brief: bool,
}

/// Something of which a state consists.
#[derive(Clone, Copy)]
enum StatePart {
    Automaton(InstanceId),
    Local(InstanceId, LocalId),
}

impl Reachable<'_, '_> {
    fn states(&self) -> &[State] {
        &self.explored.states()[..self.count]
    }

    fn nodes_and_edges(&self) -> (Vec<Node>, Vec<Arrow>) {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut reached_from: Vec<Option<&State>> = vec![None; self.count];
        for (index, state) in self.states().iter().enumerate() {
            let mut cut = false;
            for step in self.semantics.steps(state) {
                match self.explored.index_of(&step.target).filter(|target| *target < self.count) {
                    Some(target) => {
                        reached_from[target].get_or_insert(state);
                        edges.extend(self.arrow(index, target, &step));
                    }
                    None => cut = true,
                }
            }
            let initial = self.explored.layer(0).contains(state);
            let before = reached_from[index].filter(|_| self.brief && !initial);
            nodes.push(Node { name: format!("s{index}"), lines: self.lines(state, before), initial, cut });
        }
        (nodes, edges)
    }

    /// Stutters are no edges.
    fn arrow(&self, from: usize, to: usize, step: &Step) -> Option<Arrow> {
        let model = self.semantics.model();
        let name = |(instance, edge): (InstanceId, EdgeId)| model.show_command_name(instance, edge);
        let (kind, name, others) = match &step.choice {
            Choice::Stutter => return None,
            Choice::Joint(_) => (CommandKind::Send, model.show_actions(&step.choice), None),
            Choice::GetSupply { getter, get, supplier, supply } => {
                (CommandKind::Get, name((*getter, *get)), Some(format!("from {}", name((*supplier, *supply)))))
            }
            Choice::Send { sender, edge, receivers } => {
                let receivers: Vec<String> = receivers.iter().map(|receiver| name(*receiver)).collect();
                let to = match receivers.is_empty() {
                    true => "no receiver".to_owned(),
                    false => format!("to {}", receivers.join(", ")),
                };
                (CommandKind::Send, name((*sender, *edge)), Some(to))
            }
        };
        let channel = multicast_channel(model, step).map(|channel| format!("on {channel}"));
        let data = model.show_data(&step.data);
        let parts = if self.brief { Vec::new() } else { data.into_iter().chain(channel).chain(others).collect() };
        Some(Arrow { from, to, kind, name, parts })
    }

    /// True if the states that are shown differ in this.
    fn varies(&self, part: StatePart) -> bool {
        let value = |state: &State| self.value(part, state);
        let first = self.states().first().map(value);
        self.states().iter().any(|state| Some(value(state)) != first)
    }

    fn value(&self, part: StatePart, state: &State) -> Value {
        match part {
            StatePart::Automaton(instance) => Value::int(state.automaton(instance).into()),
            StatePart::Local(instance, local) => state.local(instance, local).clone(),
        }
    }

    fn parts(&self, instance: InstanceId) -> impl Iterator<Item = StatePart> {
        let locals = self.semantics.model().agent_of(instance).locals.len() as u32;
        let locals = (0..locals).map(move |local| StatePart::Local(instance, LocalId(local)));
        let automaton = self.semantics.model().joint.is_none().then_some(StatePart::Automaton(instance));
        automaton.into_iter().chain(locals)
    }

    fn show(&self, part: StatePart, state: &State) -> String {
        let model = self.semantics.model();
        match part {
            StatePart::Automaton(instance) => format!("@{}", state.automaton(instance)),
            StatePart::Local(instance, local) => {
                let variable = &model.agent_of(instance).locals[local.index()];
                format!("{} = {}", variable.name, model.show(state.local(instance, local), variable.ty))
            }
        }
    }

    /// A line per instance with what differs from state to state; or from the one before, if one is given.
    fn lines(&self, state: &State, before: Option<&State>) -> Vec<String> {
        let stuck = self.semantics.deadlocked(state).then(|| "deadlock".to_owned());
        let differs = |part: StatePart| match before {
            Some(before) => self.value(part, before) != self.value(part, state),
            None => self.varies(part),
        };
        self.per_instance(state, &differs).into_iter().chain(stuck).collect()
    }

    /// The parts that are the same in all states.
    fn remarks(&self) -> Vec<String> {
        let Some(first) = self.states().first() else { return Vec::new() };
        let always = self.per_instance(first, &|part| !self.varies(part)).into_iter();
        let brief = "each state with what changed since the one that it was first reached from".to_owned();
        self.brief.then_some(brief).into_iter().chain(always.map(|line| format!("always {line}"))).collect()
    }

    fn per_instance(&self, state: &State, shown: &dyn Fn(StatePart) -> bool) -> Vec<String> {
        let model = self.semantics.model();
        let lines = model.instance_ids().map(|instance| {
            let parts = self.parts(instance).filter(|part| shown(*part));
            let parts: Vec<String> = parts.map(|part| self.show(part, state)).collect();
            (!parts.is_empty()).then(|| format!("{}: {}", model.instances[instance.index()].name, parts.join(", ")))
        });
        lines.flatten().collect()
    }
}
