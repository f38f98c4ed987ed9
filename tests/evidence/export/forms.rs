//! The form of what is written: SMV, JSON.

use crate::common::{model, shipped, source};
use rcheck_smt::export::{Subject, json, smv};
use rcheck_smt::model::Model;
use serde_json::Value;
use std::collections::HashSet;

fn with(model: &Model, write: impl Fn(&mut Vec<u8>, Subject) -> std::io::Result<()>) -> String {
    let mut text = Vec::new();
    write(&mut text, Subject { model, file: "model.rcp" }).expect("writing to memory works");
    String::from_utf8(text).expect("text").replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

fn all_specs(model: &Model) -> Vec<usize> {
    (0..model.specs.len()).collect()
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

/// What an SMV text declares: variables, constants, definitions.
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
        "MODULE main VAR DEFINE INIT INVAR TRANS LTLSPEC case esac TRUE FALSE next boolean integer X G F U V";
    let keywords: HashSet<String> = keywords.split_whitespace().map(str::to_owned).collect();
    for path in shipped() {
        let model = model(&source(&path));
        if model.specs.iter().any(|spec| spec.formula.is_branching()) {
            // No form can say it: `cli::export` refuses such specs.
            continue;
        }
        let text = with(&model, |out, subject| smv::write(out, subject, &all_specs(&model)));
        let declared = declared(&text);
        for name in identifiers(&text) {
            assert!(keywords.contains(&name) || declared.contains(&name), "{}: {name}", path.display());
        }
        let parts: usize = model.specs.iter().map(|spec| spec.formula.conjuncts().len()).sum();
        assert_eq!(text.matches("\nLTLSPEC ").count(), parts, "{}", path.display());
    }
}

#[test]
fn json_points_to_earlier_entries_only() {
    for path in shipped() {
        let model = model(&source(&path));
        if model.specs.iter().any(|spec| spec.formula.is_branching()) {
            // No form can say it: `cli::export` refuses such specs.
            continue;
        }
        let text = with(&model, |out, subject| json::write(out, subject, &all_specs(&model)));
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
        assert_eq!(list("specs").len(), model.specs.len());
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
