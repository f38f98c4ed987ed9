//! Recurrent runs in the words of the model.

use crate::check::{Counterexample, Ending};
use crate::model::eval::State;
use crate::model::{BinaryOp, Expr, LocalId, Model};
use crate::trace_file::Round;

/// How the run of a counterexample goes on, if no state of it recurs.
pub fn round_of(counterexample: &Counterexample) -> Option<Round> {
    let Ending::Recurrent(recurrence) = counterexample.ending() else { return None };
    let (run, start, set) = (counterexample.run(), recurrence.start(), recurrence.set());
    let model = run.semantics().model();
    let fixed = set.fixed.iter().map(|leaf| {
        let value = run.value(start, *leaf);
        Expr::binary(BinaryOp::Eq, Expr::Leaf(*leaf), Expr::Const(value))
    });
    let wherever = fixed.chain(set.conditions.iter().cloned()).map(|condition| model.show_state_expr(&condition));
    let (first, last) = (&run.states()[start], &run.states()[run.steps().len()]);
    Some(Round {
        start,
        conjunct: counterexample.explanation().conjunct.0,
        changes: differing(model, first, last),
        wherever: wherever.collect(),
    })
}

/// The end of a loop in words, with the locals in which its last state differs from the first one.
pub fn back_to(start: usize, forgotten: &[String]) -> String {
    let differing = match forgotten {
        [] => String::new(),
        list => format!(" ({} may differ: nothing depends on it)", list.join(", ")),
    };
    format!("back to {start}, and so on for ever{differing}")
}

/// The locals in which two states differ, as `i-x`.
pub fn differing(model: &Model, one: &State, other: &State) -> Vec<String> {
    let all = model.instance_ids().flat_map(|instance| {
        let differs = move |local: &LocalId| one.local(instance, *local) != other.local(instance, *local);
        let locals = model.locals_of(instance).map(|(local, _)| local).filter(differs);
        locals.map(move |local| model.variable_name(instance, local))
    });
    all.collect()
}
