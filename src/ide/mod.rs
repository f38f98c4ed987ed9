//! Questions of editors about a text, as functions from a text and a place to plain data; `lsp` makes a protocol of it.
//!
//! All of it comes from the front end: the tree that [`crate::syntax`] reads, broken or not, and the model, if there is one.
//! In reading order: [`index`] and `names`, what each name means; [`Analysis`]; [`hover`] and `meets`; [`snippets`], `place`,
//! [`complete`] and [`signature`]; [`rename`]; [`outline`], symbols, folding and selections; [`tokens`], colours; [`hints`]; [`parts`], which
//! part of a spec fails; [`depends`], what a verdict depends on.

mod analysis;
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

pub use analysis::Analysis;
