//! `rcheck-certify`: certificates of all kinds, with two solvers, and without the tool.

use crate::tool::{Folder, end, project};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Models of the project, with options of `prove` that lead to evidence of some kind.
const WAYS: [(&str, &[&str]); 9] = [
    ("specs/features/fairness.rcp", &["--engine", "explicit"]),
    ("specs/bank.rcp", &["--engine", "pdr", "--spec", "money_is_conserved", "--spec", "no_overdraft"]),
    ("specs/features/recurrent_gap.rcp", &["--engine", "bmc", "--timeout", "10"]),
    ("specs/ispl/bit_transmission.ispl", &["--engine", "explicit"]),
    ("specs/ispl/bit_transmission.ispl", &["--engine", "bdd"]),
    ("specs/ispl/scheduled_mutex.ispl", &["--engine", "bdd"]),
    ("specs/knowledge/passed_on.rcp", &["--engine", "pdr,explicit"]),
    ("specs/knowledge/passed_on.rcp", &["--engine", "pdr,bmc"]),
    ("specs/parametrised/token.rcp", &[]),
];

/// The program, which is made by the build that made this test, or now.
fn certifier() -> &'static Path {
    static CERTIFIER: LazyLock<PathBuf> = LazyLock::new(built);
    &CERTIFIER
}

fn built() -> PathBuf {
    let tool = PathBuf::from(env!("CARGO_BIN_EXE_rcheck-smt"));
    let target = tool.parent().and_then(|folder| folder.parent()).expect("a folder of a profile in one of builds");
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(project()).args(["build", "--quiet", "--package", "rcheck-certify", "--target-dir"]).arg(target);
    assert!(build.status().expect("cargo runs").success());
    tool.with_file_name("rcheck-certify")
}

fn run(folder: &Folder, solver: &str, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(certifier());
    command.current_dir(folder.path("")).env("PYTHONPATH", project().join(".cvc5"));
    command.args(["--solver", solver]).args(arguments);
    let done =
        end(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts"));
    (done.code, done.stdout + &done.stderr)
}

fn solvers() -> [String; 2] {
    let [z3, cvc5] = [".z3/bin/z3", "tests/cvc5/solve.py"].map(|path| project().join(path).display().to_string());
    [format!("{z3} -in"), format!("python3 {cvc5}")]
}

/// The kinds of evidence of certificates in a folder, with the files.
fn kinds(folder: &Folder, name: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder.path(name)).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
    let files = entries.into_iter().map(|entry| entry.expect("readable").file_name().into_string().expect("a name"));
    let certificates = files.filter(|file| file.ends_with(".json")).map(|file| format!("{name}/{file}"));
    let kind = |file: String| {
        let document: Value = serde_json::from_str(&folder.read(&file)).expect("JSON");
        let kind = document["evidence"].as_object().and_then(|evidence| evidence.keys().next().cloned());
        (kind.expect("evidence of a kind"), file)
    };
    certificates.map(kind).collect()
}

#[test]
fn evidence_of_each_kind_is_accepted_with_any_solver_and_refused_for_the_other_verdict() {
    let folder = Folder::new("certifier");
    let mut seen = BTreeSet::new();
    for (number, (model, options)) in WAYS.iter().enumerate() {
        folder.copy(model);
        let file = model.rsplit('/').next().expect("a name");
        let proofs = format!("proofs{number}");
        let arguments = [&["prove", "--quiet", "--certificate", &proofs], *options, &[file]].concat();
        end(folder.start(&arguments));
        let certificates = kinds(&folder, &proofs);
        assert!(!certificates.is_empty(), "{model} {options:?}");
        for solver in solvers() {
            let (code, said) = run(&folder, &solver, &[file, &proofs]);
            assert_eq!(code, 0, "{solver}: {model} {options:?}\n{said}");
            assert_eq!(said.matches(": valid: ").count(), certificates.len(), "{said}");
        }
        for (kind, path) in certificates {
            if !seen.insert(kind) {
                continue;
            }
            let mut other: Value = serde_json::from_str(&folder.read(&path)).expect("JSON");
            other["verdict"] = json!(if other["verdict"] == "holds" { "violated" } else { "holds" });
            folder.write("other.json", other.to_string());
            let (code, said) = run(&folder, &solvers()[0], &[file, "other.json"]);
            assert_eq!(code, 1, "{said}");
        }
    }
    let all = [
        "conditions",
        "diagrams",
        "exploration",
        "invariants",
        "labelled-states",
        "labelled-trace",
        "labels",
        "look-alike",
        "recurrent",
        "trace",
        "uniform",
    ];
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), all);
}

/// A needed clause is missing: a solver finds a state that shows it.
#[test]
fn what_a_solver_refutes_is_refused() {
    let folder = Folder::new("certifier-refutes");
    folder.copy("specs/bank.rcp");
    let options = ["--engine", "pdr", "--spec", "money_is_conserved", "--certificate", "proofs", "bank.rcp"];
    folder.run(0, &[&["prove"], &options[..]].concat());
    let (_, path) = kinds(&folder, "proofs").remove(0);
    let mut forged: Value = serde_json::from_str(&folder.read(&path)).expect("JSON");
    for (clauses, words) in [(json!([]), "a bad state satisfies"), (json!(["(<= 0 alice-balance)"]), "the invariant")] {
        forged["evidence"]["invariants"][0]["clauses"] = clauses;
        folder.write("forged.json", forged.to_string());
        for solver in solvers() {
            let (code, said) = run(&folder, &solver, &["bank.rcp", "forged.json"]);
            assert!(code == 1 && said.contains("refused: ") && said.contains(words), "{solver}: {code} {said}");
        }
    }
}

#[test]
fn what_cannot_be_checked_is_said() {
    let folder = Folder::new("certifier-input");
    folder.copy("specs/bank.rcp");
    folder.run(0, &["prove", "--engine", "pdr", "--spec", "1", "--certificate", "proofs", "bank.rcp"]);
    let says = |code, solver: &str, arguments: &[&str], words: &str| {
        let (found, said) = run(&folder, solver, arguments);
        assert!(found == code && said.contains(words), "{found}: {said}");
    };
    let z3 = &solvers()[0];
    says(4, "no-such-solver", &["bank.rcp", "proofs"], "`no-such-solver` cannot be asked");
    says(4, "echo what?", &["bank.rcp", "proofs"], "`echo` answers");
    says(2, z3, &["bank.rcp"], "name certificates");
    says(2, z3, &["none.rcp", "proofs"], "cannot read none.rcp");
    says(2, z3, &["bank.rcp", "bank.rcp"], "this is no certificate");
    says(2, z3, &["bank.rcp", "--fast"], "there is no option `--fast`");
    folder.write("other.rcp", folder.read("bank.rcp").replacen("agent", "agent ", 1) + "\nSPEC G true;\n");
    folder.copy("specs/squares.rcp");
    says(1, z3, &["squares.rcp", "proofs"], "refused: not a certificate for this model");
}

#[test]
fn it_links_no_engine_and_no_solver() {
    let tree = Command::new(env!("CARGO"))
        .current_dir(project())
        .args(["tree", "--offline", "-p", "rcheck-certify", "-e", "normal"])
        .output();
    let tree = String::from_utf8(tree.expect("cargo runs").stdout).expect("text");
    assert!(tree.contains("rcheck-kernel"), "{tree}");
    for other in ["rcheck-engines", "rcheck-smt", "z3", "cadical", "clap"] {
        assert!(!tree.contains(&format!("{other} v")), "{tree}");
    }
}
