//! Models, certificates and folders with certificates.

use crate::word;
use rcheck_core::horn::{Format, findings};
use rcheck_core::model::checks::{Kinds, checks};
use rcheck_core::model::eval::Semantics;
use rcheck_core::model::{Constants, Model};
use rcheck_core::{ispl, reading};
use rcheck_kernel::certificate_file::horn::{Checked, ClausesDocument, NotProved};
use rcheck_kernel::certificate_file::{Document, DocumentError};
use rcheck_kernel::check::horn::Refused;
use rcheck_kernel::check::solver::ScriptSolver;
use rcheck_lang::diag::Diagnostics;
use rcheck_lang::language::Language;
use rcheck_lang::source::SourceFile;
use rcheck_lang::syntax;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that was verified.
pub struct Input {
    source: SourceFile,
    language: Language,
}

/// Why a certificate proves nothing.
pub enum Unproved {
    /// It is none, or the model has errors.
    Unreadable(String),
    /// It does not prove its verdict.
    Refused(String),
    /// It could not be checked.
    Unknown(String),
}

impl From<DocumentError> for Unproved {
    fn from(why: DocumentError) -> Unproved {
        Unproved::Unreadable(why.to_string())
    }
}

impl Input {
    /// Reads the file; models are read with the constants of each certificate.
    pub fn read(path: &Path) -> Result<Input, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let source = SourceFile::new(path.display().to_string(), text);
        let language = Language::of(path, source.text());
        Ok(Input { source, language })
    }

    /// Checks a certificate; what it proves.
    pub fn check(&self, text: &str, solver: &dyn ScriptSolver) -> Result<String, Unproved> {
        match Format::of(self.language) {
            Some(format) => self.check_clauses(format, text, solver),
            None => self.check_model(text, solver),
        }
    }

    fn check_model(&self, text: &str, solver: &dyn ScriptSolver) -> Result<String, Unproved> {
        let document = Document::read(text)?;
        let mut model = self.model(document.given())?;
        let kinds = Kinds { deadlock: true, overflow: true, dead_code: true };
        let asked = checks(&model, kinds).into_iter().filter(|check| document.is_about(&model, check));
        let asked: Vec<_> = asked.collect();
        model.specs.extend(asked);
        let semantics = Semantics::new(&model);
        let certified = document.check(&semantics, solver)?;
        let formula = model.show_formula(&model.specs[certified.spec].formula);
        let (holds, presupposed) = (word(&certified.verdict), certified.presupposed(&model));
        Ok(format!("spec {} `{formula}` {holds}{presupposed}", certified.spec + 1))
    }

    /// The model, if it has no errors.
    fn model(&self, constants: &Constants) -> Result<Model, Unproved> {
        let unreadable = |findings: &Diagnostics| {
            let first = findings.iter().next().map(|finding| finding.message.clone());
            Unproved::Unreadable(format!("the model has errors: {}", first.unwrap_or_default()))
        };
        if self.language == Language::Ispl {
            let (model, findings) = ispl::read_with(&self.source, constants);
            return model.ok_or_else(|| unreadable(&findings));
        }
        let mut parsed = syntax::parse(&self.source, None);
        if parsed.model.give(constants).is_err() && !parsed.diagnostics.has_errors() {
            return Err(Unproved::Refused("it names constants that the model does not have".to_owned()));
        }
        let (model, findings) = reading::model(&self.source, &parsed);
        model.ok_or_else(|| unreadable(&findings))
    }

    fn check_clauses(&self, format: Format, text: &str, solver: &dyn ScriptSolver) -> Result<String, Unproved> {
        let clauses = format.read(self.source.text()).map_err(|faults| {
            let found = findings(faults);
            let first = found.iter().next().map(|finding| finding.message.clone());
            Unproved::Unreadable(format!("the clauses have errors: {}", first.unwrap_or_default()))
        })?;
        let document = ClausesDocument::read(text)?;
        match document.check(&clauses, &reading::sha256(&self.source), solver) {
            Ok(Checked::Holds(_)) => Ok("no bad state is reachable".to_owned()),
            Ok(Checked::Violated(_)) => Ok("a bad state is reachable".to_owned()),
            Err(why @ NotProved::Refused(Refused::Undecided(..))) => Err(Unproved::Unknown(why.to_string())),
            Err(why) => Err(Unproved::Refused(why.to_string())),
        }
    }
}

/// The texts of certificates, those in folders by name; others in folders are left out.
pub fn certificates(paths: &[PathBuf]) -> Vec<(PathBuf, Result<String, String>)> {
    let mut found = Vec::new();
    for path in paths {
        collect(path, true, &mut found);
    }
    found
}

fn collect(path: &Path, is_named: bool, found: &mut Vec<(PathBuf, Result<String, String>)>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())));
        let mut entries: Vec<PathBuf> = entries.map(Iterator::collect).unwrap_or_default();
        entries.sort();
        return entries.iter().for_each(|entry| collect(entry, false, found));
    }
    if !is_named && path.extension().is_none_or(|extension| extension != "json") {
        return;
    }
    let text = fs::read_to_string(path).map_err(|error| format!("cannot be read: {error}"));
    // Traces, for example, may lie beside.
    let is_other = |text: &String| {
        matches!(Document::read(text), Err(DocumentError::NotACertificate))
            && matches!(ClausesDocument::read(text), Err(DocumentError::NotACertificate))
    };
    if is_named || !text.as_ref().is_ok_and(is_other) {
        found.push((path.to_owned(), text));
    }
}
