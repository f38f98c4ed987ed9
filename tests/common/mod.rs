//! Reading models, for the tests of the whole tool. Not every test needs all of it.
#![allow(dead_code)]

use rcheck_smt::diag::Diagnostics;
use rcheck_smt::model::{self, Model};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax;
use std::path::{Path, PathBuf};

/// The models that we ship, in order; each path is relative to `specs/`.
pub fn shipped() -> Vec<PathBuf> {
    let root = root().join("specs");
    let mut folders = vec![root.clone()];
    let mut models = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rcp") {
                models.push(path.strip_prefix(&root).expect("below the root").to_owned());
            }
        }
    }
    models.sort();
    models
}

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file below `specs/`.
pub fn source(shipped: impl AsRef<Path>) -> SourceFile {
    let path = root().join("specs").join(shipped.as_ref());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    SourceFile::new(shipped.as_ref().display().to_string(), text)
}

/// What the front end finds, and the model if nothing is wrong.
pub fn read(source: &SourceFile) -> (Option<Model>, Diagnostics) {
    let parsed = syntax::parse(source, None);
    let (model, found) = model::elaborate(&parsed.model);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(found);
    (model, diagnostics)
}

/// The model of a file that must be free of errors.
pub fn model(source: &SourceFile) -> Model {
    let (model, diagnostics) = read(source);
    assert!(!diagnostics.has_errors(), "{}: {diagnostics:#?}", source.name());
    model.expect("no errors, so a model")
}
