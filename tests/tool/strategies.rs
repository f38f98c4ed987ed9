//! Uniform strategies, as people see them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A safe, and a visitor who does not see the code.
const SAFE: &str = "message-structure: CODE : 0..1
agent Safe
    local: code : 0..1, open : bool
    init: !open
    receive-guard: chan = *
    repeat: opens: {CODE = code} *? [open := true]
agent Visitor
    local: tried : bool
    init: !tried
    receive-guard: false
    repeat: (zero: {!tried} *! (true)(CODE := 0)[tried := true] + one: {!tried} *! (true)(CODE := 1)[tried := true])
system = Safe(safe, true) || Visitor(thief, true)
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a writable folder");
    folder
}

/// The output of the tool on both channels, and its exit code.
fn run(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.args(arguments).args(["--color", "never"]).current_dir(folder).stdin(Stdio::null());
    let output = command.output().expect("the tool runs");
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    (out + &err, output.status.code().expect("an exit code"))
}

#[test]
fn a_strategy_is_told_or_runs_that_leave_none() {
    let folder = folder("strategies-told");
    let specs = "SPEC can({thief}, F safe-open);\nSPEC (safe-code = 0) -> can({thief}, F safe-open);\n";
    fs::write(folder.join("safe.rcp"), format!("{SAFE}{specs}")).expect("a writable folder");
    let (text, code) = run(&folder, &["prove", "--quiet", "--explain", "--certificate", "out", "safe.rcp"]);
    assert_eq!(code, 1, "{text}");
    for part in [
        "violated as there is no strategy",
        "`can({thief}, F safe-open)` is false: each strategy allows one of",
        "if every command is offered wherever it is possible:",
        "holds (1 strategy, checked)",
        "is true, by this strategy:",
        "`thief-one` is never offered",
        "because `safe-code = 0 -> F safe-open` holds where members decide so:",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (text, code) = run(&folder, &["certify", "safe.rcp", "out"]);
    assert_eq!((code, text.contains("2 valid, 0 refused")), (0, true), "{text}");
}

#[test]
fn integers_need_no_end_where_decisions_are_alike() {
    let folder = folder("strategies-integers");
    let model = "agent Bert
        local: purse : int, x : 0..2
        init: x = 0
        receive-guard: false
        repeat: (good: {x = 0} *! (false)()[x := 1] + bad: {x = 0} *! (false)()[x := 2])
    system = Bert(bert, true)
    SPEC can({bert}, F (bert-x = 1));";
    fs::write(folder.join("purse.rcp"), model).expect("a writable folder");
    let (text, code) = run(&folder, &["prove", "--quiet", "--explain", "--timeout", "60", "purse.rcp"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("`bert-bad` is never offered"), "{text}");
}

#[test]
fn protocols_of_files_of_mcmas_are_made_deterministic() {
    let folder = folder("strategies-uniform");
    let model = "Agent Environment
  Vars: coin : {heads, tails}; won : boolean; end Vars
  Actions = {none};
  Protocol: Other : {none}; end Protocol
  Evolution:
    won = true if (Player.Action = heads and coin = heads) or (Player.Action = tails and coin = tails);
  end Evolution
end Agent
Agent Player
  Vars: here : boolean; end Vars
  Actions = {heads, tails};
  Protocol: Other : {heads, tails}; end Protocol
  Evolution: here = true if Action = heads; end Evolution
end Agent
Evaluation
  won if Environment.won = true;
  heads if Environment.coin = heads;
end Evaluation
InitStates Environment.won = false and Player.here = true; end InitStates
Groups p = {Player}; end Groups
Formulae
  <p> F won;
  heads -> <p> F won;
  EF won;
end Formulae
";
    // The same where the player sees the coin.
    let seen = model.replace("Agent Player\n", "Agent Player\n  Lobsvars = {coin};\n");
    fs::write(folder.join("coin.ispl"), model).expect("a writable folder");
    fs::write(folder.join("seen.ispl"), seen).expect("a writable folder");
    let verdicts = |arguments: &[&str]| {
        let (text, _) = run(&folder, &[&["prove", "--quiet", "--certificate", "out"], arguments].concat());
        let of = |spec: usize| {
            let line = text.lines().find(|line| line.starts_with(&format!("spec {spec} "))).unwrap_or_default();
            line.contains(": holds") && !line.contains(": violated")
        };
        let (certified, _) = run(&folder, &["certify", arguments[arguments.len() - 1], "out"]);
        assert!(certified.contains("3 valid, 0 refused"), "{certified}");
        fs::remove_dir_all(folder.join("out")).expect("it was written");
        [1, 2, 3].map(of)
    };
    assert_eq!(verdicts(&["coin.ispl"]), [true, true, true]);
    assert_eq!(verdicts(&["--uniform=p", "coin.ispl"]), [false, true, false]);
    assert_eq!(verdicts(&["--uniform", "coin.ispl"]), [false, true, false]);
    assert_eq!(verdicts(&["--uniform=p", "seen.ispl"]), [true, true, true]);
    let (text, code) = run(&folder, &["prove", "--uniform=q", "coin.ispl"]);
    assert_eq!(code, 2, "{text}");
    assert!(
        text.contains("`--uniform=q` names no group of this file") && text.contains("the file declares p"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_asked_is_an_error_at_its_place() {
    let folder = folder("strategies-wrong");
    for (spec, parts) in [
        ("can({thief, ghost}, F safe-open)", ["ghost", ":13:18"]),
        ("<<can({thief}, F safe-open)>> true", ["can", ":13:8"]),
        ("can(F safe-open)", ["takes two arguments, not 1", ":13:6"]),
        ("can(thief, F safe-open)", ["one agent, not a group", ":13:10"]),
    ] {
        fs::write(folder.join("wrong.rcp"), format!("{SAFE}SPEC {spec};\n")).expect("a writable folder");
        let (text, code) = run(&folder, &["prove", "wrong.rcp"]);
        assert_eq!(code, 2, "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{parts:?}\n{text}");
    }
    fs::write(folder.join("right.rcp"), format!("{SAFE}SPEC can({{thief}}, F safe-open);\n")).expect("writable");
    let (text, code) = run(&folder, &["prove", "--uniform", "right.rcp"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("`--uniform` is for files of MCMAS; here, write `can({i, j}, f)` in a spec"), "{text}");
}
