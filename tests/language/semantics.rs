//! Names and types: each fixture is a file whose name begins with the code of the finding that it is
//! about, or with `clean` if there is nothing to find. The snapshots have all findings, one per line.

use rcheck_smt::diag::{Diagnostic, Diagnostics};
use rcheck_smt::source::{SourceFile, Span};
use rcheck_smt::{model, syntax};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/semantics");
    let entries = std::fs::read_dir(folder).expect("the fixtures are there");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut fixtures: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "rcp")).collect();
    fixtures.sort();
    fixtures
}

fn findings(source: &SourceFile) -> (bool, Diagnostics) {
    let syntax::Parsed { model: tree, mut diagnostics, .. } = syntax::parse(source, None);
    let (model, found) = model::elaborate(&tree);
    assert_eq!(model.is_none(), found.has_errors(), "{}: a model iff no errors", source.name());
    diagnostics.extend(found);
    (model.is_some(), diagnostics.sorted())
}

/// `line:column code message | remark | (line:column remark)* | help: ..`
fn line(source: &SourceFile, diagnostic: &Diagnostic) -> String {
    let place = |span: Span| {
        let at = source.line_column(span.start);
        format!("{}:{}", at.line, at.column)
    };
    let mut line = format!("{} {} {}", place(diagnostic.span), diagnostic.code.as_str(), diagnostic.message);
    write!(line, " | {}", diagnostic.label).expect("strings grow");
    for label in &diagnostic.related {
        write!(line, " | ({} {})", place(label.span), label.message).expect("strings grow");
    }
    if let Some(help) = &diagnostic.help {
        write!(line, " | help: {help}").expect("strings grow");
    }
    line
}

#[test]
fn findings_of_all_fixtures() {
    for path in fixtures() {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let source = SourceFile::new(&name, std::fs::read_to_string(&path).expect("readable"));
        let (accepted, diagnostics) = findings(&source);
        let lines: Vec<String> = diagnostics.iter().map(|diagnostic| line(&source, diagnostic)).collect();
        let code = name.split('_').next().expect("a first part");
        match code {
            "clean" => assert!(lines.is_empty(), "{name}: {lines:#?}"),
            _ => {
                assert!(diagnostics.iter().any(|d| d.code.as_str() == code), "{name} does not show {code}: {lines:#?}")
            }
        }
        assert_eq!(accepted, !code.starts_with('E'), "{name}: {lines:#?}");
        insta::assert_snapshot!(name, lines.join("\n"));
    }
}
