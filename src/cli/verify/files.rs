//! Files with evidence: traces and charts of counterexamples, and certificates.

use super::Proofs;
use super::arguments::Verification;
use super::certificates::{prepare, write_certificate};
use super::strategies;
use crate::check::Verdict;
use crate::cli::io::kind::Kind;
use crate::cli::io::out::shown;
use crate::cli::io::{replace, save};
use crate::language::Language;
use crate::model::{Model, Spec};
use crate::report::human;
use crate::source::SourceFile;
use crate::trace_file::ITF_EXTENSION;
use anyhow::{Result, anyhow, bail};
use std::path::{Path, PathBuf};

/// Longer names of specs are no part of the names of files.
const LONGEST_WORD: usize = 100;

/// In the name of a file it stands for the spec.
const PLACEHOLDER: &str = "{spec}";

/// The files that the user wants.
#[derive(Clone, Copy)]
pub struct EvidenceFiles<'a> {
    command: &'a Verification,
    proofs: Proofs<'a>,
    /// True if each spec needs a file of its own.
    several: bool,
}

impl<'a> EvidenceFiles<'a> {
    /// For these specs of a model; fails if a file cannot be written or may not be replaced, which is better known before
    /// a long search than after it.
    pub fn new(
        command: &'a Verification,
        proofs: Proofs<'a>,
        model: &Model,
        specs: &[usize],
    ) -> Result<EvidenceFiles<'a>> {
        let trace = command.save_trace.as_deref().map(|path| (path, Kind::Trace));
        let chart = command.chart.as_ref().map(|chart| (chart.path.as_path(), chart.kind));
        let strategy = proofs.strategy.map(|path| (path, Kind::Strategy));
        let (wanted, several) = (trace.into_iter().chain(chart).chain(strategy), specs.len() > 1);
        replace::refuse_repetition(wanted.clone().map(|(path, _)| path))?;
        for (path, kind) in wanted {
            if several && replace::is_stream(path) {
                let what = if kind == Kind::Strategy { "strategy" } else { "counterexample" };
                bail!("{} takes one {what}: name one spec (`--spec`), or a file", shown(path));
            }
            let mut files = specs.iter().map(|&spec| file_of(path, model, spec, several));
            files.try_for_each(|file| replace::refuse_other(&file, kind))?;
            if kind == Kind::Strategy {
                strategies::refuse_name(path, model)?;
            } else if Language::of_name(path).is_some() {
                bail!("{} would be named like a model; name it `.json` or `.itf.json`", shown(path));
            }
        }
        proofs.folder.map(prepare).transpose()?;
        Ok(EvidenceFiles { command, proofs, several })
    }

    /// Writes what the user wants of a spec.
    pub fn write(
        &self,
        (source, model): (&SourceFile, &Model),
        spec: usize,
        verdict: &Verdict,
    ) -> Vec<Result<EvidenceFile>> {
        let mut files = self.write_counterexample(model, spec, verdict);
        if let Some((path, answers)) = self.proofs.strategy.zip(verdict.strategies()) {
            let stem = file_of(path, model, spec, self.several);
            let (dialect, model) = (self.command.reading.dialect(), verdict.model(model));
            files.extend(strategies::write(&stem, (source, dialect), model, spec, answers));
        }
        if self.proofs.strategy.is_some() && verdict.has_strategy_for_all_sizes() {
            let name = human::title(model, spec);
            files.push(Err(anyhow!("the strategy of {name} is for all sizes: `--size` chooses a model to be written")));
        }
        if let Some(folder) = self.proofs.folder {
            let stem = folder.join(word_of(model, spec));
            files.extend(write_certificate(&stem, model, &self.command.file, spec, verdict));
        }
        files
    }

    fn write_counterexample(&self, model: &Model, spec: usize, verdict: &Verdict) -> Vec<Result<EvidenceFile>> {
        let Verdict::Violated(counterexample) = verdict else { return Vec::new() };
        let model = verdict.model(model);
        let trace = self.command.save_trace.as_deref().map(|path| {
            let path = file_of(path, model, spec, self.several);
            let description = format!("violates spec {} {}", human::name(model, spec), human::shape(counterexample));
            let saved = save::save(&path, counterexample, &self.command.file, description);
            saved.map(|()| EvidenceFile { what: "trace saved to", path })
        });
        let chart = self.command.chart.as_ref().map(|chart| {
            let path = file_of(&chart.path, model, spec, self.several);
            let drawn = chart.write(&path, model, spec, counterexample);
            drawn.map(|()| EvidenceFile { what: "chart drawn in", path })
        });
        trace.into_iter().chain(chart).collect()
    }
}

/// A file with evidence.
#[derive(Clone, Debug)]
pub struct EvidenceFile {
    /// The text before the name of the file that says what was done.
    pub what: &'static str,
    pub path: PathBuf,
}

/// The file of a spec: `{spec}` becomes its name. Where that is missing and there are several specs,
/// `chart.svg` becomes `chart-NAME.svg`.
fn file_of(path: &Path, model: &Model, spec: usize, several: bool) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let word = word_of(model, spec);
    if name.contains(PLACEHOLDER) || !several {
        return path.with_file_name(name.replace(PLACEHOLDER, &word));
    }
    let (stem, extension) = match name.strip_suffix(ITF_EXTENSION) {
        Some(stem) => (stem, ITF_EXTENSION),
        None => name.split_at(name.rfind('.').filter(|dot| *dot > 0).unwrap_or(name.len())),
    };
    path.with_file_name(format!("{stem}-{word}{extension}"))
}

/// A spec as part of the name of a file: its name if that is a word and no other spec has it, else its
/// number. A name that is a number itself could be that of another spec, so it does not count; nor do upper and lower
/// case tell names apart, as some file systems do not either.
pub fn word_of(model: &Model, spec: usize) -> String {
    let is_word = |name: &&str| {
        let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
        name.len() <= LONGEST_WORD && name.chars().all(is_part)
    };
    let is_named = |name: &str, spec: &Spec| spec.name.as_ref().is_some_and(|other| alike(other, name));
    let is_unique = |name: &&str| model.specs.iter().filter(|spec| is_named(name, spec)).count() == 1;
    let name = model.specs[spec].name.as_deref();
    let name = name.filter(is_word).filter(is_unique);
    name.map_or_else(|| (spec + 1).to_string(), str::to_owned)
}

fn alike(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// A path with something appended to its last part.
pub fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
