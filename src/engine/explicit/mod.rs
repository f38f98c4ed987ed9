//! Explicit-state model checking: all runs of a model with few reachable states.
//!
//! A spec is split into conjuncts. For each of them the product of the model's states with the
//! obligations of its negation ([`automaton`]) is built breadth first, on the fly. It is violated if
//!
//! - a node is reached where nothing remains to be shown: the path to it, a shortest one, is a
//!   counterexample however the run goes on; or
//! - a reachable component of the product has a cycle on which no eventuality is put off for ever: a
//!   path there and a loop through it are a counterexample. Components are looked for whenever the
//!   product has doubled (so that a shallow loop is found in an infinite model), and at the end.
//!
//! If the product is exhausted without either, its nodes with the numbers of their components are the
//! certificate: see [`crate::check::explicit`].
//!
//! Most of the time goes into the concrete semantics of steps, each of which is computed once;
//! [`run_all`] shares them between specs.
//!
//! Deliberately absent: symmetry; initial states that are too many or infinitely many only because of
//! variables that do not matter; a depth-first search (Couvreur's, say), which finds some loops sooner, but
//! deeper ones, and none where the model has an infinite branch before it.

mod automaton;
mod components;
mod graph;
mod path;
mod product;
mod store;
#[cfg(test)]
mod tests;

use crate::claim::Trace;
use crate::claim::explicit::{ExplicitCertificate, ExplicitClaim, Member, PartCertificate, Reason};
use crate::model::Formula;
use crate::model::eval::{Influence, Semantics};
use crate::smt::Budget;
use automaton::{Atom, Atoms, Automaton};
use components::Components;
use graph::Graph;
use product::Product;
use store::{Store, bits};

/// How far to search.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The most product states per conjunct.
    pub states: usize,
    /// About the most bytes of memory for states and steps; certificates come on top.
    pub memory: usize,
    /// How long it may take.
    pub budget: Budget,
}

impl Default for Config {
    fn default() -> Config {
        Config { states: 5_000_000, memory: 2 << 30, budget: Budget::new(None) }
    }
}

/// Decides whether all runs satisfy the formula, if the model is small enough.
pub fn run(semantics: &Semantics, formula: &Formula, config: Config) -> ExplicitClaim {
    run_all(semantics, &[formula], config).remove(0)
}

/// As [`run`] for several formulas of one model, in their order. The states and steps of the model are
/// computed once for all formulas that depend on the same variables, which is most of the work; the
/// limit of states counts for each conjunct, that of time for all together.
pub fn run_all(semantics: &Semantics, formulas: &[&Formula], config: Config) -> Vec<ExplicitClaim> {
    let mut groups: Vec<(Influence, Vec<usize>)> = Vec::new();
    for (index, formula) in formulas.iter().enumerate() {
        let influence = Influence::of(semantics.model(), formula);
        match groups.iter_mut().find(|(other, _)| *other == influence) {
            Some((_, group)) => group.push(index),
            None => groups.push((influence, vec![index])),
        }
    }
    let mut claims: Vec<(usize, ExplicitClaim)> = Vec::new();
    for (influence, group) in groups {
        let alike: Vec<&Formula> = group.iter().map(|index| formulas[*index]).collect();
        claims.extend(group.into_iter().zip(run_group(semantics, &influence, &alike, config)));
    }
    claims.sort_by_key(|(index, _)| *index);
    claims.into_iter().map(|(_, claim)| claim).collect()
}

/// All formulas have this influence.
fn run_group(
    semantics: &Semantics,
    influence: &Influence,
    formulas: &[&Formula],
    config: Config,
) -> Vec<ExplicitClaim> {
    let conjuncts: Vec<Vec<Formula>> = formulas.iter().map(|formula| formula.conjuncts()).collect();
    let mut atoms = Atoms::default();
    let mut automata: Vec<Vec<Automaton>> = Vec::new();
    for parts in &conjuncts {
        let of_part = |part| Automaton::of_negation(semantics.model(), part, &mut atoms);
        automata.push(parts.iter().map(of_part).collect());
    }
    match Graph::new(semantics, influence, &atoms) {
        Ok(mut graph) => automata.iter().map(|parts| run_parts(semantics, &mut graph, &atoms, parts, config)).collect(),
        Err(reason) => {
            let unknown = ExplicitClaim::Unknown { reason: Reason::NotEnumerable(reason), states: 0 };
            vec![unknown; formulas.len()]
        }
    }
}

/// One formula, given the automata of its conjuncts.
fn run_parts(
    semantics: &Semantics,
    graph: &mut Graph,
    atoms: &Atoms,
    automata: &[Automaton],
    config: Config,
) -> ExplicitClaim {
    let (mut parts, mut unknown) = (Vec::new(), None);
    for automaton in automata {
        let mut search = Search { semantics, atoms, product: Product::new(graph, automaton, atoms), config };
        match search.run(graph) {
            Ok(Found::Violation(trace)) => return ExplicitClaim::Violated(trace),
            Ok(Found::Nothing(certificate)) => parts.push(certificate),
            // Another conjunct may be violated all the same.
            Err(reason) => unknown = unknown.or(Some((reason, search.product.len()))),
        }
    }
    match unknown {
        Some((reason, states)) => ExplicitClaim::Unknown { reason, states },
        None => ExplicitClaim::Holds(certificate(graph, parts)),
    }
}

/// With the states that its members have; others of the graph were found for other formulas.
fn certificate(graph: &Graph, mut parts: Vec<PartCertificate>) -> ExplicitCertificate {
    let mut numbers = vec![None; graph.len()];
    let mut used = Vec::new();
    for member in parts.iter_mut().flat_map(|part| &mut part.members) {
        let number = numbers[member.state as usize].get_or_insert_with(|| {
            used.push(member.state);
            used.len() as u32 - 1
        });
        member.state = *number;
    }
    let states = used.into_iter().map(|state| graph.coded(state)).collect();
    ExplicitCertificate { integers: graph.integers(), states, parts }
}

/// How the search for a conjunct ends.
enum Found {
    Violation(Trace),
    Nothing(PartCertificate),
}

/// When to look for loops first.
const FIRST_LOOK: usize = 1 << 12;

/// How many ways into accepting loops are compared.
const ENTRIES: usize = 8;

/// How many nodes are expanded between two looks at the clock.
const CLOCK: usize = 1 << 10;

struct Search<'a> {
    semantics: &'a Semantics<'a>,
    atoms: &'a Atoms<'a>,
    product: Product<'a>,
    config: Config,
}

impl Search<'_> {
    fn run(&mut self, graph: &mut Graph) -> Result<Found, Reason> {
        let loops = !self.product.automaton().is_cosafe();
        let mut look = FIRST_LOOK;
        while self.product.expanded() < self.product.len() {
            let node = self.product.expanded();
            if loops && node == look {
                look *= 2;
                if let Some(trace) = self.lasso(graph, &Components::new(&self.product)) {
                    return Ok(Found::Violation(trace));
                }
            }
            self.check_limits(graph)?;
            if self.product.expand(graph) {
                return Ok(Found::Violation(self.prefix(graph, node as u32)));
            }
        }
        let components = Components::new(&self.product);
        Ok(match self.lasso(graph, &components) {
            Some(trace) => Found::Violation(trace),
            None => Found::Nothing(self.certificate(&components)),
        })
    }

    fn check_limits(&self, graph: &Graph) -> Result<(), Reason> {
        let most = self.config.states.min(Store::MOST / 2);
        if self.product.len() > most || graph.len() > most {
            return Err(Reason::States);
        }
        if !self.product.expanded().is_multiple_of(CLOCK) {
            return Ok(());
        }
        if self.config.budget.is_over() {
            return Err(Reason::Timeout);
        }
        let full = self.product.edge_count() >= Store::MOST / 2;
        if full || graph.bytes() + self.product.bytes() > self.config.memory {
            return Err(Reason::Memory);
        }
        Ok(())
    }

    /// The shortest run to a node.
    fn prefix(&self, graph: &Graph, node: u32) -> Trace {
        let path = self.product.stem(node);
        let start = path.first().map_or(node, |edge| self.product.source(*edge));
        self.trace(graph, &path, start, None)
    }

    /// A run into an accepting loop: the shortest of those that enter it at one of its first nodes.
    fn lasso(&self, graph: &Graph, components: &Components) -> Option<Trace> {
        let lasso = |entry: u32| {
            let mut path = self.product.stem(entry);
            let loop_start = path.len();
            path.extend(path::accepting_loop(&self.product, components, entry));
            path::rolled(&self.product, path, loop_start)
        };
        let lassos = components.accepting().take(ENTRIES).map(lasso);
        let (path, loop_start) = lassos.min_by_key(|(path, _)| path.len())?;
        let start = self.product.source(path[0]);
        Some(self.trace(graph, &path, start, Some(loop_start)))
    }

    /// The path from an initial node as a trace.
    fn trace(&self, graph: &Graph, path: &[u32], start: u32, loop_start: Option<usize>) -> Trace {
        path::trace(self.semantics, graph, &self.product, path, start, loop_start)
    }

    fn certificate(&self, components: &Components) -> PartCertificate {
        let (product, automaton) = (&self.product, self.product.automaton());
        let member = |number: u32| {
            let node = product.node(number);
            let (received, obligations) = (node.received, node.obligations);
            Member { state: node.state, received, obligations, rank: components.of(number) }
        };
        let eventuality = |rank: u32| components.postponed(rank).map(|index| automaton.eventuality(index));
        PartCertificate {
            received: product.receive_sets().map(|set| self.receives(set)).collect(),
            obligations: product.obligation_sets().map(|set| automaton.obligations(set)).collect(),
            members: (0..product.len() as u32).map(member).collect(),
            eventualities: (0..components.len() as u32).map(eventuality).collect(),
        }
    }

    /// The receives whose atoms are set.
    fn receives(&self, set: &[u32]) -> Vec<(u32, u32)> {
        let mut list: Vec<(u32, u32)> = bits::iter(set)
            .filter_map(|atom| match self.atoms.list()[atom] {
                Atom::Received(instance, edge) => Some((instance.0, edge.0)),
                _ => None,
            })
            .collect();
        list.sort_unstable();
        list
    }
}
