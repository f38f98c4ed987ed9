//! The questions about specs and checks, and the solver that answers them: elsewhere, so that nothing that goes wrong there
//! ends the server.

use super::room::Room;
use crate::claim::symmetry::Renaming;
use crate::diag::Diagnostic;
use crate::limits::lock;
use crate::model::Model;
use crate::report::record::{Check, Record};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The solver that answers questions.
pub trait Verifier: Sync {
    /// How many questions are answered at the same time.
    fn places(&self) -> usize;
    /// Findings that take more than reading the text.
    fn look(&self, name: &str, text: &str) -> Vec<Diagnostic>;
    /// The answers: one for a spec, one for each check of a kind.
    fn answer(
        &self,
        place: usize,
        question: &TextQuestion,
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

/// A question about a text.
#[derive(Clone, Debug)]
pub struct TextQuestion {
    /// The name of the file.
    pub name: String,
    /// Its content.
    pub text: String,
    /// The spec, from 0, or the checks beyond specs.
    pub subject: SpecOrChecks,
    /// How many steps a counterexample may have; a verdict on all runs without a bound.
    pub bound: Option<usize>,
    /// The folder to write a certificate to, if one is wanted.
    pub certificates: Option<PathBuf>,
}

/// A spec, from 0, or all checks of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecOrChecks {
    /// A spec.
    Spec(usize),
    /// Checks beyond specs.
    Checks(Check),
}

/// The checks beyond specs, with their words.
pub const CHECKS: [(Check, &str); 3] =
    [(Check::Deadlock, "deadlock"), (Check::Overflow, "overflow"), (Check::DeadCode, "dead code")];

impl SpecOrChecks {
    /// The check, if it is one.
    pub fn check(self) -> Option<Check> {
        match self {
            SpecOrChecks::Checks(check) => Some(check),
            SpecOrChecks::Spec(_) => None,
        }
    }
}

/// True if no answer is wanted any more.
#[derive(Clone, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    is_set: AtomicBool,
    kill: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Cancel {
    /// Ends the work as soon as possible.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::SeqCst);
        if let Some(kill) = &*lock(&self.0.kill) {
            kill();
        }
    }

    /// True if it is not wanted.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::SeqCst)
    }

    /// Does the work; `kill` ends it from elsewhere.
    pub fn during<R>(&self, kill: impl Fn() + Send + 'static, work: impl FnOnce() -> R) -> R {
        *lock(&self.0.kill) = Some(Box::new(kill));
        let result = work();
        *lock(&self.0.kill) = None;
        result
    }
}
