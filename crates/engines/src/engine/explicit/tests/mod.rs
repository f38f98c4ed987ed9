//! Verdicts with evidence on models with known answers.

mod random;
mod split;
mod symmetry;
mod tamper;

use super::*;
use crate::check::explicit::{ProofByExploration, confirm};
use crate::check::{Counterexample, Refused};
use crate::claim::explicit::ExplicitCertificate;
use crate::limits::Exceeded;
use crate::model::Model;
use crate::model::eval::Limits;
use crate::model::of_text::model;
use crate::model::spec::Expectation;
use crate::oracle::Oracle;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// True if the formula holds, with symmetries and without, after the evidence was checked; nothing if
/// it is unknown.
fn decide(semantics: &Semantics, formula: &Formula, config: Config) -> Option<bool> {
    let [with, without] = [true, false].map(|symmetry| decide_so(semantics, formula, Config { symmetry, ..config }));
    assert!(with == without || without.is_none(), "{with:?} with symmetries, {without:?} without");
    with
}

fn decide_so(semantics: &Semantics, formula: &Formula, config: Config) -> Option<bool> {
    match run(semantics, formula, config) {
        ExplicitClaim::Holds(certificate) => {
            let text = serde_json::to_string(&certificate).expect("plain data");
            let read: ExplicitCertificate = serde_json::from_str(&text).expect("as written");
            assert_eq!(read, certificate);
            confirm(semantics, formula, read.into(), 1).unwrap_or_else(|error| panic!("{error}"));
            Some(true)
        }
        ExplicitClaim::Violated(trace) => {
            Counterexample::confirm(semantics, formula, &trace).unwrap_or_else(|error| panic!("{error}"));
            Some(false)
        }
        ExplicitClaim::Unknown { .. } => None,
    }
}

/// The certificate of the first spec of a model, which holds.
fn certificate(model: &Model) -> ExplicitCertificate {
    match run(&Semantics::new(model), &model.specs[0].formula, Config::default()) {
        ExplicitClaim::Holds(certificate) => certificate,
        other => panic!("{other:?}"),
    }
}

/// Parts of what is said of evidence that is refused.
const MALFORMED: &str = "does not fit the model and the spec";
const NOT_RANKED: &str = "is not ranked";
const NOT_CLOSED: &str = "leads out of the set";
const INITIAL_MISSING: &str = "an initial state is missing";
const NO_SYMMETRY: &str = "no symmetry: ";

/// True if evidence is refused with one of these words.
fn says<T>(result: &Result<T, Refused>, words: &[&str]) -> bool {
    let said = result.as_ref().err().map(Refused::to_string).unwrap_or_default();
    words.iter().any(|words| said.contains(words))
}

/// Checks that certificate after an alteration.
fn proved(model: &Model, alter: impl FnOnce(&mut ExplicitCertificate)) -> Result<ProofByExploration, Refused> {
    let mut certificate = certificate(model);
    alter(&mut certificate);
    confirm(&Semantics::new(model), &model.specs[0].formula, certificate.into(), 1)
}

/// True if each spec of a model holds.
fn verdicts(text: &str) -> Vec<Option<bool>> {
    let model = model(text);
    let semantics = Semantics::new(&model);
    model.specs.iter().map(|spec| decide(&semantics, &spec.formula, Config::default())).collect()
}

/// The models that we ship at a path below `specs/`, with their names.
fn shipped(path: &str) -> Vec<(String, Model)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").join(path);
    let mut files = vec![path.clone()];
    if path.is_dir() {
        files = std::fs::read_dir(&path).expect("readable").map(|entry| entry.expect("readable").path()).collect();
        files.retain(|file: &PathBuf| file.extension().is_some_and(|extension| extension == "rcp"));
        files.sort();
    }
    let named = files.into_iter().map(|file| {
        let text = std::fs::read_to_string(&file).expect("readable");
        (file.display().to_string(), model(&text))
    });
    named.collect()
}

/// The numbers of results for the specs of shipped models.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    holds: usize,
    violated: usize,
    unknown: usize,
}

/// Compares the specs of shipped models with what is expected.
fn compare(path: &str, config: Config) -> Counts {
    let mut counts = Counts::default();
    for (name, model) in shipped(path) {
        let semantics = Semantics::new(&model);
        for spec in &model.specs {
            let found = decide(&semantics, &spec.formula, config);
            match found {
                Some(true) => counts.holds += 1,
                Some(false) => counts.violated += 1,
                None => counts.unknown += 1,
            }
            let shown = || format!("{name}: {}", model.show_formula(&spec.formula));
            match spec.expect {
                Some(Expectation::Holds) => assert_ne!(found, Some(false), "{}", shown()),
                Some(Expectation::Violated) => assert_ne!(found, Some(true), "{}", shown()),
                Some(Expectation::Unknown) | None => {}
            }
        }
    }
    counts
}

#[test]
fn the_case_study_is_decided() {
    let counts = compare("resource_allocation", Config::default());
    assert_eq!(counts, Counts { holds: 26, violated: 8, unknown: 0 });
    let counts = compare("stable_allocation.rcp", Config::default());
    assert_eq!(counts, Counts { holds: 8, violated: 4, unknown: 0 });
}

#[test]
fn the_features_are_decided_as_far_as_their_states_can_be_listed() {
    let counts = compare("features", Config { states: 2_000, ..Config::default() });
    assert_eq!(counts, Counts { holds: 133, violated: 59, unknown: 20 });
}

/// A counter per instance, and a clock that all of them move: thousands of states, some of them with symmetries.
const COUNTERS: &str = "agent A
        local: n : 0..6
        init: n = 0
        receive-guard: chan = *
        repeat: (up: {n < 6} *! (true)()[n := n + 1] + reset: {n = 6} *! (false)()[n := 0] + hear: {n = 3} *? [n := 0])
    system = A(a, true) || A(b, true) || A(c, true) || A(d, true) || A(e, true)
    SPEC G (a-n <= 6 & b-n >= 0)
    SPEC G (a-n = 6 -> b-n != 6 | c-n != 5)
    SPEC F G (a-n <= 6)
    SPEC G F (a-hear)
    SPEC G (b-n = 5 -> F b-n = 0)
    SPEC G !deadlock";

/// Whichever thread finds the steps, nodes have the same numbers.
#[test]
fn threads_together_find_what_one_finds_alone() {
    let model = model(COUNTERS);
    let semantics = Semantics::new(&model);
    let mut members = 0;
    for spec in &model.specs {
        for symmetry in [true, false] {
            let claim = |threads| run(&semantics, &spec.formula, Config { threads, symmetry, ..Config::default() });
            let alone = claim(1);
            assert_eq!(alone, claim(2));
            assert_eq!(alone, claim(4));
            if let ExplicitClaim::Holds(certificate) = alone {
                members = members.max(certificate.members());
                for threads in [1, 3] {
                    confirm(&semantics, &spec.formula, certificate.clone().into(), threads).expect("it holds");
                }
            }
        }
    }
    assert!(members > 3 << 12, "only {members}");
    let stopped = |threads| {
        run(
            &semantics,
            &model.specs[0].formula,
            Config { threads, states: 5_000, symmetry: false, ..Config::default() },
        )
    };
    assert_eq!(stopped(1), stopped(3));
}

#[test]
fn infinite_models_are_violated_where_the_violation_is_shallow() {
    let counts = compare("ticket_lock.rcp", Config { states: 2_000, ..Config::default() });
    assert!(counts.violated >= 1 && counts.unknown >= 1 && counts.holds == 0, "{counts:?}");
}

#[test]
fn the_oracle_agrees() {
    let mut compared = 0;
    for (name, model) in ["features", "resource_allocation", "stable_allocation.rcp"].into_iter().flat_map(shipped) {
        let semantics = Semantics::new(&model);
        let Ok(oracle) = Oracle::new(&semantics, Limits { states: 1_000, ..Limits::default() }) else { continue };
        for spec in &model.specs {
            let Ok(holds) = oracle.holds(&spec.formula) else { continue };
            let found = decide(&semantics, &spec.formula, Config::default());
            assert_eq!(found, Some(holds), "{name}: {}", model.show_formula(&spec.formula));
            compared += 1;
        }
    }
    assert!(compared >= 150, "only {compared} specs were compared");
}

#[test]
fn formulas_together_are_decided_as_one_by_one() {
    let specs = "SPEC a-up SPEC G (a-up -> F !a-up) SPEC G (a-ticks < 3) SPEC G (b-last < 2) SPEC X true";
    let model = model(&format!("{COUNTING} {specs}"));
    let semantics = Semantics::new(&model);
    let formulas: Vec<&Formula> = model.specs.iter().map(|spec| &spec.formula).collect();
    let config = Config { states: 500, ..Config::default() };
    let together = run_all(&semantics, &formulas, config);
    let alone: Vec<ExplicitClaim> = formulas.iter().map(|formula| run(&semantics, formula, config)).collect();
    assert_eq!(together, alone);
    assert!(matches!(&together[3], ExplicitClaim::Holds(_)) && matches!(&together[2], ExplicitClaim::Violated(_)));
}

/// The numbers of members for the specs of the case study that hold; the model has 306 states, and a
/// state counts again for each set of obligations that a run can bring to it.
#[test]
fn product_sizes_of_the_case_study() {
    let (_, model) = shipped("resource_allocation/modern.rcp").remove(0);
    let semantics = Semantics::new(&model);
    let size = |name: &str| {
        let spec = model.specs.iter().find(|spec| spec.name.as_deref() == Some(name)).expect("a spec");
        match run(&semantics, &spec.formula, Config { symmetry: false, ..Config::default() }) {
            ExplicitClaim::Holds(certificate) => (certificate.states(), certificate.members()),
            other => panic!("{name}: {other:?}"),
        }
    };
    assert_eq!(size("reserve_then_request"), (306, 338));
    assert_eq!(size("reserve_then_release"), (306, 402));
    assert_eq!(size("request_then_connect"), (306, 369));
    assert_eq!(size("label_forward_reaches_machine1"), (306, 354));
    // Three conjuncts, one per machine.
    assert_eq!(size("free_machine_connects"), (306, 1326));
}

/// `a` tells `b` its colour or ticks; `ticks` only counts.
const COUNTING: &str = "enum channel {c}
    message-structure: V : int
    agent A
        local: up : bool, ticks : int
        init: !up & ticks = 0
        receive-guard: false
        repeat: (
            tick: {true} *! (false)()[ticks := ticks + 1]
            + flip: {!up} *! (true)(V := 0)[up := true]
            + flop: {up} *! (true)(V := 1)[up := false]
        )
    agent B
        local: last : int
        init: last = 0
        receive-guard: false
        repeat: rcv: {true} *? [last := V]
    system = A(a, true) || B(b, true)";

#[test]
fn variables_that_are_not_read_may_grow() {
    let specs = "SPEC G (a-up -> F !a-up) SPEC G ([[V = 1]] (b-last = 1)) SPEC G (b-last < 2) SPEC G F a-tick
        SPEC G (a-flip -> X b-rcv) SPEC G (!b-rcv) SPEC G (a-ticks < 3)";
    let expected = [false, true, true, false, true, false, false].map(Some);
    assert_eq!(verdicts(&format!("{COUNTING} {specs}")), expected);
    let reads_all = model(&format!("{COUNTING} SPEC G (a-ticks >= 0)"));
    let config = Config { states: 500, ..Config::default() };
    let claim = run(&Semantics::new(&reads_all), &reads_all.specs[0].formula, config);
    let ExplicitClaim::Unknown { reason: Incomplete::States, states } = claim else { panic!("{claim:?}") };
    assert!((501..510).contains(&states), "{states}");
}

/// The trace that violates the only spec.
fn counterexample(specs: &str) -> Trace {
    let model = model(&format!("{COUNTING} {specs}"));
    match run(&Semantics::new(&model), &model.specs[0].formula, Config::default()) {
        ExplicitClaim::Violated(trace) => trace,
        other => panic!("{other:?}"),
    }
}

#[test]
fn counterexamples_are_short() {
    let lengths = |specs: &str| {
        let trace = counterexample(specs);
        (trace.choices.len(), trace.loop_start)
    };
    assert_eq!(lengths("SPEC a-up"), (0, None));
    assert_eq!(lengths("SPEC G !a-up"), (1, None));
    assert_eq!(lengths("SPEC G !b-rcv"), (1, None));
    assert_eq!(lengths("SPEC G (a-ticks < 4)"), (4, None));
    assert_eq!(lengths("SPEC X X a-up"), (2, None));
    assert_eq!(lengths("SPEC !(X true)"), (1, None));
    assert_eq!(lengths("SPEC F a-up"), (1, Some(0)));
    assert_eq!(lengths("SPEC F G a-up"), (1, Some(0)));
    assert_eq!(lengths("SPEC F G !(a-flip)"), (2, Some(0)));
    assert_eq!(lengths("SPEC !(G ((F a-tick) & (F a-flip)))"), (3, Some(0)));
}

#[test]
fn limits_end_in_unknown() {
    let (_, model) = shipped("resource_allocation/modern.rcp").remove(0);
    let semantics = Semantics::new(&model);
    let reason = |config| match run(&semantics, &model.specs[0].formula, config) {
        ExplicitClaim::Unknown { reason, states } => (reason, states),
        other => panic!("{other:?}"),
    };
    let (states, found) = reason(Config { states: 100, ..Config::default() });
    assert_eq!(states, Incomplete::States);
    assert!((101..120).contains(&found));
    let over = Budget::new(Some(Duration::ZERO));
    assert_eq!(reason(Config { budget: over, ..Config::default() }), (Exceeded::Time.into(), 0));
    assert_eq!(reason(Config { memory: 0, ..Config::default() }), (Exceeded::Memory.into(), 1));
}

/// Ten million steps lead from the only state that is known.
#[test]
fn the_steps_of_one_state_are_limited() {
    let receives: Vec<String> = (0..10).map(|n| format!("take{n}: {{true}} *? [x := {n}]")).collect();
    let receivers: Vec<String> = (0..7).map(|n| format!("Rec(r{n}, true)")).collect();
    let model = model(&format!(
        "agent S local: b : bool init: b repeat: send: {{true}} *! (true)()[]
        agent Rec local: x : 0..9 init: x = 0 receive-guard: true repeat: ({})
        system = S(s, true) || {}
        SPEC G (r0-x = 0 | r1-x = 0 | r2-x = 0 | r3-x = 0 | r4-x = 0 | r5-x = 0 | r6-x < 9)",
        receives.join(" + "),
        receivers.join(" || ")
    ));
    let semantics = Semantics::new(&model);
    for threads in [1, 2] {
        let config = Config { memory: 10 << 20, symmetry: false, threads, ..Config::default() };
        let claim = run(&semantics, &model.specs[0].formula, config);
        let expected = ExplicitClaim::Unknown { reason: Exceeded::Memory.into(), states: 1 };
        assert_eq!(claim, expected, "{threads}");
    }
}

#[test]
fn initial_states_that_cannot_be_listed_are_unknown() {
    let text = COUNTING.replace("!up & ticks = 0", "!up");
    let model = model(&format!("{text} SPEC G (a-ticks >= 0)"));
    let claim = run(&Semantics::new(&model), &model.specs[0].formula, Config::default());
    assert!(matches!(claim, ExplicitClaim::Unknown { reason: Incomplete::NotEnumerable(_), states: 0 }), "{claim:?}");
}

#[test]
fn models_without_initial_states_satisfy_everything() {
    let text = COUNTING.replace("!up & ticks = 0", "up & !up & ticks = 0");
    assert_eq!(verdicts(&format!("{text} SPEC G a-up SPEC F false")), [Some(true); 2]);
}
