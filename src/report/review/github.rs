//! Workflow commands of GitHub: one line per remark. A review shows them at their lines, and the log as they are.

use super::{FilePlace, RULES, Remark};
use crate::diag::Severity;
use crate::escape;
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, remarks: &[Remark]) -> io::Result<()> {
    remarks.iter().try_for_each(|remark| write_remark(out, remark))
}

fn write_remark(out: &mut dyn Write, remark: &Remark) -> io::Result<()> {
    let level = match remark.level {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    write!(out, "::{level} file={}", escape::workflow_property(&remark.file))?;
    if let Some(FilePlace { line, column, end }) = remark.place {
        write!(out, ",line={line}")?;
        if let Some(column) = column {
            write!(out, ",col={column}")?;
        }
        if let Some(end) = end {
            write!(out, ",endLine={},endColumn={}", end.line, end.column)?;
        }
    }
    // A code says what a finding is; the title of a verdict says it anyway.
    let title = match RULES.iter().any(|(rule, _)| *rule == remark.rule) {
        true => remark.title.clone(),
        false => format!("{}: {}", remark.rule, remark.title),
    };
    // A command without a message is shown without its title.
    let message = if remark.message.is_empty() { &remark.title } else { &remark.message };
    writeln!(out, ",title={}::{}", escape::workflow_property(&title), escape::workflow_message(message))
}
