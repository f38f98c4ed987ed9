//! `--strategy`: strategies as files.

use crate::check::strategies::{Answers, Why};
use crate::cli::io::kind::Kind;
use crate::cli::io::out::shown;
use crate::cli::io::replace::{self, is_named_like_a_model};
use crate::cli::verify::files::{EvidenceFile, with_ending};
use crate::export::strategy::BuiltIn;
use crate::model::Model;
use crate::report::human;
use crate::report::record::Ability;
use crate::source::SourceFile;
use crate::syntax::ast::Dialect;
use anyhow::{Result, anyhow, bail};
use serde_json::json;
use std::path::{Path, PathBuf};

const TABLE: &str = "json";

/// Fails if the file is named like neither a model nor a table.
pub fn refuse_name(path: &Path, model: &Model) -> Result<()> {
    let is_table = path.extension().is_some_and(|extension| extension == TABLE);
    if !is_table && model.joint.is_some() {
        bail!("{}: in models of MCMAS, strategies are written as tables; name a file `.json`", shown(path));
    }
    if !is_table && !is_named_like_a_model(path) {
        bail!("{}: name a file `.rcp` for the model with the strategy, or `.json` for its table alone", shown(path));
    }
    Ok(())
}

/// Writes the strategies that a spec asks for: the table, and for each the model in which it is built in.
pub fn write(
    path: &Path,
    source: (&SourceFile, Option<Dialect>),
    model: &Model,
    spec: usize,
    answers: &Answers,
) -> Vec<Result<EvidenceFile>> {
    let mut files = Vec::new();
    if is_named_like_a_model(path) {
        let can = answers.answers().iter().filter_map(|answer| match answer.why() {
            Why::Can { strategy, outcome, .. } => Some(BuiltIn { model, strategy, outcome, spec }),
            Why::Cannot { .. } => None,
        });
        let can: Vec<BuiltIn> = can.collect();
        for (number, strategy) in can.iter().enumerate() {
            let place = match can.len() {
                1 => path.to_owned(),
                _ => with_ending(&path.with_extension(""), &format!("-{}.{}", number + 1, replace::MODEL_EXTENSION)),
            };
            files.push(write_model(place, strategy, source));
        }
    }
    files.push(write_table(path.with_extension(TABLE), source.0, model, spec, answers));
    files
}

fn write_model(
    path: PathBuf,
    strategy: &BuiltIn,
    (source, dialect): (&SourceFile, Option<Dialect>),
) -> Result<EvidenceFile> {
    let text = strategy.text(source, dialect);
    let text = text.map_err(|why| anyhow!("the strategy cannot be written to {}: {why}", shown(&path)))?;
    replace::write(&path, Kind::Strategy, text)?;
    Ok(EvidenceFile { what: "model with the strategy in", path })
}

fn write_table(
    path: PathBuf,
    source: &SourceFile,
    model: &Model,
    spec: usize,
    answers: &Answers,
) -> Result<EvidenceFile> {
    let abilities = Ability::list(model, answers);
    let table = json!({
        "format": "rcheck-smt strategy",
        "model": source.name(),
        "spec": human::name(model, spec),
        "abilities": abilities,
    });
    let text = serde_json::to_string_pretty(&table).expect("it is data");
    replace::write(&path, Kind::Strategy, text + "\n")?;
    Ok(EvidenceFile { what: "strategy in", path })
}
