//! Shipped models, also those in ISPL, with small changes, as people and broken disks make them: whatever comes out, the front end says
//! something sensible about it ([`front_end::check`]).
//!
//! Every run takes a share; `scripts/nightly-frontend` takes as many as you like.

use super::differential::generate;
use crate::common::front_end;
use fastrand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The texts of all shipped models and of the fixtures of the front end, with whether they are in ISPL.
fn originals() -> Vec<(String, bool)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("specs"), root.join("tests/fixtures")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder exists") {
            let path = entry.expect("it is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rcp" || extension == "ispl") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 60, "{files:?}");
    let text = |path: &PathBuf| {
        let is_ispl = path.extension().is_some_and(|extension| extension == "ispl");
        (std::fs::read_to_string(path).expect("it is readable"), is_ispl)
    };
    let texts: Vec<(String, bool)> = files.iter().map(text).collect();
    assert!(texts.iter().filter(|(_, is_ispl)| *is_ispl).count() > 7);
    texts
}

/// Tokens and characters that mutations put in.
const STRANGE: &[&str] = &[
    "\u{1b}[2J",
    "\u{7f}",
    "\u{9b}",
    "\u{202e}",
    "\u{2066}",
    "\u{0}",
    "\r",
    "ü",
    "#",
    "\"",
    "..",
    ";",
    ",",
    ":",
    "::",
    ":=",
    "=",
    "==",
    "<-",
    "->",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    "<",
    ">",
    "!",
    "?",
    "*",
    "@",
    "||",
    "|",
    "&",
    "-",
    "--",
    "+",
    "1.5",
    "99999999999999999999",
    "true",
    "rep",
    "init",
    "if",
    "then",
    "forall",
    "GET@",
    "SUPPLY@",
    "agent",
    "system",
    "SPEC",
    "enum",
    "// name: x",
    "// expect: holds",
    "/*",
    "*/",
    "channel",
    "chan",
    "myself",
    "G",
    "U",
    "Agent",
    "end",
    "Formulae",
    "Environment.",
    "Action",
    "and",
    "GCK(",
    "<g>",
    "<>",
];

/// Cuts a text into words, signs and the gaps between them.
fn pieces(text: &str) -> Vec<String> {
    let kind = |character: char| match character {
        _ if character.is_alphanumeric() || character == '_' => 0,
        _ if character.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces: Vec<String> = Vec::new();
    let mut last = None;
    for character in text.chars() {
        match pieces.last_mut().filter(|_| last == Some(kind(character)) && kind(character) < 2) {
            Some(piece) => piece.push(character),
            None => pieces.push(character.to_string()),
        }
        last = Some(kind(character));
    }
    pieces
}

/// Deletes, doubles, swaps, replaces or inserts one of the parts.
fn change(parts: &mut Vec<String>, random: &mut Rng) {
    if parts.is_empty() {
        return;
    }
    let (at, other) = (random.usize(..parts.len()), random.usize(..parts.len()));
    match random.u8(..6) {
        0 => drop(parts.remove(at)),
        1 => parts.insert(at, parts[at].clone()),
        2 => parts.swap(at, other),
        3 => parts[at] = parts[other].clone(),
        4 => parts.insert(at, STRANGE[random.usize(..STRANGE.len())].to_owned()),
        _ => parts[at] = STRANGE[random.usize(..STRANGE.len())].to_owned(),
    }
}

/// A text with one to three changes of its words, lines or characters.
fn mutated(original: &str, random: &mut Rng) -> String {
    let mut text = original.to_owned();
    for _ in 0..random.usize(1..4) {
        let mut parts: Vec<String> = match random.u8(..8) {
            0 | 1 => text.split_inclusive('\n').map(str::to_owned).collect(),
            2 => text.chars().map(String::from).collect(),
            3 if random.u8(..4) == 0 => {
                text.chars().take(random.usize(..text.len().max(1))).map(String::from).collect()
            }
            _ => pieces(&text),
        };
        change(&mut parts, random);
        text = parts.concat();
    }
    text
}

/// Properties that hold of any text.
fn digest(text: &str, is_ispl: bool) {
    if is_ispl { front_end::check_ispl(text) } else { front_end::check(text) }
}

fn campaign(seed: u64, count: usize) {
    let originals = originals();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let originals = &originals;
    std::thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                for round in (worker..count).step_by(workers) {
                    let mut random = Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(round as u64));
                    // Models in ISPL are few, and take a third.
                    let wanted = random.u8(..3) == 0;
                    let (original, is_ispl) = loop {
                        let (text, is_ispl) = &originals[random.usize(..originals.len())];
                        if *is_ispl == wanted {
                            break (text, *is_ispl);
                        }
                    };
                    let text = mutated(original, &mut random);
                    let outcome = catch_unwind(AssertUnwindSafe(|| digest(&text, is_ispl)));
                    assert!(outcome.is_ok(), "seed {seed}, round {round}:\n{text}\n{text:?}");
                }
            });
        }
    });
}

#[test]
fn shipped_models_with_small_changes_are_digested() {
    campaign(0, 300);
}

#[test]
fn shipped_models_survive_formatting() {
    originals().iter().for_each(|(text, is_ispl)| digest(text, *is_ispl));
}

/// Random models are of both dialects.
#[test]
fn random_models_survive_formatting() {
    (0..200).for_each(|seed| front_end::check(&generate::model(seed, 3)));
}

#[test]
#[ignore = "long: scripts/nightly-frontend"]
fn shipped_models_with_many_changes_are_digested() {
    let number = |name: &str| std::env::var(name).map(|text| text.parse().expect("a number"));
    campaign(number("RCHECK_SEED").unwrap_or(1), number("RCHECK_MUTATIONS").map_or(30_000, |count| count as usize));
}
