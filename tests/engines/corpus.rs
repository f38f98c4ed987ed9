//! Every model that we ship against what its specs expect: bounded model checking neither misses nor
//! makes up a counterexample, and formatting keeps the model.

#![allow(clippy::print_stdout)] // Slow specs are shown to people.

use crate::common::{self, all_specs, model, read, shipped, shipped_in_ispl, source};
use rayon::prelude::*;
use rcheck_smt::check::{Ending, Verdict};
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::{Edge, Model, spec::Expectation};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::ast::Dialect;
use rcheck_smt::syntax::{self, pretty};
use rcheck_smt::verify::Subject;
use std::time::{Duration, Instant};

/// How deep to look: where a spec is expected to hold, and where it is expected to be violated.
struct Bounds {
    holds: usize,
    violated: usize,
}

/// The integers of most case studies make depth expensive; so does the number of agents of
/// resource allocation, whose runs end after at most 22 steps, the length of its longest
/// counterexamples.
fn bounds(name: &str) -> Bounds {
    match name {
        "resource_allocation/modern.rcp" => Bounds { holds: 22, violated: 24 },
        "resource_allocation/classic.rcp" => Bounds { holds: 10, violated: 24 },
        "load_balancing.rcp" => Bounds { holds: 5, violated: 6 },
        "key_value_store.rcp" => Bounds { holds: 7, violated: 8 },
        _ => Bounds { holds: 8, violated: 10 },
    }
}

/// Violated specs whose counterexamples have no lasso: in every one, a counter that decides steps
/// grows for ever. They must come out violated by steps that repeat for ever, and no others may.
///
/// - `one_is_served_again_and_again`: the ticket lock is never stuck, and without draws there can be
///   only so many calls and leaves, so that every run draws tickets for ever. Each draw raises
///   `desk-next`, which the guard of `call` reads, and nothing lowers it.
/// - `replicas_get_updated`: between two writes there can be only so many steps other than updates of
///   the first replica: the second one copies newer versions only, the reader reads newer versions
///   only and turns once. So there are writes for ever; each raises `primary-stamp`, which the
///   predicate of `update` reads, and nothing lowers it.
/// - In `recurrent_gap` and `recurrent_guards` the header says which integers grow.
const WITHOUT_LASSO: [(&str, &str); 7] = [
    ("token_ring.rcp", "some_node_falls_behind_under_fairness"),
    ("key_value_store.rcp", "replicas_get_updated"),
    ("ticket_lock.rcp", "one_is_served_again_and_again"),
    ("features/recurrent_gap.rcp", "slow_catches_up"),
    ("features/recurrent_gap.rcp", "the_gap_stays_small"),
    ("features/recurrent_guards.rcp", "deliveries_go_on"),
    ("features/recurrent_guards.rcp", "all_is_delivered_in_the_end"),
];

/// One spec and how it went.
struct Checked {
    name: String,
    time: Duration,
    wrong: Option<String>,
    violated: bool,
}

fn check(file: &str, subject: &Subject, spec: usize) -> Checked {
    let start = Instant::now();
    let declared = &subject.model().specs[spec];
    let label = declared.name.as_deref().unwrap_or_else(|| panic!("{file}: spec {} has no name", spec + 1));
    let name = format!("{file} {label}");
    let expected = declared.expect.unwrap_or_else(|| panic!("{name}: no expectation"));
    let Bounds { holds, violated } = bounds(file);
    let bound = if expected == Expectation::Holds { holds } else { violated };
    let stop = Stop::new();
    let limits = common::limits(bound, Budget::new(None), &stop);
    let verdict = subject.bmc(spec, &limits).map(|outcome| outcome.verdict);
    let without_lasso = WITHOUT_LASSO.contains(&(file, label));
    let wrong = match (&verdict, expected) {
        (Ok(Verdict::Violated(counterexample)), Expectation::Violated)
            if matches!(counterexample.ending(), Ending::Recurrent(_)) == without_lasso =>
        {
            None
        }
        (Ok(Verdict::NoCounterexample { depth }), Expectation::Holds) if *depth == bound => None,
        // A bounded search follows single runs.
        (Ok(Verdict::Unknown { clear: None, .. }), _) if declared.formula.is_branching() => None,
        (Ok(verdict), _) => Some(format!("{name}: expected {expected:?}, bound {bound}, found {}", words(verdict))),
        (Err(refuted), _) => Some(format!("{name}: {refuted}")),
    };
    Checked { name, time: start.elapsed(), wrong, violated: matches!(verdict, Ok(Verdict::Violated(_))) }
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds(_) => "proved".to_owned(),
        Verdict::Violated(counterexample) => {
            let run = counterexample.run();
            format!("violated after {} steps, then {:?}", run.steps().len(), counterexample.ending())
        }
        Verdict::NoCounterexample { depth } => format!("clear up to {depth}"),
        Verdict::Unknown { clear, reason } => format!("unknown: {reason}; clear {clear:?}"),
    }
}

/// Prints what took long, longest first; `--nocapture` shows it.
#[allow(clippy::print_stdout)] // a table for people
fn print_times(checked: &mut [Checked]) {
    checked.sort_by_key(|checked| std::cmp::Reverse(checked.time));
    for Checked { name, time, .. } in checked.iter().take_while(|checked| checked.time > Duration::from_secs(1)) {
        println!("{:6.2} s  {name}", time.as_secs_f64());
    }
}

#[test]
fn specs_are_as_expected() {
    let paths = shipped().into_iter().chain(shipped_in_ispl());
    let models = paths.map(|path| (path.display().to_string(), model(&source(&path))));
    // Specs of any size are about other instances as well.
    let models: Vec<(String, Model)> = models.filter(|(_, model)| model.scheme().is_none()).collect();
    let subjects: Vec<(&str, Subject)> =
        models.iter().map(|(name, model)| (name.as_str(), Subject::new(model))).collect();
    let jobs = all_specs(&subjects);
    let mut checked: Vec<Checked> =
        jobs.into_par_iter().map(|(name, subject, spec)| check(name, subject, spec)).collect();
    print_times(&mut checked);
    let wrong: Vec<&String> = checked.iter().filter_map(|checked| checked.wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let violated = checked.iter().filter(|checked| checked.violated).count();
    assert!(checked.len() >= 406 && violated >= 110, "{} specs, {violated} violated", checked.len());
}

#[test]
fn models_without_lasso_are_shipped() {
    for (file, name) in WITHOUT_LASSO {
        let model = model(&source(file));
        let spec = model.specs.iter().find(|spec| spec.name.as_deref() == Some(name)).expect("the spec");
        assert_eq!(spec.expect, Some(Expectation::Violated), "{file} {name}");
    }
}

#[test]
fn shipped_models_have_no_errors() {
    for path in shipped().into_iter().chain(shipped_in_ispl()) {
        let source = source(&path);
        let (model, diagnostics) = read(&source);
        assert!(model.is_some() && !diagnostics.has_errors(), "{}: {diagnostics:#?}", source.name());
    }
}

/// The meaning of commands, without their places.
fn commands(edges: &[Edge]) -> Vec<Edge> {
    let without_place = |edge: &Edge| Edge { span: Default::default(), ..edge.clone() };
    edges.iter().map(without_place).collect()
}

#[test]
fn formatting_keeps_every_model() {
    for path in shipped() {
        let original = source(&path);
        let parsed = syntax::parse(&original, None);
        let text = pretty::format(&original, &parsed);
        let formatted = SourceFile::new(original.name(), text.clone());
        let again = syntax::parse(&formatted, None);
        let mut expected = parsed.model.clone();
        expected.dialect = Dialect::Modern;
        assert!(again.model == expected, "{}:\n{text}", original.name());
        assert_eq!(pretty::format(&formatted, &again), text, "{} does not settle", original.name());
        let (before, after) = (model(&original), model(&formatted));
        assert_eq!(before.agents.len(), after.agents.len());
        for (before, after) in before.agents.iter().zip(&after.agents) {
            assert_eq!(commands(&before.edges), commands(&after.edges), "{}", original.name());
        }
        let formulas = |model: &Model| model.specs.iter().map(|spec| spec.formula.clone()).collect::<Vec<_>>();
        assert_eq!(formulas(&before), formulas(&after), "{}", original.name());
    }
}
