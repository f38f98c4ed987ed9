//! Checks that a text has its form, and holds nothing that acts.

use data_encoding::BASE64;
use quick_xml::Reader;
use quick_xml::events::Event;
use rcheck_smt::escape::acts;
use rcheck_smt::report::html::SCRIPT;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Nothing in it acts but line ends and tabs, and, where styles are allowed, styles.
pub fn assert_inert(what: &str, text: &str, styles: bool) {
    let mut rest = text.to_owned();
    if styles {
        let colors = ["31m", "32m", "33m", "36m", "38;5;9m", "38;5;10m", "38;5;11m"];
        for style in colors.into_iter().chain(["0m", "1m", "2m", "4m"]) {
            rest = rest.replace(&format!("\u{1b}[{style}"), "");
        }
    }
    let acting = rest.char_indices().find(|(_, character)| acts(*character) && !matches!(character, '\n' | '\t'));
    if let Some((at, character)) = acting {
        let around: String = rest[at..].chars().take(40).collect();
        panic!("{what} holds {character:?}: {around:?}");
    }
}

/// Judges a document by the ending of its name.
pub fn assert_well_formed(name: &str, text: &str) {
    assert!(!text.is_empty(), "{name} is empty");
    assert_inert(name, text, false);
    match name.rsplit('.').next() {
        Some("svg" | "xml") => assert_xml(name, text),
        Some("csv") => assert_table(name, text),
        Some("json") => drop(serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{name}: {error}"))),
        Some("jsonl") => text.lines().for_each(|line| assert_well_formed("line.json", line)),
        Some("html") => assert_page(name, text),
        Some("md" | "mmd" | "tex" | "dot" | "txt" | "smv" | "vmt" | "smt2") => assert_lines(name, text),
        _ => panic!("no form is known for {name}"),
    }
}

fn assert_xml(name: &str, text: &str) {
    let mut reader = Reader::from_str(text);
    let mut depth = 0;
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}")) {
            Event::Start(element) => {
                depth += 1;
                element.attributes().for_each(|it| drop(it.unwrap_or_else(|error| panic!("{name}: {error}"))));
            }
            Event::Empty(element) => {
                element.attributes().for_each(|it| drop(it.unwrap_or_else(|error| panic!("{name}: {error}"))));
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{name} ends too early");
}

/// Cells are numbers, or begin with nothing that a spreadsheet calculates.
fn assert_table(name: &str, text: &str) {
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    for row in rows.records() {
        for cell in &row.unwrap_or_else(|error| panic!("{name}: {error}")) {
            let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
            assert!(!is_formula, "{name}: {cell:?}");
        }
    }
}

/// All markup is ours: no element of others, and no address that is more than a path.
/// The content security policy names each style sheet and the script by its hash, and no element has styles of its own.
fn assert_policy(name: &str, text: &str) {
    let policy = text.split_once("http-equiv=\"Content-Security-Policy\" content=\"").map(|(_, rest)| rest);
    let policy = policy.and_then(|rest| rest.split_once('"')).unwrap_or_else(|| panic!("{name} has no policy")).0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    for kind in ["script", "style"] {
        for inline in text.split(&format!("<{kind}>")).skip(1) {
            let (inline, _) = inline.split_once(&format!("</{kind}>")).expect("it ends");
            let hash = BASE64.encode(&Sha256::digest(inline));
            assert!(policy.contains(&hash), "{name}: {kind} {inline}");
        }
    }
    for tag in text.replace(SCRIPT, "").split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        assert!(!tag.contains(" style="), "{name}: {tag}");
    }
}

fn assert_page(name: &str, text: &str) {
    assert_policy(name, text);
    let text = &text.replace(SCRIPT, "").replace("<script></script>", "");
    assert!(!text.contains("<script") && !text.contains("<img"), "{name} holds elements of others");
    for address in text.split("href=\"").skip(1) {
        let address = &address[..address.find('"').expect("the address ends")];
        let plain = |character: char| character.is_ascii_alphanumeric() || "#/._-~%".contains(character);
        let anchor = address.starts_with('#');
        assert!(anchor || address.chars().all(plain), "{name}: {address}");
    }
}

/// No line is one that another's words began.
fn assert_lines(name: &str, text: &str) {
    let forged = text.lines().find(|line| line.starts_with("FORGED"));
    assert!(forged.is_none(), "{name}: {forged:?}");
}
