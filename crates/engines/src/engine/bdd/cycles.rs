//! Which steps a run can take again and again.
//!
//! An observer of some variables only sees a run walk through a graph of their values. Once it leaves a strongly connected component
//! for another, it never comes back; so a run takes the steps between components finitely often. Without them, other variables have graphs with fewer edges, and so on.
//! The steps that are left decide if a run goes on for ever; a fixpoint without this may need as many iterations as the
//! longest path has steps, each of which has its own set of states.

use super::search::Search;
use crate::diagrams::{Set, Space, Step, not, or};
use crate::engine::explicit::components::strongly_connected;
use crate::engine::explicit::edges::Edges;
use crate::limits::{tick, ticks};
use crate::ts::system::{Origin, System};
use crate::ts::term::{Leaf, VarId};
use rustc_hash::FxHashMap;

/// The most edges of a graph of values.
const MOST_EDGES: usize = 1 << 12;

/// Variables at which one looks together: those of an agent, and each one of these.
pub fn views(system: &System, search: &Search) -> Vec<Vec<VarId>> {
    let changes = |id: &VarId| search.steps.list.iter().any(|step| step.changed.contains(id));
    let mut agents: FxHashMap<u32, Vec<VarId>> = FxHashMap::default();
    let mut list = Vec::new();
    for id in system.var_ids().filter(changes).filter(|id| !search.space.bits(Leaf::Var(*id)).levels.is_empty()) {
        if let Origin::Automaton(instance) | Origin::Local(instance, _) = system.variable(id).origin {
            agents.entry(instance.0).or_default().push(id);
        }
        list.push(vec![id]);
    }
    let mut agents: Vec<Vec<VarId>> = agents.into_values().filter(|ids| ids.len() > 1).collect();
    agents.sort_unstable();
    agents.extend(list);
    agents
}

/// Those of some steps, with their numbers, that a run can take again and again if it takes no others, as far as the views tell; and sets
/// that the others leave or enter: no step leaves the first one, and none that stays inside or outside of those before it leaves another one.
pub fn lasting(space: &Space, views: &[Vec<VarId>], mut steps: Vec<(usize, Step)>) -> (Vec<(usize, Step)>, Vec<Set>) {
    steps.retain(|(_, step)| !step.is_impossible());
    let mut closed = Vec::new();
    // The view that was the last one to tell something, and those that did not since.
    let mut idle = 0;
    for view in views.iter().cycle() {
        if idle == views.len() || steps.is_empty() {
            break;
        }
        let more = without_passages(space, view, &mut steps);
        idle = if more.is_empty() { idle + 1 } else { 0 };
        closed.extend(more);
    }
    (steps, closed)
}

/// An edge of a graph of values, which are bits.
pub struct ValueEdge {
    /// Where it begins.
    pub from: Vec<bool>,
    /// Where it leads.
    pub to: Vec<bool>,
}

/// A graph of values.
pub struct Graph {
    /// Its nodes.
    pub nodes: Vec<Vec<bool>>,
    /// Per node the number of its strongly connected component; edges lead to others with smaller numbers only.
    components: Vec<u32>,
    /// Per component, true if no edge is inside of it.
    passing: Vec<bool>,
}

impl Graph {
    fn of(edges: &[ValueEdge]) -> Graph {
        ticks(edges.len());
        let (mut numbers, mut nodes): (FxHashMap<&[bool], u32>, _) = (FxHashMap::default(), Vec::new());
        let mut number = |node| {
            *numbers.entry(node).or_insert_with(|| {
                nodes.push(node.to_vec());
                nodes.len() as u32 - 1
            })
        };
        let pairs = edges.iter().map(|edge| (number(&edge.from[..]), number(&edge.to[..])));
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut graph = Edges::default();
        for node in 0..nodes.len() as u32 {
            graph.open();
            let first = pairs.partition_point(|(from, _)| *from < node);
            pairs[first..].iter().take_while(|(from, _)| *from == node).for_each(|(_, to)| graph.add(*to, 0));
        }
        let components = strongly_connected(nodes.len(), &graph);
        let mut passing = vec![true; components.iter().max().map_or(0, |most| *most as usize + 1)];
        for (from, to) in pairs.into_iter().map(|(from, to)| (components[from as usize], components[to as usize])) {
            passing[from as usize] &= from != to;
        }
        Graph { nodes, components, passing }
    }

    /// Of these edges, with some nodes more.
    pub fn with(edges: Vec<ValueEdge>, starts: Vec<Vec<bool>>) -> Graph {
        let mut graph = Graph::of(&edges);
        for start in starts {
            if !graph.nodes.contains(&start) {
                graph.components.push(graph.passing.len() as u32);
                graph.passing.push(true);
                graph.nodes.push(start);
            }
        }
        graph
    }

    /// The number of components.
    pub fn count(&self) -> usize {
        self.passing.len()
    }

    /// True if no edge is inside of a component.
    pub fn is_passing(&self, component: usize) -> bool {
        self.passing[component]
    }

    /// The union of the sets of a component's nodes.
    pub fn of_class(&self, component: usize, nodes: &[Set], none: &Set) -> Set {
        let own = nodes.iter().zip(&self.components).filter(|(_, of)| **of as usize == component);
        own.fold(none.clone(), |all, (node, _)| or(&all, node))
    }

    /// Per bit of a component's number, the highest one first, the union of the sets of nodes where it is clear: edges do
    /// not set one unless they clear a higher one.
    pub fn closed(&self, nodes: &[Set], none: &Set) -> Vec<Set> {
        let bits = self.count().next_power_of_two().trailing_zeros();
        let clear = |bit: u32| {
            let own = nodes.iter().zip(&self.components).filter(|(_, of)| *of >> bit & 1 == 0);
            own.fold(none.clone(), |all, (node, _)| or(&all, node))
        };
        (0..bits).rev().map(clear).collect()
    }
}

/// Takes from steps those that a run takes finitely often, by what one sees of some variables; the sets that these leave or enter.
fn without_passages(space: &Space, view: &[VarId], steps: &mut Vec<(usize, Step)>) -> Vec<Set> {
    let mut seen: Vec<usize> = space.listed(view).collect();
    seen.sort_unstable();
    let mut edges: Vec<ValueEdge> = Vec::new();
    // The number of the step, and the values of what it changes.
    let mut of_steps: Vec<(usize, Vec<(usize, bool)>)> = Vec::new();
    for (number, (_, step)) in steps.iter().enumerate() {
        let mut changed: Vec<usize> = space.listed(&step.changed).filter(|level| seen.contains(level)).collect();
        changed.sort_unstable();
        if changed.is_empty() {
            continue;
        }
        let mut levels: Vec<usize> = seen.iter().copied().chain(changed.iter().map(|level| level + 1)).collect();
        levels.sort_unstable();
        let list = step.seen(space, &levels).assignments(&levels, MOST_EDGES - edges.len());
        let Some(list) = list else { return Vec::new() };
        for bits in list {
            let value = |level: usize| bits[levels.binary_search(&level).expect("one of them")];
            let from: Vec<bool> = seen.iter().map(|level| value(*level)).collect();
            let after = |level: &usize| if changed.contains(level) { value(level + 1) } else { value(*level) };
            of_steps.push((number, changed.iter().map(|level| (level + 1, value(level + 1))).collect()));
            edges.push(ValueEdge { from, to: seen.iter().map(after).collect() });
        }
    }
    let graph = Graph::of(&edges);
    let components: FxHashMap<&[bool], u32> =
        graph.nodes.iter().map(|node| &node[..]).zip(graph.components.iter().copied()).collect();
    let mut passages: FxHashMap<usize, Set> = FxHashMap::default();
    for (edge, (step, next)) in edges.iter().zip(of_steps) {
        if components[&edge.from[..]] != components[&edge.to[..]] {
            tick();
            let this = space.where_bits(seen.iter().copied().zip(edge.from.iter().copied()).chain(next));
            let known = passages.entry(step).or_insert_with(|| space.constant(false));
            *known = or(known, &this);
        }
    }
    for (step, passages) in &passages {
        steps[*step].1 = steps[*step].1.only(space, &not(passages));
    }
    steps.retain(|(_, step)| !step.is_impossible());
    if passages.is_empty() {
        return Vec::new();
    }
    let nodes = graph.nodes.iter().map(|node| space.where_bits(seen.iter().copied().zip(node.iter().copied())));
    graph.closed(&nodes.collect::<Vec<_>>(), &space.constant(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagrams::{Steps, and, orders, without};
    use crate::model::of_text::model;
    use crate::ts::lower::lower;
    use std::collections::BTreeSet;

    /// Pairs of states, by the number of an event.
    type Edges = BTreeSet<(usize, usize, usize)>;

    /// Steps of one agent with two variables, for each guard and update that name values.
    fn system(values: usize) -> System {
        let mut commands = Vec::new();
        let (xs, ys) = (0..=values, 0..=2);
        let part = |sign: &str, joined: &str, x: usize, y: usize| {
            let x = (x < values).then(|| format!("x {sign} {x}"));
            let y = (y < 2).then(|| format!("y {sign} {}", y == 1));
            x.into_iter().chain(y).collect::<Vec<_>>().join(joined)
        };
        for (x, y) in xs.clone().flat_map(|x| ys.clone().map(move |y| (x, y))).filter(|it| *it != (values, 2)) {
            for (a, b) in xs.clone().flat_map(|a| ys.clone().map(move |b| (a, b))) {
                let (guard, update) = (part("=", " & ", x, y), part(":=", ", ", a, b));
                commands.push(format!("{{{guard}}} *! (true)()[{update}]"));
            }
        }
        let (most, commands) = (values - 1, commands.join(" + "));
        lower(&model(&format!(
            "agent A local: x : 0..{most}, y : bool init: true receive-guard: false repeat: ({commands}) system = A(a, true)"
        )))
    }

    fn states(system: &System, space: &Space) -> Vec<Set> {
        let all = system.var_ids().map(|id| space.is_valid(Leaf::Var(id)));
        let (mut rest, mut list) = (all.fold(space.constant(true), |all, valid| and(&all, &valid)), Vec::new());
        while !rest.is_false() {
            let one = space.only(&space.some_state(&rest));
            rest = without(&rest, &one);
            list.push(one);
        }
        list
    }

    fn edges(steps: &[Step], states: &[Set]) -> Edges {
        let mut edges = Edges::new();
        for step in steps {
            for (from, state) in states.iter().enumerate() {
                let after = step.image(state);
                let there = states.iter().enumerate().filter(|(_, state)| !and(&after, state).is_false());
                edges.extend(there.map(|(to, _)| (step.event, from, to)));
            }
        }
        edges
    }

    /// Those that lead to where one gets back from.
    fn on_cycles(edges: &Edges, count: usize) -> Edges {
        let mut reaches: Vec<Vec<bool>> = (0..count).map(|from| (0..count).map(|to| from == to).collect()).collect();
        for _ in 0..count {
            for (_, from, to) in edges {
                let beyond = reaches[*to].clone();
                reaches[*from].iter_mut().zip(beyond).for_each(|(reached, further)| *reached |= further);
            }
        }
        edges.iter().copied().filter(|(_, from, to)| reaches[*to][*from]).collect()
    }

    /// Compares what is left of steps inside of a set with the steps on cycles there: all if one looks at all variables together.
    fn compare(space: &Space, states: &[Set], views: &[Vec<VarId>], steps: &[Step], inside: usize) -> [usize; 3] {
        let chosen = states.iter().enumerate().filter(|(number, _)| inside >> number & 1 == 1);
        let inside = chosen.fold(space.constant(false), |all, (_, state)| or(&all, state));
        let steps: Vec<Step> = steps.iter().map(|step| step.inside(space, &inside)).collect();
        let all = edges(&steps, states);
        let expected = on_cycles(&all, states.len());
        let left = |views: &[Vec<VarId>]| {
            let (left, closed) = lasting(space, views, steps.iter().cloned().enumerate().collect());
            let left = edges(&left.into_iter().map(|(_, step)| step).collect::<Vec<_>>(), states);
            check_closed(&all, &left, states, &closed);
            left
        };
        assert_eq!(left(views), expected);
        let apart: Vec<Vec<VarId>> = views.iter().filter(|view| view.len() == 1).cloned().collect();
        let apart = left(&apart);
        assert!(apart.is_superset(&expected) && apart.is_subset(&all), "{apart:?} of {all:?}, {expected:?} return");
        [all.len(), apart.len(), expected.len()]
    }

    /// That steps enter the first closed set that they enter or leave, and those that are left neither enter nor leave one.
    fn check_closed(all: &Edges, left: &Edges, states: &[Set], closed: &[Set]) {
        for edge @ (_, from, to) in all {
            let is_in = |set: &Set, state: usize| !and(set, &states[state]).is_false();
            let mut sides = closed.iter().map(|set| [is_in(set, *from), is_in(set, *to)]);
            let first = sides.find(|[from, to]| from != to);
            assert_eq!(first, (!left.contains(edge)).then_some([false, true]), "{edge:?}");
        }
    }

    fn with_steps(values: usize, test: impl FnOnce(&Space, &[Vec<VarId>], Vec<Step>, Vec<Set>)) {
        let system = system(values);
        let space = Space::new(&system, &orders(&system)[0]).expect("few values");
        let search = Search::new(&system, &space).expect("few values");
        let views = views(&system, &search);
        assert_eq!(views.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 1]);
        let states = states(&system, &space);
        let Steps { list, .. } = search.steps;
        test(&space, &views, list, states);
    }

    #[test]
    fn what_is_left_of_every_graph_of_four_states_are_its_cycles() {
        with_steps(2, |space, views, steps, states| {
            let mut single: FxHashMap<(usize, usize), Step> = FxHashMap::default();
            for step in steps {
                let edges = edges(std::slice::from_ref(&step), &states);
                if let [(_, from, to)] = edges.iter().collect::<Vec<_>>()[..]
                    && from != to
                {
                    single.insert((*from, *to), step);
                }
            }
            let mut single: Vec<_> = single.into_iter().collect();
            single.sort_by_key(|(edge, _)| *edge);
            assert_eq!(single.len(), 12);
            let mut sum = [0; 3];
            for graph in 0..1 << 12usize {
                let chosen = single.iter().enumerate().filter(|(number, _)| graph >> number & 1 == 1);
                let steps: Vec<Step> = chosen.map(|(_, (_, step))| step.clone()).collect();
                let inside = if graph % 2 == 0 { 15 } else { graph * 7 % 16 };
                let counts = compare(space, &states, views, &steps, inside);
                (0..3).for_each(|place| sum[place] += counts[place]);
            }
            assert!(sum[0] > sum[1] && sum[1] > sum[2] && sum[2] > 2000, "{sum:?}");
        });
    }

    #[test]
    fn of_steps_with_many_edges_those_on_cycles_are_left() {
        with_steps(3, |space, views, steps, states| {
            let mut rng = fastrand::Rng::with_seed(1);
            let mut random = |below: usize| rng.usize(..below);
            let mut sum = [0; 3];
            for _ in 0..1000 {
                let some: Vec<Step> = (0..2 + random(6)).map(|_| steps[random(steps.len())].clone()).collect();
                let inside = if random(2) == 0 { 63 } else { random(64) };
                let counts = compare(space, &states, views, &some, inside);
                (0..3).for_each(|place| sum[place] += counts[place]);
            }
            assert!(sum[0] > sum[1] && sum[1] > sum[2] && sum[2] > 2000, "{sum:?}");
        });
    }
}
