//! Signs that are not part of the language, as texts have them that come from articles or other notations: what to write
//! instead.

use super::token::Token;
use crate::diag::{Code, Diagnostic, Edit};
use crate::source::Span;
use logos::Logos;
use rustc_hash::FxHashMap;

/// Characters beyond ASCII may look like others, or like nothing: their number says which they are.
pub fn unknown_character(text: &str) -> String {
    match text.chars().next().filter(|first| !first.is_ascii()) {
        Some(first) => format!("unknown character, U+{:04X}", u32::from(first)),
        None => "unknown character".to_owned(),
    }
}

/// The advice for a sign, and its replacement if it is unambiguous.
fn ours(sign: char) -> Option<(&'static str, Option<&'static str>)> {
    Some(match sign {
        '≤' | '⩽' => ("write `<=`", Some("<=")),
        '≥' | '⩾' => ("write `>=`", Some(">=")),
        '≠' => ("write `!=`", Some("!=")),
        '≡' => ("write `=`", Some("=")),
        '≔' => ("write `:=`", Some(":=")),
        '\'' => {
            let help =
                "the next value of `x` is assigned: `[x := ..]`; values of enums are written without quotation marks";
            (help, None)
        }
        '"' => ("there are no texts: declare the values of an enum, and write them without quotation marks", None),
        '‘' | '’' | '‚' | '“' | '”' | '„' => {
            ("declare the values of an enum, and write them without quotation marks", Some(""))
        }
        '~' | '¬' | '∼' => ("negation is written `!`", Some("!")),
        '∧' => ("conjunction is written `&`", Some("&")),
        '∨' => ("disjunction is written `|`", Some("|")),
        '→' | '⇒' | '⟶' | '⟹' => ("implication is written `->`", Some("->")),
        '↔' | '⇔' | '⟷' | '⟺' => ("equivalence is written `<->`", Some("<->")),
        '←' | '⟵' => ("a relabelling is written `<-`", Some("<-")),
        '↦' | '⟼' => ("data and updates are written `x := e`, a relabelling `p <- e`", None),
        '∀' | '⋀' => ("write `forall`", Some("forall ")),
        '∃' | '⋁' => ("write `exists`", Some("exists ")),
        '∈' => ("a variable stands before a colon and its type, as in `forall k : Type . ..`", Some(" : ")),
        '•' => ("`exists(..)` and `forall(..)` are about the assignments to property variables", None),
        '□' | '◻' | '☐' => ("\"always\" is written `G`", Some("G ")),
        '◇' | '◊' | '⋄' | '♢' => ("\"eventually\" is written `F`", Some("F ")),
        '○' | '◯' | '◦' => ("\"next\" is written `X`", Some("X ")),
        '𝒰' | '𝓤' => ("\"until\" is written `U`", Some(" U ")),
        '𝒲' | '𝓦' => ("\"weak until\" is written `W`", Some(" W ")),
        'ℛ' | '𝓡' => ("\"release\" is written `R`", Some(" R ")),
        '⊤' => ("write `true`", Some("true")),
        '⊥' => ("write `false`; where it is no value at all, declare one, as in `enum channel {none, line}`", None),
        '⟨' | '〈' | '‹' => ("write `<`", Some("<")),
        '⟩' | '〉' | '›' => ("write `>`", Some(">")),
        '«' | '⟪' => ("write `<<`", Some("<<")),
        '»' | '⟫' => ("write `>>`", Some(">>")),
        '⟦' => ("write `[[`", Some("[[")),
        '⟧' => ("write `]]`", Some("]]")),
        '∥' | '‖' => ("write `||`", Some("||")),
        '∣' => ("write `|`", Some("|")),
        '∗' | '⋆' | '★' | '✱' | '×' | '·' | '⋅' => ("write `*`", Some("*")),
        '÷' | '∕' => ("write `/`", Some("/")),
        '…' => ("write `..`", Some("..")),
        '−' | '–' | '—' | '‐' | '‑' => ("write `-`", Some("-")),
        'ﬀ' => ("write `ff`", Some("ff")),
        'ﬁ' => ("write `fi`", Some("fi")),
        'ﬂ' => ("write `fl`", Some("fl")),
        'ﬃ' => ("write `ffi`", Some("ffi")),
        'ﬄ' => ("write `ffl`", Some("ffl")),
        '\u{A0}' | '\u{2000}'..='\u{200B}' | '\u{202F}' | '\u{3000}' => ("write an ordinary space", Some(" ")),
        '\u{AD}' => ("leave it out", Some("")),
        '%' => ("there is no remainder; `/` rounds towards zero", None),
        '^' => ("exclusive or is written `!(a <-> b)`, and there are no powers", None),
        _ => return None,
    })
}

/// The message for a text of unknown characters, about the first one.
pub fn unknown(text: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::UnknownCharacter, span, format!("`{text}` is not part of the language"))
        .label(unknown_character(text));
    match text.chars().next().and_then(ours) {
        Some((help, _)) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// The most places of a sign that one fix replaces.
const MOST_PLACES: usize = 10_000;

/// A sign with its places in a text.
struct Sign {
    sign: char,
    first: Span,
    places: usize,
    edits: Vec<Edit>,
}

/// The signs of a text that stand for something in our notation, in the order in which they first occur.
#[derive(Default)]
pub struct Signs {
    signs: Vec<Sign>,
    places: FxHashMap<char, usize>,
}

impl Signs {
    /// Notes signs beyond ASCII in the text of a token.
    pub fn within(&mut self, text: &str, span: Span) {
        for (offset, sign) in text.char_indices().filter(|(_, sign)| !sign.is_ascii()) {
            let start = span.start as usize + offset;
            self.stands_for(sign, Span::new(start, start + sign.len_utf8()));
        }
    }

    /// Notes a sign, if it is known; then says which token it stands for: an error if it is ambiguous; none at all.
    pub fn stands_for(&mut self, sign: char, span: Span) -> Option<Option<Token<'static>>> {
        let (_, ours) = ours(sign)?;
        let place = *self.places.entry(sign).or_insert(self.signs.len());
        if place == self.signs.len() {
            self.signs.push(Sign { sign, first: span, places: 0, edits: Vec::new() });
        }
        let sign = &mut self.signs[place];
        sign.places += 1;
        let Some(ours) = ours else { return Some(Some(Token::Error)) };
        if sign.edits.len() < MOST_PLACES {
            sign.edits.push(Edit::replace(span, ours));
        }
        Some(Token::lexer(ours).next().and_then(Result::ok))
    }

    /// The finding for each sign, at its first place, with a fix for all places if it is unambiguous.
    pub fn findings(self) -> impl Iterator<Item = Diagnostic> {
        self.signs.into_iter().map(|Sign { sign, first, places, edits }| {
            let mut finding = unknown(sign.encode_utf8(&mut [0; 4]), first);
            if places > 1 {
                finding.label += &format!(", one of {places} in this file");
            }
            let Some(ours) = edits.first().map(|edit| edit.text.as_str()) else { return finding };
            let title = match (ours.trim(), ours) {
                ("", "") => "leave it out".to_owned(),
                ("", _) => "write a space".to_owned(),
                (written, _) => format!("write `{written}`"),
            };
            match edits.len() {
                1 => finding.fix(title, edits),
                many => finding.fix(format!("{title} at {many} places"), edits),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;
    use crate::syntax::parse;

    /// The text with all fixes for its signs, and the titles of the findings.
    fn fixed(text: &str) -> (String, Vec<String>) {
        let parsed = parse(&SourceFile::new("m", text), None);
        let titles = parsed.diagnostics.iter().map(|finding| finding.message.clone()).collect();
        let edits = parsed.diagnostics.iter().flat_map(|finding| finding.fixes[0].edits.clone());
        let mut edits: Vec<Edit> = edits.collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
        let mut text = text.to_owned();
        edits.iter().for_each(|edit| text.replace_range(edit.span.range(), &edit.text));
        (text, titles)
    }

    const MODERN: &str = "enum channel {line}
message-structure: CONFIG : int
property-variables: p : bool
agent A
    local: office : int, on : bool
    init: office = 0 & !on
    relabel: p <- (on -> on)
    receive-guard: chan = * | chan = line
    repeat: (a: {(office <= 3) & on} *! (@p)(CONFIG := office * 2)[office := office - 1] + b: {office >= 1} line? [])
system = A(one, true) || A(two, true)
SPEC forall k : A . G ((k-office != 3) | ([[sender = one]] (F ((k-on <-> true) U (<<chan = *>> k-on)))));
";

    #[test]
    fn signs_of_articles_are_one_error_each_with_a_fix_for_all_places() {
        let pasted = MODERN
            .replace("message-structure", "message–structure")
            .replace("receive-guard", "receive−guard")
            .replace("<=", "≤")
            .replace(">=", "≥")
            .replace("!=", "≠")
            .replace("<->", "↔")
            .replace("->", "→")
            .replace("<-", "←")
            .replace("office", "oﬃce")
            .replace(" & ", " ∧ ")
            .replace(" | ", " ∨ ")
            .replace("forall k : ", "∀k∈")
            .replace("G (", "□(")
            .replace("F (", "◇(")
            .replace(" U ", "𝒰")
            .replace("k-", "k−")
            .replace("*!", "⋆!")
            .replace("= *", "=\u{A0}∗")
            .replace("true", "⊤")
            .replace("<<", "⟪")
            .replace(">>", "⟫")
            .replace("[[", "⟦")
            .replace("]]", "⟧")
            .replace("||", "∥");
        let (plain, titles) = fixed(&pasted);
        assert_eq!(titles.len(), 25, "{titles:#?}");
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&plain), squeezed(MODERN));
        let parsed = parse(&SourceFile::new("m", &plain), None);
        assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    }

    #[test]
    fn a_sign_is_told_of_once_with_the_number_of_its_places() {
        let text = MODERN.replace("& on}", "∧ on ∧ on}").replace("!on", "¬on");
        let parsed = parse(&SourceFile::new("m", &text), None);
        let found: Vec<_> =
            parsed.diagnostics.iter().map(|it| (it.label.as_str(), it.fixes[0].title.as_str())).collect();
        let conjunction = ("unknown character, U+2227, one of 2 in this file", "write `&` at 2 places");
        assert_eq!(found, [("unknown character, U+00AC", "write `!`"), conjunction]);
    }

    #[test]
    fn classic_brackets_are_read() {
        let classic = "channels: c
agent A
    repeat: a: <TRUE> *! (TRUE)()[]
system = A(one, TRUE)
LTOL G <sender = one> TRUE;
";
        let (plain, titles) = fixed(&classic.replace('<', "⟨").replace('>', "⟩"));
        assert_eq!((plain.as_str(), titles.len()), (classic, 2), "{titles:?}");
    }

    #[test]
    fn ambiguous_signs_have_advice_and_no_fix() {
        for sign in ["⊥", "'", "%", "↦", "•"] {
            let text = MODERN.replace("office = 0", &format!("office = {sign}"));
            let parsed = parse(&SourceFile::new("m", &text), None);
            let finding = parsed.diagnostics.iter().next().unwrap();
            assert_eq!((finding.code, finding.fixes.len()), (Code::UnknownCharacter, 0), "{sign}");
            assert!(finding.help.is_some(), "{sign}");
        }
    }
}
