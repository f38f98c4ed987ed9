//! Get/supply (`docs/semantics.md#gets-and-supplies`).

use super::scope::{Data, Properties, Scope, lookup};
use super::{Choice, Semantics, State, Step, WhyNot};
use crate::model::{Action, EdgeId, GetTarget, InstanceId, MessageId, Side, SupplyTarget, Value};

impl Semantics<'_> {
    /// The step in which the getter's command meets the supplier's.
    pub(super) fn transfer(
        &self,
        state: &State,
        (getter, get): (InstanceId, EdgeId),
        (supplier, supply): (InstanceId, EdgeId),
    ) -> Result<Step, WhyNot> {
        let Action::Get { target, .. } = &self.leaving(state, getter, get)?.action else {
            return Err(WhyNot::WrongKind(getter, get));
        };
        let Action::Supply { to, .. } = &self.leaving(state, supplier, supply)?.action else {
            return Err(WhyNot::WrongKind(supplier, supply));
        };
        if getter == supplier {
            return Err(WhyNot::OwnSupply(supplier));
        }
        if !self.asks(state, getter, target, supplier) {
            return Err(WhyNot::NotAsked(getter, get, supplier));
        }
        if !self.serves(state, supplier, to, getter, target) {
            return Err(WhyNot::NotServed(supplier, supply, getter));
        }
        let (getter_alone, supplier_alone) = (self.own(state, getter), self.own(state, supplier));
        let getter_data = self.data(&getter_alone, get)?;
        let supplier_data = self.data(&supplier_alone, supply)?;
        let getter_scope = Scope { data: &supplier_data, ..getter_alone };
        let supplier_scope = Scope { data: &getter_data, ..supplier_alone };
        self.enabled(&getter_scope, get)?;
        self.enabled(&supplier_scope, supply)?;
        let mut target = state.clone();
        self.movement(&getter_scope, get)?.apply(&mut target);
        self.movement(&supplier_scope, supply)?.apply(&mut target);
        let data = observed(supplier_data, getter_data);
        let choice = Choice::GetSupply { getter, get, supplier, supply };
        Ok(Step { choice, channel: None, data, target })
    }

    /// The data that the command sends along when it is taken in this state, whatever the other side of a get sends;
    /// nothing if it cannot be taken.
    pub fn data_sent(&self, state: &State, instance: InstanceId, edge: EdgeId) -> Vec<(MessageId, Value)> {
        self.data(&self.own(state, instance), edge).unwrap_or_default()
    }

    /// The supplier that a get names, if it is one by name.
    pub(super) fn supplier_named(&self, state: &State, getter: InstanceId, get: EdgeId) -> Option<InstanceId> {
        let Action::Get { target: GetTarget::Location(location), .. } = &self.edge(getter, get).action else {
            return None;
        };
        let Some(Value::Enum(named)) = self.own(state, getter).value(location) else { return None };
        Some(InstanceId(named))
    }

    /// True if the get names the supplier, or the supplier satisfies its predicate.
    fn asks(&self, state: &State, getter: InstanceId, target: &GetTarget, supplier: InstanceId) -> bool {
        let scope = self.own(state, getter);
        match target {
            GetTarget::Location(location) => scope.value(location) == Some(Value::Enum(supplier.0)),
            GetTarget::Predicate(predicate) => Scope { properties: Properties::Of(supplier), ..scope }.holds(predicate),
        }
    }

    /// True if the supply is meant for such a get by this getter.
    fn serves(
        &self,
        state: &State,
        supplier: InstanceId,
        to: &SupplyTarget,
        getter: InstanceId,
        target: &GetTarget,
    ) -> bool {
        let names = |location, side: Side| {
            self.own(state, supplier).value(location) == Some(Value::Enum(side.of(getter, supplier).0))
        };
        to.serves(target) && to.named.as_ref().is_none_or(|(location, side)| names(location, *side))
    }
}

/// The data as observations see it: the supplier's, and the getter's where the supplier assigns none.
fn observed(supplier: Data, getter: Data) -> Data {
    let mut data: Data = getter.into_iter().filter(|(message, _)| lookup(&supplier, *message).is_none()).collect();
    data.extend(supplier);
    data.sort_by_key(|(message, _)| *message);
    data
}
