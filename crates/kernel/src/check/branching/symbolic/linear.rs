//! From which states some run satisfies a linear formula: states with bits for what the rest of the run shall satisfy, and
//! conditions that a run meets again and again (Clarke, Grumberg, Hamaguchi, *Another look at LTL model checking*, Formal Methods in System
//! Design 1997; Emerson, Lei, *Efficient model checking in fragments of the propositional mu-calculus*, LICS 1986).

use super::package::{ALL, Levels, NONE, Set};
use super::returning::returning;
use super::space::Space;
use super::steps::{Relation, Steps, before};
use crate::limits::tick;
use rustc_hash::FxHashMap;

/// The most sets of which a run keeps to one.
const MOST_ENDS: usize = 16;

/// Promises about the rest of a run.
#[derive(Default)]
pub struct Promises {
    /// The level of the bit of each promise; the one below is its next value.
    levels: Vec<u32>,
    /// Per promise where what it is about is true: it is kept if that is so in the next state exactly if it was made.
    about: Vec<Set>,
    /// The level of the bit of each thing that is said of the step from a state, and per relation in which states it is true of
    /// its steps.
    watched: Vec<(u32, Vec<Set>)>,
    /// Sets that a run has to visit again and again.
    again: Vec<Set>,
    next: FxHashMap<Set, Set>,
    until: FxHashMap<(Set, Set), Set>,
}

impl Promises {
    fn promise(&mut self, space: &mut Space) -> Set {
        let level = space.new_level();
        self.levels.push(level);
        self.about.push(NONE);
        space.package.bit(level)
    }

    /// The set where something is promised of the next state.
    pub fn next(&mut self, space: &mut Space, of: Set) -> Set {
        if let Some(known) = self.next.get(&of) {
            return *known;
        }
        let bit = self.promise(space);
        *self.about.last_mut().expect("it was added") = of;
        self.next.insert(of, bit);
        bit
    }

    /// The set where a goal is promised, and something until then.
    pub fn until(&mut self, space: &mut Space, hold: Set, goal: Set) -> Set {
        if let Some(known) = self.until.get(&(hold, goal)) {
            return *known;
        }
        let bit = self.promise(space);
        let goes_on = space.package.and(hold, bit);
        let until = space.package.or(goal, goes_on);
        *self.about.last_mut().expect("it was added") = until;
        // It is not pending for ever.
        self.again.push(space.package.choice(until, goal, ALL));
        self.until.insert((hold, goal), until);
        until
    }

    /// The set where the step from a state shall be one of these: per relation those from some states.
    pub fn watched(&mut self, space: &mut Space, steps: Vec<Set>) -> Set {
        let known = self.watched.iter().find(|(_, known)| *known == steps).map(|(level, _)| *level);
        let level = known.unwrap_or_else(|| {
            let level = space.new_level();
            self.watched.push((level, steps));
            level
        });
        space.package.bit(level)
    }

    /// Per relation from which states with bits its steps may be taken.
    fn taken(&self, space: &mut Space) -> Vec<Set> {
        let count = self.watched.first().map_or(0, |(_, steps)| steps.len());
        let mut taken = vec![ALL; count];
        for (level, steps) in &self.watched {
            let bit = space.package.bit(*level);
            for (taken, from) in taken.iter_mut().zip(steps) {
                let same = space.package.same(bit, *from);
                *taken = space.package.and(*taken, same);
            }
        }
        taken
    }

    /// The levels of all bits, or those below.
    fn all_levels(&self, space: &mut Space, below: u32) -> Levels {
        let watched = self.watched.iter().map(|(level, _)| level);
        let levels: Vec<u32> = self.levels.iter().chain(watched).map(|level| level + below).collect();
        space.package.levels(&levels)
    }

    /// Of states with promises, and those of the states after them, those in which they are the promises that the latter keep.
    fn kept(&self, space: &mut Space, set: Set) -> Set {
        let levels = self.all_levels(space, 0);
        self.levels.iter().zip(&self.about).fold(set, |set, (level, about)| {
            let (bit, about) = (space.package.bit(*level), space.package.down(*about, levels));
            let same = space.package.same(bit, about);
            space.package.and(set, same)
        })
    }

    fn before(&self, space: &mut Space, steps: &Steps, set: Set) -> Set {
        let kept = self.promised_before(space, set);
        let taken = self.taken(space);
        steps.before_if(space, kept, &taken)
    }

    /// The same by these steps, which are only taken as is said of them.
    fn before_by(&self, space: &mut Space, relations: &[Relation], set: Set) -> Set {
        let kept = self.promised_before(space, set);
        before(relations, space, kept)
    }

    /// States of a set with what was promised before.
    fn promised_before(&self, space: &mut Space, set: Set) -> Set {
        let (levels, below) = (self.all_levels(space, 0), self.all_levels(space, 1));
        let set = space.package.down(set, levels);
        let kept = self.kept(space, set);
        space.package.some(kept, below)
    }

    fn after(&self, space: &mut Space, steps: &Steps, set: Set) -> Set {
        let levels = self.all_levels(space, 0);
        let taken = self.taken(space);
        let after = steps.after_if(space, set, &taken);
        let kept = self.kept(space, after);
        let new = space.package.some(kept, levels);
        space.package.up(new, levels)
    }

    /// Of some states those from which a run goes on for ever in them, and keeps all promises; as far as runs from some of them come there.
    pub fn kept_for_ever(&self, space: &mut Space, steps: &Steps, states: Set, starts: Set) -> Set {
        let (visited, next) = self.unchanged(space, states, starts);
        let mut ends = Vec::new();
        self.split(space, next, &mut ends);
        let mut kept = NONE;
        for end in ends {
            let again = self.kept_within(space, steps, end);
            kept = space.package.or(kept, again);
        }
        space.closure(kept, |space, set| {
            let before = self.before(space, steps, set);
            space.package.and(before, visited)
        })
    }

    /// The states that are left of some where promises that runs from some states make, or do not make, in the beginning stay so; and
    /// those that come after another one.
    fn unchanged(&self, space: &mut Space, states: Set, starts: Set) -> (Set, Set) {
        let (mut visited, mut next) = (states, states);
        let mut last = NONE;
        while last != next {
            last = next;
            for (level, about) in self.levels.iter().zip(&self.about).rev() {
                for made in [true, false] {
                    let bit = space.package.one(vec![(*level, made)]);
                    let about = if made { *about } else { space.package.not(*about) };
                    // One comes to these if it was so, and it is not so any more.
                    let end = space.package.without(about, bit);
                    if space.package.without(starts, bit) == NONE && space.package.and(next, end) == NONE {
                        visited = space.package.and(visited, bit);
                        next = space.all([next, bit, about]);
                    }
                }
            }
        }
        (visited, next)
    }

    /// Adds sets, to one of which a run keeps from some state on if it keeps to this one.
    fn split(&self, space: &mut Space, set: Set, ends: &mut Vec<Set>) {
        tick();
        if set == NONE || self.again.iter().any(|again| space.package.and(set, *again) == NONE) {
            return;
        }
        for (level, about) in self.levels.iter().zip(&self.about).rev() {
            let bit = space.package.bit(*level);
            let (made, not) = (space.package.and(set, bit), space.package.without(set, bit));
            let (stays, ends_up) = (space.package.and(made, *about), space.package.without(not, *about));
            if (stays == set || ends_up == set) || (stays != made && ends_up != not) || ends.len() >= MOST_ENDS {
                continue;
            }
            self.split(space, stays, ends);
            self.split(space, ends_up, ends);
            return;
        }
        ends.push(set);
    }

    /// From which states of a set a run stays in it for ever, and keeps all promises.
    fn kept_within(&self, space: &mut Space, steps: &Steps, set: Set) -> Set {
        let own = space.package.levels(&self.levels);
        let from = space.package.some(set, own);
        let to = self.forgotten(space, set);
        let taken = self.taken(space);
        let relations = steps.between(space, from, &taken, to);
        let relations = returning(space, relations);
        let again = if self.again.is_empty() { vec![ALL] } else { self.again.clone() };
        let mark = space.package.mark();
        let mut all = set;
        loop {
            let last = all;
            for visited in &again {
                tick();
                let goal = space.package.and(all, *visited);
                let lead = space.closure(goal, |space, set| {
                    let before = self.before_by(space, &relations, set);
                    space.package.and(before, all)
                });
                let lead = self.before_by(space, &relations, lead);
                all = space.package.and(all, lead);
            }
            if all == last {
                return all;
            }
            space.package.forget(mark, &mut [&mut all]);
        }
    }

    /// The states on runs from some states, which keep their promises as long as one looks.
    pub fn reachable(&self, space: &mut Space, steps: &Steps, starts: Set) -> Set {
        space.closure(starts, |space, set| self.after(space, steps, set))
    }

    /// The states of a set, whatever they promise.
    pub fn forgotten(&self, space: &mut Space, set: Set) -> Set {
        let levels = self.all_levels(space, 0);
        space.package.some(set, levels)
    }
}
