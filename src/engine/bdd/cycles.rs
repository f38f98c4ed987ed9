//! Which steps a run can take again and again.
//!
//! Whoever looks at some variables only sees a run walk through a graph of their values. Once it leaves a strongly connected component
//! for another, it never comes back; so a run takes the steps between components finitely often. Without them, other variables have graphs with fewer edges, and so on.
//! What is left decides whether a run goes on for ever; a fixpoint without this may need as many iterations as the longest
//! path has steps, each of which has its own set of states.

use super::search::Search;
use crate::diagrams::{Set, Step, not, or};
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

/// The steps of a search that a run can take again and again while it stays in a set, as far as the views tell.
pub fn lasting(search: &Search, views: &[Vec<VarId>], inside: &Set) -> Vec<Step> {
    let steps = search.steps.list.iter().map(|step| step.inside(inside));
    let mut steps: Vec<Step> = steps.filter(|step| !step.is_impossible()).collect();
    // The view that was the last one to tell something, and those that did not since.
    let mut idle = 0;
    for view in views.iter().cycle() {
        if idle == views.len() || steps.is_empty() {
            break;
        }
        idle = if without_passages(search, view, &mut steps) { 0 } else { idle + 1 };
    }
    steps
}

/// An edge of a graph of values, which are bits.
struct Edge {
    from: Vec<bool>,
    to: Vec<bool>,
    /// The number of the step, and the values of what it changes.
    step: usize,
    next: Vec<bool>,
}

/// Takes from steps those that a run takes finitely often, by what one sees of some variables. Whether there are any.
fn without_passages(search: &Search, view: &[VarId], steps: &mut Vec<Step>) -> bool {
    let space = search.space;
    let mut seen: Vec<usize> = space.listed(view).collect();
    seen.sort_unstable();
    let mut edges: Vec<Edge> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let mut changed: Vec<usize> = space.listed(&step.changed).filter(|level| seen.contains(level)).collect();
        changed.sort_unstable();
        if changed.is_empty() {
            continue;
        }
        let mut levels: Vec<usize> = seen.iter().copied().chain(changed.iter().map(|level| level + 1)).collect();
        levels.sort_unstable();
        let Some(list) = step.seen(space, &levels).assignments(&levels, MOST_EDGES - edges.len()) else { return false };
        for bits in list {
            let value = |level: usize| bits[levels.binary_search(&level).expect("one of them")];
            let from: Vec<bool> = seen.iter().map(|level| value(*level)).collect();
            let after = |level: &usize| if changed.contains(level) { value(level + 1) } else { value(*level) };
            let next = changed.iter().map(|level| value(level + 1)).collect();
            edges.push(Edge { from, to: seen.iter().map(after).collect(), step: number, next });
        }
    }
    let components = components(&edges);
    let mut passages: FxHashMap<usize, Set> = FxHashMap::default();
    for edge in edges.iter().filter(|edge| components[&edge.from[..]] != components[&edge.to[..]]) {
        tick();
        let changed = space.listed(&steps[edge.step].changed).filter(|level| seen.contains(level));
        let mut changed: Vec<usize> = changed.map(|level| level + 1).collect();
        changed.sort_unstable();
        let from = seen.iter().copied().zip(edge.from.iter().copied());
        let this = space.where_bits(from.chain(changed.into_iter().zip(edge.next.iter().copied())));
        let known = passages.entry(edge.step).or_insert_with(|| space.constant(false));
        *known = or(known, &this);
    }
    for (step, passages) in &passages {
        steps[*step] = steps[*step].only(&not(passages));
    }
    steps.retain(|step| !step.is_impossible());
    !passages.is_empty()
}

/// The strongly connected components of a graph: per node the number of its own (Sharir, *A strong-connectivity algorithm and its
/// applications in data flow analysis*, Computers and Mathematics with Applications, 1981).
fn components(edges: &[Edge]) -> FxHashMap<&[bool], usize> {
    ticks(edges.len());
    let mut onwards: FxHashMap<&[bool], Vec<&[bool]>> = FxHashMap::default();
    let mut back: FxHashMap<&[bool], Vec<&[bool]>> = FxHashMap::default();
    for edge in edges {
        onwards.entry(&edge.from).or_default().push(&edge.to);
        onwards.entry(&edge.to).or_default();
        back.entry(&edge.to).or_default().push(&edge.from);
    }
    let mut order = Vec::new();
    let mut entered: FxHashMap<&[bool], usize> = FxHashMap::default();
    for start in onwards.keys() {
        let mut path: Vec<&[bool]> = vec![start];
        while let Some(&top) = path.last() {
            let next = entered.get(top).copied().unwrap_or(0);
            entered.insert(top, next + 1);
            match onwards[top].get(next) {
                Some(node) if !entered.contains_key(node) => path.push(node),
                Some(_) => {}
                None => {
                    // A start that was entered before comes up again.
                    if next == onwards[top].len() {
                        order.push(top);
                    }
                    path.pop();
                }
            }
        }
    }
    let mut components: FxHashMap<&[bool], usize> = FxHashMap::default();
    for (number, start) in order.iter().rev().enumerate() {
        let mut stack = vec![*start];
        while let Some(node) = stack.pop() {
            if !components.contains_key(node) {
                components.insert(node, number);
                stack.extend(back.get(node).into_iter().flatten());
            }
        }
    }
    components
}
