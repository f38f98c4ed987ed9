//! `rcheck-smt lsp`: the Language Server Protocol, over what [`crate::ide`] says about texts.
//!
//! One thread reads messages and answers them one after the other; a request that panics or takes too long is answered by an
//! error and costs nothing else. Verification runs elsewhere: threads of [`jobs`] pass questions to a [`Verifier`], whose worker
//! processes may crash, and report back as [`server::Event`]s.
//!
//! In reading order: [`messages`] and [`server`]; [`documents`], texts and their analyses; [`position`], places as the protocol counts
//! them; [`features`], what editors ask of a text; [`jobs`] and [`verdicts`], verification; [`lenses`] and [`commands`], what
//! people click on; [`steps`], counterexamples in the source; [`space`], the states that a system can be in, and [`room`], the memory for them.

pub mod commands;
pub mod documents;
pub mod features;
pub mod jobs;
pub mod lenses;
pub mod messages;
pub mod position;
pub mod room;
pub mod server;
pub mod space;
pub mod steps;
pub mod symbols;
pub mod verdicts;

use crate::claim::symmetry::Renaming;
use crate::diag::{Code, Diagnostic, Label, Severity};
use crate::model::Model;
use crate::report::record::{Check, Record};
use crate::source::Span;
use jobs::Cancel;
use room::Room;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use server::{End, serve};

/// A question about a text.
#[derive(Clone, Debug)]
pub struct Question {
    /// The name of the file.
    pub name: String,
    /// Its content.
    pub text: String,
    /// The spec, from 0, or the checks beyond specs.
    pub subject: Subject,
    /// How many steps a counterexample may have; a verdict on all runs without a bound.
    pub bound: Option<usize>,
    /// The folder to write a certificate to, if one is wanted.
    pub certificates: Option<PathBuf>,
}

/// A spec, from 0, or all checks of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A spec.
    Spec(usize),
    /// Checks beyond specs.
    Check(Check),
}

/// The solver that answers questions about specs: elsewhere, so that nothing that goes wrong there ends the server.
pub trait Verifier: Sync {
    /// How many questions are answered at the same time.
    fn places(&self) -> usize;
    /// Findings that take more than reading the text.
    fn look(&self, name: &str, text: &str) -> Vec<Remark>;
    /// The answers: one for a spec, one for each check of a kind.
    fn answer(
        &self,
        place: usize,
        question: &Question,
        cancel: &Cancel,
        progress: &mut dyn FnMut(String),
    ) -> Vec<Record>;
    /// Symmetries of a model, which generate all that are known.
    fn symmetries(&self, model: &Model) -> Vec<Renaming>;
    /// The memory for the states of all texts.
    fn room(&self) -> &Arc<Room>;
    /// The models in a folder.
    fn models(&self, folder: &Path) -> Vec<PathBuf>;
}

/// A finding from another process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// As in `E0201`.
    pub code: String,
    /// The main place, in bytes.
    pub place: (u32, u32),
    /// The headline.
    pub message: String,
    /// The remark at the main place.
    pub label: String,
    /// Further places.
    pub related: Vec<((u32, u32), String)>,
    /// The advice on it.
    pub help: Option<String>,
}

impl From<&Diagnostic> for Remark {
    fn from(finding: &Diagnostic) -> Remark {
        let place = |span: Span| (span.start, span.end);
        Remark {
            code: finding.code.as_str().to_owned(),
            place: place(finding.span),
            message: finding.message.clone(),
            label: finding.label.clone(),
            related: finding.related.iter().map(|it| (place(it.span), it.message.clone())).collect(),
            help: finding.help.clone(),
        }
    }
}

impl Remark {
    /// The finding, if there are such, in a text of this length.
    fn finding(&self, length: usize) -> Option<Diagnostic> {
        let code = Code::ALL.iter().find(|code| code.as_str() == self.code)?;
        let span = |(start, end): (u32, u32)| (end as usize <= length).then_some(Span { start, end });
        let label =
            |(place, message): &((u32, u32), String)| Some(Label { span: span(*place)?, message: message.clone() });
        let related = self.related.iter().filter_map(label).collect();
        let finding = Diagnostic::new(*code, span(self.place)?, self.message.clone()).label(self.label.clone());
        Some(Diagnostic { related, help: self.help.clone(), ..finding })
    }
}

/// How bad a finding is, as the protocol says it.
fn severity(finding: &Diagnostic) -> lsp_types::DiagnosticSeverity {
    match finding.severity() {
        Severity::Error => lsp_types::DiagnosticSeverity::ERROR,
        Severity::Warning => lsp_types::DiagnosticSeverity::WARNING,
        Severity::Note => lsp_types::DiagnosticSeverity::INFORMATION,
    }
}
