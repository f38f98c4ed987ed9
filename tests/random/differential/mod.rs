//! The main safety net: on random small models the concrete semantics (`model::eval`: steps,
//! replayed runs, the oracle) and the symbolic chain (`ts`, `smt`, `engine::bmc`, `check`) must agree.
//!
//! - [`generate`] draws models and specs as text, in both dialects.
//! - [`steps`]: in every reachable state the terms of the transition system, evaluated without a
//!   solver, describe exactly the steps of the semantics; before and after simplification.
//! - [`reachability`]: the solver finds exactly the states that are so many steps away.
//! - [`formulas`]: verdicts of bounded model checking agree with the oracle, and counterexamples are
//!   shortest, by an enumeration of all short runs ([`runs`]).
//! - [`provers`]: on random counters ([`counters`]) no two engines contradict each other, or the oracle.
//! - [`certificates`]: what they find is certified; altered certificates are refused, or confirmed by others.
//! - [`branching`]: path quantifiers and knowledge, nested at random, have the truth of a naive evaluation.
//! - [`ispl`]: random models in ISPL have the states, steps and verdicts that a definition of their own gives them.
//! - [`tables`]: explorations have the steps and facts of the semantics.
//! - [`orbits`]: labels of branching formulas up to symmetry and without agree.
//! - [`symmetry`]: explorations with symmetries and without agree; on equal agents, too ([`alike`]).
//! - [`sizes`]: what is proved for all sizes holds in explored instances, and parts of steps are steps of open instances.
//! - [`sessions`]: the simulator offers exactly the steps of the transition system, goes where they lead,
//!   and what it finds is as near as it can be.
//! - [`written`]: plain forms have the same states and steps.
//! - [`trace_files`]: runs survive being written and read; altered files are refused.
//! - [`checks`]: the conditions of overflow agree with the semantics of the model without ranges.
//! - [`terms`]: folding preserves the meaning of terms; the solver confirms it.
//! - [`regressions`]: what once went wrong, minimised.
//! - [`coverage`]: every rule of the language came to bear.
//!
//! A failure prints the seed and the text of the model. `RCHECK_SEED` is the first seed (default 1),
//! `RCHECK_MODELS` the number of models, or hundreds of terms, per test (default: what takes some
//! seconds; every rule of the language has to come to bear from 40 models on). The nightly mode is
//! `RCHECK_SEED=$RANDOM RCHECK_MODELS=2000 cargo test --release --test random differential::`.

mod alike;
mod branching;
mod certificates;
mod checks;
mod counters;
mod coverage;
mod formulas;
pub mod generate;
mod graph;
mod harness;
mod ispl;
mod orbits;
mod provers;
mod reachability;
mod regressions;
mod runs;
mod sessions;
mod sizes;
mod steps;
mod symmetry;
mod tables;
mod terms;
mod trace_files;
mod written;

use certificates::Certificates;
use coverage::{Coverage, RULES};
use graph::Graph;
use harness::{Source, for_each_model, for_each_of, seeds};
use rcheck_smt::model::Model;
use rcheck_smt::model::eval::{Exploration, Limits, Semantics};
use rcheck_smt::model::{Action, EdgeId, InstanceId};
use rcheck_smt::simplify::simplify;
use rcheck_smt::ts::history::remember_receives;
use rcheck_smt::ts::lower::lower;
use reachability::Effort;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most nodes of an explicit graph.
const NODES: usize = 3000;

#[test]
fn steps_and_reachable_states_agree() {
    let coverage = Mutex::new(Coverage::default());
    let models = for_each_model(60, 0, |source| {
        let semantics = Semantics::new(&source.model);
        let graph = Graph::new(&semantics, NODES);
        let rules = written::rules(source);
        coverage.lock().expect("no panic before").add(&semantics, &graph, rules);
        check_semantics(&semantics, &graph)?;
        check_systems(&source.model, &semantics, &graph)
    });
    if models >= 40 {
        coverage.into_inner().expect("no panic before").require(&RULES);
    }
}

#[test]
fn plain_forms_have_the_same_steps() {
    let plain = AtomicUsize::new(0);
    let models = for_each_model(60, 0, |source| {
        plain.fetch_add(usize::from(written::check(source)?), Ordering::Relaxed);
        Ok(())
    });
    assert!(models < 40 || plain.into_inner() > models / 10);
}

#[test]
fn tables_have_the_steps_of_the_semantics() {
    for_each_model(60, 3, tables::check);
}

#[test]
fn verdicts_agree() {
    let coverage = Mutex::new(Coverage::default());
    let models = for_each_model(60, 4, |source| formulas::check(source, &coverage));
    if models >= 40 {
        let coverage = coverage.into_inner().expect("no panic before");
        coverage.require(&formulas::OUTCOMES);
        coverage.require(&formulas::OPERATORS);
    }
}

#[test]
fn trace_files_round_trip_and_altered_ones_are_refused() {
    let tally = Mutex::new(trace_files::Tally::default());
    let check = |source: &Source| trace_files::check(source, &mut tally.lock().expect("no panic before"));
    let models = for_each_model(60, 0, check);
    let tally = tally.into_inner().expect("no panic before");
    let seen = [tally.finite, tally.lassos, tally.refused, tally.other_runs];
    assert!(models < 40 || seen.iter().all(|count| *count > 20), "{tally:?}");
}

#[test]
fn verdicts_for_all_runs_agree() {
    let coverage = Mutex::new(Coverage::default());
    let certificates = Mutex::new(Certificates::new("altered-certificates"));
    let draw = |seed| Source::new(seed, counters::model(seed, 3)).expect("counters have no errors");
    let models = for_each_of(5, draw, |source| {
        provers::check(source, &coverage, &mut certificates.lock().expect("no panic before"))
    });
    let certificates = certificates.into_inner().expect("no panic before");
    certificates.ask_another_solver();
    if models >= 40 {
        let coverage = coverage.into_inner().expect("no panic before");
        coverage.require(&provers::SEEN);
        if models >= 200 {
            coverage.require(&provers::SELDOM);
        }
        assert!(certificates.accepted[..3].iter().all(|count| *count > 0), "{certificates:?}");
        assert!(certificates.refused > certificates.still_good, "{certificates:?}");
    }
}

#[test]
fn explorations_with_symmetries_agree() {
    let coverage = Mutex::new(Coverage::default());
    let models = for_each_model(60, 3, |source| symmetry::check(source, &coverage));
    if models >= 40 {
        coverage.into_inner().expect("no panic before").require(&symmetry::SEEN);
    }
}

#[test]
fn explorations_of_equal_agents_with_symmetries_agree() {
    let source = |seed, text: String| Source::new(seed, text).expect("it has no errors");
    for text in alike::MISTAKEN {
        symmetry::check_specs(&source(0, text.to_owned())).unwrap_or_else(|error| panic!("{error}\n\n{text}"));
    }
    for_each_of(400, |seed| source(seed, alike::model(seed)), symmetry::check_specs);
}

#[test]
fn explorations_of_equal_agents_under_fairness_agree() {
    let coverage = Mutex::new(Coverage::default());
    let unfair = Source::new(0, alike::UNFAIR.to_owned()).expect("it has no errors");
    symmetry::check_specs(&unfair).unwrap_or_else(|error| panic!("{error}\n\n{}", alike::UNFAIR));
    let source = |seed| Source::new(seed, alike::fair_model(seed)).expect("it has no errors");
    let models = for_each_of(400, source, |source| symmetry::check_fair(source, &coverage));
    if models >= 40 {
        coverage.into_inner().expect("no panic before").require(&symmetry::SEEN_UNDER_FAIRNESS);
    }
}

#[test]
fn other_runs_and_knowledge_agree_with_a_naive_evaluation() {
    let coverage = Mutex::new(Coverage::default());
    let models = for_each_model(60, 4, |source| branching::check(source, &coverage));
    if models >= 40 {
        coverage.into_inner().expect("no panic before").require(&branching::SEEN);
    }
}

#[test]
fn labels_up_to_symmetry_agree_with_those_of_all_states() {
    let coverage = Mutex::new(Coverage::default());
    let source = |seed| Source::new(seed, orbits::model(seed)).expect("it has no errors");
    let models = for_each_of(300, source, |source| orbits::check(source, &coverage));
    if models >= 40 {
        coverage.into_inner().expect("no panic before").require(&orbits::SEEN);
    }
}

#[test]
fn models_in_ispl_mean_what_the_definition_says() {
    let coverage = Mutex::new(Coverage::default());
    let models = for_each_of(60, ispl::source, |source| ispl::check(source, &coverage));
    if models >= 40 {
        coverage.into_inner().expect("no panic before").require(&ispl::SEEN);
    }
}

#[test]
fn what_is_proved_for_all_sizes_holds() {
    let coverage = Mutex::new(Coverage::default());
    let draw = |seed| Source::new(seed, sizes::model(seed)).expect("it has no errors");
    let models = for_each_of(30, draw, |source| sizes::check(source, &coverage));
    if models >= 30 {
        coverage.into_inner().expect("no panic before").require(&sizes::SEEN);
    }
}

#[test]
fn responses_that_are_proved_for_all_sizes_hold() {
    let proved = Mutex::new(0);
    let draw = |seed| Source::new(seed, sizes::with_responses(seed)).expect("it has no errors");
    let models = for_each_of(12, draw, |source| {
        *proved.lock().expect("no panic before") += sizes::check_responses(&source.model)?;
        Ok(())
    });
    if models >= 40 {
        assert!(proved.into_inner().expect("no panic before") > 5, "hardly any response was proved");
    }
}

#[test]
fn what_is_proved_of_deadlocks_in_all_sizes_holds() {
    let mut seen = Vec::new();
    for text in sizes::about_deadlocks() {
        let source = Source::new(0, text).expect("it has no errors");
        sizes::check_specs(&source.model, &mut seen).unwrap_or_else(|error| panic!("{error}\n\n{source}"));
    }
    for what in ["proved with deadlocks", "violated for two or more"] {
        assert!(seen.iter().filter(|it| **it == what).count() > 20, "{what}: {seen:?}");
    }
}

#[test]
fn overflows_agree() {
    let coverage = Mutex::new(Coverage::default());
    let models = for_each_model(60, 0, |source| checks::check(source, &coverage));
    if models >= 40 {
        coverage.into_inner().expect("no panic before").require(&checks::SEEN);
    }
}

#[test]
fn the_simulator_offers_the_steps_of_the_system() {
    let tally = Mutex::new(sessions::Tally::default());
    let check = |source: &Source| sessions::check(source, &mut tally.lock().expect("no panic before"));
    let models = for_each_model(40, 0, check);
    let tally = tally.into_inner().expect("no panic before");
    let seen = [tally.steps, tally.found, tally.not_found];
    assert!(models < 40 || seen.iter().all(|count| *count > 20), "{tally:?}");
}

#[test]
fn regressions_stay_away() {
    for (what, text) in regressions::MODELS {
        let source = Source::new(0, text.to_owned()).expect("these models have no errors");
        let semantics = Semantics::new(&source.model);
        let graph = Graph::new(&semantics, NODES);
        let checked = check_systems(&source.model, &semantics, &graph);
        let checked = checked.and_then(|()| formulas::check(&source, &Mutex::new(Coverage::default())));
        checked.unwrap_or_else(|error| panic!("{what}: {error}\n\n{text}"));
    }
}

#[test]
fn wrong_proofs_stay_away() {
    let mut certificates = Certificates::new("regressions");
    for (what, text) in regressions::PROOFS {
        let source = Source::new(0, text.to_owned()).expect("these models have no errors");
        let checked = provers::check(&source, &Mutex::new(Coverage::default()), &mut certificates);
        checked.unwrap_or_else(|error| panic!("{what}: {error}\n\n{text}"));
    }
}

#[test]
fn folding_preserves_meaning() {
    for seed in seeds(60) {
        terms::check_evaluation(seed, 100, 20).unwrap_or_else(|error| panic!("RCHECK_SEED={seed}: {error}"));
    }
}

#[test]
fn the_solver_confirms_folding() {
    for seed in seeds(15) {
        terms::check_encoding(seed, 10, 5).unwrap_or_else(|error| panic!("RCHECK_SEED={seed}: {error}"));
    }
}

/// The two ways to ask the semantics for steps, and the exploration, agree.
fn check_semantics(semantics: &Semantics, graph: &Graph) -> Result<(), String> {
    for node in graph.expanded() {
        for (step, _) in &node.steps {
            let applied = semantics.apply(&node.state, &step.choice);
            if applied.as_ref() != Ok(step) {
                return Err(format!("{:?} from {:?} is {applied:?}", step.choice, node.state));
            }
        }
    }
    let explored = semantics.explore(Limits { states: NODES, depth: usize::MAX }).map_err(|error| error.to_string())?;
    if graph.complete() && (explored.states().len() != graph.states() || !Exploration::complete(&explored)) {
        return Err(format!("{} states are reachable, explored are {}", graph.states(), explored.states().len()));
    }
    Ok(())
}

/// The system as it is lowered and as it is simplified, with a history of all receives.
fn check_systems(model: &Model, semantics: &Semantics, graph: &Graph) -> Result<(), String> {
    let effort = Effort { depth: 5, states: 40 };
    let lowered = remember_receives(lower(model), model, &receives(model));
    steps::check(semantics, &lowered, graph, NODES).map_err(|error| format!("lowered: {error}"))?;
    reachability::check(&lowered, graph, effort).map_err(|error| format!("lowered: {error}"))?;
    let (simplified, facts) = simplify(lowered.clone());
    let mut original = lowered;
    let invariant = facts.invariant(&mut original);
    steps::check_invariant(&original, invariant, graph)?;
    steps::check(semantics, &simplified, graph, NODES).map_err(|error| format!("simplified: {error}"))?;
    reachability::check(&simplified, graph, effort).map_err(|error| format!("simplified: {error}"))?;
    Ok(())
}

/// All receive commands of all instances.
fn receives(model: &Model) -> Vec<(InstanceId, EdgeId)> {
    let of = |instance: InstanceId| {
        let edges = model.agent_of(instance).edges.iter().enumerate();
        let receives = edges.filter(|(_, edge)| matches!(edge.action, Action::Receive { .. }));
        receives.map(move |(index, _)| (instance, EdgeId(index as u32))).collect::<Vec<_>>()
    };
    model.instance_ids().flat_map(of).collect()
}

/// The text of a model, for people.
impl std::fmt::Display for Source {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(out, "RCHECK_SEED={} RCHECK_MODELS=1\n\n{}", self.seed, self.text)
    }
}
