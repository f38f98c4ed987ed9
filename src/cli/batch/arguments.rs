//! The arguments of `batch`.

use crate::cli::arguments::{Portfolio, Reading, parse_count, parse_duration, parse_megabytes};
use crate::cli::results::exports::Exports;
use crate::cli::specs::Checks;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

pub const BATCH_HELP: &str = "\
Exit codes, the worst of all results:
  0  nothing is violated, or all is as expected
  1  some spec is violated, and nothing was said about it
  2  the input or the arguments are wrong: some files could not be read, for example
  3  internal error: please report it
  4  something is unknown, and nothing worse
  5  some verdict is not the one that the comment `// expect: ..` at the spec tells
  130  stopped by Ctrl-C, after printing what is known
From bad to worse: 0, 4, 1, 5, 2, 3.

A spec with an expectation counts as such: where `// expect: violated` stands and the spec is violated, all is well. \
`clear up to K` (mode bmc) agrees with `holds` and `unknown`; where `violated` is expected, it leaves that open, which \
counts as unknown.";

#[derive(Debug, Args)]
pub struct Batch {
    /// Models, folders with models (`*.rcp`, at any depth), or patterns such as `specs/**/*lock*.rcp`.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// What to do with each spec; `check` only reads the files.
    #[arg(long, value_name = "MODE", default_value = "bmc")]
    pub mode: ModeName,
    /// In the mode `bmc`: the largest number of steps of a counterexample [default: 30].
    #[arg(long, value_name = "K", value_parser = parse_count::<usize>)]
    pub bound: Option<usize>,
    #[command(flatten)]
    pub portfolio: Portfolio,
    #[command(flatten)]
    pub checks: Checks,
    /// How many worker processes to use [default: the number of cores]; eight per core at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Give up on a spec after this time: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up on a spec when its process uses this much memory: megabytes, or `4G`. About 40 megabytes are used in
    /// any case.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
    /// Do part I of N only. All machines split the work in the same way.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Write one line of JSON per spec to this file; see docs/results.md.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Go on where the file of `--output` ends: what it answers already, for the same input and version, is kept, and so
    /// is what it says of other models, modes and shards.
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
    /// Stop at the first failure: a spec that is violated or not as expected, a bad file, an internal error.
    #[arg(long)]
    pub fail_fast: bool,
    /// Treat warnings as errors: a file with any is not verified.
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
    /// Decide for all runs.
    Prove,
    /// Read the files and report what is wrong with them.
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
