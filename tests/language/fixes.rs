//! Quick fixes: the text that a fix leaves has no error that was not there before, and what it fixes is gone.

use crate::common::root;
use rcheck_smt::diag::{Code, Diagnostic, Edit, Fix, Severity};
use rcheck_smt::model::elaborate;
use rcheck_smt::source::{SourceFile, Span};
use rcheck_smt::syntax::parse;
use std::path::{Path, PathBuf};

/// All findings of a text.
fn findings(text: &str) -> Vec<Diagnostic> {
    let source = SourceFile::new("m.rcp", text);
    let parsed = parse(&source, None);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(elaborate(&parsed.model).1);
    diagnostics.sorted().iter().cloned().collect()
}

/// The files of a folder and its folders that end in a way.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

/// The models of a page of the book.
fn blocks(page: &str) -> Vec<String> {
    let block = |rest: &str| {
        let (head, body) = rest.split_once('\n')?;
        let is_model = head.split(',').next() == Some("rcp");
        is_model.then(|| body.split("```").next().unwrap_or_default().to_owned())
    };
    page.split("```").skip(1).step_by(2).filter_map(block).collect()
}

/// All texts: where they come from, and what they are.
fn texts() -> Vec<(String, String)> {
    let (mut fixtures, mut pages) = (Vec::new(), Vec::new());
    files(&root().join("tests/fixtures"), "rcp", &mut fixtures);
    files(&root().join("docs"), "md", &mut pages);
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("readable");
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut texts: Vec<(String, String)> = fixtures.iter().map(|path| (name(path), read(path))).collect();
    for page in &pages {
        texts.extend(blocks(&read(page)).into_iter().map(|block| (name(page), block)));
    }
    texts.push(("misspelt.rcp".to_owned(), MISSPELT.to_owned()));
    texts.sort();
    texts
}

/// Misspelt names of all kinds, near to names that do not fit.
const MISSPELT: &str = "enum channel {line}
message-structure: LOAD : int
agent Source
    local: sent : 0..5, flag : bool
    init: sent0 = 0 & flg
    receive-guard: false
    repeat: (
        send: {sent < 5} lin! (true)(LOAD := sentt)[sent := sent + true]
    )
system = Source(one, true) || Sourcex(two, true)
SPEC G (one-sen < 3;
SPEC G (one-sent < 3);
SPEC G (one-sen < 3);
SPEC G (!one-sen);
SPEC G (one-sen -> F one-flg);
SPEC G (onx-sent = 3 | on-send);
";

/// The position of a place of the text after a fix.
fn moved(fix: &Fix, place: u32) -> i64 {
    let shift = |edit: &Edit| match edit.span.end <= place && !(edit.span.start == place && edit.text.is_empty()) {
        true => edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start),
        false => 0,
    };
    i64::from(place) + fix.edits.iter().map(shift).sum::<i64>()
}

fn is_error(finding: &Diagnostic) -> bool {
    finding.severity() == Severity::Error
}

/// Errors of the fixed text that the text did not have.
fn new_errors(text: &str, before: &[Diagnostic], fix: &Fix) -> Vec<(Code, String, String)> {
    let fixed = fix.apply(text);
    let known: Vec<(Code, i64)> =
        before.iter().filter(|finding| is_error(finding)).map(|it| (it.code, moved(fix, it.span.start))).collect();
    // A mistake that a fix makes readable elsewhere was there before.
    let touches = |span: Span| {
        fix.edits.iter().any(|edit| {
            let end = moved(fix, edit.span.end);
            i64::from(span.start) <= end && end - edit.text.len() as i64 <= i64::from(span.end)
        })
    };
    let is_new = |finding: &&Diagnostic| {
        let is_known = known.contains(&(finding.code, i64::from(finding.span.start)));
        is_error(finding) && touches(finding.span) && !is_known
    };
    let told = |it: &Diagnostic| (it.code, fixed[it.span.range()].to_owned(), it.message.clone());
    findings(&fixed).iter().filter(is_new).map(told).collect()
}

#[test]
fn no_fix_leads_into_the_next_error() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (name, text) in texts() {
        let before = findings(&text);
        for finding in &before {
            for fix in &finding.fixes {
                tried += 1;
                let new = new_errors(&text, &before, fix);
                if !new.is_empty() {
                    let place = SourceFile::new("", &*text).line_column(finding.span.start);
                    wrong.push(format!("{name}:{}: {:?} {}: {new:?}", place.line, finding.code, fix.title));
                }
            }
        }
    }
    assert!(tried > 100, "{tried} fixes");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}
