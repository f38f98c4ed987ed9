//! Which sizes an inductive invariant has to be checked in, so that it is one in all sizes.
//!
//! `docs/any-number.md` has the proof. In short: a step that leads to a violation of a clause involves the members that
//! the clause is violated by, those who take part in the step (a sender, or a getter and a supplier), and the agents
//! that every instance has. Without everybody else the same happens in an open instance of so many members.

use crate::model::scheme::Variables;
use crate::model::{Action, AgentId, Model, Sizes};
use std::collections::BTreeSet;

/// The instances in which steps of a kind can be looked at: as many members of each family as can take part.
pub fn participants(model: &Model) -> BTreeSet<Sizes> {
    let nobody = vec![0; model.families.len()];
    let takes_part = |agent: AgentId, is_it: fn(&Action) -> bool| {
        model.agents[agent.index()].edges.iter().any(|edge| is_it(&edge.action))
    };
    let with = |sizes: &Sizes, is_it: fn(&Action) -> bool| {
        let more = |family: usize| {
            let mut more = sizes.clone();
            more[family] += 1;
            takes_part(model.families[family].agent, is_it).then_some(more)
        };
        let more: Vec<Sizes> = (0..model.families.len()).filter_map(more).collect();
        more
    };
    let mut all = BTreeSet::from([nobody.clone()]);
    all.extend(with(&nobody, |action| matches!(action, Action::Send { .. })));
    let getters = with(&nobody, |action| matches!(action, Action::Get { .. }));
    for getter in getters.iter().chain([&nobody]) {
        all.insert(getter.clone());
        all.extend(with(getter, |action| matches!(action, Action::Supply { .. })));
    }
    all
}

/// How many members of each family a list of variables can stand for.
pub fn assignments(model: &Model, variables: &Variables) -> BTreeSet<Sizes> {
    let mut all = BTreeSet::from([vec![0; model.families.len()]]);
    for families in variables {
        for sizes in all.clone() {
            for &family in families {
                let mut more = sizes.clone();
                more[family] += 1;
                all.insert(more);
            }
        }
    }
    all
}

/// The sizes in which steps have to be checked that concern so many members beside those who take part.
pub fn with_participants(concerned: &BTreeSet<Sizes>, participants: &BTreeSet<Sizes>) -> BTreeSet<Sizes> {
    let sum = |one: &Sizes, other: &Sizes| one.iter().zip(other).map(|(one, other)| one + other).collect();
    concerned.iter().flat_map(|one| participants.iter().map(move |other| sum(one, other))).collect()
}

/// Sizes that are not smaller than the least ones.
pub fn at_least(sizes: BTreeSet<Sizes>, least: &[u32]) -> BTreeSet<Sizes> {
    let raised = |sizes: Sizes| sizes.iter().zip(least).map(|(size, least)| *size.max(least)).collect();
    sizes.into_iter().map(raised).collect()
}
