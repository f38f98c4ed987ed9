//! Runs, their loops, and formulas on them.

use super::*;
use crate::model::Formula;
use crate::model::eval::{Influence, ReplayError, Run, Truth};

/// `a` tells `b` its colour or ticks; `ticks` and `told` only count.
const COUNTING: &str = "enum channel {c}
    message-structure: V : int
    agent A
        local: up : bool, ticks : int
        init: !up & ticks = 0
        receive-guard: false
        repeat: (
            tick: {true} *! (false)()[ticks := ticks + 1]
            + flip: {!up} *! (true)(V := ticks)[up := true]
            + flop: {up} *! (true)(V := 1)[up := false]
        )
    agent B
        local: told : int, last : int
        init: told = 0 & last = 0
        receive-guard: false
        repeat: rcv: {true} *? [told := told + 1, last := V]
    system = A(a, true) || B(b, true)";

/// The run of `COUNTING` by these labels.
fn choices(semantics: &Semantics, labels: &[&str]) -> Vec<Choice> {
    let mut state = initial(semantics);
    let mut choices = Vec::new();
    for label in labels {
        let steps = semantics.steps(&state);
        let name = format!("a-{label} ");
        let step = steps.iter().find(|step| describe_step(semantics.model(), step).starts_with(&name));
        let step = step.unwrap_or_else(|| panic!("no step {label}"));
        choices.push(step.choice.clone());
        state = step.target.clone();
    }
    choices
}

fn with_specs(specs: &[&str]) -> Model {
    let specs = specs.iter().map(|spec| format!(" SPEC {spec};")).collect::<String>();
    model(&format!("{COUNTING}{specs}"))
}

/// The truth of each spec on the run by these labels.
fn truths(labels: &[&str], loop_start: Option<usize>, specs: &[&str]) -> Vec<Truth> {
    let model = with_specs(specs);
    let semantics = Semantics::new(&model);
    let choices = choices(&semantics, labels);
    let behaviour = Influence::of_behaviour(&model);
    let run = Run::replay(&semantics, initial(&semantics), &choices, loop_start, &behaviour).expect("a run");
    model.specs.iter().map(|spec| run.evaluate(&spec.formula)).collect()
}

fn assert_truths(labels: &[&str], loop_start: Option<usize>, expected: &[(&str, Truth)]) {
    let specs: Vec<&str> = expected.iter().map(|(spec, _)| *spec).collect();
    for ((spec, expected), found) in expected.iter().zip(truths(labels, loop_start, &specs)) {
        assert_eq!(found, *expected, "{spec}");
    }
}

#[test]
fn loops_forget_what_nothing_reads() {
    let model = with_specs(&["F a-up", "G (a-ticks < 3)", "G (b-last < 3)", "G (b-told >= 0)", "<<V = 0>> true"]);
    let semantics = Semantics::new(&model);
    let choices = choices(&semantics, &["tick", "flip", "tick", "flop"]);
    let closed = |formula: &Formula| {
        let influence = Influence::of(&model, formula);
        Run::replay(&semantics, initial(&semantics), &choices, Some(1), &influence).map(|_| ())
    };
    let formula = |index: usize| &model.specs[index].formula;
    assert_eq!(closed(formula(0)), Ok(()));
    // Read by the formula, through the update of `last`, and by itself; and through the data.
    let open = |formula: &Formula| closed(formula).expect_err("not closed").describe(&model);
    assert_eq!(open(formula(1)), "the last state differs from the state at the start of the loop in `a-ticks`");
    assert!(open(formula(2)).ends_with(" in `a-ticks`, `b-last`"));
    assert!(open(formula(3)).ends_with(" in `b-told`"));
    assert!(open(formula(4)).ends_with(" in `a-ticks`"));
}

#[test]
fn replay_checks_everything() {
    let model = with_specs(&[]);
    let semantics = Semantics::new(&model);
    let influence = Influence::of_behaviour(&model);
    let choices = choices(&semantics, &["flip", "flop", "tick"]);
    let replay = |choices: &[Choice], start| {
        Run::replay(&semantics, initial(&semantics), choices, start, &influence).map(|run| run.states().len())
    };
    assert_eq!(replay(&choices, None), Ok(4));
    assert_eq!(replay(&choices, Some(2)), Ok(4));
    assert_eq!(replay(&choices, Some(3)), Err(ReplayError::EmptyLoop { loop_start: 3, steps: 3 }));
    assert!(matches!(replay(&choices[..2], Some(1)), Err(ReplayError::LoopNotClosed { .. })));
    assert!(matches!(replay(&choices[1..], None), Err(ReplayError::NoSuchStep { position: 0, .. })));
    let later = semantics.apply(&initial(&semantics), &choices[0]).expect("possible").target;
    let refused = Run::replay(&semantics, later, &[], None, &influence).map(|_| ());
    assert_eq!(refused, Err(ReplayError::NotInitial));
}

#[test]
fn a_loop_that_forgets_too_much_for_a_formula_is_not_used() {
    assert_truths(
        &["tick"],
        Some(0),
        &[
            ("G !a-up", Truth::True),
            ("G (a-ticks < 5)", Truth::Unknown),
            ("F (a-ticks = 1)", Truth::True),
            ("G (a-ticks < 1)", Truth::False),
        ],
    );
}

#[test]
fn formulas_on_a_lasso() {
    // Positions 0 flip 1 flop 2=0: up is false, true, false, ..
    assert_truths(
        &["flip", "flop"],
        Some(0),
        &[
            ("X a-up", Truth::True),
            ("X (X a-up)", Truth::False),
            ("G (F a-up)", Truth::True),
            ("F (G a-up)", Truth::False),
            ("!a-up U a-up", Truth::True),
            ("a-up U !a-up", Truth::True),
            ("!a-up W a-tick", Truth::False),
            ("(a-up | !a-up) W a-tick", Truth::True),
            ("(a-up | !a-up) U a-tick", Truth::False),
            ("a-tick R (a-flip | a-flop)", Truth::True),
            ("a-flip R !a-up", Truth::True),
            ("a-up R !a-up", Truth::False),
            ("G (a-flip -> (X a-flop))", Truth::True),
            ("G ([[sender = a & V = 1]] (!a-up))", Truth::True),
            ("G (<<V = 1>> true)", Truth::False),
            ("G (F (<<V = 1>> (!a-up)))", Truth::True),
            ("(F a-up) <-> (F a-tick)", Truth::False),
        ],
    );
}

#[test]
fn a_receive_label_differs_between_the_first_visit_and_the_next() {
    // Position 0 comes again after a flop, which `b` receives, but nothing comes before position 0.
    assert_truths(
        &["flip", "flop"],
        Some(0),
        &[
            ("b-rcv", Truth::False),
            ("X (G b-rcv)", Truth::True),
            ("G b-rcv", Truth::False),
            ("X (X b-rcv)", Truth::True),
            ("G (!a-up -> !b-rcv)", Truth::False),
        ],
    );
    // Before the loop a tick, which no agent receives; in the loop only messages.
    assert_truths(
        &["tick", "flip", "flop"],
        Some(1),
        &[
            ("X (!b-rcv)", Truth::True),
            ("X (X (G b-rcv))", Truth::True),
            ("F (G b-rcv)", Truth::True),
            ("X (G b-rcv)", Truth::False),
        ],
    );
}

#[test]
fn formulas_on_a_beginning() {
    // Positions 0 tick 1 flip 2: what follows is not known.
    assert_truths(
        &["tick", "flip"],
        None,
        &[
            ("F a-up", Truth::True),
            ("G !a-up", Truth::False),
            ("G (a-ticks < 2)", Truth::Unknown),
            ("F (a-ticks = 5)", Truth::Unknown),
            ("X (X a-up)", Truth::True),
            ("X (X (X a-up))", Truth::Unknown),
            ("X (X b-rcv)", Truth::True),
            ("X (X a-flop)", Truth::Unknown),
            ("X (X (<<true>> true))", Truth::Unknown),
            ("a-up R !a-up", Truth::False),
            ("!a-up W a-up", Truth::True),
            ("(a-ticks < 9) U (a-ticks = 9)", Truth::Unknown),
            ("(a-ticks < 1) U (a-ticks = 9)", Truth::False),
            ("(F a-up) & (G (a-ticks < 9))", Truth::Unknown),
        ],
    );
}

#[test]
fn explanations_lead_to_the_atoms() {
    let model = with_specs(&["G (a-up -> ((a-ticks = 0) & (F a-tick)))", "(F a-up) & (X (!b-rcv))"]);
    let semantics = Semantics::new(&model);
    let choices = choices(&semantics, &["tick", "flip"]);
    let influence = Influence::of_behaviour(&model);
    let run = Run::replay(&semantics, initial(&semantics), &choices, None, &influence).expect("a run");
    let explained = |index: usize| {
        let explanation = run.explain(&model.specs[index].formula);
        let reasons = explanation.into_iter().flat_map(|explanation| explanation.reasons);
        reasons.map(|r| format!("{} | {} | {}", r.position, r.subformula, r.why)).collect::<Vec<_>>()
    };
    assert_eq!(
        explained(0),
        [
            "0 | G (a-up -> (a-ticks = 0 & F a-tick)) | false: the body fails at position 2 for the first time",
            "2 | a-up -> (a-ticks = 0 & F a-tick) | false: the left side holds, the right side does not",
            "2 | a-up | true",
            "2 | a-ticks = 0 & F a-tick | false: see conjunct 1 of 2",
            "2 | a-ticks = 0 | false: a-ticks = 1",
        ]
    );
    // It does not fail: no agent receives the tick.
    assert_eq!(explained(1), Vec::<String>::new());
}

/// The reasons why the only spec is false on the run by these labels.
fn explained(labels: &[&str], loop_start: Option<usize>, spec: &str) -> Vec<String> {
    let model = with_specs(&[spec]);
    let semantics = Semantics::new(&model);
    let choices = choices(&semantics, labels);
    let influence = Influence::of(&model, &model.specs[0].formula);
    let run = Run::replay(&semantics, initial(&semantics), &choices, loop_start, &influence).expect("a run");
    assert_eq!(run.evaluate(&model.specs[0].formula), Truth::False);
    let explanation = run.explain(&model.specs[0].formula).expect("it is false");
    explanation
        .reasons
        .into_iter()
        .map(|reason| format!("{} | {} | {}", reason.position, reason.subformula, reason.why))
        .collect()
}

#[test]
fn explanations_of_eventualities_and_observations() {
    assert_eq!(
        explained(&["tick"], Some(0), "G (F a-flip)"),
        [
            "0 | G F a-flip | false: the body fails at position 0 for the first time",
            "0 | F a-flip | false: never holds from position 0 on",
        ]
    );
    assert_eq!(
        explained(&["flip", "flop"], Some(0), "X (G [[V = 1]] a-up)"),
        [
            "1 | G [[V = 1]] a-up | false: the body fails at position 1 for the first time",
            "1 | [[V = 1]] a-up | false: the step from here, a-flop on * with V = 1, is observed",
            "2 | a-up | false",
        ]
    );
    assert_eq!(
        explained(&["flip", "flop"], Some(0), "!a-up U a-tick"),
        [
            "0 | !a-up U a-tick | false: the left side fails at position 1 first",
            "1 | !a-up | false: a-up = true",
            "1 | a-tick | false: the step from here is a-flop",
        ]
    );
    assert_eq!(explained(&["flip"], None, "X (!b-rcv)"), ["1 | b-rcv | true: the step to here is a-flip"]);
}

#[test]
fn explanations_go_on_into_what_never_holds() {
    // The label and its effect never meet: nearest is position 0, in each round the flip again.
    assert_eq!(
        explained(&["flip", "flop"], Some(0), "F (a-flip & a-up)"),
        [
            "0 | F (a-flip & a-up) | false: never holds from position 0 on; for example at position 0",
            "0 | a-flip & a-up | false: see conjunct 2 of 2",
            "0 | a-up | false",
        ]
    );
    // An example from the loop as it goes on for ever: the second visit differs by what was received.
    assert_eq!(
        explained(&["flip", "flop"], Some(0), "F (G a-up)"),
        [
            "0 | F G a-up | false: never holds from position 0 on; for example at position 2",
            "2 | G a-up | false: the body fails at position 2 for the first time",
            "2 | a-up | false",
        ]
    );
    // Nested alternatives are counted as one list, and three of many are enough.
    assert_eq!(
        explained(&["flip"], None, "(a-up | a-tick | (false | a-flop)) | b-rcv | a-ticks > 3"),
        [
            "0 | a-up | a-tick | (false | a-flop) | b-rcv | a-ticks > 3 | false: no alternative holds; 3 of 6:",
            "0 | a-up | false",
            "0 | a-tick | false: the step from here is a-flip",
            "0 | a-flop | false: the step from here is a-flip",
        ]
    );
}
