//! The arguments of `batch`.

use crate::cli::arguments::{Portfolio, ReadingOptions, Spoken, parse_count, parse_duration, parse_megabytes};
use crate::cli::results::exports::Exports;
use crate::cli::specs::Checks;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Batch {
    /// Models, folders with models (`*.rcp`, `*.ispl`, clauses; at any depth), or patterns such as `specs/**/*lock*.rcp`.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    #[command(flatten)]
    pub checks: Checks,
    /// Verify only part I of N of the specs. The parts are the same on every machine.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Verify nothing, but print what there is to verify, one name per line, which `rcheck-smt unit` takes on any machine
    /// that has the same files. With `--output FILE --resume`, only what the file does not answer. See docs/cluster.md.
    #[arg(long)]
    pub units: bool,
    /// With `--units`: begin with what took longest in these results of an earlier run, after what they do not have.
    #[arg(long, value_name = "RESULTS", requires = "units")]
    pub slowest_first: Option<PathBuf>,
    #[command(flatten)]
    pub running: Running,
}

pub const UNIT_HELP: &str = "\
Exit codes:
  0  everything that was asked has its result, whatever that is; `report` judges results
  2  the input or the arguments are wrong; for example, a file changed since its units were listed
  3  internal error: please report it
  4  something has no answer, because something outside killed the process at work
  130  stopped by Ctrl-C
A job that is run again with the same `--output FILE --resume` answers only what the file does not.";

#[derive(Debug, Args)]
pub struct AnswerUnit {
    /// The units to verify, as `batch --units` prints them.
    #[arg(required = true, value_name = "UNIT")]
    pub units: Vec<String>,
    #[command(flatten)]
    pub spoken: Spoken,
    #[command(flatten)]
    pub running: Running,
}

/// How units are answered, and what is written about them.
#[derive(Debug, Args)]
pub struct Running {
    /// The question about each spec, or about each file (`check`).
    #[arg(long, value_name = "MODE", default_value = "bmc")]
    pub mode: ModeName,
    /// In the mode `bmc`: the largest number of steps of a counterexample [default: 30].
    #[arg(long, value_name = "K", value_parser = parse_count::<usize>)]
    pub bound: Option<usize>,
    #[command(flatten)]
    pub portfolio: Portfolio,
    /// The number of worker processes, at most eight per core [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Give up on a spec after this time: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up on a spec when its worker process uses this much memory: megabytes, or `4G`. Each process uses about 40
    /// megabytes in any case.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
    /// Write one line of JSON per spec to this file; see docs/results.md.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Continue a run from the file of `--output`: results for the same input and version are kept instead of computed
    /// again. Results for other models, modes and shards stay in the file, too.
    #[arg(long, requires = "output")]
    pub resume: bool,
    /// Write counterexamples to this folder.
    #[arg(long, value_name = "FOLDER")]
    pub traces: Option<PathBuf>,
    /// In the mode `prove`: write a certificate for each decided spec to this folder; see docs/certificates.md.
    #[arg(long, value_name = "FOLDER")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub exports: Exports,
    /// Stop at the first failure: a violated spec that has no expectation, a verdict that contradicts an expectation,
    /// a bad file, an internal error.
    #[arg(long)]
    pub fail_fast: bool,
    /// Treat warnings as errors: files with warnings are not verified.
    #[arg(long)]
    pub deny_warnings: bool,
    /// Do not show the progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// A part of the work: `index` of `count`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub index: usize,
    pub count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeName {
    /// Search for counterexamples up to a bound.
    Bmc,
    /// Decide each spec for all runs.
    Prove,
    /// Only read the files, and report errors and warnings.
    Check,
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    match numbers {
        Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
        _ => Err("expected a part and the number of parts, as in `1/4`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_from_one() {
        assert_eq!(parse_shard("2/4"), Ok(Shard { index: 2, count: 4 }));
        assert!(parse_shard("0/4").is_err() && parse_shard("5/4").is_err() && parse_shard("1").is_err());
    }
}
