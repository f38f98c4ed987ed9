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

/// The models about strategies that are shipped.
fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/strategies");
    let files = fs::read_dir(folder).expect("it is shipped").map(|entry| entry.expect("an entry").path());
    let models: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|it| it == "rcp")).collect();
    assert!(models.len() >= 8, "{models:?}");
    models
}

/// The file is an ordinary model, in which the spec holds that says what the strategy brings about.
#[test]
fn a_model_with_a_strategy_built_in_does_what_the_group_can() {
    let folder = folder("strategies-built-in");
    let mut written = 0;
    for path in shipped() {
        let (name, path) = (path.file_stem().expect("a name").to_string_lossy(), path.to_string_lossy());
        let arguments = ["prove", "--quiet", "--timeout", "120", "--strategy", "with-{spec}.rcp", &*path];
        let (text, code) = run(&folder, &arguments);
        let has_any_size = name.starts_with("any_number");
        assert_eq!(code == 2, has_any_size, "{text}");
        assert_eq!(text.contains("is for all sizes: `--size` chooses a model"), has_any_size, "{text}");
        let made: Vec<PathBuf> =
            fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        for file in made {
            let content = fs::read_to_string(&file).expect("a file");
            if file.extension().is_some_and(|it| it == "rcp") {
                assert!(content.starts_with("// written by rcheck-smt"), "{content}");
                assert!(!content.contains("SPEC can("), "{content}");
                let shown = file.to_string_lossy();
                let (proved, code) = run(&folder, &["prove", "--quiet", "--timeout", "120", &*shown]);
                assert_eq!((code, proved.contains(": holds")), (0, true), "{path}\n{content}\n{proved}");
                written += 1;
            } else {
                let table: serde_json::Value = serde_json::from_str(&content).expect("JSON");
                assert_eq!(table["format"], "rcheck-smt strategy");
                let abilities = table["abilities"].as_array().expect("a list");
                for ability in abilities {
                    let can = ability["can"].as_bool().expect("a truth value");
                    assert_eq!((ability["refused"].is_array(), ability["runs"].is_number()), (can, !can), "{table}");
                }
            }
            fs::remove_file(file).expect("a folder of this test");
        }
    }
    assert!(written > 15, "{written} models");
}

#[test]
fn members_of_a_type_that_decide_differently_are_named_in_guards() {
    let folder = folder("strategies-named");
    let model = "agent Walker
    local: x : 0..2
    init: x = 0
    receive-guard: false
    repeat: (l: {x = 0} *! (false)()[x := 1] + r: {x = 0} *! (false)()[x := 2])
system = Walker(anna, true) || Walker(bert, true)
ASSUME weak(anna) & weak(bert);
// name: apart
SPEC can({anna, bert}, (F (anna-x = GOAL)) & F (bert-x = 2));
SPEC G (anna-x < 3);";
    let model = format!("const GOAL = 1;\n{model}");
    fs::write(folder.join("walkers.rcp"), model).expect("a writable folder");
    let prove = ["prove", "--quiet", "--spec", "apart", "--strategy", "apart.rcp", "walkers.rcp"];
    let (text, code) = run(&folder, &prove);
    assert_eq!(code, 0, "{text}");
    let written = fs::read_to_string(folder.join("apart.rcp")).expect("it was written");
    for part in
        ["myself = anna", "myself = bert", "ASSUME weak(anna) & weak(bert);", "// name: apart\n// expect: holds\n"]
    {
        assert!(written.contains(part), "{part}\n{written}");
    }
    assert!(!written.contains("anna-x < 3"), "{written}");
    let (text, code) = run(&folder, &["prove", "--quiet", "apart.rcp"]);
    assert_eq!(code, 0, "{text}");
    // A file that was written is replaced, and no other.
    assert_eq!(run(&folder, &prove).1, 0);
    let over = ["prove", "--quiet", "--spec", "apart", "--strategy", "walkers.rcp", "walkers.rcp"];
    let (text, code) = run(&folder, &over);
    assert_eq!((code, text.contains("would be overwritten")), (2, true), "{text}");
    let (text, code) = run(&folder, &["prove", "--quiet", "--strategy", "apart.txt", "walkers.rcp"]);
    assert_eq!((code, text.contains("name a file `.rcp`")), (2, true), "{text}");
    // Constants that were given are written.
    let (text, code) = run(&folder, &[&prove[..], &["--const", "GOAL=2"]].concat());
    assert_eq!(code, 0, "{text}");
    let written = fs::read_to_string(folder.join("apart.rcp")).expect("it was written");
    assert!(written.contains("const GOAL = 2;"), "{written}");
}

#[test]
fn records_have_strategies() {
    let folder = folder("strategies-records");
    let specs = "SPEC can({thief}, F safe-open);\nSPEC (safe-code = 0) -> can({thief}, F safe-open);\n";
    fs::write(folder.join("safe.rcp"), format!("{SAFE}{specs}")).expect("a writable folder");
    let (text, _) = run(&folder, &["prove", "--format", "json", "--quiet", "safe.rcp"]);
    let records: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    assert_eq!(records[0]["abilities"][0]["can"], false);
    assert!(records[0]["abilities"][0]["runs"].as_u64() >= Some(2), "{text}");
    let refused = &records[1]["abilities"][0]["refused"];
    assert_eq!(refused, &serde_json::json!([{"agent": "thief", "command": "one", "when": null}]));
    assert_eq!(records[1]["abilities"][0]["group"], serde_json::json!(["thief"]));
}

#[test]
fn a_strategy_holds_for_any_number_of_agents() {
    let folder = folder("strategies-any-number");
    let trains = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/strategies/any_number_of_trains.rcp");
    let trains = trains.to_string_lossy();
    let arguments = ["prove", "--quiet", "--explain", "--timeout", "120", "--certificate", "out", &*trains];
    let (text, code) = run(&folder, &arguments);
    assert_eq!(code, 0, "{text}");
    for part in [
        "for all sizes by a strategy",
        "by this strategy, however many there are:",
        "`enter` of each `Train` is not offered where `!staff`",
        "3 specs: 2 holds, 1 violated",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (text, code) = run(&folder, &["certify", &trains, "out"]);
    assert_eq!((code, text.contains("3 valid, 0 refused")), (0, true), "{text}");
    // With less refused, with a command of the controller refused, or with a decision by the wrong local it is none.
    let file = folder.join("out/with_the_staff.json");
    let whole = fs::read_to_string(&file).expect("a certificate");
    let change = |change: &dyn Fn(&mut Vec<serde_json::Value>)| {
        let mut document: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
        let list = document.pointer_mut("/evidence/uniform/strategy").expect("a strategy");
        change(list.as_array_mut().expect("a list"));
        fs::write(&file, document.to_string()).expect("a writable folder");
        let (text, code) = run(&folder, &["certify", &trains, "out"]);
        assert_ne!(code, 0, "{text}");
        assert!(text.contains("refused"), "{text}");
    };
    change(&|list| list.clear());
    change(&|list| drop(list.pop()));
    change(&|list| {
        list.push(serde_json::json!({"type": "Controller", "command": 0, "when": "true"}));
    });
    change(&|list| list[0]["command"] = serde_json::json!(99));
    change(&|list| list[0]["type"] = serde_json::json!("Plane"));
}

#[test]
fn one_plays_against_a_strategy_or_for_a_group_that_has_none() {
    let folder = folder("strategies-played");
    let specs = "// name: any\nSPEC can({thief}, F safe-open);\n// name: zero\nSPEC (safe-code = 0) -> can({thief}, F safe-open);\nSPEC G true;\n";
    fs::write(folder.join("safe.rcp"), format!("{SAFE}{specs}")).expect("a writable folder");
    let play = |spec: &str, lines: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
        let arguments = ["simulate", "--quiet", "--strategy", spec, "safe.rcp", "--color", "never"];
        let mut child = command
            .args(arguments)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the tool runs");
        std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), lines.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
        (out + &err, output.status.code().expect("an exit code"))
    };
    let (text, code) = play("zero", "initial 1\nsteps\n");
    assert_eq!(code, 0, "{text}");
    for part in ["is true; members play this strategy", "`thief-one` is never offered", "one step is possible:"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (text, code) = play("any", "decisions\n1\nall\n2\nquit\n");
    assert_eq!(code, 0, "{text}");
    for part in ["you decide for thief", "not offered", "with these decisions this run is possible:"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(text.matches("with these decisions this run is possible:").count(), 4, "{text}");
    let (text, code) = play("any", "99\n");
    assert_eq!((code, text.contains("`99` is no decision")), (2, true), "{text}");
    let (text, code) = play("3", "");
    assert_eq!((code, text.contains("asks for no strategy")), (2, true), "{text}");
}

/// A loop on which other data are heard in the second round than in the first: it would show that a strategy fails which does not.
#[test]
fn a_loop_on_which_other_messages_come_is_no_run_of_a_strategy() {
    let folder = folder("strategies-loop");
    let model = "enum t {zero, one, two}
message-structure: N : t
agent Sender
    local: n : t
    init: n = zero
    receive-guard: false
    repeat: tell: {true} *! (true)(N := n)[n := if n = zero then one else two]
agent Reader
    local: got : 0..2
    init: got = 0
    receive-guard: chan = *
    repeat: (a: {true} *? [got := 1] + b: {true} *? [got := 2])
system = Sender(sender, true) || Reader(reader, true)
// name: first
SPEC can({reader}, (X (reader-got = 1)) & (X (X (reader-got = 1))) & (F (reader-got = 2)));";
    fs::write(folder.join("loop.rcp"), model).expect("a writable folder");
    let (text, code) = run(&folder, &["prove", "--quiet", "--certificate", "out", "loop.rcp"]);
    assert_eq!(code, 0, "{text}");
    let file = folder.join("out/first.json");
    let text = fs::read_to_string(&file).expect("a certificate");
    let mut document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let decision = |got: u32, n: &str, command: u32| serde_json::json!({"agent": "reader", "command": command, "locals": {"got": got}, "message": {"channel": "*", "data": {"N": n}}});
    let state = |n: &str, got: u32| serde_json::json!({"sender": {"automaton-state": 0, "n": n}, "reader": {"automaton-state": 0, "got": got}});
    let step = |n: &str, command: &str| {
        let sender = serde_json::json!({"instance": "sender", "command": "tell"});
        let receivers = serde_json::json!([{"instance": "reader", "command": command}]);
        serde_json::json!({"kind": "broadcast", "sender": sender, "channel": "*", "data": {"N": n}, "receivers": receivers})
    };
    let trace = |states: Vec<serde_json::Value>, steps: Vec<serde_json::Value>, start: Option<u32>| {
        let mut trace =
            serde_json::json!({"format": "rcheck-smt trace", "version": 1, "states": states, "steps": steps});
        if let Some(start) = start {
            trace["loop"] = serde_json::json!(start);
        }
        trace
    };
    let (twice, once) = ([step("zero", "a"), step("one", "a")], [step("zero", "a"), step("one", "b")]);
    let begin = [state("zero", 0), state("one", 1)];
    let failures = serde_json::json!([
        {"refused": [], "trace": trace([&begin[..], &[state("two", 1)]].concat(), twice.to_vec(), Some(1))},
        {"refused": [0], "trace": trace(vec![state("zero", 0), state("one", 2)], vec![step("zero", "b")], None)},
        {"refused": [2], "trace": trace([&begin[..], &[state("two", 2)]].concat(), once.to_vec(), None)},
    ]);
    let decisions = [decision(0, "zero", 0), decision(0, "zero", 1), decision(1, "one", 0), decision(1, "one", 1)];
    document["verdict"] = serde_json::json!("violated");
    document["evidence"]["strategies"] = serde_json::json!({
        "answers": [{"cannot": {"decisions": decisions, "failures": failures, "learnt": []}}],
        "rest": {"trace": trace(vec![state("zero", 0)], Vec::new(), None)},
    });
    fs::write(&file, document.to_string()).expect("a writable folder");
    let (text, code) = run(&folder, &["certify", "loop.rcp", "out"]);
    assert_ne!(code, 0, "{text}");
    assert!(text.contains("does not come back to the same decisions"), "{text}");
}
