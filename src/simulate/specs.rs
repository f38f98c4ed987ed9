//! Truth of the specs on the run so far.

use super::session::{Session, Told};
use super::show::{BAD, DIM, GOOD};
use super::timeline::Timeline;
use crate::diag::excerpt;
use crate::escape::visible;
use crate::model::branching::Operator;
use crate::model::eval::{ExplanationStep, ReplayError, Semantics, Truth};
use crate::model::fairness::Under;
use crate::model::spec::Expectation;
use crate::model::written::Written;
use crate::model::{Formula, Model, Spec};

/// The truth of a spec on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Decided(bool, DecidedBy),
    /// A safety property that nothing has violated.
    HoldsSoFar,
    /// A liveness property that nothing has decided.
    Open,
    /// Not decided, and other runs or knowledge are spoken of.
    BeyondOneRun,
}

/// The part of a run that decides a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecidedBy {
    /// A number of steps, however the run goes on.
    Steps(usize),
    Loop,
    Stuck,
}

impl Session<'_> {
    pub(super) fn specs(&self) -> Told {
        let model = self.model();
        if model.specs.is_empty() {
            return Ok("the model has no specs\n".to_owned());
        }
        let timeline = self.timeline()?;
        let mut text = String::new();
        for (index, spec) in model.specs.iter().enumerate() {
            let standing = standing(self.semantics, timeline, &spec.formula)?;
            text += &format!("  {}: {}\n", spec_name(model, index), words(standing, spec));
            if let Standing::Decided(false, _) = standing {
                text += &self.why_violated(timeline, spec)?;
            }
        }
        let under = model.specs.iter().filter_map(|spec| spec.under.as_deref());
        if let Some(most) = under.max_by_key(|under| under.assumptions.len()) {
            text += &self.assumptions(timeline, most)?;
        }
        Ok(text)
    }

    /// Which of the assumptions the run keeps.
    fn assumptions(&self, timeline: &Timeline, under: &Under) -> Told {
        let mut text = String::new();
        let mut open: Vec<&Formula> = under.assumptions.iter().rev().map(|assumption| &assumption.formula).collect();
        while let Some(formula) = open.pop() {
            if let Written::And(list) = formula.written() {
                open.extend(list.into_iter().rev());
                continue;
            }
            let kept = match standing(self.semantics, timeline, formula)? {
                Standing::Decided(false, DecidedBy::Steps(position)) => {
                    format!("{BAD}not kept{BAD:#}, as is decided at {position}")
                }
                Standing::Decided(false, _) => format!("{BAD}not kept{BAD:#} by the loop"),
                Standing::Decided(true, _) => format!("{GOOD}kept{GOOD:#}"),
                Standing::HoldsSoFar => format!("{GOOD}kept so far{GOOD:#}"),
                Standing::Open => format!("{DIM}open{DIM:#}"),
                Standing::BeyondOneRun => format!("{DIM}{}{DIM:#}", beyond_one_run(formula)),
            };
            text += &format!("  assumed: {}: {kept}\n", visible(&self.model().show_formula(formula)));
        }
        Ok(text)
    }

    /// The reason why the spec is false, and the place.
    fn why_violated(&self, timeline: &Timeline, spec: &Spec) -> Told {
        let model = self.model();
        let run = timeline.run(self.semantics).map_err(|error| error.describe(model))?;
        let run = timeline.stuck(&run).unwrap_or(run);
        let Some(explanation) = run.explain(&spec.formula) else { return Ok(String::new()) };
        let part = explanation.show_part(model, spec).map_or(String::new(), |part| format!("{part}, "));
        let place = explanation.show_place(run.loop_start(), run.steps().len());
        let ExplanationStep { subformula, why, .. } = explanation.decisive();
        Ok(format!("    {part}{place}: `{subformula}` is {why}\n"))
    }
}

/// The number and the name of a spec, or its formula.
pub fn spec_name(model: &Model, index: usize) -> String {
    let spec = &model.specs[index];
    let name = spec.name.clone().unwrap_or_else(|| excerpt(&model.show_spec(index), 60));
    format!("{} {}", index + 1, visible(&name))
}

fn words(standing: Standing, spec: &Spec) -> String {
    let (violated, expected) = (format!("{BAD}violated{BAD:#}"), comparison(spec));
    let holds = format!("{GOOD}holds{GOOD:#} on this run");
    match standing {
        Standing::Decided(false, DecidedBy::Steps(position)) => format!("{violated} at {position}{expected}"),
        Standing::Decided(false, DecidedBy::Loop) => format!("{violated} by the loop{expected}"),
        Standing::Decided(false, DecidedBy::Stuck) => format!("{violated}{expected}: the run is stuck here for ever"),
        Standing::Decided(true, DecidedBy::Steps(position)) => format!("{holds}, decided at {position}"),
        Standing::Decided(true, DecidedBy::Loop) => format!("{holds}, with its loop"),
        Standing::Decided(true, DecidedBy::Stuck) => format!("{holds}, which is stuck here for ever"),
        Standing::HoldsSoFar => format!("{GOOD}holds so far{GOOD:#}"),
        Standing::Open => format!("{DIM}open: a liveness property, of which a finite run cannot tell{DIM:#}"),
        Standing::BeyondOneRun => format!("{DIM}{}{DIM:#}", beyond_one_run(&spec.formula)),
    }
}

/// That a spec is violated as the file expects, or that it expects something else; nothing if it expects nothing.
pub fn comparison(spec: &Spec) -> String {
    match spec.expect {
        Some(Expectation::Violated) => ", as expected".to_owned(),
        Some(other) => format!(", unexpected: the file expects `{}`", other.word()),
        None => String::new(),
    }
}

/// Why a run does not decide a formula in which these operators occur.
pub fn beyond_one_run(formula: &Formula) -> String {
    let (mut runs, mut knowledge) = (Vec::new(), Vec::new());
    let mut open = vec![formula];
    while let Some(formula) = open.pop() {
        if let Formula::Branching(branching) = formula {
            let word = branching.operator.word();
            match branching.operator {
                Operator::All | Operator::Some if !runs.contains(&word) => runs.push(word),
                Operator::Known(..) if !knowledge.contains(&word) => knowledge.push(word),
                _ => {}
            }
        }
        let first = open.len();
        formula.for_each_child(&mut |child| open.insert(first, child));
    }
    let mut subjects = Vec::new();
    if !runs.is_empty() {
        subjects.push(format!("of other runs ({})", runs.join(", ")));
    }
    if !knowledge.is_empty() {
        subjects.push(format!("of knowledge ({})", knowledge.join(", ")));
    }
    if formula.is_strategic() {
        subjects.push("of strategies".to_owned());
    }
    format!("one run does not decide it: it speaks {}", subjects.join(" and "))
}

fn standing<'s>(semantics: &'s Semantics<'s>, timeline: &Timeline, formula: &Formula) -> Result<Standing, String> {
    let describe = |error: ReplayError| error.describe(semantics.model());
    let truth_after = |steps| timeline.beginning(semantics, steps).map(|run| run.evaluate(formula)).map_err(describe);
    let position = timeline.position();
    let decided = truth_after(position)?;
    if decided != Truth::Unknown {
        // If a beginning decides it, all longer ones do: the first one is found by halving.
        let (mut low, mut high) = (0, position);
        while low < high {
            let middle = low + (high - low) / 2;
            if truth_after(middle)? == Truth::Unknown { low = middle + 1 } else { high = middle }
        }
        return Ok(Standing::Decided(decided == Truth::True, DecidedBy::Steps(low)));
    }
    let run = timeline.run(semantics).map_err(describe)?;
    let stuck = timeline.stuck(&run);
    let by = if stuck.is_some() { DecidedBy::Stuck } else { DecidedBy::Loop };
    Ok(match stuck.as_ref().unwrap_or(&run).evaluate(formula) {
        Truth::False => Standing::Decided(false, by),
        Truth::True => Standing::Decided(true, by),
        Truth::Unknown if stuck.is_some() || formula.is_branching() => Standing::BeyondOneRun,
        Truth::Unknown if formula.is_safety(true) => Standing::HoldsSoFar,
        Truth::Unknown => Standing::Open,
    })
}
