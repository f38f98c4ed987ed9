//! Time, memory, and deaths: each costs its unit alone.

use crate::tool::{Folder, HARD, end, is_alive, kill, project, verdicts, wait_for_work, wait_until, workers};
use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};

/// Five specs that are easy, one that is not, and five that are easy.
fn hard(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder.write("easy.rcp", folder.read("relay.rcp"));
    let hard = std::fs::read_to_string(project().join(HARD)).expect("shipped");
    let (agents, _) = hard.split_once("// name:").expect("specs with names");
    let (_, spec) = hard.split_once("// name: gifts_cancel_out").expect("the hard spec");
    let (spec, _) = spec.split_once("// name:").unwrap_or((spec, ""));
    folder.write("hard.rcp", format!("{agents}// name: gifts_cancel_out{spec}"));
    folder
}

const UNITS: usize = 11;

const COMMAND: [&str; 6] = ["batch", ".", "--bound", "60", "--output", "r.jsonl"];

/// How many results are written so far.
fn results(folder: &Folder) -> usize {
    if folder.path("r.jsonl").exists() { folder.read("r.jsonl").lines().count() } else { 0 }
}

fn of_cause<'r>(records: &'r [Value], cause: &str) -> Vec<&'r Value> {
    records.iter().filter(|record| record["cause"] == cause).collect()
}

/// Ten to the eighth states, and a spec that fails at once.
const STATES: &str = "agent A
    local: x : 0..9
    init: x = 0
    receive-guard: false
    repeat: (up: {x < 9} *! (true)()[x := x + 1] + down: {x > 0} *! (true)()[x := x - 1])
system = A(a, true) || A(b, x = 0) || A(c, x <= 0) || A(d, x < 1) || A(e, !(x > 0)) || A(f, x + x = 0) || A(g, x * 3 = 0) || A(h, 0 = x)
SPEC G (a-x + b-x + c-x + d-x + e-x + f-x + g-x + h-x < 73)
SPEC G (a-x < 1)
";

/// A search that takes too much gives up; easy specs are answered all the same.
#[test]
fn memory_is_a_limit_of_one_spec() {
    let folder = Folder::new("batch_memory");
    folder.write("states.rcp", STATES);
    let command = ["batch", "states.rcp", "--mode", "prove", "--engine", "explicit", "--memory", "100"];
    folder.run(1, &[&command[..], &["--output", "r.jsonl", "--quiet"]].concat());
    let records = folder.records("r.jsonl");
    let [full, easy] = &records[..] else { panic!("{records:?}") };
    assert_eq!((full["verdict"].as_str(), full["cause"].as_str()), (Some("unknown"), Some("memory")), "{full}");
    assert_eq!(easy["verdict"], "violated");
    for record in &records {
        assert!(record["peak_memory"].as_f64().is_none_or(|megabytes| megabytes < 130.0), "{record}");
    }
}

#[test]
fn time_is_a_limit_of_one_spec() {
    let folder = hard("batch_limits");
    folder.run(4, &[&COMMAND[..], &["--timeout", "1s", "--quiet"]].concat());
    let records = folder.records("r.jsonl");
    assert_eq!(records.len(), UNITS);
    let late = of_cause(&records, "timeout");
    assert!(late.iter().any(|record| record["model"] == "hard.rcp"), "{:?}", verdicts(&records));
    for record in late {
        assert!(record["verdict"] == "unknown" && record["agreement"] == "open", "{record}");
    }
}

/// Less than a process takes before it does anything.
#[test]
fn no_memory_at_all_is_unknown() {
    let folder = hard("batch_no_memory");
    folder.run(4, &["batch", "hard.rcp", "--memory", "5", "--output", "r.jsonl", "--quiet"]);
    let records = folder.records("r.jsonl");
    assert!(records.iter().all(|record| record["cause"] == "memory" && record["verdict"] == "unknown"), "{records:?}");
}

#[test]
fn a_dead_worker_costs_its_unit_alone() {
    for (signal, cause, verdict, code) in [("KILL", "killed", "unknown", 4), ("ABRT", "crash", "internal-error", 3)] {
        let folder = hard(&format!("batch_{signal}"));
        let batch = folder.start(&[&COMMAND[..], &["--jobs", "1"]].concat());
        wait_until("fifth result", || results(&folder) == 5);
        let worker = workers(&batch)[0];
        wait_for_work(worker);
        kill(signal, worker);
        let done = end(batch);
        assert_eq!(done.code, code, "{}\n{}", done.stdout, done.stderr);
        let records = folder.records("r.jsonl");
        assert_eq!(records.len(), UNITS);
        assert!(records.iter().all(|record| record["model"] == "hard.rcp" || record["cause"].is_null()), "{signal}");
        let [dead] = of_cause(&records, cause)[..] else { panic!("{signal}: {:?}", verdicts(&records)) };
        assert_eq!(dead["verdict"], verdict);
        let reason = dead["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("the worker process died: signal"), "{reason}");
    }
}

#[test]
fn an_interrupt_keeps_what_is_known() {
    let folder = hard("batch_interrupt");
    let batch = folder.start(&[&COMMAND[..], &["--jobs", "1"]].concat());
    wait_until("first result", || results(&folder) > 0);
    let workers = workers(&batch);
    kill("INT", batch.id());
    let done = end(batch);
    assert_eq!(done.code, 130);
    assert!(done.stderr.contains("stopped early") && done.stderr.contains("--resume"), "{}", done.stderr);
    let records = folder.records("r.jsonl");
    let known = of_cause(&records, "interrupted").len();
    assert!(known <= 1 && (1..UNITS).contains(&records.len()), "{:?}", verdicts(&records));
    assert!(!workers.into_iter().any(is_alive));
    // A unit that was interrupted is answered by the next run, and known answers are kept.
    let done = folder.run(4, &[&COMMAND[..], &["--resume", "--timeout", "1s"]].concat());
    assert!(done.stderr.contains(&format!("/{}] ", UNITS - records.len() + known)), "{}", done.stderr);
    assert_eq!(folder.records("r.jsonl").len(), UNITS);
}

/// Workers notice that no batch waits for them.
#[test]
fn a_killed_batch_is_resumed() {
    let folder = hard("batch_killed");
    let mut batch = folder.start(&[&COMMAND[..], &["--jobs", "1"]].concat());
    wait_until("first result", || results(&folder) > 0);
    let workers = workers(&batch);
    kill("KILL", batch.id());
    batch.wait().expect("it is dead");
    wait_until("end of the workers", || !workers.iter().any(|&worker| is_alive(worker)));
    let before = folder.records("r.jsonl");
    folder.run(4, &[&COMMAND[..], &["--resume", "--timeout", "1s", "--quiet"]].concat());
    let after = folder.records("r.jsonl");
    assert_eq!((after.len(), &after[..before.len()]), (UNITS, &before[..]));
}

/// A known answer stays until a better one is known, also if none is found.
#[test]
fn a_killed_resumption_keeps_what_is_unknown() {
    let folder = hard("batch_killed_again");
    folder.run(4, &[&COMMAND[..], &["--timeout", "0.5s", "--quiet"]].concat());
    let before = folder.records("r.jsonl");
    assert!(!of_cause(&before, "timeout").is_empty());
    let place = || std::fs::metadata(folder.path("r.jsonl")).expect("there is a file").ino();
    for signal in ["KILL", "INT"] {
        let old = place();
        let batch = folder.start(&[&COMMAND[..], &["--resume", "--jobs", "1"]].concat());
        wait_until("new file", || place() != old);
        kill(signal, batch.id());
        let done = batch.wait_with_output().expect("it ends");
        assert_ne!(done.status.code(), Some(0));
        let after = folder.records("r.jsonl");
        let of = |record: &Value| {
            after.iter().any(|other| ["model", "spec"].iter().all(|field| other[field] == record[field]))
        };
        assert!(before.iter().all(of), "{:?}", verdicts(&after));
        // Of one at most it is only known that it was asked again.
        let late = of_cause(&after, "timeout").len();
        let decided = after.iter().filter(|record| record["cause"].is_null()).count();
        assert!(late + decided + 1 >= before.len(), "{signal}: {:?}", verdicts(&after));
    }
}

/// Two runs would overwrite what the other knows.
#[test]
fn a_file_of_results_belongs_to_one_run_at_a_time() {
    let folder = hard("batch_lock");
    let batch = folder.start(&[&COMMAND[..], &["--jobs", "1"]].concat());
    wait_until("first result", || results(&folder) > 0);
    for more in [&[][..], &["--resume"]] {
        let done = folder.run(2, &[&COMMAND[..], more].concat());
        assert!(done.stderr.contains("another run is writing r.jsonl"), "{}", done.stderr);
    }
    assert!(!folder.read("r.jsonl").is_empty());
    kill("INT", batch.id());
    assert_eq!(end(batch).code, 130);
    // A run that has ended keeps no lock, however it ended.
    folder.run(0, &["batch", "relay.rcp", "--output", "r.jsonl"]);
}

/// All states of four counters are too many; how far the exploration came is told, and the limit is the cause.
#[test]
fn explorations_keep_the_limits() {
    let folder = Folder::new("batch_exploration");
    folder.write(
        "counters.rcp",
        "agent A local: x : 0..60 init: x = 0 receive-guard: false repeat: up: {x < 60} *! (true)()[x := x + 1]\n\
         system = A(a, true) || A(b, true) || A(c, true) || A(d, true)\n\
         // name: apart\nSPEC G (a-x + 2 * b-x + 3 * c-x + 4 * d-x <= 600)\n",
    );
    for (cause, limit) in [("memory", ["--memory", "60"]), ("timeout", ["--timeout", "0.4s"])] {
        let command = ["batch", ".", "--mode", "prove", "--engine", "explicit", "--output", "r.jsonl", "--quiet"];
        folder.run(4, &[&command[..], &limit].concat());
        let records = folder.records("r.jsonl");
        assert_eq!((records.len(), &records[0]["cause"]), (1, &Value::from(cause)), "{records:?}");
        let reason = records[0]["reason"].as_str().unwrap_or_default();
        let states = reason
            .split("; states of model and automaton visited: ")
            .nth(1)
            .and_then(|number| number.parse::<usize>().ok());
        let megabytes = records[0]["peak_memory"].as_f64();
        // In a short time a busy machine visits none.
        let is_told = states.is_some_and(|states| states > 1000) && megabytes.is_some_and(|used| used < 60.0);
        assert!(cause == "timeout" || is_told, "{records:?}");
    }
}

/// A run of the tool that depends on its parent ends with it, also when that is killed.
#[test]
fn a_tool_that_depends_ends_with_its_parent() {
    let folder = hard("batch_dependent");
    let mut command = Command::new("sh");
    command.args(["-c", "\"$0\" bmc hard.rcp --bound 200 & wait", env!("CARGO_BIN_EXE_rcheck-smt")]);
    command.current_dir(folder.path("")).env("RCHECK_SMT_DEPENDENT", "1");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut shell = command.spawn().expect("there is a shell");
    let tool = workers(&shell)[0];
    wait_for_work(tool);
    kill("KILL", shell.id());
    shell.wait().expect("it was killed");
    wait_until("the end of the tool", || !is_alive(tool));
}
