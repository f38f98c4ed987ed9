//! Places as the protocol counts them: lines from 0, and in a line units of UTF-16.

use crate::source::{SourceFile, Span};
use lsp_types::{Position, Range};

/// The place of a byte.
pub fn position(source: &SourceFile, offset: u32) -> Position {
    let text = source.text();
    let mut offset = (offset as usize).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let line = source.line_column(offset as u32).line - 1;
    let start = source.line(line).range().start;
    let before = &text[start..offset];
    let character = if before.is_ascii() { before.len() } else { before.encode_utf16().count() };
    Position { line: line as u32, character: character as u32 }
}

/// The places of a span.
pub fn range(source: &SourceFile, span: Span) -> Range {
    Range { start: position(source, span.start), end: position(source, span.end) }
}

/// The byte at a place; behind the end of a line its end, before the characters that end it.
pub fn offset(source: &SourceFile, position: Position) -> u32 {
    let line = position.line as usize;
    if line >= source.lines() {
        return source.text().len() as u32;
    }
    let span = source.line(line);
    let text = source.slice(span).trim_end_matches(['\r', '\n']);
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        // A place in the middle of a character is its beginning.
        if units > position.character as usize {
            return span.start + at as u32;
        }
    }
    span.start + text.len() as u32
}

/// The bytes of a range.
pub fn span(source: &SourceFile, range: Range) -> Span {
    let (start, end) = (offset(source, range.start), offset(source, range.end));
    Span { start, end: end.max(start) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_units_of_utf_16() {
        let source = SourceFile::new("m", "a\nü😀b\r\nc");
        let places = [(0, 0, 0), (1, 0, 1), (2, 1, 0), (4, 1, 1), (8, 1, 3), (9, 1, 4), (11, 2, 0), (12, 2, 1)];
        for (byte, line, character) in places {
            let place = Position { line, character };
            assert_eq!(position(&source, byte), place);
            assert_eq!(offset(&source, place), byte);
        }
        assert_eq!(offset(&source, Position { line: 1, character: 2 }), 4, "in the middle of a character");
        assert_eq!(offset(&source, Position { line: 1, character: 99 }), 9, "behind the end of a line");
        assert_eq!(offset(&source, Position { line: 99, character: 0 }), 12);
    }
}
