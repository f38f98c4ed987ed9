//! Untrusted text, made safe for its place in the output. File names, comments, and the fields of files that were read
//! can hold characters that move a cursor, hide or reverse the text beside them, or turn a table cell into a formula.
//!
//! There is one function per form of output. [`visible`] is for text that is inserted into a line of ours; the others
//! take a whole output just before it is written, and change none of our own characters.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::borrow::Cow;

/// True if a character does something else than to stand in its place: controls, marks that set the direction of
/// writing, separators of lines, and characters that cannot be seen. (Joiners are part of the writing of some languages.)
pub fn acts(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The words with one visible character for each that acts; so they stay in their line, and as long as they are.
pub fn visible(words: &str) -> Cow<'_, str> {
    replace(words, |_| false)
}

/// A text of several lines, as [`visible`] for each: what pictures, pages and other documents consist of.
pub fn document(text: &str) -> Cow<'_, str> {
    replace(text, |character| matches!(character, '\n' | '\t'))
}

/// A text for the terminal. It keeps lines and styles (colours, bold); code that writes styles makes the words of others
/// [`visible`] before.
pub fn terminal(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return document(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, from) = rest.split_at(at);
        let length = style_length(from).unwrap_or_default();
        out.push_str(&document(before));
        if length == 0 {
            out.push(stand_in('\u{1b}'));
        }
        out.push_str(&from[..length]);
        rest = &from[length.max(1)..];
    }
    out.push_str(&document(rest));
    Cow::Owned(out)
}

/// The length of the style at the beginning of a text: `ESC [ 1 ; 31 m`.
fn style_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|character: char| !character.is_ascii_digit() && character != ';')?;
    parameters[end..].starts_with('m').then_some("\u{1b}[".len() + end + 1)
}

/// A text in JSON, with escapes for what acts inside of its strings: the same value for every reader.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_space = |character: char| matches!(character, '\n' | '\t' | '\r');
    if !text.contains(|character| acts(character) && !is_space(character)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if acts(character) && !is_space(character) {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// First characters that make a cell of a table a formula: `=`, `+`, `-` and `@`, the same in full width, and as small
/// forms.
const FORMULA: [char; 12] = [
    '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\u{fe66}', '\u{fe62}', '\u{fe63}', '\u{fe6b}',
];

/// Words between tags of XML, or in an attribute.
pub fn markup(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// A cell of a table: a quotation mark keeps programs from reading it as a formula, some of which skip spaces before it.
pub fn cell(text: &str) -> Cow<'_, str> {
    let safe = document(text);
    if text.starts_with(['\t', '\r', '\n']) || text.trim_start().starts_with(FORMULA) {
        Cow::Owned(format!("'{safe}"))
    } else {
        safe
    }
}

/// The message of a workflow command of GitHub, on its one line.
pub fn workflow_message(text: &str) -> String {
    document(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command of GitHub, such as its title.
pub fn workflow_property(text: &str) -> String {
    visible(text).replace('%', "%25").replace(':', "%3A").replace(',', "%2C")
}

/// The characters that stand for themselves in words that [`percent`] writes.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// Letters, digits and a few marks as they are, everything else as `%` and two digits: nothing that a shell, an address
/// or a list in a file would take for more.
pub fn percent(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// The text that [`percent`] was given; nothing if that was no text.
pub fn from_percent(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

/// The address of a file: relative to wherever the tool runs, if its name is.
pub fn uri(path: &str) -> String {
    format!("{}{}", if path.starts_with('/') { "file://" } else { "" }, percent(path))
}

fn replace(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(|character| acts(character) && !keep(character)) {
        return Cow::Borrowed(text);
    }
    let shown = |character| if acts(character) && !keep(character) { stand_in(character) } else { character };
    Cow::Owned(text.chars().map(shown).collect())
}

/// A picture of the control, where there is one.
fn stand_in(character: char) -> char {
    match u32::from(character) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2Jb\u{9b}1A\u{202e}c\r\nd\te\u{7f}\u{e0041}\u{feff}";

    #[test]
    fn words_stay_in_their_line_and_as_long_as_they_are() {
        let shown = visible(HOSTILE);
        assert_eq!(shown, "a\u{241b}[2Jb\u{fffd}1A\u{fffd}c\u{240d}\u{240a}d\u{2409}e\u{2421}\u{fffd}\u{fffd}");
        assert_eq!(shown.chars().count(), HOSTILE.chars().count());
        for plain in ["", "client1-cLink = c", "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}", "\u{2717} \u{2192} \u{fc}"] {
            assert!(matches!(visible(plain), Cow::Borrowed(same) if same == plain));
        }
        assert_eq!(document("a\n\tb\r\n"), "a\n\tb\u{240d}\n");
    }

    #[test]
    fn styles_reach_the_terminal_and_nothing_else_does() {
        assert_eq!(terminal("\u{1b}[1m\u{1b}[31mviolated\u{1b}[0m\n"), "\u{1b}[1m\u{1b}[31mviolated\u{1b}[0m\n");
        assert_eq!(terminal("\u{1b}[1;31mx\u{1b}[m"), "\u{1b}[1;31mx\u{1b}[m");
        for (hostile, shown) in [
            ("\u{1b}", "\u{241b}"),
            ("\u{1b}[", "\u{241b}["),
            ("\u{1b}[1", "\u{241b}[1"),
            ("\u{1b}[2A\u{1b}[0m", "\u{241b}[2A\u{1b}[0m"),
            ("\u{1b}]0;title\u{7}", "\u{241b}]0;title\u{2407}"),
            ("\u{1b}\u{1b}[?25l\u{9b}m", "\u{241b}\u{241b}[?25l\u{fffd}m"),
        ] {
            assert_eq!(terminal(hostile), shown);
        }
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({ HOSTILE: [HOSTILE, 1.5, null] });
        let text = serde_json::to_string_pretty(&value).expect("plain data");
        let safe = json(&text);
        assert!(!safe.contains(|character| acts(character) && character != '\n'), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("still JSON"), value);
        assert!(matches!(json("{\"a\": \"\u{fc}\"}"), Cow::Borrowed(_)));
    }

    #[test]
    fn cells_are_no_formulas() {
        for formula in
            ["=cmd|' /C calc'!A0", "+1", "-1+2", "@SUM(1)", "\t=1", "\r=1", "\u{ff1d}1", " =1", "\u{a0}\u{fe62}1"]
        {
            assert!(cell(formula).starts_with('\''), "{formula:?}");
        }
        assert_eq!(cell("a=b"), "a=b");
        assert_eq!(cell("a\u{1b}b"), "a\u{241b}b");
        assert_eq!(markup("<a b='\"'>&amp;"), "&lt;a b=&#39;&quot;&#39;&gt;&amp;amp;");
    }

    #[test]
    fn commands_and_addresses_stay_one() {
        assert_eq!(workflow_message("100 %\n::error::x\u{1b}"), "100 %25%0A::error::x\u{241b}");
        assert_eq!(workflow_property("a,line=1:\nb"), "a%2Cline=1%3A\u{240a}b");
        assert_eq!(uri("a b/c:d.rcp"), "a%20b/c%3Ad.rcp");
        assert_eq!(uri("/\u{fc}"), "file:///%C3%BC");
        assert_eq!(from_percent(&percent(HOSTILE)).as_deref(), Some(HOSTILE));
        assert_eq!(from_percent("%ff"), None);
    }
}
