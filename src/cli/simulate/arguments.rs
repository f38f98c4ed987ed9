//! The arguments of `simulate`.

use crate::cli::arguments::{BOUND, ReadingOptions, parse_count, parse_duration, parse_megabytes};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

pub const SIMULATE_HELP: &str = "\
On a terminal, commands are entered interactively; `help` lists them. Otherwise they are read from standard input, one \
per line, and each is printed before its answer. Lines that begin with `#` are comments.

Exit codes:
  0  success
  1  a random run (`--random`) violates a spec
  2  the input or the arguments are wrong, or a line of a script failed
  3  internal error: please report it
  4  given up at the limit of `--timeout` or `--memory`
  130  stopped by Ctrl-C, which at the prompt only drops the line";

#[derive(Debug, Args)]
pub struct Simulate {
    /// The model.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// Replay this trace (in our JSON format or in ITF), and start in its first state.
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    pub trace: Option<PathBuf>,
    /// Play against a strategy: of a spec with `can(g, f)`, by its number or its name. The tool decides for the group, you for all
    /// others. If there is no strategy, you decide for the group, and see on which runs that fails.
    #[arg(long, value_name = "N|NAME", conflicts_with_all = ["trace", "random"])]
    pub strategy: Option<String>,
    /// Take one random run with at most N steps, and show it; not interactive.
    #[arg(long, value_name = "N", value_parser = parse_count::<usize>)]
    pub random: Option<usize>,
    /// With `--random`: take N runs, with consecutive seeds from `--seed` on, and summarise them.
    #[arg(long, value_name = "N", requires = "random", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// The seed of the random choices: the same seed makes the same choices.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_count::<u64>)]
    pub seed: u64,
    /// Simulate in the browser instead, with the model beside it: what `serve` does, at the page of the simulator.
    #[arg(long, conflicts_with_all = ["trace", "strategy", "random", "ReadingOptions", "bound", "seed", "quiet"])]
    pub web: bool,
    /// The largest number of steps that the command `find` looks ahead.
    #[arg(long, value_name = "K", default_value_t = BOUND, value_parser = parse_count::<usize>, conflicts_with = "random")]
    pub bound: usize,
    /// Print no remarks about the model.
    #[arg(long, short)]
    pub quiet: bool,
    /// Give up a `find`, or the random runs, after this time: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up when the process uses this much memory: megabytes, or `4G`.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
}
