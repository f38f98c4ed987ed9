//! The language server: what an independent client (pygls, fetched by `scripts/setup-lsp-client`) gets from it.

use crate::common::root;
use std::process::Command;

/// Runs a Python program of `tests/lsp`, which must run at least one test.
fn run(program: &str) {
    let package = root().join(".lsp-client");
    assert!(package.is_dir(), "the client is missing: run scripts/setup-lsp-client");
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", package).env("RCHECK_SMT", env!("CARGO_BIN_EXE_rcheck-smt"));
    let output = command.arg(root().join("tests/lsp").join(program)).output().expect("python3 runs");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{errors}");
    assert!(errors.contains("\nOK\n"), "no test ran: {errors}");
}

#[test]
fn an_independent_client_gets_what_it_asks_for() {
    run("protocol.py");
}

#[test]
fn half_typed_models_get_every_request_answered() {
    run("prefixes.py");
}
