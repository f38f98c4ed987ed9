//! The initial rows.

use super::{LocalState, Tables};
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
    /// Per instance each initial local state, and the values of all locals in one of the states that it stands for.
    Combinations(Vec<Vec<(u32, Vec<Value>)>>),
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
        for (instance, starts) in starts.lists.iter().enumerate() {
            let mut list: Vec<(u32, Vec<Value>)> = Vec::new();
            for values in starts {
                let kept = self.instances[instance].kept.iter().map(|local| values[local.index()].clone());
                let local_state = LocalState { automaton: 0, values: kept.collect() };
                list.push((self.add(instance, local_state), values.clone()));
            }
            list.sort();
            list.dedup_by_key(|(number, _)| *number);
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
        let mut row: Vec<u32> = lists.iter().map(|list| list[0].0).collect();
        loop {
            tick();
            visit(&row)?;
            let next = (0..picks.len()).rev().find(|at| picks[*at] + 1 < lists[*at].len());
            let Some(at) = next else { return ControlFlow::Continue(()) };
            picks[at] += 1;
            picks[at + 1..].fill(0);
            (at..picks.len()).for_each(|index| row[index] = lists[index][picks[index]].0);
        }
    }

    /// A state that an initial row stands for.
    pub fn state(&self, semantics: &Semantics, row: &[u32]) -> Option<State> {
        match self {
            Initial::Listed(listed, states) => {
                listed.iter().find(|(known, _)| known == row).map(|(_, place)| states[*place].clone())
            }
            Initial::Combinations(lists) => {
                let part = |(list, number): (&Vec<(u32, Vec<Value>)>, &u32)| {
                    list.iter().find(|(known, _)| known == number).map(|(_, values)| (0, values.clone()))
                };
                let parts = lists.iter().zip(row).map(part).collect::<Option<Vec<_>>>()?;
                semantics.state_from(&parts).ok()
            }
        }
    }
}
