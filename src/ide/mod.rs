//! Questions of editors about a text, as functions from a text and a place to plain data; `lsp` makes a protocol of it.
//!
//! All of it comes from the front end: the tree that [`crate::syntax`] reads, broken or not, and the model, if there is one.
//! In reading order: [`index`] and `names`, what each name means; [`hover`] and `meets`; [`complete`], `place` and
//! [`signature`]; [`rename`]; [`outline`], symbols, folding and selections; [`tokens`], colours; [`hints`]; [`parts`], which
//! part of a spec fails; [`depends`], what a verdict depends on.

pub mod complete;
pub mod depends;
pub mod hints;
pub mod hover;
pub mod index;
mod meets;
mod names;
pub mod outline;
pub mod parts;
mod place;
pub mod rename;
pub mod signature;
pub mod snippets;
#[cfg(test)]
mod tests;
pub mod tokens;

use crate::diag::Diagnostics;
use crate::model::Model;
use crate::reading;
use crate::source::SourceFile;
use crate::syntax::ast::{Constants, Dialect};
use crate::syntax::{self, Memory, Parsed};
use index::Index;
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
    index: OnceCell<Index>,
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
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.source, &self.parsed.model))
    }

    /// True if it could be read as a whole.
    pub fn is_whole(&self) -> bool {
        !self.parsed.diagnostics.has_errors()
    }

    /// The number of the spec that begins or stands around a place, from 0.
    pub fn spec_at(&self, offset: u32) -> Option<usize> {
        self.parsed.model.specs.iter().position(|spec| spec.span.start <= offset && offset <= spec.span.end)
    }
}
