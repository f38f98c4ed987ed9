//! Messages about claims that did not survive their check.

use crate::model::{ConstantName, Literal};
use crate::report::record::{Check, Mode, Record};
use crate::verify::{Engine, Refused};

/// The message that a claim was refused, and how to make it happen again. The record says what was asked.
pub fn refusal(record: &Record, refused: &Refused) -> String {
    let (unit, engines) = (&record.unit, Engine::list(&refused.engines, " and "));
    let model = match &unit.sha256 {
        Some(hash) => format!("{} (sha256 {hash})", unit.place()),
        None => unit.place(),
    };
    format!(
        "{model}, spec {}: a claim of {engines} did not survive its check ({}) and counts for nothing; please report it \
         with the model (`{}` asks again)",
        unit.label(),
        refused.why,
        command(record, refused)
    )
}

fn command(record: &Record, refused: &Refused) -> String {
    let (unit, settings) = (&record.unit, &record.settings);
    let mut words = vec!["rcheck-smt".to_owned()];
    words.extend(match (settings.mode, settings.bound) {
        (Mode::Bmc, Some(bound)) => vec!["bmc".to_owned(), "--bound".to_owned(), bound.to_string()],
        (Mode::Bmc, None) => vec!["bmc".to_owned()],
        _ => vec!["prove".to_owned(), "--engine".to_owned(), Engine::list(&refused.engines, ",")],
    });
    words.extend(match (unit.check, unit.spec) {
        (Some(Check::Deadlock), _) => vec!["--deadlock".to_owned()],
        (Some(Check::Overflow), _) => vec!["--overflow".to_owned()],
        (Some(Check::DeadCode), _) => vec!["--dead-code".to_owned()],
        (None, Some(number)) => vec!["--spec".to_owned(), number.to_string()],
        (None, None) => Vec::new(),
    });
    words.extend(unit.constants.iter().flat_map(|(name, value)| given(name, value)));
    words.extend(settings.dialect.iter().flat_map(|dialect| ["--dialect".to_owned(), dialect.clone()]));
    words.extend(settings.timeout.iter().flat_map(|limit| ["--timeout".to_owned(), format!("{limit}s")]));
    words.extend(settings.memory_limit.iter().flat_map(|limit| ["--memory".to_owned(), format!("{limit}")]));
    words.push(quoted(&unit.model));
    words.join(" ")
}

/// The option that gives a constant a value, a family a size, or lets there be any number of agents.
fn given(name: &ConstantName, value: &Literal) -> Vec<String> {
    let (option, value) = match name {
        ConstantName::Uniform(None) => return vec!["--uniform".to_owned()],
        ConstantName::Uniform(Some(group)) => return vec![format!("--uniform={group}")],
        ConstantName::Declared(name) => ("--const", format!("{name}={value}")),
        ConstantName::Size(family) => ("--size", format!("{family}={value}")),
        ConstantName::AnyNumber(agent) => ("--any-number", agent.clone()),
        ConstantName::Fairness(fairness) => ("--fair", fairness.word().to_owned()),
        ConstantName::PointToPoint(reading) => ("--point-to-point", reading.word().to_owned()),
    };
    vec![option.to_owned(), value]
}

/// For a shell.
fn quoted(file: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "./_-+,".contains(letter);
    if file.chars().all(plain) { file.to_owned() } else { format!("'{}'", file.replace('\'', "'\\''")) }
}
