//! From which states some run satisfies a linear formula: states with bits for what the rest of the run shall satisfy, and
//! conditions that a run meets again and again (Clarke, Grumberg, Hamaguchi, *Another look at LTL model checking*, Formal Methods in System
//! Design 1997; Emerson, Lei, *Efficient model checking in fragments of the propositional mu-calculus*, LICS 1986).

use super::package::{ALL, NONE, Set};
use super::space::Space;
use super::steps::Steps;
use crate::limits::tick;
use rustc_hash::FxHashMap;

/// What is promised of the rest of a run.
#[derive(Default)]
pub struct Promises {
    /// The level of the bit of each promise; the one below is its next value.
    levels: Vec<u32>,
    /// Per promise where what it is about is true: it is kept if that is so in the next state exactly if it was made.
    about: Vec<Set>,
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

    /// Where something is promised of the next state.
    pub fn next(&mut self, space: &mut Space, of: Set) -> Set {
        if let Some(known) = self.next.get(&of) {
            return *known;
        }
        let bit = self.promise(space);
        *self.about.last_mut().expect("it was added") = of;
        self.next.insert(of, bit);
        bit
    }

    /// Where a goal is promised, and something until then.
    pub fn until(&mut self, space: &mut Space, hold: Set, goal: Set) -> Set {
        if let Some(known) = self.until.get(&(hold, goal)) {
            return *known;
        }
        let bit = self.promise(space);
        let goes_on = space.package.and(hold, bit);
        let until = space.package.or(goal, goes_on);
        *self.about.last_mut().expect("it was added") = until;
        // It is not put off for ever.
        self.again.push(space.package.choice(until, goal, ALL));
        self.until.insert((hold, goal), until);
        until
    }

    /// Where the promises that are made are those that a set of states, with promises of their own, keeps.
    fn kept(&self, space: &mut Space, set: Set) -> Set {
        let levels = space.package.levels(&self.levels);
        let below: Vec<u32> = self.levels.iter().map(|level| level + 1).collect();
        let below = space.package.levels(&below);
        let mut all = space.package.down(set, levels);
        for (level, about) in self.levels.iter().zip(&self.about) {
            let (bit, about) = (space.package.bit(*level), space.package.down(*about, levels));
            let same = space.package.same(bit, about);
            all = space.package.and(all, same);
        }
        space.package.some(all, below)
    }

    fn before(&self, space: &mut Space, steps: &Steps, set: Set) -> Set {
        let kept = self.kept(space, set);
        steps.before(space, kept)
    }

    fn after(&self, space: &mut Space, steps: &Steps, set: Set) -> Set {
        let levels = space.package.levels(&self.levels);
        let mut all = steps.after(space, set);
        for (level, about) in self.levels.iter().zip(&self.about) {
            let (bit, about) = (space.package.bit(*level), space.package.down(*about, levels));
            let same = space.package.same(bit, about);
            all = space.package.and(all, same);
        }
        let new = space.package.some(all, levels);
        space.package.up(new, levels)
    }

    /// Of some states those from which a run goes on for ever in them, and keeps all promises.
    pub fn kept_for_ever(&self, space: &mut Space, steps: &Steps, states: Set) -> Set {
        let again = if self.again.is_empty() { vec![ALL] } else { self.again.clone() };
        let mut all = states;
        loop {
            let before = all;
            for visited in &again {
                tick();
                let goal = space.package.and(all, *visited);
                let goal = self.leading(space, steps, goal, all);
                let lead = self.before(space, steps, goal);
                all = space.package.and(all, lead);
            }
            if all == before {
                return all;
            }
        }
    }

    /// From which states in a set a run in it leads to a goal.
    fn leading(&self, space: &mut Space, steps: &Steps, goal: Set, inside: Set) -> Set {
        let (mut all, mut new) = (goal, goal);
        while new != NONE {
            tick();
            let before = self.before(space, steps, new);
            let before = space.package.and(before, inside);
            new = space.package.without(before, all);
            all = space.package.or(all, new);
        }
        all
    }

    /// The states on runs from some states, which keep their promises as long as one looks.
    pub fn reachable(&self, space: &mut Space, steps: &Steps, starts: Set) -> Set {
        let (mut all, mut new) = (starts, starts);
        while new != NONE {
            tick();
            let after = self.after(space, steps, new);
            new = space.package.without(after, all);
            all = space.package.or(all, new);
        }
        all
    }

    /// The states of a set, whatever they promise.
    pub fn forgotten(&self, space: &mut Space, set: Set) -> Set {
        let levels = space.package.levels(&self.levels);
        space.package.some(set, levels)
    }
}
