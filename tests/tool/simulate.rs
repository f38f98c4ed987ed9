//! The simulator as people and scripts use it: transcripts, exit codes, and a terminal.

use crate::common::terminal::Terminal;
use crate::tool::{kill, read_until, wait_for_work, wait_until};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RESOURCES: &str = "../../../specs/resource_allocation/modern.rcp";

/// The tool, run from the folder of the fixtures.
fn tool(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli"));
    command.arg("simulate").args(arguments);
    command
}

/// Runs a script to its end, which must come with the code; the transcript, and what is on standard error.
fn script(code: i32, arguments: &[&str], lines: &[&str]) -> (String, String) {
    let mut command = tool(arguments);
    command.args(["--color", "never"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the tool runs");
    let mut input = child.stdin.take().expect("a pipe");
    // A process that does not read its input need not be written to.
    let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("the tool ends");
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("the tool prints UTF-8");
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    };
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{stdout}\n{stderr}");
    (stdout, stderr)
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn conditions_are_about_states_whatever_is_assumed() {
    let lines = ["1", "until hammer-free", "until exists k : Worker . k-holds", "quit"];
    let (said, _) = script(0, &["../../../specs/features/fairness.rcp"], &lines);
    assert!(said.contains("free = true"), "{said}");
}

#[test]
fn a_run_step_by_step() {
    let lines = [
        "# the only run of this model",
        "show 1",
        "1",
        "ra",
        "back 2",
        "forward",
        "goto 2",
        "steps",
        "1",
        "state",
        "1",
        "trace",
        "specs",
        "reset",
        "quit",
        "not read any more",
    ];
    insta::assert_snapshot!("simulate_run", script(0, &["relay.rcp"], &lines).0);
}

/// There is one shortest way to everything here, so the solver has no choice.
#[test]
fn conditions_and_searches() {
    let lines = [
        "eval source-sent = 40 & !deadlock",
        "find <<chan = c & N > 80>>",
        "eval <<chan = c>>",
        "eval sink-take",
        "find deadlock",
        "reset",
        "until exists k : Source | Sink . k-automaton-state = 2",
        "find other-seen = false",
        "until sink-got = 7",
        "reset",
        "until source-tell | source-point",
        "until false",
    ];
    insta::assert_snapshot!("simulate_conditions", script(0, &["relay.rcp", "--bound", "6"], &lines).0);
}

#[test]
fn why_commands_cannot_be_taken() {
    let lines = [
        "why manager-sForward",
        "why client1-sReserve",
        "why machine1-rForward",
        "1",
        "why client2-rReserve",
        "why client1-rRelease",
        "1",
        "1",
        "why client1-rConnect",
        "why machine1-sFull",
        "1",
        "blocked",
        "why client1-sBuy",
        "why client1-sRelease",
        "until <<MSG = buy>>",
        "blocked",
        "why client1-sSolve",
        "why client2-rSolve",
        "why client3-rSolve",
    ];
    insta::assert_snapshot!("simulate_why", script(0, &[RESOURCES], &lines).0);
    let model = "../../../specs/features/get_by_name.rcp";
    let lines = ["why g-self", "why g-variable", "1", "why g-variable", "why t-serve", "why s-#1", "blocked"];
    insta::assert_snapshot!("simulate_why_get", script(0, &[model], &lines).0);
}

#[test]
fn initial_states_are_chosen() {
    let lines = [
        "state",
        "1",
        "find left-level = 1 & left-active & counter-count = 7",
        "initial",
        "constrain counter-count = 3 & left-active",
        "constrain left-level > right-level",
        "initial",
        "constrain counter-count = 3 & left-active",
        "2",
        "constrain left-active",
        "random",
        "initial",
        "constrain counter-count = 3",
        "constrain counter-count = 4",
        "constrain <<chan = *>>",
        "constrain",
    ];
    insta::assert_snapshot!("simulate_family", script(2, &["family.rcp"], &lines).0);
    let only = script(0, &["relay.rcp"], &["initial", "1"]).0;
    assert!(only.contains("1 initial state\n"), "{only}");
}

#[test]
fn mistakes_do_not_end_a_session() {
    let lines = [
        "jump",
        "s",
        "7",
        "show",
        "back",
        "forward",
        "goto 1",
        "eval sink-gott = 1",
        "eval sink-got = true & (1",
        "eval G (sink-got = 0)",
        "eval <<true>> <<true>> true",
        "eval true SPEC true",
        "eval",
        "find sender = source",
        "why sink",
        "why absent-tell",
        "constrain sink-got = 0",
        "load missing.json",
        "load relay.rcp",
        "save /no/such/folder/run.json",
        "random 1001",
        "eval true | false & false",
        "1",
    ];
    let (transcript, error) = script(2, &["relay.rcp"], &lines);
    insta::assert_snapshot!("simulate_mistakes", transcript);
    assert_eq!(error.lines().last(), Some("error: 21 of 23 lines failed"));
}

#[test]
fn runs_are_saved_and_loaded() {
    for name in ["session.json", "session.itf.json"] {
        let path = temporary(name);
        let path = path.to_str().expect("a UTF-8 path");
        let lines = ["random 3".to_owned(), "back".to_owned(), format!("save {path}")];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (transcript, _) = script(0, &["relay.rcp"], &lines);
        assert!(transcript.ends_with(&format!("saved 2 steps to {path}")), "{transcript}");
        let load = format!("load {path}");
        let (transcript, _) = script(0, &["relay.rcp"], &["random", &load, "forward 2", "1"]);
        assert!(transcript.contains("loaded 2 steps: from a simulation"), "{transcript}");
        let (transcript, _) = script(0, &["relay.rcp", "--trace", path], &["forward 2"]);
        assert!(transcript.contains("a run with 2 steps; `forward` goes along it"), "{transcript}");
        let (transcript, _) = script(2, &[RESOURCES], &[&load, "1"]);
        assert!(transcript.contains("this is a trace of another model (relay.rcp)"), "{transcript}");
        assert!(transcript.contains("\n1  after client1 -- sReserve"), "the session goes on\n{transcript}");
        let (_, error) = script(2, &[RESOURCES, "--trace", path], &[]);
        assert!(error.contains("is no trace of ") && error.contains("another model"), "{error}");
    }
}

/// A counterexample with a loop, forwards, round its loop, backwards, and left for something else.
#[test]
fn counterexamples_are_replayed() {
    let path = temporary("lasso.json");
    let file = path.to_str().expect("a UTF-8 path");
    let model = "../../../specs/features/temporal_operators.rcp";
    let mut bmc = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    bmc.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli"));
    let status = bmc.args(["bmc", model, "--spec", "eventually_three", "--bound", "8", "--save-trace", file]).output();
    assert_eq!(status.expect("the tool runs").status.code(), Some(0));
    let lines = ["forward", "forward 4", "goto 2", "specs", "forward", "back", "1", "1", "forward", "specs"];
    let (transcript, _) = script(2, &[model, "--trace", file], &lines);
    insta::assert_snapshot!("simulate_lasso", transcript);
}

#[test]
fn random_runs() {
    insta::assert_snapshot!("simulate_random", script(0, &["relay.rcp", "--random", "9"], &[]).0);
    let many = ["relay.rcp", "--random", "2", "--runs", "5", "--seed", "7"];
    insta::assert_snapshot!("simulate_random_many", script(0, &many, &[]).0);
    let run = |seed: &str| script(0, &[RESOURCES, "--random", "30", "--seed", seed], &[]).0;
    assert_eq!(run("5"), run("5"), "the same seed makes the same run");
    assert!((6..12).any(|seed| run(&seed.to_string()) != run("5")), "other seeds make other runs");
    let (run, _) = script(0, &["family.rcp", "--random", "3"], &[]);
    let drawn = run.lines().find_map(|line| line.strip_prefix("  counter  automaton-state = 0, count = "));
    let drawn: i64 = drawn.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{run}"));
    assert!((0..=10).contains(&drawn), "a value that is initial, not {drawn}");
}

#[test]
fn random_runs_that_are_stopped_say_what_they_came_to() {
    let mut command = tool(&["relay.rcp", "--random", "3", "--runs", "4000000000"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the tool runs");
    wait_for_work(child.id());
    kill("INT", child.id());
    let output = child.wait_with_output().expect("the tool ends");
    let text = |bytes| String::from_utf8(bytes).expect("the tool prints UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert!(stdout.contains(" random runs with ") && stdout.contains(": violated by "), "{stdout}");
    assert!(stderr.contains(" of 4000000000 runs: interrupted"), "{stderr}");
    assert_eq!(output.status.code(), Some(130));
}

/// Where a run is stuck, there is one way to go on.
#[test]
fn stuck_runs_are_judged() {
    let model = "agent A\n    local: x : int\n    init: x = 0\n    receive-guard: chan = *\n\
                     repeat: s: {x = 0} *! (true)()[x := 1]\nsystem = A(a, true)\n\
                 SPEC F (a-x = 2)\nSPEC F G (a-x = 1)\nSPEC G F (a-x = 2)\n";
    let path = temporary("stuck_run.rcp");
    std::fs::write(&path, model).expect("a writable folder");
    let path = path.to_str().expect("UTF-8");
    let (transcript, _) = script(0, &["-q", path], &["1", "specs"]);
    assert_eq!(transcript.matches(": violated: the run is stuck here for ever").count(), 2, "{transcript}");
    assert!(transcript.contains(": holds on this run, which is stuck here for ever"), "{transcript}");
    // Nothing says that they are expected to be violated.
    script(1, &["-q", path, "--random", "3"], &[]);
    let (transcript, _) = script(0, &["-q", path], &["specs"]);
    assert_eq!(transcript.matches("open: a liveness property").count(), 3, "{transcript}");
    let (summary, _) = script(1, &["-q", path, "--random", "9", "--runs", "2"], &[]);
    assert_eq!(summary.matches(": violated by 2 runs").count(), 2, "{summary}");
}

/// A spec that one run cannot decide is named, also where a run is stuck.
#[test]
fn specs_of_other_runs_and_knowledge_are_not_decided_by_a_run() {
    let model = "agent A\n    local: p : bool, q : bool\n    init: !p\n    receive-guard: chan = *\n\
                     repeat: go: {!p} *! (true)()[p := true]\n\
                 agent B\n    receive-guard: chan = *\n    repeat: wait: {false} *! (true)()[]\n\
                 system = A(a, !q) || B(b, true)\n\
                 // name: e\nSPEC G E(F !a-p);\n// name: k\nSPEC G (K(b, !a-p) & A(F a-p) & GK({a, b}, !a-q));\n\
                 // name: plain\nSPEC G !a-q;\n// name: mixed\nSPEC G (!a-p & K(b, !a-q));\n";
    let path = temporary("beyond_one_run.rcp");
    std::fs::write(&path, model).expect("a writable folder");
    let path = path.to_str().expect("UTF-8");
    let (e, k) = (
        "1 e: one run does not decide it: it speaks of other runs (E)\n",
        "2 k: one run does not decide it: it speaks of other runs (A) and of knowledge (K, GK)\n",
    );
    let (transcript, _) = script(0, &["-q", path], &["specs", "1", "specs"]);
    for undecided in [e, k] {
        assert_eq!(transcript.matches(undecided).count(), 2, "before the step and where it is stuck\n{transcript}");
    }
    let mixed = "4 mixed: one run does not decide it: it speaks of knowledge (K)\n";
    assert!(transcript.contains("3 plain: holds so far\n") && transcript.contains(mixed), "{transcript}");
    assert!(
        transcript.contains("4 mixed: violated at 1\n"),
        "a run can violate what speaks of knowledge\n{transcript}"
    );
    let (summary, _) = script(1, &["-q", path, "--random", "9", "--runs", "2"], &[]);
    assert!(summary.contains(e) && summary.contains(k), "{summary}");
    assert!(summary.contains("spec 4 mixed: violated by 2 runs") && !summary.contains(mixed), "{summary}");
    assert!(!summary.contains("plain"), "{summary}");
}

#[test]
fn arguments_that_make_no_sense() {
    for (arguments, expected) in [
        (&["relay.rcp", "--trace", "missing.json"][..], "cannot read missing.json"),
        (&["relay.rcp", "--trace", "relay.rcp"], "relay.rcp is no trace of relay.rcp"),
        (&["relay.rcp", "--trace", "x.json", "--random", "3"], "cannot be used with"),
        (&["relay.rcp", "--runs", "3"], "--random"),
        (&["relay.rcp", "--random", "3", "--runs", "0"], "'0'"),
        (&["broken.rcp"], "Error"),
    ] {
        let (_, error) = script(2, arguments, &[]);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

/// A search that takes too long, on a model where this takes minutes.
const HARD: [&str; 3] = ["../../../specs/load_balancing.rcp", "--bound", "60"];
const HARD_CONDITION: &str = "find worker1-given + worker2-given + worker3-given != 0";

#[test]
fn a_search_can_be_given_up() {
    let lines = [HARD_CONDITION, "jump"];
    let (transcript, _) = script(2, &[HARD[0], HARD[1], HARD[2], "--timeout", "2s"], &lines);
    assert!(transcript.contains("error: unknown (timeout)"), "{transcript}");
    assert!(transcript.contains("there is no command `jump`"), "the session goes on\n{transcript}");
}

/// Ctrl-C ends the search, not the session.
#[test]
fn a_search_can_be_interrupted() {
    let mut command = tool(&HARD);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the tool runs");
    let input = format!("{HARD_CONDITION}\nfind true\n");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the tool reads");
    let told = read_until(child.stdout.as_mut().expect("a pipe"), HARD_CONDITION);
    wait_for_work(child.id());
    kill("INT", child.id());
    let output = child.wait_with_output().expect("the tool ends");
    let transcript = told + &String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{transcript}");
    assert!(transcript.contains("unknown (interrupted)"), "{transcript}");
    assert!(transcript.contains("\n0  initial state"), "the session goes on\n{transcript}");
}

#[test]
fn a_conversation_on_a_terminal() {
    let (mut terminal, mut child) = Terminal::new(tool(&["relay.rcp"]), 120);
    terminal.answer_to("", "one step is possible");
    terminal.answer_to("1\r", "after source -- tell on * (N = 41)");
    terminal.answer_to("jump\r", "there is no command `jump`");
    // Control-C drops the line.
    terminal.answer_to("nonsense\x03", "");
    // Words are completed; Control-U empties the line.
    terminal.press("wh\t");
    terminal.wait_for("why");
    terminal.press(" sink-ta\t");
    terminal.wait_for("sink-take");
    terminal.answer_to("\x15back\r", "initial state");
    // Arrows bring back what was said before.
    terminal.answer_to("\x1b[A\x1b[A\x1b[A\r", "after source -- tell");
    terminal.answer_to("find deadlock\r", "stuck:");
    terminal.press("\x04");
    wait_until("end of the tool", || child.try_wait().expect("the tool is there").is_some());
    assert_eq!(child.wait().expect("it ended").code(), Some(0), "{}", terminal.seen);
    assert!(terminal.seen.contains("\x1b["), "colours on a terminal");
    assert!(!terminal.seen.contains("panicked"), "{}", terminal.seen);
}
