//! Code lenses: the actions that can be clicked above specs and above the system.

use super::Subject;
use super::documents::Document;
use super::position::range;
use super::server::Client;
use super::verdicts::{CurrentAnswer, SpecFacts};
use crate::report::record::{Agreement, Check, Record, Verdict};
use crate::report::summary;
use crate::source::Span;
use lsp_types::{CodeLens, Command};
use serde_json::json;

/// The checks beyond specs, with their words.
pub const CHECKS: [(Check, &str); 3] =
    [(Check::Deadlock, "deadlock"), (Check::Overflow, "overflow"), (Check::DeadCode, "dead code")];

/// The code lenses of a text.
pub fn lenses(document: &Document, client: Client) -> Option<Vec<CodeLens>> {
    let Some(model) = document.model() else { return Some(Vec::new()) };
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
            let known = document.known(Subject::Check(check)).map(|known| format!(": {}", words_of_check(known)));
            let asked = document.key(Subject::Check(check)).is_some_and(|key| document.verdicts.is_asked(&key));
            let state = if asked { Some(": ..".to_owned()) } else { known };
            let title = format!("{name}{}", state.unwrap_or_default());
            add(head, title, "rcheck-smt.check", json!({"uri": uri, "check": check}));
        }
        if document.specs() > 0 {
            add(head, "prove all".to_owned(), "rcheck-smt.prove", json!({"uri": uri}));
        }
    }
    for number in 0..document.specs() {
        let subject = Subject::Spec(number);
        let (Some(key), Some(place)) = (document.key(subject), document.place_of_spec(number)) else { continue };
        let argument = json!({"uri": uri, "spec": number + 1});
        if document.verdicts.is_asked(&key) {
            let turning = if client.codicons { "$(sync~spin) " } else { "" };
            add(place, format!("{turning}running: cancel"), "rcheck-smt.cancel", argument.clone());
        } else if let Some(shown) = document.shown(subject).first() {
            let show = if client.shows_verdicts { "rcheck-smt.show" } else { "rcheck-smt.tell" };
            add(place, words(shown), show, argument.clone());
        }
        add(place, "prove".to_owned(), "rcheck-smt.prove", argument.clone());
        add(place, "bmc".to_owned(), "rcheck-smt.bmc", argument);
    }
    Some(lenses)
}

/// The facts known of a spec, in a line: the verdict, its time and its evidence.
pub fn words(shown: &CurrentAnswer) -> String {
    let record = shown.record;
    let mark = match record.verdict {
        Verdict::Holds => "✓ ",
        Verdict::Violated => "✗ ",
        _ => "",
    };
    let expected = expected(shown);
    let again = if record.loop_start.or(record.round_start).is_some() { " and so on for ever" } else { "" };
    let steps = record.depth.map(|depth| crate::words::count(depth, "step") + again);
    let evidence = match (&record.verdict, &record.proof, steps) {
        (Verdict::Violated, _, Some(steps)) => Some(steps),
        (Verdict::Clear, _, Some(steps)) => Some(format!("no counterexample up to {steps}")),
        (Verdict::Unknown, _, Some(steps)) => {
            let why = record.reason.as_ref().map(|why| format!("{why}, ")).unwrap_or_default();
            Some(format!("{why}no counterexample up to {steps}"))
        }
        (_, Some(proof), _) => Some(proof.clone()),
        _ => record.reason.clone(),
    };
    let parts = [Some(format!("{:.2} s", record.seconds.wall)), record.engine.clone(), evidence];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{mark}{}{}{expected} ({})", record.verdict.words(), summary::under(record), parts.join(", "))
}

/// How the verdict compares to what the text expects.
fn expected(shown: &CurrentAnswer) -> String {
    match (shown.agreement(), shown.unit.expect) {
        (Some(Agreement::Met), _) => summary::AS_EXPECTED.to_owned(),
        (Some(Agreement::Mismatch), Some(expect)) => format!(", {}", summary::unexpected(expect)),
        (Some(Agreement::Mismatch | Agreement::Open) | None, _) => String::new(),
    }
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
