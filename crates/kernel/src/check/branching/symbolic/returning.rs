//! Steps that a run takes infinitely often.
//!
//! Between two times that it takes such a step, a run gets from where the step leads back to where it begins. So do the values of any
//! variables, along edges between values that steps have. A step whose values cannot get back is taken finitely often, and those
//! that are taken infinitely often get back along themselves.

use super::package::{NONE, Set};
use super::space::{Slot, Space};
use super::steps::Relation;
use crate::limits::ticks;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most pairs of values that are looked at together.
const MOST_PAIRS: usize = 1 << 12;

/// Values of some variables before and after a step, by the number of the step.
type Pairs = Vec<(usize, [Vec<bool>; 2])>;

/// Of some steps those that a run may take infinitely often if it takes no others.
pub fn returning(space: &mut Space, mut relations: Vec<Relation>) -> Vec<Relation> {
    let mut by_instance: BTreeMap<u32, Vec<Slot>> = BTreeMap::new();
    for place in relations.iter().flat_map(Relation::changes) {
        let places = by_instance.entry(place.0).or_default();
        if !places.contains(place) {
            places.push(*place);
        }
    }
    let single: Vec<Vec<Slot>> = by_instance.values().flatten().map(|place| vec![*place]).collect();
    let groups: Vec<Vec<Slot>> = by_instance.into_values().chain(single).collect();
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

/// Takes from relations all steps that cannot return in terms of some variables; true if there were any.
fn lose(space: &mut Space, group: &[Slot], relations: &mut Vec<Relation>) -> bool {
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

#[cfg(test)]
mod tests {
    use super::super::MEMORY;
    use super::super::space::places;
    use super::super::steps::before;
    use super::*;
    use crate::model::Value;
    use crate::model::of_text::model;
    use std::collections::BTreeSet;

    const MODEL: &str =
        "agent A local: x : 0..2, y : bool init: true receive-guard: false repeat: {false} *! (true)()[]
        system = A(a, true)";
    const X: Slot = (0, 1);
    const Y: Slot = (0, 2);
    const STATES: usize = 6;

    type Edges = BTreeSet<(usize, usize)>;

    fn x(state: usize) -> Value {
        Value::int(state as i64 / 2)
    }

    fn y(state: usize) -> Value {
        Value::Bool(state % 2 == 1)
    }

    fn with_space(test: impl FnOnce(&mut Space)) {
        let model = model(MODEL);
        test(&mut Space::new(&model, &places(&model), MEMORY).expect("an order"));
    }

    fn state(space: &mut Space, number: usize) -> Set {
        let (x, y) = (space.variable(X)[&x(number)], space.variable(Y)[&y(number)]);
        space.package.and(x, y)
    }

    /// From where one of some variables, or both, have the values of a state, to where one of them or both have those of another one.
    fn relation(space: &mut Space, from: [Option<usize>; 2], to: [Option<usize>; 2]) -> Relation {
        let mut parts = Vec::new();
        parts.extend(from[0].map(|state| space.variable(X)[&x(state)]));
        parts.extend(from[1].map(|state| space.variable(Y)[&y(state)]));
        parts.extend(to[0].map(|state| space.becomes(X, &x(state))));
        parts.extend(to[1].map(|state| space.becomes(Y, &y(state))));
        let valid = space.valid();
        parts.push(valid);
        let places: Vec<Slot> = [X, Y].into_iter().zip(to).filter(|(_, to)| to.is_some()).map(|(it, _)| it).collect();
        Relation::new(space, &parts, &places, Vec::new())
    }

    fn edges(space: &mut Space, relations: &[Relation]) -> Edges {
        let mut edges = Edges::new();
        for to in 0..STATES {
            let there = state(space, to);
            let from = before(relations, space, there);
            for number in 0..STATES {
                let here = state(space, number);
                if space.package.and(here, from) != NONE {
                    edges.insert((number, to));
                }
            }
        }
        edges
    }

    fn on_cycles(edges: &Edges) -> Edges {
        let mut closed: Edges = (0..STATES).map(|state| (state, state)).chain(edges.iter().copied()).collect();
        for middle in 0..STATES {
            for from in 0..STATES {
                for to in 0..STATES {
                    if closed.contains(&(from, middle)) && closed.contains(&(middle, to)) {
                        closed.insert((from, to));
                    }
                }
            }
        }
        edges.iter().copied().filter(|(from, to)| closed.contains(&(*to, *from))).collect()
    }

    /// That the edges on cycles are left, and no others if both variables change; how many there were, and are.
    fn compare(space: &mut Space, relations: Vec<Relation>) -> [usize; 2] {
        let changes = |place: Slot| relations.iter().any(|relation| relation.changes().contains(&place));
        let both_change = changes(X) && changes(Y);
        let all = edges(space, &relations);
        let (left, expected) = (returning(space, relations), on_cycles(&all));
        let left = edges(space, &left);
        assert!(left.is_superset(&expected) && left.is_subset(&all), "{left:?} of {all:?}, {expected:?} return");
        assert!(!both_change || left == expected, "{left:?} of {all:?}, {expected:?} return");
        [all.len(), left.len()]
    }

    #[test]
    fn what_returns_in_every_graph_of_four_states_is_what_is_on_cycles() {
        let pairs: Vec<(usize, usize)> = (0..4).flat_map(|from| (0..4).map(move |to| (from, to))).collect();
        let pairs: Vec<(usize, usize)> = pairs.into_iter().filter(|(from, to)| from != to).collect();
        let mut sum = [0; 2];
        with_space(|space| {
            for graph in 0..1usize << pairs.len() {
                let chosen = pairs.iter().enumerate().filter(|(number, _)| graph >> number & 1 == 1);
                let chosen: Vec<(usize, usize)> = chosen.map(|(_, pair)| *pair).collect();
                let relations =
                    chosen.iter().map(|(from, to)| relation(space, [Some(*from); 2], [Some(*to); 2])).collect();
                let counts = compare(space, relations);
                assert_eq!(counts[0], chosen.len());
                (0..2).for_each(|place| sum[place] += counts[place]);
            }
        });
        assert!(sum[0] > sum[1] && sum[1] > 2000, "{sum:?}");
    }

    #[test]
    fn of_steps_with_many_edges_those_that_return_are_left() {
        let mut seed = 5u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut sum = [0; 2];
        with_space(|space| {
            for _ in 0..1000 {
                let mut relations = Vec::new();
                for _ in 0..2 + random(6) {
                    let mut some = || [(); 2].map(|()| Some(random(STATES)).filter(|_| random(3) > 0));
                    let (from, to) = (some(), some());
                    relations.push(relation(space, from, to));
                }
                let counts = compare(space, relations);
                (0..2).for_each(|place| sum[place] += counts[place]);
            }
        });
        assert!(sum[0] > sum[1] && sum[1] > 2000, "{sum:?}");
    }
}
