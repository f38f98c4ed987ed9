//! Lines under construction, and where the comments of the source go among them.

use crate::source::{SourceFile, Span};
use crate::syntax::directive::stands_alone;
use crate::syntax::token::Comment;

/// The widest line that is not broken where it could be.
const WIDTH: usize = 100;

/// A text that grows by lines.
pub struct Layout<'a> {
    source: Option<&'a SourceFile>,
    /// The comments that are still to come, in order.
    comments: &'a [Comment],
    lines: Vec<String>,
    indentation: usize,
}

impl<'a> Layout<'a> {
    /// An empty text; without a source there are no comments.
    pub fn new(source: Option<&'a SourceFile>, comments: &'a [Comment]) -> Layout<'a> {
        Layout { source, comments, lines: Vec::new(), indentation: 0 }
    }

    /// True if the comments of a source are kept, so that none must be made up.
    pub fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// True if a text fits on a line here.
    pub fn fits(&self, text: &str) -> bool {
        self.indentation + text.chars().count() <= WIDTH
    }

    /// True if comments stand before an offset that were not written yet.
    pub fn has_comment_before(&self, offset: u32) -> bool {
        self.comments.first().is_some_and(|comment| comment.span.start < offset)
    }

    /// Adds a line.
    pub fn line(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", " ".repeat(self.indentation)));
    }

    /// Adds a blank line, unless the last one is blank or there is none.
    pub fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// Writes what the function writes with more indentation.
    pub fn indented(&mut self, write: impl FnOnce(&mut Layout<'a>)) {
        self.indentation += 4;
        write(self);
        self.indentation -= 4;
    }

    /// Writes the comments before and within an item, which begins on the next line. Comments within
    /// move before it.
    pub fn before(&mut self, item: Span) {
        let Some(source) = self.source else { return };
        while let Some((comment, rest)) = self.comments.split_first().filter(|(c, _)| c.span.start < item.end) {
            self.comments = rest;
            if comment.span.start < item.start {
                self.own_line(source, *comment);
            } else {
                // A blank line would part the item from the comments before it, which may be its name.
                self.line(source.slice(comment.span));
            }
        }
    }

    /// Writes the comments that follow an item on its line behind the line written last.
    pub fn behind(&mut self, item: Span) {
        let Some(source) = self.source else { return };
        let mut end = item.end as usize;
        while let Some((comment, rest)) = self.comments.split_first() {
            let start = comment.span.start as usize;
            if start < end || !source.text()[end..start].chars().all(is_separator) {
                return;
            }
            self.comments = rest;
            end = comment.span.end as usize;
            if let Some(line) = self.lines.last_mut() {
                line.push(' ');
                line.push_str(source.slice(comment.span));
            }
        }
    }

    fn own_line(&mut self, source: &SourceFile, comment: Comment) {
        let (start, end) = (comment.span.start as usize, comment.span.end as usize);
        let has_blank_line = |from: usize, to: usize| {
            let line = |offset: usize| source.line_column(offset as u32).line;
            line(to) > line(from) + 1
        };
        let before = source.text()[..start].trim_end().len();
        if stands_alone(source, comment.span) && has_blank_line(before, start) {
            self.blank();
        }
        self.line(source.slice(comment.span));
        let after = source.text().len() - source.text()[end..].trim_start().len();
        if has_blank_line(end, after) {
            self.blank();
        }
    }

    /// The whole text, with the comments that are left.
    pub fn finish(mut self) -> String {
        self.before(Span { start: u32::MAX, end: u32::MAX });
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

/// True if a character may stand between an item and a comment that belongs to it.
fn is_separator(character: char) -> bool {
    matches!(character, ' ' | '\t' | ';' | ',' | '+' | '|' | ')' | '}' | ']')
}
