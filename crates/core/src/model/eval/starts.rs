//! Initial states of models whose agents act all at once: what restricts them speaks about all variables together.

use super::State;
use super::candidates::candidates;
use super::initial::EnumerationError;
use super::value::{evaluate, partial};
use crate::limits::tick;
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, Formula, InstanceId, LocalId, Model, Type, Value};
use rustc_hash::FxHashMap;

/// The most partial assignments that are looked at per state that may be found.
const VISITS_PER_STATE: usize = 64;

/// A search that gives values to one variable after the other.
pub struct StartSearch<'m> {
    model: &'m Model,
    /// The most states.
    most: usize,
    variables: Vec<(InstanceId, LocalId)>,
    /// Per variable the conjuncts that read it and none after it.
    conjuncts: Vec<Vec<&'m Expr<StateLeaf>>>,
    /// Per variable further conjuncts that read it.
    open: Vec<Vec<&'m Expr<StateLeaf>>>,
    /// A conjunct that reads nothing is false.
    is_empty: bool,
    values: FxHashMap<(InstanceId, LocalId), Value>,
    visited: usize,
    found: Vec<State>,
}

impl<'m> StartSearch<'m> {
    /// For at most so many states.
    pub fn new(model: &'m Model, most: usize) -> StartSearch<'m> {
        let locals =
            |id: InstanceId| (0..model.agent_of(id).locals.len() as u32).map(move |local| (id, LocalId(local)));
        let all: Vec<(InstanceId, LocalId)> = model.instance_ids().flat_map(locals).collect();
        let mut list = Vec::new();
        model.restriction.iter().for_each(|restriction| conjuncts_of(&restriction.formula, &mut list));
        // Variables that are read together are decided together: short conjuncts first.
        list.sort_by_key(|expr| reads(expr).len());
        let mut variables: Vec<(InstanceId, LocalId)> = Vec::new();
        for variable in list.iter().flat_map(|expr| reads(expr)).chain(all) {
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        }
        let (mut conjuncts, mut open) = (vec![Vec::new(); variables.len()], vec![Vec::new(); variables.len()]);
        let mut is_empty = false;
        let place = |variable: &(InstanceId, LocalId)| variables.iter().position(|other| other == variable);
        for expr in list {
            let mut places: Vec<usize> = reads(expr).iter().filter_map(place).collect();
            places.sort_unstable();
            match places.split_last() {
                Some((last, others)) => {
                    conjuncts[*last].push(expr);
                    others.iter().for_each(|other| open[*other].push(expr));
                }
                None => is_empty |= evaluate(expr, &|_: StateLeaf| None) != Some(Value::Bool(true)),
            }
        }
        let (values, found) = (FxHashMap::default(), Vec::new());
        StartSearch { model, most, variables, conjuncts, open, is_empty, values, visited: 0, found }
    }

    /// The states, ascending.
    pub fn run(mut self) -> Result<Vec<State>, EnumerationError> {
        if !self.is_empty {
            self.extend(0)?;
        }
        self.found.sort();
        Ok(self.found)
    }

    fn extend(&mut self, at: usize) -> Result<(), EnumerationError> {
        let Some(&(instance, local)) = self.variables.get(at) else {
            if self.found.len() >= self.most {
                return Err(EnumerationError::TooManyStates);
            }
            let state = self.state();
            self.found.push(state);
            return Ok(());
        };
        let ty = self.model.agent_of(instance).locals[local.index()].ty;
        for value in self.values(at, (instance, local), ty)? {
            tick();
            self.visited += 1;
            if self.visited / VISITS_PER_STATE > self.most {
                return Err(EnumerationError::TooManyStates);
            }
            self.values.insert((instance, local), value);
            let known = |leaf| self.known(leaf);
            let holds = self.conjuncts[at].iter().all(|expr| evaluate(expr, &known) == Some(Value::Bool(true)));
            if holds && self.open[at].iter().all(|expr| partial(expr, &known) != Some(false)) {
                self.extend(at + 1)?;
            }
        }
        self.values.remove(&(instance, local));
        Ok(())
    }

    /// The values to try.
    fn values(
        &self,
        at: usize,
        (instance, local): (InstanceId, LocalId),
        ty: Type,
    ) -> Result<Box<dyn Iterator<Item = Value>>, EnumerationError> {
        let conditions = self.conjuncts[at].iter().chain(&self.open[at]).copied();
        match candidates(StateLeaf::Local(instance, local), ty, conditions, &|leaf| self.known(leaf)) {
            Some(many) if many.count() > self.most as u128 * VISITS_PER_STATE as u128 => {
                Err(EnumerationError::TooManyStates)
            }
            Some(candidates) => Ok(Box::new(candidates.values())),
            None => Ok(self.model.values_of(ty).expect("the domains are finite")),
        }
    }

    fn known(&self, leaf: StateLeaf) -> Option<Value> {
        match leaf {
            StateLeaf::Local(instance, local) => self.values.get(&(instance, local)).cloned(),
            _ => None,
        }
    }

    fn state(&self) -> State {
        let parts: Vec<Vec<Value>> = self
            .model
            .instance_ids()
            .map(|id| {
                let locals = (0..self.model.agent_of(id).locals.len() as u32).map(LocalId);
                locals.map(|local| self.values[&(id, local)].clone()).collect()
            })
            .collect();
        State::from_parts(parts.iter().map(|values| (0, values.as_slice())))
    }
}

fn conjuncts_of<'m>(formula: &'m Formula, list: &mut Vec<&'m Expr<StateLeaf>>) {
    if let Formula::And(parts) = formula {
        return parts.iter().for_each(|part| conjuncts_of(part, list));
    }
    let Formula::Atom(expr) = formula else { unreachable!("{formula:?} is no conjunction of conditions") };
    list.extend(expr.operands(BinaryOp::And));
}

fn reads(expr: &Expr<StateLeaf>) -> Vec<(InstanceId, LocalId)> {
    let mut found = Vec::new();
    expr.for_each_leaf(&mut |leaf| {
        if let StateLeaf::Local(instance, local) = leaf
            && !found.contains(&(*instance, *local))
        {
            found.push((*instance, *local));
        }
    });
    found
}
