//! Random runs that take what they repeat as single steps.
//!
//! Where a run returns to the same finite values with other integers, what lies between becomes a loop, if it can be
//! repeated ([`Segments::make_repeatable`]); the run then takes it as often as it is possible. And where two items follow
//! each other for the second time, they become one item, a shortcut, as in a grammar of the run: Nevill-Manning, Witten,
//! *Identifying hierarchical structure in sequences* (JAIR 1997). Shortcuts consist of shortcuts, so that the
//! length of a run can double with every few items: a counter of n bits overflows after some n of them.

use super::segment::{Item, SegmentId, Segments};
use crate::engine::invariants::simulation;
use crate::limits::{Budget, tick};
use crate::model::Value;
use crate::ts::system::{EVENT, System};
use crate::ts::term::{Sort, Term};
use crate::ts::valuation::Valuation;
use fastrand::Rng;
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of items of a run.
const ITEMS: usize = 400;
/// How many items back a loop may begin.
const WINDOW: usize = 12;
/// The number of states with the same finite values that are looked at, as the begin of a loop.
const BEGINS: usize = 3;
/// The number of loops and that of shortcuts that are kept.
const MOST_KEPT: usize = 48;
/// How often a step to a new state is tried.
const TRIES: usize = 8;
/// The same runs every time.
const SEED: u64 = 1;

/// A run, as items.
#[derive(Clone, Debug)]
pub struct Items {
    /// The initial state, by variable.
    pub initial: Vec<Value>,
    /// The items, from there.
    pub items: Vec<Item>,
}

/// Random runs of a system, and what they learned.
pub struct Walks<'s> {
    system: &'s System,
    bad: Term,
    /// The segments that the runs have.
    pub segments: Segments<'s>,
    /// Those that can be repeated, and change something.
    pub loops: Vec<SegmentId>,
    shortcuts: Vec<SegmentId>,
    /// The events of the system that some run took.
    pub taken: FxHashSet<usize>,
    /// Where runs begin: with some items, which lead to a state.
    starts: Vec<(Items, Vec<Value>)>,
    rng: Rng,
    longest: u64,
}

impl<'s> Walks<'s> {
    /// None yet; no run is to have more steps than `longest`.
    pub fn new(system: &'s System, bad: Term, longest: u64, budget: Budget) -> Walks<'s> {
        let starts = simulation::starts(system, budget);
        let start = |initial: Vec<Value>| (Items { initial: initial.clone(), items: Vec::new() }, initial);
        Walks {
            system,
            bad,
            segments: Segments::new(system),
            loops: Vec::new(),
            shortcuts: Vec::new(),
            taken: FxHashSet::default(),
            starts: starts.into_iter().map(start).collect(),
            rng: Rng::with_seed(SEED),
            longest,
        }
    }

    /// The number of steps of the longest shortcut.
    pub fn longest_shortcut(&self) -> u64 {
        self.shortcuts.iter().map(|&id| self.segments.steps((id, 1))).max().unwrap_or(0)
    }

    /// The number of starts.
    pub fn starts(&self) -> usize {
        self.starts.len()
    }

    /// A further start, behind a run; returns its number.
    pub fn add_start(&mut self, run: Items) -> usize {
        let mut state = run.initial.clone();
        for &item in &run.items {
            // Loops and shortcuts consist of steps that were taken.
            if self.segments.steps(item) == 1 {
                let mut choices = Vec::new();
                self.segments.expand(item, &mut choices);
                self.taken.extend(choices.iter().filter_map(|choice| self.system.event_of(choice)));
            }
            state = self.segments.apply(item, &state);
        }
        self.starts.push((run, state));
        self.starts.len() - 1
    }

    /// One run from a start, with preference for what is long or not; returns it if it ends in a bad state.
    pub fn walk(&mut self, start: usize, is_greedy: bool) -> Option<Items> {
        let (Items { initial, items: before }, state) = self.starts[start].clone();
        let spent: u64 = before.iter().map(|&item| self.segments.steps(item)).sum();
        let seen = FxHashSet::from_iter([state.clone()]);
        let mut run = Run { log: Vec::new(), state, seen, left: self.longest.saturating_sub(spent) };
        let mut pairs = FxHashMap::default();
        for _ in 0..ITEMS {
            tick();
            if self.is_bad(&run.state) {
                self.shorten(&mut run);
                let items = before.into_iter().chain(run.log.into_iter().map(|(_, item)| item)).collect();
                return Some(Items { initial, items });
            }
            let (item, next) = self.choose(&run, is_greedy)?;
            run.left = run.left.saturating_sub(self.segments.steps(item));
            run.seen.insert(next.clone());
            let before = std::mem::replace(&mut run.state, next);
            run.log.push((before, item));
            self.learn_loop(&run);
            self.learn_shortcut(&mut run, &mut pairs);
        }
        None
    }

    /// Fewer rounds of the last item of a run, if these lead to a bad state, too.
    fn shorten(&mut self, run: &mut Run) {
        let Some((before, (id, times))) = run.log.last_mut() else { return };
        let mut low = 1;
        while low < *times {
            let middle = low + (*times - low) / 2;
            let state = self.segments.apply((*id, middle), before);
            if self.is_bad(&state) {
                *times = middle;
            } else {
                low = middle + 1;
            }
        }
    }

    fn is_bad(&self, state: &[Value]) -> bool {
        Valuation::new(state.to_vec(), Vec::new()).holds(self.system.terms(), self.bad)
    }

    /// The next item to a state that the run has not been in.
    fn choose(&mut self, run: &Run, is_greedy: bool) -> Option<(Item, Vec<Value>)> {
        let mut learned: Vec<SegmentId> = self.loops.iter().chain(&self.shortcuts).copied().collect();
        let mut items = Vec::new();
        if is_greedy || self.rng.bool() {
            self.rng.shuffle(&mut learned);
            for id in learned {
                let limit = (run.left / self.segments.steps((id, 1)).max(1)).max(1);
                let most = self.segments.most_times(id, &run.state, limit);
                let times = match most {
                    0 => continue,
                    // There is no end to it, so that any number is as good as another.
                    most if most == limit => 1 << self.rng.u32(0..=most.ilog2()),
                    most if is_greedy || self.rng.bool() => most,
                    most => self.rng.u64(1..=most),
                };
                if self.segments.steps((id, times)) <= run.left {
                    items.push((id, times));
                }
            }
        }
        if is_greedy {
            items.sort_by_key(|&item| std::cmp::Reverse(self.segments.steps(item)));
        }
        for item in items {
            let next = self.segments.apply(item, &run.state);
            if !run.seen.contains(&next) {
                return Some((item, next));
            }
        }
        self.step(run)
    }

    /// A single step to a new state.
    fn step(&mut self, run: &Run) -> Option<(Item, Vec<Value>)> {
        for _ in 0..TRIES {
            let mut chosen = simulation::step(self.system, &run.state, &mut self.rng)?;
            let constraints = self.system.constraints();
            if !constraints.iter().all(|&constraint| chosen.holds(self.system.terms(), constraint)) {
                continue;
            }
            let next = self.system.successor(&mut chosen);
            if !run.seen.contains(&next) && !next.iter().any(Value::is_huge) {
                self.taken.insert(chosen.inputs()[EVENT.0 as usize] as usize);
                return Some(((self.segments.step(&run.state, chosen.inputs()), 1), next));
            }
        }
        None
    }

    /// Finds a loop that ends in the last state.
    fn learn_loop(&mut self, run: &Run) {
        if self.loops.len() >= MOST_KEPT {
            return;
        }
        let begins = (run.log.len().saturating_sub(WINDOW)..run.log.len()).rev();
        let same = begins.filter(|&at| self.differ_in_integers_only(&run.log[at].0, &run.state));
        for at in same.take(BEGINS).collect::<Vec<_>>() {
            let items: Vec<Item> = run.log[at..].iter().map(|(_, item)| *item).collect();
            if matches!(items[..], [(_, 2..)]) {
                return;
            }
            let Some(id) = self.segments.sequence(&items) else { return };
            if self.segments.make_repeatable(id, &run.log[at].0) && !self.segments.is_covered(id, &self.loops) {
                self.loops.push(id);
            }
            if self.segments.get(id).repeat.is_some() {
                return;
            }
        }
    }

    fn differ_in_integers_only(&self, one: &[Value], other: &[Value]) -> bool {
        let mut pairs = self.system.variables().iter().zip(one.iter().zip(other));
        pairs.all(|(variable, (one, other))| variable.sort == Sort::Int || one == other)
    }

    /// Makes one item of the last two, if they followed each other before.
    fn learn_shortcut(&mut self, run: &mut Run, pairs: &mut FxHashMap<(Item, Item), usize>) {
        while let [.., (before, one), (_, other)] = &run.log[..] {
            let (last, pair) = (run.log.len() - 1, (*one, *other));
            match pairs.get(&pair) {
                Some(&earlier) if earlier + 1 < last => {}
                Some(_) => return,
                None => {
                    pairs.insert(pair, last);
                    return;
                }
            }
            let Some(id) = self.segments.sequence(&[pair.0, pair.1]) else { return };
            let before = before.clone();
            run.log.truncate(last - 1);
            run.log.push((before, (id, 1)));
            self.keep_shortcut(id);
        }
    }

    /// Keeps a shortcut, and the longest ones of the others.
    fn keep_shortcut(&mut self, id: SegmentId) {
        if self.shortcuts.contains(&id) {
            return;
        }
        let steps = |id: &SegmentId| self.segments.get(*id).steps;
        if self.shortcuts.len() >= MOST_KEPT {
            let shortest = (0..self.shortcuts.len()).min_by_key(|&at| steps(&self.shortcuts[at]));
            self.shortcuts.swap_remove(shortest.expect("some are kept"));
        }
        self.shortcuts.push(id);
    }
}

/// A run so far.
struct Run {
    /// The items, each with the state before it.
    log: Vec<(Vec<Value>, Item)>,
    state: Vec<Value>,
    seen: FxHashSet<Vec<Value>>,
    /// The number of steps that it may still have.
    left: u64,
}
