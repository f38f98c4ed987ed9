//! The arguments of `bmc` and `prove`.

use crate::cli::arguments::{BOUND, Format, Portfolio, Reading, parse_count, parse_duration, parse_megabytes};
use crate::cli::io::chart::ChartFile;
use crate::cli::specs::Checks;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Bmc {
    #[command(flatten)]
    pub verification: Verification,
    /// The largest number of steps of a counterexample.
    #[arg(long, value_name = "K", default_value_t = BOUND, value_parser = parse_count::<usize>)]
    pub bound: usize,
}

#[derive(Debug, Args)]
pub struct Prove {
    #[command(flatten)]
    pub verification: Verification,
    #[command(flatten)]
    pub portfolio: Portfolio,
    /// Write a certificate for each decided spec to this folder: JSON files, and SMT-LIB queries for
    /// invariants.
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,
    /// Say why specs hold: by which invariants, or what was explored.
    #[arg(long, conflicts_with = "format")]
    pub explain: bool,
}

/// What all commands that verify a model have in common.
#[derive(Debug, Args)]
pub struct Verification {
    /// The model.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Check this spec only: its number, from 1, or its name. May be repeated. Specs that are named are checked beside
    /// `--deadlock`, `--overflow` and `--dead-code`.
    #[arg(long, value_name = "N|NAME")]
    pub spec: Vec<String>,
    #[command(flatten)]
    pub checks: Checks,
    /// Give up on a spec after this time, reading the model included: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up when the process uses this much memory for all specs together: megabytes, or `4G`. Each
    /// spec at work takes about 35 megabytes at least.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
    /// How many specs to check at the same time [default: the number of cores]; eight per core at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Show whole states in traces, not only what changes.
    #[arg(long)]
    pub full: bool,
    /// Say where the time went.
    #[arg(long)]
    pub stats: bool,
    /// Say nothing but what the specs come to: not what is odd about the model, and no progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// Log what the engines do instead of showing their progress: frames, depths, why one gives up; twice (`-vv`):
    /// what they learn, too.
    #[arg(long, short, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Write counterexamples to a file: as ITF if its name ends with `.itf.json`, else in our own JSON.
    /// `{spec}` in the name becomes the name of the spec, or its number; without it, and with several
    /// specs, `trace.json` becomes `trace-NAME.json`.
    #[arg(long, value_name = "FILE")]
    pub save_trace: Option<PathBuf>,
    /// Draw counterexamples as message sequence charts: `.svg`, `.txt`, `.md` (Markdown) or `.mmd`
    /// (Mermaid). Names of files are made as for `--save-trace`.
    #[arg(long, value_name = "FILE", value_parser = ChartFile::parse)]
    pub chart: Option<ChartFile>,
    /// Afterwards, replay the counterexample in the simulator, as `simulate --trace` does; where several specs
    /// are violated, that to the first one.
    #[arg(long)]
    pub simulate: bool,
    /// How to print results; as JSON, one line per spec in the form of the results of `batch`.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    #[arg(conflicts_with_all = ["full", "stats", "simulate"])]
    pub format: Format,
}
