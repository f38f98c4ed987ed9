//! Files with counterexamples.

use crate::check::{Counterexample, Verdict};
use crate::cli::save::save;
use crate::model::Spec;
use crate::report::chart::Chart;
use crate::report::record::{Record, Unit};
use crate::report::trace::{self, Detail};
use crate::verify::Outcome;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Writes the counterexample, if there is one, and names the files in the record.
pub fn write(folder: &Path, spec: &Spec, outcome: &Outcome, mut record: Record) -> Record {
    if let Verdict::Violated(counterexample) = &outcome.verdict {
        match write_all(&folder.join(place(&record.unit)), &record.unit, spec, counterexample) {
            Ok(paths) => record.evidence = paths,
            Err(error) => record.reason = Some(format!("{error:#}")),
        }
    }
    record
}

/// Returns the paths of what was written: text and a chart for people, JSON for us, ITF for other tools.
fn write_all(stem: &Path, unit: &Unit, spec: &Spec, counterexample: &Counterexample) -> Result<Vec<PathBuf>> {
    if let Some(folder) = stem.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let text_file = with_ending(stem, "txt");
    let mut text = anstream::StripStream::new(Vec::new());
    trace::write(&mut text, counterexample, spec, Detail::Changes)?;
    fs::write(&text_file, text.into_inner()).with_context(|| format!("cannot write {}", text_file.display()))?;
    let title = format!("{} {}", unit.model, unit.label());
    let chart_file = with_ending(stem, "svg");
    fs::write(&chart_file, Chart::of_counterexample(counterexample, spec, title).to_svg())
        .with_context(|| format!("cannot write {}", chart_file.display()))?;
    let mut paths = vec![text_file, chart_file];
    for ending in ["json", "itf.json"] {
        let path = with_ending(stem, ending);
        let description = format!("violates spec {}", unit.label());
        save(&path, counterexample, Path::new(&unit.model), description)?;
        paths.push(path);
    }
    Ok(paths)
}

fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// A place for each spec below the folder: that of the model, then the number of the spec and its name. Different
/// models have different places.
fn place(unit: &Unit) -> PathBuf {
    let parts = Path::new(&unit.model).components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_os_string()),
        Component::ParentDir => Some("_parent".into()),
        Component::RootDir | Component::Prefix(_) => Some("_root".into()),
        Component::CurDir => None,
    });
    let number = unit.spec.unwrap_or_default();
    let is_safe = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let name = match &unit.name {
        Some(name) => format!("{number}-{}", name.replace(|c| !is_safe(c), "_")),
        None => number.to_string(),
    };
    parts.collect::<PathBuf>().join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_below_the_folder() {
        let place = |model: &str, name: Option<&str>| {
            let name = name.map(str::to_owned);
            place(&Unit { spec: Some(3), name, ..Unit::file(model, None) })
        };
        assert_eq!(place("specs/bank.rcp", Some("safe")), Path::new("specs/bank.rcp/3-safe"));
        assert_eq!(place("/specs/bank.rcp", None), Path::new("_root/specs/bank.rcp/3"));
        assert_eq!(place("../bank.rcp", Some("a/../b")), Path::new("_parent/bank.rcp/3-a____b"));
    }
}
