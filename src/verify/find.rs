//! Shortest runs from a state, for the simulator. The result is a claim: the caller replays it.

use super::{Limits, influential};
use crate::claim::Claim;
use crate::engine::bmc;
use crate::model::eval::Semantics;
use crate::model::{Formula, Model, Value};
use crate::property::Property;
use crate::simplify::simplify;
use crate::simulate::Here;
use crate::smt::with_context;
use crate::ts::history::base_system;
use crate::ts::system::{Origin, Parts, System};

/// Searches for a shortest run that makes the formula false: from a state as if it were the initial one,
/// or else from the initial states of the model.
pub fn find(model: &Model, from: Option<Here>, formula: &Formula, limits: &Limits) -> Claim {
    let model = model.with_specs(vec![formula.clone().into()]);
    let mut system = base_system(&model);
    if let Some(here) = from {
        system = starting_at(system, here);
    }
    let (mut system, _) = simplify(system);
    let property = Property::new(&model, &mut system, &model.specs[0]);
    let also_close = influential(&Semantics::new(&model), &system, formula);
    let config = bmc::Config {
        bound: limits.bound,
        budget: limits.budget,
        stop: limits.stop,
        also_close: &also_close,
        recurrence: None,
        progress: &|_| {},
    };
    with_context(limits.stop, || bmc::run(&system, &property, config)).0
}

/// The system with this state as its only initial one.
fn starting_at(mut system: System, Here { state, received }: Here) -> System {
    let value = |origin| match origin {
        Origin::Automaton(instance) => Value::Enum(state.automaton(instance)),
        Origin::Local(instance, local) => state.local(instance, local).clone(),
        Origin::Received(instance, edge) => Value::Bool(received.contains(&(instance, edge))),
        other => unreachable!("the system of a model has no property: {other:?}"),
    };
    let mut init = Vec::new();
    for id in system.var_ids() {
        let (value, sort) = (value(system.variable(id).origin), system.variable(id).sort);
        let variable = system.var_term(id);
        let terms = system.terms_mut();
        let constant = terms.constant(&value, sort);
        init.push(terms.eq(variable, constant));
    }
    System::new(Parts { init, ..system.into_parts() })
}
