//! Runs as files: written for other programs and for later, read again with every detail checked.
//!
//! Two formats, both JSON, both complete: the file holds the steps as well as the states, so a run can
//! be replayed from it without a search.
//!
//! **Ours** ([`Format::Json`], version 1):
//!
//! ```json
//! {
//!   "format": "rcheck-smt trace",
//!   "version": 1,
//!   "model": {"file": "lock.rcp", "fingerprint": "sha256:.."},
//!   "description": "violates spec 2 always_served",
//!   "loop": 1,
//!   "states": [
//!     {"one": {"automaton-state": 0, "ticket": 3}, "two": {"automaton-state": 0, "ticket": 4}}
//!   ],
//!   "steps": [
//!     {"kind": "broadcast", "sender": {"instance": "one", "command": "take"}, "channel": "*",
//!      "data": {"TICKET": 3}, "receivers": [{"instance": "two", "command": "#2"}]}
//!   ]
//! }
//! ```
//!
//! A run on which no state recurs, but which can repeat its last steps for ever with other values, has
//! `"round": {"start": 1, "conjunct": 1, "changes": ["a-n"], "wherever": ["a-n > 3"]}` beside its states: the steps
//! from `start` to the end can be repeated wherever all the conditions hold, and lead to such a state again; `changes` are
//! the locals with other values in the next round. `conjunct` is the number of the conjunct of the spec
//! that is false on that run, from 1. Replay shows the first round only; the rest is a claim.
//!
//! `steps[i]` leads from `states[i]` to `states[i + 1]`. With `loop`, which may be absent, the run goes on for ever:
//! the last state equals the one at that position, except for locals that nothing depends on. A command
//! is its label, or `#` and its place among the commands of its agent, from 1. The kinds are `broadcast`
//! and `multicast`, as above; `get-supply`, with `getter` and `supplier` (instance and command each) and
//! the `data` as observations see it; and `stutter`, alone. Integers beyond 2^53 are strings of digits.
//!
//! **ITF** ([`Format::Itf`]), Apalache's Informal Trace Format (its ADR-015), which other tools show:
//! one variable per local, called as in formulas (`one-ticket`, `one-automaton-state`), and the variable
//! `step` with the step *from* that state, of kind `end` in the last state of a finite run. Integers are
//! `{"#bigint": "3"}`. As an ITF loop ends in the last state, the state where it closes is not repeated.
//! Model, fingerprint and `round` are in `#meta`.
//!
//! The fingerprint is that of the model's meaning without its specs ([`fingerprint`]): comments, layout,
//! dialect and specs do not matter. The values of declared constants are in `constants` beside it,
//! and those that `--const` gave in `given`. A file without a fingerprint, for example one made by hand, is
//! welcome: what counts is that it replays.

mod compare;
mod fingerprint;
mod itf;
mod json;
mod problem;
mod read;
mod round;
mod step;
mod unique;
mod value;

pub use fingerprint::fingerprint;
pub use problem::{NotATrace, Problem};
pub use read::{given, read};
pub use unique::names_are_unique;

use crate::escape;
use crate::model::eval::Run;
use crate::model::starting::StateParts;
use crate::model::{self, Model, Type};
use problem::{JsonNode, Problems};
use serde_json::Value;
use std::io::{self, Write};
use std::path::Path;

/// How names of files in the Informal Trace Format end.
pub const ITF_EXTENSION: &str = ".itf.json";

/// How a run is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Ours.
    Json,
    /// The Informal Trace Format.
    Itf,
}

impl Format {
    /// The format that the name of a file asks for: `.itf.json` is ITF, anything else ours.
    pub fn of(path: &Path) -> Format {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(ITF_EXTENSION) { Format::Itf } else { Format::Json }
    }
}

/// The content of a file beside the run; for people, so nothing is concluded from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The file of the model.
    pub model_file: String,
    /// Why the run is worth a file.
    pub description: String,
    /// How the run can go on for ever, if no state of it recurs.
    pub round: Option<Round>,
}

/// That the last steps of a run can be repeated for ever, with other values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The position where they start; they end with the run.
    pub start: usize,
    /// The conjunct of a spec that is false on that run, as an index.
    pub conjunct: usize,
    /// The locals that have other values in the next round, as `i-x`.
    pub changes: Vec<String>,
    /// Conditions as in specs: wherever all of them hold, the steps are possible and lead to such a state again.
    pub wherever: Vec<String>,
}

/// A run from a file. It was replayed, and everything in the file agrees with the replay.
#[derive(Debug)]
pub struct TraceFile<'s> {
    /// The run.
    pub run: Run<'s>,
    /// The facts that the file has about it.
    pub about: About,
}

/// Writes a run; one line per state and per step.
pub fn write(out: &mut dyn Write, run: &Run, about: &About, format: Format) -> io::Result<()> {
    let document = match format {
        Format::Json => json::document(run, about),
        Format::Itf => itf::document(run, about),
    };
    for (index, (key, value)) in document.iter().enumerate() {
        write!(out, "{}\n  {}: ", if index == 0 { "{" } else { "," }, Value::from(key.as_str()))?;
        write_field(out, value)?;
    }
    writeln!(out, "\n}}")
}

/// A value, as traces write it.
pub fn value_to_json(model: &Model, value: &model::Value, ty: Type) -> Value {
    value::to_json(model, value, ty, value::Integers::Plain)
}

/// The way back: the problem, if it is no value of the type.
pub fn value_from_json(model: &Model, json: &Value, ty: Type) -> Result<model::Value, NotATrace> {
    let mut problems = Problems::default();
    let value = problems.value(model, &JsonNode::root(json), ty);
    problems.unless_any(value)
}

/// A state, as traces write it: per instance its automaton state and its locals.
pub fn state_to_json(model: &Model, parts: &StateParts) -> Value {
    json::state_to_json(model, parts)
}

/// The way back: the problems, if it is no state of the model.
pub fn state_from_json(model: &Model, json: &Value) -> Result<StateParts, NotATrace> {
    let mut problems = Problems::default();
    let state = problems.state(model, &JsonNode::root(json), Format::Json);
    problems.unless_any(state)
}

/// A list gets a line per element, as long as these are states or steps.
fn write_field(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    match value {
        Value::Array(items) if items.iter().all(Value::is_object) && !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                write!(out, "{}\n    {}", if index == 0 { "[" } else { "," }, json_text(item))?;
            }
            write!(out, "\n  ]")
        }
        other => write!(out, "{}", json_text(other)),
    }
}

fn json_text(value: &Value) -> String {
    escape::json(&value.to_string()).into_owned()
}
