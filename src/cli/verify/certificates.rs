//! `--certificate`: evidence as files.

use crate::certificate_file::Document;
use crate::check::Verdict;
use crate::cli::io::kind::Kind;
use crate::cli::io::out::shown;
use crate::cli::io::replace;
use crate::cli::io::replace::Replacement;
use crate::cli::verify::files::{EvidenceFile, with_ending};
use crate::export::Subject;
use crate::export::quantified::Quantified;
use crate::export::queries::queries;
use crate::model::Model;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Makes a folder for evidence, if it does not exist, and sees whether files can be written to it.
pub fn prepare(folder: &Path) -> Result<()> {
    let shown = shown(folder);
    if folder.exists() && !folder.is_dir() {
        bail!("{shown} is no folder");
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {shown}"))?;
    let probed = Replacement::begin(&folder.join("probe")).map(drop);
    probed.with_context(|| format!("cannot write to the folder {shown}"))
}

/// Writes the evidence for a verdict on a spec to `STEM.json`, and what a solver can check of it to queries
/// `STEM-N-initial.smt2` and so on; nothing if it is undecided.
pub fn write_certificate(
    stem: &Path,
    model: &Model,
    file: &Path,
    spec: usize,
    verdict: &Verdict,
) -> Vec<Result<EvidenceFile>> {
    let file = file.display().to_string();
    let Some(document) = Document::new(model, &file, spec, verdict) else { return Vec::new() };
    let mut results = vec![write(with_ending(stem, ".json"), &document.write(), "certificate in")];
    let queries = queries(model, &file, spec, verdict).into_iter().map(|query| (query.name, query.text));
    let quantified = Quantified::of(Subject { model, file: &file }, spec, verdict);
    for (name, text) in queries.chain(quantified.map(|text| ("quantified".to_owned(), text))) {
        // Listed once, by the certificate that they belong to, unless something is wrong.
        let path = with_ending(stem, &format!("-{name}.smt2"));
        results.extend(write(path, &text, "query in").err().map(Err));
    }
    results
}

fn write(path: PathBuf, text: &str, what: &'static str) -> Result<EvidenceFile> {
    replace::write(&path, Kind::Certificate, text)?;
    Ok(EvidenceFile { what, path })
}
