//! Accepting loops of the product, and paths as traces of the model.

use super::components::{Components, Marks};
use super::edges::Edges;
use super::permutation::Permutation;
use super::product::{Hop, Link};
use super::states::States;
use crate::claim::Trace;
use crate::claim::symmetry::Renaming;
use crate::model::eval::{Choice, Semantics, State};
use crate::model::{EdgeId, InstanceId, LocalId, Value};
use crate::records::{Records, bits};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A short loop from the node through its accepting component on which every eventuality is somewhere not pending, and
/// every condition that can be answered is.
pub fn accepting_loop(sets: &Records, edges: &Edges, components: &Components, start: u32) -> Vec<Link> {
    let mut due = components.due(start);
    let inside = InsideComponent { edges, components, sets, marks: components.marks() };
    let (mut path, mut at) = (Vec::new(), (start, Permutation::IDENTITY));
    while !due.is_empty() {
        let leg = inside.shortest(at, |edge, moved| due.iter().any(|mark| inside.lacks(edge, moved, *mark)));
        for edge in &leg {
            due.retain(|mark| !inside.lacks(*edge, at.1, *mark));
            at = inside.along(*edge, at.1);
        }
        path.extend(leg);
    }
    if path.is_empty() || at.0 != start {
        path.extend(inside.shortest(at, |edge, _| edges.target(edge) == start));
    }
    let link = |edge| Link { from: edges.source(edge), to: edges.target(edge), marks: Some(edges.marks(edge)) };
    path.into_iter().map(link).collect()
}

/// The edges that stay in components.
struct InsideComponent<'a> {
    edges: &'a Edges,
    components: &'a Components,
    sets: &'a Records,
    marks: Marks,
}

/// A node, and what the conditions of the first one have become there.
type Waypoint = (u32, Permutation);

impl InsideComponent<'_> {
    fn set(&self, edge: u32) -> &[u64] {
        self.sets.get(self.edges.marks(edge))
    }

    /// True if an edge gets rid of something that is due, where conditions have been moved so.
    fn lacks(&self, edge: u32, moved: Permutation, mark: usize) -> bool {
        let bit = match mark.checked_sub(self.marks.eventualities) {
            None => mark,
            Some(condition) => self.marks.unanswered(moved.of(condition)),
        };
        !bits::get(self.set(edge), bit)
    }

    /// The place that an edge leads to.
    fn along(&self, edge: u32, moved: Permutation) -> Waypoint {
        (self.edges.target(edge), moved.then(self.marks.moved(self.set(edge))))
    }

    /// A shortest path inside the component of a node whose last edge is one that is sought.
    ///
    /// # Panics
    /// If there is none: in an accepting component there is.
    fn shortest(&self, start: Waypoint, sought: impl Fn(u32, Permutation) -> bool) -> Vec<u32> {
        let mut parents: FxHashMap<Waypoint, (Waypoint, u32)> = FxHashMap::default();
        let mut queue = VecDeque::from([start]);
        while let Some(place) = queue.pop_front() {
            for edge in self.components.inner(self.edges, self.sets, place.0) {
                if sought(edge, place.1) {
                    let (mut path, mut place) = (vec![edge], place);
                    while place != start {
                        let (before, edge) = parents[&place];
                        path.push(edge);
                        place = before;
                    }
                    path.reverse();
                    return path;
                }
                let target = self.along(edge, place.1);
                if target != start && !parents.contains_key(&target) {
                    parents.insert(target, (place, edge));
                    queue.push_back(target);
                }
            }
        }
        unreachable!("the component has such an edge")
    }
}

/// The same run with a loop that starts as early as possible: as long as the step before the loop is
/// also its last one, the loop may start with it. Obligations differ there, but states do not.
pub fn rolled(mut path: Vec<Hop>, mut loop_start: usize) -> (Vec<Hop>, usize) {
    let step = |hop: &Hop| (hop.source.clone(), hop.choice.clone());
    while loop_start > 0 && step(&path[loop_start - 1]) == step(&path[path.len() - 1]) {
        path.pop();
        loop_start -= 1;
    }
    (path, loop_start)
}

/// The same run with a loop at whose start and end each of these receive labels is as true: if it is not, the loop starts
/// one step later.
pub fn settled(mut trace: Trace, labels: &[(InstanceId, EdgeId)]) -> Trace {
    let Some(start) = trace.loop_start else { return trace };
    let entering = start.checked_sub(1).map(|before| &trace.choices[before]);
    let returning = trace.choices.last().expect("a loop has a step");
    let differs = |(instance, edge): &(InstanceId, EdgeId)| {
        entering.is_some_and(|choice| choice.receives(*instance, *edge)) != returning.receives(*instance, *edge)
    };
    if labels.iter().any(differs) {
        trace.choices.push(trace.choices[start].clone());
        trace.loop_start = Some(start + 1);
    }
    trace
}

/// A path of the product from an initial node, as a run of the model.
///
/// If nodes stand for orbits, the run is made state by state: of the state of the model at hand, its renaming to the
/// row of the path is known, and with it the choice that the path's is the image of. A loop may close up to a renaming
/// only; its repetitions then go through the images of its states, of which there are finitely many, until the first
/// one is back.
pub fn trace(states: &States, first: &[u32], path: &[Hop], loop_start: Option<usize>) -> Trace {
    unfolded(states, first, path, loop_start).trace
}

/// A path as a run.
pub struct Unfolded {
    /// The run.
    pub trace: Trace,
    /// Per position what makes the state of the model there the row of the path.
    pub renamings: Vec<Renaming>,
}

/// As [`trace`], with more details.
pub fn unfolded(states: &States, first: &[u32], path: &[Hop], loop_start: Option<usize>) -> Unfolded {
    let (initial, renaming) = states.initial_state(first);
    let mut run =
        PathUnfolding { states, state: initial.clone(), renaming, choices: Vec::new(), renamings: Vec::new() };
    let (stem, again) = path.split_at(loop_start.unwrap_or(path.len()));
    run.follow(stem);
    if loop_start.is_some() {
        let head = run.state.clone();
        run.follow(again);
        while !run.states.agree(&run.state, &head) {
            run.follow(again);
        }
    }
    let PathUnfolding { choices, mut renamings, renaming, .. } = run;
    renamings.push(renaming);
    let trace = Trace { initial: parts(states.tables().semantics(), &initial), choices, loop_start };
    Unfolded { trace, renamings }
}

/// A run of the model along a path of the product.
struct PathUnfolding<'a, 's, 'f> {
    states: &'a States<'s, 'f>,
    state: State,
    /// Makes `state` the row of the path.
    renaming: Renaming,
    choices: Vec<Choice>,
    /// The renamings of the states before.
    renamings: Vec<Renaming>,
}

impl PathUnfolding<'_, '_, '_> {
    fn follow(&mut self, path: &[Hop]) {
        let semantics = self.states.tables().semantics();
        for hop in path {
            let choice = self.renaming.inverse().choice(semantics.model(), &hop.choice);
            let step = semantics.apply(&self.state, &choice).expect("symmetries map steps to steps");
            self.state = step.target;
            self.choices.push(choice);
            let next = self.renaming.then(&self.states.renaming(&hop.word));
            self.renamings.push(std::mem::replace(&mut self.renaming, next));
        }
    }
}

/// A state as the values of its instances, in the form of [`Semantics::state_from`].
pub fn parts(semantics: &Semantics, state: &State) -> Vec<(u32, Vec<Value>)> {
    let model = semantics.model();
    let part = |instance: InstanceId| {
        let locals = 0..model.agent_of(instance).locals.len() as u32;
        (state.automaton(instance), locals.map(|local| state.local(instance, LocalId(local)).clone()).collect())
    };
    model.instance_ids().map(part).collect()
}
