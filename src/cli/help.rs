//! `--help` and `--version`: the options in groups, an example of each command, and the version of Z3.

use crate::cli::commands::Arguments;
use crate::smt;
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::sync::LazyLock;

const OUTPUT: &str = "Output";

/// The groups of options, in their order: their titles, and the names of the fields of their options. Some options are in another group
/// for one command.
const GROUPS: [(&str, &str); 8] = [
    ("How to read the model", "language dialect constants sizes any_number fair point_to_point uniform"),
    ("What to verify", "spec deadlock overflow dead_code shard units slowest_first"),
    ("How to verify it", "bound engine mode deny_warnings fail_fast resume"),
    (
        "Runs",
        "simulate.trace simulate.strategy simulate.random simulate.runs simulate.seed simulate.bound simulate.web",
    ),
    ("What to write", "export.spec export.part export.count export.states graph.agent graph.reachable"),
    ("Server", "stdio port"),
    ("Limits", "timeout memory jobs"),
    (
        OUTPUT,
        "fmt.check fmt.plain fmt.write format to output directory quiet verbose full stats color save_trace traces chart simulate \
         certificate prove.strategy explain junit csv html",
    ),
];

/// The arguments of the program, with groups, examples and versions.
pub fn command() -> Command {
    let command = grouped(Arguments::command().version(VERSION.as_str()));
    command.mut_subcommands(|command| {
        if command.is_hide_set() {
            return command;
        }
        let name = command.get_name().to_owned();
        let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).display_order(200);
        let help = help.help("Print help (`-h`: a line for each option)").help_heading(OUTPUT);
        let notes = command.get_after_help().map(|notes| notes.ansi().to_string()).unwrap_or_default();
        let notes = format!("Example:\n  {}\n\n{notes}", example(&name));
        grouped(command).disable_help_flag(true).arg(help).after_help(notes.trim_end().to_owned())
    })
}

/// `0.1.0 (Z3 4.13.0.0)`
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let z3 = smt::version();
    format!("{} (Z3 {})", env!("CARGO_PKG_VERSION"), z3.strip_prefix("Z3 ").unwrap_or(z3))
});

/// The options in the order of their groups: titles come in the order in which they first occur.
fn grouped(command: Command) -> Command {
    let name = command.get_name();
    let of = |argument: &Arg| Some((group(name, argument.get_id().as_str())?, argument.get_id().clone()));
    let mut options: Vec<_> = command.get_arguments().filter(|it| it.get_long().is_some()).filter_map(of).collect();
    options.sort_by_key(|(group, _)| *group);
    // Options that `mut_arg` changes go to the end.
    options.into_iter().fold(command, |command, (group, option)| {
        command.mut_arg(option, |argument| argument.help_heading(GROUPS[group].0))
    })
}

/// The place of the group of an option, by the name of its field.
fn group(command: &str, option: &str) -> Option<usize> {
    let place = |name: &str| GROUPS.iter().position(|(_, options)| options.split(' ').any(|option| option == name));
    place(&format!("{command}.{option}")).or_else(|| place(option))
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

    /// Does not look at what a shell would make of the words.
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
