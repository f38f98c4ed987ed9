//! Steps that a run takes infinitely often.
//!
//! Between two times that it takes such a step, a run gets from where the step leads back to where it begins. So do the values of any
//! variables, along edges between values that steps have. A step whose values cannot get back is taken finitely often, and those
//! that are taken infinitely often get back along themselves.

use super::package::{NONE, Set};
use super::space::{Place, Space};
use super::steps::{Relation, Steps};
use crate::limits::ticks;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most pairs of values that are looked at together.
const MOST_PAIRS: usize = 1 << 12;

/// Values of some variables before and after a step, by the number of the step.
type Pairs = Vec<(usize, [Vec<bool>; 2])>;

/// Of all steps inside a set those that a run may take infinitely often while it stays there.
pub fn returning(space: &mut Space, steps: &Steps, inside: Set) -> Vec<Relation> {
    let mut relations = steps.within(space, inside);
    let mut by_instance: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
    for place in relations.iter().flat_map(Relation::changes) {
        let places = by_instance.entry(place.0).or_default();
        if !places.contains(place) {
            places.push(*place);
        }
    }
    let single: Vec<Vec<Place>> = by_instance.values().flatten().map(|place| vec![*place]).collect();
    let groups: Vec<Vec<Place>> = by_instance.into_values().chain(single).collect();
    loop {
        let mut lost = false;
        for group in &groups {
            lost |= lose(space, group, &mut relations);
        }
        if !lost {
            return relations;
        }
    }
}

/// Takes from relations what cannot return in terms of some variables. Whether there was any.
fn lose(space: &mut Space, group: &[Place], relations: &mut Vec<Relation>) -> bool {
    let mut seen: Vec<u32> = group.iter().flat_map(|place| space.bits_of(*place).to_vec()).collect();
    seen.sort_unstable();
    let Some(pairs) = pairs(space, &seen, relations) else { return false };
    let returns = those_that_return(&pairs);
    if returns.iter().all(|returns| *returns) {
        return false;
    }
    let mut kept: FxHashMap<usize, Set> = FxHashMap::default();
    for ((relation, sides), returns) in pairs.iter().zip(returns) {
        let all = kept.entry(*relation).or_insert(NONE);
        if returns {
            let [before, after] = sides;
            let now = seen.iter().copied().zip(before.iter().copied());
            let next = seen.iter().zip(after).filter(|(level, _)| relations[*relation].moves(space, **level));
            let bits: Vec<(u32, bool)> = now.chain(next.map(|(level, bit)| (level + 1, *bit))).collect();
            let this = space.package.one(bits);
            *all = space.package.or(*all, this);
        }
    }
    for (relation, kept) in kept {
        relations[relation].restrict(space, kept);
    }
    relations.retain(|relation| !relation.is_empty(space));
    true
}

/// The values of bits before and after the steps that change some of them; nothing if there are too many.
fn pairs(space: &mut Space, seen: &[u32], relations: &[Relation]) -> Option<Pairs> {
    let mut pairs = Pairs::new();
    for (number, relation) in relations.iter().enumerate() {
        let moved: Vec<u32> = seen.iter().copied().filter(|level| relation.moves(space, *level)).collect();
        if moved.is_empty() {
            continue;
        }
        let mut levels: Vec<u32> = seen.iter().copied().chain(moved.iter().map(|level| level + 1)).collect();
        levels.sort_unstable();
        let shown = relation.shown(space, &levels);
        for bits in space.package.members(shown, &levels, MOST_PAIRS - pairs.len())? {
            let bit = |level: u32| bits[levels.binary_search(&level).expect("it is one of them")];
            let before = seen.iter().map(|level| bit(*level)).collect();
            let after = seen.iter().map(|level| bit(if moved.contains(level) { level + 1 } else { *level }));
            pairs.push((number, [before, after.collect()]));
        }
    }
    Some(pairs)
}

/// Per pair whether one gets from its second side to its first one.
fn those_that_return(pairs: &Pairs) -> Vec<bool> {
    let mut onwards: FxHashMap<&[bool], Vec<&[bool]>> = FxHashMap::default();
    for (_, [before, after]) in pairs {
        onwards.entry(before).or_default().push(after);
    }
    let mut reached: FxHashMap<&[bool], FxHashSet<&[bool]>> = FxHashMap::default();
    let mut list = Vec::new();
    for (_, [before, after]) in pairs {
        let from = reached.entry(after).or_insert_with(|| {
            let mut known = FxHashSet::default();
            let mut stack: Vec<&[bool]> = vec![after];
            while let Some(at) = stack.pop() {
                if known.insert(at) {
                    stack.extend(onwards.get(at).into_iter().flatten());
                }
            }
            ticks(known.len());
            known
        });
        list.push(from.contains(&before[..]));
    }
    list
}
