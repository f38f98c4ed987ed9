//! Counterexamples as files.

use crate::check::Counterexample;
use crate::model::Model;
use crate::model::eval::Run;
use crate::report::human;
use crate::trace_file::{self, About, Format};
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What stands for the spec in the name of a file.
const PLACEHOLDER: &str = "{spec}";

/// Several specs need several files.
pub fn check_pattern(pattern: &str, specs: &[usize]) -> Result<()> {
    if specs.len() > 1 && !pattern.contains(PLACEHOLDER) {
        bail!(
            "{} are checked, and `{pattern}` is one file: put `{PLACEHOLDER}` into its name, as in \
            `trace-{PLACEHOLDER}.json`, or choose a spec with `--spec`",
            human::count(specs.len(), "spec")
        );
    }
    Ok(())
}

/// Writes the counterexample to a spec; the name of the file.
pub fn counterexample(pattern: &str, file: &Path, counterexample: &Counterexample, spec: usize) -> Result<String> {
    let run = counterexample.run();
    let model = run.semantics().model();
    let path = pattern.replace(PLACEHOLDER, &file_name(model, spec));
    save(Path::new(&path), run, file, format!("violates spec {}", human::name(model, spec)))?;
    Ok(path)
}

/// Writes a run of the model in `file`, in the format that the path asks for.
pub fn save(path: &Path, run: &Run, file: &Path, description: String) -> Result<()> {
    let about = About { model_file: file.display().to_string(), description };
    let write = || {
        let mut out = BufWriter::new(File::create(path)?);
        trace_file::write(&mut out, run, &about, Format::of(path))?;
        out.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// A spec as part of the name of a file: its name if that is a word and no other spec has it, else its
/// number.
pub fn file_name(model: &Model, spec: usize) -> String {
    let is_word = |name: &&str| name.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '-');
    let is_unique = |name: &&str| model.specs.iter().filter(|other| other.name.as_deref() == Some(*name)).count() == 1;
    let name = model.specs[spec].name.as_deref().filter(is_word).filter(is_unique);
    name.map_or_else(|| (spec + 1).to_string(), str::to_owned)
}
