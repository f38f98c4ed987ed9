//! Observations of states and steps, and state formulas over tables of the values of their parts.
//!
//! A part of a formula is what reads one cell only.

use super::cells::{InstanceCells, cell_of};
use crate::model::branching::Branching;
use crate::model::eval::value::evaluate;
use crate::model::fairness::Actor;
use crate::model::formula::StateLeaf;
use crate::model::normal::Literal;
use crate::model::{BinaryOp, EdgeId, Expr, InstanceId, Model, Observation, Value};
use crate::records::bits;
use rustc_hash::FxHashMap;

/// A fact that is true or false of a state or a step on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact<'f> {
    /// Of the state.
    State(&'f Expr<StateLeaf>),
    /// This receive is taken in the step.
    Received(InstanceId, EdgeId),
    /// This send, get or supply is taken in the step.
    Performed(InstanceId, EdgeId),
    /// The step is observed.
    Observed(&'f Observation),
    /// Of the state, because of other runs: nothing that tables know.
    Branching(&'f Branching),
}

impl<'f> Fact<'f> {
    /// Of a literal.
    pub fn of(model: &Model, literal: Literal<'f>) -> Fact<'f> {
        match literal {
            Literal::State(expr) => Fact::State(expr),
            Literal::Label(instance, edge) if model.is_receive(instance, edge) => Fact::Received(instance, edge),
            Literal::Label(instance, edge) => Fact::Performed(instance, edge),
            Literal::Observed(observation) => Fact::Observed(observation),
            Literal::Branching(branching) => Fact::Branching(branching),
        }
    }
}

/// Facts, each once. Their numbers are the bits of letters.
#[derive(Clone, Debug, Default)]
pub struct Facts<'f> {
    list: Vec<Fact<'f>>,
    index: FxHashMap<Fact<'f>, usize>,
}

impl<'f> Facts<'f> {
    /// The facts, by their numbers.
    pub fn list(&self) -> &[Fact<'f>] {
        &self.list
    }

    /// The number of a fact, which is added if it is new.
    pub fn add(&mut self, fact: Fact<'f>) -> usize {
        *self.index.entry(fact).or_insert_with(|| {
            self.list.push(fact);
            self.list.len() - 1
        })
    }

    /// The number of a fact that is there.
    pub fn number(&self, fact: Fact<'f>) -> Option<usize> {
        self.index.get(&fact).copied()
    }
}

/// The facts known of all steps from a state.
#[derive(Clone, Debug, Default)]
pub struct Possible {
    /// True if there is none but the stutter.
    pub(super) deadlocked: bool,
    /// The facts that some of them has, if a state formula asks for that.
    pub(super) facts: Vec<u64>,
}

impl Possible {
    pub(super) fn has(&self, fact: usize) -> bool {
        bits::get(&self.facts, fact)
    }
}

/// A state formula whose parts about single cells are looked up.
#[derive(Clone, Debug)]
pub(super) enum Circuit {
    Number(i64),
    /// A part about a cell: its number among those of the cell.
    Part(u32, u32),
    Deadlock,
    /// Some possible step has one of these facts.
    Possible(Vec<u32>),
    Not(Box<Circuit>),
    Neg(Box<Circuit>),
    All(Vec<Circuit>),
    Any(Vec<Circuit>),
    /// The values of some parts are one of these lists, which are sorted.
    OneOf(Vec<(u32, u32)>, Vec<Box<[i64]>>),
    Binary(BinaryOp, Box<Circuit>, Box<Circuit>),
    If(Box<Circuit>, Box<Circuit>, Box<Circuit>),
}

/// Some number does not fit into a word.
#[derive(Debug)]
pub(super) struct TooLarge;

/// Stands for a value that does not fit into a word.
pub(super) const LARGE: i64 = i64::MIN;

/// Parts of state formulas that are about one cell each.
#[derive(Debug, Default)]
pub(super) struct StateParts<'f> {
    /// Per cell.
    lists: Vec<Vec<&'f Expr<StateLeaf>>>,
    index: FxHashMap<&'f Expr<StateLeaf>, Circuit>,
    /// True if some formula asks for the facts of all steps from a state.
    pub(super) ask_what_is_possible: bool,
}

impl<'f> StateParts<'f> {
    pub(super) fn new(cells: usize) -> StateParts<'f> {
        StateParts { lists: vec![Vec::new(); cells], index: FxHashMap::default(), ask_what_is_possible: false }
    }

    /// Those of a cell.
    pub(super) fn of(&self, cell: usize) -> &[&'f Expr<StateLeaf>] {
        &self.lists[cell]
    }

    /// A formula as a circuit over parts, which are added, as are facts about steps that it asks for.
    pub(super) fn circuit(
        &mut self,
        model: &Model,
        cells: &[InstanceCells],
        expr: &'f Expr<StateLeaf>,
        facts: &mut Facts<'f>,
    ) -> Circuit {
        let mut inside = |expr| self.circuit(model, cells, expr, facts);
        match expr {
            Expr::Const(value) => Circuit::Number(value.number().unwrap_or(LARGE)),
            Expr::Leaf(StateLeaf::Deadlock) => Circuit::Deadlock,
            Expr::Leaf(StateLeaf::Enabled(instance, edge)) => {
                self.ask_what_is_possible = true;
                let actor = edge.map_or(Actor::Instance(*instance), |edge| Actor::Command(*instance, edge));
                let commands = actor.commands(model).into_iter();
                Circuit::Possible(commands.map(|edge| facts.add(Fact::Performed(*instance, edge)) as u32).collect())
            }
            _ if let Some(cell) = only_cell(cells, expr) => self.part(cell, expr),
            Expr::Leaf(leaf) => unreachable!("{leaf:?} is about one cell"),
            Expr::Not(inner) => Circuit::Not(Box::new(inside(inner))),
            Expr::Neg(inner) => Circuit::Neg(Box::new(inside(inner))),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
                let operands = expr.operands(*op).into_iter().map(inside);
                if *op == BinaryOp::And { Circuit::All(operands.collect()) } else { Circuit::any(operands.collect()) }
            }
            Expr::Binary(op, left, right) => {
                let [left, right] = [left, right].map(|part| Box::new(inside(part)));
                Circuit::Binary(*op, left, right)
            }
            Expr::If(condition, yes, no) => {
                let [condition, yes, no] = [condition, yes, no].map(|part| Box::new(inside(part)));
                Circuit::If(condition, yes, no)
            }
        }
    }

    fn part(&mut self, cell: u32, expr: &'f Expr<StateLeaf>) -> Circuit {
        let list = &mut self.lists[cell as usize];
        let new = || {
            list.push(expr);
            Circuit::Part(cell, list.len() as u32 - 1)
        };
        self.index.entry(expr).or_insert_with(new).clone()
    }
}

/// The cell that it is about, if it is one and nothing else.
fn only_cell(cells: &[InstanceCells], expr: &Expr<StateLeaf>) -> Option<u32> {
    let (mut found, mut only) = (None, true);
    expr.for_each_leaf(&mut |leaf| match cell_of(cells, *leaf) {
        Some(cell) => only &= *found.get_or_insert(cell) == cell,
        None => only = false,
    });
    found.filter(|_| only)
}

/// The value of a part as a word.
pub(super) fn part_value(expr: &Expr<StateLeaf>, leaf: impl Fn(StateLeaf) -> Value) -> i64 {
    let value = evaluate(expr, &|name| Some(leaf(name))).expect("every leaf has a value");
    value.number().unwrap_or(LARGE)
}

/// From so many alternatives on they are looked up.
const MANY: usize = 8;

impl Circuit {
    /// Alternatives. Long lists that say of the same parts what their values are become something that is looked up.
    pub(super) fn any(list: Vec<Circuit>) -> Circuit {
        let listed = if list.len() < MANY { None } else { one_of(&list) };
        listed.unwrap_or(Circuit::Any(list))
    }

    /// The part and the number that it is said to be.
    fn equation(&self) -> Option<((u32, u32), i64)> {
        let Circuit::Binary(BinaryOp::Eq, left, right) = self else { return None };
        match (&**left, &**right) {
            (Circuit::Part(instance, part), Circuit::Number(number))
            | (Circuit::Number(number), Circuit::Part(instance, part))
                if *number != LARGE =>
            {
                Some(((*instance, *part), *number))
            }
            _ => None,
        }
    }

    /// Its value, given those of parts and the facts of the possible steps. Truth values are 0 and 1.
    pub(super) fn value(&self, part: &impl Fn(u32, u32) -> i64, possible: &Possible) -> Result<i64, TooLarge> {
        let value = |circuit: &Circuit| circuit.value(part, possible);
        let known = |number: i64| if number == LARGE { Err(TooLarge) } else { Ok(number) };
        match self {
            Circuit::Number(number) => known(*number),
            Circuit::Part(instance, index) => known(part(*instance, *index)),
            Circuit::Deadlock => Ok(i64::from(possible.deadlocked)),
            Circuit::Possible(facts) => Ok(i64::from(facts.iter().any(|fact| possible.has(*fact as usize)))),
            Circuit::Not(inner) => Ok(1 - value(inner)?),
            Circuit::Neg(inner) => Ok(-value(inner)?),
            Circuit::All(list) => {
                for operand in list {
                    if value(operand)? == 0 {
                        return Ok(0);
                    }
                }
                Ok(1)
            }
            Circuit::Any(list) => {
                for operand in list {
                    if value(operand)? != 0 {
                        return Ok(1);
                    }
                }
                Ok(0)
            }
            Circuit::OneOf(parts, lists) => {
                let mut is_large = false;
                let found = lists.binary_search_by(|list| {
                    let values = parts.iter().map(|(instance, index)| part(*instance, *index));
                    list.iter().copied().cmp(values.inspect(|value| is_large |= *value == LARGE))
                });
                if is_large { Err(TooLarge) } else { Ok(i64::from(found.is_ok())) }
            }
            Circuit::Binary(op, left, right) => binary(*op, value(left)?, value(right)?),
            Circuit::If(condition, yes, no) => value(if value(condition)? != 0 { yes } else { no }),
        }
    }
}

/// Alternatives each of which says of the same parts what their values are.
fn one_of(list: &[Circuit]) -> Option<Circuit> {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    let mut lists = Vec::new();
    for (index, alternative) in list.iter().enumerate() {
        let operands = match alternative {
            Circuit::All(operands) => operands,
            other => std::slice::from_ref(other),
        };
        let mut equations = operands.iter().map(Circuit::equation).collect::<Option<Vec<_>>>()?;
        equations.sort_unstable();
        let read: Vec<(u32, u32)> = equations.iter().map(|(part, _)| *part).collect();
        if index == 0 {
            parts = read;
            if parts.windows(2).any(|pair| pair[0] == pair[1]) {
                return None;
            }
        } else if parts != read {
            return None;
        }
        lists.push(equations.into_iter().map(|(_, number)| number).collect());
    }
    lists.sort_unstable();
    Some(Circuit::OneOf(parts, lists))
}

fn binary(op: BinaryOp, left: i64, right: i64) -> Result<i64, TooLarge> {
    let fits = |result: Option<i64>| result.filter(|number| *number != LARGE).ok_or(TooLarge);
    Ok(match op {
        BinaryOp::And => i64::from(left != 0 && right != 0),
        BinaryOp::Or => i64::from(left != 0 || right != 0),
        BinaryOp::Implies => i64::from(left == 0 || right != 0),
        BinaryOp::Iff | BinaryOp::Eq => i64::from(left == right),
        BinaryOp::Ne => i64::from(left != right),
        BinaryOp::Lt => i64::from(left < right),
        BinaryOp::Le => i64::from(left <= right),
        BinaryOp::Gt => i64::from(left > right),
        BinaryOp::Ge => i64::from(left >= right),
        BinaryOp::Add => fits(left.checked_add(right))?,
        BinaryOp::Sub => fits(left.checked_sub(right))?,
        BinaryOp::Mul => fits(left.checked_mul(right))?,
        BinaryOp::Div => fits(left.checked_div(right))?,
    })
}
