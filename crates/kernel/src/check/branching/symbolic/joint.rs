//! The step of agents that act all at once ([`crate::model::joint`]).

use super::Unfit;
use super::package::{NONE, Set};
use super::space::{Cases, Slot, Space};
use super::steps::Relation;
use crate::model::InstanceId;
use crate::model::joint::{Behaviour, Joint, JointLeaf};

/// All steps but the stutter.
pub fn relation(space: &mut Space, joint: &Joint) -> Result<Relation, Unfit> {
    let (mut parts, mut changed) = (Vec::new(), Vec::new());
    for (instance, behaviour) in space.model.instance_ids().zip(&joint.behaviours) {
        parts.push(protocol(space, instance, behaviour)?);
        let before = changed.len();
        for lines in &behaviour.groups {
            parts.push(group(space, instance, behaviour, lines, &mut changed)?);
        }
        let mut own: Vec<Slot> = changed[before..].to_vec();
        own.sort_unstable();
        // One line would change what another one changes.
        if own.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Unfit::Groups);
        }
    }
    Ok(Relation::new(space, &parts, &changed, Vec::new()))
}

fn reads(space: &mut Space, leaf: JointLeaf) -> Result<Cases, Unfit> {
    Ok(match leaf {
        JointLeaf::Local(instance, local) => space.local(instance, local),
        JointLeaf::Action(instance) => space.action(instance),
    })
}

/// The set where an agent chooses an action that its protocol allows.
fn protocol(space: &mut Space, instance: InstanceId, behaviour: &Behaviour) -> Result<Set, Unfit> {
    let mut conditions = Vec::new();
    for line in &behaviour.protocol {
        conditions.push(space.truth(&line.condition, &reads)?);
    }
    let served = conditions.iter().fold(NONE, |set, condition| space.package.or(set, *condition));
    let other = space.package.not(served);
    let mut chosen = NONE;
    for (action, this) in (0..).zip(space.action(instance).values().copied()) {
        let lines = behaviour.protocol.iter().zip(&conditions);
        let lines = lines.filter(|(line, _)| line.actions.contains(&action)).map(|(_, condition)| *condition);
        let other = behaviour.other.contains(&action).then_some(other);
        let allowed = lines.chain(other).fold(NONE, |set, condition| space.package.or(set, condition));
        let this = space.package.and(this, allowed);
        chosen = space.package.or(chosen, this);
    }
    Ok(chosen)
}

/// The effect of a group of lines: one of those that can be taken is, if there is one. Adds the variables that they
/// change.
fn group(
    space: &mut Space,
    instance: InstanceId,
    behaviour: &Behaviour,
    lines: &[u32],
    changed: &mut Vec<Slot>,
) -> Result<Set, Unfit> {
    let updates = lines.iter().flat_map(|line| &behaviour.lines[*line as usize].updates);
    let mut places: Vec<Slot> = updates.map(|(local, _)| (instance.0, local.0 + 1)).collect();
    places.sort_unstable();
    places.dedup();
    let (mut moves, mut possible) = (NONE, NONE);
    for line in lines {
        let line = &behaviour.lines[*line as usize];
        let mut parts = vec![space.truth(&line.condition, &reads)?];
        let mut can = parts.clone();
        for place in &places {
            match line.updates.iter().find(|(local, _)| local.0 + 1 == place.1) {
                Some((_, value)) => {
                    let cases = space.cases(value, &reads)?.only(|value| space.can_have(*place, value));
                    can.push(space.defined(&cases));
                    parts.push(space.assigned(*place, &cases));
                }
                None => parts.push(space.kept(*place)),
            }
        }
        let (taken, can) = (space.all(parts), space.all(can));
        moves = space.package.or(moves, taken);
        possible = space.package.or(possible, can);
    }
    let kept: Vec<Set> = places.iter().map(|place| space.kept(*place)).collect();
    let kept = space.all(kept);
    changed.extend(places);
    Ok(space.package.choice(possible, moves, kept))
}
