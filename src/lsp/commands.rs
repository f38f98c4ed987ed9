//! The commands of editors: what they are called, and their arguments.

use super::Subject;
use super::lenses::CHECKS;
use crate::report::record::Check;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

/// All commands.
pub const COMMANDS: [&str; 16] = [
    "rcheck-smt.prove",
    "rcheck-smt.bmc",
    "rcheck-smt.check",
    "rcheck-smt.cancel",
    "rcheck-smt.results",
    "rcheck-smt.trace",
    "rcheck-smt.step",
    "rcheck-smt.automata",
    "rcheck-smt.certificate",
    "rcheck-smt.explain",
    "rcheck-smt.tell",
    "rcheck-smt.overview",
    "rcheck-smt.states",
    "rcheck-smt.expand",
    "rcheck-smt.explore",
    "rcheck-smt.search",
];

/// The argument of every command: what it is about.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Argument {
    /// The text.
    pub uri: String,
    /// The number of the spec, from 1; without it, all specs.
    pub spec: Option<usize>,
    /// The kind of check.
    pub check: Option<Check>,
    /// How many steps a counterexample may have.
    pub bound: Option<usize>,
    /// The position to step to, from 0; nothing ends the stepping.
    pub position: Option<usize>,
    /// The folder to write a certificate to.
    pub folder: Option<PathBuf>,
    /// The number of a state, as `states` counts them.
    pub state: Option<usize>,
    /// How many states to look at.
    pub most: Option<usize>,
    /// The condition to search for.
    pub condition: Option<String>,
    /// True if states that a symmetry makes equal are one.
    #[serde(default)]
    pub merged: bool,
}

impl Argument {
    /// Reads the arguments of a command.
    ///
    /// # Errors
    /// A description of the mistake in them.
    pub fn read(mut arguments: Vec<Value>) -> Result<Argument, String> {
        let [first] = &mut arguments[..] else { return Err("a command has one argument".to_owned()) };
        serde_json::from_value(first.take()).map_err(|error| format!("wrong argument: {error}"))
    }

    /// The subjects that it asks about, of a text with so many specs.
    ///
    /// # Errors
    /// That there is no such spec.
    pub fn subjects(&self, specs: usize) -> Result<Vec<Subject>, String> {
        match (self.check, self.spec) {
            (Some(check), _) => Ok(vec![Subject::Check(check)]),
            (None, None) => Ok((0..specs).map(Subject::Spec).collect()),
            (None, Some(number)) if (1..=specs).contains(&number) => Ok(vec![Subject::Spec(number - 1)]),
            (None, Some(number)) => Err(format!("no spec {number}: there are {specs}")),
        }
    }

    /// The spec that it is about, from 0.
    ///
    /// # Errors
    /// That it is about none.
    pub fn the_spec(&self, specs: usize) -> Result<usize, String> {
        match self.subjects(specs)?[..] {
            [Subject::Spec(number)] => Ok(number),
            _ => Err("the command is about one spec: `spec` is its number".to_owned()),
        }
    }
}

/// The words for a check.
pub fn name_of(check: Check) -> &'static str {
    CHECKS.iter().find(|(other, _)| *other == check).map_or("check", |(_, name)| name)
}
