//! Certificates as files, and `rcheck-smt certify`

use super::arguments::Certify;
use super::files::{Written, word_of};
use super::input::{Loaded, load, read, show_diagnostics};
use super::{Status, print};
use crate::certificate_file::{Certified, Document, Query, Refusal, queries, recurrent_queries};
use crate::check::{Ending, Proof, Verdict};
use crate::model::checks::{Kinds, checks};
use crate::model::eval::Semantics;
use crate::model::{Model, Spec};
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
        let Some(document) = Document::new(model, &file, spec, verdict) else { return Vec::new() };
        let mut results = vec![write(self.folder.join(format!("{name}.json")), &document.write(), "certificate in")];
        for query in queries_of(model, &file, spec, verdict) {
            // Listed once, by the certificate that they belong to, unless something is wrong.
            let path = self.folder.join(format!("{name}-{}.smt2", query.name));
            results.extend(write(path, &query.text, "query in").err().map(Err));
        }
        results
    }
}

/// The queries of evidence that a solver can check.
fn queries_of(model: &Model, file: &str, spec: usize, verdict: &Verdict) -> Vec<Query> {
    match verdict {
        Verdict::Holds(Proof::Invariants(certificate)) => queries(model, file, spec, certificate),
        Verdict::Violated(counterexample) => match counterexample.ending() {
            Ending::Recurrent(recurrence) => recurrent_queries(model, file, spec, counterexample, recurrence),
            Ending::Prefix | Ending::Lasso(_) => Vec::new(),
        },
        _ => Vec::new(),
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
    let Loaded { model: Some(mut model), .. } = loaded else { return Ok(Status::BadInput) };
    let mut status = Status::Clear;
    let mut documents = Vec::new();
    for path in &command.certificates {
        match read_document(path) {
            Ok(document) => documents.push((path, document)),
            Err(error) => {
                anstream::eprintln!("error: {error:#}");
                status = Status::BadInput;
            }
        }
    }
    let all = Kinds { deadlock: true, overflow: true, dead_code: true };
    let mut wanted = checks(&model, all);
    wanted.retain(|check| documents.iter().any(|(_, document)| document.is_about(&model, check)));
    model.specs.extend(wanted);
    let semantics = Semantics::new(&model);
    for (path, document) in documents {
        let result = document.check(&semantics, Budget::new(command.timeout));
        status = status.worst(report(&model, path, result));
    }
    Ok(status)
}

fn read_document(path: &Path) -> Result<Document> {
    Document::read(read(path)?.text()).with_context(|| format!("cannot read {}", path.display()))
}

/// Says what a certificate is worth. One that proves that a spec is violated is as good as any other.
fn report(model: &Model, path: &Path, result: Result<Certified, Refusal>) -> Status {
    let shown = path.display();
    let (status, text) = match result {
        Ok(Certified { spec, verdict }) => {
            let verdict = if matches!(verdict, Verdict::Violated(_)) { "violated" } else { "holds" };
            (Status::Clear, format!("{shown}: valid: {} {verdict}", title(model, spec)))
        }
        Err(why @ Refusal::Unknown(_)) => (Status::Unknown, format!("{shown}: unknown: {why}")),
        Err(why) => (Status::Violated, format!("{shown}: refused: {why}")),
    };
    print(format!("{text}\n").as_bytes());
    status
}

/// A spec by its name; a check beyond specs by what it claims, which its name does not say.
fn title(model: &Model, spec: usize) -> String {
    let Spec { question, formula, .. } = &model.specs[spec];
    let title = human::title(model, spec);
    if question.is_some() { format!("{title}: `{}`", model.show_formula(formula)) } else { title }
}
