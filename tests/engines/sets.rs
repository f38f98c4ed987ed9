//! Path quantifiers, knowledge and liveness by decision diagrams, on the models that we ship: what is expected of them comes out, with evidence that
//! is accepted again, and refused if it says something else.

use crate::common::oracle::Oracle;
use crate::common::random::Random;
use crate::common::{self, is_refused, model, shipped, shipped_in_ispl, source};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::diagrams::{MEMORY, confirm, refute};
use rcheck_smt::check::{ProofBy, ShownBy, Verdict};
use rcheck_smt::claim::Trace;
use rcheck_smt::claim::branching::{Witness, branchings};
use rcheck_smt::claim::diagrams::{Diagrams, RankSet, RunSets, SymbolicClaim};
use rcheck_smt::engine::bdd::Found;
use rcheck_smt::engine::bdd::branching::run;
use rcheck_smt::limits::{Budget, Exceeded, Limits, Stop};
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::model::{Formula, LocalId, Model};
use rcheck_smt::verify::{Engine, Subject, certify};
use std::sync::Arc;

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
                Verdict::Holds(proof) if matches!(proof.by(), ProofBy::Diagrams(_)) => Expectation::Holds,
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
        let Ok(SymbolicClaim::Violated(evidence, witness)) = run(&semantics, &spec.formula, &Found::default(), &|_| {})
        else {
            continue;
        };
        let shows = |witness: &Witness| refute(&semantics, &spec.formula, &evidence, witness, MEMORY).is_ok();
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
fn claimed<'m>(semantics: &Semantics<'m>, name: &str) -> (&'m Formula, Arc<Diagrams>) {
    let model = semantics.model();
    let formula = &model.specs[common::named(model, name)].formula;
    match run(semantics, formula, &Found::default(), &|_| {}) {
        Ok(SymbolicClaim::Holds(evidence)) => (formula, evidence),
        other => panic!("{other:?}"),
    }
}

/// All places of sets in evidence.
fn roots(evidence: &mut Diagrams) -> Vec<&mut u32> {
    let mut list = vec![&mut evidence.states];
    list.extend(evidence.reached.iter_mut().map(|layer| &mut layer.set));
    for runs in evidence.formulas.iter_mut().flatten().chain(&mut evidence.conjuncts) {
        let RunSets { none, closed, ranks, some, approaches, visited } = runs;
        list.extend([none, some].into_iter().chain(closed));
        list.extend(ranks.iter_mut().map(|rank| &mut rank.set));
        list.extend(approaches.iter_mut().flatten().chain(visited).map(|layer| &mut layer.set));
    }
    list
}

/// All events and eventualities that evidence names.
fn numbers(evidence: &mut Diagrams) -> Vec<&mut u32> {
    let mut list: Vec<&mut u32> = evidence.reached.iter_mut().map(|layer| &mut layer.event).collect();
    for runs in evidence.formulas.iter_mut().flatten().chain(&mut evidence.conjuncts) {
        list.extend(runs.ranks.iter_mut().filter_map(|rank| rank.pending.as_mut()));
        list.extend(runs.approaches.iter_mut().flatten().chain(&mut runs.visited).map(|layer| &mut layer.event));
    }
    list
}

/// Evidence that was altered in one place, in each way that there is, or in some if there are many.
fn altered(evidence: &Diagrams, random: &mut Random) -> Vec<Diagrams> {
    const OF_EACH: usize = 60;
    let mut list = Vec::new();
    let mut add = |change: &mut dyn FnMut(&mut Diagrams)| {
        let mut other = evidence.clone();
        change(&mut other);
        if other != *evidence {
            list.push(other);
        }
    };
    let sets = evidence.nodes.len() + 2;
    let places = roots(&mut evidence.clone()).len();
    for place in 0..places.min(OF_EACH) {
        let place = if places <= OF_EACH { place } else { random.below(places) };
        for set in [0, 1, random.below(sets) as u32, random.below(sets) as u32, sets as u32] {
            add(&mut |other| *roots(other)[place] = set);
        }
    }
    let named = numbers(&mut evidence.clone()).len();
    for _ in 0..named.min(OF_EACH) {
        let place = random.below(named);
        for by in [1, 2, 1 << 20] {
            add(&mut |other| *numbers(other)[place] ^= by);
        }
    }
    for _ in 0..OF_EACH.min(sets - 2) {
        let (node, side) = (random.below(sets - 2), 1 + random.below(2));
        add(&mut |other| other.nodes[node].swap(1, 2));
        for set in [0, 1, random.below(node + 2) as u32, node as u32 + 2] {
            add(&mut |other| other.nodes[node][side] = set);
        }
        add(&mut |other| other.nodes[node][0] += 1);
        add(&mut |other| other.nodes[node][0] += 2);
    }
    for variable in 0..evidence.values.len() {
        add(&mut |other| other.values[variable].truncate(evidence.values[variable].len() - 1));
        add(&mut |other| other.values[variable].retain(|value| *value != evidence.values[variable][0]));
        add(&mut |other| other.values[variable].iter_mut().for_each(|value| *value += 1));
        add(&mut |other| other.values[variable].reverse());
        add(&mut |other| other.values[variable].push(1 << 40));
    }
    add(&mut |other| other.order.reverse());
    add(&mut |other| other.order.truncate(evidence.order.len() - 1));
    add(&mut |other| other.order.push(0));
    add(&mut |other| other.order[0] = 1 << 20);
    for place in 1..evidence.order.len() {
        add(&mut |other| other.order.swap(place - 1, place));
    }
    add(&mut |other| other.reached.truncate(evidence.reached.len().saturating_sub(1)));
    add(&mut |other| drop(other.reached.drain(..1.min(other.reached.len()))));
    add(&mut |other| drop(other.formulas.pop()));
    add(&mut |other| other.formulas.reverse());
    add(&mut |other| drop(other.conjuncts.pop()));
    add(&mut |other| other.conjuncts.push(RunSets::default()));
    for number in 0..evidence.formulas.len() {
        add(&mut |other| other.formulas[number] = None);
        add(&mut |other| other.formulas[number] = Some(RunSets::default()));
    }
    let runs = evidence.formulas.iter().flatten().count() + evidence.conjuncts.len();
    for number in 0..runs {
        let mut change = |with: &dyn Fn(&mut RunSets)| {
            add(&mut |other| {
                with(other.formulas.iter_mut().flatten().chain(&mut other.conjuncts).nth(number).expect("one of them"))
            });
        };
        change(&|runs| runs.ranks.reverse());
        change(&|runs| runs.ranks.truncate(runs.ranks.len().saturating_sub(1)));
        change(&|runs| runs.ranks.iter_mut().for_each(|rank| rank.pending = None));
        change(&|runs| runs.ranks.iter_mut().for_each(|rank| rank.pending = Some(0)));
        change(&|runs| runs.closed.clear());
        change(&|runs| runs.closed.reverse());
        change(&|runs| runs.approaches.clear());
        change(&|runs| runs.approaches.iter_mut().for_each(|layers| layers.truncate(layers.len().saturating_sub(1))));
        change(&|runs| runs.approaches.push(Vec::new()));
        change(&|runs| runs.visited.clear());
        change(&|runs| std::mem::swap(&mut runs.some, &mut runs.none));
    }
    list
}

/// Altered evidence is refused, or shows the same.
#[test]
fn altered_evidence_shows_nothing_else() {
    let (mut random, mut refused, mut accepted) = (Random::new(7), 0, 0);
    let models = ["ispl/dining_cryptographers.ispl", "ispl/scheduled_mutex.ispl", "ispl/muddy_children.ispl"];
    let models = models.map(|path| model(&source(path))).into_iter().chain([common::parsed(LAMPS)]);
    for model in models {
        let semantics = Semantics::new(&model);
        for spec in &model.specs {
            let formula = &spec.formula;
            let Ok(SymbolicClaim::Holds(evidence)) = run(&semantics, formula, &Found::default(), &|_| {}) else {
                continue;
            };
            let proof = confirm(&semantics, formula, Arc::clone(&evidence), MEMORY).expect("it is evidence");
            for other in altered(&evidence, &mut random) {
                match confirm(&semantics, formula, Arc::new(other), MEMORY) {
                    Err(_) => refused += 1,
                    Ok(again) => {
                        assert!(!proof.is_exact() || again.states() == proof.states());
                        let exact = again.states() == proof.states();
                        assert!(!exact || again.labels() == proof.labels(), "{:?}", spec.name);
                        accepted += 1;
                    }
                }
            }
        }
    }
    assert!(refused >= 5000 && accepted * 4 < refused, "{refused} refused, {accepted} accepted");
}

/// No evidence shows that a violated spec holds.
#[test]
fn violated_specs_have_no_evidence() {
    let (mut random, mut refused) = (Random::new(8), 0);
    let models = ["ispl/dining_cryptographers.ispl", "ispl/two_sensors.ispl", "ispl/delivery_duty.ispl"];
    let models = models.map(|path| model(&source(path))).into_iter().chain([common::parsed(LAMPS)]);
    for model in models {
        let semantics = Semantics::new(&model);
        for spec in &model.specs {
            let formula = &spec.formula;
            let Ok(SymbolicClaim::Violated(evidence, _)) = run(&semantics, formula, &Found::default(), &|_| {}) else {
                continue;
            };
            let mut sets = vec![0, 1, evidence.states];
            sets.extend((0..40).map(|_| random.below(evidence.nodes.len() + 2) as u32));
            let runs = |none: u32, pending: Option<u32>| RunSets {
                none,
                ranks: vec![RankSet { set: none, pending }],
                ..RunSets::default()
            };
            for claimed in sets.iter().flat_map(|set| [runs(*set, None), runs(*set, Some(0))]) {
                let conjuncts = vec![claimed; formula.conjuncts().len()];
                let made_up = Diagrams { conjuncts, ..(*evidence).clone() };
                let mut all = vec![made_up.clone()];
                if refused % 10 == 0 {
                    all.extend(altered(&made_up, &mut random));
                }
                for made_up in all {
                    assert!(confirm(&semantics, formula, Arc::new(made_up), MEMORY).is_err(), "{:?}", spec.name);
                    refused += 1;
                }
            }
        }
    }
    assert!(refused >= 5000, "{refused}");
}

/// The intersection of two sets of evidence, as a set of it.
fn and(evidence: &mut Diagrams, a: u32, b: u32) -> u32 {
    let (a, b) = (a.min(b), a.max(b));
    if a == 0 || b == 1 || a == b {
        return a;
    }
    if a == 1 {
        return b;
    }
    let [one, other] = [a, b].map(|set| evidence.nodes[set as usize - 2]);
    let level = one[0].min(other[0]);
    let sides = |node: [u32; 3], set: u32| if node[0] == level { [node[1], node[2]] } else { [set; 2] };
    let ([x, y], [v, w]) = (sides(one, a), sides(other, b));
    let (low, high) = (and(evidence, x, v), and(evidence, y, w));
    node(evidence, level, low, high)
}

fn node(evidence: &mut Diagrams, level: u32, low: u32, high: u32) -> u32 {
    if low == high {
        return low;
    }
    let known = evidence.nodes.iter().position(|node| *node == [level, low, high]);
    known.unwrap_or_else(|| {
        evidence.nodes.push([level, low, high]);
        evidence.nodes.len() - 1
    }) as u32
        + 2
}

/// Runs that assumptions admit may not be left out: what is known then is known of the others only.
#[test]
fn runs_that_are_possible_are_not_left_out() {
    let text = "agent A local: c : 0..3 init: c = 0 receive-guard: false
            repeat: (one: {c = 0} *! (true)()[c := 1] + two: {c = 0} *! (true)()[c := 2] + on: {c > 0} *! (true)()[])
        agent B receive-guard: false repeat: {false} *! (true)()[]
        system = A(a, true) || B(b, true)
        ASSUME G F acts(a);
        SPEC G K(b, a-c != 2);";
    let model = common::parsed(text);
    let (semantics, formula) = (Semantics::new(&model), &model.specs[0].formula);
    let Ok(SymbolicClaim::Violated(evidence, _)) = run(&semantics, formula, &Found::default(), &|_| {}) else {
        panic!("c may be 2")
    };
    let known = branchings(formula).iter().position(|branching| branching.among.is_some()).expect("it is assumed");
    assert!(!evidence.formulas[known].as_ref().expect("it is about runs").visited.is_empty());
    let c = (0..evidence.values.len() as u32).find(|id| evidence.values[*id as usize] == [0, 1, 2]).expect("c");
    let bits =
        |id: &u32| (evidence.values.get(*id as usize).map_or(0, |values| values.len().next_power_of_two().ilog2())) * 2;
    let before = evidence.order.iter().take_while(|id| **id != c).map(bits).sum::<u32>();
    let first = evidence.order.iter().map(bits).sum::<u32>();
    let mut forged = (*evidence).clone();
    // Below 2 the higher bit of c is clear.
    let (below, pending) = (node(&mut forged, before, 1, 0), node(&mut forged, first, 0, 1));
    let mut runs = forged.formulas[known].clone().expect("it is about runs");
    let layers = runs.approaches.iter_mut().flatten().chain(&mut runs.visited).map(|layer| &mut layer.set);
    for set in layers.chain([&mut runs.some]) {
        *set = and(&mut forged, *set, below);
    }
    forged.formulas[known] = Some(runs);
    let none = and(&mut forged, evidence.states, pending);
    forged.conjuncts =
        vec![RunSets { none, ranks: vec![RankSet { set: none, pending: Some(0) }], ..RunSets::default() }];
    let refused = confirm(&semantics, formula, Arc::new(forged), MEMORY);
    assert!(is_refused(&refused, "nothing is said of some position"));
}

/// Values that no initial state can have leave none to be looked at.
#[test]
fn variables_begin_with_one_of_their_values() {
    let model = common::parsed(
        "agent A local: x : int init: x * x = 4 & x > 0 receive-guard: false repeat: {false} *! (true)()[]
        system = A(a, true)
        SPEC G (a-x = 7);",
    );
    let semantics = Semantics::new(&model);
    for value in [4, 7] {
        let values = vec![vec![0], vec![value]];
        let evidence =
            Diagrams { values, order: vec![0, 1], conjuncts: vec![RunSets::default()], ..Diagrams::default() };
        let refused = confirm(&semantics, &model.specs[0].formula, Arc::new(evidence), MEMORY);
        assert!(is_refused(&refused, "other values"), "{value}");
    }
}

/// States with values that are none of their types would be possible for those who do not see them.
#[test]
fn values_are_of_their_types() {
    let model = common::parsed(
        "agent A local: x : 0..2, y : int init: y = 3 receive-guard: false repeat: {false} *! (true)()[]
        agent B receive-guard: false repeat: {false} *! (true)()[]
        system = A(a, true) || B(b, true)
        SPEC K(b, a-x = 0 | a-x = 1 | a-x = 2);
        SPEC !K(b, a-x = 0 | a-x = 1 | a-x = 2);",
    );
    let semantics = Semantics::new(&model);
    let [holds, violated] = [0, 1].map(|spec| run(&semantics, &model.specs[spec].formula, &Found::default(), &|_| {}));
    let (Ok(SymbolicClaim::Holds(evidence)), Ok(SymbolicClaim::Violated(..))) = (holds, violated) else {
        panic!("x is seen")
    };
    let x = evidence.values.iter().position(|values| *values == [0, 1, 2]).expect("x");
    let mut forged = (*evidence).clone();
    forged.values[x] = vec![0, 1, 2, 3];
    (forged.states, forged.reached) = (1, Vec::new());
    let bits = |values: &Vec<i64>| values.len().next_power_of_two().ilog2() * 2;
    let first = forged.values.iter().map(bits).sum::<u32>();
    let none = node(&mut forged, first, 0, 1);
    for pending in [None, Some(0)] {
        forged.conjuncts = vec![RunSets { none, ranks: vec![RankSet { set: none, pending }], ..RunSets::default() }];
        let refused = confirm(&semantics, &model.specs[1].formula, Arc::new(forged.clone()), MEMORY);
        assert!(is_refused(&refused, "other values"));
    }
}

/// Any order is sound, if the sets are written in it.
#[test]
fn orders_are_all_variables_and_inputs() {
    let model = model(&source("ispl/dining_cryptographers.ispl"));
    let semantics = Semantics::new(&model);
    let spec = model.specs.iter().find(|spec| spec.expect == Some(Expectation::Holds) && spec.formula.is_branching());
    let (formula, evidence) = claimed(&semantics, spec.and_then(|spec| spec.name.as_deref()).expect("there is one"));
    let without_last = evidence.order[1..].to_vec();
    let twice = [&evidence.order[..], &evidence.order[..1]].concat();
    for order in [without_last, twice, Vec::new()] {
        let other = Diagrams { order, ..(*evidence).clone() };
        let refused = confirm(&semantics, formula, Arc::new(other), MEMORY).map(|_| ());
        assert!(is_refused(&refused, "the order of variables"));
    }
    assert_eq!(branchings(formula).len(), evidence.formulas.len());
}

/// A spec that holds has no counterexample, whatever run is claimed; and what holds is not what is violated.
#[test]
fn claims_that_say_the_opposite_are_refused() {
    let (mut held, mut failed) = (0, 0);
    for (_, model) in finite_models().filter(|(name, _)| name.contains("knowledge/") || name.contains("ispl/")) {
        let (semantics, found) = (Semantics::new(&model), Found::default());
        for spec in model.specs.iter().filter(|spec| spec.formula.is_branching()) {
            let formula = &spec.formula;
            let claim = common::with_work(WORK, || run(&semantics, formula, &found, &|_| {}));
            match claim {
                Some(Ok(SymbolicClaim::Holds(evidence))) => {
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
                    let refuted = || refute(&semantics, formula, &evidence, &witness, MEMORY);
                    let Some(refused) = common::with_work(WORK, refuted) else { continue };
                    assert!(is_refused(&refused, "does not violate the spec"), "{:?}", spec.name);
                    held += 1;
                }
                Some(Ok(SymbolicClaim::Violated(evidence, witness))) => {
                    let confirmed = || confirm(&semantics, formula, Arc::clone(&evidence), MEMORY);
                    let Some(refused) = common::with_work(WORK, confirmed) else { continue };
                    assert!(is_refused(&refused, "does not fit the model and the spec"), "{:?}", spec.name);
                    assert!(refute(&semantics, formula, &evidence, &witness, MEMORY).is_ok());
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
    let (formula, evidence) = claimed(&semantics, name);
    let stop = Stop::new();
    let limits = || Limits::of(Budget::new(None), &stop);
    let little = limits().within(|| confirm(&semantics, formula, Arc::clone(&evidence), 1 << 10).map(|_| ()));
    assert_eq!(little, Err(Exceeded::Memory));
    let enough = limits().within(|| confirm(&semantics, formula, evidence, MEMORY).map(|_| ()));
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

/// In how many states all runs satisfy a formula: as the evidence of the engine shows, and by definition. Steps that are left
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
        let found = Found::default();
        for spec in &model.specs {
            let shown = || format!("{text}\n{}", model.show_formula(&spec.formula));
            let [branching] = branchings(&spec.formula)[..] else { panic!("{}", shown()) };
            let falsified = oracle.falsified(&branching.body, &|_, _| false).expect("few operators");
            let expected = states - falsified.len();
            let claim = run(&semantics, &spec.formula, &found, &|_| {});
            let Ok(SymbolicClaim::Holds(evidence)) = claim else { panic!("{}: {claim:?}", shown()) };
            match confirm(&semantics, &spec.formula, evidence, MEMORY) {
                Ok(proof) => assert_eq!(proof.labels(), [expected.to_string()], "{}", shown()),
                Err(why) => panic!("{}: {why}", shown()),
            }
            *(match expected {
                0 => &mut none,
                expected if expected == states => &mut all,
                _ => &mut some,
            }) += 1;
        }
    }
    assert!(all >= 200 && none >= 200 && some >= 200, "{all}, {none}, {some}");
}
