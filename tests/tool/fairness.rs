//! Assumptions and fairness, as people see them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Two workers and a clock that may take all the time.
const WORKERS: &str = "message-structure: job : int
agent Worker
    local: busy : bool
    init: !busy
    receive-guard: chan = *
    repeat: (start: {!busy} *! (true)(job := 0)[busy := true] + finish: {busy} *! (true)(job := 1)[busy := false])
agent Clock
    local: up : bool
    init: !up
    receive-guard: chan = *
    repeat: tick: {true} *! (true)(job := 2)[up := !up]
system = Worker(a, true) || Worker(b, true) || Clock(c, true)
";

fn file(name: &str, specs: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, format!("{WORKERS}{specs}")).expect("the folder is writable");
    path
}

/// The output of the tool on both channels, and its exit code.
fn run(arguments: &[&str], paths: &[&Path]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.args(arguments).args(paths).args(["--color", "never"]).stdin(Stdio::null());
    let output = command.output().expect("the tool runs");
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    (out + &err, output.status.code().expect("an exit code"))
}

#[test]
fn a_loop_is_unfair_to_those_who_are_named() {
    let path =
        file("unfair.rcp", "SPEC forall k : Worker . G (k-busy -> (F !k-busy));\nSPEC G !a-busy;\nSPEC F (G c-up);\n");
    let (text, code) = run(&["prove"], &[&path]);
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("unfair: in the loop `a` is enabled all the time and never acts, against `weak(a)`"),
        "{text}"
    );
    assert!(text.contains("note: the spec holds under `ASSUME forall k : Worker . weak(k);`\n"), "{text}");
    assert!(text.contains("note: the spec is also violated by a run that is fair to all agents"), "{text}");
    // A beginning of a run is unfair to no agent.
    assert_eq!(text.matches("note: ").count(), 2, "{text}");
    let (text, _) = run(&["prove", "--format", "json", "--spec", "1"], &[&path]);
    assert!(text.contains("\"holds_under\":[\"ASSUME forall k : Worker . weak(k);\"]"), "{text}");
    assert!(text.contains("\"assumptions\":0"), "{text}");
}

#[test]
fn verdicts_say_what_they_stand_under() {
    let specs = "ASSUME forall k : Worker . weak(k);\nSPEC forall k : Worker . G (k-busy -> (F !k-busy));
        SPEC G (a-busy | b-busy);\nASSUME weak(c);\nSPEC G F c-up;\n";
    let path = file("under.rcp", specs);
    let (text, code) = run(&["prove", "--quiet"], &[&path]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("holds under 1 assumption (all of"), "{text}");
    assert!(text.contains("violated in an initial state"), "a beginning goes on fairly: {text}");
    assert!(text.contains("holds under 2 assumptions (all of"), "{text}");
    let (text, _) = run(&["prove", "--format", "json", "--spec", "3"], &[&path]);
    assert!(text.contains("\"assumptions\":2"), "{text}");
    let (text, _) = run(&["bmc", "--bound", "4", "--spec", "3"], &[&path]);
    assert!(text.contains("no counterexample up to depth 4 under 2 assumptions"), "{text}");
    let (text, code) = run(&["fmt", "--check"], &[&path]);
    assert!(code == 1 || text.is_empty(), "{text}");
    let (formatted, _) = run(&["fmt"], &[&path]);
    let lines: Vec<&str> = formatted.lines().filter(|line| line.starts_with(['A', 'S'])).collect();
    assert_eq!(
        lines.iter().map(|line| &line[..4]).collect::<Vec<_>>(),
        ["ASSU", "SPEC", "SPEC", "ASSU", "SPEC"],
        "{formatted}"
    );
}

#[test]
fn fairness_to_all_is_kept_with_the_evidence() {
    let path = file(
        "fair.rcp",
        "// expect: violated\nSPEC forall k : Worker . G (k-busy -> (F !k-busy));\nSPEC F (G c-up);\n",
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fair-certificates");
    let _ = fs::remove_dir_all(&folder);
    let folder_name = folder.to_str().expect("UTF-8");
    for engine in ["explicit", "pdr"] {
        let arguments = ["prove", "--fair", "weak", "--engine", engine, "--spec", "1", "--certificate", folder_name];
        let (text, code) = run(&arguments, &[&path]);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("spec 1") && text.contains("holds under 1 assumption"), "{text}");
        assert!(!text.contains("unexpected"), "what the file expects is about fewer assumptions: {text}");
        let certificate = folder.join("1.json");
        let (text, code) = run(&["certify"], &[&path, &certificate]);
        assert_eq!(code, 0, "{text}");
        let written = fs::read_to_string(&certificate).expect("it was written");
        // Without the assumption it is another spec.
        let mut document: serde_json::Value = serde_json::from_str(&written).expect("JSON");
        let given = document["model"].as_object_mut().expect("an object").remove("given");
        assert_eq!(given, Some(serde_json::json!({"weak fairness": true})));
        fs::write(&certificate, document.to_string()).expect("the folder is writable");
        let (text, code) = run(&["certify"], &[&path, &certificate]);
        assert_ne!(code, 0, "{text}");
    }
    let trace = folder.join("trace.json");
    let name = trace.to_str().expect("UTF-8");
    let (text, code) =
        run(&["prove", "--fair", "weak", "--engine", "bmc", "--spec", "2", "--save-trace", name], &[&path]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("violated under 1 assumption"), "{text}");
    assert!(!text.contains("unfair:"), "{text}");
    assert!(fs::read_to_string(&trace).expect("it was written").contains("\"weak fairness\""));
}

#[test]
fn what_no_run_satisfies_is_reported_first() {
    let specs = "ASSUME G F a-busy;\nSPEC G F !c-up;\nASSUME weak(a) & (F (G a-busy));\nSPEC G c-up & (F a-busy);\n";
    let path = file("contradictory.rcp", specs);
    for command in ["check", "prove"] {
        let (text, _) = run(&[command], &[&path]);
        assert!(text.contains("[W0505] Warning: no run satisfies this assumption and those above it"), "{text}");
    }
    let (text, _) = run(&["prove"], &[&path]);
    assert_eq!(text.matches("holds vacuously: no run satisfies what is assumed").count(), 1, "{text}");
    let sound = file("satisfiable.rcp", "ASSUME G F a-busy;\nSPEC G F a-busy;\n");
    let (text, _) = run(&["prove"], &[&sound]);
    assert!(!text.contains("W0505") && !text.contains("vacuously"), "{text}");
}

#[test]
fn the_simulator_says_what_the_loop_keeps() {
    let path = file("loop.rcp", "SPEC G F a-busy;\nASSUME weak(a) & weak(c);\nSPEC G F b-busy;\n");
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loop.json");
    let name = trace.to_str().expect("UTF-8");
    let (text, _) = run(&["bmc", "--bound", "4", "--spec", "1", "--save-trace", name], &[&path]);
    assert!(text.contains("trace saved to"), "{text}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.args(["simulate", "--trace", name]).arg(&path).args(["--color", "never"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the tool runs");
    child.stdin.take().expect("it is piped").write_all(b"forward\nspecs\nquit\n").expect("it reads");
    let text = String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("UTF-8");
    let said =
        |who: &str| text.lines().find(|line| line.contains(&format!("assumed: weak({who}): "))).map(str::to_owned);
    assert!(said("a").is_some_and(|line| line.contains("not kept by the loop")), "{text}");
    assert!(said("c").is_some_and(|line| line.ends_with(": kept")), "{text}");
}

/// An assumption is proposed only if it can be written down and satisfied.
#[test]
fn proposals_can_be_written_and_satisfied() {
    let unlabelled = "agent Z
    local: y : bool
    init: !y
    receive-guard: chan = *
    repeat: l: {true} *! (true)()[]
agent P
    local: x : 0..1
    init: x = 0
    receive-guard: chan = *
    repeat: (GO{x = 0} *! (true)()[x := 1] + {true} *! (true)()[])
system = Z(z, true) || P(p, true)
SPEC F p-x = 1;
";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unlabelled.rcp");
    for (label, note) in [("", None), ("go: ", Some("note: the spec holds under `ASSUME weak(p-go);`"))] {
        fs::write(&path, unlabelled.replace("GO", label)).expect("the folder is writable");
        let (text, _) = run(&["prove"], &[&path]);
        assert!(!text.contains("fair to all agents") && !text.contains("weak(p's"), "{text}");
        assert!(note.is_none_or(|note| text.contains(note)), "{text}");
    }
    let path = file("excluded.rcp", "ASSUME G !a-busy;\nSPEC F false;\n");
    let (text, code) = run(&["prove"], &[&path]);
    assert_eq!(code, 1, "{text}");
    assert!(!text.contains("holds under `"), "no run is fair to a then: {text}");
}

#[test]
fn fairness_is_asked_for_by_its_option() {
    let path = file("option.rcp", "SPEC G F a-busy;\n");
    for given in ["weak fairness=false", "strong fairness=true", "weak fairness=7"] {
        let (text, code) = run(&["prove", "--const", given], &[&path]);
        assert!(code == 2 && text.contains("fairness is assumed by `--fair"), "{given}: {text}");
    }
    let (text, code) = run(&["prove", "--fair", "some"], &[&path]);
    assert!(code == 2 && text.contains("weak, strong"), "{text}");
    let (text, code) = run(&["fmt", "--fair", "weak"], &[&path]);
    assert!(code == 2 && text.contains("`--plain`"), "{text}");
    let path = file("plain.rcp", "ASSUME G F a-busy;\nSPEC G (enabled(a) & (F acts(b-start)));\n");
    let (text, code) = run(&["fmt", "--plain"], &[&path]);
    assert_eq!(code, 2, "{text}");
    assert!(
        text.contains("`ASSUME` has no plain form") && text.contains("what an agent can do or does has no plain form"),
        "{text}"
    );
}

/// The words of fairness are words only where they mean something.
#[test]
fn models_that_use_the_words_as_names_stay_models() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("words.rcp");
    let model = "guard weak(b : location) := b = b;
guard enabled(n : int) := n > 0;
agent A
    local: acts : bool, n : 0..1
    init: !acts & n = 0
    receive-guard: chan = *
    repeat: (ASSUME: {enabled(1 - n)} *! (true)()[acts := !acts] + strong: {true} *! (true)()[])
system = A(a, true) || A(assumed, true)
SPEC G F a-ASSUME
SPEC G (weak(a) & enabled(a-n + 1))
ASSUME strong(a-ASSUME) & acts(a-strong) & forall k : A . strong(k);
SPEC G F a-ASSUME;
";
    fs::write(&path, model).expect("the folder is writable");
    let (text, code) = run(&["check"], &[&path]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(text.matches("[W0207] Warning: `weak` is the guard of the file here").count(), 1, "{text}");
    assert_eq!(text.matches("Warning:").count(), 1, "{text}");
    let (text, code) = run(&["prove", "--quiet", "--spec", "3"], &[&path]);
    assert!(code == 0 && text.contains("holds under 1 assumption"), "{text}");
    let idle = file("idle.rcp", "SPEC true;\nASSUME weak(a);\n");
    let (text, code) = run(&["check"], &[&idle]);
    assert!(code == 0 && text.contains("[W0402] Warning: no spec stands below this assumption"), "{text}");
}

#[test]
fn mistakes_in_assumptions_are_one_error_each() {
    let said = |specs: &str| {
        let (text, code) = run(&["check"], &[&file("mistakes.rcp", specs)]);
        assert_eq!(code, 2, "{text}");
        text.lines()
            .filter(|line| line.contains("Error:") || line.contains("Help:"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for (mistake, message, help) in [
        ("assume weak(a);", "`assume` is no keyword", "did you mean `ASSUME`?"),
        ("FAIRNESS weak(a);", "`FAIRNESS` is no keyword", "did you mean `ASSUME`?"),
        ("ASSUME weak(Worker);", "`Worker` is an agent type, not an instance", "quantify over its instances"),
        ("ASSUME weak(d);", "no instance or quantified variable is called `d`", "the instances are those"),
        ("ASSUME weak(a-busy);", "`busy` is a local, not the label of a command", "write `weak(i)`"),
        ("ASSUME strong(a-starts);", "no command of `Worker` is called `starts`", "did you mean `start`?"),
        ("ASSUME weak(a, b);", "`weak` takes one argument, not 2", "write `weak(i)`"),
        ("ASSUME weak();", "`weak` takes one argument, not 0", "write `weak(i)`"),
        ("ASSUME;", "expected an expression", ""),
        ("ASSUME G <<enabled(a)>> true;", "`enabled(..)` is about steps", "outside of observations"),
    ] {
        let lines = said(&format!("{mistake}\nSPEC G a-busy;\n"));
        let errors = lines.iter().filter(|line| line.contains("Error:")).count();
        assert!(errors == 1 && lines[0].contains(message), "{mistake}: {lines:?}");
        assert!(lines.iter().any(|line| line.contains(help)), "{mistake}: {lines:?}");
    }
}

/// A type with so many commands that go up and down.
fn busy(commands: usize, instances: usize, specs: &str) -> String {
    let command = |number: usize| format!("u{number}: {{x = {}}} *! (false)()[x := {}]", number % 2, 1 - number % 2);
    let commands: Vec<String> = (0..commands).map(command).collect();
    format!(
        "agent A\n    local: x : 0..2\n    init: x = 0\n    receive-guard: false\n    repeat: ({})\nsystem = A(m[1..{instances}], true)\n{specs}",
        commands.join(" + ")
    )
}

#[test]
fn more_conditions_than_symmetries_follow_are_no_obstacle() {
    let assumed = |commands: usize, fairness: &str| -> String {
        (0..commands).map(|number| format!("ASSUME forall k : A . {fairness}(k-u{number});\n")).collect()
    };
    // Name, text, verdict.
    let cases = [
        ("alike", busy(2, 17, "SPEC G F m1-x = 0;\nSPEC forall k : A . G F k-x = 0;\n"), "violated"),
        ("never", busy(2, 17, "SPEC forall k : A . G F k-x = 2;\n"), "violated"),
        ("weak", busy(8, 1, &format!("{}SPEC G F m1-x = 2;\n", assumed(8, "weak"))), "violated"),
        ("strong", busy(8, 2, &format!("{}SPEC G F m1-x = 2;\n", assumed(8, "strong"))), "violated"),
        ("served", busy(8, 2, &format!("{}SPEC forall k : A . G F k-x = 1;\n", assumed(8, "strong"))), "holds"),
        ("many", busy(10, 2, &format!("{}SPEC forall k : A . G F k-x = 1;\n", assumed(10, "strong"))), "holds"),
    ];
    for (name, text, verdict) in cases {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("conditions-{name}.rcp"));
        fs::write(&path, text).expect("the folder is writable");
        let (out, _) = run(&["prove", "--quiet", "--engine", "explicit"], &[&path]);
        let verdicts: Vec<&str> = out.lines().filter(|line| line.starts_with("spec ")).collect();
        assert!(
            !verdicts.is_empty() && verdicts.iter().all(|line| line.contains(&format!(": {verdict}"))),
            "{name}: {out}"
        );
    }
}
