//! Explicit-state model checking: all runs of a model with few reachable states.
//!
//! A spec is split into conjuncts. For each of them the product of the model's states with the
//! obligations of its negation ([`automaton`]) is built breadth first, on the fly. It is violated if
//!
//! - a node is reached where nothing remains to be shown: the path to it, a shortest one, is a
//!   counterexample however the run goes on; or
//! - a reachable strongly connected component of the product has a cycle on which no eventuality is put off for ever: a
//!   path there and a loop through it are a counterexample. Components are looked for whenever the
//!   product has doubled (so that a shallow loop is found in an infinite model), and at the end.
//!
//! If the product is exhausted without either, its nodes, with the numbers of their strongly connected components, are
//! the certificate: see [`crate::check::explicit`].
//!
//! Most of the time goes into the concrete semantics of steps, each of which is computed once;
//! [`run_all`] shares them between specs.
//!
//! Symmetric instances are not distinguished: see [`symmetry`].
//!
//! Deliberately absent: support for models that have too many or infinitely many initial states, even if only because
//! of variables that do not matter; and a depth-first search (such as Couvreur's), which finds some loops sooner, but
//! deeper ones, and none if the model has an infinite branch before it.

pub mod automaton;
mod certify;
mod components;
mod graph;
mod path;
mod plan;
mod product;
mod store;
mod symmetry;
#[cfg(test)]
mod tests;

use crate::claim::Trace;
use crate::claim::explicit::{ClosedSet, ExplicitClaim, Incomplete, Member, PartCertificate};
use crate::limits::{Budget, Exceeded, Limits, Stop};
use crate::model::Formula;
use crate::model::eval::{Influence, NotEnumerable, Semantics};
use automaton::{Atom, Atoms, Automaton};
use components::Components;
use graph::Graph;
use plan::{ConjunctPlan, Group, Plan};
use product::Product;
use std::cell::Cell;
use std::sync::LazyLock;
use store::{Store, bits};
use symmetry::Symmetries;
use tracing::debug;

/// How far to search.
#[derive(Clone, Copy)]
pub struct Config<'a> {
    /// The most product states per conjunct.
    pub states: usize,
    /// About the most bytes of memory for states and steps; certificates come on top.
    pub memory: usize,
    /// How long it may take.
    pub budget: Budget,
    /// Whether to visit one state for all that are alike up to a symmetry.
    pub symmetry: bool,
    /// In which order.
    pub order: Order,
    /// Set by others to stop the search.
    pub stop: &'a Stop<'a>,
    /// Told now and then how many product states were found for the present conjunct.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// In which order states of one distance from the initial ones are visited. So each order finds other states first: of
/// those that are alike, others stand for the rest, and everything is numbered in another way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// That of the semantics.
    #[default]
    Forward,
    /// The reverse, of initial states, steps and obligations.
    Backward,
}

impl Order {
    /// Brings a list into this order.
    fn sort<T>(self, list: &mut [T]) {
        if self == Order::Backward {
            list.reverse();
        }
    }
}

/// For searches that nobody stops.
static NEVER: LazyLock<Stop> = LazyLock::new(Stop::new);

impl Default for Config<'_> {
    fn default() -> Self {
        Config {
            states: 5_000_000,
            memory: 2 << 30,
            budget: Budget::new(None),
            symmetry: true,
            order: Order::default(),
            stop: &NEVER,
            progress: &|_| {},
        }
    }
}

/// Decides whether all runs satisfy the formula, if the model is small enough.
pub fn run(semantics: &Semantics, formula: &Formula, config: Config) -> ExplicitClaim {
    run_all(semantics, &[formula], config).remove(0)
}

/// As [`run`] for several formulas of one model, in their order. The states and steps of the model are
/// computed once for all formulas that depend on the same variables and admit the same symmetries, which is
/// most of the work; the limit of states counts for each conjunct, those of time and memory for all together.
pub fn run_all(semantics: &Semantics, formulas: &[&Formula], config: Config) -> Vec<ExplicitClaim> {
    Limits::of(config.budget, config.stop).within(|| explored(semantics, formulas, config)).unwrap_or_else(|exceeded| {
        let unknown = |_: &&Formula| ExplicitClaim::Unknown { reason: exceeded.into(), states: 0 };
        formulas.iter().map(unknown).collect()
    })
}

/// Unless something shared by all conjuncts, the search for symmetries above all, takes too long.
fn explored(semantics: &Semantics, formulas: &[&Formula], config: Config) -> Vec<ExplicitClaim> {
    let model = semantics.model();
    let symmetries = if config.symmetry { Symmetries::of(model) } else { Symmetries::none(model) };
    let parts = |formula: &&Formula| (formula.parts(), Influence::of(model, formula));
    let formulas: Vec<(Vec<Formula>, Influence)> = formulas.iter().map(parts).collect();
    let plan = Plan::new(&symmetries, &formulas);
    let mut exploration = Exploration {
        semantics,
        symmetries: &symmetries,
        groups: &plan.groups,
        graphs: plan.groups.iter().map(|_| None).collect(),
        config,
    };
    plan.formulas.iter().map(|parts| exploration.run(parts)).collect()
}

/// The graphs that were needed so far.
struct Exploration<'a> {
    semantics: &'a Semantics<'a>,
    symmetries: &'a Symmetries<'a>,
    groups: &'a [Group<'a>],
    graphs: Vec<Option<Graph<'a>>>,
    config: Config<'a>,
}

impl Exploration<'_> {
    /// One formula.
    fn run(&mut self, parts: &[ConjunctPlan]) -> ExplicitClaim {
        let (mut closed, mut unknown) = (Vec::new(), None);
        for part in parts {
            match part {
                ConjunctPlan::Image { of, by } => {
                    closed.push(PartCertificate::Image { of: *of as u32, by: by.clone() })
                }
                ConjunctPlan::Search { automaton, group } => match self.search(automaton, *group) {
                    (Ok(Found::Violation(trace)), _) => return ExplicitClaim::Violated(trace),
                    (Ok(Found::Nothing(set)), _) => closed.push(PartCertificate::Closed(set)),
                    // Another conjunct may be violated all the same.
                    (Err(reason), states) => unknown = unknown.or(Some((reason, states))),
                },
            }
        }
        match unknown {
            Some((reason, states)) => ExplicitClaim::Unknown { reason, states },
            None => ExplicitClaim::Holds(certify::certificate(&self.graphs, closed)),
        }
    }

    /// One conjunct; and how many product states were found.
    fn search(&mut self, automaton: &Automaton, group: usize) -> (Result<Found, Incomplete>, usize) {
        let states = Cell::new(0);
        let Config { budget, stop, .. } = self.config;
        match Limits::of(budget, stop).within(|| self.search_on(automaton, group, &states)) {
            Ok(found) => (found, states.get()),
            // Nobody knows in which state the work left the graph.
            Err(exceeded) => {
                self.graphs[group] = None;
                (Err(exceeded.into()), states.get())
            }
        }
    }

    fn search_on(&mut self, automaton: &Automaton, group: usize, states: &Cell<usize>) -> Result<Found, Incomplete> {
        let Group { atoms, .. } = &self.groups[group];
        self.prepare(group).map_err(Incomplete::NotEnumerable)?;
        let elsewhere: usize = self.graphs.iter().flatten().map(Graph::bytes).sum();
        let graph = self.graphs[group].as_mut().expect("it was prepared");
        let config = Config { memory: self.config.memory.saturating_sub(elsewhere - graph.bytes()), ..self.config };
        let product = Product::new(graph, automaton, atoms, config.order);
        let mut search = Search { semantics: self.semantics, atoms, product, config, states };
        search.run(graph).map(|found| match found {
            Found::Nothing(set) => Found::Nothing(ClosedSet { graph: group as u32, ..set }),
            violation => violation,
        })
    }

    /// Makes the graph unless it is there.
    fn prepare(&mut self, index: usize) -> Result<(), NotEnumerable> {
        if self.graphs[index].is_none() {
            let Group { influence, generators, atoms } = &self.groups[index];
            let generators = generators.iter().map(|index| self.symmetries.generator(*index).clone()).collect();
            self.graphs[index] = Some(Graph::new(self.semantics, influence, atoms, generators, self.config.order)?);
        }
        Ok(())
    }
}

/// How the search for a conjunct ends.
enum Found {
    Violation(Trace),
    Nothing(ClosedSet),
}

/// When to look for loops first.
const FIRST_LOOK: usize = 1 << 12;

/// How many ways into accepting loops are compared.
const ENTRIES: usize = 8;

/// How many nodes are expanded between two looks at the clock.
const CLOCK: usize = 1 << 8;

struct Search<'a> {
    semantics: &'a Semantics<'a>,
    atoms: &'a Atoms<'a>,
    product: Product<'a>,
    config: Config<'a>,
    /// How many product states were found.
    states: &'a Cell<usize>,
}

impl Search<'_> {
    fn run(&mut self, graph: &mut Graph) -> Result<Found, Incomplete> {
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
            None => Found::Nothing(self.closed_set(&components)),
        })
    }

    fn check_limits(&self, graph: &Graph) -> Result<(), Incomplete> {
        self.states.set(self.product.len());
        let most = self.config.states.min(Store::MOST / 2);
        if self.product.len() > most || graph.len() > most {
            return Err(Incomplete::States);
        }
        let full = self.product.edge_count() >= Store::MOST / 2;
        if full || graph.bytes() + self.product.bytes() > self.config.memory {
            return Err(Exceeded::Memory.into());
        }
        if !self.product.expanded().is_multiple_of(CLOCK) {
            return Ok(());
        }
        (self.config.progress)(self.product.len());
        debug!("{} states, {} product states", graph.len(), self.product.len());
        if self.config.stop.is_set() {
            return Err(Exceeded::Stopped.into());
        }
        if self.config.budget.is_over() {
            return Err(Exceeded::Time.into());
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

    /// Of the whole product; the graph is still to be named.
    fn closed_set(&self, components: &Components) -> ClosedSet {
        let (product, automaton) = (&self.product, self.product.automaton());
        let member = |number: u32| {
            let node = product.node(number);
            let (received, obligations) = (node.received, node.obligations);
            Member { state: node.state, received, obligations, rank: components.of(number) }
        };
        let eventuality = |rank: u32| components.postponed(rank).map(|index| automaton.eventuality(index));
        ClosedSet {
            graph: 0,
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
