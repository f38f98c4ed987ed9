//! The languages of files, and which one a text is in.

use std::path::Path;

/// A language that files can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The R-CHECK language, which is ours.
    Rcp,
    /// The language of MCMAS.
    Ispl,
    /// Horn clauses in SMT-LIB.
    Chc,
    /// VMT-LIB.
    Vmt,
}

/// Words that a text in our language can begin with.
const OURS: [&str; 8] = ["enum", "message", "property", "communication", "channels", "const", "guard", "agent"];

/// Commands of SMT-LIB and its extensions that a text in it can begin with.
const COMMANDS: [&str; 16] = [
    "set-logic",
    "set-info",
    "set-option",
    "declare-fun",
    "declare-const",
    "declare-rel",
    "declare-var",
    "declare-sort",
    "declare-datatype",
    "declare-datatypes",
    "define-fun",
    "define-fun-rec",
    "define-sort",
    "assert",
    "push",
    "check-sat",
];

/// Number of bytes at the beginning of a text that decide its language.
pub const TELLING: usize = 1 << 16;

impl Language {
    /// All of them.
    pub const ALL: [Language; 4] = [Language::Rcp, Language::Ispl, Language::Chc, Language::Vmt];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Language::Rcp => "rcp",
            Language::Ispl => "ispl",
            Language::Chc => "chc",
            Language::Vmt => "vmt",
        }
    }

    /// Its name in messages.
    pub fn words(self) -> &'static str {
        match self {
            Language::Rcp => "the R-CHECK language",
            Language::Ispl => "ISPL",
            Language::Chc => "Horn clauses in SMT-LIB",
            Language::Vmt => "VMT-LIB",
        }
    }

    /// How the names of its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Language::Rcp => "rcp",
            Language::Ispl => "ispl",
            Language::Chc => "smt2",
            Language::Vmt => "vmt",
        }
    }

    /// The language that the end of a file's name stands for; upper and lower case are the same.
    pub fn of_name(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?;
        Language::ALL.into_iter().find(|language| language.extension().eq_ignore_ascii_case(extension))
    }

    /// The language that a text clearly is in, by its beginning.
    pub fn of_text(text: &str) -> Option<Language> {
        let head = match text.char_indices().nth(TELLING) {
            Some((end, _)) => &text[..end],
            None => text,
        };
        let first = without_comments(head);
        if let Some(behind) = first.strip_prefix('(') {
            let command = word(without_comments(behind));
            return COMMANDS.contains(&command).then(|| match head.contains(":next ") && !head.contains("HORN") {
                true => Language::Vmt,
                false => Language::Chc,
            });
        }
        let begins = word(first);
        let has = |words: &[&str]| words.iter().any(|word| head.contains(word));
        let is_ispl = matches!(begins, "Agent" | "Semantics") && has(&["Vars", "Actions", "Protocol", "Evolution"]);
        let is_ours = OURS.contains(&begins) && has(&["system", "agent"]) && !has(&["end Agent", "end Vars"]);
        if is_ispl {
            return Some(Language::Ispl);
        }
        is_ours.then_some(Language::Rcp)
    }

    /// The language of a text in a file: what the text clearly is in, else what the name says, else ours.
    pub fn of(path: &Path, text: &str) -> Language {
        let named = Language::of_name(path);
        let vmt_without_steps = |found: &Language| *found == Language::Chc && named == Some(Language::Vmt);
        let found = Language::of_text(text).filter(|found| !vmt_without_steps(found));
        found.or(named).unwrap_or(Language::Rcp)
    }
}

/// A text behind blanks and comments of all these languages.
fn without_comments(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_whitespace() || char == '\u{FEFF}');
        let is_line = ["--", "//", ";"].iter().any(|mark| rest.starts_with(mark));
        let end = match rest.strip_prefix("/*") {
            Some(comment) => comment.find("*/").map(|at| at + 4),
            None if is_line => rest.find('\n'),
            None => return rest,
        };
        rest = end.map_or("", |end| &rest[end..]);
    }
}

/// The word that a text begins with.
fn word(text: &str) -> &str {
    let end = text.find(|char: char| !(char.is_ascii_alphanumeric() || char == '_' || char == '-'));
    let word = &text[..end.unwrap_or(text.len())];
    // `message-structure`
    if text.starts_with(|char: char| char.is_ascii_lowercase()) && !COMMANDS.contains(&word) {
        return word.split('-').next().unwrap_or(word);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_tell_their_language() {
        let of = |text: &str| Language::of_text(text);
        for (text, language) in [
            ("-- a\nAgent Environment\n Vars:\n", Some(Language::Ispl)),
            ("\u{FEFF}Semantics = SA;\n\nAgent A\n Actions = {a};", Some(Language::Ispl)),
            ("// a\n/* b */ enum e {a}\nagent A\nsystem = A(a, true)", Some(Language::Rcp)),
            ("message-structure: x : int\nagent A", Some(Language::Rcp)),
            ("; a\n(set-logic HORN)\n(assert true)", Some(Language::Chc)),
            ("(declare-rel inv (Int))", Some(Language::Chc)),
            ("(declare-fun x () Int)\n(define-fun .x () Int (! x :next y))", Some(Language::Vmt)),
            ("(nonsense", None),
            ("agent A", Some(Language::Rcp)),
            ("Agent of change", None),
            ("", None),
            ("-- only", None),
            ("/* open", None),
        ] {
            assert_eq!(of(text), language, "{text}");
        }
    }

    #[test]
    fn names_are_hints() {
        let of = |name: &str, text: &str| Language::of(Path::new(name), text);
        let ispl = "Agent A\n Vars:\n";
        for name in ["m.ispl", "m.ISPL", "m.txt", "m", "m.rcp", "standard input"] {
            assert_eq!(of(name, ispl), Language::Ispl, "{name}");
        }
        assert_eq!(of("m.SMT2", "("), Language::Chc);
        assert_eq!(of("m.vmt", "(declare-fun x () Int)"), Language::Vmt);
        assert_eq!(of("m.ISPL", "Agnet A"), Language::Ispl);
        assert_eq!(of("m.txt", "?"), Language::Rcp);
    }
}
