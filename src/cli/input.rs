//! Reading model files.

use crate::diag::{Diagnostics, Severity, render};
use crate::model::eval::Semantics;
use crate::model::{self, Model};
use crate::source::SourceFile;
use crate::syntax::{self, ast::Dialect};
use crate::verify::remarks;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Files beyond this size are refused: nobody writes them by hand, and places are 32 bits wide.
const LARGEST_FILE: u64 = 1 << 30;

/// Reads a file.
pub fn read(path: &Path) -> Result<SourceFile> {
    let shown = path.display();
    let metadata = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
    if metadata.is_dir() {
        bail!("{shown} is a folder; name a model file");
    }
    if metadata.len() > LARGEST_FILE {
        bail!("{shown} is larger than {} MB", LARGEST_FILE >> 20);
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let text = String::from_utf8(bytes).with_context(|| format!("{shown} is no UTF-8 text"))?;
    Ok(SourceFile::new(shown.to_string(), text))
}

/// The hash of the content of a file, in hexadecimal digits.
pub fn sha256(source: &SourceFile) -> String {
    Sha256::digest(source.text()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file with all that was found in it; the model is missing iff there are errors.
pub struct Loaded {
    pub source: SourceFile,
    pub dialect: Dialect,
    pub model: Option<Model>,
    pub diagnostics: Diagnostics,
}

/// Reads, parses and elaborates a file.
pub fn load(path: &Path, dialect: Option<Dialect>) -> Result<Loaded> {
    let source = read(path)?;
    let parsed = syntax::parse(&source, dialect);
    let (model, more) = model::elaborate(&parsed.model);
    let mut diagnostics = parsed.diagnostics;
    // What was not read may use what seems unused: behind syntax errors only errors are worth a word.
    let believable = |severity| severity == Severity::Error || !diagnostics.has_errors();
    let more: Vec<_> = more.iter().filter(|finding| believable(finding.severity())).cloned().collect();
    more.into_iter().for_each(|finding| diagnostics.push(finding));
    let diagnostics = diagnostics.sorted();
    let model = model.filter(|_| !diagnostics.has_errors());
    Ok(Loaded { source, dialect: parsed.model.dialect, model, diagnostics })
}

/// The same, with what is odd about the model.
pub fn load_and_look(path: &Path, dialect: Option<Dialect>) -> Result<Loaded> {
    let mut loaded = load(path, dialect)?;
    if let Some(model) = &loaded.model {
        loaded.diagnostics.extend(remarks(&Semantics::new(model)));
    }
    Ok(loaded)
}

/// Shows what was found, on standard error.
pub fn show_diagnostics(loaded: &Loaded) -> Result<()> {
    if loaded.diagnostics.is_empty() {
        return Ok(());
    }
    let mut out = anstream::stderr().lock();
    render::render(&loaded.source, &loaded.diagnostics, true, &mut out).context("cannot write to standard error")
}
