//! The states and steps that all searches on one graph share.

use super::product::Hop;
use super::symmetry::Orbits;
use crate::claim::explicit::GraphCertificate;
use crate::claim::symmetry::Renaming;
use crate::model::InstanceId;
use crate::model::eval::tables::{Facts, Initial, Missing, Possible, Space, Starts, Tables};
use crate::model::eval::{EnumerationError, Influence, Semantics, State};
use std::ops::ControlFlow;

/// Tables, the symmetries of what they say, and the initial rows.
#[derive(Debug)]
pub struct States<'s, 'f> {
    tables: Tables<'s, 'f>,
    orbits: Orbits,
    initial: Initial,
    /// The instances of which each variable is a cell.
    split: Vec<u32>,
}

impl<'s, 'f> States<'s, 'f> {
    /// The initial rows only; nothing if there is none. The generators are symmetries that leave the facts as they are,
    /// and the split instances as a whole.
    pub fn new(
        semantics: &'s Semantics<'s>,
        influence: &Influence,
        facts: &Facts<'f>,
        generators: Vec<Renaming>,
        split: &[u32],
    ) -> Result<Option<States<'s, 'f>>, EnumerationError> {
        let Some(starts) = Starts::of(semantics)? else { return Ok(None) };
        let mut tables = Tables::new(semantics, influence, facts, &starts, split);
        let initial = tables.initial(&starts)?;
        let mut orbits = Orbits::new(&tables, generators);
        orbits.learn(&mut tables);
        Ok(Some(States { tables, orbits, initial, split: split.to_vec() }))
    }

    /// The tables.
    pub fn tables(&self) -> &Tables<'s, 'f> {
        &self.tables
    }

    /// Visits the representatives of all initial rows, until the visitor gives up.
    pub fn for_each_initial<E>(&self, visit: &mut impl FnMut(&[u32]) -> Result<(), E>) -> Result<(), E> {
        let mut image = Vec::new();
        let end = self.initial.for_each(&mut |row| {
            image.clear();
            image.extend_from_slice(row);
            self.canonicalise(&mut image, &mut |_| {});
            visit(&image).map_or_else(ControlFlow::Break, ControlFlow::Continue)
        });
        if let ControlFlow::Break(reason) = end { Err(reason) } else { Ok(()) }
    }

    /// Asks the semantics for what is missing.
    pub fn fill(&mut self, missing: Missing) {
        self.tables.fill(missing);
        self.orbits.learn(&mut self.tables);
    }

    /// The symmetries.
    pub fn orbits(&self) -> &Orbits {
        &self.orbits
    }

    /// True if there are symmetries.
    pub fn is_symmetric(&self) -> bool {
        !self.orbits.generators().is_empty()
    }

    /// Makes a row the representative of its orbit, and says which generators do.
    pub fn canonicalise(&self, row: &mut [u32], applied: &mut impl FnMut(u32)) {
        self.orbits.canonicalise(row, applied);
    }

    /// The renaming that words of generators are.
    pub fn renaming(&self, word: &[u32]) -> Renaming {
        self.orbits.renaming(&self.tables, word)
    }

    /// A step from a row by its index.
    pub fn hop(&self, row: &[u32], index: usize) -> Hop {
        let (mut number, mut found) = (0, None);
        let complete = self.tables.steps(row, &mut Space::default(), &mut Possible::default(), &mut |step| {
            if number == index {
                let mut target = row.to_vec();
                step.change(&mut target);
                found = Some((self.tables.choice(&step), target));
            }
            number += 1;
        });
        complete.expect("its steps are known");
        let (choice, mut target) = found.expect("there are so many");
        let mut word = Vec::new();
        self.canonicalise(&mut target, &mut |generator| word.push(generator));
        Hop { source: row.to_vec(), choice, word }
    }

    /// An initial state of the model that a row stands for, and the renaming that makes it that.
    pub fn initial_state(&self, row: &[u32]) -> (State, Renaming) {
        let found = self.initial.for_each(&mut |initial| {
            let (mut image, mut word) = (initial.to_vec(), Vec::new());
            self.canonicalise(&mut image, &mut |generator| word.push(generator));
            if image == row { ControlFlow::Break((initial.to_vec(), word)) } else { ControlFlow::Continue(()) }
        });
        let ControlFlow::Break((initial, word)) = found else { unreachable!("paths begin there") };
        let state = self.initial.state(self.tables.semantics(), &initial).expect("it is initial");
        (state, self.renaming(&word))
    }

    /// True if two states of the model agree on what matters.
    pub fn agree(&self, one: &State, other: &State) -> bool {
        self.tables.semantics().model().instance_ids().all(|instance: InstanceId| {
            let mut kept = self.tables.kept(instance.index()).iter();
            one.automaton(instance) == other.automaton(instance)
                && kept.all(|local| one.local(instance, *local) == other.local(instance, *local))
        })
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        self.tables.bytes()
    }

    /// As evidence.
    pub fn certificate(&self) -> GraphCertificate {
        let local_states = self.tables.cells().iter().map(|cell| cell.local_states().to_vec()).collect();
        GraphCertificate { split: self.split.clone(), local_states, generators: self.orbits.generators().to_vec() }
    }
}
