//! Steps as data, and the reasons why a claimed one does not exist.

use super::State;
use crate::model::{EdgeId, InstanceId, LocalId, MessageId, Model, Value};

/// The choices that decide a step, given the state before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// A broadcast or multicast.
    Send {
        /// The sender.
        sender: InstanceId,
        /// With which of its send commands.
        edge: EdgeId,
        /// The receivers, with their receive commands; strictly ascending by instance.
        receivers: Vec<(InstanceId, EdgeId)>,
    },
    /// A get together with its supply.
    GetSupply {
        /// The getter.
        getter: InstanceId,
        /// With which of its get commands.
        get: EdgeId,
        /// The supplier.
        supplier: InstanceId,
        /// With which of its supply commands.
        supply: EdgeId,
    },
    /// All agents act at once: each with its action and the lines of its evolution that it takes, as numbers of commands
    /// ([`crate::model::joint`]); ascending.
    Joint(Vec<(InstanceId, EdgeId)>),
    /// Nothing else is possible, and nothing changes.
    Stutter,
}

impl Choice {
    /// True if the instance takes this send, get or supply command.
    pub fn performs(&self, instance: InstanceId, edge: EdgeId) -> bool {
        match *self {
            Choice::Send { sender, edge: send, .. } => (sender, send) == (instance, edge),
            Choice::GetSupply { getter, get, supplier, supply } => {
                (getter, get) == (instance, edge) || (supplier, supply) == (instance, edge)
            }
            Choice::Joint(_) | Choice::Stutter => false,
        }
    }

    /// The receivers with their commands, or, where all act at once, who does what; empty for others.
    pub fn receivers(&self) -> &[(InstanceId, EdgeId)] {
        match self {
            Choice::Send { receivers, .. } => receivers,
            Choice::Joint(deeds) => deeds,
            Choice::GetSupply { .. } | Choice::Stutter => &[],
        }
    }

    /// True if an instance takes this receive.
    pub fn receives(&self, instance: InstanceId, edge: EdgeId) -> bool {
        self.receivers().contains(&(instance, edge))
    }
}

/// A step from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The choices that decide it.
    pub choice: Choice,
    /// The channel of a send.
    pub channel: Option<Value>,
    /// The data as observations see it, ascending by variable: that of the send, or of the supplier
    /// and, where it assigns none, of the getter.
    pub data: Vec<(MessageId, Value)>,
    /// The state after it.
    pub target: State,
}

/// Why a step with a given choice does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// The model has no such instance.
    NoSuchInstance(InstanceId),
    /// The instance has no such command.
    NoSuchCommand(InstanceId, EdgeId),
    /// The command is of another kind than the step needs.
    WrongKind(InstanceId, EdgeId),
    /// The instance is not where the command starts.
    WrongAutomatonState(InstanceId, EdgeId),
    /// The guard of the command does not hold.
    GuardFalse(InstanceId, EdgeId),
    /// The command reads a message variable that the other side does not assign.
    DataMissing(InstanceId, EdgeId, MessageId),
    /// The receive is on another channel than the message.
    OtherChannel(InstanceId, EdgeId),
    /// The data of the command would leave the range of a message variable.
    DataOutOfRange(InstanceId, EdgeId, MessageId, Value),
    /// The update of the command would leave the range of a local.
    UpdateOutOfRange(InstanceId, EdgeId, LocalId, Value),
    /// The send guard does not hold for this receiver.
    SendGuardFalse(InstanceId),
    /// The instance does not listen to the channel.
    NotListening(InstanceId),
    /// The instance has to receive the message, but no receive of it is ready.
    NoReadyReceive(InstanceId),
    /// Some receive of the instance is ready, but each would leave a range.
    EveryReceiveOutOfRange(InstanceId),
    /// The instance has to receive the message, but the choice does not name it.
    MustReceive(InstanceId),
    /// No agent receives its own message.
    OwnMessage(InstanceId),
    /// The receivers are not strictly ascending.
    ReceiversNotAscending,
    /// No agent supplies itself.
    OwnSupply(InstanceId),
    /// The get does not ask for this supplier.
    NotAsked(InstanceId, EdgeId, InstanceId),
    /// The supply does not serve this get.
    NotServed(InstanceId, EdgeId, InstanceId),
    /// A stutter, though a step is possible.
    StepPossible,
    /// Of a step in which all act at once: the instance does not do exactly one action that its protocol allows.
    ImpossibleAction(InstanceId),
    /// It does not take exactly those lines of its evolution that it can take together.
    ImpossibleLines(InstanceId),
    /// Agents that act at once send no messages, and others do not act at once.
    OtherBehaviour,
}

impl WhyNot {
    /// The reason as a sentence without a full stop.
    pub fn describe(&self, model: &Model) -> String {
        let name = |instance: &InstanceId| format!("`{}`", model.instances[instance.index()].name);
        let command = |instance: &InstanceId, edge: &EdgeId| model.show_command_name(*instance, *edge);
        match self {
            WhyNot::NoSuchInstance(instance) => format!("there is no instance number {}", instance.0),
            WhyNot::NoSuchCommand(instance, edge) => format!("{} has no command number {}", name(instance), edge.0),
            WhyNot::WrongKind(instance, edge) => format!("{} is not of the kind needed here", command(instance, edge)),
            WhyNot::WrongAutomatonState(instance, edge) => {
                format!("{} is not in the automaton state that {} leaves", name(instance), command(instance, edge))
            }
            WhyNot::GuardFalse(instance, edge) => format!("the guard of {} is false", command(instance, edge)),
            WhyNot::DataMissing(instance, edge, message) => {
                let variable = &model.messages[message.index()].name;
                format!("{} reads `{variable}`, which the other side does not assign", command(instance, edge))
            }
            WhyNot::OtherChannel(instance, edge) => format!("{} is on another channel", command(instance, edge)),
            WhyNot::DataOutOfRange(instance, edge, message, value) => {
                let variable = &model.messages[message.index()];
                let value = model.show(value, variable.ty);
                format!("{} would send `{}` = {value}, out of its range", command(instance, edge), variable.name)
            }
            WhyNot::UpdateOutOfRange(instance, edge, local, value) => {
                let variable = &model.agent_of(*instance).locals[local.index()];
                let value = model.show(value, variable.ty);
                format!("{} would set `{}` to {value}, out of its range", command(instance, edge), variable.name)
            }
            WhyNot::SendGuardFalse(receiver) => format!("the send guard is false for {}", name(receiver)),
            WhyNot::NotListening(receiver) => format!("{} does not listen to the channel", name(receiver)),
            WhyNot::NoReadyReceive(receiver) => {
                format!("{} listens to the channel, but no receive of it is ready", name(receiver))
            }
            WhyNot::EveryReceiveOutOfRange(receiver) => {
                format!("every ready receive of {} would leave a range", name(receiver))
            }
            WhyNot::MustReceive(receiver) => format!("{} has to receive the message, but does not", name(receiver)),
            WhyNot::OwnMessage(sender) => format!("{} would receive its own message", name(sender)),
            WhyNot::ReceiversNotAscending => "the receivers are not listed in strictly ascending order".to_string(),
            WhyNot::OwnSupply(instance) => format!("{} would supply itself", name(instance)),
            WhyNot::NotAsked(getter, get, supplier) => {
                format!("{} does not ask {}", command(getter, get), name(supplier))
            }
            WhyNot::NotServed(supplier, supply, getter) => {
                format!("{} does not serve {}", command(supplier, supply), name(getter))
            }
            WhyNot::ImpossibleAction(instance) => {
                format!("{} has to take one action that its protocol allows", name(instance))
            }
            WhyNot::ImpossibleLines(instance) => {
                format!(
                    "{} has to take one of the lines of its evolution that it can take, of each group",
                    name(instance)
                )
            }
            WhyNot::OtherBehaviour => "the agents of the model do not make such steps".to_string(),
            WhyNot::StepPossible => "a stutter is possible in a deadlock only, and some step is possible".to_string(),
        }
    }
}
