//! Initial states and steps as decision diagrams.

use super::compile::Compiler;
use super::package::{BitSet, Set, and, and_exists, down, exists, not, or, up};
use super::space::Space;
use crate::limits::{Reason, ticks};
use crate::ts::system::{InEvents, System};
use crate::ts::term::{InputId, Leaf, Term, Terms, VarId};
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Parts of a relation are joined up to so many nodes.
const CLUSTER: usize = 20_000;

/// An event as a relation, which is a conjunction of parts.
#[derive(Clone)]
pub struct Step {
    /// The number of the event.
    pub event: usize,
    /// The variables that it may change.
    pub changed: Vec<VarId>,
    /// The levels of these variables, and of their next values.
    levels: [BitSet; 2],
    /// The states where it is possible, with the next values of these variables and the choices of the step.
    choices: Rc<[Set]>,
    /// The same without choices that one part alone reads.
    parts: Vec<Part>,
    /// How images and preimages are taken.
    plans: [Plan; 2],
    /// The levels that these quantify: present or next values, and choices.
    quantified: [Rc<[usize]>; 2],
}

/// A conjunct of a relation.
#[derive(Clone)]
struct Part {
    set: Set,
    /// The levels that it reads, in order.
    reads: Rc<[usize]>,
    /// True for what was added later.
    is_condition: bool,
}

/// The order in which parts are joined to a set, each with the levels that are quantified then, as no part after it reads them.
type Plan = Rc<[(usize, BitSet)]>;

impl Part {
    fn new(set: Set) -> Part {
        let reads = set.reads().into();
        Part { set, reads, is_condition: false }
    }
}

/// How many parts read each level.
fn readers(reads: &[&[usize]]) -> FxHashMap<usize, usize> {
    let mut readers = FxHashMap::default();
    reads.iter().copied().flatten().for_each(|level| *readers.entry(*level).or_default() += 1);
    readers
}

/// An order of parts, by what they read, in which many levels can be quantified soon and few new ones come in: in each step the part with the greatest
/// difference (Geist, Beer, *Efficient model checking by automated ordering of transition relation partitions*, CAV 1994). With the levels that can be quantified after each.
fn ordered(reads: &[&[usize]], quantified: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let mut readers = readers(reads);
    let is_quantified: FxHashSet<usize> = quantified.iter().copied().collect();
    let mut rest: Vec<usize> = (0..reads.len()).collect();
    // Present values are in the set already.
    let mut inside: FxHashSet<usize> = is_quantified.clone();
    let mut order = Vec::new();
    while !rest.is_empty() {
        ticks(rest.len());
        let gain = |part: &usize| {
            let read = || reads[*part].iter();
            let leaves = read().filter(|level| is_quantified.contains(level) && readers[level] == 1).count() as isize;
            let enters = read().filter(|level| !inside.contains(level)).count() as isize;
            leaves - enters
        };
        // Of equal ones the first.
        let best = (0..rest.len()).rev().max_by_key(|place| gain(&rest[*place])).expect("there are some");
        let part = rest.remove(best);
        let mut gone = Vec::new();
        for level in reads[part] {
            inside.insert(*level);
            let left = readers.get_mut(level).expect("it is read");
            *left -= 1;
            if *left == 0 && is_quantified.contains(level) {
                gone.push(*level);
            }
        }
        order.push((part, gone));
    }
    if let Some((_, first)) = order.first_mut() {
        let read: FxHashSet<usize> = reads.iter().copied().flatten().copied().collect();
        first.extend(quantified.iter().copied().filter(|level| !read.contains(level)));
    }
    order
}

/// Initial states and steps.
pub struct Steps {
    /// The initial states.
    pub initial: Set,
    /// The steps that are possible in some state.
    pub list: Vec<Step>,
}

impl Steps {
    /// Of a system. Gives up where a term has too many values.
    pub fn new(system: &System, space: &Space) -> Result<Steps, Reason> {
        let mut compiler = Compiler::new(space);
        let mut initial = space.constant(true);
        for id in system.var_ids() {
            initial = and(&initial, &space.is_valid(Leaf::Var(id)));
        }
        for &term in system.init() {
            initial = and(&initial, &compiler.truth(system.terms(), term)?);
        }
        let mut terms = (system.terms().clone(), InEvents::new(system));
        let mut list = Vec::new();
        for event in 0..system.events().len() {
            let step = Step::new(system, &mut terms, space, &mut compiler, event)?;
            if !step.is_impossible() {
                list.push(step);
            }
        }
        Ok(Steps { initial, list })
    }
}

impl Step {
    fn new(
        system: &System,
        (terms, in_events): &mut (Terms, InEvents),
        space: &Space,
        compiler: &mut Compiler,
        event: usize,
    ) -> Result<Step, Reason> {
        let mut fix = |terms: &mut Terms, term: Term| in_events.term(terms, term, event);
        // Nothing is chosen by bits that are no number of an option.
        let mut choices = Vec::new();
        for condition in (0..system.inputs().len() as u32).map(|id| space.is_valid(Leaf::Input(InputId(id)))) {
            if condition != space.constant(true) {
                choices.push(condition);
            }
        }
        let mut conditions: Vec<Term> = Vec::new();
        for &condition in system.constraints().iter().chain([&system.events()[event].guard]) {
            let condition = fix(terms, condition);
            conditions.extend(terms.conjuncts(&[condition]));
        }
        for condition in conditions {
            choices.push(compiler.truth(terms, condition)?);
            compiler.forget_values();
        }
        let mut changed = Vec::new();
        for id in system.var_ids() {
            if choices.iter().any(Set::is_false) {
                break;
            }
            let mut cases = Vec::new();
            for case in system.update(id) {
                let condition = fix(terms, case.condition);
                if !terms.is_false(condition) {
                    cases.push((condition, fix(terms, case.value)));
                }
            }
            if !cases.is_empty() {
                choices.push(next(space, compiler, terms, id, &cases)?);
                changed.push(id);
            }
        }
        let inputs = space.listed_inputs();
        let now: Vec<usize> = space.listed(&changed).collect();
        let next = now.iter().map(|level| level + 1);
        let quantified =
            [now.iter().copied().chain(inputs.iter().copied()).collect(), next.chain(inputs.iter().copied()).collect()];
        let levels = [space.levels(&changed), space.next_levels(&changed)];
        let (choices, parts): (Rc<[Set]>, _) = (choices.into(), Vec::new());
        let plans = [Plan::default(), Plan::default()];
        let step = Step { event, changed, levels, choices, parts, plans, quantified };
        Ok(step.clustered(space, &inputs).planned(space))
    }

    /// It, with some bits of choices that preimages tell.
    pub fn telling(&self, space: &Space, told: &[usize]) -> Step {
        let is_hidden = |level: &usize| !told.contains(level);
        let inputs: Vec<usize> = space.listed_inputs().into_iter().filter(is_hidden).collect();
        let quantified = self.quantified.clone().map(|levels| levels.iter().copied().filter(is_hidden).collect());
        Step { quantified, ..self.clone() }.clustered(space, &inputs).planned(space)
    }

    /// With parts that are joined as long as they stay small.
    fn clustered(mut self, space: &Space, inputs: &[usize]) -> Step {
        let fine: Vec<Part> = self.choices.iter().cloned().map(Part::new).collect();
        let reads: Vec<&[usize]> = fine.iter().map(|part| &part.reads[..]).collect();
        let readers = readers(&reads);
        // Choices that no other part reads than some that are joined, of which so many read each level.
        let local = |joined: &FxHashMap<usize, usize>| {
            let is_local = |level: &usize| joined.get(level).is_some_and(|count| *count == readers[level]);
            space.some_levels(inputs.iter().copied().filter(is_local))
        };
        let mut clusters: Vec<Set> = Vec::new();
        // The levels that the last cluster reads, with how many of its parts do.
        let mut own: FxHashMap<usize, usize> = FxHashMap::default();
        for (part, _) in ordered(&reads, &self.quantified[0]) {
            let mut joined = own.clone();
            reads[part].iter().for_each(|level| *joined.entry(*level).or_default() += 1);
            let both = clusters.last().map(|last| and_exists(last, &fine[part].set, local(&joined)));
            match (both, clusters.last_mut()) {
                (Some(both), Some(last)) if both.size() <= CLUSTER => {
                    *last = both;
                    own = joined;
                }
                _ => {
                    own = reads[part].iter().map(|level| (*level, 1)).collect();
                    clusters.push(exists(&fine[part].set, local(&own)));
                }
            }
        }
        if clusters.is_empty() {
            clusters.push(space.constant(true));
        }
        self.parts = clusters.into_iter().map(Part::new).collect();
        self
    }

    fn planned(mut self, space: &Space) -> Step {
        let reads: Vec<&[usize]> = self.parts.iter().map(|part| &part.reads[..]).collect();
        self.plans = [0, 1].map(|way| plan(space, &reads, &self.quantified[way]));
        self
    }

    fn joined(&self, set: Set, plan: &[(usize, BitSet)]) -> Set {
        plan.iter().fold(set, |set, (part, levels)| and_exists(&set, &self.parts[*part].set, *levels))
    }

    /// The states after it.
    pub fn image(&self, set: &Set) -> Set {
        up(&self.joined(set.clone(), &self.plans[0]), self.levels[0])
    }

    /// The states before it.
    pub fn preimage(&self, set: &Set) -> Set {
        self.joined(down(set, self.levels[0]), &self.plans[1])
    }

    /// The number of parts of its relation.
    pub fn size(&self) -> usize {
        self.parts.len()
    }

    /// True if it is seen that it is possible nowhere.
    pub fn is_impossible(&self) -> bool {
        self.parts.iter().any(|part| part.set.is_false())
    }

    /// It, where a condition on states and next values of what it changes holds.
    pub fn only(&self, space: &Space, condition: &Set) -> Step {
        let mut step = self.clone();
        let last = step.parts.pop_if(|last| last.is_condition || self.parts.len() == 1);
        let condition = last.map_or_else(|| condition.clone(), |last| and(&last.set, condition));
        step.parts.push(Part { is_condition: true, ..Part::new(condition) });
        step.planned(space)
    }

    /// It, where it leads from a set of states into the same set.
    pub fn inside(&self, space: &Space, set: &Set) -> Step {
        self.only(space, set).only(space, &down(set, self.levels[0]))
    }

    /// Its states and next values, of which one sees these levels.
    pub fn seen(&self, space: &Space, levels: &[usize]) -> Set {
        let reads: Vec<&[usize]> = self.parts.iter().map(|part| &part.reads[..]).collect();
        let mut others: Vec<usize> = reads.iter().copied().flatten().copied().collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|level| !levels.contains(level));
        self.joined(space.constant(true), &plan(space, &reads, &others))
    }

    /// The states where it is possible, with next values and choices, among these states and next values.
    pub fn choices(&self, from_and_to: &Set) -> Set {
        self.choices.iter().fold(from_and_to.clone(), |all, part| and(&all, part))
    }
}

fn plan(space: &Space, reads: &[&[usize]], quantified: &[usize]) -> Plan {
    ordered(reads, quantified).into_iter().map(|(part, levels)| (part, space.some_levels(levels))).collect()
}

/// How the next value of a variable follows from state and choices; it is one of its values.
fn next(
    space: &Space,
    compiler: &mut Compiler,
    terms: &Terms,
    id: VarId,
    cases: &[(Term, Term)],
) -> Result<Set, Reason> {
    let leaf = Leaf::Var(id);
    let values: Vec<IBig> = space.bits(leaf).values.iter().map(|&value| IBig::from(value)).collect();
    let mut relation = space.constant(false);
    let mut otherwise = space.constant(true);
    for &(condition, value) in cases {
        let condition = compiler.truth(terms, condition)?;
        for (value, place) in compiler.cases(terms, value)? {
            if let Ok(number) = values.binary_search(&value) {
                let there = and(&condition, &place);
                relation = or(&relation, &and(&there, &space.has_value(leaf, number, true)));
            }
        }
        otherwise = and(&otherwise, &not(&condition));
    }
    for number in 0..values.len() {
        let stays = and(&space.has_value(leaf, number, false), &space.has_value(leaf, number, true));
        relation = or(&relation, &and(&otherwise, &stays));
    }
    Ok(relation)
}
