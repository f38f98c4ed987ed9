//! Sets in which runs of a product of states and bits stay.
//!
//! A bit that cannot change back is constant from some state on, and so is what it says of the next state. That splits the product into
//! sets, in one of which a run stays; in each, fewer steps are possible, and fewer of these again and again ([`super::cycles`]).
//!
//! In such a set most of the automaton is gone: `F G p` has become a condition on states and steps. Backward
//! reachability by all steps comes last, within what runs from the states in question can visit.

use super::branching::Judge;
use super::linear::{Automaton, Obligation};
use super::search::{closure, fixpoint};
use crate::diagrams::{Set, and, exists, or, without};
use crate::limits::tick;

/// The most sets.
const MOST_SETS: usize = 16;

impl Judge<'_> {
    /// The states of the product from which a run visits each fair set infinitely often; of these, only such as runs from some
    /// states visit.
    pub(super) fn fair(&self, automaton: &Automaton, starts: &Set) -> Set {
        let (visited, later) = self.visited(automaton, starts);
        let mut fair = self.search.space.constant(false);
        for set in self.tails(automaton, later) {
            fair = or(&fair, &self.again_in(automaton, set));
        }
        closure(fair, |set| and(&self.predecessors_of(automaton, &automaton.steps, set), &visited))
    }

    /// A set with all states on runs from some states, as far as single bits tell: they keep the values that they have
    /// there, if nothing changes these. With it the same for the states from the second one on.
    fn visited(&self, automaton: &Automaton, starts: &Set) -> (Set, Set) {
        let (mut all, mut later) = (self.reachable.clone(), self.reachable.clone());
        loop {
            let before = later.clone();
            for it in automaton.obligations.iter().rev() {
                let bit = self.search.space.spare_bit(it.bit);
                let [set, clear] = self.constant(it, &later);
                if without(starts, &bit).is_false() && self.falls(it, &later).is_false() {
                    (all, later) = (and(&all, &bit), set);
                } else if and(starts, &bit).is_false() && self.rises(it, &later).is_false() {
                    (all, later) = (without(&all, &bit), clear);
                }
            }
            if later == before {
                return (all, later);
            }
        }
    }

    /// Sets in one of which each fair run stays from some state on, if all of its states are in a set.
    fn tails(&self, automaton: &Automaton, set: Set) -> Vec<Set> {
        let fair = automaton.fair_sets(self.search.space);
        let (mut open, mut list) = (vec![set], Vec::new());
        while let Some(set) = open.pop() {
            tick();
            if set.is_false() || fair.iter().any(|fair| and(&set, fair).is_false()) {
                continue;
            }
            let parts = automaton.obligations.iter().rev().find_map(|it| {
                let is_constant = self.rises(it, &set).is_false() || self.falls(it, &set).is_false();
                let parts = self.constant(it, &set);
                (is_constant && !parts.contains(&set)).then_some(parts)
            });
            match parts {
                Some(parts) if open.len() + list.len() < MOST_SETS => open.extend(parts),
                _ => list.push(set),
            }
        }
        list
    }

    /// The states of a set to which a run comes that stays there with the bit set all the time, or clear all the time.
    fn constant(&self, it: &Obligation, set: &Set) -> [Set; 2] {
        let bit = self.search.space.spare_bit(it.bit);
        [and(&and(set, &bit), &it.next), without(&without(set, &bit), &it.next)]
    }

    /// The states of a set in which the bit is set, and to which one only comes where it is clear.
    fn rises(&self, it: &Obligation, set: &Set) -> Set {
        without(&and(set, &self.search.space.spare_bit(it.bit)), &it.next)
    }

    /// The same the other way round.
    fn falls(&self, it: &Obligation, set: &Set) -> Set {
        and(&without(set, &self.search.space.spare_bit(it.bit)), &it.next)
    }

    /// The states from which a run stays in a set for ever, and visits each fair set infinitely often.
    fn again_in(&self, automaton: &Automaton, all: Set) -> Set {
        let space = self.search.space;
        let from = exists(&all, space.spare_levels(automaton.obligations.iter().map(|it| it.bit)));
        let states = exists(&all, self.levels(automaton));
        let steps = self.lasting(automaton.steps.iter().map(|step| step.only(&from).inside(&states)).collect());
        let sets = automaton.fair_sets(space);
        let visiting = |all: Set, set: &Set| {
            let leads = closure(and(&all, set), |set| and(&self.predecessors_of(automaton, &steps, set), &all));
            and(&all, &self.predecessors_of(automaton, &steps, &leads))
        };
        fixpoint(all, |all| sets.iter().fold(all.clone(), visiting))
    }
}
