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

/// No number is as both agree.
const NOWHERE: &str = "agent A
    local: n : int, up : bool
    init: n > 3 & up & n < 9
    receive-guard: chan = *
    repeat: tick: {up} *! (true)()[n := n + 1]
system = A(a, true) || A(b, n + n = 5)
SPEC G (a-n < 5)
SPEC G F (b-n = 4)
SPEC F deadlock
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

/// The output of the tool on a file, and its exit code.
fn run(path: &Path, arguments: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.args(arguments).arg(path).args(["--color", "never"]).stdin(Stdio::null());
    let output = command.output().expect("the tool runs");
    let text = String::from_utf8(output.stdout).expect("the tool prints UTF-8");
    (text, output.status.code().expect("an exit code"))
}

/// The first command that is blocked in the only state can never run.
const SELF: &str = "message-structure: M : int
agent A
    local: x : 0..2
    init: x = 0
    receive-guard: chan = *
    repeat: (self: {true} GET@(myself)(M := x)[x := M] + tick: {x < 2} *! (true)(M := x)[x := x + 1])
system = A(a, true)
SPEC G (a-x = 2 -> G (a-x = 2))
";

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
    let why = "no step is possible in state 3:\n    a-up would send `N` = 6, out of its range, line 7";
    assert!(text.contains(why), "{text}");
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

/// The records of what the tool prints.
fn records(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn checks_are_records() {
    let path = file("counters_json.rcp", COUNTERS);
    let checks = ["--deadlock", "--overflow", "--dead-code", "--format", "json"];
    let (text, code) = run(&path, &[&["prove"][..], &checks].concat());
    assert_eq!(code, 1);
    let records = records(&text);
    let words = |record: &serde_json::Value| {
        let field = |name: &str| record[name].as_str().unwrap_or("null").to_owned();
        format!("{} {}: {}", field("check"), field("name"), field("verdict"))
    };
    let expected = [
        "deadlock deadlock: possible",
        "overflow overflow of command A-up: possible",
        "overflow overflow of command A-hear: possible",
        "dead-code command A-up: taken",
        "dead-code command A-never: dead",
        "dead-code command A-hear: taken",
    ];
    assert_eq!(records.iter().map(words).collect::<Vec<_>>(), expected);
    for record in &records {
        let (shown, deadlock) = (record["verdict"] != "dead", record["check"] == "deadlock");
        assert_eq!((record["trace"].is_object(), record["proof"].is_string()), (shown, !shown));
        assert!(record["spec"].is_null() && record["line"].is_null() == deadlock, "{record}");
    }
    // A summary keeps them apart, and means the same.
    let path = file("counters.jsonl", &text);
    let page = path.with_extension("html");
    let (text, code) = run(&path, &["report", "--html", page.to_str().expect("a UTF-8 path")]);
    assert_eq!(code, 1);
    assert!(text.contains("6 checks in 1 file: 3 possible, 1 dead, 2 taken"), "{text}");
    let page = std::fs::read_to_string(&page).expect("it was written");
    assert_eq!(page.matches("<div class=\"chart\"><svg").count(), 5, "{page}");
}

#[test]
fn notes_on_vacuity_are_in_records() {
    let path = file("ticks_json.rcp", TICKS);
    let (text, code) = run(&path, &["prove", "--format", "json"]);
    assert_eq!(code, 0);
    let vacuous: Vec<_> = records(&text).into_iter().map(|record| record["vacuous"].clone()).collect();
    assert_eq!(vacuous, [serde_json::json!(["t-n < 0"]), serde_json::json!(["t-big"]), serde_json::json!([])]);
}

/// Warnings about a model, on standard error, and the exit code.
fn remarks(path: &Path, arguments: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    let output = command.args(arguments).arg(path).args(["--color", "never"]).stdin(Stdio::null()).output();
    let output = output.expect("the tool runs");
    let text = String::from_utf8(output.stderr).expect("the tool prints UTF-8");
    (text, output.status.code().expect("an exit code"))
}

/// A fact about instances of the size that is looked at need not be one about all.
#[test]
fn what_depends_on_sizes_is_not_said_of_all() {
    let text = "agent T\n local: x : int, b : bool\n init: !b\n receive-guard: false\n repeat: s: {true} *! (true)()[x := 1]\n\
        agent S\n local: y : int\n init: y = 0\n receive-guard: false\n repeat: s: {true} *! (true)()[y := y + 1]\n\
        system = S(one, true) || T(a[*], b)\nSPEC G (one-y >= 0)\nSPEC G (one-y <= 3)\n\
        SPEC G ((count k : T . k != one) <= 2)\n";
    let path = file("no_member.rcp", text);
    let (checked, code) = remarks(&path, &["check"]);
    assert!(code == 0 && !checked.contains("W0301") && !checked.contains("E0501"), "{checked}");
    assert!(checked.contains("[W0511] Warning: systems with `a[*] = 1` or more have no initial state"), "{checked}");
    let (proved, _) = run(&path, &["prove"]);
    assert!(proved.contains("holds (for all sizes") && proved.contains("violated for a[*] = 0"), "{proved}");
    assert!(!proved.contains("vacuously"), "{proved}");
    // One member is in all instances.
    let path = file("one_member.rcp", &text.replace("a[*]", "a[1..*]"));
    assert!(remarks(&path, &["check"]).0.contains("[E0501] Error: there is no initial state"));
}

#[test]
fn a_model_without_initial_states_is_an_error_and_noted_once() {
    let path = file("nowhere.rcp", NOWHERE);
    let (text, code) = remarks(&path, &["check"]);
    assert_eq!(code, 2);
    assert!(text.contains("[E0501] Error: there is no initial state: no values of the locals of `b` fit"), "{text}");
    assert_eq!(text.matches('┬').count(), 1, "`n + n = 5` is false alone: {text}");
    assert!(text.contains("this is never true"), "{text}");
    for engine in ["kind", "pdr", "rlive", "spacer", "explicit,bmc,kind,pdr,rlive,spacer,bdd"] {
        let (text, code) = run(&path, &["prove", "--engine", engine]);
        assert_eq!(text.matches("there is no initial state").count(), 1, "{engine}: {text}");
        assert!(text.contains("note: every spec holds vacuously: there is no initial state"), "{engine}: {text}");
        assert_eq!(code, 2, "{engine}: {text}");
    }
}

#[test]
fn no_initial_state_for_values_from_the_command_line_is_no_error() {
    let agent = "agent P\n local: y : bool\n init: y\n receive-guard: chan = *\n repeat: s: {y} *! (true)()[]\n";
    let of = |system: &str, condition: &str| {
        let constant = if system.contains('N') { "const N = 2;\n" } else { "" };
        format!(
            "{constant}{agent}system = P({system})\n where {condition}\n\
            SPEC G ((count k : P . k-y) > 3)\nSPEC G ((count k : P . k-y) > 0)\nSPEC G (E(F (count k : P . k-y) > 0))\n"
        )
    };
    let exists = "(count k : P . k-y) > 0";
    for (name, system, values) in
        [("no_size.rcp", "p[*], true", ["--size", "p=0"]), ("no_constant.rcp", "p1, N > 0 | !y", ["--const", "N=0"])]
    {
        let path = file(name, &of(system, exists));
        let (text, code) = remarks(&path, &[&["check"][..], &values].concat());
        assert!(
            code == 0 && text.contains("[W0509] Warning: for the values from the command line, there is"),
            "{text}"
        );
        assert!(!text.contains("W0202") && !text.contains("E0501"), "{text}");
        for quiet in [&[][..], &["--quiet"]] {
            let (text, code) = run(&path, &[&["prove"][..], &values, quiet].concat());
            assert_eq!((code, text.matches(": holds").count()), (0, 3), "{text}");
            assert_eq!(text.matches("there is no initial state").count(), 1, "{text}");
        }
        assert!(!remarks(&path, &["check"]).0.contains("initial state"), "of the file as it is written");
    }
    // The values are not the reason.
    let path = file("no_value.rcp", &of("p1, N > 0 | !y", exists).replace("init: y", "init: y & !y"));
    let (text, code) = remarks(&path, &["check", "--const", "N=1"]);
    assert!(code == 2 && text.contains("E0501") && !text.contains("W0509"), "{text}");
}

#[test]
fn of_what_is_said_about_all_instances_only_what_clashes_is_shown() {
    let agent = "agent A\n    local: n : 0..3\n    init: n < 3\n    receive-guard: chan = *\n    \
        repeat: {true} *! (true)()[]\n";
    for (condition, parts) in [
        // The range of `n` is part of each contradiction.
        ("b-n > 0 & a-n + b-n > 3 & a-n < 1 & a-n != 2 & b-n < 3", 2),
        ("b-n < 2 & a-n + b-n > 3 & a-n < 2", 3),
        // Here the condition of the agent is one of them.
        ("b-n > 0 & a-n > 2", 2),
        ("b-n > 0 & a-n > 3", 1),
    ] {
        let path = file("clash.rcp", &format!("{agent}system = A(a, true) || A(b, true)\n    where {condition}\n"));
        let (text, code) = remarks(&path, &["check"]);
        assert!(code == 2 && text.contains("no values of all locals together fit `where`"), "{text}");
        let error = text.split("[E0501]").nth(1).expect("said above");
        assert_eq!(error.matches('┬').count(), parts, "{text}");
    }
    let text = "Agent One\n  Vars:\n    x : 0..3;\n    y : boolean;\n  end Vars\n  Actions = {go};\n  Protocol:\n    \
        Other : {go};\n  end Protocol\n  Evolution:\n    x = 1 if Action = go;\n  end Evolution\nend Agent\n\
        Evaluation\n  p if One.x = 1;\nend Evaluation\nInitStates\n  One.y = true and One.x = 2 and (One.x = 1 or One.x = 3);\n\
        end InitStates\nFormulae\n  AG p;\nend Formulae\n";
    let (text, code) = remarks(&file("clash.ispl", text), &["check"]);
    assert!(code == 2 && text.contains("no values of all variables together fit `InitStates`"), "{text}");
    assert_eq!(text.matches('┬').count(), 2, "{text}");
}

#[test]
fn a_look_at_the_model_comes_before_the_verdicts() {
    let stuck = COUNTERS.replace("up: {true}", "up: {n > 0}") + "SPEC G (a-n < 3)\n";
    let path = file("stuck.rcp", &stuck);
    for command in ["check", "prove", "bmc"] {
        let (text, code) = remarks(&path, &[command]);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("[W0501] Warning: no step is possible from an initial state"), "{command}: {text}");
        assert!(text.contains("the guard of a-up is false (`n > 0`)"), "{command}: {text}");
        assert_eq!(text.matches("note: no run takes this command").count(), 3, "{command}: {text}");
    }
    assert_eq!(remarks(&path, &["prove", "--quiet"]).0, "");

    let later = file("later.rcp", &format!("{COUNTERS}SPEC G (a-n < 4)\n"));
    let (text, _) = remarks(&later, &["prove"]);
    assert!(
        text.contains("later.rcp:7: [N0502] note: the system can get stuck, after 3 steps at the earliest"),
        "{text}"
    );
    assert!(text.contains(":8: [N0504] note: no run takes this command: `never` of `A`"), "{text}");

    let free = file("free.rcp", &TICKS.replace("init: n = 0 & up", "init: up"));
    let (text, _) = remarks(&free, &["check"]);
    assert!(text.contains("note: `n` of `T` starts with any value of its type"), "{text}");
    let start =
        file("start.rcp", &TICKS.replace("init: n = 0 & up", "init: n > 3 & (up | n > 7)").replace("{!up}", "{n < 9}"));
    let (text, _) = remarks(&start, &["check"]);
    assert!(text.contains("[W0501] Warning: no step is possible from an initial state"), "{text}");
}

#[test]
fn what_a_warning_says_of_a_command_hides_no_stuck_state() {
    let (text, _) = remarks(&file("self.rcp", SELF), &["check"]);
    assert!(text.contains("[N0502] note: the system can get stuck, after 2 steps at the earliest"), "{text}");
    assert_eq!(text.matches("[W0201]").count(), 1, "{text}");
    assert_eq!(text.matches("Warning").count(), 1, "a command that cannot run needs no other warning: {text}");
    assert!(!text.contains("N0504"), "{text}");
    let unsent = SELF.replace("GET@(myself)(M := x)", "*? ").replace("(M := x)", "()").replace("x < 2", "x > 2");
    let (text, _) = remarks(&file("unsent.rcp", &unsent), &["check"]);
    assert!(text.contains("[W0203] Warning: no agent that may send"), "{text}");
    assert!(text.contains("[W0501] Warning: no step is possible from an initial state"), "{text}");
}

/// A command that was possible before says more than one that never is; a send that others block is named.
#[test]
fn stuck_states_name_the_command_that_is_blocked() {
    let dead = SELF.replace("self: {true} GET@(myself)(M := x)[x := M]", "up: {x > 7} *! (true)(M := x)[x := 0]");
    let (text, _) = remarks(&file("stuck_last.rcp", &dead), &["check"]);
    assert!(text.contains("(the guard of a-tick is false (`x < 2`))"), "{text}");
    let blocked = "enum channel {c}
agent A
    local: x : 0..2
    init: x = 0
    receive-guard: chan = c
    repeat: s: {true} c! (true)()[]
agent B
    local: x : 0..2
    init: x = 0
    receive-guard: chan = c
    repeat: r: {x > 0} c? []
system = A(a[1..2], x = index) || B(b, true)
SPEC true
";
    let path = file(
        "blocked.rcp",
        &blocked
            .replace("init: x = 0\n    receive-guard: chan = c\n    repeat: s", "receive-guard: *=chan\n    repeat: s"),
    );
    let (text, _) = run(&path, &["prove", "--deadlock"]);
    for member in ["a1", "a2"] {
        let line = format!("{member}-s: `b` listens to the channel, but no receive of it is ready, line");
        assert_eq!(text.matches(&line).count(), 1, "{text}");
    }
}

/// A condition that the members of a family share is shown for the member that it keeps from starting.
#[test]
fn a_condition_of_a_family_is_shown_with_the_number() {
    let text = "agent A
    local: id : 1..3
    receive-guard: false
    repeat: s: {true} *! (true)()[]
system = A(a[0..2], id = index)
SPEC true
";
    let (text, _) = remarks(&file("member.rcp", text), &["check"]);
    assert!(text.contains("this is never true: `id = 0` of `a0`"), "{text}");
}
