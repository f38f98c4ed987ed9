//! When a command would leave a range: `docs/semantics.md#ranges`, as conditions on the state, but for the rule
//! that a step which would leave a range does not exist.

use super::substitute::{Meaning, StateExpr, and, binary, location, not, or, outside};
use crate::model::formula::StateLeaf;
use crate::model::{Action, BinaryOp, Edge, EdgeId, Expr, GetTarget, InstanceId, MessageId, Model, Type, Value};

/// The data of a command, over the state.
type CommandData = Vec<(MessageId, StateExpr)>;

/// A command of an instance, in its automaton state.
#[derive(Clone, Copy)]
struct CommandInState<'m> {
    model: &'m Model,
    instance: InstanceId,
    edge: &'m Edge,
}

/// When this command of the instance, with whomever it needs for it, would leave a range by its data or its
/// updates.
pub fn overflow(model: &Model, instance: InstanceId, edge: EdgeId) -> StateExpr {
    let own = CommandInState { model, instance, edge: &model.agent_of(instance).edges[edge.index()] };
    let others = || commands(model).filter(|other| other.instance != instance);
    match &own.edge.action {
        Action::Send { .. } => and([own.is_sent(), or([own.data_leaves(), own.updates_leave(&[], None)])]),
        Action::Receive { .. } => or(others().map(|sender| sender.overflows_by_sending_to(own))),
        Action::Get { .. } => or(others().map(|supplier| {
            and([own.meets(supplier), or([own.data_leaves(), own.updates_leave(&supplier.data(), None)])])
        })),
        Action::Supply { .. } => or(others()
            .map(|getter| and([getter.meets(own), or([own.data_leaves(), own.updates_leave(&getter.data(), None)])]))),
    }
}

/// True if the command writes anything that has a range.
pub fn can_overflow(model: &Model, instance: InstanceId, edge: &Edge) -> bool {
    let ranged = |ty: Type| matches!(ty, Type::Range(..));
    let locals = &model.agent_of(instance).locals;
    edge.action.data().iter().any(|(message, _)| ranged(model.messages[message.index()].ty))
        || edge.updates.iter().any(|(local, _)| ranged(locals[local.index()].ty))
}

fn commands(model: &Model) -> impl Iterator<Item = CommandInState<'_>> {
    let of_instance = move |instance| {
        let edges = model.agent_of(instance).edges.iter();
        edges.map(move |edge| CommandInState { model, instance, edge })
    };
    model.instance_ids().flat_map(of_instance)
}

impl<'m> CommandInState<'m> {
    fn own(&self) -> Meaning<'m> {
        Meaning::own(self.model, self.instance)
    }

    /// In the automaton state that it leaves.
    fn here(&self) -> StateExpr {
        let automaton = Expr::Leaf(StateLeaf::Automaton(self.instance));
        binary(BinaryOp::Eq, automaton, Expr::Const(Value::int(i64::from(self.edge.source))))
    }

    fn data(&self) -> CommandData {
        let data = self.edge.action.data().iter();
        data.map(|(message, expr)| (*message, self.own().value(expr).expect("data reads its own side"))).collect()
    }

    /// In its place, with all that it reads, its guard true.
    fn enabled(&self, data: &[(MessageId, StateExpr)], channel: Option<&StateExpr>) -> StateExpr {
        let assigned = |read: &MessageId| data.iter().any(|(message, _)| message == read);
        if !self.edge.reads.iter().all(assigned) {
            return Expr::FALSE;
        }
        and([self.here(), Meaning { data, channel, ..self.own() }.holds(&self.edge.guard)])
    }

    fn channel(&self) -> Option<StateExpr> {
        match &self.edge.action {
            Action::Send { channel, .. } | Action::Receive { channel } => self.own().value(channel),
            Action::Get { .. } | Action::Supply { .. } => None,
        }
    }

    /// A send that is possible: enabled, and no agent that listens keeps it from happening.
    fn is_sent(&self) -> StateExpr {
        let Some(channel) = self.channel() else { return Expr::FALSE };
        let others = self.model.instance_ids().filter(|other| *other != self.instance);
        let fits = others.map(|other| or([not(self.listens(other, &channel)), self.reaches(other, &channel)]));
        and([self.enabled(&[], None), or([broadcast(&channel), and(fits)])])
    }

    fn listens(&self, other: InstanceId, channel: &StateExpr) -> StateExpr {
        let meaning = Meaning { channel: Some(channel), ..Meaning::own(self.model, other) };
        meaning.holds(&self.model.agent_of(other).receive_guard)
    }

    fn admits(&self, other: InstanceId, channel: &StateExpr) -> StateExpr {
        let Action::Send { guard, .. } = &self.edge.action else { return Expr::FALSE };
        Meaning { partner: Some(other), channel: Some(channel), ..self.own() }.holds(guard)
    }

    /// The other one satisfies the send guard and has a ready receive.
    fn reaches(&self, other: InstanceId, channel: &StateExpr) -> StateExpr {
        let edges = self.model.agent_of(other).edges.iter();
        let receives = edges.map(|edge| CommandInState { model: self.model, instance: other, edge });
        and([self.admits(other, channel), or(receives.map(|receive| self.is_ready(receive, channel)))])
    }

    /// The receive is ready for this send.
    fn is_ready(&self, receive: CommandInState, channel: &StateExpr) -> StateExpr {
        match (&receive.edge.action, receive.channel()) {
            (Action::Receive { .. }, Some(on)) => {
                let same = binary(BinaryOp::Eq, on, channel.clone());
                and([same, receive.enabled(&self.data(), Some(channel))])
            }
            (Action::Receive { .. } | Action::Send { .. } | Action::Get { .. } | Action::Supply { .. }, _) => {
                Expr::FALSE
            }
        }
    }

    /// This send is possible, the receive takes part, and would leave a range.
    fn overflows_by_sending_to(&self, receive: CommandInState) -> StateExpr {
        let (Action::Send { .. }, Some(channel)) = (&self.edge.action, self.channel()) else { return Expr::FALSE };
        let leaves = receive.updates_leave(&self.data(), Some(&channel));
        if leaves == Expr::FALSE {
            return leaves;
        }
        let takes_part = or([broadcast(&channel), self.listens(receive.instance, &channel)]);
        let ready = [self.admits(receive.instance, &channel), self.is_ready(receive, &channel)];
        and([self.is_sent(), takes_part].into_iter().chain(ready).chain([leaves]))
    }

    /// This get and the supply are possible together.
    fn meets(&self, supply: CommandInState) -> StateExpr {
        let (Action::Get { target, .. }, Action::Supply { to, .. }) = (&self.edge.action, &supply.edge.action) else {
            return Expr::FALSE;
        };
        if !to.serves(target) {
            return Expr::FALSE;
        }
        let is = |place: Option<StateExpr>, instance| {
            place.map_or(Expr::FALSE, |place| binary(BinaryOp::Eq, place, location(instance)))
        };
        let asks = match target {
            GetTarget::Location(place) => is(self.own().value(place), supply.instance),
            GetTarget::Predicate(predicate) => {
                Meaning { partner: Some(supply.instance), ..self.own() }.holds(predicate)
            }
        };
        let named = to
            .named
            .as_ref()
            .map_or(Expr::TRUE, |(place, side)| is(supply.own().value(place), side.of(self.instance, supply.instance)));
        and([asks, named, self.enabled(&supply.data(), None), supply.enabled(&self.data(), None)])
    }

    fn data_leaves(&self) -> StateExpr {
        or(self.data().into_iter().map(|(message, value)| outside(value, self.model.messages[message.index()].ty)))
    }

    fn updates_leave(&self, data: &[(MessageId, StateExpr)], channel: Option<&StateExpr>) -> StateExpr {
        let locals = &self.model.agent_of(self.instance).locals;
        let meaning = Meaning { data, channel, ..self.own() };
        let updates = self.edge.updates.iter();
        or(updates.map(|(local, expr)| {
            meaning.value(expr).map_or(Expr::FALSE, |value| outside(value, locals[local.index()].ty))
        }))
    }
}

fn broadcast(channel: &StateExpr) -> StateExpr {
    binary(BinaryOp::Eq, channel.clone(), Expr::Const(Value::BROADCAST))
}
