//! Responses for all sizes: each premise and each instance of the rule is needed, whatever is altered is refused, and
//! cvc5 answers the queries.

use super::solver::write_queries_of;
use super::{assert_refused, certificate, check, folder, prove};
use crate::common::cvc5::cvc5;
use crate::common::{model, parsed, source};
use rcheck_smt::check::Verdict;
use rcheck_smt::model::Model;
use rcheck_smt::verify::{Engine, Subject};
use serde_json::{Value, json};

/// A model of any number of agents and a desk, with a response that is claimed to hold. Its first spec holds.
fn text(commands: &str, desk: &str, assumed: &str, spec: &str) -> Model {
    parsed(&format!(
        "enum channel {{c}}
         message-structure: M : int
         agent A
             local: x : bool, y : bool
             init: !x & !y
             receive-guard: chan = c
             repeat: ({commands})
         agent Desk
             local: n : int, z : bool
             init: n = 0 & !z
             receive-guard: false
             repeat: ({desk})
         system = A(a[*], true) || Desk(desk, true)
         SPEC G true
         {assumed}
         SPEC {spec}"
    ))
}

/// The outcome of a claim about the second spec.
fn claimed(model: &Model, members: u32, witnesses: Value, progress: Value) -> Result<&'static str, String> {
    let mut document = certificate(model, 0, &[Engine::Pdr]);
    document["spec"] = json!({"number": 2, "name": null, "formula": model.show_formula(&model.specs[1].formula)});
    document["evidence"]["uniform"] = json!({
        "members": {"a": members}, "clauses": [], "witnesses": witnesses, "progress": progress, "checked": [],
    });
    check(model, &document).map_err(|why| why.to_string())
}

fn wrong(size: u32, why: &str) -> Result<&'static str, String> {
    Err(format!("the certificate does not prove its verdict: with {size} members: {why}"))
}

const START: &str = "what is said to be true while the goal is waited for is false when that begins";
const KEPT: &str = "a step makes false what is said to be true while the goal is waited for";
const RANKED: &str = "a step makes the ranks greater";
const HELPED: &str = "a step leaves the ranks as they are, and is the helper's or ends the case";
const ENABLED: &str = "the helper cannot act";
const COVERED: &str = "no agent helps";

const ALL: &str = "ASSUME (forall k : A . weak(k)) & weak(desk);";
const SET: &str = "forall k : A . G (!k-x -> (F k-x))";

fn progress(pending: &[&str], ranks: &[&str], condition: &str, helper: Value) -> Value {
    json!([{"pending": pending, "ranks": ranks, "cases": [{"condition": condition, "helper": helper}]}])
}

/// Each claim is about a spec that is violated, or about what is not so, and one premise says that.
#[test]
fn each_premise_is_needed() {
    let own = |label: &str| json!({"agent": "a1", "by": format!("a1-{label}")});
    let idle = "d: {false} *! (true)()[]";
    let sets = text("s: {!x} *! (false)()[x := true]", idle, ALL, SET);
    let of_sets = |pending: &[&str], condition: &str| progress(pending, &[], condition, own("s"));
    assert_eq!(claimed(&sets, 2, json!([]), of_sets(&["(not a1-x)"], "true")), Ok("holds"));
    assert_eq!(claimed(&sets, 2, json!([]), of_sets(&["a1-y"], "true")), wrong(1, START));
    assert_eq!(claimed(&sets, 2, json!([]), of_sets(&["(not a1-x)"], "a1-x")), wrong(1, COVERED));
    // No agent is treated fairly.
    let unfair = text("s: {!x} *! (false)()[x := true]", idle, "", SET);
    assert_eq!(claimed(&unfair, 2, json!([]), of_sets(&["(not a1-x)"], "true")), wrong(1, ENABLED));
    // One member is treated fairly, and others are not.
    for assumed in
        ["ASSUME weak(a1);", "ASSUME exists k : A . weak(k);", "ASSUME size(A) <= 3 -> (forall k : A . weak(k));"]
    {
        let unfair = text("s: {!x} *! (false)()[x := true]", idle, assumed, SET);
        let outcome = claimed(&unfair, 2, json!([]), of_sets(&["(not a1-x)"], "true"));
        assert!(outcome.as_ref().is_err_and(|why| why.contains(ENABLED)), "{assumed}: {outcome:?}");
    }
    // It acts for ever by another command.
    let idles = text("s: {!x} *! (false)()[x := true] + t: {!x} *! (false)()[]", idle, ALL, SET);
    assert_eq!(claimed(&idles, 2, json!([]), of_sets(&["(not a1-x)"], "true")), wrong(1, HELPED));
    // A step of another member ends the case, or a condition that is claimed while the goal is waited for.
    let disturbed = text(
        "s: {!x & !y} *! (false)()[x := true] + t: {true} *! (true)()[] + r: {true} *? [y := true]",
        idle,
        ALL,
        SET,
    );
    assert_eq!(claimed(&disturbed, 2, json!([]), of_sets(&["(not a1-x)", "(not a1-y)"], "true")), wrong(1, START));
    let once = text(
        "s: {!x & !y} *! (false)()[x := true] + t: {!x} *! (true)()[] + r: {true} *? [y := true]",
        idle,
        "ASSUME forall k : A . weak(k-s);",
        "forall k : A . G ((!k-x & !k-y) -> (F k-x))",
    );
    let by_command = json!({"agent": "a1", "command": "a1-s", "by": "a1-s"});
    assert_eq!(claimed(&once, 2, json!([]), progress(&["(not a1-y)"], &[], "true", by_command)), wrong(2, KEPT));
    // Someone who listens has nothing to receive.
    let blocked = text("s: {!x} c! (true)()[x := true]", idle, ALL, SET);
    assert_eq!(claimed(&blocked, 2, json!([]), of_sets(&["(not a1-x)"], "true")), wrong(2, ENABLED));
    let heard = text("s: {!x} c! (true)()[x := true] + r: {true} c? []", idle, ALL, SET);
    assert_eq!(claimed(&heard, 2, json!([]), of_sets(&["(not a1-x)"], "true")), Ok("holds"));
    // The desk counts down; members count up again.
    let count = |more: &str| {
        let supply = format!("s: {{true}} SUPPLY@(any)()[n := n{more}]");
        let down = format!("d: {{n > 0}} *! (true)()[n := n - 1] + {supply}");
        text("g: {true} GET@(true)()[]", &down, "ASSUME weak(desk-d);", "G (F desk-n <= 0)")
    };
    let down = json!({"agent": "desk", "command": "desk-d", "by": "desk-d"});
    let of_count = |ranks: &[&str]| progress(&["(< 0 desk-n)"], ranks, "true", down.clone());
    assert_eq!(claimed(&count(""), 1, json!([]), of_count(&["desk-n"])), Ok("holds"));
    assert_eq!(claimed(&count(""), 1, json!([]), of_count(&[])), wrong(0, HELPED));
    // It becomes less, but it is negative.
    assert_eq!(claimed(&count(""), 1, json!([]), of_count(&["(- desk-n 1000)"])), wrong(0, RANKED));
    assert_eq!(claimed(&count(" + 1"), 1, json!([]), of_count(&["desk-n"])), wrong(1, RANKED));
}

/// Some members exist, and others are only said to.
#[test]
fn witnesses_are_checked() {
    let take = |returns: &str| {
        text(
            &format!("g: {{!x}} GET@(true)()[x := true] + b: {{x}} GET@(true)()[x := {returns}]"),
            "s: {!z} SUPPLY@(any)()[z := true] + t: {z} SUPPLY@(any)()[z := false]",
            ALL,
            "G (F !desk-z)",
        )
    };
    let witness = |when: &str, condition: &str| json!([{"member": "a1", "when": when, "condition": condition}]);
    let helped = |condition: &str| progress(&["desk-z"], &[], condition, json!({"agent": "a1"}));
    // The agent that takes first may be another one than the one that brings back, so none is known to have it.
    let model = take("false");
    assert!(claimed(&model, 2, json!([]), helped("a1-x")).is_err());
    let why = claimed(&model, 2, witness("true", "a1-x"), helped("a1-x"));
    assert_eq!(why, wrong(0, "initially, no agent is the witness"));
    let why = claimed(&model, 2, witness("desk-z", "a1-x"), helped("a1-x"));
    assert_eq!(why, wrong(1, "after a step, no agent is the witness"));
    for (field, value) in [("member", json!("desk")), ("when", json!("a1-x")), ("condition", json!("a2-x"))] {
        let mut witness = witness("desk-z", "a1-x");
        witness[0][field] = value;
        assert!(claimed(&model, 2, witness, helped("a1-x")).is_err(), "{field}");
    }
}

/// The shipped models whose responses are proved.
const PROVED: [&str; 5] = ["ticket_lock", "token", "server", "read_write_lock", "two_phase_commit"];

/// The places of the specs that call for a response and are expected to hold.
fn responses(model: &Model) -> Vec<usize> {
    use rcheck_smt::model::spec::Expectation;
    let is_one = |spec: &usize| {
        let spec = &model.specs[*spec];
        spec.under.is_some() && spec.expect == Some(Expectation::Holds)
    };
    (0..model.specs.len()).filter(is_one).collect()
}

#[test]
fn altered_responses_are_refused() {
    let mut all = 0;
    for name in PROVED {
        let model = model(&source(format!("parametrised/{name}.rcp")));
        for spec in responses(&model) {
            let good = certificate(&model, spec, &Engine::ALL);
            if good["evidence"]["uniform"]["progress"].is_null() {
                continue;
            }
            all += 1;
            assert_eq!(check(&model, &good), Ok("holds"));
            let cases = good["evidence"]["uniform"]["progress"][0]["cases"].as_array().expect("a list").len();
            let at = |path: &[&str], value: Value| {
                let change = |document: &mut Value| {
                    let start = &mut document["evidence"]["uniform"];
                    let place = path.iter().fold(start, |at, step| match step.parse::<usize>() {
                        Ok(index) => &mut at[index],
                        Err(_) => &mut at[*step],
                    });
                    *place = value;
                };
                assert_refused(&model, &good, change, "certificate");
            };
            at(&["progress"], json!([]));
            at(&["progress", "0", "cases"], json!([]));
            at(&["progress", "0", "pending"], json!(["false"]));
            at(&["progress", "0", "pending"], json!(["1"]));
            at(&["progress", "0", "ranks"], json!(["nonsense"]));
            let twice = good["evidence"]["uniform"]["progress"][0].clone();
            at(&["progress"], json!([twice.clone(), twice]));
            for case in 0..cases {
                let place = case.to_string();
                at(&["progress", "0", "cases", &place, "condition"], json!("false"));
                at(&["progress", "0", "cases", &place, "helper", "agent"], json!("stranger"));
                at(&["progress", "0", "cases", &place, "helper", "by"], json!("nothing"));
            }
        }
    }
    assert!(all >= 7, "{all}");
}

#[test]
fn another_solver_agrees_about_responses() {
    let folder = folder("response-queries");
    let mut files = Vec::new();
    for name in PROVED {
        let model = model(&source(format!("parametrised/{name}.rcp")));
        let subject = Subject::new(&model);
        for spec in responses(&model) {
            let verdict = prove(&subject, spec, &Engine::ALL);
            assert!(matches!(verdict, Verdict::Holds(_)), "{name} {spec}: {verdict:?}");
            files.extend(write_queries_of(&verdict, &folder, name, &model, spec));
        }
    }
    assert!(files.len() > 100, "{}", files.len());
    for (file, answer) in cvc5(&files) {
        assert_eq!(answer, "unsat", "{}", file.display());
    }
}
