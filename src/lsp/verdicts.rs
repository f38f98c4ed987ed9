//! What is known of the specs of a text: kept as long as nothing changes that it depends on.

use super::Subject;
use super::documents::Document;
use super::position::range;
use super::steps;
use crate::ide::{Analysis, depends};
use crate::report::record::{Agreement, Record, Verdict};
use crate::source::Span;
use lsp_types::{DiagnosticSeverity, NumberOrString};
use std::collections::HashMap;
use std::rc::Rc;

/// What an answer is about: the text that it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The system.
    pub system: Rc<str>,
    /// The spec, or the kind of check.
    pub question: String,
}

/// What is known of one spec, or of the checks of a kind.
#[derive(Clone, Debug)]
pub struct Known {
    /// The answers.
    pub records: Vec<Record>,
    /// The part of a violated spec that fails, from the beginning of the spec.
    pub failing: Option<Span>,
}

/// What is known, and what is being asked.
#[derive(Default)]
pub struct Verdicts {
    known: HashMap<Key, Known>,
    /// The questions that are being asked, by their numbers.
    pub asked: HashMap<u64, Key>,
}

impl Verdicts {
    /// What is known.
    pub fn get(&self, key: &Key) -> Option<&Known> {
        self.known.get(key)
    }

    /// Whether somebody asks.
    pub fn is_asked(&self, key: &Key) -> bool {
        self.asked.values().any(|asked| asked == key)
    }

    /// Keeps an answer.
    pub fn put(&mut self, key: Key, known: Known) {
        // Old texts come back by undoing, but not for ever.
        const MOST: usize = 1000;
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(key, known);
    }
}

impl Document {
    /// What an answer about a subject depends on; nothing if there is no such subject.
    pub fn key(&self, subject: Subject) -> Option<Key> {
        let analysis = self.analysis()?;
        let question = match subject {
            Subject::Spec(spec) => format!("spec {}", depends::spec(analysis, spec)?),
            Subject::Check(check) => format!("check {check:?}"),
        };
        Some(Key { system: self.system().into(), question })
    }

    /// Whether an answer that depends on this is still one about the text.
    pub fn asks(&self, key: &Key) -> bool {
        let Some(analysis) = self.analysis().filter(|_| self.system() == &*key.system) else { return false };
        let specs = (0..analysis.parsed.model.specs.len()).map(Subject::Spec);
        let checks = super::lenses::CHECKS.iter().map(|(check, _)| Subject::Check(*check));
        specs.chain(checks).any(|subject| self.key(subject).as_ref() == Some(key))
    }

    /// What is known of a subject.
    pub fn known(&self, subject: Subject) -> Option<&Known> {
        self.verdicts.get(&self.key(subject)?)
    }

    /// Marks the parts of specs that fail.
    pub(super) fn violations(&self, analysis: &Analysis) -> Vec<lsp_types::Diagnostic> {
        if self.verdicts.known.is_empty() {
            return Vec::new();
        }
        let specs = analysis.parsed.model.specs.iter().enumerate();
        let marks = specs.filter_map(|(number, spec)| {
            let known = self.known(Subject::Spec(number))?;
            let record = known.records.first().filter(|record| record.verdict == Verdict::Violated)?;
            let place = known.failing.map_or(spec.formula.span, |part| Span {
                start: (spec.span.start + part.start).min(spec.span.end),
                end: (spec.span.start + part.end).min(spec.span.end),
            });
            let severity = match record.agreement {
                Some(Agreement::Met) => DiagnosticSeverity::HINT,
                Some(_) => DiagnosticSeverity::ERROR,
                None => DiagnosticSeverity::WARNING,
            };
            let steps = crate::words::count(record.depth.unwrap_or_default(), "step");
            let again = if record.loop_start.or(record.round_start).is_some() { ", and so on for ever" } else { "" };
            let expected = if severity == DiagnosticSeverity::HINT { ", as expected" } else { "" };
            Some(lsp_types::Diagnostic {
                range: range(self.source(), place),
                severity: Some(severity),
                code: Some(NumberOrString::String("violated".to_owned())),
                source: Some("rcheck-smt".to_owned()),
                message: format!("violated{expected}: this part is false on a run of {steps}{again}"),
                ..lsp_types::Diagnostic::default()
            })
        });
        marks.collect()
    }

    /// Keeps answers about a subject that was asked about under this key.
    pub fn answered(&mut self, key: Key, records: Vec<Record>) {
        let failing = self.failing(&key, &records);
        self.verdicts.put(key, Known { records, failing });
    }

    /// The part of a spec that fails, from the beginning of the spec.
    fn failing(&self, key: &Key, records: &[Record]) -> Option<Span> {
        let analysis = self.analysis()?;
        let number =
            (0..analysis.parsed.model.specs.len()).find(|&it| self.key(Subject::Spec(it)).as_ref() == Some(key))?;
        let trace = records.first()?.trace.as_ref()?;
        let place = steps::failing_part(analysis, number, &trace.to_string())?;
        let start = analysis.parsed.model.specs[number].span.start;
        Some(Span { start: place.start.checked_sub(start)?, end: place.end.checked_sub(start)? })
    }
}
