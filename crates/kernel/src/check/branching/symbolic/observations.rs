//! Which steps observations observe (`docs/logic.md#observations`): that depends on who acts, and on the state before.

use super::Unfit;
use super::messages::{Data, Scope, relabelled};
use super::package::{ALL, NONE, Set};
use super::space::{Cases, Space};
use crate::limits::tick;
use crate::model::formula::{Connective, DataLeaf, Role};
use crate::model::{Action, CommandLeaf, Edge, EdgeId, Expr, GetTarget, InstanceId, Observation, PropertyId, Value};
use std::collections::BTreeSet;

/// In which states a step by these is observed: a sender, a getter and a supplier, or no agent.
pub fn observed(space: &mut Space, actors: &[(InstanceId, EdgeId)], observation: &Observation) -> Result<Set, Unfit> {
    let model = space.model;
    let edge = |(instance, id): (InstanceId, EdgeId)| -> &Edge { &model.agent_of(instance).edges[id.index()] };
    let view = match *actors {
        [(sender, id)] => {
            let edge = edge((sender, id));
            let Action::Send { channel, guard, .. } = &edge.action else { unreachable!("it sends") };
            let scope = Scope::of(sender);
            let (data, _) = scope.data(space, edge)?;
            let channel = Some(scope.cases(space, channel)?);
            View { roles: [sender, sender], is_met: false, channel, data, allowed: Allowed::By(sender, guard) }
        }
        [(getter, get), (supplier, supply)] => {
            let (get, supply) = (edge((getter, get)), edge((supplier, supply)));
            let Action::Get { target, .. } = &get.action else { unreachable!("it gets") };
            let allowed = match target {
                GetTarget::Predicate(predicate) => Allowed::By(getter, predicate),
                GetTarget::Location(_) => Allowed::As(supplier),
            };
            // If both sides assign a variable, the supplier's value counts.
            let (mut data, _) = Scope::of(supplier).data(space, supply)?;
            let (other, _) = Scope::of(getter).data(space, get)?;
            let is_new = |id| data.iter().all(|(known, _)| *known != id);
            let other: Data = other.into_iter().filter(|(id, _)| is_new(*id)).collect();
            data.extend(other);
            View { roles: [getter, supplier], is_met: true, channel: None, data, allowed }
        }
        _ => return Ok(NONE),
    };
    view.shows(space, observation, &[])
}

/// Which values property variables may have.
enum Allowed<'m> {
    /// Those with which a condition of an instance holds.
    By(InstanceId, &'m Expr<CommandLeaf>),
    /// Those that they have for an instance.
    As(InstanceId),
}

/// The parts of a step that observations see.
struct View<'m> {
    /// The agent that begins it, whose data counts.
    roles: [InstanceId; 2],
    /// True if a get meets a supply.
    is_met: bool,
    channel: Option<Cases>,
    data: Data,
    allowed: Allowed<'m>,
}

impl View<'_> {
    fn shows(
        &self,
        space: &mut Space,
        observation: &Observation,
        assigned: &[(PropertyId, Value)],
    ) -> Result<Set, Unfit> {
        let constant = |truth: bool| if truth { ALL } else { NONE };
        Ok(match observation {
            Observation::Const(truth) => constant(*truth),
            Observation::Role(role, instance) => constant(self.has_role(*role, *instance)),
            Observation::PointToPoint => constant(self.is_met),
            Observation::Locality(name) => constant(match &self.allowed {
                Allowed::As(supplier) => *name == Some(*supplier),
                Allowed::By(..) => self.is_met && name.is_none(),
            }),
            Observation::Data(expr) => space.truth(expr, &|space, leaf| self.reads(space, leaf, assigned))?,
            Observation::Not(a) => {
                let a = self.shows(space, a, assigned)?;
                space.package.not(a)
            }
            Observation::Joined(connective, a, b) => {
                let (a, b) = (self.shows(space, a, assigned)?, self.shows(space, b, assigned)?);
                match connective {
                    Connective::And => space.package.and(a, b),
                    Connective::Or => space.package.or(a, b),
                    Connective::Implies => space.package.choice(a, b, ALL),
                    Connective::Iff => space.package.same(a, b),
                }
            }
            Observation::Exists(inner) => self.on_some(space, inner, true)?,
            Observation::Forall(inner) => {
                let fails = self.on_some(space, inner, false)?;
                space.package.not(fails)
            }
        })
    }

    fn has_role(&self, role: Role, instance: InstanceId) -> bool {
        let [begins, produces] = self.roles;
        match role {
            Role::Sender => !self.is_met && begins == instance,
            Role::Getter => self.is_met && begins == instance,
            Role::Supplier => self.is_met && produces == instance,
            Role::Initiator => begins == instance,
            Role::Producer => produces == instance,
        }
    }

    fn reads(&self, space: &mut Space, leaf: DataLeaf, assigned: &[(PropertyId, Value)]) -> Result<Cases, Unfit> {
        Ok(match (leaf, &self.allowed) {
            (DataLeaf::Message(message), _) => {
                let found = self.data.iter().find(|(other, _)| *other == message);
                found.map(|(_, cases)| cases.clone()).unwrap_or_default()
            }
            (DataLeaf::Chan, _) => self.channel.clone().unwrap_or_default(),
            (DataLeaf::Property(property), Allowed::As(instance)) => relabelled(space, *instance, property)?,
            (DataLeaf::Property(property), Allowed::By(..)) => {
                let found = assigned.iter().find(|(other, _)| *other == property);
                found.map(|(_, value)| Cases::from([(value.clone(), ALL)])).unwrap_or_default()
            }
        })
    }

    /// The set where an observation has this truth for some values that property variables may have.
    fn on_some(&self, space: &mut Space, inner: &Observation, truth: bool) -> Result<Set, Unfit> {
        let Allowed::By(instance, condition) = &self.allowed else {
            let set = self.shows(space, inner, &[])?;
            return Ok(if truth { set } else { space.package.not(set) });
        };
        let mut read: BTreeSet<PropertyId> = inner.properties();
        condition.for_each_leaf(&mut |leaf| {
            if let CommandLeaf::Property(property) = leaf {
                read.insert(*property);
            }
        });
        let mut some = NONE;
        for assigned in assignments(space, &read)? {
            tick();
            let scope = Scope::of(*instance).with(self.channel.as_ref(), &assigned);
            let allowed = scope.truth(space, condition)?;
            let shown = self.shows(space, inner, &assigned)?;
            let shown = if truth { shown } else { space.package.not(shown) };
            let both = space.package.and(allowed, shown);
            some = space.package.or(some, both);
        }
        Ok(some)
    }
}

/// All values of these property variables together.
fn assignments(space: &Space, properties: &BTreeSet<PropertyId>) -> Result<Vec<Vec<(PropertyId, Value)>>, Unfit> {
    const MOST: usize = 1 << 12;
    let mut all = vec![Vec::new()];
    for property in properties {
        let declared = &space.model.properties[property.index()];
        let too_many = || Unfit::Values(format!("`{}`", declared.name));
        let values: Vec<Value> = space.model.values_of(declared.ty).ok_or_else(too_many)?.take(MOST + 1).collect();
        if all.len() * values.len() > MOST {
            return Err(too_many());
        }
        let with = |known: &Vec<(PropertyId, Value)>| {
            let known = known.clone();
            values.iter().map(move |value| [&known[..], &[(*property, value.clone())]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    Ok(all)
}
