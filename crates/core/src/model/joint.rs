//! Agents that act all at once, as those of ISPL do.
//!
//! In each step every agent takes one of the actions that its protocol allows, and all see what all do. Then each agent
//! changes its variables by lines of its evolution: of each *group* of lines it takes one whose condition holds, which may
//! read the actions of all; if none does, or the new values would leave their domains, the variables stay as they are.
//! If some agent has no action, nothing happens: the step is the stutter.
//!
//! Actions and lines are called by the numbers of commands ([`EdgeId`]): first the actions of the agent, then its
//! lines. So traces, certificates and charts need no form of their own.

use super::eval::{Choice, State};
use super::formula::StateLeaf;
use super::{EdgeId, EnumId, Expr, InstanceId, LocalId, Model};
use crate::source::Span;

/// The behaviour of a model whose agents act all at once. Its agent types have no commands, and one instance each.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Per instance.
    pub behaviours: Vec<Behaviour>,
}

/// The protocol and the evolution of an agent: its possible actions, and the changes of its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    /// The names of its actions.
    pub actions: Vec<String>,
    /// The enum of these.
    pub action_type: EnumId,
    /// Which actions are possible: those of all lines whose conditions hold. Conditions read no actions.
    pub protocol: Vec<Possible>,
    /// Which ones are where none of these conditions holds.
    pub other: Vec<u32>,
    /// The place of the protocol.
    pub protocol_place: Span,
    /// How variables change.
    pub lines: Vec<Line>,
    /// Groups of lines, each line in one: of each group one is taken, if one can be.
    pub groups: Vec<Vec<u32>>,
    /// The variables of others that it sees.
    pub sees: Vec<(InstanceId, LocalId)>,
}

/// A line of a protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Possible {
    /// When it applies.
    pub condition: Expr<JointLeaf>,
    /// The numbers of the actions that are possible then.
    pub actions: Vec<u32>,
    /// Its place.
    pub span: Span,
}

/// A line of an evolution.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// When it can be taken.
    pub condition: Expr<JointLeaf>,
    /// New values of variables of the agent itself, each at most once; they read the state before.
    pub updates: Vec<(LocalId, Expr<JointLeaf>)>,
    /// Its place.
    pub span: Span,
}

/// A value that a condition reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JointLeaf {
    /// A variable of an agent.
    Local(InstanceId, LocalId),
    /// The action that an agent takes: a value of an enum, whose constants are its actions.
    Action(InstanceId),
}

/// The meaning of a number of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// An action.
    Action(u32),
    /// A line of the evolution.
    Line(u32),
}

impl Behaviour {
    /// The number of an action among the commands.
    pub fn action(&self, action: u32) -> EdgeId {
        EdgeId(action)
    }

    /// The number of a line among the commands.
    pub fn line(&self, line: u32) -> EdgeId {
        EdgeId(self.actions.len() as u32 + line)
    }

    /// The meaning of a number of a command, if it is one.
    pub fn deed(&self, edge: EdgeId) -> Option<Deed> {
        let actions = self.actions.len() as u32;
        match edge.0 {
            action if action < actions => Some(Deed::Action(action)),
            line if ((line - actions) as usize) < self.lines.len() => Some(Deed::Line(line - actions)),
            _ => None,
        }
    }
}

impl Model {
    /// The variables that an agent sees, beside its automaton state: its own ones, then those of others. Its knowledge
    /// depends on these.
    pub fn seen_by(&self, observer: InstanceId) -> impl Iterator<Item = (InstanceId, LocalId)> {
        let own = (0..self.agent_of(observer).locals.len() as u32).map(move |local| (observer, LocalId(local)));
        own.chain(self.seen_of_others(observer).iter().copied())
    }

    /// True if what a state formula reads is seen by some member of a group.
    pub fn is_seen_by(&self, group: &[InstanceId], leaf: StateLeaf) -> bool {
        match leaf {
            StateLeaf::Automaton(instance) => group.contains(&instance),
            StateLeaf::Local(owner, local) => {
                group.contains(&owner)
                    || group.iter().any(|member| self.seen_of_others(*member).contains(&(owner, local)))
            }
            StateLeaf::Deadlock | StateLeaf::Enabled(..) | StateLeaf::Total(_) => false,
        }
    }

    /// Those of others.
    pub fn seen_of_others(&self, observer: InstanceId) -> &[(InstanceId, LocalId)] {
        self.joint.as_ref().map_or(&[], |joint| &joint.behaviours[observer.index()].sees)
    }

    /// True if some agent sees something of others.
    pub fn sees_others(&self) -> bool {
        self.instance_ids().any(|instance| !self.seen_of_others(instance).is_empty())
    }

    /// True if two states look alike to these instances together.
    pub fn look_alike(&self, one: &State, other: &State, observers: &[InstanceId]) -> bool {
        observers.iter().all(|observer| {
            one.automaton(*observer) == other.automaton(*observer)
                && self.seen_by(*observer).all(|(owner, local)| one.local(owner, local) == other.local(owner, local))
        })
    }

    /// The number of commands of an instance; of one that acts with all others, of its actions and lines.
    pub fn commands_of(&self, instance: InstanceId) -> u32 {
        let count = match &self.joint {
            Some(joint) => {
                let behaviour = &joint.behaviours[instance.index()];
                behaviour.actions.len() + behaviour.lines.len()
            }
            None => self.agent_of(instance).edges.len(),
        };
        count as u32
    }

    /// `Sender: sb0, Receiver: nothing`, if all act at once.
    pub fn show_actions(&self, choice: &Choice) -> String {
        let action = |(instance, edge): &(InstanceId, EdgeId)| {
            let action = self.action_name(*instance, *edge)?;
            Some(format!("{}: {action}", self.instances[instance.index()].name))
        };
        choice.receivers().iter().filter_map(action).collect::<Vec<_>>().join(", ")
    }

    /// The action that an agent takes, if the number of a command is one.
    pub fn action_name(&self, instance: InstanceId, edge: EdgeId) -> Option<&str> {
        let behaviour = &self.joint.as_ref()?.behaviours[instance.index()];
        behaviour.actions.get(edge.index()).map(String::as_str)
    }
}
