//! Terms as SMT-LIB text, written and read.
//!
//! Values of finite sorts are integers in the text: value number 2 of a sort is `2`, or a symbol that
//! stands for it. Written text can be read back as an equivalent term; what others write can be read
//! as long as it keeps to linear and non-linear integer arithmetic without quantifiers.

pub mod expression;
pub mod read;
pub mod symbols;
pub mod write;

use std::fmt;

/// A problem of a text, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The byte of the text.
    pub at: usize,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The problem, without a full stop.
    pub what: String,
}

impl Problem {
    /// At a byte of a text.
    fn new(text: &str, at: usize, what: impl Into<String>) -> Problem {
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        Problem { at, line, column: before[start..].chars().count() + 1, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.line {
            1 => write!(f, "at character {}: {}", self.column, self.what),
            line => write!(f, "in line {line}, at character {}: {}", self.column, self.what),
        }
    }
}

impl std::error::Error for Problem {}
