//! Runs that violate a conjunct, from the members that say so: from each along the next ones to a loop.
//!
//! A step leads on from one member to the next if it is a step of the model, and what remains to be met after it is
//! implied by the obligations of the next member. So a run along members meets all obligations, if no eventuality is
//! pending for ever. That is to be seen of loops only: a run goes round for ever, by all steps between two members
//! in turn, so that some step on which an eventuality is not pending is enough. Conditions are treated likewise: a run
//! avoids steps that request the refused ones, and the others have to be answered if they are requested.

use super::part::Onward;
use super::recurrence::Recurrence;
use crate::claim::explicit::{WitnessLoop, Witnesses};
use crate::model::subformulas::Obligation;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The runs of the evidence, as far as their steps were seen.
#[derive(Default)]
pub struct Walks {
    next: FxHashMap<u32, u32>,
    /// The members of loops, each with the loops, and the next members there.
    on_loops: FxHashMap<u32, Vec<(usize, u32)>>,
    rounds: Vec<Round>,
    /// The members from which a step to the next one was seen.
    confirmed: FxHashSet<u32>,
    /// Per member, true if a run from an initial state leads there; empty if that is not asked.
    reached: Vec<bool>,
}

/// A loop, as far as its steps were seen.
#[derive(Default)]
struct Round {
    /// The conditions that are not requested, by their numbers.
    refused: Vec<usize>,
    /// The pairs of members between which no step was seen.
    open: FxHashSet<(u32, u32)>,
    /// The eventualities that are pending on all steps.
    pending: Option<BTreeSet<Obligation>>,
    requested: Vec<bool>,
    answered: Vec<bool>,
}

impl Walks {
    /// Of evidence for a conjunct with these conditions.
    pub fn new(witnesses: &Witnesses, conditions: &[(Obligation, Recurrence)]) -> Result<Walks, &'static str> {
        let mut walks = Walks { next: witnesses.next.iter().copied().collect(), ..Walks::default() };
        if walks.next.len() != witnesses.next.len() {
            return Err("a member has two next ones");
        }
        for (number, WitnessLoop { members, refused }) in witnesses.loops.iter().enumerate() {
            let number_of = |obligation: &Obligation| conditions.iter().position(|(other, _)| other == obligation);
            let refused = refused.iter().map(number_of).collect::<Option<Vec<usize>>>();
            let mut round =
                Round { refused: refused.ok_or("a loop refuses what is no condition")?, ..Round::default() };
            for (member, next) in members.iter().zip(members.iter().cycle().skip(1)) {
                round.open.insert((*member, *next));
                walks.on_loops.entry(*member).or_default().push((number, *next));
            }
            walks.rounds.push(round);
        }
        Ok(walks)
    }

    /// Begins to note which of so many members are reached from these.
    pub fn begin(&mut self, members: usize, starts: impl Iterator<Item = u32>) {
        self.reached = vec![false; members];
        starts.for_each(|start| self.reached[start as usize] = true);
    }

    /// True if a run from an initial state leads to a member, by members before it.
    pub fn is_reached(&self, member: u32) -> bool {
        self.reached[member as usize]
    }

    /// A step leads from a member to another one.
    pub fn step(&mut self, from: u32, to: u32, onward: &Onward) {
        if self.next.get(&from) == Some(&to) {
            self.confirmed.insert(from);
        }
        for (round, next) in self.on_loops.get(&from).into_iter().flatten() {
            if *next == to {
                self.rounds[*round].add((from, to), onward);
            }
        }
        if self.reached.get(from as usize) == Some(&true) {
            self.reached[to as usize] = true;
        }
    }

    /// That these members lead to loops on which all obligations are met, after all steps from them were told.
    pub fn conclude(&self, members: impl Iterator<Item = u32>) -> Result<(), &'static str> {
        if !self.rounds.iter().all(Round::is_accepting) {
            return Err("on a loop, an obligation is pending for ever, or a step is missing");
        }
        let mut good: FxHashSet<u32> = self.on_loops.keys().copied().collect();
        for member in members {
            let (mut path, mut at) = (FxHashSet::default(), member);
            while !good.contains(&at) {
                if !self.confirmed.contains(&at) || !path.insert(at) {
                    return Err("a member leads to no loop");
                }
                at = self.next[&at];
            }
            good.extend(path);
        }
        Ok(())
    }
}

impl Round {
    /// A step of the loop, of which runs may take a different one each time. Symmetries exchange no conditions where there are
    /// witnesses, as they leave all that is asked.
    fn add(&mut self, step: (u32, u32), onward: &Onward) {
        if self.refused.iter().any(|condition| onward.requested[*condition]) {
            return;
        }
        self.open.remove(&step);
        let pending = onward.pending();
        match &mut self.pending {
            None => self.pending = Some(pending.iter().copied().collect()),
            Some(known) => known.retain(|eventuality| pending.contains(eventuality)),
        }
        for (all, here) in [(&mut self.requested, &onward.requested), (&mut self.answered, &onward.answered)] {
            all.resize(here.len(), false);
            all.iter_mut().zip(here.iter()).for_each(|(all, here)| *all |= here);
        }
    }

    fn is_accepting(&self) -> bool {
        let due = self.requested.iter().zip(&self.answered).any(|(requested, answered)| *requested && !answered);
        self.open.is_empty() && !due && self.pending.as_ref().is_some_and(BTreeSet::is_empty)
    }
}
