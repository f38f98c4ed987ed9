//! Steps of agents that send messages: broadcasts, multicasts, and gets that meet supplies.

use super::Unfit;
use super::package::{ALL, NONE, Set};
use super::space::{Cases, Space};
use super::steps::{Relation, own};
use crate::model::eval::value::belongs;
use crate::model::{
    Action, CommandLeaf, Edge, EdgeId, Expr, GetTarget, InstanceId, MessageId, Model, PropertyId, Value,
};

/// The data of one side: per message variable its values.
pub type Data = Vec<(MessageId, Cases)>;

/// An instance with one of its commands.
type Side<'m> = (InstanceId, EdgeId, &'m Edge);

/// All steps but the stutter, by the commands that begin them.
pub fn relations(space: &mut Space) -> Result<Vec<Relation>, Unfit> {
    let model = space.model;
    let mut relations = Vec::new();
    for instance in model.instance_ids() {
        for (id, edge) in edges(model, instance) {
            match &edge.action {
                Action::Send { .. } => relations.extend(send(space, (instance, id, edge))?),
                Action::Get { .. } => relations.extend(get(space, (instance, id, edge))?),
                Action::Receive { .. } | Action::Supply { .. } => {}
            }
        }
    }
    Ok(relations)
}

fn edges(model: &Model, instance: InstanceId) -> impl Iterator<Item = (EdgeId, &Edge)> {
    (0..).map(EdgeId).zip(&model.agent_of(instance).edges)
}

/// The values that an expression of an instance reads besides its own.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    instance: InstanceId,
    data: &'a [(MessageId, Cases)],
    channel: Option<&'a Cases>,
    /// The instance whose relabellings are the values of the property variables.
    partner: Option<InstanceId>,
    /// The values of property variables that are no agent's.
    assigned: &'a [(PropertyId, Value)],
}

impl<'a> Scope<'a> {
    /// The scope of its own values alone.
    pub fn of(instance: InstanceId) -> Scope<'a> {
        Scope { instance, data: &[], channel: None, partner: None, assigned: &[] }
    }

    /// The same in a message on a channel, with values of property variables that are no agent's.
    pub fn with(self, channel: Option<&'a Cases>, assigned: &'a [(PropertyId, Value)]) -> Scope<'a> {
        Scope { channel, assigned, ..self }
    }

    fn reads(self, space: &mut Space, leaf: CommandLeaf) -> Result<Cases, Unfit> {
        Ok(match leaf {
            CommandLeaf::Message(message) => {
                let found = self.data.iter().find(|(other, _)| *other == message);
                found.map(|(_, cases)| cases.clone()).unwrap_or_default()
            }
            CommandLeaf::Chan => self.channel.cloned().unwrap_or_default(),
            CommandLeaf::Property(property) => match self.partner {
                Some(partner) => relabelled(space, partner, property)?,
                None => {
                    let found = self.assigned.iter().find(|(other, _)| *other == property);
                    found.map(|(_, value)| Cases::from([(value.clone(), ALL)])).unwrap_or_default()
                }
            },
            CommandLeaf::Local(_) | CommandLeaf::Myself => own(space, self.instance, leaf),
        })
    }

    /// The values of an expression.
    pub fn cases(self, space: &mut Space, expr: &Expr<CommandLeaf>) -> Result<Cases, Unfit> {
        space.cases(expr, &|space, leaf| self.reads(space, leaf))
    }

    /// The set where a condition is true.
    pub fn truth(self, space: &mut Space, expr: &Expr<CommandLeaf>) -> Result<Set, Unfit> {
        space.truth(expr, &|space, leaf| self.reads(space, leaf))
    }

    /// The set where the expression has a value.
    fn equals(self, space: &mut Space, expr: &Expr<CommandLeaf>, value: &Value) -> Result<Set, Unfit> {
        Ok(self.cases(space, expr)?.get(value).copied().unwrap_or(NONE))
    }

    /// The set where the instance is at the beginning of a command, the other side's data has all that it reads, and
    /// the guard holds.
    fn enabled(self, space: &mut Space, edge: &Edge) -> Result<Set, Unfit> {
        if !edge.reads.iter().all(|read| self.data.iter().any(|(message, _)| message == read)) {
            return Ok(NONE);
        }
        let guard = self.truth(space, &edge.guard)?;
        let source = state_is(space, self.instance, edge.source);
        Ok(space.package.and(source, guard))
    }

    /// The next values by a command, where they are values of the variables.
    fn movement(self, space: &mut Space, edge: &Edge) -> Result<Set, Unfit> {
        let mut parts = vec![space.becomes((self.instance.0, 0), &Value::int(i64::from(edge.target)))];
        for place in space.of_instance(self.instance).into_iter().skip(1) {
            parts.push(match edge.updates.iter().find(|(local, _)| local.0 + 1 == place.1) {
                Some((_, value)) => {
                    let cases = self.cases(space, value)?;
                    space.assigned(place, &cases)
                }
                None => space.kept(place),
            });
        }
        Ok(space.all(parts))
    }

    /// The data that a command sends along, as far as it stays inside the ranges of the message variables, and where all of
    /// it does.
    pub fn data(self, space: &mut Space, edge: &Edge) -> Result<(Data, Set), Unfit> {
        let (mut data, mut all) = (Data::new(), ALL);
        for (message, expr) in edge.action.data() {
            let ty = space.model.messages[message.index()].ty;
            let cases = self.cases(space, expr)?.only(|value| belongs(space.model, value, ty));
            let fits = space.defined(&cases);
            all = space.package.and(all, fits);
            data.push((*message, cases));
        }
        Ok((data, all))
    }
}

/// The values of a property variable for an instance; empty if it has no meaning there.
pub fn relabelled(space: &mut Space, instance: InstanceId, property: PropertyId) -> Result<Cases, Unfit> {
    match &space.model.agent_of(instance).relabel[property.index()] {
        Some(relabelling) => space.cases(relabelling, &|space, leaf| Ok(own(space, instance, leaf))),
        None => Ok(Cases::default()),
    }
}

fn state_is(space: &Space, instance: InstanceId, state: u32) -> Set {
    space.variable((instance.0, 0)).get(&Value::int(i64::from(state))).copied().unwrap_or(NONE)
}

/// A send with all that others do, if it is possible.
fn send(space: &mut Space, (sender, id, edge): Side) -> Result<Option<Relation>, Unfit> {
    let Action::Send { channel, guard, .. } = &edge.action else { unreachable!("it is a send") };
    let scope = Scope::of(sender);
    let (data, fits) = scope.data(space, edge)?;
    let message = Message { sender, channel: scope.cases(space, channel)?, data, guard };
    let own = [scope.enabled(space, edge)?, fits, scope.movement(space, edge)?];
    let mut parts = vec![space.all(own)];
    let mut changed = space.of_instance(sender);
    for receiver in space.model.instance_ids().filter(|instance| *instance != sender) {
        if parts.contains(&NONE) {
            return Ok(None);
        }
        let (part, moves) = message.reaction(space, receiver)?;
        parts.push(part);
        if moves {
            changed.extend(space.of_instance(receiver));
        }
    }
    Ok(Some(Relation::new(space, &parts, &changed, vec![(sender, id)])))
}

/// A message.
struct Message<'m> {
    sender: InstanceId,
    channel: Cases,
    data: Data,
    guard: &'m Expr<CommandLeaf>,
}

impl Message<'_> {
    /// The reaction of another instance, and whether it may move: else it stays as it is.
    fn reaction(&self, space: &mut Space, receiver: InstanceId) -> Result<(Set, bool), Unfit> {
        let model = space.model;
        let scope = Scope { data: &self.data, channel: Some(&self.channel), ..Scope::of(receiver) };
        let listens = Scope { data: &[], ..scope }.truth(space, &model.agent_of(receiver).receive_guard)?;
        let admits = Scope { partner: Some(receiver), channel: Some(&self.channel), ..Scope::of(self.sender) };
        let admits = admits.truth(space, self.guard)?;
        let broadcast = self.channel.get(&Value::BROADCAST).copied().unwrap_or(NONE);
        let (mut ready, mut moves) = (NONE, NONE);
        for (_, edge) in edges(model, receiver) {
            let Action::Receive { channel } = &edge.action else { continue };
            let enabled = scope.enabled(space, edge)?;
            let own_channel = scope.cases(space, channel)?;
            let heard = self.heard(space, &own_channel);
            let able = space.package.and(enabled, heard);
            if able != NONE {
                ready = space.package.or(ready, able);
                let moved = scope.movement(space, edge)?;
                let moved = space.package.and(able, moved);
                moves = space.package.or(moves, moved);
            }
        }
        // An agent that listens to a multicast has to take it; a broadcast reaches each agent that can take it.
        let reached = space.package.and(admits, ready);
        let hears = space.package.or(broadcast, listens);
        let takes = space.package.and(hears, reached);
        let must_not = space.package.choice(broadcast, reached, listens);
        let stays = space.package.not(must_not);
        let moves = space.package.and(takes, moves);
        if moves == NONE {
            return Ok((stays, false));
        }
        let kept = space.of_instance(receiver).into_iter().map(|place| space.kept(place)).collect::<Vec<_>>();
        let kept = space.all(kept);
        let stays = space.package.and(stays, kept);
        Ok((space.package.or(moves, stays), true))
    }

    /// The set where a channel is that of the message.
    fn heard(&self, space: &mut Space, channel: &Cases) -> Set {
        let mut set = NONE;
        for (value, there) in channel.iter() {
            let same = self.channel.get(value).copied().unwrap_or(NONE);
            let both = space.package.and(*there, same);
            set = space.package.or(set, both);
        }
        set
    }
}

/// The steps of a get with each supply.
fn get(space: &mut Space, getter: Side) -> Result<Vec<Relation>, Unfit> {
    let mut relations = Vec::new();
    for supplier in space.model.instance_ids().filter(|instance| *instance != getter.0) {
        for (id, edge) in edges(space.model, supplier) {
            if let Action::Supply { .. } = edge.action {
                relations.push(meeting(space, getter, (supplier, id, edge))?);
            }
        }
    }
    Ok(relations)
}

fn meeting(space: &mut Space, getter: Side, supplier: Side) -> Result<Relation, Unfit> {
    let (asks, serves) = (asked(space, getter, supplier)?, served(space, getter, supplier)?);
    let (get_data, get_fits) = Scope::of(getter.0).data(space, getter.2)?;
    let (supply_data, supply_fits) = Scope::of(supplier.0).data(space, supplier.2)?;
    let mut parts = vec![asks, serves, get_fits, supply_fits];
    for ((instance, _, edge), data) in [(getter, &supply_data), (supplier, &get_data)] {
        let scope = Scope { data, ..Scope::of(instance) };
        parts.push(scope.enabled(space, edge)?);
        if !parts.contains(&NONE) {
            parts.push(scope.movement(space, edge)?);
        }
    }
    let changed = [getter.0, supplier.0].map(|instance| space.of_instance(instance)).concat();
    Ok(Relation::new(space, &parts, &changed, vec![(getter.0, getter.1), (supplier.0, supplier.1)]))
}

/// The set where the get names the supplier, or the supplier satisfies its predicate.
fn asked(space: &mut Space, (getter, _, get): Side, (supplier, ..): Side) -> Result<Set, Unfit> {
    let Action::Get { target, .. } = &get.action else { unreachable!("it is a get") };
    let scope = Scope::of(getter);
    match target {
        GetTarget::Location(location) => scope.equals(space, location, &Value::Enum(supplier.0)),
        GetTarget::Predicate(predicate) => Scope { partner: Some(supplier), ..scope }.truth(space, predicate),
    }
}

/// The set where the supply is meant for such a get.
fn served(space: &mut Space, (getter, _, get): Side, (supplier, _, supply): Side) -> Result<Set, Unfit> {
    let Action::Get { target, .. } = &get.action else { unreachable!("it is a get") };
    let Action::Supply { to, .. } = &supply.action else { unreachable!("it is a supply") };
    match &to.named {
        _ if !to.serves(target) => Ok(NONE),
        None => Ok(ALL),
        Some((named, side)) => Scope::of(supplier).equals(space, named, &Value::Enum(side.of(getter, supplier).0)),
    }
}
