//! The initial rows.

use super::Tables;
use crate::limits::tick;
use crate::model::eval::{EnumerationError, Semantics, State};
use crate::model::{LocalId, Value};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The most initial rows: as many as can be numbered.
const MOST: usize = u32::MAX as usize;

/// The initial rows of tables: all combinations of initial local states, unless something restricts these.
#[derive(Debug)]
pub enum Initial {
    /// Per instance what its cells are initially, and the values of all locals in one of the states that this stands for.
    Combinations(Vec<Vec<(Vec<u32>, Vec<Value>)>>),
    /// Each row, and the place in a list of a state that it stands for.
    Listed(Vec<(Vec<u32>, usize)>, Arc<Vec<State>>),
}

/// The initial states of runs.
#[derive(Clone, Debug)]
pub struct Starts {
    /// The initial values of the locals of each instance, which has some.
    lists: Vec<Vec<Vec<Value>>>,
    /// All initial states, if they were listed to find these.
    states: Option<Arc<Vec<State>>>,
}

impl Starts {
    /// Of a model; nothing if some instance has none.
    pub fn of(semantics: &Semantics) -> Result<Option<Starts>, EnumerationError> {
        let mut lists = Vec::new();
        let model = semantics.model();
        if model.joint.is_some() {
            // A condition on them speaks about all together: any initial state will do.
            let states = semantics.initial_states()?;
            let values = |state: &State, id| {
                let locals = (0..model.agent_of(id).locals.len() as u32).map(LocalId);
                vec![locals.map(|local| state.local(id, local).clone()).collect()]
            };
            let Some(first) = states.first() else { return Ok(None) };
            let lists = model.instance_ids().map(|id| values(first, id)).collect();
            return Ok(Some(Starts { lists, states: Some(Arc::new(states)) }));
        }
        for instance in model.instance_ids() {
            let list = semantics.initial_locals(instance)?;
            if list.is_empty() {
                return Ok(None);
            }
            lists.push(list);
        }
        Ok(Some(Starts { lists, states: None }))
    }

    /// The first values of each instance, which need not be an initial state.
    pub(super) fn any(&self) -> State {
        State::from_parts(self.lists.iter().map(|list| (0, list[0].as_slice())))
    }
}

impl Tables<'_, '_> {
    /// The initial rows, of the same starts as the tables.
    pub fn initial(&mut self, starts: &Starts) -> Result<Initial, EnumerationError> {
        let semantics = self.semantics;
        if semantics.model().restriction.is_some() {
            let states = match &starts.states {
                Some(states) => Arc::clone(states),
                None => Arc::new(semantics.initial_states()?),
            };
            let mut listed: Vec<(Vec<u32>, usize)> = states.iter().map(|state| self.row(state)).zip(0..).collect();
            listed.sort_unstable();
            listed.dedup_by(|(one, _), (other, _)| one == other);
            return Ok(Initial::Listed(listed, states));
        }
        let mut lists = Vec::new();
        let mut state = self.template.clone();
        for (instance, starts) in semantics.model().instance_ids().zip(&starts.lists) {
            let mut list: Vec<(Vec<u32>, Vec<Value>)> = Vec::new();
            for values in starts {
                let locals = values.iter().zip(0..);
                locals.for_each(|(value, local)| state.set_local(instance, LocalId(local), value.clone()));
                let cells = self.cells_of(instance.index());
                let numbers = cells.map(|cell| self.add(cell, self.cells[cell].read(&state)));
                list.push((numbers.collect(), values.clone()));
            }
            list.sort();
            list.dedup_by(|(one, _), (other, _)| one == other);
            lists.push(list);
        }
        let count = lists.iter().try_fold(1usize, |count, list| count.checked_mul(list.len()));
        match count {
            Some(count) if count <= MOST => Ok(Initial::Combinations(lists)),
            _ => Err(EnumerationError::TooManyStates),
        }
    }
}

impl Initial {
    /// Visits all rows until the visitor breaks.
    pub fn for_each<B>(&self, visit: &mut impl FnMut(&[u32]) -> ControlFlow<B>) -> ControlFlow<B> {
        let lists = match self {
            Initial::Combinations(lists) => lists,
            Initial::Listed(listed, _) => return listed.iter().try_for_each(|(row, _)| visit(row)),
        };
        let mut picks = vec![0; lists.len()];
        let mut row: Vec<u32> = lists.iter().flat_map(|list| &list[0].0).copied().collect();
        loop {
            tick();
            visit(&row)?;
            let next = (0..picks.len()).rev().find(|at| picks[*at] + 1 < lists[*at].len());
            let Some(at) = next else { return ControlFlow::Continue(()) };
            picks[at] += 1;
            picks[at + 1..].fill(0);
            row.truncate(lists[..at].iter().map(|list| list[0].0.len()).sum());
            lists[at..].iter().zip(&picks[at..]).for_each(|(list, pick)| row.extend_from_slice(&list[*pick].0));
        }
    }

    /// A state that an initial row stands for.
    pub fn state(&self, semantics: &Semantics, row: &[u32]) -> Option<State> {
        match self {
            Initial::Listed(listed, states) => {
                listed.iter().find(|(known, _)| known == row).map(|(_, place)| states[*place].clone())
            }
            Initial::Combinations(lists) => {
                let mut rest = row;
                let mut parts = Vec::new();
                for list in lists {
                    let numbers;
                    (numbers, rest) = rest.split_at(list[0].0.len());
                    let (_, values) = list.iter().find(|(known, _)| known == numbers)?;
                    parts.push((0, values.clone()));
                }
                semantics.state_from(&parts).ok()
            }
        }
    }
}
