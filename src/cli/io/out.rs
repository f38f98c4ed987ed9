//! The output of commands. Words for people and documents for programs go to standard output, remarks to standard
//! error; what acts on a terminal is made visible on the way.
//!
//! If standard output takes everything is seen at the end ([`judge`]): after a failure nothing more is written, so
//! that nothing is missing in the midst.

use crate::cli::status::Status;
use crate::escape;
use crate::limits::lock;
use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use comfy_table::Table;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use textwrap::{Options, WordSeparator, WordSplitter};

static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints words for people. They may have styles; the words of others in them are visible already.
pub fn print(text: impl AsRef<[u8]>) {
    let text = String::from_utf8_lossy(text.as_ref());
    write(&mut anstream::stdout().lock(), escape::terminal(&text).as_bytes());
}

/// Prints a document, byte by byte as it is unless it goes to a terminal.
pub fn document(text: &[u8]) {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        write(&mut out, escape::document(&String::from_utf8_lossy(text)).as_bytes());
    } else {
        write(&mut out, text);
    }
}

fn write(out: &mut dyn Write, bytes: &[u8]) {
    let mut failure = lock(&FAILURE);
    if failure.is_none() {
        *failure = out.write_all(bytes).and_then(|()| out.flush()).err();
    }
}

/// A line on standard error, with what has more lines indented: no words of others begin a line. There is no one to tell if
/// that fails.
pub fn remark(words: impl Display) {
    let words = words.to_string();
    let line = words.lines().collect::<Vec<_>>().join("\n  ") + "\n";
    let _ = anstream::stderr().lock().write_all(escape::document(&line).as_bytes());
}

/// Whole lines without styles on standard error.
pub fn remark_plain(lines: &[u8]) {
    let text = String::from_utf8_lossy(lines);
    let _ = io::stderr().lock().write_all(escape::document(&text).as_bytes());
}

/// Text with styles on standard error, all at once: without its styles where they are not wanted.
pub fn remark_styled(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let text = escape::terminal(&text);
    let text = match AutoStream::choice(&io::stderr()) {
        ColorChoice::Never => strip_str(&text).to_string(),
        _ => text.into_owned(),
    };
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Lines that are longer than this are hard to read.
const WIDEST: usize = 100;

/// Paragraphs as lines that fit on the terminal, or anywhere.
pub fn paragraphs(text: &[u8]) -> Vec<u8> {
    fold(text, width().map_or(WIDEST, |width| width.min(WIDEST)))
}

/// Lines that fit on the terminal, if there is one.
pub fn fitted(text: Vec<u8>) -> Vec<u8> {
    match width() {
        Some(width) => fold(&text, width),
        None => text,
    }
}

/// The number of columns of standard output, if it is a terminal.
pub fn width() -> Option<usize> {
    Table::new().width().map(usize::from)
}

/// Breaks longer lines between words; what follows is indented like the beginning.
fn fold(text: &[u8], width: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut folded = String::with_capacity(text.len());
    for line in text.lines() {
        let words = line.trim_start_matches(' ');
        let indent = &line[..line.len() - words.len()];
        let options = Options::new(width).initial_indent(indent).subsequent_indent(indent);
        let options = options.break_words(false).word_splitter(WordSplitter::NoHyphenation);
        let lines = textwrap::wrap(words, options.word_separator(WordSeparator::AsciiSpace));
        for line in lines {
            folded.push_str(&line);
            folded.push('\n');
        }
    }
    folded.into_bytes()
}

/// A path as part of a line.
pub fn shown(path: &Path) -> String {
    escape::visible(&path.to_string_lossy()).into_owned()
}

/// The status of a command that is done: bad if standard output did not take all of its words. A reader that has
/// read enough is no failure.
pub fn judge(status: Status) -> Status {
    match &*lock(&FAILURE) {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            remark(format_args!("error: cannot write to standard output: {error}"));
            status.worst(Status::BadInput)
        }
        _ => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let text =
            "  one two three four\n\nshort\n  \u{1b}[1mone\u{1b}[0m two-three four\n      unbreakable_as_it_is\n";
        let folded = fold(text.as_bytes(), 12);
        let expected = "  one two\n  three four\n\nshort\n  \u{1b}[1mone\u{1b}[0m\n  two-three\n  four\n      \
                        unbreakable_as_it_is\n";
        assert_eq!(String::from_utf8_lossy(&folded), expected);
    }
}
