//! The arguments of `bmc` and `prove`.

use crate::cli::arguments::{BOUND, Format, Portfolio, ReadingOptions, parse_count, parse_duration, parse_megabytes};
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
    /// Write the strategies of specs with `can`: the model with the strategy built in, as `FILE.rcp`, and its table as JSON
    /// beside it; with `FILE.json` the table alone. File names are formed as for `--save-trace`.
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// Explain why specs hold: by which invariants, or by which exploration.
    #[arg(long, conflicts_with = "format")]
    pub explain: bool,
}

/// The arguments that all commands have which verify a model.
#[derive(Debug, Args)]
pub struct Verification {
    /// The model.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// Check only this spec, given by its number (from 1) or its name. May be repeated. With `--deadlock`,
    /// `--overflow` or `--dead-code`, the named specs are checked in addition to these checks.
    #[arg(long, value_name = "N|NAME")]
    pub spec: Vec<String>,
    #[command(flatten)]
    pub checks: Checks,
    /// Give up on a spec after this time, which includes reading the model: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up when the process uses this much memory for all specs together: megabytes, or `4G`. Each spec that is
    /// being checked takes at least about 35 megabytes.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
    /// The number of specs to check at the same time, at most eight per core [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Show whole states in traces, not only the changes, and each step of long ones.
    #[arg(long)]
    pub full: bool,
    /// Print how the time was spent.
    #[arg(long)]
    pub stats: bool,
    /// Print only the results: no remarks about the model, and no progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// Log what the engines do (frames, depths, why an engine gives up) instead of showing their progress. `-vv` also
    /// logs what they learn.
    #[arg(long, short, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Write counterexamples to a file: in ITF if its name ends with `.itf.json`, otherwise in our JSON format.
    /// `{spec}` in the name is replaced by the name of the spec, or by its number if it has none. If the name has no
    /// `{spec}` and there are several specs, `trace.json` becomes `trace-NAME.json`.
    #[arg(long, value_name = "FILE")]
    pub save_trace: Option<PathBuf>,
    /// Draw counterexamples as message sequence charts: `.svg`, `.tex` (TikZ), `.txt`, `.md` (Markdown) or `.mmd`
    /// (Mermaid). File names are formed as for `--save-trace`.
    #[arg(long, value_name = "FILE", value_parser = ChartFile::parse)]
    pub chart: Option<ChartFile>,
    /// Afterwards, replay the counterexample in the simulator, as `simulate --trace` does. If several specs are
    /// violated, it is that of the first one.
    #[arg(long)]
    pub simulate: bool,
    /// How to print results. JSON has one line per spec, in the format of the results of `batch`; in a review, verdicts
    /// that need attention stand at the lines of their specs.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    #[arg(conflicts_with_all = ["full", "stats", "simulate"])]
    pub format: Format,
}
