//! Decision diagrams, against what they stand for: steps against the evaluation of the same system, and questions about
//! invariants against a solver.

use crate::common::{limits, model, patiently, random::Random, shipped, source};
use rcheck_smt::check::diagrams::confirm;
use rcheck_smt::check::invariant::{NoProof, Proof};
use rcheck_smt::check::queries::invariant::InvariantQueries;
use rcheck_smt::claim::Invariant;
use rcheck_smt::diagrams::{Compiler, Space, Steps, and, or, order};
use rcheck_smt::limits::Stop;
use rcheck_smt::model::{Model, Value};
use rcheck_smt::smt::{Scripts, with_context};
use rcheck_smt::ts::history::base_system;
use rcheck_smt::ts::smtlib::symbols::Symbols;
use rcheck_smt::ts::system::{Domain, System};
use rcheck_smt::ts::term::{Term, VarId};
use rcheck_smt::ts::valuation::Valuation;

/// The shipped models of features that diagrams can have.
fn systems() -> impl Iterator<Item = (String, Model, System, Space)> {
    let paths = shipped().into_iter().filter(|path| path.display().to_string().contains("features"));
    paths.filter_map(|path| {
        let model = model(&source(&path));
        let system = base_system(&model);
        let space = Space::new(&system, &order(&system)).ok()?;
        Some((path.display().to_string(), model, system, space))
    })
}

fn numbers(domain: &Domain) -> Vec<i64> {
    match domain {
        Domain::Bool => vec![0, 1],
        Domain::Finite(values) => values.to_vec(),
        Domain::Range(low, high) => (*low..=*high).collect(),
        Domain::Unbounded => unreachable!("diagrams have no unbounded integers"),
    }
}

fn some_state(system: &System, random: &mut Random) -> Vec<Value> {
    let value = |id: VarId| {
        let variable = system.variable(id);
        variable.sort.value(*random.pick(&numbers(&variable.domain)))
    };
    system.var_ids().map(value).collect()
}

/// All inputs of a step.
fn choices(system: &System) -> Vec<Vec<u32>> {
    system.inputs().iter().fold(vec![Vec::new()], |before, input| {
        let with = |chosen: &Vec<u32>| (0..input.count).map(|next| [&chosen[..], &[next]].concat()).collect::<Vec<_>>();
        before.iter().flat_map(with).collect()
    })
}

/// Where a step leads, if it is possible; nothing if a variable would leave its domain.
fn successor(system: &System, state: &[Value], inputs: Vec<u32>) -> Option<Option<Vec<Value>>> {
    let event = inputs[0] as usize;
    let mut valuation = Valuation::new(state.to_vec(), inputs);
    let conditions = system.constraints().iter().chain([&system.events()[event].guard]);
    if !conditions.into_iter().all(|&term| valuation.holds(system.terms(), term)) {
        return None;
    }
    let next = system.successor(&mut valuation);
    let inside = |(id, value): (VarId, &Value)| {
        value.number().is_some_and(|number| numbers(&system.variable(id).domain).contains(&number))
    };
    Some(system.var_ids().zip(&next).all(inside).then_some(next))
}

#[test]
fn steps_lead_where_the_system_says() {
    let (mut models, mut taken) = (0, 0);
    for (name, _, system, space) in systems() {
        let inputs = choices(&system);
        if inputs.len() > 2000 {
            continue;
        }
        models += 1;
        let steps = Steps::new(&system, &space).expect("few values");
        let mut random = Random::new(models);
        for _ in 0..20 {
            let state = some_state(&system, &mut random);
            let only = space.only(&state);
            assert_eq!(space.some_state(&only), state, "{name}");
            let initial = system.is_initial(&mut Valuation::new(state.clone(), Vec::new()));
            assert_eq!(!and(&only, &steps.initial).is_false(), initial, "{name}");
            let (mut after, mut leaves) = (space.constant(false), false);
            for chosen in &inputs {
                match successor(&system, &state, chosen.clone()) {
                    Some(Some(next)) => {
                        taken += 1;
                        after = or(&after, &space.only(&next));
                    }
                    Some(None) => leaves = true,
                    None => {}
                }
            }
            let images = steps.list.iter().map(|step| step.image(&space, &only));
            let image = images.fold(space.constant(false), |all, image| or(&all, &image));
            assert!(image == after, "{name}: {state:?}");
            assert_eq!(steps.list.iter().any(|step| !and(&only, &step.leaving).is_false()), leaves, "{name}");
            for step in &steps.list {
                let reached = step.image(&space, &only);
                let back = step.preimage(&space, &reached);
                assert_eq!(and(&back, &only).is_false(), reached.is_false(), "{name}: event {}", step.event);
            }
        }
    }
    assert!(models > 15 && taken > 500, "{models} models, {taken} steps");
}

#[test]
fn sets_become_formulas_and_formulas_sets() {
    for (name, _, mut system, space) in systems() {
        let mut random = Random::new(7);
        let states = (0..12).map(|_| space.only(&some_state(&system, &mut random)));
        let set = states.fold(space.constant(false), |set, state| or(&set, &state));
        let mut terms = system.terms().clone();
        let term = space.term(&system, &mut terms, &set);
        let valid = system.var_ids().fold(space.constant(true), |all, id| and(&all, &space.is_valid(id)));
        assert!(and(&Compiler::new(&space).truth(&terms, term).expect("few values"), &valid) == set, "{name}");
        *system.terms_mut() = terms;
        for _ in 0..20 {
            let state = some_state(&system, &mut random);
            let expected = !and(&set, &space.only(&state)).is_false();
            assert_eq!(Valuation::new(state, Vec::new()).holds(system.terms(), term), expected, "{name}");
        }
    }
}

/// Whether some variable, or one of two, has a value, or not.
fn literal(system: &mut System, random: &mut Random) -> Term {
    let ids: Vec<VarId> = system.var_ids().filter(|&id| numbers(&system.variable(id).domain).len() > 1).collect();
    let id = *random.pick(&ids);
    let variable = system.variable(id).clone();
    let term = system.var_term(id);
    let terms = system.terms_mut();
    let value = terms.numbered(*random.pick(&numbers(&variable.domain)), variable.sort);
    let equal = terms.eq(term, value);
    if random.percent(50) { equal } else { terms.not(equal) }
}

#[test]
fn diagrams_and_a_solver_agree_about_invariants() {
    const PER_MODEL: usize = 8;
    let mut outcomes = [0; 4];
    let stop = Stop::new();
    let budget = limits(0, patiently(), &stop).budget;
    for (seed, (name, model, mut system, _)) in systems().enumerate() {
        let mut random = Random::new(seed as u64);
        for _ in 0..PER_MODEL {
            let bad = [literal(&mut system, &mut random), literal(&mut system, &mut random)];
            let bad = system.terms_mut().and(bad);
            let [a, b] = [literal(&mut system, &mut random), literal(&mut system, &mut random)];
            let clause = system.terms_mut().or([a, b]);
            let not_bad = system.terms_mut().not(bad);
            let clauses = if random.percent(50) { vec![not_bad, clause] } else { vec![clause] };
            let invariant = Invariant { terms: system.terms().clone(), clauses, k: 1 };
            let symbols = Symbols::new(&model, &system);
            let question = InvariantQueries { system: &system, symbols: &symbols, bad, invariant: &invariant };
            let solver = Scripts { budget, stop: &stop };
            let asked = with_context(&stop, || Proof::confirm(question, &solver)).map(|_| ());
            let ours = confirm(&question).expect("few values");
            assert_eq!(ours, asked, "{name}");
            outcomes[match asked {
                Ok(()) => 0,
                Err(NoProof::NotInitial) => 1,
                Err(NoProof::NotSafe) => 2,
                Err(NoProof::NotInductive) => 3,
                Err(NoProof::Unknown(reason)) => panic!("{name}: {reason}"),
            }] += 1;
        }
    }
    assert!(outcomes.iter().all(|&count| count > 3), "{outcomes:?}");
}
