//! The findings of a file, of which there is a most.

use crate::diag::{Diagnostic, Diagnostics};

/// How many findings one file gets; a file that has more is not a model.
const MAX_FINDINGS: usize = 100;

/// Adds a finding, unless there are [`MAX_FINDINGS`] already.
pub fn add(diagnostics: &mut Diagnostics, diagnostic: Diagnostic) {
    if !is_full(diagnostics) {
        diagnostics.push(diagnostic);
    }
}

/// True if there are [`MAX_FINDINGS`] already.
pub fn is_full(diagnostics: &Diagnostics) -> bool {
    diagnostics.iter().nth(MAX_FINDINGS - 1).is_some()
}
