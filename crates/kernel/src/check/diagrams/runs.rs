//! From which states some run violates a formula, and from which none does.
//!
//! The runs that violate it are those of its product ([`crate::product::negation`]) on which no eventuality stays pending
//! for ever. The evidence has two sets of positions, which are states with pending obligations.
//!
//! *None*: no step leaves the set. Take a run in it. Of the closed sets, the run stays inside or outside of the first one from
//! some step on, then of the second one, and so on. From then on it is in one rank after the other, none of which comes
//! before an earlier one: so in the end it stays in one, where an eventuality is pending for ever.
//!
//! *Some*: for each eventuality, each position has a path of one step at least to one where it is not pending, in the set.
//! So there is a run through all of these again and again.

use super::package::{ALL, Levels, NONE, Package, Set};
use super::space::{Compiler, MOST_LEVELS, Space};
use super::steps::{Relation, Steps};
use super::{LEVELS, STEPS, Sets};
use crate::check::Refused;
use crate::claim::branching::branchings;
use crate::claim::diagrams::{Layer, RunSets};
use crate::limits::tick;
use crate::model::branching::Branching;
use crate::model::{Formula, Model};
use crate::product::negation::Negation;
use crate::ts::system::{InEvents, System};
use crate::ts::term::{InputId, Leaf, VarId};

/// The runs that violate a formula, as a product of sets.
pub struct Runs {
    /// Per event.
    steps: Vec<Step>,
    /// The levels of obligations.
    own: Vec<u32>,
    /// The obligations that are pending at first.
    start: Set,
    /// Per eventuality where it is not pending.
    met: Vec<Set>,
}

/// The steps of an event, with pending and next obligations.
struct Step {
    demand: Set,
    relation: Relation,
    /// The levels of obligations, and of next ones.
    now: Levels,
    next: Levels,
}

impl Step {
    /// The positions after such a step from a set.
    fn after(&self, package: &mut Package, set: Set) -> Set {
        let demanded = package.and_some(set, self.demand, self.now);
        let after = self.relation.after(package, demanded);
        package.up(after, self.now)
    }

    /// The positions from which such a step leads into a set.
    fn before(&self, package: &mut Package, set: Set) -> Set {
        let next = package.down(set, self.now);
        let before = self.relation.before(package, next);
        package.and_some(before, self.demand, self.next)
    }
}

/// Where a run violates the formula, and where none does.
pub struct Answers {
    /// The states from which some run does.
    pub some: Set,
    /// Those from which none does.
    pub none: Set,
}

impl Runs {
    /// Of the steps of a system, given the sets where branching formulas are true.
    pub fn new(
        model: &Model,
        system: &System,
        formula: &Formula,
        space: &mut Space,
        steps: &Steps,
        label: impl Fn(&Branching) -> Set,
    ) -> Result<Runs, Refused> {
        let negation = Negation::labelled(model, system.clone(), formula);
        if negation.bits.len() as u32 > MOST_LEVELS / 2 {
            return Err(Refused::unfit(LEVELS));
        }
        let product = &negation.system;
        let (variables, labels) = (system.variables().len() as u32, branchings(formula));
        let first = variables + labels.len() as u32;
        let own: Vec<u32> = (0..negation.bits.len()).map(|number| space.obligation(number)).collect();
        let mut terms = product.terms().clone();
        let (mut in_events, mut demands) = (InEvents::new(system), Vec::new());
        for event in 0..system.events().len() {
            let demand = product.constraints()[system.constraints().len()..].iter();
            let demand = demand.map(|&term| in_events.term(&mut terms, term, event));
            demands.push(demand.collect::<Vec<_>>());
        }
        let mut compiler = Compiler::new(&terms);
        for (branching, id) in labels.iter().zip(variables..) {
            compiler.give(space, Leaf::Var(VarId(id)), label(branching));
        }
        for (number, level) in (0..).zip(&own) {
            let [now, next] = [*level, level + 1].map(|level| space.package.bit(level));
            compiler.give(space, Leaf::Var(VarId(first + number)), now);
            // A promise is that something is pending next.
            compiler.give(space, Leaf::Input(InputId(system.inputs().len() as u32 + number)), next);
        }
        let mut start = ALL;
        for &term in &product.init()[system.init().len()..] {
            let set = compiler.truth(space, term)?;
            start = space.package.and(start, set);
        }
        let next: Vec<u32> = own.iter().map(|level| level + 1).collect();
        let [now, next] = [&own, &next].map(|levels| space.package.levels(levels));
        let mut of_events = Vec::new();
        let choices = space.input_levels();
        for (relation, demands) in steps.relations.iter().zip(demands) {
            let demands = demands.into_iter().map(|term| compiler.truth(space, term)).collect::<Result<Vec<_>, _>>()?;
            let demand = space.all(demands);
            // Steps forget what they choose before demands are looked at.
            if space.package.read(demand).iter().any(|level| choices.contains(level)) {
                return Err(Refused::unfit(STEPS));
            }
            of_events.push(Step { demand, relation: relation.clone(), now, next });
        }
        let pending = negation.pending_eventualities();
        let met = pending.into_iter().map(|term| compiler.truth(space, term)).collect::<Result<Vec<_>, Refused>>()?;
        let met = met.into_iter().map(|pending| space.package.not(pending)).collect();
        Ok(Runs { steps: of_events, own, start, met })
    }

    /// Checks evidence; the places of its sets are those of `sets`.
    pub fn check(&self, space: &mut Space, sets: &Sets, evidence: &RunSets) -> Result<Answers, Refused> {
        let package = &mut space.package;
        self.check_none(package, sets, evidence)?;
        self.check_some(package, sets, evidence)?;
        let mut from_start = |set: Set| {
            let own = package.levels(&self.own);
            package.and_some(set, self.start, own)
        };
        Ok(Answers { some: from_start(sets.get(evidence.some)?), none: from_start(sets.get(evidence.none)?) })
    }

    fn check_none(&self, package: &mut Package, sets: &Sets, evidence: &RunSets) -> Result<(), Refused> {
        let none = sets.get(evidence.none)?;
        let closed = evidence.closed.iter().map(|root| sets.get(*root)).collect::<Result<Vec<_>, _>>()?;
        let mut ranks = Vec::new();
        for rank in &evidence.ranks {
            let met = match rank.pending {
                Some(number) => *self.met.get(number as usize).ok_or_else(|| Refused::malformed("no eventuality"))?,
                None => ALL,
            };
            ranks.push((package.and(sets.get(rank.set)?, none), met));
        }
        let all = ranks.iter().fold(NONE, |all, (rank, _)| package.or(all, *rank));
        if all != none {
            return Err(Refused::wrong("a position has no rank"));
        }
        for step in &self.steps {
            tick();
            let mark = package.mark();
            let levels = package.levels(&[&step.relation.changes[..], &self.own].concat());
            let mut pairs = None;
            if !closed.is_empty() {
                let after = step.after(package, none);
                if package.without(after, none) != NONE {
                    return Err(Refused::wrong("a step leads to where some run violates it"));
                }
                pairs = Some(staying(package, step, none, &closed, levels)?);
            }
            let mut before = NONE;
            for (rank, met) in &ranks {
                let after = match pairs {
                    Some(pairs) => {
                        let after = package.and_some(pairs, *rank, levels);
                        package.up(after, levels)
                    }
                    None => step.after(package, *rank),
                };
                let inside = package.without(*rank, *met);
                let allowed = package.or(before, inside);
                if package.without(after, allowed) != NONE {
                    return Err(Refused::wrong("a rank rises, or what is said to be pending is not"));
                }
                before = package.or(before, *rank);
            }
            package.forget(mark, &mut []);
        }
        Ok(())
    }

    fn check_some(&self, package: &mut Package, sets: &Sets, evidence: &RunSets) -> Result<(), Refused> {
        let some = sets.get(evidence.some)?;
        let met = if self.met.is_empty() { &[ALL][..] } else { &self.met };
        if some == NONE {
            return Ok(());
        }
        if evidence.approaches.len() != met.len() {
            return Err(Refused::malformed("another number of eventualities"));
        }
        for (met, layers) in met.iter().zip(&evidence.approaches) {
            let mark = package.mark();
            let goal = package.and(some, *met);
            let back = |step: &Step, package: &mut Package, set: Set| {
                let before = step.before(package, set);
                package.and(before, some)
            };
            let leads = grown(package, &self.steps, sets, goal, layers, back)?;
            let mut before = NONE;
            for step in &self.steps {
                let more = step.before(package, leads);
                before = package.or(before, more);
            }
            if package.without(some, before) != NONE {
                return Err(Refused::wrong("a position does not lead to where something is kept"));
            }
            package.forget(mark, &mut []);
        }
        Ok(())
    }

    /// The states on runs from initial states that violate the formula. A run leaves its positions for those from which no run
    /// does, or never.
    pub fn visited(&self, space: &mut Space, sets: &Sets, initial: Set, evidence: &RunSets) -> Result<Set, Refused> {
        let (package, some, none) = (&mut space.package, sets.get(evidence.some)?, sets.get(evidence.none)?);
        let decided = package.or(some, none);
        let first = package.and(initial, self.start);
        if package.without(first, decided) != NONE {
            return Err(Refused::wrong("nothing is said of some state"));
        }
        let first = package.and(first, some);
        let onwards = |step: &Step, package: &mut Package, set: Set| {
            let after = step.after(package, set);
            package.and(after, some)
        };
        let all = grown(package, &self.steps, sets, first, &evidence.visited, onwards)?;
        for step in &self.steps {
            let after = step.after(package, all);
            if package.without(after, decided) != NONE {
                return Err(Refused::wrong("nothing is said of some position"));
            }
            let further = package.and(after, some);
            if package.without(further, all) != NONE {
                return Err(Refused::state_missing());
            }
        }
        let own = package.levels(&self.own);
        Ok(package.some(all, own))
    }
}

/// Steps of an event that lead neither into nor out of closed sets, as pairs of positions; that none leaves one that must not.
fn staying(package: &mut Package, step: &Step, from: Set, closed: &[Set], levels: Levels) -> Result<Set, Refused> {
    let demanded = package.and(from, step.demand);
    let mut pairs = step.relation.pairs(package, demanded);
    for set in closed {
        let next = package.down(*set, levels);
        let inside = package.and(pairs, *set);
        if package.without(inside, next) != NONE {
            return Err(Refused::wrong("a step leaves a closed set"));
        }
        let outside = package.without(pairs, *set);
        let outside = package.without(outside, next);
        pairs = package.or(inside, outside);
    }
    Ok(pairs)
}

/// A set with layers, each of which steps from what came before lead to.
pub fn grown<S>(
    package: &mut Package,
    steps: &[S],
    sets: &Sets,
    first: Set,
    layers: &[Layer],
    onwards: impl Fn(&S, &mut Package, Set) -> Set,
) -> Result<Set, Refused> {
    let mut all = first;
    // Per event what was there when steps of it were looked at last: it is enough to look at those from what is new.
    let mut seen = vec![NONE; steps.len()];
    for Layer { event, set } in layers {
        tick();
        let event = *event as usize;
        let step = steps.get(event).ok_or_else(|| Refused::malformed("no event"))?;
        let (set, new) = (sets.get(*set)?, package.without(all, seen[event]));
        seen[event] = all;
        let there = onwards(step, package, new);
        if package.without(set, there) != NONE {
            return Err(Refused::unreachable());
        }
        all = package.or(all, set);
    }
    Ok(all)
}
