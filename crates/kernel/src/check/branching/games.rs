//! Confirms strategies by the whole state, by ranks of states.
//!
//! A group can bring about `f U g` where g is true, or f is and the group can see to it that the next state is one where it can: the least
//! set of states like this. Each state of the evidence that has a rank is one because of states with smaller ranks, so all of them are in
//! that set; and no other state is one because of those, so it is that set. Of `f W g`, the greatest set, the same is checked of the states
//! that are not in it.

use super::Labelled;
use crate::check::Refused;
use crate::limits::tick;
use crate::model::branching::{Branching, Information, Objective};
use crate::model::eval::Decisions;
use crate::model::formula::Strength;
use crate::model::{Formula, InstanceId};

/// A step from a state: what is decided for it, and where it leads.
type PlayedStep = (Decisions, u32);

impl Labelled<'_, '_> {
    /// In which states a group can bring about what a formula says.
    pub(super) fn strategic(
        &self,
        number: usize,
        (information, group): (Information, &[InstanceId]),
        branching: &Branching,
        ranks: Option<&Vec<Option<u32>>>,
    ) -> Result<Vec<bool>, Refused> {
        let objective = Objective::of(&branching.body)
            .filter(|_| information == Information::Full && branching.among.is_none())
            .ok_or_else(|| Refused::wrong("strategies of this kind are not supported"))?;
        let states = 0..self.states.len() as u32;
        let truths =
            |formula: &Formula| -> Vec<bool> { states.clone().map(|state| self.holds(formula, state)).collect() };
        let no_label = || super::no_label(number);
        let (strength, stays, goal) = match &objective {
            Objective::Next(inner) => {
                let good = truths(inner);
                return Ok(states.map(|state| self.can_force(group, state, &|next| good[next as usize])).collect());
            }
            Objective::Until(strength, stays, goal) => (*strength, truths(stays), truths(goal)),
        };
        let ranks = ranks.filter(|ranks| ranks.len() == self.states.len()).ok_or_else(no_label)?;
        let is_least = strength == Strength::Strong;
        for state in states {
            tick();
            let place = state as usize;
            // True if this is a state of the set, given that of others a condition says which are.
            let belongs = |is_member: &dyn Fn(u32) -> bool| {
                goal[place] || stays[place] && self.can_force(group, state, is_member)
            };
            let has_rank = |next: u32| ranks[next as usize].is_some();
            let is_right = match ranks[place] {
                Some(rank) => {
                    let has_smaller = |next: u32| ranks[next as usize].is_some_and(|other| other < rank);
                    belongs(&|next| has_smaller(next) == is_least) == is_least
                }
                None => belongs(&|next| has_rank(next) == is_least) != is_least,
            };
            if !is_right {
                return Err(no_label());
            }
        }
        Ok(ranks.iter().map(|rank| rank.is_some() == is_least).collect())
    }

    /// True if the group can see to it that the next state is a good one: by what its members offer to begin, and by how they take
    /// messages.
    fn can_force(&self, group: &[InstanceId], state: u32, is_good: &dyn Fn(u32) -> bool) -> bool {
        let steps = self.states.decisions(state);
        let offer = |(decisions, _): &PlayedStep| decisions.begins.filter(|(instance, _)| group.contains(instance));
        let is_stutter = |(decisions, _): &PlayedStep| decisions.begins.is_none() && decisions.takes.is_empty();
        if steps.iter().any(is_stutter) {
            // Where all act at once, the members need actions to bring something about.
            return self.model.joint.is_none() && is_good(state);
        }
        let given: Vec<&PlayedStep> = steps.iter().filter(|step| offer(step).is_none()).collect();
        if !given.is_empty() {
            // An offer would only add steps.
            return can_take(&given, group, is_good);
        }
        let mut offers: Vec<_> = steps.iter().filter_map(offer).collect();
        offers.sort_unstable();
        offers.dedup();
        // Without an offer nothing changes.
        is_good(state)
            || offers.into_iter().any(|offered| {
                let begun: Vec<&PlayedStep> = steps.iter().filter(|step| offer(step) == Some(offered)).collect();
                can_take(&begun, group, is_good)
            })
    }
}

/// True if for each message in some steps the members can choose commands to take it such that steps with these lead to good states only.
fn can_take(steps: &[&PlayedStep], group: &[InstanceId], is_good: &dyn Fn(u32) -> bool) -> bool {
    let mut left = steps.to_vec();
    while let Some((first, _)) = left.first().copied() {
        let (same, others): (Vec<&PlayedStep>, Vec<&PlayedStep>) =
            left.into_iter().partition(|(decisions, _)| decisions.message == first.message);
        if !some_way(&same, group, is_good) {
            return false;
        }
        left = others;
    }
    true
}

/// The same for one message, where members that are not in the group any more have chosen.
fn some_way(steps: &[&PlayedStep], group: &[InstanceId], is_good: &dyn Fn(u32) -> bool) -> bool {
    let Some((member, rest)) = group.split_first() else { return steps.iter().all(|(_, target)| is_good(*target)) };
    let taken = |(decisions, _): &PlayedStep| {
        decisions.takes.iter().find(|(instance, _)| instance == member).map(|(_, command)| *command)
    };
    let mut ways: Vec<_> = steps.iter().filter_map(|step| taken(step)).collect();
    ways.sort_unstable();
    ways.dedup();
    if ways.is_empty() {
        return some_way(steps, rest, is_good);
    }
    ways.into_iter().any(|way| {
        let agree: Vec<&PlayedStep> =
            steps.iter().copied().filter(|step| taken(step).is_none_or(|other| other == way)).collect();
        some_way(&agree, rest, is_good)
    })
}
