//! The output of a batch.

use crate::tool::{Folder, project, records, verdicts};
use serde_json::Value;
use std::collections::BTreeSet;

/// Two models, one of them deep in a folder.
fn two_models(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder.write("a/b/stutter.rcp", std::fs::read(project().join("specs/features/stutter.rcp")).expect("shipped"));
    folder
}

const TWO_MODELS: [&str; 12] = [
    "a/b/stutter.rcp 1 clear",
    "a/b/stutter.rcp 2 clear",
    "a/b/stutter.rcp 3 clear",
    "a/b/stutter.rcp 4 clear",
    "a/b/stutter.rcp 5 clear",
    "a/b/stutter.rcp 6 violated",
    "a/b/stutter.rcp 7 violated",
    "relay.rcp 1 violated",
    "relay.rcp 2 clear",
    "relay.rcp 3 violated",
    "relay.rcp 4 violated",
    "relay.rcp 5 violated",
];

#[test]
fn results_come_in_one_order() {
    let folder = two_models("batch_order");
    for (index, paths) in [&["."][..], &["relay.rcp", "./a"], &["**/*.rcp", "a/b/stutter.rcp"]].iter().enumerate() {
        let jobs = (index + 1).to_string();
        let arguments = [&["batch", "--bound", "6", "--output", "r.jsonl", "--jobs", &jobs][..], paths].concat();
        folder.run(0, &arguments);
        assert_eq!(verdicts(&folder.records("r.jsonl")), TWO_MODELS, "{paths:?}");
    }
}

#[test]
fn every_file_is_written() {
    let folder = two_models("batch_files");
    let exports = ["--junit", "r.xml", "--csv", "r.csv", "--html", "r.html", "--traces", "traces"];
    let done = folder.run(0, &[&["batch", ".", "--bound", "6", "--output", "r.jsonl"][..], &exports].concat());
    assert!(done.stdout.contains("12 specs in 2 files: 6 violated (as expected), 6 clear; "), "{}", done.stdout);
    assert!(folder.read("r.xml").contains("tests=\"12\" skipped=\"0\" failures=\"0\" errors=\"0\""));
    assert_eq!(folder.read("r.csv").lines().count(), 13);
    let page = folder.read("r.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("told_first"));
    // Counterexamples are in the page, told step by step, and in files.
    assert!(page.contains("back to") && !page.contains("No chart:"), "{page}");
    assert_eq!(page.matches("<div class=\"chart\"><svg").count(), 6, "{page}");
    let records = folder.records("r.jsonl");
    for record in records.iter().filter(|record| record["verdict"] == "violated") {
        let evidence: Vec<&str> =
            record["evidence"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let of =
            |ending: &str| evidence.iter().find(|path| path.ends_with(ending)).unwrap_or_else(|| panic!("{ending}"));
        let saved: Value = serde_json::from_str(&folder.read(of("json"))).expect("JSON");
        assert_eq!(saved["steps"], record["trace"]["steps"]);
        assert!(folder.read(of("itf.json")).contains("#meta") && folder.read(of("txt")).contains("initial state"));
        assert!(folder.read(of("svg")).starts_with("<svg"));
    }
}

/// The page says why there is no picture where the model is not the same any more.
#[test]
fn reports_do_without_the_models() {
    let folder = two_models("batch_report");
    folder.run(0, &["batch", ".", "--bound", "6", "--output", "r.jsonl"]);
    folder.write("relay.rcp", folder.read("relay.rcp") + "\n// changed");
    std::fs::remove_file(folder.path("a/b/stutter.rcp")).expect("it was there");
    folder.run(0, &["report", "r.jsonl", "--html", "r.html"]);
    let page = folder.read("r.html");
    assert!(page.contains("relay.rcp has changed since") && page.contains("cannot read a/b/stutter.rcp"), "{page}");
    assert!(page.contains("&quot;kind&quot;:&quot;multicast&quot;"), "{page}");
}

/// Before any work, not after it.
#[test]
fn a_missing_folder_is_refused_at_once() {
    let folder = two_models("batch_missing_folder");
    for option in ["--html", "--csv", "--junit", "--output"] {
        let done = folder.run(2, &["batch", ".", "--bound", "6", option, "missing/file"]);
        assert!(
            done.stderr.contains("cannot write missing/file: there is no folder missing"),
            "{option}: {}",
            done.stderr
        );
        assert!(done.stdout.is_empty(), "{option}: {}", done.stdout);
    }
}

#[test]
fn shards_share_the_work() {
    let folder = two_models("batch_shards");
    let mut all = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let output = format!("{}.jsonl", &shard[..1]);
        folder.run(0, &["batch", ".", "--bound", "6", "--shard", shard, "--output", &output]);
        let part = verdicts(&folder.records(&output));
        assert_eq!(part.len(), 4, "{part:?}");
        all.extend(part);
    }
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 12);
    let done = folder.run(0, &["report", "3.jsonl", "1.jsonl", "2.jsonl", "--csv", "all.csv"]);
    assert!(done.stdout.contains("12 specs in 2 files: 6 violated (as expected), 6 clear"), "{}", done.stdout);
    let csv = folder.read("all.csv");
    let models: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert!(models.is_sorted(), "{models:?}");
}

#[test]
fn reading_alone_is_a_mode() {
    let folder = two_models("batch_check");
    folder.write("broken.rcp", "system = ");
    folder.run(2, &["batch", ".", "--mode", "check", "--output", "r.jsonl"]);
    let expected = ["a/b/stutter.rcp null well-formed", "broken.rcp null error", "relay.rcp null well-formed"];
    assert_eq!(verdicts(&folder.records("r.jsonl")), expected);
}

#[test]
fn proofs_are_records_too() {
    let folder = two_models("batch_prove");
    let command = ["batch", "a", "--mode", "prove", "--engine", "explicit", "--output", "r.jsonl", "--quiet"];
    folder.run(0, &command);
    let records = folder.records("r.jsonl");
    assert_eq!(records.iter().filter(|record| record["verdict"] == "holds").count(), 5);
    for record in records.iter().filter(|record| record["verdict"] == "holds") {
        assert!(
            record["engine"] == "explicit" && record["proof"].as_str().is_some_and(|proof| proof.contains("states"))
        );
    }
}

/// The commands for one model give the same records, but for what only a process that does one thing at a time knows.
#[test]
fn single_models_have_the_same_schema() {
    let folder = two_models("batch_single");
    folder.run(0, &["batch", "relay.rcp", "--bound", "6", "--output", "r.jsonl", "--quiet"]);
    let done = folder.run(0, &["bmc", "relay.rcp", "--bound", "6", "--format", "json"]);
    let fields = |record: &Value| record.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    let (batch, single) = (folder.records("r.jsonl"), records(&done.stdout));
    assert_eq!(verdicts(&batch), verdicts(&single));
    for (batch, single) in batch.iter().zip(&single) {
        assert_eq!(fields(batch), fields(single));
        for field in ["text", "expect", "depth", "loop_start", "agreement", "engine", "bound", "sha256", "versions"] {
            assert_eq!(batch[field], single[field], "{field}");
        }
    }
    folder.write("single.jsonl", &done.stdout);
    folder.run(0, &["report", "single.jsonl"]);
    let proved = records(&folder.run(0, &["prove", "relay.rcp", "--format", "json"]).stdout);
    assert_eq!(proved[1]["verdict"], "holds");
    folder.write("broken.rcp", "system = ");
    for file in ["broken.rcp", "missing.rcp"] {
        let broken = records(&folder.run(2, &["bmc", file, "--format", "json"]).stdout);
        assert_eq!(verdicts(&broken), [format!("{file} null error")]);
        assert!(broken[0]["reason"].is_string(), "{broken:?}");
    }
}

/// Every field of a record is in the documentation, and the documented version is ours.
#[test]
fn the_schema_is_documented() {
    let text = std::fs::read_to_string(project().join("docs/results.md")).expect("the documentation is there");
    let folder = two_models("batch_schema");
    folder.run(2, &["batch", ".", "nothing", "--bound", "3", "--output", "r.jsonl", "--quiet"]);
    for record in folder.records("r.jsonl") {
        assert!(text.contains(&format!("Version {} of the schema", record["schema"])));
        for (field, value) in record.as_object().expect("an object") {
            assert!(text.contains(&format!("| `{field}` ")), "{field} is not documented");
            let inner = if field == "trace" { None } else { value.as_object() };
            for inner in inner.into_iter().flat_map(|object| object.keys()) {
                assert!(text.contains(&format!("`{inner}`")), "{field}.{inner} is not documented");
            }
        }
    }
}
