//! `--help` and `--version`: the options in groups, an example of each command, and the version of Z3.

use crate::cli::commands::Arguments;
use crate::smt;
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::sync::LazyLock;

/// The group of a language, a dialect, or values that the file leaves open.
const READING: &str = "How to read the model";
const SUBJECT: &str = "What to verify";
const METHOD: &str = "How to verify it";
const RUNS: &str = "Runs";
const CONTENT: &str = "What to write";
const SERVER: &str = "Server";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";

/// The arguments of the program, with groups, examples and versions.
pub fn command() -> Command {
    let command = Arguments::command().version(VERSION.as_str()).mut_args(|argument| grouped("", argument));
    command.mut_subcommands(|command| {
        if command.is_hide_set() {
            return command;
        }
        let name = command.get_name().to_owned();
        let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).display_order(200);
        let help = help.help("Print help (`-h`: a line for each option)").help_heading(OUTPUT);
        let notes = command.get_after_help().map(|notes| notes.ansi().to_string()).unwrap_or_default();
        let notes = [with_heading(example(&name)), notes].into_iter().filter(|part| !part.is_empty());
        let notes = notes.collect::<Vec<_>>().join("\n\n");
        command.disable_help_flag(true).mut_args(|argument| grouped(&name, argument)).arg(help).after_help(notes)
    })
}

/// `0.1.0 (Z3 4.13.0.0)`
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let z3 = smt::version();
    format!("{} (Z3 {})", env!("CARGO_PKG_VERSION"), z3.strip_prefix("Z3 ").unwrap_or(z3))
});

fn grouped(command: &str, argument: Arg) -> Arg {
    if argument.get_long().is_none() {
        return argument;
    }
    let heading = heading(command, argument.get_id().as_str());
    argument.help_heading(heading)
}

/// The group of an option, by the name of its field.
fn heading(command: &str, option: &str) -> Option<&'static str> {
    match (command, option) {
        ("simulate", "trace" | "random" | "runs" | "seed" | "bound" | "web") => Some(RUNS),
        ("fmt", "check" | "plain" | "write") => Some(OUTPUT),
        ("export", "spec" | "part" | "count" | "states") | ("graph", "agent" | "reachable") => Some(CONTENT),
        (_, "language" | "dialect" | "constants" | "sizes" | "any_number" | "fair" | "point_to_point") => Some(READING),
        (_, "spec" | "deadlock" | "overflow" | "dead_code" | "shard" | "units" | "slowest_first") => Some(SUBJECT),
        (_, "bound" | "engine" | "mode" | "deny_warnings" | "fail_fast" | "resume") => Some(METHOD),
        (_, "timeout" | "memory" | "jobs") => Some(LIMITS),
        (_, "stdio" | "port") => Some(SERVER),
        (_, "format" | "to" | "output" | "directory" | "quiet" | "verbose" | "full" | "stats" | "color") => {
            Some(OUTPUT)
        }
        (_, "save_trace" | "traces" | "chart" | "simulate" | "certificate" | "explain") => Some(OUTPUT),
        (_, "junit" | "csv" | "html") => Some(OUTPUT),
        _ => None,
    }
}

fn with_heading(example: &str) -> String {
    if example.is_empty() { String::new() } else { format!("Example:\n  {example}") }
}

/// An example of a command.
fn example(command: &str) -> &'static str {
    match command {
        "check" => "rcheck-smt check models/ --deny-warnings",
        "explain" => "rcheck-smt explain E0205",
        "fmt" => "rcheck-smt fmt --write model.rcp",
        "bmc" => "rcheck-smt bmc --bound 20 --spec mutual_exclusion --save-trace trace.json model.rcp",
        "prove" => "rcheck-smt prove --timeout 5m --explain model.rcp",
        "batch" => "rcheck-smt batch --mode prove --timeout 1m --output results.jsonl --html results.html models/",
        "unit" => "rcheck-smt unit \"$(sed -n 7p units)\" --mode prove --output results-7.jsonl --resume",
        "report" => "rcheck-smt report --html results.html results-1.jsonl results-2.jsonl",
        "export" => "rcheck-smt export --to smv --output model.smv model.rcp",
        "certify" => "rcheck-smt certify model.rcp proofs/",
        "simulate" => "rcheck-smt simulate --random 50 --runs 100 model.rcp",
        "lsp" => "rcheck-smt lsp --jobs 2",
        "serve" => "rcheck-smt serve models/",
        "graph" => "rcheck-smt graph --output agents.svg model.rcp",
        "completions" => "rcheck-smt completions bash > ~/.local/share/bash-completion/completions/rcheck-smt",
        "man" => "rcheck-smt man prove | man -l -",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_is_in_a_group() {
        for command in command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let options = command.get_arguments().filter(|argument| argument.get_long().is_some());
            for option in options.filter(|option| !option.is_hide_set()) {
                assert!(option.get_help_heading().is_some(), "{} --{}", command.get_name(), option.get_id());
            }
        }
    }

    /// What a shell would make of the words is not looked at.
    #[test]
    fn examples_are_understood() {
        for name in command().get_subcommands().map(|command| command.get_name().to_owned()) {
            let example = example(&name);
            let is_hidden = command().find_subcommand(&name).is_some_and(Command::is_hide_set);
            assert_eq!(example.is_empty(), is_hidden, "{name}");
            let words = example.split(['>', '|']).next().unwrap_or_default().replace("\"$(sed -n 7p units)\"", "7");
            if !is_hidden {
                assert!(command().try_get_matches_from(words.split_whitespace()).is_ok(), "{example}");
            }
        }
    }
}
