//! Specs of one model that are asked about together: an exploration that labels states says of all of them whether they hold.

use super::answer::Answer;
use super::{Limits, durations};
use crate::limits::lock;
use rustc_hash::FxHashMap;
use std::sync::{Condvar, Mutex, PoisonError};

/// The specs that are asked about, and what is known of them already.
#[derive(Debug, Default)]
pub struct Companions<'s> {
    specs: Vec<usize>,
    known: Mutex<Known<'s>>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Known<'s> {
    /// The specs that some exploration has looked at, or that ask for themselves.
    seen: Vec<usize>,
    answers: FxHashMap<usize, Answer<'s>>,
    is_exploring: bool,
}

/// The turn of a spec.
pub(super) enum Turn<'c, 's> {
    /// It is answered already.
    Known(Answer<'s>),
    /// It explores, for these specs as well.
    Explore(Exploring<'c, 's>, Vec<usize>),
    /// It was stopped before.
    Over,
}

/// Others wait as long as it lives.
pub(super) struct Exploring<'c, 's>(&'c Companions<'s>);

impl<'s> Companions<'s> {
    /// Specs of a model by their numbers.
    pub fn new(specs: &[usize]) -> Companions<'s> {
        Companions { specs: specs.to_vec(), ..Companions::default() }
    }

    /// Waits while another spec explores.
    pub(super) fn turn(&self, spec: usize, limits: &Limits) -> Turn<'_, 's> {
        let mut known = lock(&self.known);
        loop {
            if let Some(answer) = known.answers.remove(&spec) {
                return Turn::Known(answer);
            }
            if !known.is_exploring {
                break;
            }
            if limits.stop.is_set() || limits.budget.is_over() {
                return Turn::Over;
            }
            let waited = self.changed.wait_timeout(known, durations::LOOK_EVERY);
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        known.is_exploring = true;
        known.seen.push(spec);
        let others = self.specs.iter().copied().filter(|other| !known.seen.contains(other)).collect();
        Turn::Explore(Exploring(self), others)
    }
}

impl<'s> Exploring<'_, 's> {
    /// Answers for other specs.
    pub fn tell(&self, answers: impl IntoIterator<Item = (usize, Answer<'s>)>) {
        let mut known = lock(&self.0.known);
        for (spec, answer) in answers {
            known.seen.push(spec);
            known.answers.insert(spec, answer);
        }
    }
}

impl Drop for Exploring<'_, '_> {
    fn drop(&mut self) {
        lock(&self.0.known).is_exploring = false;
        self.0.changed.notify_all();
    }
}
