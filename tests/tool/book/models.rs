//! The models of the book: their verdicts are those that they expect, and the pages of codes show what yields them.

use super::page::{Block, Page};
use crate::tool::Folder;
use rcheck_smt::diag::{Code, Severity};
use serde_json::Value;
use std::collections::BTreeMap;

fn is_about_a_code(page: &Page) -> bool {
    page.path.starts_with("docs/diagnostics/")
}

/// Each model is complete, and each of its specs says what is expected, unless commands on the page show it. A model without
/// specs is on a page that checks it by a command.
#[test]
fn models_have_the_verdicts_that_they_expect() {
    let folder = Folder::new("book_models");
    let mut named = Vec::new();
    for page in Page::of_book().iter().filter(|page| !is_about_a_code(page)).chain([&Page::read("README.md")]) {
        let is_model =
            |block: &&Block| block.language == "rcp" && ["SPEC", "LTL"].iter().any(|word| block.text.contains(word));
        for block in page.blocks().iter().filter(is_model) {
            let name = format!("{}-{}.rcp", page.path.replace('/', "-"), block.line);
            folder.write(&format!("models/{name}"), &block.text);
            if block.words.iter().any(|word| word.starts_with("file=")) {
                named.push(name);
            }
        }
    }
    let arguments = ["batch", "models", "--mode", "prove", "--timeout", "10m", "--output", "results.jsonl"];
    let mut child = folder.command(&arguments, "never");
    let output = child.output().expect("the tool runs");
    let records = folder.records("results.jsonl");
    assert!(records.len() > 50, "{} records\n{}", records.len(), String::from_utf8_lossy(&output.stderr));
    let is_right = |record: &Value| match record["agreement"].as_str() {
        Some(agreement) => agreement == "met",
        None => named.iter().any(|name| record["model"].as_str().is_some_and(|model| model.ends_with(name.as_str()))),
    };
    let wrong = records.iter().filter(|record| !is_right(record) || record["verdict"] == "error");
    let wrong =
        wrong.map(|it| format!("{} {} {} {} {}", it["model"], it["line"], it["verdict"], it["reason"], it["findings"]));
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

/// The text of a model on a page about a code; some repeat their brackets, which no page should have to show.
fn text(block: &Block) -> String {
    match block.words.iter().find_map(|word| word.strip_prefix("deep=")) {
        None => block.text.clone(),
        Some(times) => {
            let times = times.parse().expect("a number");
            block.text.replace("((((", &"(".repeat(times)).replace("))))", &")".repeat(times))
        }
    }
}

/// The first model of each page has the code, and no other error or warning; the second one has neither.
#[test]
fn pages_of_codes_show_it_and_correct_it() {
    let (folder, mut files) = (Folder::new("book_codes"), Vec::new());
    for code in Code::ALL {
        let page = Page::read(&format!("docs/diagnostics/{}.md", code.as_str()));
        let blocks = page.blocks();
        let [wrong, corrected] = &blocks[..] else { panic!("{} has two models", page.path) };
        for (which, block) in [("wrong", wrong), ("corrected", corrected)] {
            let name = format!("{}-{which}.{}", code.as_str(), block.language);
            folder.write(&name, text(block));
            files.push(name);
        }
    }
    let mut arguments = vec!["check", "--format", "json"];
    arguments.extend(files.iter().map(String::as_str));
    let done = folder.run(2, &arguments);
    let mut findings: Vec<Value> = serde_json::from_str(&done.stdout).expect("JSON");
    // The mistakes of values from the command line.
    let (wrong, corrected) = ("W0509-wrong.rcp", "W0509-corrected.rcp");
    let chosen = folder.run(0, &["check", "--format", "json", "--const", "N=0", wrong, corrected]);
    findings.extend(serde_json::from_str::<Vec<Value>>(&chosen.stdout).expect("JSON"));
    let mut codes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for finding in &findings {
        let [file, code] = ["file", "code"].map(|field| finding[field].as_str().expect("a text"));
        let name = file.split('.').next().unwrap_or_default();
        codes.entry(name).or_default().push(code);
    }
    for code in Code::ALL {
        let of = |which: &str| codes.get(&*format!("{}-{which}", code.as_str())).cloned().unwrap_or_default();
        let is_strong = |found: &&str| !found.starts_with('N');
        let wrong = of("wrong");
        assert!(wrong.contains(&code.as_str()), "{}: {wrong:?}", code.as_str());
        let others = wrong.iter().filter(|found| **found != code.as_str()).copied().filter(is_strong);
        assert_eq!(others.collect::<Vec<_>>(), Vec::<&str>::new(), "beside {}", code.as_str());
        let corrected = of("corrected").into_iter().filter(|found| *found == code.as_str() || is_strong(found));
        assert_eq!(corrected.collect::<Vec<_>>(), Vec::<&str>::new(), "{} corrected", code.as_str());
    }
    assert!(Code::ALL.iter().any(|code| code.severity() == Severity::Note));
}
