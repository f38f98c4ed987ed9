//! Certificates, and checks beyond specs.

use crate::tool::{Folder, verdicts};
use serde_json::Value;

/// The certificate of a record.
fn certificate(record: &Value) -> Option<&str> {
    let mut evidence = record["evidence"].as_array()?.iter().filter_map(Value::as_str);
    evidence.find(|path| path.ends_with(".certificate.json"))
}

/// Models whose specs have the same names, in one folder with the traces.
#[test]
fn certificates_are_checked_later() {
    let folder = Folder::new("batch_certificates");
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder.write("a/relay.rcp", folder.read("relay.rcp"));
    let command = ["batch", ".", "--mode", "prove", "--output", "r.jsonl", "--traces", "e", "--certificate", "e"];
    folder.run(0, &command);
    let records = folder.records("r.jsonl");
    let paths: Vec<&str> = records.iter().filter_map(certificate).collect();
    assert_eq!((records.len(), paths.len()), (10, 10), "{records:?}");
    for (record, path) in records.iter().zip(&paths) {
        let done = folder.run(0, &["certify", record["model"].as_str().expect("a path"), path]);
        assert!(done.stdout.contains(&format!("{path}: valid: spec {}", record["spec"])), "{}", done.stdout);
    }
    // A file that is there is kept; one that is gone is made again.
    let again = || {
        let done = folder.run(0, &[&command[..], &["--resume"]].concat());
        done.stderr.lines().filter(|line| line.starts_with('[')).count()
    };
    assert_eq!(again(), 0);
    std::fs::remove_file(folder.path(paths[3])).expect("it was there");
    assert_eq!(again(), 1);
    assert!(folder.path(paths[3]).exists());
}

#[test]
fn checks_are_units_too() {
    let folder = Folder::new("batch_checks");
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder.copy("tests/fixtures/cli/broken.rcp");
    let command = ["batch", ".", "--mode", "prove", "--overflow", "--output", "r.jsonl", "--certificate", "c"];
    folder.run(2, &command);
    let expected = ["broken.rcp null error", "relay.rcp null well-formed"];
    assert_eq!(verdicts(&folder.records("r.jsonl")), expected, "no variable of the relay has a range");
    let command = ["batch", "relay.rcp", "--deadlock", "--dead-code", "--output", "r.jsonl", "--bound", "6"];
    folder.run(1, &command);
    let batch = folder.records("r.jsonl");
    let done = folder.run(1, &["bmc", "relay.rcp", "--deadlock", "--dead-code", "--bound", "6", "--format", "json"]);
    assert_eq!(verdicts(&batch), verdicts(&crate::tool::records(&done.stdout)));
    assert!(batch.len() > 2 && batch.iter().all(|record| record["check"].is_string()), "{batch:?}");
    let done = folder.run(1, &[&command[..], &["--resume"]].concat());
    assert!(!done.stderr.contains('['), "{}", done.stderr);
}

#[test]
fn modes_have_their_options() {
    let folder = Folder::new("batch_options");
    folder.copy("tests/fixtures/cli/relay.rcp");
    for (arguments, words) in [
        (&["--certificate", "c"][..], "--certificate needs --mode prove"),
        (&["--mode", "check", "--deadlock"], "only reads the files"),
        (&["--mode", "prove", "--certificate", "relay.rcp"], "relay.rcp is no folder"),
    ] {
        let done = folder.run(2, &[&["batch", "relay.rcp"][..], arguments].concat());
        assert!(done.stderr.contains(words), "{}", done.stderr);
    }
}
