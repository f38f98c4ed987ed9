//! Inlay hints: texts that an editor shows in the text without being part of it.

use super::analysis::Analysis;
use crate::diag::Code;

/// A remark in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Before which byte.
    pub offset: u32,
    /// The text shown.
    pub text: String,
    /// More about it; may be empty.
    pub tooltip: String,
}

/// The automaton states that each command leads from and to, and parentheses where the dialects group otherwise.
pub fn hints(analysis: &Analysis) -> Vec<Hint> {
    let mut hints = Vec::new();
    let edges = analysis.model.iter().flat_map(|model| &model.agents).flat_map(|agent| &agent.edges);
    hints.extend(edges.map(|edge| Hint {
        offset: edge.span.start,
        text: format!("{}→{} ", edge.source, edge.target),
        tooltip: format!("leads from automaton state {} to {}", edge.source, edge.target),
    }));
    let grouped =
        analysis.findings.iter().filter(|finding| matches!(finding.code, Code::AmbiguousGrouping | Code::AmbiguousRep));
    for edit in grouped.flat_map(|finding| &finding.fixes).flat_map(|fix| &fix.edits) {
        let tooltip = "so the file is read; the other dialect groups otherwise".to_owned();
        hints.push(Hint { offset: edit.span.start, text: edit.text.clone(), tooltip });
    }
    hints.sort_by_key(|hint| hint.offset);
    hints
}
