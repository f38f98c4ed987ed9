//! Texts: places, findings, budgets, and the R-CHECK language from text to tree and back. Knows no model.

pub mod diag;
pub mod escape;
pub mod intervals;
pub mod language;
pub mod limits;
pub mod records;
pub mod source;
pub mod syntax;
pub mod words;
