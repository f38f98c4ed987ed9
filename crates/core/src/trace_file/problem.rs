//! Problems of a file, as data, and the walk through the document that knows where they are.

use serde_json::{Map, Value};
use std::fmt;

/// The number of problems that are shown; the others are counted.
const SHOWN: usize = 10;

/// Something wrong at a place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place, as in `states[3].client1.cLink`; empty for the file as a whole.
    pub place: String,
    /// The problem, without a full stop.
    pub what: String,
}

/// Why a file is no trace of the model; at least one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotATrace {
    /// All that was found.
    pub problems: Vec<Problem>,
}

impl NotATrace {
    /// For a single problem.
    pub(super) fn because(place: impl Into<String>, what: impl Into<String>) -> NotATrace {
        NotATrace { problems: vec![Problem { place: place.into(), what: what.into() }] }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        if self.place.is_empty() { write!(out, "{}", self.what) } else { write!(out, "{}: {}", self.place, self.what) }
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for NotATrace {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let shown: Vec<String> = self.problems.iter().take(SHOWN).map(Problem::to_string).collect();
        write!(out, "{}", shown.join("\n"))?;
        match self.problems.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(out, "\n.. and {more} more"),
        }
    }
}

impl std::error::Error for NotATrace {}

/// A part of the document, and where it is.
#[derive(Clone, Debug)]
pub(super) struct JsonNode<'d> {
    pub(super) value: &'d Value,
    pub(super) place: String,
}

impl<'d> JsonNode<'d> {
    /// The whole document.
    pub(super) fn root(value: &'d Value) -> JsonNode<'d> {
        JsonNode { value, place: String::new() }
    }

    fn below(&self, name: &str, value: &'d Value) -> JsonNode<'d> {
        let place = if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) };
        JsonNode { value, place }
    }

    /// A field that may be absent; `null` counts as absent.
    pub(super) fn field(&self, name: &str) -> Option<JsonNode<'d>> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(self.below(name, value))
    }

    /// The text of a field, if it has one.
    pub(super) fn text(&self, name: &str) -> Option<&'d str> {
        self.value.get(name)?.as_str()
    }
}

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct Problems {
    pub(super) list: Vec<Problem>,
}

impl Problems {
    /// Notes a problem, but not twice in a row; `None`, where a needed part is missing.
    pub(super) fn report<T>(&mut self, node: &JsonNode, what: impl Into<String>) -> Option<T> {
        let problem = Problem { place: node.place.clone(), what: what.into() };
        if self.list.last() != Some(&problem) {
            self.list.push(problem);
        }
        None
    }

    pub(super) fn required<'d>(&mut self, node: &JsonNode<'d>, name: &str) -> Option<JsonNode<'d>> {
        match node.field(name) {
            Some(field) => Some(field),
            None if node.value.is_object() => self.report(node, format!("`{name}` is missing")),
            None => self.report(node, "this has to be an object"),
        }
    }

    pub(super) fn object<'d>(&mut self, node: &JsonNode<'d>) -> Option<&'d Map<String, Value>> {
        match node.value {
            Value::Object(map) => Some(map),
            _ => self.report(node, "this has to be an object"),
        }
    }

    pub(super) fn list<'d>(&mut self, node: &JsonNode<'d>) -> Option<Vec<JsonNode<'d>>> {
        let Value::Array(items) = node.value else { return self.report(node, "this has to be a list") };
        let item = |(index, value)| JsonNode { value, place: format!("{}[{index}]", node.place) };
        Some(items.iter().enumerate().map(item).collect())
    }

    pub(super) fn string<'d>(&mut self, node: &JsonNode<'d>) -> Option<&'d str> {
        match node.value {
            Value::String(text) => Some(text),
            _ => self.report(node, "this has to be a string"),
        }
    }

    /// Notes every field of an object that is none of these.
    pub(super) fn no_others(&mut self, node: &JsonNode, known: &[&str]) {
        let Value::Object(map) = node.value else { return };
        for (name, value) in map.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
            self.report::<()>(&node.below(name, value), "there is no such field");
        }
    }

    /// The value made, unless there was a problem on the way.
    pub(super) fn unless_any<T>(self, made: Option<T>) -> Result<T, NotATrace> {
        match made {
            Some(made) if self.list.is_empty() => Ok(made),
            _ => Err(NotATrace { problems: self.list }),
        }
    }
}
