//! All reachable states and the steps between them.

use super::super::Config;
use super::super::path::{Unfolded, parts, unfolded};
use super::super::states::States;
use crate::claim::explicit::Incomplete;
use crate::claim::symmetry::Renaming;
use crate::model::eval::tables::{Facts, LocalState, Possible, Space};
use crate::model::eval::{Decisions, Influence, Semantics, State};
use crate::model::{LocalId, Model};
use crate::records::{Layout, Records, list_bytes};
use std::cell::Cell;
use std::sync::Arc;

/// Of a step, how it was reached first.
const NONE: u32 = u32::MAX;

/// How many states are expanded between two looks at the limits.
const CLOCK: usize = 1 << 8;

/// States by numbers, in the order of their distance from the initial ones. With symmetries each stands for all that are alike.
pub struct Graph<'s, 'f> {
    states: States<'s, 'f>,
    layout: Layout,
    rows: Records,
    /// How many of them are initial: the first ones.
    initial: u32,
    /// Per state the facts about it.
    facts: Records,
    fact_sets: Vec<u32>,
    /// Per state where its steps begin.
    first: Vec<u32>,
    targets: Vec<u32>,
    letters: Vec<u32>,
    /// Per state the state and the step by which it was found.
    parents: Vec<(u32, u32)>,
}

impl<'s, 'f> Graph<'s, 'f> {
    /// Visits all states; nothing if none is initial. The generators are symmetries that leave what is asked as it is.
    pub fn explore(
        semantics: &'s Semantics<'s>,
        influence: &Influence,
        facts: &Facts<'f>,
        generators: Vec<Renaming>,
        config: &Config,
        found: &Cell<usize>,
    ) -> Result<Option<Graph<'s, 'f>>, Incomplete> {
        let states = States::new(semantics, influence, facts, generators, &[]);
        let Some(states) = states.map_err(Incomplete::NotEnumerable)? else { return Ok(None) };
        let layout = Layout::up_to(&vec![u32::MAX; states.tables().cells().len()]);
        let rows = Records::new(layout.width());
        let mut graph = Graph {
            states,
            rows,
            initial: 0,
            facts: Records::new(crate::records::bits::words(facts.list().len())),
            fact_sets: Vec::new(),
            first: vec![0],
            targets: Vec::new(),
            letters: Vec::new(),
            parents: Vec::new(),
            layout,
        };
        graph.begin(config, found)?;
        graph.expand(config, found)?;
        Ok(Some(graph))
    }

    fn begin(&mut self, config: &Config, found: &Cell<usize>) -> Result<(), Incomplete> {
        let Graph { states, rows, layout, parents, .. } = self;
        let mut record = Vec::new();
        let end = states.for_each_initial(&mut |row| {
            layout.pack(row, &mut record).expect("there is room for all numbers");
            if rows.insert(&record) as usize == parents.len() {
                parents.push((NONE, 0));
            }
            found.set(rows.len());
            if rows.len().is_multiple_of(CLOCK) { config.check(rows.len(), rows.bytes()) } else { Ok(()) }
        });
        self.initial = self.rows.len() as u32;
        end
    }

    fn expand(&mut self, config: &Config, found: &Cell<usize>) -> Result<(), Incomplete> {
        let (mut space, mut possible) = (Space::default(), Possible::default());
        let (mut row, mut image, mut record) = (Vec::new(), Vec::new(), Vec::new());
        let every: Vec<u64> = vec![u64::MAX; self.facts.width()];
        while self.fact_sets.len() < self.rows.len() {
            let state = self.fact_sets.len() as u32;
            found.set(self.rows.len());
            if (state as usize).is_multiple_of(CLOCK) {
                config.check(self.rows.len(), self.bytes())?;
            }
            self.layout.unpack(self.rows.get(state), &mut row);
            let start = self.targets.len();
            loop {
                let Graph { states, rows, layout, targets, letters, parents, .. } = &mut *self;
                let complete = states.tables().steps(&row, &mut space, &mut possible, &mut |step| {
                    image.clear();
                    image.extend_from_slice(&row);
                    step.change(&mut image);
                    states.canonicalise(&mut image, &mut |_| {});
                    layout.pack(&image, &mut record).expect("there is room for all numbers");
                    let target = rows.insert(&record);
                    if target as usize == parents.len() {
                        parents.push((state, (targets.len() - start) as u32));
                    }
                    targets.push(target);
                    letters.push(step.letter);
                });
                let Err(missing) = complete else { break };
                targets.truncate(start);
                letters.truncate(start);
                states.fill(missing);
            }
            let mut set = vec![0; self.facts.width()];
            self.states.tables().state_facts(&row, &possible, &every, &mut set);
            self.fact_sets.push(self.facts.insert(&set));
            self.first.push(self.targets.len() as u32);
        }
        found.set(self.rows.len());
        config.check(self.rows.len(), self.bytes())
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The initial states.
    pub fn initial(&self) -> std::ops::Range<u32> {
        0..self.initial
    }

    /// The facts about a state.
    pub fn facts(&self, state: u32) -> &[u64] {
        self.facts.get(self.fact_sets[state as usize])
    }

    /// The steps from a state: where they lead, and the facts about them.
    pub fn steps(&self, state: u32) -> impl Iterator<Item = (u32, &[u64])> {
        let range = self.first[state as usize] as usize..self.first[state as usize + 1] as usize;
        range.map(|step| (self.targets[step], self.states.tables().letter(self.letters[step])))
    }

    /// The decisions for each step from a state, and where it leads.
    pub fn decisions(&self, state: u32) -> Vec<(Decisions, u32)> {
        let decisions = self.states.tables().decisions(&self.row(state)).expect("the steps were found before");
        decisions.into_iter().zip(self.steps(state).map(|(target, _)| target)).collect()
    }

    /// The number of the local state of an instance in a state.
    pub fn local_state(&self, state: u32, instance: usize) -> u32 {
        self.layout.get(self.rows.get(state), instance)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        self.states.tables().semantics().model()
    }

    /// The locals of an instance that local states have.
    pub fn kept(&self, instance: usize) -> &[LocalId] {
        self.states.tables().kept(instance)
    }

    /// The local states that occur.
    pub fn local_states(&self) -> Vec<Vec<Arc<LocalState>>> {
        self.states.tables().cells().iter().map(|cell| cell.local_states().to_vec()).collect()
    }

    /// The row of a state.
    pub fn row(&self, state: u32) -> Vec<u32> {
        let mut row = Vec::new();
        self.layout.unpack(self.rows.get(state), &mut row);
        row
    }

    /// The symmetries.
    pub fn generators(&self) -> &[Renaming] {
        self.states.orbits().generators()
    }

    /// The image of an instance in a local state.
    pub fn image(&self, generator: usize, place: (u32, u32)) -> (u32, u32) {
        self.states.orbits().image(generator, place)
    }

    /// A shortest way to a state: where it begins, and the numbers of its steps.
    pub fn way(&self, state: u32) -> (u32, Vec<(u32, usize)>) {
        let (mut way, mut at) = (Vec::new(), state);
        while let (parent, step) = self.parents[at as usize]
            && parent != NONE
        {
            way.push((parent, step as usize));
            at = parent;
        }
        way.reverse();
        (at, way)
    }

    /// A run by steps, each given by the state that it leaves and its number there; renamed in the end.
    pub fn run(&self, start: u32, steps: &[(u32, usize)], loop_start: Option<usize>, by: &Renaming) -> Unfolded {
        let hops: Vec<_> = steps.iter().map(|(state, step)| self.states.hop(&self.row(*state), *step)).collect();
        let Unfolded { trace, renamings } = unfolded(&self.states, &self.row(start), &hops, loop_start);
        let back = by.inverse();
        Unfolded {
            trace: by.trace(self.model(), &trace),
            renamings: renamings.iter().map(|renaming| back.then(renaming)).collect(),
        }
    }

    /// A state of the model that a renaming makes of one of the graph.
    pub fn state(&self, state: u32, by: &Renaming) -> State {
        let (tables, semantics) = (self.states.tables(), self.states.tables().semantics());
        let renamed = by.state(self.model(), &parts(semantics, &tables.state(&self.row(state))));
        semantics.state_from(&renamed).expect("it is a state of the model")
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.states.bytes()
            + self.rows.bytes()
            + self.facts.bytes()
            + list_bytes(&self.fact_sets)
            + list_bytes(&self.first)
            + list_bytes(&self.targets)
            + list_bytes(&self.letters)
            + list_bytes(&self.parents)
    }
}
