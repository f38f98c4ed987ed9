//! Expectations of specs, and comparison of the verdicts with them.

use crate::tool::{Folder, project};
use serde_json::Value;

/// A model with one spec that holds and one that is violated at depth 2, and what these expect.
fn model(holds: &str, violated: &str) -> String {
    format!(
        "agent A\n local: x : 0..5\n init: x = 0\n receive-guard: false\n\
         repeat: up: {{x < 5}} *! (true)()[x := x + 1]\nsystem = A(one, true)\n\
         // name: inside{holds}\nSPEC G (one-x <= 5);\n// name: small{violated}\nSPEC G (one-x < 2);\n"
    )
}

#[test]
fn expectations_decide() {
    let folder = Folder::new("batch_expectations");
    let cases = [
        (", expect: holds", ", expect: violated", "prove", 0, ["met", "met"]),
        (", expect: holds", ", expect: violated", "bmc", 0, ["met", "met"]),
        ("", "", "bmc", 1, ["null", "null"]),
        ("", ", expect: violated", "prove", 0, ["null", "met"]),
        (", expect: violated", ", expect: violated", "prove", 1, ["mismatch", "met"]),
        (", expect: violated", ", expect: violated", "bmc", 4, ["open", "met"]),
        (", expect: holds", ", expect: holds", "bmc", 1, ["met", "mismatch"]),
        (", expect: unknown", ", expect: violated", "bmc", 0, ["met", "met"]),
        (", expect: unknown", "", "prove", 1, ["mismatch", "null"]),
    ];
    for (holds, violated, mode, code, expected) in cases {
        folder.write("m.rcp", model(holds, violated));
        let bound: &[&str] = if mode == "bmc" { &["--bound", "4"] } else { &[] };
        let command = ["batch", "m.rcp", "--mode", mode, "--output", "r.jsonl", "--quiet"];
        folder.run(code, &[&command[..], bound].concat());
        let records = folder.records("r.jsonl");
        let found: Vec<&str> = records.iter().map(|record| record["agreement"].as_str().unwrap_or("null")).collect();
        assert_eq!(found, expected, "{mode} {holds} {violated}");
        // The summary of the results has the same code.
        folder.run(code, &["report", "r.jsonl"]);
    }
}

#[test]
fn mismatches_are_told() {
    let folder = Folder::new("batch_mismatch");
    folder.write("m.rcp", model(", expect: holds", ", expect: holds"));
    let done = folder.run(1, &["batch", "m.rcp", "--bound", "4", "--junit", "r.xml"]);
    assert!(
        done.stdout.contains("m.rcp:10 2 small: violated after 2 steps; unexpected: the file expects `holds`"),
        "{}",
        done.stdout
    );
    assert!(folder.read("r.xml").contains("type=\"mismatch\""));
    // Bad input counts more.
    folder.run(2, &["batch", "m.rcp", "missing.rcp", "--quiet"]);
}

/// The expectations of the shipped models. Violated specs that a small bound cannot show come out clear.
#[test]
fn specs_are_as_expected() {
    let folder = Folder::new("batch_specs");
    let specs = project().join("specs");
    let specs = specs.to_str().expect("a UTF-8 path");
    folder.run(4, &["batch", specs, "--bound", "5", "--output", "r.jsonl", "--quiet"]);
    let records = folder.records("r.jsonl");
    // Bounded, models of any size are looked at in one size, and nothing is said of other runs, knowledge and strategies.
    let is_bounded = |record: &&Value| {
        let model = record["model"].as_str().expect("a record has a model");
        !["specs/parametrised", "specs/knowledge", "specs/strategies", "specs/ispl"]
            .iter()
            .any(|folder| model.contains(folder))
    };
    let open = |record: &&Value| record["agreement"] != "met" && is_bounded(record);
    let open: Vec<&Value> = records.iter().filter(open).collect();
    let names: Vec<&str> = open.iter().filter_map(|record| record["name"].as_str()).collect();
    let expected = [
        "the_gap_stays_small",
        "label_release_disconnects_as_written",
        "label_release_disconnects_as_written",
        "few_tickets",
        "some_node_falls_behind_under_fairness",
    ];
    assert_eq!(names, expected);
    assert!(open.iter().all(|record| record["agreement"] == "open" && record["verdict"] == "clear"), "{open:?}");
    assert!(records.len() >= 406, "{}", records.len());
}
