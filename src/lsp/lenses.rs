//! Code lenses: the actions that can be clicked above specs and above the system.

use super::client::OwnAbilities;
use super::documents::Document;
use super::position::range;
use super::verdicts::{QuestionKey, SpecFacts};
use super::verifier::{CHECKS, SpecOrChecks};
use crate::report::record::{Check, Record, Verdict};
use crate::source::Span;
use lsp_types::{CodeLens, Command};
use serde_json::json;

/// The code lenses of a text, of which these questions are asked.
pub fn lenses(document: &Document, client: OwnAbilities, asked: &[&QuestionKey]) -> Vec<CodeLens> {
    let Some(model) = document.model() else { return Vec::new() };
    let uri = document.uri.as_str();
    let mut lenses = Vec::new();
    let mut add = |span: Span, title: String, command: &str, argument: serde_json::Value| {
        let (command, arguments) = (command.to_owned(), Some(vec![argument]));
        let range = range(document.source(), span);
        lenses.push(CodeLens { range, command: Some(Command { title, command, arguments }), data: None });
    };
    // Lenses about the whole stand at the system; in a language without such a line, at the beginning.
    let head = match document.analysis() {
        Some(analysis) => analysis.parsed.model.system.first().map(|first| first.agent.span),
        None => Some(Span::default()),
    };
    if let Some(head) = head {
        let has_commands = model.joint.is_none();
        for (check, name) in CHECKS.into_iter().filter(|(check, _)| has_commands || *check != Check::DeadCode) {
            let known = document.known(SpecOrChecks::Checks(check)).map(|known| format!(": {}", words_of_check(known)));
            let is_asked = document.key(SpecOrChecks::Checks(check)).is_some_and(|key| asked.contains(&&key));
            let state = if is_asked { Some(": ..".to_owned()) } else { known };
            let title = format!("{name}{}", state.unwrap_or_default());
            add(head, title, "rcheck-smt.check", json!({"uri": uri, "check": check}));
        }
        if document.specs() > 0 {
            add(head, "prove all".to_owned(), "rcheck-smt.prove", json!({"uri": uri}));
        }
    }
    for number in 0..document.specs() {
        let subject = SpecOrChecks::Spec(number);
        let (Some(key), Some(place)) = (document.key(subject), document.place_of_spec(number)) else { continue };
        let argument = json!({"uri": uri, "spec": number + 1});
        if asked.contains(&&key) {
            let turning = if client.codicons { "$(sync~spin) " } else { "" };
            add(place, format!("{turning}running: cancel"), "rcheck-smt.cancel", argument.clone());
        } else if let Some(shown) = document.shown(subject).first() {
            let show = if client.shows_verdicts { "rcheck-smt.show" } else { "rcheck-smt.tell" };
            add(place, shown.words(), show, argument.clone());
        }
        add(place, "prove".to_owned(), "rcheck-smt.prove", argument.clone());
        add(place, "bmc".to_owned(), "rcheck-smt.bmc", argument);
    }
    lenses
}

/// The facts known of the checks of a kind, in a few words.
fn words_of_check(known: &SpecFacts) -> String {
    let Some(first) = known.records.first() else { return "nothing to check".to_owned() };
    let bad = |record: &&Record| !matches!(record.verdict, Verdict::Impossible | Verdict::Taken);
    let worst = known.records.iter().find(bad).unwrap_or(first);
    match known.records.len() {
        1 => worst.verdict.words().to_owned(),
        all => {
            let good = known.records.iter().filter(|record| !bad(record)).count();
            if good == all {
                format!("{} ({all})", first.verdict.words())
            } else {
                format!("{} of {all} to look at", all - good)
            }
        }
    }
}
