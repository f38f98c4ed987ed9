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

    /// Of states with promises, and those of the states after them, those in which they are the promises that the latter keep.
    fn kept(&self, space: &mut Space, set: Set) -> Set {
        let levels = space.package.levels(&self.levels);
        self.levels.iter().zip(&self.about).fold(set, |set, (level, about)| {
            let (bit, about) = (space.package.bit(*level), space.package.down(*about, levels));
            let same = space.package.same(bit, about);
            space.package.and(set, same)
        })
    }

    fn before(&self, space: &mut Space, steps: &Steps, set: Set) -> Set {
        let levels = space.package.levels(&self.levels);
        let below: Vec<u32> = self.levels.iter().map(|level| level + 1).collect();
        let below = space.package.levels(&below);
        let set = space.package.down(set, levels);
        let kept = self.kept(space, set);
        let kept = space.package.some(kept, below);
        steps.before(space, kept)
    }

    fn after(&self, space: &mut Space, steps: &Steps, set: Set) -> Set {
        let levels = space.package.levels(&self.levels);
        let after = steps.after(space, set);
        let kept = self.kept(space, after);
        let new = space.package.some(kept, levels);
        space.package.up(new, levels)
    }

    /// Of some states those from which a run goes on for ever in them, and keeps all promises.
    pub fn kept_for_ever(&self, space: &mut Space, steps: &Steps, states: Set) -> Set {
        let again = if self.again.is_empty() { vec![ALL] } else { self.again.clone() };
        let mark = space.package.mark();
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
            space.package.forget(mark, &mut [&mut all]);
        }
    }

    /// From which states in a set a run in it leads to a goal.
    fn leading(&self, space: &mut Space, steps: &Steps, goal: Set, inside: Set) -> Set {
        space.closure(goal, |space, set| {
            let before = self.before(space, steps, set);
            space.package.and(before, inside)
        })
    }

    /// The states on runs from some states, which keep their promises as long as one looks.
    pub fn reachable(&self, space: &mut Space, steps: &Steps, starts: Set) -> Set {
        space.closure(starts, |space, set| self.after(space, steps, set))
    }

    /// The states of a set, whatever they promise.
    pub fn forgotten(&self, space: &mut Space, set: Set) -> Set {
        let levels = space.package.levels(&self.levels);
        space.package.some(set, levels)
    }
}
