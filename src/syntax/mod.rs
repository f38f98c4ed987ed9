//! Text to syntax tree: [`token`] (logos), [`parser`] (chumsky), [`ast`], and back with [`pretty`].
//!
//! [`parse`] never fails: it returns a tree and diagnostics, and the tree has `Error` nodes where the
//! text made no sense. Names and types are none of its business: see [`crate::model`].

pub mod ast;
