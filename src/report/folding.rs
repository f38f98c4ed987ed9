//! Long runs with each repeated part once.

use crate::limits::tick;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::hash::Hash;

/// Shorter runs are shown as they are.
pub const LONG: usize = 100;

/// A repeated part consists of at most so many parts.
const PARTS: usize = 8;

/// A part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A step.
    Step,
    /// Parts that are repeated, and how often they occur one after the other: at least twice.
    Repeated(Vec<Part>, usize),
}

impl Part {
    /// The number of steps.
    pub fn steps(&self) -> usize {
        match self {
            Part::Step => 1,
            Part::Repeated(parts, times) => times * parts.iter().map(Part::steps).sum::<usize>(),
        }
    }
}

/// Kinds of parts, as numbers: equal numbers stand for equal sequences of steps.
struct Kinds<T> {
    steps: FxHashMap<T, usize>,
    repeated: FxHashMap<(Vec<usize>, usize), usize>,
    /// Per kind its parts and how often they are repeated; nothing for a step.
    list: Vec<Option<(Vec<usize>, usize)>>,
}

impl<T: Eq + Hash> Kinds<T> {
    fn step(&mut self, step: T) -> usize {
        let Kinds { steps, list, .. } = self;
        *steps.entry(step).or_insert_with(|| {
            list.push(None);
            list.len() - 1
        })
    }

    fn repeated(&mut self, parts: &[usize], times: usize) -> usize {
        let Kinds { repeated, list, .. } = self;
        *repeated.entry((parts.to_vec(), times)).or_insert_with(|| {
            list.push(Some((parts.to_vec(), times)));
            list.len() - 1
        })
    }

    fn part(&self, kind: usize) -> Part {
        match &self.list[kind] {
            None => Part::Step,
            Some((parts, times)) => Part::Repeated(parts.iter().map(|&kind| self.part(kind)).collect(), *times),
        }
    }
}

/// The parts of a sequence of steps: what occurs several times in a row is one part, also where it consists of such parts.
pub fn fold<T: Eq + Hash>(steps: impl Iterator<Item = T>) -> Vec<Part> {
    let mut kinds = Kinds { steps: FxHashMap::default(), repeated: FxHashMap::default(), list: Vec::new() };
    let parts: Vec<usize> = steps.map(|step| kinds.step(step)).collect();
    fold_all(parts, &mut kinds).into_iter().map(|kind| kinds.part(kind)).collect()
}

fn fold_all<T: Eq + Hash>(mut parts: Vec<usize>, kinds: &mut Kinds<T>) -> Vec<usize> {
    loop {
        let folded = fold_once(&parts, kinds);
        if folded.len() == parts.len() {
            return parts;
        }
        parts = folded;
    }
}

/// Folds from left to right what covers most, and what is repeated inside of it.
fn fold_once<T: Eq + Hash>(parts: &[usize], kinds: &mut Kinds<T>) -> Vec<usize> {
    let (mut folded, mut at) = (Vec::new(), 0);
    while let rest = &parts[at..]
        && !rest.is_empty()
    {
        tick();
        let times = |length: usize| rest.chunks(length).take_while(|chunk| *chunk == &rest[..length]).count();
        let lengths = (1..=PARTS.min(rest.len())).map(|length| (length, times(length)));
        let most = |&(length, times): &(usize, usize)| (length * times, Reverse(length));
        let best = lengths.filter(|(_, times)| *times > 1).max_by_key(most);
        match best {
            Some((length, times)) => {
                let inside = fold_all(rest[..length].to_vec(), kinds);
                folded.push(kinds.repeated(&inside, times));
                at += length * times;
            }
            None => {
                folded.push(rest[0]);
                at += 1;
            }
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[Part]) -> String {
        let part = |part: &Part| match part {
            Part::Step => ".".to_owned(),
            Part::Repeated(parts, times) => format!("({}){times}", written(parts)),
        };
        parts.iter().map(part).collect()
    }

    #[test]
    fn what_is_repeated_is_one_part() {
        let folded = |text: &str| {
            let parts = fold(text.chars());
            assert_eq!(parts.iter().map(Part::steps).sum::<usize>(), text.len());
            written(&parts)
        };
        assert_eq!(folded(""), "");
        assert_eq!(folded("abc"), "...");
        assert_eq!(folded("xabababy"), ".(..)3.");
        assert_eq!(folded("aaaabaaaabaaaabc"), "((.)4.)3.");
        assert_eq!(folded(&"aab".repeat(1000)), "((.)2.)1000");
    }
}
