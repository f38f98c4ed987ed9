//! Generalisation of cubes over integers.
//!
//! Preconditions yield cubes that differ in a constant only, and a search that blocks them one after the other never
//! ends. So bounds are weakened as far as the initial states allow, and two bounds are replaced by their sum, in which
//! common terms cancel: it relates the remaining terms directly. A bound that no step ever makes true is blocked in
//! all frames, without the rest of the cube.

use super::bounds::{Bound, value};
use super::solver::Relative;
use super::{Cube, PdrSearch};
use crate::limits::Reason;
use crate::ts::term::Term;
use crate::ts::valuation::Valuation;
use dashu_int::IBig;

/// The number of tries that may fail per cube.
const FAILURES: usize = 3;

impl PdrSearch<'_> {
    /// A bound that one of the cube implies, if no initial state satisfies it and no step makes it true.
    pub(super) fn lasting_bound(&mut self, cube: &Cube) -> Result<Option<Term>, Reason> {
        const TRIES: usize = 4;
        for &literal in cube {
            let Some(bound) = Bound::of(&mut self.terms, literal) else { continue };
            let Some(weakest) = self.weakest(&bound)? else { continue };
            for candidate in [weakest, bound] {
                let tried = self.tried.entry(candidate.sum.clone()).or_default();
                if tried.len() == TRIES || tried.contains(&candidate.most) {
                    continue;
                }
                tried.push(candidate.most.clone());
                let candidate = candidate.literal(&mut self.terms);
                if self.frames.lasts(&self.terms, &vec![candidate])? {
                    return Ok(Some(candidate));
                }
            }
        }
        Ok(None)
    }

    /// Weakens bounds as long as the cube stays inductive relative to the level below.
    pub(super) fn weaken(&mut self, mut cube: Cube, level: usize) -> Result<Cube, Reason> {
        let mut failures = 0;
        for literal in cube.clone() {
            if failures == FAILURES {
                break;
            }
            let Some(bound) = Bound::of(&mut self.terms, literal).filter(|_| cube.contains(&literal)) else { continue };
            let Some(weakest) = self.weakest(&bound)?.filter(|weakest| *weakest != bound) else { continue };
            let weaker = with(&cube, &[literal], weakest.literal(&mut self.terms));
            match self.inductive(&weaker, level)? {
                Some(general) => cube = general,
                None => failures += 1,
            }
        }
        Ok(cube)
    }

    /// Takes sums of two bounds for these as long as the cube stays inductive relative to the level below.
    pub(super) fn add_up(&mut self, mut cube: Cube, level: usize) -> Result<Cube, Reason> {
        let mut failures = 0;
        let mut first = 0;
        while first < cube.len() && failures < FAILURES {
            match self.add_to(&cube, first, level, &mut failures)? {
                Some(general) => (cube, first) = (general, 0),
                None => first += 1,
            }
        }
        Ok(cube)
    }

    /// The cube with a sum of this literal and a later one.
    fn add_to(
        &mut self,
        cube: &Cube,
        first: usize,
        level: usize,
        failures: &mut usize,
    ) -> Result<Option<Cube>, Reason> {
        let Some(bound) = Bound::of(&mut self.terms, cube[first]) else { return Ok(None) };
        for &literal in &cube[first + 1..] {
            let Some(sum) = Bound::of(&mut self.terms, literal).and_then(|other| bound.plus(&other)) else { continue };
            let sum = self.weakest(&sum)?.unwrap_or(sum);
            let smaller = with(cube, &[cube[first], literal], sum.literal(&mut self.terms));
            if self.frames.initial_state(&self.terms, &smaller)?.is_none()
                && let Some(general) = self.inductive(&smaller, level)?
            {
                return Ok(Some(general));
            }
            *failures += 1;
            if *failures == FAILURES {
                break;
            }
        }
        Ok(None)
    }

    /// Literals of a cube without initial states that make it inductive relative to the level below. A state that
    /// contradicts that may be unreachable for its part: then it is blocked first (Hassan, Bradley, Somenzi, *Better
    /// generalization in IC3*, FMCAD 2013).
    fn inductive(&mut self, cube: &Cube, level: usize) -> Result<Option<Cube>, Reason> {
        for _ in 0..FAILURES {
            let (state, inputs) = match self.frames.relative(&self.terms, cube, level)? {
                Relative::Inductive(core) => return Ok(Some(self.keep_off_initial(cube, core)?)),
                Relative::Predecessor { state, inputs } => (state, inputs),
            };
            if level == 1 || self.nested {
                break;
            }
            let predecessor = self.generalise_predecessor(cube, &state, &inputs);
            if self.frames.initial_state(&self.terms, &predecessor)?.is_some() {
                break;
            }
            let Relative::Inductive(core) = self.frames.relative(&self.terms, &predecessor, level - 1)? else { break };
            self.nested = true;
            self.block(predecessor, core, level - 1)?;
            self.nested = false;
        }
        Ok(None)
    }

    /// The weakest bound of the same sum that no initial state satisfies; nothing if one satisfies this bound.
    fn weakest(&mut self, bound: &Bound) -> Result<Option<Bound>, Reason> {
        if !self.least.contains_key(&bound.sum) {
            if self.is_initial(bound)? {
                return Ok(None);
            }
            if self.starts.is_empty() {
                let state = self.frames.initial_state(&self.terms, &Vec::new())?;
                self.starts.extend(state.map(|state| Valuation::new(state, Vec::new())));
            }
            let least = self.least_initially(bound)?;
            self.least.insert(bound.sum.clone(), least);
        }
        let most = &self.least[&bound.sum] - IBig::ONE;
        Ok((most >= bound.most).then(|| Bound { sum: bound.sum.clone(), most }))
    }

    /// The least value of the sum in initial states, none of which satisfies the bound.
    fn least_initially(&mut self, bound: &Bound) -> Result<IBig, Reason> {
        let mut below = bound.most.clone();
        loop {
            let above = self.starts.iter_mut().map(|state| value(&bound.sum, &self.terms, state)).min();
            let above = above.unwrap_or_else(|| &below + IBig::ONE);
            if &above - &below == IBig::ONE {
                return Ok(above);
            }
            let middle = Bound { sum: bound.sum.clone(), most: (&above + &below) / IBig::from(2) };
            if !self.is_initial(&middle)? {
                below = middle.most;
            }
        }
    }

    /// True if an initial state satisfies a bound; it is remembered.
    fn is_initial(&mut self, bound: &Bound) -> Result<bool, Reason> {
        let literal = bound.literal(&mut self.terms);
        if self.starts.iter_mut().any(|state| state.holds(&self.terms, literal)) {
            return Ok(true);
        }
        let state = self.frames.initial_state(&self.terms, &vec![literal])?;
        let found = state.is_some();
        self.starts.extend(state.map(|state| Valuation::new(state, Vec::new())));
        Ok(found)
    }
}

/// The cube with another literal in the place of some.
fn with(cube: &Cube, gone: &[Term], instead: Term) -> Cube {
    let mut other: Cube = cube.iter().copied().filter(|literal| !gone.contains(literal)).chain([instead]).collect();
    other.sort_unstable();
    other.dedup();
    other
}

#[cfg(test)]
mod tests {
    use super::super::Pdr;
    use crate::claim::SafetyClaim;
    use crate::engine::bad_states;
    use crate::engine::{Config, Prover, SafetyQuestion};
    use crate::limits::{Budget, Stop};
    use crate::model::of_text::model;
    use crate::smt::with_context;
    use std::time::Duration;

    /// The answer of PDR on the only spec of a model, which is an invariant.
    fn decide(text: &str) -> &'static str {
        let model = model(text);
        let formula = &model.specs[0].formula;
        let (system, bad) = bad_states(&model, formula);
        let stop = Stop::new();
        let config = Config { budget: Budget::new(Some(Duration::from_secs(1800))), stop: &stop, progress: &|_| {} };
        with_context(&stop, || {
            match Pdr.run(SafetyQuestion { system: &system, bad, known: &[], later: None }, config) {
                SafetyClaim::Unreachable(_) => "unreachable",
                SafetyClaim::Reached(_) => "reached",
                SafetyClaim::Unknown(_) => "unknown",
            }
        })
    }

    /// Copies of a counter, also of each other: none is ahead, but each can only be blocked together with the other.
    #[test]
    fn followers_stay_behind() {
        let followers = |bound: &str| {
            format!(
                "agent Followers
                    local: first : int, left : int, right : int
                    init: first = 0 & left = 0 & right = 0
                    receive-guard: chan = *
                    repeat: (
                        {{true}} *! (false)()[first := first + 1]
                        + {{true}} *! (false)()[left := first]
                        + {{true}} *! (false)()[right := first]
                        + {{true}} *! (false)()[left := right]
                        + {{true}} *! (false)()[right := left]
                    )
                system = Followers(one, true)
                SPEC G ({bound})"
            )
        };
        assert_eq!(decide(&followers("one-left <= one-first")), "unreachable");
        assert_eq!(decide(&followers("one-left <= one-right + 3")), "reached");
    }

    /// Nothing but what is there is given away; at first one heap has nine.
    #[test]
    fn heaps_are_never_negative() {
        let heaps = |bound: &str| {
            format!(
                "agent Heaps
                    local: a : int, b : int, c : int
                    init: a = 9 & b >= 0 & c >= 0
                    receive-guard: chan = *
                    repeat: (
                        {{a >= b + 2 & a > 0}} *! (false)()[a := a - 1, b := b + 1]
                        + {{b >= c + 2 & b > 0}} *! (false)()[b := b - 1, c := c + 1]
                        + {{c >= a + 2 & c > 0}} *! (false)()[c := c - 1, a := a + 1]
                    )
                system = Heaps(one, true)
                SPEC G ({bound})"
            )
        };
        assert_eq!(decide(&heaps("deadlock -> one-a <= one-b + 1")), "unreachable");
        assert_eq!(decide(&heaps("one-a <= 9 | one-c < 12")), "reached");
    }
}
