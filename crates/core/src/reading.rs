//! From a text in any of the languages to its content.

use crate::diag::{Diagnostics, Severity};
use crate::horn::{self, Clauses};
use crate::ispl;
use crate::language::Language;
use crate::model::{Model, elaborate};
use crate::source::{SourceFile, Span};
use crate::syntax::{self, Parsed, token};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// The content of a text.
#[derive(Debug)]
pub enum Content<'t> {
    /// Agents and specs.
    Model(Box<Model>),
    /// Horn clauses and their question.
    Clauses(Clauses<'t>),
}

impl Content<'_> {
    /// The model, if it is one.
    pub fn model(self) -> Option<Model> {
        match self {
            Content::Model(model) => Some(*model),
            Content::Clauses(_) => None,
        }
    }
}

/// Reads a text. The content is missing iff there are errors; the findings are by place.
pub fn read(source: &SourceFile, language: Language) -> (Option<Content<'_>>, Diagnostics) {
    let of_model =
        |(model, findings): (Option<Model>, _)| (model.map(|model| Content::Model(Box::new(model))), findings);
    match horn::Format::of(language) {
        Some(format) => match format.read(source.text()) {
            Ok(clauses) => (Some(Content::Clauses(clauses)), Diagnostics::new()),
            Err(faults) => (None, horn::findings(faults)),
        },
        None if language == Language::Ispl => of_model(ispl::read(source)),
        None => of_model(model(source, &syntax::parse(source, None))),
    }
}

/// The model of a tree, if there are no errors, and all findings, by place.
pub fn model(source: &SourceFile, parsed: &Parsed) -> (Option<Model>, Diagnostics) {
    let (model, more) = elaborate(&parsed.model);
    let mut findings = parsed.diagnostics.clone();
    // A part that was not read may use names that seem unused: with syntax errors only errors are reported.
    let believable = |severity| severity == Severity::Error || !parsed.diagnostics.has_errors();
    more.iter().filter(|finding| believable(finding.severity())).for_each(|finding| findings.push(finding.clone()));
    let mut model = model.filter(|_| !findings.has_errors());
    if let Some(model) = &mut model {
        model.specs.iter_mut().for_each(|spec| spec.text = Some(text_of_spec(source, spec.span)));
        let texts = model.specs.iter().map(|spec| spec.text.clone());
        if let Some(scheme) = &mut model.parameters.scheme {
            scheme.set_texts(texts);
        }
    }
    (model, findings.sorted())
}

/// The hash of the content of a file, in hexadecimal digits.
pub fn sha256(source: &SourceFile) -> String {
    HEXLOWER.encode(&Sha256::digest(source.text()))
}

/// A spec as the file writes it, without its keyword.
fn text_of_spec(source: &SourceFile, span: Span) -> String {
    let line = token::one_line(source, span);
    let formula = line.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    formula.trim_end_matches(';').trim().to_owned()
}
