//! Verdicts with evidence on models with known answers.

use super::*;
use crate::check::Counterexample;
use crate::check::explicit::confirm;
use crate::diag::Diagnostics;
use crate::model::eval::{Limits, Oracle};
use crate::model::formula::Expectation;
use crate::model::{Model, elaborate};
use crate::source::SourceFile;
use crate::syntax::parse;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn model(text: &str) -> Model {
    let source = SourceFile::new("test.rcp", text);
    let parsed = parse(&source, None);
    refuse_errors(&parsed.diagnostics);
    let (model, diagnostics) = elaborate(&parsed.model);
    refuse_errors(&diagnostics);
    model.expect("no errors, so a model")
}

fn refuse_errors(diagnostics: &Diagnostics) {
    assert!(!diagnostics.has_errors(), "{diagnostics:#?}");
}

/// Whether the formula holds, after the evidence was checked; nothing if it is unknown.
fn decide(semantics: &Semantics, formula: &Formula, config: Config) -> Option<bool> {
    match run(semantics, formula, config) {
        ExplicitClaim::Holds(certificate) => {
            let text = serde_json::to_string(&certificate).expect("plain data");
            let read: ExplicitCertificate = serde_json::from_str(&text).expect("as written");
            assert_eq!(read, certificate);
            confirm(semantics, formula, &read).unwrap_or_else(|error| panic!("{error}"));
            Some(true)
        }
        ExplicitClaim::Violated(trace) => {
            Counterexample::confirm(semantics, formula, &trace).unwrap_or_else(|error| panic!("{error}"));
            Some(false)
        }
        ExplicitClaim::Unknown { .. } => None,
    }
}

/// Whether each spec of a model holds.
fn verdicts(text: &str) -> Vec<Option<bool>> {
    let model = model(text);
    let semantics = Semantics::new(&model);
    model.specs.iter().map(|spec| decide(&semantics, &spec.formula, Config::default())).collect()
}

/// The models that we ship at a path below `specs/`, with their names.
fn shipped(path: &str) -> Vec<(String, Model)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(path);
    let mut files = vec![path.clone()];
    if path.is_dir() {
        files = std::fs::read_dir(&path).expect("readable").map(|entry| entry.expect("readable").path()).collect();
        files.retain(|file: &PathBuf| file.extension().is_some_and(|extension| extension == "rcp"));
        files.sort();
    }
    let named = files.into_iter().map(|file| {
        let text = std::fs::read_to_string(&file).expect("readable");
        (file.display().to_string(), model(&text))
    });
    named.collect()
}

/// Compares the specs of shipped models with what is expected; counts those that hold, are violated,
/// are unknown.
fn compare(path: &str, config: Config) -> (usize, usize, usize) {
    let (mut holds, mut violated, mut unknown) = (0, 0, 0);
    for (name, model) in shipped(path) {
        let semantics = Semantics::new(&model);
        for spec in &model.specs {
            let found = decide(&semantics, &spec.formula, config);
            let shown = || format!("{name}: {}", model.show_formula(&spec.formula));
            match found {
                Some(true) => holds += 1,
                Some(false) => violated += 1,
                None => unknown += 1,
            }
            match spec.expect {
                Some(Expectation::Holds) => assert_ne!(found, Some(false), "{}", shown()),
                Some(Expectation::Violated) => assert_ne!(found, Some(true), "{}", shown()),
                Some(Expectation::Unknown) | None => {}
            }
        }
    }
    (holds, violated, unknown)
}

#[test]
fn shipped_features() {
    assert_eq!(compare("features", Config::default()), (0, 0, 0));
}

#[test]
fn shipped_case_study() {
    assert_eq!(compare("resource_allocation", Config::default()), (26, 8, 0));
}

#[test]
fn shipped_others() {
    for name in [
        "auction",
        "bank",
        "bounded_buffer",
        "key_value_store",
        "leader_election",
        "load_balancing",
        "stable_allocation",
        "ticket_lock",
        "token_ring",
    ] {
        let start = std::time::Instant::now();
        let config = Config { states: 30_000, ..Config::default() };
        eprintln!("{name} {:?} {:?}", compare(&format!("{name}.rcp"), config), start.elapsed());
    }
}
