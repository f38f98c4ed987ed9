//! Source files and places in them.
//!
//! A [`Span`] is a range of **bytes** in one file; lines and columns (counted from 1, columns in
//! characters) exist only where something is shown to a person.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A half-open range of byte offsets in a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from byte `start` up to, and without, byte `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span that contains both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range of indices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span::new(range.start, range.end)
    }
}

/// A place as people count: line and column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A named text with an index of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Wraps a text. Texts of 4 GiB and more do not fit a [`Span`]; callers refuse them earlier.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let text = text.into();
        let bytes = text.as_bytes();
        let ends_line = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        let after_ends = (0..bytes.len()).filter(ends_line).map(|at| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(after_ends).collect();
        SourceFile { name: name.into(), text, line_starts }
    }

    /// The name to show: usually the path as the user wrote it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// The number of lines; a line end at the end of the text begins another one.
    pub fn lines(&self) -> usize {
        self.line_starts.len()
    }

    /// A line, counted from 0, with its end; the last one if there are not so many.
    pub fn line(&self, line: usize) -> Span {
        let line = line.min(self.lines() - 1);
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |end| *end as usize);
        Span::new(self.line_starts[line] as usize, end)
    }

    /// Line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let column = self.text[start..offset as usize].chars().count() + 1;
        LineColumn { line: line + 1, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_on_any_system() {
        let source = SourceFile::new("m", "a\nb\r\nc\rd");
        let lines = [0, 2, 5, 7].map(|at| source.line_column(at));
        assert_eq!(lines, [1, 2, 3, 4].map(|line| LineColumn { line, column: 1 }));
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        let source = SourceFile::new("m", "a\nüb\n");
        assert_eq!(source.line_column(0), LineColumn { line: 1, column: 1 });
        assert_eq!(source.line_column(4), LineColumn { line: 2, column: 2 });
        assert_eq!(source.line_column(6), LineColumn { line: 3, column: 1 });
    }
}
