//! The targets of the steps from some nodes, without what automata make of them.

use super::permutation::Permutation;
use super::states::States;
use crate::limits::lack_memory;
use crate::model::eval::tables::{Missing, Possible, Space};
use crate::records::Layout;

/// The steps from some nodes, node by node.
#[derive(Debug, Default)]
pub struct Expansion {
    /// Per node how many steps there are up to its last one.
    ends: Vec<u32>,
    /// Per node the facts about its state.
    facts: Vec<u64>,
    /// Per step the record of its target, with the receives and obligations of a first one.
    targets: Vec<u64>,
    /// Per step its letter of the tables.
    letters: Vec<u32>,
    /// Per step what the symmetries do to conditions that make its target the representative, if that is asked for.
    moved: Vec<Permutation>,
    work: Work,
    /// The most bytes that it may take.
    most: usize,
}

/// The data that a search asks for about nodes and steps.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The facts of states.
    pub facts: Vec<u64>,
    /// The movement of conditions by each generator, if some of them move some.
    pub moves: Vec<Permutation>,
}

/// Space for one node after the other.
#[derive(Debug, Default)]
struct Work {
    space: Space,
    possible: Possible,
    record: Vec<u64>,
    row: Vec<u32>,
    image: Vec<u32>,
}

/// The steps from one node.
pub struct NodeSteps<'e> {
    /// The facts about its state.
    pub facts: &'e [u64],
    /// Per step the record of its target.
    pub targets: &'e [u64],
    /// Per step its letter of the tables.
    pub letters: &'e [u32],
    /// Per step what happens to conditions, if that was asked for.
    pub moved: &'e [Permutation],
}

impl Expansion {
    /// Of no node; the steps must not take more than so many bytes.
    pub fn within(most: usize) -> Expansion {
        Expansion { most, ..Expansion::default() }
    }

    /// How many bytes the steps take.
    pub fn bytes(&self) -> usize {
        8 * self.targets.len() + 4 * self.letters.len()
    }

    /// Forgets everything but the space.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.facts.clear();
        self.targets.clear();
        self.letters.clear();
        self.moved.clear();
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The steps from one of them.
    pub fn of(&self, node: usize) -> NodeSteps<'_> {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let end = self.ends[node] as usize;
        let (words, width) = (self.facts.len() / self.len(), self.targets.len() / self.letters.len());
        NodeSteps {
            facts: &self.facts[node * words..(node + 1) * words],
            targets: &self.targets[start * width..end * width],
            letters: &self.letters[start..end],
            moved: if self.moved.is_empty() { &[] } else { &self.moved[start..end] },
        }
    }

    /// Adds the steps from a node, with what is asked for. If the tables lack something, nothing is added.
    pub fn add(&mut self, states: &States, layout: &Layout, wanted: &Wanted, node: &[u64]) -> Result<(), Missing> {
        let Expansion { targets, letters, moved, facts, work, ends, most } = self;
        let Work { space, possible, record, row, image } = work;
        let (tables, cells) = (states.tables(), states.tables().cells().len());
        let before = (targets.len(), letters.len());
        row.clear();
        row.extend((0..cells).map(|cell| layout.get(node, cell)));
        record.clear();
        record.extend_from_slice(node);
        layout.set(record, cells, 0);
        layout.set(record, cells + 1, 0);
        let symmetric = states.is_symmetric();
        let complete = tables.steps(row, space, possible, &mut |step| {
            // The choices of receivers multiply.
            if 8 * targets.len() > *most {
                lack_memory();
            }
            letters.push(step.letter);
            let start = targets.len();
            targets.extend_from_slice(record);
            let target = &mut targets[start..];
            if symmetric {
                image.clear();
                image.extend_from_slice(row);
                step.change(image);
                let mut all = Permutation::IDENTITY;
                states.canonicalise(image, &mut |generator| {
                    if let Some(next) = wanted.moves.get(generator as usize) {
                        all = all.then(*next);
                    }
                });
                if !wanted.moves.is_empty() {
                    moved.push(all);
                }
                image.iter().enumerate().for_each(|(cell, number)| layout.set(target, cell, *number));
            } else {
                step.changes.iter().for_each(|(cell, number)| layout.set(target, *cell as usize, *number));
            }
        });
        complete.inspect_err(|_| {
            targets.truncate(before.0);
            letters.truncate(before.1);
            moved.truncate(if wanted.moves.is_empty() { 0 } else { before.1 });
        })?;
        let start = facts.len();
        facts.resize(start + wanted.facts.len(), 0);
        tables.state_facts(row, possible, &wanted.facts, &mut facts[start..]);
        ends.push(letters.len() as u32);
        Ok(())
    }
}
