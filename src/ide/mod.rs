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

use crate::diag::{Diagnostics, Severity};
use crate::model::{self, Model};
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{Constants, Dialect};
use crate::syntax::{self, Memory, Parsed, token};
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
        let (model, findings) = understand(&source, &parsed);
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

/// The model of a file that was read, if it has no errors, and all findings, by place.
pub fn understand(source: &SourceFile, parsed: &Parsed) -> (Option<Model>, Diagnostics) {
    let (model, more) = model::elaborate(&parsed.model);
    let mut findings = parsed.diagnostics.clone();
    // A part that was not read may use names that seem unused: behind syntax errors only errors are reported.
    let believable = |severity| severity == Severity::Error || !parsed.diagnostics.has_errors();
    more.iter().filter(|finding| believable(finding.severity())).for_each(|finding| findings.push(finding.clone()));
    let mut model = model.filter(|_| !findings.has_errors());
    if let Some(model) = &mut model {
        model.specs.iter_mut().for_each(|spec| spec.text = Some(text_of_spec(source, spec.span)));
        let texts = model.specs.iter().map(|spec| spec.text.clone());
        if let Some(scheme) = &mut model.scheme {
            scheme.set_texts(texts);
        }
    }
    (model, findings.sorted())
}

/// A spec as the file writes it, without its keyword.
fn text_of_spec(source: &SourceFile, span: Span) -> String {
    let line = token::one_line(source, span);
    let formula = line.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    formula.trim_end_matches(';').trim().to_owned()
}
