//! Runs that meet bad input, go on from earlier ones, stop early, or are silent.

use crate::tool::{Folder, verdicts};
use std::os::unix::fs::{PermissionsExt, symlink};

fn relay(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder
}

const RELAY: [&str; 5] = [
    "relay.rcp 1 violated",
    "relay.rcp 2 clear",
    "relay.rcp 3 violated",
    "relay.rcp 4 violated",
    "relay.rcp 5 violated",
];

const COMMAND: [&str; 6] = ["batch", ".", "--bound", "6", "--output", "r.jsonl"];

#[test]
fn bad_files_cost_themselves() {
    let folder = relay("batch_bad_files");
    folder.copy("tests/fixtures/cli/broken.rcp");
    folder.write("empty.rcp", "");
    folder.write("binary.rcp", b"system = \xff\xfe");
    let agent = "agent A local: x : int init: x = 0 receive-guard: false repeat: a: {true} *! (true)()[]";
    folder.write("specless.rcp", format!("{agent}\nsystem = A(one, true)\n"));
    folder.write("secret.rcp", "");
    let no_access = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(folder.path("secret.rcp"), no_access).expect("it is ours");
    symlink("nowhere", folder.path("dangling.rcp")).expect("links are possible");
    let pipe = std::process::Command::new("mkfifo").arg(folder.path("pipe.rcp")).status();
    assert!(pipe.expect("there are pipes").success());
    symlink("round", folder.path("round")).expect("links are possible");
    std::fs::create_dir(folder.path("hollow")).expect("the folder is writable");
    let more = ["hollow", "*.xyz", "missing.rcp", "relay.rcp"];
    let done = folder.run(2, &[&COMMAND[..], &more].concat());
    let records = folder.records("r.jsonl");
    let (errors, answers): (Vec<_>, Vec<_>) = records.iter().cloned().partition(|record| record["verdict"] == "error");
    assert_eq!(verdicts(&answers), RELAY);
    for (file, reason) in [
        ("*.xyz", "no file fits the pattern"),
        ("binary.rcp", "no UTF-8 text"),
        ("broken.rcp", "errors more"),
        ("dangling.rcp", "cannot read"),
        ("empty.rcp", "the file holds no model"),
        ("hollow", "no file that ends with .rcp"),
        ("missing.rcp", "cannot read missing.rcp"),
        ("pipe.rcp", "no regular file"),
        ("round", "cannot read"),
        ("secret.rcp", ""),
        ("specless.rcp", "no spec"),
    ] {
        let record = errors.iter().find(|record| record["model"] == file).unwrap_or_else(|| panic!("{file}"));
        assert!(record["reason"].as_str().is_some_and(|words| words.contains(reason)), "{record}");
        assert!(done.stdout.contains(&format!("{file} (file): error")), "{file}: {}", done.stdout);
    }
    assert_eq!(errors.len(), 11, "{errors:?}");
    let broken = errors.iter().find(|record| record["model"] == "broken.rcp").expect("found before");
    assert!(broken["findings"].as_array().is_some_and(|findings| findings.len() > 1), "{broken}");
}

#[test]
fn nothing_to_do_is_said() {
    let folder = Folder::new("batch_nothing");
    let done = folder.run(2, &["batch", "."]);
    assert!(done.stdout.contains("the folder has no file that ends with .rcp"), "{}", done.stdout);
    for (arguments, expected) in [
        (&["batch"][..], "<PATH>"),
        (&["batch", ".", "--shard", "3/2"], "1/4"),
        (&["batch", ".", "--mode", "guess"], "'guess'"),
        (&["batch", ".", "--resume"], "--output"),
        (&["batch", ".", "--output", "no/where/r.jsonl"], "cannot write no/where/r.jsonl"),
        (&["batch", ".", "--csv", "no/where/r.csv"], "cannot write no/where/r.csv"),
        (&["report", "missing.jsonl"], "cannot read missing.jsonl"),
    ] {
        let done = folder.run(2, arguments);
        assert!(done.stderr.contains(expected), "{arguments:?}: {}", done.stderr);
    }
}

#[test]
fn only_what_changed_is_answered_again() {
    let folder = relay("batch_resume");
    folder.write("copy.rcp", folder.read("relay.rcp"));
    let again = |bound: &str, more: &[&str]| {
        let done =
            folder.run(0, &[&["batch", ".", "--output", "r.jsonl", "--resume", "--bound", bound], more].concat());
        done.stderr.lines().filter(|line| line.starts_with('[')).count()
    };
    assert_eq!(again("6", &[]), 10, "there is nothing to resume from");
    let first = folder.read("r.jsonl");
    assert_eq!(again("6", &[]), 0);
    assert_eq!(folder.read("r.jsonl"), first);
    folder.write("copy.rcp", folder.read("relay.rcp") + "// changed\n");
    assert_eq!(again("6", &[]), 5);
    // A decided answer stays with other limits, but not with another bound.
    assert_eq!(again("6", &["--timeout", "100"]), 0);
    assert_eq!(again("7", &[]), 10);
    // Counterexamples that are not written yet are worth a search.
    assert_eq!(again("7", &["--traces", "traces"]), 8);
    assert_eq!(again("7", &["--traces", "traces"]), 0);
}

#[test]
fn a_file_that_is_cut_is_read_up_to_there() {
    let folder = relay("batch_cut");
    folder.run(0, &COMMAND);
    let whole = folder.read("r.jsonl");
    folder.write("r.jsonl", &whole[..whole.len() - 30]);
    let done = folder.run(0, &["report", "r.jsonl"]);
    assert!(done.stderr.contains("the last line is cut off") && done.stdout.contains("4 specs"), "{}", done.stderr);
    let done = folder.run(0, &[&COMMAND[..], &["--resume"]].concat());
    assert!(done.stderr.contains("[1/1] relay.rcp 5 starts_high"), "{}", done.stderr);
    assert_eq!(verdicts(&folder.records("r.jsonl")), RELAY);
    // A line in the midst is not interrupted work.
    folder.write("r.jsonl", format!("{{\"schema\": 99}}\nnonsense\n{whole}"));
    let done = folder.run(2, &["report", "r.jsonl"]);
    assert!(done.stderr.contains("line 1: it has version 99") && done.stderr.contains("line 2: it is no"));
    assert!(done.stdout.contains("5 specs"), "{}", done.stdout);
    folder.write("other.txt", "nothing\n".repeat(9));
    let done = folder.run(2, &["report", "other.txt"]);
    assert_eq!(done.stderr, "error: other.txt is no file of results: no line of it is one\n");
    let first = whole.lines().next().expect("a result");
    folder.write("mixed.txt", format!("{first}\n{}", "nothing\n".repeat(9)));
    let done = folder.run(2, &["report", "mixed.txt", "other.txt"]);
    assert!(done.stderr.contains("4 more lines like that"), "{}", done.stderr);
    let done = folder.run(2, &["report", "other.txt"]);
    assert!(done.stdout.contains("0 specs in 0 files: nothing to do; 0.0 s of work"), "{}", done.stdout);
}

/// Shards, modes and models can go to one file, one after the other.
#[test]
fn what_is_not_asked_is_kept() {
    let folder = relay("batch_others");
    folder.write("other.rcp", folder.read("relay.rcp"));
    let run = |more: &[&str]| {
        let bound: &[&str] = if more.contains(&"prove") { &[] } else { &["--bound", "6"] };
        let done = folder.run(0, &[&["batch", "--output", "r.jsonl", "--resume"], bound, more].concat());
        let asked = done.stderr.lines().filter(|line| line.starts_with('[')).count();
        (asked, folder.records("r.jsonl").len())
    };
    assert_eq!(run(&["relay.rcp"]), (5, 5));
    assert_eq!(run(&["other.rcp", "--shard", "1/2"]), (3, 8));
    assert_eq!(run(&["other.rcp", "--shard", "2/2"]), (2, 10));
    assert_eq!(run(&["relay.rcp", "--mode", "prove"]), (5, 15));
    assert_eq!(run(&["."]), (0, 15));
    let order: Vec<_> = folder.records("r.jsonl").iter().map(|record| record["model"].to_string()).collect();
    assert!(order.is_sorted(), "{order:?}");
    // Answers about an older version of a model go.
    folder.write("relay.rcp", folder.read("relay.rcp") + "// changed\n");
    assert_eq!(run(&["relay.rcp"]), (5, 10));
}

/// A file that cannot be read is not lost.
#[test]
fn other_files_are_not_overwritten() {
    let folder = relay("batch_overwrite");
    let model = folder.read("relay.rcp");
    let done = folder.run(2, &["batch", ".", "--output", "relay.rcp"]);
    assert!(done.stderr.contains("relay.rcp is what this command reads"), "{}", done.stderr);
    assert_eq!(folder.read("relay.rcp"), model);
    folder.write("short.txt", "one line without an end");
    let done = folder.run(2, &["batch", ".", "--output", "short.txt"]);
    assert!(done.stderr.contains("short.txt is no file of results"), "{}", done.stderr);
    std::fs::create_dir(folder.path("folder")).expect("the folder is writable");
    let done = folder.run(2, &["batch", ".", "--output", "folder"]);
    assert!(done.stderr.contains("folder is a folder"), "{}", done.stderr);
    folder.run(0, &COMMAND);
    let newer = folder.read("r.jsonl").replace("\"schema\":2", "\"schema\":99");
    folder.write("r.jsonl", &newer);
    let done = folder.run(2, &[&COMMAND[..], &["--resume"]].concat());
    assert!(done.stderr.contains("a later version of this tool"), "{}", done.stderr);
    assert_eq!(folder.read("r.jsonl"), newer);
    // A run that does not resume starts anew: also where a run was killed at its very beginning.
    folder.run(0, &COMMAND);
    for beginning in ["", "{\"sch"] {
        folder.write("r.jsonl", beginning);
        folder.run(0, &[&COMMAND[..], &["--resume"]].concat());
        assert_eq!(verdicts(&folder.records("r.jsonl")), RELAY);
    }
}

#[test]
fn failures_can_stop_the_run() {
    let folder = Folder::new("batch_fail_fast");
    let model = |expect: &str| {
        format!(
            "agent A local: x : 0..5 init: x = 0 receive-guard: false repeat: up: {{x < 5}} *! (true)()[x := x + 1]\n\
             system = A(one, true)\n// name: small, expect: {expect}\nSPEC G (one-x < 2);\n"
        )
    };
    folder.write("a.rcp", model("violated"));
    folder.write("b.rcp", model("holds"));
    folder.write("c.rcp", model("violated"));
    let done = folder.run(1, &[&COMMAND[..], &["--fail-fast", "--jobs", "1"]].concat());
    assert!(done.stderr.contains("stopped early: 1 not run"), "{}", done.stderr);
    assert_eq!(verdicts(&folder.records("r.jsonl")), ["a.rcp 1 violated", "b.rcp 1 violated"]);
}

#[test]
fn the_progress_can_be_silent() {
    let folder = relay("batch_quiet");
    let loud = folder.run(0, &COMMAND);
    assert_eq!(loud.stderr.lines().count(), 5);
    let quiet = folder.run(0, &[&COMMAND[..], &["--quiet"]].concat());
    assert_eq!(quiet.stderr, "");
    assert!(quiet.stdout.contains("5 specs in 1 file"), "{}", quiet.stdout);
}

#[test]
fn the_worker_is_not_listed() {
    let folder = Folder::new("batch_worker");
    assert!(!folder.run(0, &["--help"]).stdout.contains("worker "));
    // Without questions it ends.
    assert_eq!(folder.run(0, &["worker"]).stdout, "");
}
