//! A second solver, for queries.

use super::root;
use std::path::PathBuf;
use std::process::Command;

/// The answers of cvc5, file by file.
pub fn cvc5(files: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let package = root().join(".cvc5");
    assert!(package.is_dir(), "cvc5 is missing: run scripts/setup-cvc5");
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", package).arg(root().join("tests/cvc5/solve.py")).args(files);
    let output = command.output().expect("python3 runs");
    let (answers, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "cvc5 cannot read a query\n{answers}\n{errors}");
    let answer = |line: &str| {
        let (file, answer) = line.split_once(' ').expect("a file and an answer");
        (PathBuf::from(file), answer.to_owned())
    };
    answers.lines().map(answer).collect()
}
