//! All small loops, against a search of our own on numbers.

use super::Loops;
use crate::claim::{SafetyClaim, Trace};
use crate::engine::bad_states;
use crate::engine::{Config, Prover, SafetyQuestion};
use crate::limits::{Budget, Stop};
use crate::model::eval::{Influence, Run, Semantics, Truth};
use crate::model::of_text::model;
use crate::smt::with_context;
use std::collections::{BTreeSet, VecDeque};

/// The number of steps of the run that the engine claims for the only spec of a model, once it is replayed; nothing if it
/// claims none.
fn violated(text: &str) -> Option<usize> {
    let model = model(text);
    let formula = &model.specs[0].formula;
    let (system, bad) = bad_states(&model, formula);
    let stop = Stop::new();
    let config = Config { budget: Budget::new(None), stop: &stop, progress: &|_| {} };
    let question = SafetyQuestion { system: &system, bad, known: &[], later: None };
    let Trace { initial, choices, loop_start } = match with_context(&stop, || Loops.run(question, config)) {
        SafetyClaim::Reached(trace) => trace.expect("it shows the run"),
        SafetyClaim::Unreachable(_) => panic!("it proves nothing"),
        SafetyClaim::Unknown(_) => return None,
    };
    let semantics = Semantics::new(&model);
    let initial = semantics.state_from(&initial).expect("a state of the model");
    let influence = Influence::of(&model, formula);
    let run = Run::replay(&semantics, initial, &choices, loop_start, &influence).unwrap_or_else(|why| {
        panic!("{}\n{text}", why.describe(&model));
    });
    assert_eq!(run.evaluate(formula), Truth::False, "{text}");
    Some(choices.len())
}

/// An agent with these locals, their initial values, commands (a guard and updates each), and a spec.
fn agent(locals: &str, init: &str, commands: &[(String, String)], spec: &str) -> String {
    let commands = commands.iter().map(|(guard, updates)| format!("{{{guard}}} *! (false)()[{updates}]"));
    let commands = commands.collect::<Vec<_>>().join(" + ");
    format!(
        "agent Unit local: {locals} init: {init} receive-guard: false repeat: ({commands})
        system = Unit(a, true)
        SPEC {spec}"
    )
}

fn commands(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(guard, updates)| (guard.to_string(), updates.to_string())).collect()
}

#[test]
fn long_runs_are_found() {
    let up = commands(&[("true", "x := x + 3")]);
    let back = commands(&[("true", "x := x + 3"), ("x > 500", "x := x - 2")]);
    let blocked = commands(&[
        ("on & x < 3000", "x := x + 1, y := y + 2"),
        ("on & x = 3000", "on := false"),
        ("!on & x > 0", "x := x - 1, y := y + 1"),
    ]);
    let nested = commands(&[
        ("j < 200", "j := j + 1"),
        ("j = 200 & i < 30", "j := 0, i := i + 1"),
        ("j = 200 & i = 30", "done := true"),
    ]);
    let turns = commands(&[("on", "x := x + 1, on := false"), ("!on", "y := y + 1, on := true")]);
    let cases = [
        ("x : int", "x = 0", &up, "G (a-x != 300000)", 100_000),
        ("x : 0..9999", "x = 0", &up, "G (a-x < 9998)", 3333),
        ("x : int", "x = 0", &back, "G (a-x != 9001)", 3002),
        ("x : int, y : int, on : bool", "x = 0 & y = 0 & on", &blocked, "G (a-y <= 8990)", 5992),
        ("i : 0..30, j : 0..200, done : bool", "i = 0 & j = 0 & !done", &nested, "G !a-done", 31 * 201),
        ("x : int, y : int, on : bool", "x = 0 & y = 0 & on", &turns, "G (a-x + a-y < 5001)", 5001),
    ];
    for (locals, init, commands, spec, shortest) in cases {
        let found = violated(&agent(locals, init, commands, spec)).unwrap_or_else(|| panic!("{spec}"));
        assert!((shortest..=2 * shortest).contains(&found), "{spec}: {found} steps");
    }
    assert_eq!(violated(&agent("x : int", "x = 0", &up, "G (a-x != 300001)")), None);
}

/// A counter of bits has no loops: what it repeats becomes longer and longer.
#[test]
fn a_counter_of_bits_overflows() {
    const BITS: usize = 12;
    let names: Vec<String> = (0..BITS).map(|bit| format!("b{bit}")).collect();
    let carry = |bit: usize| {
        let guard = names[..bit].iter().cloned().chain([format!("!{}", names[bit])]).collect::<Vec<_>>();
        let updates = names[..bit].iter().map(|lower| format!("{lower} := false"));
        let updates = updates.chain([format!("{} := true", names[bit])]).collect::<Vec<_>>();
        (guard.join(" & "), updates.join(", "))
    };
    let carries: Vec<(String, String)> = (0..BITS).map(carry).collect();
    let locals = format!("{} : bool", names.join(" : bool, "));
    let (init, spec) = (format!("!{}", names.join(" & !")), format!("G !(a-{})", names.join(" & a-")));
    assert_eq!(violated(&agent(&locals, &init, &carries, &spec)), Some((1 << BITS) - 1));
}

/// Of two commands with these effects and guards, the engine finds what a search finds that visits all pairs of numbers, and
/// nothing else.
#[test]
fn all_small_loops_are_as_in_a_search() {
    type Guard = (&'static str, fn(i64, i64) -> bool);
    const GUARDS: [Guard; 4] =
        [("true", |_, _| true), ("n < 6", |n, _| n < 6), ("n >= m", |n, m| n >= m), ("m != 3", |_, m| m != 3)];
    const RANGES: [(i64, i64); 2] = [(-2, 12), (-3, 14)];
    let is_inside = |(n, m): (i64, i64)| (-2..=12).contains(&n) && (-3..=14).contains(&m);
    let (mut reachable, mut found) = (0, 0);
    for code in (0..5 * 5 * 5 * 4 * 4).step_by(7) {
        let [a, b, c] = [code % 5 - 2, code / 5 % 5 - 2, code / 25 % 5 - 2];
        let [one, other] = [code / 125 % 4, code / 500].map(|guard| GUARDS[guard as usize]);
        let effects = [(one, (a, b)), (other, (c, 1))];
        let (mut seen, mut open) = (BTreeSet::from([(1, 0)]), VecDeque::from([(1, 0)]));
        while let Some((n, m)) = open.pop_front() {
            let next = effects.iter().filter(|((_, guard), _)| guard(n, m)).map(|(_, (a, b))| (n + a, m + b));
            open.extend(next.filter(|&next| is_inside(next) && seen.insert(next)));
        }
        // One pair for each of them.
        let (n, m) = (code * 7 % 11, code * 5 % 13);
        let [(n_low, n_high), (m_low, m_high)] = RANGES;
        let effect =
            |((guard, _), (a, b)): (Guard, (i64, i64))| (guard.to_owned(), format!("n := n + ({a}), m := m + ({b})"));
        let text = agent(
            &format!("n : {n_low}..{n_high}, m : {m_low}..{m_high}"),
            "n = 1 & m = 0",
            &effects.map(effect),
            &format!("G !(a-n = {n} & a-m = {m})"),
        );
        let is_reachable = seen.contains(&(n, m));
        let is_found = violated(&text).is_some();
        assert!(is_reachable || !is_found, "{text}");
        reachable += usize::from(is_reachable);
        found += usize::from(is_found);
    }
    assert_eq!(found, reachable);
    assert!(reachable > 30, "{reachable}");
}
