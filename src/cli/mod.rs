//! The command line: arguments, commands, exit codes.

mod answer;
mod arguments;
mod batch;
mod board;
mod certificates;
mod certify;
mod chart;
mod check;
mod checks;
mod export;
mod exports;
mod files;
mod fmt;
mod graph;
mod input;
mod interrupt;
mod line_editor;
mod picture;
mod refusal;
mod report;
mod save;
mod simulate;
mod verify;

use answer::Method;
use arguments::{Arguments, Command};
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

/// What a command tells the shell; the worst of all results counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing is violated.
    Clear,
    /// Something is unknown, and nothing violated.
    Unknown,
    /// Some spec is violated.
    Violated,
    /// Some verdict is not the expected one.
    Mismatch,
    /// The input or the arguments make no sense.
    BadInput,
    /// The tool itself is wrong.
    Internal,
}

/// The exit code of internal errors.
pub const INTERNAL_ERROR: u8 = 3;

impl Status {
    /// The exit code, as documented in `--help`.
    fn code(self) -> u8 {
        match self {
            Status::Clear => 0,
            Status::Violated => 1,
            Status::BadInput => 2,
            Status::Internal => INTERNAL_ERROR,
            Status::Unknown => 4,
            Status::Mismatch => 5,
        }
    }

    fn severity(self) -> u8 {
        match self {
            Status::Clear => 0,
            Status::Unknown => 1,
            Status::Violated => 2,
            Status::Mismatch => 3,
            Status::BadInput => 4,
            Status::Internal => 5,
        }
    }

    /// The worse of the two.
    fn worst(self, other: Status) -> Status {
        if other.severity() > self.severity() { other } else { self }
    }
}

/// To standard output; a closed pipe is not worth a word.
fn print(text: &[u8]) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text).and_then(|()| out.flush());
}

/// Parses the arguments and runs the command.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    arguments.color.apply();
    let result = match &arguments.command {
        Command::Check(command) => check::run(command),
        Command::Fmt(command) => fmt::run(command),
        Command::Graph(command) => graph::run(command),
        Command::Bmc(command) => {
            verify::run(&command.verification, Method::Bmc(command.bound), verify::Proofs::default())
        }
        Command::Prove(command) => {
            let method = Method::Prove(command.portfolio.engines());
            let proofs = verify::Proofs { folder: command.certificate.as_deref(), explain: command.explain };
            verify::run(&command.verification, method, proofs)
        }
        Command::Certify(command) => certify::run(command),
        Command::Batch(command) => batch::run(command),
        Command::Report(command) => report::run(command),
        Command::Worker => batch::worker::run(),
        Command::Export(command) => export::run(command),
        Command::Simulate(command) => simulate::run(command),
    };
    let status = result.unwrap_or_else(|error| {
        anstream::eprintln!("error: {error:#}");
        Status::BadInput
    });
    ExitCode::from(status.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_status_counts() {
        use Status::*;
        let by_severity = [(Clear, 0), (Unknown, 4), (Violated, 1), (Mismatch, 5), (BadInput, 2), (Internal, 3)];
        for (index, (worse, code)) in by_severity.into_iter().enumerate() {
            assert_eq!(worse.code(), code);
            for (better, _) in by_severity.into_iter().take(index + 1) {
                assert_eq!((worse.worst(better), better.worst(worse)), (worse, worse));
            }
        }
    }
}
