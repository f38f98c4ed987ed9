//! Decision diagrams against what they stand for: steps against the evaluation of the same system; and the check of
//! large invariants, which sets of states are.

use crate::common::{model, random::Random, shipped, source};
use rcheck_smt::diagrams::{Space, Steps, and, or, orders};
use rcheck_smt::model::{Model, Value};
use rcheck_smt::ts::history::base_system;
use rcheck_smt::ts::system::{Domain, System};
use rcheck_smt::ts::term::VarId;
use rcheck_smt::ts::valuation::Valuation;

/// The shipped models of features that diagrams can have.
fn systems() -> impl Iterator<Item = (String, Model, System, Space)> {
    let paths = shipped().into_iter().filter(|path| path.display().to_string().contains("features"));
    paths.filter_map(|path| {
        let model = model(&source(&path));
        let system = base_system(&model);
        let space = Space::new(&system, &orders(&system)[0]).ok()?;
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
