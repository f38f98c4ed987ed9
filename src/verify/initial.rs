//! Whether a model has an initial state. If it has none it has no run, and every spec holds.

use crate::model::{InstanceId, Model};
use crate::smt::unroll::Unrolling;
use crate::smt::{Answer, Budget, Literal};
use crate::source::Span;
use crate::ts::expressions::{Expressions, Scope};
use crate::ts::lower::lower;
use crate::ts::system::System;
use crate::ts::term::Term;

/// Conditions of an instance that no values of its locals satisfy together; without one of them some would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Whose conditions they are.
    pub instance: InstanceId,
    /// Where they stand.
    pub places: Vec<Span>,
}

/// Why no state of a model is initial, if none is and that is found out in time. Needs a Z3 context
/// ([`crate::smt::with_context`]).
pub fn clash(model: &Model, budget: Budget) -> Option<Clash> {
    let mut system = lower(model);
    let conditions: Vec<_> = model.instance_ids().map(|instance| conditions(model, &mut system, instance)).collect();
    let mut path = Unrolling::from_anywhere(&system);
    for (instance, conditions) in model.instance_ids().zip(conditions) {
        let asked = conditions.iter().map(|&(condition, _)| asked(&mut path, condition)).collect();
        let Some(clashing) = minimal(&path, asked, budget) else { continue };
        let places = conditions.iter().zip(clashing).filter(|(_, clashes)| *clashes).map(|((_, place), _)| *place);
        return Some(Clash { instance, places: places.collect() });
    }
    None
}

/// The conditions of an instance, and where they stand.
fn conditions(model: &Model, system: &mut System, instance: InstanceId) -> Vec<(Term, Span)> {
    let expressions = Expressions::new(model);
    let written = model.agent_of(instance).conditions.iter().chain(&model.instances[instance.index()].conditions);
    let mut term = |expr| expressions.command(system.terms_mut(), expr, Scope::of(instance));
    written.map(|condition| (term(&condition.expr), condition.span)).collect()
}

/// A literal that makes a condition true.
fn asked(path: &mut Unrolling, condition: Term) -> Literal {
    let (asked, holds) = (Literal::fresh("condition"), path.literal(0, condition));
    path.add(&asked.implies(&holds));
    asked
}

/// Which of the literals belong to a smallest set that cannot be true, if all of them cannot.
fn minimal(path: &Unrolling, literals: Vec<Literal>, budget: Budget) -> Option<Vec<bool>> {
    let impossible = |kept: &[bool]| {
        let kept: Vec<Literal> =
            literals.iter().zip(kept).filter(|(_, kept)| **kept).map(|(literal, _)| literal.clone()).collect();
        matches!(path.check(&kept, budget), Answer::Unsat)
    };
    let mut kept = vec![true; literals.len()];
    if !impossible(&kept) {
        return None;
    }
    for index in 0..kept.len() {
        kept[index] = false;
        kept[index] = !impossible(&kept);
    }
    Some(kept)
}
