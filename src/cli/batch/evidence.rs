//! Files with evidence: counterexamples for people and other tools, certificates for `certify`.

use crate::check::strategies::{Answers, Why};
use crate::check::{Counterexample, Verdict};
use crate::cli::io::kind::Kind;
use crate::cli::io::out::shown;
use crate::cli::io::replace;
use crate::cli::io::save::save;
use crate::cli::verify::certificates::{prepare, write_certificate};
use crate::cli::verify::files::with_ending;
use crate::escape::document;
use crate::export::strategy::BuiltIn;
use crate::model::{Model, Spec};
use crate::report::chart::Chart;
use crate::report::record::{Record, Unit};
use crate::report::trace::{self, Detail};
use crate::report::{proof, refutation};
use crate::source::SourceFile;
use crate::syntax::ast::Dialect;
use anyhow::{Context, Result};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The end of the names of certificates, before the extension.
const CERTIFICATE: &str = ".certificate";

/// The number of letters of the name of a spec that are part of the names of its files.
const LONGEST_NAME: usize = 50;

/// Which evidence to write, and to which folders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WantedEvidence {
    pub traces: Option<PathBuf>,
    pub certificates: Option<PathBuf>,
    /// True if the record says why a spec holds.
    #[serde(default)]
    pub explanation: bool,
}

impl WantedEvidence {
    /// Makes the folders; that they can be written to is better known before a long search than after it.
    pub fn prepare(&self) -> Result<()> {
        [&self.traces, &self.certificates].into_iter().flatten().try_for_each(|folder| prepare(folder))
    }

    /// True if what is wanted of a record was written, and is still there.
    pub fn is_written(&self, record: &Record) -> bool {
        let is_certificate = |path: &Path| path.to_string_lossy().ends_with(&format!("{CERTIFICATE}.json"));
        let is_there = |folder: &Option<PathBuf>, certificates: bool| {
            let Some(folder) = folder else { return true };
            let files = record.evidence.iter().filter(|path| path.starts_with(folder));
            let mut files = files.filter(|path| is_certificate(path) == certificates).peekable();
            files.peek().is_some() && files.all(|path| path.exists())
        };
        let (shown, proved) = (record.verdict.is_shown(), record.verdict.is_proved());
        (!shown || is_there(&self.traces, false)) && (!(shown || proved) || is_there(&self.certificates, true))
    }

    /// Writes the evidence for the verdict on a spec, and names the files in the record.
    pub fn write(
        &self,
        loaded: (&SourceFile, Option<Dialect>),
        (model, spec): (&Model, usize),
        verdict: &Verdict,
        mut record: Record,
    ) -> Record {
        if self.explanation {
            record.explanation = explanation(model, spec, verdict);
            if let Some(answers) = verdict.strategies() {
                build_in(&mut record, loaded, (verdict.model(model), spec), answers);
            }
        }
        match self.write_all(model, spec, verdict, &record.unit) {
            Ok(paths) => record.evidence = paths,
            Err(error) => record.reason = Some(format!("{error:#}")),
        }
        record
    }

    /// The beginning of the names of certificates of a unit; nothing if none are wanted.
    pub fn certificate_stem(&self, unit: &Unit) -> Result<Option<PathBuf>> {
        let folder = self.certificates.as_ref();
        folder.map(|folder| Ok(with_ending(&stem(folder, unit)?, CERTIFICATE))).transpose()
    }

    fn write_all(&self, model: &Model, spec: usize, verdict: &Verdict, unit: &Unit) -> Result<Vec<PathBuf>> {
        let (mut paths, model) = (Vec::new(), verdict.model(model));
        if let (Some(folder), Verdict::Violated(counterexample)) = (&self.traces, verdict) {
            paths = write_counterexample(&stem(folder, unit)?, unit, &model.specs[spec], counterexample)?;
        }
        // Traces may be in the same folder.
        if let (Some(stem), Verdict::Violated(_) | Verdict::Holds(_)) = (self.certificate_stem(unit)?, verdict) {
            for file in write_certificate(&stem, model, Path::new(&unit.model), spec, verdict) {
                paths.push(file?.path);
            }
        }
        Ok(paths)
    }
}

/// Why a spec holds, or why there is no strategy.
fn explanation(model: &Model, spec: usize, verdict: &Verdict) -> Option<String> {
    let mut text = anstream::StripStream::new(Vec::new());
    let model = verdict.model(model);
    let written = match (verdict, verdict.strategies()) {
        (Verdict::Holds(proof), _) => proof::write(&mut text, model, spec, proof, "the certificate has all of it"),
        (_, Some(answers)) => refutation::write(&mut text, model, answers, Detail::Changes, None),
        _ => return None,
    };
    written.expect("writing to memory works");
    Some(String::from_utf8_lossy(&text.into_inner()).into_owned())
}

/// Adds the models with strategies built in, as far as guards can say what members decide.
fn build_in(
    record: &mut Record,
    (source, dialect): (&SourceFile, Option<Dialect>),
    (model, spec): (&Model, usize),
    answers: &Answers,
) {
    for (ability, answer) in record.abilities.iter_mut().zip(answers.answers()) {
        if let Why::Can { strategy, outcome, .. } = answer.why() {
            ability.model = BuiltIn { model, strategy, outcome, spec }.text(source, dialect).ok();
        }
    }
}

/// The beginning of the names of files about a unit, in a folder that exists.
fn stem(folder: &Path, unit: &Unit) -> Result<PathBuf> {
    let stem = folder.join(place(unit));
    if let Some(folder) = stem.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", shown(folder)))?;
    }
    Ok(stem)
}

/// Returns the paths of what was written: text and a chart for people, JSON for us, ITF for other tools.
fn write_counterexample(
    stem: &Path,
    unit: &Unit,
    spec: &Spec,
    counterexample: &Counterexample,
) -> Result<Vec<PathBuf>> {
    let text_file = with_ending(stem, ".txt");
    let mut text = anstream::StripStream::new(Vec::new());
    trace::write(&mut text, counterexample, spec, Detail::Changes, None)?;
    replace::write(&text_file, Kind::Chart, document(&String::from_utf8_lossy(&text.into_inner())).as_bytes())?;
    let title = format!("{} {}", unit.model, unit.label());
    let chart_file = with_ending(stem, ".svg");
    replace::write(&chart_file, Kind::Picture, Chart::of_counterexample(counterexample, spec, title).to_svg())?;
    let mut paths = vec![text_file, chart_file];
    for ending in [".json", ".itf.json"] {
        let path = with_ending(stem, ending);
        save(&path, counterexample, Path::new(&unit.model), unit.shown())?;
        paths.push(path);
    }
    Ok(paths)
}

/// The name of a folder that every file system takes; different texts have different names.
fn short(name: String) -> String {
    const LONGEST: usize = 120;
    if name.len() <= LONGEST {
        return name;
    }
    let hash = HEXLOWER.encode(&Sha256::digest(&name)[..8]);
    format!("{}~{hash}", name.chars().take(LONGEST / 2).collect::<String>())
}

/// A place for each unit below the folder: that of the model, then the number of the spec and its name; of a check, the
/// line of the command instead of the number. Different units have different places.
fn place(unit: &Unit) -> PathBuf {
    let parts = Path::new(&unit.model).components().filter_map(|part| match part {
        Component::Normal(name) => Some(match name.to_string_lossy() {
            word if matches!(word.trim_start_matches('_'), "parent" | "root") => format!("_{word}").into(),
            _ => name.to_os_string(),
        }),
        Component::ParentDir => Some("_parent".into()),
        Component::RootDir | Component::Prefix(_) => Some("_root".into()),
        Component::CurDir => None,
    });
    let is_safe = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    // The number tells specs apart, however long their names are.
    let most = if unit.spec.is_some() { LONGEST_NAME } else { usize::MAX };
    let safe = |name: &String| name.chars().take(most).map(|c| if is_safe(c) { c } else { '_' }).collect();
    let name: Option<String> = unit.name.as_ref().map(safe);
    let number = unit.spec.or(unit.line).map(|number| number.to_string());
    let check = unit.check.map(|_| "check".to_owned());
    let given = unit.constants.iter().map(|(name, value)| format!("{name}={value}"));
    let given = (!unit.constants.is_empty()).then(|| short(given.collect::<Vec<_>>().join(",")));
    let words: Vec<String> = [check, number, name].into_iter().flatten().collect();
    parts.collect::<PathBuf>().join(given.unwrap_or_default()).join(words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::Check;

    #[test]
    fn places_stay_below_the_folder() {
        let place = |model: &str, name: Option<&str>| {
            let name = name.map(str::to_owned);
            place(&Unit { spec: Some(3), name, ..Unit::file(model, None) })
        };
        assert_eq!(place("specs/bank.rcp", Some("safe")), Path::new("specs/bank.rcp/3-safe"));
        assert_eq!(place("/specs/bank.rcp", None), Path::new("_root/specs/bank.rcp/3"));
        assert_eq!(place("../bank.rcp", Some("a/../b")), Path::new("_parent/bank.rcp/3-a____b"));
        // Whatever others are called.
        assert_eq!(place("_parent/_root/parent.rcp", None), Path::new("__parent/__root/parent.rcp/3"));
        let check = Unit { check: Some(Check::Overflow), line: Some(7), ..Unit::file("a.rcp", None) };
        let check = Unit { name: Some("overflow of command A-up".to_owned()), ..check };
        assert_eq!(super::place(&check), Path::new("a.rcp/check-7-overflow_of_command_A-up"));
    }
}
