//! From which states some run makes a formula false: obligations are unfolded along the steps, formula by formula, and
//! cycles are looked for on which none stays pending for ever.

use super::graph::Explored;
use crate::check::explicit::part::fact;
use crate::check::explicit::tableau::{Obligations, Tableau};
use crate::limits::ticks;
use crate::model::eval::tables::{Fact, Facts};
use crate::model::subformulas::Obligation;
use crate::model::{Formula, Model};
use rustc_hash::{FxHashMap, FxHashSet};

/// A state, the facts about what was received in the step to it, and obligations.
type ProductState = (u32, Vec<u64>, Vec<Obligation>);

/// A way to go on, along a step.
struct Edge {
    target: usize,
    pending: Obligations,
    /// Which conditions are requested, and which are answered.
    requested: Vec<bool>,
    answered: Vec<bool>,
}

/// Per state whether some run from there makes a formula false, and whether some of the runs that are begun in the given
/// states, and make it false, visits it.
pub struct Falsified {
    /// From there.
    pub from: Vec<bool>,
    /// Visited.
    pub visited: Vec<bool>,
}

/// Looks at the runs from some states. `label` is the truth of the branching formulas in the formula.
pub fn falsified(
    model: &Model,
    graph: &Explored,
    facts: &Facts,
    formula: &Formula,
    starts: &[u32],
    label: &dyn Fn(&Formula, u32) -> bool,
) -> Falsified {
    let tableau = Tableau::new(formula);
    let (conditions, initial) = tableau.beginning();
    let read: Vec<Read> = tableau.list.iter().map(|part| Read::of(model, facts, part)).collect();
    let mut receives = vec![0; facts.list().len().div_ceil(64)];
    for bit in read.iter().filter_map(|read| if let Read::Received(bit) = read { Some(*bit) } else { None }) {
        receives[bit / 64] |= 1 << (bit % 64);
    }
    let mut nodes: Vec<ProductState> = Vec::new();
    let mut index: FxHashMap<ProductState, usize> = FxHashMap::default();
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    let nothing = vec![0; receives.len()];
    for state in starts {
        let node = (*state, nothing.clone(), initial.clone());
        index.entry(node.clone()).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        });
    }
    while edges.len() < nodes.len() {
        let (state, received, obligations) = nodes[edges.len()].clone();
        let mut out = Vec::new();
        for (target, step) in graph.steps(state) {
            let truth = |(read, part): (&Read, &&Formula)| match read {
                Read::Nothing => false,
                Read::State(bit) => has(graph.facts(state), *bit),
                Read::Step(bit) => has(step, *bit),
                Read::Received(bit) => has(&received, *bit),
                Read::Label => label(part, state),
            };
            let truths: Vec<bool> = read.iter().zip(&tableau.list).map(truth).collect();
            let now = |obligation: Option<Obligation>, else_: bool| {
                obligation.map_or(else_, |obligation| tableau.is_met(obligation, &truths))
            };
            let received: Vec<u64> = step.iter().zip(&receives).map(|(all, mask)| all & mask).collect();
            for way in tableau.ways(&obligations, &truths) {
                let node = (target, received.clone(), way.next.into_iter().collect::<Vec<_>>());
                let target = *index.entry(node.clone()).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() - 1
                });
                out.push(Edge {
                    target,
                    pending: way.pending,
                    requested: conditions.iter().map(|it| now(it.request, true)).collect(),
                    answered: conditions.iter().map(|it| now(it.answer, false)).collect(),
                });
            }
        }
        ticks(out.len() + 1);
        edges.push(out);
    }
    let good = leading_to_cycles(&edges, conditions.len());
    let (mut from, mut visited) = (vec![false; graph.len()], vec![false; graph.len()]);
    for (node, good) in nodes.iter().zip(good) {
        visited[node.0 as usize] |= good;
        from[node.0 as usize] |= good && node.1 == nothing && node.2 == initial && starts.contains(&node.0);
    }
    Falsified { from, visited }
}

/// The kind of fact that decides the truth of a subformula on its own.
enum Read {
    Nothing,
    State(usize),
    Step(usize),
    Received(usize),
    Label,
}

impl Read {
    fn of(model: &Model, facts: &Facts, formula: &Formula) -> Read {
        let Some(fact) = fact(model, formula) else {
            return if matches!(formula, Formula::Branching(_)) { Read::Label } else { Read::Nothing };
        };
        // Parts of branching formulas are looked at elsewhere, and need not be there.
        let Some(bit) = facts.number(fact) else { return Read::Nothing };
        match fact {
            Fact::State(_) => Read::State(bit),
            Fact::Received(..) => Read::Received(bit),
            Fact::Performed(..) | Fact::Observed(_) => Read::Step(bit),
            Fact::Branching(_) => Read::Label,
        }
    }
}

fn has(set: &[u64], bit: usize) -> bool {
    set[bit / 64] >> (bit % 64) & 1 == 1
}

/// From which nodes a cycle is reached on which no eventuality is pending all the time, and each condition is answered if
/// it is requested.
fn leading_to_cycles(edges: &[Vec<Edge>], conditions: usize) -> Vec<bool> {
    let mut good = vec![false; edges.len()];
    // Nodes that are strongly connected along the edges without some requests are split up further.
    let mut open: Vec<(Vec<usize>, Vec<bool>)> = vec![((0..edges.len()).collect(), vec![false; conditions])];
    while let Some((nodes, refused)) = open.pop() {
        let allowed = |edge: &Edge| !edge.requested.iter().zip(&refused).any(|(is, bad)| *is && *bad);
        for component in components(edges, &nodes, &allowed) {
            let members: FxHashSet<usize> = component.iter().copied().collect();
            let inner: Vec<&Edge> = component
                .iter()
                .flat_map(|node| &edges[*node])
                .filter(|edge| allowed(edge) && members.contains(&edge.target))
                .collect();
            let Some((first, others)) = inner.split_first() else { continue };
            let mut always = first.pending.clone();
            others.iter().for_each(|edge| always.retain(|eventuality| edge.pending.contains(eventuality)));
            if !always.is_empty() {
                continue;
            }
            let is_bad = |condition: &usize| {
                !inner.iter().any(|edge| edge.answered[*condition])
                    && inner.iter().any(|edge| edge.requested[*condition])
            };
            let bad: Vec<usize> = (0..conditions).filter(is_bad).collect();
            if bad.is_empty() {
                component.iter().for_each(|node| good[*node] = true);
            } else {
                let mut more = refused.clone();
                bad.into_iter().for_each(|condition| more[condition] = true);
                open.push((component, more));
            }
        }
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (source, edges) in edges.iter().enumerate() {
        edges.iter().for_each(|edge| before[edge.target].push(source));
    }
    let mut todo: Vec<usize> = (0..good.len()).filter(|node| good[*node]).collect();
    while let Some(node) = todo.pop() {
        for source in &before[node] {
            if !std::mem::replace(&mut good[*source], true) {
                todo.push(*source);
            }
        }
    }
    good
}

/// The strongly connected components of some nodes along some edges between them: in the order in which a search leaves
/// nodes, last first, what leads back to each of them (Kosaraju, Sharir).
fn components(edges: &[Vec<Edge>], nodes: &[usize], allowed: &impl Fn(&Edge) -> bool) -> Vec<Vec<usize>> {
    let members: FxHashSet<usize> = nodes.iter().copied().collect();
    let mut before: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let (mut seen, mut left) = (FxHashSet::default(), Vec::new());
    for root in nodes {
        let mut path = Vec::new();
        if seen.insert(*root) {
            path.push((*root, 0));
        }
        while let Some((node, next)) = path.last_mut() {
            ticks(1);
            let node = *node;
            let Some(edge) = edges[node].get(*next) else {
                left.push(node);
                path.pop();
                continue;
            };
            *next += 1;
            if !allowed(edge) || !members.contains(&edge.target) {
                continue;
            }
            before.entry(edge.target).or_default().push(node);
            if seen.insert(edge.target) {
                path.push((edge.target, 0));
            }
        }
    }
    let (mut found, mut taken) = (Vec::new(), FxHashSet::default());
    for root in left.into_iter().rev() {
        if !taken.insert(root) {
            continue;
        }
        let (mut component, mut todo) = (vec![root], vec![root]);
        while let Some(node) = todo.pop() {
            for source in before.get(&node).into_iter().flatten() {
                if taken.insert(*source) {
                    component.push(*source);
                    todo.push(*source);
                }
            }
        }
        found.push(component);
    }
    found
}
