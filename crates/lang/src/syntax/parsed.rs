//! The result of reading a text.

use super::ast::Model;
use super::token::Comment;
use crate::diag::Diagnostics;

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Its tree.
    pub model: Model,
    /// Its comments, in order.
    pub comments: Vec<Comment>,
    /// Errors and warnings, by place.
    pub diagnostics: Diagnostics,
}
