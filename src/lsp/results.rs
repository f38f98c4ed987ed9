//! A model, and the facts known of its specs and checks, as clients get them.

use super::documents::Document;
use super::jobs::Job;
use super::position::range;
use super::steps;
use super::verdicts::CurrentAnswer;
use super::verifier::{SpecOrChecks, TextQuestion};
use crate::model::Model;
use crate::report::record::{Record, Verdict};
use serde_json::{Value, json};

/// A model in a few words: its specs, its instances, and its agent types in the order of their automata.
pub fn overview(document: &Document, model: &Model) -> Value {
    let specs = model.specs.iter().zip(0..).filter_map(|(spec, number)| {
        let range = range(document.source(), document.place_of_spec(number)?);
        let text = spec.text.as_deref().unwrap_or_default();
        Some(json!({"spec": number + 1, "name": spec.name, "text": text, "range": range}))
    });
    let instances = model.instance_ids().map(|id| {
        let (name, agent) = (&model.instances[id.index()].name, &model.agent_of(id).name);
        json!({"name": name, "agent": agent})
    });
    json!({
        "specs": specs.collect::<Vec<_>>(),
        "instances": instances.collect::<Vec<_>>(),
        "agents": model.agents.iter().map(|agent| &agent.name).collect::<Vec<_>>(),
    })
}

/// The facts known of a spec, for people whose editor shows nothing but messages.
pub fn tell(document: &Document, spec: usize) -> Option<String> {
    const MOST: usize = 40;
    let shown = document.shown(SpecOrChecks::Spec(spec));
    let shown = shown.first()?;
    let mut lines = vec![format!("spec {}: {}", shown.unit.label(), shown.words())];
    let trace = shown.record.trace.as_ref().and_then(|trace| steps::trace(document, spec, trace));
    let steps = trace.into_iter().flat_map(|trace| trace.steps);
    lines.extend(steps.enumerate().map(|(number, step)| format!("{}. {}", number + 1, step.words)));
    lines.extend(shown.record.explanation.iter().flat_map(|text| text.lines()).map(str::to_owned));
    if lines.len() > MOST {
        lines.truncate(MOST);
        lines.push("..".to_owned());
    }
    Some(lines.join("\n"))
}

/// The counterexample to a spec, as its file.
pub fn trace_of(document: &Document, spec: usize) -> Result<&Value, String> {
    let record = document.known(SpecOrChecks::Spec(spec)).and_then(|known| known.records.first());
    let trace = record.and_then(|record| record.trace.as_ref());
    trace.ok_or_else(|| "no counterexample to the spec is known".to_owned())
}

/// The facts known of a subject, for editors.
pub fn results(document: &Document, subject: SpecOrChecks) -> Vec<Value> {
    document.shown(subject).iter().map(|shown| result(document, subject, shown)).collect()
}

/// The outcome of a question, for editors: about the spec or check that it is about in the present text, or that this is gone.
pub fn answers(document: Option<&Document>, job: &Job, records: &[Record]) -> Vec<Value> {
    let present = document.and_then(|document| Some((document, document.subject(&job.asked)?)));
    let Some((document, subject)) = present else {
        return vec![json!({
            "spec": Value::Null,
            "gone": true,
            "check": job.question.subject.check(),
            "verdict": Verdict::Unknown,
            "agreement": Value::Null,
            "words": "the text was changed, and what was asked about is gone",
            "seconds": 0,
            "evidence": [],
            "hasTrace": false,
        })];
    };
    document.as_asked(subject, records).iter().map(|shown| result(document, subject, shown)).collect()
}

/// A result, for editors. Its spec and line are those of the text with this version.
fn result(document: &Document, subject: SpecOrChecks, shown: &CurrentAnswer) -> Value {
    let spec = match subject {
        SpecOrChecks::Spec(spec) => Some(spec + 1),
        SpecOrChecks::Checks(_) => None,
    };
    let CurrentAnswer { unit, record } = shown;
    json!({
        "spec": spec,
        "gone": false,
        "version": document.version,
        "check": unit.check,
        "name": unit.name,
        "line": unit.line,
        "text": unit.text,
        "verdict": record.verdict,
        "agreement": shown.agreement(),
        "words": shown.words(),
        "seconds": record.seconds.wall,
        "evidence": record.evidence,
        "hasTrace": record.trace.is_some(),
        "asksForStrategy": !record.abilities.is_empty(),
        "hasStrategy": record.abilities.iter().any(|ability| ability.model.is_some()),
    })
}

/// Why the certificate of a verdict was not written, if one was asked for.
pub fn unwritten(question: &TextQuestion, records: &[Record]) -> Option<String> {
    let folder = question.certificates.as_ref()?;
    let has_evidence = |record: &&Record| record.verdict.is_proved() || record.verdict.is_shown();
    let record = records.iter().filter(has_evidence).find(|record| record.evidence.is_empty())?;
    let why = record.reason.clone().unwrap_or_else(|| "no reason is known".to_owned());
    Some(format!("no certificate was written to {}: {why}", folder.display()))
}
