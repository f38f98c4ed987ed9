//! Violations on which integers grow for ever: found where there are some, never claimed where there are
//! none, and refused where they were tampered with.

use crate::common::{self, is_genuine, is_refused, model, parsed, source};
use rcheck_smt::check::{Counterexample, Ending, Verdict};
use rcheck_smt::claim::Claim;
use rcheck_smt::claim::recurrent::RecurrentRun;
use rcheck_smt::engine::bmc;
use rcheck_smt::engine::recurrent::Recurrence;
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::formula::StateLeaf;
use rcheck_smt::model::{Expr, InstanceId, LocalId, Model};
use rcheck_smt::property::Property;
use rcheck_smt::smt::{Scripts, with_context};
use rcheck_smt::verify::{Engine, Subject};
use std::fmt::Write;

fn bounded<'s>(subject: &'s Subject, spec: usize, bound: usize) -> Verdict<'s> {
    let (stop, budget) = (Stop::new(), common::patiently());
    let limits = common::limits(bound, budget, &stop);
    subject.bmc(spec, &limits).unwrap_or_else(|refuted| panic!("spec {}: {refuted}", spec + 1)).verdict
}

/// One agent with two integers and a bit; commands without receivers, and specs.
fn agent(init: &str, commands: &[String], specs: &[String]) -> Model {
    let mut text = format!(
        "message-structure: V : int
         agent Unit
            local: n : int, m : int, b : bool
            init: {init}
            receive-guard: false
            repeat: (\n"
    );
    text += &commands.join("\n +\n");
    text += ")\nsystem = Unit(a, true)\n";
    for spec in specs {
        writeln!(text, "SPEC {spec};").expect("strings can be written");
    }
    parsed(&text)
}

fn command(label: &str, guard: &str, updates: &str) -> String {
    format!("{label}: {{{guard}}} *! (false)()[{updates}]")
}

#[test]
fn rounds_that_can_be_repeated_are_found() {
    let up = || command("up", "true", "n := n + 1");
    let cases: [(&str, &str, Vec<String>, &str); 6] = [
        ("a counter", "n = 0 & m = 0 & !b", vec![command("up", "n >= 0", "n := n + 1")], "F a-b"),
        ("from anywhere", "m = 0 & !b", vec![command("up", "n >= 5", "n := n + 1")], "F (a-n < 5)"),
        ("a gap", "n = 0 & m = 0 & !b", vec![command("both", "m <= n", "n := n + 2, m := m + 1")], "G F (a-n < a-m)"),
        (
            "a rate that is a variable",
            "n = 0 & m = 1 & !b",
            vec![command("up", "n >= 0", "n := n + m, m := m + 1")],
            "F a-b",
        ),
        ("after a while", "n = 0 & m = 0 & !b", vec![up()], "F G (a-n < 4)"),
        (
            "in two steps",
            "n = 0 & m = 0 & !b",
            vec![command("go", "!b & n >= m", "n := n + 1, b := true"), command("back", "b", "m := m + 1, b := false")],
            "G F (a-n > a-m + 1)",
        ),
    ];
    for (name, init, commands, spec) in cases {
        let model = agent(init, &commands, &[spec.to_owned()]);
        let subject = Subject::new(&model);
        let Verdict::Violated(counterexample) = bounded(&subject, 0, 6) else { panic!("{name}: not violated") };
        assert!(matches!(counterexample.ending(), Ending::Recurrent(_)), "{name}: {:?}", counterexample.ending());
        assert!(is_genuine(subject.semantics(), &model.specs[0].formula, &counterexample), "{name}");
        assert!(!counterexample.explanation().reasons.is_empty(), "{name}");
    }
}

#[test]
fn rounds_that_end_some_day_are_not_claimed() {
    let start = "n = 0 & m = 0 & !b";
    let cases: [(&str, &str, Vec<String>, &str); 6] = [
        ("a guard that fails", start, vec![command("up", "n < 100", "n := n + 1")], "F deadlock"),
        ("any start, down to zero", "m = 0 & !b", vec![command("down", "n > 0", "n := n - 1")], "F deadlock"),
        (
            "the slow one is caught",
            "n = 0 & m = 90 & !b",
            vec![command("both", "n < m", "n := n + 2, m := m + 1")],
            "F deadlock",
        ),
        ("an atom that changes", start, vec![command("up", "true", "n := n + 1")], "F (a-n > 90)"),
        (
            "falling faster and faster",
            "n = 900 & m = 1 & !b",
            vec![command("fall", "n > 0", "n := n - m, m := m + 1")],
            "F deadlock",
        ),
        (
            "used up",
            start,
            vec![
                command("spend", "n > 0", "n := n - 1"),
                command("earn", "m < 3", "n := n + 1, m := m + 1"),
                command("wait", "n <= 0 & m >= 3", "b := true"),
            ],
            "F a-wait",
        ),
    ];
    for (name, init, commands, spec) in cases {
        let model = agent(init, &commands, &[spec.to_owned()]);
        let subject = Subject::new(&model);
        let verdict = bounded(&subject, 0, 12);
        assert!(matches!(verdict, Verdict::NoCounterexample { depth: 12 }), "{name}: {verdict:?}");
    }
}

#[test]
fn proofs_are_searched_beside() {
    let engines = [Engine::Bmc, Engine::Kind, Engine::Pdr];
    for file in ["features/recurrent_gap.rcp", "features/recurrent_guards.rcp"] {
        let model = model(&source(file));
        let subject = Subject::new(&model);
        for (index, spec) in model.specs.iter().enumerate() {
            let (stop, budget) = (Stop::new(), common::patiently());
            let limits = common::limits(usize::MAX, budget, &stop);
            let verdict = subject.prove(index, &engines, &limits).expect("evidence that survives its check").verdict;
            let as_expected = match verdict {
                Verdict::Holds(_) => spec.expect == Some(rcheck_smt::model::spec::Expectation::Holds),
                Verdict::Violated(_) => spec.expect == Some(rcheck_smt::model::spec::Expectation::Violated),
                _ => false,
            };
            assert!(as_expected, "{file} {:?}: {verdict:?}", spec.name);
        }
    }
}

/// The claim of the engine about a spec.
fn claimed(subject: &Subject, spec: usize, bound: usize) -> RecurrentRun {
    let (model, mut system) = (subject.model(), subject.system().clone());
    let property = Property::new(model, &mut system, &model.specs[spec]);
    let recurrence = Recurrence::new(model, &model.specs[spec].formula, &system);
    let also_close: Vec<_> = system.var_ids().collect();
    let (stop, budget) = (Stop::new(), Budget::new(None));
    let recurrence = recurrence.as_ref();
    let config = bmc::Config { bound, budget, stop: &stop, also_close: &also_close, recurrence, progress: &|_| {} };
    match with_context(&stop, || bmc::run(&system, &property, config)).0 {
        Claim::Recurrent { run, .. } => *run,
        other => panic!("{:?}: {other:?}", model.specs[spec].name),
    }
}

/// Changed in every way that we can think of, with words for it.
fn tampered(model: &Model, good: &RecurrentRun) -> Vec<(&'static str, RecurrentRun)> {
    let mut all = Vec::new();
    let mut with = |what, change: &dyn Fn(&mut RecurrentRun)| {
        let mut bad = good.clone();
        change(&mut bad);
        if bad != *good {
            all.push((what, bad));
        }
    };
    for index in 0..good.set.conditions.len() {
        with("condition dropped", &|bad| drop(bad.set.conditions.remove(index)));
        with("condition negated", &|bad| {
            bad.set.conditions[index] = Expr::Not(Box::new(bad.set.conditions[index].clone()));
        });
    }
    for index in 0..good.set.fixed.len() {
        with("fixed variable freed", &|bad| {
            bad.set.fixed.remove(index);
        });
    }
    for instance in model.instance_ids() {
        for local in 0..model.agent_of(instance).locals.len() as u32 {
            with("more fixed", &|bad| bad.set.fixed.push(StateLeaf::Local(instance, LocalId(local))));
        }
    }
    with("the empty set", &|bad| bad.set.conditions.push(Expr::FALSE));
    with("everything", &|bad| (bad.set.fixed.clear(), bad.set.conditions.clear()).0);
    for index in 0..good.trace.choices.len() {
        with("step dropped", &|bad| drop(bad.trace.choices.remove(index)));
        with("step repeated", &|bad| bad.trace.choices.insert(index, bad.trace.choices[index].clone()));
        with("step exchanged", &|bad| bad.trace.choices.swap(index, 0));
    }
    for start in 0..=good.trace.choices.len() {
        with("other start", &|bad| bad.start = start);
    }
    with("other conjunct", &|bad| bad.conjunct += 1);
    with("other values", &|bad| {
        for value in bad.trace.initial.iter_mut().flat_map(|(_, locals)| locals) {
            if let rcheck_smt::model::Value::Int(number) = value {
                *number += 1;
            }
        }
    });
    all
}

#[test]
fn tampered_rounds_are_refused() {
    let models = [
        ("ticket_lock.rcp", "one_is_served_again_and_again"),
        ("key_value_store.rcp", "replicas_get_updated"),
        ("features/recurrent_gap.rcp", "slow_catches_up"),
        ("features/recurrent_guards.rcp", "all_is_delivered_in_the_end"),
    ];
    let solver = &Scripts { budget: Budget::new(None), stop: &Stop::new() };
    let (mut refused, mut genuine) = (Vec::new(), 0);
    for (file, name) in models {
        let model = model(&source(file));
        let subject = Subject::new(&model);
        let semantics = subject.semantics();
        let spec = model.specs.iter().position(|spec| spec.name.as_deref() == Some(name)).expect("the spec");
        let good = claimed(&subject, spec, 10);
        let formula = &model.specs[spec].formula;
        assert!(Counterexample::confirm_recurrent(semantics, formula, good.clone(), solver).is_ok());
        for (what, bad) in tampered(&model, &good) {
            match Counterexample::confirm_recurrent(semantics, formula, bad, solver) {
                Ok(counterexample) => {
                    assert!(is_genuine(semantics, formula, &counterexample), "{file}: {what}");
                    genuine += 1;
                }
                Err(_) => refused.push(what),
            }
        }
        for other in model.specs.iter().filter(|other| other.formula != *formula) {
            if let Ok(counterexample) =
                Counterexample::confirm_recurrent(semantics, &other.formula, good.clone(), solver)
            {
                assert!(is_genuine(semantics, &other.formula, &counterexample), "{file}: {:?}", other.name);
            }
        }
    }
    let kinds = [
        "condition dropped",
        "condition negated",
        "fixed variable freed",
        "the empty set",
        "everything",
        "step dropped",
        "step repeated",
        "step exchanged",
        "other start",
        "other conjunct",
        "other values",
    ];
    for kind in kinds {
        assert!(refused.contains(&kind), "{kind} was never refused: {refused:?}");
    }
    assert!(genuine < refused.len(), "{genuine} were accepted, {} refused", refused.len());
}

#[test]
fn each_part_of_the_evidence_is_checked() {
    let commands = [command("up", "n >= m", "n := n + 1"), command("other", "b & n < 0", "m := m")];
    let model = agent("n = 0 & m = 0 & !b", &commands, &["F (a-n < a-m)".to_owned()]);
    let subject = Subject::new(&model);
    let confirm = |change: &dyn Fn(&mut RecurrentRun)| {
        let mut claim = claimed(&subject, 0, 3);
        change(&mut claim);
        let formula = &model.specs[0].formula;
        Counterexample::confirm_recurrent(
            subject.semantics(),
            formula,
            claim,
            &Scripts { budget: Budget::new(None), stop: &Stop::new() },
        )
        .map(|_| ())
    };
    let leaf = |local| StateLeaf::Local(InstanceId(0), LocalId(local));
    assert!(confirm(&|_| {}).is_ok());
    let refused = confirm(&|claim| claim.set.conditions.push(Expr::FALSE));
    assert!(is_refused(&refused, "starts outside of the recurrent set"), "{refused:?}");
    let refused = confirm(&|claim| claim.set.conditions.clear());
    assert!(is_refused(&refused, "cannot be repeated"), "{refused:?}");
    let refused = confirm(&|claim| claim.set.fixed.push(leaf(0)));
    assert!(is_refused(&refused, "leads out of the recurrent set"), "{refused:?}");
    let refused = confirm(&|claim| claim.start = 1);
    assert!(is_refused(&refused, "cannot be repeated"), "{refused:?}");
    let refused = confirm(&|claim| claim.conjunct = 1);
    assert!(is_refused(&refused, "belongs to another spec"), "{refused:?}");
}

/// The receivers depend on `m`, but neither the spec nor any other step does.
#[test]
fn receivers_must_stay() {
    let model = parsed(
        "message-structure: V : int
         agent Unit
            local: n : -2..2, m : int, b : bool
            init: n = 0 & m = 1
            receive-guard: chan = *
            repeat: (
                up: {true} *! (true)()[b := !b, n := n + 1]
                + turn: {true} *! (true)(V := m + 1)[m := 0 - m]
                + hear: {b | V < 2} *? [m := V + 1]
            )
         system = Unit(a, true) || Unit(c, true)
         SPEC G F c-up",
    );
    let subject = Subject::new(&model);
    let Verdict::Violated(counterexample) = bounded(&subject, 0, 4) else { panic!("c need not go up") };
    let is_recurrent = matches!(counterexample.ending(), Ending::Recurrent(_));
    assert!(!is_recurrent || is_genuine(subject.semantics(), &model.specs[0].formula, &counterexample));
}

#[test]
fn what_the_spec_reads_must_stay() {
    let model = agent("n = 0 & m = 0 & !b", &[command("up", "true", "n := n + 1")], &["F G (a-n >= 3)".to_owned()]);
    let subject = Subject::new(&model);
    assert!(matches!(bounded(&subject, 0, 8), Verdict::NoCounterexample { .. }));
    // As long as n < 3 the round is possible, and would violate the spec if it went on like that.
    let other = agent("n = 0 & m = 0 & !b", &[command("up", "true", "n := n + 1")], &["F a-b".to_owned()]);
    let claim = claimed(&Subject::new(&other), 0, 3);
    let formula = &model.specs[0].formula;
    let refused = Counterexample::confirm_recurrent(
        subject.semantics(),
        formula,
        claim,
        &Scripts { budget: Budget::new(None), stop: &Stop::new() },
    );
    assert!(is_refused(&refused, "may read something else"), "{refused:?}");
}

/// A small generator of numbers; the same ones every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn pick(&mut self, list: &[&str]) -> String {
        list[self.below(list.len())].to_owned()
    }
}

/// A random agent; each guard is joined by `also`.
fn random_agent(seed: u64, also: &str) -> Model {
    const GUARDS: [&str; 12] = [
        "true",
        "true",
        "b",
        "!b",
        "n < 3",
        "n < m",
        "m <= n + 1",
        "n > 0",
        "b & (n > m)",
        "m != n",
        "m = n",
        "n + m < 9",
    ];
    const UPDATES: [&str; 14] = [
        "n := n + 1",
        "n := n - 1",
        "n := n + 2, m := m + 1",
        "m := m + 1",
        "m := m - n",
        "n := m, m := n + 1",
        "n := n + m",
        "b := !b",
        "b := true",
        "b := !b, n := n + 1",
        "b := false, m := m + 2",
        "n := 0",
        "m := 0 - m",
        "b := n < m",
    ];
    const SPECS: [&str; 10] = [
        "F a-one",
        "G F a-two",
        "G F (a-n = a-m)",
        "F G (a-n < 2)",
        "G (a-one -> F a-two)",
        "F (G !a-three)",
        "G ((a-n > a-m) -> F (a-n <= a-m))",
        "G F a-b",
        "(a-n < 4) U a-two",
        "F deadlock",
    ];
    let mut random = Random(seed);
    let init =
        random.pick(&["n = 0 & m = 0 & !b", "n = 1 & m = 0 & b", "n = 2 & m = 3 & !b", "n = 0 & m = 1 & (b | !b)"]);
    let commands: Vec<String> = ["one", "two", "three"][..1 + random.below(3)]
        .iter()
        .map(|label| command(label, &format!("({}) & {also}", random.pick(&GUARDS)), &random.pick(&UPDATES)))
        .collect();
    let has = |label: &str| commands.iter().any(|command| command.starts_with(label));
    let fits =
        |spec: &&&str| ["one", "two", "three"].iter().all(|label| !spec.contains(&format!("a-{label}")) || has(label));
    let specs: Vec<String> = SPECS.iter().filter(fits).map(|spec| spec.to_string()).collect();
    agent(&init, &commands, &specs)
}

/// Whatever is said to repeat for ever can be repeated a hundred times.
#[test]
fn random_rounds_are_genuine() {
    let mut found = 0;
    for seed in 0..40 {
        let model = random_agent(seed, "true");
        let subject = Subject::new(&model);
        for (index, spec) in model.specs.iter().enumerate() {
            let Verdict::Violated(counterexample) = bounded(&subject, index, 4) else { continue };
            if let Ending::Recurrent(_) = counterexample.ending() {
                let genuine = is_genuine(subject.semantics(), &spec.formula, &counterexample);
                assert!(genuine, "seed {seed}, spec {}: {:?}", index + 1, counterexample.ending());
                found += 1;
            }
        }
    }
    assert!(found >= 40, "only {found}");
}

/// Integers that happen to be bounded, so that all runs can be visited.
#[test]
fn random_verdicts_agree_with_exploration() {
    let (mut holds, mut violated) = (0, 0);
    for seed in 0..25 {
        let model = random_agent(seed, "n < 40 & n > -40 & m < 40 & m > -40");
        let subject = Subject::new(&model);
        for (index, spec) in model.specs.iter().enumerate() {
            let (stop, budget) = (Stop::new(), common::patiently());
            let limits = common::limits(0, budget, &stop);
            let explored = subject.prove(index, &[Engine::Explicit], &limits).expect("checked").verdict;
            let bounded = bounded(&subject, index, 4);
            match (&explored, &bounded) {
                (Verdict::Holds(_), Verdict::Violated(found)) => {
                    panic!("seed {seed}: {:?} holds, but {:?}", spec.formula, found.ending())
                }
                (Verdict::Holds(_), _) => holds += 1,
                (Verdict::Violated(_), Verdict::Violated(_)) => violated += 1,
                _ => {}
            }
        }
    }
    assert!(holds >= 20 && violated >= 20, "{holds} hold, {violated} are violated");
}
