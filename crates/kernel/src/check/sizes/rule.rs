//! Which sizes an inductive invariant has to be checked in, so that it is one in all sizes.
//!
//! `docs/any-number.md` has the proof. In short: a step that leads to a violation of a clause involves the members that
//! the clause is violated by, those who take part in the step (a sender, or a getter and a supplier), and the agents
//! that every instance has. Without all other agents the same happens in an open instance of so many members.

use crate::model::scheme::Variables;
use crate::model::{AgentId, CommandKind, Model, Sizes};
use std::collections::BTreeSet;

/// How many members of each family can take part in a step, beside agents that every instance has: none, one or two.
pub fn participants(model: &Model) -> BTreeSet<Sizes> {
    let mut all = participant(model);
    for first in CommandKind::ALL {
        let Some(second) = joined_by(first) else { continue };
        for one in with_one(model, &no_members(model), |kind| kind == first) {
            all.extend(with_one(model, &one, |kind| kind == second));
        }
    }
    all
}

/// The kind of command of the second participant of a step. A send has none: without its receivers it happens all the same.
fn joined_by(kind: CommandKind) -> Option<CommandKind> {
    match kind {
        CommandKind::Get => Some(CommandKind::Supply),
        CommandKind::Send | CommandKind::Receive | CommandKind::Supply => None,
    }
}

/// The same of steps that change agents who take no part, or have one participant among those that are looked at: of
/// members, none or one beside these. If neither getter nor supplier is looked at, none is the one that changes.
pub fn participant(model: &Model) -> BTreeSet<Sizes> {
    let no_members = no_members(model);
    let mut all = with_one(model, &no_members, CommandKind::initiates);
    all.insert(no_members);
    all
}

fn no_members(model: &Model) -> Sizes {
    vec![0; model.families().len()]
}

/// Sizes with one more member, which has a command of such a kind.
fn with_one(model: &Model, sizes: &Sizes, takes: impl Fn(CommandKind) -> bool) -> BTreeSet<Sizes> {
    let can = |agent: AgentId| model.agents[agent.index()].edges.iter().any(|edge| takes(edge.action.kind()));
    let more = |family: usize| {
        let mut more = sizes.clone();
        more[family] += 1;
        can(model.families()[family].agent).then_some(more)
    };
    (0..sizes.len()).filter_map(more).collect()
}

/// How many members of each family a list of variables can stand for.
pub fn assignments(model: &Model, variables: &Variables) -> BTreeSet<Sizes> {
    let mut all = BTreeSet::from([vec![0; model.families().len()]]);
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

/// Sizes with so many members more.
pub fn beside(sizes: &BTreeSet<Sizes>, more: &Sizes) -> BTreeSet<Sizes> {
    with_participants(sizes, &BTreeSet::from([more.clone()]))
}

/// Sizes that are not smaller than the least ones, and as they are where they were asked for.
pub fn within(model: &Model, sizes: BTreeSet<Sizes>, least: &[u32]) -> BTreeSet<Sizes> {
    let sizes_of = |sizes: Sizes| {
        let families = model.families().iter().zip(sizes).zip(least);
        families.map(|((family, size), least)| if family.is_given { family.size } else { size.max(*least) }).collect()
    };
    sizes.into_iter().map(sizes_of).collect()
}
