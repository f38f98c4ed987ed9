//! Path quantifiers and knowledge, as people see them.

use crate::common::WATCHED;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Two agents that pass on what they hold.
const PASSED: &str = "enum channel {line}
message-structure: bit : bool
agent Source
    local: word : bool, sent : bool
    init: !sent
    receive-guard: false
    repeat: (send: {!sent} line! (true)(bit := word)[sent := true] + lose: {!sent} *! (false)()[sent := true])
agent Sink
    local: word : bool, has : bool
    init: !word & !has
    receive-guard: chan = line
    repeat: take: {true} line? [word := bit, has := true]
system = Source(s, true) || Sink(t, true)
";

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the folder is writable");
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
fn a_violation_shows_who_cannot_tell_what() {
    let path =
        file("cannot-tell.rcp", &format!("{PASSED}SPEC G (s-sent -> K(s, t-has));\nSPEC G (t-has -> K(t, s-sent));\n"));
    let (text, code) = run(&["prove", "--quiet"], &[&path]);
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("spec 1 `G (s-sent -> K(s, t-has))`: violated after 1 step")
            || text.contains("spec 1 G (s-sent -> K(s, t-has)): violated after 1 step"),
        "{text}"
    );
    assert!(text.contains("in state 1, `K(s, t-has)` is false: "), "{text}");
    assert!(text.contains("holds (1 branching formula labelled in all of 6 states, checked)"), "{text}");
    let path = file("cannot-tell-2.rcp", &format!("{PASSED}SPEC G (t-has -> K(s, t-has));\n"));
    let (text, _) = run(&["prove", "--quiet"], &[&path]);
    assert!(text.contains("`K(s, t-has)` is false: to s it looks the same as the last state of this run"), "{text}");
    assert!(text.contains("s-lose broadcasts") && text.contains("s-send multicasts"), "{text}");
}

#[test]
fn other_runs_and_chains_are_shown() {
    let specs = "SPEC G A(F t-has);\nSPEC !E(F t-has);\nSPEC G (t-has -> GCK(Agent, t-has));\nSPEC A(G K(s, s-word) | (G K(s, !s-word)));\n";
    let path = file("other-runs.rcp", &format!("{PASSED}{specs}"));
    let (text, code) = run(&["prove", "--quiet"], &[&path]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("`E(F t-has)` is true: from there this run goes on as well"), "{text}");
    assert!(text.contains("`A(F t-has)` is false: from there this run goes on as well"), "{text}");
    assert!(text.contains("`GCK({s, t}, t-has)` is false: to s it looks the same as"), "{text}");
    assert!(text.matches(": holds (").count() == 1, "{text}");
}

#[test]
fn conditions_prove_what_is_known_over_integers() {
    let model = "agent Counter
    local: n : int, big : bool
    init: (n = 0) & !big
    receive-guard: false
    repeat: up: {true} *! (true)()[n := n + 1, big := n > 9]
agent Watcher
    local: seen : int
    init: seen = 0
    receive-guard: true
    repeat: see: {true} *? [seen := seen + 1]
system = Counter(c, true) || Watcher(w, true)
SPEC G (c-big -> K(w, c-n > 9));
SPEC G K(w, c-n < 5);
SPEC G !K(w, c-n < 5);
SPEC G E(F c-big);
";
    let path = file("over-integers.rcp", model);
    let (text, code) =
        run(&["prove", "--quiet", "--explain", "--timeout", "60", "--spec", "1", "--spec", "2"], &[&path]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("holds (1 condition of what is known, 2 proofs, checked)"), "{text}");
    assert!(text.contains("`K(w, c-n > 9)` where `"), "{text}");
    assert!(text.contains("violated after 5 steps"), "{text}");
    // A spec that needs all reachable states is not decided, and the reason is given.
    let (text, code) = run(&["prove", "--quiet", "--engine", "pdr", "--spec", "3", "--spec", "4"], &[&path]);
    assert_eq!(
        text.matches("unknown (only the engines `explicit` and `bdd` can decide it; and it ").count(),
        2,
        "{code}: {text}"
    );
    let assuming =
        file("over-integers-assuming.rcp", &format!("{model}ASSUME G F w-seen > 3;\nSPEC G K(w, c-n < 5);\n"));
    let (text, _) = run(&["prove", "--quiet", "--engine", "pdr", "--spec", "5"], &[&assuming]);
    assert!(text.contains("which states count under assumptions other than fairness"), "{text}");
    let (text, _) = run(&["bmc", "--quiet", "--spec", "1"], &[&path]);
    assert!(text.contains("a bounded search follows single runs"), "{text}");
}

#[test]
fn many_alternatives_are_refuted_one_by_one() {
    // The explanation names three of five only; the evidence has to have all.
    let model = "agent Counter
    local: n : int
    init: n >= 0
    receive-guard: false
    repeat: up: {true} *! (true)()[n := n + 1]
agent Watcher
    local: seen : int
    init: seen = 0
    receive-guard: false
    repeat: see: {true} *! (true)()[seen := seen + 1]
system = Counter(c, true) || Watcher(w[1..5], true)
// name: some_watcher_knows
SPEC exists k : Watcher . K(k, c-n > 3);
// name: some_watcher_knows_and_sees
SPEC exists k : Watcher . K(k, c-n > 3) & k-see;
";
    let path = file("alternatives.rcp", model);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("alternatives-certificates");
    let named = folder.display().to_string();
    let (text, code) = run(&["prove", "--quiet", "--timeout", "60", "--certificate", &named], &[&path]);
    assert_eq!(code, 1, "{text}");
    assert_eq!(text.matches(": violated in an initial state").count(), 2, "{text}");
    let (text, code) = run(&["certify"], &[&path, &folder]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("2 valid, 0 refused, 0 unknown"), "{text}");
}

/// The certificates of a file of models that has each kind of evidence.
fn certificates(name: &str) -> (PathBuf, Vec<(PathBuf, Value)>) {
    let specs = "
// name: conditions
SPEC G ((w-seen > 1) -> K(w, c-n > 0));
// name: look_alike
SPEC G K(w, c-n < 2);
";
    let path = file(&format!("{name}.rcp"), &format!("{WATCHED}{specs}"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (text, _) =
        run(&["prove", "--quiet", "--timeout", "60", "--certificate", &folder.display().to_string()], &[&path]);
    let read = |spec: &str| {
        let file = folder.join(format!("{spec}.json"));
        let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}\n{text}", file.display()));
        (file, serde_json::from_str(&text).expect("it is JSON"))
    };
    (path, ["conditions", "look_alike"].map(read).to_vec())
}

#[test]
fn altered_conditions_and_runs_are_refused() {
    let (model, certificates) = certificates("knowledge-certificates");
    let certify = |file: &Path| run(&["certify"], &[&model, file]);
    for (file, good) in &certificates {
        let (text, code) = certify(file);
        assert!(code < 2 && text.contains(": valid: "), "{text}");
        let kind =
            good["evidence"].as_object().and_then(|evidence| evidence.keys().next()).expect("it has evidence").clone();
        let mut altered = Vec::new();
        let mut alter = |change: &dyn Fn(&mut Value)| {
            let mut bad = good.clone();
            change(&mut bad["evidence"][&kind]);
            assert_ne!(&bad, good, "{kind}");
            altered.push(bad);
        };
        match kind.as_str() {
            "conditions" => {
                alter(&|evidence| evidence["conditions"] = Value::from(vec!["true"]));
                alter(&|evidence| evidence["conditions"] = Value::from(vec!["false"]));
                alter(&|evidence| evidence["conditions"] = Value::from(vec!["(> c-n 0)"]));
                alter(&|evidence| evidence["conditions"] = Value::from(Vec::<String>::new()));
                alter(&|evidence| drop(evidence["parts"].as_array_mut().expect("a list").pop()));
                alter(&|evidence| evidence["parts"].as_array_mut().expect("a list").reverse());
            }
            "look-alike" => {
                alter(&|evidence| evidence["others"] = Value::from(Vec::<String>::new()));
                alter(&|evidence| evidence["others"][0]["observers"] = Value::from(vec![0]));
                alter(&|evidence| evidence["others"][0]["observers"] = Value::from(Vec::<u32>::new()));
                alter(&|evidence| evidence["others"][0]["observers"] = Value::from(vec![7]));
                alter(&|evidence| evidence["others"][0]["formula"] = Value::from(1));
                alter(&|evidence| evidence["others"][0]["position"] = Value::from(999));
                alter(&|evidence| {
                    let trace = evidence["trace"].clone();
                    evidence["others"][0]["trace"] = trace;
                    evidence["others"][0]["position"] = Value::from(0);
                });
            }
            other => panic!("evidence of another kind: {other}"),
        }
        let mut opposite = good.clone();
        opposite["verdict"] = Value::from(if kind == "conditions" { "violated" } else { "holds" });
        altered.push(opposite);
        for (number, bad) in altered.iter().enumerate() {
            let place = file.with_extension(format!("{number}.json"));
            fs::write(&place, bad.to_string()).expect("the folder is writable");
            let (text, code) = certify(&place);
            assert!(
                code != 0 && !text.contains(": valid: ") && !text.contains("internal error"),
                "{kind} {number}: {text}"
            );
        }
    }
}

#[test]
fn observers_that_the_spec_does_not_speak_of_are_named() {
    let (model, certificates) = certificates("observer-certificates");
    let (file, good) = &certificates[1];
    for (observers, found) in [
        (vec![0], "`c` sees them"),
        (vec![], "no agent sees them"),
        (vec![7], "an instance 7, which does not exist, sees them"),
    ] {
        let mut bad = good.clone();
        bad["evidence"]["look-alike"]["others"][0]["observers"] = Value::from(observers);
        fs::write(file, bad.to_string()).expect("the folder is writable");
        let (text, code) = run(&["certify"], &[&model, file]);
        let why = format!("the counterexample compares states as {found}; what the spec says is about `w`");
        assert!(code == 1 && text.contains(&why), "{text}");
    }
}

/// An index in a certificate.
fn number_of(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// The certificate of a spec of [`PASSED`], and a function that says if one in its place is refused.
fn certified(name: &str, spec: &str) -> (Value, impl Fn(&Value) -> bool + use<>) {
    let model = file(&format!("{name}.rcp"), &format!("{PASSED}// name: {name}\n{spec}\n"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-certificates"));
    run(&["prove", "--quiet", "--engine", "explicit", "--certificate", &folder.display().to_string()], &[&model]);
    let place = folder.join(format!("{name}.json"));
    let good: Value = serde_json::from_str(&fs::read_to_string(&place).expect("it was written")).expect("it is JSON");
    let is_refused = move |other: &Value| {
        fs::write(&place, other.to_string()).expect("the folder is writable");
        let (text, code) = run(&["certify"], &[&model, &place]);
        let is_valid = text.contains(": valid: ");
        assert!(is_valid == (code == 0) && !text.contains("internal error"), "{text}");
        !is_valid
    };
    assert!(!is_refused(&good));
    (good, is_refused)
}

#[test]
fn altered_labels_are_refused() {
    let (good, is_refused) = certified("labels", "SPEC G ((t-has -> K(t, s-sent)) & (!s-sent -> E(F s-sent)));");
    let mut altered = 0;
    let mut refuse = |change: &dyn Fn(&mut Value)| {
        let mut bad = good.clone();
        change(&mut bad["evidence"]["labels"]);
        if bad != good {
            assert!(is_refused(&bad), "{bad}");
            altered += 1;
        }
    };
    let states = good["evidence"]["labels"]["states"].as_array().expect("a list").len();
    for state in 0..states {
        // A state less, twice, or another one.
        refuse(&|labels| drop(labels["states"].as_array_mut().expect("a list").remove(state)));
        refuse(&|labels| {
            let list = labels["states"].as_array_mut().expect("a list");
            list.push(list[state].clone());
        });
        refuse(&|labels| labels["states"][state][0] = Value::from(99));
        refuse(&|labels| labels["states"][state] = Value::from(vec![0]));
    }
    for (of, number) in [("conjuncts", 0), ("conjuncts", 1), ("formulas", 1)] {
        let set = &good["evidence"]["labels"][of][number];
        for member in 0..set["members"]["rows"].as_array().expect("a list").len() {
            refuse(&|labels| {
                let members = &mut labels[of][number]["members"];
                members["rows"].as_array_mut().expect("a list").remove(member);
                members["ranks"]["each"].as_array_mut().expect("a list").remove(member);
            });
            // Ranks of another kind: a run that violates the formula, or none.
            let reason = |rank: &Value| &set["reasons"][number_of(&set["ranks"][number_of(rank)]["why"])];
            let own = &set["members"]["ranks"]["each"][member];
            for rank in (0..set["ranks"].as_array().expect("a list").len()).map(Value::from) {
                if (reason(own) == "witnessed") != (reason(&rank) == "witnessed") {
                    refuse(&|labels| labels[of][number]["members"]["ranks"]["each"][member] = rank.clone());
                }
            }
        }
        refuse(&|labels| labels[of] = Value::from(Vec::<u32>::new()));
        refuse(&|labels| labels[of][number] = Value::Null);
        refuse(&|labels| labels[of].as_array_mut().expect("a list").reverse());
    }
    let next = good["evidence"]["labels"]["formulas"][1]["witnesses"]["next"].as_array().expect("a list").len();
    for place in 0..next {
        refuse(&|labels| {
            let next = &mut labels["formulas"][1]["witnesses"]["next"];
            next.as_array_mut().expect("a list").remove(place);
        });
        refuse(&|labels| {
            let pair = &mut labels["formulas"][1]["witnesses"]["next"][place];
            pair[1] = pair[0].clone();
        });
    }
    refuse(&|labels| labels["formulas"][1]["witnesses"]["loops"] = Value::from(Vec::<u32>::new()));
    refuse(&|labels| labels["local-states"] = Value::from(Vec::<u32>::new()));
    refuse(&|labels| labels["local-states"][0][0] = Value::from(vec![Value::from(77), Value::from(Vec::<u32>::new())]));
    assert!(altered > 4 * states, "only {altered}");
}

#[test]
fn altered_labels_of_violations_are_refused() {
    let (good, is_refused) = certified("violated", "SPEC G ((E(F t-has)) -> t-has);");
    let set = &good["evidence"]["labelled-states"]["labels"]["formulas"][0];
    let members = set["members"]["rows"].as_array().expect("a list").len();
    let witnessed = |rank: &Value| {
        let reason = number_of(&set["ranks"][number_of(rank)]["why"]);
        set["reasons"][reason] == "witnessed"
    };
    for member in 0..members {
        let own = &set["members"]["ranks"]["each"][member];
        let others = (0..set["ranks"].as_array().expect("a list").len()).map(Value::from);
        for rank in others.filter(|rank| witnessed(rank) != witnessed(own)) {
            let mut bad = good.clone();
            let labels = &mut bad["evidence"]["labelled-states"]["labels"];
            labels["formulas"][0]["members"]["ranks"]["each"][member] = rank;
            assert!(is_refused(&bad), "{bad}");
        }
    }
    assert!(members > 1, "{good}");
}

#[test]
fn mistakes_are_reported_at_their_places_in_one_run() {
    let mistakes = [
        ("G K(z, s-sent)", "no instance or quantified variable is called `z`"),
        ("G K(s-sent, s-sent)", "this is no agent, and knows nothing"),
        ("G K(s)", "`K` takes two arguments, not 1"),
        ("G K(Source, s-sent)", "`Source` is an agent type, not an instance"),
        ("G GK(s, s-sent)", "`s` is one agent, not a group"),
        ("G GK({s, q}, s-sent)", "no instance or quantified variable is called `q`"),
        ("G DK(Z | Sink, s-sent)", "no agent type is called `Z`"),
        ("G [[K(s, t-has)]] true", "`K(..)` is about other runs, and stands in specs only"),
        ("E(s-sent, t-has)", "`E` takes one argument, not 2"),
        ("G ({s, t} = s)", "a group of agents is no value"),
        ("GCK({}, t-has)", "a group without agents knows nothing"),
        ("can({s, u}, F t-has)", "no instance or quantified variable is called `u`"),
        ("could(s, F t-has)", "`s` is one agent, not a group"),
        ("G [[could({s}, F t-has)]] true", "`could(..)` is about other runs, and stands in specs only"),
        ("A G s-sent", "`A` is no operator"),
        ("AG EF s-sent", "path quantifiers stand before parentheses"),
    ];
    let specs: String = mistakes.iter().map(|(spec, _)| format!("SPEC {spec};\n")).collect();
    let path = file("mistakes.rcp", &format!("{PASSED}{specs}ASSUME K(s, t-has);\nSPEC true;\n"));
    let (text, code) = run(&["check", "--quiet"], &[&path]);
    assert_eq!(code, 2, "{text}");
    for (spec, message) in mistakes {
        assert!(text.contains(message), "{spec}: {text}");
    }
    assert!(text.contains("an assumption is about each run on its own"), "{text}");
    // `AG EF` are two.
    assert!(text.contains(&format!("{} errors", mistakes.len() + 2)), "{text}");
}

#[test]
fn formatting_and_exports_know_knowledge() {
    let spec = "G (GK({s, t}, E(F t-has)) | GCK(Source | Sink, A(X true)) | DK(Agent, t-has))";
    let path = file("formatted-knowledge.rcp", &format!("{PASSED}SPEC {spec};\n"));
    let (text, code) = run(&["fmt"], &[&path]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains(&format!("SPEC {spec};\n")), "{text}");
    for format in ["smv", "vmt", "chc", "json"] {
        let (text, code) = run(&["export", "--to", format], &[&path]);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("is about other runs or knowledge"), "{text}");
    }
    let (text, code) = run(&["fmt", "--plain"], &[&path]);
    assert!(code == 2 && text.contains("what happens on other runs, or is known"), "{text}");
}
