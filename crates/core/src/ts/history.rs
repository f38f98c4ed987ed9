//! History variables for receive labels: `i-l` of a receive is true in a state iff the step that led
//! there was taken by it (`docs/logic.md#labels`).

use super::lower::lower;
use super::system::{Origin, Parts, System, event_is};
use crate::model::{EdgeId, Formula, InstanceId, Model};
use std::collections::BTreeSet;

/// The transition system of a model with what its specs need, before any simplification.
pub fn base_system(model: &Model) -> System {
    let labels = receive_labels(model, model.specs.iter().map(|spec| &spec.formula));
    remember_receives(lower(model), model, &labels)
}

/// The receives whose labels occur in some formulas.
pub fn receive_labels<'f>(model: &Model, formulas: impl IntoIterator<Item = &'f Formula>) -> Vec<(InstanceId, EdgeId)> {
    let mut labels = BTreeSet::new();
    for formula in formulas {
        formula.for_each_part(&mut |part| {
            if let Formula::Label(instance, edge) = part
                && model.is_receive(*instance, *edge)
            {
                labels.insert((*instance, *edge));
            }
            true
        });
    }
    labels.into_iter().collect()
}

/// Adds a variable per receive, after those that the system has. Nothing but properties reads them.
pub fn remember_receives(system: System, model: &Model, receives: &[(InstanceId, EdgeId)]) -> System {
    let mut parts = system.into_parts();
    for &(receiver, edge) in receives {
        add(&mut parts, model, receiver, edge);
    }
    System::new(parts)
}

fn add(parts: &mut Parts, model: &Model, receiver: InstanceId, edge: EdgeId) {
    let terms = &mut parts.terms;
    let count = parts.events.len() as u32;
    let mut ways = Vec::new();
    for (index, event) in parts.events.iter().enumerate() {
        for reception in event.receptions.iter().filter(|r| r.receiver == receiver && r.edge == edge) {
            let this = event_is(terms, index, count);
            ways.push(terms.and([this, reception.taken]));
        }
    }
    let taken = terms.or(ways);
    let label = model.agent_of(receiver).edges[edge.index()].label.as_deref().unwrap_or("receive");
    let name = format!("{}-{label}", model.instances[receiver.index()].name);
    let (_, id) = parts.add_flag(name, Origin::Received(receiver, edge), false);
    parts.becomes(id, taken);
}
