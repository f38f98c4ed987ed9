//! Certificates as files, and `rcheck-smt certify`

use super::arguments::Certify;
use super::files::{Written, word_of};
use super::input::{Loaded, load, read, show_diagnostics};
use super::{Status, print};
use crate::certificate_file::{Certified, Document, Refusal, queries};
use crate::check::{Proof, Verdict};
use crate::model::Model;
use crate::model::eval::Semantics;
use crate::report::human;
use crate::smt::Budget;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// A folder for certificates.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'a> {
    folder: &'a Path,
    model: &'a Path,
}

impl<'a> Folder<'a> {
    /// Makes the folder, if it does not exist, and sees whether files can be written to it. `model` is the
    /// file of the model.
    pub fn prepare(folder: &'a Path, model: &'a Path) -> Result<Folder<'a>> {
        let shown = folder.display();
        if folder.exists() && !folder.is_dir() {
            bail!("{shown} is no folder; certificates are several files");
        }
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {shown}"))?;
        let probe = folder.join(".rcheck-smt");
        let probed = std::fs::write(&probe, "").and_then(|()| std::fs::remove_file(&probe));
        probed.with_context(|| format!("cannot write to the folder {shown}"))?;
        Ok(Folder { folder, model })
    }

    /// Writes the evidence for a verdict on a spec; nothing if it is undecided.
    pub fn write(&self, model: &Model, spec: usize, verdict: &Verdict) -> Vec<Result<Written>> {
        let (file, name) = (self.model.display().to_string(), word_of(model, spec));
        let Some(document) = Document::new(model, &file, spec, verdict) else {
            if let Verdict::Violated(_) = verdict {
                anstream::eprintln!("warning: spec {name}: recurrent sets cannot be written to certificates yet");
            }
            return Vec::new();
        };
        let mut results = vec![write(self.folder.join(format!("{name}.json")), &document.write(), "certificate in")];
        if let Verdict::Holds(Proof::Invariants(certificate)) = verdict {
            for query in queries(model, &file, spec, certificate) {
                // Listed once, by the certificate that they belong to, unless something is wrong.
                let path = self.folder.join(format!("{name}-{}.smt2", query.name));
                results.extend(write(path, &query.text, "query in").err().map(Err));
            }
        }
        results
    }
}

fn write(path: PathBuf, text: &str, what: &'static str) -> Result<Written> {
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Written { what, path })
}

/// Checks all certificates.
pub fn run(command: &Certify) -> Result<Status> {
    let loaded = load(&command.model, command.reading.dialect())?;
    show_diagnostics(&loaded)?;
    let Loaded { model: Some(model), .. } = loaded else { return Ok(Status::BadInput) };
    let semantics = Semantics::new(&model);
    let mut status = Status::Clear;
    for path in &command.certificates {
        let document = read(path)
            .and_then(|file| Document::read(file.text()).with_context(|| format!("cannot read {}", path.display())));
        let found = match document {
            Ok(document) => report(&model, path, document.check(&semantics, Budget::new(command.timeout))),
            Err(error) => {
                anstream::eprintln!("error: {error:#}");
                Status::BadInput
            }
        };
        status = status.worst(found);
    }
    Ok(status)
}

/// Says what a certificate is worth. One that proves that a spec is violated is as good as any other.
fn report(model: &Model, path: &Path, result: Result<Certified, Refusal>) -> Status {
    let shown = path.display();
    let (status, text) = match result {
        Ok(Certified { spec, verdict }) => {
            let verdict = if matches!(verdict, Verdict::Violated(_)) { "violated" } else { "holds" };
            (Status::Clear, format!("{shown}: valid: spec {} {verdict}", human::name(model, spec)))
        }
        Err(why @ Refusal::Unknown(_)) => (Status::Unknown, format!("{shown}: unknown: {why}")),
        Err(why) => (Status::Violated, format!("{shown}: refused: {why}")),
    };
    print(format!("{text}\n").as_bytes());
    status
}
