//! The decisions of agents that a step needs: that one of them offers to begin it, and how the others take the message.

use super::{Choice, Semantics, State};
use crate::model::joint::Deed;
use crate::model::strategy::{Decision, Refusal, Strategy};
use crate::model::{Action, EdgeId, Formula, InstanceId, MessageId, Value};

/// The decisions without which a step is not taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decisions {
    /// The agent that begins it, and its command; none where all act at once, and of the stutter.
    pub begins: Option<(InstanceId, EdgeId)>,
    /// The message, as those who take it see it before they choose.
    pub message: SeenMessage,
    /// The commands by which others take it, ascending; where all act at once, the action of each.
    pub takes: Vec<(InstanceId, EdgeId)>,
}

/// A message without its sender: the channel of a send, the data of who begins, and which supplies could answer a get.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeenMessage {
    /// The channel; none of a get.
    pub channel: Option<Value>,
    /// The data, ascending.
    pub data: Vec<(MessageId, Value)>,
    /// Of a get, the supplies by which it can be answered, ascending.
    pub ready: Vec<EdgeId>,
}

impl Semantics<'_> {
    /// The decisions for a step that a state has.
    pub fn decisions(&self, state: &State, choice: &Choice) -> Decisions {
        let sent = |instance, edge, channel| SeenMessage {
            channel,
            data: self.data_sent(state, instance, edge),
            ready: Vec::new(),
        };
        match choice {
            Choice::Send { sender, edge, receivers } => Decisions {
                begins: Some((*sender, *edge)),
                message: sent(*sender, *edge, self.channel_sent(state, *sender, *edge)),
                takes: receivers.clone(),
            },
            Choice::GetSupply { getter, get, supplier, supply } => Decisions {
                begins: Some((*getter, *get)),
                message: SeenMessage {
                    ready: self.alternatives(state, choice, *supplier),
                    ..sent(*getter, *get, None)
                },
                takes: vec![(*supplier, *supply)],
            },
            Choice::Joint(deeds) => {
                let joint = self.model.joint.as_ref().expect("all act at once");
                let is_action = |(instance, edge): &(InstanceId, EdgeId)| {
                    matches!(joint.behaviours[instance.index()].deed(*edge), Some(Deed::Action(_)))
                };
                let takes = deeds.iter().copied().filter(is_action).collect();
                Decisions { begins: None, message: SeenMessage::default(), takes }
            }
            Choice::Stutter => Decisions { begins: None, message: SeenMessage::default(), takes: Vec::new() },
        }
    }

    /// The channel of a send.
    fn channel_sent(&self, state: &State, sender: InstanceId, edge: EdgeId) -> Option<Value> {
        let Action::Send { channel, .. } = &self.edge(sender, edge).action else { return None };
        self.own(state, sender).value(channel)
    }
}

impl Semantics<'_> {
    /// The decision of an agent about one of its commands in a state.
    pub fn decision(
        &self,
        state: &State,
        (member, edge): (InstanceId, EdgeId),
        message: Option<SeenMessage>,
    ) -> Decision {
        let locals = self.model().seen_by(member).map(|(owner, local)| state.local(owner, local).clone());
        Decision { member, edge, locals: locals.collect(), message }
    }

    /// The decisions of members of a group without which a step is not taken: how it begins, and how it is taken.
    pub fn decided(&self, group: &[InstanceId], state: &State, choice: &Choice) -> Vec<Decision> {
        let needed = self.decisions(state, choice);
        let is_member = |(member, _): &(InstanceId, EdgeId)| group.contains(member);
        let begins = needed.begins.filter(is_member).map(|begins| self.decision(state, begins, None));
        let takes = needed.takes.iter().filter(|taken| is_member(taken));
        let takes = takes.map(|taken| self.decision(state, *taken, Some(needed.message.clone())));
        begins.into_iter().chain(takes).collect()
    }

    /// True if a strategy refuses a decision, which is made in this state.
    pub fn refuses(&self, strategy: &Strategy, state: &State, decision: &Decision) -> bool {
        let is_about_it = |refusal: &&Refusal| (refusal.member, refusal.edge) == (decision.member, decision.edge);
        let holds = |refusal: &Refusal| self.holds_in(state, &Formula::Atom(refusal.when.clone())) == Some(true);
        match decision.message {
            Some(_) => strategy.takes.contains(decision),
            None => strategy.refusals.iter().filter(is_about_it).any(holds),
        }
    }

    /// The commands by which an agent that takes the message of a step could take it as well, that one included.
    pub fn alternatives(&self, state: &State, choice: &Choice, taker: InstanceId) -> Vec<EdgeId> {
        if let Some(joint) = &self.model().joint {
            let actions = self.possible_actions(joint, state, taker);
            return actions.into_iter().map(|action| joint.behaviours[taker.index()].action(action)).collect();
        }
        let edges = (0..self.model().agent_of(taker).edges.len() as u32).map(EdgeId);
        let is_step = |edge: &EdgeId| {
            let other = match choice.clone() {
                Choice::Send { sender, edge: sent, mut receivers } => {
                    let place = receivers.iter_mut().find(|(receiver, _)| *receiver == taker);
                    let Some((_, taken)) = place else { return false };
                    *taken = *edge;
                    Choice::Send { sender, edge: sent, receivers }
                }
                Choice::GetSupply { getter, get, supplier, .. } if supplier == taker => {
                    Choice::GetSupply { getter, get, supplier, supply: *edge }
                }
                Choice::GetSupply { .. } | Choice::Joint(_) | Choice::Stutter => return false,
            };
            self.apply(state, &other).is_ok()
        };
        edges.filter(is_step).collect()
    }
}
