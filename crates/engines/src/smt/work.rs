//! Limits of work for questions to solvers. Z3 counts its own units, which are the same ones on every machine.

use crate::limits::{self, Exceeded};
use z3::{Params, Statistics, StatisticsValue};

/// How many of Z3's units are one of ours.
const PER_UNIT: u64 = 8;

/// How many units a look of the propositional solver is: it looks after every ten conflicts or decisions.
const PER_LOOK: u64 = 16;

/// The cost of any question, however easy it is.
const QUESTION: u64 = 64;

/// A solver that is made now gives up any single question that takes more work than is left, if that is limited.
pub(super) fn limit(params: &mut Params) {
    if let Some(units) = limits::work_left() {
        let most = u32::try_from(units.saturating_mul(PER_UNIT)).unwrap_or(u32::MAX);
        // Nothing would be no limit.
        params.set_u32("rlimit", most.max(1));
    }
}

/// Asks, and counts how much work that was, if it is limited. An answer at the limit is worth nothing.
pub(super) fn counted<R>(statistics: impl Fn() -> Statistics, question: impl FnOnce() -> R) -> Result<R, Exceeded> {
    match limits::work_left() {
        None => Ok(question()),
        Some(0) => Err(Exceeded::Work),
        Some(_) => {
            let before = spent(&statistics());
            let answer = question();
            limits::spend(QUESTION + u64::from(spent(&statistics()).wrapping_sub(before)) / PER_UNIT);
            if limits::work_left() == Some(0) { Err(Exceeded::Work) } else { Ok(answer) }
        }
    }
}

/// How often the propositional solver may look whether it has to end.
pub(super) fn looks_left() -> u64 {
    limits::work_left().map_or(u64::MAX, |units| units / PER_LOOK)
}

/// Asks the propositional solver, which also says how often it looked.
pub(super) fn counted_looks<R>(question: impl FnOnce() -> (R, u64)) -> Result<R, Exceeded> {
    if limits::work_left() == Some(0) {
        return Err(Exceeded::Work);
    }
    let (answer, looks) = question();
    limits::spend(QUESTION + looks.saturating_mul(PER_LOOK));
    if limits::work_left() == Some(0) { Err(Exceeded::Work) } else { Ok(answer) }
}

/// The work that all solvers of this thread have spent.
fn spent(statistics: &Statistics) -> u32 {
    match statistics.value("rlimit count") {
        Some(StatisticsValue::UInt(count)) => count,
        Some(StatisticsValue::Double(_)) | None => 0,
    }
}
