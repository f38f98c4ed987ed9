//! The states at each depth: those of the explicit graph, and all models of the unrolled system.

use super::graph::{Graph, values};
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::Value;
use rcheck_smt::smt::unroll::{Unrolling, integer_theory};
use rcheck_smt::smt::{Literal, Theory, with_context};
use rcheck_smt::ts::system::{Domain, System, Variable};
use std::collections::BTreeSet;

/// How much of the layers is enumerated.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The number of steps.
    pub depth: usize,
    /// The number of states per layer that the solver has to find. The rest it is told at once, so
    /// that it is still checked to find no others.
    pub states: usize,
}

/// Compares the layers. Integers that cannot be listed up front are tried both as lists of the values
/// so far and as integers of the solver; the number of states that the solver found.
pub fn check(system: &System, graph: &Graph, effort: Effort) -> Result<usize, String> {
    let theory = Unrolling::theory_for(system);
    let listed = |variable: &Variable| matches!(variable.domain, Domain::Bool | Domain::Finite(_));
    let mut found = check_in(theory, system, graph, effort)?;
    if !system.variables().iter().all(listed) {
        found += check_in(integer_theory(system), system, graph, effort)?;
    }
    Ok(found)
}

fn check_in(theory: Theory, system: &System, graph: &Graph, effort: Effort) -> Result<usize, String> {
    with_context(&Stop::new(), || {
        let mut unrolling = Unrolling::new(system, system.var_ids().collect(), theory);
        let mut found = 0;
        for (depth, layer) in graph.layers(effort.depth).iter().enumerate() {
            if depth > 0 && unrolling.extend().is_err() {
                break;
            }
            let values = |&node: &usize| values(system, &graph.nodes[node].state, &graph.nodes[node].received);
            let expected: BTreeSet<Vec<Value>> = layer.iter().map(values).collect();
            found += check_layer(&unrolling, depth, &expected, effort.states)
                .map_err(|error| format!("at depth {depth}: {error}"))?;
        }
        Ok(found)
    })
}

fn check_layer(
    unrolling: &Unrolling,
    depth: usize,
    expected: &BTreeSet<Vec<Value>>,
    limit: usize,
) -> Result<usize, String> {
    let enumerating = Literal::fresh("enumerating");
    let block = |state: &[Value]| {
        let other = unrolling.is_state(depth, state).not();
        unrolling.add(&Literal::or([enumerating.not(), other]));
    };
    // Those that are not asked for are spread over the layer.
    let told =
        |index: usize| expected.len() > limit && index * limit / expected.len() == (index + 1) * limit / expected.len();
    let (mut open, mut found) = (BTreeSet::new(), 0);
    for (index, state) in expected.iter().enumerate() {
        if told(index) {
            block(state);
        } else {
            open.insert(state.clone());
        }
    }
    loop {
        match unrolling.check(std::slice::from_ref(&enumerating), Budget::new(None)) {
            Err(reason) => return Err(format!("the solver does not know: {reason}")),
            Ok(None) if open.is_empty() => break,
            Ok(None) => return Err(format!("the system does not reach {:?}", open.first())),
            Ok(Some(model)) => {
                let state = unrolling.state(&model, depth).expect("no interrupt");
                if !open.remove(&state) {
                    return Err(format!("the system reaches {state:?}, which is no state of the model"));
                }
                block(&state);
                found += 1;
            }
        }
    }
    unrolling.add(&enumerating.not());
    Ok(found)
}
