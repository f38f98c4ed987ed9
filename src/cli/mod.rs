//! The command line: arguments, commands, exit codes.

mod arguments;
mod batch;
mod certify;
mod check;
mod commands;
mod explain;
mod export;
mod fmt;
mod graph;
mod help;
mod horn;
mod io;
mod limits;
mod lsp;
mod manual;
mod report;
mod results;
mod serve;
mod simulate;
mod specs;
mod status;
mod verify;

pub use status::INTERNAL_ERROR;

use crate::limits::{Limits, Reason};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory, FromArgMatches};
use commands::Arguments;
use io::out::{self, remark};
use nix::sys::signal::{SigSet, Signal};
use status::Status;
use std::ffi::OsString;
use std::fmt::Display;
use std::process::ExitCode;

/// Parses the arguments and runs the command.
pub fn main() -> ExitCode {
    // A file that grows beyond the limit of the system is an error of writing, like a full disk.
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
    let asked: Vec<OsString> = std::env::args_os().collect();
    choose_color(help_color(&asked));
    let matches = takes_negative_numbers(help::command()).try_get_matches_from(asked);
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    choose_color(arguments.color);
    io::language::choose(arguments.language);
    limits::parent::end_with_it();
    limits::beat();
    let result = Limits::default().within(|| commands::run(&arguments.command)).unwrap_or_else(|exceeded| {
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

/// The colours of help and of errors in arguments, which are printed before the arguments are understood.
fn help_color(asked: &[OsString]) -> ColorChoice {
    let after = |name: &OsString| asked.iter().skip_while(|word| *word != name).nth(1).cloned();
    let joined = asked.iter().filter_map(|word| word.to_str()?.strip_prefix("--color=")).next_back();
    let chosen = joined.map(OsString::from).or_else(|| after(&OsString::from("--color")));
    chosen.and_then(|word| word.to_str()?.parse().ok()).unwrap_or_default()
}

/// Makes the choice for everything that is printed from now on.
fn choose_color(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// `--bound -1` is a wrong number, no unknown option.
fn takes_negative_numbers(command: clap::Command) -> clap::Command {
    let takes = |argument: clap::Arg| {
        let has_value = argument.get_long().is_some() && argument.get_action().takes_values();
        if has_value { argument.allow_negative_numbers(true) } else { argument }
    };
    command.mut_subcommands(|command| command.mut_args(takes))
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
