//! Initial states and steps as sets, event by event.
//!
//! A relation is kept as conjuncts, and forgets what no later one reads (Burch, Clarke, Long, *Symbolic model checking with
//! partitioned transition relations*, VLSI 1991); any order of them is right.

use super::VALUES;
use super::package::{ALL, Levels, NONE, Package, Set};
use super::space::{Compiler, Space, begins_with_value};
use crate::check::Refused;
use crate::ts::system::{InEvents, System};
use crate::ts::term::{InputId, Leaf, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Conjuncts with few nodes are joined as long as there are not more than so many.
const CLUSTER: usize = 40000;

/// Some steps: states, and the next values of the variables that change. All others stay as they are.
#[derive(Clone)]
pub struct Relation {
    parts: Vec<Set>,
    /// Per part what is forgotten of states and choices, and of next values and choices.
    forward: Vec<Levels>,
    backward: Vec<Levels>,
    /// Per part what is forgotten of choices alone.
    choices: Vec<Levels>,
    /// The levels that change.
    pub changes: Vec<u32>,
    changed: Levels,
}

impl Relation {
    /// Of conjuncts about states, next values on the levels below those that change, and choices.
    pub fn new(package: &mut Package, conjuncts: Vec<Set>, changes: Vec<u32>, choices: &[u32]) -> Relation {
        let next: Vec<u32> = changes.iter().map(|level| level + 1).collect();
        let parts = scheduled(package, conjuncts, &changes, choices);
        let mut forgotten = |levels: &[u32]| {
            let levels = package.levels(&[levels, choices].concat());
            package.last_read(&parts, levels)
        };
        let (forward, backward, choices) = (forgotten(&changes), forgotten(&next), forgotten(&[]));
        let changed = package.levels(&changes);
        Relation { parts, forward, backward, choices, changes, changed }
    }

    /// Such steps from a set, as pairs of states and next values.
    pub fn pairs(&self, package: &mut Package, set: Set) -> Set {
        joined(package, set, &self.parts, &self.choices)
    }

    /// The states after such a step from a set.
    pub fn after(&self, package: &mut Package, set: Set) -> Set {
        let moved = joined(package, set, &self.parts, &self.forward);
        package.up(moved, self.changed)
    }

    /// The states from which such a step leads into a set.
    pub fn before(&self, package: &mut Package, set: Set) -> Set {
        let after = package.down(set, self.changed);
        joined(package, after, &self.parts, &self.backward)
    }
}

/// A set with all parts, without what is forgotten after each.
fn joined(package: &mut Package, set: Set, parts: &[Set], forgotten: &[Levels]) -> Set {
    parts.iter().zip(forgotten).fold(set, |set, (part, levels)| package.and_some(set, *part, *levels))
}

/// The conjuncts in an order in which levels can be forgotten early, with small ones joined; one at least. Choices that none but
/// joined ones read are forgotten at once.
fn scheduled(package: &mut Package, conjuncts: Vec<Set>, changes: &[u32], choices: &[u32]) -> Vec<Set> {
    let forgotten: FxHashSet<u32> = changes.iter().chain(choices).copied().collect();
    let mut open: Vec<(Set, FxHashSet<u32>)> = conjuncts.into_iter().map(|set| (set, package.read(set))).collect();
    let mut reads: FxHashMap<u32, usize> = FxHashMap::default();
    open.iter().flat_map(|(_, read)| read).for_each(|level| *reads.entry(*level).or_default() += 1);
    let (mut parts, mut here) = (vec![ALL], FxHashSet::default());
    // Levels that parts before the last one read.
    let mut before: FxHashSet<u32> = FxHashSet::default();
    while !open.is_empty() {
        let cost = |(_, read): &(Set, FxHashSet<u32>)| {
            let enter = read.iter().filter(|level| !forgotten.contains(level) && !here.contains(*level)).count();
            let leave = read.iter().filter(|level| forgotten.contains(level) && reads[level] == 1).count();
            enter as i64 - leave as i64
        };
        let best = (0..open.len()).min_by_key(|number| cost(&open[*number])).expect("one is left");
        let (set, read) = open.remove(best);
        read.iter().for_each(|level| *reads.get_mut(level).expect("it was counted") -= 1);
        here.extend(read);
        let last = *parts.last().expect("the first one");
        let is_small = package.size(last) + package.size(set) <= CLUSTER;
        let own = |package: &mut Package, before: &FxHashSet<u32>| {
            let is_own = |level: &&u32| reads.get(*level) == Some(&0) && !before.contains(*level);
            let own: Vec<u32> = choices.iter().filter(is_own).copied().collect();
            package.levels(&own)
        };
        let levels = own(package, &before);
        let both = if is_small { package.and_some(last, set, levels) } else { NONE };
        if is_small && package.size(both) <= CLUSTER {
            *parts.last_mut().expect("the first one") = both;
        } else {
            before.extend(package.read(last));
            let levels = own(package, &before);
            parts.push(package.and_some(ALL, set, levels));
        }
    }
    parts
}

/// The steps of a system.
pub struct Steps {
    /// The initial states.
    pub initial: Set,
    /// Per event.
    pub relations: Vec<Relation>,
    /// Per event the conjuncts that its relation is made of.
    pub conjuncts: Vec<Vec<Set>>,
    /// Per event the conditions of steps that give a variable none of its values.
    escapes: Vec<Vec<Set>>,
}

impl Steps {
    /// Of a system. Refuses variables that may begin with none of their values.
    pub fn new(system: &System, space: &mut Space) -> Result<Steps, Refused> {
        let (mut terms, mut in_events) = (system.terms().clone(), InEvents::new(system));
        let events = 0..system.events().len();
        let events: Vec<Fixed> = events.map(|event| Fixed::new(system, &mut terms, &mut in_events, event)).collect();
        let mut compiler = Compiler::new(&terms);
        let mut initial = ALL;
        for id in system.var_ids() {
            if !begins_with_value(system, space, id) {
                return Err(Refused::unfit(VALUES));
            }
            let valid = space.is_valid(Leaf::Var(id));
            initial = space.package.and(initial, valid);
        }
        for &term in system.init() {
            let set = compiler.truth(space, term)?;
            initial = space.package.and(initial, set);
        }
        let inputs = (0..system.inputs().len() as u32).map(|id| Leaf::Input(InputId(id)));
        let choices: Vec<Set> = inputs.map(|leaf| space.is_valid(leaf)).collect();
        let mut steps = Steps { initial, relations: Vec::new(), conjuncts: Vec::new(), escapes: Vec::new() };
        for event in events {
            steps.add(space, &mut compiler, event, choices.clone())?;
        }
        Ok(steps)
    }

    fn add(
        &mut self,
        space: &mut Space,
        compiler: &mut Compiler,
        event: Fixed,
        choices: Vec<Set>,
    ) -> Result<(), Refused> {
        let mut parts = choices;
        for term in event.guard {
            parts.push(compiler.truth(space, term)?);
        }
        let (conditions, mut escape) = (parts.clone(), NONE);
        for (id, cases) in &event.updates {
            let (relation, lost) = next(space, compiler, *id, cases)?;
            parts.push(relation);
            escape = space.package.or(escape, lost);
        }
        let changes = space.levels_of(event.updates.iter().map(|(id, _)| *id));
        let choices = space.input_levels();
        self.relations.push(Relation::new(&mut space.package, parts.clone(), changes, &choices));
        self.conjuncts.push(parts);
        self.escapes.push([&[escape], &conditions[..]].concat());
        Ok(())
    }

    /// True if no step from a set gives a variable none of its values.
    pub fn keep_values(&self, space: &mut Space, set: Set) -> bool {
        self.escapes.iter().all(|escape| space.all([&[set], &escape[..]].concat()) == NONE)
    }
}

/// An event, in whose terms it is the one that is chosen.
struct Fixed {
    /// Conjuncts.
    guard: Vec<Term>,
    /// The variables that it may change, with conditions and values.
    updates: Vec<(VarId, Vec<(Term, Term)>)>,
}

impl Fixed {
    fn new(system: &System, terms: &mut Terms, in_events: &mut InEvents, event: usize) -> Fixed {
        let mut fixed = |terms: &mut Terms, term: Term| in_events.term(terms, term, event);
        let guard = system.constraints().iter().chain([&system.events()[event].guard]);
        let guard: Vec<Term> = guard.map(|&term| fixed(terms, term)).collect();
        let mut updates = Vec::new();
        for id in system.var_ids() {
            let mut cases = Vec::new();
            for case in system.update(id) {
                let condition = fixed(terms, case.condition);
                if !terms.is_false(condition) {
                    cases.push((condition, fixed(terms, case.value)));
                }
            }
            if !cases.is_empty() {
                updates.push((id, cases));
            }
        }
        Fixed { guard: terms.conjuncts(&guard), updates }
    }
}

/// How the next value of a variable follows from state and choices; and where it is none of its values.
fn next(space: &mut Space, compiler: &mut Compiler, id: VarId, cases: &[(Term, Term)]) -> Result<(Set, Set), Refused> {
    let leaf = Leaf::Var(id);
    let values = space.field(leaf).values.clone();
    let (mut relation, mut lost, mut otherwise) = (NONE, NONE, ALL);
    for &(condition, value) in cases {
        let condition = compiler.truth(space, condition)?;
        for (value, there) in compiler.cases(space, value)? {
            let there = space.package.and(condition, there);
            match values.iter().position(|known| value == (*known).into()) {
                Some(place) => {
                    let becomes = space.has_value(leaf, place, true);
                    let both = space.package.and(there, becomes);
                    relation = space.package.or(relation, both);
                }
                None => lost = space.package.or(lost, there),
            }
        }
        otherwise = space.package.without(otherwise, condition);
    }
    let levels = space.field(leaf).levels.clone();
    let kept = levels.into_iter().rev().fold(ALL, |set, level| {
        let (now, next) = (space.package.bit(level), space.package.bit(level + 1));
        let same = space.package.same(now, next);
        space.package.and(same, set)
    });
    let stays = space.package.and(otherwise, kept);
    Ok((space.package.or(relation, stays), lost))
}
