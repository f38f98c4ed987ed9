//! The reachable states of a finite model, breadth first.

use super::{NotEnumerable, Semantics, State};
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

/// What was found.
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

    /// Whether every reachable state was found and expanded; if not, the numbers are lower bounds.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Adds states that are not known yet as one more layer.
    fn add_layer(&mut self, states: impl IntoIterator<Item = State>) {
        let start = self.states.len();
        for state in states {
            if !self.indices.contains_key(&state) {
                self.indices.insert(state.clone(), self.states.len());
                self.states.push(state);
            }
        }
        if self.states.len() > start {
            self.layers.push(start..self.states.len());
        }
    }
}

impl Semantics<'_> {
    /// Explores the model up to the limits. The limit of states is looked at between layers' states,
    /// so that the result may have somewhat more.
    pub fn explore(&self, limits: Limits) -> Result<Exploration, NotEnumerable> {
        let mut found = Exploration {
            indices: FxHashMap::default(),
            states: Vec::new(),
            layers: Vec::new(),
            steps: 0,
            deadlocked: 0,
            complete: true,
        };
        found.add_layer(self.initial_states()?);
        let mut expanded = 0;
        while expanded < found.states.len() {
            if found.depth() >= limits.depth {
                found.complete = false;
                break;
            }
            let mut targets = Vec::new();
            for index in expanded..found.states.len() {
                if found.states.len() + targets.len() > limits.states {
                    found.complete = false;
                    return Ok(found);
                }
                self.expand(&mut found, index, &mut targets);
            }
            expanded = found.states.len();
            found.add_layer(targets);
        }
        Ok(found)
    }

    /// Counts the steps from a state and collects those of their targets that are not known.
    fn expand(&self, found: &mut Exploration, index: usize, targets: &mut Vec<State>) {
        for step in self.steps(&found.states[index]) {
            if step.choice == super::Choice::Stutter {
                found.deadlocked += 1;
                continue;
            }
            found.steps += 1;
            if !found.indices.contains_key(&step.target) {
                targets.push(step.target);
            }
        }
    }
}
