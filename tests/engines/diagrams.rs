//! Decision diagrams against what they stand for: steps against the evaluation of the same system; and the check of
//! large invariants, which sets of states are.

use crate::common::{limits, model, parsed, patiently, random::Random, shipped, source};
use rcheck_smt::check::invariant::{NoProof, Proof};
use rcheck_smt::check::queries::invariant::InvariantQueries;
use rcheck_smt::claim::Invariant;
use rcheck_smt::diagrams::{Compiler, Set, Space, Steps, and, or, order, without};
use rcheck_smt::limits::Stop;
use rcheck_smt::model::{Model, Value};
use rcheck_smt::smt::{Scripts, with_context};
use rcheck_smt::ts::history::base_system;
use rcheck_smt::ts::smtlib::symbols::Symbols;
use rcheck_smt::ts::system::{Domain, System};
use rcheck_smt::ts::term::{Leaf, VarId};
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

/// The state that a step leads to, if it is possible; nothing if a variable would leave its domain.
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
            let mut after = space.constant(false);
            for chosen in &inputs {
                if let Some(Some(next)) = successor(&system, &state, chosen.clone()) {
                    taken += 1;
                    after = or(&after, &space.only(&next));
                }
            }
            let images = steps.list.iter().map(|step| step.image(&only));
            let image = images.fold(space.constant(false), |all, image| or(&all, &image));
            assert!(image == after, "{name}: {state:?}");
            for step in &steps.list {
                let reached = step.image(&only);
                let back = step.preimage(&reached);
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
        let valid = system.var_ids().fold(space.constant(true), |all, id| and(&all, &space.is_valid(Leaf::Var(id))));
        assert!(and(&Compiler::new(&space).truth(&terms, term).expect("few values"), &valid) == set, "{name}");
        *system.terms_mut() = terms;
        for _ in 0..20 {
            let state = some_state(&system, &mut random);
            let expected = !and(&set, &space.only(&state)).is_false();
            assert_eq!(Valuation::new(state, Vec::new()).holds(system.terms(), term), expected, "{name}");
        }
    }
}

/// The reachable states.
fn reachable(steps: &Steps) -> Set {
    let mut set = steps.initial.clone();
    loop {
        let next = steps.list.iter().fold(set.clone(), |all, step| or(&all, &step.image(&set)));
        if next == set {
            return set;
        }
        set = next;
    }
}

/// True if all steps of a state lead into a set.
fn stays(system: &System, space: &Space, inputs: &[Vec<u32>], state: &[Value], set: &Set) -> bool {
    let inside = |chosen: &Vec<u32>| match successor(system, state, chosen.clone()) {
        Some(Some(next)) => !and(&space.only(&next), set).is_false(),
        Some(None) => false,
        None => true,
    };
    inputs.iter().all(inside)
}

/// A state after a few steps.
fn some_reachable(system: &System, inputs: &[Vec<u32>], initial: Vec<Value>, random: &mut Random) -> Vec<Value> {
    (0..random.below(6)).fold(initial, |state, _| {
        let next: Vec<_> = inputs.iter().filter_map(|chosen| successor(system, &state, chosen.clone())?).collect();
        if next.is_empty() { state } else { random.pick(&next).clone() }
    })
}

/// The reachable states are an invariant; without one of them they are none, with another one it depends on the steps from there, and if
/// one of them is bad they do not exclude it.
#[test]
fn large_invariants_are_judged_event_by_event() {
    const PER_MODEL: usize = 4;
    let (mut large, mut outcomes) = (0, [0; 4]);
    let stop = Stop::new();
    let solver = Scripts { budget: limits(0, patiently(), &stop).budget, stop: &stop };
    for (seed, (name, model, system, space)) in systems().enumerate() {
        let inputs = choices(&system);
        if inputs.len() > 500 {
            continue;
        }
        let mut random = Random::new(seed as u64);
        let steps = Steps::new(&system, &space).expect("few values");
        let all = reachable(&steps);
        let none = space.constant(false);
        let mut questions = vec![(all.clone(), none.clone(), Ok(()))];
        for _ in 0..PER_MODEL {
            let one = some_reachable(&system, &inputs, space.some_state(&steps.initial), &mut random);
            let only = space.only(&one);
            let initial = system.is_initial(&mut Valuation::new(one, Vec::new()));
            let expected = if initial { NoProof::NotInitial } else { NoProof::NotInductive };
            questions.push((without(&all, &only), none.clone(), Err(expected)));
            questions.push((all.clone(), only, Err(NoProof::NotSafe)));
            let another = some_state(&system, &mut random);
            let more = or(&all, &space.only(&another));
            let expected = stays(&system, &space, &inputs, &another, &more);
            questions.push((more, none.clone(), if expected { Ok(()) } else { Err(NoProof::NotInductive) }));
        }
        let symbols = Symbols::new(&model, &system);
        for (set, bad, expected) in questions {
            let mut terms = system.terms().clone();
            let [clause, bad] = [set, bad].map(|set| space.term(&system, &mut terms, &set));
            large += usize::from(terms.size_up_to(clause, 64) >= 64);
            let invariant = Invariant { terms, clauses: vec![clause], k: 1 };
            let question = InvariantQueries { system: &system, symbols: &symbols, bad, invariant: &invariant };
            let answer = with_context(&stop, || Proof::confirm(question, &solver)).map(|_| ());
            assert_eq!(answer, expected, "{name}");
            outcomes[match answer {
                Ok(()) => 0,
                Err(NoProof::NotInitial) => 1,
                Err(NoProof::NotSafe) => 2,
                Err(NoProof::NotInductive) => 3,
                Err(NoProof::Unknown(reason)) => panic!("{name}: {reason}"),
            }] += 1;
        }
    }
    assert!(large > 50 && outcomes.iter().all(|&count| count > 10), "{large} large ones, {outcomes:?}");
}

#[test]
fn a_large_invariant_is_judged_where_nothing_is_possible() {
    let text = "agent T
    local: place : location, free : bool
    receive-guard: false
    repeat: go: {false} *! (true)()[free := !free]
system = T(t[1..4], true) where forall k, j : T . k != j -> k-place != j-place
SPEC G true;
";
    let model = parsed(text);
    let system = base_system(&model);
    let space = Space::new(&system, &order(&system)).expect("few values");
    let steps = Steps::new(&system, &space).expect("few values");
    let mut terms = system.terms().clone();
    let [clause, bad] = [steps.initial, space.constant(false)].map(|set| space.term(&system, &mut terms, &set));
    assert!(terms.size_up_to(clause, 64) >= 64);
    let invariant = Invariant { terms, clauses: vec![clause], k: 1 };
    let symbols = Symbols::new(&model, &system);
    let question = InvariantQueries { system: &system, symbols: &symbols, bad, invariant: &invariant };
    let stop = Stop::new();
    let solver = Scripts { budget: limits(0, patiently(), &stop).budget, stop: &stop };
    let answer = with_context(&stop, || Proof::confirm(question, &solver)).map(|_| ());
    assert_eq!(answer, Ok(()));
}
