//! Steps of agents that act all at once ([`crate::model::joint`]), and their initial states.

use super::initial::EnumerationError;
use super::steps::stutter;
use super::value::{belongs, evaluate, holds};
use super::{Choice, Semantics, State, Step, WhyNot};
use crate::limits::{tick, ticks};
use crate::model::joint::{Behaviour, Deed, Joint, JointLeaf};
use crate::model::{EdgeId, InstanceId, LocalId, Value};

/// The lines that an agent can take when all actions are known, of each group; none if it has none.
type Options = Vec<Vec<u32>>;

impl Semantics<'_> {
    /// All steps, so many at most: by the actions of the agents, then by the lines that they take; the last agent changes
    /// fastest. Exactly the stutter if some agent has no action.
    pub(super) fn joint_steps(&self, joint: &Joint, state: &State, most: usize) -> Vec<Step> {
        let possible: Vec<Vec<u32>> =
            self.model.instance_ids().map(|instance| self.possible_actions(joint, state, instance)).collect();
        let mut steps = Vec::new();
        self.steps_by(joint, state, &possible, &mut |step| {
            steps.push(step);
            steps.len() < most
        });
        if steps.is_empty() {
            steps.push(stutter(state));
        }
        steps
    }

    /// Visits the steps by some actions of the agents; the visitor says if it wants more.
    fn steps_by(&self, joint: &Joint, state: &State, possible: &[Vec<u32>], visit: &mut dyn FnMut(Step) -> bool) {
        combinations(possible, &mut |actions| {
            let options: Vec<Options> =
                self.model.instance_ids().map(|id| self.options(joint, state, id, actions)).collect();
            let groups: Vec<Vec<u32>> = options.iter().flatten().cloned().collect();
            let mut goes_on = true;
            combinations(&groups, &mut |lines| {
                let mut lines = lines.iter();
                let taken = options.iter().map(|groups| lines.by_ref().take(groups.len()).copied().collect());
                goes_on = visit(self.joint_to(joint, state, actions, &taken.collect::<Vec<_>>()));
                goes_on
            });
            goes_on
        });
    }

    /// The states to which steps lead in which some agents, ascending, take these actions.
    pub fn targets_with(&self, state: &State, taken: &[(InstanceId, EdgeId)]) -> Vec<State> {
        let Some(joint) = &self.model.joint else { return Vec::new() };
        let possible = |instance: InstanceId| match taken.iter().find(|(member, _)| *member == instance) {
            Some((_, action)) => vec![action.0],
            None => self.possible_actions(joint, state, instance),
        };
        let possible: Vec<Vec<u32>> = self.model.instance_ids().map(possible).collect();
        let mut steps = Vec::new();
        self.steps_by(joint, state, &possible, &mut |step| {
            steps.push(step.target);
            true
        });
        steps
    }

    /// The agents whose protocols allow no action, ascending: where there are some, only the stutter is possible.
    pub fn without_action(&self, joint: &Joint, state: &State) -> Vec<InstanceId> {
        let is_without = |instance: &InstanceId| self.possible_actions(joint, state, *instance).is_empty();
        self.model.instance_ids().filter(is_without).collect()
    }

    /// The actions that the protocol of an agent allows, ascending.
    pub(super) fn possible_actions(&self, joint: &Joint, state: &State, instance: InstanceId) -> Vec<u32> {
        let behaviour = &joint.behaviours[instance.index()];
        let reads = |leaf| read(state, &[], leaf);
        let candidates = self.lines[instance.index()].protocol.candidates(&|leaf| reads(leaf)?.number());
        let applying = candidates.map(|line| &behaviour.protocol[line]).filter(|line| holds(&line.condition, &reads));
        let (mut actions, mut is_served) = (Vec::new(), false);
        for line in applying {
            is_served = true;
            actions.extend_from_slice(&line.actions);
        }
        if !is_served {
            actions.extend_from_slice(&behaviour.other);
        }
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    /// Of each group of lines those that the agent can take, where it can take one.
    fn options(&self, joint: &Joint, state: &State, instance: InstanceId, actions: &[u32]) -> Options {
        let behaviour = &joint.behaviours[instance.index()];
        let number = |leaf| read(state, actions, leaf)?.number();
        let can_take = |line: &u32| {
            tick();
            self.updates(behaviour, state, instance, actions, *line).is_some()
        };
        let groups = behaviour.groups.iter().zip(&self.lines[instance.index()].groups);
        let groups = groups
            .map(|(group, lookup)| lookup.candidates(&number).map(|place| group[place]).filter(can_take).collect());
        groups.filter(|group: &Vec<u32>| !group.is_empty()).collect()
    }

    /// The new values by a line, if its condition holds and they belong to the variables.
    fn updates(
        &self,
        behaviour: &Behaviour,
        state: &State,
        instance: InstanceId,
        actions: &[u32],
        line: u32,
    ) -> Option<Vec<(LocalId, Value)>> {
        let line = &behaviour.lines[line as usize];
        let reads = |leaf| read(state, actions, leaf);
        if !holds(&line.condition, &reads) {
            return None;
        }
        let new = |(local, value): &(LocalId, _)| {
            let value = evaluate(value, &reads).expect("everything that is read has a value");
            let ty = self.model.agent_of(instance).locals[local.index()].ty;
            belongs(self.model, &value, ty).then_some((*local, value))
        };
        line.updates.iter().map(new).collect()
    }

    /// The step with these actions, and per agent these lines, which it can take.
    fn joint_to(&self, joint: &Joint, state: &State, actions: &[u32], lines: &[Vec<u32>]) -> Step {
        let mut target = state.clone();
        let mut deeds = Vec::new();
        for ((instance, action), lines) in self.model.instance_ids().zip(actions).zip(lines) {
            let behaviour = &joint.behaviours[instance.index()];
            deeds.push((instance, behaviour.action(*action)));
            let mut lines = lines.clone();
            lines.sort_unstable();
            for line in lines {
                deeds.push((instance, behaviour.line(line)));
                let updates = self.updates(behaviour, state, instance, actions, line);
                for (local, value) in updates.expect("the line can be taken") {
                    target.set_local(instance, local, value);
                }
            }
        }
        ticks(deeds.len());
        Step { choice: Choice::Joint(deeds), channel: None, data: Vec::new(), target }
    }

    /// The step in which each agent does what is said.
    pub(super) fn joint_step(
        &self,
        joint: &Joint,
        state: &State,
        deeds: &[(InstanceId, EdgeId)],
    ) -> Result<Step, WhyNot> {
        if let Some((stranger, _)) = deeds.iter().find(|(instance, _)| instance.index() >= joint.behaviours.len()) {
            return Err(WhyNot::NoSuchInstance(*stranger));
        }
        let (mut actions, mut lines) = (Vec::new(), Vec::new());
        for instance in self.model.instance_ids() {
            let behaviour = &joint.behaviours[instance.index()];
            let (mut action, mut taken) = (None, Vec::new());
            for (_, edge) in deeds.iter().filter(|(who, _)| *who == instance) {
                match behaviour.deed(*edge) {
                    Some(Deed::Action(number)) if action.is_none() => action = Some(number),
                    Some(Deed::Action(_)) => return Err(WhyNot::ImpossibleAction(instance)),
                    Some(Deed::Line(line)) => taken.push(line),
                    None => return Err(WhyNot::NoSuchCommand(instance, *edge)),
                }
            }
            let possible = self.possible_actions(joint, state, instance);
            actions.push(action.filter(|action| possible.contains(action)).ok_or(WhyNot::ImpossibleAction(instance))?);
            lines.push(taken);
        }
        for instance in self.model.instance_ids() {
            let options = self.options(joint, state, instance, &actions);
            let taken = &lines[instance.index()];
            let one_each = options.iter().all(|group| taken.iter().filter(|line| group.contains(line)).count() == 1);
            if !one_each || taken.len() != options.len() {
                return Err(WhyNot::ImpossibleLines(instance));
            }
        }
        let step = self.joint_to(joint, state, &actions, &lines);
        if step.choice.receivers() == deeds { Ok(step) } else { Err(WhyNot::ReceiversNotAscending) }
    }

    /// All initial states, ascending: variables get values one after the other, as long as the conditions can be true.
    pub(super) fn joint_initial_states(&self, most: usize) -> Result<Vec<State>, EnumerationError> {
        let states = super::starts::StartSearch::new(self.model, most).run()?;
        Ok(states.into_iter().filter(|state| self.is_initial(state)).collect())
    }
}

/// The value of a variable, or an action.
fn read(state: &State, actions: &[u32], leaf: JointLeaf) -> Option<Value> {
    match leaf {
        JointLeaf::Local(instance, local) => Some(state.local(instance, local).clone()),
        JointLeaf::Action(instance) => actions.get(instance.index()).map(|action| Value::Enum(*action)),
    }
}

/// Visits all ways to take one of each list, until the visitor says no; none if some list is empty.
fn combinations(lists: &[Vec<u32>], visit: &mut dyn FnMut(&[u32]) -> bool) -> bool {
    if lists.iter().any(Vec::is_empty) {
        return true;
    }
    let mut picks = vec![0; lists.len()];
    let mut chosen: Vec<u32> = lists.iter().map(|list| list[0]).collect();
    loop {
        tick();
        if !visit(&chosen) {
            return false;
        }
        let next = (0..picks.len()).rev().find(|at| picks[*at] + 1 < lists[*at].len());
        let Some(at) = next else { return true };
        picks[at] += 1;
        picks[at + 1..].fill(0);
        (at..picks.len()).for_each(|index| chosen[index] = lists[index][picks[index]]);
    }
}
