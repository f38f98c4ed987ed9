//! Explicit-state model checking: all runs of a model with few reachable states.
//!
//! A spec is split into conjuncts. For each of them the product of the model's states with the
//! obligations of its negation ([`automaton`]) is built breadth first, on the fly. It is violated if
//!
//! - a node is reached where nothing remains to be shown: the path to it, a shortest one, is a
//!   counterexample however the run goes on; or
//! - a reachable strongly connected component of the product has a cycle on which no eventuality stays pending for ever: a
//!   path there and a loop through it are a counterexample. Components are looked for whenever the
//!   product has doubled (so that a shallow loop is found in an infinite model), and at the end.
//!
//! If the product is exhausted without either, its nodes, with the numbers of their strongly connected components, are
//! the certificate: see [`crate::check::explicit`].
//!
//! Steps come from tables ([`crate::model::eval::tables`]), which [`run_all`] shares between specs.
//!
//! Symmetric instances are not distinguished: see [`symmetry`].
//!
//! Deliberately absent: support for models that have too many or infinitely many initial states, even if only because
//! of variables that do not matter; and a depth-first search (such as Couvreur's), which finds some loops sooner, but
//! deeper ones, and none if the model has an infinite branch before it.

pub mod automaton;
pub mod branching;
pub mod components;
mod conditions;
pub(super) mod edges;
mod expansion;
mod path;
mod permutation;
mod plan;
mod product;
mod split;
mod states;
pub(super) mod symmetry;
#[cfg(test)]
mod tests;

use crate::claim::Trace;
use crate::claim::explicit::{
    ClosedSet, ExplicitCertificate, ExplicitClaim, GraphCertificate, Incomplete, Members, PartCertificate, Ranks,
    Witnesses,
};
use crate::limits::{Budget, Exceeded, Limits, STACK_BYTES, Stop, current, lack_memory, lock};
use crate::model::Formula;
use crate::model::eval::{EnumerationError, Influence, Semantics};
use crate::records::{Layout, Records};
use crate::ts::history::receive_labels;
use automaton::Automaton;
use components::Components;
use expansion::{Expansion, Wanted};
use permutation::Permutation;
use plan::{ConjunctPlan, FormulaGroup, Plan};
use product::{Hop, Link, Product};
use rayon::ThreadPoolBuilder;
use states::States;
use std::cell::Cell;
use std::sync::{Arc, LazyLock, Mutex, RwLock};
use symmetry::Symmetries;
use tracing::debug;

/// How far to search.
#[derive(Clone, Copy)]
pub struct Config<'a> {
    /// The most product states per conjunct.
    pub states: usize,
    /// About the most bytes of memory for states and steps; what the evidence takes is among them.
    pub memory: usize,
    /// How long it may take.
    pub budget: Budget,
    /// True if to visit one state for all that are alike up to a symmetry.
    pub symmetry: bool,
    /// How many threads search together.
    pub threads: usize,
    /// Set by others to stop the search.
    pub stop: &'a Stop<'a>,
    /// Told now and then how many product states were found for the present conjunct.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// For searches without a stop.
static NEVER: LazyLock<Stop> = LazyLock::new(Stop::new);

impl Default for Config<'_> {
    fn default() -> Self {
        Config {
            states: Records::MOST,
            memory: 2 << 30,
            budget: Budget::new(None),
            symmetry: true,
            threads: 1,
            stop: &NEVER,
            progress: &|_| {},
        }
    }
}

impl Config<'_> {
    /// Checks that so many states with so many bytes are within the limits.
    fn check(&self, states: usize, bytes: usize) -> Result<(), Incomplete> {
        (self.progress)(states);
        if states > self.states {
            return Err(Incomplete::States);
        }
        if bytes > self.memory {
            return Err(Exceeded::Memory.into());
        }
        if self.stop.is_set() {
            return Err(Exceeded::Stopped.into());
        }
        if self.budget.is_over() {
            return Err(Exceeded::Time.into());
        }
        Ok(())
    }
}

/// Decides whether all runs satisfy the formula, if the model is small enough.
pub fn run(semantics: &Semantics, formula: &Formula, config: Config) -> ExplicitClaim {
    run_all(semantics, &[formula], config).remove(0)
}

/// As [`run`] for several formulas of one model, in their order. Formulas that depend on the same variables and admit the
/// same symmetries share the tables of steps; the limit of states counts for each conjunct, those of time and memory for
/// all together.
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
        kept: 0,
        config,
    };
    let claims = plan.formulas.iter().zip(&formulas).map(|(parts, (formulas, _))| match exploration.run(parts) {
        ExplicitClaim::Violated(trace) => {
            ExplicitClaim::Violated(path::settled(trace, &receive_labels(model, formulas)))
        }
        other => other,
    });
    claims.collect()
}

/// The graphs that were needed so far.
struct Exploration<'a> {
    semantics: &'a Semantics<'a>,
    symmetries: &'a Symmetries<'a>,
    groups: &'a [FormulaGroup<'a>],
    graphs: Vec<Option<States<'a, 'a>>>,
    /// How many bytes the evidence takes that was found so far.
    kept: usize,
    config: Config<'a>,
}

impl<'a> Exploration<'a> {
    /// One formula.
    fn run(&mut self, parts: &[ConjunctPlan]) -> ExplicitClaim {
        let (mut closed, mut unknown) = (Vec::new(), None);
        for part in parts {
            match part {
                ConjunctPlan::Image { of, by } => {
                    closed.push(PartCertificate::Image { of: *of as u32, by: by.clone() })
                }
                ConjunctPlan::Search { automaton, group, moves } => match self.search(automaton, *group, moves) {
                    (Ok(ConjunctOutcome::Violation(trace)), _) => return ExplicitClaim::Violated(trace),
                    (Ok(ConjunctOutcome::Nothing(set)), _) => {
                        self.kept += set.members.bytes();
                        closed.push(PartCertificate::Closed(set));
                    }
                    // Another conjunct may be violated all the same.
                    (Err(reason), states) => unknown = unknown.or(Some((reason, states))),
                },
            }
        }
        match unknown {
            Some((reason, states)) => ExplicitClaim::Unknown { reason, states },
            None => ExplicitClaim::Holds(self.certificate(closed)),
        }
    }

    /// With the graphs that it needs.
    fn certificate(&self, mut parts: Vec<PartCertificate>) -> ExplicitCertificate {
        let mut needed = Vec::new();
        for part in &mut parts {
            let PartCertificate::Closed(set) = part else { continue };
            let known = needed.iter().position(|graph| *graph == set.graph);
            let number = known.unwrap_or_else(|| {
                needed.push(set.graph);
                needed.len() - 1
            });
            set.graph = number as u32;
        }
        let empty = || GraphCertificate { split: Vec::new(), local_states: Vec::new(), generators: Vec::new() };
        let graph = |index: u32| self.graphs[index as usize].as_ref().map_or_else(empty, States::certificate);
        ExplicitCertificate { graphs: needed.into_iter().map(graph).collect(), parts }
    }

    /// One conjunct; and how many product states were found.
    fn search(
        &mut self,
        automaton: &Automaton,
        group: usize,
        moves: &[Permutation],
    ) -> (Result<ConjunctOutcome, Incomplete>, usize) {
        let states = Cell::new(0);
        let Config { budget, stop, .. } = self.config;
        match Limits::of(budget, stop).within(|| self.search_on(automaton, group, moves, &states)) {
            Ok(found) => (found, states.get()),
            // It is not known in which state the work left the graph.
            Err(exceeded) => {
                self.graphs[group] = None;
                (Err(exceeded.into()), states.get())
            }
        }
    }

    fn search_on(
        &mut self,
        automaton: &Automaton,
        group: usize,
        moves: &[Permutation],
        found: &Cell<usize>,
    ) -> Result<ConjunctOutcome, Incomplete> {
        self.prepare(group).map_err(Incomplete::NotEnumerable)?;
        let elsewhere = self.graphs.iter().enumerate().filter(|(index, _)| *index != group);
        let elsewhere: usize = elsewhere.filter_map(|(_, graph)| Some(graph.as_ref()?.bytes())).sum();
        let Some(states) = &mut self.graphs[group] else {
            return Ok(ConjunctOutcome::Nothing(no_run(automaton, group)));
        };
        let memory = self.config.memory.saturating_sub(elsewhere + self.kept);
        let config = Config { memory, ..self.config };
        let product = Product::new(states, automaton, &self.groups[group].atoms, moves, &config);
        ConjunctSearch { product, looks: Looks { config, found, next: FIRST_LOOK } }.run(states, group as u32)
    }

    /// Makes the graph unless it is there, or there is no initial state.
    fn prepare(&mut self, index: usize) -> Result<(), EnumerationError> {
        if self.graphs[index].is_none() {
            let FormulaGroup { influence, generators, atoms } = &self.groups[index];
            let generators = generators.iter().map(|index| self.symmetries.generators()[*index].clone());
            let new =
                |split: &[u32]| States::new(self.semantics, influence, atoms, generators.clone().collect(), split);
            let Some(mut states) = new(&[])? else { return Ok(()) };
            let split = split::split(self.semantics, &mut states);
            self.graphs[index] = match split {
                Some(split) if split.is_empty() => Some(states),
                split => new(&split.unwrap_or_default())?,
            };
        }
        Ok(())
    }
}

/// The closed set of a graph without initial states, where no run violates anything.
fn no_run(automaton: &Automaton, group: usize) -> ClosedSet {
    ClosedSet {
        graph: group as u32,
        received: vec![Vec::new()],
        obligations: vec![automaton.obligations(&automaton.initial())],
        reasons: Vec::new(),
        ranks: Vec::new(),
        members: Members::new(Layout::default(), Records::new(0), Ranks::Each(Vec::new())),
        witnesses: Witnesses::default(),
    }
}

/// How the search for a conjunct ends.
enum ConjunctOutcome {
    Violation(Trace),
    Nothing(ClosedSet),
}

/// When to look for loops first.
const FIRST_LOOK: usize = 1 << 12;

/// How many ways into accepting loops are compared.
const ENTRIES: usize = 8;

/// How many nodes are expanded between two looks at the clock.
const CLOCK: usize = 1 << 8;

/// The search for a violation of one conjunct.
struct ConjunctSearch<'a> {
    product: Product<'a>,
    looks: Looks<'a>,
}

/// When to look at limits and for loops.
struct Looks<'a> {
    config: Config<'a>,
    /// How many product states were found.
    found: &'a Cell<usize>,
    /// Loops are looked for once so many nodes are expanded.
    next: usize,
}

/// No thread finds more steps for another once they take so many bytes.
const CHUNK_BYTES: usize = 1 << 20;

/// Nodes whose steps some thread finds.
struct Chunk {
    layout: Arc<Layout>,
    sources: Vec<u64>,
    expansion: Expansion,
}

impl Chunk {
    /// Finds the steps, up to the first node for which the tables lack something, or until they take much memory.
    fn expand(&mut self, states: &States, wanted: &Wanted) {
        let Chunk { layout, sources, expansion } = self;
        for node in sources.chunks_exact(layout.width().max(1)) {
            // Missing entries of the tables are added when the node's turn comes.
            if expansion.bytes() > CHUNK_BYTES || expansion.add(states, layout, wanted, node).is_err() {
                return;
            }
        }
    }
}

/// The lock of states, which only the thread that owns the search changes.
const OWN: &str = "no other thread panics with it";

impl ConjunctSearch<'_> {
    fn run(mut self, states: &mut States, graph: u32) -> Result<ConjunctOutcome, Incomplete> {
        self.begin(states)?;
        let violation = match self.looks.config.threads {
            0 | 1 => self.explore(states),
            threads => self.explore_together(states, threads),
        };
        if let Some(trace) = violation? {
            return Ok(ConjunctOutcome::Violation(trace));
        }
        self.looks.found.set(self.product.len());
        Ok(match self.lasso(states) {
            (Some(trace), _) => ConjunctOutcome::Violation(trace),
            (None, components) => {
                ConjunctOutcome::Nothing(self.product.closed_set(graph, components.as_ref(), states.tables().facts()))
            }
        })
    }

    /// Finds the initial nodes.
    fn begin(&mut self, states: &States) -> Result<(), Incomplete> {
        let mut rows = 0usize;
        let ConjunctSearch { product, looks } = self;
        states.for_each_initial(&mut |row| {
            product.begin(row);
            rows += 1;
            if rows.is_multiple_of(CLOCK) { looks.check(states, product) } else { Ok(()) }
        })
    }

    /// Node after node, until a violation is found.
    fn explore(&mut self, states: &mut States) -> Result<Option<Trace>, Incomplete> {
        while self.product.expanded() < self.product.len() {
            if let Some(trace) = self.look(states)? {
                return Ok(Some(trace));
            }
            if self.product.expand(states) {
                return Ok(Some(self.prefix(states)));
            }
        }
        Ok(None)
    }

    /// The same, while other threads find the steps from the next nodes. The order of nodes stays the same.
    fn explore_together(&mut self, states: &mut States, threads: usize) -> Result<Option<Trace>, Incomplete> {
        let pool = ThreadPoolBuilder::new().num_threads(threads - 1).stack_size(STACK_BYTES).build();
        let pool = pool.unwrap_or_else(|_| lack_memory());
        let (states, wanted, limits) = (RwLock::new(states), self.product.wanted().clone(), current());
        let (mut ready, mut begun) = (Vec::new(), 0);
        while self.product.expanded() < self.product.len() {
            begun = begun.max(self.product.expanded());
            let mut next = self.chunks(&mut begun, 2 * threads);
            if ready.is_empty() && next.is_empty() {
                if let Some(trace) = self.step(&states, None)? {
                    return Ok(Some(trace));
                }
                continue;
            }
            let todo = Mutex::new(next.iter_mut());
            let expand = || {
                let take = || lock(&todo).next();
                while let Some(chunk) = take() {
                    chunk.expand(&states.read().expect(OWN), &wanted);
                }
            };
            let found = pool.in_place_scope(|scope| {
                (1..threads).for_each(|_| scope.spawn(|_| limits.clone().govern(expand)));
                let found = ready.iter().find_map(|chunk| self.join(&states, chunk).transpose());
                expand();
                found
            });
            if let Some(found) = found {
                return found.map(Some);
            }
            ready = next;
        }
        Ok(None)
    }

    /// The next nodes in chunks, so many at most.
    fn chunks(&self, begun: &mut usize, most: usize) -> Vec<Chunk> {
        let count = most.min((self.product.len() - *begun) / CLOCK);
        let chunk = |index: usize| {
            let (layout, sources) = self.product.sources(*begun + index * CLOCK, CLOCK);
            Chunk { layout, sources, expansion: Expansion::within(self.looks.config.memory) }
        };
        let chunks = (0..count).map(chunk).collect();
        *begun += count * CLOCK;
        chunks
    }

    /// Makes nodes of the steps of a chunk, unless there is a violation.
    fn join(&mut self, states: &RwLock<&mut States>, chunk: &Chunk) -> Result<Option<Trace>, Incomplete> {
        for node in 0..CLOCK {
            if let Some(trace) = self.step(states, Some((chunk, node)))? {
                return Ok(Some(trace));
            }
        }
        Ok(None)
    }

    /// Makes nodes of the steps from one node, which a chunk may have; a trace if that shows a violation.
    fn step(
        &mut self,
        states: &RwLock<&mut States>,
        found: Option<(&Chunk, usize)>,
    ) -> Result<Option<Trace>, Incomplete> {
        let shared = states.read().expect(OWN);
        if let Some(trace) = self.look(&shared)? {
            return Ok(Some(trace));
        }
        let found = found.filter(|(chunk, node)| *node < chunk.expansion.len());
        let expanded = found.and_then(|(Chunk { layout, expansion, .. }, node)| {
            self.product.expand_with(&shared, layout, expansion.of(node))
        });
        drop(shared);
        let is_violated = expanded.unwrap_or_else(|| self.product.expand(&mut states.write().expect(OWN)));
        Ok(is_violated.then(|| self.prefix(&states.read().expect(OWN))))
    }

    /// Looks at the limits and for loops from time to time.
    fn look(&mut self, states: &States) -> Result<Option<Trace>, Incomplete> {
        let ConjunctSearch { product, looks } = self;
        looks.found.set(product.len());
        if product.expanded().is_multiple_of(CLOCK) || product.len() > looks.config.states {
            looks.check(states, product)?;
        }
        if product.expanded() != looks.next {
            return Ok(None);
        }
        looks.next *= 2;
        Ok(self.lasso(states).0)
    }

    /// The shortest run to the node that was expanded last.
    fn prefix(&mut self, states: &States) -> Trace {
        let (first, hops) = self.stem(states, self.product.expanded() as u32 - 1);
        path::trace(states, &first, &hops, None)
    }

    /// The row at which a shortest path to a node begins, and its steps.
    fn stem(&mut self, states: &States, node: u32) -> (Vec<u32>, Vec<Hop>) {
        let nodes = self.product.stem(node);
        let links = nodes.windows(2).map(|pair| Link { from: pair[0], to: pair[1], marks: None });
        let hops = links.map(|link| self.product.hop(states, link)).collect();
        (self.product.row(nodes[0]), hops)
    }

    /// A run into an accepting loop, the shortest of those that enter it at one of its first nodes; and the components, if
    /// they were needed to tell.
    fn lasso(&mut self, states: &States) -> (Option<Trace>, Option<Components>) {
        let Some(edges) = self.product.edges() else { return (None, None) };
        let components = self.product.components(edges);
        let entries: Vec<u32> = components.accepting().take(ENTRIES).collect();
        let loops = entries.iter().map(|entry| path::accepting_loop(self.product.marks(), edges, &components, *entry));
        let loops: Vec<Vec<Link>> = loops.collect();
        let mut shortest: Option<(Vec<u32>, Vec<Hop>, usize)> = None;
        for (entry, again) in entries.into_iter().zip(loops) {
            let (first, mut hops) = self.stem(states, entry);
            let loop_start = hops.len();
            hops.extend(again.into_iter().map(|link| self.product.hop(states, link)));
            // Of images of one step, another one may answer another condition.
            let moves = components.marks().moves;
            let (hops, loop_start) = if moves { (hops, loop_start) } else { path::rolled(hops, loop_start) };
            if shortest.as_ref().is_none_or(|(_, known, _)| hops.len() < known.len()) {
                shortest = Some((first, hops, loop_start));
            }
        }
        let trace = shortest.map(|(first, hops, start)| path::trace(states, &first, &hops, Some(start)));
        (trace, Some(components))
    }
}

impl Looks<'_> {
    /// Checks that the search is within its limits.
    fn check(&self, states: &States, product: &Product) -> Result<(), Incomplete> {
        self.found.set(product.len());
        debug!("{} product states", product.len());
        self.config.check(product.len(), states.bytes() + product.bytes())?;
        if product.is_full() { Err(Exceeded::Memory.into()) } else { Ok(()) }
    }
}
