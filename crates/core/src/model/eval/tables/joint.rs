//! Steps of agents that act all at once, from rows: values are words here, and what a local state is worth is looked up.

use super::facts::{Circuit, LARGE, Possible};
use super::{Missing, StepKind, TableStep, Tables};
use crate::limits::{tick, ticks};
use crate::model::eval::value::evaluate;
use crate::model::joint::{Joint, JointLeaf};
use crate::model::{BinaryOp, EdgeId, Expr, InstanceId, Model, Type, Value};

/// The part of an instance that is its action, in circuits.
const ACTION: u32 = u32::MAX;

/// The abilities of agents, over the values of local states.
#[derive(Debug)]
pub struct JointTables {
    agents: Vec<JointAgent>,
}

#[derive(Debug)]
struct JointAgent {
    protocol: Vec<(CompiledExpr, Vec<u32>)>,
    other: Vec<u32>,
    groups: Vec<Vec<u32>>,
    lines: Vec<JointLine>,
    actions: u32,
}

#[derive(Debug)]
struct JointLine {
    condition: CompiledExpr,
    /// The place of each variable that is set, and its new value.
    updates: Vec<(usize, CompiledExpr)>,
}

/// An expression, and the same for words, as long as numbers fit into them.
#[derive(Debug)]
struct CompiledExpr {
    circuit: Circuit,
    exact: Expr<JointLeaf>,
}

/// Space for the steps from a row.
#[derive(Debug, Default)]
pub struct JointSpace {
    /// Per instance the actions that it can take.
    actions: Vec<Vec<u32>>,
    /// Which of them it takes.
    picks: Vec<usize>,
    /// Groups with a line that can be taken.
    groups: Vec<OpenGroup>,
    /// Lines that can be taken, group by group, each with where its new values end.
    options: Vec<(u32, usize)>,
    /// Variables and their new values, line by line.
    values: Vec<(usize, i64)>,
    /// Those of the lines that an instance takes.
    new: Vec<(usize, i64)>,
    /// The values of a local state.
    words: Vec<i64>,
    deeds: Vec<(InstanceId, EdgeId)>,
    changes: Vec<(u32, u32)>,
}

/// A group with lines that can be taken: whose, which of the options these are, and which of them is taken.
#[derive(Clone, Copy, Debug)]
struct OpenGroup {
    instance: u32,
    first: usize,
    end: usize,
    pick: usize,
}

impl JointTables {
    pub fn new(joint: &Joint) -> JointTables {
        let agents = joint.behaviours.iter().map(|behaviour| JointAgent {
            protocol: behaviour
                .protocol
                .iter()
                .map(|line| (CompiledExpr::new(&line.condition), line.actions.clone()))
                .collect(),
            other: behaviour.other.clone(),
            groups: behaviour.groups.clone(),
            lines: behaviour
                .lines
                .iter()
                .map(|line| JointLine {
                    condition: CompiledExpr::new(&line.condition),
                    updates: line
                        .updates
                        .iter()
                        .map(|(local, value)| (local.index(), CompiledExpr::new(value)))
                        .collect(),
                })
                .collect(),
            actions: behaviour.actions.len() as u32,
        });
        JointTables { agents: agents.collect() }
    }
}

impl CompiledExpr {
    fn new(expr: &Expr<JointLeaf>) -> CompiledExpr {
        CompiledExpr { circuit: circuit(expr), exact: expr.clone() }
    }
}

/// An instance, and the number of a part of it.
fn part_of(leaf: JointLeaf) -> (u32, u32) {
    match leaf {
        JointLeaf::Local(instance, local) => (instance.0, local.0),
        JointLeaf::Action(instance) => (instance.0, ACTION),
    }
}

/// An expression whose leaves are parts of instances.
fn circuit(expr: &Expr<JointLeaf>) -> Circuit {
    let boxed = |part: &Expr<JointLeaf>| Box::new(circuit(part));
    match expr {
        Expr::Const(value) => Circuit::Number(value.number().unwrap_or(LARGE)),
        Expr::Leaf(leaf) => {
            let (instance, part) = part_of(*leaf);
            Circuit::Part(instance, part)
        }
        Expr::Not(inner) => Circuit::Not(boxed(inner)),
        Expr::Neg(inner) => Circuit::Neg(boxed(inner)),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
            let operands = expr.operands(*op).into_iter().map(circuit).collect();
            if *op == BinaryOp::And { Circuit::All(operands) } else { Circuit::any(operands) }
        }
        Expr::Binary(op, left, right) => Circuit::Binary(*op, boxed(left), boxed(right)),
        Expr::If(condition, yes, no) => Circuit::If(boxed(condition), boxed(yes), boxed(no)),
    }
}

impl Tables<'_, '_> {
    /// Shows all steps from a row; how many there are beside the stutter.
    pub(super) fn joint_steps(
        &self,
        joint: &JointTables,
        row: &[u32],
        space: &mut JointSpace,
        visit: &mut impl FnMut(TableStep),
    ) -> Result<usize, Missing> {
        self.possible_actions(joint, row, space);
        if space.actions.iter().any(Vec::is_empty) {
            ticks(1);
            visit(TableStep { changes: &[], letter: 0, kind: StepKind::Stutter });
            return Ok(0);
        }
        let mut steps = 0;
        space.picks.clear();
        space.picks.resize(row.len(), 0);
        loop {
            steps += self.steps_by_actions(joint, row, space, visit)?;
            let JointSpace { actions, picks, .. } = &mut *space;
            let next = (0..picks.len()).rev().find(|at| picks[*at] + 1 < actions[*at].len());
            let Some(at) = next else { return Ok(steps) };
            picks[at] += 1;
            picks[at + 1..].fill(0);
        }
    }

    fn possible_actions(&self, joint: &JointTables, row: &[u32], space: &mut JointSpace) {
        let part = |instance: u32, part: u32| self.number_of(row, instance, part);
        space.actions.resize_with(row.len(), Vec::new);
        let agents = joint.agents.iter().zip(&self.semantics.lines);
        for ((agent, lines), actions) in agents.zip(&mut space.actions) {
            actions.clear();
            let mut is_served = false;
            for line in lines.protocol.candidates(&|leaf| number_of_leaf(leaf, &part)) {
                let (condition, allowed) = &agent.protocol[line];
                if self.value(condition, &part) == Some(1) {
                    is_served = true;
                    actions.extend_from_slice(allowed);
                }
            }
            if !is_served {
                actions.extend_from_slice(&agent.other);
            }
            actions.sort_unstable();
            actions.dedup();
        }
    }

    /// The steps by some actions: by the lines that can be taken.
    fn steps_by_actions(
        &self,
        joint: &JointTables,
        row: &[u32],
        space: &mut JointSpace,
        visit: &mut impl FnMut(TableStep),
    ) -> Result<usize, Missing> {
        let JointSpace { actions, picks, groups, options, values, new, words, deeds, changes } = space;
        let part = |instance: u32, part: u32| match part {
            ACTION => i64::from(actions[instance as usize][picks[instance as usize]]),
            _ => self.number_of(row, instance, part),
        };
        groups.clear();
        options.clear();
        values.clear();
        for ((instance, agent), lines) in (0..).zip(&joint.agents).zip(&self.semantics.lines) {
            for (group, lookup) in agent.groups.iter().zip(&lines.groups) {
                let first = options.len();
                let candidates = lookup.candidates(&|leaf| number_of_leaf(leaf, &part));
                for line in candidates.map(|place| group[place]) {
                    if self.new_values(&agent.lines[line as usize], instance, &part, values) {
                        options.push((line, values.len()));
                    }
                }
                if options.len() > first {
                    groups.push(OpenGroup { instance, first, end: options.len(), pick: first });
                }
            }
        }
        let mut steps = 0;
        loop {
            deeds.clear();
            changes.clear();
            let mut taken = groups.iter().peekable();
            for (instance, agent) in (0..).zip(&joint.agents) {
                let first = deeds.len() + 1;
                deeds.push((InstanceId(instance), EdgeId(actions[instance as usize][picks[instance as usize]])));
                new.clear();
                while let Some(OpenGroup { pick, .. }) = taken.next_if(|group| group.instance == instance) {
                    let (line, end) = options[*pick];
                    deeds.push((InstanceId(instance), EdgeId(agent.actions + line)));
                    let start = pick.checked_sub(1).map_or(0, |before| options[before].1);
                    new.extend_from_slice(&values[start..end]);
                }
                deeds[first..].sort_unstable();
                if let Some(number) = self.changed(row, instance, new, words)? {
                    changes.push((instance, number));
                }
            }
            ticks(deeds.len());
            steps += 1;
            visit(TableStep { changes, letter: 0, kind: StepKind::Joint(deeds) });
            let next = (0..groups.len()).rev().find(|at| groups[*at].pick + 1 < groups[*at].end);
            let Some(at) = next else { return Ok(steps) };
            groups[at].pick += 1;
            groups[at + 1..].iter_mut().for_each(|group| group.pick = group.first);
        }
    }

    /// The value of a variable as a word.
    fn number_of(&self, row: &[u32], instance: u32, local: u32) -> i64 {
        self.cells[instance as usize].words_of(row[instance as usize])[local as usize]
    }

    /// The value of a formula as a word, if it fits into one. Truth values are 0 and 1.
    fn value(&self, formula: &CompiledExpr, part: &impl Fn(u32, u32) -> i64) -> Option<i64> {
        if let Ok(value) = formula.circuit.value(part, &Possible::default()) {
            return Some(value);
        }
        let model = self.semantics.model();
        let value = evaluate(&formula.exact, &|leaf| {
            Some(match leaf {
                JointLeaf::Local(instance, local) => {
                    let number = part(instance.0, local.0);
                    match model.agent_of(instance).locals[local.index()].ty {
                        Type::Bool => Value::Bool(number != 0),
                        Type::Range(..) | Type::Int => Value::int(number),
                        _ => Value::Enum(number as u32),
                    }
                }
                JointLeaf::Action(instance) => Value::Enum(part(instance.0, ACTION) as u32),
            })
        });
        value.and_then(|value| value.number())
    }

    /// True if a line can be taken; if so, its new values are added.
    fn new_values(
        &self,
        line: &JointLine,
        instance: u32,
        part: &impl Fn(u32, u32) -> i64,
        values: &mut Vec<(usize, i64)>,
    ) -> bool {
        tick();
        if self.value(&line.condition, part) != Some(1) {
            return false;
        }
        let (model, start) = (self.semantics.model(), values.len());
        for (local, value) in &line.updates {
            let ty = model.agent_of(InstanceId(instance)).locals[*local].ty;
            match self.value(value, part).filter(|value| is_in(model, *value, ty)) {
                Some(value) => values.push((*local, value)),
                None => {
                    values.truncate(start);
                    return false;
                }
            }
        }
        true
    }

    /// The number of the local state with some new values, if it is another one.
    fn changed(
        &self,
        row: &[u32],
        instance: u32,
        new: &[(usize, i64)],
        words: &mut Vec<i64>,
    ) -> Result<Option<u32>, Missing> {
        let (table, number) = (&self.cells[instance as usize], row[instance as usize]);
        let old = table.words_of(number);
        if new.iter().all(|(local, value)| old[*local] == *value) {
            return Ok(None);
        }
        words.clear();
        words.extend_from_slice(old);
        new.iter().for_each(|(local, value)| words[*local] = *value);
        match table.numbers.get(&words[..]) {
            Some(number) => Ok(Some(*number)),
            None => {
                let state = &table.states[number as usize];
                let value = |(old, word): (&Value, &i64)| match old {
                    Value::Bool(_) => Value::Bool(*word != 0),
                    Value::Int(_) => Value::int(*word),
                    Value::Enum(_) => Value::Enum(*word as u32),
                };
                let values = state.values.iter().zip(&*words).map(value).collect();
                Err(Missing::LocalState(InstanceId(instance), values))
            }
        }
    }
}

/// The value of a variable or an action, if it fits into a word.
fn number_of_leaf(leaf: JointLeaf, part: &impl Fn(u32, u32) -> i64) -> Option<i64> {
    let (instance, place) = part_of(leaf);
    Some(part(instance, place)).filter(|number| *number != LARGE)
}

fn is_in(model: &Model, value: i64, ty: Type) -> bool {
    match ty {
        Type::Range(low, high) => (low..=high).contains(&value),
        other => value >= 0 && model.cardinality(other).is_some_and(|count| (value as u64) < count),
    }
}
