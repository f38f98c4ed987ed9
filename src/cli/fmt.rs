//! `rcheck-smt fmt`

use crate::cli::arguments::ReadingOptions;
use crate::cli::io::find::FileKinds;
use crate::cli::io::input::{Loaded, expand, is_standard_input, load_text, read, show_diagnostics, show_found};
use crate::cli::io::out::{document, remark, shown};
use crate::cli::io::{language, replace};
use crate::cli::status::Status;
use crate::diag::Diagnostics;
use crate::language::Language;
use crate::syntax::{self, parse, pretty};
use anyhow::{Result, bail};
use clap::Args;
use std::path::Path;
use std::path::PathBuf;

pub const FMT_EXIT_CODES: &str = "\
Exit codes:
  0  every file was printed or written, or is formatted (`--check`)
  1  some file is not formatted (`--check`)
  2  some file has syntax errors, or cannot be read or written; `check` finds all other errors
  3  internal error: please report it
  130  stopped by Ctrl-C";

#[derive(Debug, Args)]
pub struct Fmt {
    /// The models, folders with models (`*.rcp`, at any depth), or `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// Print only the names of the files that are not formatted, and exit with 1 if there are any.
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
    /// Write out what the original language does not have: constants, families, sums and sizes.
    #[arg(long, conflicts_with = "check")]
    pub plain: bool,
    /// Write the result back to each file.
    #[arg(long)]
    pub write: bool,
}

/// Prints the models canonically, or checks or rewrites the files.
pub fn run(command: &Fmt) -> Result<Status> {
    if command.write && command.files.iter().any(|path| is_standard_input(path)) {
        bail!("standard input cannot be written back to");
    }
    let mut status = Status::Clear;
    for path in expand(&command.files, FileKinds::Models) {
        status = status.worst(path.and_then(|path| format(command, &path)).unwrap_or_else(|error| {
            remark(format_args!("error: {error:#}"));
            Status::BadInput
        }));
    }
    Ok(status)
}

fn format(command: &Fmt, path: &Path) -> Result<Status> {
    let mut source = read(path)?;
    let language = language::of(&source);
    if language != Language::Rcp {
        let words = language.words();
        bail!("{}: files in {words} are not formatted; `fmt` is for the R-CHECK language", shown(path));
    }
    let how = command.reading.how()?;
    if !command.plain && !how.constants.is_empty() {
        bail!(
            "`--const`, `--size`, `--any-number`, `--fair`, `--point-to-point` and `--uniform` change the text with `--plain` only"
        );
    }
    let mut parsed = parse(&source, how.dialect);
    let refuse = |source, dialect, diagnostics: Diagnostics| {
        show_diagnostics(&Loaded { source, dialect, model: None, diagnostics: diagnostics.sorted() });
        Ok(Status::BadInput)
    };
    let dialect = parsed.model.dialect;
    if parsed.diagnostics.has_errors() {
        return refuse(source, dialect, parsed.diagnostics);
    }
    if command.plain {
        let loaded = load_text(source, &how)?;
        let (Some(model), false) = (&loaded.model, loaded.diagnostics.has_errors()) else {
            show_found(&loaded, true);
            return Ok(Status::BadInput);
        };
        parsed.model.give(&how.constants).expect("the model has them");
        let plain = syntax::plain(&parsed.model, &model.literals());
        source = loaded.source;
        match plain {
            Ok(plain) => parsed.model = plain,
            Err(refused) => return refuse(source, dialect, refused),
        }
    }
    let text = pretty::format(&source, &parsed);
    if command.check {
        if text == source.text() {
            return Ok(Status::Clear);
        }
        let shown = shown(path);
        remark(match is_standard_input(path) {
            true => format!("{} is not formatted", source.name()),
            false => format!("{shown} is not formatted; `rcheck-smt fmt --write {shown}` formats it"),
        });
        return Ok(Status::Violated);
    }
    if !command.write {
        document(text.as_bytes());
    } else if text != source.text() {
        replace::rewrite(path, text)?;
    }
    Ok(Status::Clear)
}
