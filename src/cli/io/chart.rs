//! `--chart`: counterexamples as message sequence charts in files.

use crate::check::Counterexample;
use crate::cli::io::kind::Kind;
use crate::cli::io::replace;
use crate::model::Model;
use crate::report::chart::Chart;
use crate::report::human;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Charts as text are that wide.
const COLUMNS: usize = 100;

/// The path of a chart, and its form.
#[derive(Clone, Debug)]
pub struct ChartFile {
    /// The path as the user wrote it.
    pub path: PathBuf,
    /// The kind of the file.
    pub kind: Kind,
    draw: fn(&Chart) -> String,
}

impl ChartFile {
    /// The extension says which form is wanted.
    pub fn parse(text: &str) -> Result<ChartFile, String> {
        let path = PathBuf::from(text);
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let (kind, draw): (Kind, fn(&Chart) -> String) = match extension.to_ascii_lowercase().as_str() {
            "svg" => (Kind::Picture, Chart::to_svg),
            "txt" => (Kind::Chart, |chart| chart.to_text(COLUMNS)),
            "mmd" | "mermaid" => (Kind::Chart, Chart::to_mermaid),
            "md" | "markdown" => (Kind::Chart, Chart::to_markdown),
            "tex" | "tikz" => (Kind::Picture, Chart::to_tikz),
            _ => {
                let known = "`.svg`, `.tex` (TikZ), `.txt`, `.md` (Markdown) or `.mmd` (Mermaid)";
                return Err(format!("the name of a chart ends with {known}"));
            }
        };
        Ok(ChartFile { path, kind, draw })
    }

    /// Draws the counterexample to a spec into a file.
    pub fn write(&self, file: &Path, model: &Model, spec: usize, counterexample: &Counterexample) -> Result<()> {
        let title = format!("spec {}: violated {}", human::name(model, spec), human::shape(counterexample));
        let chart = Chart::of_counterexample(counterexample, &model.specs[spec], title);
        replace::write(file, self.kind, (self.draw)(&chart))
    }
}
