//! The binary as people use it: what it prints, where, and its exit codes.

use crate::tool::{kill, read_until, wait_for_work};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Takes minutes from depth 9 on.
const HARD: [&str; 4] = ["../../../specs/load_balancing.rcp", "--spec=gifts_cancel_out", "--bound", "60"];

/// The tool, run from the folder of the fixtures, so that paths in its output are short.
fn tool(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli"));
    command.args(arguments).args(["--color", "never"]).env("COLUMNS", "100");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The outcome of a run of the tool.
struct Done {
    code: i32,
    stdout: String,
    stderr: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Done {
        let code = output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"));
        let text = |bytes| String::from_utf8(bytes).expect("the tool prints UTF-8");
        Done { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// Runs the tool to its end; it must never panic.
fn run(arguments: &[&str]) -> Done {
    let done = Done::from(tool(arguments).output().expect("the tool runs"));
    assert!(!done.stderr.contains("panicked"), "{arguments:?}: {}", done.stderr);
    done
}

/// Runs the tool, which must end with the code.
#[track_caller]
fn run_to(code: i32, arguments: &[&str]) -> Done {
    let done = run(arguments);
    assert_eq!(done.code, code, "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
    done
}

/// A file of its own in the folder for temporary files.
fn temporary(name: &str, content: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the folder is writable");
    path
}

#[test]
fn help_explains_the_exit_codes() {
    let verdicts = ["0  nothing", "1  some spec", "4  something is unknown"];
    let lines: [(&str, &[&str]); 9] = [
        ("", &verdicts),
        ("bmc", &verdicts),
        ("prove", &verdicts),
        ("check", &["0  no file has errors", "2  some file", "4  given up"]),
        ("fmt", &["1  some file is not formatted", "2  some file"]),
        ("graph", &["0  the picture was written", "4  given up"]),
        ("certify", &["0  every certificate", "4  some certificate"]),
        ("simulate", &["2  the input", "which at the prompt only drops the line"]),
        ("batch", &verdicts[..2]),
    ];
    for (command, lines) in lines {
        let arguments: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let help = run_to(0, &arguments).stdout;
        for line in lines.iter().chain(&["3  internal error", "130  stopped by Ctrl-C"]) {
            assert!(help.contains(line), "{arguments:?} does not say `{line}`:\n{help}");
        }
    }
}

#[test]
fn exit_codes_of_bmc() {
    run_to(0, &["bmc", "relay.rcp", "--spec", "told_first"]);
    run_to(0, &["bmc", "relay.rcp"]);
    run_to(2, &["bmc", "broken.rcp"]);
    run_to(4, &["bmc", HARD[0], HARD[1], HARD[2], HARD[3], "--timeout", "0.5s"]);
}

/// The violation counts more than what is unknown.
#[test]
fn violated_and_unknown_is_violated() {
    let file = squares("violated_squares.rcp", "SPEC G (a-x != 5)\nSPEC G (a-x < 4)\n");
    let done = run_to(1, &["prove", "--engine", "explicit", file.to_str().expect("UTF-8")]);
    assert!(done.stdout.contains("spec 1 G (a-x != 5): unknown ("), "{}", done.stdout);
    assert!(done.stdout.contains("spec 2 G (a-x < 4): violated after 1 step"), "{}", done.stdout);
}

#[test]
fn files_that_cannot_be_read() {
    let binary = temporary("binary.rcp", b"system = \xff\xfe");
    let binary = binary.to_str().expect("a UTF-8 path");
    for command in ["check", "fmt", "bmc"] {
        for (file, expected) in [("missing.rcp", "cannot read missing.rcp"), (binary, "is no UTF-8 text")] {
            let done = run_to(2, &[command, file]);
            assert!(done.stderr.contains(expected), "{command} {file}: {}", done.stderr);
            assert_eq!(done.stdout, "", "{command} {file}");
        }
    }
    for (name, content, expected) in [
        ("latin1.rcp", &b"// a\n// caf\xe9\n"[..], "is no UTF-8 text (line 2): save it as UTF-8"),
        ("utf16.rcp", &b"\xff\xfe/\0/\0"[..], "is a UTF-16 text: save it as UTF-8"),
    ] {
        let path = temporary(name, content);
        let done = run_to(2, &["check", path.to_str().expect("a UTF-8 path")]);
        assert!(done.stderr.contains(expected), "{}", done.stderr);
    }
    assert!(run_to(2, &["bmc", "."]).stderr.contains(". is a folder"));
}

#[test]
fn an_empty_file_is_no_model() {
    let empty = temporary("empty.rcp", b"");
    let done = run_to(2, &["check", empty.to_str().expect("a UTF-8 path")]);
    assert!(done.stderr.contains("system"), "{}", done.stderr);
}

#[test]
fn a_model_without_specs_has_nothing_to_check() {
    let model = std::fs::read_to_string("tests/fixtures/cli/relay.rcp").expect("readable");
    let (model, _) = model.split_once("// name: small").expect("the first spec");
    let path = temporary("specless.rcp", model.as_bytes());
    let done = run_to(2, &["bmc", path.to_str().expect("a UTF-8 path")]);
    assert!(done.stderr.contains("has no spec"), "{}", done.stderr);
    let model = std::fs::read_to_string("specs/ispl/tug_of_war.ispl").expect("readable");
    let (model, _) = model.split_once("\nFormulae").expect("formulas");
    let path = temporary("specless.ispl", model.as_bytes());
    let done = run_to(2, &["prove", path.to_str().expect("a UTF-8 path")]);
    assert!(done.stderr.contains("section `Formulae`") && !done.stderr.contains("SPEC"), "{}", done.stderr);
}

#[test]
fn arguments_that_make_no_sense() {
    for (arguments, expected) in [
        (&["bmc", "relay.rcp", "--spec", "smal"][..], "no spec `smal`: the model has 5 specs, named small, told_first"),
        (&["bmc", "relay.rcp", "--spec", "0"], "no spec `0`"),
        (&["bmc", "relay.rcp", "--spec", "6"], "no spec `6`"),
        (&["bmc", "relay.rcp", "--bound", "many"], "'many' for '--bound <K>': expected a whole number, from 0"),
        (&["bmc", "relay.rcp", "--bound", "-1"], "'-1' for '--bound <K>': expected a whole number, from 0"),
        (&["batch", "relay.rcp", "--jobs", "-1"], "'-1' for '--jobs <N>': -1 is not in 1"),
        (&["prove", "relay.rcp", "--save-trace", "new.rcp"], "new.rcp would be named like a model"),
        (&["bmc", "relay.rcp", "--jobs", "0"], "'0'"),
        (&["bmc", "relay.rcp", "--timeout", "0"], "expected a positive time"),
        (&["bmc", "relay.rcp", "--memory", "0"], "expected megabytes"),
        (&["bmc", "relay.rcp", "--dialect", "java"], "'java'"),
        (&["bmc"], "<FILE>"),
        (&["fmt", "relay.rcp", "--check", "--write"], "cannot be used with"),
        (&["guess", "relay.rcp"], "'guess'"),
        (&[], "Usage"),
    ] {
        let done = run_to(2, arguments);
        assert!(done.stderr.contains(expected), "{arguments:?}: {}", done.stderr);
        assert_eq!(done.stdout, "");
    }
}

/// A local that only a broken command reads is not called unused.
#[test]
fn syntax_errors_make_no_warnings() {
    let model = "message-structure: V : int\nagent A local: x : int init: x = 0 receive-guard: false\n\
        repeat: snd: {true} *! (true)(V = x)[]\nsystem = A(one, true)\n";
    let path = temporary("lost.rcp", model.as_bytes());
    let done = run_to(2, &["check", path.to_str().expect("a UTF-8 path")]);
    assert!(done.stderr.contains("1 error") && !done.stderr.contains("Warning"), "{}", done.stderr);
}

/// The output of the tool, without spaces at ends of lines.
fn tidy(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn findings_for_people() {
    let done = run_to(2, &["check", "broken.rcp"]);
    assert_eq!(done.stdout, "");
    insta::assert_snapshot!("check_human", tidy(&done.stderr));
}

#[test]
fn findings_for_programs() {
    let done = run_to(2, &["check", "broken.rcp", "--format", "json"]);
    assert_eq!(done.stderr, "");
    let records: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
    let records = records.as_array().expect("a list");
    assert!(records.iter().any(|record| record["severity"] == "error"));
    insta::assert_snapshot!("check_json", tidy(&done.stdout));
    // Still JSON if there is nothing to report, or several files.
    let fine = "../../../specs/token_ring.rcp";
    assert_eq!(run_to(0, &["check", fine, "--format", "json"]).stdout.trim(), "[]");
    let both = run_to(2, &["check", fine, "broken.rcp", "--format", "json"]);
    let both: serde_json::Value = serde_json::from_str(&both.stdout).expect("JSON");
    assert_eq!(both.as_array().map(Vec::len), Some(records.len()));
}

#[test]
fn warnings_fail_on_demand() {
    let warned = "../../../specs/features/receive_guard_omitted.rcp";
    let done = run_to(0, &["check", warned]);
    assert!(done.stderr.contains("Warning") && done.stdout.contains("no errors, 3 warnings ("), "{}", done.stdout);
    run_to(2, &["check", warned, "--deny-warnings"]);
    run_to(0, &["check", "relay.rcp", "--deny-warnings"]);
    // One bad file among good ones is enough.
    run_to(2, &["check", "relay.rcp", "missing.rcp"]);
}

#[test]
fn formatting_in_place_settles_and_keeps_comments() {
    let messy = "// first\nenum channel {c} /* block */\nagent A local: x:int init: x=0\n\
        repeat: (a: {x>0} c! (true)()[x:=x-1] // tail\n + b: {true} *? [])\n\
        system = A(one,true)\n// name: s, expect: violated\nSPEC G(one-x=0)\n// last";
    let path = temporary("messy.rcp", messy.as_bytes());
    let file = path.to_str().expect("a UTF-8 path");
    let checked = run_to(1, &["fmt", "--check", file]);
    assert!(checked.stdout.is_empty() && checked.stderr.contains("is not formatted"), "{}", checked.stderr);
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), messy, "--check must not write");
    let printed = run_to(0, &["fmt", file]).stdout;
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), messy, "printing must not write");
    assert!(run_to(0, &["fmt", "--write", file]).stdout.is_empty());
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), printed);
    for comment in ["// first", "/* block */", "// tail", "// name: s, expect: violated", "// last"] {
        assert!(printed.contains(comment), "{comment} is lost:\n{printed}");
    }
    run_to(0, &["fmt", "--check", file]);
    run_to(0, &["fmt", "--write", file]);
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), printed);
}

#[test]
fn broken_files_are_not_formatted() {
    let broken = std::fs::read("tests/fixtures/cli/broken.rcp").expect("readable");
    let path = temporary("unformattable.rcp", &broken);
    let done = run_to(2, &["fmt", "--write", path.to_str().expect("a UTF-8 path")]);
    assert!(done.stdout.is_empty() && done.stderr.contains("Error"), "{}", done.stderr);
    assert_eq!(std::fs::read(&path).expect("readable"), broken);
}

/// The output for some specs of a file.
fn checked(file: &str, specs: &[&str], more: &[&str]) -> String {
    let mut arguments = vec!["bmc", file, "--bound", "8"];
    arguments.extend(specs.iter().flat_map(|spec| ["--spec", spec]));
    arguments.extend(more);
    tidy(&run(&arguments).stdout)
}

/// Each of these has one shortest counterexample, so that the solver has no choice.
#[test]
fn traces_are_as_recorded() {
    insta::assert_snapshot!("trace_multicast", checked("relay.rcp", &["small"], &[]));
    insta::assert_snapshot!("trace_get_supply", checked("relay.rcp", &["never_negative"], &[]));
    insta::assert_snapshot!("trace_stutter_loop", checked("relay.rcp", &["goes_on"], &[]));
    insta::assert_snapshot!("trace_full", checked("relay.rcp", &["goes_on"], &["--full"]));
    insta::assert_snapshot!("trace_initial", checked("relay.rcp", &["starts_high"], &[]));
    let features = "../../../specs/features";
    let variable_channel = format!("{features}/variable_channel.rcp");
    insta::assert_snapshot!("trace_broadcast", checked(&variable_channel, &["link_is_kept"], &[]));
    let operators = format!("{features}/temporal_operators.rcp");
    insta::assert_snapshot!("trace_loop", checked(&operators, &["eventually_three"], &[]));
    let gap = format!("{features}/recurrent_gap.rcp");
    insta::assert_snapshot!("trace_recurrent", checked(&gap, &["slow_catches_up"], &[]));
}

#[test]
fn counterexamples_are_saved() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved");
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    let pattern = |name: &str| folder.join(name).display().to_string();
    let done = run_to(0, &["bmc", "relay.rcp", "--bound=6", "--save-trace", &pattern("{spec}.itf.json")]);
    assert_eq!(done.stdout.matches("trace saved to ").count(), 4, "{}", done.stdout);
    run_to(0, &["prove", "relay.rcp", "--spec=4", "--save-trace", &pattern("one.json")]);
    for (name, field) in [("small.itf.json", "vars"), ("goes_on.itf.json", "loop"), ("one.json", "format")] {
        let text = std::fs::read_to_string(folder.join(name)).expect("readable");
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert!(!document[field].is_null(), "{name}: {text}");
    }
    assert!(!folder.join("told_first.itf.json").exists(), "it holds");
    let nowhere = pattern("no/such/folder.json");
    let done = run_to(2, &["bmc", "relay.rcp", "--spec=small", "--save-trace", &nowhere]);
    assert!(done.stderr.contains("there is no folder ") && done.stdout.is_empty(), "{}", done.stderr);
    let done = run_to(2, &["bmc", "relay.rcp", "--spec=small", "--save-trace", &folder.display().to_string()]);
    assert!(done.stderr.contains(" is a folder") && done.stdout.is_empty(), "{}", done.stderr);
    let done = run_to(2, &["bmc", "relay.rcp", "--save-trace", "/dev/null"]);
    assert!(done.stderr.contains("/dev/null takes one counterexample: name one spec"), "{}", done.stderr);
    run_to(0, &["bmc", "relay.rcp", "--spec=small", "--save-trace", "/dev/null"]);
}

#[test]
fn results_come_in_the_order_asked_for() {
    let order = |arguments: &[&str]| {
        let done = run(&[&["bmc", "relay.rcp", "--bound", "6"], arguments].concat());
        let headings = done.stdout.lines().filter_map(|line| line.strip_prefix("spec "));
        headings.map(|line| line.split_once(' ').expect("a number").0.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(order(&[]), ["1", "2", "3", "4", "5"]);
    assert_eq!(order(&["--spec", "goes_on", "--spec", "2", "--spec", "small"]), ["4", "2", "1"]);
    assert_eq!(order(&["--spec", "3", "--spec", "never_negative", "--spec", "1"]), ["3", "1"]);
    assert_eq!(order(&["--jobs", "1"]), ["1", "2", "3", "4", "5"]);
    assert_eq!(order(&["--jobs", "5", "--stats"]), ["1", "2", "3", "4", "5"]);
}

/// All specs that are given up in time are unknown, or the model could not be read in it.
fn assert_late(done: &Done, specs: usize) {
    let given_up = done.stdout.matches("unknown (timeout").count();
    let is_late = given_up == specs || done.stderr.contains("could not be read: timeout");
    assert!(is_late, "{}{}", done.stdout, done.stderr);
}

#[test]
fn timeouts_are_unknown() {
    assert_late(&run_to(4, &["bmc", HARD[0], HARD[1], HARD[2], HARD[3], "--timeout", "3s"]), 1);
}

/// Whatever the machine does meanwhile: a spec that is given up for its time had its time, also after one that took all of its own.
#[test]
fn each_spec_has_its_own_time() {
    let model = "agent C\n  local: x : int, y : int, z : int\n  init: x > 1 & y > 1 & z > 1\n  receive-guard: false\n  repeat: (\n    \
                 a: {true} *! (false)()[x := x + 1] + b: {true} *! (false)()[y := y + 1] + e: {true} *! (false)()[z := z + 1])\n\
                 system = C(c, true)\n\
                 SPEC G (c-x * c-x * c-x + c-y * c-y * c-y != c-z * c-z * c-z)\nSPEC G (c-x > 1)\nSPEC G (c-x < 1)\n";
    let file = temporary("own_time.rcp", model.as_bytes());
    let file = file.to_str().expect("UTF-8");
    for jobs in ["1", "2"] {
        let done = run(&["prove", "--quiet", "--format", "json", "--jobs", jobs, "--timeout", "4s", file]);
        let records: Vec<serde_json::Value> =
            done.stdout.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
        let late = |record: &&serde_json::Value| record["cause"] == "timeout";
        assert!(records.iter().any(|record| late(&record)), "cubes are no sum of two: {}", done.stdout);
        for record in records.iter().filter(late).filter(|record| !record["spec"].is_null()) {
            assert!(record["seconds"]["wall"].as_f64().expect("a time") > 0.5, "{record}");
        }
    }
}

/// A spec takes more than 30 megabytes before anything is asked.
#[test]
fn the_memory_limit_makes_unknown() {
    for megabytes in ["1", "36"] {
        let done = run_to(4, &["bmc", HARD[0], HARD[1], HARD[2], HARD[3], "--quiet", "--memory", megabytes]);
        assert!(done.stdout.contains("unknown (memory limit reached); no"), "{megabytes}: {}", done.stdout);
        assert_eq!(done.stderr, "");
    }
    let finite = "../../../specs/resource_allocation/modern.rcp";
    let done = run_to(4, &["bmc", finite, "--spec=joint_mission", "--bound", "999", "--quiet", "--memory", "64"]);
    assert!(done.stdout.contains("unknown (memory limit reached); no"), "{}", done.stdout);
    run_to(0, &["bmc", "relay.rcp", "--memory", "4G"]);
}

/// Starts the tool, and interrupts it while it searches on after what it logged.
fn interrupted(arguments: &[&str], logged: &str) -> Done {
    let mut child = tool(arguments).arg("-v").spawn().expect("the tool runs");
    read_until(child.stderr.as_mut().expect("it is piped"), logged);
    wait_for_work(child.id());
    kill("INT", child.id());
    let done = Done::from(child.wait_with_output().expect("the tool ends"));
    assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
    done
}

#[test]
fn an_interrupt_prints_what_is_known() {
    let searching = "gifts_cancel_out / bmc: depth 0: no counterexample";
    let done = interrupted(&[&["bmc"], &HARD[..]].concat(), searching);
    assert_eq!(done.code, 130, "{}", done.stdout);
    let expected = "gifts_cancel_out: unknown (interrupted); no counterexample up to depth ";
    assert!(done.stdout.contains(expected), "{}", done.stdout);
    // Specs whose search has not started are unknown too.
    let more = ["bmc", HARD[0], "--spec=load_never_grows", HARD[1], "--spec=gets_balanced", "--bound=60", "--jobs=1"];
    let done = interrupted(&more, searching);
    assert_eq!(done.code, 130, "{}", done.stdout);
    assert!(done.stdout.contains("load_never_grows: violated"), "{}", done.stdout);
    assert!(done.stdout.contains("gifts_cancel_out: unknown (interrupted)"), "{}", done.stdout);
    assert!(done.stdout.contains("gets_balanced: unknown (interrupted); nothing is known"), "{}", done.stdout);
}

#[test]
fn a_closed_pipe_is_no_catastrophe() {
    let commands: [&[&str]; 4] =
        [&["bmc", "relay.rcp"], &["fmt", "relay.rcp"], &["check", "broken.rcp", "--format", "json"], &["--help"]];
    for arguments in commands {
        let mut child = tool(arguments).spawn().expect("the tool runs");
        drop(child.stdout.take());
        let done = Done::from(child.wait_with_output().expect("the tool ends"));
        assert!(!done.stderr.contains("panicked"), "{arguments:?}: {}", done.stderr);
        assert!([0, 1, 2].contains(&done.code), "{arguments:?}: {}", done.code);
    }
}

#[test]
fn exports_go_to_the_place_asked_for() {
    let smv = run_to(0, &["export", "--to", "smv", "relay.rcp"]).stdout;
    assert!(smv.contains("\nMODULE main\n") && smv.contains("\nLTLSPEC "), "{smv}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports");
    let folder = folder.to_str().expect("a path in UTF-8");
    run_to(0, &["export", "--to", "chc", "relay.rcp", "--directory", folder]);
    let clauses = std::fs::read_to_string(Path::new(folder).join("relay.spec1.smt2")).expect("a file per spec");
    let printed = run_to(0, &["export", "--to", "chc", "--spec", "1", "relay.rcp"]).stdout;
    assert_eq!(clauses, printed);
}

#[test]
fn exports_that_make_no_sense() {
    let refused = |arguments: &[&str], words: &str| {
        let stderr = run_to(2, &[&["export", "relay.rcp"], arguments].concat()).stderr;
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    };
    refused(&["--to", "chc"], "files, one per spec; name a folder for them with `--directory FOLDER`");
    refused(&["--to", "smv", "--part", "1"], "`--part` means something for vmt and chc only");
    refused(&["--to", "vmt", "--count", "1"], "`--count` means something for chc only");
    refused(&["--to", "json", "--states", "5"], "`--states` means something for dot only");
    refused(&["--to", "dot", "--spec", "1"], "`--spec` means something for smv, vmt, chc and json only");
    refused(&["--to", "dot", "--states", "1"], "more than 1 reachable state; `--states N` allows more");
    refused(&["--to", "vmt", "--spec", "1", "--part", "99"], "spec 1 has no part 99");
}

/// 24 equivalences: as a tree 2^24 formulas.
const EQUIVALENCES: &str = "
agent A
  local: x : int
  init: x = 0
  receive-guard: chan = *
  repeat: (s: {x < 5} *! (true)()[x := x + 1] + r: {true} *? [])
system = A(a, true)
";

#[test]
fn time_is_limited_before_the_solving() {
    let parts: Vec<String> = (0..24).map(|value| format!("(F a-x = {value})")).collect();
    let file = temporary("equivalences.rcp", format!("{EQUIVALENCES}SPEC {}", parts.join(" <-> ")).as_bytes());
    let file = file.to_str().expect("UTF-8");
    for command in [&["prove"][..], &["prove", "--engine", "explicit"], &["bmc", "--bound", "1000000"]] {
        assert_late(&run_to(4, &[command, &["--timeout", "1", file]].concat()), 1);
    }
}

/// Six hundred instances that all hear each other.
#[test]
fn reading_a_model_counts_as_time() {
    let instances: Vec<String> = (0..600).map(|index| format!("A(a{index}, true)")).collect();
    let model = EQUIVALENCES.replace("A(a, true)", &instances.join(" || "));
    let file = temporary("many.rcp", format!("{model}SPEC G (a0-x < 7)\nSPEC G (a1-x < 7)").as_bytes());
    let file = file.to_str().expect("UTF-8");
    assert_late(&run_to(4, &["prove", "--timeout", "0.01", file]), 2);
    let json = run_to(4, &["prove", "--timeout", "0.01", "--format", "json", file]);
    assert!(json.stdout.lines().all(|line| line.contains("\"timeout\"")), "{}", json.stdout);
    assert!(!json.stdout.is_empty());
}

#[test]
fn memory_is_limited_while_numbers_grow() {
    let model = EQUIVALENCES
        .replace("x < 5", "true")
        .replace("x := x + 1", "x := x * 1000 + 1")
        .replace("init: x = 0", "init: x = 7");
    let file = temporary("growth.rcp", format!("{model}SPEC G (a-x != 5)").as_bytes());
    let file = file.to_str().expect("UTF-8");
    let done = run_to(4, &["prove", "--engine", "explicit", "--memory", "150", file]);
    assert!(done.stdout.contains("unknown (memory limit reached"), "{}", done.stdout);
}

/// A folder of its own with a right and a wrong model, one of them in a folder below.
fn two_models(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(folder.join("below")).expect("the folder is writable");
    for (from, to) in [("relay.rcp", "relay.rcp"), ("broken.rcp", "below/broken.rcp")] {
        let from = Path::new("tests/fixtures/cli").join(from);
        std::fs::copy(from, folder.join(to)).expect("the folder is writable");
    }
    folder
}

#[test]
fn check_says_that_all_is_well() {
    let done = run_to(0, &["check", "relay.rcp"]);
    assert_eq!(done.stdout, "relay.rcp: no errors, no warnings (3 instances, 5 specs)\n");
    // Notes are neither.
    assert!(done.stderr.contains("note: the system can get stuck"), "{}", done.stderr);
    for quiet in ["--quiet", "-q"] {
        let done = run_to(0, &["check", "relay.rcp", quiet]);
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
    }
    let both = run_to(0, &["check", "relay.rcp", "family.rcp"]);
    assert!(both.stdout.ends_with("\n2 files: no errors, 1 warning\n"), "{}", both.stdout);
    let copy = temporary("relay_again.rcp", include_bytes!("../fixtures/cli/relay.rcp"));
    let twice = run_to(0, &["check", "relay.rcp", copy.to_str().expect("a UTF-8 path")]);
    assert!(twice.stdout.ends_with("\n2 files: all is well\n"), "{}", twice.stdout);
}

#[test]
fn a_file_that_is_named_twice_is_read_once() {
    let folder = two_models("named_twice");
    let model = folder.join("relay.rcp");
    let (folder, model) = (folder.to_str().expect("a UTF-8 path"), model.to_str().expect("a UTF-8 path"));
    let once = run_to(0, &["fmt", "relay.rcp"]).stdout;
    for again in ["relay.rcp", "./relay.rcp", "../cli/relay.rcp"] {
        let checked = run_to(0, &["check", "relay.rcp", again]);
        assert_eq!(checked.stdout, "relay.rcp: no errors, no warnings (3 instances, 5 specs)\n", "{again}");
        assert_eq!(run_to(0, &["fmt", "relay.rcp", again]).stdout, once, "{again}");
    }
    let roundabout = format!("{folder}/below/../relay.rcp");
    for files in [[folder, model, model], [model, folder, &roundabout]] {
        let checked = run_to(2, &[&["check"], &files[..]].concat());
        assert!(checked.stdout.ends_with("\n2 files: 1 to be corrected\n"), "{}", checked.stdout);
        assert_eq!(checked.stdout.matches("relay.rcp: no errors").count(), 1, "{}", checked.stdout);
    }
    // A file that cannot be read is reported as often as it is named otherwise.
    let missing = run_to(2, &["check", "nowhere.rcp", "nowhere.rcp"]);
    assert_eq!(missing.stderr.matches("nowhere.rcp").count(), 1, "{}", missing.stderr);
}

#[test]
fn check_and_fmt_take_folders_and_standard_input() {
    let folder = two_models("folders");
    let folder = folder.to_str().expect("a UTF-8 path");
    let checked = run_to(2, &["check", folder]);
    assert!(checked.stdout.contains("relay.rcp: no errors"), "{}", checked.stdout);
    assert!(checked.stdout.ends_with("2 files: 1 to be corrected\n"), "{}", checked.stdout);
    assert!(checked.stderr.contains("below/broken.rcp:"), "{}", checked.stderr);
    let formatted = run_to(2, &["fmt", folder]);
    assert!(formatted.stdout.contains("system = ") && formatted.stderr.contains("broken.rcp:"), "{}", formatted.stderr);
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_models");
    std::fs::create_dir_all(&empty).expect("the folder is writable");
    for command in ["check", "fmt"] {
        let done = run_to(2, &[command, empty.to_str().expect("a UTF-8 path")]);
        assert!(done.stderr.contains("has no file that ends with .rcp"), "{}", done.stderr);
    }
    let relay = std::fs::read("tests/fixtures/cli/relay.rcp").expect("readable");
    let broken = std::fs::read("tests/fixtures/cli/broken.rcp").expect("readable");
    assert_eq!(
        run_with(&relay, &["check", "-"], 0).stdout,
        "standard input: no errors, no warnings (3 instances, 5 specs)\n"
    );
    assert_eq!(run_with(&relay, &["fmt", "-"], 0).stdout, run_to(0, &["fmt", "relay.rcp"]).stdout);
    assert!(run_with(&broken, &["check", "-"], 2).stderr.contains("[ standard input:"));
    run_with(b"enum   channel {a}", &["fmt", "--check", "-"], 2);
    assert!(run_with(&relay, &["fmt", "--write", "-"], 2).stderr.contains("cannot be written back"));
}

/// Runs the tool, which must end with the code, on a standard input.
fn run_with(input: &[u8], arguments: &[&str], code: i32) -> Done {
    let mut child = tool(arguments).stdin(Stdio::piped()).spawn().expect("the tool runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A run that refuses its arguments does not read.
    let _ = std::io::Write::write_all(&mut stdin, input);
    drop(stdin);
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!(done.code, code, "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
    done
}

#[test]
fn findings_are_written_at_once() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixDatagram;
    // A text that is written at once arrives at once.
    let (ours, theirs) = UnixDatagram::pair().expect("sockets");
    let mut command = tool(&["check", "broken.rcp"]);
    let status = command.stderr(Stdio::from(OwnedFd::from(theirs))).status().expect("the tool runs");
    drop(command);
    assert_eq!(status.code(), Some(2));
    ours.set_nonblocking(true).expect("a socket");
    let mut buffer = vec![0; 1 << 20];
    let length = ours.recv(&mut buffer).expect("something is written");
    assert_eq!(String::from_utf8_lossy(&buffer[..length]), run(&["check", "broken.rcp"]).stderr);
    assert!(ours.recv(&mut buffer).is_err(), "there is more");
}

#[test]
fn no_control_character_of_a_model_reaches_the_terminal() {
    let hostile = "enum channel {a\u{1b}[2J\u{202e}}\n// name: x\u{9b}y\r\u{7}\nSPEC \u{2066}";
    let path = temporary("hostile\u{1b}[31m.rcp", hostile.as_bytes());
    let path = path.to_str().expect("a UTF-8 path");
    for arguments in [&["check", path][..], &["check", path, "--format", "json"], &["fmt", path], &["prove", path]] {
        let done = run_to(2, arguments);
        let all = done.stdout + &done.stderr;
        let is_bad =
            |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!all.is_empty() && !all.contains(is_bad), "{arguments:?}: {all:?}");
    }
}

#[test]
fn slips_in_expectations_are_errors_everywhere() {
    let model = std::fs::read_to_string("tests/fixtures/cli/relay.rcp").expect("readable");
    let slip = |from: &str, to: &str, name: &str| {
        assert!(model.contains(from), "{from}");
        temporary(name, model.replacen(from, to, 1).as_bytes()).to_str().expect("a UTF-8 path").to_owned()
    };
    let violatd = slip("expect: violated", "expect: violatd", "violatd.rcp");
    let twins = slip("name: told_first", "name: small", "twins.rcp");
    for command in [&["check"][..], &["prove"], &["bmc"], &["batch", "--mode", "prove"], &["batch", "--mode", "check"]]
    {
        let done = run_to(2, &[command, &[violatd.as_str()]].concat());
        assert!(
            (done.stdout.clone() + &done.stderr).contains("`violatd`"),
            "{command:?}: {} {}",
            done.stdout,
            done.stderr
        );
        let done = run_to(2, &[command, &[twins.as_str()]].concat());
        assert!((done.stdout.clone() + &done.stderr).contains("called `small`"), "{command:?}: {}", done.stdout);
    }
    let done = run_to(2, &["prove", &twins, "--spec", "small"]);
    assert!(done.stderr.contains("the first one") && done.stderr.contains("the second one"), "{}", done.stderr);
    // A name that may be the number of another spec.
    let done = run_to(2, &["bmc", &slip("name: small", "name: 3", "number.rcp"), "--spec", "3"]);
    assert!(done.stderr.contains("`3` cannot be the name of a spec"), "{}", done.stderr);
}

#[test]
fn batches_can_deny_warnings() {
    let warned = "../../../specs/features/receive_guard_omitted.rcp";
    let done = run_to(0, &["batch", warned, "--bound", "3"]);
    assert!(done.stderr.contains("receive_guard_omitted.rcp: 2 warnings; `check` shows what"), "{}", done.stderr);
    for mode in ["bmc", "prove", "check"] {
        let done = run_to(2, &["batch", warned, "--mode", mode, "--deny-warnings"]);
        assert!(done.stdout.contains("--deny-warnings treats warnings as errors"), "{}", done.stdout);
        run_to(
            run(&["batch", "relay.rcp", "--mode", mode]).code,
            &["batch", "relay.rcp", "--mode", mode, "--deny-warnings"],
        );
    }
}

#[test]
fn specs_without_names_are_called_by_their_text() {
    let model = std::fs::read_to_string("tests/fixtures/cli/relay.rcp").expect("readable");
    let (model, _) = model.split_once("// name: small").expect("the first spec");
    let spec = "SPEC forall k : Agent . // all\n    F \t k-automaton-state != 9;\n";
    let path = temporary("unnamed.rcp", (model.to_owned() + spec).as_bytes());
    let done = run(&["bmc", path.to_str().expect("a UTF-8 path"), "--bound", "1"]);
    assert!(done.stdout.starts_with("spec 1 forall k : Agent . F k-automaton-state != 9: "), "{}", done.stdout);
}

/// Agents that all start with conditions that contradict each other.
fn without_start(name: &str, instances: usize) -> PathBuf {
    let agent = "agent A\n local: x : int\n init: x > 0 & x < 1\n receive-guard: chan = *\n\
        repeat: (s: {x < 3} *! (true)()[x := x + 1] + r: {x > 9} *? [x := 0])\n";
    let list: Vec<String> = (0..instances).map(|number| format!("A(a{number}, true)")).collect();
    temporary(name, format!("{agent}system = {}\nSPEC G (a0-x < 2)\n", list.join(" || ")).as_bytes())
}

#[test]
fn no_initial_state_is_said_everywhere_and_always() {
    let small = without_start("no_start.rcp", 2);
    let small = small.to_str().expect("UTF-8");
    let [is_error, is_noted] = ["E0501", "note: every spec holds vacuously: there is no initial state"];
    assert!(run_to(2, &["check", "-q", small]).stderr.contains(is_error));
    for command in [&["prove", "-q"][..], &["bmc", "-q"], &["prove"], &["bmc", "--deadlock"]] {
        let done = run_to(2, &[command, &[small]].concat());
        assert!(done.stdout.contains(is_noted) && done.stderr.contains(is_error), "{command:?} {}", done.stdout);
    }
    let proofs = temporary("no_start_proofs.rcp", b"").with_extension("");
    let proofs = proofs.to_str().expect("UTF-8");
    run_to(2, &["prove", "-q", "--certificate", proofs, small]);
    let done = run_to(2, &["certify", small, proofs]);
    assert!(done.stdout.contains("valid") && done.stderr.contains(is_error), "{} {}", done.stdout, done.stderr);
    for mode in ["check", "prove", "bmc"] {
        let done = run_to(2, &["batch", "--mode", mode, small]);
        assert!(done.stdout.contains("there is no initial state"), "{}", done.stdout);
        assert!(!done.stdout.contains("holds"), "{}", done.stdout);
    }
    // Two agents have their own reasons.
    let two = temporary(
        "no_starts.rcp",
        b"agent A\n local: x : int\n init: x = 0\n repeat: s: {true} *! (true)()[]\n\
          system = A(a, x > 0) || A(b, x < 0) || A(c, true)",
    );
    let two = two.to_str().expect("UTF-8");
    assert_eq!(run_to(2, &["check", two]).stderr.matches(is_error).count(), 2);
    let done = run_to(2, &["graph", "--reachable", "5", two]);
    assert!(done.stderr.contains("error: there is no initial state, so nothing can be reached"), "{}", done.stderr);
    // However many instances there are, and however long a look at them would take.
    let large = without_start("no_start_large.rcp", 1500);
    assert!(run_to(2, &["check", large.to_str().expect("UTF-8")]).stderr.contains(is_error));
}

#[test]
fn commands_without_verdicts_keep_limits() {
    let instances: Vec<String> = (0..600).map(|index| format!("A(a{index}, true)")).collect();
    let model = EQUIVALENCES.replace("A(a, true)", &instances.join(" || "));
    let file = temporary("limited.rcp", format!("{model}SPEC G (a0-x < 7)").as_bytes());
    let file = file.to_str().expect("UTF-8");
    for (command, words) in [
        (&["check"][..], "not checked: timeout"),
        (&["export", "--to", "smv"], "nothing was exported: timeout"),
        (&["graph", "--reachable", "5"], "nothing was drawn: timeout"),
        (&["simulate", "--random", "1000"], "the simulation was given up: timeout"),
    ] {
        let done = run_to(4, &[command, &["--timeout", "0.001", file]].concat());
        assert!(done.stderr.contains(words) && done.stdout.is_empty(), "{command:?} {}", done.stderr);
    }
    // A tree of 2^24 operators is not even begun.
    let parts: Vec<String> = (0..24).map(|value| format!("(F a-x = {value})")).collect();
    let large = temporary("large_spec.rcp", format!("{EQUIVALENCES}SPEC {}", parts.join(" <-> ")).as_bytes());
    let done = run_to(2, &["export", "--to", "smv", large.to_str().expect("UTF-8")]);
    assert!(done.stderr.contains("operators, and SMV has no names for temporal formulas"), "{}", done.stderr);
}

/// A model whose integers explode, so that no engine visits all of its states.
fn squares(name: &str, specs: &str) -> PathBuf {
    let model = EQUIVALENCES.replace("x < 5", "true").replace("x := x + 1", "x := x * x").replace("x = 0", "x = 3");
    temporary(name, (model + specs).as_bytes())
}

#[test]
fn integers_that_explode_are_no_lack_of_memory() {
    let file = squares("squares.rcp", "SPEC G (a-x != 5)");
    let done = run_to(4, &["prove", "--engine", "explicit", file.to_str().expect("UTF-8")]);
    assert!(done.stdout.contains("an integer would have more than 1048576 bits"), "{}", done.stdout);
}

#[test]
fn scarce_address_space_is_refused() {
    let tool = env!("CARGO_BIN_EXE_rcheck-smt");
    let relay = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/cli/relay.rcp");
    for (command, kilobytes, words) in [
        ("prove", 1_000_000, "allow 3000000 kB"),
        ("batch", 2_900_000, "allow 3000000 kB"),
        ("check", 600_000, "allow 2000000 kB"),
    ] {
        let script = format!("ulimit -v {kilobytes}; exec '{tool}' {command} '{relay}'");
        let output = Command::new("sh").args(["-c", &script]).output().expect("there is a shell");
        let done = Done::from(output);
        assert!(done.code == 2 && done.stderr.contains(words), "{} {}", done.code, done.stderr);
    }
    let script = format!("ulimit -v 4000000; exec '{tool}' prove --jobs 2 --quiet '{relay}'");
    let done = Done::from(Command::new("sh").args(["-c", &script]).output().expect("there is a shell"));
    assert!(done.stderr.contains("note: 1 of 2 jobs can run at the same time"), "{}", done.stderr);
}

#[test]
fn models_are_not_overwritten_whatever_their_name_and_pipes_are_not_waited_for() {
    let text = std::fs::read("tests/fixtures/cli/relay.rcp").expect("readable");
    let model = temporary("a_model.txt", &text);
    let model = model.to_str().expect("UTF-8");
    let done = run_to(2, &["export", "--to", "smv", "--output", model, "relay.rcp"]);
    assert!(done.stderr.contains("is a model, and would be overwritten"), "{}", done.stderr);
    assert_eq!(std::fs::read(model).expect("still there"), text);
    let pipe = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a_pipe");
    let _ = std::fs::remove_file(&pipe);
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let pipe = pipe.to_str().expect("UTF-8");
    for command in
        [&["export", "--to", "smv", "-o"][..], &["bmc", "--spec", "small", "--save-trace"], &["batch", "--output"]]
    {
        let done = run_to(2, &[command, &[pipe, "relay.rcp"]].concat());
        assert!(done.stderr.contains("is a pipe"), "{command:?} {}", done.stderr);
    }
}

#[test]
fn options_of_other_commands_and_modes_are_named() {
    let done = run_to(2, &["prove", "--bound", "5", "relay.rcp"]);
    assert!(done.stderr.contains("--bound is an option of `bmc`, `batch`, `unit`, `simulate`"), "{}", done.stderr);
    for (arguments, words) in [
        (&["batch", "--engine", "pdr"][..], "--engine needs --mode prove"),
        (&["batch", "--mode", "prove", "--bound", "5"], "--bound needs --mode bmc"),
        (&["batch", "-"], "for standard input"),
        (&["report", "-"], "not standard input"),
    ] {
        let done = run_to(2, &[arguments, &["relay.rcp"]].concat());
        assert!(done.stderr.contains(words), "{arguments:?} {}", done.stderr);
    }
    let empty = temporary("empty.jsonl", b"");
    assert!(run_to(2, &["report", empty.to_str().expect("UTF-8")]).stderr.contains("has no results"));
}

#[test]
fn an_unexpected_verdict_is_noted() {
    let model = std::fs::read_to_string("tests/fixtures/cli/relay.rcp").expect("readable");
    let model = model.replacen("expect: violated", "expect: holds", 1);
    let path = temporary("unexpected.rcp", model.as_bytes());
    let done = run_to(1, &["prove", path.to_str().expect("UTF-8")]);
    assert_eq!(done.stdout.matches("note: unexpected: the file expects `holds`").count(), 1, "{}", done.stdout);
    assert!(!run_to(0, &["prove", "relay.rcp"]).stdout.contains("unexpected"));
}

#[test]
fn counterexamples_are_short_from_all_engines() {
    let model = "../../../specs/leader_election.rcp";
    for engines in ["pdr", "kind", "explicit,bmc,kind,pdr,rlive,spacer"] {
        let done = run_to(0, &["prove", "--engine", engines, "--spec", "10", model]);
        assert!(done.stdout.contains("violated, as expected, after 1 step\n"), "{engines} {}", done.stdout);
    }
}
