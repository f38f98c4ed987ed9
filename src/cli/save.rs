//! Runs as files.

use crate::model::eval::Run;
use crate::trace_file::{self, About, Format};
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

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
