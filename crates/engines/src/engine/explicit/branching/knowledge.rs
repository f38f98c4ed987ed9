//! The knowledge of agents: states that look alike to them.
//!
//! A *sight* is what some agents see of a state: who they are, and their local states. Where a state stands for its
//! orbit under symmetries H that make each knower himself, and each group itself, a state s of an agent i looks like a
//! state h(r) with r among the representatives iff h makes the sight of `j`, which is made i by h, of r the sight of i
//! of s. So it looks like some state of the orbit of r iff some member of the group has in r a sight in the *orbit of
//! sights*, under H, of that of i in s. Knowledge is the same in all states of an orbit (see [`super`]), so that it is
//! enough to compare these orbits. It would not be enough to compare the sights of representatives: these are chosen
//! without regard to i, and i may have others among its values.

use super::super::Config;
use super::graph::Graph;
use crate::claim::explicit::Incomplete;
use crate::claim::symmetry::Renaming;
use crate::limits::ticks;
use crate::model::branching::Knowledge;
use crate::model::eval::tables::LocalState;
use crate::model::{InstanceId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// Instances, ascending, with the numbers of their local states. Behind the instances there are others in what is seen of them.
type Sight = Vec<(u32, u32)>;

/// About how many bytes a sight takes beside its places.
const SIGHT_BYTES: usize = 64;

/// The sights of each view in each state.
pub struct Sights<'g> {
    graph: &'g Graph<'g, 'g>,
    views: Vec<View>,
    /// Per view and state the number of the orbit of what is seen there.
    pub orbits: Vec<Vec<u32>>,
    /// How many there are.
    pub count: usize,
}

impl<'g> Sights<'g> {
    /// Of the agents of a group.
    pub fn new(
        graph: &'g Graph<'g, 'g>,
        knowledge: Knowledge,
        group: &[InstanceId],
        config: &Config,
    ) -> Result<Sights<'g>, Incomplete> {
        let views: Vec<View> = match knowledge.is_joint() {
            true => vec![View::new(graph, group)],
            false => group.iter().map(|member| View::new(graph, &[*member])).collect(),
        };
        let (mut known, mut count) = (FxHashMap::default(), 0);
        let mut orbits = Vec::new();
        for view in &views {
            let mut of_view = Vec::new();
            for state in 0..graph.len() as u32 {
                let sight = view.sight(graph, state);
                let number = known.get(&sight).copied().unwrap_or(count);
                if number == count {
                    for_each_image(graph, sight, &mut |image, _| {
                        known.insert(image.clone(), count);
                        true
                    });
                    count += 1;
                }
                of_view.push(number);
                if state.is_multiple_of(1 << 8) {
                    let bytes = known.len() * (SIGHT_BYTES + 8 * view.members.len());
                    config.check(graph.len(), graph.bytes() + bytes)?;
                }
            }
            orbits.push(of_view);
        }
        Ok(Sights { graph, views, orbits, count: count as usize })
    }

    /// The members whose view it is.
    pub fn members(&self, view: usize) -> &[InstanceId] {
        &self.views[view].members
    }

    /// The renaming that makes of the sight of one view in a state that of another view in another state, of the same
    /// orbit.
    pub fn between(&self, (view, from): (usize, u32), (other, to): (usize, u32)) -> Renaming {
        let wanted = self.views[other].sight(self.graph, to);
        let mut found = None;
        for_each_image(self.graph, self.views[view].sight(self.graph, from), &mut |image, renaming| {
            if *image == wanted {
                found = Some(renaming.clone());
            }
            found.is_none()
        });
        found.expect("they are of one orbit")
    }

    /// In which states it is known that the state is none of the bad ones.
    fn exclude(&self, bad: &[bool]) -> Vec<bool> {
        let mut spoilt = vec![false; self.count];
        for orbits in &self.orbits {
            orbits.iter().zip(bad).filter(|(_, bad)| **bad).for_each(|(orbit, _)| spoilt[*orbit as usize] = true);
        }
        let knows = |state: usize| !self.orbits.iter().any(|orbits| spoilt[orbits[state] as usize]);
        (0..bad.len()).map(knows).collect()
    }

    /// Per possible state one that chains of such states connect with it, each alike to the next one for some member.
    fn connected(&self, possible: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let states = 0..self.graph.len() as u32;
        let mut union: Vec<u32> = states.clone().collect();
        let mut first: Vec<Option<u32>> = vec![None; self.count];
        for orbits in &self.orbits {
            for (state, orbit) in states.clone().zip(orbits).filter(|(state, _)| possible(*state)) {
                let other = *first[*orbit as usize].get_or_insert(state);
                let [one, other] = [state, other].map(|state| root(&mut union, state));
                union[one.max(other) as usize] = one.min(other);
            }
        }
        states.map(|state| root(&mut union, state)).collect()
    }
}

/// In which states it is known that the state is none of the bad ones, if only some states are possible at all.
pub fn known(sights: &Sights, knowledge: Knowledge, bad: &[bool], possible: &dyn Fn(u32) -> bool) -> Vec<bool> {
    if knowledge != Knowledge::Common {
        return sights.exclude(bad);
    }
    let union = sights.connected(possible);
    // States that a chain connects with a bad one count as bad, too.
    let mut spoilt = vec![false; bad.len()];
    union.iter().zip(bad).filter(|(_, bad)| **bad).for_each(|(root, _)| spoilt[*root as usize] = true);
    let states = 0..bad.len() as u32;
    let bad: Vec<bool> = states.map(|state| possible(state) && spoilt[union[state as usize] as usize]).collect();
    sights.exclude(&bad)
}

/// Visits the orbit of a sight, with what makes it each image of it, until the visitor has seen enough.
fn for_each_image(graph: &Graph, sight: Sight, visit: &mut dyn FnMut(&Sight, &Renaming) -> bool) {
    let mut seen = FxHashSet::from_iter([sight.clone()]);
    let mut open = VecDeque::from([(sight, Renaming::identity(graph.model()))]);
    while let Some((sight, renaming)) = open.pop_front() {
        ticks(1);
        if !visit(&sight, &renaming) {
            return;
        }
        for (number, generator) in graph.generators().iter().enumerate() {
            let mut image: Sight = sight.iter().map(|place| graph.image(number, *place)).collect();
            image.sort_unstable();
            if seen.insert(image.clone()) {
                open.push_back((image, renaming.then(generator)));
            }
        }
    }
}

/// The view of some agents: their own local states, and of others what their local states say of the variables that
/// they see.
struct View {
    members: Vec<InstanceId>,
    /// Per other instance, which it is, and per local state of it a number: the same where the same is seen.
    others: Vec<(usize, Vec<u32>)>,
}

impl View {
    fn new(graph: &Graph, members: &[InstanceId]) -> View {
        let others = members.iter().flat_map(|member| View::others(graph, *member)).collect();
        let mut members = members.to_vec();
        members.sort_unstable();
        View { members, others }
    }

    fn others(graph: &Graph, member: InstanceId) -> Vec<(usize, Vec<u32>)> {
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
        others.into_iter().map(of).collect()
    }

    fn sight(&self, graph: &Graph, state: u32) -> Sight {
        let own = self.members.iter().map(|member| (member.0, graph.local_state(state, member.index())));
        let behind = graph.model().instances.len() as u32;
        let others = self
            .others
            .iter()
            .zip(behind..)
            .map(|((other, numbers), place)| (place, numbers[graph.local_state(state, *other) as usize]));
        own.chain(others).collect()
    }
}

fn root(union: &mut [u32], mut state: u32) -> u32 {
    while union[state as usize] != state {
        union[state as usize] = union[union[state as usize] as usize];
        state = union[state as usize];
    }
    state
}
