//! The display on a terminal while the tool works, and the effect of Ctrl-C then.

use crate::common::terminal::Terminal;
use crate::tool::{kill, read_until, wait_for_work};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// It is an open question (Collatz) if the sequence always comes down to 1.
const COLLATZ: &str = "agent A
    local: x : int, n : int, k : int
    init: n = 1 & x = n & k = 0
    repeat: (
        even: {x > 1 & x - 2 * (x / 2) = 0} *! (true)()[x := x / 2, k := k + 1]
        + odd: {x > 1 & x - 2 * (x / 2) != 0} *! (true)()[x := 3 * x + 1, k := k + 1]
        + next: {x <= 1} *! (true)()[n := n + 1, x := n + 1, k := 0]
    )
system = A(a, true)
// name: comes_down
SPEC G F a-x = 1
// name: quickly
SPEC G (a-k < a-n * a-n + 40)
// name: counts
SPEC G (a-k >= 0)
";

fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, COLLATZ).expect("the folder is writable");
    path
}

fn tool(arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.args(arguments).args(["--color", "never"]).arg(file);
    command
}

/// Interrupts the tool while this engine is at work, once what it shows says so.
fn interrupt(engine: &str, shown: &str) {
    let file = file(&format!("interrupt_{engine}.rcp"));
    let arguments = ["prove", "--engine", engine, "--spec", "comes_down"];
    let (mut terminal, mut child) = Terminal::new(tool(&arguments, &file), 100);
    terminal.wait_for(shown);
    // The solver needs a moment until it is at it.
    wait_for_work(child.id());
    kill("INT", child.id());
    terminal.wait_for("spec 1 comes_down: unknown (interrupted)");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{engine}");
}

#[test]
fn every_engine_shows_how_far_it_is_and_stops_on_an_interrupt() {
    for (engine, shown) in [
        ("explicit", "states"),
        ("bmc", "bmc: clear to"),
        ("kind", "kind: depth"),
        ("pdr", "pdr: depth"),
        ("rlive", "rlive: depth"),
        ("spacer", "spacer"),
    ] {
        interrupt(engine, shown);
    }
}

#[test]
fn specs_are_printed_in_their_order_above_what_is_being_done_and_summed_up() {
    let file = file("order.rcp");
    let specs = ["--spec", "counts", "--spec", "comes_down", "--spec", "quickly"];
    let (mut terminal, mut child) = Terminal::new(tool(&[&["prove", "--jobs", "1"], &specs[..]].concat(), &file), 100);
    terminal.wait_for("spec 3 counts: holds (");
    terminal.wait_for("1 of 3 done, 1 running");
    terminal.wait_for("spec 1 comes_down");
    kill("INT", child.id());
    terminal.wait_for("spec 1 comes_down: unknown (interrupted");
    terminal.wait_for("spec 2 quickly: unknown (interrupted");
    terminal.wait_for("3 specs: 1 holds, 2 unknown; ");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn who_wants_quiet_sees_results_alone() {
    let file = file("quiet.rcp");
    let output = tool(&["prove", "--quiet", "--spec", "counts"], &file).output().expect("the tool runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.starts_with("spec 3 counts: holds (") && !out.contains("1 spec:"), "{out}");
    assert!(!err.contains("running") && !err.contains("depth"), "{err}");
}

/// The output of the tool on standard error until all of these events were told; then it is interrupted.
fn logged(name: &str, arguments: &[&str], events: &[&str]) -> String {
    let file = file(name);
    let mut command = tool(arguments, &file);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the tool runs");
    let errors = child.stderr.as_mut().expect("it is piped");
    let mut log = String::new();
    while !events.iter().all(|event| log.contains(event)) {
        log += &read_until(errors, "\n");
    }
    kill("INT", child.id());
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(130), "{log}");
    log
}

#[test]
fn the_log_says_what_engines_do() {
    let events = [
        "spec 2 quickly / conjunct 1 / pdr: begins",
        "spec 2 quickly / conjunct 1 / pdr: frame 0: 0 lemmas []",
        "spec 2 quickly / conjunct 1 / kind: depth 1: no bad state",
        "spec 2 quickly / bmc: depth 0: no counterexample",
    ];
    let log = logged("log.rcp", &["prove", "--spec", "quickly", "--engine", "pdr,kind,bmc", "-v"], &events);
    assert!(!log.contains("blocked"), "{log}");
    let more = ["spec 1 comes_down / conjunct 1 / pdr: blocked up to frame 1: "];
    logged("log_more.rcp", &["prove", "--spec", "comes_down", "--engine", "pdr", "-vv"], &more);
    let quiet = tool(&["prove", "-v", "--quiet"], &file("log_quiet.rcp")).output().expect("the tool runs");
    assert_eq!(quiet.status.code(), Some(2));
}

#[test]
fn lines_fit_on_the_terminal() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/bank.rcp");
    for columns in [40, 60] {
        let (mut terminal, mut child) =
            Terminal::new(tool(&["prove", "--explain", "--quiet"], Path::new(model)), columns);
        terminal.wait_for("specs: ");
        child.wait().expect("it ends");
        for line in terminal.seen.lines() {
            let words = line.trim();
            assert!(line.chars().count() <= columns.into() || !words.contains(' '), "{columns}: {line}");
        }
    }
}
