//! A text as the front end reads it.

use super::index::NameIndex;
use super::names;
use crate::diag::Diagnostics;
use crate::model::Model;
use crate::reading;
use crate::source::SourceFile;
use crate::syntax::ast::{Constants, Dialect};
use crate::syntax::{self, Memory, Parsed};
use std::cell::OnceCell;

/// Everything that the front end finds in a text.
#[derive(Debug)]
pub struct Analysis {
    /// The text.
    pub source: SourceFile,
    /// Its tree and comments.
    pub parsed: Parsed,
    /// Its model, if it has no errors.
    pub model: Option<Model>,
    /// Errors and warnings, by place.
    pub findings: Diagnostics,
    index: OnceCell<NameIndex>,
}

impl Analysis {
    /// Reads a text; names of constants that it does not have are ignored.
    pub fn new(source: SourceFile, dialect: Option<Dialect>, constants: &Constants) -> Analysis {
        let mut parsed = syntax::parse(&source, dialect);
        let _ = parsed.model.give(constants);
        Analysis::of(source, parsed)
    }

    /// Reads a text that was read with this memory before it was changed.
    pub fn again(source: SourceFile, memory: &mut Memory) -> Analysis {
        let parsed = syntax::parse_again(&source, None, memory);
        Analysis::of(source, parsed)
    }

    fn of(source: SourceFile, parsed: Parsed) -> Analysis {
        let (model, findings) = reading::model(&source, &parsed);
        Analysis { source, parsed, model, findings, index: OnceCell::new() }
    }

    /// The meanings of its names.
    pub fn index(&self) -> &NameIndex {
        self.index.get_or_init(|| names::index(&self.source, &self.parsed.model))
    }

    /// True if it could be read as a whole.
    pub fn is_whole(&self) -> bool {
        !self.parsed.diagnostics.has_errors()
    }
}
