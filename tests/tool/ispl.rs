//! Models in ISPL go wherever models in our language go.

use crate::tool::{Folder, project, records, verdicts};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// A folder with our models in ISPL and the fixtures.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    for from in ["specs/ispl", "tests/fixtures/ispl"] {
        for entry in std::fs::read_dir(project().join(from)).expect("the models are there") {
            let file = entry.expect("a readable folder").file_name().into_string().expect("UTF-8");
            folder.copy(&format!("{from}/{file}"));
        }
    }
    folder
}

/// A script through the simulator, which must end with this code; what it printed.
fn session(folder: &Folder, code: i32, arguments: &[&str], script: &str) -> String {
    let mut command = folder.command(&[&["simulate"], arguments].concat(), "never");
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the tool starts");
    child.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("it reads");
    let done = crate::tool::end(child);
    assert_eq!(done.code, code, "{}\n{}", done.stdout, done.stderr);
    done.stdout
}

#[test]
fn check_tells_all_faults() {
    let folder = folder("ispl-check");
    let done = folder.run(2, &["check", "faults.ispl"]);
    assert!(done.stderr.contains("50 errors\n"), "{}", done.stderr);
    let done = folder.run(0, &["check", "strategies.ispl", "bit_transmission.ispl"]);
    let said = done.stdout + &done.stderr;
    assert!(said.contains("strategies.ispl: no errors, no warnings (2 instances, 5 specs)"), "{said}");
    assert!(said.contains("bit_transmission.ispl: no errors, no warnings (3 instances, 16 specs)"), "{said}");
    for command in ["prove", "bmc", "simulate", "export", "graph"] {
        let arguments = [command, "faults.ispl"];
        let more: &[&str] = if command == "export" { &["--to", "smv"] } else { &[] };
        let done = folder.run(2, &[&arguments, more].concat());
        assert!(done.stderr.contains("[E0304] Error: the range 3..1 has no value"), "{command}: {}", done.stderr);
    }
}

#[test]
fn strategies_are_decided() {
    let folder = folder("ispl-strategies");
    let done = folder.run(0, &["prove", "--quiet", "--certificate", "out", "strategies.ispl"]);
    let lines: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with("spec ")).collect();
    assert!(lines[0].starts_with("spec 1 can_be_lit: holds ("), "{lines:?}");
    assert!(
        lines[1].starts_with("spec 2 visitor_lights_it: holds (1 branching formula labelled in all of 2 states"),
        "{lines:?}"
    );
    assert!(lines[2].starts_with("spec 3 nested: holds (1 branching formula labelled in all of 2 states"), "{lines:?}");
    assert!(lines[3].starts_with("spec 4 stays_dark: violated, as expected, after 1 step"), "{lines:?}");
    assert!(lines[4].starts_with("spec 5 lamp_stays_dark: violated, as expected, in an initial state"), "{lines:?}");
    folder.run(0, &["certify", "strategies.ispl", "out"]);
}

#[test]
fn a_conjunct_may_stand_there_twice() {
    let folder = folder("ispl-twice");
    let text = folder.read("tug_of_war.ispl");
    let model = text.split("Formulae").next().expect("a text has a beginning");
    let formulas = "Formulae\n  AG (full -> K(Environment, full)) and AG (full -> K(Environment, full));\n  AG (K(Left, counted) -> full and full);\nend Formulae\n";
    folder.write("twice.ispl", format!("{model}{formulas}"));
    let done = folder.run(0, &["prove", "--quiet", "--engine", "explicit", "--certificate", "proofs", "twice.ispl"]);
    assert_eq!(done.stdout.matches(": holds (").count(), 2, "{}", done.stdout);
    assert!(done.stderr.is_empty(), "{}", done.stderr);
    let done = folder.run(0, &["certify", "twice.ispl", "proofs"]);
    assert!(done.stdout.contains("2 valid, 0 refused, 0 unknown"), "{}", done.stdout);
}

#[test]
fn a_batch_takes_folders_of_them_and_evidence_is_accepted_again() {
    let folder = folder("ispl-batch");
    std::fs::remove_file(folder.path("faults.ispl")).expect("it is there");
    folder.run(0, &["batch", ".", "--mode", "prove", "--output", "all.jsonl", "--certificate", "proofs"]);
    let records = folder.records("all.jsonl");
    assert_eq!(records.len(), 81, "{:?}", verdicts(&records));
    let with = |agreement: &str| records.iter().filter(|record| record["agreement"] == agreement).count();
    assert_eq!((with("met"), with("mismatch")), (81, 0), "{:?}", verdicts(&records));
    for (model, count) in [("tug_of_war.ispl", 13), ("delivery_duty.ispl", 10), ("strategies.ispl", 5)] {
        let done = folder.run(0, &["certify", model, &format!("proofs/{model}")]);
        assert!(done.stdout.ends_with(&format!("{count} valid, 0 refused, 0 unknown\n")), "{}", done.stdout);
        // None of them is about another file.
        let done = folder.run(1, &["certify", "two_sensors.ispl", &format!("proofs/{model}")]);
        assert!(done.stdout.ends_with(&format!("0 valid, {count} refused, 0 unknown\n")), "{}", done.stdout);
    }
}

#[test]
fn bounded_searches_answer_what_is_about_single_runs() {
    let folder = folder("ispl-bmc");
    let done = folder.run(4, &["bmc", "--quiet", "--bound", "6", "tug_of_war.ispl"]);
    let lines: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with("spec ")).collect();
    let of = |number: usize| lines[number - 1];
    assert_eq!(of(5), "spec 5 somebody_wins: violated, as expected, by a run with a loop: state 1 -> state 0");
    assert_eq!(of(9), "spec 9 numbers_are_bounded: no counterexample up to depth 6");
    assert!(of(4).contains("unknown (a bounded search follows single runs"), "{}", of(4));
    assert!(done.stdout.contains("  |  Environment: watch, Left: rest, Right: rest  (0 -> 1)\n"), "{}", done.stdout);
}

/// Files of runs are read again: traces in both formats, charts in all.
#[test]
fn runs_are_saved_drawn_and_read_again() {
    let folder = folder("ispl-traces");
    let spec = "a_win_brings_the_rope_back";
    for (trace, chart, words) in [
        ("trace.json", "chart.svg", "Environment"),
        ("trace.itf.json", "chart.txt", "rope: -1→-2"),
        ("trace.json", "chart.mmd", "all act at once"),
        ("trace.json", "chart.md", "all act at once"),
    ] {
        folder.run(0, &["prove", "-q", "--spec", spec, "--save-trace", trace, "--chart", chart, "tug_of_war.ispl"]);
        assert!(folder.read(chart).contains(words), "{}", folder.read(chart));
        let said = session(&folder, 0, &["--trace", trace, "tug_of_war.ispl"], "forward 3\nstate\nquit\n");
        assert!(said.contains("Environment  rope -1 -> -2"), "{said}");
        for file in [trace, chart] {
            std::fs::remove_file(folder.path(file)).expect("it was written");
        }
    }
    // Another action than the protocol allows.
    folder.run(0, &["prove", "-q", "--spec", spec, "--save-trace", "good.json", "tug_of_war.ispl"]);
    let text = folder.read("good.json");
    let mut other: Value = serde_json::from_str(&text).expect("JSON");
    let places: Vec<String> = ["Left", "Right", "Environment"].map(|agent| format!("/states/1/{agent}")).to_vec();
    other.pointer_mut(&places[0]).expect("a local state")["tired"] = false.into();
    folder.write("bad.json", other.to_string());
    let done = folder.run(2, &["simulate", "--trace", "bad.json", "tug_of_war.ispl"]);
    assert!(done.stderr.contains("bad.json is no trace of tug_of_war.ispl"), "{}", done.stderr);
}

#[test]
fn the_simulator_reads_conditions_as_the_file_does() {
    let folder = folder("ispl-simulate");
    let script = "find Environment.rope = 2 and !left_tired\nfind left_wins\neval rope = 2\nrandom 2\nuntil right_wins\nhelp\nback 1\nsave run.json\nquit\n";
    let said = session(&folder, 2, &["tug_of_war.ispl"], script);
    assert!(said.contains("0 -> 1  Environment: watch, Left: rest, Right: pull\n"), "{said}");
    assert!(said.contains("Environment  rope -1 -> 2\n") || said.contains("rope 1 -> 2"), "{said}");
    assert!(said.contains("nothing here is called `rope`") && said.contains("write `Environment.rope`"), "{said}");
    assert!(said.contains("COND is a condition as in `Evaluation`"), "{said}");
    let said = session(&folder, 0, &["--trace", "run.json", "tug_of_war.ispl"], "trace\nquit\n");
    assert!(said.contains("  Left         tired = false"), "{said}");
    let done = folder.run(0, &["simulate", "--random", "20", "--runs", "5", "muddy_children.ispl"]);
    assert!(done.stdout.contains("5 random runs with 20 steps"), "{}", done.stdout);
}

#[test]
fn exports_say_what_is_about_single_runs() {
    let folder = folder("ispl-export");
    for (format, words) in [
        ("smv", "LTLSPEC G "),
        ("json", "\"numbers_are_bounded\""),
        ("vmt", ":invar-property"),
        ("chc", "(set-logic HORN)"),
    ] {
        let done = folder.run(0, &["export", "--to", format, "--spec", "numbers_are_bounded", "tug_of_war.ispl"]);
        assert!(done.stdout.contains(words), "{format}: {}", done.stdout);
        // Others are left out, unless they are named.
        let arguments = ["export", "--to", format, "--directory", "exported", "tug_of_war.ispl"];
        let done = folder.run(0, &arguments);
        assert_eq!(done.stderr.matches("is about other runs or knowledge").count(), 10, "{format}: {}", done.stderr);
        let done = folder.run(2, &["export", "--to", format, "--spec", "left_can_win", "tug_of_war.ispl"]);
        assert!(done.stderr.contains("spec 4 left_can_win is about other runs or knowledge"), "{}", done.stderr);
    }
    let done = folder.run(0, &["export", "--to", "dot", "muddy_children.ispl"]);
    assert!(done.stdout.contains("all 9 reachable states"), "{}", done.stdout);
    // A condition that fairness states once stands in the file once.
    let done = folder.run(0, &["export", "--to", "smv", "--spec", "it_arrives_linear", "bit_transmission.ispl"]);
    assert_eq!(done.stdout.matches("\nJUSTICE ").count(), 2, "{}", done.stdout);
    assert!(done.stdout.contains("\nLTLSPEC F !(Bob-got = nothing);"), "{}", done.stdout);
}

#[test]
fn pictures_and_checks_beyond_specs() {
    let folder = folder("ispl-pictures");
    let done = folder.run(0, &["graph", "--reachable", "20", "--format", "dot", "muddy_children.ispl"]);
    assert_eq!(done.stdout.matches(" -> n0_").count(), 3 + 9, "{}", done.stdout);
    let done = folder.run(0, &["graph", "tug_of_war.ispl"]);
    assert!(done.stdout.starts_with("<svg ") && done.stdout.contains("agent Environment"), "{}", done.stdout);
    let done = folder.run(0, &["prove", "-q", "--deadlock", "tug_of_war.ispl"]);
    assert!(done.stdout.starts_with("deadlock: impossible (all of 216 states explored"), "{}", done.stdout);
    for (check, model, words) in [
        ("--dead-code", "tug_of_war.ispl", "agents in ISPL have none"),
        ("--overflow", "bit_transmission.ispl", "no line can overflow: none assigns anything but values of the domain"),
    ] {
        let done = folder.run(0, &["prove", "-q", check, model]);
        assert!(done.stdout.contains(words), "{}", done.stdout);
    }
    for (arguments, words) in [
        (vec!["prove", "--fair", "weak", "tug_of_war.ispl"], "are not for files in ISPL"),
        (vec!["prove", "--const", "N=3", "tug_of_war.ispl"], "are not for files in ISPL"),
        (vec!["fmt", "tug_of_war.ispl"], "files in ISPL are not formatted"),
    ] {
        assert!(folder.run(2, &arguments).stderr.contains(words), "{arguments:?}");
    }
}

/// A tank whose lines leave its domain: one in a step, one in none, one that its condition keeps inside.
const TANK: &str = "Agent Environment
  Obsvars: limit : 1..3; end Obsvars
  Actions = {none};
  Protocol: Other : {none}; end Protocol
end Agent
Agent Tank
  Vars: level : 0..5; other : 0..9; end Vars
  Actions = {fill, drain, wait};
  Protocol: other > 0 : {fill, wait}; level > 0 : {drain}; Other : {wait}; end Protocol
  Evolution:
    level = level + 3 and other = level if Action = fill;
    level = level - Environment.limit if Action = drain;
    other = other * 3 if Action = drain and level = 5;
    other = other - 1 if Action = fill;
    level = level + 1 if Action = wait and !(level = 5);
  end Evolution
end Agent
Evaluation high if Tank.level > 3; end Evaluation
InitStates Environment.limit = 1 and Tank.level = 0 and Tank.other = 1; end InitStates
Formulae EF high; end Formulae
";

#[test]
fn lines_that_leave_a_domain_are_warned_of_and_checked() {
    let folder = Folder::new("ispl-overflow");
    folder.write("tank.ispl", TANK);
    let done = folder.run(0, &["check", "tank.ispl"]);
    assert_eq!(done.stderr.matches("[W0510] Warning: the new value of").count(), 3, "{}", done.stderr);
    for words in [
        "of `level` can be outside of its domain",
        "for example where `level = 3`",
        "for example where `level = 1` and `Environment.limit = 2`",
        "for example where `other = 4`",
    ] {
        assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
    }
    let done = folder.run(1, &["prove", "-q", "--overflow", "tank.ispl"]);
    let lines: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with("overflow ")).collect();
    assert!(lines[0].starts_with("overflow of line 1 of Tank: possible after 2 steps"), "{lines:?}");
    assert!(lines[1].starts_with("overflow of line 2 of Tank: impossible (all of "), "{lines:?}");
    assert!(lines[2].starts_with("overflow of line 3 of Tank: possible after "), "{lines:?}");
    assert!(lines[3].starts_with("overflow of line 4 of Tank: impossible"), "{lines:?}");
    assert!(lines[4].starts_with("overflow of line 5 of Tank: impossible"), "{lines:?}");
    assert_eq!(lines.len(), 5, "{lines:?}");
}

/// The protocols that allow no action are marked where the system is stuck.
#[test]
fn a_protocol_without_an_action_is_marked() {
    let folder = Folder::new("ispl-stuck");
    let agent = |name: &str, from: u32| {
        format!(
            "Agent {name}
  Vars: x : 0..2; end Vars
  Actions = {{go}};
  Protocol: x >= {from} : {{go}}; end Protocol
  Evolution: x = x + 1 if x < 2; x = 0 if x = 2; end Evolution
end Agent
"
        )
    };
    let rest = "Evaluation high if Two.x = 2; end Evaluation
InitStates One.x = 1 and Two.x = 1 and Three.x = 1; end InitStates
Formulae AG high; end Formulae
";
    let check = |from: u32| {
        let model = [agent("One", 0), agent("Two", from), agent("Three", from), rest.to_owned()].concat();
        folder.write("stuck.ispl", model);
        folder.run(0, &["check", "stuck.ispl"]).stderr
    };
    let at_once = check(2);
    assert!(at_once.contains("[W0501] Warning: no step is possible"), "{at_once}");
    assert!(at_once.contains("stuck.ispl:10:3"), "{at_once}");
    for name in ["Two", "Three"] {
        assert!(at_once.contains(&format!("the protocol of `{name}` allows no action there")), "{at_once}");
    }
    assert!(!at_once.contains("`One`"), "{at_once}");
    let later = check(1);
    let note = "stuck.ispl:10: [N0502] note: the system can get stuck, after 2 steps at the earliest (the protocol of `Two` allows no action there)";
    assert!(later.contains(note), "{later}");
}

/// A chain of common knowledge through many states is told in short, and its evidence holds.
#[test]
fn long_chains_of_common_knowledge_are_told_in_short() {
    let folder = Folder::new("ispl-chain");
    let counter = |name: &str, action: &str| {
        format!(
            "Agent {name}
  Vars: x : 0..60; end Vars
  Actions = {{go}};
  Protocol: Other : {{go}}; end Protocol
  Evolution: x = x + 1 if Environment.Action = {action}; end Evolution
end Agent
"
        )
    };
    let model = format!(
        "Agent Environment
  Vars: n : 0..60; end Vars
  Actions = {{one, two}};
  Protocol: n = 60 : {{one}}; Other : {{one, two}}; end Protocol
  Evolution: n = n + 1 if n < 60; end Evolution
end Agent
{}{}Evaluation last if Environment.n = 60; end Evaluation
InitStates Environment.n = 0 and One.x = 0 and Two.x = 0; end InitStates
Groups g = {{One, Two}}; end Groups
Formulae
  AG GCK(g, !last);
end Formulae
",
        counter("One", "one"),
        counter("Two", "two"),
    );
    // In turns, so that each of both tells two neighbours apart from all others.
    let model = model.replace(
        "n = 60 : {one}; Other : {one, two};",
        &(0..=60).map(|n| format!("n = {n} : {{{}}}; ", if n % 2 == 0 { "one" } else { "two" })).collect::<String>(),
    );
    folder.write("chain.ispl", model);
    let done = folder.run(1, &["prove", "-q", "chain.ispl", "--certificate", "proofs"]);
    assert!(done.stdout.contains("and so on through 55 further states"), "{}", done.stdout);
    assert_eq!(done.stdout.matches("looks the same as the last state of this run").count(), 5, "{}", done.stdout);
    let done = folder.run(0, &["certify", "chain.ispl", "proofs"]);
    assert!(done.stdout.contains("1 valid, 0 refused") || done.stdout.contains(": valid: "), "{}", done.stdout);
}

#[test]
fn records_name_the_file_and_its_formulas() {
    let folder = folder("ispl-records");
    let done = folder.run(0, &["prove", "--format", "json", "--spec", "danger_comes", "two_sensors.ispl"]);
    let record = &records(&done.stdout)[0];
    assert_eq!(record["text"], "LTL F danger");
    assert_eq!((&record["verdict"], &record["agreement"]), (&"violated".into(), &"met".into()));
}

/// A lamp that has no action when it is full, and formulas about it.
fn stuck_lamp(protocol: &str, formulas: &str) -> String {
    format!(
        "Agent Lamp\n  Vars:\n    level : 0..2;\n  end Vars\n  Actions = {{up, wait}};\n  Protocol:\n    level < 2 : {{up}};\n{protocol}  end Protocol\n  Evolution:\n    level = level + 1 if Action = up;\n  end Evolution\nend Agent\nEvaluation\n  full if Lamp.level = 2;\nend Evaluation\nInitStates\n  Lamp.level = 0;\nend InitStates\nFormulae\n{formulas}end Formulae\n"
    )
}

#[test]
fn verdicts_that_can_differ_from_mcmas_are_told_quietly_too() {
    let folder = Folder::new("ispl-successors");
    let formulas = "  AG (full -> AX !full);\n  AG (full or EF full);\n  K(Lamp, AF !full);\n  E(!full U full);\n  LTL G !full;\n  AG EG !full;\n";
    folder.write("stuck.ispl", stuck_lamp("", formulas));
    folder.write("other.ispl", stuck_lamp("    Other : {wait};\n", formulas));
    folder.write("alike.ispl", stuck_lamp("", "  AG (full or EF full);\n  E(!full U full);\n"));
    let done = folder.run(1, &["prove", "--quiet", "stuck.ispl"]);
    let told = "a reachable state has no successor: the verdicts on specs 1, 3, 5, 6 can differ from those of MCMAS";
    assert!(done.stderr.contains("[W0508]") && done.stderr.contains(told), "{}", done.stderr);
    assert!(done.stderr.contains("the protocol of `Lamp` allows no action there"), "{}", done.stderr);
    for file in ["other.ispl", "alike.ispl"] {
        let done = folder.command(&["prove", "--quiet", file], "never").output().expect("it runs");
        assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let done = folder.run(0, &["check", "--quiet", "stuck.ispl"]);
    assert!(done.stderr.contains("[W0508]"), "{}", done.stderr);
}

/// Variables with very many values, of which few are reached.
const LARGE: [(&str, &str); 2] = [
    (
        "large.ispl",
        "Agent Environment
  Obsvars: t : 0..200000000; end Obsvars
  Vars: u : -200000000..200000000; end Vars
  Actions = {tick, wait};
  Protocol: t < 3 : {tick, wait}; Other : {wait}; end Protocol
  Evolution: t = t + 1 if Action = tick; u = u - 1 if Action = tick and u > -3; end Evolution
end Agent
Agent Watcher
  Vars: seen : 0..200000000; end Vars
  Actions = {look};
  Protocol: Other : {look}; end Protocol
  Evolution: seen = Environment.t if Action = look; end Evolution
end Agent
Evaluation three if Environment.t = 3; late if Watcher.seen <= Environment.t; end Evaluation
InitStates Environment.t = 0 and Environment.u = 0 and Watcher.seen = 0; end InitStates
Formulae
  AG EF three; -- expect: holds
  AG late; -- expect: holds
  LTL G !three; -- expect: violated
end Formulae
",
    ),
    (
        "large.rcp",
        "message-structure: N : 0..200000000
property-variables: seen : 0..200000000
agent Clock
    local: t : 0..200000000
    init: t = 0
    relabel: seen <- t
    receive-guard: chan = *
    repeat: tick: {t < 3} *! (@seen <= t)(N := t)[t := t + 1] + wait: {true} *! (true)(N := t)[]
agent Watcher
    local: last : 0..200000000
    init: last = 0
    relabel: seen <- last
    receive-guard: chan = *
    repeat: hear: {true} *? [last := N]
system = Clock(c, true) || Watcher(w, true)
// expect: holds
SPEC G E(F (c-t = 3));
// expect: holds
SPEC G (w-last <= c-t);
// expect: violated
SPEC G (c-t < 3);
",
    ),
];

/// No command lists the values of a variable, which would take for ever.
#[test]
fn no_domain_is_listed_because_of_its_size() {
    let folder = Folder::new("ispl-large");
    for (file, text) in LARGE {
        folder.write(file, text);
        folder.run(0, &["check", file]);
        folder.run(4, &["bmc", "--bound", "5", file]);
        let proofs = format!("proofs-{file}");
        folder.run(0, &["prove", "--certificate", &proofs, file]);
        let done = folder.run(0, &["certify", file, &proofs]);
        assert!(done.stdout.contains("3 valid, 0 refused, 0 unknown"), "{}", done.stdout);
        for engine in ["kind", "pdr", "rlive", "spacer"] {
            let done = folder.run(0, &["prove", "--quiet", "--spec", "2", "--engine", engine, file]);
            assert!(done.stdout.contains(": holds ("), "{}", done.stdout);
            let done = folder.run(0, &["prove", "--quiet", "--spec", "3", "--engine", engine, file]);
            assert!(done.stdout.contains(": violated, as expected, after 3 steps"), "{}", done.stdout);
        }
        folder.run(0, &["prove", "--engine", "explicit", file]);
        let done = folder.run(4, &["prove", "--engine", "bdd", file]);
        assert_eq!(done.stdout.matches("has too many values for decision diagrams").count(), 3, "{}", done.stdout);
        folder.run(0, &["graph", file]);
        for format in ["smv", "vmt", "chc", "json"] {
            folder.run(0, &["export", "--to", format, "--spec", "2", "--output", "exported", file]);
            std::fs::remove_file(folder.path("exported")).expect("it was written");
        }
        let said = session(&folder, 0, &[file], "random 20\nback 20\nstate\nquit\n");
        assert!(!said.contains("initial states"), "{said}");
    }
}

/// A diagram needs no bits for a value that never changes.
#[test]
fn diagrams_take_constants_of_any_range() {
    let folder = Folder::new("large-constant");
    folder.write(
        "constant.rcp",
        "message-structure: N : int
agent Clock
    local: most : 0..200000000, t : 0..5
    init: most = 150000000 & t = 0
    receive-guard: false
    repeat: tick: {t < 3 & most > 7} *! (true)(N := most)[t := t + 1]
system = Clock(c, true)
// expect: holds
SPEC F (c-t = 3);
// expect: holds
SPEC G (c-most = 150000000);
// expect: violated
SPEC G (c-t = 3 -> c-most < 150000000);
",
    );
    folder.run(0, &["prove", "--engine", "bdd", "--certificate", "proofs", "constant.rcp"]);
    let done = folder.run(0, &["certify", "constant.rcp", "proofs"]);
    assert!(done.stdout.contains("3 valid, 0 refused, 0 unknown"), "{}", done.stdout);
}
