//! Which specs are meant, and checks beyond specs.

use crate::diag::nearest::nearest;
use crate::model::Model;
use crate::model::checks::checks;
use crate::report::record::Check;
use crate::words::count;
use anyhow::{Result, bail};
use clap::Args;

/// Messages for checks of some of these kinds that were asked for, of which the model, to which they are appended, has none.
pub fn nothing_to_check(model: &Model, kinds: &[Check]) -> Vec<&'static str> {
    let has_none = |kind: &Check| !model.specs.iter().any(|spec| spec.question.map(Check::from) == Some(*kind));
    let why = |kind: &Check| match (kind, &model.joint) {
        (Check::Deadlock, _) => None,
        (Check::Overflow, None) => Some("no command can overflow: none writes a variable that has a range"),
        (Check::Overflow, Some(_)) => Some("no line can overflow: none assigns anything but values of the domain"),
        (Check::DeadCode, None) => None,
        (Check::DeadCode, Some(_)) => Some("`--dead-code` is about commands, and agents in ISPL have none"),
    };
    kinds.iter().filter(|kind| has_none(kind)).filter_map(why).collect()
}

/// The message about a file without specs.
pub fn no_spec(model: &Model, file: &str) -> String {
    match model.joint {
        Some(_) => format!("{file} has no formula; add one to its section `Formulae`, as in `AG !p;`"),
        None => format!("{file} has no spec; add one, as in `SPEC G (x-y != 0)`"),
    }
}

/// The checks that are made instead of the specs.
#[derive(Clone, Copy, Debug, Args)]
pub struct Checks {
    /// Instead of the specs, check whether the system can deadlock.
    #[arg(long)]
    deadlock: bool,
    /// Instead of the specs, check for each command, or each line of an evolution, whether it can make a variable leave its range.
    #[arg(long)]
    overflow: bool,
    /// Instead of the specs, check for each command whether some run takes it.
    #[arg(long)]
    dead_code: bool,
}

impl Checks {
    /// The kinds that were asked for.
    pub fn kinds(self) -> Vec<Check> {
        let all =
            [(self.deadlock, Check::Deadlock), (self.overflow, Check::Overflow), (self.dead_code, Check::DeadCode)];
        all.into_iter().filter_map(|(wanted, kind)| wanted.then_some(kind)).collect()
    }
}

/// Appends the checks of these kinds to the specs.
pub fn append_checks(model: &mut Model, kinds: &[Check]) {
    let checks = checks(model, Check::kinds(kinds));
    model.specs.extend(checks);
}

/// The indices of the specs that the user named; all if none was.
pub fn choose(model: &Model, wanted: &[String]) -> Result<Vec<usize>> {
    if wanted.is_empty() {
        return Ok((0..model.specs.len()).collect());
    }
    let mut chosen = Vec::new();
    for text in wanted {
        let by_number = text.parse::<usize>().ok().filter(|number| (1..=model.specs.len()).contains(number));
        let named = || model.specs.iter().position(|spec| spec.name.as_deref() == Some(text.as_str()));
        let Some(spec) = by_number.map(|number| number - 1).or_else(named) else {
            let names: Vec<&str> = model.specs.iter().filter_map(|spec| spec.name.as_deref()).collect();
            let near = nearest(text, names.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
            let names = if names.is_empty() { String::new() } else { format!(", named {}", names.join(", ")) };
            bail!(
                "no spec `{text}`: the model has {}{names}{}",
                count(model.specs.len(), "spec"),
                near.unwrap_or_default()
            );
        };
        if !chosen.contains(&spec) {
            chosen.push(spec);
        }
    }
    Ok(chosen)
}
