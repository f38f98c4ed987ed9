//! The common uses of this library, in a call each: [`read()`], [`prove`], [`bmc`], [`simulate()`], [`certificate`] and
//! [`certify`]. The modules behind have everything else, and change more often: these calls, the types that they name
//! and what is said here are what is kept from version to version.
//!
//! ```
//! # #[cfg(feature = "solver")] {
//! use rcheck_smt::{Semantics, Subject, Verdict, certificate, certify, prove, read};
//!
//! let model = read("counter.rcp", "
//!     message-structure: N : int
//!     agent Counter
//!         local: n : int
//!         init: n = 0
//!         receive-guard: chan = *
//!         repeat: count: {true} *! (false)(N := n)[n := n + 1]
//!     system = Counter(one, true)
//!     SPEC G (one-n >= 0)
//!     SPEC G ([[N = 3]] false)
//! ")?;
//! let subject = Subject::new(&model);
//!
//! let holds = prove(&subject, 0, None)?;
//! assert!(matches!(holds, Verdict::Holds(_)));
//! let Verdict::Violated(counterexample) = prove(&subject, 1, None)? else { panic!("it sends 3 at its fourth step") };
//! assert_eq!(counterexample.run().steps().len(), 4);
//!
//! // Evidence that is checked elsewhere, later.
//! let text = certificate(&model, "counter.rcp", 0, &holds).expect("it is decided");
//! let semantics = Semantics::new(&model);
//! assert_eq!(certify(&semantics, &text, None)?.spec, 0);
//! assert!(certify(&semantics, &text.replace("holds", "violated"), None).is_err());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Models may be nested a thousand levels deep, and passes recurse: threads that read models of others need a large stack (the tool
//! takes 256 MB). [`limits::within`](crate::limits::within) limits the time and the memory of any call.

use crate::diag::{Code, Diagnostic, json};
use crate::language::Language;
use crate::model::Model;
use crate::model::eval::{Run, Semantics};
use crate::reading::{self, Content};
use crate::simulate::batch;
use crate::source::{SourceFile, Span};
use std::fmt;
use std::path::Path;

#[cfg(feature = "solver")]
use crate::certificate_file::{CertificateError, Certified, Document, DocumentError};
#[cfg(feature = "solver")]
use crate::check::Verdict;
#[cfg(feature = "solver")]
use crate::limits::{Budget, Stop};
#[cfg(feature = "solver")]
use crate::verify::{self, Engine, InternalError, Limits, Subject};
#[cfg(feature = "solver")]
use crate::words;
#[cfg(feature = "solver")]
use std::time::Duration;

/// Reads a model in the R-CHECK language, of which the dialect is detected, or in ISPL. The text tells which, or else the name,
/// which messages use.
///
/// ```
/// let wrong = rcheck_smt::read("m.rcp", "system = Missing(one, true)").expect_err("there is no agent type");
/// assert_eq!(wrong.to_string(), "m.rcp:1:10: error [E0202]: no agent type is called `Missing`");
/// assert_eq!(wrong.findings()[0].code, "E0202");
/// ```
pub fn read(name: &str, text: &str) -> Result<Model, ReadError> {
    let source = SourceFile::new(name, text);
    let (content, mut findings) = reading::read(&source, Language::of(Path::new(name), text));
    if let Some(Content::Clauses(_)) = content {
        let message = "this is a system of Horn clauses, which has no agents";
        findings.push(Diagnostic::new(Code::UnexpectedToken, Span::default(), message));
    }
    content.and_then(Content::model).ok_or_else(|| ReadError { findings: json::to_json(&source, &findings) })
}

/// A text that is no model: all errors in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    findings: Vec<json::Record>,
}

impl ReadError {
    /// The findings, by place, with the warnings.
    pub fn findings(&self) -> &[json::Record] {
        &self.findings
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let errors = self.findings.iter().filter(|finding| finding.code.starts_with('E'));
        let line = |json::Record { file, place, code, message, .. }: &json::Record| {
            format!("{file}:{}:{}: error [{code}]: {message}", place.line, place.column)
        };
        f.write_str(&errors.map(line).collect::<Vec<_>>().join("\n"))
    }
}

impl std::error::Error for ReadError {}

/// Decides a spec, given by its index, for all runs, with all engines that suit the model. Without a time, that may
/// take for ever.
#[cfg(feature = "solver")]
pub fn prove<'s>(subject: &'s Subject, spec: usize, time: Option<Duration>) -> Result<Verdict<'s>, VerifyError> {
    is_there(subject.model(), spec)?;
    with_limits(usize::MAX, time, |limits| Ok(subject.prove(spec, &Engine::ALL, limits)?.verdict))
}

/// Searches for a shortest counterexample to a spec, given by its index, with at most `bound` steps.
///
/// ```
/// # use rcheck_smt::{Subject, Verdict, bmc, read};
/// let model = read("counter.rcp", "
///     agent Counter
///         local: n : 0..9
///         init: n = 0
///         repeat: {n < 9} *! (false)()[n := n + 1]
///     system = Counter(one, true)
///     SPEC G (one-n < 5)
/// ")?;
/// let subject = Subject::new(&model);
/// assert!(matches!(bmc(&subject, 0, 4, None)?, Verdict::NoCounterexample { depth: 4 }));
/// assert!(matches!(bmc(&subject, 0, 5, None)?, Verdict::Violated(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "solver")]
pub fn bmc<'s>(
    subject: &'s Subject,
    spec: usize,
    bound: usize,
    time: Option<Duration>,
) -> Result<Verdict<'s>, VerifyError> {
    is_there(subject.model(), spec)?;
    with_limits(bound, time, |limits| Ok(subject.bmc(spec, limits)?.verdict))
}

#[cfg(feature = "solver")]
fn is_there(model: &Model, spec: usize) -> Result<(), VerifyError> {
    let specs = model.specs.len();
    if spec < specs { Ok(()) } else { Err(VerifyError::NoSuchSpec { spec, specs }) }
}

#[cfg(feature = "solver")]
fn with_limits<R>(bound: usize, time: Option<Duration>, work: impl FnOnce(&Limits) -> R) -> R {
    let stop = Stop::new();
    work(&Limits { bound, ..Limits::new(Budget::new(time), &stop) })
}

/// Why there is no answer; never an error of the model.
#[cfg(feature = "solver")]
#[derive(Debug)]
pub enum VerifyError {
    /// No spec has this index.
    NoSuchSpec {
        /// The index.
        spec: usize,
        /// How many specs the model has.
        specs: usize,
    },
    /// An error of this library: engines contradict each other, or their claims did not survive their check.
    Internal(InternalError),
}

#[cfg(feature = "solver")]
impl From<InternalError> for VerifyError {
    fn from(failure: InternalError) -> VerifyError {
        VerifyError::Internal(failure)
    }
}

#[cfg(feature = "solver")]
impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            VerifyError::NoSuchSpec { spec, specs } => {
                write!(f, "no spec has index {spec}: the model has {}", words::count(*specs, "spec"))
            }
            VerifyError::Internal(failure) => failure.fmt(f),
        }
    }
}

#[cfg(feature = "solver")]
impl std::error::Error for VerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            VerifyError::NoSuchSpec { .. } => None,
            VerifyError::Internal(failure) => Some(failure),
        }
    }
}

/// Takes a random run with at most so many steps. The same seed makes the same run.
///
/// ```
/// # use rcheck_smt::{Semantics, read, simulate};
/// let model = read("counter.rcp", "
///     agent Counter
///         local: n : 0..9
///         init: n = 0
///         repeat: {n < 9} *! (false)()[n := n + 1]
///     system = Counter(one, true)
/// ")?;
/// let semantics = Semantics::new(&model);
/// let run = simulate(&semantics, 5, 1)?;
/// assert_eq!(run.states().len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate<'s>(semantics: &'s Semantics<'s>, steps: usize, seed: u64) -> Result<Run<'s>, SimulateError> {
    batch::run(semantics, steps, seed).map_err(SimulateError)
}

/// A model without initial states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulateError(String);

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SimulateError {}

/// The evidence for a verdict on a spec, given by its index, as JSON (`docs/certificates.md`); nothing if the spec is undecided, or there is none
/// with this index. `file` is what the model is called in it.
#[cfg(feature = "solver")]
pub fn certificate(model: &Model, file: &str, spec: usize, verdict: &Verdict) -> Option<String> {
    is_there(model, spec).ok()?;
    Document::new(model, file, spec, verdict).map(|document| document.write())
}

/// Checks a certificate against a model, and trusts nothing in it.
#[cfg(feature = "solver")]
pub fn certify<'s>(
    semantics: &'s Semantics<'s>,
    certificate: &str,
    time: Option<Duration>,
) -> Result<Certified<'s>, CertifyError> {
    let document = Document::read(certificate).map_err(CertifyError::Unreadable)?;
    verify::certify(&document, semantics, Budget::new(time)).map_err(CertifyError::Refused)
}

/// The reasons why a certificate does not prove its verdict.
#[cfg(feature = "solver")]
#[derive(Debug)]
pub enum CertifyError {
    /// It is none.
    Unreadable(DocumentError),
    /// It proves nothing, or it is not known whether it does.
    Refused(CertificateError),
}

#[cfg(feature = "solver")]
impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            CertifyError::Unreadable(why) => why.fmt(f),
            CertifyError::Refused(why) => why.fmt(f),
        }
    }
}

#[cfg(feature = "solver")]
impl std::error::Error for CertifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CertifyError::Unreadable(why) => Some(why),
            CertifyError::Refused(why) => Some(why),
        }
    }
}

#[cfg(test)]
mod tests;
