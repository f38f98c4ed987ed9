//! The words that records use.

use crate::check;
use crate::diag::{Severity, json};
use crate::model::checks::{Kinds, Question};
use serde::{Deserialize, Serialize};

/// How specs are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// For counterexamples up to a bound.
    Bmc,
    /// For a verdict on all runs.
    Prove,
    /// Not at all: the front end reads the file.
    Check,
}

/// A question that is no spec of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// True if the system can get stuck.
    Deadlock,
    /// True if a command can leave the range of a variable.
    Overflow,
    /// True if no run takes a command.
    DeadCode,
}

impl Check {
    /// The kinds that these are.
    pub fn kinds(checks: &[Check]) -> Kinds {
        Kinds {
            deadlock: checks.contains(&Check::Deadlock),
            overflow: checks.contains(&Check::Overflow),
            dead_code: checks.contains(&Check::DeadCode),
        }
    }
}

impl From<Question> for Check {
    fn from(question: Question) -> Check {
        match question {
            Question::Deadlock => Check::Deadlock,
            Question::Overflow(..) => Check::Overflow,
            Question::DeadCode(..) => Check::DeadCode,
        }
    }
}

/// The facts known of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The spec holds on all runs; the proof was checked.
    Holds,
    /// The spec is violated; the counterexample was replayed.
    Violated,
    /// The system cannot get stuck, or the command cannot overflow; the proof was checked.
    Impossible,
    /// It can; the run was replayed.
    Possible,
    /// No run takes the command; the proof was checked.
    Dead,
    /// This one does; it was replayed.
    Taken,
    /// No counterexample up to the bound, which is no proof.
    Clear,
    /// The search stopped early.
    Unknown,
    /// The file has no errors (mode `check` only).
    WellFormed,
    /// The file cannot be read, or has errors.
    Error,
    /// The tool failed: evidence that did not survive its check, or a crash.
    InternalError,
}

impl Verdict {
    /// All, in the order of summaries.
    pub const ALL: [Verdict; 11] = {
        use Verdict::*;
        [Holds, Violated, Impossible, Possible, Dead, Taken, Clear, Unknown, WellFormed, Error, InternalError]
    };

    /// The verdict of a proof of a spec, or of a check.
    fn proved(check: Option<Check>) -> Verdict {
        match check {
            None => Verdict::Holds,
            Some(Check::Deadlock | Check::Overflow) => Verdict::Impossible,
            Some(Check::DeadCode) => Verdict::Dead,
        }
    }

    /// The verdict of a run that refutes a spec, or that answers a check.
    pub fn shown(check: Option<Check>) -> Verdict {
        match check {
            None => Verdict::Violated,
            Some(Check::Deadlock | Check::Overflow) => Verdict::Possible,
            Some(Check::DeadCode) => Verdict::Taken,
        }
    }

    /// Of a spec, or of a check.
    pub fn of(verdict: &check::Verdict, check: Option<Check>) -> Verdict {
        match verdict {
            check::Verdict::Holds(_) => Verdict::proved(check),
            check::Verdict::Violated(_) => Verdict::shown(check),
            check::Verdict::NoCounterexample { .. } => Verdict::Clear,
            check::Verdict::Unknown { .. } => Verdict::Unknown,
        }
    }

    /// True if it rests on a proof.
    pub fn is_proved(self) -> bool {
        matches!(self, Verdict::Holds | Verdict::Impossible | Verdict::Dead)
    }

    /// True if it rests on a run.
    pub fn is_shown(self) -> bool {
        matches!(self, Verdict::Violated | Verdict::Possible | Verdict::Taken)
    }

    /// Its tone.
    pub fn tone(self) -> Tone {
        match self {
            Verdict::Holds | Verdict::Impossible | Verdict::Taken | Verdict::Clear | Verdict::WellFormed => Tone::Good,
            Verdict::Violated | Verdict::Possible | Verdict::Dead => Tone::Bad,
            Verdict::Unknown => Tone::Open,
            Verdict::Error | Verdict::InternalError => Tone::Broken,
        }
    }

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Impossible => "impossible",
            Verdict::Possible => "possible",
            Verdict::Dead => "dead",
            Verdict::Taken => "taken",
            Verdict::Clear => "clear",
            Verdict::Unknown => "unknown",
            Verdict::WellFormed => "well-formed",
            Verdict::Error => "error",
            Verdict::InternalError => "internal error",
        }
    }
}

/// The tone of a verdict if nothing is expected: good or bad news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing is wrong, as far as is known.
    Good,
    /// The model is wrong.
    Bad,
    /// Not known.
    Open,
    /// There is no verdict: the file or the tool is wrong.
    Broken,
}

/// Why a search stopped early, or why there is no answer, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The limit of time.
    Timeout,
    /// The limit of memory.
    Memory,
    /// The run was stopped.
    Interrupted,
    /// The solver gave up.
    Solver,
    /// The engine gave up.
    Engine,
    /// Something outside killed the process.
    Killed,
    /// The process ended by itself, without an answer.
    Crash,
    /// Evidence did not survive its check.
    Evidence,
    /// The file.
    Input,
}

/// How the verdict compares to what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// As expected; of "holds" so far as the bound goes.
    Met,
    /// Something else than expected.
    Mismatch,
    /// Neither: the search did not get far enough to tell.
    Open,
}

/// A finding of the front end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// `error` or `warning`.
    pub severity: String,
    /// As in `E0201`.
    pub code: String,
    /// The headline.
    pub message: String,
    /// The advice on it.
    pub help: Option<String>,
}

impl From<json::Record> for Finding {
    fn from(record: json::Record) -> Finding {
        let severity = match record.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        Finding {
            line: record.place.line,
            column: record.place.column,
            severity: severity.to_owned(),
            code: record.code.to_owned(),
            message: record.message,
            help: record.help,
        }
    }
}
