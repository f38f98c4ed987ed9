//! Orders of variables and of what steps choose, in which diagrams may be small.
//!
//! In one of them, those that occur together in guards and updates are near each other. Aloul, Markov, Sakallah, *FORCE: a fast and easy-to-implement variable-ordering heuristic* (GLSVLSI 2003): variables
//! move to the centre of what they occur in, as often as that makes the distances smaller.

use crate::model::InstanceId;
use crate::ts::system::{Domain, EVENT, Origin, System, Variable};
use crate::ts::term::{InputId, Leaf, Sort, Term, VarId};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How often variables move.
const ROUNDS: usize = 100;

/// Orders of all variables and inputs but the event. Counters come first, the last one on top: what is true of a state depends on how
/// far was counted.
pub fn orders(system: &System) -> Vec<Vec<Leaf>> {
    let edges = edges(system);
    let mut orders = vec![near(system, &edges), zipped(system, &edges)];
    let counter = |leaf: &Leaf| match leaf {
        Leaf::Var(id) => match system.variable(*id).origin {
            Origin::Counter(number) => Some(number),
            _ => None,
        },
        Leaf::Input(_) => None,
    };
    for order in &mut orders {
        order.sort_by_key(|leaf| counter(leaf).map_or((1, 0), |number| (0, usize::MAX - number as usize)));
    }
    orders.dedup();
    orders
}

fn leaves(system: &System) -> impl Iterator<Item = Leaf> {
    let inputs = (0..system.inputs().len() as u32).map(InputId).filter(|id| *id != EVENT);
    system.var_ids().map(Leaf::Var).chain(inputs.map(Leaf::Input))
}

/// Those that occur in much first; then members of families of agents side by side, each with all that it has, and with the variables that
/// other agents have for it, one for each member.
fn zipped(system: &System, edges: &[Vec<usize>]) -> Vec<Leaf> {
    let owner = |leaf: &Leaf| match leaf {
        Leaf::Var(id) => match system.variable(*id).origin {
            Origin::Automaton(instance) | Origin::Local(instance, _) => Some(instance),
            _ => None,
        },
        Leaf::Input(id) => system.inputs()[id.0 as usize].owner,
    };
    let mut agents: BTreeMap<Option<InstanceId>, Vec<Leaf>> = BTreeMap::new();
    leaves(system).for_each(|leaf| agents.entry(owner(&leaf)).or_default().push(leaf));
    let mut rest = agents.remove(&None).unwrap_or_default();
    let shape = |leaf: &Leaf| match leaf {
        Leaf::Var(id) => Shape::Variable(system.variable(*id).sort, system.variable(*id).domain.clone()),
        Leaf::Input(id) => Shape::Input(system.inputs()[id.0 as usize].count),
    };
    let shapes = |agent: &Vec<Leaf>| agent.iter().map(shape).collect::<Vec<_>>();
    let agents: Vec<Vec<Leaf>> = agents.into_values().collect();
    // By the number of members, rows of which the leaves at the same place are near each other.
    let mut rows: BTreeMap<usize, Vec<Vec<Leaf>>> = BTreeMap::new();
    for family in agents.chunk_by(|a, b| shapes(a) == shapes(b)) {
        if let [agent] = family {
            for run in agent.chunk_by(|a, b| shape(a) == shape(b)) {
                match run {
                    [_, _, ..] => rows.entry(run.len()).or_default().push(run.to_vec()),
                    _ => rest.extend(run),
                }
            }
        } else {
            let row = |place: usize| family.iter().map(|agent| agent[place]).collect();
            rows.entry(family.len()).or_default().extend((0..family[0].len()).map(row));
        }
    }
    let occurs = |leaf: &Leaf| edges.iter().filter(|edge| edge.contains(&index(system, *leaf))).count();
    rest.sort_by_cached_key(|leaf| Reverse(occurs(leaf)));
    let side_by_side = |(count, rows): (usize, Vec<Vec<Leaf>>)| {
        (0..count).flat_map(move |at| rows.clone().into_iter().map(move |row| row[at]))
    };
    rest.into_iter().chain(rows.into_iter().flat_map(side_by_side)).collect()
}

/// The kind of a leaf, which leaves at the same place of alike agents have in common.
#[derive(PartialEq)]
enum Shape {
    Variable(Sort, Domain),
    Input(u32),
}

/// Those that occur together near each other.
fn near(system: &System, edges: &[Vec<usize>]) -> Vec<Leaf> {
    let count = system.variables().len() + system.inputs().len();
    let mut place: Vec<usize> = (0..count).collect();
    let mut best = (span(edges, &place), place.clone());
    let mut in_edges = vec![Vec::new(); count];
    for (number, edge) in edges.iter().enumerate() {
        edge.iter().for_each(|&variable| in_edges[variable].push(number));
    }
    for _ in 0..ROUNDS {
        let centres: Vec<f64> =
            edges.iter().map(|edge| mean(edge.iter().map(|&variable| (place[variable] as f64, 1.)))).collect();
        let pulled = |variable: usize| match &in_edges[variable][..] {
            [] => place[variable] as f64,
            list => mean(list.iter().map(|&edge| (centres[edge], weight(&edges[edge])))),
        };
        let mut sorted: Vec<(f64, usize)> = (0..count).map(|variable| (pulled(variable), variable)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(place[a.1].cmp(&place[b.1])));
        let mut moved = vec![0; count];
        sorted.iter().enumerate().for_each(|(at, &(_, variable))| moved[variable] = at);
        if moved == place {
            break;
        }
        place = moved;
        let span = span(edges, &place);
        if span < best.0 {
            best = (span, place.clone());
        }
    }
    let mut leaves: Vec<Leaf> = leaves(system).collect();
    leaves.sort_by_key(|leaf| best.1[index(system, *leaf)]);
    leaves
}

/// The number of a leaf: inputs follow variables.
fn index(system: &System, leaf: Leaf) -> usize {
    match leaf {
        Leaf::Var(VarId(id)) => id as usize,
        Leaf::Input(InputId(id)) => system.variables().len() + id as usize,
    }
}

/// How strongly variables are pulled to what they occur in: those that occur in much together say little about each other.
fn weight(edge: &[usize]) -> f64 {
    1. / (edge.len() * edge.len()) as f64
}

/// Of numbers with weights.
fn mean(numbers: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, weights) = numbers.fold((0., 0.), |(sum, all), (number, weight)| (sum + number * weight, all + weight));
    sum / weights
}

/// How far apart variables are that occur together.
fn span(edges: &[Vec<usize>], place: &[usize]) -> usize {
    let span = |edge: &Vec<usize>| {
        let places = || edge.iter().map(|&variable| place[variable]);
        places().max().unwrap_or(0) - places().min().unwrap_or(0)
    };
    edges.iter().map(span).sum()
}

/// Sets of variables and inputs: what a part of a guard reads, and what an update reads and writes.
fn edges(system: &System) -> Vec<Vec<usize>> {
    let terms = system.terms();
    let mut edges = FxHashSet::default();
    let mut list = Vec::new();
    let mut add = |roots: &[Term], also: Option<VarId>| {
        let mut edge: Vec<usize> = also.iter().map(|id| id.0 as usize).collect();
        let mut seen = FxHashSet::default();
        for &root in roots {
            terms.collect_leaves(root, &mut seen, &mut |leaf| {
                if leaf != Leaf::Input(EVENT) {
                    edge.push(index(system, leaf));
                }
            });
        }
        edge.retain(|&leaf| system.variables().get(leaf).is_none_or(is_placed));
        edge.sort_unstable();
        edge.dedup();
        if edge.len() > 1 && edges.insert(edge.clone()) {
            list.push(edge);
        }
    };
    for event in system.events() {
        add(&[event.guard], None);
        terms.conjuncts(&[event.guard]).into_iter().for_each(|part| add(&[part], None));
    }
    for id in system.var_ids() {
        system.update(id).iter().for_each(|case| add(&[case.condition, case.value], Some(id)));
    }
    list
}

/// True if it matters where a variable stands among those that occur with it.
fn is_placed(variable: &Variable) -> bool {
    variable.domain.only().is_none() && !matches!(variable.origin, Origin::Counter(_))
}
