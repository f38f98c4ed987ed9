//! `rcheck-smt export`

use crate::cli::arguments::ReadingOptions;
use crate::cli::graph::reachable;
use crate::cli::io::input::{Loaded, load, say_sizes, show_diagnostics};
use crate::cli::io::kind::Kind;
use crate::cli::io::out::{document, remark, shown};
use crate::cli::io::replace;
use crate::cli::limits::limited::Limited;
use crate::cli::specs::{choose, no_spec};
use crate::cli::status::Status;
use crate::export::{Subject, chc, json, smv, vmt};
use crate::model::Model;
use crate::report::graph::{Words, dot};
use crate::report::human::name;
use crate::words::count;
use anyhow::{Context, Result, bail, ensure};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};

pub const NOTES: &str = "\
Formats:
  smv   the system, and the specs in LTL, for nuXmv (and for NuSMV if the system is finite)
  vmt   VMT-LIB, one file per conjunct (part) of a spec: the product of the system and the negated conjunct
  chc   constrained Horn clauses, one file per spec: `sat` means that the spec holds
  json  the system, and the specs in LTL, as data
  dot   the reachable states of a small model, for Graphviz, as `graph --reachable` draws them

Comments in each file say what the answer of another tool means for the spec; see docs/export.md.

Exit codes:
  0  everything was written
  2  the input or the arguments are wrong, or the disk is full
  3  internal error: please report it
  4  given up at the limit of `--timeout` or `--memory`
  130  stopped by Ctrl-C";

/// The most states that `dot` draws unless told otherwise.
const DRAWN_STATES: u16 = 500;

#[derive(Debug, Args)]
pub struct Export {
    /// The model.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// The format.
    #[arg(long, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// Export only this spec, given by its number (from 1) or its name. May be repeated.
    #[arg(long, value_name = "N|NAME")]
    pub spec: Vec<String>,
    /// vmt, chc: only this conjunct of the spec, counted from 1 [default: all].
    #[arg(long, value_name = "N")]
    pub part: Option<usize>,
    /// chc: the bound of k-liveness, for conjuncts that are not safety properties: the acceptance condition of the
    /// negation may be met at most K times [default: 1].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(..=63))]
    pub count: Option<u8>,
    /// dot: the largest number of states to draw [default: 500].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub states: Option<u16>,
    /// Write to this file [default: standard output].
    #[arg(long, short, value_name = "PATH", conflicts_with = "directory")]
    pub output: Option<PathBuf>,
    /// Write all specs and conjuncts to this folder, in files `MODEL.specN.partN.FORMAT`.
    #[arg(long, short, value_name = "FOLDER")]
    pub directory: Option<PathBuf>,
    #[command(flatten)]
    pub limited: Limited,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    Smv,
    Vmt,
    Chc,
    Json,
    Dot,
}

struct Document {
    /// The part of the model that it is about, as in `.spec3.part1`.
    about: String,
    text: Vec<u8>,
}

/// Exports what the arguments ask for.
pub fn run(command: &Export) -> Result<Status> {
    command.check()?;
    command.limited.run("nothing was exported", || export(command))
}

fn export(command: &Export) -> Result<Status> {
    let how = command.reading.how()?;
    let loaded = load(&command.file, &how)?;
    show_diagnostics(&loaded);
    let Loaded { model: Some(model), .. } = loaded else { return Ok(Status::BadInput) };
    say_sizes(&model);
    command.output.as_deref().map_or(Ok(()), |path| replace::refuse_other(path, Kind::Export))?;
    let specs = command.about_single_runs(&model)?;
    let file = command.file.display().to_string();
    let subject = Subject { model: &model, file: &file };
    let documents = command.documents(subject, &specs)?;
    ensure!(!documents.is_empty(), no_spec(&model, &file));
    match (&command.directory, &documents[..]) {
        (Some(folder), _) => command.write_all(folder, &documents)?,
        (None, [document]) => command.write_one(document)?,
        (None, _) => bail!(
            "this makes {} files, one per {}; name a folder for them with `--directory FOLDER`, or choose with {}",
            documents.len(),
            if command.to == ExportFormat::Vmt { "part" } else { "spec" },
            if specs.len() > 1 { "`--spec`" } else { "`--part`" },
        ),
    }
    Ok(Status::Clear)
}

impl Export {
    /// Refuses options that mean nothing for the format.
    fn check(&self) -> Result<()> {
        let only = |given: bool, option: &str, formats: &[ExportFormat], words: &str| {
            ensure!(!given || formats.contains(&self.to), "`{option}` means something for {words} only");
            Ok(())
        };
        only(self.part.is_some(), "--part", &[ExportFormat::Vmt, ExportFormat::Chc], "vmt and chc")?;
        only(self.count.is_some(), "--count", &[ExportFormat::Chc], "chc")?;
        only(self.states.is_some(), "--states", &[ExportFormat::Dot], "dot")?;
        let about_specs = [ExportFormat::Smv, ExportFormat::Vmt, ExportFormat::Chc, ExportFormat::Json];
        only(!self.spec.is_empty(), "--spec", &about_specs, "smv, vmt, chc and json")
    }

    /// The chosen specs. Those about other runs or knowledge are left out, unless they are named, or there are no others.
    fn about_single_runs(&self, model: &Model) -> Result<Vec<usize>> {
        let chosen = choose(model, &self.spec)?;
        let is_other = |spec: &usize| self.to != ExportFormat::Dot && model.specs[*spec].formula.is_branching();
        let (others, specs): (Vec<usize>, Vec<usize>) = chosen.into_iter().partition(is_other);
        let words = "is about other runs or knowledge, which no file says that we write";
        match others.first() {
            Some(spec) if specs.is_empty() || !self.spec.is_empty() => bail!("spec {} {words}", name(model, *spec)),
            _ => others.iter().for_each(|spec| remark(format_args!("left out: spec {} {words}", name(model, *spec)))),
        }
        Ok(specs)
    }

    fn documents(&self, subject: Subject, specs: &[usize]) -> Result<Vec<Document>> {
        let mut documents = Vec::new();
        let mut add = |about: String, write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
            let mut text = Vec::new();
            write(&mut text)?;
            documents.push(Document { about, text });
            anyhow::Ok(())
        };
        match self.to {
            ExportFormat::Smv => add(String::new(), &|out| smv::write(out, subject, specs))?,
            ExportFormat::Json => add(String::new(), &|out| json::write(out, subject, specs))?,
            ExportFormat::Dot => {
                let most = self.states.unwrap_or(DRAWN_STATES);
                let graph = reachable(subject.model, most.into(), Words::All)?;
                let complete = graph.nodes.iter().all(|node| !node.cut);
                let states = count(usize::from(most), "reachable state");
                ensure!(complete, "the model has more than {states}; `--states N` allows more");
                add(String::new(), &|out| out.write_all(dot::to_dot(std::slice::from_ref(&graph)).as_bytes()))?;
            }
            ExportFormat::Vmt => {
                for &spec in specs {
                    for part in self.parts(subject, spec)? {
                        let about = format!(".spec{}.part{}", spec + 1, part + 1);
                        add(about, &|out| vmt::write(out, subject, spec, part))?;
                    }
                }
            }
            ExportFormat::Chc => {
                let counted = self.count.unwrap_or(1).into();
                for &spec in specs {
                    let parts = self.parts(subject, spec)?;
                    let part = self.part.map(|part| format!(".part{part}")).unwrap_or_default();
                    let about = format!(".spec{}{part}", spec + 1);
                    add(about, &|out| chc::write(out, subject, spec, &parts, counted))?;
                }
            }
        }
        Ok(documents)
    }

    /// The chosen parts of a spec, from 0.
    fn parts(&self, subject: Subject, spec: usize) -> Result<Vec<usize>> {
        let count = subject.model.specs[spec].formula.conjuncts().len();
        match self.part {
            None => Ok((0..count).collect()),
            Some(part) if (1..=count).contains(&part) => Ok(vec![part - 1]),
            Some(part) => bail!("spec {} has no part {part}: it has {count}", spec + 1),
        }
    }

    fn write_one(&self, text: &Document) -> Result<()> {
        let Some(path) = &self.output else {
            document(&text.text);
            return Ok(());
        };
        replace::write(path, Kind::Export, &text.text)
    }

    fn write_all(&self, folder: &Path, documents: &[Document]) -> Result<()> {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", shown(folder)))?;
        for document in documents {
            let name = self.to.to_possible_value();
            let extension =
                name.as_ref().filter(|_| self.to != ExportFormat::Chc).map_or("smt2", PossibleValue::get_name);
            let path = folder.join(format!("{stem}{}.{extension}", document.about));
            replace::write(&path, Kind::Export, &document.text)?;
        }
        Ok(())
    }
}
