//! The decisions of agents that a step needs: that one of them offers to begin it, and how the others take the message.

use super::{Choice, Semantics, State};
use crate::model::joint::Deed;
use crate::model::{Action, EdgeId, InstanceId, MessageId, Value};

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

/// A message without its sender: the channel of a send, and the data of who begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeenMessage {
    /// The channel; none of a get.
    pub channel: Option<Value>,
    /// The data, ascending.
    pub data: Vec<(MessageId, Value)>,
}

impl Semantics<'_> {
    /// The decisions for a step that a state has.
    pub fn decisions(&self, state: &State, choice: &Choice) -> Decisions {
        let sent = |instance, edge, channel| SeenMessage { channel, data: self.data_sent(state, instance, edge) };
        match choice {
            Choice::Send { sender, edge, receivers } => Decisions {
                begins: Some((*sender, *edge)),
                message: sent(*sender, *edge, self.channel_sent(state, *sender, *edge)),
                takes: receivers.clone(),
            },
            Choice::GetSupply { getter, get, supplier, supply } => Decisions {
                begins: Some((*getter, *get)),
                message: sent(*getter, *get, None),
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
