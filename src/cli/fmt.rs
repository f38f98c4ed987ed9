//! `rcheck-smt fmt`

use super::arguments::Fmt;
use super::input::{Loaded, expand, is_standard_input, read, show_diagnostics};
use super::out::{document, remark, shown};
use super::{Status, replace};
use crate::syntax::{parse, pretty};
use anyhow::{Result, bail};
use std::path::Path;

/// Prints the models canonically, or checks or rewrites the files.
pub fn run(command: &Fmt) -> Result<Status> {
    if command.write && command.files.iter().any(|path| is_standard_input(path)) {
        bail!("standard input cannot be written back to");
    }
    let mut status = Status::Clear;
    for path in expand(&command.files) {
        status = status.worst(path.and_then(|path| format(command, &path)).unwrap_or_else(|error| {
            remark(format_args!("error: {error:#}"));
            Status::BadInput
        }));
    }
    Ok(status)
}

fn format(command: &Fmt, path: &Path) -> Result<Status> {
    let source = read(path)?;
    let parsed = parse(&source, command.reading.dialect());
    if parsed.diagnostics.has_errors() {
        let dialect = parsed.model.dialect;
        show_diagnostics(&Loaded { source, dialect, model: None, diagnostics: parsed.diagnostics.sorted() });
        return Ok(Status::BadInput);
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
