//! A cache of the processes of a text as it was read last, so that a keystroke costs the grammar one process only.

use super::ast::{Dialect, Process};
use super::token::Spanned;
use super::walk;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// The processes of a text that is read again and again. The key of a process is all that the grammar sees of it, places
/// counted from its beginning: nothing elsewhere in the text can make what is remembered wrong.
#[derive(Debug, Default)]
pub struct Memory {
    /// Those of the text as it was.
    before: FxHashMap<Key, Remembered>,
    /// Those of the text as it is.
    now: FxHashMap<Key, Remembered>,
}

/// A dialect, the tokens as a text, and their places.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Key {
    dialect: Dialect,
    tokens: String,
    places: Vec<Span>,
}

/// A process without faults, and where its text began.
#[derive(Debug)]
struct Remembered {
    start: u32,
    process: Process,
}

impl Key {
    /// The key of tokens of a process, from its keyword on.
    pub fn new(dialect: Dialect, tokens: &[Spanned]) -> Key {
        let start = start(tokens);
        let mut text = String::new();
        for (token, _) in tokens {
            write!(text, "{token:?} ").expect("texts take all that is written");
        }
        let places = tokens.iter().map(|(_, span)| Span { start: span.start - start, end: span.end - start });
        Key { dialect, tokens: text, places: places.collect() }
    }
}

impl Memory {
    /// Forgets what the text did not contain any more when it was read last.
    pub fn begin(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }

    /// The process that these tokens were read as.
    pub fn recall(&mut self, key: Key, tokens: &[Spanned]) -> Result<Process, Key> {
        let Some((key, known)) = self.now.remove_entry(&key).or_else(|| self.before.remove_entry(&key)) else {
            return Err(key);
        };
        let mut process = known.process.clone();
        // Backwards if that wraps around.
        let by = start(tokens).wrapping_sub(known.start);
        walk::places_mut(&mut process, &mut |span| {
            *span = Span { start: span.start.wrapping_add(by), end: span.end.wrapping_add(by) };
        });
        self.now.insert(key, known);
        Ok(process)
    }

    /// Remembers what tokens were read as, without any fault.
    pub fn remember(&mut self, key: Key, tokens: &[Spanned], process: &Process) {
        self.now.insert(key, Remembered { start: start(tokens), process: process.clone() });
    }
}

fn start(tokens: &[Spanned]) -> u32 {
    tokens.first().map_or(0, |(_, span)| span.start)
}

#[cfg(test)]
mod tests {
    use super::Memory;
    use crate::source::SourceFile;
    use crate::syntax::parse_again;

    fn model(process: &str) -> SourceFile {
        SourceFile::new(
            "m",
            format!("agent A local: x : bool init: x receive-guard: x repeat: {process} system = A(a, x)"),
        )
    }

    #[test]
    fn remembers_what_is_faultless_and_forgets_what_is_gone() {
        let mut memory = Memory::default();
        for (process, remembered) in [
            ("{x} *! (x)()[]", 1),
            ("{x} *! (x)()[]", 1),
            ("{x} *! (x)()[", 0),
            ("{x #} *! (x)()[]", 0),
            ("{x | x & x} *! (x)()[]", 0),
        ] {
            parse_again(&model(process), None, &mut memory);
            assert_eq!(memory.now.len(), remembered, "{process}");
        }
    }
}
