//! Shortest runs from a state, for the simulator. The result is a claim: the caller replays it.

use super::{Limits, influential};
use crate::claim::Claim;
use crate::engine::bmc;
use crate::model::eval::{Semantics, State};
use crate::model::{EdgeId, Formula, InstanceId, Model, Spec, Value};
use crate::property::Property;
use crate::simplify::simplify;
use crate::smt::with_context;
use crate::source::Span;
use crate::ts::history::base_system;
use crate::ts::system::{Origin, Parts, System};

/// A state, and who received with which command in the step to it.
pub type Reached<'a> = (&'a State, &'a [(InstanceId, EdgeId)]);

/// Searches for a shortest run that makes the formula false: from a state as if it were the initial one,
/// or else from the initial states of the model.
pub fn find(model: &Model, from: Option<Reached>, formula: &Formula, limits: &Limits) -> Claim {
    let spec = Spec {
        under: None,
        name: None,
        expect: None,
        question: None,
        formula: formula.clone(),
        text: None,
        span: Span::default(),
        expanded: Vec::new(),
    };
    let model = model.with_specs(vec![spec]);
    let mut system = base_system(&model);
    if let Some(reached) = from {
        system = starting_at(system, reached);
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
fn starting_at(mut system: System, (state, received): Reached) -> System {
    let value = |origin| match origin {
        Origin::Automaton(instance) => Value::Enum(state.automaton(instance)),
        Origin::Local(instance, local) => state.local(instance, local).clone(),
        Origin::Received(instance, edge) => Value::Bool(received.contains(&(instance, edge))),
        Origin::Total(_)
        | Origin::Obligation(_)
        | Origin::Counter(_)
        | Origin::Number
        | Origin::Argument(_)
        | Origin::Free(_) => {
            unreachable!("the system of a model has no property")
        }
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
