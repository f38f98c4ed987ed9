//! The form of what is written: SMV, JSON.

use crate::common::{linear, model, named, shipped, shipped_in_ispl, source};
use rcheck_smt::export::{Subject, json, smv};
use rcheck_smt::model::Model;
use serde_json::Value;
use std::collections::HashSet;

fn with(model: &Model, write: impl Fn(&mut Vec<u8>, Subject) -> std::io::Result<()>) -> String {
    let mut text = Vec::new();
    write(&mut text, Subject { model, file: "model.rcp" }).expect("writing to memory works");
    String::from_utf8(text).expect("text").replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

/// Models of which some spec can be written. No form can say what is about other runs: `cli::export` refuses such specs.
fn models() -> impl Iterator<Item = (String, Model)> {
    let paths = shipped().into_iter().chain(shipped_in_ispl());
    let models = paths.map(|path| (path.display().to_string(), model(&source(&path))));
    models.filter(|(_, model)| !linear(model).is_empty())
}

/// The identifiers of an SMV text without its comments; `-` is part of them.
fn identifiers(text: &str) -> HashSet<String> {
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("--")).map(|line| format!("{line}\n")).collect();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let words =
        code.split(|c| !is_part(c)).filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    words.map(str::to_owned).collect()
}

/// The names that an SMV text declares: variables, constants, definitions.
fn declared(text: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    for line in text.lines().filter(|line| line.starts_with("  ") && !line.trim_start().starts_with("--")) {
        let Some((name, rest)) = line.trim().split_once(if line.contains(":=") { " := " } else { " : " }) else {
            continue;
        };
        if name.contains(' ') || name.starts_with('(') {
            continue;
        }
        names.insert(name.to_owned());
        if let Some(values) = rest.strip_prefix('{') {
            names.extend(values.trim_end_matches("};").split(", ").map(str::to_owned));
        }
    }
    names
}

#[test]
fn smv_declares_what_it_uses() {
    let keywords =
        "MODULE main VAR DEFINE INIT INVAR TRANS JUSTICE LTLSPEC case esac TRUE FALSE next boolean integer X G F U V";
    let keywords: HashSet<String> = keywords.split_whitespace().map(str::to_owned).collect();
    for (name, model) in models() {
        let specs = linear(&model);
        let text = with(&model, |out, subject| smv::write(out, subject, &specs));
        let declared = declared(&text);
        for word in identifiers(&text) {
            assert!(keywords.contains(&word) || declared.contains(&word), "{name}: {word}");
        }
        let parts: usize = specs.iter().map(|spec| model.specs[*spec].formula.conjuncts().len()).sum();
        assert_eq!(text.matches("\nLTLSPEC ").count(), parts, "{name}");
    }
}

/// Assumptions that all specs have and that are true again and again stand once, and not in the formulas.
#[test]
fn smv_has_assumptions_of_all_specs_as_justice() {
    let text = |name: &str, specs: &[&str]| {
        let model = model(&source(name));
        let specs: Vec<usize> = specs.iter().map(|spec| named(&model, spec)).collect();
        with(&model, |out, subject| smv::write(out, subject, &specs))
    };
    let mutex = text("ispl/scheduled_mutex.ispl", &["nobody_works_for_ever", "waits_until_inside"]);
    let lines = |text: &str, word: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with(word)).map(str::to_owned).collect()
    };
    let expected = ["(Environment-turn = 1)", "(Environment-turn = 2)", "!(One-at = inside)", "!(Two-at = inside)"];
    assert_eq!(lines(&mutex, "JUSTICE"), expected.map(|condition| format!("JUSTICE {condition};")));
    assert!(lines(&mutex, "LTLSPEC").iter().all(|line| !line.contains("turn")), "{mutex}");
    // Strong fairness is no justice, and what only some specs assume stands in these.
    assert_eq!(lines(&text("token_ring.rcp", &["some_node_falls_behind_under_fairness"]), "JUSTICE").len(), 0);
    let weak = ["who_holds_puts_back_under_weak_fairness", "everybody_works_under_weak_fairness", "safety_is_the_same"];
    assert_eq!(lines(&text("features/fairness.rcp", &weak), "JUSTICE").len(), 2);
    let some = ["the_tool_comes_back_without_assumptions", weak[0]];
    assert_eq!(lines(&text("features/fairness.rcp", &some), "JUSTICE").len(), 0);
}

#[test]
fn json_points_to_earlier_entries_only() {
    for (_, model) in models() {
        let specs = linear(&model);
        let text = with(&model, |out, subject| json::write(out, subject, &specs));
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let list = |name: &str| document[name].as_array().expect("a list");
        for (index, term) in list("terms").iter().enumerate() {
            let operator = term[0].as_str().expect("an operator");
            let operands: Vec<&Value> = match operator {
                "bool" | "int" | "value" | "variable" | "input" => Vec::new(),
                "sum" => term[3].as_array().expect("operands").iter().collect(),
                "quotient" => vec![&term[1]],
                _ => term.as_array().expect("an entry").iter().skip(1).collect(),
            };
            assert!(operands.iter().all(|operand| operand.as_u64().expect("a place") < index as u64), "{term}");
        }
        let terms = list("terms").len() as u64;
        assert!(list("init").iter().all(|term| term.as_u64().expect("a place") < terms));
        assert!(list("events").iter().all(|event| event["guard"].as_u64().expect("a place") < terms));
        assert_eq!(list("specs").len(), specs.len());
        assert_eq!(list("events").last().expect("the stutter")["what"], "stutter");
    }
}

#[test]
fn the_texts_of_a_small_model() {
    let model = model(&source("features/label_timing.rcp"));
    insta::assert_snapshot!("smv", with(&model, |out, subject| smv::write(out, subject, &[0, 1])));
    insta::assert_snapshot!("vmt", with(&model, |out, subject| rcheck_smt::export::vmt::write(out, subject, 1, 0)));
    insta::assert_snapshot!(
        "chc",
        with(&model, |out, subject| rcheck_smt::export::chc::write(out, subject, 1, &[], 1))
    );
}
