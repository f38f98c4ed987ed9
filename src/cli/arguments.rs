//! Arguments that several commands have.

use crate::cli::io::input::How;
use crate::model::integer;
use crate::syntax::ast::{ConstantName, Dialect, Fairness, Literal, PointToPoint};
use crate::verify::Engine;
use anyhow::{Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use dashu_int::IBig;
use std::str::FromStr;
use std::time::Duration;

/// The default bound on the number of steps.
pub const BOUND: usize = 30;

/// The meaning of the exit codes of commands with verdicts.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  nothing is violated, except where a violation is expected, and nothing is unknown
  1  some spec is violated that is not expected to be, or a verdict contradicts `// expect: ..`
  2  the input or the arguments are wrong; for example, some file could not be read
  3  internal error: please report it
  4  something is unknown, and nothing is a reason for 1
  130  stopped by Ctrl-C, after printing the results so far
If several apply, the worst one counts. From best to worst: 0, 4, 1, 2, 3.

For a spec with an expectation, the exit code depends only on whether the verdict agrees with it: a violated spec with \
`// expect: violated` counts as 0. `no counterexample up to depth K` agrees with the expectations `holds` and `unknown`; \
if `violated` is expected, it decides nothing, and counts as unknown.";

/// The engines of `prove`.
#[derive(Debug, Args)]
pub struct Portfolio {
    /// Use only these engines [default: all that suit the model].
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', value_parser = engine())]
    engine: Vec<Engine>,
}

impl Portfolio {
    /// True if engines were named.
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

/// Reads the word for one of these.
pub fn one_of<T: Copy + Send + Sync>(
    all: &'static [T],
    word_of: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let find = move |word: String| all.iter().copied().find(|it| word_of(*it) == word).expect("one of the words");
    PossibleValuesParser::new(all.iter().map(move |it| word_of(*it))).map(find)
}

/// The dialect that the user asks for.
#[derive(Debug, Default, Args)]
pub struct Spoken {
    /// Read the file in this dialect, instead of detecting the dialect.
    #[arg(long, value_name = "DIALECT", value_parser = one_of(&Dialect::ALL, Dialect::word))]
    pub dialect: Option<Dialect>,
}

#[derive(Debug, Args)]
pub struct ReadingOptions {
    #[command(flatten)]
    spoken: Spoken,
    /// Give a constant of the model another value: `--const N=5`, `--const fast=true`.
    #[arg(long = "const", value_name = "NAME=VALUE", value_parser = parse_constant)]
    constants: Vec<GivenConstant>,
    /// Choose the number of members of a family of any size: `--size client=3`.
    #[arg(long = "size", value_name = "FAMILY=NUMBER", value_parser = parse_size)]
    sizes: Vec<GivenConstant>,
    /// Let the listed instances of these agent types stand for any number of them: those that are alike, up to numbers
    /// and channels of their own, become one family of any size.
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    any_number: Vec<String>,
    /// Assume fairness of all instances: one that can act all the time (`weak`), or again and again (`strong`), does so again
    /// and again; beside the assumptions of the file.
    #[arg(long, value_name = "FAIRNESS", value_parser = one_of(&Fairness::ALL, Fairness::word))]
    fair: Option<Fairness>,
    /// Choose which gets meet which supplies: as in R-CHECK (`tool`), or as in the paper (`paper`), where a get by name meets a
    /// supply under the supplier's own name only [default: as the file says, or else `tool`].
    #[arg(long, value_name = "READING", value_parser = one_of(&PointToPoint::ALL, PointToPoint::word))]
    point_to_point: Option<PointToPoint>,
    /// In a file of MCMAS, ask for uniform strategies: whether the protocols of the agents of this group, or without a group of
    /// all agents, can be made deterministic such that the formula holds. Each agent decides by what it sees.
    #[arg(long, value_name = "GROUP", num_args = 0..=1, require_equals = true)]
    uniform: Option<Option<String>>,
}

/// The value of `--const` or `--size`: a constant and its values, of which most commands take one.
#[derive(Clone, Debug)]
struct GivenConstant {
    name: ConstantName,
    values: Vec<Literal>,
}

impl ReadingOptions {
    /// How a file is read; an error if constants have several values.
    pub fn how(&self) -> Result<How> {
        let mut all = self.every()?;
        match all.len() {
            1 => Ok(all.swap_remove(0)),
            _ => bail!("`--const` and `--size` take one value here; ranges, as in `N=2..6`, are for `batch`"),
        }
    }

    /// True if it says anything.
    pub fn is_given(&self) -> bool {
        let lists = self.constants.len() + self.sizes.len() + self.any_number.len();
        let choices = [self.fair.is_some(), self.point_to_point.is_some(), self.uniform.is_some()];
        lists > 0 || choices.contains(&true) || self.dialect().is_some()
    }

    /// How files are read, once for each combination of values.
    pub fn every(&self) -> Result<Vec<How>> {
        let asked = self.any_number.iter().cloned().map(ConstantName::AnyNumber);
        let asked = asked.chain(self.fair.map(ConstantName::Fairness));
        let asked = asked.chain(self.point_to_point.map(ConstantName::PointToPoint));
        let asked = asked.chain(self.uniform.clone().map(ConstantName::Uniform));
        let constants = asked.map(|name| (name, Literal::Bool(true))).collect();
        let mut all = vec![How { dialect: self.dialect(), constants }];
        for GivenConstant { name, values } in self.constants.iter().chain(&self.sizes) {
            if all[0].constants.contains_key(name) {
                match name {
                    ConstantName::Size(family) => bail!("`--size` gives `{family}` a size twice"),
                    _ => bail!("`--const` gives `{name}` a value twice"),
                }
            }
            let with = |how: &How, value: &Literal| {
                let mut how = how.clone();
                how.constants.insert(name.clone(), value.clone());
                how
            };
            if all.len() * values.len() > usize::from(MOST_VALUES) {
                bail!("`--const` and `--size` ask for more than {MOST_VALUES} combinations of values");
            }
            all = all.iter().flat_map(|how| values.iter().map(move |value| with(how, value))).collect();
        }
        Ok(all)
    }

    pub fn dialect(&self) -> Option<Dialect> {
        self.spoken.dialect
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for reading.
    Human,
    /// JSON for other programs.
    Json,
    /// Workflow commands of GitHub, which shows what is wrong at its lines.
    Github,
    /// SARIF 2.1.0, for reviews of code and for editors.
    Sarif,
}

/// The most values that a range may have.
const MOST_VALUES: u16 = 1000;

fn parse_constant(text: &str) -> Result<GivenConstant, String> {
    const FORM: &str = "expected a name and a value, as in `N=5`, `fast=true` or, for `batch`, `N=2..6`";
    let (name, value) = text.split_once('=').ok_or(FORM)?;
    let value = value.trim();
    let values = match value.split_once("..") {
        Some((low, high)) => {
            let end = |text: &str| integer::read(text.trim()).ok_or(FORM);
            let (low, high) = (end(low)?, end(high)?);
            let above = u16::try_from(&high - &low)
                .ok()
                .filter(|above| *above < MOST_VALUES)
                .ok_or_else(|| format!("a range has from 1 to {MOST_VALUES} values, and begins with the least"))?;
            (0..=above).map(|above| Literal::int(&low + IBig::from(above))).collect()
        }
        None => vec![Literal::read(value).ok_or(FORM)?],
    };
    if name.trim().is_empty() {
        return Err(FORM.to_owned());
    }
    match ConstantName::from(name.trim().to_owned()) {
        ConstantName::Size(family) => Err(format!("the size of a family is chosen by `--size {family}={value}`")),
        ConstantName::AnyNumber(agent) => Err(format!("any number of agents is chosen by `--any-number {agent}`")),
        ConstantName::Fairness(fairness) => Err(format!("fairness is assumed by `--fair {}`", fairness.word())),
        ConstantName::PointToPoint(reading) => {
            Err(format!("a reading is chosen by `--point-to-point {}`", reading.word()))
        }
        ConstantName::Uniform(_) => Err("uniform strategies are asked for by `--uniform`".to_owned()),
        name @ ConstantName::Declared(_) => Ok(GivenConstant { name, values }),
    }
}

fn parse_size(text: &str) -> Result<GivenConstant, String> {
    const FORM: &str = "expected a family and a number, as in `client=3` or, for `batch`, `client=2..6`";
    let GivenConstant { name, values } = parse_constant(text).map_err(|_| FORM)?;
    let is_number = |value: &Literal| matches!(value, Literal::Int(number) if *number >= IBig::ZERO);
    match values.iter().all(is_number) {
        true => Ok(GivenConstant { name: ConstantName::Size(name.to_string()), values }),
        false => Err(FORM.to_owned()),
    }
}

/// Reads a count that may be 0.
pub fn parse_count<Number: FromStr>(text: &str) -> Result<Number, String> {
    text.parse().map_err(|_| "expected a whole number, from 0".to_owned())
}

/// A number of things of which there has to be one.
pub fn parse_positive(text: &str) -> Result<u16, String> {
    let most = format!("expected a whole number, from 1 to {}", u16::MAX);
    text.parse().ok().filter(|&number| number > 0).ok_or(most)
}

/// In seconds, thirty years: no arithmetic on times overflows.
const LONGEST: f64 = 1e9;

pub fn parse_duration(text: &str) -> Result<Duration, String> {
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
        return Err("that is longer than thirty years: leave the limit out".to_owned());
    }
    match Duration::try_from_secs_f64(seconds * factor) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("expected a positive time".to_owned()),
    }
}

/// A petabyte: as bytes, it fits everywhere.
const MOST_MEGABYTES: u32 = 1 << 30;

pub fn parse_megabytes(text: &str) -> Result<u32, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_times_and_sizes() {
        assert_eq!(parse_count::<usize>("30"), Ok(30));
        assert!(parse_count::<usize>("-1").is_err() && parse_count::<u32>("4294967296").is_err());
        assert_eq!(parse_duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert!(parse_duration("0").is_err() && parse_duration("-1s").is_err() && parse_duration("5d").is_err());
        assert_eq!(parse_megabytes("4G"), Ok(4096));
        assert_eq!(parse_megabytes("500"), Ok(500));
        assert!(parse_megabytes("0").is_err() && parse_megabytes("9999999G").is_err());
        assert!(parse_megabytes("4294967295").is_err() && parse_duration("1e19").is_err());
    }
}
