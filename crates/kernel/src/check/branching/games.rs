//! Confirms strategies by the whole state, by ranks of states.
//!
//! A group can bring about `f U g` where g is true, or f is and the group can see to it that the next state is one where it can: the least
//! set of states like this. Each state of the evidence that has a rank is one because of states with smaller ranks, so all of them are in
//! that set; and no other state is one because of those, so it is that set. Of `f W g`, the greatest set, the same is checked of the states
//! that are not in it.

use super::Labelled;
use crate::check::Refused;
use crate::claim::branching::{FairStates, GameEvidence};
use crate::limits::tick;
use crate::model::branching::{Branching, Information, Objective, Operator, recurring};
use crate::model::eval::Decisions;
use crate::model::formula::Strength;
use crate::model::{Formula, InstanceId};

/// A step from a state: what is decided for it, and where it leads.
type PlayedStep = (Decisions, u32);

/// A group, and the number of the formula about it.
struct Strategic<'q> {
    number: usize,
    group: &'q [InstanceId],
}

impl Labelled<'_, '_> {
    /// In which states a group can bring about what a formula says, by the whole state.
    pub(super) fn strategic(
        &self,
        number: usize,
        branching: &Branching,
        evidence: Option<&GameEvidence>,
    ) -> Result<Vec<bool>, Refused> {
        let unfit = || Refused::wrong("strategies of this kind are not supported");
        let Operator::Strategy(Information::Full, group) = &branching.operator else { return Err(unfit()) };
        let asked = &Strategic { number, group };
        let objective = Objective::of(&branching.body).ok_or_else(unfit)?;
        let nothing = GameEvidence::default();
        let evidence = evidence.unwrap_or(&nothing);
        if let Some(among) = &branching.among {
            let conditions = recurring(among).filter(|_| self.model.joint.is_some());
            let conditions: Vec<Vec<bool>> =
                conditions.ok_or_else(unfit)?.into_iter().map(|formula| self.truths(formula)).collect();
            return self.under_fairness(asked, &objective, &conditions, evidence);
        }
        match &objective {
            Objective::Next(inner) => {
                let good = self.truths(inner);
                Ok(self.each(|state| self.can_force(asked.group, state, &|next| good[next as usize])))
            }
            Objective::Until(strength, stays, goal) => {
                self.ranked(asked, (*strength, self.truths(stays), self.truths(goal)), &evidence.ranks)
            }
        }
    }

    fn each(&self, of: impl Fn(u32) -> bool) -> Vec<bool> {
        (0..self.states.len() as u32).map(of).collect()
    }

    fn truths(&self, formula: &Formula) -> Vec<bool> {
        self.each(|state| self.holds(formula, state))
    }

    /// In which states the group can bring about an until.
    fn ranked(
        &self,
        asked: &Strategic,
        (strength, stays, goal): (Strength, Vec<bool>, Vec<bool>),
        ranks: &[Option<u32>],
    ) -> Result<Vec<bool>, Refused> {
        let no_label = || super::no_label(asked.number);
        if ranks.len() != self.states.len() {
            return Err(no_label());
        }
        let is_least = strength == Strength::Strong;
        for state in 0..self.states.len() as u32 {
            tick();
            let place = state as usize;
            // True if this is a state of the set, given that of others a condition says which are.
            let belongs = |is_member: &dyn Fn(u32) -> bool| {
                goal[place] || stays[place] && self.can_force(asked.group, state, is_member)
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

    /// The same under fairness, with the fixed points of MCMAS: states without fair runs are left out, and the group wins unfair runs, but
    /// for what is to be true for ever.
    fn under_fairness(
        &self,
        asked: &Strategic,
        objective: &Objective,
        conditions: &[Vec<bool>],
        evidence: &GameEvidence,
    ) -> Result<Vec<bool>, Refused> {
        let mut left = evidence.fair.iter();
        let mut next = || left.next().ok_or_else(|| super::no_label(asked.number));
        let no_group = Strategic { number: asked.number, group: &[] };
        let acts = self.each(|state| !self.states.decisions(state).iter().any(is_stutter));
        let possible = self.fair(&no_group, &acts, conditions, next()?)?;
        let enforced = |stays: &[bool], evidence: &FairStates| {
            let stays: Vec<bool> = possible.iter().zip(stays).map(|(one, other)| *one && *other).collect();
            self.fair(asked, &stays, conditions, evidence)
        };
        let (stays, goal) = match objective {
            Objective::Next(inner) => {
                let (good, fair) = (self.truths(inner), enforced(&possible, next()?)?);
                let is_good = |state: u32| good[state as usize] || !fair[state as usize];
                return Ok(self.each(|state| self.can_force(asked.group, state, &is_good)));
            }
            Objective::Until(_, stays, goal) => (self.truths(stays), self.truths(goal)),
        };
        let is_strong = matches!(objective, Objective::Until(Strength::Strong, ..));
        let done = |state: u32| goal[state as usize] || !possible[state as usize];
        let (kept, unanswered) = if is_strong {
            let fair = enforced(&possible, next()?)?;
            let never: Vec<bool> = goal.iter().map(|goal| !goal).collect();
            let is_kept = |state: usize| stays[state] || goal[state] || !fair[state];
            (self.each(|state| is_kept(state as usize)), enforced(&never, next()?)?)
        } else {
            (stays.clone(), self.each(|_| false))
        };
        let kept = self.ranked(asked, (Strength::Weak, kept, self.each(done)), &evidence.ranks)?;
        Ok(kept.iter().zip(unanswered).map(|(kept, unanswered)| *kept && !unanswered).collect())
    }

    /// Where those who are not in a group can see to it that states are not left, and that each condition is true again and again. Inside, they
    /// lead to states with smaller ranks until a condition is true, and never outside. Outside, the group leads to smaller stages, or stays
    /// for ever where the condition of a stage is false, or leads away.
    fn fair(
        &self,
        asked: &Strategic,
        stays: &[bool],
        conditions: &[Vec<bool>],
        evidence: &FairStates,
    ) -> Result<Vec<bool>, Refused> {
        let FairStates { inside, outside, stages } = evidence;
        let is_whole = [inside.len(), outside.len()] == [self.states.len(); 2]
            && inside.iter().flatten().all(|ranks| ranks.len() == conditions.len())
            && stages.iter().all(|condition| (*condition as usize) < conditions.len())
            && outside.iter().flatten().all(|(stage, _)| (*stage as usize) < stages.len());
        if !is_whole {
            return Err(Refused::malformed("states of others, or conditions"));
        }
        let is_right = |state: u32| {
            let place = state as usize;
            // Others lead to such a state: the group cannot force that it is none.
            let steps = self.states.decisions(state);
            let force = |is_good: &dyn Fn(u32) -> bool| self.can_force_by(&steps, asked.group, state, is_good);
            let lead = |to: &dyn Fn(u32) -> bool| !force(&|next| !to(next));
            match (&inside[place], outside[place]) {
                (Some(ranks), None) => {
                    stays[place]
                        && ranks.iter().zip(conditions).enumerate().all(|(number, (rank, condition))| {
                            let is_there = |next: u32| inside[next as usize].is_some();
                            let is_nearer =
                                |next: u32| inside[next as usize].as_ref().is_some_and(|ranks| ranks[number] < *rank);
                            if condition[place] { lead(&is_there) } else { lead(&is_nearer) }
                        })
                }
                (None, Some((stage, is_core))) => {
                    let wins = |next: u32| match outside[next as usize] {
                        _ if !stays[next as usize] => true,
                        Some((other, is_core)) => other < stage || other == stage && is_core,
                        None => false,
                    };
                    let condition = &conditions[stages[stage as usize] as usize];
                    !(is_core && condition[place]) && force(&wins)
                }
                (None, None) => !stays[place],
                (Some(_), Some(_)) => false,
            }
        };
        for state in 0..self.states.len() as u32 {
            tick();
            if !is_right(state) {
                return Err(super::no_label(asked.number));
            }
        }
        Ok(inside.iter().map(Option::is_some).collect())
    }

    /// True if the group can see to it that the next state is a good one: by what its members offer to begin, and by how they take
    /// messages.
    fn can_force(&self, group: &[InstanceId], state: u32, is_good: &dyn Fn(u32) -> bool) -> bool {
        self.can_force_by(&self.states.decisions(state), group, state, is_good)
    }

    /// The same, given the steps from the state.
    fn can_force_by(
        &self,
        steps: &[PlayedStep],
        group: &[InstanceId],
        state: u32,
        is_good: &dyn Fn(u32) -> bool,
    ) -> bool {
        let offer = |(decisions, _): &PlayedStep| decisions.begins.filter(|(instance, _)| group.contains(instance));
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

fn is_stutter((decisions, _): &PlayedStep) -> bool {
    decisions.begins.is_none() && decisions.takes.is_empty()
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
