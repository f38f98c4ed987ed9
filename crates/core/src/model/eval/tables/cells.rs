//! The cells of which rows consist.
//!
//! An instance is one cell. If it is *split*, its automaton state is a cell, and each local that matters is another one.

use super::{LocalState, Tables};
use crate::model::eval::{State, StateError};
use crate::model::formula::StateLeaf;
use crate::model::{EdgeId, InstanceId, LocalId, Model};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A part of the state of an instance, which has a place in rows, and its local states.
#[derive(Debug)]
pub struct Cell {
    /// The owner.
    pub instance: InstanceId,
    /// True if the automaton state belongs to it.
    pub has_automaton: bool,
    /// The locals that belong to it, ascending.
    pub locals: Vec<LocalId>,
    pub(super) states: Vec<Arc<LocalState>>,
    pub(super) index: FxHashMap<Arc<LocalState>, u32>,
    /// Per local state and part of a state formula its value.
    pub(super) parts: Vec<i64>,
    /// Per local state and local its value as a word, where agents act all at once.
    pub(super) words: Vec<i64>,
    /// The local state with these values, where agents act all at once.
    pub(super) numbers: FxHashMap<Box<[i64]>, u32>,
}

impl Cell {
    fn new(instance: InstanceId, has_automaton: bool, locals: Vec<LocalId>) -> Cell {
        Cell {
            instance,
            has_automaton,
            locals,
            states: Vec::new(),
            index: FxHashMap::default(),
            parts: Vec::new(),
            words: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// Its local states so far, by their numbers.
    pub fn local_states(&self) -> &[Arc<LocalState>] {
        &self.states
    }

    /// The local state that it has in a state.
    pub(super) fn read(&self, state: &State) -> LocalState {
        let values = self.locals.iter().map(|local| state.local(self.instance, *local).clone()).collect();
        LocalState { automaton: if self.has_automaton { state.automaton(self.instance) } else { 0 }, values }
    }

    /// Gives it a local state in a state.
    pub(super) fn write(&self, state: &mut State, number: u32) {
        let LocalState { automaton, values } = &*self.states[number as usize];
        if self.has_automaton {
            state.set_automaton(self.instance, *automaton);
        }
        let locals = self.locals.iter().zip(values);
        locals.for_each(|(local, value)| state.set_local(self.instance, *local, value.clone()));
    }

    /// The values of a local state as words, where agents act all at once.
    pub(super) fn words_of(&self, number: u32) -> &[i64] {
        &self.words[number as usize * self.locals.len()..][..self.locals.len()]
    }

    pub(super) fn bytes(&self) -> usize {
        // A local state, and where it is found again.
        let each = self.locals.len() * size_of::<crate::model::Value>() + 96;
        let words = 8 * (self.parts.capacity() + self.words.capacity());
        self.states.len() * each + words + self.numbers.len() * (24 + 8 * self.locals.len())
    }
}

/// The cells of an instance.
#[derive(Debug)]
pub(super) struct InstanceCells {
    /// The first one, which has the automaton state.
    pub(super) first: u32,
    /// The locals that matter.
    pub(super) kept: Vec<LocalId>,
    pub(super) is_split: bool,
}

impl InstanceCells {
    /// The cell of a local, if it matters.
    pub(super) fn of(&self, local: LocalId) -> Option<u32> {
        let place = self.kept.binary_search(&local).ok()?;
        Some(if self.is_split { self.first + 1 + place as u32 } else { self.first })
    }

    /// The cells of some locals, as far as they matter, ascending.
    pub(super) fn of_all(&self, locals: impl IntoIterator<Item = LocalId>) -> Vec<u32> {
        let mut cells: Vec<u32> = locals.into_iter().filter_map(|local| self.of(local)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    fn range(&self) -> Range<usize> {
        let count = if self.is_split { 1 + self.kept.len() } else { 1 };
        self.first as usize..self.first as usize + count
    }

    /// The cells that change when the instance takes a command. Those that are no single variable are among what it depends
    /// on.
    pub(super) fn written_by(&self, model: &Model, instance: InstanceId, edge: EdgeId) -> Vec<u32> {
        let edge = &model.agent_of(instance).edges[edge.index()];
        let mut cells = self.of_all(edge.updates.iter().map(|(local, _)| *local));
        if edge.source != edge.target || !self.is_split {
            cells.retain(|cell| *cell != self.first);
            cells.insert(0, self.first);
        }
        cells
    }
}

/// The cells of instances with these locals that matter, of which some are split.
pub(super) fn cells(kept: Vec<Vec<LocalId>>, split: &[u32]) -> (Vec<InstanceCells>, Vec<Cell>) {
    let (mut instances, mut cells) = (Vec::new(), Vec::new());
    for (number, kept) in (0..).zip(kept) {
        let (first, id, is_split) = (cells.len() as u32, InstanceId(number), split.contains(&number));
        if is_split {
            cells.push(Cell::new(id, true, Vec::new()));
            cells.extend(kept.iter().map(|local| Cell::new(id, false, vec![*local])));
        } else {
            cells.push(Cell::new(id, true, kept.clone()));
        }
        instances.push(InstanceCells { first, kept, is_split });
    }
    (instances, cells)
}

/// The cell that a leaf of a state formula reads, if it reads one.
pub(super) fn cell_of(instances: &[InstanceCells], leaf: StateLeaf) -> Option<u32> {
    match leaf {
        StateLeaf::Local(instance, local) => {
            Some(instances[instance.index()].of(local).expect("what a fact reads matters"))
        }
        StateLeaf::Automaton(instance) => Some(instances[instance.index()].first),
        StateLeaf::Deadlock | StateLeaf::Enabled(..) | StateLeaf::Total(_) => None,
    }
}

impl Tables<'_, '_> {
    /// The cells of rows, those of one instance side by side.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Which cells are those of an instance.
    pub fn cells_of(&self, instance: usize) -> Range<usize> {
        self.instances[instance].range()
    }

    /// Per cell the cell of the image, where instances are renamed. Instances that are alike have to be split alike.
    pub fn renamed_cells(&self, images: &[u32]) -> Vec<u32> {
        let ranges = images.iter().map(|image| self.cells_of(*image as usize));
        ranges.flatten().map(|cell| cell as u32).collect()
    }

    /// The number of a local state of a cell that is claimed, once it is known to be one.
    pub fn number(&mut self, index: usize, local_state: LocalState) -> Result<u32, StateError> {
        let model = self.semantics.model();
        let Cell { instance, has_automaton, locals, .. } = &self.cells[index];
        let name = || model.instances[instance.index()].name.clone();
        let mut values: Vec<_> = (0..model.agent_of(*instance).locals.len() as u32)
            .map(|local| self.template.local(*instance, LocalId(local)).clone())
            .collect();
        if locals.len() != local_state.values.len() {
            let (expected, found) = (locals.len(), local_state.values.len());
            return Err(StateError::Locals { instance: name(), expected, found });
        }
        if !has_automaton && local_state.automaton != 0 {
            return Err(StateError::Automaton { instance: name(), found: local_state.automaton });
        }
        for (local, value) in locals.iter().zip(&local_state.values) {
            values[local.index()] = value.clone();
        }
        crate::model::eval::state::check_instance(model, *instance, local_state.automaton, &values)?;
        Ok(self.add(index, local_state))
    }

    /// The row of a state.
    pub fn row(&mut self, state: &State) -> Vec<u32> {
        (0..self.cells.len()).map(|cell| self.add(cell, self.cells[cell].read(state))).collect()
    }

    /// A state that a row stands for.
    pub fn state(&self, row: &[u32]) -> State {
        let mut state = self.template.clone();
        self.cells.iter().zip(row).for_each(|(cell, number)| cell.write(&mut state, *number));
        state
    }
}
