//! Text to syntax tree: [`lexer`] (logos), [`prepare`], [`parser`] (chumsky), [`ast`], and back with
//! [`pretty`].
//!
//! [`parse`] never fails: it returns a tree and diagnostics, and the tree has `Error` nodes where the
//! text made no sense. It resolves no names and checks no types: see `model`.
//!
//! Text that is nested or chained beyond [`MAX_NESTING`] and [`MAX_HEIGHT`] is reported and
//! not read, so that trees can be walked, compared and dropped by plain recursion.

mod assemble;
pub mod ast;
mod constant;
pub mod directive;
mod findings;
pub mod generalise;
mod grouping;
mod help;
pub mod integer;
pub mod lexer;
mod memory;
mod parsed;
mod parser;
mod plain;
mod prepare;
pub mod pretty;
mod report;
pub mod signs;
pub mod token;
pub mod walk;

use crate::diag::Diagnostics;
use crate::source::SourceFile;
pub use ast::{Dialect, Model};
pub use memory::Memory;
pub use parsed::Parsed;
pub use parser::MAX_HEIGHT;
pub use plain::plain;
pub use prepare::{MAX_NESTING, SegmentKind};
pub use token::Comment;

/// Reads a file in the given dialect, or else in the one that the file itself shows.
pub fn parse(source: &SourceFile, forced: Option<Dialect>) -> Parsed {
    read(source, forced, None)
}

/// The same, of a text that was read with this memory before it was changed.
pub fn parse_again(source: &SourceFile, forced: Option<Dialect>, memory: &mut Memory) -> Parsed {
    memory.begin();
    read(source, forced, Some(memory))
}

fn read(source: &SourceFile, forced: Option<Dialect>, memory: Option<&mut Memory>) -> Parsed {
    if let Some(refusal) = report::no_model_but_json(source) {
        let model = Model::empty(Dialect::Modern);
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(refusal);
        return Parsed { model, comments: Vec::new(), diagnostics };
    }
    let lexer::Lexed { mut tokens, comments, mut diagnostics, defined, is_cut } = lexer::lex(source);
    prepare::release_keywords(source, &mut tokens, &mut diagnostics);
    let tokens = prepare::correct_keywords(source, tokens, &mut diagnostics);
    let dialect = forced.unwrap_or_else(|| prepare::dialect_of(&tokens));
    let segments = prepare::prepare(tokens, dialect, is_cut, &mut diagnostics);
    let mut model = assemble::assemble(source, &segments, dialect, is_cut, memory, &mut diagnostics);
    if !defined.is_empty() {
        model.damage.get_or_insert_default().names.extend(defined.into_iter().map(str::to_owned));
    }
    directive::attach(source, &comments, &mut model, &mut diagnostics);
    Parsed { model, comments, diagnostics: diagnostics.sorted() }
}

/// A part of a file that begins with a keyword of its own, and its tokens as they stand in the text.
#[derive(Clone, Debug)]
pub struct Part<'s> {
    /// The kind of part that the keyword begins.
    pub kind: SegmentKind,
    /// The tokens, from the keyword on.
    pub tokens: Vec<token::Spanned<'s>>,
}

/// The parts of a file, however broken it is, in the order of the text; angle brackets of guards are marked.
pub fn parts(source: &SourceFile) -> Vec<Part<'_>> {
    let mut tokens = lexer::lex(source).tokens;
    prepare::mark_contextual_keywords(&mut tokens);
    let parts = prepare::split(&tokens).into_iter().map(|(kind, range)| {
        let mut tokens = tokens[range].to_vec();
        if kind == SegmentKind::Repeat {
            prepare::mark_guards(&mut tokens);
        }
        Part { kind, tokens }
    });
    parts.collect()
}
