//! The reachable states of a finite model, breadth first.

use super::{Choice, EnumerationError, Semantics, State};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// When to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most states to find.
    pub states: usize,
    /// The most steps from an initial state.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 1_000_000, depth: usize::MAX }
    }
}

/// The reachable states that were found.
#[derive(Debug)]
pub struct Exploration {
    indices: FxHashMap<State, usize>,
    /// In the order of discovery.
    states: Vec<State>,
    /// Per depth the indices of the states that are so many steps away from the initial states.
    layers: Vec<Range<usize>>,
    steps: usize,
    deadlocked: usize,
    complete: bool,
}

impl Exploration {
    /// The states in the order of discovery: by their distance from the initial states.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The index of a state, if it was found.
    pub fn index_of(&self, state: &State) -> Option<usize> {
        self.indices.get(state).copied()
    }

    /// The states at a distance from the initial states.
    pub fn layer(&self, depth: usize) -> &[State] {
        self.layers.get(depth).map_or(&[], |layer| &self.states[layer.clone()])
    }

    /// The greatest distance of a state from the initial states; 0 also if there are none.
    pub fn depth(&self) -> usize {
        self.layers.len().saturating_sub(1)
    }

    /// The number of steps, stutters left out, from the states that were expanded. Two steps differ
    /// if their sources or their choices do.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The number of deadlocked states among those that were expanded.
    pub fn deadlocked(&self) -> usize {
        self.deadlocked
    }

    /// True if every reachable state was found and expanded; if not, the numbers are lower bounds.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Adds a state unless it is known.
    fn add(&mut self, state: State) {
        if !self.indices.contains_key(&state) {
            self.indices.insert(state.clone(), self.states.len());
            self.states.push(state);
        }
    }

    /// Makes a layer of the states that are in none yet; false if there are none.
    fn end_layer(&mut self) -> bool {
        let start = self.layers.last().map_or(0, |layer| layer.end);
        let end = self.states.len();
        if start < end {
            self.layers.push(start..end);
        }
        start < end
    }
}

impl Semantics<'_> {
    /// Explores the model up to the limits. The limit of states is looked at before a state is
    /// expanded, so that there may be a few more.
    pub fn explore(&self, limits: Limits) -> Result<Exploration, EnumerationError> {
        let mut found = Exploration {
            indices: FxHashMap::default(),
            states: Vec::new(),
            layers: Vec::new(),
            steps: 0,
            deadlocked: 0,
            complete: true,
        };
        self.initial_states()?.into_iter().for_each(|state| found.add(state));
        let mut expanded = 0;
        while found.end_layer() {
            let end = found.states.len();
            if found.depth() >= limits.depth {
                found.complete = false;
                break;
            }
            while expanded < end && found.complete {
                found.complete = found.states.len() <= limits.states;
                if found.complete {
                    self.expand(&mut found, expanded);
                    expanded += 1;
                }
            }
            if !found.complete {
                found.end_layer();
                break;
            }
        }
        Ok(found)
    }

    /// Counts the steps from a state and adds their targets.
    fn expand(&self, found: &mut Exploration, index: usize) {
        for step in self.steps(&found.states[index]) {
            if step.choice == Choice::Stutter {
                found.deadlocked += 1;
            } else {
                found.steps += 1;
                found.add(step.target);
            }
        }
    }
}
