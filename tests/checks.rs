//! Checks beyond specs, and notes on specs that hold vacuously, as people see them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Counts up together until an overflow makes it stop; one command is never taken.
const COUNTERS: &str = "message-structure: N : 0..5
agent A
    local: n : 0..3, dead : bool
    init: n = 0 & !dead
    receive-guard: chan = *
    repeat: (
        up: {true} *! (true)(N := n + n)[n := n + 1]
        + never: {dead} *! (true)()[dead := dead]
        + hear: {true} *? [n := n + 1]
    )
system = A(a, true) || A(b, true)
";

/// Goes on for ever; `big` never happens.
const TICKS: &str = "agent T
    local: n : int, up : bool
    init: n = 0 & up
    receive-guard: chan = *
    repeat: (tick: {up} *! (true)()[n := n + 1, up := false] + tock: {!up} *! (true)()[up := true]
        + big: {n < 0} *! (true)()[])
system = T(t, true)
SPEC G (t-n < 0 -> t-up)
SPEC G ([[sender = t]] (t-n >= 0)) & G (t-big -> F t-tick)
SPEC G (t-n >= 0)
";

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the folder is writable");
    path
}

/// What the tool prints on a file, and its exit code.
fn run(path: &Path, arguments: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.args(arguments).arg(path).args(["--color", "never"]).stdin(Stdio::null());
    let output = command.output().expect("the tool runs");
    let text = String::from_utf8(output.stdout).expect("the tool prints UTF-8");
    (text, output.status.code().expect("an exit code"))
}

/// The lines that say what is known of a check.
fn results(text: &str) -> Vec<String> {
    let is_result = |line: &&str| ["deadlock", "overflow", "command", "spec"].iter().any(|word| line.starts_with(word));
    let shortened = |line: &str| line.split(" (").next().unwrap_or(line).to_owned();
    text.lines().filter(is_result).map(shortened).collect()
}

#[test]
fn all_checks_are_decided() {
    let path = file("counters.rcp", COUNTERS);
    let (text, code) = run(&path, &["prove", "--deadlock", "--overflow", "--dead-code"]);
    let expected = [
        "deadlock: possible after 3 steps",
        "overflow of command A-up: possible after 3 steps",
        "overflow of command A-never: impossible",
        "overflow of command A-hear: possible after 3 steps",
        "command A-up: taken after 1 step",
        "command A-never: dead",
        "command A-hear: taken after 1 step",
    ];
    assert_eq!(
        results(&text),
        expected.into_iter().filter(|line| !line.contains("of command A-never")).collect::<Vec<_>>()
    );
    assert_eq!(code, 1);
    assert!(text.contains("counters.rcp:8:11\n  never: {dead}"), "{text}");
    assert!(text.contains("at 3: `deadlock` is true"), "{text}");
}

#[test]
fn bounded_checks_prove_nothing() {
    let path = file("bounded.rcp", COUNTERS);
    let (text, code) = run(&path, &["bmc", "--bound", "2", "--deadlock", "--dead-code"]);
    let expected = [
        "deadlock: not found up to depth 2",
        "command A-up: taken after 1 step",
        "command A-never: not taken up to depth 2",
        "command A-hear: taken after 1 step",
    ];
    assert_eq!((results(&text), code), (expected.map(str::to_owned).to_vec(), 0));
}

#[test]
fn infinite_models_are_checked_as_well() {
    let path = file("ticks.rcp", TICKS);
    let (text, code) = run(&path, &["prove", "--deadlock", "--dead-code"]);
    let expected = [
        "deadlock: impossible",
        "command T-tick: taken after 1 step",
        "command T-tock: taken after 2 steps",
        "command T-big: dead",
    ];
    assert_eq!((results(&text), code), (expected.map(str::to_owned).to_vec(), 1));
    // Specs are checked beside it only if they are named.
    let (text, code) = run(&path, &["prove", "--deadlock", "--spec", "3"]);
    assert_eq!((results(&text).len(), code), (2, 0));
    let nothing = "no command can overflow: none writes a variable that has a range\n";
    let (text, code) = run(&path, &["prove", "--overflow"]);
    assert_eq!((text.as_str(), code), (nothing, 0));
    let (text, code) = run(&path, &["prove", "--overflow", "--deadlock"]);
    assert!(text.starts_with(nothing) && text.contains("deadlock: impossible"), "{text}");
    assert_eq!(code, 0);
}

#[test]
fn specs_that_hold_vacuously_get_a_note() {
    let (text, code) = run(&file("vacuous.rcp", TICKS), &["prove"]);
    assert_eq!(code, 0, "{text}");
    let notes: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("note: ")).collect();
    let notes: Vec<&str> = notes.iter().map(|note| note.split(" (").next().unwrap_or(note)).collect();
    assert_eq!(notes, ["holds vacuously: `t-n < 0` never happens", "holds vacuously: `t-big` never happens"]);
}

#[test]
fn specs_that_say_never_are_not_vacuous() {
    let model = TICKS.split("SPEC").next().expect("a model").to_owned();
    let specs = "SPEC G ([[sender != t]] false); SPEC G (t-n < 0 -> false); SPEC G (t-big -> false);";
    let (text, code) = run(&file("never.rcp", &format!("{model}{specs}")), &["prove"]);
    assert_eq!((code, text.contains("vacuously")), (0, false), "{text}");
    assert_eq!(text.matches(": holds").count(), 3, "{text}");
}
