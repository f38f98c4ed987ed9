//! The text of a file, so that showing it does nothing else to a terminal than show it, and its places in that.

use crate::escape::{acts, document};
use crate::source::{SourceFile, Span};
use std::borrow::Cow;
use std::ops::Range;

/// The text of a file as it can be shown, and where its bytes went.
pub struct Shown<'a> {
    /// The text, with pictures of such characters. Its lines are those of the file.
    pub text: Cow<'a, str>,
    /// Behind each replaced character: its end in the file, and in the shown text.
    ends: Vec<(usize, usize)>,
}

impl<'a> Shown<'a> {
    /// The text of a file.
    pub fn new(source: &'a SourceFile) -> Shown<'a> {
        let text = source.text();
        if !text.contains(|character| acts(character) && !matches!(character, '\n' | '\t')) {
            return Shown { text: Cow::Borrowed(text), ends: Vec::new() };
        }
        let (mut out, mut ends) = (String::with_capacity(text.len()), Vec::new());
        for (at, character) in text.char_indices() {
            let end = at + character.len_utf8();
            let ends_line = character == '\r';
            if ends_line && !text[end..].starts_with('\n') {
                out.push('\n');
            }
            // Neither does the mark at the beginning of a file stand in a line.
            if !ends_line && (at > 0 || character != '\u{FEFF}') {
                out.push_str(&document(&text[at..end]));
            }
            if acts(character) {
                ends.push((end, out.len()));
            }
        }
        Shown { text: Cow::Owned(out), ends }
    }

    /// The place of a span of the file in the shown text.
    pub fn range(&self, span: Span) -> Range<usize> {
        self.place(span.start as usize)..self.place(span.end as usize)
    }

    fn place(&self, offset: usize) -> usize {
        match self.ends.partition_point(|(end, _)| *end <= offset).checked_sub(1) {
            Some(last) => self.ends[last].1 + (offset - self.ends[last].0),
            None => offset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_with_the_text() {
        let source = SourceFile::new("m", "\u{FEFF}a\u{1b}b\r\n\rc\u{202e}d\u{85}\te");
        let shown = Shown::new(&source);
        assert_eq!(shown.text, "a\u{241b}b\n\nc\u{fffd}d\u{fffd}\te");
        for letter in ["a", "b", "c", "d", "e"] {
            let start = source.text().find(letter).expect("it is there");
            assert_eq!(&shown.text[shown.range(Span::new(start, start + 1))], letter);
        }
        let escape = source.text().find('\u{1b}').expect("it is there");
        assert_eq!(&shown.text[shown.range(Span::new(escape, escape + 1))], "\u{241b}");
    }
}
