//! Summaries of explanations: the conjunct, the instances of quantified variables, and the place.

use super::*;
use crate::model::eval::{Explanation, Influence, Run, RunPart};

const CELLS: &str = "enum channel {c}
    message-structure: N : int
    agent Cell
        local: n : int, on : bool
        init: n = 0 & !on
        receive-guard: chan = c
        repeat: (
            up: {true} *! (true)(N := n)[n := n + 1]
            + flip: {true} *! (true)()[on := !on]
            + hear: {true} *? []
        )
    system = Cell(one, true) || Cell(two, true) || Cell(three, true)";

/// The explanation of the only spec on the run by these commands, with what it says of conjunct, instances
/// and place.
fn explained(commands: &[&str], loop_start: Option<usize>, spec: &str) -> (Explanation, String) {
    let model = model(&format!("{CELLS} SPEC {spec}"));
    let semantics = Semantics::new(&model);
    let mut state = initial(&semantics);
    let mut choices = Vec::new();
    for command in commands {
        let steps = semantics.steps(&state);
        let is_it = |step: &&Step| describe_step(&model, step).starts_with(&format!("{command} "));
        let step = steps.iter().find(is_it).unwrap_or_else(|| panic!("no step {command}"));
        choices.push(step.choice.clone());
        state = step.target.clone();
    }
    let (spec, influence) = (&model.specs[0], Influence::of(&model, &model.specs[0].formula));
    let run = Run::replay(&semantics, initial(&semantics), &choices, loop_start, &influence).expect("a run");
    let explanation = run.explain(&spec.formula).expect("false");
    let part = explanation.show_part(&model, spec).unwrap_or("the spec".to_owned());
    let words = format!("{part} fails {}", explanation.show_place(loop_start, choices.len()));
    (explanation, words)
}

#[test]
fn conjuncts_and_instances_are_named() {
    let both = "forall k : Cell . G (k-n < 2 & (forall j : Cell . (j != k -> j-n + k-n < 3)))";
    let (explanation, words) = explained(&["one-up", "two-up", "two-up"], None, both);
    assert_eq!(words, "conjunct 3 of 12, for k = one, j = two fails in state 3");
    assert_eq!(explanation.place, RunPart::State(3));
    let words = |spec| explained(&["two-flip", "three-flip"], None, spec).1;
    assert_eq!(words("G !three-on"), "the spec fails in state 2");
    assert_eq!(words("(G !one-on) & (forall k : Cell . G !k-on)"), "conjunct 3 of 4, for k = two fails in state 1");
    // All instances together: none of them is to blame alone.
    assert_eq!(words("G (exists k : Cell . k-n > 0)"), "the spec fails in state 0");
    let all_are_on = explained(&["two-flip", "one-flip", "three-flip"], None, "G (exists k : Cell . !k-on)").1;
    assert_eq!(all_are_on, "the spec fails in state 3");
    // A part below a condition is no conjunct, but has instances.
    let nested = "G (two-on -> (forall k : Cell . !k-on))";
    assert_eq!(words(nested), "for k = two fails in state 1");
}

#[test]
fn places_are_states_steps_or_what_repeats() {
    let spec = "forall k : Cell . G ([[sender = k & N = 1]] false)";
    let (explanation, words) = explained(&["two-up", "two-up"], None, spec);
    assert_eq!((explanation.place, explanation.later_round), (RunPart::Step(1), false));
    assert_eq!(words, "conjunct 2 of 3, for k = two fails in the step from 1 to 2");
    assert_eq!(explanation.decisive().subformula, "[[sender = two & N = 1]] false");
    let (explanation, words) = explained(&["one-flip", "two-flip", "two-flip"], Some(1), "G (one-on -> F three-on)");
    assert_eq!(explanation.place, RunPart::Always(1));
    assert_eq!(words, "the spec fails for ever from 1 on: in the steps from 1 to 3, which repeat");
    assert_eq!(explanation.decisive().subformula, "F three-on");
    // The step to the state where the loop starts is another one in later rounds.
    let (explanation, words) = explained(&["one-flip", "one-flip"], Some(0), "G !two-hear");
    assert_eq!((explanation.place, explanation.later_round), (RunPart::State(1), false));
    assert_eq!(words, "the spec fails in state 1");
}
