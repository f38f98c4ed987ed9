//! The facts known of the specs and checks of a text, as the text is now.

use super::documents::{Document, Reading};
use super::steps;
use super::verdicts::{CurrentAnswer, PendingQuestion, QuestionKey, SpecFacts, add};
use super::verifier::{CHECKS, SpecOrChecks};
use crate::ide::depends;
use crate::model::checks::checks;
use crate::report::record::{Check, Record, Unit};

/// How many verdicts are kept: old texts come back by undoing, but not for ever.
const MOST: usize = 1000;

impl Document {
    /// The text that an answer about a subject depends on; nothing if there is no such subject.
    pub fn key(&self, subject: SpecOrChecks) -> Option<QuestionKey> {
        let question = match (self.reading()?, subject) {
            (Reading::Ours(analysis), SpecOrChecks::Spec(spec)) => format!("spec {}", depends::spec(analysis, spec)?),
            (Reading::Ours(analysis), SpecOrChecks::Checks(check)) => {
                format!("check {check:?} {}", depends::commands(analysis))
            }
            (Reading::Ispl(model, _), SpecOrChecks::Spec(spec)) => {
                format!("spec {}", model.as_ref()?.specs.get(spec)?.text.as_ref()?)
            }
            (Reading::Ispl(..), SpecOrChecks::Checks(check)) => format!("check {check:?}"),
            (Reading::Clauses(_), _) => return None,
        };
        Some(QuestionKey { system: self.system(), question })
    }

    /// The specs whose answers depend on this.
    fn specs_of<'d>(&'d self, key: &'d QuestionKey) -> impl Iterator<Item = usize> + 'd {
        let is_same = self.system() == key.system;
        let specs = if is_same { 0..self.specs() } else { 0..0 };
        specs.filter(move |spec| self.key(SpecOrChecks::Spec(*spec)).as_ref() == Some(key))
    }

    /// A question about a subject; nothing if there is no such subject.
    pub fn question(&self, subject: SpecOrChecks) -> Option<PendingQuestion> {
        let key = self.key(subject)?;
        let place = match subject {
            SpecOrChecks::Spec(spec) => self.specs_of(&key).position(|other| other == spec)?,
            SpecOrChecks::Checks(_) => 0,
        };
        Some(PendingQuestion { key, place })
    }

    /// The subject of a question in the text as it is now; nothing if that is gone.
    pub fn subject(&self, asked: &PendingQuestion) -> Option<SpecOrChecks> {
        let specs: Vec<usize> = self.specs_of(&asked.key).collect();
        let spec = specs.get(asked.place).or(specs.last()).copied().map(SpecOrChecks::Spec);
        let mut checks = CHECKS.iter().map(|(check, _)| SpecOrChecks::Checks(*check));
        spec.or_else(|| checks.find(|check| self.key(*check).as_ref() == Some(&asked.key)))
    }

    /// The facts known of a subject.
    pub fn known(&self, subject: SpecOrChecks) -> Option<&SpecFacts> {
        self.verdicts.get(&self.key(subject)?)
    }

    /// The same, as the text asks for it now: one answer for a spec, one for each check of a kind.
    pub fn shown(&self, subject: SpecOrChecks) -> Vec<CurrentAnswer<'_>> {
        self.known(subject).map_or_else(Vec::new, |known| self.as_asked(subject, &known.records))
    }

    /// Answers about a subject, as the text asks for them now.
    pub fn as_asked<'k>(&self, subject: SpecOrChecks, records: &'k [Record]) -> Vec<CurrentAnswer<'k>> {
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
    fn units(&self, subject: SpecOrChecks) -> Vec<Unit> {
        let Some(model) = self.model() else { return Vec::new() };
        // The hash of a text that is open is not compared.
        let unit = |number, spec| Unit { sha256: None, ..Unit::spec(self.source(), "", number, spec) };
        match subject {
            SpecOrChecks::Spec(number) => model.specs.get(number).map(|spec| unit(number, spec)).into_iter().collect(),
            SpecOrChecks::Checks(check) => {
                checks(model, Check::kinds(&[check])).iter().map(|spec| unit(0, spec)).collect()
            }
        }
    }

    /// Keeps answers about a subject that was asked about under this key, as far as they say more than what was known.
    pub fn answered(&mut self, key: QuestionKey, records: &[Record]) {
        let mut records = records.to_vec();
        if let Some(known) = self.verdicts.get(&key).filter(|known| known.records.len() == records.len()) {
            known.records.iter().zip(&mut records).for_each(|(before, now)| add(before, now));
        }
        let failing = self.failing(&key, &records);
        if self.verdicts.len() >= MOST {
            self.verdicts.clear();
        }
        self.verdicts.insert(key, SpecFacts { records, failing });
    }

    /// The part of a spec that fails.
    fn failing(&self, key: &QuestionKey, records: &[Record]) -> Option<usize> {
        let number = self.specs_of(key).next()?;
        let trace = records.first()?.trace.as_ref()?;
        steps::failing_part(self, number, trace)
    }
}
