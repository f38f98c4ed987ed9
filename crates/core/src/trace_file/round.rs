//! Rounds in files.

use super::Round;
use super::problem::{JsonNode, Problems};
use serde_json::{Value as Json, json};

/// The facts known of a round as a field.
pub(super) fn to_json(round: &Round) -> Json {
    let Round { start, conjunct, changes, wherever } = round;
    json!({ "start": start, "conjunct": conjunct + 1, "changes": changes, "wherever": wherever })
}

impl Problems {
    /// The round of a run with so many steps.
    pub(super) fn round(&mut self, node: &JsonNode, steps: usize) -> Option<Round> {
        self.no_others(node, &["start", "conjunct", "changes", "wherever"]);
        let start = self.required(node, "start").and_then(|node| {
            let start = self.count(&node)?;
            if start < steps { Some(start) } else { self.report(&node, format!("the run ends at position {steps}")) }
        });
        let conjunct = self.required(node, "conjunct").and_then(|node| match self.count(&node)?.checked_sub(1) {
            Some(index) => Some(index),
            None => self.report(&node, "conjuncts are numbered from 1"),
        });
        let changes = self.texts(node, "changes");
        let wherever = self.texts(node, "wherever");
        Some(Round { start: start?, conjunct: conjunct?, changes: changes?, wherever: wherever? })
    }

    fn texts(&mut self, node: &JsonNode, name: &str) -> Option<Vec<String>> {
        let list = self.required(node, name)?;
        let texts: Vec<Option<String>> =
            self.list(&list)?.iter().map(|item| self.string(item).map(str::to_owned)).collect();
        texts.into_iter().collect()
    }
}
