//! A snapshot of the public items at the root of the crate.

use std::fs;
use std::path::{Path, PathBuf};

/// The types at the root that other modules define, and those that errors and findings consist of, with the folder of the module.
const TYPES: [(&str, &str); 9] = [
    ("Model", "crates/core/src/model"),
    ("Run", "crates/core/src/model/eval"),
    ("Semantics", "crates/core/src/model/eval"),
    ("Verdict", "crates/kernel/src/check"),
    ("Subject", "src/verify"),
    ("Certified", "crates/kernel/src/certificate_file"),
    ("CertificateError", "crates/kernel/src/certificate_file"),
    ("DocumentError", "crates/kernel/src/certificate_file"),
    ("Record", "crates/lang/src/diag"),
];

/// The declarations of a text for others: the public items that are kept, up to their bodies, enumerations and public
/// fields whole, without comments. The first line of an item decides if it is kept.
fn declarations(text: &str, is_kept: impl Fn(&str) -> bool) -> String {
    let (mut shown, mut end, mut kept) = (String::new(), None, false);
    let without_tests = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    for line in without_tests.lines() {
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        if end.is_none() {
            if line.starts_with(char::is_alphabetic) {
                kept = is_kept(line);
            }
            if kept && (code.starts_with("pub ") || line.starts_with("impl")) {
                end = Some(last_letters(code));
            }
        }
        let Some(letters) = end else { continue };
        shown += line.strip_suffix(" {").unwrap_or(line);
        shown.push('\n');
        end = end.filter(|_| !code.ends_with("{}") && !code.ends_with(|last| letters.contains(last)));
    }
    shown
}

/// The letters at which a declaration ends.
fn last_letters(code: &str) -> &'static str {
    let is_field = code.split_whitespace().nth(1).is_some_and(|word| word.ends_with(':'));
    match () {
        () if code.starts_with("pub enum") => "}",
        () if is_field => ",",
        () => "{;",
    }
}

/// True if a first line declares a type, or what it implements.
fn is_about(line: &str, name: &str) -> bool {
    let subject = if let Some(rest) = line.strip_prefix("impl") {
        let inherent =
            || rest.strip_prefix('<').map_or(rest, |generic| generic.split_once('>').map_or("", |(_, of)| of));
        rest.split_once(" for ").map_or_else(inherent, |(_, of)| of)
    } else {
        line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum ")).unwrap_or("")
    };
    subject.trim().split(|letter: char| !letter.is_alphanumeric() && letter != '_').next() == Some(name)
}

/// The sources below a folder, in the order of their paths.
fn sources(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder of sources");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let text = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(kind) if kind == "rs" => vec![fs::read_to_string(path).expect("a text")],
        _ => Vec::new(),
    };
    paths.into_iter().flat_map(text).collect()
}

#[test]
fn nothing_public_changes_by_accident() {
    let is_kept = |line: &&str| line.starts_with("pub use ") && !line.starts_with("pub use rcheck_");
    let root = include_str!("../lib.rs").lines().filter(is_kept);
    let mut shown: String = root.map(|line| format!("{line}\n")).collect();
    shown += &declarations(include_str!("mod.rs"), |_| true);
    for (name, folder) in TYPES {
        let texts = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        let of_type: String = texts.iter().map(|text| declarations(text, |line| is_about(line, name))).collect();
        let is_declared = of_type.lines().any(|line| line.starts_with("pub ") && is_about(line, name));
        assert!(is_declared, "no {name} in {folder}");
        shown += &format!("\n// {folder}\n{of_type}");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn whatever_others_see_is_in_the_snapshot() {
    let text = "
#[cfg(test)]
mod tests;
pub struct A<'a> {
    pub shown: Vec<&'a str>,
    hidden: u8,
}
impl<'a> A<'a> {
    /// A comment.
    pub fn call(
        &self,
        more: usize,
    ) -> u8 {
        let inside = 1;
    }
    fn mine() {}
    pub fn other(&self) {}
}
pub enum B {
    One,
    Two { of: u8 },
}
impl Trait for A<'_> {}
fn helper() {
}
#[cfg(test)]
mod tests {
pub struct A<'a> {
    pub unseen: u8,
}
}";
    let expected = "pub struct A<'a>\n    pub shown: Vec<&'a str>,\nimpl<'a> A<'a>\n    pub fn call(\n        &self,\n        \
                    more: usize,\n    ) -> u8\n    pub fn other(&self) {}\nimpl Trait for A<'_> {}\n";
    assert_eq!(declarations(text, |line| is_about(line, "A")), expected);
    assert_eq!(declarations(text, |line| is_about(line, "B")), "pub enum B\n    One,\n    Two { of: u8 },\n}\n");
}

#[cfg(feature = "solver")]
#[test]
fn wrong_indices_are_errors() {
    use crate::{Semantics, Subject, VerifyError, bmc, certificate, prove, read, simulate};
    let text = "agent A local: n : 0..9 init: n = 0 repeat: {n < 9} *! (true)()[n := n + 1]
        system = A(one, true) SPEC G (one-n < 5)";
    let model = read("a.rcp", text).expect("a model");
    let subject = Subject::new(&model);
    let words = "no spec has index 1: the model has 1 spec";
    for refused in [prove(&subject, 1, None), bmc(&subject, 1, usize::MAX, None)] {
        let error = refused.expect_err("there is one spec");
        assert!(matches!(error, VerifyError::NoSuchSpec { spec: 1, specs: 1 }), "{error}");
        assert_eq!(error.to_string(), words);
    }
    let verdict = bmc(&subject, 0, 9, None).expect("an answer");
    assert!(certificate(&model, "a.rcp", 0, &verdict).is_some() && certificate(&model, "a.rcp", 1, &verdict).is_none());
    let semantics = Semantics::new(&model);
    assert_eq!(simulate(&semantics, 1000, 1).expect("a run").steps().len(), 9, "it gets stuck");
}
