//! Path quantifiers, knowledge and liveness by decision diagrams, on the models that we ship: what is expected of them comes out, with evidence that
//! is accepted again, and refused if it says something else.

use crate::common::oracle::Oracle;
use crate::common::random::Random;
use crate::common::{self, model, shipped, shipped_in_ispl, source};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::branching::symbolic::{MEMORY, Unfit, confirm, places};
use rcheck_smt::check::branching::{Unlabelled, symbolic};
use rcheck_smt::check::{Proof, Refuted, ShownBy, Verdict};
use rcheck_smt::claim::Trace;
use rcheck_smt::claim::branching::{Counts, SymbolicClaim, Witness, branchings};
use rcheck_smt::engine::bdd::branching::run;
use rcheck_smt::limits::{Budget, Exceeded, Limits, Stop};
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::model::{Formula, LocalId, Model};
use rcheck_smt::verify::{Engine, Subject, certify};

/// How much work the engine may do on a spec.
const WORK: u64 = 3_000_000;

fn finite_models() -> impl Iterator<Item = (String, Model)> {
    let paths = shipped_in_ispl().into_iter().chain(shipped());
    paths.map(|path| (path.display().to_string(), model(&source(&path)))).filter(|(_, model)| model.scheme().is_none())
}

#[test]
fn shipped_models_have_the_verdicts_that_they_expect() {
    const EVERY: usize = 3;
    let (mut holds, mut violated, mut of_single_runs) = (0, 0, 0);
    for (name, model) in finite_models() {
        let (semantics, subject) = (Semantics::new(&model), Subject::new(&model));
        for (index, spec) in model.specs.iter().enumerate() {
            let is_branching = spec.formula.is_branching();
            if !is_branching && index % EVERY != 0 {
                continue;
            }
            let stop = Stop::new();
            let limits = common::limits(0, common::patiently(), &stop);
            let outcome = common::with_work(WORK, || subject.prove(index, &[Engine::Bdd], &limits));
            let Some(outcome) = outcome else { continue };
            let verdict = outcome.unwrap_or_else(|why| panic!("{name}: {why}")).verdict;
            let found = match &verdict {
                Verdict::Holds(Proof::Diagrams(_)) => Expectation::Holds,
                Verdict::Violated(it) if matches!(it.shown_by(), ShownBy::Diagrams(_)) == is_branching => {
                    Expectation::Violated
                }
                _ => continue,
            };
            assert_eq!(Some(found), spec.expect, "{name}: {:?}", spec.name);
            *(match (is_branching, found) {
                (false, _) => &mut of_single_runs,
                (true, Expectation::Holds) => &mut holds,
                (true, _) => &mut violated,
            }) += 1;
            let document = Document::new(&model, &name, index, &verdict).expect("it is decided");
            let again = Document::read(&document.write()).expect("it was written by us");
            certify(&again, &semantics, common::patiently()).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
    assert!(holds >= 50 && violated >= 10, "{holds} hold, {violated} are violated");
    assert!(of_single_runs >= 20, "only {of_single_runs} about single runs");
}

/// Lamps that two agents switch and heat, and what loops show of them.
const LAMPS: &str = "
    message-structure: N : 0..3
    property-variables: warm : bool
    agent Lamp
        local: on : bool, hot : bool
        init: !on & !hot
        relabel: warm <- hot
        receive-guard: chan = *
        repeat: (
            switch: {true} *! (@warm = on)(N := if on then 2 else 1)[on := !on]
            +
            heat: {true} *! (true)(N := 3)[hot := !hot]
            +
            seen: {true} *? []
        )
    system = Lamp(one, true) || Lamp(two, true)
    // expect: violated
    SPEC A((F G one-on) | (F G !one-on));
    // expect: violated
    SPEC (G F one-on) -> (G F two-on);
    // expect: violated
    SPEC G !E((G F one-on) & (G F !one-on) & (G F two-hot));
    // expect: violated
    SPEC G K(one, A((G F two-on) | (G F !two-hot)));
    // expect: violated
    SPEC A(G ((<<(sender = one) & (N = 1)>> true) -> (F <<(sender = two) & (N = 2)>> true)));
    // expect: violated
    SPEC A(G F acts(one));
    // expect: violated
    SPEC A(G ([[(N != 3) & exists(warm)]] !one-hot));
    // expect: violated
    SPEC !E((G F one-switch) & (X two-heat) & (X X G !two-heat));
    // expect: holds
    SPEC G E((G F acts(one)) & (G F acts(two)) & (F G one-on));
    // expect: holds
    SPEC A(G ([[(sender = one) & (N = 1)]] one-on));
    // expect: holds
    SPEC A(G ((one-switch & !one-on) -> (<<(chan = *) & !(N = 2)>> one-on)));
    // expect: holds
    SPEC A(G ([[(sender = two) & (N != 3) & forall(warm)]] !two-on));
    // expect: violated
    SPEC A(G ([[(sender = two) & (N != 3) & forall(!warm)]] (two-on & one-on)));
    ASSUME weak(one);
    // expect: holds
    SPEC A(G F acts(one));
    // expect: violated
    SPEC A(G F acts(two));
    // expect: violated
    SPEC !E((G F two-on) & (F G !one-on));
";

#[test]
fn runs_that_no_operators_of_branching_time_follow_are_found() {
    let model = common::parsed(LAMPS);
    let (semantics, subject) = (Semantics::new(&model), Subject::new(&model));
    let stop = Stop::new();
    for (index, spec) in model.specs.iter().enumerate() {
        let shown = model.show_formula(&spec.formula);
        for engine in [Engine::Explicit, Engine::Bdd] {
            let limits = common::limits(0, common::patiently(), &stop);
            let verdict = subject.prove(index, &[engine], &limits).expect("no internal error").verdict;
            let found = match &verdict {
                Verdict::Holds(_) => Expectation::Holds,
                Verdict::Violated(_) => Expectation::Violated,
                other => panic!("{shown}: {engine}: {other:?}"),
            };
            assert_eq!(Some(found), spec.expect, "{shown}: {engine}");
            let document = Document::new(&model, "lamps.rcp", index, &verdict).expect("it is decided");
            let again = Document::read(&document.write()).expect("it was written by us");
            certify(&again, &semantics, common::patiently()).unwrap_or_else(|why| panic!("{shown}: {why}"));
        }
    }
}

/// A loop that does not show what it should is refused.
#[test]
fn loops_that_begin_elsewhere_are_refused() {
    let model = common::parsed(LAMPS);
    let semantics = Semantics::new(&model);
    let mut refused = 0;
    for spec in &model.specs {
        let Ok(SymbolicClaim::Violated(counts, witness)) = run(&semantics, &spec.formula, &|_| {}) else { continue };
        let shows = |witness: &Witness| symbolic::refute(&semantics, &spec.formula, &counts, witness, MEMORY).is_ok();
        assert!(shows(&witness));
        let Some(start) = witness.trace.loop_start else { continue };
        let without = Trace { loop_start: None, ..witness.trace.clone() };
        // Some of these are bad beginnings, whatever comes then.
        refused += usize::from(!shows(&Witness { trace: without, ..(*witness).clone() }));
        let mut shorter = witness.trace.clone();
        shorter.choices.truncate(start + 1);
        refused += usize::from(!shows(&Witness { trace: shorter, ..(*witness).clone() }));
    }
    assert!(refused >= 6, "{refused} loops");
}

/// The claim about a spec of the cryptographers.
fn claimed<'m>(semantics: &Semantics<'m>, name: &str) -> (&'m Formula, Counts) {
    let model = semantics.model();
    let formula = &model.specs[common::named(model, name)].formula;
    match run(semantics, formula, &|_| {}) {
        Ok(SymbolicClaim::Holds(counts)) => (formula, counts),
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_that_are_not_those_of_the_check_are_refused() {
    let model = model(&source("ispl/dining_cryptographers.ispl"));
    let semantics = Semantics::new(&model);
    for spec in model.specs.iter().filter(|spec| spec.expect == Some(Expectation::Holds) && spec.formula.is_branching())
    {
        let (formula, counts) = claimed(&semantics, spec.name.as_deref().expect("it has a name"));
        let check = |counts: Counts| confirm(&semantics, formula, counts, MEMORY).map(|_| ());
        assert_eq!(check(counts.clone()), Ok(()));
        // Any order is sound.
        let order: Vec<_> = counts.order.iter().rev().copied().collect();
        assert_eq!(check(Counts { order, ..counts.clone() }), Ok(()));
        assert_eq!(check(Counts { order: places(&model), ..counts.clone() }), Ok(()));
        let without_last = counts.order[1..].to_vec();
        let twice = [&counts.order[..], &counts.order[..1]].concat();
        for order in [without_last, twice, Vec::new()] {
            let refused = check(Counts { order, ..counts.clone() });
            assert_eq!(refused, Err(Unlabelled::Unfit(Unfit::Order)));
        }
        let more = |number: &String| (number.parse::<u64>().expect("a number") + 1).to_string();
        let refused = check(Counts { states: more(&counts.states), ..counts.clone() });
        assert_eq!(refused, Err(Unlabelled::OtherNumber));
        for (formula, label) in counts.labels.iter().enumerate() {
            let mut labels = counts.labels.clone();
            labels[formula] = more(label);
            assert_eq!(check(Counts { labels, ..counts.clone() }), Err(Unlabelled::OtherLabel { formula }));
        }
        let labels = counts.labels[1..].to_vec();
        assert!(matches!(check(Counts { labels, ..counts.clone() }), Err(Unlabelled::Malformed(_))));
        assert_eq!(branchings(formula).len(), counts.labels.len());
    }
}

/// A spec that holds has no counterexample, whatever run is claimed; and what holds is not what is violated.
#[test]
fn claims_that_say_the_opposite_are_refused() {
    let (mut held, mut failed) = (0, 0);
    for (_, model) in finite_models().filter(|(name, _)| name.contains("knowledge/") || name.contains("ispl/")) {
        let semantics = Semantics::new(&model);
        for spec in model.specs.iter().filter(|spec| spec.formula.is_branching()) {
            let formula = &spec.formula;
            let claim = common::with_work(WORK, || run(&semantics, formula, &|_| {}));
            match claim {
                Some(Ok(SymbolicClaim::Holds(counts))) => {
                    let Ok(states) = semantics.initial_states() else { continue };
                    let state = &states[0];
                    let all = model.instance_ids().map(|instance| {
                        let locals = 0..model.agent_of(instance).locals.len() as u32;
                        let values = locals.map(|local| state.local(instance, LocalId(local)).clone());
                        (state.automaton(instance), values.collect())
                    });
                    let initial = all.collect();
                    let trace = Trace { initial, choices: Vec::new(), loop_start: None };
                    let witness = Witness { trace, from: 0, parts: Vec::new() };
                    let refute = || symbolic::refute(&semantics, formula, &counts, &witness, MEMORY);
                    let Some(refused) = common::with_work(WORK, refute) else { continue };
                    assert!(matches!(refused, Err(Refuted::NotFalse(_))), "{:?}", spec.name);
                    held += 1;
                }
                Some(Ok(SymbolicClaim::Violated(counts, witness))) => {
                    let confirmed = || confirm(&semantics, formula, counts.clone(), MEMORY);
                    let Some(refused) = common::with_work(WORK, confirmed) else { continue };
                    assert_eq!(refused, Err(Unlabelled::NotTrue), "{:?}", spec.name);
                    assert!(symbolic::refute(&semantics, formula, &counts, &witness, MEMORY).is_ok());
                    failed += 1;
                }
                _ => {}
            }
        }
    }
    assert!(held >= 40 && failed >= 8, "{held} hold, {failed} are violated");
}

#[test]
fn diagrams_that_take_too_much_memory_end() {
    let model = model(&source("ispl/dining_cryptographers.ispl"));
    let semantics = Semantics::new(&model);
    let spec = model.specs.iter().find(|spec| spec.expect == Some(Expectation::Holds) && spec.formula.is_branching());
    let name = spec.and_then(|spec| spec.name.as_deref()).expect("there is one");
    let (formula, counts) = claimed(&semantics, name);
    let stop = Stop::new();
    let limits = || Limits::of(Budget::new(None), &stop);
    let little = limits().within(|| confirm(&semantics, formula, counts.clone(), 1 << 10).map(|_| ()));
    assert_eq!(little, Err(Exceeded::Memory));
    let enough = limits().within(|| confirm(&semantics, formula, counts, MEMORY).map(|_| ()));
    assert_eq!(enough, Ok(Ok(())));
}

/// Two agents, of which one changes its number by itself and the other one also when it hears of that; and a bit.
fn some_agents(random: &mut Random) -> String {
    let mut commands = |variable: &str, kind: &str, condition: &str| {
        let one = |random: &mut Random| {
            let guard = match random.below(3) {
                0 => format!("{variable} = {}", random.below(3)),
                1 => format!("{variable} != {}{condition}", random.below(3)),
                _ => format!("bit{condition}"),
            };
            let change = match random.below(3) {
                0 => format!("bit := {}", random.percent(50)),
                1 => format!("{variable} := {}, bit := !bit", random.below(3)),
                _ => format!("{variable} := if {variable} = 2 then 0 else {variable} + 1"),
            };
            format!("{{{guard}}} {kind} [{change}]")
        };
        (0..1 + random.below(3)).map(|_| one(random)).collect::<Vec<_>>().join(" + ")
    };
    let first = commands("x", "*! (true)(N := x)", "");
    let second = format!("{} + {}", commands("y", "*! (false)(N := 0)", ""), commands("y", "*?", " & N > 0"));
    let agent = |name: &str, variable: &str, commands: &str| {
        format!(
            "agent {name} local: {variable} : 0..2, bit : bool init: {variable} = 0 receive-guard: chan = *
            repeat: (send: {{false}} *! (true)(N := 0)[] + {commands})"
        )
    };
    format!(
        "message-structure: N : 0..2
        {}
        {}
        system = First(a, true) || Second(b, true)",
        agent("First", "x", &first),
        agent("Second", "y", &second)
    )
}

/// Linear formulas, without an automaton and with one.
const OF_RUNS: [&str; 16] = [
    "F G (a-x = 1)",
    "F G (a-bit | b-bit)",
    "F G (b-y = 0 | a-x != b-y)",
    "G F (b-y = 1)",
    "G F (a-bit & b-bit)",
    "F (b-y = 2)",
    "(a-x < 2) W (b-y = 1)",
    "G (a-bit -> F b-bit)",
    "(G F a-bit) -> (G F b-bit)",
    "(F G a-bit) | (F G (b-y = 0))",
    "(G F (a-x = 1)) -> (F G b-bit)",
    "F G ((a-x = 0) -> X (a-x = 1))",
    "G F (a-bit & X !a-bit)",
    "(G F acts(a)) -> (G F (b-y = 1))",
    "(F G !acts(b)) | (G F a-bit)",
    "((b-y = 0) U (a-x = 1)) | (G F ((a-x = 2) & F (b-y = 2)))",
];

/// In how many states all runs satisfy a formula: as the engine counts them, as the check does, and by definition. Steps that are left
/// out of fixpoints, or not, make no difference.
#[test]
fn states_from_which_all_runs_satisfy_formulas_are_those_of_the_oracle() {
    let (mut all, mut none, mut some) = (0, 0, 0);
    for seed in 0..120 {
        let text = some_agents(&mut Random::new(seed));
        let specs = OF_RUNS.map(|formula| format!("SPEC A({formula}) | (a-x < 3);"));
        let model = common::parsed(&format!("{text} {}", specs.join("\n")));
        let semantics = Semantics::new(&model);
        let limits = rcheck_smt::model::eval::Limits { states: 1000, depth: usize::MAX };
        let oracle = Oracle::everywhere(&semantics, limits).expect("there are few states");
        let states = oracle.states().count();
        for spec in &model.specs {
            let shown = || format!("{text}\n{}", model.show_formula(&spec.formula));
            let [branching] = branchings(&spec.formula)[..] else { panic!("{}", shown()) };
            let falsified = oracle.falsified(&branching.body, &|_, _| false).expect("few operators");
            let expected = states - falsified.len();
            let claim = run(&semantics, &spec.formula, &|_| {});
            let Ok(SymbolicClaim::Holds(counts)) = claim else { panic!("{}: {claim:?}", shown()) };
            assert_eq!(counts.labels, [expected.to_string()], "{}", shown());
            assert_eq!(confirm(&semantics, &spec.formula, counts, MEMORY).map(|_| ()), Ok(()), "{}", shown());
            *(match expected {
                0 => &mut none,
                expected if expected == states => &mut all,
                _ => &mut some,
            }) += 1;
        }
    }
    assert!(all >= 200 && none >= 200 && some >= 200, "{all}, {none}, {some}");
}
