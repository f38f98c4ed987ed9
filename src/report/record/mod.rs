//! Results for programs: one record per spec, the schema of `docs/results.md`.
//!
//! A record says what was asked ([`Unit`], [`Settings`]) and what came of it. It is made before the work begins, as
//! an internal error, and filled in by the code that knows the answer; so nothing that goes wrong on the way can leave a
//! verdict behind.

mod ability;
mod id;
mod words;

pub use crate::model::spec::Expectation;
pub use ability::{Ability, RefusedCommand};
pub use id::Named;
pub use words::{Agreement, Cause, Check, Finding, Mode, Tone, Verdict};

use super::human;
use super::round::round_of;
use crate::check::{self, Counterexample, Ending};
use crate::limits::Reason;
use crate::model::{Constants, Model, Spec, show_constants};
use crate::smt;
use crate::source::SourceFile;
use crate::trace_file::{self, About, Format};
use crate::verify::{Engine, Outcome, UnderFairness};
use crate::words::shorten;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The version of the schema. It grows whenever a reader of an older one could misunderstand a record; new fields
/// alone leave it as it is.
pub const SCHEMA: u32 = 2;

/// A unit of work: one spec of one model, one check beyond its specs, or a file as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// The file, as the user named it.
    pub model: String,
    /// The hash of its content; missing if it cannot be read.
    pub sha256: Option<String>,
    /// The values that `--const` gives constants.
    #[serde(default)]
    pub constants: Constants,
    /// The number of the spec, from 1; missing for a check and for a file as a whole.
    pub spec: Option<usize>,
    /// The kind of the check, if it is one. Version 1 of the schema had none.
    #[serde(default)]
    pub check: Option<Check>,
    /// The name of the spec, if it has one; that of the check.
    pub name: Option<String>,
    /// The line where the spec begins, or the command that is checked, from 1.
    pub line: Option<usize>,
    /// The spec, or the command, as it stands in the file.
    pub text: Option<String>,
    /// The expected verdict.
    pub expect: Option<Expectation>,
}

impl Unit {
    /// A file as a whole.
    pub fn file(model: &str, sha256: Option<String>) -> Unit {
        let (model, constants) = (model.to_owned(), Constants::new());
        Unit { model, sha256, constants, spec: None, check: None, name: None, line: None, text: None, expect: None }
    }

    /// The spec or check with this index.
    pub fn spec(source: &SourceFile, sha256: &str, index: usize, spec: &Spec) -> Unit {
        let text: Vec<&str> = source.slice(spec.span).split_whitespace().collect();
        let check = spec.question.map(Check::from);
        // A deadlock has no place in the file.
        let in_file = check != Some(Check::Deadlock);
        Unit {
            spec: check.is_none().then_some(index + 1),
            check,
            name: spec.name.clone(),
            line: in_file.then(|| source.line_column(spec.span.start).line),
            text: in_file.then(|| text.join(" ")),
            expect: spec.expect,
            ..Unit::file(source.name(), Some(sha256.to_owned()))
        }
    }

    /// The same, with these constants.
    pub fn given(self, constants: &Constants) -> Unit {
        Unit { constants: constants.clone(), ..self }
    }

    /// The file and what constants are, as people see it.
    pub fn place(&self) -> String {
        self.place_with("")
    }

    /// The same with the line, in the form that editors and terminals follow.
    pub fn line_and_place(&self) -> String {
        self.place_with(&self.line.map_or(String::new(), |line| format!(":{line}")))
    }

    fn place_with(&self, line: &str) -> String {
        match self.constants.is_empty() {
            true => format!("{}{line}", self.model),
            false => format!("{}{line} ({})", self.model, show_constants(&self.constants)),
        }
    }

    /// As people refer to it inside of its file.
    pub fn label(&self) -> String {
        match (self.spec, &self.name) {
            (None, Some(check)) => check.clone(),
            (None, None) => "(file)".to_owned(),
            (Some(number), Some(name)) => format!("{number} {name}"),
            (Some(number), None) => format!("{number} {}", shorten(self.text.as_deref().unwrap_or_default())),
        }
    }

    /// The statement of a run about it, in words.
    pub fn shown(&self) -> String {
        match self.check {
            None => format!("violates spec {}", self.label()),
            Some(_) => format!("{}: {}", self.label(), Verdict::shown(self.check).words()),
        }
    }
}

/// How the question is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The kind of question.
    pub mode: Mode,
    /// The greatest number of steps of a counterexample; missing if there is no bound.
    pub bound: Option<usize>,
    /// The engines that may be used.
    pub engines: Vec<Engine>,
    /// The dialect that the user asked for.
    pub dialect: Option<String>,
    /// The limit of time, in seconds.
    pub timeout: Option<f64>,
    /// The limit of memory, in megabytes.
    pub memory_limit: Option<u32>,
}

impl Settings {
    /// Without any limit.
    #[cfg(test)]
    pub fn of(mode: Mode) -> Settings {
        Settings { mode, bound: None, engines: Vec::new(), dialect: None, timeout: None, memory_limit: None }
    }
}

/// Times of the parts of the work, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// By the clock.
    pub wall: f64,
    /// Of the processor; only known where a process does one thing at a time.
    pub cpu: Option<f64>,
    /// Building formulas and telling them to the solver.
    pub encoding: f64,
    /// Searching.
    pub solving: f64,
}

/// Versions that a result depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Of this tool.
    pub tool: String,
    /// Of Z3.
    pub z3: String,
}

impl Versions {
    /// Those of this process.
    pub fn present() -> Versions {
        Versions { tool: env!("CARGO_PKG_VERSION").to_owned(), z3: smt::version().to_owned() }
    }
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`]
    pub schema: u32,
    /// [`Unit::id`]. Records of earlier versions have none.
    #[serde(default)]
    pub id: String,
    /// The question.
    #[serde(flatten)]
    pub unit: Unit,
    /// How it was asked.
    #[serde(flatten)]
    pub settings: Settings,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is not more.
    pub cause: Option<Cause>,
    /// The same in words.
    pub reason: Option<String>,
    /// The number of steps of the counterexample; without one, the greatest depth that is known to have none.
    pub depth: Option<usize>,
    /// The first position of the loop of the counterexample, if it has one.
    pub loop_start: Option<usize>,
    /// The position where the steps start that the counterexample repeats for ever with other values, if it does.
    #[serde(default)]
    pub round_start: Option<usize>,
    /// How this compares to what is expected; missing if nothing is, or if there is no verdict to compare.
    pub agreement: Option<Agreement>,
    /// The engines whose claims the answer rests on.
    pub engine: Option<String>,
    /// The evidence of the proof, in words.
    pub proof: Option<String>,
    /// Why the spec holds, in words, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// The answers to what groups can bring about by what their members see, if the spec asks for that at its beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub abilities: Vec<Ability>,
    /// The counterexample, as [`crate::trace_file`] describes it.
    pub trace: Option<Value>,
    /// Conditions of the spec that never come true, so that it holds vacuously. Version 1 of the schema had none.
    #[serde(default)]
    pub vacuous: Vec<String>,
    /// How many assumptions the verdict stands under.
    #[serde(default)]
    pub assumptions: usize,
    /// The assumptions, as formulas.
    #[serde(default)]
    pub assumed: Vec<String>,
    /// Assumptions of fairness under which a violated spec holds, as a file has them, if some were looked for and found.
    #[serde(default)]
    pub holds_under: Vec<String>,
    /// Claims of engines that did not survive their check, as errors of the tool to be reported, whatever the verdict.
    #[serde(default)]
    pub refused: Vec<String>,
    /// The files with the evidence.
    pub evidence: Vec<PathBuf>,
    /// The findings of the front end: in records of files only.
    pub findings: Vec<Finding>,
    /// Times of the parts of the work.
    pub seconds: Seconds,
    /// The most memory that the process used meanwhile, in megabytes; only known where a process does one thing at a
    /// time.
    pub peak_memory: Option<f64>,
    /// The versions of the tool and its solvers.
    pub versions: Versions,
}

impl Record {
    /// A record without an answer.
    pub fn new(unit: Unit, settings: Settings) -> Record {
        Record {
            schema: SCHEMA,
            id: unit.id(),
            unit,
            settings,
            verdict: Verdict::InternalError,
            cause: None,
            reason: Some("there was no answer".to_owned()),
            depth: None,
            loop_start: None,
            round_start: None,
            agreement: None,
            engine: None,
            proof: None,
            explanation: None,
            abilities: Vec::new(),
            trace: None,
            vacuous: Vec::new(),
            assumptions: 0,
            assumed: Vec::new(),
            holds_under: Vec::new(),
            refused: Vec::new(),
            evidence: Vec::new(),
            findings: Vec::new(),
            seconds: Seconds::default(),
            peak_memory: None,
            versions: Versions::present(),
        }
    }

    /// Why the spec holds vacuously, for each reason a few words.
    pub fn vacuity(&self) -> impl Iterator<Item = String> {
        self.vacuous.iter().map(|condition| match condition.as_str() {
            "true" => "there is no initial state".to_owned(),
            condition => format!("`{condition}` never happens"),
        })
    }

    /// The answer of the pipeline, about this model, with the counterexample if there is one.
    pub fn answer(self, model: &Model, outcome: &Outcome) -> Record {
        let mut record = self.brief_answer(model, outcome);
        if let check::Verdict::Violated(counterexample) = &outcome.verdict
            && !human::is_refuted(counterexample)
        {
            record.trace = Some(trace(counterexample, &record.unit));
        }
        record
    }

    /// The same without the counterexample.
    pub fn brief_answer(mut self, model: &Model, outcome: &Outcome) -> Record {
        self.engine = Some(Engine::list(&outcome.engines, " and ")).filter(|engine| !engine.is_empty());
        self.seconds.encoding = seconds(outcome.times.encoding);
        self.seconds.solving = seconds(outcome.times.solving);
        (self.cause, self.reason) = (None, None);
        let verdict = Verdict::of(&outcome.verdict, self.unit.check);
        let spec = self.unit.spec.and_then(|number| model.specs.get(number - 1));
        let under = spec.filter(|spec| spec.assumed().is_some()).and_then(|spec| spec.under.as_ref());
        let assumptions = under.map_or(&[][..], |under| &under.assumptions);
        self.assumptions = assumptions.len();
        self.assumed = assumptions.iter().map(|assumption| model.show_formula(&assumption.formula)).collect();
        if let Some(UnderFairness::Holds(list)) = &outcome.under_fairness {
            self.holds_under.clone_from(list);
        }
        self.abilities =
            outcome.verdict.strategies().map_or_else(Vec::new, |it| Ability::list(outcome.verdict.model(model), it));
        self.vacuous = outcome.idle.iter().map(|condition| model.show_formula(condition)).collect();
        match &outcome.verdict {
            check::Verdict::Holds(proof) => {
                self.proof = Some(human::evidence(proof));
            }
            check::Verdict::NoCounterexample { depth } => self.depth = Some(*depth),
            check::Verdict::Violated(counterexample) => {
                self.depth = Some(counterexample.run().steps().len());
                match counterexample.ending() {
                    Ending::Prefix => {}
                    Ending::Lasso(start) => self.loop_start = Some(start),
                    Ending::Recurrent(recurrence) => self.round_start = Some(recurrence.start()),
                }
            }
            check::Verdict::Unknown { clear, reason } => {
                return self.unknown(cause(reason), *clear, reason.to_string());
            }
        }
        self.with_verdict(verdict)
    }

    /// Not known.
    pub fn unknown(mut self, cause: Cause, clear: Option<usize>, reason: String) -> Record {
        (self.depth, self.cause, self.reason) = (clear, Some(cause), Some(reason));
        self.with_verdict(Verdict::Unknown)
    }

    /// No answer, and that is the fault of the file or of the tool.
    pub fn failed(mut self, cause: Cause, reason: String) -> Record {
        let verdict = if cause == Cause::Input { Verdict::Error } else { Verdict::InternalError };
        (self.cause, self.reason) = (Some(cause), Some(reason));
        self.with_verdict(verdict)
    }

    /// The file has no errors.
    pub fn well_formed(mut self) -> Record {
        (self.cause, self.reason) = (None, None);
        self.with_verdict(Verdict::WellFormed)
    }

    /// How its verdict compares to what a unit expects that asks the same question, in another version of the file, say.
    pub fn compared_to(&self, unit: &Unit) -> Option<Agreement> {
        unit.expect.and_then(|expect| compare(expect, self.verdict))
    }

    /// With this verdict, compared to what was expected.
    pub fn with_verdict(mut self, verdict: Verdict) -> Record {
        self.verdict = verdict;
        self.agreement = self.compared_to(&self.unit);
        self
    }
}

/// How a verdict compares to what is expected. "Clear" does not contradict any expectation: it agrees with "holds" as far as the search went, and with "unknown",
/// and leaves "violated" open.
pub fn compare(expect: Expectation, verdict: Verdict) -> Option<Agreement> {
    use Agreement::*;
    let agreement = match (expect, verdict) {
        (_, Verdict::WellFormed | Verdict::Error | Verdict::InternalError) => return None,
        // Nothing is expected of checks.
        (_, Verdict::Impossible | Verdict::Possible | Verdict::Dead | Verdict::Taken) => return None,
        (Expectation::Holds, Verdict::Holds | Verdict::Clear) => Met,
        (Expectation::Violated, Verdict::Violated) => Met,
        (Expectation::Unknown, Verdict::Unknown | Verdict::Clear) => Met,
        (Expectation::Holds | Expectation::Violated, Verdict::Unknown) => Open,
        (Expectation::Violated, Verdict::Clear) => Open,
        (Expectation::Holds | Expectation::Unknown, Verdict::Violated) => Mismatch,
        (Expectation::Violated | Expectation::Unknown, Verdict::Holds) => Mismatch,
    };
    Some(agreement)
}

fn trace(counterexample: &Counterexample, unit: &Unit) -> Value {
    let round = round_of(counterexample);
    let about = About { model_file: unit.model.clone(), description: unit.shown(), round };
    let mut text = Vec::new();
    trace_file::write(&mut text, counterexample.run(), &about, Format::Json).expect("writing to memory works");
    serde_json::from_slice(&text).expect("trace files are JSON")
}

/// The limit that a reason is about, or who gave up.
pub fn cause(reason: &Reason) -> Cause {
    match reason {
        Reason::Timeout => Cause::Timeout,
        Reason::Memory => Cause::Memory,
        Reason::Interrupted => Cause::Interrupted,
        Reason::Solver(_) => Cause::Solver,
        Reason::Engine(_) => Cause::Engine,
        Reason::Detailed(reason, _) => cause(reason),
    }
}

/// In seconds, to a tenth of a millisecond.
pub fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e4).round() / 1e4
}
