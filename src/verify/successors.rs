//! Formulas of ISPL whose verdicts can differ from those of MCMAS, because a reachable state has no successor: here it stays as
//! it is for ever, there no run goes through it.
//!
//! The verdicts of MCMAS follow from its fixed points: `EX` and `EG` are false in such a state, so that `AX`, `AF` and `A(f U g)` are true.

use super::durations;
use super::remarks::without_action;
use super::{Engine, Limits, Subject};
use crate::check::Verdict;
use crate::diag::{Code, Diagnostic};
use crate::limits::{Budget, Stop};
use crate::model::branching::Operator;
use crate::model::checks::{Kinds, checks};
use crate::model::eval::State;
use crate::model::written::Written;
use crate::model::{Formula, Model, Spec};
use crate::source::Span;
use crate::words::count;

/// The most formulas that are named.
const NAMED: usize = 8;

/// A warning that names these formulas, if there are some, and no proof that each reachable state has a successor.
pub fn differences(model: &Model) -> Option<Diagnostic> {
    let joint = model.joint.as_ref()?;
    let can_be_stuck = joint.behaviours.iter().any(|behaviour| behaviour.other.is_empty());
    let differing: Vec<usize> = (0..model.specs.len()).filter(|spec| depends(&model.specs[*spec])).collect();
    if !can_be_stuck || differing.is_empty() {
        return None;
    }
    let kinds = Kinds { deadlock: true, ..Kinds::default() };
    let asked = model.with_specs(checks(model, kinds));
    let subject = Subject::new(&asked);
    let budget = Budget::new(None).aside(durations::ASIDE);
    let stop = Stop::new();
    let limits = Limits::new(budget, &stop);
    let outcome = limits.within(|| subject.prove(0, &Engine::ALL, &limits)).ok().and_then(Result::ok);
    match outcome.map(|outcome| outcome.verdict) {
        Some(Verdict::Holds(_)) => None,
        Some(Verdict::Violated(found)) => Some(warning(&subject, &differing, found.run().states().last())),
        Some(Verdict::NoCounterexample { .. } | Verdict::Unknown { .. }) | None => {
            Some(warning(&subject, &differing, None))
        }
    }
}

/// The warning, with the protocols that allow no action in the state, if one is known.
fn warning(subject: &Subject, differing: &[usize], stuck: Option<&State>) -> Diagnostic {
    let semantics = &subject.semantics;
    let joint = semantics.model().joint.as_ref().expect("agents act all at once");
    let mut places = stuck.into_iter().flat_map(|state| without_action(semantics, joint, state));
    let state = match stuck {
        Some(_) => "a reachable state has no successor",
        None => "it was not decided in time that each reachable state has a successor",
    };
    let numbers: Vec<String> = differing.iter().take(NAMED).map(|spec| (spec + 1).to_string()).collect();
    let more = if differing.len() > NAMED { ", .." } else { "" };
    let noun = if differing.len() == 1 { "the verdict on spec" } else { "the verdicts on specs" };
    let listed = match differing.len() > NAMED {
        true => format!(" ({})", count(differing.len(), "spec")),
        false => String::new(),
    };
    let message = format!("{state}: {noun} {}{more}{listed} can differ from those of MCMAS", numbers.join(", "));
    let (place, why) = places.next().unwrap_or_else(|| {
        let partial = joint.behaviours.iter().find(|behaviour| behaviour.other.is_empty());
        let place = partial.map_or_else(Span::default, |behaviour| behaviour.protocol_place);
        (place, "this protocol has no `Other`".to_owned())
    });
    let warning = Diagnostic::new(Code::NoSuccessor, place, message).label(why);
    let warning = places.fold(warning, |warning, (place, why)| warning.related(place, why));
    warning.help("here such a state stays as it is for ever, in MCMAS no run goes through it; a line `Other : {..};` gives it a step")
}

/// True if the verdict can depend on what happens in a state without a successor.
pub fn depends(spec: &Spec) -> bool {
    // Which runs are fair, infinite ones decide; so do formulas of runs.
    let is_of_runs = spec.text.as_ref().is_some_and(|text| ["LTL", "CTL*"].iter().any(|word| text.starts_with(word)));
    match spec.under.is_some() || is_of_runs {
        true => !is_of_one_state(&spec.formula),
        false => of_path(true, &spec.formula),
    }
}

/// True if only the state decides in which it is evaluated.
fn is_of_one_state(formula: &Formula) -> bool {
    let mut all = formula.is_about_state() && !matches!(formula, Formula::Branching(_));
    formula.for_each_child(&mut |part| all &= is_of_one_state(part));
    all
}

/// The same of a formula of CTL about a state. `AG`, `EF` and `E(f U g)` ask nothing of the successors of a state that stays.
fn of_state(formula: &Formula) -> bool {
    let Formula::Branching(branching) = formula else {
        let mut found = false;
        formula.for_each_child(&mut |part| found |= of_state(part));
        return found;
    };
    match &branching.operator {
        Operator::All => of_path(true, &branching.body),
        Operator::Some => of_path(false, &branching.body),
        Operator::Known(..) => of_state(&branching.body),
        // A group without a next step cannot bring anything about.
        Operator::Strategy(..) => false,
    }
}

/// The same of what is said of all runs from a state, or of some run.
fn of_path(all: bool, formula: &Formula) -> bool {
    match formula.written() {
        Written::Globally(body) if all => of_state(body),
        Written::Finally(body) if !all => of_state(body),
        Written::Until(left, right) if !all => of_state(left) || of_state(right),
        Written::And(parts) if all => parts.into_iter().any(|part| of_path(all, part)),
        _ => !formula.is_about_state() || of_state(formula),
    }
}
