//! Changes of the text that fix a finding, for editors and scripts.

use crate::source::Span;
use serde::{Deserialize, Serialize};

/// A fix of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// The effect, as a command.
    pub title: String,
    /// The changes, made all at once; their places do not overlap.
    pub edits: Vec<Edit>,
}

/// New text in place of old text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The place of the text that is replaced; empty where text is put in.
    pub span: Span,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// Puts a text in place of another one.
    pub fn replace(span: Span, text: impl Into<String>) -> Edit {
        Edit { span, text: text.into() }
    }

    /// Puts a text in before a byte.
    pub fn insert(offset: u32, text: impl Into<String>) -> Edit {
        Edit { span: Span { start: offset, end: offset }, text: text.into() }
    }

    /// Puts parentheses around a place.
    pub fn parenthesise(span: Span) -> [Edit; 2] {
        [Edit::insert(span.start, "("), Edit::insert(span.end, ")")]
    }
}

impl Fix {
    /// The text with the changes. Of insertions at one place, the earlier one comes first.
    pub fn apply(&self, text: &str) -> String {
        let mut edits: Vec<&Edit> = self.edits.iter().collect();
        edits.sort_by_key(|edit| edit.span.start);
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        for Edit { span, text: new } in edits {
            out.push_str(&text[from..span.range().start]);
            out.push_str(new);
            from = span.range().end;
        }
        out + &text[from..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_made_at_once() {
        let mut edits = vec![Edit::replace(Span::new(4, 5), "long"), Edit::insert(5, "!")];
        edits.extend(Edit::parenthesise(Span::new(0, 3)));
        assert_eq!(Fix { title: String::new(), edits }.apply("abc d\n"), "(abc) long!\n");
    }
}
