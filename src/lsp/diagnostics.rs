//! Diagnostics of a text: what is wrong with it, and which specs are violated.

use super::documents::{Document, LONGEST_LOOK};
use super::position::range;
use super::verifier::SpecOrChecks;
use crate::diag::{Diagnostic, Severity};
use crate::ide::parts;
use crate::report::record::{Agreement, Verdict};
use lsp_types::{DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString};

impl Document {
    /// Errors and warnings of the text, and the specs that are violated.
    pub fn diagnostics(&self) -> Vec<lsp_types::Diagnostic> {
        if self.reading().is_none() {
            let message = format!("reading this text was given up after {} s", LONGEST_LOOK.as_secs());
            return vec![lsp_types::Diagnostic { message, ..lsp_types::Diagnostic::default() }];
        }
        let said: Vec<_> = self.findings().map(|finding| (finding.code, finding.span)).collect();
        let looked = self.looked.iter().filter(|it| !said.contains(&(it.code, it.span)));
        let findings = self.findings().chain(looked).map(|finding| self.diagnostic_of(finding));
        findings.chain(self.violations()).collect()
    }

    /// A finding as the protocol has it.
    pub fn diagnostic_of(&self, finding: &Diagnostic) -> lsp_types::Diagnostic {
        let related = finding.related.iter().map(|label| DiagnosticRelatedInformation {
            location: Location { uri: self.uri.clone(), range: range(self.source(), label.span) },
            message: label.message.clone(),
        });
        let related: Vec<_> = related.collect();
        let lines = [Some(&finding.message), Some(&finding.label), finding.help.as_ref()].into_iter().flatten();
        let lines: Vec<&str> = lines.map(String::as_str).filter(|line| !line.is_empty()).collect();
        lsp_types::Diagnostic {
            range: range(self.source(), finding.span),
            severity: Some(severity(finding)),
            code: Some(NumberOrString::String(finding.code.as_str().to_owned())),
            source: Some("rcheck-smt".to_owned()),
            message: lines.join("\n"),
            related_information: Some(related).filter(|list| !list.is_empty()),
            ..lsp_types::Diagnostic::default()
        }
    }

    /// Marks the parts of specs that fail.
    fn violations(&self) -> Vec<lsp_types::Diagnostic> {
        if self.verdicts.is_empty() {
            return Vec::new();
        }
        let marks = (0..self.specs()).filter_map(|number| {
            let known = self.known(SpecOrChecks::Spec(number))?;
            let shown = self.as_asked(SpecOrChecks::Spec(number), &known.records);
            let shown = shown.first().filter(|shown| shown.record.verdict == Verdict::Violated)?;
            let severity = match shown.agreement() {
                Some(Agreement::Met) => DiagnosticSeverity::HINT,
                Some(_) => DiagnosticSeverity::ERROR,
                None => DiagnosticSeverity::WARNING,
            };
            let record = shown.record;
            let steps = crate::words::count(record.depth.unwrap_or_default(), "step");
            let again = if record.loop_start.or(record.round_start).is_some() { ", and so on for ever" } else { "" };
            let expected = if severity == DiagnosticSeverity::HINT { ", as expected" } else { "" };
            let part = self.analysis().and_then(|analysis| parts::place(analysis, number, known.failing));
            Some(lsp_types::Diagnostic {
                range: range(self.source(), part.or_else(|| self.place_of_spec(number))?),
                severity: Some(severity),
                code: Some(NumberOrString::String("violated".to_owned())),
                source: Some("rcheck-smt".to_owned()),
                message: format!("violated{expected}: this part is false on a run of {steps}{again}"),
                ..lsp_types::Diagnostic::default()
            })
        });
        marks.collect()
    }
}

/// How bad a finding is, as the protocol says it.
fn severity(finding: &Diagnostic) -> DiagnosticSeverity {
    match finding.severity() {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    }
}
