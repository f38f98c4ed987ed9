//! The steps from concrete states: those of the semantics, and those that the terms of a system
//! describe, evaluated without any solver.

use super::graph::{Graph, Node, Receptions, describe, values};
use rcheck_smt::model::eval::{Choice, Semantics, State};
use rcheck_smt::model::{EdgeId, InstanceId, Value};
use rcheck_smt::ts::system::{EVENT, Event, EventKind, System};
use rcheck_smt::ts::term::{InputId, Leaf, Term, VarId};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Compares the steps from all expanded nodes of the graph, as far as `limit` goes.
pub fn check(semantics: &Semantics, system: &System, graph: &Graph, limit: usize) -> Result<(), String> {
    let inputs: Vec<BTreeSet<InputId>> = system.events().iter().map(|event| inputs_of(system, event)).collect();
    for node in graph.expanded().iter().take(limit) {
        let expected: BTreeMap<Choice, Vec<Value>> = node
            .steps
            .iter()
            .map(|(step, _)| (step.choice.clone(), values(system, &step.target, step.choice.receivers())))
            .collect();
        let found = steps(system, &inputs, node)?;
        if found != expected {
            return Err(difference(semantics, node, &expected, &found));
        }
    }
    Ok(())
}

fn difference(
    semantics: &Semantics,
    node: &Node,
    expected: &BTreeMap<Choice, Vec<Value>>,
    found: &BTreeMap<Choice, Vec<Value>>,
) -> String {
    let mut text = format!("in {:?}", node.state);
    for (choice, target) in expected.iter().filter(|(choice, target)| found.get(choice) != Some(*target)) {
        text += &format!("\n  only the semantics has `{}` to {target:?}", describe(semantics, choice));
    }
    for (choice, target) in found.iter().filter(|(choice, target)| expected.get(choice) != Some(*target)) {
        text += &format!("\n  only the system has `{}` to {target:?}", describe(semantics, choice));
    }
    text
}

/// The inputs other than the event that decide something in an event.
fn inputs_of(system: &System, event: &Event) -> BTreeSet<InputId> {
    let mut inputs = BTreeSet::new();
    let mut seen = Default::default();
    for term in [event.guard].into_iter().chain(event.receptions.iter().map(|reception| reception.taken)) {
        system.terms().collect_leaves(term, &mut seen, &mut |leaf| {
            if let Leaf::Input(id) = leaf {
                inputs.insert(id);
            }
        });
    }
    inputs
}

/// The steps of the system from a state that was reached with these receivers.
pub fn from_state(
    system: &System,
    state: &State,
    received: &[(InstanceId, EdgeId)],
) -> Result<BTreeMap<Choice, Vec<Value>>, String> {
    let inputs: Vec<BTreeSet<InputId>> = system.events().iter().map(|event| inputs_of(system, event)).collect();
    let node = Node { state: state.clone(), received: received.to_vec(), steps: Vec::new() };
    steps(system, &inputs, &node)
}

/// The steps of the system from a node.
fn steps(system: &System, inputs: &[BTreeSet<InputId>], node: &Node) -> Result<BTreeMap<Choice, Vec<Value>>, String> {
    let state = values(system, &node.state, &node.received);
    let mut steps = BTreeMap::new();
    for (index, event) in system.events().iter().enumerate() {
        let mut possible = false;
        for choices in options(system, &inputs[index]) {
            let valuation = Valuation { system, state: &state, event: index, choices: &choices };
            if !valuation.holds(event.guard) {
                continue;
            }
            possible = true;
            let (choice, target) = (valuation.choice(event)?, valuation.target()?);
            if let Some(other) = steps.insert(choice.clone(), target.clone())
                && other != target
            {
                return Err(format!("{choice:?} leads from {:?} to {other:?} and to {target:?}", node.state));
            }
        }
        let valuation = Valuation { system, state: &state, event: index, choices: &BTreeMap::new() };
        if valuation.holds(event.enabled) != possible {
            return Err(format!("whether {:?} is enabled in {:?} is not what it says", event.kind, node.state));
        }
    }
    Ok(steps)
}

/// All combinations of options.
fn options(system: &System, inputs: &BTreeSet<InputId>) -> Vec<BTreeMap<InputId, u32>> {
    let mut all = vec![BTreeMap::new()];
    for &id in inputs {
        let count = system.inputs()[id.0 as usize].count;
        let extended = all.iter().flat_map(|partial| {
            (0..count)
                .map(move |option| partial.iter().map(|(id, value)| (*id, *value)).chain([(id, option)]).collect())
        });
        all = extended.collect();
    }
    all
}

/// Values of all leaves.
struct Valuation<'a> {
    system: &'a System,
    state: &'a [Value],
    event: usize,
    choices: &'a BTreeMap<InputId, u32>,
}

impl Valuation<'_> {
    fn value(&self, term: Term) -> Value {
        self.system.terms().evaluate(term, &|leaf| match leaf {
            Leaf::Var(VarId(index)) => self.state[index as usize].clone(),
            Leaf::Input(EVENT) => Value::Enum(self.event as u32),
            // An input that the event does not read.
            Leaf::Input(id) => Value::Enum(self.choices.get(&id).copied().unwrap_or(0)),
        })
    }

    fn holds(&self, term: Term) -> bool {
        self.value(term).as_bool()
    }

    fn choice(&self, event: &Event) -> Result<Choice, String> {
        let mut receivers: Receptions = Vec::new();
        for reception in event.receptions.iter().filter(|reception| self.holds(reception.taken)) {
            receivers.push((reception.receiver, reception.edge));
        }
        receivers.sort_unstable();
        let is_joint = matches!(event.kind, EventKind::Joint { .. });
        if !is_joint && receivers.iter().map(|(receiver, _)| receiver).collect::<HashSet<_>>().len() < receivers.len() {
            return Err(format!("an instance takes two receives in {:?}: {receivers:?}", event.kind));
        }
        Ok(match event.kind {
            EventKind::Send { sender, edge } => Choice::Send { sender, edge, receivers },
            EventKind::GetSupply { getter, get, supplier, supply } => {
                Choice::GetSupply { getter, get, supplier, supply }
            }
            EventKind::Joint { .. } => Choice::Joint(receivers),
            EventKind::Clause(_) => unreachable!("no model has steps by Horn clauses"),
            EventKind::Stutter => Choice::Stutter,
        })
    }

    /// The next state: at most one case of each variable may apply.
    fn target(&self) -> Result<Vec<Value>, String> {
        let next = |id: VarId| {
            let mut cases = self.system.update(id).iter().filter(|case| self.holds(case.condition));
            match (cases.next(), cases.next()) {
                (None, _) => Ok(self.state[id.0 as usize].clone()),
                (Some(case), None) => Ok(self.value(case.value)),
                (Some(_), Some(_)) => Err(format!("two cases of {} apply", self.system.variable(id).name)),
            }
        };
        self.system.var_ids().map(next).collect()
    }
}

/// Checks that an invariant holds in every node of the graph.
pub fn check_invariant(system: &System, invariant: Term, graph: &Graph) -> Result<(), String> {
    for node in &graph.nodes {
        let state = values(system, &node.state, &node.received);
        let valuation = Valuation { system, state: &state, event: 0, choices: &BTreeMap::new() };
        if !valuation.holds(invariant) {
            return Err(format!("a fact of the simplification is false in {:?}", node.state));
        }
    }
    Ok(())
}
