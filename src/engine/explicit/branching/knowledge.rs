//! What agents know: classes of states that look alike to them.

use super::graph::Graph;
use crate::model::branching::{Knowledge, Operator};
use crate::model::eval::tables::LocalState;
use crate::model::{InstanceId, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// In which states it is known that the state is none of the bad ones, if only some states are possible at all.
pub fn known(graph: &Graph, operator: &Operator, bad: &[bool], possible: &dyn Fn(u32) -> bool) -> Vec<bool> {
    let Operator::Known(knowledge, group) = operator else { unreachable!("it is about knowledge") };
    let mut label = vec![true; graph.len()];
    match knowledge {
        Knowledge::Own | Knowledge::Everybody => {
            group.iter().for_each(|member| exclude(&classes(graph, &[*member]), bad, &mut label));
        }
        Knowledge::Distributed => exclude(&classes(graph, group), bad, &mut label),
        Knowledge::Common => {
            let union = connected(graph, group, possible);
            // What is bad somewhere is so for whoever is led there.
            let mut spoilt = vec![false; graph.len()];
            union.iter().zip(bad).filter(|(_, bad)| **bad).for_each(|(root, _)| spoilt[*root as usize] = true);
            let bad: Vec<bool> = (0..graph.len() as u32)
                .map(|state| possible(state) && spoilt[union[state as usize] as usize])
                .collect();
            group.iter().for_each(|member| exclude(&classes(graph, &[*member]), &bad, &mut label));
        }
    }
    label
}

/// Makes the label false in all states of classes with a bad one.
fn exclude(classes: &[u32], bad: &[bool], label: &mut [bool]) {
    let mut spoilt = vec![false; label.len()];
    let members = classes.iter().zip(bad).filter(|(_, bad)| **bad);
    members.for_each(|(class, _)| spoilt[*class as usize] = true);
    label.iter_mut().zip(classes).for_each(|(label, class)| *label &= !spoilt[*class as usize]);
}

/// Per state the first one that looks like it to all members at once.
pub fn classes(graph: &Graph, group: &[InstanceId]) -> Vec<u32> {
    let mut first: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let views: Vec<View> = group.iter().map(|member| View::new(graph, *member)).collect();
    let class = |state: u32| {
        let seen = views.iter().flat_map(|view| view.seen(graph, state)).collect();
        *first.entry(seen).or_insert(state)
    };
    (0..graph.len() as u32).map(class).collect()
}

/// What an agent sees: its own local state, and of others what their local states say of the variables that it sees.
struct View {
    member: usize,
    /// Per other instance, which it is, and per local state of it a number: the same where the same is seen.
    others: Vec<(usize, Vec<u32>)>,
}

impl View {
    fn new(graph: &Graph, member: InstanceId) -> View {
        let seen = graph.model().seen_of_others(member);
        let mut others: Vec<usize> = seen.iter().map(|(other, _)| other.index()).collect();
        others.dedup();
        let of = |other: usize| {
            let places: Vec<usize> = graph
                .kept(other)
                .iter()
                .enumerate()
                .filter(|(_, local)| seen.contains(&(InstanceId(other as u32), **local)))
                .map(|(place, _)| place)
                .collect();
            let mut numbers: FxHashMap<Vec<Value>, u32> = FxHashMap::default();
            let number = |state: &Arc<LocalState>| {
                let values = places.iter().map(|place| state.values[*place].clone()).collect();
                let next = numbers.len() as u32;
                *numbers.entry(values).or_insert(next)
            };
            (other, graph.local_states()[other].iter().map(number).collect())
        };
        View { member: member.index(), others: others.into_iter().map(of).collect() }
    }

    fn seen<'v>(&'v self, graph: &'v Graph, state: u32) -> impl Iterator<Item = u32> + 'v {
        let others = self.others.iter().map(move |(other, numbers)| numbers[graph.local_state(state, *other) as usize]);
        std::iter::once(graph.local_state(state, self.member)).chain(others)
    }
}

/// Per possible state one that chains of such states connect with it, each alike to the next one for some member.
fn connected(graph: &Graph, group: &[InstanceId], possible: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let mut union: Vec<u32> = (0..graph.len() as u32).collect();
    for member in group {
        let mut first: FxHashMap<u32, u32> = FxHashMap::default();
        for (state, class) in (0u32..).zip(classes(graph, &[*member])).filter(|(state, _)| possible(*state)) {
            let other = *first.entry(class).or_insert(state);
            let [one, other] = [state, other].map(|state| root(&mut union, state));
            union[one.max(other) as usize] = one.min(other);
        }
    }
    (0..graph.len() as u32).map(|state| root(&mut union, state)).collect()
}

fn root(union: &mut [u32], mut state: u32) -> u32 {
    while union[state as usize] != state {
        union[state as usize] = union[union[state as usize] as usize];
        state = union[state as usize];
    }
    state
}
