//! Random runs of a transition system.

use crate::limits::{Budget, Stop};
use crate::model::Value;
use crate::smt::Literal;
use crate::smt::unroll::Unrolling;
use crate::ts::system::{EVENT, Origin, System};
use crate::ts::term::{Sort, VarId};
use crate::ts::valuation::Valuation;
use fastrand::Rng;

const RUNS: usize = 60;
const STEPS: usize = 60;
/// From so many initial states the runs start.
const STARTS: usize = 12;
/// The same runs every time.
const SEED: u64 = 1;

/// The states of some runs; none if no initial state is found.
pub fn states(system: &System, budget: Budget, stop: &Stop) -> Vec<Vec<Value>> {
    let mut rng = Rng::with_seed(SEED);
    let starts = starts(system, budget);
    let mut states = Vec::new();
    for run in 0..if starts.is_empty() { 0 } else { RUNS } {
        let mut state = starts[run % starts.len()].clone();
        for _ in 0..STEPS {
            if budget.is_over() || stop.is_set() {
                return states;
            }
            if state.iter().any(Value::is_huge) {
                break;
            }
            let next = match step(system, &state, &mut rng) {
                Some(mut chosen) => system.successor(&mut chosen),
                None => state.clone(),
            };
            states.push(std::mem::replace(&mut state, next));
        }
    }
    states
}

/// Different initial states, as the solver happens to give them, but with other totals each time, where they may differ.
pub fn starts(system: &System, budget: Budget) -> Vec<Vec<Value>> {
    let initial = Unrolling::new(system, system.var_ids().collect(), Unrolling::theory_for(system));
    let mut starts: Vec<Vec<Value>> = Vec::new();
    while starts.len() < STARTS {
        let others: Vec<Literal> = starts.iter().filter_map(|start| other_totals(system, &initial, start)).collect();
        let answer = match initial.check(&others, budget) {
            Ok(None) if !others.is_empty() => initial.check(&[], budget),
            answer => answer,
        };
        let Ok(Some(model)) = answer else { break };
        let Ok(state) = initial.state(&model, 0) else { break };
        initial.add(&initial.is_state(0, &state).not());
        starts.push(state);
    }
    starts
}

/// That some total has another value than in a state, if there are totals.
fn other_totals(system: &System, initial: &Unrolling, state: &[Value]) -> Option<Literal> {
    let totals = system.var_ids().filter(|id| matches!(system.variable(*id).origin, Origin::Total(_)));
    let others: Vec<Literal> = totals.map(|id| initial.variable(0, id).is_value(&state[id.0 as usize]).not()).collect();
    (!others.is_empty()).then(|| Literal::or(others))
}

/// A random step: some event that is possible, with some choice of the other inputs and of what is free; nothing if none is
/// found.
pub fn step(system: &System, state: &[Value], rng: &mut Rng) -> Option<Valuation> {
    let free: Vec<VarId> = system.var_ids().filter(|&id| system.variable(id).is_free()).collect();
    let mut state = state.to_vec();
    let mut enabled = enabled_in(system, &state);
    const TRIES: usize = 50;
    for _ in 0..TRIES {
        if !free.is_empty() {
            free.iter().for_each(|&id| state[id.0 as usize] = any(system, id, &state, rng));
            enabled = enabled_in(system, &state);
        }
        let Some(&event) = rng.choice(&enabled) else {
            if free.is_empty() {
                break;
            }
            continue;
        };
        let mut inputs: Vec<u32> = system.inputs().iter().map(|input| rng.u32(0..input.count)).collect();
        inputs[EVENT.0 as usize] = event as u32;
        let mut valuation = Valuation::new(state.clone(), inputs);
        if valuation.holds(system.terms(), system.events()[event].guard) {
            return Some(valuation);
        }
    }
    None
}

fn enabled_in(system: &System, state: &[Value]) -> Vec<usize> {
    let mut here = Valuation::new(state.to_vec(), Vec::new());
    let is_enabled = |event: &usize| here.holds(system.terms(), system.events()[*event].enabled);
    (0..system.events().len()).filter(is_enabled).collect()
}

/// Any value: of an integer a small one, or one that is near to that of another variable.
fn any(system: &System, id: VarId, state: &[Value], rng: &mut Rng) -> Value {
    if system.variable(id).sort == Sort::Bool {
        return Value::Bool(rng.bool());
    }
    let offset = rng.i64(-2..=8);
    match rng.choice(state) {
        Some(Value::Int(near)) if rng.bool() => Value::Int(near + offset),
        _ => Value::int(offset),
    }
}
