//! Which instances are split into cells of one variable each.

use super::states::States;
use crate::limits::Limits;
use crate::model::eval::Semantics;
use crate::model::eval::tables::{Missing, Possible, Space};
use crate::model::{InstanceId, Model};
use rustc_hash::FxHashSet;

/// How many rows are looked at.
const ROWS: usize = 1 << 9;

/// An instance is split if it has more local states in these rows.
const MANY: usize = 1 << 7;

/// The instances of agents of which one has so many local states in the first rows that hardly any comes twice. Nothing is
/// split yet. Nothing if a limit ends the look; then it is not known in which state it left the tables.
pub fn split(semantics: &Semantics, states: &mut States) -> Option<Vec<u32>> {
    let model = semantics.model();
    let can_have_many: Vec<InstanceId> = model.instance_ids().filter(|id| can_have_many(states, model, *id)).collect();
    if model.joint.is_some() || can_have_many.is_empty() {
        return Some(Vec::new());
    }
    let rows = Limits::default().within(|| first_rows(states)).ok()?;
    let count = |id: &InstanceId| rows.iter().map(|row| row[id.index()]).collect::<FxHashSet<u32>>().len();
    let many = can_have_many.iter().filter(|id| count(id) > MANY);
    let agents: FxHashSet<usize> = many.map(|id| model.instances[id.index()].agent.index()).collect();
    let is_split = |id: &InstanceId| agents.contains(&model.instances[id.index()].agent.index());
    Some(model.instance_ids().filter(is_split).map(|id| id.0).collect())
}

/// True if the types of its variables do not keep an instance from having many local states.
fn can_have_many(states: &States, model: &Model, id: InstanceId) -> bool {
    let agent = model.agent_of(id);
    let mut kept = states.tables().kept(id.index()).iter();
    let count = kept.try_fold(u64::from(agent.states), |count, local| {
        count.checked_mul(model.cardinality(agent.locals[local.index()].ty)?)
    });
    count.is_none_or(|count| count > MANY as u64)
}

/// The first rows of a search.
fn first_rows(states: &mut States) -> Vec<Vec<u32>> {
    let (mut rows, mut known) = (Vec::new(), FxHashSet::default());
    let mut add = |rows: &mut Vec<Vec<u32>>, row: &[u32]| {
        if rows.len() < ROWS && known.insert(row.to_vec()) {
            rows.push(row.to_vec());
        }
        rows.len() < ROWS
    };
    let _ = states.for_each_initial(&mut |row| if add(&mut rows, row) { Ok(()) } else { Err(()) });
    let (mut space, mut possible, mut next) = (Space::default(), Possible::default(), 0);
    while next < rows.len() && rows.len() < ROWS {
        let row = rows[next].clone();
        let mut targets = Vec::new();
        while let Err(missing) = add_targets(states, &row, &mut space, &mut possible, &mut targets) {
            states.fill(missing);
            targets.clear();
        }
        targets.iter().for_each(|target| {
            add(&mut rows, target);
        });
        next += 1;
    }
    rows
}

/// Adds where the steps from a row lead.
fn add_targets(
    states: &States,
    row: &[u32],
    space: &mut Space,
    possible: &mut Possible,
    targets: &mut Vec<Vec<u32>>,
) -> Result<(), Missing> {
    states.tables().steps(row, space, possible, &mut |step| {
        let mut target = row.to_vec();
        step.change(&mut target);
        states.canonicalise(&mut target, &mut |_| {});
        targets.push(target);
    })
}
