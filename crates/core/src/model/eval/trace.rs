//! Runs that are not checked yet.

use super::Choice;
use crate::model::Value;

/// A claimed run, in terms of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Per instance its automaton state and its locals at the start.
    pub initial: Vec<(u32, Vec<Value>)>,
    /// The steps.
    pub choices: Vec<Choice>,
    /// If the run is a lasso: the position that the last step leads back to. Only what can influence
    /// the behaviour or the property needs to be the same there.
    pub loop_start: Option<usize>,
}
