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
    /// Not decided, and other runs or knowledge are spoken of.
    BeyondOneRun,
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
            text += &format!("  {}: {}\n", name(model, index), words(standing, spec));
            if let Standing::Violated(_) | Standing::ViolatedByLoop | Standing::ViolatedStuck = standing {
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
                Standing::Violated(position) => format!("{BAD}not kept{BAD:#}, as is decided at {position}"),
                Standing::ViolatedByLoop | Standing::ViolatedStuck => format!("{BAD}not kept{BAD:#} by the loop"),
                Standing::Satisfied(_) | Standing::SatisfiedByLoop => format!("{GOOD}kept{GOOD:#}"),
                Standing::SatisfiedStuck => format!("{GOOD}kept{GOOD:#}"),
                Standing::HoldsSoFar => format!("{GOOD}kept so far{GOOD:#}"),
                Standing::Open => format!("{DIM}open{DIM:#}"),
                Standing::BeyondOneRun => format!("{DIM}{}{DIM:#}", beyond_one_run(formula)),
            };
            text += &format!("  assumed: {}: {kept}\n", visible(&self.model().show_formula(formula)));
        }
        Ok(text)
    }
}

impl Session<'_> {
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
pub(super) fn name(model: &Model, index: usize) -> String {
    let spec = &model.specs[index];
    let name = spec.name.clone().unwrap_or_else(|| excerpt(&model.show_spec(index), 60));
    format!("{} {}", index + 1, visible(&name))
}

fn words(standing: Standing, spec: &Spec) -> String {
    let (violated, expected) = (format!("{BAD}violated{BAD:#}"), comparison(spec));
    match standing {
        Standing::Violated(position) => format!("{violated} at {position}{expected}"),
        Standing::ViolatedByLoop => format!("{violated} by the loop{expected}"),
        Standing::Satisfied(position) => format!("{GOOD}holds{GOOD:#} on this run, decided at {position}"),
        Standing::SatisfiedByLoop => format!("{GOOD}holds{GOOD:#} on this run, with its loop"),
        Standing::ViolatedStuck => format!("{violated}{expected}: the run is stuck here for ever"),
        Standing::SatisfiedStuck => format!("{GOOD}holds{GOOD:#} on this run, which is stuck here for ever"),
        Standing::HoldsSoFar => format!("{GOOD}holds so far{GOOD:#}"),
        Standing::Open => format!("{DIM}open: a liveness property, of which a finite run cannot tell{DIM:#}"),
        Standing::BeyondOneRun => format!("{DIM}{}{DIM:#}", beyond_one_run(&spec.formula)),
    }
}

/// That a spec is violated as the file expects, or that it expects something else.
pub(super) fn comparison(spec: &Spec) -> String {
    match spec.expect {
        Some(Expectation::Violated) => ", as expected".to_owned(),
        Some(other) => format!(", unexpected: the file expects `{}`", other.word()),
        None => String::new(),
    }
}

/// Why a run does not decide a formula in which these operators occur.
pub(super) fn beyond_one_run(formula: &Formula) -> String {
    let mut operators = Vec::new();
    collect_operators(formula, &mut operators);
    let of_kind = |is_of_kind: fn(&Operator) -> bool| {
        let mut words = Vec::new();
        for word in operators.iter().filter(|operator| is_of_kind(operator)).map(|operator| operator.word()) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words.join(", ")
    };
    let runs = of_kind(|operator| matches!(operator, Operator::All | Operator::Some));
    let knowledge = of_kind(|operator| matches!(operator, Operator::Known(..)));
    let mut subjects = Vec::new();
    if !runs.is_empty() {
        subjects.push(format!("of other runs ({runs})"));
    }
    if !knowledge.is_empty() {
        subjects.push(format!("of knowledge ({knowledge})"));
    }
    if formula.is_strategic() {
        subjects.push("of strategies".to_owned());
    }
    format!("one run does not decide it: it speaks {}", subjects.join(" and "))
}

fn collect_operators<'f>(formula: &'f Formula, operators: &mut Vec<&'f Operator>) {
    if let Formula::Branching(branching) = formula {
        operators.push(&branching.operator);
    }
    formula.for_each_child(&mut |child| collect_operators(child, operators));
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
        return Ok(if decided == Truth::False { Standing::Violated(low) } else { Standing::Satisfied(low) });
    }
    let run = timeline.run(semantics).map_err(describe)?;
    if let Some(stuck) = timeline.stuck(&run) {
        return Ok(match stuck.evaluate(formula) {
            Truth::False => Standing::ViolatedStuck,
            Truth::True => Standing::SatisfiedStuck,
            Truth::Unknown => Standing::BeyondOneRun,
        });
    }
    Ok(match run.evaluate(formula) {
        Truth::False => Standing::ViolatedByLoop,
        Truth::True => Standing::SatisfiedByLoop,
        Truth::Unknown if formula.is_branching() => Standing::BeyondOneRun,
        Truth::Unknown if formula.is_safety(true) => Standing::HoldsSoFar,
        Truth::Unknown => Standing::Open,
    })
}
