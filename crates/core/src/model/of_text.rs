//! Models from texts, for tests.

use super::{Model, elaborate};
use crate::source::SourceFile;
use crate::syntax::parse;

/// The model of a text that must be free of errors.
pub fn model(text: &str) -> Model {
    let parsed = parse(&SourceFile::new("test.rcp", text), None);
    let (model, found) = elaborate(&parsed.model);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(found);
    assert!(!diagnostics.has_errors(), "{diagnostics:#?}\n{text}");
    model.expect("no errors, so a model")
}
