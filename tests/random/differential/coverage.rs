//! Which rules of the language came to bear in a run of the tests: a generator that never exercises
//! a rule is a defect.

use super::graph::Graph;
use rcheck_smt::model::eval::{Choice, Semantics, State, WhyNot};
use rcheck_smt::model::{Action, EdgeId, Expr, GetTarget, InstanceId, Type, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How many of a model's nodes are looked at for steps that do *not* exist.
const SAMPLE: usize = 40;

/// The rules that every run has to exercise.
pub const RULES: [&str; 36] = [
    "several initial states",
    "deadlock",
    "broadcast with receivers",
    "broadcast without receivers",
    "broadcast past a false send guard",
    "multicast with receivers",
    "multicast without receivers",
    "multicast past an instance that does not listen",
    "multicast blocked by a send guard",
    "multicast blocked by the lack of a ready receive",
    "variable channel that is *",
    "variable channel that is none",
    "receive on a variable channel",
    "choice between two receives",
    "receive not ready for lack of data",
    "get by location variable",
    "get by instance",
    "get by predicate",
    "supply to any",
    "supply to those who name it",
    "supply to a named instance",
    "supply to a variable instance",
    "get/supply not possible for lack of data",
    "data out of range",
    "own update out of range",
    "receiver's update out of range",
    "declared constant",
    "family of instances",
    "restriction of initial states",
    "conditional number",
    "conditional constant of an enum, channel or location",
    "conditional relabelling",
    "guard that reads locals",
    "guard that reads locals of several agents",
    "guard before a process",
    "number of instances of several types",
];

/// Per rule the number of models in which it came to bear.
#[derive(Debug, Default)]
pub struct Coverage {
    models: BTreeMap<&'static str, usize>,
}

impl Coverage {
    /// Adds a model, with the rules that its text shows.
    pub fn add(&mut self, semantics: &Semantics, graph: &Graph, rules: BTreeSet<&'static str>) {
        let mut seen = Seen { semantics, rules };
        if graph.initial > 1 {
            seen.rules.insert("several initial states");
        }
        seen.text();
        for (index, node) in graph.expanded().iter().enumerate() {
            let mut sends = BTreeSet::new();
            for (step, _) in &node.steps {
                seen.step(&step.choice, step.channel.as_ref());
                if let Choice::Send { sender, edge, .. } = step.choice
                    && !sends.insert((sender, edge))
                {
                    seen.rules.insert("choice between two receives");
                }
            }
            if index < SAMPLE {
                seen.missing(&node.state, &sends);
            }
        }
        self.note(seen.rules);
    }

    /// Counts these for one model.
    pub fn note(&mut self, rules: impl IntoIterator<Item = &'static str>) {
        for rule in rules {
            *self.models.entry(rule).or_default() += 1;
        }
    }

    /// How often a rule came to bear.
    pub fn of(&self, rule: &str) -> usize {
        self.models.get(rule).copied().unwrap_or(0)
    }

    /// Fails unless every one of these came to bear.
    pub fn require(&self, rules: &[&'static str]) {
        let missing: Vec<&&str> = rules.iter().filter(|rule| self.of(rule) == 0).collect();
        assert!(missing.is_empty(), "the generated models never exercise {missing:?}, but {:#?}", self.models);
    }
}

struct Seen<'s> {
    semantics: &'s Semantics<'s>,
    rules: BTreeSet<&'static str>,
}

impl Seen<'_> {
    fn action(&self, instance: InstanceId, edge: EdgeId) -> &Action {
        &self.semantics.model().agent_of(instance).edges[edge.index()].action
    }

    fn note(&mut self, condition: bool, rule: &'static str) {
        if condition {
            self.rules.insert(rule);
        }
    }

    /// Notes the constructs that the model is written with.
    fn text(&mut self) {
        let model = self.semantics.model();
        self.note(!model.constants.is_empty(), "declared constant");
        self.note(model.instances.iter().any(|instance| instance.name.starts_with('q')), "family of instances");
        self.note(model.restriction.is_some(), "restriction of initial states");
        for agent in &model.agents {
            let updates = agent.edges.iter().flat_map(|edge| &edge.updates);
            for (local, _) in updates.filter(|(_, value)| matches!(value, Expr::If(..))) {
                match agent.locals[local.index()].ty {
                    Type::Int | Type::Range(..) => self.note(true, "conditional number"),
                    _ => self.note(true, "conditional constant of an enum, channel or location"),
                }
            }
            let is_conditional = |value: &Option<_>| matches!(value, Some(Expr::If(..)));
            self.note(agent.relabel.iter().any(is_conditional), "conditional relabelling");
        }
    }

    fn step(&mut self, choice: &Choice, channel: Option<&Value>) {
        match choice {
            Choice::Stutter => self.note(true, "deadlock"),
            Choice::Joint(_) => unreachable!("agents take turns"),
            Choice::Send { sender, edge, receivers } => {
                let broadcast = channel == Some(&Value::BROADCAST);
                self.note(broadcast && !receivers.is_empty(), "broadcast with receivers");
                self.note(broadcast && receivers.is_empty(), "broadcast without receivers");
                self.note(!broadcast && !receivers.is_empty(), "multicast with receivers");
                self.note(!broadcast && receivers.is_empty(), "multicast without receivers");
                let action = self.action(*sender, *edge);
                let variable = matches!(action, Action::Send { channel: Expr::Leaf(_), .. });
                self.note(variable && broadcast, "variable channel that is *");
                self.note(variable && !broadcast, "variable channel that is none");
                let by_variable = receivers.iter().any(|(receiver, edge)| {
                    matches!(self.action(*receiver, *edge), Action::Receive { channel: Expr::Leaf(_) })
                });
                self.note(by_variable, "receive on a variable channel");
            }
            Choice::GetSupply { getter, get, supplier, supply } => {
                let rule = match self.action(*getter, *get) {
                    Action::Get { target: GetTarget::Location(Expr::Leaf(_)), .. } => "get by location variable",
                    Action::Get { target: GetTarget::Location(_), .. } => "get by instance",
                    _ => "get by predicate",
                };
                self.note(true, rule);
                let Action::Supply { to, .. } = self.action(*supplier, *supply) else { unreachable!("a supply") };
                let rule = match &to.named {
                    None if to.by_predicate => "supply to any",
                    None => "supply to those who name it",
                    Some((Expr::Leaf(_), _)) => "supply to a variable instance",
                    Some(_) => "supply to a named instance",
                };
                self.note(true, rule);
            }
        }
    }

    /// Why steps that might exist do not. `sends` are those that do.
    fn missing(&mut self, state: &State, sends: &BTreeSet<(InstanceId, EdgeId)>) {
        let model = self.semantics.model();
        let commands = model.instance_ids().flat_map(|instance| {
            let edges = model.agent_of(instance).edges.iter().enumerate();
            edges
                .filter(move |(_, edge)| edge.source == state.automaton(instance))
                .map(move |(index, edge)| (instance, EdgeId(index as u32), &edge.action))
        });
        let commands: Vec<_> = commands.collect();
        for &(sender, edge, action) in &commands {
            match action {
                Action::Send { .. } => {
                    let exists = sends.contains(&(sender, edge));
                    self.send(state, sender, edge, exists);
                    for &(receiver, receive, other) in &commands {
                        if matches!(other, Action::Receive { .. }) && receiver != sender {
                            let choice = Choice::Send { sender, edge, receivers: vec![(receiver, receive)] };
                            self.refused(state, &choice);
                        }
                    }
                }
                Action::Get { .. } => {
                    for &(supplier, supply, other) in &commands {
                        if matches!(other, Action::Supply { .. }) {
                            self.refused(state, &Choice::GetSupply { getter: sender, get: edge, supplier, supply });
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, state: &State, sender: InstanceId, edge: EdgeId, exists: bool) {
        let unheard = Choice::Send { sender, edge, receivers: Vec::new() };
        match self.semantics.apply(state, &unheard) {
            Err(WhyNot::SendGuardFalse(_)) => self.note(true, "multicast blocked by a send guard"),
            Err(WhyNot::NoReadyReceive(_)) => self.note(true, "multicast blocked by the lack of a ready receive"),
            Err(WhyNot::MustReceive(_)) if !exists => self.note(true, "receiver's update out of range"),
            Err(WhyNot::DataOutOfRange(..)) => self.note(true, "data out of range"),
            Err(WhyNot::UpdateOutOfRange(..)) => self.note(true, "own update out of range"),
            _ => {}
        }
    }

    /// Why a step with these partners does not exist.
    fn refused(&mut self, state: &State, choice: &Choice) {
        let rule = match (choice, self.semantics.apply(state, choice)) {
            (Choice::Send { .. }, Err(WhyNot::DataMissing(..) | WhyNot::NoReadyReceive(_))) => {
                return self.lacks_data(choice);
            }
            (Choice::Send { .. }, Err(WhyNot::SendGuardFalse(_))) => "broadcast past a false send guard",
            (Choice::Send { .. }, Err(WhyNot::NotListening(_))) => "multicast past an instance that does not listen",
            (Choice::GetSupply { .. }, Err(WhyNot::DataMissing(..))) => "get/supply not possible for lack of data",
            _ => return,
        };
        self.rules.insert(rule);
    }

    /// Notes if the message assigns less than the receive reads.
    fn lacks_data(&mut self, choice: &Choice) {
        let Choice::Send { sender, edge, receivers } = choice else { return };
        let assigned: Vec<_> = self.action(*sender, *edge).data().iter().map(|(message, _)| *message).collect();
        let model = self.semantics.model();
        let lacks = receivers.iter().any(|(receiver, receive)| {
            let reads = &model.agent_of(*receiver).edges[receive.index()].reads;
            reads.iter().any(|message| !assigned.contains(message))
        });
        self.note(lacks, "receive not ready for lack of data");
    }
}
