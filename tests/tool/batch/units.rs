//! Units by their names: listed on one machine, answered on others, merged again.

use crate::tool::{Folder, end, kill, records, wait_for_work, workers};
use serde_json::Value;
use std::process::{Command, Stdio};

/// Specs, a family with a size to choose, a file with errors.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    for file in ["relay.rcp", "broken.rcp"] {
        folder.copy(&format!("tests/fixtures/cli/{file}"));
    }
    folder
}

fn units(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let done = folder.run(0, &[&["batch", "--units"], arguments].concat());
    done.stdout.lines().map(str::to_owned).collect()
}

/// The records without what depends on the moment.
fn timeless(records: Vec<Value>) -> Vec<Value> {
    let without_times = |mut record: Value| {
        record["seconds"] = Value::Null;
        record["peak_memory"] = Value::Null;
        record
    };
    records.into_iter().map(without_times).collect()
}

#[test]
fn units_make_what_a_batch_makes() {
    let folder = folder("units_merge");
    folder.run(2, &["batch", ".", "--bound", "6", "--output", "all.jsonl", "--quiet"]);
    let listed = units(&folder, &["."]);
    assert_eq!(listed.len(), 6, "{listed:?}");
    assert!(listed[0].starts_with("broken.rcp:file@") && listed[1].starts_with("relay.rcp:spec-1@"), "{listed:?}");
    // All ways to shard give the same parts.
    let halves = [units(&folder, &[".", "--shard", "1/2"]), units(&folder, &[".", "--shard", "2/2"])];
    assert_eq!(listed, (0..6).map(|index| halves[index % 2][index / 2].clone()).collect::<Vec<_>>());
    let mut merged = Vec::new();
    for (number, id) in listed.iter().enumerate() {
        let file = format!("unit-{number}.jsonl");
        let done = folder.run(0, &["unit", id, "--bound", "6", "--output", &file, "--format", "json"]);
        assert_eq!(folder.read(&file), done.stdout, "printed and written");
        merged.extend(folder.records(&file));
    }
    assert_eq!(timeless(merged), timeless(folder.records("all.jsonl")));
    let ids = folder.records("all.jsonl").into_iter().map(|record| record["id"].as_str().expect("text").to_owned());
    assert_eq!(ids.collect::<Vec<_>>(), listed);
    // Several in one job, in whatever order.
    let mut backwards: Vec<&str> = listed.iter().map(String::as_str).collect();
    backwards.reverse();
    folder.run(0, &[&["unit", "--bound", "6", "--output", "some.jsonl", "--quiet"][..], &backwards].concat());
    assert_eq!(timeless(folder.records("some.jsonl")), timeless(folder.records("all.jsonl")));
}

/// A list that is interrupted does not know the names of all units, and prints none.
#[test]
fn an_interrupted_list_is_no_list() {
    let folder = folder("units_interrupted");
    let agent = "agent A local: x : int init: x = 0 receive-guard: false repeat: a: {true} *! (true)()[]";
    folder.write("large.rcp", format!("{agent}\nsystem = A(one[1..50000], true)\nSPEC G (one1-x = 0);\n"));
    let child = folder.start(&["batch", "--units", "."]);
    workers(&child);
    kill("INT", child.id());
    let done = end(child);
    assert_eq!((done.code, done.stdout.as_str()), (130, ""), "{}", done.stderr);
}

#[test]
fn checks_and_constants_have_units() {
    let folder = Folder::new("units_checks");
    folder.copy("specs/features/constants_and_families.rcp");
    folder.copy("tests/fixtures/cli/relay.rcp");
    let agent = "agent A local: x : bool init: x receive-guard: false repeat: a: {true} *! (true)()[]";
    folder.write("bounded.rcp", format!("{agent}\nsystem = A(one, true)\nSPEC G one-x;\n"));
    let listed = [
        units(&folder, &["relay.rcp"]),
        units(&folder, &["relay.rcp", "--deadlock"]),
        units(&folder, &["relay.rcp", "--dead-code"]),
        units(&folder, &["bounded.rcp", "--overflow"]),
        units(&folder, &["constants_and_families.rcp", "--const", "N=3..4"]),
    ]
    .concat();
    assert!(listed.iter().any(|id| id.starts_with("relay.rcp:deadlock@")), "{listed:?}");
    assert!(listed.iter().any(|id| id.starts_with("relay.rcp:dead-code-35@")), "{listed:?}");
    // Nothing in it can overflow.
    assert!(listed.iter().any(|id| id.starts_with("bounded.rcp:file@")), "{listed:?}");
    assert!(listed.iter().any(|id| id.starts_with("constants_and_families.rcp:N=3:spec-1@")), "{listed:?}");
    let ids: Vec<&str> = listed.iter().map(String::as_str).collect();
    let done = folder.run(0, &[&["unit", "--bound", "4", "--format", "json", "--quiet"][..], &ids].concat());
    let mut answered: Vec<String> =
        records(&done.stdout).iter().map(|record| record["id"].as_str().expect("text").to_owned()).collect();
    let mut asked = listed.clone();
    answered.sort();
    asked.sort();
    assert_eq!(answered, asked);
}

#[test]
fn what_is_no_unit_is_said() {
    let folder = folder("units_wrong");
    let listed = units(&folder, &["relay.rcp"]);
    let done = folder.run(2, &["unit", "relay.rcp", "x@1", &listed[0]]);
    assert!(done.stderr.contains("`relay.rcp`, `x@1` are no unit"), "{}", done.stderr);
    folder.write("relay.rcp", folder.read("relay.rcp") + "\n");
    let done = folder.run(2, &["unit", &listed[0], &listed[1]]);
    assert_eq!(done.stderr.matches("has changed since the units were listed").count(), 2, "{}", done.stderr);
    for (arguments, words) in [
        (&["--output", "r.jsonl"][..], "needs"),
        (&["--format", "sarif"], "prints names"),
        (&["--slowest-first", "missing"], "cannot read missing"),
    ] {
        let done = folder.run(2, &[&["batch", "--units", "relay.rcp"], arguments].concat());
        assert!(done.stderr.contains(if words == "needs" { "`--resume`" } else { words }), "{}", done.stderr);
    }
}

#[test]
fn what_is_left_is_listed() {
    let folder = folder("units_left");
    let listed = units(&folder, &["relay.rcp", "--bound", "6"]);
    let some: Vec<&str> = listed[1..3].iter().map(String::as_str).collect();
    folder.run(0, &[&["unit", "--bound", "6", "--output", "r.jsonl", "--quiet"][..], &some].concat());
    let left = units(&folder, &["relay.rcp", "--bound", "6", "--output", "r.jsonl", "--resume"]);
    assert_eq!(left, [&listed[..1], &listed[3..]].concat());
    // With another bound it is another question.
    assert_eq!(units(&folder, &["relay.rcp", "--bound", "7", "--output", "r.jsonl", "--resume"]), listed);
    // A unit that is not known may be slow.
    let mut known = folder.records("r.jsonl");
    known[0]["seconds"]["wall"] = 1.0.into();
    known[1]["seconds"]["wall"] = 2.0.into();
    folder.write("slow.jsonl", known.iter().map(|record| format!("{record}\n")).collect::<String>());
    let slowest = units(&folder, &["relay.rcp", "--slowest-first", "slow.jsonl"]);
    let order = [0, 3, 4, 2, 1].map(|index| listed[index].clone());
    assert_eq!(slowest, order);
    let described = folder.run(0, &["batch", "--units", "relay.rcp", "--format", "json"]).stdout;
    assert_eq!(records(&described)[1]["name"], "told_first");
}

/// Jobs of one unit each, as many at a time as there are workers, as schedulers start them.
#[test]
fn many_jobs_lose_nothing() {
    let folder = Folder::new("units_jobs");
    folder.copy("specs/bank.rcp");
    folder.copy("specs/ticket_lock.rcp");
    folder.run(4, &["batch", ".", "--bound", "3", "--output", "all.jsonl", "--quiet"]);
    let listed = units(&folder, &[".", "--bound", "3"]);
    folder.write("units", listed.join("\n") + "\n");
    let script = "xargs --max-args 1 --max-procs 2 sh -c '\"$0\" unit --quiet --jobs 1 --bound 3 \"$1\" --output \
                  \"results-$(echo \"$1\" | tr -c a-z0-9 _).jsonl\" >/dev/null' \"$0\" <units && cat results-*.jsonl >merged.jsonl";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_rcheck-smt")]).current_dir(folder.path("."));
    let done = end(shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("there is a shell"));
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    folder.run(4, &["report", "merged.jsonl"]);
    let by_id = |name: &str| {
        let mut records = timeless(folder.records(name));
        records.sort_by_key(|record| record["id"].as_str().expect("text").to_owned());
        records
    };
    assert_eq!(by_id("merged.jsonl"), by_id("all.jsonl"));
}

/// A job that is killed in the midst of its units has written what it knew, and the rest is listed again.
#[test]
fn a_killed_job_costs_what_it_was_at() {
    let folder = Folder::new("units_killed");
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder.copy(crate::tool::HARD);
    let easy = units(&folder, &["relay.rcp", "--bound", "6"]);
    let hard = units(&folder, &["load_balancing.rcp", "--bound", "60"]);
    let job = |ids: &[String], bound: &str| {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let how = ["unit", "--quiet", "--jobs", "1", "--bound", bound, "--output", "r.jsonl", "--resume"];
        folder.start(&[&how[..], &ids].concat())
    };
    assert_eq!(end(job(&easy, "6")).code, 0);
    let before = folder.read("r.jsonl");
    let mut killed = job(&hard[1..2], "60");
    let worker = workers(&killed)[0];
    wait_for_work(worker);
    kill("KILL", killed.id());
    killed.wait().expect("it is killed");
    assert_eq!(folder.read("r.jsonl"), before);
    assert!(units(&folder, &["relay.rcp", "--bound", "6", "--output", "r.jsonl", "--resume"]).is_empty());
    let left = units(&folder, &["load_balancing.rcp", "--bound", "60", "--output", "r.jsonl", "--resume"]);
    assert_eq!(left, hard);
}
