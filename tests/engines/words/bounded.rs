//! Bounded model checking of the model whose runs are all words.

use super::asked::Asked;
use super::lassos::LONGEST;
use super::letters::Bit;
use crate::common;
use rcheck_smt::check::{Counterexample, Ending, Verdict};
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::property::Property;
use rcheck_smt::verify::Subject;

/// Enough for small formulas: what a run shows takes one step per operator at most.
const BOUND: usize = 6;

/// Searches a counterexample to a formula that is so small that there is a short one if there is any.
pub fn check(asked: &Asked) -> Result<(), String> {
    let model = asked.words.with_specs(std::slice::from_ref(asked.formula));
    let subject = Subject::new(&model);
    let stop = Stop::new();
    let limits = common::limits(BOUND, Budget::new(None), &stop);
    let outcome = subject.bmc(0, &limits).map_err(|refuted| refuted.to_string())?;
    match (outcome.verdict, asked.violating()) {
        (Verdict::NoCounterexample { depth: BOUND }, None) => Ok(()),
        (Verdict::NoCounterexample { .. }, Some((lassos, word))) => Err(format!("not found: {}", lassos.show(word))),
        // A word that is wrong at its end alone can be longer than the lassos that are asked.
        (Verdict::Violated(found), None) if found.run().steps().len() > LONGEST => Ok(()),
        (Verdict::Violated(_), None) => Err("a counterexample, but no short lasso is one".to_owned()),
        (Verdict::Violated(found), Some((lassos, _))) => check_length(asked, &subject, &found, lassos.length),
        (other, _) => Err(format!("{other:?}")),
    }
}

/// That the counterexample is a shortest one: a lasso is found at its length at the latest, unless only beginnings count.
fn check_length(asked: &Asked, subject: &Subject, found: &Counterexample, shortest: usize) -> Result<(), String> {
    let mut system = subject.system().clone();
    let property = Property::new(subject.model(), &mut system, &subject.model().specs[0]);
    let only_beginnings = property.parts.iter().all(|part| property.ltl.is_cosafe(part.negation));
    let steps = found.run().steps().len();
    // The first visit of where the loop starts may differ from the others in what was received.
    let exact = !asked.reads(Bit::Received) && matches!(found.ending(), Ending::Lasso(_));
    if !only_beginnings && (steps > shortest || exact && steps < shortest) {
        return Err(format!("a counterexample with {steps} steps, but the shortest lasso has {shortest}"));
    }
    Ok(())
}
