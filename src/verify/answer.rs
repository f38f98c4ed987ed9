//! The answers of engines, and what happens to claims that the check refuses. Such a claim ends nothing: the other
//! engines continue, and a verdict of theirs stands, because it rests on evidence that was checked.

use super::race::Contradiction;
use super::{Engine, Limits, Outcome};
use crate::check::Verdict;
use crate::engine::bmc::Times;
use crate::limits::{Budget, Reason, Stop};
use std::error::Error;
use std::fmt;

/// Why a claim is worth nothing: what its check says, or that engines contradict each other.
pub type BadEvidence = Box<dyn Error + Send + Sync>;

/// A claim that is worth nothing: an error of the tool.
#[derive(Debug)]
pub struct Refused {
    /// The engine that made it.
    pub engines: Vec<Engine>,
    /// The reason of the check.
    pub why: BadEvidence,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", Engine::list(&self.engines, " and "), self.why)
    }
}

impl Error for Refused {}

/// Why there is no outcome: an internal error.
#[derive(Debug)]
pub enum InternalError {
    /// The first ones proved a spec that the second ones refuted, both with evidence that survived its check.
    Contradiction(Vec<Engine>, Vec<Engine>),
    /// No engine decided, and these claims are worth nothing.
    Refused(Vec<Refused>),
}

impl fmt::Display for InternalError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            InternalError::Contradiction(provers, refuters) => {
                let [provers, refuters] = [provers, refuters].map(|engines| Engine::list(engines, " and "));
                write!(f, "{provers} proved what {refuters} refuted, and both were confirmed")
            }
            InternalError::Refused(claims) => {
                let claims: Vec<String> = claims.iter().map(Refused::to_string).collect();
                write!(f, "{}", claims.join("; "))
            }
        }
    }
}

impl Error for InternalError {}

/// The answer of some engines.
#[must_use]
#[derive(Debug)]
pub struct Answer<'s> {
    pub verdict: Verdict<'s>,
    /// The engines whose claims it rests on.
    pub engines: Vec<Engine>,
    /// Claims of theirs that are worth nothing. There is no way to add one but [`Answer::refused`], which reports it.
    refused: Vec<Refused>,
}

impl<'s> Answer<'s> {
    /// A verdict, and whose claims it rests on.
    pub fn new(verdict: Verdict<'s>, engines: &[Engine]) -> Answer<'s> {
        Answer { verdict, engines: engines.to_vec(), refused: Vec::new() }
    }

    /// Not known.
    pub fn unknown(reason: Reason) -> Answer<'s> {
        Answer::new(Verdict::Unknown { clear: None, reason }, &[])
    }

    /// Of a task that did not begin.
    pub fn undecided() -> Answer<'s> {
        Answer::unknown(Reason::Interrupted)
    }

    /// Of engines whose claim is worth nothing.
    pub fn refused(limits: &Limits, engines: &[Engine], why: BadEvidence) -> Answer<'s> {
        let refused = Refused { engines: engines.to_vec(), why };
        (limits.refused)(&refused);
        let reason = Reason::Engine("a claim did not survive its check".to_owned());
        Answer { refused: vec![refused], ..Answer::unknown(reason) }
    }

    /// Of engines that contradict each other: nothing was checked yet.
    pub fn contradictory(limits: &Limits, Contradiction(prover, refuter): Contradiction) -> Answer<'s> {
        let why = format!("{prover} proved what {refuter} refuted");
        Answer::refused(limits, &[prover, refuter], why.into())
    }

    /// Where it is undecided, with what is known of the runs of some length.
    pub fn with_clear(mut self, known: Option<usize>) -> Answer<'s> {
        if let Verdict::Unknown { clear, .. } = &mut self.verdict {
            *clear = known;
        }
        self
    }

    /// True if the spec is decided.
    pub fn is_decided(&self) -> bool {
        matches!(self.verdict, Verdict::Holds(_) | Verdict::Violated(_))
    }

    /// True if it is undecided because the search ended early.
    pub fn says_little(&self) -> bool {
        matches!(&self.verdict, Verdict::Unknown { reason: Reason::Timeout | Reason::Interrupted, .. })
    }

    /// The engines that made claims which are worth nothing.
    pub fn refused_engines(&self) -> impl Iterator<Item = Engine> {
        self.refused.iter().flat_map(|refused| refused.engines.iter().copied())
    }

    /// A decided answer makes others stop.
    pub fn stopping(self, stop: &Stop) -> Answer<'s> {
        if self.is_decided() {
            stop.set();
        }
        self
    }

    /// One of two answers that do not contradict each other: the second one if only that is decided.
    pub fn agreed(self, other: Answer<'s>) -> Result<Answer<'s>, InternalError> {
        let (mut best, mut rest) = match (&self.verdict, &other.verdict) {
            (Verdict::Holds(_), Verdict::Violated(_)) => {
                return Err(InternalError::Contradiction(self.engines, other.engines));
            }
            (Verdict::Violated(_), Verdict::Holds(_)) => {
                return Err(InternalError::Contradiction(other.engines, self.engines));
            }
            _ if !self.is_decided() && other.is_decided() => (other, self),
            _ => (self, other),
        };
        best.refused.append(&mut rest.refused);
        Ok(best)
    }

    /// This answer, with what was refused before it.
    pub fn after(mut self, mut earlier: Answer) -> Answer<'s> {
        self.refused.append(&mut earlier.refused);
        self
    }

    /// At the end of a search within this budget.
    pub fn at_the_end_of(mut self, budget: Budget) -> Answer<'s> {
        if let Verdict::Unknown { clear, reason } = self.verdict {
            self.verdict = Verdict::Unknown { clear, reason: reason.at_the_end_of(budget) };
        }
        self
    }

    /// For the user. Where no engine decided, claims that are worth nothing are an internal error.
    pub fn outcome(self, times: Times) -> Result<Outcome<'s>, InternalError> {
        if !self.is_decided() && !self.refused.is_empty() {
            return Err(InternalError::Refused(self.refused));
        }
        Ok(Outcome { verdict: self.verdict, engines: self.engines, idle: Vec::new(), under_fairness: None, times })
    }
}
