//! `rcheck-smt fmt`

use super::arguments::Fmt;
use super::input::{Loaded, read, show_diagnostics};
use super::out::{document, remark, shown};
use super::{Status, replace};
use crate::syntax::{parse, pretty};
use anyhow::Result;

/// Prints the model canonically, or checks or rewrites the file.
pub fn run(command: &Fmt) -> Result<Status> {
    let source = read(&command.file)?;
    let parsed = parse(&source, command.reading.dialect());
    if parsed.diagnostics.has_errors() {
        let dialect = parsed.model.dialect;
        show_diagnostics(&Loaded { source, dialect, model: None, diagnostics: parsed.diagnostics.sorted() });
        return Ok(Status::BadInput);
    }
    let text = pretty::format(&source, &parsed);
    let shown = shown(&command.file);
    if command.check {
        if text == source.text() {
            return Ok(Status::Clear);
        }
        remark(format_args!("{shown} is not formatted; `rcheck-smt fmt --write {shown}` formats it"));
        return Ok(Status::Violated);
    }
    if !command.write {
        document(text.as_bytes());
    } else if text != source.text() {
        replace::rewrite(&command.file, text)?;
    }
    Ok(Status::Clear)
}
