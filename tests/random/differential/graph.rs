//! The explicit state graph of a model, by the concrete semantics.

use rcheck_smt::model::eval::{Choice, Semantics, State, Step};
use rcheck_smt::model::{EdgeId, InstanceId, Value};
use rcheck_smt::ts::system::{Origin, System};
use std::collections::{BTreeSet, HashMap};

/// The receivers of a step, with the receives that they took.
pub type Receptions = Vec<(InstanceId, EdgeId)>;

/// A state together with the receivers of the step that led there, which receive labels speak of.
#[derive(Debug)]
pub struct Node {
    /// The state.
    pub state: State,
    /// None of an initial state.
    pub received: Receptions,
    /// The steps and the nodes that they lead to; empty if the node was not expanded.
    pub steps: Vec<(Step, usize)>,
}

/// All nodes that were found, breadth first.
#[derive(Debug)]
pub struct Graph {
    /// In the order of discovery; the expanded ones come first.
    pub nodes: Vec<Node>,
    /// How many come first that are initial.
    pub initial: usize,
    /// How many were expanded.
    pub expanded: usize,
}

impl Graph {
    /// Explores until so many nodes are known.
    pub fn new(semantics: &Semantics, limit: usize) -> Graph {
        let initial = semantics.initial_states().expect("generated models have few initial states");
        let mut graph = Graph { nodes: Vec::new(), initial: initial.len(), expanded: 0 };
        let mut index = HashMap::new();
        for state in initial {
            graph.find(&mut index, &state, &[]);
        }
        while graph.expanded < graph.nodes.len() && graph.nodes.len() < limit {
            let steps = semantics.steps(&graph.nodes[graph.expanded].state);
            let steps = steps.into_iter().map(|step| {
                let target = graph.find(&mut index, &step.target, step.choice.receivers());
                (step, target)
            });
            let steps = steps.collect();
            graph.nodes[graph.expanded].steps = steps;
            graph.expanded += 1;
        }
        graph
    }

    fn find(
        &mut self,
        index: &mut HashMap<(State, Receptions), usize>,
        state: &State,
        received: &[(InstanceId, EdgeId)],
    ) -> usize {
        let next = self.nodes.len();
        let known = *index.entry((state.clone(), received.to_vec())).or_insert(next);
        if known == next {
            self.nodes.push(Node { state: state.clone(), received: received.to_vec(), steps: Vec::new() });
        }
        known
    }

    /// True if every reachable node is known.
    pub fn complete(&self) -> bool {
        self.expanded == self.nodes.len()
    }

    /// The nodes that are expanded.
    pub fn expanded(&self) -> &[Node] {
        &self.nodes[..self.expanded]
    }

    /// The number of different states.
    pub fn states(&self) -> usize {
        self.nodes.iter().map(|node| &node.state).collect::<BTreeSet<_>>().len()
    }

    /// The nodes at the ends of all runs with `0..=depth` steps, as far as they are known.
    pub fn layers(&self, depth: usize) -> Vec<BTreeSet<usize>> {
        let mut layers: Vec<BTreeSet<usize>> = vec![(0..self.initial).collect()];
        while layers.len() <= depth {
            let last = &layers[layers.len() - 1];
            if last.iter().any(|&node| node >= self.expanded) {
                break;
            }
            layers.push(last.iter().flat_map(|&node| self.nodes[node].steps.iter().map(|(_, next)| *next)).collect());
        }
        layers
    }
}

/// The values of the variables of a system in a state that was reached with these receivers.
pub fn values(system: &System, state: &State, received: &[(InstanceId, EdgeId)]) -> Vec<Value> {
    let value = |origin| match origin {
        Origin::Automaton(instance) => Value::Enum(state.automaton(instance)),
        Origin::Local(instance, local) => state.local(instance, local).clone(),
        Origin::Received(instance, edge) => Value::Bool(received.contains(&(instance, edge))),
        Origin::Obligation(_) | Origin::Counter(_) | Origin::Number | Origin::Argument(_) | Origin::Free(_) => {
            unreachable!("the system of a model has no property")
        }
        Origin::Total(_) => unreachable!("only open instances have totals"),
    };
    system.variables().iter().map(|variable| value(variable.origin)).collect()
}

/// The choice of a step in words.
pub fn describe(semantics: &Semantics, choice: &Choice) -> String {
    let name = |instance: InstanceId, edge: EdgeId| semantics.model().show_command_name(instance, edge);
    match choice {
        Choice::Send { sender, edge, receivers } => {
            let receivers: Vec<String> = receivers.iter().map(|(receiver, edge)| name(*receiver, *edge)).collect();
            format!("send {} to [{}]", name(*sender, *edge), receivers.join(", "))
        }
        Choice::GetSupply { getter, get, supplier, supply } => {
            format!("get {} from {}", name(*getter, *get), name(*supplier, *supply))
        }
        Choice::Joint(deeds) => {
            let deeds: Vec<String> = deeds.iter().map(|(instance, deed)| name(*instance, *deed)).collect();
            format!("all act: {}", deeds.join(", "))
        }
        Choice::Stutter => "stutter".to_owned(),
    }
}
