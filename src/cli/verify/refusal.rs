//! Messages about claims that did not survive their check.

use crate::report::record::{Check, Mode, Record};
use crate::syntax::ast::{Fairness, Literal, PointToPoint, agent_of_any_number, family_of_size};
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
fn given(name: &str, value: &Literal) -> [String; 2] {
    if let Some(fairness) = Fairness::named(name) {
        return ["--fair".to_owned(), fairness.word().to_owned()];
    }
    if let Some(reading) = PointToPoint::named(name) {
        return ["--point-to-point".to_owned(), reading.word().to_owned()];
    }
    match (family_of_size(name), agent_of_any_number(name)) {
        (Some(family), _) => ["--size".to_owned(), format!("{family}={value}")],
        (None, Some(agent)) => ["--any-number".to_owned(), agent.to_owned()],
        (None, None) => ["--const".to_owned(), format!("{name}={value}")],
    }
}

/// For a shell.
fn quoted(file: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "./_-+,".contains(letter);
    if file.chars().all(plain) { file.to_owned() } else { format!("'{}'", file.replace('\'', "'\\''")) }
}
