//! Broadcast and multicast (`docs/semantics.md#broadcasts`, `docs/semantics.md#multicasts`).

use super::scope::{Data, Move, Properties, Scope, lookup};
use super::value::{evaluate, partial};
use super::{Choice, Semantics, State, Step, WhyNot};
use crate::limits::ticks;
use crate::model::{Action, CommandLeaf, Edge, EdgeId, Expr, InstanceId, Value};

/// A message that an instance is ready to send, and what that does to the sender itself.
pub(super) struct Message<'m> {
    pub(super) sender: InstanceId,
    pub(super) guard: &'m Expr<CommandLeaf>,
    pub(super) channel: Value,
    pub(super) data: Data,
    pub(super) movement: Move,
}

/// The reaction of an instance to a message.
pub(super) enum Reaction {
    /// It takes no part, for this reason.
    Stays(WhyNot),
    /// It takes one of its ready receives.
    Takes,
}

impl<'m> Semantics<'m> {
    /// The steps by one send command, in the order of the receivers' choices; so many at most.
    pub(super) fn sends(&self, state: &State, sender: InstanceId, edge: EdgeId, most: usize) -> Vec<Step> {
        let Ok((message, options)) = self.message_and_options(state, sender, edge) else { return Vec::new() };
        let mut steps = Vec::new();
        let mut picks = vec![0; options.len()];
        loop {
            let chosen = options.iter().zip(&picks).map(|(moves, pick)| &moves[*pick]);
            ticks(picks.len() + 1);
            steps.push(message.step(state, chosen));
            // The next combination: the last receiver's choice changes fastest.
            let next = (0..picks.len()).rev().find(|at| picks[*at] + 1 < options[*at].len());
            let Some(at) = next.filter(|_| steps.len() < most) else { break };
            picks[at] += 1;
            picks[at + 1..].fill(0);
        }
        steps
    }

    /// True if some step by this send command exists.
    pub(super) fn can_send(&self, state: &State, sender: InstanceId, edge: EdgeId) -> bool {
        self.message_and_options(state, sender, edge).is_ok()
    }

    /// The step by this send command with exactly these receivers.
    pub(super) fn send_to(
        &self,
        state: &State,
        sender: InstanceId,
        edge: EdgeId,
        receivers: &[(InstanceId, EdgeId)],
    ) -> Result<Step, WhyNot> {
        let message = self.message(state, sender, edge)?;
        if !receivers.is_sorted_by(|(left, _), (right, _)| left < right) {
            return Err(WhyNot::ReceiversNotAscending);
        }
        if let Some((stranger, _)) = receivers.iter().find(|(id, _)| id.index() >= self.model.instances.len()) {
            return Err(WhyNot::NoSuchInstance(*stranger));
        }
        let mut moves = Vec::new();
        for instance in self.model.instance_ids() {
            let named = receivers.iter().find(|(receiver, _)| *receiver == instance).map(|(_, edge)| *edge);
            match (self.reaction(state, &message, instance)?, named) {
                (Reaction::Stays(_), None) => {}
                (Reaction::Stays(reason), Some(_)) => return Err(reason),
                (Reaction::Takes, None) => return Err(WhyNot::MustReceive(instance)),
                (Reaction::Takes, Some(receive)) => {
                    self.ready(state, &message, instance, receive)?;
                    moves.push(self.movement(&message.seen_by(self, state, instance), receive)?);
                }
            }
        }
        Ok(message.step(state, moves.iter()))
    }

    /// The message, and per receiver, ascending, what it can do without leaving a range: never empty.
    fn message_and_options(
        &self,
        state: &State,
        sender: InstanceId,
        edge: EdgeId,
    ) -> Result<(Message<'m>, Vec<Vec<Move>>), WhyNot> {
        let message = self.message(state, sender, edge)?;
        let mut options = Vec::new();
        for instance in self.model.instance_ids() {
            options.extend(self.takings(state, &message, instance)?);
        }
        Ok((message, options))
    }

    /// The moves of the instance when the message is sent, without leaving a range: never empty, or nothing if it takes
    /// no part. An error if it should and cannot.
    pub(super) fn takings(
        &self,
        state: &State,
        message: &Message,
        instance: InstanceId,
    ) -> Result<Option<Vec<Move>>, WhyNot> {
        let Reaction::Takes = self.reaction(state, message, instance)? else { return Ok(None) };
        let scope = message.seen_by(self, state, instance);
        let receives = &self.commands(state, instance).receives;
        let ready = receives.iter().filter(|edge| self.ready(state, message, instance, **edge).is_ok());
        let moves: Vec<Move> = ready.filter_map(|edge| self.movement(&scope, *edge).ok()).collect();
        if moves.is_empty() { Err(WhyNot::EveryReceiveOutOfRange(instance)) } else { Ok(Some(moves)) }
    }

    /// The message of a send command whose guard is true, and whose data and update stay inside.
    pub(super) fn message(&self, state: &State, sender: InstanceId, edge: EdgeId) -> Result<Message<'m>, WhyNot> {
        let command = self.leaving(state, sender, edge)?;
        let Action::Send { channel, guard, .. } = &command.action else {
            return Err(WhyNot::WrongKind(sender, edge));
        };
        let scope = self.own(state, sender);
        self.enabled(&scope, edge)?;
        let channel = scope.value(channel).expect("a channel is a constant or a local");
        let data = self.data(&scope, edge)?;
        let movement = self.movement(&scope, edge)?;
        Ok(Message { sender, guard, channel, data, movement })
    }

    /// True if the instance takes part in the step; an error if it should, but cannot: then the step
    /// does not exist.
    pub(super) fn reaction(&self, state: &State, message: &Message, instance: InstanceId) -> Result<Reaction, WhyNot> {
        if instance == message.sender {
            return Ok(Reaction::Stays(WhyNot::OwnMessage(instance)));
        }
        let broadcast = message.channel == Value::BROADCAST;
        if !broadcast && !self.listens(state, message, instance) {
            return Ok(Reaction::Stays(WhyNot::NotListening(instance)));
        }
        let obstacle = if !message.admits(self, state, instance) {
            WhyNot::SendGuardFalse(instance)
        } else if !self.has_ready_receive(state, message, instance) {
            WhyNot::NoReadyReceive(instance)
        } else {
            return Ok(Reaction::Takes);
        };
        if broadcast { Ok(Reaction::Stays(obstacle)) } else { Err(obstacle) }
    }

    /// True if the receive guard holds for the channel of the message.
    fn listens(&self, state: &State, message: &Message, instance: InstanceId) -> bool {
        let scope = Scope { chan: Some(&message.channel), ..self.own(state, instance) };
        scope.holds(&self.model.agent_of(instance).receive_guard)
    }

    fn has_ready_receive(&self, state: &State, message: &Message, instance: InstanceId) -> bool {
        let receives = &self.commands(state, instance).receives;
        receives.iter().any(|edge| self.ready(state, message, instance, *edge).is_ok())
    }

    /// False only if a receive command is not ready for a message with this channel and data, whatever the locals are.
    pub(super) fn can_be_ready(&self, channel: &Value, data: &Data, instance: InstanceId, command: &Edge) -> bool {
        let Action::Receive { channel: expected } = &command.action else { return false };
        let known = |leaf| match leaf {
            CommandLeaf::Message(message) => lookup(data, message).cloned(),
            CommandLeaf::Chan => Some(channel.clone()),
            CommandLeaf::Myself => Some(Value::Enum(instance.0)),
            CommandLeaf::Local(_) | CommandLeaf::Property(_) => None,
        };
        evaluate(expected, &known).is_none_or(|expected| expected == *channel)
            && command.reads.iter().all(|read| lookup(data, *read).is_some())
            && partial(&command.guard, &known) != Some(false)
    }

    /// True if a receive command is ready for the message.
    pub(super) fn ready(
        &self,
        state: &State,
        message: &Message,
        instance: InstanceId,
        edge: EdgeId,
    ) -> Result<(), WhyNot> {
        let command = self.leaving(state, instance, edge)?;
        let Action::Receive { channel } = &command.action else {
            return Err(WhyNot::WrongKind(instance, edge));
        };
        let scope = message.seen_by(self, state, instance);
        if scope.value(channel).as_ref() != Some(&message.channel) {
            return Err(WhyNot::OtherChannel(instance, edge));
        }
        self.enabled(&scope, edge)
    }
}

impl Message<'_> {
    /// The scope of a receiver's guards and updates.
    pub(super) fn seen_by<'a>(
        &'a self,
        semantics: &Semantics<'a>,
        state: &'a State,
        receiver: InstanceId,
    ) -> Scope<'a> {
        Scope { data: &self.data, chan: Some(&self.channel), ..semantics.own(state, receiver) }
    }

    /// True if the receiver satisfies the send guard.
    fn admits(&self, semantics: &Semantics, state: &State, receiver: InstanceId) -> bool {
        let properties = Properties::Of(receiver);
        let scope = Scope { chan: Some(&self.channel), properties, ..semantics.own(state, self.sender) };
        scope.holds(self.guard)
    }

    fn step<'a>(&self, state: &State, receivers: impl Iterator<Item = &'a Move>) -> Step {
        let mut target = state.clone();
        self.movement.apply(&mut target);
        let mut named = Vec::new();
        for receive in receivers {
            receive.apply(&mut target);
            named.push((receive.instance, receive.edge));
        }
        let choice = Choice::Send { sender: self.sender, edge: self.movement.edge, receivers: named };
        Step { choice, channel: Some(self.channel.clone()), data: self.data.clone(), target }
    }
}
