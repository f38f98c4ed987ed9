//! The lists of files in CONTRIBUTING.md: each has all files of the source that name the case that it is about, and no
//! others.

use crate::tool::project;
use std::collections::BTreeSet;
use walkdir::WalkDir;

/// The words before the name of a case, at the end of the line above its list.
const MARK: &str = "these are the files that name `";

/// The names of cases in a text, each with the files of its list: of the numbered lines, and those that are indented.
fn lists(text: &str) -> Vec<(&str, BTreeSet<String>)> {
    let mut lists: Vec<(&str, BTreeSet<String>)> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if let Some((_, name)) = line.split_once(MARK) {
            let name = name.strip_suffix("`:").unwrap_or_else(|| panic!("no list follows: {line}"));
            lists.push((name, BTreeSet::new()));
            is_open = true;
            continue;
        }
        is_open &= line.is_empty() || line.starts_with(|c: char| c.is_ascii_digit() || c == ' ');
        if let Some((_, files)) = lists.last_mut().filter(|_| is_open) {
            let quoted = line.split('`').skip(1).step_by(2);
            files.extend(quoted.filter(|text| text.ends_with(".rs")).flat_map(expanded));
        }
    }
    lists
}

/// The paths that one with braces stands for, as in `src/{a,b}.rs`.
fn expanded(path: &str) -> Vec<String> {
    let Some((begin, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (parts, end) = rest.split_once('}').unwrap_or_else(|| panic!("a brace is open: {path}"));
    parts.split(',').map(|part| format!("{begin}{part}{end}")).collect()
}

/// The files of the source, with their text.
fn sources() -> Vec<(String, String)> {
    let folders = ["src", "crates", "tests"].map(|folder| WalkDir::new(project().join(folder)));
    let entries = folders.into_iter().flatten().map(|entry| entry.expect("a readable folder").into_path());
    let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let read = files.map(|path| {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.strip_prefix(project()).expect("below the root").display().to_string(), text)
    });
    read.collect()
}

/// True if a line of code has the name as a word; comments do not count.
fn has(code: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_word =
        |line: &str, at: usize| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part);
    let mut lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.any(|line| line.match_indices(name).any(|(at, _)| is_word(line, at)))
}

#[test]
fn lists_of_files_are_complete() {
    let text = std::fs::read_to_string(project().join("CONTRIBUTING.md")).expect("it is readable");
    let (lists, sources) = (lists(&text), sources());
    assert_eq!(lists.len(), text.matches(MARK).count());
    assert!(lists.len() > 5, "{lists:?}");
    let mut wrong = Vec::new();
    for (name, listed) in lists {
        let naming = sources.iter().filter(|(_, code)| has(code, name)).map(|(path, _)| path.clone());
        let naming: BTreeSet<String> = naming.collect();
        wrong.extend(naming.difference(&listed).map(|path| format!("{path} names `{name}`, and is not in its list")));
        wrong.extend(
            listed.difference(&naming).map(|path| format!("{path} is in the list of `{name}`, and has no such name")),
        );
    }
    assert_eq!(wrong, Vec::<String>::new());
}
