//! Models with known numbers of states and known verdicts.

use super::*;
use crate::model::eval::{Influence, Limits, Run, Truth};
use crate::model::spec::Expectation;
use crate::oracle::Oracle;
use std::path::{Path, PathBuf};

const RESOURCE_ALLOCATION: &str = include_str!("../../../../../../specs/resource_allocation/modern.rcp");

/// The case study without specs for other numbers of clients and machines in its two groups.
fn resource_allocation(clients: usize, groups: [usize; 2]) -> Model {
    let (head, tail) = RESOURCE_ALLOCATION.split_once("system =").expect("a system");
    assert!(tail.contains("SPEC"));
    let mut parts: Vec<String> = (1..=clients).map(|n| format!("Client(client{n}, true)")).collect();
    parts.push("Manager(manager, true)".to_string());
    for n in 1..=groups[0] + groups[1] {
        let group = if n <= groups[0] { "g1" } else { "g2" };
        parts.push(format!("Machine(machine{n}, (gLink = {group}) & (pLink = vmm{n}))"));
    }
    let channels: Vec<String> = (1..=groups[0] + groups[1]).map(|n| format!("vmm{n}")).collect();
    let head = head.replace("vmm1, vmm2, vmm3", &channels.join(", "));
    model(&format!("{head} system = {}", parts.join(" || ")))
}

fn counts(clients: usize, groups: [usize; 2]) -> (usize, usize, usize, usize) {
    let model = resource_allocation(clients, groups);
    let found = Semantics::new(&model).explore(Limits::default()).expect("one initial state");
    assert!(found.complete());
    (found.states().len(), found.steps(), found.depth(), found.deadlocked())
}

#[test]
fn the_case_study_has_its_known_numbers_of_states() {
    assert_eq!(counts(2, [1, 1]), (45, 60, 15, 1));
    assert_eq!(counts(3, [2, 1]), (306, 561, 21, 1));
    assert_eq!(counts(4, [2, 2]), (2_973, 7_560, 29, 1));
    assert_eq!(counts(5, [3, 2]), (24_668, 79_040, 35, 1));
}

#[test]
fn limits_are_kept() {
    let model = resource_allocation(2, [1, 1]);
    let semantics = Semantics::new(&model);
    let shallow = semantics.explore(Limits { depth: 3, ..Limits::default() }).expect("one initial state");
    assert!(!shallow.complete());
    assert_eq!(shallow.depth(), 3);
    let small = semantics.explore(Limits { states: 10, ..Limits::default() }).expect("one initial state");
    assert!(!small.complete());
    assert!((11..20).contains(&small.states().len()));
    // Exactly enough.
    let exact = semantics.explore(Limits { states: 45, depth: 16 }).expect("one initial state");
    assert!(exact.complete());
}

/// The models that we ship below a folder of `specs/`, with their names.
fn shipped(folder: &str) -> Vec<(String, Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let named = paths.into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).expect("readable");
        (path.display().to_string(), model(&text))
    });
    named.collect()
}

/// Models with an integer that is free at the start or grows for ever: their states cannot be listed.
/// Their expectations are tested in `tests/engines/corpus.rs` only.
const NOT_FOR_THE_ORACLE: [&str; 4] =
    ["initial_states.rcp", "recurrent_gap.rcp", "recurrent_guards.rcp", "simultaneous_updates.rcp"];

#[test]
fn the_oracle_confirms_the_shipped_expectations() {
    let (mut answered, mut skipped) = (0, Vec::new());
    for (name, model) in shipped("features").into_iter().chain(shipped("resource_allocation")) {
        let semantics = Semantics::new(&model);
        let Ok(oracle) = Oracle::new(&semantics, Limits { states: 1_000, ..Limits::default() }) else {
            skipped.push(name.rsplit('/').next().expect("a name").to_string());
            continue;
        };
        for spec in &model.specs {
            let expected = match spec.expect {
                Some(Expectation::Holds) => true,
                Some(Expectation::Violated) => false,
                Some(Expectation::Unknown) | None => panic!("{name}: {:?} expects nothing", spec.name),
            };
            assert_eq!(oracle.holds(&spec.formula), Ok(expected), "{name}: {}", model.show_formula(&spec.formula));
            answered += 1;
        }
    }
    assert_eq!(skipped, NOT_FOR_THE_ORACLE);
    assert!(answered >= 150, "only {answered} specs were answered");
}

/// Lassos of a model, by depth-first search up to a length; at most `most`.
fn lassos<'s>(semantics: &'s Semantics<'s>, most: usize) -> Vec<Run<'s>> {
    let influence = Influence::of_behaviour(semantics.model());
    let mut found = Vec::new();
    let initial = semantics.initial_states().expect("enumerable");
    let mut pending: Vec<(Vec<State>, Vec<Choice>)> = initial.into_iter().map(|s| (vec![s], Vec::new())).collect();
    while let Some((states, choices)) = pending.pop() {
        let last = &states[choices.len()];
        for start in (0..choices.len()).filter(|start| states[*start] == *last) {
            let run = Run::replay(semantics, states[0].clone(), &choices, Some(start), &influence);
            found.push(run.expect("a run"));
        }
        if found.len() > most {
            break;
        }
        if choices.len() < 6 {
            for step in semantics.steps(last) {
                let longer =
                    (states.iter().cloned().chain([step.target]).collect(), [&choices[..], &[step.choice]].concat());
                pending.push(longer);
            }
        }
    }
    found
}

#[test]
fn formulas_on_lassos_agree_with_the_oracle() {
    let (mut held, mut refuted, mut skipped) = (0, 0, Vec::new());
    for (name, model) in shipped("features") {
        let semantics = Semantics::new(&model);
        let Ok(oracle) = Oracle::new(&semantics, Limits { states: 100, ..Limits::default() }) else {
            skipped.push(name.rsplit('/').next().expect("a name").to_string());
            continue;
        };
        let runs = lassos(&semantics, 500);
        assert!(!runs.is_empty(), "{name}");
        for spec in &model.specs {
            let holds = oracle.holds(&spec.formula).expect("small");
            let truths: Vec<Truth> = runs.iter().map(|run| run.evaluate(&spec.formula)).collect();
            assert!(!truths.contains(&Truth::Unknown), "{name}");
            let explained = runs.iter().filter(|run| run.explain(&spec.formula).is_some()).count();
            assert_eq!(explained, truths.iter().filter(|truth| **truth == Truth::False).count());
            if holds {
                assert!(!truths.contains(&Truth::False), "{name}: {}", model.show_formula(&spec.formula));
                held += 1;
            } else if truths.contains(&Truth::False) {
                refuted += 1;
            }
        }
    }
    assert_eq!(skipped, NOT_FOR_THE_ORACLE);
    assert!(held >= 80 && refuted >= 30, "{held} held, {refuted} refuted");
}
