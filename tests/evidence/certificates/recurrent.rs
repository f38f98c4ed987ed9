//! Certificates of violations on which no state recurs.

use super::{assert_refused, certificate, check};
use crate::common::{model, named, parsed, source};
use rcheck_smt::verify::Engine;
use serde_json::{Value, json};

/// The evidence, and a field of it.
fn evidence(certificate: &mut Value) -> &mut Value {
    &mut certificate["evidence"]["recurrent"]
}

fn list<'c>(certificate: &'c mut Value, path: &[&str]) -> &'c mut Vec<Value> {
    let found = path.iter().fold(evidence(certificate), |value, field| &mut value[*field]);
    found.as_array_mut().expect("a list")
}

/// Half of a number, of which hardly anything is known, stays large.
pub const HALVES: &str = "
    message-structure: N : int
    agent Counter
        local: n : int, k : int, b : bool
        init: n = 0 & k > 5 & !b
        receive-guard: chan = *
        repeat: (
            rise: {k / 2 >= 3 & n >= 0} *! (false)(N := n)[n := n + 1]
        )
    system = Counter(one, true)
    SPEC F one-b
";

#[test]
fn altered_recurrent_sets_are_refused() {
    let model = model(&source("features/recurrent_gap.rcp"));
    let spec = named(&model, "slow_catches_up");
    let good = certificate(&model, spec, &[Engine::Bmc]);
    assert_eq!(check(&model, &good), Ok("violated"), "{good:#}");
    let refused = |alter: &dyn Fn(&mut Value), words: &str| assert_refused(&model, &good, alter, words);
    let set = list(&mut good.clone(), &["set"]).clone();
    assert!(set.len() > 1, "{set:?}");
    for (index, condition) in set.iter().enumerate() {
        refused(&|it| drop(list(it, &["set"]).remove(index)), "does not prove");
        let negated = format!("(not {})", condition.as_str().expect("text"));
        refused(&|it| list(it, &["set"])[index] = json!(negated), "the round starts outside of the recurrent set");
    }
    refused(&|it| list(it, &["set"]).clear(), "does not prove");
    refused(&|it| list(it, &["set"]).push(json!("false")), "the round starts outside of the recurrent set");
    refused(&|it| list(it, &["set"]).push(json!("(= race-fast 2)")), "the round leads out of the recurrent set");
    refused(&|it| list(it, &["set"]).push(json!("race-fast")), "condition 3 of the set: it is a number");
    refused(&|it| list(it, &["set"]).push(json!("(<= race-x 1)")), "at character 5: nothing is called `race-x`");

    let start = good["evidence"]["recurrent"]["start"].as_u64().expect("a position");
    let steps = list(&mut good.clone(), &["trace", "steps"]).len();
    let from = |start: u64| move |it: &mut Value| evidence(it)["start"] = json!(start);
    refused(&from(start + 1), "does not prove");
    refused(&from(steps as u64), "cannot be repeated");
    refused(&from(1_000_000), "cannot be repeated");
    refused(&|it| evidence(it)["conjunct"] = json!(2), "the spec has no conjunct 2");
    refused(&|it| evidence(it)["conjunct"] = json!(0), "the spec has no conjunct 0");
    refused(&|it| evidence(it)["formula"] = json!("G false"), "and the certificate is about `G false`");
    refused(&|it| it["verdict"] = json!("holds"), "evidence of this kind");
    refused(&|it| it["model"]["fingerprint"] = json!("sha256:00"), "another one");
    let holding = &model.specs[named(&model, "both_move_on")];
    let other = json!({"number": 2, "name": "both_move_on", "formula": model.show_formula(&holding.formula)});
    refused(&|it| it["spec"] = other.clone(), "the certificate is about");
}

#[test]
fn altered_rounds_and_stems_are_refused() {
    let model = model(&source("features/recurrent_gap.rcp"));
    let good = certificate(&model, named(&model, "slow_catches_up"), &[Engine::Bmc]);
    let refused = |alter: &dyn Fn(&mut Value), words: &str| assert_refused(&model, &good, alter, words);
    let states = list(&mut good.clone(), &["trace", "states"]).len();
    for position in 0..states {
        for (field, value) in [("fast", json!(77)), ("slow", json!(-1)), ("automaton-state", json!(9))] {
            let place = format!("states[{position}]");
            refused(&|it| list(it, &["trace", "states"])[position]["race"][field] = value.clone(), &place);
        }
    }
    for position in 0..states - 1 {
        let command = |it: &mut Value| list(it, &["trace", "steps"])[position]["sender"]["command"] = json!("#9");
        refused(&command, &format!("steps[{position}]"));
    }
    let shorter = |it: &mut Value| {
        for part in ["states", "steps"] {
            list(it, &["trace", part]).pop();
        }
    };
    refused(&shorter, "does not prove");
    refused(&|it| drop(list(it, &["trace", "steps"]).pop()), "there has to be one state more");
    refused(&|it| evidence(it)["trace"] = json!({}), "neither a trace");
}

#[test]
fn quotients_in_sets_are_written_and_read() {
    let model = parsed(HALVES);
    let good = certificate(&model, 0, &[Engine::Bmc]);
    let set = good["evidence"]["recurrent"]["set"].to_string();
    assert!(set.contains("(div one-k 2)"), "{set}");
    assert_eq!(check(&model, &good), Ok("violated"), "{good:#}");
    let other = |it: &mut Value| {
        for condition in list(it, &["set"]) {
            *condition = json!(condition.as_str().expect("text").replace("one-k 2", "one-k 3"));
        }
    };
    assert_refused(&model, &good, other, "does not prove");
}

#[test]
fn evidence_with_other_fields_is_not_read() {
    let model = parsed(HALVES);
    let good = certificate(&model, 0, &[Engine::Bmc]).to_string();
    let altered = good.replace("\"start\"", "\"end\"");
    let error = rcheck_smt::certificate_file::Document::read(&altered).expect_err("a field is missing");
    assert!(error.to_string().contains("unknown field `end`"), "{error}");
}
