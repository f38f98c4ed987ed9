//! From which states some run violates a formula: positions of the product of states with obligations
//! ([`crate::product::negation`]), in which no eventuality stays pending for ever on such a run (Emerson, Lei,
//! *Efficient model checking in fragments of the propositional mu-calculus*, LICS 1986).
//!
//! Sets of pending obligations are the nodes of a graph, of which a run stays in one strongly connected component from some step on. In
//! each, fewer steps are possible, and fewer of these again and again ([`super::cycles`]): most often nothing of the obligations is
//! left there but a condition on states and steps.
//!
//! On the way, what the check needs to see that no run violates the formula from the other positions ([`RunSets`]).

use super::branching::Judge;
use super::cycles::{Graph, ValueEdge, lasting};
use super::search::closure;
use crate::claim::branching::branchings;
use crate::diagrams::{BitSet, Compiler, Set, Space, Step, and, and_exists, down, exists, or, up, without};
use crate::limits::{Reason, tick};
use crate::model::{Formula, Model};
use crate::product::negation::Negation;
use crate::ts::system::{InEvents, System};
use crate::ts::term::{InputId, Leaf, VarId};

/// The most pairs of sets of pending obligations that follow each other which are looked at.
const MOST_PAIRS: usize = 1 << 12;

/// A formula with the runs that violate it.
pub struct Product {
    /// The number of obligations.
    count: usize,
    /// The levels of their bits, and those of their next values.
    now: BitSet,
    next: BitSet,
    /// Per relation the conditions on its steps, with pending and next obligations.
    demands: Vec<Set>,
    /// The obligations at first.
    pub start: Set,
    /// Per eventuality where it is not pending; if there are none, everywhere.
    pub met: Vec<Set>,
    has_eventualities: bool,
}

/// Steps by the number of an event, and where they lead or begin.
pub type Layers = Vec<(usize, Set)>;

/// Where some run violates a formula, and where none does.
pub struct Solution {
    /// The product.
    pub product: Product,
    /// The positions from which some run violates it.
    pub some: Set,
    /// The others, as far as runs come there.
    pub none: Set,
    /// See [`crate::claim::diagrams::RunSets`].
    pub closed: Vec<Set>,
    pub ranks: Vec<(Set, Option<u32>)>,
    pub approaches: Vec<Layers>,
    pub visited: Layers,
}

impl Product {
    /// Of a negation, given the sets where the branching formulas of the formula are true.
    fn new(judge: &Judge, formula: &Formula, negation: &Negation) -> Result<Product, Reason> {
        let (space, base, system) = (judge.search.space, &judge.base, &negation.system);
        let count = negation.bits.len();
        let (variables, labels) = (base.variables().len() as u32, branchings(formula));
        let mut terms = system.terms().clone();
        let (mut in_events, mut demands) = (InEvents::new(base), Vec::new());
        for step in &judge.search.steps.list {
            let list = system.constraints()[base.constraints().len()..].iter();
            let list: Vec<_> = list.map(|&term| in_events.term(&mut terms, term, step.event)).collect();
            demands.push(terms.and(list));
        }
        let mut compiler = Compiler::new(space);
        for (id, branching) in (variables..).zip(&labels) {
            let number = judge.number(branching).expect("it is one of them");
            compiler.give(Leaf::Var(VarId(id)), judge.labels[number].clone());
        }
        let now = space.spare_levels(0..count);
        for number in 0..count {
            let id = variables + labels.len() as u32 + number as u32;
            let bit = space.spare_bit(number);
            compiler.give(Leaf::Input(InputId((base.inputs().len() + number) as u32)), down(&bit, now));
            compiler.give(Leaf::Var(VarId(id)), bit);
        }
        let mut start = space.constant(true);
        for &term in &system.init()[base.init().len()..] {
            start = and(&start, &compiler.truth(&terms, term)?);
        }
        let demands = demands.into_iter().map(|term| compiler.truth(&terms, term)).collect::<Result<Vec<_>, _>>()?;
        let all = space.constant(true);
        let pending = negation.pending_eventualities();
        let mut met = Vec::new();
        for term in &pending {
            met.push(without(&all, &compiler.truth(&terms, *term)?));
        }
        let has_eventualities = !met.is_empty();
        if !has_eventualities {
            met.push(all);
        }
        let next = space.next_spare_levels(0..count);
        Ok(Product { count, now, next, demands, start, met, has_eventualities })
    }

    /// The set where nothing is pending.
    pub fn idle(&self, space: &Space) -> Set {
        (0..self.count).fold(space.constant(true), |all, number| without(&all, &space.spare_bit(number)))
    }

    /// Of positions with one state, one.
    pub fn some_obligations(&self, space: &Space, set: &Set) -> Set {
        (0..self.count).fold(set.clone(), |rest, number| {
            let without = without(&rest, &space.spare_bit(number));
            if without.is_false() { rest } else { without }
        })
    }

    /// The positions from which one of some steps, by the numbers of relations, leads into a set.
    pub fn before(&self, space: &Space, steps: &[(usize, Step)], set: &Set) -> Set {
        let moved = down(set, self.now);
        let (mut all, mut open) = (space.constant(false), space.constant(false));
        // Relations with the same demands are looked at together.
        for (place, (relation, step)) in steps.iter().enumerate() {
            open = or(&open, &step.preimage(&moved));
            let next = steps.get(place + 1).map(|(next, _)| &self.demands[*next]);
            if next != Some(&self.demands[*relation]) {
                all = or(&all, &and_exists(&open, &self.demands[*relation], self.next));
                open = space.constant(false);
            }
        }
        all
    }

    /// The positions after one of some steps.
    pub fn after(&self, space: &Space, steps: &[(usize, Step)], set: &Set) -> Set {
        let none = space.constant(false);
        steps.iter().fold(none, |all, step| or(&all, &self.after_one(step, set)))
    }

    fn after_one(&self, (relation, step): &(usize, Step), set: &Set) -> Set {
        up(&step.image(&and_exists(set, &self.demands[*relation], self.now)), self.now)
    }

    /// True if a step of a relation may be taken from one position to another one, given as sets of them alone.
    pub fn may_take(&self, space: &Space, relation: usize, from: &Set, to: &Set) -> bool {
        let to = exists(to, space.levels(&space.variables()));
        !and(&and(&self.demands[relation], from), &down(&to, self.now)).is_false()
    }

    /// The states of positions.
    pub fn states(&self, set: &Set) -> Set {
        exists(set, self.now)
    }

    /// The sets of obligations that may be pending, from the beginning on; and how one may follow the other.
    fn pending(&self, space: &Space, reachable: &Set) -> (Set, Set) {
        let mut known: Vec<Set> = Vec::new();
        for demands in &self.demands {
            let seen = exists(&and(demands, reachable), space.levels(&space.variables()));
            if !known.contains(&seen) {
                known.push(seen);
            }
        }
        let steps = known.iter().fold(space.constant(false), |all, seen| or(&all, seen));
        let all = closure(self.start.clone(), |set| up(&and_exists(set, &steps, self.now), self.now));
        (all.clone(), and(&steps, &all))
    }

    /// The graph of what is pending, by how one may follow the other; nothing if it is too large.
    fn graph(&self, space: &Space, steps: &Set) -> Option<Graph> {
        let bits = space.listed_spare(0..self.count);
        let both: Vec<usize> = bits.iter().flat_map(|bit| [*bit, bit + 1]).collect();
        let pairs = steps.assignments(&both, MOST_PAIRS)?;
        let sides = |bits: Vec<bool>| {
            let [from, to] = [0, 1].map(|side| bits.iter().copied().skip(side).step_by(2).collect());
            ValueEdge { from, to }
        };
        let starts = self.start.assignments(&bits, 1)?;
        Some(Graph::with(pairs.into_iter().map(sides).collect(), starts))
    }
}

impl Judge<'_> {
    /// From which states some run violates a formula.
    pub(super) fn solve(&self, formula: &Formula, negation: &Negation) -> Result<Solution, Reason> {
        let space = self.search.space;
        let product = Product::new(self, formula, negation)?;
        let steps = self.forwards();
        let (mut closed, mut ranks, mut kept) = (Vec::new(), Vec::new(), space.constant(false));
        let bits = space.listed_spare(0..product.count);
        let (pending, passed) = product.pending(space, &self.reachable);
        let positions = and(&self.reachable, &pending);
        let classes = match product.graph(space, &passed) {
            Some(graph) => {
                let nodes = graph
                    .nodes
                    .iter()
                    .map(|bits_of| space.where_bits(bits.iter().copied().zip(bits_of.iter().copied())));
                let nodes: Vec<Set> = nodes.collect();
                let none = space.constant(false);
                closed = graph.closed(&nodes, &none);
                (0..graph.count())
                    .map(|class| (graph.of_class(class, &nodes, &none), graph.is_passing(class)))
                    .collect()
            }
            None => vec![(space.constant(true), false)],
        };
        for (class, is_passing) in classes {
            tick();
            let here = and(&positions, &class);
            let never = product.met.iter().position(|met| and(&here, met).is_false());
            if let Some(number) = never.filter(|_| product.has_eventualities) {
                ranks.push((here, Some(number as u32)));
            } else if is_passing {
                ranks.push((here, None));
            } else if !here.is_false() {
                let again = self.again(&product, &steps, &class, here, (&mut closed, &mut ranks));
                kept = or(&kept, &again);
            }
        }
        let inside = self.backwards();
        let some = closure(kept, |set| and(&product.before(space, &inside, set), &positions));
        let none = without(&positions, &some);
        Ok(Solution { product, some, none, closed, ranks, approaches: Vec::new(), visited: Vec::new() })
    }

    /// All steps, with their numbers.
    pub(super) fn forwards(&self) -> Vec<(usize, Step)> {
        self.search.steps.list.iter().cloned().enumerate().collect()
    }

    /// All steps from reachable states: others, of which there may be many more, would be found backwards.
    pub(super) fn backwards(&self) -> Vec<(usize, Step)> {
        let only = |(number, step): (usize, &Step)| (number, step.only(self.search.space, &self.reachable));
        self.search.steps.list.iter().enumerate().map(only).collect()
    }

    /// The positions of a component of what is pending from which a run stays there for ever and violates the formula.
    fn again(
        &self,
        product: &Product,
        steps: &[(usize, Step)],
        class: &Set,
        here: Set,
        (closed, ranks): (&mut Vec<Set>, &mut Vec<(Set, Option<u32>)>),
    ) -> Set {
        let space = self.search.space;
        let inside = and(class, &down(class, product.now));
        let allowed =
            |relation: usize| exists(&exists(&and(&product.demands[relation], &inside), product.now), product.next);
        let mut known: Vec<(&Set, Set)> = Vec::new();
        let mut allowed_by = |relation: usize| {
            let demands = &product.demands[relation];
            let place = known.iter().position(|(other, _)| *other == demands).unwrap_or_else(|| {
                known.push((demands, allowed(relation)));
                known.len() - 1
            });
            known[place].1.clone()
        };
        let allowed: Vec<Set> = steps.iter().map(|(relation, _)| allowed_by(*relation)).collect();
        let going = allowed.iter().fold(space.constant(false), |all, allowed| or(&all, allowed));
        let going = and(&going, &self.reachable);
        let stuck = without(&here, &going);
        if !stuck.is_false() {
            closed.push(stuck.clone());
            ranks.push((stuck, None));
        }
        let inner = steps
            .iter()
            .zip(&allowed)
            .map(|((number, step), allowed)| (*number, step.only(space, allowed).inside(space, &going)));
        let (steps, sets) = lasting(space, &self.views, inner.collect());
        closed.extend(sets.iter().map(|set| and(class, set)));
        let mut all = and(&here, &going);
        let before = |set: &Set| and(&product.before(space, &steps, set), class);
        loop {
            let last = all.clone();
            for (number, met) in (0..).zip(&product.met) {
                tick();
                let leads = closure(and(&all, met), |set| and(&before(set), &all));
                let kept = and(&all, &before(&leads));
                let lost = without(&all, &kept);
                if !lost.is_false() {
                    ranks.push((lost, product.has_eventualities.then_some(number)));
                }
                all = kept;
            }
            if all == last {
                return all;
            }
        }
    }

    /// Adds how positions lead to where eventualities are not pending.
    pub(super) fn approach(&self, solution: &mut Solution) {
        let (space, product, some) = (self.search.space, &solution.product, &solution.some);
        if some.is_false() {
            return;
        }
        let before =
            |step: &(usize, Step), set: &Set| and(&product.before(space, std::slice::from_ref(step), set), some);
        let steps = self.backwards();
        let approaches = product.met.iter().map(|met| self.layers(&steps, &and(some, met), some, before).1);
        solution.approaches = approaches.collect();
    }

    /// Adds how runs from initial states visit positions; the states that they visit.
    pub(super) fn visit(&self, solution: &mut Solution) -> Set {
        let (product, some) = (&solution.product, &solution.some);
        let first = and(&and(&self.search.steps.initial, &product.start), some);
        let after = |step: &(usize, Step), set: &Set| and(&product.after_one(step, set), some);
        let (all, layers) = self.layers(&self.forwards(), &first, some, after);
        let states = product.states(&all);
        solution.visited = layers;
        states
    }

    /// A set with all that steps lead to from there, or from which they lead there, one event after the other; up to all that
    /// there may be.
    pub(super) fn layers(
        &self,
        steps: &[(usize, Step)],
        first: &Set,
        most: &Set,
        next: impl Fn(&(usize, Step), &Set) -> Set,
    ) -> (Set, Layers) {
        let (mut all, mut layers) = (first.clone(), Layers::new());
        // Per step what was there when it was looked at last.
        let mut seen = vec![self.search.space.constant(false); steps.len()];
        loop {
            tick();
            let last = all.clone();
            for (step, seen) in steps.iter().zip(&mut seen) {
                let from = without(&all, seen);
                *seen = all.clone();
                let new = without(&next(step, &from), &all);
                if !new.is_false() {
                    all = or(&all, &new);
                    layers.push((step.1.event, new));
                }
                if all == *most {
                    return (all, layers);
                }
            }
            if all == last {
                return (all, layers);
            }
        }
    }
}

/// The product's systems of formulas, and how many obligations they have at most.
pub fn negations<'f>(
    model: &Model,
    base: &System,
    formulas: impl IntoIterator<Item = &'f Formula>,
) -> (Vec<Negation>, usize) {
    let list = formulas.into_iter().map(|formula| Negation::labelled(model, base.clone(), formula));
    let list: Vec<Negation> = list.collect();
    let most = list.iter().map(|negation| negation.bits.len()).max().unwrap_or_default();
    (list, most)
}
