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
    path: PathBuf,
    format: ChartFormat,
}

#[derive(Clone, Copy, Debug)]
enum ChartFormat {
    Svg,
    Text,
    Mermaid,
    Markdown,
    Tikz,
}

impl ChartFile {
    /// The extension says which form is wanted.
    pub fn parse(text: &str) -> Result<ChartFile, String> {
        let path = PathBuf::from(text);
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let format = match extension.to_ascii_lowercase().as_str() {
            "svg" => ChartFormat::Svg,
            "txt" => ChartFormat::Text,
            "mmd" | "mermaid" => ChartFormat::Mermaid,
            "md" | "markdown" => ChartFormat::Markdown,
            "tex" | "tikz" => ChartFormat::Tikz,
            _ => {
                let known = "`.svg`, `.tex` (TikZ), `.txt`, `.md` (Markdown) or `.mmd` (Mermaid)";
                return Err(format!("the name of a chart ends with {known}"));
            }
        };
        Ok(ChartFile { path, format })
    }

    /// The path as the user wrote it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind of the file.
    pub fn kind(&self) -> Kind {
        if matches!(self.format, ChartFormat::Svg | ChartFormat::Tikz) { Kind::Picture } else { Kind::Chart }
    }

    /// Draws the counterexample to a spec into a file.
    pub fn write(&self, file: &Path, model: &Model, spec: usize, counterexample: &Counterexample) -> Result<()> {
        let chart = Chart::of_counterexample(counterexample, &model.specs[spec], title(model, spec, counterexample));
        let text = match self.format {
            ChartFormat::Svg => chart.to_svg(),
            ChartFormat::Text => chart.to_text(COLUMNS),
            ChartFormat::Mermaid => chart.to_mermaid(),
            ChartFormat::Markdown => chart.to_markdown(),
            ChartFormat::Tikz => chart.to_tikz(),
        };
        replace::write(file, self.kind(), text)
    }
}

fn title(model: &Model, spec: usize, counterexample: &Counterexample) -> String {
    format!("spec {}: violated {}", human::name(model, spec), human::shape(counterexample))
}
