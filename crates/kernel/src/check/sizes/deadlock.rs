//! `deadlock` in open instances: no agent there can take a step that those outside could not prevent.
//!
//! If no step is possible in an instance of any size, then none of these: so this may be true where there is no
//! deadlock, and specs may read it only where that makes them stronger.

use crate::model::eval::value::evaluate;
use crate::model::formula::StateLeaf;
use crate::model::{Action, BinaryOp, CommandLeaf, Expr, Formula, Model, Type, Value};
use crate::ts::system::{EventKind, System};
use crate::ts::term::Term;

/// That there may be a deadlock, as far as the agents of an open instance can tell.
pub fn possible(model: &Model, system: &mut System) -> Term {
    let is_certain = |kind: EventKind| match kind {
        EventKind::Send { sender, edge } => {
            let action = &model.agent_of(sender).edges[edge.0 as usize].action;
            let Action::Send { channel, .. } = action else { unreachable!("a send by {action:?}") };
            !outsiders_prevent(model, channel)
        }
        EventKind::GetSupply { .. } => true,
        EventKind::Joint { .. } | EventKind::Clause(_) | EventKind::Stutter => false,
    };
    let events = system.events().iter().filter(|event| is_certain(event.kind));
    let enabled: Vec<Term> = events.map(|event| event.enabled).collect();
    let terms = system.terms_mut();
    let some = terms.or(enabled);
    terms.not(some)
}

/// True if a member that is not in the open instance might keep a message on a channel from being sent: as it listens, and
/// perhaps has no receive to take, or none whose updates stay in their ranges.
fn outsiders_prevent(model: &Model, channel: &Expr<CommandLeaf>) -> bool {
    let known = evaluate(channel, &|_| None);
    let may_be = |broadcast: bool| known.as_ref().is_none_or(|known| (*known == Value::BROADCAST) == broadcast);
    model.families().iter().map(|family| &model.agents[family.agent.index()]).any(|agent| {
        let leaves_range = || {
            let mut updated = agent.receives().flat_map(|edge| &edge.updates).map(|(local, _)| local);
            updated.any(|local| matches!(agent.locals[local.index()].ty, Type::Range(..)))
        };
        let listens = || {
            let chan = |leaf| if leaf == CommandLeaf::Chan { known.clone() } else { None };
            evaluate(&agent.receive_guard, &chan) != Some(Value::Bool(false))
        };
        (may_be(true) && leaves_range()) || (may_be(false) && listens())
    })
}

/// True if a formula can only become true, or only false, where `deadlock` becomes true.
pub fn only_makes(formula: &Formula, truth: bool) -> bool {
    match formula {
        Formula::Atom(expr) => only_makes_expr(expr, truth),
        Formula::Not(inner) => only_makes(inner, !truth),
        Formula::And(list) | Formula::Or(list) => list.iter().all(|part| only_makes(part, truth)),
        Formula::Next(inner) => only_makes(inner, truth),
        Formula::Label(..) | Formula::Observed(_) | Formula::Iff(..) | Formula::Until(..) | Formula::Branching(_) => {
            !reads_deadlock(formula)
        }
    }
}

/// True if a formula reads `deadlock`.
pub fn reads_deadlock(formula: &Formula) -> bool {
    let mut reads = matches!(formula, Formula::Atom(expr) if is_read(expr));
    formula.for_each_child(&mut |child| reads |= reads_deadlock(child));
    reads
}

fn is_read(expr: &Expr<StateLeaf>) -> bool {
    expr.any_leaf(|leaf| *leaf == StateLeaf::Deadlock)
}

fn only_makes_expr(expr: &Expr<StateLeaf>, truth: bool) -> bool {
    match expr {
        Expr::Leaf(StateLeaf::Deadlock) => truth,
        Expr::Not(inner) => only_makes_expr(inner, !truth),
        Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
            only_makes_expr(left, truth) && only_makes_expr(right, truth)
        }
        Expr::Binary(BinaryOp::Implies, left, right) => only_makes_expr(left, !truth) && only_makes_expr(right, truth),
        other => !is_read(other),
    }
}
