//! Counterexamples as files.

use crate::check::Counterexample;
use crate::report::round::round_of;
use crate::trace_file::{self, About, Format};
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a run of the model in `file`, in the format that the path asks for.
pub fn save(path: &Path, counterexample: &Counterexample, file: &Path, description: String) -> Result<()> {
    let about = About { model_file: file.display().to_string(), description, round: round_of(counterexample) };
    let write = || {
        let mut out = BufWriter::new(File::create(path)?);
        trace_file::write(&mut out, counterexample.run(), &about, Format::of(path))?;
        out.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
