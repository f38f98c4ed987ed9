//! Specs of one model that are asked about together: an exploration that labels states says of all of them whether they hold.

use super::answer::Answer;
use super::{Limits, durations};
use crate::limits::lock;
use crate::model::eval::Influence;
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
    /// The specs that explore at the moment.
    exploring: Vec<usize>,
    /// By spec, the variables that matter, as a place in the list of all that do for some spec; none for specs that are not labelled.
    kinds: FxHashMap<usize, Option<usize>>,
    influences: Vec<Influence>,
}

/// The variables that matter for a spec, if it is labelled.
pub(super) type Matters<'a> = &'a dyn Fn(usize) -> Option<Influence>;

impl Known<'_> {
    /// Specs of the same kind may share an exploration.
    fn kind(&mut self, spec: usize, matters: Matters) -> Option<usize> {
        let Known { kinds, influences, .. } = self;
        let find = || {
            let influence = matters(spec)?;
            let known = influences.iter().position(|other| *other == influence);
            Some(known.unwrap_or_else(|| {
                influences.push(influence);
                influences.len() - 1
            }))
        };
        *kinds.entry(spec).or_insert_with(find)
    }
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

/// A spec explores; others wait as long as this lives.
pub(super) struct Exploring<'c, 's> {
    companions: &'c Companions<'s>,
    spec: usize,
}

impl<'s> Companions<'s> {
    /// Specs of a model by their numbers.
    pub fn new(specs: &[usize]) -> Companions<'s> {
        Companions { specs: specs.to_vec(), ..Companions::default() }
    }

    /// Waits while another spec explores that may answer this one, too.
    pub(super) fn turn(&self, spec: usize, matters: Matters, limits: &Limits) -> Turn<'_, 's> {
        let mut known = lock(&self.known);
        let kind = known.kind(spec, matters);
        loop {
            if let Some(answer) = known.answers.remove(&spec) {
                return Turn::Known(answer);
            }
            if known.exploring.clone().into_iter().all(|other| known.kind(other, matters) != kind) {
                break;
            }
            if limits.stop.is_set() || limits.budget.is_over() {
                return Turn::Over;
            }
            let waited = self.changed.wait_timeout(known, durations::LOOK_EVERY);
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        known.exploring.push(spec);
        known.seen.push(spec);
        let mut others = self.specs.clone();
        others.retain(|other| !known.seen.contains(other) && known.kind(*other, matters) == kind);
        Turn::Explore(Exploring { companions: self, spec }, others)
    }
}

impl<'s> Exploring<'_, 's> {
    /// Answers for other specs.
    pub fn tell(&self, answers: impl IntoIterator<Item = (usize, Answer<'s>)>) {
        let mut known = lock(&self.companions.known);
        for (spec, answer) in answers {
            known.seen.push(spec);
            known.answers.insert(spec, answer);
        }
    }
}

impl Drop for Exploring<'_, '_> {
    fn drop(&mut self) {
        lock(&self.companions.known).exploring.retain(|spec| *spec != self.spec);
        self.companions.changed.notify_all();
    }
}
