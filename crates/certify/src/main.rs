//! `rcheck-certify`: checks certificates, with any solver that reads SMT-LIB.
//!
//! It links the front ends, the two semantics and the check: no engine, no Z3 and no command line of `rcheck-smt`. A model
//! is read with the constants that its certificate names.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command line")]

mod files;
mod solver;

use files::{Input, certificates};
use rcheck_kernel::certificate_file::CertificateError;
use rcheck_kernel::check::Verdict;
use rcheck_lang::escape::visible;
use solver::Process;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

/// Expressions may be nested deeply, and passes recurse.
const STACK_BYTES: usize = 256 << 20;

const HELP: &str = "\
Checks certificates of rcheck-smt.

Usage: rcheck-certify [--solver COMMAND] MODEL CERTIFICATE..

  MODEL           the file that was verified
  CERTIFICATE     certificates, or folders with certificates
  --solver        a command that reads an SMT-LIB script and answers `sat`, `unsat` or `unknown` [default: z3 -in];
                  for cvc5: \"cvc5 --lang smt2\"; for Yices: yices-smt2

Exit codes:
  0  every certificate proves its verdict
  1  some certificate does not prove its verdict, or belongs to another model
  2  the input or the arguments are wrong
  3  internal error: please report it
  4  some certificate could not be checked, and none was refused";

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Valid = 0,
    Refused = 1,
    BadInput = 2,
    Unknown = 4,
}

/// The words of a command line.
struct Arguments {
    solver: Vec<String>,
    model: PathBuf,
    certificates: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let work = || match run() {
        Ok(status) => status,
        Err(why) => {
            eprintln!("error: {}", visible(&why));
            Status::BadInput
        }
    };
    match thread::Builder::new().stack_size(STACK_BYTES).spawn(work) {
        Ok(thread) => thread.join().map_or(ExitCode::from(3), |status| ExitCode::from(status as u8)),
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            ExitCode::from(4)
        }
    }
}

fn run() -> Result<Status, String> {
    let Some(Arguments { solver, model, certificates: paths }) = arguments(std::env::args().skip(1))? else {
        println!("{HELP}");
        return Ok(Status::Valid);
    };
    let (input, solver) = (Input::read(&model)?, Process::new(solver));
    let (found, mut worst) = (certificates(&paths), Status::Valid);
    if found.is_empty() {
        return Err("there is no certificate".to_owned());
    }
    for (path, text) in found {
        let (status, words) = match text {
            Ok(text) => verdict(input.check(&text, &solver)),
            Err(why) => (Status::BadInput, why),
        };
        println!("{}: {}", visible(&path.display().to_string()), visible(&words));
        worst = worse(worst, status);
    }
    Ok(worst)
}

fn worse(one: Status, other: Status) -> Status {
    let rank = |status| match status {
        Status::Valid => 0,
        Status::Unknown => 1,
        Status::Refused => 2,
        Status::BadInput => 3,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// The worth of a certificate, in words.
fn verdict(checked: Result<String, files::Unproved>) -> (Status, String) {
    match checked {
        Ok(words) => (Status::Valid, format!("valid: {words}")),
        Err(files::Unproved::Unreadable(why)) => (Status::BadInput, why),
        Err(files::Unproved::Unknown(why)) => (Status::Unknown, format!("unknown: {why}")),
        Err(files::Unproved::Refused(why)) => (Status::Refused, format!("refused: {why}")),
    }
}

impl From<CertificateError> for files::Unproved {
    fn from(why: CertificateError) -> files::Unproved {
        match why {
            CertificateError::Unknown(_) => files::Unproved::Unknown(why.to_string()),
            other => files::Unproved::Refused(other.to_string()),
        }
    }
}

/// `holds` or `violated`.
fn word(verdict: &Verdict) -> &'static str {
    if matches!(verdict, Verdict::Holds(_)) { "holds" } else { "violated" }
}

/// Nothing if help is asked for.
fn arguments(mut words: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    let (mut solver, mut paths) = (None, Vec::new());
    while let Some(word) = words.next() {
        match &word[..] {
            "--help" | "-h" => return Ok(None),
            "--solver" => {
                let command = words.next().ok_or("`--solver` names a command, as in `--solver \"z3 -in\"`")?;
                solver = Some(command.split_whitespace().map(str::to_owned).collect());
            }
            option if option.starts_with('-') => return Err(format!("there is no option `{option}`; see `--help`")),
            _ => paths.push(PathBuf::from(word)),
        }
    }
    let [model, certificates @ ..] = &paths[..] else { return Err("name a model; see `--help`".to_owned()) };
    if certificates.is_empty() {
        return Err("name certificates, or a folder with certificates; see `--help`".to_owned());
    }
    let solver = solver.unwrap_or_else(|| vec!["z3".to_owned(), "-in".to_owned()]);
    if solver.is_empty() {
        return Err("`--solver` names a command, as in `--solver \"z3 -in\"`".to_owned());
    }
    Ok(Some(Arguments { solver, model: model.clone(), certificates: certificates.to_vec() }))
}
