//! Counterexamples as files.

use crate::check::Counterexample;
use crate::cli::io::kind::Kind;
use crate::cli::io::replace;
use crate::report::round::round_of;
use crate::trace_file::{self, About, Format};
use anyhow::Result;
use std::path::Path;

/// Writes a run of the model in `file`, in the format that the path asks for.
pub fn save(path: &Path, counterexample: &Counterexample, file: &Path, description: String) -> Result<()> {
    let about = About { model_file: file.display().to_string(), description, round: round_of(counterexample) };
    let mut text = Vec::new();
    trace_file::write(&mut text, counterexample.run(), &about, Format::of(path)).expect("writing to memory works");
    replace::write(path, Kind::Trace, text)
}
