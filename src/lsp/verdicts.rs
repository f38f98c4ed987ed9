//! The facts known of the specs of a text: kept as long as nothing changes that it depends on.
//!
//! The verdict is kept with its evidence. Names, lines and expectations are those of the text as it is when it looks
//! ([`CurrentAnswer`]), so that specs that say the same share what is known, and nothing else.

use super::Subject;
use super::documents::{Digest, Document, Reading};
use super::position::range;
use super::steps;
use crate::ide::{depends, parts};
use crate::model::checks::checks;
use crate::report::record::{Agreement, Check, Record, Unit, Verdict};
use lsp_types::{DiagnosticSeverity, NumberOrString};
use std::collections::HashMap;

/// The text that an answer depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The hash of the system.
    system: Digest,
    /// The spec, or the kind of check.
    question: String,
}

/// A question that is being asked, however the text changes meanwhile.
#[derive(Clone, Debug)]
pub struct PendingQuestion {
    /// The text that its answer depends on.
    pub key: Key,
    /// Which of the specs of which that is true, from 0.
    place: usize,
}

/// The facts known of one spec, or of the checks of a kind.
#[derive(Clone, Debug)]
pub struct SpecFacts {
    /// The answers.
    pub records: Vec<Record>,
    /// The part of a violated spec that fails, as [`parts`] counts them.
    failing: Option<usize>,
}

/// An answer, as the text asks for it now.
#[derive(Clone, Debug)]
pub struct CurrentAnswer<'k> {
    /// The spec or check.
    pub unit: Unit,
    /// The answer.
    pub record: &'k Record,
}

impl CurrentAnswer<'_> {
    /// How the answer compares to what is expected.
    pub fn agreement(&self) -> Option<Agreement> {
        self.record.compared_to(&self.unit)
    }
}

/// The answers that are known, and the questions that are being asked.
#[derive(Default)]
pub struct Verdicts {
    known: HashMap<Key, SpecFacts>,
    /// The questions that are being asked, by their numbers.
    pub asked: HashMap<u64, PendingQuestion>,
}

impl Verdicts {
    /// The facts known.
    pub fn get(&self, key: &Key) -> Option<&SpecFacts> {
        self.known.get(key)
    }

    /// True if an answer is wanted.
    pub fn is_asked(&self, key: &Key) -> bool {
        self.asked.values().any(|asked| asked.key == *key)
    }

    /// Keeps an answer.
    fn put(&mut self, key: Key, known: SpecFacts) {
        // Old texts come back by undoing, but not for ever.
        const MOST: usize = 1000;
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(key, known);
    }
}

impl Document {
    /// The text that an answer about a subject depends on; nothing if there is no such subject.
    pub fn key(&self, subject: Subject) -> Option<Key> {
        let question = match (self.reading()?, subject) {
            (Reading::Ours(analysis), Subject::Spec(spec)) => format!("spec {}", depends::spec(analysis, spec)?),
            (Reading::Ours(analysis), Subject::Check(check)) => {
                format!("check {check:?} {}", depends::commands(analysis))
            }
            (Reading::Ispl(model, _), Subject::Spec(spec)) => {
                format!("spec {}", model.as_ref()?.specs.get(spec)?.text.as_ref()?)
            }
            (Reading::Ispl(..), Subject::Check(check)) => format!("check {check:?}"),
            (Reading::Clauses(_), _) => return None,
        };
        Some(Key { system: self.system(), question })
    }

    /// The specs whose answers depend on this.
    fn specs_of<'d>(&'d self, key: &'d Key) -> impl Iterator<Item = usize> + 'd {
        let is_same = self.system() == key.system;
        let specs = if is_same { 0..self.specs() } else { 0..0 };
        specs.filter(move |spec| self.key(Subject::Spec(*spec)).as_ref() == Some(key))
    }

    /// A question about a subject; nothing if there is no such subject.
    pub fn question(&self, subject: Subject) -> Option<PendingQuestion> {
        let key = self.key(subject)?;
        let place = match subject {
            Subject::Spec(spec) => self.specs_of(&key).position(|other| other == spec)?,
            Subject::Check(_) => 0,
        };
        Some(PendingQuestion { key, place })
    }

    /// The subject of a question in the text as it is now; nothing if that is gone.
    pub fn subject(&self, asked: &PendingQuestion) -> Option<Subject> {
        let specs: Vec<usize> = self.specs_of(&asked.key).collect();
        let spec = specs.get(asked.place).or(specs.last()).copied().map(Subject::Spec);
        let mut checks = super::lenses::CHECKS.iter().map(|(check, _)| Subject::Check(*check));
        spec.or_else(|| checks.find(|check| self.key(*check).as_ref() == Some(&asked.key)))
    }

    /// The facts known of a subject.
    pub fn known(&self, subject: Subject) -> Option<&SpecFacts> {
        self.verdicts.get(&self.key(subject)?)
    }

    /// The same, as the text asks for it now: one answer for a spec, one for each check of a kind.
    pub fn shown(&self, subject: Subject) -> Vec<CurrentAnswer<'_>> {
        self.known(subject).map_or_else(Vec::new, |known| self.as_asked(subject, &known.records))
    }

    /// Answers about a subject, as the text asks for them now.
    pub fn as_asked<'k>(&self, subject: Subject, records: &'k [Record]) -> Vec<CurrentAnswer<'k>> {
        let units = self.units(subject);
        let shown = records.iter().enumerate().map(|(place, record)| {
            // A record without spec and check is about the file as a whole: there is no answer.
            let is_answer = record.unit.spec.is_some() || record.unit.check.is_some();
            let unit = units.get(place).filter(|_| is_answer).unwrap_or(&record.unit).clone();
            CurrentAnswer { unit, record }
        });
        shown.collect()
    }

    /// The units to answer about a subject.
    fn units(&self, subject: Subject) -> Vec<Unit> {
        let Some(model) = self.model() else { return Vec::new() };
        // The hash of a text that is open is not compared.
        let unit = |number, spec| Unit { sha256: None, ..Unit::spec(self.source(), "", number, spec) };
        match subject {
            Subject::Spec(number) => model.specs.get(number).map(|spec| unit(number, spec)).into_iter().collect(),
            Subject::Check(check) => checks(model, Check::kinds(&[check])).iter().map(|spec| unit(0, spec)).collect(),
        }
    }

    /// Marks the parts of specs that fail.
    pub(super) fn violations(&self) -> Vec<lsp_types::Diagnostic> {
        if self.verdicts.known.is_empty() {
            return Vec::new();
        }
        let marks = (0..self.specs()).filter_map(|number| {
            let known = self.known(Subject::Spec(number))?;
            let shown = self.as_asked(Subject::Spec(number), &known.records);
            let shown = shown.first().filter(|shown| shown.record.verdict == Verdict::Violated)?;
            let severity = match shown.agreement() {
                Some(Agreement::Met) => DiagnosticSeverity::HINT,
                Some(_) => DiagnosticSeverity::ERROR,
                None => DiagnosticSeverity::WARNING,
            };
            let record = shown.record;
            let steps = crate::words::count(record.depth.unwrap_or_default(), "step");
            let again = if record.loop_start.or(record.round_start).is_some() { ", and so on for ever" } else { "" };
            let expected = if severity == DiagnosticSeverity::HINT { ", as expected" } else { "" };
            let part = self.analysis().and_then(|analysis| parts::place(analysis, number, known.failing));
            Some(lsp_types::Diagnostic {
                range: range(self.source(), part.or_else(|| self.place_of_spec(number))?),
                severity: Some(severity),
                code: Some(NumberOrString::String("violated".to_owned())),
                source: Some("rcheck-smt".to_owned()),
                message: format!("violated{expected}: this part is false on a run of {steps}{again}"),
                ..lsp_types::Diagnostic::default()
            })
        });
        marks.collect()
    }

    /// Keeps answers about a subject that was asked about under this key, as far as they say more than what was known.
    pub fn answered(&mut self, key: Key, records: &[Record]) {
        let mut records = records.to_vec();
        if let Some(known) = self.verdicts.get(&key).filter(|known| known.records.len() == records.len()) {
            known.records.iter().zip(&mut records).for_each(|(before, now)| add(before, now));
        }
        let failing = self.failing(&key, &records);
        self.verdicts.put(key, SpecFacts { records, failing });
    }

    /// The part of a spec that fails.
    fn failing(&self, key: &Key, records: &[Record]) -> Option<usize> {
        let number = self.specs_of(key).next()?;
        let trace = records.first()?.trace.as_ref()?;
        steps::failing_part(self, number, trace)
    }
}

/// Adds what was known before to what is known now: a verdict on all runs says more than a search that ended, and the steps that
/// are known to be without a counterexample stay so.
fn add(before: &Record, now: &mut Record) {
    let decides = |record: &Record| record.verdict.is_proved() || record.verdict.is_shown();
    if decides(now) {
        return;
    }
    let is_deeper = before.verdict == Verdict::Clear && now.verdict == Verdict::Clear && before.depth > now.depth;
    if decides(before) || is_deeper {
        *now = before.clone();
    } else {
        now.depth = now.depth.max(before.depth);
    }
}
