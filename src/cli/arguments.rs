//! The arguments of all commands.

use super::chart::ChartFile;
use super::checks::Checks;
use super::export::{self, Export};
use super::limited::Limited;
use crate::syntax::ast::Dialect;
use crate::verify::Engine;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// How many steps are looked at if nobody says.
pub const BOUND: usize = 30;

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing is violated
  1  some spec is violated
  2  the input or the arguments are wrong
  3  internal error: please report it
  4  something is unknown, and nothing violated
  130  stopped by Ctrl-C, after printing what is known";

const CHECK_EXIT_CODES: &str = "\
Exit codes:
  0  no file has errors
  2  some file has errors, or cannot be read; with `--deny-warnings` also: some file has warnings
  3  internal error: please report it
  4  given up: `--timeout` or `--memory`
  130  stopped by Ctrl-C";

const FMT_EXIT_CODES: &str = "\
Exit codes:
  0  every file was printed or written, or is formatted (`--check`)
  1  some file is not formatted (`--check`)
  2  some file has errors, cannot be read, or cannot be written
  3  internal error: please report it
  130  stopped by Ctrl-C";

const GRAPH_EXIT_CODES: &str = "\
Exit codes:
  0  the picture was written
  2  the input or the arguments are wrong, or the disk is full
  3  internal error: please report it
  4  given up: `--timeout` or `--memory`
  130  stopped by Ctrl-C";

const CERTIFY_EXIT_CODES: &str = "\
Exit codes:
  0  every certificate proves its verdict
  1  some certificate does not, or is about another model
  2  the input or the arguments are wrong
  3  internal error: please report it
  4  some certificate could not be checked, and none was refused
  130  stopped by Ctrl-C";
const BATCH_HELP: &str = "\
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

const SIMULATE_HELP: &str = "\
On a terminal this is a conversation; `help` lists the commands. Otherwise the commands are read from standard input, \
a line each, and are shown with their answers. Lines that begin with `#` are remarks.

Exit codes:
  0  all went well
  1  a random run (--random) violates a spec
  2  the input or the arguments are wrong, or a line of a script failed
  3  internal error: please report it
  4  given up: `--timeout` or `--memory`
  130  stopped by Ctrl-C";

/// A verifier for reconfigurable multi-agent systems: R-CHECK models, LTOL specs, on Z3.
#[derive(Debug, Parser)]
#[command(name = "rcheck-smt", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read models and report what is wrong with them.
    #[command(after_help = CHECK_EXIT_CODES)]
    Check(Check),
    /// Print models canonically, in the modern dialect.
    #[command(after_help = FMT_EXIT_CODES)]
    Fmt(Fmt),
    /// Search for the shortest counterexample to each spec, up to a depth.
    #[command(after_help = EXIT_CODES)]
    Bmc(Bmc),
    /// Decide each spec for all runs: holds, violated or unknown.
    #[command(after_help = EXIT_CODES)]
    Prove(Prove),
    /// Verify many models in parallel, and write results for people and programs.
    #[command(after_help = BATCH_HELP)]
    Batch(Batch),
    /// Merge results of `batch` (of shards, say) into one summary.
    #[command(after_help = BATCH_HELP)]
    Report(Report),
    /// Answer the questions of a `batch` (on standard input).
    #[command(hide = true)]
    Worker,
    /// Write the transition system and the specs in a format that other tools read.
    #[command(after_help = export::NOTES)]
    Export(Export),
    /// Check certificates that `prove --certificate` wrote.
    #[command(after_help = CERTIFY_EXIT_CODES)]
    Certify(Certify),
    /// Play with a model step by step, or replay a trace.
    #[command(after_help = SIMULATE_HELP)]
    Simulate(Simulate),
    /// Draw the structure automata of the agents, or the reachable states of a small system.
    #[command(after_help = GRAPH_EXIT_CODES)]
    Graph(Graph),
}

#[derive(Debug, Args)]
pub struct Check {
    /// The models, folders with models (`*.rcp`, at any depth), or `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// How to print what is found.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Treat warnings as errors.
    #[arg(long)]
    pub deny_warnings: bool,
    /// Say nothing of files without errors and warnings.
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub limited: Limited,
}

#[derive(Debug, Args)]
pub struct Fmt {
    /// The models, folders with models (`*.rcp`, at any depth), or `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Print no model, only which files are not formatted; exit with 1 if there are any.
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
    /// Write the result back to each file.
    #[arg(long)]
    pub write: bool,
}

#[derive(Debug, Args)]
pub struct Graph {
    /// The model.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Draw this agent type only. May be repeated.
    #[arg(long, value_name = "AGENT")]
    pub agent: Vec<String>,
    /// Draw the first N reachable states instead, with the steps between them.
    #[arg(long, value_name = "N", conflicts_with = "agent", value_parser = clap::value_parser!(u16).range(1..))]
    pub reachable: Option<u16>,
    /// The form of the picture [default: as the extension of the output says, else SVG].
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<GraphFormat>,
    /// Write to this file, not to standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limited: Limited,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A picture.
    Svg,
    /// Text for Graphviz.
    Dot,
}

#[derive(Debug, Args)]
pub struct Bmc {
    #[command(flatten)]
    pub verification: Verification,
    /// The largest number of steps of a counterexample.
    #[arg(long, value_name = "K", default_value_t = BOUND)]
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

/// The engines of `prove`.
#[derive(Debug, Args)]
pub struct Portfolio {
    /// Use these engines only; without it, all of them, as far as they suit the model.
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', value_parser = engine())]
    engine: Vec<Engine>,
}

impl Portfolio {
    /// Whether somebody named engines.
    pub fn is_chosen(&self) -> bool {
        !self.engine.is_empty()
    }

    pub fn engines(&self) -> Vec<Engine> {
        let all = Engine::ALL.into_iter();
        all.filter(|&engine| self.engine.is_empty() || self.engine.contains(&engine)).collect()
    }
}

/// Reads the name of an engine.
fn engine() -> impl TypedValueParser<Value = Engine> {
    let names = Engine::ALL.map(|engine| PossibleValue::new(engine.name()).help(engine.summary()));
    let engine_of = |name: String| Engine::ALL.into_iter().find(|engine| engine.name() == name);
    PossibleValuesParser::new(names).map(move |name| engine_of(name).expect("one of the names"))
}

#[derive(Debug, Args)]
pub struct Certify {
    /// The model.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The certificates, or folders with certificates.
    #[arg(required = true, value_name = "CERTIFICATE")]
    pub certificates: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Say why specs hold, as `prove --explain` does.
    #[arg(long)]
    pub explain: bool,
    /// Give up on a certificate after this time: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up when the process uses this much memory: megabytes, or `4G`.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
}

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
    #[arg(long, value_name = "K")]
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

#[derive(Debug, Args)]
pub struct Report {
    /// Results of `batch`; where several answer the same question, the last one counts.
    #[arg(required = true, value_name = "RESULTS")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub exports: Exports,
}

/// Forms of results for other tools.
#[derive(Debug, Args)]
pub struct Exports {
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the results as a table of comma-separated values.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a page with the results, the counterexamples and a plot of the times; it needs no other file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
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

#[derive(Debug, Args)]
pub struct Simulate {
    /// The model.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Replay this trace, ours or ITF, and start at its beginning.
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    pub trace: Option<PathBuf>,
    /// No conversation: take a random run with up to so many steps, and show it.
    #[arg(long, value_name = "N")]
    pub random: Option<usize>,
    /// With `--random`: take so many runs, with the seeds from `--seed` on, and sum them up.
    #[arg(long, value_name = "N", requires = "random", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// What random choices depend on: the same seed makes the same choices.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// The most steps that the command `find` looks ahead.
    #[arg(long, value_name = "K", default_value_t = BOUND, conflicts_with = "random")]
    pub bound: usize,
    /// Give up a `find`, or random runs, after this time: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up when the process uses this much memory: megabytes, or `4G`.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
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

#[derive(Debug, Args)]
pub struct Reading {
    /// Read the file in this dialect, whatever it looks like.
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<DialectName>,
}

impl Reading {
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect.map(|name| match name {
            DialectName::Modern => Dialect::Modern,
            DialectName::Classic => Dialect::Classic,
        })
    }

    /// As the user wrote it.
    pub fn dialect_name(&self) -> Option<String> {
        self.dialect.and_then(|name| name.to_possible_value()).map(|value| value.get_name().to_owned())
    }
}

/// The dialect of a name that [`Reading::dialect_name`] gave.
pub fn dialect(name: &str) -> Option<Dialect> {
    let name = DialectName::from_str(name, false).ok();
    Reading { dialect: name }.dialect()
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectName {
    Modern,
    Classic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// For programs.
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Makes the choice for everything that is printed from now on.
    pub fn apply(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// In seconds, thirty years: no arithmetic on times overflows.
const LONGEST: f64 = 1e9;

pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.char_indices().next_back() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => (&text[..at], unit),
        _ => (text, 's'),
    };
    let factor = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        _ => return Err("units are s, m and h".to_owned()),
    };
    let seconds = number.parse::<f64>().map_err(|_| "expected a number of seconds, as in `90` or `5m`".to_owned())?;
    if seconds * factor > LONGEST {
        return Err("that is longer than anybody waits: leave the limit out".to_owned());
    }
    match Duration::try_from_secs_f64(seconds * factor) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("expected a positive time".to_owned()),
    }
}

/// A petabyte: as bytes, it fits everywhere.
const MOST_MEGABYTES: u32 = 1 << 30;

pub(super) fn parse_megabytes(text: &str) -> Result<u32, String> {
    let (number, factor) = match text.strip_suffix(['G', 'g']) {
        Some(number) => (number, 1024),
        None => (text.strip_suffix(['M', 'm']).unwrap_or(text), 1),
    };
    let size = number.parse::<u32>().ok().and_then(|number| number.checked_mul(factor));
    match size {
        Some(size) if size > MOST_MEGABYTES => Err("no machine has that much memory: leave the limit out".to_owned()),
        Some(size) if size > 0 => Ok(size),
        _ => Err("expected megabytes, as in `2000`, or gigabytes, as in `2G`".to_owned()),
    }
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
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn times_and_sizes() {
        assert_eq!(parse_duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert!(parse_duration("0").is_err() && parse_duration("-1s").is_err() && parse_duration("5d").is_err());
        assert_eq!(parse_megabytes("4G"), Ok(4096));
        assert_eq!(parse_megabytes("500"), Ok(500));
        assert_eq!(parse_shard("2/4"), Ok(Shard { index: 2, count: 4 }));
        assert!(parse_shard("0/4").is_err() && parse_shard("5/4").is_err() && parse_shard("1").is_err());
        assert!(parse_megabytes("0").is_err() && parse_megabytes("9999999G").is_err());
        assert!(parse_megabytes("4294967295").is_err() && parse_duration("1e19").is_err());
    }
}
