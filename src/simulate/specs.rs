//! What a run says of the specs so far.

use super::session::{Answer, Session};
use super::show::{BAD, DIM, GOOD};
use super::timeline::Timeline;
use crate::diag::excerpt;
use crate::escape::visible;
use crate::model::eval::{ExplanationStep, ReplayError, Semantics, Truth};
use crate::model::{Formula, Model, Spec};

/// What a run says of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// False, however the run goes on; decided by so many steps.
    Violated(usize),
    /// False because of the loop.
    ViolatedByLoop,
    /// False because the run is stuck.
    ViolatedStuck,
    /// True, however the run goes on; decided by so many steps.
    Satisfied(usize),
    /// True because of the loop.
    SatisfiedByLoop,
    /// True because the run is stuck.
    SatisfiedStuck,
    /// A safety property that nothing has violated.
    HoldsSoFar,
    /// A liveness property that nothing has decided.
    Open,
}

impl Session<'_> {
    pub(super) fn specs(&self) -> Answer {
        let model = self.model();
        if model.specs.is_empty() {
            return Ok("the model has no specs\n".to_owned());
        }
        let timeline = self.timeline()?;
        let mut text = String::new();
        for (index, spec) in model.specs.iter().enumerate() {
            let standing = standing(self.semantics, timeline, &spec.formula)?;
            text += &format!("  {}: {}\n", name(model, index), words(standing));
            if let Standing::Violated(_) | Standing::ViolatedByLoop | Standing::ViolatedStuck = standing {
                text += &self.why_violated(timeline, spec)?;
            }
        }
        Ok(text)
    }
}

impl Session<'_> {
    /// What makes the spec false, and where.
    fn why_violated(&self, timeline: &Timeline, spec: &Spec) -> Answer {
        let model = self.model();
        let run = timeline.run(self.semantics).map_err(|error| error.describe(model))?;
        let run = timeline.stuck(&run).unwrap_or(run);
        let Some(explanation) = run.explain(&spec.formula) else { return Ok(String::new()) };
        let part = explanation.show_part(model, spec).map_or(String::new(), |part| format!("{part}, "));
        let place = explanation.show_place(run.loop_start(), run.steps().len());
        let ExplanationStep { subformula, why, .. } = explanation.decisive();
        let formula = excerpt(subformula, LONGEST_FORMULA);
        Ok(format!("    {part}{place}: `{formula}` is {why}\n"))
    }
}

/// Formulas are cut to that many characters.
const LONGEST_FORMULA: usize = 100;

/// The number and the name of a spec, or its formula.
pub(super) fn name(model: &Model, index: usize) -> String {
    let spec = &model.specs[index];
    let name = spec.name.clone().unwrap_or_else(|| excerpt(&model.show_spec(index), 60));
    format!("{} {}", index + 1, visible(&name))
}

fn words(standing: Standing) -> String {
    match standing {
        Standing::Violated(position) => format!("{BAD}violated{BAD:#} at {position}"),
        Standing::ViolatedByLoop => format!("{BAD}violated{BAD:#} by the loop"),
        Standing::Satisfied(position) => format!("{GOOD}holds{GOOD:#} on this run, decided at {position}"),
        Standing::SatisfiedByLoop => format!("{GOOD}holds{GOOD:#} on this run, with its loop"),
        Standing::ViolatedStuck => format!("{BAD}violated{BAD:#}: the run is stuck here for ever"),
        Standing::SatisfiedStuck => format!("{GOOD}holds{GOOD:#} on this run, which is stuck here for ever"),
        Standing::HoldsSoFar => format!("{GOOD}holds so far{GOOD:#}"),
        Standing::Open => format!("{DIM}open: a liveness property, of which a finite run cannot tell{DIM:#}"),
    }
}

fn standing<'s>(semantics: &'s Semantics<'s>, timeline: &Timeline, formula: &Formula) -> Result<Standing, String> {
    let describe = |error: ReplayError| error.describe(semantics.model());
    let truth_after = |steps| timeline.beginning(semantics, steps).map(|run| run.evaluate(formula)).map_err(describe);
    let position = timeline.position();
    let decided = truth_after(position)?;
    if decided != Truth::Unknown {
        // What a beginning decides, all longer ones do: the first one is found by halving.
        let (mut low, mut high) = (0, position);
        while low < high {
            let middle = low + (high - low) / 2;
            if truth_after(middle)? == Truth::Unknown { low = middle + 1 } else { high = middle }
        }
        return Ok(if decided == Truth::False { Standing::Violated(low) } else { Standing::Satisfied(low) });
    }
    let run = timeline.run(semantics).map_err(describe)?;
    if let Some(stuck) = timeline.stuck(&run) {
        return Ok(match stuck.evaluate(formula) {
            Truth::False => Standing::ViolatedStuck,
            _ => Standing::SatisfiedStuck,
        });
    }
    Ok(match run.evaluate(formula) {
        Truth::False => Standing::ViolatedByLoop,
        Truth::True => Standing::SatisfiedByLoop,
        Truth::Unknown if is_safety(formula, true) => Standing::HoldsSoFar,
        Truth::Unknown => Standing::Open,
    })
}

/// Whether the formula (`positive`), or its negation, is a safety property by its form: no operator in it
/// asks for something to happen some day.
fn is_safety(formula: &Formula, positive: bool) -> bool {
    let all = |parts: &[Formula]| parts.iter().all(|part| is_safety(part, positive));
    match formula {
        Formula::Atom(_) | Formula::Label(..) => true,
        Formula::Not(inner) => is_safety(inner, !positive),
        Formula::And(parts) | Formula::Or(parts) => all(parts),
        Formula::Implies(left, right) => is_safety(left, !positive) && is_safety(right, positive),
        Formula::Iff(left, right) => [left, right].iter().all(|it| is_safety(it, true) && is_safety(it, false)),
        Formula::Next(inner) | Formula::Possible(_, inner) | Formula::Necessary(_, inner) => is_safety(inner, positive),
        Formula::Globally(inner) => positive && is_safety(inner, positive),
        Formula::Finally(inner) => !positive && is_safety(inner, positive),
        Formula::WeakUntil(left, right) | Formula::Release(left, right) => {
            positive && is_safety(left, positive) && is_safety(right, positive)
        }
        Formula::Until(left, right) => !positive && is_safety(left, positive) && is_safety(right, positive),
    }
}
