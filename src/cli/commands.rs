//! The commands: what they are called, and what runs them.

use crate::cli::arguments::{EXIT_CODES, one_of};
use crate::cli::io::interrupt;
use crate::cli::limits::address_space::{self, FOR_A_LOOK, FOR_A_SEARCH};
use crate::cli::status::Status;
use crate::cli::verify::answer::Method;
use crate::cli::{batch, certify, check, explain, export, fmt, graph, lsp, manual, report, serve, simulate, verify};
use crate::language::Language;
use anyhow::Result;
use clap::{ColorChoice, Parser, Subcommand};

/// A verifier for reconfigurable multi-agent systems: checks R-CHECK models against LTOL specs, with Z3 and without.
#[derive(Debug, Parser)]
#[command(name = "rcheck-smt", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours.
    // Behind the options of each command.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 100)]
    pub color: ColorChoice,
    /// Read files as written in this language [default: what their content says, else their names].
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = one_of(&Language::ALL, Language::name), display_order = 100)]
    pub language: Option<Language>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read models, and report errors and warnings.
    #[command(after_help = check::CHECK_EXIT_CODES)]
    Check(check::Check),
    /// Explain an error, a warning or a note by its code, with an example.
    #[command(after_help = explain::EXPLAIN_EXIT_CODES)]
    Explain(explain::Explain),
    /// Print models in canonical form, in the modern dialect.
    #[command(after_help = fmt::FMT_EXIT_CODES)]
    Fmt(fmt::Fmt),
    /// Search for a shortest counterexample to each spec, up to a number of steps.
    #[command(after_help = EXIT_CODES)]
    Bmc(verify::arguments::Bmc),
    /// Decide each spec for all runs: holds, violated or unknown.
    #[command(after_help = EXIT_CODES)]
    Prove(verify::arguments::Prove),
    /// Verify many models in parallel, and write the results to files.
    #[command(after_help = EXIT_CODES)]
    Batch(batch::arguments::Batch),
    /// Verify what `batch --units` listed: one job of many, on any machine.
    #[command(after_help = batch::arguments::UNIT_HELP)]
    Unit(batch::arguments::AnswerUnit),
    /// Merge results of `batch`, for example of several shards, into one summary.
    #[command(after_help = EXIT_CODES)]
    Report(report::Report),
    /// Answer the questions of a `batch` (on standard input).
    #[command(hide = true)]
    Worker,
    /// Write the transition system and the specs in a format that other tools read.
    #[command(after_help = export::NOTES)]
    Export(export::Export),
    /// Check certificates that `prove --certificate` wrote.
    #[command(after_help = certify::CERTIFY_EXIT_CODES)]
    Certify(certify::Certify),
    /// Explore a model interactively, step by step, or replay a trace.
    #[command(after_help = simulate::arguments::SIMULATE_HELP)]
    Simulate(simulate::arguments::Simulate),
    /// Serve editors: errors and verdicts in the text (the Language Server Protocol).
    #[command(after_help = lsp::LSP_HELP)]
    Lsp(lsp::Lsp),
    /// Show models on a page in the browser: editor, verdicts, counterexamples, simulator and state space.
    #[command(after_help = serve::SERVE_HELP)]
    Serve(serve::Serve),
    /// Draw the structure automata of the agents, or the reachable states of a small system.
    #[command(after_help = graph::GRAPH_EXIT_CODES)]
    Graph(graph::Arguments),
    /// Print what a shell needs to complete commands and options.
    Completions(manual::Completions),
    /// Print the manual page of this program, or of one of its commands.
    Man(manual::Man),
}

/// Runs a command.
pub fn run(command: &Command) -> Result<Status> {
    match command {
        Command::Fmt(_) | Command::Report(_) | Command::Worker => {}
        Command::Explain(_) | Command::Completions(_) | Command::Man(_) => {}
        Command::Check(_) | Command::Graph(_) | Command::Export(_) => address_space::check(FOR_A_LOOK)?,
        _ => address_space::check(FOR_A_SEARCH)?,
    }
    if !matches!(command, Command::Worker) {
        interrupt::on_interrupt(interrupt::end)?;
    }
    match command {
        Command::Check(command) => check::run(command),
        Command::Explain(command) => explain::run(command),
        Command::Fmt(command) => fmt::run(command),
        Command::Graph(command) => graph::run(command),
        Command::Bmc(command) => {
            verify::run(&command.verification, Method::Bmc(command.bound), verify::Proofs::default())
        }
        Command::Prove(command) => {
            let method = Method::Prove(command.portfolio.engines());
            let (folder, strategy) = (command.certificate.as_deref(), command.strategy.as_deref());
            let proofs = verify::Proofs { folder, strategy, explain: command.explain };
            verify::run(&command.verification, method, proofs)
        }
        Command::Certify(command) => certify::run(command),
        Command::Batch(command) => batch::run(command),
        Command::Unit(command) => batch::answer(command),
        Command::Report(command) => report::run(command),
        Command::Worker => batch::worker::run(),
        Command::Export(command) => export::run(command),
        Command::Simulate(command) => simulate::run(command),
        Command::Completions(command) => manual::complete(command),
        Command::Man(command) => manual::show(command),
        Command::Lsp(command) => lsp::run(command),
        Command::Serve(command) => serve::run(command),
    }
}
