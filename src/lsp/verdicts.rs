//! The facts known of the specs of a text: kept as long as nothing changes that it depends on.
//!
//! The verdict is kept with its evidence. Names, lines and expectations are those of the text as it is when it looks
//! ([`CurrentAnswer`]), so that specs that say the same share what is known, and nothing else.

use crate::report::record::{Agreement, Record, Unit, Verdict};
use crate::report::summary;

/// A hash (SHA-256).
pub type Digest = [u8; 32];

/// The text that an answer depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuestionKey {
    /// The hash of the system.
    pub system: Digest,
    /// The spec, or the kind of check.
    pub question: String,
}

/// A question that is being asked, however the text changes meanwhile.
#[derive(Clone, Debug)]
pub struct PendingQuestion {
    /// The text that its answer depends on.
    pub key: QuestionKey,
    /// Which of the specs of which that is true, from 0.
    pub place: usize,
}

/// The facts known of one spec, or of the checks of a kind.
#[derive(Clone, Debug)]
pub struct SpecFacts {
    /// The answers.
    pub records: Vec<Record>,
    /// The part of a violated spec that fails, as [`crate::ide::parts`] counts them.
    pub failing: Option<usize>,
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

    /// The answer in a line: the verdict, its time and its evidence.
    pub fn words(&self) -> String {
        let record = self.record;
        let mark = match record.verdict {
            Verdict::Holds => "✓ ",
            Verdict::Violated => "✗ ",
            _ => "",
        };
        let expected = self.expected();
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
    fn expected(&self) -> String {
        match (self.agreement(), self.unit.expect) {
            (Some(Agreement::Met), _) => summary::AS_EXPECTED.to_owned(),
            (Some(Agreement::Mismatch), Some(expect)) => format!(", {}", summary::unexpected(expect)),
            (Some(Agreement::Mismatch | Agreement::Open) | None, _) => String::new(),
        }
    }
}

/// Adds what was known before to what is known now: a verdict on all runs says more than a search that ended, and the steps that
/// are known to be without a counterexample stay so.
pub fn add(before: &Record, now: &mut Record) {
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
