//! How symmetries act on states (as records), and which representative of an orbit to visit.

use crate::claim::symmetry::Renaming;
use crate::model::{InstanceId, LocalId, Type};
use rustc_hash::FxHashMap;

/// One word of the image that may differ from the record's.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// Its place.
    at: u32,
    /// The place of what comes there.
    from: u32,
    /// What becomes of that: an index into the maps of values.
    map: Option<u32>,
}

/// What a renaming does to records.
#[derive(Debug)]
struct Mover {
    /// Ascending by place.
    changes: Vec<Change>,
    maps: Vec<Vec<u32>>,
}

/// What some renamings do to the records of states: the automaton states of all instances, then locals.
#[derive(Debug, Default)]
pub struct Action {
    generators: Vec<Renaming>,
    movers: Vec<Mover>,
}

impl Action {
    /// Of renamings under which the locals are the same as a set.
    pub fn new(instances: usize, locals: &[(InstanceId, LocalId, Type)], generators: Vec<Renaming>) -> Action {
        let places = locals.iter().zip(instances as u32..).map(|((instance, local, _), at)| ((*instance, *local), at));
        let places: FxHashMap<(InstanceId, LocalId), u32> = places.collect();
        let mover = |renaming: &Renaming| {
            let (mut changes, mut maps) = (Vec::new(), Vec::new());
            changes.extend(renaming.instances.iter().zip(0..).map(|(at, from)| Change { at: *at, from, map: None }));
            for (instance, local, ty) in locals {
                let image = InstanceId(renaming.instances[instance.index()]);
                let map = renaming.values(*ty).filter(|map| map.iter().zip(0..).any(|(to, from)| *to != from));
                let map = map.map(|map| {
                    maps.push(map.to_vec());
                    maps.len() as u32 - 1
                });
                changes.push(Change { at: places[&(image, *local)], from: places[&(*instance, *local)], map });
            }
            changes.retain(|change| change.at != change.from || change.map.is_some());
            changes.sort_unstable_by_key(|change| change.at);
            Mover { changes, maps }
        };
        let movers = generators.iter().map(mover).collect();
        Action { generators, movers }
    }

    /// The renamings.
    pub fn generators(&self) -> &[Renaming] {
        &self.generators
    }

    /// Makes the record smaller as long as one of the renamings does; which ones did, in their order.
    pub fn canonicalise(&self, record: &mut [u32]) -> Vec<u32> {
        let mut word = Vec::new();
        let (mut next, mut kept) = (0, 0);
        while kept < self.movers.len() {
            if self.movers[next].lowers(record) {
                self.movers[next].apply(record);
                word.push(next as u32);
                kept = 0;
            } else {
                kept += 1;
            }
            next = (next + 1) % self.movers.len();
        }
        word
    }
}

impl Mover {
    fn lowers(&self, record: &[u32]) -> bool {
        let mut differing = self.changes.iter().map(|change| (self.value(change, record), record[change.at as usize]));
        differing.find(|(new, old)| new != old).is_some_and(|(new, old)| new < old)
    }

    fn apply(&self, record: &mut [u32]) {
        let values: Vec<u32> = self.changes.iter().map(|change| self.value(change, record)).collect();
        self.changes.iter().zip(values).for_each(|(change, value)| record[change.at as usize] = value);
    }

    fn value(&self, change: &Change, record: &[u32]) -> u32 {
        let value = record[change.from as usize];
        change.map.map_or(value, |map| self.maps[map as usize][value as usize])
    }
}
