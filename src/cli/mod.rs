//! The command line: arguments, commands, exit codes.

mod answer;
mod arguments;
mod bars;
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
mod jobs;
mod known;
mod limited;
mod line_editor;
mod log;
mod out;
mod picture;
mod refusal;
mod replace;
mod report;
mod save;
mod simulate;
mod verify;
mod watchdog;

use crate::limits::{Limits, Reason};
use anstream::ColorChoice;
use answer::Method;
use anyhow::{Result, bail};
use arguments::{Arguments, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use out::remark;
use std::ffi::OsString;
use std::fmt::Display;
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
    /// Somebody stopped it.
    Interrupted,
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
            // What shells expect of a process that Ctrl-C ended.
            Status::Interrupted => 130,
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
            Status::Interrupted => 6,
        }
    }

    /// The worse of the two.
    fn worst(self, other: Status) -> Status {
        if other.severity() > self.severity() { other } else { self }
    }
}

/// Parses the arguments and runs the command.
pub fn main() -> ExitCode {
    let asked: Vec<OsString> = std::env::args_os().collect();
    help_color(&asked).write_global();
    let arguments = match Arguments::try_parse_from(asked) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    arguments.color.apply();
    let result = Limits::default().within(|| run(&arguments.command)).unwrap_or_else(|exceeded| {
        remark(format_args!("error: given up: {}", Reason::from(exceeded)));
        Ok(Status::Unknown)
    });
    let status = result.unwrap_or_else(|error| {
        remark(format_args!("error: {error:#}"));
        Status::BadInput
    });
    ExitCode::from(out::judge(status).code())
}

/// The thread that everything runs in could not be started.
pub fn refuse_to_start(error: impl Display) -> ExitCode {
    remark(format_args!("error: cannot start: there is no memory for the stack: {error}"));
    ExitCode::from(Status::BadInput.code())
}

/// Whether help and errors in arguments have colours: they are printed before the arguments are understood.
fn help_color(asked: &[OsString]) -> ColorChoice {
    let after = |name: &OsString| asked.iter().skip_while(|word| *word != name).nth(1).cloned();
    let joined = asked.iter().filter_map(|word| word.to_str()?.strip_prefix("--color=")).next_back();
    let chosen = joined.map(OsString::from).or_else(|| after(&OsString::from("--color")));
    match chosen.as_ref().and_then(|word| word.to_str()) {
        Some("never") => ColorChoice::Never,
        Some("always") => ColorChoice::Always,
        _ => ColorChoice::Auto,
    }
}

/// The commands that have an option, if the one that was used does not.
fn where_it_belongs(error: &clap::Error) -> Option<String> {
    let unknown = (error.kind() == ErrorKind::UnknownArgument).then(|| error.get(ContextKind::InvalidArg)).flatten();
    let Some(ContextValue::String(option)) = unknown else { return None };
    let name = option.strip_prefix("--")?;
    let command = Arguments::command();
    let have = |command: &&clap::Command| command.get_arguments().any(|argument| argument.get_long() == Some(name));
    let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<String> = visible.filter(have).map(|command| format!("`{}`", command.get_name())).collect();
    (!names.is_empty()).then(|| format!("{option} is an option of {}", names.join(", ")))
}

/// Says what is wrong with the arguments, or helps.
fn refuse(error: &clap::Error) -> ExitCode {
    if let Some(words) = where_it_belongs(error) {
        remark(format_args!("error: {words}, not of this command; `--help` lists those of a command"));
        return ExitCode::from(Status::BadInput.code());
    }
    let words = error.render().ansi().to_string();
    if error.use_stderr() {
        out::remark_styled(words.as_bytes());
        return ExitCode::from(Status::BadInput.code());
    }
    out::print(words);
    ExitCode::from(out::judge(Status::Clear).code())
}

/// In kilobytes: with less address space the solver ends the process, or threads cannot begin.
const LEAST_ADDRESS_SPACE: u64 = 2_000_000;

/// Refuses to begin where the solver could not even say that it lacks memory.
fn check_address_space() -> Result<()> {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    let bytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    match bytes.map(|bytes| bytes / 1024).filter(|&limit| limit < LEAST_ADDRESS_SPACE) {
        Some(limit) => bail!(
            "the address space is limited to {limit} kB (`ulimit -v`), which is too little for the solver: allow \
             {LEAST_ADDRESS_SPACE} kB, and limit what is used by `--memory`"
        ),
        None => Ok(()),
    }
}

fn run(command: &Command) -> Result<Status> {
    if !matches!(command, Command::Fmt(_) | Command::Report(_) | Command::Worker) {
        check_address_space()?;
    }
    if !matches!(command, Command::Worker) {
        interrupt::on_interrupt(interrupt::end)?;
    }
    match command {
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_status_counts() {
        use Status::*;
        let by_severity =
            [(Clear, 0), (Unknown, 4), (Violated, 1), (Mismatch, 5), (BadInput, 2), (Internal, 3), (Interrupted, 130)];
        for (index, (worse, code)) in by_severity.into_iter().enumerate() {
            assert_eq!(worse.code(), code);
            for (better, _) in by_severity.into_iter().take(index + 1) {
                assert_eq!((worse.worst(better), better.worst(worse)), (worse, worse));
            }
        }
    }
}
